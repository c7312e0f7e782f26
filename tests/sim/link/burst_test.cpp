// SPDX-License-Identifier: Apache-2.0
// Transfers burst by burst: by hand where that is possible, else against fair shares.
#include <algorithm>
#include <random>
#include <vector>

#include "core/link/burst.h"
#include "core/link/link.h"
#include "rig.h"

using tsim::BurstNetwork;
using tsim::Cycle;
using tsim::LinkNetwork;
using tsim::Params;

namespace
{

constexpr unsigned kFraction = 48;

// Links of so many bytes per cycle.
BurstNetwork network(const std::vector<uint64_t> &rates, uint64_t burst, uint64_t outstanding)
{
    std::vector<uint64_t> capacity;
    capacity.reserve(rates.size());
    for (const uint64_t rate : rates)
        capacity.push_back(rate << kFraction);
    return {capacity, kFraction, burst, outstanding};
}

// When each of `count` transfers is complete.
std::vector<Cycle> finish(BurstNetwork &bursts, uint32_t count)
{
    std::vector<Cycle> ends(count, 0);
    while (bursts.next() != tsim::kNever) {
        const Cycle now = bursts.next();
        for (const uint32_t number : bursts.run(now))
            ends[number] = now;
    }
    return ends;
}

struct Transfer {
    Cycle begin;
    uint32_t route;
    uint64_t bytes;
};

// When each transfer is complete on a separate network.
std::vector<Cycle> play(LinkNetwork &links, const std::vector<Transfer> &all)
{
    std::vector<Cycle> ends(all.size(), 0);
    size_t begun = 0;
    while (begun < all.size() || links.active() > 0) {
        const Cycle start = begun < all.size() ? all[begun].begin : tsim::kNever;
        if (links.next() <= start) {
            const Cycle now = links.next();
            const std::vector<LinkNetwork::Owner> done = links.complete(now);
            for (const LinkNetwork::Owner owner : done)
                ends[owner] = now;
        } else {
            links.start(start, all[begun].route, all[begun].bytes, begun);
            ++begun;
        }
    }
    return ends;
}

} // namespace

// T-BST-1, T-BST-3: alone, on one link and on three.
static void test_alone()
{
    const BurstNetwork::Hop hops[] = {{0, 1}, {1, 1}, {2, 1}};
    for (const uint64_t bytes : {1ull, 99ull, 100ull, 101ull, 1000ull, 12345ull}) {
        BurstNetwork one = network({10, 10, 10}, 100, 8);
        one.start(5, 0, hops, 1, bytes, UINT64_MAX);
        EXPECT_EQ(finish(one, 1)[0], 5 + (bytes + 9) / 10);
        // Through three equal links the last burst follows the one before it everywhere.
        BurstNetwork three = network({10, 10, 10}, 100, 8);
        three.start(5, 0, hops, 3, bytes, UINT64_MAX);
        const uint64_t last = bytes - (bytes - 1) / 100 * 100;
        const uint64_t full = bytes > 100 ? 100 : last;
        EXPECT_EQ(finish(three, 1)[0], 5 + (bytes - last + 2 * full + last + 9) / 10);
    }
}

// T-BST-2: with one burst under way each passes all links before the next begins.
static void test_outstanding()
{
    const BurstNetwork::Hop hops[] = {{0, 1}, {1, 2}};
    BurstNetwork bursts = network({10, 10}, 100, 1);
    bursts.start(0, 0, hops, 2, 1000, UINT64_MAX);
    EXPECT_EQ(finish(bursts, 1)[0], 10 * (10 + 20));
    BurstNetwork two = network({10, 10}, 100, 2);
    two.start(0, 0, hops, 2, 1000, UINT64_MAX);
    EXPECT_EQ(finish(two, 1)[0], 10 + 10 * 20);
}

// T-BST-3: turns, a burst each; T-BST-4: a ceiling.
static void test_turns_and_ceilings()
{
    const BurstNetwork::Hop hop[] = {{0, 1}};
    BurstNetwork bursts = network({10}, 100, 4);
    bursts.start(0, 0, hop, 1, 1000, UINT64_MAX);
    bursts.start(0, 1, hop, 1, 300, UINT64_MAX);
    const std::vector<Cycle> ends = finish(bursts, 2);
    // One is on the link when the second comes, the next is in front of it; then they take turns: 0
    // 0 1 0 1 0 1.
    EXPECT_EQ(ends[1], 7 * 10);
    EXPECT_EQ(ends[0], 130);

    BurstNetwork slow = network({10}, 100, 4);
    slow.start(0, 0, hop, 1, 1000, uint64_t{2} << kFraction);
    EXPECT_EQ(finish(slow, 1)[0], 9 * 50 + 10);
}

// A transfer that is cancelled leaves its turn to others; its number can be used again.
static void test_cancel()
{
    const BurstNetwork::Hop hop[] = {{0, 1}};
    BurstNetwork bursts = network({10}, 100, 4);
    bursts.start(0, 0, hop, 1, 100000, UINT64_MAX);
    bursts.start(0, 1, hop, 1, 1000, UINT64_MAX);
    (void)bursts.run(15);
    bursts.cancel(0);
    bursts.start(15, 0, hop, 1, 50, UINT64_MAX);
    const std::vector<Cycle> ends = finish(bursts, 2);
    CU_ASSERT(ends[0] > 15 && ends[0] <= 40);
    CU_ASSERT(ends[1] >= 105 && ends[1] <= 125);
}

// T-BST-5: random patterns of contention on the shipped links.
static void test_agrees_with_fair_shares()
{
    constexpr uint32_t kDevices = 3;
    Params p = shipped_profile().params();
    std::mt19937 random(11);
    for (int round = 0; round < 150; ++round) {
        LinkNetwork flow(p, kDevices);
        LinkNetwork burst(p, kDevices, true);
        const uint32_t count = 1 + random() % 20;
        std::vector<Transfer> all;
        uint64_t slowest = UINT64_MAX;
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t d = random() % kDevices;
            const uint32_t e = (d + 1 + random() % (kDevices - 1)) % kDevices;
            const uint32_t routes[] = {flow.host_to_device(d), flow.device_to_host(d),
                                       flow.within_device(d),  flow.fill_device(d),
                                       flow.reduce_within(d),  flow.peer(d, e, false),
                                       flow.peer(d, e, true)};
            const uint32_t route = routes[random() % std::size(routes)];
            const uint64_t bytes = 1 + random() % 3000000;
            all.push_back({random() % 60000, route, bytes});
            // bytes per 2^20 cycles of a lone transfer
            slowest = std::min<uint64_t>(slowest, (uint64_t{1} << 40) / flow.alone(route, 1 << 20));
        }
        std::sort(all.begin(), all.end(),
                  [](const Transfer &a, const Transfer &b) { return a.begin < b.begin; });
        const std::vector<Cycle> exact = play(flow, all);
        const std::vector<Cycle> ends = play(burst, all);
        const uint64_t one = (p.burst_bytes.value << 20) / slowest + 1;
        const Cycle a = *std::max_element(exact.begin(), exact.end()) - all[0].begin;
        const Cycle b = *std::max_element(ends.begin(), ends.end()) - all[0].begin;
        const uint64_t bound = a / 50 + 4 * one * count;
        const bool close = b <= a + bound && a <= b + bound;
        if (!close)
            std::printf("round %d: %llu cycles, fair shares %llu, bound %llu\n", round,
                        static_cast<unsigned long long>(b), static_cast<unsigned long long>(a),
                        static_cast<unsigned long long>(bound));
        CU_ASSERT(close);
    }
}

// Random transfers begin, end and are cancelled from a time on: returns when each is complete,
// relative to that time.
static std::vector<Cycle> history(Cycle from)
{
    constexpr uint32_t kTransfers = 12;
    std::mt19937 random(7);
    BurstNetwork bursts = network({10, 3, 25}, 100, 3);
    std::vector<bool> open(kTransfers, false);
    std::vector<Cycle> out;
    Cycle now = from;
    for (int step = 0; step < 30000; ++step) {
        const uint32_t transfer = random() % kTransfers, what = random() % 10;
        if (what < 4 && !open[transfer]) {
            const uint32_t first = random() % 3;
            const BurstNetwork::Hop hops[] = {{first, 1}, {(first + 1) % 3, 2}};
            const uint64_t ceiling =
                random() % 2 == 0 ? UINT64_MAX : uint64_t{1 + random() % 5} << (kFraction - 1);
            bursts.start(now, transfer, hops, 1 + random() % 2, 1 + random() % 2000, ceiling);
            open[transfer] = true;
        } else if (what == 4 && open[transfer]) {
            bursts.cancel(transfer);
            open[transfer] = false;
        } else if (bursts.next() != tsim::kNever) {
            now = std::max(now, bursts.next() + (random() % 8 == 0 ? random() % 100 : 0));
            for (const uint32_t number : bursts.run(now)) {
                open[number] = false;
                out.insert(out.end(), {number, now - from});
            }
        }
    }
    return out;
}

// T-TIM-1: whenever it is, the same takes as long. 44 binary digits of a time are all that channels
// and links see.
static void test_late()
{
    const std::vector<Cycle> early = history(0);
    CU_ASSERT(early.size() > 500);
    for (const Cycle from : {(Cycle{1} << 43) - 700, (Cycle{1} << 44) - 700, Cycle{1} << 44,
                             (Cycle{5} << 44) + 12345, (Cycle{1} << 63) - 1, ~(Cycle{1} << 40)})
        CU_ASSERT(history(from) == early);

    Params p = shipped_profile().params();
    p.pcie_ceiling.value = 9000;
    std::vector<Cycle> ends[2];
    for (const bool late : {false, true}) {
        const Cycle from = late ? (Cycle{3} << 44) - 20000 : 0;
        LinkNetwork links(p, 2, true);
        std::vector<Transfer> all;
        for (uint32_t i = 0; i < 8; ++i)
            all.push_back({from + i * 3000,
                           i % 2 == 0 ? links.host_to_device(i % 3 / 2) : links.within_device(0),
                           1000000 + i});
        ends[late] = play(links, all);
        for (Cycle &end : ends[late])
            end -= from;
    }
    CU_ASSERT(ends[0] == ends[1]);
}

// T-BST-1, T-BST-4: something is under way all the time while those digits come round.
static void test_long()
{
    constexpr uint64_t kMiB = 1 << 20, kBursts = 1 << 13;
    const BurstNetwork::Hop hop[] = {{0, 1}};
    const std::vector<uint64_t> rate = {uint64_t{1} << (kFraction - 12)};
    for (const Cycle from : {Cycle{0}, (Cycle{1} << 44) - 5}) {
        BurstNetwork plain(rate, kFraction, kMiB, 4);
        plain.start(from, 0, hop, 1, kBursts * kMiB, UINT64_MAX);
        EXPECT_EQ(finish(plain, 1)[0], from + (Cycle{1} << 45));
        // At half the rate, but for the last one.
        BurstNetwork slow(rate, kFraction, kMiB, 4);
        slow.start(from, 0, hop, 1, kBursts * kMiB, rate[0] / 2);
        EXPECT_EQ(finish(slow, 1)[0], from + (Cycle{1} << 46) - (Cycle{1} << 32));
    }
    // Beyond the end of time nothing happens.
    BurstNetwork last(rate, kFraction, kMiB, 4);
    last.start(UINT64_MAX - 1000, 0, hop, 1, kMiB, UINT64_MAX);
    EXPECT_EQ(last.next(), tsim::kNever);
}

// T-BST-1, T-LNK-8: as a system: the same work, the same bytes, nearly the same times.
static void test_system()
{
    constexpr uint64_t kMiB = 1 << 20;
    uint64_t ends[2] = {};
    for (const bool bursts : {false, true}) {
        Rig::Options options;
        options.bursts = bursts;
        Rig rig(options, [](tsim::Params &p) { p.pcie_ceiling.value = 20000; });
        for (uint32_t sq = 0; sq < 4; ++sq) {
            rig.open(sq);
            rig.put(sq, sqe_pcie_dma(Rig::kHbm + sq * kMiB, Rig::kHost, kMiB), 0);
            rig.put(sq, sqe_sdma(Rig::kHbm + (16 + sq) * kMiB, Rig::kHbm + sq * kMiB, kMiB), 0);
        }
        std::fill(rig.host(), rig.host(kMiB), 3);
        rig.run();
        for (uint64_t i = 0; i < 4; ++i)
            EXPECT_EQ(*rig.hbm((16 + i) * kMiB + 5), 3);
        ends[bursts] = rig.now();
    }
    CU_ASSERT(ends[1] > ends[0] * 98 / 100 && ends[1] < ends[0] * 102 / 100);
    CU_ASSERT(ends[0] != ends[1]);
}

static const twin_test tests[] = {
    {"a lone transfer takes its bytes and the way of the last burst", test_alone},
    {"so many bursts are under way", test_outstanding},
    {"transfers take turns, ceilings hold", test_turns_and_ceilings},
    {"a cancelled transfer leaves its turn", test_cancel},
    {"random patterns end when fair shares say, within the bound", test_agrees_with_fair_shares},
    {"late in time the same takes as long as at its begin", test_late},
    {"a very long transfer ends in time", test_long},
    {"a system moves the same bytes", test_system},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim burst", tests, TWIN_COUNT(tests), argc, argv);
}
