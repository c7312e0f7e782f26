// SPDX-License-Identifier: Apache-2.0
/// What software does to queues through registers: enable, head, priority, pulses. Rules T-FE-8, T-FE-10, T-SCH-13 to T-SCH-18.
#include <algorithm>

#include "core/scheduler/task_scheduler.h"

namespace tsim
{

// T-FE-8: a disabled queue ends the SQE under way and begins no other.
void TaskScheduler::set_enabled(uint32_t sq, bool on)
{
    Queue &q = queues_[sq];
    q.enabled = on;
    if (q.state != State::kIdle)
        return;
    board_.calendar.cancel(timer(sq));
    idle(sq);
}

bool TaskScheduler::set_head(uint32_t sq, uint32_t head)
{
    Queue &q = queues_[sq];
    if (q.enabled || q.state != State::kIdle || head >= fronts_[sq].depth())
        return false;
    fronts_[sq].take_in(fronts_[sq].rung(), board_.now, board_.params.cycle_ns);
    fronts_[sq].set_head(head, board_.now);
    check_watch(sq);
    return true;
}

// T-FE-10: a queue that waits for a slot or a share of its class goes on waiting among those of the new priority.
bool TaskScheduler::set_priority(uint32_t sq, uint8_t priority, uint8_t group)
{
    Queue &q = queues_[sq];
    if (priority >= kPriorities || group >= ArbiterRules::kGroups)
        return false;
    prepare_arbiters(priority, group);
    Arbiter *const waits_in = arbiter_of(q);
    if (waits_in)
        waits_in->remove(sq, q.priority, q.group);
    q.priority = priority;
    q.group = group;
    if (waits_in)
        waits_in->add(sq, q.priority, q.group);
    if (has_firmware())
        firmware_->loop.move(sq, priority);
    return true;
}

// T-SCH-13 to T-SCH-15, T-SCH-17, T-SCH-18. Pulses that make no sense now are refused, before any takes effect.
bool TaskScheduler::control(uint32_t sq, uint32_t pulses)
{
    Queue &q = queues_[sq];
    const bool killed = q.state == State::kKilled || (pulses & STARS_SQ_CONTROL_TASK_KILL) != 0;
    if ((pulses & STARS_SQ_CONTROL_TASK_TERMINATE) != 0 && !killed)
        return false;
    if ((pulses & STARS_SQ_CONTROL_EXCEPTION_HANDLED) != 0 && q.state != State::kException)
        return false;
    const uint8_t pauses = ((pulses & STARS_SQ_CONTROL_TASK_PAUSE) != 0 ? kTaskPause : 0) |
                           ((pulses & STARS_SQ_CONTROL_DEBUG_PAUSE) != 0 ? kDebugPause : 0);
    if (pauses != 0) {
        q.paused |= pauses;
        if (q.state == State::kIdle)
            hold(sq, Hold::kPause);
        else if (q.state == State::kKernel)
            pause_kernel(sq);
    }
    if ((pulses & STARS_SQ_CONTROL_TASK_KILL) != 0)
        kill(sq);
    if ((pulses & STARS_SQ_CONTROL_TASK_RESUME) != 0)
        resume(sq, kTaskPause);
    if ((pulses & STARS_SQ_CONTROL_DEBUG_RESUME) != 0)
        resume(sq, kDebugPause);
    if ((pulses & STARS_SQ_CONTROL_EXCEPTION_HANDLED) != 0)
        handled(sq);
    if ((pulses & STARS_SQ_CONTROL_TASK_TERMINATE) != 0) {
        TaskQueue &front = fronts_[sq];
        front.take_in(front.rung(), board_.now, board_.params.cycle_ns);
        front.drop_all(board_.now);
        check_watch(sq);
        idle(sq);
    }
    return true;
}

void TaskScheduler::kill(uint32_t sq)
{
    Queue &q = queues_[sq];
    const bool between =
        q.state == State::kIdle || (q.state == State::kHeld && q.hold == Hold::kPause);
    if (q.state != State::kKilled)
        q.skips = !between;
    abandon(sq);
    q.state = State::kKilled;
}

// The SQE under way ends without effect; everything it held is free again.
void TaskScheduler::abandon(uint32_t sq)
{
    Queue &q = queues_[sq];
    board_.calendar.cancel(timer(sq));
    end_sqe(sq);
    if (has_firmware())
        firmware_->loop.forget(sq);
    switch (q.state) {
    case State::kWaitSlot:
    case State::kWaitClass:
        arbiter_of(q)->remove(sq, q.priority, q.group);
        break;
    case State::kWaitChannel:
        pool(sq).forget(sq);
        break;
    case State::kParked:
        forget_wait(sq);
        break;
    case State::kKernel:
    case State::kHeld:
        drop_kernel(sq);
        break;
    default:
        break;
    }
    stop_moving(sq);
    q.paused = 0;
    release_channel(sq);
    release_token(sq);
    leave_slot(sq);
}

// T-SCH-13: "task resume" leads on from any hold, after a kill past the SQE that was killed (T-SCH-17). T-SCH-18: a pause ends
// with its own resume alone.
void TaskScheduler::resume(uint32_t sq, uint8_t what)
{
    Queue &q = queues_[sq];
    q.paused &= static_cast<uint8_t>(~what);
    if (q.state == State::kKernel || (q.state == State::kHeld && q.hold == Hold::kBlocks)) {
        if (q.paused == 0)
            resume_kernel(sq);
    } else if (q.state == State::kHeld) {
        if (q.hold == Hold::kPause ? q.paused == 0 : what == kTaskPause)
            end_hold(sq);
    } else if (q.state == State::kKilled && what == kTaskPause) {
        if (q.skips) {
            fronts_[sq].retire(board_.now);
            check_watch(sq);
        }
        idle(sq);
    }
}

// On to the state that would have followed.
void TaskScheduler::end_hold(uint32_t sq)
{
    if (board_.trace.on())
        note_resumed(sq);
    board_.calendar.cancel(timer(sq)); // the end that a planted fault had set
    queues_[sq].state = State::kWork;  // a firmware gets to it later, and once
    queues_[sq].mark = board_.now;
    switch (queues_[sq].hold) {
    case Hold::kBefore:
        after_decode(sq, board_.now, SqeOp::kResume);
        break;
    case Hold::kAfter:
        start_retire(sq, SqeOp::kResume);
        break;
    case Hold::kPause:
        go_on(sq);
        break;
    case Hold::kCq:
    case Hold::kLost:
        if (has_firmware())
            ask_report(sq, Step::kRetire);
        else
            retire(sq);
        break;
    case Hold::kCqError:
        if (has_firmware())
            ask_report(sq, Step::kReport);
        else
            report(sq);
        break;
    case Hold::kBlocks: // resume_kernel()
        break;
    }
}

} // namespace tsim
