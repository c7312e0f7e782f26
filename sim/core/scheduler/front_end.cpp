// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/front_end.h"

#include <algorithm>

#include "core/scheduler/sqe_fields.h"
#include "core/scheduler/sqe_store.h"

namespace tsim
{

FrontEnd::FrontEnd(const SqePart &part, SlotScheduler &slots, FirmwareFrontEnd *firmware)
    : SqePart(part), slots_(slots), firmware_(firmware)
{
    const Params &p = system_.params;
    for (uint32_t sq = 0; sq < queues_.size(); ++sq)
        queues_.front(sq).keep_lines(static_cast<uint32_t>(p.fetch_window.value));
    if (!system_.rtl_ports)
        return;
    rtl_port_ = system_.rtl_ports->front_end(static_cast<uint32_t>(p.queues.value), line(),
                                             {queues_.device, ""});
    for (uint32_t sq = 0; rtl_port_ && sq < queues_.size(); ++sq)
        queues_.front(sq).attach(*rtl_port_, sq);
}

void FrontEnd::reset()
{
    if (rtl_port_)
        rtl_port_->reset();
}

// ---- a queue between two SQEs ------------------------------------------------------------------

void FrontEnd::take_in(uint32_t sq, uint64_t rung)
{
    const QueueRow &q = queues_[sq];
    if (q.state == QueueState::kClosed || (faults_.armed() && faults_.doorbell_lost(sq, rung)))
        return;
    queues_.front(sq).take_in(rung, system_.now, system_.params.cycle_ns);
    if (q.state == QueueState::kIdle && !system_.calendar.pending(queues_.timer(sq)))
        idle(sq);
}

// T-SCH-1: a queue at rest needs one calendar entry, for the arrival of its next SQE, and none
// without.
void FrontEnd::idle(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    const TaskQueue &front = queues_.front(sq);
    q.state = QueueState::kIdle;
    if (q.enabled && front.has_more())
        queues_.at(sq, std::max(system_.now, front.next_arrival()), QueueStep::kArrive);
}

// T-SCH-7.
void FrontEnd::go_on(uint32_t sq)
{
    const QueueRow &q = queues_[sq];
    if (q.paused) {
        progress_.hold(sq, HoldReason::kPause);
        return;
    }
    const bool more = q.enabled && queues_.front(sq).visible(system_.now);
    if (more && q.slot != QueueRow::kNoSlot) {
        begin(sq);
    } else if (more) {
        slots_.ask(sq, SlotUse::kBegin);
    } else {
        slots_.leave(sq);
        idle(sq);
    }
}

// ---- fetch and decode --------------------------------------------------------------------------

// T-SQE-1, T-SQE-2: fetched when it is not in the buffer yet, then decoded.
void FrontEnd::begin(uint32_t sq)
{
    if (__builtin_expect(firmware_ != nullptr, 0)) {
        begin_command(sq);
        return;
    }
    QueueRow &q = queues_[sq];
    TaskQueue &front = queues_.front(sq);
    const Params &p = system_.params;
    const TaskQueue::Fetch fetch =
        front.fetch(system_.now, queues_.latency(sq, p.fetch_read), line());
    const stars_sqe &sqe = front.sqe();
    const Cycle decoded = fetch.ready + p.decode.value;
    q.type = static_cast<uint8_t>(sqe.word[0] & STARS_W0_TYPE_MASK);
    q.begun = system_.now;
    if (faults_.armed() || queues_.is_faulted(sq))
        faults_.ask(sq);
    if (system_.trace.on())
        trace_.note_begun(sq, fetch.ready);
    if (pre_p(sqe) != 0)
        progress_.advance(sq, SqeOp::kBegin, {SqeNext::kDecoded, SqeHold::kNot, decoded});
    else
        after_decode(sq, decoded, SqeOp::kBegin);
}

// T-HW-4, T-HW-5.
void FrontEnd::begin_command(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    q.state = QueueState::kWork;
    q.step = QueueStep::kDecoded;
    q.type = type_of(queues_.sqe(sq));
    q.begun = q.phase_begin = system_.now;
    if (faults_.armed() || queues_.is_faulted(sq))
        faults_.ask(sq);
    if (system_.trace.on())
        trace_.note_command(sq);
    firmware_->begin_command(sq);
}

// T-SQE-4.
void FrontEnd::hold_before(uint32_t sq)
{
    progress_.advance(sq, SqeOp::kDecoded, {SqeNext::kHold, SqeHold::kBefore});
}

void FrontEnd::command_decoded(uint32_t sq)
{
    if (pre_p(queues_.sqe(sq)) != 0) // T-SQE-4
        progress_.hold(sq, HoldReason::kBefore);
    else
        after_decode(sq, system_.now, SqeOp::kBegin);
}

// T-SQE-3.
inline Cycle FrontEnd::access_time(uint32_t sq) const
{
    const Params &p = system_.params;
    switch (queues_[sq].type) {
    case STARS_SQE_EVENT_RECORD:
    case STARS_SQE_EVENT_WAIT:
        return queues_.latency(sq, p.event_table);
    case STARS_SQE_NOTIFY_RECORD:
    case STARS_SQE_NOTIFY_WAIT:
        return queues_.latency(sq, p.notify_table);
    case STARS_SQE_WRITE_VALUE: {
        const auto where = store_of(queues_.sqe(sq), static_cast<uint32_t>(p.events.value),
                                    static_cast<uint32_t>(p.notifies.value))
                               .where;
        return where == Store::kEvent    ? queues_.latency(sq, p.event_table)
               : where == Store::kNotify ? queues_.latency(sq, p.notify_table)
                                         : queues_.latency(sq, p.write_value);
    }
    default:
        return 0;
    }
}

// T-SQE-3: how long the SQE takes until it has its effect.
void FrontEnd::after_decode(uint32_t sq, Cycle decoded, SqeOp op)
{
    QueueRow &q = queues_[sq];
    q.state = QueueState::kWork;
    q.phase_begin = decoded;
    progress_.advance(sq, op, {SqeNext::kExecute, SqeHold::kNot, decoded + access_time(sq)});
}

// ---- registers ---------------------------------------------------------------------------------

// T-FE-8: a disabled queue ends the SQE under way and begins no other.
void FrontEnd::set_enabled(uint32_t sq, bool on)
{
    QueueRow &q = queues_[sq];
    q.enabled = on;
    if (q.state != QueueState::kIdle)
        return;
    queues_.cancel(sq);
    idle(sq);
}

bool FrontEnd::set_head(uint32_t sq, uint32_t head)
{
    const QueueRow &q = queues_[sq];
    if (q.enabled || q.state != QueueState::kIdle || head >= queues_.front(sq).depth())
        return false;
    move_head(sq, head);
    return true;
}

void FrontEnd::move_head(uint32_t sq, uint32_t head)
{
    TaskQueue &front = queues_.front(sq);
    front.take_in(front.rung(), system_.now, system_.params.cycle_ns);
    front.set_head(head, system_.now);
    queues_.check_watch(sq);
}

void FrontEnd::drop_all(uint32_t sq)
{
    TaskQueue &front = queues_.front(sq);
    front.take_in(front.rung(), system_.now, system_.params.cycle_ns);
    front.drop_all(system_.now);
    queues_.check_watch(sq);
    idle(sq);
}

} // namespace tsim
