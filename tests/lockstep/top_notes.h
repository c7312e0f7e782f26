// SPDX-License-Identifier: Apache-2.0
/// The notes of npu_top while it runs a job, as the lines of an outcome.
#ifndef TWINRT_TESTS_LOCKSTEP_TOP_NOTES_H
#define TWINRT_TESTS_LOCKSTEP_TOP_NOTES_H

#include <array>

#include "job.h"

namespace job
{

/// npu_top_pkg::Note….
enum class Note : uint8_t {
    kGrant,
    kLeave,
    kBegin,
    kShare,
    kUnshare,
    kChannel,
    kMove,
    kMoved,
    kPark,
    kWake,
    kHold,
    kResumed,
    kRetired,
    kFailed,
    kLimit,
    kNoWay,
    kKill,
    kSkip
};

class TopNotes
{
  public:
    /// SQEs that have retired, of each queue.
    using Done = std::array<uint64_t, kQueues>;

    TopNotes(const Job &job, const Done &done, Outcome &out);
    /// A note of queue `sq` at time `now`, before `done` counts it.
    void add(Note note, uint32_t sq, uint64_t now, uint64_t value);
    /// A CQE of the queue has been written, for the note that follows.
    void reports(uint32_t sq) { queues_[sq].reported = true; }
    /// Its SQE interrupts that target, 0: none (T-SQE-13).
    void interrupts(uint32_t sq, uint64_t target) { queues_[sq].targets |= (1u << target) & ~1u; }

  private:
    /// Spans under way.
    struct Queue {
        uint64_t slot = 0, slot_since = 0, share_since = 0, begun = 0;
        uint64_t channel = 0, channel_since = 0, move_since = 0;
        uint64_t park_id = 0, park_since = 0, hold = 0, hold_since = 0;
        bool moves = false, sets_up = false, parked = false, reported = false;
        uint32_t targets = 0; // that were interrupted
    };

    void end_set_up(uint32_t sq, uint64_t now);
    void end_move(uint32_t sq, uint64_t now);
    void end_task(uint32_t sq, uint64_t now, uint32_t error, uint32_t status);

    const Done &done_;
    Outcome &out_;
    const uint64_t swap_out_;
    std::array<Queue, kQueues> queues_{};
};

} // namespace job

#endif
