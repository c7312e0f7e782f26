// SPDX-License-Identifier: Apache-2.0
/// What software does to queues through registers: priority, pulses, and what it observes of one.
/// Rules T-FE-10, T-SCH-13 to T-SCH-18, T-SCH-21, T-SCH-22.
#include "core/scheduler/task_scheduler.h"

namespace tsim
{

namespace
{
/// The wait limit whose half from `base` on is at `offset`; STARS_WAIT_LIMITS: none.
uint32_t wait_limit_at(uint32_t offset, uint32_t base)
{
    const bool is = offset >= base && offset < base + 4 * STARS_WAIT_LIMITS && offset % 4 == 0;
    return is ? (offset - base) / 4 : STARS_WAIT_LIMITS;
}
} // namespace

int TaskScheduler::read_block(uint32_t offset, uint32_t &out_value) const
{
    out_value = 0;
    const uint32_t low = wait_limit_at(offset, STARS_WAIT_LIMIT_LOW);
    const uint32_t high = wait_limit_at(offset, STARS_WAIT_LIMIT_HIGH);
    if (low < STARS_WAIT_LIMITS)
        out_value = static_cast<uint32_t>(wait_limits_[low]);
    if (high < STARS_WAIT_LIMITS)
        out_value = static_cast<uint32_t>(wait_limits_[high] >> 32);
    if (low < STARS_WAIT_LIMITS || high < STARS_WAIT_LIMITS)
        return TWINSIM_OK;
    if (interrupts_.read(offset, out_value) || arbitration_.read(offset, out_value))
        return TWINSIM_OK;
    const bool there = selected_ < queue_count();
    switch (offset) {
    case STARS_RTSQ_SELECT:
        out_value = selected_;
        return TWINSIM_OK;
    case STARS_RTSQ_STATE:
        out_value = there ? slots_.state(selected_) : 0;
        return TWINSIM_OK;
    case STARS_RTSQ_SWAP_INS:
        if (there) {
            const SlotCounts counts = slots_.counts(selected_);
            out_value = counts.swap_ins << STARS_RTSQ_SWAP_INS_SHIFT | counts.waited;
        }
        return TWINSIM_OK;
    default:
        return TWINSIM_E_ARGUMENT;
    }
}

int TaskScheduler::write_block(uint32_t offset, uint32_t value)
{
    const uint32_t low = wait_limit_at(offset, STARS_WAIT_LIMIT_LOW);
    const uint32_t high = wait_limit_at(offset, STARS_WAIT_LIMIT_HIGH);
    if (low < STARS_WAIT_LIMITS) {
        wait_limits_[low] = (wait_limits_[low] & ~uint64_t{UINT32_MAX}) | value;
        return TWINSIM_OK;
    }
    if (high < STARS_WAIT_LIMITS) {
        wait_limits_[high] = (wait_limits_[high] & UINT32_MAX) | uint64_t{value} << 32;
        return TWINSIM_OK;
    }
    if (interrupts_.write(offset, value) || arbitration_.write(offset, value))
        return TWINSIM_OK;
    if (offset != STARS_RTSQ_SELECT)
        return TWINSIM_E_ARGUMENT;
    selected_ = value & STARS_RTSQ_SELECT_MASK;
    if ((value & STARS_RTSQ_SELECT_CLEAR) != 0 && selected_ < queue_count())
        slots_.clear_counts(selected_);
    return TWINSIM_OK;
}

// T-FE-10.
bool TaskScheduler::set_priority(uint32_t sq, uint8_t priority, uint8_t group)
{
    if (priority >= kPriorities || group >= ArbiterRules::kGroups)
        return false;
    arbitration_.set_priority(sq, priority, group);
    if (firmware_)
        firmware_->set_level(sq, priority);
    return true;
}

// T-SCH-13 to T-SCH-15, T-SCH-17, T-SCH-18. Pulses that make no sense now are refused, before any
// takes effect.
bool TaskScheduler::control(uint32_t sq, uint32_t pulses)
{
    QueueRow &q = queues_[sq];
    const bool killed =
        q.state == QueueState::kKilled || (pulses & STARS_SQ_CONTROL_TASK_KILL) != 0;
    if ((pulses & STARS_SQ_CONTROL_TASK_TERMINATE) != 0 && !killed)
        return false;
    if ((pulses & STARS_SQ_CONTROL_EXCEPTION_HANDLED) != 0 && q.state != QueueState::kException)
        return false;
    const uint8_t pauses =
        ((pulses & STARS_SQ_CONTROL_TASK_PAUSE) != 0 ? QueueRow::kTaskPause : 0) |
        ((pulses & STARS_SQ_CONTROL_DEBUG_PAUSE) != 0 ? QueueRow::kDebugPause : 0);
    if (pauses != 0) {
        q.paused |= pauses;
        if (q.state == QueueState::kIdle)
            progress_.hold(sq, HoldReason::kPause);
        else if (q.state == QueueState::kKernel)
            kernels_.pause(sq);
    }
    if ((pulses & STARS_SQ_CONTROL_TASK_KILL) != 0)
        kill(sq);
    if ((pulses & STARS_SQ_CONTROL_TASK_RESUME) != 0)
        resume(sq, QueueRow::kTaskPause);
    if ((pulses & STARS_SQ_CONTROL_DEBUG_RESUME) != 0)
        resume(sq, QueueRow::kDebugPause);
    if ((pulses & STARS_SQ_CONTROL_EXCEPTION_HANDLED) != 0)
        handled(sq);
    if ((pulses & STARS_SQ_CONTROL_TASK_TERMINATE) != 0)
        front_end_.drop_all(sq);
    return true;
}

bool TaskScheduler::drop_prefetched(uint32_t sq)
{
    const QueueRow &q = queues_[sq];
    if (q.paused == 0 && q.state != QueueState::kException)
        return false;
    fronts_[sq].drop_prefetched();
    return true;
}

void TaskScheduler::kill(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    const bool between = q.state == QueueState::kIdle ||
                         (q.state == QueueState::kHeld && q.hold == HoldReason::kPause);
    if (q.state != QueueState::kKilled)
        q.skips = !between;
    abandon(sq);
    q.state = QueueState::kKilled;
}

// The SQE under way ends without effect; everything it held is free again.
void TaskScheduler::abandon(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    queues_.cancel(sq);
    progress_.end(sq);
    if (firmware_)
        firmware_->forget_work(sq);
    arbitration_.remove(sq);
    if (q.state == QueueState::kParked && q.type == STARS_SQE_COND)
        conds_.forget(sq);
    else if (q.state == QueueState::kParked)
        tables_.forget_wait(sq);
    else if (q.state == QueueState::kKernel || q.state == QueueState::kHeld)
        kernels_.drop(sq);
    dma_.abandon(sq);
    q.paused = 0;
    shares_.release(sq);
    slots_.leave(sq);
}

// T-SCH-13: "task resume" leads on from any hold, after a kill past the SQE that was killed
// (T-SCH-17). T-SCH-18: a pause ends with its own resume alone.
void TaskScheduler::resume(uint32_t sq, uint8_t what)
{
    QueueRow &q = queues_[sq];
    q.paused &= static_cast<uint8_t>(~what);
    if (q.state == QueueState::kKernel ||
        (q.state == QueueState::kHeld && q.hold == HoldReason::kBlocks)) {
        if (q.paused == 0)
            kernels_.resume(sq);
    } else if (q.state == QueueState::kHeld) {
        if (q.hold == HoldReason::kPause ? q.paused == 0 : what == QueueRow::kTaskPause)
            end_hold(sq);
    } else if (q.state == QueueState::kKilled && what == QueueRow::kTaskPause) {
        if (q.skips) {
            fronts_[sq].retire(system_.now);
            queues_.check_watch(sq);
        }
        front_end_.idle(sq);
    }
}

// On to the state that would have followed.
void TaskScheduler::end_hold(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    if (system_.trace.on())
        trace_.note_resumed(sq);
    queues_.cancel(sq);          // the end that an injected fault had set
    q.state = QueueState::kWork; // a firmware gets to it later, and once
    q.phase_begin = system_.now;
    switch (q.hold) {
    case HoldReason::kBefore:
        front_end_.after_decode(sq, system_.now, SqeOp::kResume);
        break;
    case HoldReason::kAfter:
        progress_.start_retire(sq, SqeOp::kResume);
        break;
    case HoldReason::kPause:
        go_on(sq);
        break;
    case HoldReason::kCq:
    case HoldReason::kLost:
        if (firmware_)
            firmware_->ask_report(sq, QueueStep::kRetire);
        else
            retire(sq);
        break;
    case HoldReason::kCqError:
        if (firmware_)
            firmware_->ask_report(sq, QueueStep::kReport);
        else
            retirement_.report(sq);
        break;
    case HoldReason::kBlocks: // KernelTasks::resume()
        break;
    }
}

// T-SQE-11: the failed SQE is skipped, the queue goes on.
void TaskScheduler::handled(uint32_t sq)
{
    if (!progress_.is_skipped(sq))
        return;
    fronts_[sq].retire(system_.now);
    queues_.check_watch(sq);
    front_end_.go_on(sq);
}

} // namespace tsim
