// SPDX-License-Identifier: Apache-2.0
/// Clocks other than 1 GHz, limits of a run, and the state after a run.
#include <fstream>
#include <sstream>
#include <string>

#include "profile_path.h"
#include "rig.h"

namespace
{

// The shipped profile with another clock.
tsim::Profile profile_at(const std::string &mhz)
{
    std::ifstream in(shipped_profile_path());
    std::ostringstream text;
    text << in.rdbuf();
    std::string all = text.str();
    const std::string from = "\"clock_mhz\": {\"value\": 1000";
    const size_t at = all.find(from);
    CU_ASSERT_FATAL(at != std::string::npos);
    all.replace(at, from.size(), "\"clock_mhz\": {\"value\": " + mhz);
    return tsim::Profile::from_text(all, "p.json");
}

uint64_t round_up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

} // namespace

// T-TIM-1, T-TIM-2: with a cycle of 4 ns every step ends on an edge; times that are multiples of 4
// are the same.
static void test_slower_clock()
{
    const tsim::Profile slow = profile_at("250");
    Rig rig([&slow](tsim::Params &p) { p = slow.params(); });
    rig.open(0);
    rig.put(0, sqe_event_record(1), 1001);
    rig.put(0, sqe_pcie_dma(Rig::kHbm, Rig::kHost, 1 << 20), 1001);
    rig.run();
    uint64_t expected = round_up(1001, 4);
    for (const char *name :
         {"swap_in.arbitration_ns", "swap_in.record_read_ns", "swap_in.slot_enable_ns",
          "fetch.read_ns", "sqe.decode_ns", "table.event_ns", "sqe.retire_ns"})
        expected += round_up(slow.find(name)->number, 4);
    EXPECT_EQ(rig.params().to_ns(rig.retired_at(0, 1)), expected);
    const auto transfer = rig.phases(TWINSIM_PHASE_TRANSFER).at(0);
    const uint64_t ns = (uint64_t{1 << 20} * 1000 + 24899) / 24900;
    EXPECT_EQ(transfer.end_ns - transfer.begin_ns, round_up(ns, 4));
    EXPECT_EQ(rig.cqe(0, 0).flags, 0);
}

// T-TIM-2, T-TIM-8: a limit between two edges is kept; nothing at the next edge has happened yet.
static void test_limit_between_edges()
{
    const tsim::Profile slow = profile_at("250");
    Rig rig([&slow](tsim::Params &p) { p = slow.params(); });
    rig.open(0);
    rig.put(0, sqe_placeholder(), 1000);
    EXPECT_EQ(rig.run_until(999), TWINSIM_STOP_LIMIT);
    EXPECT_EQ(rig.now(), 999);
    EXPECT_EQ(rig.system().next_time(), 250);
    EXPECT_EQ(rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_IDLE);
    EXPECT_EQ(rig.retired(0), 1);
}

// T-TIM-8: without events time stays at the last one, whatever the limit.
static void test_idle_system()
{
    Rig rig;
    EXPECT_EQ(rig.run_until(1000), TWINSIM_STOP_IDLE);
    EXPECT_EQ(rig.now(), 0);
    rig.open(0);
    rig.put(0, sqe_placeholder(), 50);
    EXPECT_EQ(rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_IDLE);
    EXPECT_EQ(rig.now(), rig.retired_at(0, 1));
}

// T-FE-2: a doorbell rung while time stood at a limit is not earlier than it.
static void test_doorbell_before_the_limit()
{
    Rig rig;
    rig.open(0);
    rig.open(1);
    rig.put(0, sqe_event_wait(1, 1), 0); // keeps the calendar filled
    EXPECT_EQ(rig.run_until(500000), TWINSIM_STOP_LIMIT);
    rig.put(1, sqe_placeholder(), 100);
    rig.run_until(600000);
    EXPECT_EQ(rig.phases(TWINSIM_PHASE_DOORBELL, 1).at(0).begin_ns, 500000);
}

// T-TIM-7: both of two reasons of one instant are reported, one per run.
static void test_two_reasons_at_once()
{
    Rig rig;
    rig.open(0);
    rig.open(1);
    stars_sqe bad = sqe_placeholder();
    bad.word[0] = STARS_SQE_INVALID;
    rig.put(0, bad, 0);
    rig.put(1, sqe_placeholder(), 0);
    rig.device().scheduler().watch(1, 1);
    EXPECT_EQ(rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_WATCH);
    EXPECT_EQ(rig.now(), rig.retired_at(1, 1));
    EXPECT_EQ(rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_CQ);
    EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_EXCEPTION);
    EXPECT_EQ(rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_IDLE);
}

// T-TIM-9: time does not pass idly, neither up to the run's limit nor to that of a parked wait.
static void test_held_run()
{
    Rig rig;
    rig.open(0);
    rig.open(1);
    rig.put(0, sqe_event_wait(1, 1), 0);
    EXPECT_EQ(rig.system().run(TWINSIM_NEVER, UINT32_MAX, true), TWINSIM_STOP_HELD);
    EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_PARKED);
    const uint64_t parked_at = rig.now();
    const uint64_t limit = rig.params().to_ns(rig.system().next_time());
    CU_ASSERT(limit > parked_at && limit <= parked_at + 1000000000);

    // Other work goes on; a limit of the run before the next event moves nothing.
    rig.put(1, sqe_placeholder(), parked_at + 5000);
    EXPECT_EQ(rig.system().run(parked_at + 4999, UINT32_MAX, true), TWINSIM_STOP_HELD);
    EXPECT_EQ(rig.now(), parked_at);
    EXPECT_EQ(rig.system().run(TWINSIM_NEVER, UINT32_MAX, true), TWINSIM_STOP_HELD);
    EXPECT_EQ(rig.retired(1), 1);
    EXPECT_EQ(rig.now(), rig.retired_at(1, 1));

    // Work after the limit is not reached, and a record in time ends the wait.
    rig.put(1, sqe_placeholder(), limit + 1);
    EXPECT_EQ(rig.system().run(TWINSIM_NEVER, UINT32_MAX, true), TWINSIM_STOP_HELD);
    EXPECT_EQ(rig.retired(1), 1);
    rig.open(2);
    rig.put(2, sqe_event_record(1), 0);
    EXPECT_EQ(rig.system().run(TWINSIM_NEVER, UINT32_MAX, true), TWINSIM_STOP_IDLE);
    EXPECT_EQ(rig.retired(0), 1);
    CU_ASSERT(rig.retired_at(0, 1) < limit);
    EXPECT_EQ(rig.retired(1), 2);

    // Any other run lets the limit pass.
    rig.put(0, sqe_event_wait(7, 1), 0);
    EXPECT_EQ(rig.system().run(TWINSIM_NEVER, UINT32_MAX, true), TWINSIM_STOP_HELD);
    EXPECT_EQ(rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_CQ);
    EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_EXCEPTION);
}

static const twin_test tests[] = {
    {"a slower clock rounds every step up to its cycle", test_slower_clock},
    {"a limit between two edges is kept", test_limit_between_edges},
    {"an idle system stays at its last event", test_idle_system},
    {"a doorbell is never seen before the time already reached", test_doorbell_before_the_limit},
    {"every reason to stop is reported", test_two_reasons_at_once},
    {"a held run lets no time pass idly", test_held_run},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim time", tests, TWIN_COUNT(tests), argc, argv);
}
