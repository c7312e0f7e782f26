// SPDX-License-Identifier: Apache-2.0
#include "core/device.h"

namespace tsim
{

Device::Device(SystemState &system, uint32_t index)
    : system_(system), index_(index), scheduler_(system, index), host_dma_(system, index)
{
}

void Device::reset()
{
    scheduler_.reset();
    host_dma_.reset();
    rung_words_.store(0);
    for (auto &word : rung_)
        word.store(0);
}

// The ringer stores its tail, then looks at the mask; the model takes the mask, then reads the
// tails. All of it sequentially consistent: a bit the ringer found set is one that the model has
// yet to take.
void Device::doorbell(uint32_t sq, uint32_t tail, uint64_t at_ns)
{
    if (!scheduler_.front(sq).doorbell(tail, at_ns))
        return;
    std::atomic<uint64_t> &word = rung_[sq / 64];
    const uint64_t bit = uint64_t{1} << (sq % 64);
    if ((word.load(std::memory_order_seq_cst) & bit) == 0)
        word.fetch_or(bit, std::memory_order_seq_cst);
    const uint64_t word_bit = uint64_t{1} << (sq / 64);
    if ((rung_words_.load(std::memory_order_seq_cst) & word_bit) == 0)
        rung_words_.fetch_or(word_bit, std::memory_order_seq_cst);
}

void Device::take_in(void (*seen)(void *context, const twinsim_seen *what), void *context)
{
    if (rung_words_.load(std::memory_order_seq_cst) == 0)
        return;
    uint64_t words = rung_words_.exchange(0, std::memory_order_seq_cst);
    for (; words != 0; words &= words - 1) {
        const auto word = static_cast<uint32_t>(__builtin_ctzll(words));
        uint64_t bits = rung_[word].exchange(0, std::memory_order_seq_cst);
        for (; bits != 0; bits &= bits - 1) {
            const uint32_t sq = word * 64 + static_cast<uint32_t>(__builtin_ctzll(bits));
            const TaskQueue &front = scheduler_.front(sq);
            const uint64_t rung = front.rung();
            if (__builtin_expect(seen != nullptr, 0) && front.is_open()) {
                const twinsim_seen what{index_, sq, rung - front.rung_at(0)};
                seen(context, &what);
            }
            scheduler_.take_in(sq, rung);
        }
    }
}

bool Device::take_in(uint32_t sq, uint64_t newest)
{
    const TaskQueue &front = scheduler_.front(sq);
    if (!front.is_open() || !front.has_rung(front.rung_at(newest)))
        return false;
    scheduler_.take_in(sq, front.rung_at(newest));
    return true;
}

void Device::fire_other(uint32_t timer)
{
    if (timer == SystemState::kArbiterTimer)
        scheduler_.fire_arbiter();
    else if (timer == SystemState::kFirmwareTimer)
        scheduler_.fire_firmware();
    else if (timer == SystemState::kReportTimer)
        scheduler_.fire_reports();
    else if (timer == SystemState::kDispatchTimer)
        scheduler_.cores().fire();
    else if (timer == SystemState::kForwardTimer)
        scheduler_.fire_forwards();
    else if (timer != SystemState::kHostDmaTimer)
        scheduler_.cores().fire_core(timer - SystemState::kCoreTimer);
    else
        host_dma_.fire();
}

void Device::transfer_done(uint32_t who)
{
    if ((who & HostDma::kOwner) != 0)
        host_dma_.transfer_done(who & ~HostDma::kOwner);
    else if ((who & DmaList::kOwner) != 0)
        scheduler_.list_transfer_done(who & ~DmaList::kOwner);
    else if ((who & BlockDispatcher::kOwner) != 0)
        scheduler_.cores().transfer_done(who);
    else if ((who & FftsTasks::kOwner) != 0)
        scheduler_.context_transfer_done(who);
    else
        scheduler_.transfer_done(who);
}

} // namespace tsim
