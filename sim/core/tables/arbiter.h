// SPDX-License-Identifier: Apache-2.0
/// Chooses among the queues that ask for the same thing: an active slot, or a share of a class.
/// Rules T-ARB-1 to T-ARB-6.
#ifndef TWINSIM_CORE_TABLES_ARBITER_H
#define TWINSIM_CORE_TABLES_ARBITER_H

#include <algorithm>
#include <array>
#include <memory>

#include "core/base/bitmap.h"
#include "core/base/rtl_port.h"
#include "core/base/types.h"

namespace tsim
{

/// The arbitration registers of a device, which all its arbiters follow.
struct ArbiterRules {
    static constexpr uint32_t kGroups = 64;

    uint32_t strict_level = kPriorities - 1; ///< each priority below it is a separate group
    bool weight_first = false;               ///< else round-robin first
    bool reload_spent = false;               ///< else all weights are reloaded
    std::array<uint16_t, kGroups> weights;   ///< by model group, as written
    std::array<uint16_t, kGroups> loads;     ///< by model group, as a reload takes them: 0 is 1
    uint32_t version = 1;                    ///< of the loads

    ArbiterRules()
    {
        weights.fill(1);
        loads.fill(1);
    }
    void set_weight(uint32_t group, uint16_t weight)
    {
        weights[group] = weight;
        loads[group] = std::max<uint16_t>(weight, 1);
        ++version;
    }
    /// The priority group of a priority (T-ARB-1).
    [[nodiscard]] uint32_t level(uint32_t priority) const
    {
        return std::min(priority, strict_level);
    }
};

/// The work of a grant does not depend on how many queues ask. A set of queues exists for each
/// model group in use.
class Arbiter
{
  public:
    static constexpr uint32_t kGroups = ArbiterRules::kGroups;

    /// `rtl_port` takes its place, if there is one.
    explicit Arbiter(const ArbiterRules &rules, std::unique_ptr<ArbiterRtlPort> rtl_port = nullptr)
        : rules_(rules), rtl_port_(std::move(rtl_port))
    {
        reset();
    }

    /// First state again: no queue asks, weights loaded.
    void reset();
    /// Makes the place that queues of this priority and model group need. Throws std::bad_alloc.
    void prepare(uint32_t priority, uint32_t group);

    /// The queue asks. Its place was prepared, and it does not ask yet.
    void add(uint32_t sq, uint32_t priority, uint32_t group)
    {
        if (__builtin_expect(rtl_port_ != nullptr, 0))
            return rtl_port_->add(sq, priority, group);
        const uint32_t number = rules_.level(priority);
        Level &level = levels_[number];
        level.sets[group]->who.set(sq);
        level.asking |= uint64_t{1} << group;
        asking_ |= 1u << number;
    }
    /// The queue, which asks with these, asks no longer.
    void remove(uint32_t sq, uint32_t priority, uint32_t group)
    {
        if (__builtin_expect(rtl_port_ != nullptr, 0))
            return rtl_port_->remove(sq, priority, group);
        remove_from(sq, rules_.level(priority), group);
    }
    [[nodiscard]] bool empty() const
    {
        return __builtin_expect(rtl_port_ != nullptr, 0) ? rtl_port_->empty() : asking_ == 0;
    }
    /// The winner, which asks no longer. Not when empty. A seed other than 0 draws where the rules
    /// leave a choice (T-TIM-6).
    [[nodiscard]] uint32_t take(uint64_t &seed);

  private:
    struct Set {
        Bitmap who;
        uint32_t last = Bitmap::kSize - 1;
    };
    struct Level {
        uint64_t asking = 0;      // bit g: a queue of model group g asks
        uint64_t spent = 0;       // bit g: nothing is left of its weight
        uint32_t last = 0;        // the model group that won last
        uint32_t current = kNone; // the same while something is left of its weight
        // Of the loads, when all weights were reloaded for the group that won last and it has spent
        // its own at once: if then it alone asks again, the same happens again, and nothing
        // changes. Else 0.
        uint32_t settled = 0;
        std::array<uint16_t, kGroups> left{};
        std::array<std::unique_ptr<Set>, kGroups> sets;
    };

    void remove_from(uint32_t sq, uint32_t number, uint32_t group)
    {
        Level &level = levels_[number];
        Set &set = *level.sets[group];
        set.who.clear(sq);
        if (!set.who.empty())
            return;
        level.asking &= ~(uint64_t{1} << group);
        if (level.asking == 0)
            asking_ &= ~(1u << number);
    }
    void reload(Level &level, bool all) const;
    [[nodiscard]] uint32_t next_group(Level &level, uint64_t able, uint64_t &seed) const;
    [[gnu::noinline]] void choose_group(Level &level, uint64_t &seed) const;

    const ArbiterRules &rules_;
    std::unique_ptr<ArbiterRtlPort> rtl_port_; // null: the plain model
    uint32_t asking_ = 0;                      // bit: priority groups with a queue that asks
    std::array<Level, kPriorities> levels_;
};

} // namespace tsim

#endif
