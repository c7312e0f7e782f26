// SPDX-License-Identifier: Apache-2.0
/// Transfers with their own ceilings, against a small fluid model in floating point.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/link/link.h"
#include "rig.h"

using tsim::Cycle;
using tsim::kNever;
using tsim::LinkNetwork;
using tsim::Params;

namespace
{

// Round numbers, in bytes a cycle: HBM 1000, L2 1500; a core's ports 40 from HBM, 110 and 90 from
// and to L2.
Params round_params()
{
    Params p = shipped_profile().params();
    p.hbm_peak.value = 1000 * 1000;
    p.hbm_effective.value = 1000;
    p.l2_peak.value = 1500 * 1000;
    p.core_mhz.value = 1000;
    p.core_gm.value = 40;
    p.core_l2_read.value = 110;
    p.core_l2_write.value = 90;
    return p;
}

struct Fluid {
    uint64_t id;
    double left, cap, rate = 0;
    bool hbm;
};

// Max-min fair rates: raises all together; a flow that reaches a ceiling or a full server stays
// there.
void share(std::vector<Fluid> &all)
{
    double room[2] = {1500, 1000};
    std::vector<bool> fixed(all.size(), false);
    for (Fluid &f : all)
        f.rate = 0;
    for (size_t open = all.size(); open > 0;) {
        double step = 1e18, users[2] = {0, 0};
        for (size_t i = 0; i < all.size(); ++i) {
            if (fixed[i])
                continue;
            step = std::min(step, all[i].cap - all[i].rate);
            users[0] += 1;
            users[1] += all[i].hbm ? 1 : 0;
        }
        for (int s = 0; s < 2; ++s)
            step = users[s] > 0 ? std::min(step, room[s] / users[s]) : step;
        for (size_t i = 0; i < all.size(); ++i) {
            if (!fixed[i]) {
                all[i].rate += step;
                room[0] -= step;
                room[1] -= all[i].hbm ? step : 0;
            }
        }
        for (size_t i = 0; i < all.size(); ++i) {
            if (!fixed[i] && (all[i].cap - all[i].rate < 1e-9 || room[0] < 1e-6 ||
                              (all[i].hbm && room[1] < 1e-6))) {
                fixed[i] = true;
                --open;
            }
        }
    }
}

} // namespace

// T-LNK-8: alone at its ceiling; 30 of them reach HBM's rate and no more; what they leave is
// another's.
static void test_ceilings()
{
    const Params p = round_params();
    LinkNetwork links(p, 1);
    links.start(0, links.core_miss(0), 4000, 1);
    EXPECT_EQ(links.next(), 100);
    EXPECT_EQ(links.complete(100).size(), 1);
    links.start(100, links.core_hit(0, false), 11000, 1);
    links.start(100, links.core_hit(0, true), 9000, 2);
    EXPECT_EQ(links.next(), 200);
    EXPECT_EQ(links.complete(200).size(), 2);

    for (uint32_t i = 0; i < 10; ++i)
        links.start(200, links.core_miss(0), 40000, i);
    links.start(200, links.fill_device(0), 600000, 99); // 10 x 40 leave it 600 of 1000
    EXPECT_EQ(links.next(), 1200);
    EXPECT_EQ(links.complete(1200).size(), 11);

    for (uint32_t i = 0; i < 30; ++i)
        links.start(2000, links.core_miss(0), 100000, i);
    EXPECT_EQ(links.next(), 2000 + 3000);
    EXPECT_EQ(links.complete(5000).size(), 30);
}

// T-LNK-8: any route may have a ceiling; equal ceilings make equal routes, and a route names the
// parameter of its ceiling.
static void test_capped_routes()
{
    const Params p = round_params();
    LinkNetwork links(p, 2);
    const uint32_t slow = links.capped(links.within_device(1), 50 * 1000, 7);
    EXPECT_EQ(links.capped(links.within_device(1), 50 * 1000, 7), slow);
    CU_ASSERT(links.capped(links.within_device(0), 50 * 1000, 7) != slow);
    CU_ASSERT(links.capped(links.within_device(1), 51 * 1000, 7) != slow);
    EXPECT_EQ(links.parameter(slow), 7);
    links.start(0, slow, 5000, 1);
    EXPECT_EQ(links.next(), 100);
}

// T-LNK-4, T-LNK-5, T-LNK-8: random comings and cancellations; every completion within two cycles
// of the fluid's.
static void test_against_a_fluid()
{
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        uint64_t state = seed;
        const auto dice = [&state](uint64_t below) { return tsim::mix(state) % below; };
        const Params p = round_params();
        LinkNetwork links(p, 1);
        std::vector<Fluid> fluid;
        std::vector<std::pair<uint64_t, uint32_t>> numbers;
        Cycle now = 0;
        uint64_t next_id = 1;
        double worst = 0;
        const auto pass = [&](Cycle until) {
            for (Fluid &f : fluid)
                f.left -= f.rate * static_cast<double>(until - now);
            now = until;
        };
        const auto finish = [&] {
            for (const uint64_t id : links.complete(now)) {
                const auto at = std::find_if(fluid.begin(), fluid.end(),
                                             [id](const Fluid &f) { return f.id == id; });
                CU_ASSERT_FATAL(at != fluid.end());
                worst = std::max(worst, std::fabs(at->left) / at->rate);
                fluid.erase(at);
                numbers.erase(std::find_if(numbers.begin(), numbers.end(),
                                           [id](const auto &n) { return n.first == id; }));
            }
            share(fluid);
        };
        for (int i = 0; i < 200; ++i) {
            const Cycle then = now + dice(200);
            while (links.next() <= then) {
                pass(links.next());
                finish();
            }
            pass(then);
            if (!numbers.empty() && dice(8) == 0) {
                const size_t which = dice(numbers.size());
                const uint64_t id = numbers[which].first;
                CU_ASSERT(links.moves(numbers[which].second, id));
                links.cancel(now, numbers[which].second);
                CU_ASSERT(!links.moves(numbers[which].second, id));
                numbers.erase(numbers.begin() + static_cast<long>(which));
                fluid.erase(std::find_if(fluid.begin(), fluid.end(),
                                         [id](const Fluid &f) { return f.id == id; }));
            } else {
                const uint32_t kind = static_cast<uint32_t>(dice(3));
                const uint32_t route =
                    kind == 2 ? links.core_miss(0) : links.core_hit(0, kind == 1);
                const uint64_t bytes = 1 + dice(20000);
                numbers.emplace_back(next_id, links.start(now, route, bytes, next_id));
                fluid.push_back({next_id++, static_cast<double>(bytes),
                                 kind == 2   ? 40.0
                                 : kind == 1 ? 90.0
                                             : 110.0,
                                 0, kind == 2});
            }
            share(fluid);
        }
        while (links.next() != kNever) {
            pass(links.next());
            finish();
        }
        CU_ASSERT(fluid.empty());
        if (worst > 2)
            std::fprintf(stderr, "seed %llu: a completion is %f cycles off\n",
                         static_cast<unsigned long long>(seed), worst);
        CU_ASSERT(worst <= 2);
    }
}

static const twin_test tests[] = {
    {"a transfer never exceeds its ceiling", test_ceilings},
    {"any route may have a ceiling", test_capped_routes},
    {"shares with ceilings are max-min fair", test_against_a_fluid},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim link cap", tests, TWIN_COUNT(tests), argc, argv);
}
