// SPDX-License-Identifier: Apache-2.0
/// The one event calendar of the board. Rules TIM-3 and TIM-4.
#ifndef TWINSIM_CORE_CALENDAR_H
#define TWINSIM_CORE_CALENDAR_H

#include <vector>

#include "core/types.h"

namespace tsim
{

/// Order of the parts of the board within one instant (TIM-3).
enum class Rank : uint8_t { kLink, kHostDma, kQueue, kArbiter };

/// Fixed timers, each pending at most once, in a heap with four children per node. No call allocates.
class Calendar
{
  public:
    static constexpr uint32_t kIdBits = 20;
    static constexpr uint32_t kSequenceBits = 42;

    /// Timers 0 .. timers - 1 exist, none pending.
    explicit Calendar(uint32_t timers);

    /// Sets timer `id` off at `time`; a pending one moves. Its place among equals is that of a new entry.
    void schedule(uint32_t id, Cycle time, Rank rank);
    void cancel(uint32_t id);
    [[nodiscard]] bool pending(uint32_t id) const { return place_[id] != 0; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    /// Time of the earliest entry; kNever when there is none.
    [[nodiscard]] Cycle next_time() const { return size_ == 0 ? kNever : heap_[0].time; }
    /// Takes the earliest entry out and gives its timer. Not when empty.
    uint32_t pop();
    /// For tests: how far the sequence numbers have got before they are dealt out afresh.
    void set_sequence(uint64_t sequence) { sequence_ = sequence; }

  private:
    struct Entry {
        Cycle time;
        uint64_t order; // rank, sequence number, timer: from the high bits down
    };
    static constexpr uint64_t kSequenceEnd = uint64_t{1} << kSequenceBits;

    [[nodiscard]] static bool before(const Entry &a, const Entry &b)
    {
        return a.time != b.time ? a.time < b.time : a.order < b.order;
    }
    [[nodiscard]] static uint32_t id_of(const Entry &e)
    {
        return static_cast<uint32_t>(e.order & ((1u << kIdBits) - 1));
    }
    void put(uint32_t slot, const Entry &entry)
    {
        heap_[slot] = entry;
        place_[id_of(entry)] = slot + 1;
    }
    void sift_up(uint32_t slot, const Entry &entry);
    void sift_down(uint32_t slot, const Entry &entry);
    void remove(uint32_t slot);
    void renumber();

    std::vector<Entry> heap_;
    std::vector<uint32_t> place_; // by timer: slot + 1, 0 when not pending
    uint32_t size_ = 0;
    uint64_t sequence_ = 0;
};

} // namespace tsim

#endif
