// SPDX-License-Identifier: Apache-2.0
/// Kernels that are paused between two blocks, and what others do meanwhile.
#include "kernels.h"

namespace
{

constexpr uint64_t kShort = 1;
constexpr uint64_t kIssue = 1000; // ns from one block to the next

std::vector<twinsim_trace_entry> blocks(KernelRig &k, uint32_t sq)
{
    return k.rig.phases(TWINSIM_PHASE_BLOCK, sq);
}

} // namespace

// T-CORE-4, T-CORE-13: a batch kernel that is paused in the middle of its issue keeps no other from
// its blocks. The rest of it goes on when there are cores for all the rest.
static void test_batch_in_mid_issue()
{
    KernelRig k([](tsim::Params &p) {
        p.aic_cores.value = 4;
        p.core_issue.value = kIssue;
    });
    k.kernels.set(kShort, {{work(TWIN_PIPE_CUBE, 20000)}});
    tsim::TaskScheduler &scheduler = k.rig.device().scheduler();
    k.rig.open(0);
    k.rig.open(1);
    k.rig.put(0, sqe_with_schedule(sqe_kernel(STARS_KERNEL_AIC, 4, kShort), STARS_SCHEM_BATCH, 1),
              0);
    // Runs until two of its blocks are issued.
    while (k.rig.state(0) != TWINSIM_QUEUE_KERNEL)
        CU_ASSERT_FATAL(k.rig.run_until(k.rig.now() + 10) == TWINSIM_STOP_LIMIT);
    k.rig.run_until(k.rig.now() + kIssue + kIssue / 2);
    CU_ASSERT(scheduler.control(0, STARS_SQ_CONTROL_TASK_PAUSE));
    const uint64_t paused = k.rig.now();
    k.rig.put(1, sqe_kernel(STARS_KERNEL_AIC, 2, kShort), paused);
    k.rig.run();
    EXPECT_EQ(blocks(k, 0).size(), 2);
    EXPECT_EQ(k.rig.state(0), TWINSIM_QUEUE_HELD);
    CU_ASSERT_EQUAL_FATAL(k.rig.retired(1), 1);
    // They had the two cores that were left, while the first ones ran.
    CU_ASSERT_EQUAL_FATAL(blocks(k, 1).size(), 2);
    for (const auto &block : blocks(k, 1)) {
        CU_ASSERT(block.id >= 2 && block.id < 4);
        CU_ASSERT(block.begin_ns < blocks(k, 0).at(0).end_ns);
    }

    // Three cores are taken when it goes on: it waits for the second of the two that it needs.
    k.rig.put(1, sqe_kernel(STARS_KERNEL_AIC, 3, kShort), k.rig.now());
    k.rig.run_until(k.rig.now() + 10 * kIssue);
    EXPECT_EQ(blocks(k, 1).size(), 2); // three more have begun
    CU_ASSERT(scheduler.control(0, STARS_SQ_CONTROL_TASK_RESUME));
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
    const auto first = blocks(k, 0);
    const auto other = blocks(k, 1);
    CU_ASSERT_EQUAL_FATAL(first.size(), 4);
    CU_ASSERT_EQUAL_FATAL(other.size(), 5);
    EXPECT_EQ(first.at(2).begin_ns, other.at(2).end_ns);
    EXPECT_EQ(first.at(3).begin_ns, first.at(2).begin_ns + kIssue);
    EXPECT_EQ(k.kernels.effects.size(), 3);
}

static const twin_test tests[] = {
    {"a batch kernel paused in the middle of its issue lets others through",
     test_batch_in_mid_issue},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim kernel pause", tests, TWIN_COUNT(tests), argc, argv);
}
