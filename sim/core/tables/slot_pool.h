// SPDX-License-Identifier: Apache-2.0
/// The active slots of a device: when a queue gets one, and which queues still leave one. Rules
/// T-SCH-3, T-SCH-5, T-SCH-6, T-SCH-19, T-SCH-20, T-SCH-22.
#ifndef TWINSIM_CORE_TABLES_SLOT_POOL_H
#define TWINSIM_CORE_TABLES_SLOT_POOL_H

#include <algorithm>
#include <array>
#include <cassert>
#include <memory>
#include <vector>

#include "core/base/rtl_port.h"
#include "core/base/types.h"

namespace tsim
{

/// What a pool is made of; times in cycles.
struct SlotRules {
    uint32_t slots = 0; ///< at most 128
    Cycle arbitration =
        0;           ///< from grant to grant (T-SCH-3), and first of what follows a grant (T-SCH-5)
    Cycle start = 0; ///< the rest of that: record read and slot enable
    Cycle leave = 0; ///< from giving a slot up to the end of the swap-out (T-SCH-19)
};

class SlotPool
{
  public:
    static constexpr uint32_t kSlotsMost = 128;
    static constexpr uint32_t kCountMask = 0xfff;
    static constexpr Cycle kWaitMost = 0xfffff;

    SlotPool(uint32_t queues, const SlotRules &rules, std::unique_ptr<SlotsRtlPort> rtl_port)
        : rules_(rules), queues_(queues), rtl_port_(std::move(rtl_port))
    {
    }

    /// Back to the first state: all slots free, no queue leaves one, nothing counted.
    void reset();
    /// Counts from 0 again: the queue is opened, or a register says so.
    void clear_counts(uint32_t sq)
    {
        if (__builtin_expect(rtl_port_ != nullptr, 0))
            return rtl_port_->clear_counts(sq);
        queues_[sq].counts = {};
    }
    [[nodiscard]] SlotCounts counts(uint32_t sq) const
    {
        return __builtin_expect(rtl_port_ != nullptr, 0) ? rtl_port_->counts(sq)
                                                         : queues_[sq].counts;
    }
    /// When the queue is swapped out, if that is still to come; else 0 (T-SCH-20).
    [[nodiscard]] Cycle leaving_until(uint32_t sq, Cycle now) const
    {
        if (__builtin_expect(rtl_port_ != nullptr, 0))
            return rtl_port_->leaving_until(sq, now);
        return queues_[sq].out_until > now ? queues_[sq].out_until : 0;
    }
    /// When the next grant may be, for a queue that asks; kNever: when a slot has been given up
    /// (T-SCH-3, T-SCH-6).
    [[nodiscard]] Cycle next_grant(Cycle now)
    {
        if (__builtin_expect(rtl_port_ != nullptr, 0))
            return rtl_port_->next_grant(now);
        collect(now);
        return is_free()             ? std::max(now, next_grant_)
               : leaving_count_ != 0 ? std::max(leaving_[leaving_first_].free_at, next_grant_)
                                     : kNever;
    }
    /// Whether a slot is free now.
    [[nodiscard]] bool free_now(Cycle now)
    {
        if (__builtin_expect(rtl_port_ != nullptr, 0))
            return rtl_port_->free_now(now);
        collect(now);
        return is_free();
    }
    /// The lowest free slot for a queue that has asked since `asked`. Only with free_now().
    [[nodiscard]] SlotGrant grant(uint32_t sq, Cycle asked, Cycle now);
    /// The queue gives its slot up.
    void leave(uint32_t sq, uint8_t slot, Cycle now);
    /// Slots that queues have, or still leave.
    [[nodiscard]] uint32_t taken() const
    {
        return rules_.slots - (__builtin_expect(rtl_port_ != nullptr, 0)
                                   ? rtl_port_->free_count()
                                   : static_cast<uint32_t>(__builtin_popcountll(free_[0]) +
                                                           __builtin_popcountll(free_[1])));
    }

  private:
    struct Queue { // what is of no interest but at swap-in and swap-out
        Cycle out_until = 0;
        SlotCounts counts;
    };
    struct Leaving { // a slot that its queue is being swapped out of
        Cycle free_at;
        uint8_t slot;
    };

    [[nodiscard]] bool is_free() const { return (free_[0] | free_[1]) != 0; }
    void collect(Cycle now)
    {
        if (leaving_count_ != 0 && leaving_[leaving_first_].free_at <= now)
            free_left(now);
    }
    void free_left(Cycle now);

    const SlotRules rules_;
    std::vector<Queue> queues_;
    std::unique_ptr<SlotsRtlPort> rtl_port_; // null: the plain model
    std::array<uint64_t, 2> free_{};
    std::array<Leaving, kSlotsMost> leaving_{}; // a ring
    uint32_t leaving_first_ = 0;
    uint32_t leaving_count_ = 0;
    Cycle next_grant_ = 0;
    Cycle full_until_ = 0; // when a slot was last given up while all were taken
};

// T-SCH-3, T-SCH-5, T-SCH-22.
inline SlotGrant SlotPool::grant(uint32_t sq, Cycle asked, Cycle now)
{
    if (__builtin_expect(rtl_port_ != nullptr, 0))
        return rtl_port_->grant(sq, asked, now);
    assert(is_free());
    const uint32_t word = free_[0] != 0 ? 0 : 1;
    const auto bit = static_cast<uint32_t>(__builtin_ctzll(free_[word]));
    free_[word] &= free_[word] - 1;
    next_grant_ = now + rules_.arbitration;
    SlotCounts &counts = queues_[sq].counts;
    counts.swap_ins = (counts.swap_ins + 1) & kCountMask;
    counts.waited =
        static_cast<uint32_t>(std::min<Cycle>(counts.waited + (now - asked), kWaitMost));
    return {next_grant_ + rules_.start, static_cast<uint8_t>(word * 64 + bit), asked < full_until_};
}

// T-SCH-6: the slot is free for others once the queue is swapped out (T-SCH-19).
inline void SlotPool::leave(uint32_t sq, uint8_t slot, Cycle now)
{
    if (__builtin_expect(rtl_port_ != nullptr, 0))
        return rtl_port_->leave(sq, slot, now);
    collect(now);
    const Cycle out = now + rules_.leave;
    if (!is_free())
        full_until_ = out;
    if (rules_.leave == 0) {
        free_[slot / 64] |= uint64_t{1} << (slot % 64);
        return;
    }
    queues_[sq].out_until = out;
    leaving_[(leaving_first_ + leaving_count_++) % kSlotsMost] = {out, slot};
}

} // namespace tsim

#endif
