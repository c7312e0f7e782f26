// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/peer_writes.h"

#include "core/scheduler/table_entry.h"

namespace tsim
{

PeerWrites::Entry PeerWrites::entry_of(uint32_t sq) const
{
    const stars_sqe &sqe = queues_.sqe(sq);
    const uint64_t address = uint64_t{sqe.word[4]} | uint64_t{sqe.word[5] & 0x1ffffu} << 32;
    const uint64_t device = (address - STARS_PEER_BASE) >> STARS_PEER_SHIFT;
    const uint64_t offset = (address - STARS_PEER_BASE) & ((uint64_t{1} << STARS_PEER_SHIFT) - 1);
    if (device >= system_.peers.size())
        return {};
    SyncTables *const peer = system_.peers[device];
    const uint32_t event = event_at(offset, peer->events().size());
    if (event != kNone)
        return {peer, true, event};
    const uint32_t notify = notify_at(offset, peer->notifies().size());
    if (notify != kNone)
        return {peer, false, notify};
    return {};
}

// T-RMT-1, T-RMT-4.
void PeerWrites::start(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    const Params &p = system_.params;
    const Entry entry = entry_of(sq);
    trace_.note(sq, {TWINSIM_PHASE_TABLE, q.phase_begin, p.write_value.index,
                     entry.peer ? entry.id : kNone, 4, kNone, TWINSIM_TABLE_AWAY});
    if (!entry.peer) {
        progress_.fail(sq, STARS_ERROR_EXCEPTION, STARS_STATUS_BUS_FAULT);
        return;
    }
    if (queues_.sqe(sq).word[7] == STARS_WRITE_VALUE_EVENT_RESET && !entry.event) {
        progress_.fail(sq, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE);
        return;
    }
    q.phase_begin = system_.now;
    queues_.at(sq, system_.now + p.peer_write.value, QueueStep::kRemote);
}

// T-RMT-2.
void PeerWrites::arrived(uint32_t sq)
{
    const Entry entry = entry_of(sq);
    const bool flag = (queues_.sqe(sq).word[8] & 1u) != 0;
    // T-FLT-12: the acknowledgement of a lost one comes all the same.
    const bool lost = faults_.loses_record(sq);
    if (!lost && entry.peer && entry.event)
        entry.peer->store_event(entry.id, flag, queues_.origin(sq));
    else if (!lost && entry.peer)
        entry.peer->store_notify(entry.id, flag, queues_.origin(sq));
    queues_.at(sq, system_.now + system_.params.peer_write.value, QueueStep::kRemoteDone);
}

// T-RMT-3.
void PeerWrites::done(uint32_t sq)
{
    trace_.note_access(sq, system_.params.peer_write.index, entry_of(sq).id, TWINSIM_TABLE_AWAY);
    progress_.executed(sq);
}

} // namespace tsim
