// SPDX-License-Identifier: Apache-2.0
/// The one event calendar of the system. Rules T-TIM-3 and T-TIM-4.
#ifndef TWINSIM_CORE_BASE_CALENDAR_H
#define TWINSIM_CORE_BASE_CALENDAR_H

#include <vector>

#include "core/base/staggered_vector.h"
#include "core/base/bitmap.h"
#include "core/base/types.h"

namespace tsim
{

/// Order of the parts of the system within one instant (T-TIM-3).
enum class Rank : uint8_t { kLink, kHostDma, kQueue, kArbiter };

/// Fixed timers, each pending at most once. Time is cut into blocks of kBlock cycles. What is due
/// in the block of the last entry that came out, or in the next one, hangs in a wheel with one list
/// per cycle. What is due later and before kWheel blocks have passed joins the lane, a list in
/// order of time, if nothing there comes after it: so it mostly is with many queues in turn. Else
/// it hangs in a wheel with one list per block, in the order of scheduling. What is due later still
/// waits in a heap. As blocks begin, their lists are dealt out to the cycles; the lane stays what
/// it is. No call allocates.
class Calendar
{
  public:
    static constexpr Cycle kWheel = Bitmap::kSize;
    static constexpr Cycle kBlock = kWheel / 2;

    /// Timers 0 .. timers - 1 exist, none pending.
    explicit Calendar(uint32_t timers);

    /// Sets timer `id` off at `time`, not before the last entry that came out; a pending one moves.
    /// Its place among equals is that of a new entry.
    void schedule(uint32_t id, Cycle time, Rank rank);
    void cancel(uint32_t id)
    {
        if (nodes_[id].place != kNowhere)
            take_out(id);
    }
    [[nodiscard]] bool pending(uint32_t id) const { return nodes_[id].place != kNowhere; }
    /// When a pending timer is due.
    [[nodiscard]] Cycle time_of(uint32_t id) const { return nodes_[id].time; }
    [[nodiscard]] bool empty() const
    {
        return next_ == kNone && lane_ == kNone && far_.empty() && size_ == 0;
    }
    /// Time of the earliest entry; kNever when there is none.
    [[nodiscard]] Cycle next_time() const
    {
        const uint32_t id = next_timer();
        return id == kNone ? kNever : nodes_[id].time;
    }
    /// The timer that pop() would give if nothing is scheduled meanwhile; kNone when the calendar
    /// is empty.
    [[nodiscard]] uint32_t next_timer() const
    {
        return __builtin_expect(next_time_ < lane_time_, 1) ? next_ : next_with_lane();
    }
    /// Takes the earliest entry out and gives its timer. Not when empty.
    uint32_t pop()
    {
        const uint32_t id = next_timer();
        pop(id);
        return id;
    }
    /// The same right after next_timer().
    void pop(uint32_t id)
    {
        const uint64_t block = nodes_[id].time / kBlock;
        if (__builtin_expect(block != block_, 0))
            begin_block(block);
        if (nodes_[id].place == kInLane)
            leave_lane(id);
        else
            unlink(id);
    }
    /// Calls see(timer, n) for some timers that come before long, n: 0, and for some that come
    /// after these, n: 1, when there are others than last time.
    template <typename See>
    void look_ahead(See &&see)
    {
        if (moved_ == 0)
            return;
        if ((moved_ & kLaneMoved) != 0)
            look_along_lane(see);
        if (__builtin_expect((moved_ & kBlockMoved) != 0, 0))
            look_at_blocks(see);
        moved_ = 0;
    }

  private:
    static constexpr uint32_t kNowhere = kNone;
    static constexpr uint32_t kInWheel = kNone - 1;
    static constexpr uint32_t kInBlock = kNone - 2;
    static constexpr uint32_t kInLane = kNone - 3;
    static constexpr uint8_t kLaneMoved = 1, kBlockMoved = 2;

    struct alignas(32) Node { // one line of the host's cache
        Cycle time = 0;
        uint64_t sequence = 0;   // of scheduling, if it was far then; else kNear
        uint32_t before = kNone; // round its list; in the lane, from end to end
        uint32_t after = kNone;
        uint32_t place = kNowhere; // slot in the heap, or where else
        Rank rank = Rank::kLink;
    };
    static_assert(sizeof(Node) == 32);
    // What was near when it was scheduled comes after all that was far, for that was scheduled
    // before.
    static constexpr uint64_t kNear = UINT64_MAX;

    /// T-TIM-3, for two that are not both kNear.
    [[nodiscard]] bool precedes(uint32_t a, uint32_t b) const
    {
        const Node &x = nodes_[a];
        const Node &y = nodes_[b];
        if (x.time != y.time)
            return x.time < y.time;
        return x.rank != y.rank ? x.rank < y.rank : x.sequence < y.sequence;
    }
    [[nodiscard]] static uint32_t slot_of_time(Cycle time)
    {
        return static_cast<uint32_t>(time % kWheel);
    }
    [[nodiscard]] static uint32_t slot_of_block(uint64_t block)
    {
        return static_cast<uint32_t>(block % kWheel);
    }

    // the wheel of cycles
    void link(uint32_t id)
    {
        Node &node = nodes_[id];
        const uint32_t slot = slot_of_time(node.time);
        node.place = kInWheel;
        if (__builtin_expect(used_.test(slot), 0)) {
            join(id, slot);
            return;
        }
        node.before = node.after = id;
        cycles_[slot] = id;
        used_.set(slot);
        if (node.time < next_time_) {
            next_ = id;
            next_time_ = node.time;
        }
    }
    void join(uint32_t id, uint32_t slot);
    void unlink(uint32_t id)
    {
        Node &node = nodes_[id];
        const uint32_t slot = slot_of_time(node.time);
        node.place = kNowhere;
        if (__builtin_expect(node.after != id, 0)) {
            part(id, slot);
            return;
        }
        used_.clear(slot);
        if (next_ == id) { // nothing is due before it
            const uint32_t found = used_.next(slot);
            next_ = found == kNone ? kNone : cycles_[found];
            next_time_ = found == kNone ? kNever : nodes_[next_].time;
        }
    }
    void part(uint32_t id, uint32_t slot);

    // what is far
    [[gnu::noinline]] void put_far(uint32_t id);
    [[nodiscard]] uint32_t next_with_lane() const
    {
        const uint32_t id = next_ != kNone ? next_ : next_far();
        if (lane_ == kNone)
            return id;
        return id == kNone || precedes(lane_, id) ? lane_ : id;
    }

    // the lane
    void begin_lane(uint32_t id)
    {
        lane_ = id;
        lane_time_ = id == kNone ? kNever : nodes_[id].time;
    }
    void join_lane(uint32_t id)
    {
        Node &node = nodes_[id];
        node.place = kInLane;
        node.before = lane_end_;
        node.after = kNone;
        if (lane_end_ != kNone)
            nodes_[lane_end_].after = id;
        else
            begin_lane(id);
        lane_end_ = id;
    }
    void leave_lane(uint32_t id)
    {
        Node &node = nodes_[id];
        node.place = kNowhere;
        if (node.before != kNone)
            nodes_[node.before].after = node.after;
        else
            begin_lane(node.after);
        (node.after == kNone ? lane_end_ : nodes_[node.after].before) = node.before;
        moved_ |= kLaneMoved;
    }
    template <typename See>
    void look_along_lane(See &see) const
    {
        constexpr int kSoon = 2, kLater = 4;
        uint32_t id = lane_;
        for (int i = 1; id != kNone; id = nodes_[id].after, ++i) {
            if (i == kSoon)
                see(id, 0);
            if (i == kLater) {
                see(id, 1);
                return;
            }
        }
    }

    // the wheel of blocks
    template <typename See>
    [[gnu::noinline]] void look_at_blocks(See &see) const
    {
        constexpr int kSoon = 4;
        uint32_t from = slot_of_block(block_);
        for (uint32_t n = 0, first = kNone; n < 2; ++n) {
            const uint32_t slot = far_.next(from);
            if (slot == kNone || slot == first)
                return;
            uint32_t id = blocks_[slot];
            for (int i = 0; i < kSoon; ++i) {
                see(id, n);
                id = nodes_[id].after;
                if (id == blocks_[slot])
                    break;
            }
            first = n == 0 ? slot : first;
            from = slot_of_block(slot + 1);
        }
    }
    void append(uint32_t id);
    [[nodiscard]] uint32_t next_far() const
    {
        return far_next_ != kNone || (far_.empty() && size_ == 0) ? far_next_ : find_far();
    }
    [[nodiscard, gnu::noinline]] uint32_t find_far() const;
    [[gnu::noinline]] void begin_block(uint64_t block);
    void deal_out(uint64_t block);
    [[gnu::noinline]] void take_out(uint32_t id);

    // the heap
    void push(uint32_t id) { sift_up(size_++, id); }
    void put(uint32_t slot, uint32_t id)
    {
        heap_[slot] = id;
        nodes_[id].place = slot;
    }
    void sift_up(uint32_t slot, uint32_t id);
    void sift_down(uint32_t slot, uint32_t id);
    void remove(uint32_t slot);

    ApartVector<Node, 0> nodes_;        // by timer
    std::vector<uint32_t> cycles_;      // by cycle of the block: the first of a ring of timers
    Bitmap used_;                       // cycles with entries
    uint64_t block_ = 0;                // the wheel of cycles has this one and the next
    Cycle next_time_ = kNever;          // of the earliest there
    Cycle lane_time_ = kNever;          // of the earliest in the lane
    uint32_t next_ = kNone;             // the earliest there
    uint32_t lane_ = kNone;             // the earliest in the lane
    uint32_t lane_end_ = kNone;         // the last there
    mutable uint32_t far_next_ = kNone; // the earliest elsewhere, once it has been looked for
    std::vector<uint32_t> blocks_;      // by block modulo kWheel: the first of a ring of timers
    Bitmap far_;                        // blocks with entries, all in (block_ + 1, block_ + kWheel)
    std::vector<uint32_t> heap_;        // four children per node; all in block_ + kWheel or later
    uint32_t size_ = 0;
    uint64_t sequence_ = 0;
    uint8_t moved_ = 0; // kLaneMoved, kBlockMoved
};

} // namespace tsim

#endif
