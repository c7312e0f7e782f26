// SPDX-License-Identifier: Apache-2.0
/// The one event calendar of the board. Rules TIM-3 and TIM-4.
#ifndef TWINSIM_CORE_CALENDAR_H
#define TWINSIM_CORE_CALENDAR_H

#include <vector>

#include "core/bitmap.h"
#include "core/types.h"

namespace tsim
{

/// Order of the parts of the board within one instant (TIM-3).
enum class Rank : uint8_t { kLink, kHostDma, kQueue, kArbiter };

/// Fixed timers, each pending at most once. What is due within the next 4096 cycles hangs in a wheel with one list per
/// cycle; what is due later waits in a heap and moves to the wheel in time. No call allocates.
class Calendar
{
  public:
    static constexpr uint32_t kIdBits = 20;
    static constexpr uint32_t kSequenceBits = 42;
    static constexpr Cycle kWheel = Bitmap::kSize;

    /// Timers 0 .. timers - 1 exist, none pending.
    explicit Calendar(uint32_t timers);

    /// Sets timer `id` off at `time`, not before the last entry that came out; a pending one moves. Its place among
    /// equals is that of a new entry.
    void schedule(uint32_t id, Cycle time, Rank rank);
    void cancel(uint32_t id)
    {
        if (nodes_[id].place == kInWheel)
            unlink(id);
        else if (nodes_[id].place != kNowhere)
            remove(nodes_[id].place);
    }
    [[nodiscard]] bool pending(uint32_t id) const { return nodes_[id].place != kNowhere; }
    /// When a pending timer is due.
    [[nodiscard]] Cycle time_of(uint32_t id) const { return nodes_[id].time; }
    [[nodiscard]] bool empty() const { return next_ == kNone && size_ == 0; }
    /// Time of the earliest entry; kNever when there is none.
    [[nodiscard]] Cycle next_time() const
    {
        if (next_ != kNone)
            return nodes_[next_].time;
        return size_ == 0 ? kNever : heap_[0].time;
    }
    /// The timer that pop() would give if nothing is scheduled meanwhile; kNone when that takes a look into the heap.
    [[nodiscard]] uint32_t likely_next() const { return next_; }
    /// The same, looked up there too; kNone when the calendar is empty.
    [[nodiscard]] uint32_t next_timer() const
    {
        if (next_ != kNone)
            return next_;
        return size_ == 0 ? kNone : id_of(heap_[0]);
    }
    /// Whether something came within reach of the wheel since this was last asked.
    [[nodiscard]] bool take_moved()
    {
        const bool moved = moved_;
        moved_ = false;
        return moved;
    }
    /// The timer that comes within reach next, and, for 0 < i < kSoon, some that do soon; kNone when there is none.
    static constexpr uint32_t kSoon = 5;
    [[nodiscard]] uint32_t soon(uint32_t i) const { return i < size_ ? id_of(heap_[i]) : kNone; }
    /// Takes the earliest entry out and gives its timer. Not when empty.
    uint32_t pop();
    /// For tests: how far the sequence numbers have got before they are dealt out afresh.
    void set_sequence(uint64_t sequence) { sequence_ = sequence; }

  private:
    static constexpr uint32_t kNowhere = kNone;
    static constexpr uint32_t kInWheel = kNone - 1;
    static constexpr uint64_t kSequenceEnd = uint64_t{1} << kSequenceBits;

    struct Node {
        Cycle time = 0;
        uint32_t before = kNone; // in the list of its cycle
        uint32_t after = kNone;
        uint32_t place = kNowhere; // slot in the heap, or where else
        Rank rank = Rank::kLink;
    };
    struct List {
        uint32_t first = kNone;
        uint32_t last = kNone;
    };
    struct Entry {
        Cycle time;
        uint64_t order; // rank, sequence number, timer: from the high bits down
    };

    [[nodiscard]] static bool before(const Entry &a, const Entry &b)
    {
        return a.time != b.time ? a.time < b.time : a.order < b.order;
    }
    [[nodiscard]] static uint32_t id_of(const Entry &e)
    {
        return static_cast<uint32_t>(e.order & ((1u << kIdBits) - 1));
    }

    // the wheel
    void link(uint32_t id);
    void unlink(uint32_t id);
    void turn_to(Cycle time);

    // the heap
    void push(uint32_t id);
    void put(uint32_t slot, const Entry &entry)
    {
        heap_[slot] = entry;
        nodes_[id_of(entry)].place = slot;
    }
    void sift_up(uint32_t slot, const Entry &entry);
    void sift_down(uint32_t slot, const Entry &entry);
    void remove(uint32_t slot);
    void renumber();

    std::vector<Node> nodes_; // by timer
    std::vector<List>
        lists_;      // by time modulo kWheel: one cycle each, as all lie in [base_, base_ + kWheel)
    Bitmap used_;    // lists with entries
    Cycle base_ = 0; // time of the last entry that came out
    uint32_t next_ = kNone;   // the earliest in the wheel
    std::vector<Entry> heap_; // four children per node; all at base_ + kWheel or later
    uint32_t size_ = 0;
    uint64_t sequence_ = 0;
    bool moved_ = false;
};

} // namespace tsim

#endif
