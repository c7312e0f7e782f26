// SPDX-License-Identifier: Apache-2.0
/// Stores into the tables of another device. Rules RMT-1 to RMT-5.
#include "core/task_scheduler.h"

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

// RMT-1, RMT-4: the store leaves the device.
void TaskScheduler::write_remote(uint32_t sq, const stars_sqe &sqe)
{
    Queue &q = queues_[sq];
    const Params &p = board_.params;
    const Remote remote = remote_of(board_, sqe);
    note(sq,
         {TWINSIM_PHASE_TABLE, q.mark, p.write_value.index, remote.peer ? remote.id : kNone, 4});
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

// RMT-2: it is there. Who waits there is woken by no queue of its own device.
void TaskScheduler::remote_written(uint32_t sq)
{
    const stars_sqe &sqe = fronts_[sq].sqe();
    const Remote remote = remote_of(board_, sqe);
    const bool flag = (sqe.word[8] & 1u) != 0;
    // FLT-12: the acknowledgement of a lost one comes all the same.
    const bool lost = is_struck(sq) && acts(sq, TWINSIM_FAULT_RECORD_LOST);
    if (!lost && remote.peer && remote.event)
        remote.peer->write_event(remote.id, flag, kNone);
    else if (!lost && remote.peer)
        remote.peer->write_notify(remote.id, flag, kNone);
    at(sq, board_.now + board_.params.peer_write.value, Step::kRemoteDone);
}

// RMT-3: the acknowledgement is back.
void TaskScheduler::remote_done(uint32_t sq)
{
    const Remote remote = remote_of(board_, fronts_[sq].sqe());
    note(sq, {TWINSIM_PHASE_TABLE, queues_[sq].mark, board_.params.peer_write.index, remote.id});
    executed(sq);
}

} // namespace tsim
