// SPDX-License-Identifier: Apache-2.0
/// How queues go through a firmware: each step that a hardware scheduler does by itself is work for its loop, and the
/// host learns of the end of a command by a report. Rules T-HW-1 to T-HW-11.
#include <algorithm>

#include "core/scheduler/task_scheduler.h"

namespace tsim
{

namespace
{
using Work = FirmwareLoop::Work;
} // namespace

void TaskScheduler::ask_firmware(uint32_t sq, FirmwareLoop::Work work)
{
    firmware_->loop.ask(sq, queues_[sq].priority, work);
    arm_firmware();
}

// T-HW-2: a queue that got an active place is taken into it.
void TaskScheduler::activate(uint32_t sq)
{
    Queue &q = queues_[sq];
    const Params &p = board_.params;
    note(sq, {TWINSIM_PHASE_SLOT, q.mark, q.was_short ? p.slots.index : p.arbitration.index});
    q.mark = board_.now;
    ask_firmware(sq, Work::kActivate);
}

// T-HW-4, T-HW-5: the queue turns to the command at its head.
void TaskScheduler::begin_command(uint32_t sq)
{
    Queue &q = queues_[sq];
    TaskQueue &front = fronts_[sq];
    q.state = State::kWork;
    q.step = Step::kDecoded;
    q.type = static_cast<uint8_t>(front.sqe().word[0] & STARS_W0_TYPE_MASK);
    q.begun = q.mark = board_.now;
    if (__builtin_expect(board_.faults.armed(), 0) || is_struck(sq))
        ask_faults(sq);
    if (board_.trace.on())
        board_.trace.begun(traced(sq), board_.now, front.next_arrival(), board_.now);
    ask_firmware(sq, front.buffered() ? Work::kCommand : Work::kFetch);
}

// T-HW-6: the command is over; `step` says how it ends.
void TaskScheduler::ask_report(uint32_t sq, Step step)
{
    queues_[sq].step = step;
    ask_firmware(sq, Work::kReport);
}

// Work begins behind all queues of the instant, so that those of one instant are chosen among by their levels.
void TaskScheduler::arm_firmware()
{
    const uint32_t id = (device_ << BoardState::kDeviceShift) + BoardState::kFirmwareTimer;
    if (!firmware_->loop.busy() && !board_.calendar.pending(id))
        board_.calendar.schedule(id, board_.now, Rank::kArbiter);
}

void TaskScheduler::fire_firmware()
{
    const uint32_t id = (device_ << BoardState::kDeviceShift) + BoardState::kFirmwareTimer;
    FirmwareLoop &loop = firmware_->loop;
    if (loop.busy()) {
        const FirmwareLoop::Job done = loop.end();
        firmware_->rested = board_.now;
        if (done.sq != kNone)
            served(done.sq, done.work);
        arm_firmware();
        return;
    }
    const FirmwareLoop::Job job =
        loop.begin(!firmware_->reports.full(), !firmware_->reports.stopped());
    if (job.sq == kNone)
        return;
    Queue &q = queues_[job.sq];
    const Setting &cost = loop.cost(job.work);
    note(job.sq, {TWINSIM_PHASE_ENGINE, q.mark, kept_by(job.work).index});
    q.mark = board_.now;
    board_.calendar.schedule(id, board_.now + latency(job.sq, cost), Rank::kQueue);
}

// What a queue had to wait for until now: the end of what the loop did last (T-HW-3), room for reports (T-HW-10), or a command slot
// of its level (T-HW-4).
const Setting &TaskScheduler::kept_by(FirmwareLoop::Work wanted) const
{
    const Params &p = board_.params;
    if (firmware_->rested == board_.now)
        return firmware_->loop.cost(firmware_->loop.last());
    if (firmware_->reports.made_room() == board_.now)
        return wanted == Work::kReport ? p.fw_reports : p.fw_stop_at;
    return p.fw_level_slots;
}

void TaskScheduler::served(uint32_t sq, FirmwareLoop::Work work)
{
    Queue &q = queues_[sq];
    TaskQueue &front = fronts_[sq];
    FirmwareLoop &loop = firmware_->loop;
    const Setting &cost = loop.cost(work);
    switch (work) {
    case Work::kActivate:
        note(sq, {TWINSIM_PHASE_SWAP_IN, q.mark, cost.index});
        swap_done(sq);
        break;
    case Work::kFetch: {
        note(sq, {TWINSIM_PHASE_FETCH, q.mark, cost.index});
        loop.release_commands(sq);
        const uint32_t window = static_cast<uint32_t>(board_.params.fetch_window.value);
        const uint32_t most = loop.room(q.priority, window);
        q.mark = board_.now;
        if (most == 0) { // its level has changed, and the new one has no room
            ask_firmware(sq, work);
            break;
        }
        loop.hold_commands(sq, q.priority, front.read_in(board_.now, most));
        ask_firmware(sq, Work::kCommand);
        break;
    }
    case Work::kCommand:
        note(sq, {TWINSIM_PHASE_DECODE, q.mark, cost.index});
        q.mark = board_.now;
        if ((front.sqe().word[0] >> STARS_W0_PRE_P_SHIFT & 3) != 0) // T-SQE-4
            hold(sq, Hold::kBefore);
        else
            after_decode(sq, board_.now, SqeOp::kBegin);
        break;
    default:
        note(sq, {TWINSIM_PHASE_RETIRE, q.mark, cost.index});
        q.mark = board_.now;
        fire_queue(sq);
        break;
    }
}

// T-HW-7, T-HW-8: the report of a command that retired, or failed.
void TaskScheduler::post_report(uint32_t sq, const stars_sqe &sqe, bool interrupts, bool failed)
{
    const Queue &q = queues_[sq];
    const TaskQueue &front = fronts_[sq];
    firmware_->loop.command_done(sq);
    const uint64_t done = front.done();
    const bool awaited = q.watch != 0 && done >= q.watch;
    firmware_->reports.add(board_.now,
                           {sq, interrupts, failed, done, done + (failed ? 1 : 0),
                            static_cast<uint16_t>(sqe.word[1] >> STARS_W1_TASK_SHIFT), q.type},
                           interrupts || failed || awaited);
    arm_reports();
}

// T-HW-8: somebody waits for what has retired and is not reported yet.
void TaskScheduler::hurry_report(uint32_t sq)
{
    const Queue &q = queues_[sq];
    if (q.watch == 0 || fronts_[sq].done() < q.watch)
        return;
    firmware_->reports.hurry(board_.now);
    arm_reports();
}

void TaskScheduler::arm_reports()
{
    const uint32_t id = (device_ << BoardState::kDeviceShift) + BoardState::kReportTimer;
    const Cycle next = firmware_->reports.next();
    if (next == kNever)
        board_.calendar.cancel(id);
    else if (!board_.calendar.pending(id) || board_.calendar.time_of(id) != next)
        board_.calendar.schedule(id, next, Rank::kQueue);
}

// T-HW-8, T-HW-9: from the end of the command to the host, in its parts.
void TaskScheduler::note_reported(const ReportQueue::Report &report)
{
    const Params &p = board_.params;
    const Cycle interrupted = firmware_->reports.interrupted();
    const Cycle raised = std::max(report.added, interrupted);
    const Cycle heard = std::max(report.added, interrupted + p.fw_interrupt.value);
    const auto part = [&](Cycle begin, Cycle end, const Setting &by) {
        if (begin == end)
            return;
        twinsim_trace_record record{};
        record.begin_ns = p.to_ns(begin);
        record.end_ns = p.to_ns(end);
        record.number = report.about;
        record.parameter = by.index;
        record.id = kNone;
        record.sq = static_cast<uint16_t>(report.sq);
        record.task_id = report.task_id;
        record.device = static_cast<uint8_t>(device_);
        record.phase = TWINSIM_PHASE_REPORTED;
        record.sqe_type = report.sqe_type;
        record.waker_sq = kNone;
        record.waker_device = kNone;
        board_.trace.whole(record);
    };
    part(report.added, raised, p.fw_interval);
    part(raised, heard, p.fw_interrupt);
    part(heard, board_.now, p.fw_take);
}

// T-HW-9: the host has taken a report, or its interrupt is raised.
void TaskScheduler::fire_reports()
{
    ReportQueue::Report report;
    if (firmware_->reports.fire(board_.now, report) && report.sq != kNone) {
        if (board_.trace.on())
            note_reported(report);
        fronts_[report.sq].publish(report.number, board_.now);
        if (report.interrupts)
            interrupts_.back().set(report.sq);
        if (report.failed)
            board_.stop |= BoardState::kStopCq;
        check_watch(report.sq);
    }
    arm_reports();
    arm_firmware(); // it may have stood still for lack of room
}

// What the queue had of the firmware is free: it leaves its active place, or is closed.
void TaskScheduler::release_commands(uint32_t sq)
{
    firmware_->loop.release_commands(sq);
    fronts_[sq].drop_prefetched();
    arm_firmware(); // another queue may wait for the slots
}

void TaskScheduler::reset_firmware()
{
    const uint32_t first = device_ << BoardState::kDeviceShift;
    board_.calendar.cancel(first + BoardState::kFirmwareTimer);
    board_.calendar.cancel(first + BoardState::kReportTimer);
    firmware_->loop.reset();
    firmware_->reports.reset();
    firmware_->rested = kNever;
}

} // namespace tsim
