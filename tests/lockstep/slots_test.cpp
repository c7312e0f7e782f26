// SPDX-License-Identifier: Apache-2.0
/// The RTL of the slots against their C++, operation by operation.
#include "core/tables/slot_pool.h"

#include <vector>

#include "rig.h"
#include "rtl/factory.h"

namespace
{

// Queues ask, get slots and leave them at random while time passes. Says how many differences there
// were.
uint32_t run(uint64_t seed, uint32_t steps)
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
    tsim::Cycle now = draw(3) == 0 ? uint64_t{1} << 40 : 0;
    factory->attach(now, 0);
    constexpr std::array<uint32_t, 6> kSlots = {1, 4, 31, 64, 100, 128};
    const tsim::SlotRules rules = {kSlots[draw(kSlots.size())], draw(20), draw(50),
                                   draw(3) == 0 ? 0 : draw(100)};
    const uint32_t queues = 1 + draw(300);
    const auto rtl_port = factory->slots(2048, rules, {0, ""});
    rtl_port->reset();
    struct Queue {
        bool asks = false, has = false;
        uint8_t slot = 0;
        tsim::Cycle asked = 0;
    };
    std::vector<Queue> all(queues);
    for (uint32_t step = 0; step < steps && differences == 0; ++step) {
        const uint32_t what = draw(32), sq = draw(queues);
        Queue &q = all[sq];
        if (what < 8) {
            now += draw(what == 0 ? 2000000 : 30);
        } else if (what < 16) {
            if (!q.asks && !q.has && rtl_port->leaving_until(sq, now) == 0) {
                q.asks = true;
                q.asked = now;
            }
        } else if (what < 24) {
            if (q.asks && rtl_port->free_now(now)) {
                const tsim::SlotGrant grant = rtl_port->grant(sq, q.asked, now);
                q = {false, true, grant.slot, 0};
            }
        } else if (what < 29) {
            if (q.has)
                rtl_port->leave(sq, q.slot, now);
            q.has = false;
        } else if (what == 29) {
            (void)rtl_port->next_grant(now);
        } else if (what == 30) {
            (void)rtl_port->counts(sq);
        } else if (draw(20) == 0) {
            if (draw(10) == 0) {
                rtl_port->reset();
                all.assign(queues, Queue{});
            } else {
                rtl_port->clear_counts(sq);
            }
        }
    }
    return differences;
}

} // namespace

// T-SCH-3, T-SCH-5, T-SCH-6, T-SCH-19, T-SCH-20, T-SCH-22.
static void test_random()
{
    for (uint64_t seed = 1; seed <= 100; ++seed)
        EXPECT_EQ(run(seed, 1000), 0);
}

static const twin_test tests[] = {
    {"random swap-ins and swap-outs are alike in C++ and RTL", test_random},
};

int main(int argc, char **argv)
{
    return twin_run_suite("lockstep_slots", tests, TWIN_COUNT(tests), argc, argv);
}
