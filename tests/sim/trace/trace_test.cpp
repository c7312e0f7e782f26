// SPDX-License-Identifier: Apache-2.0
/// What the trace has besides phases of SQEs: holders of slots and channels, loads of links, causes
/// of stalled queues.
#include <algorithm>
#include <map>

#include "rig.h"

namespace
{

constexpr uint64_t kFar = 128 << 20;

// No two of the entries, which share an owner, are there at once.
bool apart(std::vector<twinsim_trace_entry> entries)
{
    std::sort(entries.begin(), entries.end(),
              [](const auto &a, const auto &b) { return a.begin_ns < b.begin_ns; });
    for (size_t i = 1; i < entries.size(); ++i)
        if (entries[i].begin_ns < entries[i - 1].end_ns)
            return false;
    return true;
}

std::map<uint32_t, std::vector<twinsim_trace_entry>> by_id(Rig &rig, twinsim_phase phase)
{
    std::map<uint32_t, std::vector<twinsim_trace_entry>> out;
    for (const auto &entry : rig.phases(phase))
        out[entry.id].push_back(entry);
    return out;
}

} // namespace

// T-SCH-3, T-SCH-5, T-SCH-7, T-SCH-10, T-SCH-19: until it is swapped out.
static void test_slots()
{
    Rig rig([](tsim::Params &p) { p.slots.value = 2; });
    for (uint32_t sq = 0; sq < 5; ++sq) {
        rig.open(sq);
        rig.put(sq, sqe_sdma(Rig::kHbm, Rig::kHbm + kFar, 4096), 1000);
        rig.put(sq, sqe_event_wait(sq, 0), 1000);
        rig.put(sq, sqe_placeholder(), 1000);
    }
    rig.run();
    rig.open(9);
    for (uint32_t sq = 0; sq < 5; ++sq)
        rig.put(9, sqe_event_record(sq), rig.now() + 1000);
    rig.run();

    const uint64_t out = rig.params().drain.value + rig.params().slot_disable.value;
    CU_ASSERT(out > 0);
    const auto slots = by_id(rig, TWINSIM_PHASE_OCCUPY);
    EXPECT_EQ(slots.size(), 2);
    for (const auto &slot : slots)
        CU_ASSERT(slot.first < 2 && apart(slot.second));
    for (uint32_t sq = 0; sq < 5; ++sq) {
        const auto stays = rig.phases(TWINSIM_PHASE_OCCUPY, sq);
        EXPECT_EQ(stays.size(), 2); // until it parks, and after it was released
        std::vector<uint64_t> grants;
        for (const auto &entry : rig.phases(TWINSIM_PHASE_SWAP_IN, sq))
            if (entry.parameter == rig.params().arbitration.index)
                grants.push_back(entry.begin_ns);
        EXPECT_EQ(grants.size(), 2);
        EXPECT_EQ(stays[0].begin_ns, grants[0]);
        EXPECT_EQ(stays[0].end_ns, rig.phases(TWINSIM_PHASE_PARK, sq)[0].begin_ns + out);
        EXPECT_EQ(stays[0].number, 2);
        EXPECT_EQ(stays[1].begin_ns, grants[1]);
        EXPECT_EQ(stays[1].end_ns, rig.phases(TWINSIM_PHASE_TASK, sq)[2].end_ns + out);
        EXPECT_EQ(stays[1].number, 3);
    }
}

// T-SCH-8, T-SCH-9.
static void test_shares()
{
    Rig rig([](tsim::Params &p) { p.sdma_cap.value = 1; });
    for (uint32_t sq = 0; sq < 3; ++sq) {
        rig.open(sq);
        rig.put(sq, sqe_sdma(Rig::kHbm, Rig::kHbm + kFar, 1 << 20), 1000);
    }
    rig.run();
    const auto shares = by_id(rig, TWINSIM_PHASE_SHARE);
    EXPECT_EQ(shares.size(), 1);
    const auto &list = shares.at(TWINSIM_CLASS_SDMA);
    EXPECT_EQ(list.size(), 3);
    CU_ASSERT(apart(list));
    for (const auto &share : list) {
        EXPECT_EQ(share.parameter, rig.params().sdma_cap.index);
        EXPECT_EQ(share.end_ns, rig.phases(TWINSIM_PHASE_TASK, share.sq)[0].end_ns);
    }
    // A queue that waited has the share from the instant at which its wait ended.
    for (const auto &wait : rig.phases(TWINSIM_PHASE_SLOT))
        if (wait.parameter == rig.params().sdma_cap.index)
            EXPECT_EQ(rig.phases(TWINSIM_PHASE_SHARE, wait.sq)[0].begin_ns, wait.end_ns);
}

// T-LNK-2, T-LNK-3, T-LNK-4: bytes on a link are its rates times their lengths.
static void test_links()
{
    Rig rig;
    constexpr uint64_t kBytes = 3 << 20;
    for (uint32_t sq = 0; sq < 3; ++sq)
        rig.open(sq);
    rig.put(0, sqe_pcie_dma(Rig::kHbm, Rig::kHost, kBytes), 1000);
    rig.put(1, sqe_pcie_dma(Rig::kHost + kFar, Rig::kHbm + kFar, 2 * kBytes), 9000);
    rig.put(2, sqe_sdma(Rig::kHbm, Rig::kHbm + kFar, kBytes), 20000);
    rig.run();

    const tsim::LinkNetwork &links = rig.system().links();
    std::map<uint32_t, double> moved;
    std::map<uint32_t, uint64_t> cycle; // bytes that one cycle moves at most
    for (const auto &entry : rig.phases(TWINSIM_PHASE_LINK)) {
        twinsim_link link{};
        links.describe_link(entry.id, link);
        CU_ASSERT(entry.bytes > 0 && entry.bytes <= link.bytes_per_s);
        EXPECT_EQ(entry.sq, UINT16_MAX);
        moved[entry.id] += double(entry.bytes) * double(entry.end_ns - entry.begin_ns) / 1e9;
        cycle[entry.id] = link.bytes_per_s / 1000000000u + 1;
    }
    for (const auto &link : by_id(rig, TWINSIM_PHASE_LINK))
        CU_ASSERT(apart(link.second));
    std::map<uint32_t, uint64_t> expected;
    uint64_t transfers = 0;
    for (const auto &entry : rig.phases(TWINSIM_PHASE_TRANSFER)) {
        twinsim_route route{};
        links.describe_route(entry.route, route);
        for (uint32_t i = 0; i < route.count; ++i)
            expected[route.link[i]] += route.weight[i] * entry.bytes;
        ++transfers;
    }
    EXPECT_EQ(transfers, 3);
    EXPECT_EQ(moved.size(), 3);
    EXPECT_EQ(expected[2],
              5 * kBytes); // HBM: once for each PCIe copy's byte, twice for the one inside
    for (const auto &link : expected) {
        // A transfer ends on the edge after its last byte: up to one cycle more each; rates are
        // rounded down to bytes.
        CU_ASSERT(moved[link.first] >= double(link.second) - 2.0);
        CU_ASSERT(moved[link.first] <= double(link.second) + 3.0 * double(cycle[link.first]) + 2.0);
    }
}

// T-LNK-7: a transfer alone takes the time of its route.
static void test_alone()
{
    Rig rig;
    rig.open(0);
    rig.put(0, sqe_pcie_dma(Rig::kHbm, Rig::kHost, 1000003), 1000);
    rig.put(0, sqe_sdma(Rig::kHbm, Rig::kHbm + kFar, 77), 1000);
    rig.run();
    const auto moves = rig.phases(TWINSIM_PHASE_TRANSFER);
    EXPECT_EQ(moves.size(), 2);
    for (const auto &move : moves)
        EXPECT_EQ(rig.params().to_ns(rig.system().links().alone(move.route, move.bytes)),
                  move.end_ns - move.begin_ns);
}

// T-CQ-3, T-CQ-4, T-SQE-4, T-SCH-13.
static void test_holds()
{
    Rig rig;
    rig.open(0, 0, 64, 8);
    for (int i = 0; i < 9; ++i)
        rig.put(0, sqe_with_cqe(sqe_placeholder()), 1000);
    rig.run();
    EXPECT_EQ(rig.retired(0), 7);
    rig.open(1);
    rig.put(1, sqe_placeholder(), 50000); // time goes on
    rig.run();
    const uint64_t later = rig.now();
    CU_ASSERT(later >= 50000);
    CU_ASSERT(rig.device().scheduler().set_cq_head(0, 7));
    rig.run();
    const auto holds = rig.phases(TWINSIM_PHASE_HOLD, 0);
    EXPECT_EQ(holds.size(), 1);
    EXPECT_EQ(holds[0].id, TWINSIM_HOLD_CQ);
    EXPECT_EQ(holds[0].number, 8);
    EXPECT_EQ(holds[0].end_ns, later);
    uint64_t retiring = 0, end = 0;
    for (const auto &part : rig.phases(TWINSIM_PHASE_RETIRE, 0)) {
        if (part.number != 8)
            continue;
        retiring += part.end_ns - part.begin_ns;
        end = part.end_ns;
    }
    const tsim::Params &p = rig.params();
    EXPECT_EQ(retiring, p.to_ns(p.retire.value + p.cq_write.value));
    EXPECT_EQ(end, holds[0].begin_ns);
    EXPECT_EQ(rig.phases(TWINSIM_PHASE_TASK, 0)[7].end_ns, later);
}

// T-DMA-10: transfers that wait for a channel of the driver.
static void test_host_channels()
{
    Rig rig([](tsim::Params &p) { p.host_channels.value = 1; });
    twinsim_transfer first{}, second{};
    first.dst = Rig::kHbm;
    first.src = Rig::kHost;
    first.bytes = 1 << 20;
    first.start_ns = 1000;
    second = first;
    second.start_ns = 3000;
    rig.device().host_dma().post(&first);
    rig.device().host_dma().post(&second);
    while (!second.done)
        rig.run();
    const auto waits = rig.phases(TWINSIM_PHASE_ENGINE);
    EXPECT_EQ(waits.size(), 1);
    EXPECT_EQ(waits[0].number, second.number);
    EXPECT_EQ(waits[0].begin_ns, 3000);
    EXPECT_EQ(waits[0].end_ns, first.done_ns);
    EXPECT_EQ(waits[0].parameter, rig.params().host_channels.index);
    CU_ASSERT(first.number != second.number);
}

// A reset of the device ends in the trace what its queues held.
static void test_reset()
{
    Rig rig;
    rig.open(3);
    rig.put(3, sqe_sdma(Rig::kHbm, Rig::kHbm + kFar, 64 << 20), 1000);
    rig.run_until(20000);
    rig.device().reset();
    const auto stays = rig.phases(TWINSIM_PHASE_OCCUPY, 3);
    EXPECT_EQ(stays.size(), 1);
    EXPECT_EQ(stays[0].end_ns, 20000);
    EXPECT_EQ(rig.phases(TWINSIM_PHASE_SHARE, 3).size(), 1);
    const auto rates = rig.phases(TWINSIM_PHASE_LINK);
    EXPECT_EQ(rates.size(), 1);
    EXPECT_EQ(rates[0].end_ns, 20000);
}

static const twin_test tests[] = {
    {"a slot has one owner at a time, from grant until it is left", test_slots},
    {"a share of a class lasts from the end of the wait to retirement", test_shares},
    {"the rates of a link add up to the bytes that went over it", test_links},
    {"a transfer alone takes the time of its route", test_alone},
    {"a full CQ is a hold, not time of retirement", test_holds},
    {"a transfer of the driver's that waits for a channel says so", test_host_channels},
    {"a reset of the device ends the holdings of queues in the trace", test_reset},
};

int main(int argc, char **argv)
{
    return twin_run_suite("trace", tests, TWIN_COUNT(tests), argc, argv);
}
