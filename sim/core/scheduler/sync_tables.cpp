// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/sync_tables.h"

#include <algorithm>

namespace tsim
{

namespace
{
EventTable event_table(const SystemState &system, uint32_t device, uint32_t queues)
{
    const Params &p = system.params;
    const EventShape shape = {static_cast<uint32_t>(p.events.value), queues,
                              static_cast<uint32_t>(p.event_cached.value),
                              p.event_isolation.value != 0};
    return {shape.ids, shape.queues, shape.lines, shape.isolated,
            system.rtl_ports ? system.rtl_ports->events(shape, {device, ""}) : nullptr};
}

NotifyTable notify_table(const SystemState &system, uint32_t device, uint32_t queues)
{
    const auto ids = static_cast<uint32_t>(system.params.notifies.value);
    return {ids, queues,
            system.rtl_ports ? system.rtl_ports->notifies(ids, queues, {device, ""}) : nullptr};
}
} // namespace

SyncTables::SyncTables(const SqePart &part, SlotScheduler &slots)
    : SqePart(part), slots_(slots),
      forward_timer_((queues_.device << SystemState::kDeviceShift) + SystemState::kForwardTimer),
      events_(event_table(system_, queues_.device, queues_.size())),
      notifies_(notify_table(system_, queues_.device, queues_.size())),
      counts_(static_cast<uint32_t>(system_.params.count_notifies.value), queues_.size())
{
}

void SyncTables::reset()
{
    reset_forwards();
    events_.reset();
    notifies_.reset();
    counts_.reset();
    context_waits_ = 0;
}

// ---- events ------------------------------------------------------------------------------------

// T-EVT-5.
void SyncTables::clear_event(uint32_t id, uint32_t waker)
{
    events_.clear(id);
    if (waker == kNone && (events_.sends(id) || events_.receives(id)))
        end_forwards(id);
}

// T-EVT-8: the access found the entry in memory.
void SyncTables::load_event(uint32_t sq, uint32_t id)
{
    QueueRow &q = queues_[sq];
    const Params &p = system_.params;
    trace_.note_access(sq, p.event_table.index, id, TWINSIM_TABLE_VAIN);
    q.phase_begin = system_.now;
    q.wait_id = id;
    queues_.at(sq,
               progress_.due(sq, SqeOp::kMiss, SqeNext::kLoaded, system_.now + p.event_miss.value),
               QueueStep::kLoaded);
}

// ---- notifies ----------------------------------------------------------------------------------

// T-NTF-1, T-NTF-3.
void SyncTables::write_notify(uint32_t id, bool flag, uint32_t waker)
{
    if (faults_.loses_record(waker))
        return; // T-FLT-12
    if (!flag) {
        notifies_.clear(id);
        return;
    }
    const uint32_t sq = notifies_.record(id);
    if (sq != kNone)
        wake(sq, queues_.origin(waker), kNone);
    else
        offer_notify(id);
}

void SyncTables::wait_notify(uint32_t sq, uint32_t id)
{
    queues_[sq].wait_id = id;
    if (notifies_.wait(id, sq, system_.now))
        progress_.executed(sq);
    else
        park(sq, queues_.sqe(sq).word[STARS_NOTIFY_TIMEOUT_WORD]);
}

// ---- counting notifies -------------------------------------------------------------------------

// T-CTN-1, T-CTN-4.
void SyncTables::write_count(uint32_t id, uint32_t mode, uint32_t value, uint32_t waker)
{
    if (faults_.loses_record(waker))
        return; // T-FLT-12
    counts_.change(id, mode, value);
    release_count(id, waker);
}

void SyncTables::release_count(uint32_t id, uint32_t waker)
{
    for (uint32_t sq = counts_.release(id); sq != kNone; sq = counts_.release(id))
        wake(sq, queues_.origin(waker), kNone);
}

// T-CTN-2, T-CTN-3.
void SyncTables::wait_count(uint32_t sq, uint32_t id)
{
    const stars_sqe &sqe = queues_.sqe(sq);
    queues_[sq].wait_id = id;
    const CountTable::Condition condition{sqe.word[STARS_COUNT_VALUE_WORD],
                                          static_cast<uint8_t>(sqe.word[STARS_COUNT_MODE_WORD]),
                                          (sqe.word[2] & STARS_W2_COUNT_CLEAR) != 0};
    const uint32_t before = counts_.count(id);
    if (!counts_.wait(id, sq, condition, system_.now)) {
        park(sq, sqe.word[STARS_NOTIFY_TIMEOUT_WORD]);
        return;
    }
    progress_.executed(sq);
    if (before != counts_.count(id))
        release_count(id, sq);
}

// ---- parked queues -----------------------------------------------------------------------------

// T-SCH-10: the queue gives up its slot; T-SQE-8: its time limit is the shorter of time-out word
// and credit.
void SyncTables::park(uint32_t sq, uint32_t timeout)
{
    QueueRow &q = queues_[sq];
    const Params &p = system_.params;
    q.state = QueueState::kParked;
    q.phase_begin = system_.now;
    slots_.leave(sq);
    Cycle limit = kNever;
    if (timeout != 0)
        limit = p.to_cycles(uint64_t{timeout} * STARS_TIMEOUT_UNIT_NS);
    limit = std::min(limit, credit_time(queues_.sqe(sq), p));
    limit = progress_.due(sq, SqeOp::kPark, SqeNext::kLimit, limit_from(system_.now, limit));
    if (limit != kNever)
        queues_.at(sq, limit, QueueStep::kLimit);
}

// T-SCH-11: a released queue asks for a slot again; its wait has passed.
void SyncTables::wake(uint32_t sq, const Origin &origin, uint32_t parameter)
{
    const QueueRow &q = queues_[sq];
    queues_.cancel(sq);
    trace_.note(sq, {TWINSIM_PHASE_PARK, q.phase_begin, parameter, q.wait_id, 0, origin.source,
                     origin.number});
    slots_.ask(sq, SlotUse::kRetire);
}

void SyncTables::forget_wait(uint32_t sq)
{
    const QueueRow &q = queues_[sq];
    if (q.type == STARS_SQE_EVENT_WAIT)
        events_.forget(q.wait_id, sq);
    else if ((queues_.sqe(sq).word[2] & STARS_W2_COUNT) != 0)
        counts_.forget(q.wait_id, sq);
    else
        notifies_.forget(q.wait_id, sq);
}

// T-SQE-8: nothing came in time.
void SyncTables::limit_reached(uint32_t sq)
{
    const QueueRow &q = queues_[sq];
    forget_wait(sq);
    trace_.note(sq, {TWINSIM_PHASE_PARK, q.phase_begin, kNone, q.wait_id});
    progress_.fail(sq, STARS_ERROR_TIMEOUT, STARS_STATUS_TASK_TIMEOUT, SqeOp::kLimit);
}

// ---- other devices -----------------------------------------------------------------------------

// T-RMT-2, T-RMT-8: a store from elsewhere acts as the host's would, and the trace names its maker.
void SyncTables::store_event(uint32_t id, bool flag, const Origin &origin)
{
    if (!flag) {
        events_.clear(id);
        return;
    }
    events_.record(id);
    for (uint32_t sq = events_.release(id); sq != kNone; sq = events_.release(id))
        wake(sq, origin, system_.params.peer_write.index);
    if (events_.sends(id))
        send_forwards(id, origin);
}

void SyncTables::store_notify(uint32_t id, bool flag, const Origin &origin)
{
    if (!flag) {
        notifies_.clear(id);
        return;
    }
    const uint32_t sq = notifies_.record(id);
    if (sq != kNone)
        wake(sq, origin, system_.params.peer_write.index);
    else
        offer_notify(id);
}

// T-RMT-6.
int SyncTables::forward(uint32_t id, uint32_t device, uint32_t entry)
{
    if (id >= events_.size() || device >= system_.peers.size() ||
        entry >= system_.peers[device]->events_.size())
        return TWINSIM_E_ARGUMENT;
    EventTable &there = system_.peers[device]->events_;
    if (there.receives(entry))
        return TWINSIM_E_STATE;
    forwards_.add(id, device, entry);
    there.set_receives(entry, true);
    events_.set_sends(id, true);
    if (events_.flag(id))
        send_forwards(id, {});
    return TWINSIM_OK;
}

// T-RMT-7: they leave.
void SyncTables::send_forwards(uint32_t id, const Origin &origin)
{
    forwards_.send(id, system_.now + system_.params.peer_write.value, origin);
    events_.set_sends(id, false);
    arm_forwards();
}

void SyncTables::arm_forwards()
{
    if (forwards_.next_arrival() == kNever)
        system_.calendar.cancel(forward_timer_);
    else if (!system_.calendar.pending(forward_timer_))
        system_.calendar.schedule(forward_timer_, forwards_.next_arrival(), Rank::kQueue);
}

// T-RMT-7: those that arrive now, in the order in which they left.
void SyncTables::fire_forwards()
{
    while (forwards_.next_arrival() <= system_.now) {
        const RemoteRecords::Forward forward = forwards_.arrived();
        SyncTables &there = *system_.peers[forward.device];
        there.events_.set_receives(forward.entry, false);
        there.store_event(forward.entry, true, forward.origin);
    }
    arm_forwards();
}

// T-RMT-9: the host has written 0 to the entry.
void SyncTables::end_forwards(uint32_t id)
{
    RemoteRecords::Forward forward;
    while (forwards_.take(id, forward))
        system_.peers[forward.device]->events_.set_receives(forward.entry, false);
    events_.set_sends(id, false);
    if (!events_.receives(id))
        return;
    events_.set_receives(id, false);
    for (SyncTables *const peer : system_.peers)
        peer->drop_forwards(queues_.device, id);
}

void SyncTables::drop_forwards(uint32_t device, uint32_t entry)
{
    const Cycle first = forwards_.next_arrival();
    forwards_.drop_to(device, entry);
    if (forwards_.next_arrival() == first)
        return;
    system_.calendar.cancel(forward_timer_);
    arm_forwards();
}

// T-RMT-9: what has left goes on to other devices.
void SyncTables::reset_forwards()
{
    RemoteRecords::Forward forward;
    while (forwards_.take_any(forward))
        system_.peers[forward.device]->events_.set_receives(forward.entry, false);
    for (SyncTables *const peer : system_.peers)
        peer->drop_forwards(queues_.device, kNone);
}

} // namespace tsim
