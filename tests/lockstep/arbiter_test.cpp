// SPDX-License-Identifier: Apache-2.0
/// The arbiter's RTL against its C++, operation by operation.
#include "core/tables/arbiter.h"

#include <vector>

#include "rig.h"
#include "rtl/factory.h"

using tsim::ArbiterRules;

namespace
{

struct Asker {
    uint32_t priority, group;
    bool asks;
};

// Queues ask, withdraw and win at random; registers change meanwhile. Returns how many differences
// there were.
uint32_t run(uint64_t seed, bool seeded, uint32_t steps)
{
    uint64_t random = seed;
    const auto draw = [&random](uint64_t below) {
        return static_cast<uint32_t>(tsim::mix(random) % below);
    };
    uint32_t differences = 0;
    const auto factory = tsim::rtl::make_factory(
        TWINSIM_MODEL_LOCKSTEP, "", [&differences](const tsim::rtl::Difference &d) {
            ++differences;
            std::fputs(tsim::rtl::to_text(d).c_str(), stdout);
        });
    ArbiterRules rules;
    rules.strict_level = draw(8);
    const auto rtl_port = factory->arbiter(rules, {0, "test"});
    rtl_port->reset();
    uint64_t model_seed = seeded ? seed | 1 : 0;
    const uint32_t queues = 1 + draw(draw(2) != 0 ? 2048 : 12), groups = 1 + draw(64);
    std::vector<Asker> askers(queues, Asker{0, 0, false});
    const auto change_level = [&](uint32_t level) { // as the scheduler does it
        for (uint32_t sq = 0; sq < queues; ++sq)
            if (askers[sq].asks)
                rtl_port->remove(sq, askers[sq].priority, askers[sq].group);
        rules.strict_level = level;
        for (uint32_t sq = 0; sq < queues; ++sq)
            if (askers[sq].asks) {
                rtl_port->prepare(askers[sq].priority, askers[sq].group);
                rtl_port->add(sq, askers[sq].priority, askers[sq].group);
            }
    };
    for (uint32_t step = 0; step < steps && differences == 0; ++step) {
        const uint32_t what = draw(40), sq = draw(queues);
        if (what == 0) {
            rules.set_weight(draw(groups), static_cast<uint16_t>(draw(5)));
        } else if (what == 1) {
            rules.weight_first = draw(2) != 0;
            rules.reload_spent = draw(2) != 0;
        } else if (what == 2 && draw(20) == 0) {
            change_level(draw(8));
        } else if (what == 3 && draw(200) == 0) {
            rules = {};
            rtl_port->reset();
            for (Asker &asker : askers)
                asker.asks = false;
        } else if (what < 24) {
            if (askers[sq].asks)
                continue;
            askers[sq] = {draw(8), draw(groups), true};
            rtl_port->prepare(askers[sq].priority, askers[sq].group);
            rtl_port->add(sq, askers[sq].priority, askers[sq].group);
        } else if (what < 27) {
            if (askers[sq].asks)
                rtl_port->remove(sq, askers[sq].priority, askers[sq].group);
            askers[sq].asks = false;
        } else if (!rtl_port->empty()) {
            askers[rtl_port->take(model_seed)].asks = false;
        }
    }
    return differences;
}

} // namespace

// T-ARB-1 to T-ARB-6.
static void test_random()
{
    for (uint64_t seed = 1; seed <= 100; ++seed)
        EXPECT_EQ(run(seed, false, 1500), 0);
}

// T-TIM-6.
static void test_random_seeded()
{
    for (uint64_t seed = 1; seed <= 60; ++seed)
        EXPECT_EQ(run(seed, true, 500), 0);
}

static const twin_test tests[] = {
    {"random operations win alike in C++ and RTL", test_random},
    {"with a seed both draw the same numbers for the same choices", test_random_seeded},
};

int main(int argc, char **argv)
{
    return twin_run_suite("lockstep_arbiter", tests, TWIN_COUNT(tests), argc, argv);
}
