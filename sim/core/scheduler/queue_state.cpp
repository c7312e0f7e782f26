// SPDX-License-Identifier: Apache-2.0
/// What can be observed and set about the scheduler as a whole: states and counters of queues, arbitration, interrupts.
/// Rules T-SCH-21, T-SCH-22, T-ARB-1 to T-ARB-4, T-CQ-7.
#include "core/scheduler/task_scheduler.h"

namespace tsim
{

namespace
{
// The word number of an offset in an array of registers; kNone when it is elsewhere.
uint32_t word_in(uint32_t offset, uint32_t base, uint32_t words)
{
    return offset >= base && offset - base < 4 * words ? (offset - base) / 4 : kNone;
}

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
} // namespace

// T-SCH-21. A queue that is being swapped out has nothing else to show.
stars_rtsq_state TaskScheduler::rtsq_state(uint32_t sq) const
{
    const Queue &q = queues_[sq];
    const Params &p = board_.params;
    const Cycle out = slots_.leaving_until(sq, board_.now);
    if (out != 0)
        return out - board_.now > p.slot_disable.value ? STARS_RTSQ_WAIT_SWAP_OUT
                                                       : STARS_RTSQ_SLOT_DISABLE;
    switch (q.state) {
    case State::kClosed:
    case State::kIdle:
        return STARS_RTSQ_IDLE;
    case State::kSwapOut:
    case State::kWaitSlot:
    case State::kWaitClass:
        return STARS_RTSQ_WAIT_SWAP_IN;
    case State::kSwapIn: {
        if (!board_.calendar.pending(timer(sq))) // a firmware has yet to take it in
            return STARS_RTSQ_WAIT_SWAP_IN;
        const Cycle left = board_.calendar.time_of(timer(sq)) - board_.now;
        const Cycle enable = p.slot_enable.value, record = enable + p.record_read.value;
        return left > record   ? STARS_RTSQ_WAIT_SWAP_IN
               : left > enable ? (left == record ? STARS_RTSQ_READ_SENT : STARS_RTSQ_WAIT_RECORD)
                               : STARS_RTSQ_SLOT_ENABLE;
    }
    case State::kParked:
        return STARS_RTSQ_POLL_FLAG;
    case State::kHeld:
    case State::kException:
    case State::kKilled:
        return STARS_RTSQ_WAIT_SOFTWARE;
    default:
        return q.paused    ? STARS_RTSQ_OPERATION
               : q.enabled ? STARS_RTSQ_WORKING
                           : STARS_RTSQ_WAIT_SLOT_IDLE;
    }
}

int TaskScheduler::read_block(uint32_t offset, uint32_t &out_value) const
{
    const uint32_t low = offset & ((1u << STARS_CQ_INTERRUPT_TARGET_SHIFT) - 1);
    const uint32_t place = offset >> STARS_CQ_INTERRUPT_TARGET_SHIFT;
    out_value = 0;
    if (place < interrupts_.size()) {
        const Bitmap &of = interrupts_[interrupts_.size() - 1 - place];
        uint32_t word = word_in(low, STARS_CQ_INTERRUPT_QUEUES, kQueueWords);
        if (word != kNone) {
            out_value = queue_word(of, word);
            return TWINSIM_OK;
        }
        word = word_in(low, STARS_CQ_INTERRUPT_MIDDLE, kMiddleWords);
        if (word != kNone) {
            out_value = middle_word(of, word);
            return TWINSIM_OK;
        }
        if (low == STARS_CQ_INTERRUPT_STATUS) {
            for (uint32_t i = 0; i < kMiddleWords; ++i)
                out_value |= (middle_word(of, i) != 0 ? 1u : 0u) << i;
            return TWINSIM_OK;
        }
    }
    const uint32_t group = word_in(offset, STARS_GROUP_WEIGHT, ArbiterRules::kGroups);
    if (group != kNone) {
        out_value = rules_.weights[group];
        return TWINSIM_OK;
    }
    switch (offset) {
    case STARS_CQ_INTERRUPT_MASK:
        out_value = interrupt_mask_;
        return TWINSIM_OK;
    case STARS_RTSQ_SELECT:
        out_value = selected_;
        return TWINSIM_OK;
    case STARS_RTSQ_STATE:
        out_value = selected_ < queue_count() ? rtsq_state(selected_) : 0;
        return TWINSIM_OK;
    case STARS_RTSQ_SWAP_INS:
        if (selected_ < queue_count()) {
            const SlotCounts counts = slots_.counts(selected_);
            out_value = counts.swap_ins << STARS_RTSQ_SWAP_INS_SHIFT | counts.waited;
        }
        return TWINSIM_OK;
    case STARS_GROUP_MODE:
        out_value = (rules_.weight_first ? STARS_GROUP_MODE_WEIGHT_FIRST : 0) |
                    (rules_.reload_spent ? STARS_GROUP_MODE_RELOAD_SPENT : 0);
        return TWINSIM_OK;
    case STARS_STRICT_LEVEL:
        out_value = rules_.strict_level;
        return TWINSIM_OK;
    default:
        return TWINSIM_E_ARGUMENT;
    }
}

int TaskScheduler::write_block(uint32_t offset, uint32_t value)
{
    const uint32_t low = offset & ((1u << STARS_CQ_INTERRUPT_TARGET_SHIFT) - 1);
    const uint32_t place = offset >> STARS_CQ_INTERRUPT_TARGET_SHIFT;
    const uint32_t word = word_in(low, STARS_CQ_INTERRUPT_QUEUES, kQueueWords);
    if (place < interrupts_.size() && word != kNone) {
        Bitmap &of = interrupts_[interrupts_.size() - 1 - place];
        for (uint32_t bits = value & queue_word(of, word); bits != 0; bits &= bits - 1)
            of.clear(word * 32 + static_cast<uint32_t>(__builtin_ctz(bits)));
        return TWINSIM_OK;
    }
    const uint32_t group = word_in(offset, STARS_GROUP_WEIGHT, ArbiterRules::kGroups);
    if (group != kNone) {
        rules_.set_weight(group, static_cast<uint16_t>(value & STARS_GROUP_WEIGHT_MASK));
        return TWINSIM_OK;
    }
    switch (offset) {
    case STARS_CQ_INTERRUPT_MASK:
        interrupt_mask_ = value & ((1u << kMiddleWords) - 1);
        return TWINSIM_OK;
    case STARS_RTSQ_SELECT:
        selected_ = value & STARS_RTSQ_SELECT_MASK;
        if ((value & STARS_RTSQ_SELECT_CLEAR) != 0 && selected_ < queue_count())
            slots_.clear_counts(selected_);
        return TWINSIM_OK;
    case STARS_GROUP_MODE:
        rules_.weight_first = (value & STARS_GROUP_MODE_WEIGHT_FIRST) != 0;
        rules_.reload_spent = (value & STARS_GROUP_MODE_RELOAD_SPENT) != 0;
        return TWINSIM_OK;
    case STARS_STRICT_LEVEL:
        set_strict_level(value & STARS_STRICT_LEVEL_MASK);
        return TWINSIM_OK;
    default:
        return TWINSIM_E_ARGUMENT;
    }
}

// T-ARB-1: those that wait move to the priority groups of the new level.
void TaskScheduler::set_strict_level(uint32_t level)
{
    const uint32_t before = rules_.strict_level;
    rules_.strict_level = level;
    try {
        for (const Queue &q : queues_)
            if (q.state != State::kClosed)
                prepare_arbiters(q.priority, q.group);
    } catch (...) {
        rules_.strict_level = before;
        throw;
    }
    rules_.strict_level = before;
    for (uint32_t sq = 0; sq < queue_count(); ++sq)
        if (Arbiter *const waits_in = arbiter_of(queues_[sq]))
            waits_in->remove(sq, queues_[sq].priority, queues_[sq].group);
    rules_.strict_level = level;
    for (uint32_t sq = 0; sq < queue_count(); ++sq)
        if (Arbiter *const waits_in = arbiter_of(queues_[sq]))
            waits_in->add(sq, queues_[sq].priority, queues_[sq].group);
}

void TaskScheduler::prepare_arbiters(uint32_t priority, uint32_t group)
{
    asking_.prepare(priority, group);
    for (Waiting &waiting : classes_)
        waiting.who.prepare(priority, group);
}

// The arbiter that the queue asks; null when it asks none.
Arbiter *TaskScheduler::arbiter_of(const Queue &q)
{
    return q.state == State::kWaitSlot    ? &asking_
           : q.state == State::kWaitClass ? &classes_[q.share].who
                                          : nullptr;
}

// T-CQ-7: the host's interrupts that the mask lets through.
uint32_t TaskScheduler::take_interrupt()
{
    Bitmap &of = interrupts_.back();
    constexpr uint32_t kPerBit = 32 * 32; // queues behind one bit of the mask
    for (uint32_t from = 0; from < kMaxQueues; from = (from / kPerBit + 1) * kPerBit) {
        const uint32_t sq = of.next(from);
        if (sq == kNone || sq < from)
            return kNone;
        if ((interrupt_mask_ >> (sq / kPerBit) & 1) == 0) {
            of.clear(sq);
            return sq;
        }
        from = sq;
    }
    return kNone;
}

// T-SQE-13. A target of 0 is nobody.
void TaskScheduler::interrupt(uint32_t sq, uint32_t target)
{
    if (target != 0)
        interrupts_[target - 1].set(sq);
}

} // namespace tsim
