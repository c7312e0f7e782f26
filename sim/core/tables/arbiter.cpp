// SPDX-License-Identifier: Apache-2.0
#include "core/tables/arbiter.h"

#include <cassert>

namespace tsim
{

namespace
{
// The first bit at or after `from`, going round once; bits is not 0.
uint32_t next_bit(uint64_t bits, uint32_t from)
{
    const uint64_t after = bits & (~uint64_t{0} << from);
    return static_cast<uint32_t>(__builtin_ctzll(after != 0 ? after : bits));
}

// Bit number n, counted from the lowest.
uint32_t nth_bit(uint64_t bits, uint64_t n)
{
    for (; n > 0; --n)
        bits &= bits - 1;
    return static_cast<uint32_t>(__builtin_ctzll(bits));
}
} // namespace

void Arbiter::reset()
{
    if (rtl_port_)
        rtl_port_->reset();
    asking_ = 0;
    for (Level &level : levels_) {
        level.asking = 0;
        level.last = kGroups - 1;
        level.current = kNone;
        level.settled = 0;
        reload(level, true);
        for (std::unique_ptr<Set> &set : level.sets)
            set.reset();
    }
}

void Arbiter::prepare(uint32_t priority, uint32_t group)
{
    if (rtl_port_)
        return rtl_port_->prepare(priority, group);
    std::unique_ptr<Set> &set = levels_[rules_.level(priority)].sets[group];
    if (!set)
        set = std::make_unique<Set>();
}

// T-ARB-4.
void Arbiter::reload(Level &level, bool all) const
{
    if (all)
        level.left = rules_.loads;
    for (uint64_t which = all ? 0 : level.spent; which != 0; which &= which - 1) {
        const auto group = static_cast<uint32_t>(__builtin_ctzll(which));
        level.left[group] = rules_.loads[group];
    }
    level.spent = 0;
}

// T-ARB-2, T-ARB-3.
uint32_t Arbiter::next_group(Level &level, uint64_t able, uint64_t &seed) const
{
    if (rules_.weight_first && level.current != kNone && (able >> level.current & 1) != 0)
        return level.current;
    if (__builtin_expect(seed != 0, 0) && (able & (able - 1)) != 0)
        return nth_bit(able, mix(seed) % static_cast<uint32_t>(__builtin_popcountll(able)));
    return next_bit(able, (level.last + 1) % kGroups);
}

void Arbiter::choose_group(Level &level, uint64_t &seed) const
{
    level.settled = 0;
    bool all = false;
    // The group that had the turn does not ask: the turn ends.
    if ((level.asking & ~level.spent) == 0) {
        all = !rules_.reload_spent;
        reload(level, all);
    }
    const uint32_t group = next_group(level, level.asking & ~level.spent, seed);
    level.last = level.current = group;
    if (--level.left[group] == 0) {
        level.spent |= uint64_t{1} << group;
        level.current = kNone;
        if (all)
            level.settled = rules_.version;
    }
}

uint32_t Arbiter::take(uint64_t &seed)
{
    if (__builtin_expect(rtl_port_ != nullptr, 0))
        return rtl_port_->take(seed);
    assert(asking_ != 0);
    const auto number = static_cast<uint32_t>(__builtin_ctz(asking_));
    Level &level = levels_[number];
    if (level.settled != rules_.version || level.asking != level.spent)
        choose_group(level, seed);
    const uint32_t group = level.last;

    // T-ARB-5: round-robin from the one after the last; with a seed any of them.
    Set &set = *level.sets[group];
    if (seed != 0)
        set.last = set.who.nth(static_cast<uint32_t>(mix(seed) % std::max(set.who.count(), 1u)));
    else
        set.last = set.who.next((set.last + 1) % Bitmap::kSize);
    assert(set.last != kNone);
    remove_from(set.last, number, group);
    return set.last;
}

} // namespace tsim
