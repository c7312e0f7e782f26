// SPDX-License-Identifier: Apache-2.0
#include "top_notes.h"

#include "job_lines.h"
#include "twinsim.h"

namespace job
{

namespace
{

constexpr uint32_t kNoQueue = UINT32_MAX;
constexpr uint64_t kHost = 3; // a target

/// npu_sqe_pkg::hold_e and npu_top_pkg::HoldPause, as the trace of the model calls them.
constexpr uint64_t kHolds[] = {
    0, TWINSIM_HOLD_BEFORE, TWINSIM_HOLD_AFTER, TWINSIM_HOLD_CQ, TWINSIM_HOLD_CQ, 0,
    0, TWINSIM_HOLD_PAUSE};

} // namespace

TopNotes::TopNotes(const Job &job, const Done &done, Outcome &out)
    : done_(done), out_(out), swap_out_(job.machine[kDrain] + job.machine[kSlotDisable])
{
}

void TopNotes::add(Note note, uint32_t sq, uint64_t now, uint64_t value)
{
    Queue &q = queues_[sq];
    const uint64_t number = done_[sq] + 1;
    switch (note) {
    case Note::kGrant:
        q.slot = value;
        q.slot_since = now;
        break;
    case Note::kLeave:
        add_span(out_, "slot", sq, q.slot_since, now + swap_out_, value, 0, kNoQueue, 0);
        break;
    case Note::kBegin:
        q.begun = now;
        add_span(out_, "fetch", sq, now, value, 0, 0, kNoQueue, 0);
        break;
    case Note::kShare:
        q.share_since = now;
        break;
    case Note::kUnshare:
        add_span(out_, "share", sq, q.share_since, now, value, 0, kNoQueue, 0);
        break;
    case Note::kChannel:
        q.channel = value;
        q.channel_since = now;
        q.sets_up = true;
        break;
    case Note::kMove:
        q.moves = true;
        q.move_since = now;
        end_set_up(sq, now);
        break;
    case Note::kMoved:
        end_move(sq, now);
        break;
    case Note::kNoWay:
        end_set_up(sq, now);
        break;
    case Note::kPark:
        q.park_id = value;
        q.park_since = now;
        q.parked = true;
        break;
    case Note::kWake: {
        const auto waker = static_cast<uint32_t>(value);
        add_span(out_, "park", sq, q.park_since, now, q.park_id, number, waker,
                 waker == kNoQueue ? 0 : done_[waker] + 1);
        q.parked = false;
        break;
    }
    case Note::kLimit:
        if (q.parked)
            add_span(out_, "park", sq, q.park_since, now, q.park_id, number, kNoQueue, 0);
        q.parked = false;
        end_move(sq, now);
        break;
    case Note::kHold:
        q.hold = kHolds[value];
        q.hold_since = now;
        break;
    case Note::kResumed:
        add_span(out_, "hold", sq, q.hold_since, now, q.hold, 0, kNoQueue, 0);
        break;
    case Note::kKill: // without an entry for the work under way
        q.moves = q.sets_up = q.parked = false;
        break;
    case Note::kSkip:
        break;
    case Note::kRetired:
        interrupts(sq, q.reported ? kHost : 0);
        interrupts(sq, value);
        end_task(sq, now, 0, 0);
        break;
    case Note::kFailed: // the host's interrupt follows
        end_task(sq, now, value & 0xff, static_cast<uint32_t>(value >> 8));
        interrupts(sq, kHost);
        break;
    }
}

void TopNotes::end_set_up(uint32_t sq, uint64_t now)
{
    Queue &q = queues_[sq];
    if (q.sets_up)
        add_span(out_, "setup", sq, q.channel_since, now, q.channel, 0, kNoQueue, 0);
    q.sets_up = false;
}

void TopNotes::end_move(uint32_t sq, uint64_t now)
{
    Queue &q = queues_[sq];
    if (q.moves)
        add_span(out_, "transfer", sq, q.move_since, now, q.channel, 0, kNoQueue, 0);
    q.moves = false;
}

void TopNotes::end_task(uint32_t sq, uint64_t now, uint32_t error, uint32_t status)
{
    Queue &q = queues_[sq];
    const uint64_t number = done_[sq] + 1;
    add_span(out_, "task", sq, q.begun, now, 0, number, kNoQueue, 0);
    out_.ends.push_back(end_line(now, sq, number, error, status, q.targets));
    q.targets = 0;
    q.reported = false;
}

} // namespace job
