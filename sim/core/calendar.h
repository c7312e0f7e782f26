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

/// Fixed timers, each pending at most once. Time is cut into blocks of kBlock cycles. What is due in the block of the last
/// entry that came out, or in the next one, hangs in a wheel with one list per cycle; what is due before kWheel blocks have
/// passed, in a wheel with one list per block, in the order of scheduling; what is due later waits in a heap. As blocks
/// begin, their lists are dealt out to the cycles. No call allocates.
class Calendar
{
  public:
    static constexpr uint32_t kIdBits = 20;
    static constexpr uint32_t kSequenceBits = 42;
    static constexpr Cycle kWheel = Bitmap::kSize;
    static constexpr Cycle kBlock = kWheel / 2;

    /// Timers 0 .. timers - 1 exist, none pending.
    explicit Calendar(uint32_t timers);

    /// Sets timer `id` off at `time`, not before the last entry that came out; a pending one moves. Its place among
    /// equals is that of a new entry.
    void schedule(uint32_t id, Cycle time, Rank rank);
    void cancel(uint32_t id)
    {
        if (nodes_[id].place != kNowhere)
            take_out(id);
    }
    [[nodiscard]] bool pending(uint32_t id) const { return nodes_[id].place != kNowhere; }
    /// When a pending timer is due.
    [[nodiscard]] Cycle time_of(uint32_t id) const { return nodes_[id].time; }
    [[nodiscard]] bool empty() const { return next_ == kNone && far_.empty() && size_ == 0; }
    /// Time of the earliest entry; kNever when there is none.
    [[nodiscard]] Cycle next_time() const
    {
        const uint32_t id = next_timer();
        return id == kNone ? kNever : nodes_[id].time;
    }
    /// The timer that pop() would give if nothing is scheduled meanwhile; kNone when the calendar is empty.
    [[nodiscard]] uint32_t next_timer() const
    {
        return __builtin_expect(next_ != kNone, 1) ? next_ : next_far();
    }
    /// Whether entries of a block were dealt out since this was last asked.
    [[nodiscard]] bool take_moved()
    {
        const bool moved = moved_;
        moved_ = false;
        return moved;
    }
    /// Calls see(timer, n) for some timers in the first two blocks that have any and are not dealt out; n: 0, then 1.
    template <typename See>
    void look_ahead(See &&see) const
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
    /// Takes the earliest entry out and gives its timer. Not when empty.
    uint32_t pop()
    {
        const uint32_t id = next_timer();
        const uint64_t block = nodes_[id].time / kBlock;
        if (__builtin_expect(block != block_, 0))
            begin_block(block);
        unlink(id);
        return id;
    }
    /// For tests: how far the sequence numbers have got before they are dealt out afresh.
    void set_sequence(uint64_t sequence) { sequence_ = sequence; }

  private:
    static constexpr uint32_t kNowhere = kNone;
    static constexpr uint32_t kInWheel = kNone - 1;
    static constexpr uint32_t kInBlock = kNone - 2;
    static constexpr uint64_t kSequenceEnd = uint64_t{1} << kSequenceBits;

    struct alignas(32) Node { // one line of the host's cache
        Cycle time = 0;
        uint32_t before = kNone; // round its list
        uint32_t after = kNone;
        uint32_t place = kNowhere; // slot in the heap, or where else
        Rank rank = Rank::kLink;
    };
    struct Entry {
        Cycle time;
        uint64_t order; // rank, sequence number, timer: from the high bits down
    };

    [[nodiscard]] static bool before(const Entry &a, const Entry &b)
    {
        return a.time != b.time ? a.time < b.time : a.order < b.order;
    }
    [[nodiscard]] bool sooner(uint32_t a, uint32_t b) const
    {
        return nodes_[a].time != nodes_[b].time ? nodes_[a].time < nodes_[b].time
                                                : nodes_[a].rank < nodes_[b].rank;
    }
    [[nodiscard]] static uint32_t id_of(const Entry &e)
    {
        return static_cast<uint32_t>(e.order & ((1u << kIdBits) - 1));
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
        if (next_ == kNone || node.time < nodes_[next_].time)
            next_ = id;
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
        }
    }
    void part(uint32_t id, uint32_t slot);

    // the wheel of blocks
    [[gnu::noinline]] void put_far(uint32_t id);
    void append(uint32_t id);
    [[nodiscard]] uint32_t next_far() const { return far_next_ != kNone ? far_next_ : find_far(); }
    [[nodiscard, gnu::noinline]] uint32_t find_far() const;
    [[gnu::noinline]] void begin_block(uint64_t block);
    void deal_out(uint64_t block);
    [[gnu::noinline]] void take_out(uint32_t id);

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

    std::vector<Node> nodes_;           // by timer
    std::vector<uint32_t> cycles_;      // by cycle of the block: the first of a ring of timers
    Bitmap used_;                       // cycles with entries
    uint64_t block_ = 0;                // the wheel of cycles stands for this one and the next
    uint32_t next_ = kNone;             // the earliest there
    mutable uint32_t far_next_ = kNone; // the earliest elsewhere, once it has been looked for
    std::vector<uint32_t> blocks_;      // by block modulo kWheel: the first of a ring of timers
    Bitmap far_;                        // blocks with entries, all in (block_ + 1, block_ + kWheel)
    std::vector<Entry> heap_;           // four children per node; all in block_ + kWheel or later
    uint32_t size_ = 0;
    uint64_t sequence_ = 0;
    bool moved_ = false;
};

} // namespace tsim

#endif
