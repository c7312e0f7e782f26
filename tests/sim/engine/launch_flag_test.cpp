// SPDX-License-Identifier: Apache-2.0
/// Flags between the cores of a launch (T-CORE-18, T-CORE-26): when they are set, whose they are,
/// and what waits for ever.
#include <algorithm>

#include "kernels.h"

namespace
{

constexpr uint64_t kPc = 7;
constexpr uint32_t S = TWIN_PIPE_SCALAR, V = TWIN_PIPE_VECTOR, MTE2 = TWIN_PIPE_MTE2;

twin_step set_for(uint32_t scope, uint32_t pipe, uint32_t flag)
{
    return op(pipe, TWIN_STEP_CROSS_CORE_SET, scope, flag);
}
twin_step set_all(uint32_t pipe, uint32_t flag)
{
    return set_for(TWIN_STEP_TO_LAUNCH, pipe, flag);
}
twin_step wait(uint32_t pipe, uint32_t flag)
{
    return op(pipe, TWIN_STEP_CROSS_CORE_WAIT, 0, flag);
}

/// A core clock of 1 GHz: one cycle is 1 ns.
Rig::Tweak even_clock(uint32_t aivs = 0)
{
    return [aivs](tsim::Params &p) {
        p.core_mhz.value = 1000;
        p.credit_unit.value = 10000;
        if (aivs != 0)
            p.aiv_cores.value = aivs;
    };
}

/// From the issue of the first block to the end of the last, without the start of a block.
uint64_t time_of(const std::vector<StepList> &lists, uint32_t subtype, uint32_t blocks,
                 uint64_t seed = 0)
{
    KernelRig k(even_clock(), seed);
    k.kernels.set(kPc, lists);
    k.rig.open(0);
    k.rig.put(0, sqe_kernel(subtype, blocks, kPc), 0);
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
    return k.span(0) - k.start();
}

uint64_t issue_time()
{
    return shipped_profile().params().core_issue.value;
}

uint32_t ratio()
{
    const tsim::Params &p = shipped_profile().params();
    return static_cast<uint32_t>(p.aiv_cores.value / p.aic_cores.value);
}

/// The status with which a kernel ends that has a credit of 10 us.
uint16_t status_of(const std::vector<StepList> &lists, uint32_t subtype, uint32_t blocks,
                   uint32_t aivs = 0)
{
    KernelRig k(even_clock(aivs));
    k.kernels.set(kPc, lists);
    k.rig.open(0);
    k.rig.put(0, sqe_with_credit(sqe_kernel(subtype, blocks, kPc), 1), 0);
    k.rig.run();
    return k.rig.cqe(0, 0).u.error.status;
}

} // namespace

// All blocks go on when the last of them has come; block n is issued n issue times later. The set
// waits for its pipe, and the wait holds one pipe alone.
static void test_barrier()
{
    constexpr uint32_t kBlocks = 5;
    static const uint64_t before[kBlocks] = {100, 900, 30, 10, 400}, after = 70;
    std::vector<StepList> lists;
    uint64_t last = 0;
    for (uint32_t block = 0; block < kBlocks; ++block) {
        lists.push_back({work(V, before[block]), set_all(V, 14), wait(S, 14), work(S, after)});
        last = std::max(last, block * issue_time() + before[block]);
    }
    EXPECT_EQ(time_of(lists, STARS_KERNEL_AIV, kBlocks), last + after);
    EXPECT_EQ(time_of(lists, STARS_KERNEL_AIC, kBlocks), last + after);
    for (uint32_t block = 0; block < kBlocks; ++block)
        lists[block] = {work(V, before[block]), set_all(V, 14), wait(MTE2, 14), work(MTE2, after),
                        work(V, 2000)};
    EXPECT_EQ(time_of(lists, STARS_KERNEL_AIV, kBlocks),
              std::max(issue_time() + before[1], 4 * issue_time() + before[4]) + 2000);
}

// Sets count: two waits need two sets of each core. Rounds may be any number, and cores are drawn.
static void test_rounds()
{
    constexpr uint32_t kBlocks = 4, kRounds = 1000;
    std::vector<StepList> lists(kBlocks);
    for (uint32_t block = 0; block < kBlocks; ++block)
        for (uint32_t round = 0; round < kRounds; ++round)
            for (const twin_step &o :
                 {work(S, round % kBlocks == block ? 9 : 2), set_all(S, 3), wait(S, 3)})
                lists[block].push_back(o);
    // The first round begins when the last block does; it is block 0 that takes longer in it.
    const uint64_t first = std::max<uint64_t>(9, (kBlocks - 1) * issue_time() + 2);
    const uint64_t time = first + (kRounds - 1) * 9;
    EXPECT_EQ(time_of(lists, STARS_KERNEL_AIV, kBlocks), time);
    EXPECT_EQ(time_of(lists, STARS_KERNEL_AIV, kBlocks, 5), time);
    const StepList ahead = {set_all(S, 3), set_all(S, 3), work(S, 500), wait(S, 3), wait(S, 3)};
    const StepList apart = {set_all(S, 3), work(S, 800), set_all(S, 3), wait(S, 3), wait(S, 3)};
    EXPECT_EQ(time_of({ahead, apart}, STARS_KERNEL_AIV, 2), issue_time() + 800);
}

// The set is the last that a block does.
static void test_last_set()
{
    const StepList waits = {set_all(S, 0), wait(S, 0), work(S, 10)};
    const StepList ends = {work(S, 300), set_all(S, 0)};
    EXPECT_EQ(time_of({waits, ends}, STARS_KERNEL_AIV, 2), issue_time() + 310);
    EXPECT_EQ(time_of({ends, waits}, STARS_KERNEL_AIV, 2), issue_time() + 300 + 10 - issue_time());
}

// In a mixed kernel cube cores and vector cores meet apart; vector cores of a block meet; a wait
// takes what any of them has set.
static void test_mixed()
{
    if (ratio() != 2)
        return;
    const uint64_t gap = issue_time();
    // AICs after 50 and 200; AIVs of block 0 after 500, those of block 1 after 20.
    const StepList aic0 = {work(S, 50), set_all(S, 1), wait(S, 1), work(S, 1000)};
    const StepList aic1 = {work(S, 200), set_all(S, 1), wait(S, 1), work(S, 1000)};
    const StepList aiv0 = {work(S, 500), set_all(S, 1), wait(S, 1), work(S, 7)};
    const StepList aiv1 = {work(S, 20), set_all(S, 1), wait(S, 1), work(S, 7)};
    EXPECT_EQ(time_of({aic0, aiv0, aiv1, aic1, aiv1, aiv1}, STARS_KERNEL_MIXED, 2),
              gap + 200 + 1000);
    // What the AICs set is not the AIVs'.
    const StepList late = {work(S, 20), set_all(S, 1), wait(S, 1), work(S, 2000)};
    EXPECT_EQ(time_of({aic0, aiv0, late, aic1, late, late}, STARS_KERNEL_MIXED, 2), 2500);
    const StepList none;
    EXPECT_EQ(time_of({none, aiv0, aiv1, none, aiv1, aiv1}, STARS_KERNEL_MIXED, 2), 507);
    // TO_VECTORS: both AIVs go on when both have come, each block for itself.
    const StepList slow = {work(S, 400), set_for(TWIN_STEP_TO_VECTORS, S, 2), wait(S, 2),
                           work(S, 30)};
    const StepList fast = {set_for(TWIN_STEP_TO_VECTORS, S, 2), wait(S, 2), work(S, 90)};
    EXPECT_EQ(time_of({none, slow, fast, none, fast, fast}, STARS_KERNEL_MIXED, 2), 490);
    // One flag: from the AIC first, then from the launch.
    const StepList sender = {work(S, 100), set_for(TWIN_STEP_TO_BLOCK, S, 4)};
    const StepList twice = {set_all(S, 4), wait(S, 4), wait(S, 4), work(S, 5)};
    EXPECT_EQ(time_of({sender, twice, twice}, STARS_KERNEL_MIXED, 1), 105);
}

// What is never set: a core that stays away, and blocks for which there is no core.
static void test_stuck()
{
    const StepList meets = {set_all(S, 0), wait(S, 0)};
    EXPECT_EQ(status_of({meets}, STARS_KERNEL_AIV, 4, 4), STARS_STATUS_NONE);
    EXPECT_EQ(status_of({meets}, STARS_KERNEL_AIV, 5, 4), STARS_STATUS_AICORE_TIMEOUT);
    EXPECT_EQ(status_of({meets, {}, meets}, STARS_KERNEL_AIV, 3), STARS_STATUS_AICORE_TIMEOUT);
    EXPECT_EQ(status_of({{wait(S, 0)}}, STARS_KERNEL_AIV, 1), STARS_STATUS_AICORE_TIMEOUT);
}

static void test_bad()
{
    const uint16_t bad = STARS_STATUS_BAD_SQE;
    EXPECT_EQ(status_of({{set_for(3, S, 0)}}, STARS_KERNEL_AIV, 1), bad);
    EXPECT_EQ(status_of({{set_all(S, TWIN_STEP_CROSS_CORE_FLAGS)}}, STARS_KERNEL_AIV, 1), bad);
    EXPECT_EQ(status_of({{wait(S, TWIN_STEP_CROSS_CORE_FLAGS)}}, STARS_KERNEL_AIV, 1), bad);
    EXPECT_EQ(status_of({{set_for(TWIN_STEP_TO_BLOCK, S, 0)}}, STARS_KERNEL_AIV, 1), bad);
    std::vector<StepList> lists(1 + ratio());
    lists[0] = {set_for(TWIN_STEP_TO_VECTORS, S, 0)};
    EXPECT_EQ(status_of(lists, STARS_KERNEL_MIXED, 1), bad);
}

// Flags are a launch's own: of two at once, and of one after the other on the same cores.
static void test_launches()
{
    KernelRig k(even_clock(4));
    const StepList meets = {set_all(S, 0), work(S, 50), wait(S, 0)};
    k.kernels.set(1, {{set_all(S, 0)}, {}});
    k.kernels.set(2, {{}, meets});
    k.kernels.set(3, {meets, {work(S, 100), set_all(S, 0)}});
    k.rig.open(0);
    k.rig.open(1);
    k.rig.put(0, sqe_kernel(STARS_KERNEL_AIV, 2, 1), 0);
    k.rig.put(0, sqe_with_credit(sqe_kernel(STARS_KERNEL_AIV, 2, 2), 1), 0);
    k.rig.put(1, sqe_kernel(STARS_KERNEL_AIV, 2, 3), 0);
    k.rig.run();
    EXPECT_EQ(k.rig.cqe(0, 0).u.error.status, STARS_STATUS_AICORE_TIMEOUT);
    EXPECT_EQ(k.rig.retired(1), 1);
}

// A block's flags begin at 0, also where one before it has left some.
static void test_left()
{
    KernelRig k(even_clock());
    std::vector<StepList> sets(1 + ratio()), waits(1 + ratio(), {wait(S, 0)});
    sets[0] = {set_for(TWIN_STEP_TO_BLOCK, S, 0)};
    waits[0] = {};
    k.kernels.set(1, sets);
    k.kernels.set(2, waits);
    k.rig.open(0);
    k.rig.put(0, sqe_kernel(STARS_KERNEL_MIXED, 1, 1), 0);
    k.rig.put(0, sqe_with_credit(sqe_kernel(STARS_KERNEL_MIXED, 1, 2), 1), 0);
    k.rig.run();
    EXPECT_EQ(k.rig.cqe(0, 0).u.error.status, STARS_STATUS_AICORE_TIMEOUT);
}

static const twin_test tests[] = {
    {"all blocks go on when the last has come", test_barrier},
    {"flags count their sets", test_rounds},
    {"a block may end with its set", test_last_set},
    {"kinds of cores meet apart, and vector cores in their block", test_mixed},
    {"a wait that nothing ends lasts until the credit", test_stuck},
    {"sets outside their range are bad SQEs", test_bad},
    {"launches have their own flags", test_launches},
    {"flags that a block leaves are not the next one's", test_left},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim launch flags", tests, TWIN_COUNT(tests), argc, argv);
}
