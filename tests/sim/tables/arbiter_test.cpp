// SPDX-License-Identifier: Apache-2.0
/// The arbiter against a slow reference written from the rules alone, and the shares by weight.
#include "core/tables/arbiter.h"

#include <algorithm>
#include <map>
#include <set>

#include "rig.h"

using tsim::Arbiter;
using tsim::ArbiterRules;

namespace
{

struct Asker {
    uint32_t sq, priority, group;
};

/// T-ARB-1 to T-ARB-6, as directly as they are written: lists, searches, only the state that the
/// rules name.
class Reference
{
  public:
    explicit Reference(const ArbiterRules &rules) : rules_(rules) {}

    std::vector<Asker> asking;

    /// All askers that the rules allow to win; exactly one without a seed.
    std::vector<Asker> allowed(bool seeded)
    {
        // T-ARB-1
        uint32_t level = 8;
        for (const Asker &a : asking)
            level = std::min(level, level_of(a));
        State &state = states_[level];
        std::set<uint32_t> groups;
        for (const Asker &a : asking)
            if (level_of(a) == level)
                groups.insert(a.group);
        // T-ARB-4
        bool any = false;
        for (const uint32_t g : groups)
            any = any || left(state, g) > 0;
        if (!any) {
            for (uint32_t g = 0; g < 64; ++g)
                if (!rules_.reload_spent || left(state, g) == 0)
                    state.left[g] = std::max<int>(rules_.weights[g], 1);
            state.goes_on = false;
        }
        std::vector<uint32_t> able;
        for (const uint32_t g : groups)
            if (left(state, g) > 0)
                able.push_back(g);
        // T-ARB-2, T-ARB-3
        std::vector<uint32_t> winners;
        if (rules_.weight_first && state.goes_on &&
            std::count(able.begin(), able.end(), state.last) != 0) {
            winners = {state.last};
        } else if (seeded) {
            winners = able;
        } else {
            uint32_t g = state.last;
            do
                g = (g + 1) % 64;
            while (std::count(able.begin(), able.end(), g) == 0);
            winners = {g};
        }
        // T-ARB-5
        std::vector<Asker> result;
        for (const uint32_t g : winners) {
            std::vector<Asker> members;
            for (const Asker &a : asking)
                if (level_of(a) == level && a.group == g)
                    members.push_back(a);
            if (seeded) {
                result.insert(result.end(), members.begin(), members.end());
                continue;
            }
            const uint32_t after = state.last_queue.count(g) != 0 ? state.last_queue[g] : 4095;
            result.push_back(*std::min_element(
                members.begin(), members.end(), [after](const Asker &a, const Asker &b) {
                    return (a.sq - after - 1) % 4096 < (b.sq - after - 1) % 4096;
                }));
        }
        return result;
    }

    void won(const Asker &winner)
    {
        State &state = states_[level_of(winner)];
        state.last = winner.group;
        state.last_queue[winner.group] = winner.sq;
        state.goes_on = --state.left[winner.group] > 0;
        asking.erase(std::find_if(asking.begin(), asking.end(),
                                  [&](const Asker &a) { return a.sq == winner.sq; }));
    }

  private:
    struct State { // T-ARB-6: of each priority group
        uint32_t last = 63;
        bool goes_on = false;
        std::map<uint32_t, int> left;
        std::map<uint32_t, uint32_t> last_queue;
    };
    [[nodiscard]] uint32_t level_of(const Asker &a) const
    {
        return a.priority < rules_.strict_level ? a.priority : rules_.strict_level;
    }
    // A weight never reloaded is that of the reset: 1.
    static int left(State &state, uint32_t g) { return state.left.emplace(g, 1).first->second; }

    const ArbiterRules &rules_;
    std::map<uint32_t, State> states_;
};

// Asks, withdraws and wins at random; registers change meanwhile.
void compare(uint64_t seed, bool seeded)
{
    uint64_t random = seed;
    const auto draw = [&random](uint64_t below) {
        return static_cast<uint32_t>(tsim::mix(random) % below);
    };
    ArbiterRules rules;
    rules.strict_level = draw(8);
    rules.weight_first = draw(2) != 0;
    rules.reload_spent = draw(2) != 0;
    Arbiter arbiter(rules);
    Reference reference(rules);
    uint64_t model_seed = seeded ? seed | 1 : 0;
    const uint32_t groups = 1 + draw(5), queues = 1 + draw(40);
    for (uint32_t step = 0; step < 400; ++step) {
        const uint32_t what = draw(20);
        if (what == 0) {
            rules.set_weight(draw(groups) * 13 % 64, static_cast<uint16_t>(draw(5)));
        } else if (what == 1 && step % 10 == 0) {
            rules.weight_first = draw(2) != 0;
            rules.reload_spent = draw(2) != 0;
        } else if (what < 11) {
            const Asker asker{draw(queues) * 97 % 2048, draw(8), draw(groups) * 13 % 64};
            const auto same = [&](const Asker &a) { return a.sq == asker.sq; };
            if (std::none_of(reference.asking.begin(), reference.asking.end(), same)) {
                arbiter.prepare(asker.priority, asker.group);
                arbiter.add(asker.sq, asker.priority, asker.group);
                reference.asking.push_back(asker);
            }
        } else if (what == 11 && !reference.asking.empty()) {
            const auto gone = reference.asking.begin() + draw(reference.asking.size());
            arbiter.remove(gone->sq, gone->priority, gone->group);
            reference.asking.erase(gone);
        } else if (!reference.asking.empty()) {
            const std::vector<Asker> allowed = reference.allowed(seeded);
            const uint32_t sq = arbiter.take(model_seed);
            const auto winner = std::find_if(allowed.begin(), allowed.end(),
                                             [sq](const Asker &a) { return a.sq == sq; });
            if (winner == allowed.end()) {
                std::printf("seed %llu step %u: %u won, not %u\n",
                            static_cast<unsigned long long>(seed), step, sq, allowed[0].sq);
                CU_FAIL("not the winner of the rules");
                return;
            }
            reference.won(*winner);
        }
        if (arbiter.empty() != reference.asking.empty()) {
            CU_FAIL("an asker was lost");
            return;
        }
    }
}

void test_against_reference()
{
    for (uint64_t seed = 1; seed <= 1500; ++seed)
        compare(seed, false);
}

// T-TIM-6: a seed draws only among the winners that the rules allow.
void test_seeds_against_reference()
{
    for (uint64_t seed = 1; seed <= 500; ++seed)
        compare(seed, true);
}

// T-ARB-5, and T-SCH-4 with the reset values: today's order for queues of one model group, at any
// priorities.
void test_reset_values()
{
    ArbiterRules rules;
    EXPECT_EQ(rules.strict_level, 7);
    Arbiter arbiter(rules);
    uint64_t none = 0, random = 5;
    std::array<uint32_t, 8> last;
    last.fill(4095);
    std::array<std::set<uint32_t>, 8> plain;
    for (uint32_t p = 0; p < 8; ++p)
        arbiter.prepare(p, 0);
    for (int step = 0; step < 20000; ++step) {
        const auto sq = static_cast<uint32_t>(tsim::mix(random) % 64);
        const uint32_t p = sq % 8;
        if (plain[p].insert(sq).second)
            arbiter.add(sq, p, 0);
        if (tsim::mix(random) % 3 == 0)
            continue;
        uint32_t first = 0;
        while (plain[first].empty())
            ++first;
        auto next = plain[first].upper_bound(last[first]);
        if (next == plain[first].end())
            next = plain[first].begin();
        last[first] = *next;
        EXPECT_EQ(arbiter.take(none), *next);
        plain[first].erase(next);
    }
}

// T-ARB-2 to T-ARB-5: while all ask all the time, each model group wins its weight in each
// round, and each queue of a model group once in as many wins of that group as it has queues.
void test_shares()
{
    const std::array<uint16_t, 4> weights = {1, 3, 7, 2};
    for (const bool weight_first : {false, true}) {
        for (const bool reload_spent : {false, true}) {
            ArbiterRules rules;
            rules.weight_first = weight_first;
            rules.reload_spent = reload_spent;
            for (uint32_t g = 0; g < 4; ++g)
                rules.set_weight(g, weights[g]);
            Arbiter arbiter(rules); // loads the weights
            uint64_t none = 0;
            arbiter.prepare(3, 0);
            for (uint32_t g = 0; g < 4; ++g) {
                arbiter.prepare(3, g);
                for (uint32_t i = 0; i <= g; ++i)
                    arbiter.add(g + 4 * i, 3, g);
            }
            std::vector<uint32_t> order;
            for (int i = 0; i < 13 * 12; ++i) {
                const uint32_t sq = arbiter.take(none);
                arbiter.add(sq, 3, sq % 4);
                order.push_back(sq);
            }
            std::map<uint32_t, uint32_t> wins;
            for (size_t i = 0; i < order.size(); ++i) {
                ++wins[order[i] % 4];
                if ((i + 1) % 13 == 0)
                    for (uint32_t g = 0; g < 4; ++g)
                        EXPECT_EQ(wins[g], weights[g] * (i + 1) / 13);
                // T-ARB-3: the two ways differ in this.
                if (i > 0 && i < 13 && weight_first)
                    CU_ASSERT(order[i] % 4 >= order[i - 1] % 4);
            }
            for (uint32_t g = 0; g < 4; ++g) {
                std::vector<uint32_t> of;
                for (const uint32_t sq : order)
                    if (sq % 4 == g)
                        of.push_back(sq);
                for (size_t i = g + 1; i < of.size(); ++i)
                    EXPECT_EQ(of[i], of[i - g - 1]);
            }
            if (!weight_first)
                CU_ASSERT(std::vector<uint32_t>(order.begin(), order.begin() + 4) ==
                          (std::vector<uint32_t>{0, 1, 2, 3}));
        }
    }
}

// T-ARB-2 to T-ARB-4, through registers and a single slot: model group 2 with weight 2 has two wins
// for one of model group 1.
void test_registers_rule_slots()
{
    for (const bool weight_first : {false, true}) {
        Rig rig([](tsim::Params &p) { p.slots.value = 1; });
        const auto set = [&rig](uint32_t offset, uint32_t value) {
            EXPECT_EQ(rig.device().write(uint64_t{STARS_BLOCK_BASE} + offset, value), TWINSIM_OK);
        };
        set(STARS_GROUP_WEIGHT + 4 * 2, 2);
        set(STARS_GROUP_MODE, weight_first ? STARS_GROUP_MODE_WEIGHT_FIRST : 0);
        const auto open = [&rig](uint32_t sq, uint32_t group) {
            rig.open(sq);
            EXPECT_EQ(
                rig.device().write(uint64_t{sq} * STARS_SQ_PAGE + STARS_SQ_PRIORITY, group << 4),
                TWINSIM_OK);
        };
        // Weights count from a reload: one SQE of each model group makes both need it.
        for (const uint32_t group : {1u, 2u}) {
            open(50 + group, group);
            rig.put(50 + group, sqe_placeholder(), 0);
        }
        rig.run();
        for (uint32_t i = 0; i < 3; ++i) {
            open(10 + i, 1);
            rig.put(10 + i, sqe_placeholder(), 100000);
        }
        for (uint32_t i = 0; i < 6; ++i) {
            open(20 + i, 2);
            rig.put(20 + i, sqe_placeholder(), 100000);
        }
        rig.run();
        std::vector<uint32_t> order;
        for (const auto &record : rig.phases(TWINSIM_PHASE_TASK))
            if (record.sq < 50)
                order.push_back(record.sq);
        CU_ASSERT(order == (std::vector<uint32_t>{10, 20, 21, 11, 22, 23, 12, 24, 25}));
    }
}

// T-ARB-1: with level 1 priority 0 comes first and the others are equals; those that wait move when
// the level changes.
void test_strict_level()
{
    Rig rig([](tsim::Params &p) {
        p.slots.value = 1;
        p.strict_level.value = 1;
    });
    uint32_t value = 9;
    EXPECT_EQ(rig.device().read(uint64_t{STARS_BLOCK_BASE} + STARS_STRICT_LEVEL, value),
              TWINSIM_OK);
    EXPECT_EQ(value, 1);
    const auto put = [&rig](uint32_t sq, uint8_t priority, uint64_t at) {
        rig.open(sq, priority);
        rig.put(sq, sqe_placeholder(), at);
    };
    put(1, 7, 0);
    put(2, 3, 0);
    put(3, 1, 0);
    put(4, 0, 0);
    put(11, 7, 100000);
    put(12, 3, 100000);
    put(13, 1, 100000);
    rig.run_until(100001); // 11 has the slot
    EXPECT_EQ(rig.device().write(uint64_t{STARS_BLOCK_BASE} + STARS_STRICT_LEVEL, 7), TWINSIM_OK);
    rig.run();
    std::vector<uint32_t> order;
    for (const auto &record : rig.phases(TWINSIM_PHASE_TASK))
        order.push_back(record.sq);
    CU_ASSERT(order == (std::vector<uint32_t>{4, 1, 2, 3, 11, 13, 12}));
}

// T-SCH-9, T-ARB-6: those that wait for a class are picked in the same way, with separate turns.
void test_classes_follow()
{
    Rig rig([](tsim::Params &p) { p.sdma_cap.value = 1; });
    EXPECT_EQ(rig.device().write(uint64_t{STARS_BLOCK_BASE} + STARS_GROUP_MODE,
                                 STARS_GROUP_MODE_WEIGHT_FIRST | STARS_GROUP_MODE_RELOAD_SPENT),
              TWINSIM_OK);
    EXPECT_EQ(rig.device().write(uint64_t{STARS_BLOCK_BASE} + STARS_GROUP_WEIGHT + 4 * 5, 2),
              TWINSIM_OK);
    for (uint32_t sq = 0; sq < 8; ++sq) {
        rig.open(sq);
        EXPECT_EQ(rig.device().write(uint64_t{sq} * STARS_SQ_PAGE + STARS_SQ_PRIORITY,
                                     (sq < 4 ? 5u : 6u) << 4),
                  TWINSIM_OK);
        rig.put(sq, sqe_sdma(Rig::kHbm + sq * 65536, Rig::kHbm + (1 << 24), 65536), 0);
    }
    rig.run();
    std::vector<uint32_t> order;
    for (const auto &record : rig.phases(TWINSIM_PHASE_TRANSFER))
        order.push_back(record.sq);
    // Queue 0 never waits. Then one turn each by the weights of the reset, then two to one.
    CU_ASSERT(order == (std::vector<uint32_t>{0, 1, 4, 2, 3, 5, 6, 7}));
}

const twin_test tests[] = {
    {"the arbiter agrees with the rules, in all modes", test_against_reference},
    {"a seed draws among the winners that the rules allow", test_seeds_against_reference},
    {"with the values of the reset the order is priority, then round-robin", test_reset_values},
    {"shares follow the weights", test_shares},
    {"weights and mode written to registers rule the slots", test_registers_rule_slots},
    {"the strict level divides the priorities", test_strict_level},
    {"shares of a class are given in the same way", test_classes_follow},
};

} // namespace

int main(int argc, char **argv)
{
    return twin_run_suite("sim arbiter", tests, TWIN_COUNT(tests), argc, argv);
}
