// SPDX-License-Identifier: Apache-2.0
/// Arbitration, active slots and class limits.
#include <algorithm>
#include <set>

#include "rig.h"

namespace
{

// The order in which queues got through swap-in.
std::vector<uint32_t> grant_order(Rig &rig)
{
    std::vector<uint32_t> order;
    for (const auto &entry : rig.phases(TWINSIM_PHASE_SWAP_IN)) {
        if (entry.parameter == rig.params().arbitration.index)
            order.push_back(entry.sq);
    }
    return order;
}

// The most entries that overlap at any instant.
uint64_t most_at_once(const std::vector<twinsim_trace_entry> &entries)
{
    std::vector<std::pair<uint64_t, int>> edges;
    for (const auto &entry : entries) {
        edges.emplace_back(entry.begin_ns, 1);
        edges.emplace_back(entry.end_ns, -1);
    }
    std::sort(edges.begin(), edges.end()); // ends come before begins of the same instant
    int64_t open = 0, most = 0;
    for (const auto &edge : edges) {
        open += edge.second;
        most = std::max(most, open);
    }
    return static_cast<uint64_t>(most);
}

} // namespace

// T-SCH-4.
static void test_round_robin_among_equals()
{
    Rig rig;
    for (const uint32_t sq : {9u, 2u, 30u, 4u}) {
        rig.open(sq);
        rig.put(sq, sqe_placeholder(), 1000);
    }
    rig.run();
    CU_ASSERT(grant_order(rig) == (std::vector<uint32_t>{2, 4, 9, 30}));
    // The next round starts after the last winner of a round that was cut short.
    for (const uint32_t sq : {4u})
        rig.put(sq, sqe_placeholder(), 100000);
    rig.run();
    for (const uint32_t sq : {2u, 4u, 9u, 30u})
        rig.put(sq, sqe_placeholder(), 200000);
    rig.run();
    const auto order = grant_order(rig);
    CU_ASSERT(std::vector<uint32_t>(order.begin() + 5, order.end()) ==
              (std::vector<uint32_t>{9, 30, 2, 4}));
}

// T-SCH-4.
static void test_strict_priority()
{
    Rig rig;
    rig.open(1, 7);
    rig.open(2, 3);
    rig.open(3, 0);
    rig.open(4, 3);
    for (uint32_t sq = 1; sq <= 4; ++sq)
        rig.put(sq, sqe_placeholder(), 1000);
    rig.run();
    CU_ASSERT(grant_order(rig) == (std::vector<uint32_t>{3, 2, 4, 1}));
}

// T-FE-10: the last in the line of those that want the one slot comes first when its priority
// rises.
static void test_priority_change_while_waiting_for_a_slot()
{
    Rig rig([](tsim::Params &p) { p.slots.value = 1; });
    for (uint32_t sq = 0; sq < 4; ++sq) {
        rig.open(sq, 3);
        rig.put(sq, sqe_placeholder(), 0);
    }
    rig.run_until(1);
    EXPECT_EQ(rig.device().write(uint64_t{3} * STARS_SQ_PAGE + STARS_SQ_PRIORITY, 1u << 10),
              TWINSIM_OK);
    EXPECT_EQ(rig.device().write(uint64_t{1} * STARS_SQ_PAGE + STARS_SQ_PRIORITY, 7u << 10),
              TWINSIM_OK);
    rig.run();
    CU_ASSERT(grant_order(rig) == (std::vector<uint32_t>{0, 3, 2, 1}));
}

// T-FE-10, T-SCH-9: the same for a share of a class.
static void test_priority_change_while_waiting_for_a_class()
{
    Rig rig([](tsim::Params &p) { p.pcie_dma_cap.value = 1; });
    for (uint32_t sq = 0; sq < 4; ++sq) {
        rig.open(sq, 3);
        rig.put(sq, sqe_pcie_dma(Rig::kHbm + sq * 8192, Rig::kHost, 1 << 20), 0);
    }
    rig.run_until(10000);
    EXPECT_EQ(rig.device().write(uint64_t{3} * STARS_SQ_PAGE + STARS_SQ_PRIORITY, 1u << 10),
              TWINSIM_OK);
    rig.run();
    CU_ASSERT(rig.retired_at(0, 1) < rig.retired_at(3, 1));
    CU_ASSERT(rig.retired_at(3, 1) < rig.retired_at(1, 1));
    CU_ASSERT(rig.retired_at(1, 1) < rig.retired_at(2, 1));
}

// T-SCH-3: one grant per arbitration time, record reads overlap.
static void test_grants_are_spaced()
{
    Rig rig;
    for (uint32_t sq = 0; sq < 4; ++sq) {
        rig.open(sq);
        rig.put(sq, sqe_placeholder(), 0);
    }
    rig.run();
    const tsim::Params &p = rig.params();
    for (uint32_t sq = 1; sq < 4; ++sq)
        EXPECT_EQ(rig.retired_at(sq, 1) - rig.retired_at(sq - 1, 1), p.arbitration.value);
}

// T-EVT-6, T-NTF-5, T-CTN-6: table accesses that begin one grant apart end one grant apart, though
// each takes longer than that.
static void test_table_accesses_overlap()
{
    for (const stars_sqe &sqe :
         {sqe_event_record(1), sqe_notify_record(1), sqe_count_record(1, STARS_COUNT_ADD, 1)}) {
        Rig rig([](tsim::Params &p) { p.count_notifies.value = 8; });
        for (uint32_t sq = 0; sq < 4; ++sq) {
            rig.open(sq);
            rig.put(sq, sqe, 0);
        }
        rig.run();
        const tsim::Params &p = rig.params();
        CU_ASSERT(p.arbitration.value < p.event_table.value);
        for (uint32_t sq = 1; sq < 4; ++sq)
            EXPECT_EQ(rig.retired_at(sq, 1) - rig.retired_at(sq - 1, 1), p.arbitration.value);
    }
}

// T-SCH-2, T-SCH-6, T-SCH-19: the one slot goes to the next queue in the cycle in which the last
// one is swapped out.
static void test_a_slot_is_handed_on_at_once()
{
    Rig rig([](tsim::Params &p) { p.slots.value = 1; });
    for (uint32_t sq = 0; sq < 3; ++sq) {
        rig.open(sq);
        rig.put(sq, sqe_placeholder(), 0);
    }
    rig.run();
    const uint64_t swap_out = rig.params().drain.value + rig.params().slot_disable.value;
    CU_ASSERT(swap_out > 0);
    for (uint32_t sq = 1; sq < 3; ++sq) {
        const uint64_t free = rig.retired_at(sq - 1, 1) + swap_out;
        EXPECT_EQ(rig.phases(TWINSIM_PHASE_SLOT, sq).at(0).end_ns, free);
        EXPECT_EQ(rig.phases(TWINSIM_PHASE_SWAP_IN, sq).at(0).begin_ns, free);
    }
}

// T-SCH-3: never more queues in slots than there are slots; all get their turn.
static void test_slots_are_never_exceeded()
{
    constexpr uint32_t kSlots = 3, kQueues = 20;
    Rig rig([](tsim::Params &p) { p.slots.value = kSlots; });
    for (uint32_t sq = 0; sq < kQueues; ++sq) {
        rig.open(sq);
        for (uint32_t i = 0; i < 5; ++i)
            rig.write(sq, sqe_event_record(sq));
        rig.ring(sq, 0);
    }
    rig.run();
    auto in_slot = rig.phases(TWINSIM_PHASE_TASK);
    EXPECT_EQ(in_slot.size(), 5 * kQueues);
    for (const auto &entry : rig.phases(TWINSIM_PHASE_SWAP_IN))
        in_slot.push_back(entry);
    EXPECT_EQ(most_at_once(in_slot), kSlots);
    std::set<uint32_t> waited;
    for (const auto &entry : rig.phases(TWINSIM_PHASE_SLOT)) {
        if (entry.parameter == rig.params().slots.index)
            waited.insert(entry.sq);
    }
    EXPECT_EQ(waited.size(), kQueues - kSlots);
}

// T-SCH-8: a class's share spans set-up, bytes and retirement; no more at once than the profile
// says.
static void test_class_caps_are_never_exceeded()
{
    constexpr uint32_t kCap = 5, kQueues = 40;
    Rig rig([](tsim::Params &p) { p.sdma_cap.value = kCap; });
    for (uint32_t sq = 0; sq < kQueues; ++sq) {
        rig.open(sq);
        for (uint32_t i = 0; i < 3; ++i)
            rig.write(sq, sqe_sdma(Rig::kHbm + sq * 65536, Rig::kHbm + (64 << 20), 60000));
        rig.ring(sq, 0);
    }
    rig.run();
    for (uint32_t sq = 0; sq < kQueues; ++sq)
        EXPECT_EQ(rig.retired(sq), 3);
    std::vector<twinsim_trace_entry> shares;
    for (const twinsim_phase phase :
         {TWINSIM_PHASE_SETUP, TWINSIM_PHASE_TRANSFER, TWINSIM_PHASE_RETIRE}) {
        for (const auto &entry : rig.phases(phase))
            shares.push_back(entry);
    }
    EXPECT_EQ(most_at_once(shares), kCap);
}

// T-SCH-8: a queue that waits for a class holds no slot, and other work goes on.
static void test_a_full_class_stops_no_other_work()
{
    Rig rig([](tsim::Params &p) {
        p.slots.value = 2;
        p.sdma_cap.value = 1;
    });
    for (uint32_t sq = 0; sq < 10; ++sq) {
        rig.open(sq);
        rig.put(sq, sqe_sdma(Rig::kHbm, Rig::kHbm + (64 << 20), 32 << 20), 0);
    }
    rig.open(10);
    rig.put(10, sqe_event_record(1), 0);
    rig.run();
    CU_ASSERT(rig.retired_at(10, 1) < rig.retired_at(0, 1));
    EXPECT_EQ(most_at_once(rig.phases(TWINSIM_PHASE_TRANSFER)), 1);
}

// T-SCH-9: shares are granted by priority, then round-robin.
static void test_shares_go_by_priority()
{
    Rig rig([](tsim::Params &p) { p.pcie_dma_cap.value = 1; });
    rig.open(1, 4);
    rig.open(2, 4);
    rig.open(3, 0);
    rig.put(1, sqe_pcie_dma(Rig::kHbm, Rig::kHost, 1 << 20), 0);
    rig.put(2, sqe_pcie_dma(Rig::kHbm, Rig::kHost, 4096), 2000);
    rig.put(3, sqe_pcie_dma(Rig::kHbm, Rig::kHost, 4096), 5000);
    rig.run();
    CU_ASSERT(rig.retired_at(1, 1) < rig.retired_at(3, 1));
    CU_ASSERT(rig.retired_at(3, 1) < rig.retired_at(2, 1));
}

// T-SCH-9: a queue full of copies does not keep its share for itself.
static void test_shares_go_round()
{
    Rig rig([](tsim::Params &p) { p.sdma_cap.value = 1; });
    for (uint32_t sq = 0; sq < 2; ++sq) {
        rig.open(sq);
        for (uint32_t i = 0; i < 10; ++i)
            rig.write(sq, sqe_sdma(Rig::kHbm, Rig::kHbm + 65536, 65536));
        rig.ring(sq, sq * 10);
    }
    rig.run();
    const auto transfers = rig.phases(TWINSIM_PHASE_TRANSFER);
    EXPECT_EQ(transfers.size(), 20);
    for (size_t i = 0; i < transfers.size(); ++i)
        EXPECT_EQ(transfers[i].sq, i % 2);
}

// T-TIM-6: a seed changes the order of equals, the same seed always alike; order within a queue
// holds.
static void test_seed_permutes_equals()
{
    std::vector<std::vector<uint32_t>> orders;
    for (const uint64_t seed : {0u, 1u, 1u, 2u}) {
        Rig::Options options;
        options.seed = seed;
        Rig rig(options, nullptr);
        for (uint32_t sq = 0; sq < 50; ++sq) {
            rig.open(sq);
            rig.put(sq, sqe_placeholder(), 0);
        }
        rig.run();
        orders.push_back(grant_order(rig));
        EXPECT_EQ(orders.back().size(), 50);
    }
    CU_ASSERT(orders[0] != orders[1]);
    CU_ASSERT(orders[1] == orders[2]);
    CU_ASSERT(orders[2] != orders[3]);
}

static const twin_test tests[] = {
    {"equals are swapped in round-robin by number", test_round_robin_among_equals},
    {"a higher priority is swapped in first", test_strict_priority},
    {"a new priority counts for a queue that waits for a slot",
     test_priority_change_while_waiting_for_a_slot},
    {"a new priority counts for a queue that waits for its class",
     test_priority_change_while_waiting_for_a_class},
    {"one grant per arbitration time", test_grants_are_spaced},
    {"table accesses do not hold each other up", test_table_accesses_overlap},
    {"a slot is handed on in the same cycle", test_a_slot_is_handed_on_at_once},
    {"no more queues in slots than slots", test_slots_are_never_exceeded},
    {"no more SQEs of a class than its cap", test_class_caps_are_never_exceeded},
    {"a full class stops no other work", test_a_full_class_stops_no_other_work},
    {"a class share goes to the highest priority", test_shares_go_by_priority},
    {"a class share goes round", test_shares_go_round},
    {"a seed permutes equals, always alike", test_seed_permutes_equals},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim slots", tests, TWIN_COUNT(tests), argc, argv);
}
