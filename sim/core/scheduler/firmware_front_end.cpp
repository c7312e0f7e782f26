// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/firmware_front_end.h"

#include <algorithm>

#include "core/scheduler/sqe_fields.h"

namespace tsim
{

namespace
{
using Work = FirmwareLoop::Work;
} // namespace

FirmwareFrontEnd::FirmwareFrontEnd(const SchedulerPart &part, Interrupts &interrupts)
    : SchedulerPart(part), interrupts_(interrupts), loop_(system_.params, queues_.size()),
      reports_(system_.params)
{
}

void FirmwareFrontEnd::reset()
{
    system_.calendar.cancel(timer(SystemState::kFirmwareTimer));
    system_.calendar.cancel(timer(SystemState::kReportTimer));
    loop_.reset();
    reports_.reset();
    rested_ = kNever;
}

void FirmwareFrontEnd::ask(uint32_t sq, Work work)
{
    loop_.ask(sq, queues_[sq].priority, work);
    arm();
}

// T-HW-2.
void FirmwareFrontEnd::activate(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    const Params &p = system_.params;
    trace_.note(
        sq, {TWINSIM_PHASE_SLOT, q.phase_begin, q.was_short ? p.slots.index : p.arbitration.index});
    q.phase_begin = system_.now;
    ask(sq, Work::kActivate);
}

// T-HW-4, T-HW-5.
void FirmwareFrontEnd::begin_command(uint32_t sq)
{
    ask(sq, queues_.front(sq).buffered() ? Work::kCommand : Work::kFetch);
}

// T-HW-6.
void FirmwareFrontEnd::ask_report(uint32_t sq, QueueStep step)
{
    queues_[sq].step = step;
    ask(sq, Work::kReport);
}

void FirmwareFrontEnd::arm()
{
    const uint32_t id = timer(SystemState::kFirmwareTimer);
    if (!loop_.busy() && !system_.calendar.pending(id))
        system_.calendar.schedule(id, system_.now, Rank::kArbiter);
}

bool FirmwareFrontEnd::fire(FirmwareLoop::Job &done)
{
    if (loop_.busy()) {
        done = loop_.end();
        rested_ = system_.now;
        if (done.sq != kNone && serve(done))
            return true;
        arm();
        return false;
    }
    const FirmwareLoop::Job job = loop_.begin(!reports_.full(), !reports_.stopped());
    if (job.sq == kNone)
        return false;
    QueueRow &q = queues_[job.sq];
    const Setting &cost = loop_.cost(job.work);
    trace_.note(job.sq, {TWINSIM_PHASE_ENGINE, q.phase_begin, kept_by(job.work).index});
    q.phase_begin = system_.now;
    system_.calendar.schedule(timer(SystemState::kFirmwareTimer),
                              system_.now + queues_.latency(job.sq, cost), Rank::kQueue);
    return false;
}

// What a queue had to wait for until now: the end of what the loop did last (T-HW-3), room for
// reports (T-HW-10), or a command slot of its level (T-HW-4).
const Setting &FirmwareFrontEnd::kept_by(Work wanted) const
{
    const Params &p = system_.params;
    if (rested_ == system_.now)
        return loop_.cost(loop_.last());
    if (reports_.made_room() == system_.now)
        return wanted == Work::kReport ? p.fw_reports : p.fw_stop_at;
    return p.fw_level_slots;
}

// The phase of the work ends. True: the queue goes on.
bool FirmwareFrontEnd::serve(const FirmwareLoop::Job &done)
{
    QueueRow &q = queues_[done.sq];
    const twinsim_phase phase = done.work == Work::kActivate  ? TWINSIM_PHASE_SWAP_IN
                                : done.work == Work::kFetch   ? TWINSIM_PHASE_FETCH
                                : done.work == Work::kCommand ? TWINSIM_PHASE_DECODE
                                                              : TWINSIM_PHASE_RETIRE;
    trace_.note(done.sq, {phase, q.phase_begin, loop_.cost(done.work).index});
    if (done.work == Work::kFetch) {
        read_commands(done.sq);
        return false;
    }
    q.phase_begin = system_.now;
    return true;
}

void FirmwareFrontEnd::read_commands(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    loop_.release_commands(sq);
    const auto window = static_cast<uint32_t>(system_.params.fetch_window.value);
    const uint32_t most = loop_.room(q.priority, window);
    q.phase_begin = system_.now;
    if (most == 0) { // its level has changed, and the new one has no room
        ask(sq, Work::kFetch);
        return;
    }
    loop_.hold_commands(sq, q.priority, queues_.front(sq).read_in(system_.now, most));
    ask(sq, Work::kCommand);
}

// T-HW-7, T-HW-8.
void FirmwareFrontEnd::post_report(uint32_t sq, const stars_sqe &sqe, bool interrupts, bool failed)
{
    const QueueRow &q = queues_[sq];
    loop_.command_done(sq);
    const uint64_t done = queues_.front(sq).done();
    const bool awaited = q.watch != 0 && done >= q.watch;
    reports_.add(system_.now,
                 {sq, interrupts, failed, done, done + (failed ? 1 : 0), task_of(sqe), q.type},
                 interrupts || failed || awaited);
    arm_reports();
}

void FirmwareFrontEnd::hurry_report(uint32_t sq)
{
    const QueueRow &q = queues_[sq];
    if (q.watch == 0 || queues_.front(sq).done() < q.watch)
        return;
    reports_.hurry(system_.now);
    arm_reports();
}

void FirmwareFrontEnd::arm_reports()
{
    const uint32_t id = timer(SystemState::kReportTimer);
    const Cycle next = reports_.next();
    if (next == kNever)
        system_.calendar.cancel(id);
    else if (!system_.calendar.pending(id) || system_.calendar.time_of(id) != next)
        system_.calendar.schedule(id, next, Rank::kQueue);
}

// T-HW-8, T-HW-9: from the end of the command to the host, in its parts.
void FirmwareFrontEnd::note_reported(const FirmwareCq::Report &report) const
{
    const Params &p = system_.params;
    const Cycle interrupted = reports_.interrupted();
    const Cycle raised = std::max(report.added, interrupted);
    const Cycle received = std::max(report.added, interrupted + p.fw_interrupt.value);
    const auto part = [&](Cycle begin, Cycle end, const Setting &by) {
        if (begin == end)
            return;
        twinsim_trace_entry entry{};
        entry.begin_ns = p.to_ns(begin);
        entry.end_ns = p.to_ns(end);
        entry.number = report.about;
        entry.parameter = by.index;
        entry.id = kNone;
        entry.sq = static_cast<uint16_t>(report.sq);
        entry.task_id = report.task_id;
        entry.device = static_cast<uint8_t>(queues_.device);
        entry.phase = TWINSIM_PHASE_REPORTED;
        entry.sqe_type = report.sqe_type;
        entry.waker_sq = kNone;
        entry.waker_device = kNone;
        system_.trace.whole(entry);
    };
    part(report.added, raised, p.fw_interval);
    part(raised, received, p.fw_interrupt);
    part(received, system_.now, p.fw_take);
}

// T-HW-9: the host has taken a report, or its interrupt is raised.
void FirmwareFrontEnd::fire_reports()
{
    FirmwareCq::Report report;
    if (reports_.fire(system_.now, report) && report.sq != kNone) {
        if (system_.trace.on())
            note_reported(report);
        queues_.front(report.sq).publish(report.number, system_.now);
        if (report.interrupts)
            interrupts_.raise(report.sq, Interrupts::kHost);
        if (report.failed)
            system_.stop |= SystemState::kStopCq;
        queues_.check_watch(report.sq);
    }
    arm_reports();
    arm(); // it may have stood still for lack of room
}

void FirmwareFrontEnd::release_commands(uint32_t sq)
{
    loop_.release_commands(sq);
    queues_.front(sq).drop_prefetched();
    arm(); // another queue may wait for the slots
}

} // namespace tsim
