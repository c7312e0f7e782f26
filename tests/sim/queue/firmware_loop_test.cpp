// SPDX-License-Identifier: Apache-2.0
/// What the firmware's loop does next, alone; and a queue that changes its level in the middle of a
/// read.
#include <string>

#include "core/queue/firmware_loop.h"
#include "profile_path.h"
#include "rig.h"

namespace
{

using Work = tsim::FirmwareLoop::Work;

const tsim::Profile &old_profile()
{
    const std::string shipped = shipped_profile_path();
    static const tsim::Profile profile =
        tsim::Profile::from_file(shipped.substr(0, shipped.rfind('/') + 1) + "310p3.json");
    return profile;
}

// Performs the next step, and returns its queue.
uint32_t next(tsim::FirmwareLoop &loop)
{
    const uint32_t sq = loop.begin(true, true).sq;
    CU_ASSERT_EQUAL(loop.end().sq, sq);
    return sq;
}

} // namespace

// T-HW-3: reports are chosen round-robin by queue number, in any order of the requests, and before
// all else.
static void test_reports_take_turns()
{
    tsim::FirmwareLoop loop(old_profile().params(), 64);
    loop.ask(1, 0, Work::kActivate);
    for (const uint32_t sq : {9u, 3u, 7u})
        loop.ask(sq, 5, Work::kReport);
    EXPECT_EQ(next(loop), 3);
    loop.ask(3, 5, Work::kReport); // has had its turn
    EXPECT_EQ(next(loop), 7);
    loop.ask(8, 0, Work::kReport); // a better level is no better here
    EXPECT_EQ(next(loop), 8);
    EXPECT_EQ(next(loop), 9);
    EXPECT_EQ(next(loop), 3); // round again
    EXPECT_EQ(next(loop), 1);
    EXPECT_EQ(loop.begin(true, true).sq, tsim::kNone);
}

// T-HW-4, T-FE-10: while its commands are read a queue comes to a level that has no slot free: it
// waits for one there.
static void test_level_without_room()
{
    Rig rig([](tsim::Params &p) {
        p = old_profile().params();
        p.fw_level_slots.value = 1;
    });
    const tsim::Params &p = rig.params();
    rig.open(0, 0);
    rig.open(1, 1);
    rig.put(1, sqe_pcie_dma(Rig::kHbm, Rig::kHost, 8 << 20), 0); // has the one slot of level 1
    rig.run_until(100000);
    EXPECT_EQ(rig.state(1), TWINSIM_QUEUE_RUNNING);
    rig.put(0, sqe_placeholder(), rig.now());
    rig.run_until(rig.now() + p.fw_activate.value + p.fw_fetch.value / 2); // it is being read
    EXPECT_EQ(rig.phases(TWINSIM_PHASE_SWAP_IN, 0).size(), 1);
    EXPECT_EQ(rig.phases(TWINSIM_PHASE_FETCH, 0).size(), 0);
    CU_ASSERT(rig.device().scheduler().set_priority(0, 1, 0));
    rig.run();
    EXPECT_EQ(rig.retired(0), 1);
    EXPECT_EQ(rig.retired(1), 1);
    const auto reads = rig.phases(TWINSIM_PHASE_FETCH, 0);
    const auto commands = rig.phases(TWINSIM_PHASE_DECODE, 0);
    CU_ASSERT_EQUAL_FATAL(reads.size(), 2); // once for nothing
    CU_ASSERT_EQUAL_FATAL(commands.size(), 1);
    const uint64_t freed = rig.phases(TWINSIM_PHASE_TASK, 1).at(0).end_ns;
    EXPECT_EQ(reads[1].begin_ns, freed);
    EXPECT_EQ(commands[0].begin_ns, reads[1].end_ns);
    EXPECT_EQ(reads[1].end_ns - reads[1].begin_ns, p.fw_fetch.value);
}

static const twin_test tests[] = {
    {"reports take turns", test_reports_take_turns},
    {"a queue with a new level without room", test_level_without_room},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim firmware loop", tests, TWIN_COUNT(tests), argc, argv);
}
