// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/link/link.h"
#include "rig.h"

using tsim::Cycle;
using tsim::kNever;
using tsim::LinkNetwork;
using tsim::Params;

namespace
{

constexpr uint64_t kMiB = 1 << 20;

uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

// Round numbers: PCIe 1000 bytes a cycle down, 500 up, HBM 4000.
Params round_params()
{
    Params p = shipped_profile().params();
    p.pcie_to_device.value = 1000 * 1000;
    p.pcie_to_host.value = 500 * 1000;
    p.hbm_peak.value = 4000 * 1000;
    p.hbm_effective.value = 1000;
    p.hccs_pair.value = 100 * 1000;
    return p;
}

} // namespace

// T-LNK-5, T-LNK-7, with the profile's own 24.9 GB/s.
static void test_lone_transfer()
{
    const Params &p = shipped_profile().params();
    for (const uint64_t bytes : {uint64_t{1}, uint64_t{24}, uint64_t{25}, uint64_t{249},
                                 uint64_t{2490}, 64 * kMiB, 64 * kMiB + 1, 65536 * kMiB}) {
        LinkNetwork links(p, 1);
        links.start(100, links.host_to_device(0), bytes, 1);
        const Cycle expected = 100 + ceil_div(bytes * 1000, p.pcie_to_device.value);
        EXPECT_EQ(links.next(), expected);
        EXPECT_EQ(links.complete(expected).size(), 1);
        EXPECT_EQ(links.next(), kNever);
        EXPECT_EQ(links.active(), 0);
    }
}

// T-LNK-3: a copy within the device loads its memory twice.
static void test_within_a_device()
{
    const Params &p = shipped_profile().params();
    LinkNetwork links(p, 1);
    links.start(0, links.within_device(0), 64 * kMiB, 1);
    EXPECT_EQ(links.next(), ceil_div(64 * kMiB * 2 * 1000, p.hbm_mb_s()));
}

// T-LNK-1, T-LNK-4: two on one link take twice as long; both directions do not disturb each other.
static void test_fair_share()
{
    const Params p = round_params();
    LinkNetwork links(p, 1);
    links.start(0, links.host_to_device(0), 100000, 1);
    links.start(0, links.host_to_device(0), 100000, 2);
    links.start(0, links.device_to_host(0), 50000, 3);
    EXPECT_EQ(links.next(), 100);
    EXPECT_EQ(links.complete(100).at(0), 3);
    EXPECT_EQ(links.next(), 200);
    const auto &both = links.complete(200);
    EXPECT_EQ(both.size(), 2);
    EXPECT_EQ(both.at(0), 1);
    EXPECT_EQ(both.at(1), 2);
}

// T-LNK-4, T-LNK-6: a second transfer takes half from its start on, and releases it at its end.
static void test_shares_change_on_the_way()
{
    const Params p = round_params();
    LinkNetwork links(p, 1);
    links.start(0, links.host_to_device(0), 100000, 1); // alone: until 100
    links.start(40, links.host_to_device(0), 20000, 2); // 500 each from 40 on
    EXPECT_EQ(links.next(), 80);                        // the second one: 40 + 20000 / 500
    EXPECT_EQ(links.complete(80).at(0), 2);
    // The first has 100000 - 40000 - 20000 = 40000 left, alone again.
    EXPECT_EQ(links.next(), 120);
    EXPECT_EQ(links.complete(120).at(0), 1);
}

// T-LNK-4: what a full link keeps from one route is shared by the others.
static void test_max_min()
{
    Params p = round_params();
    p.hbm_peak.value = 1200 * 1000; // HBM 1200 a cycle
    LinkNetwork links(p, 1);
    // Up is bound by PCIe to 500; down gets the other 700 of HBM, though PCIe would give it 1000.
    links.start(0, links.device_to_host(0), 500000, 1);
    links.start(0, links.host_to_device(0), 700000, 2);
    EXPECT_EQ(links.next(), 1000);
    EXPECT_EQ(links.complete(1000).size(), 2);
}

static void test_cancel_gives_the_share_back()
{
    const Params p = round_params();
    LinkNetwork links(p, 1);
    links.start(0, links.host_to_device(0), 100000, 1);
    const uint32_t second = links.start(0, links.host_to_device(0), 100000, 2);
    links.cancel(100, second); // each has 50000 left
    EXPECT_EQ(links.next(), 150);
    EXPECT_EQ(links.complete(150).at(0), 1);
    EXPECT_EQ(links.active(), 0);
}

static void test_between_devices()
{
    const Params p = round_params();
    LinkNetwork links(p, 3);
    links.start(0, links.peer(0, 1, false), 100000, 1); // HCCS 100 a cycle
    links.start(0, links.peer(1, 0, false), 100000, 2); // its own direction
    links.start(0, links.peer(0, 2, false), 50000, 3);  // its own pair
    EXPECT_EQ(links.next(), 500);
    EXPECT_EQ(links.complete(500).at(0), 3);
    EXPECT_EQ(links.next(), 1000);
    EXPECT_EQ(links.complete(1000).size(), 2);
    links.start(1000, links.peer(0, 1, true), 100000, 4); // PCIe up of 0: 500 a cycle
    EXPECT_EQ(links.next(), 1200);
}

// T-LNK-1, T-LNK-3: devices that meet at the host have no link between them; what passes between
// them disturbs other copies.
static void test_without_links_between_devices()
{
    Params p = round_params();
    p.peers_at_host = true;
    EXPECT_EQ(LinkNetwork(p, 3).link_count() + 3 * 3, LinkNetwork(round_params(), 3).link_count());
    LinkNetwork links(p, 3);
    CU_ASSERT(!links.peers_linked() && LinkNetwork(round_params(), 3).peers_linked());
    links.start(0, links.peer(0, 1, true), 100000, 1); // PCIe up of 0: 500 a cycle, shared
    links.start(0, links.device_to_host(0), 100000, 2);
    links.start(0, links.device_to_host(1), 100000, 3); // the other card's is free
    EXPECT_EQ(links.next(), 200);
    EXPECT_EQ(links.complete(200).at(0), 3);
    EXPECT_EQ(links.next(), 400);
    EXPECT_EQ(links.complete(400).size(), 2);
}

// Nothing is lost: a random load ends, and no earlier than the busiest link allows.
static void test_random_load_conserves_bytes()
{
    const Params p = round_params();
    LinkNetwork links(p, 1);
    uint64_t seed = 7, down = 0;
    Cycle now = 0;
    uint32_t begun = 0, ended = 0;
    while (ended < 2000) {
        if (begun < 2000 && (links.next() == kNever || tsim::mix(seed) % 3 != 0)) {
            const uint64_t bytes = 1 + tsim::mix(seed) % 100000;
            now = std::min(links.next(), now + tsim::mix(seed) % 50);
            if (links.next() == now) {
                ended += static_cast<uint32_t>(links.complete(now).size());
                continue;
            }
            down += bytes;
            links.start(now, links.host_to_device(0), bytes, begun++);
        } else {
            now = links.next();
            ended += static_cast<uint32_t>(links.complete(now).size());
        }
    }
    EXPECT_EQ(links.active(), 0);
    CU_ASSERT(now >= down / 1000);
}

static const twin_test tests[] = {
    {"a lone transfer takes its bytes divided by the rate, rounded up", test_lone_transfer},
    {"a copy within a device runs at half of the memory's rate", test_within_a_device},
    {"two transfers share a link fairly, the other direction is free", test_fair_share},
    {"shares change when a transfer begins or ends", test_shares_change_on_the_way},
    {"rate that one transfer cannot use is shared by the others", test_max_min},
    {"a cancelled transfer gives its share back", test_cancel_gives_the_share_back},
    {"each pair of devices has its own link each way", test_between_devices},
    {"without links devices meet at the host's PCIe", test_without_links_between_devices},
    {"a random load ends, not before the link allows", test_random_load_conserves_bytes},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim link", tests, TWIN_COUNT(tests), argc, argv);
}
