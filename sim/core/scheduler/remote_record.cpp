// SPDX-License-Identifier: Apache-2.0
/// Stores into the tables of another device, by write-values and by records that are forwarded. Rules T-RMT-1 to T-RMT-9.
#include "core/scheduler/task_scheduler.h"

namespace tsim
{

namespace
{

/// An entry in the window of some device.
struct Remote {
    TaskScheduler *peer = nullptr;
    bool event = false;
    uint32_t id = 0;
};

Remote remote_of(const BoardState &board, const stars_sqe &sqe)
{
    Remote remote;
    const uint64_t address = uint64_t{sqe.word[4]} | uint64_t{sqe.word[5] & 0x1ffffu} << 32;
    const uint64_t device = (address - STARS_PEER_BASE) >> STARS_PEER_SHIFT;
    const uint64_t offset = (address - STARS_PEER_BASE) & ((uint64_t{1} << STARS_PEER_SHIFT) - 1);
    if (device >= board.peers.size() || offset % 4 != 0)
        return remote;
    TaskScheduler *const peer = board.peers[device];
    const auto in = [offset](uint64_t base, uint32_t ids) {
        return offset >= base && (offset - base) / 4 < ids;
    };
    if (in(STARS_EVENT_TABLE_BASE, peer->events().size()))
        remote = {peer, true, static_cast<uint32_t>((offset - STARS_EVENT_TABLE_BASE) / 4)};
    else if (in(STARS_NOTIFY_TABLE_BASE, peer->notifies().size()))
        remote = {peer, false, static_cast<uint32_t>((offset - STARS_NOTIFY_TABLE_BASE) / 4)};
    return remote;
}

} // namespace

// T-RMT-1, T-RMT-4: the store leaves the device.
void TaskScheduler::write_remote(uint32_t sq, const stars_sqe &sqe)
{
    Queue &q = queues_[sq];
    const Params &p = board_.params;
    const Remote remote = remote_of(board_, sqe);
    note(sq, {TWINSIM_PHASE_TABLE, q.mark, p.write_value.index, remote.peer ? remote.id : kNone, 4,
              kNone, TWINSIM_TABLE_AWAY});
    if (!remote.peer) {
        fail(sq, STARS_ERROR_EXCEPTION, STARS_STATUS_BUS_FAULT);
        return;
    }
    if (sqe.word[7] == STARS_WRITE_VALUE_SUBTYPE_EVENT_RESET && !remote.event) {
        fail(sq, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE);
        return;
    }
    q.mark = board_.now;
    at(sq, board_.now + p.peer_write.value, Step::kRemote);
}

// T-RMT-2: it is there.
void TaskScheduler::remote_written(uint32_t sq)
{
    const stars_sqe &sqe = fronts_[sq].sqe();
    const Remote remote = remote_of(board_, sqe);
    const bool flag = (sqe.word[8] & 1u) != 0;
    // T-FLT-12: the acknowledgement of a lost one comes all the same.
    const bool lost = is_struck(sq) && acts(sq, TWINSIM_FAULT_RECORD_LOST);
    if (!lost && remote.peer && remote.event)
        remote.peer->store_event(remote.id, flag, origin_of(sq));
    else if (!lost && remote.peer)
        remote.peer->store_notify(remote.id, flag, origin_of(sq));
    at(sq, board_.now + board_.params.peer_write.value, Step::kRemoteDone);
}

// T-RMT-3: the acknowledgement is back.
void TaskScheduler::remote_done(uint32_t sq)
{
    const Remote remote = remote_of(board_, fronts_[sq].sqe());
    note_access(sq, board_.params.peer_write.index, remote.id, TWINSIM_TABLE_AWAY);
    executed(sq);
}

// T-RMT-2, T-RMT-8: a store from elsewhere acts as the host's would, and the trace names who made it.
void TaskScheduler::store_event(uint32_t id, bool flag, const Origin &origin)
{
    if (!flag) {
        events_.clear(id);
        return;
    }
    events_.record(id);
    for (uint32_t sq = events_.release(id); sq != kNone; sq = events_.release(id))
        wake_from(sq, origin, board_.params.peer_write.index);
    if (events_.sends(id))
        send_forwards(id, origin);
}

void TaskScheduler::store_notify(uint32_t id, bool flag, const Origin &origin)
{
    if (!flag) {
        notifies_.clear(id);
        return;
    }
    const uint32_t sq = notifies_.record(id);
    if (sq != kNone)
        wake_from(sq, origin, board_.params.peer_write.index);
}

// ---- forwarded records -------------------------------------------------------------------------

// T-RMT-6.
int TaskScheduler::forward(uint32_t id, uint32_t device, uint32_t entry)
{
    if (id >= events_.size() || device >= board_.peers.size() ||
        entry >= board_.peers[device]->events_.size())
        return TWINSIM_E_ARGUMENT;
    EventTable &there = board_.peers[device]->events_;
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
void TaskScheduler::send_forwards(uint32_t id, const Origin &origin)
{
    forwards_.send(id, board_.now + board_.params.peer_write.value, origin);
    events_.set_sends(id, false);
    arm_forwards();
}

void TaskScheduler::arm_forwards()
{
    const uint32_t id = (device_ << BoardState::kDeviceShift) + BoardState::kForwardTimer;
    if (forwards_.next_arrival() == kNever)
        board_.calendar.cancel(id);
    else if (!board_.calendar.pending(id))
        board_.calendar.schedule(id, forwards_.next_arrival(), Rank::kQueue);
}

// T-RMT-7: those that arrive now, in the order in which they left.
void TaskScheduler::fire_forwards()
{
    while (forwards_.next_arrival() <= board_.now) {
        const RemoteRecords::Forward forward = forwards_.arrived();
        TaskScheduler &there = *board_.peers[forward.device];
        there.events_.set_receives(forward.entry, false);
        there.store_event(forward.entry, true, forward.origin);
    }
    arm_forwards();
}

// T-RMT-9: the host has written 0 to the entry.
void TaskScheduler::end_forwards(uint32_t id)
{
    RemoteRecords::Forward forward;
    while (forwards_.take(id, forward))
        board_.peers[forward.device]->events_.set_receives(forward.entry, false);
    events_.set_sends(id, false);
    if (!events_.receives(id))
        return;
    events_.set_receives(id, false);
    for (TaskScheduler *const peer : board_.peers)
        peer->drop_forwards(device_, id);
}

void TaskScheduler::drop_forwards(uint32_t device, uint32_t entry)
{
    const Cycle first = forwards_.next_arrival();
    forwards_.drop_to(device, entry);
    if (forwards_.next_arrival() == first)
        return;
    board_.calendar.cancel((device_ << BoardState::kDeviceShift) + BoardState::kForwardTimer);
    arm_forwards();
}

// T-RMT-9: what has left goes on to other devices.
void TaskScheduler::reset_forwards()
{
    RemoteRecords::Forward forward;
    while (forwards_.take_any(forward))
        board_.peers[forward.device]->events_.set_receives(forward.entry, false);
    for (TaskScheduler *const peer : board_.peers)
        peer->drop_forwards(device_, kNone);
}

} // namespace tsim
