// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/interrupts.h"

#include "core/scheduler/register_words.h"
#include "twinsim/stars.h"

namespace tsim
{

namespace
{
// The words of a bitmap at each level of the interrupt registers.
constexpr uint32_t kQueueWords = kMaxQueues / 32, kMiddleWords = kQueueWords / 32;

uint32_t queue_word(const Bitmap &of, uint32_t word)
{
    return static_cast<uint32_t>(of.word(word / 2) >> (word % 2 * 32));
}

uint32_t middle_word(const Bitmap &of, uint32_t word)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 32; ++i)
        bits |= (queue_word(of, word * 32 + i) != 0 ? 1u : 0u) << i;
    return bits;
}

uint32_t low_part(uint32_t offset)
{
    return offset & ((1u << STARS_CQ_INTERRUPT_TARGET_SHIFT) - 1);
}
} // namespace

void Interrupts::reset()
{
    for (Bitmap &queues : pending_)
        queues.reset();
    mask_ = 0;
}

void Interrupts::forget(uint32_t sq)
{
    for (Bitmap &queues : pending_)
        queues.clear(sq);
}

// T-CQ-7: the host's interrupts that the mask lets through.
uint32_t Interrupts::take()
{
    Bitmap &of = pending_.back();
    constexpr uint32_t kPerBit = 32 * 32; // queues of one bit of the mask
    for (uint32_t from = 0; from < kMaxQueues; from = (from / kPerBit + 1) * kPerBit) {
        const uint32_t sq = of.next(from);
        if (sq == kNone || sq < from)
            return kNone;
        if ((mask_ >> (sq / kPerBit) & 1) == 0) {
            of.clear(sq);
            return sq;
        }
        from = sq;
    }
    return kNone;
}

bool Interrupts::read(uint32_t offset, uint32_t &out_value) const
{
    const uint32_t low = low_part(offset);
    const uint32_t place = offset >> STARS_CQ_INTERRUPT_TARGET_SHIFT;
    if (place < pending_.size()) {
        const Bitmap &of = pending_[pending_.size() - 1 - place];
        uint32_t word = word_in(low, STARS_CQ_INTERRUPT_QUEUES, kQueueWords);
        if (word != kNone) {
            out_value = queue_word(of, word);
            return true;
        }
        word = word_in(low, STARS_CQ_INTERRUPT_MIDDLE, kMiddleWords);
        if (word != kNone) {
            out_value = middle_word(of, word);
            return true;
        }
        if (low == STARS_CQ_INTERRUPT_STATUS) {
            for (uint32_t i = 0; i < kMiddleWords; ++i)
                out_value |= (middle_word(of, i) != 0 ? 1u : 0u) << i;
            return true;
        }
    }
    if (offset != STARS_CQ_INTERRUPT_MASK)
        return false;
    out_value = mask_;
    return true;
}

bool Interrupts::write(uint32_t offset, uint32_t value)
{
    const uint32_t place = offset >> STARS_CQ_INTERRUPT_TARGET_SHIFT;
    const uint32_t word = word_in(low_part(offset), STARS_CQ_INTERRUPT_QUEUES, kQueueWords);
    if (place < pending_.size() && word != kNone) {
        Bitmap &of = pending_[pending_.size() - 1 - place];
        for (uint32_t bits = value & queue_word(of, word); bits != 0; bits &= bits - 1)
            of.clear(word * 32 + static_cast<uint32_t>(__builtin_ctz(bits)));
        return true;
    }
    if (offset != STARS_CQ_INTERRUPT_MASK)
        return false;
    mask_ = value & ((1u << kMiddleWords) - 1);
    return true;
}

} // namespace tsim
