// SPDX-License-Identifier: Apache-2.0
/// Kernels on the AI cores: dispatch, schedules, ends of all kinds. What a block does is in
/// core_test.cpp.
#include <algorithm>

#include "kernels.h"

namespace
{

constexpr uint64_t kNothing = 1, kWork = 2, kLong = 3; // start PCs
constexpr uint64_t kWorkCycles = 18000;                // 10 us at 1800 MHz

uint64_t core_ns(const tsim::Params &p, uint64_t cycles)
{
    return (cycles * 1000 + p.core_mhz.value - 1) / p.core_mhz.value;
}

void teach(KernelRig &k)
{
    k.kernels.set(kNothing, {});
    k.kernels.set(kWork, {{work(TWIN_PIPE_VECTOR, kWorkCycles)}});
    k.kernels.set(kLong, {{work(TWIN_PIPE_VECTOR, 100 * kWorkCycles)}});
}

std::vector<twinsim_trace_entry> blocks(KernelRig &k, uint32_t sq, uint64_t number = 1)
{
    std::vector<twinsim_trace_entry> found;
    for (const auto &entry : k.rig.phases(TWINSIM_PHASE_BLOCK, sq)) {
        if (entry.number == number)
            found.push_back(entry);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto &a, const auto &b) { return a.waker_number < b.waker_number; });
    return found;
}

} // namespace

// T-CORE-7, T-CORE-8, T-CORE-9: 1.7 us from the AI-core scheduler to the end of the report
// (cann-samples, npu_execution, section 3), and each part of it stands in the trace under its own
// parameter.
static void test_floor()
{
    KernelRig k;
    teach(k);
    const tsim::Params &p = k.rig.params();
    k.rig.open(0);
    k.rig.put(0, sqe_kernel(STARS_KERNEL_AIV, 1, kNothing), 0);
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
    const auto decode = k.rig.phases(TWINSIM_PHASE_DECODE, 0).at(0);
    const auto report = k.rig.phases(TWINSIM_PHASE_REPORT, 0).at(0);
    EXPECT_EQ(report.end_ns - decode.end_ns, 1700);
    EXPECT_EQ(p.core_dispatch.value + p.core_init.value + p.core_software.value +
                  p.core_report.value,
              1700);
    EXPECT_EQ(k.rig.retired_at(0, 1), report.end_ns + p.retire.value);
    const auto parts = k.rig.phases(TWINSIM_PHASE_START, 0);
    EXPECT_EQ(parts.size(), 3);
    EXPECT_EQ(parts.at(0).parameter, p.core_dispatch.index);
    EXPECT_EQ(parts.at(1).parameter, p.core_init.index);
    EXPECT_EQ(parts.at(2).parameter, p.core_software.index);
    EXPECT_EQ(parts.at(2).end_ns, report.begin_ns);
    EXPECT_EQ(report.parameter, p.core_report.index);
    EXPECT_EQ(k.kernels.asked.size(), 1);
    EXPECT_EQ(k.kernels.effects.size(), 1);
    EXPECT_EQ(k.kernels.ends.size(), 1);
}

// T-CORE-3: as many blocks as cores are one wave, twice as many are two; issue by issue, lowest
// core first.
static void test_waves()
{
    for (const uint32_t kind : {uint32_t{STARS_KERNEL_AIC}, uint32_t{STARS_KERNEL_AIV}}) {
        KernelRig k;
        teach(k);
        const tsim::Params &p = k.rig.params();
        const auto cores =
            static_cast<uint32_t>(kind == STARS_KERNEL_AIC ? p.aic_cores.value : p.aiv_cores.value);
        k.rig.open(0);
        k.rig.put(0, sqe_kernel(kind, cores, kWork), 0);
        k.rig.put(0, sqe_kernel(kind, 2 * cores, kWork), 0);
        k.rig.run();
        const uint64_t block = k.start() + core_ns(p, kWorkCycles);
        const auto kernels = k.rig.phases(TWINSIM_PHASE_KERNEL, 0);
        EXPECT_EQ(kernels.at(0).end_ns - kernels.at(0).begin_ns,
                  (cores - 1) * p.core_issue.value + block);
        EXPECT_EQ(kernels.at(1).end_ns - kernels.at(1).begin_ns,
                  (cores - 1) * p.core_issue.value + 2 * block);
        const auto first = blocks(k, 0, 1);
        EXPECT_EQ(first.size(), cores);
        for (uint32_t i = 0; i < cores; ++i) {
            EXPECT_EQ(first.at(i).id, i);
            EXPECT_EQ(first.at(i).engine,
                      kind == STARS_KERNEL_AIC ? TWINSIM_ENGINE_AIC : TWINSIM_ENGINE_AIV);
            EXPECT_EQ(first.at(i).begin_ns, first.at(0).begin_ns + i * p.core_issue.value);
        }
        const auto second = blocks(k, 0, 2);
        EXPECT_EQ(second.size(), 2 * cores);
        for (uint32_t i = 0; i < cores; ++i) { // the core's second block begins as its first ends
            EXPECT_EQ(second.at(cores + i).id, i);
            EXPECT_EQ(second.at(cores + i).begin_ns, second.at(i).end_ns);
        }
    }
}

// T-CORE-3, T-CORE-4: with half of the cores taken a normal kernel begins at once, a batch kernel
// when all are free.
static void test_batch()
{
    for (const uint32_t schem : {uint32_t{STARS_SCHEM_NORMAL}, uint32_t{STARS_SCHEM_BATCH}}) {
        KernelRig k;
        teach(k);
        const auto cores = static_cast<uint32_t>(k.rig.params().aic_cores.value);
        k.rig.open(0);
        k.rig.open(1);
        k.rig.open(2);
        k.rig.put(0, sqe_kernel(STARS_KERNEL_AIC, cores / 2, kWork), 0);
        k.rig.put(1, sqe_with_schedule(sqe_kernel(STARS_KERNEL_AIC, cores, kWork), schem, 1), 1000);
        k.rig.put(2, sqe_kernel(STARS_KERNEL_AIC, 1, kWork), 1500);
        k.rig.run();
        const auto before = blocks(k, 0), batch = blocks(k, 1), other = blocks(k, 2);
        EXPECT_EQ(batch.size(), cores);
        if (schem == STARS_SCHEM_NORMAL) {
            CU_ASSERT(batch.at(0).begin_ns < before.at(0).end_ns);
            continue;
        }
        // Queue 2's kernel came later and went first: waiting holds no core back.
        CU_ASSERT(other.at(0).begin_ns < before.at(0).end_ns);
        uint64_t all_free = other.at(0).end_ns;
        for (const auto &block : before)
            all_free = std::max(all_free, block.end_ns);
        EXPECT_EQ(batch.at(0).begin_ns, all_free);
        for (uint32_t i = 1; i < cores; ++i)
            EXPECT_EQ(batch.at(i).begin_ns, all_free + i * k.rig.params().core_issue.value);
    }
}

// T-CORE-4: once a batch kernel begins, no other kernel gets in between.
static void test_batch_is_not_interrupted()
{
    KernelRig k;
    teach(k);
    const auto cores = static_cast<uint32_t>(k.rig.params().aiv_cores.value);
    k.rig.open(0);
    k.rig.open(1);
    k.rig.put(
        0, sqe_with_schedule(sqe_kernel(STARS_KERNEL_AIV, cores - 2, kWork), STARS_SCHEM_BATCH, 1),
        0);
    k.rig.put(1, sqe_kernel(STARS_KERNEL_AIV, 2, kWork), 0);
    k.rig.run();
    const auto batch = blocks(k, 0), other = blocks(k, 1);
    CU_ASSERT(other.at(0).begin_ns > batch.back().begin_ns);
}

// T-CORE-5: weights 3 and 1 (0 counts as 1): three blocks of the first, one of the second, in turn,
// each time anew.
static void test_weights()
{
    KernelRig k([](tsim::Params &p) { p.aic_cores.value = 1; });
    teach(k);
    k.rig.open(0);
    k.rig.open(1);
    k.rig.open(2);
    k.rig.put(0, sqe_kernel(STARS_KERNEL_AIC, 1, kWork), 0);
    k.rig.put(1, sqe_with_schedule(sqe_kernel(STARS_KERNEL_AIC, 8, kWork), 0, 3), 1000);
    k.rig.put(2, sqe_with_schedule(sqe_kernel(STARS_KERNEL_AIC, 3, kWork), 0, 0), 2000);
    k.rig.run();
    auto all = k.rig.phases(TWINSIM_PHASE_BLOCK);
    std::sort(all.begin(), all.end(),
              [](const auto &a, const auto &b) { return a.begin_ns < b.begin_ns; });
    const uint32_t order[] = {0, 1, 1, 1, 2, 1, 1, 1, 2, 1, 1, 2};
    EXPECT_EQ(all.size(), TWIN_COUNT(order));
    for (uint32_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(all.at(i).sq, order[i]);
}

// T-CORE-6: one AIC and its own AIVs together; a vector kernel on one of them keeps the mixed block
// away.
static void test_mixed()
{
    KernelRig k([](tsim::Params &p) {
        p.aic_cores.value = 2;
        p.aiv_cores.value = 4;
    });
    teach(k);
    k.kernels.set(10, {{work(TWIN_PIPE_CUBE, 1800)},
                       {work(TWIN_PIPE_VECTOR, 3600)},
                       {work(TWIN_PIPE_VECTOR, 900)}});
    k.rig.open(0);
    k.rig.open(1);
    k.rig.put(0, sqe_kernel(STARS_KERNEL_AIV, 1, kWork), 0);
    k.rig.put(1, sqe_kernel(STARS_KERNEL_MIXED, 2, 10), 1000);
    k.rig.run();
    const auto vector = blocks(k, 0), mixed = blocks(k, 1);
    EXPECT_EQ(mixed.size(), 6);
    for (uint32_t b = 0; b < 2; ++b) {
        constexpr uint32_t kCluster = 1; // an AIV of the other is taken all the time
        for (uint32_t i = 0; i < 3; ++i) {
            const auto &entry = mixed.at(3 * b + i);
            EXPECT_EQ(entry.engine, i == 0 ? TWINSIM_ENGINE_AIC : TWINSIM_ENGINE_AIV);
            EXPECT_EQ(entry.id, i == 0 ? kCluster : 2 * kCluster + i - 1);
            EXPECT_EQ(entry.begin_ns, mixed.at(3 * b).begin_ns);
            EXPECT_EQ(entry.end_ns, entry.begin_ns + k.start() + 2000);
        }
    }
    EXPECT_EQ(vector.at(0).id, 0);
    EXPECT_EQ(mixed.at(3).begin_ns, mixed.at(0).end_ns);
    CU_ASSERT(mixed.at(3).end_ns < vector.at(0).end_ns);
}

// T-CORE-1, T-CORE-4, T-CORE-6: what is refused, some of it before the kernel is asked for.
static void test_bad()
{
    KernelRig k;
    teach(k);
    const auto cores = static_cast<uint32_t>(k.rig.params().aic_cores.value);
    const stars_sqe bad[] = {
        sqe_kernel(STARS_KERNEL_AIC, 0, kWork),
        sqe_kernel(STARS_KERNEL_AUTO_THREAD, 1, kWork),
        sqe_kernel(STARS_KERNEL_MANUAL_THREAD, 1, kWork),
        sqe_kernel(STARS_KERNEL_FFTS, 1, kWork),
        sqe_kernel(6, 1, kWork),
        sqe_with_schedule(sqe_kernel(STARS_KERNEL_AIC, 1, kWork), 2, 1),
        sqe_with_schedule(sqe_kernel(STARS_KERNEL_AIC, cores + 1, kWork), STARS_SCHEM_BATCH, 1)};
    for (uint32_t i = 0; i < TWIN_COUNT(bad); ++i) {
        k.rig.open(i);
        k.rig.put(i, bad[i], k.rig.now());
        k.rig.run();
        EXPECT_EQ(k.rig.cqe(i, 0).u.error.code, STARS_ERROR_BAD_SQE);
        EXPECT_EQ(k.rig.cqe(i, 0).u.error.status, STARS_STATUS_BAD_SQE);
    }
    CU_ASSERT(k.kernels.asked.empty());

    Rig plain; // no kernels in its bus
    plain.open(0);
    plain.put(0, sqe_kernel(STARS_KERNEL_AIC, 1, kWork), 0);
    plain.run();
    EXPECT_EQ(plain.cqe(0, 0).u.error.code, STARS_ERROR_BAD_SQE);

    KernelRig odd([](tsim::Params &p) {
        p.aic_cores.value = 8;
        p.aiv_cores.value = 7; // as a 310P has
    });
    teach(odd);
    odd.rig.open(0);
    odd.rig.put(0, sqe_kernel(STARS_KERNEL_MIXED, 1, kNothing), 0);
    odd.rig.run();
    EXPECT_EQ(odd.rig.cqe(0, 0).u.error.code, STARS_ERROR_BAD_SQE);
}

// T-SCH-8, T-CORE-1: as many kernels of a kind at once as the class has shares; others of that kind
// wait without a slot.
static void test_classes()
{
    struct Case {
        uint32_t subtype;
        tsim::Setting tsim::Params::*cap;
    };
    const Case cases[] = {{STARS_KERNEL_AIC, &tsim::Params::aic_cap},
                          {STARS_KERNEL_AIV, &tsim::Params::aiv_cap},
                          {STARS_KERNEL_MIXED, &tsim::Params::mixed_cap}};
    for (const Case &c : cases) {
        KernelRig k;
        teach(k);
        k.kernels.set(kWork, c.subtype == STARS_KERNEL_MIXED
                                 ? std::vector<StepList>(3, StepList{work(TWIN_PIPE_SCALAR, 18000)})
                                 : std::vector<StepList>{{work(TWIN_PIPE_SCALAR, 18000)}});
        const auto cap = static_cast<uint32_t>((k.rig.params().*c.cap).value);
        for (uint32_t sq = 0; sq <= cap; ++sq) {
            k.rig.open(sq);
            k.rig.put(sq, sqe_kernel(c.subtype, 1, kWork), 0);
        }
        k.rig.run();
        auto runs = k.rig.phases(TWINSIM_PHASE_KERNEL);
        EXPECT_EQ(runs.size(), cap + 1);
        uint32_t first = 0;
        uint64_t earliest_retired = UINT64_MAX;
        for (uint32_t sq = 0; sq <= cap; ++sq)
            earliest_retired = std::min(earliest_retired, k.rig.retired_at(sq, 1));
        for (const auto &run : runs)
            first += run.begin_ns < earliest_retired ? 1 : 0;
        EXPECT_EQ(first, cap);
    }
}

// T-CORE-2: until the description is there the model stands still.
static void test_later()
{
    KernelRig k;
    teach(k);
    k.kernels.later = true;
    k.rig.open(0);
    k.rig.open(1);
    k.rig.put(0, sqe_kernel(STARS_KERNEL_AIC, 2, kWork), 0);
    k.rig.put(1, sqe_placeholder(), 500);
    EXPECT_EQ(k.rig.run_until(1000000), TWINSIM_STOP_KERNEL);
    const uint64_t stopped = k.rig.now();
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(k.rig.run_until(1000000), TWINSIM_STOP_KERNEL);
        EXPECT_EQ(k.rig.now(), stopped);
        EXPECT_EQ(k.rig.retired(1), 0);
    }
    EXPECT_EQ(k.rig.state(0), TWINSIM_QUEUE_KERNEL);
    twinsim_kernel_wanted wanted{};
    CU_ASSERT_FATAL(k.rig.system().wanted(wanted));
    EXPECT_EQ(wanted.sq, 0);
    EXPECT_EQ(wanted.number, 1);
    EXPECT_EQ(wanted.sqe.word[8], kWork);
    tsim::TaskScheduler &scheduler = k.rig.device().scheduler();
    CU_ASSERT(!scheduler.give_kernel(0, 2, k.kernels.description(kWork)));
    CU_ASSERT(!scheduler.give_kernel(1, 1, k.kernels.description(kWork)));
    CU_ASSERT(scheduler.give_kernel(0, 1, k.kernels.description(kWork)));
    CU_ASSERT(!scheduler.give_kernel(0, 1, k.kernels.description(kWork)));
    CU_ASSERT(!k.rig.system().wanted(wanted));
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
    EXPECT_EQ(k.rig.phases(TWINSIM_PHASE_KERNEL, 0).at(0).begin_ns, stopped);
    EXPECT_EQ(k.kernels.ends.size(), 1);

    // A queue that is killed or closed meanwhile needs it no more, and the model goes on.
    k.rig.put(0, sqe_kernel(STARS_KERNEL_AIC, 1, kWork), k.rig.now());
    EXPECT_EQ(k.rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_KERNEL);
    CU_ASSERT(scheduler.control(0, STARS_SQ_CONTROL_TASK_KILL));
    CU_ASSERT(!scheduler.give_kernel(0, 2, k.kernels.description(kWork)));
    EXPECT_EQ(k.rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_IDLE);
    EXPECT_EQ(k.kernels.ends.size(), 1);
}

// T-CORE-8, T-MEM-3: nothing is there before the last block has ended, all of it is then.
static void test_effect()
{
    KernelRig k;
    teach(k);
    k.kernels.on_effect = [&k] { *k.rig.hbm(5) = 42; };
    k.rig.open(0);
    k.rig.put(0, sqe_kernel(STARS_KERNEL_AIV, 3, kWork), 0);
    const tsim::Params &p = k.rig.params();
    k.rig.run_until(5000);
    const uint64_t issued = k.rig.phases(TWINSIM_PHASE_DECODE, 0).at(0).end_ns;
    const uint64_t end = issued + 2 * p.core_issue.value + k.start() + core_ns(p, kWorkCycles);
    k.rig.run_until(end - 1);
    EXPECT_EQ(*k.rig.hbm(5), 0);
    CU_ASSERT(k.kernels.ends.empty());
    k.rig.run_until(end);
    EXPECT_EQ(*k.rig.hbm(5), 42);
    EXPECT_EQ(k.rig.retired(0), 0);
    k.rig.run();
    EXPECT_EQ(k.rig.retired_at(0, 1), end + p.core_report.value + p.retire.value);
}

// T-CORE-10: 0x25 when the credit has passed since the first block was issued; the cores are free
// again.
static void test_time_limit()
{
    KernelRig k([](tsim::Params &p) { p.credit_unit.value = 1000; });
    teach(k);
    const auto cores = static_cast<uint32_t>(k.rig.params().aic_cores.value);
    k.rig.open(0);
    k.rig.open(1);
    k.rig.put(0, sqe_with_credit(sqe_kernel(STARS_KERNEL_AIC, 2 * cores, kLong), 7), 0);
    k.rig.put(1, sqe_with_credit(sqe_kernel(STARS_KERNEL_AIC, cores, kWork), 12), 2000);
    k.rig.run();
    EXPECT_EQ(k.rig.cqe(0, 0).u.error.code, STARS_ERROR_TIMEOUT);
    EXPECT_EQ(k.rig.cqe(0, 0).u.error.status, STARS_STATUS_AICORE_TIMEOUT);
    EXPECT_EQ(k.span(0), 7000);
    for (const auto &block : blocks(k, 0))
        CU_ASSERT(block.end_ns - block.begin_ns <= 7000);
    // The other kernel had no core for longer than its credit: its time begins with its first
    // block.
    EXPECT_EQ(k.rig.retired(1), 1);
    EXPECT_EQ(blocks(k, 1).size(), cores);
    EXPECT_EQ(k.kernels.effects.size(), 1);
    EXPECT_EQ(k.kernels.ends.size(), 2);
}

// T-CORE-11, T-CORE-12: exception, trap, a bad operation, and a kernel unknown to the driver.
static void test_faults()
{
    struct Case {
        StepList list;
        twinsim_kernel_fault at_start;
        uint32_t code, status;
    };
    const uint32_t kError = STARS_STATUS_AICORE_EXCEPTION;
    const StepList slow = {work(TWIN_PIPE_SCALAR, 1800)};
    const auto then = [&slow](const twin_step &last) {
        StepList out = slow;
        out.push_back(last);
        return out;
    };
    const auto fault = [](twinsim_kernel_fault what) {
        return op(TWIN_PIPE_SCALAR, TWIN_STEP_FAULT, what);
    };
    const Case cases[] = {
        {then(fault(TWINSIM_KERNEL_EXCEPTION)), TWINSIM_KERNEL_GOOD, STARS_ERROR_EXCEPTION, kError},
        {then(fault(TWINSIM_KERNEL_TRAP)), TWINSIM_KERNEL_GOOD, STARS_ERROR_TRAP, kError},
        {then(fault(TWINSIM_KERNEL_TIMEOUT)), TWINSIM_KERNEL_GOOD, STARS_ERROR_TIMEOUT,
         STARS_STATUS_AICORE_TIMEOUT},
        {then(fault(TWINSIM_KERNEL_GOOD)), TWINSIM_KERNEL_GOOD, STARS_ERROR_BAD_SQE,
         STARS_STATUS_BAD_SQE},
        {then(op(TWIN_PIPE_COUNT, TWIN_STEP_WORK, 1)), TWINSIM_KERNEL_GOOD, STARS_ERROR_BAD_SQE,
         STARS_STATUS_BAD_SQE},
        {then(op(TWIN_PIPE_CUBE, 99, 1)), TWINSIM_KERNEL_GOOD, STARS_ERROR_BAD_SQE,
         STARS_STATUS_BAD_SQE},
        {then(set_flag(TWIN_PIPE_CUBE, TWIN_STEP_FLAGS)), TWINSIM_KERNEL_GOOD, STARS_ERROR_BAD_SQE,
         STARS_STATUS_BAD_SQE},
        {then(read_gm(1000, 1001)), TWINSIM_KERNEL_GOOD, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE},
        {then(op(TWIN_PIPE_SCALAR, TWIN_STEP_CROSS_CORE_SET, 0)), TWINSIM_KERNEL_GOOD,
         STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE},
        {slow, TWINSIM_KERNEL_BAD, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE},
        {slow, TWINSIM_KERNEL_EXCEPTION, STARS_ERROR_EXCEPTION, kError},
    };
    for (const Case &c : cases) {
        KernelRig k;
        teach(k);
        k.kernels.set(20, {c.list});
        k.kernels.fail(20, c.at_start);
        k.rig.open(0);
        k.rig.put(0, sqe_kernel(STARS_KERNEL_AIC, 100, 20), 0);
        k.rig.put(0, sqe_kernel(STARS_KERNEL_AIC, 100, kNothing), 0);
        k.rig.run();
        EXPECT_EQ(k.rig.cqe(0, 0).u.error.code, c.code);
        EXPECT_EQ(k.rig.cqe(0, 0).u.error.status, c.status);
        EXPECT_EQ(k.rig.cqe(0, 0).u.error.type >> STARS_CQE_TYPE_SHIFT, STARS_SQE_AICORE);
        EXPECT_EQ(k.rig.state(0), TWINSIM_QUEUE_EXCEPTION);
        CU_ASSERT(k.kernels.effects.empty());
        EXPECT_EQ(k.kernels.ends.size(), 1);
        if (c.at_start == TWINSIM_KERNEL_GOOD) { // the first block gets there first
            EXPECT_EQ(blocks(k, 0).at(0).end_ns - blocks(k, 0).at(0).begin_ns, k.start() + 1000);
        } else {
            CU_ASSERT(k.rig.phases(TWINSIM_PHASE_BLOCK).empty());
        }
        CU_ASSERT(k.rig.device().scheduler().control(0, STARS_SQ_CONTROL_EXCEPTION_HANDLED));
        k.rig.run();
        EXPECT_EQ(k.rig.retired(0), 2); // all cores are there again
    }

    KernelRig k; // the effect itself fails: found when all blocks have ended
    teach(k);
    k.kernels.fail_effect(TWINSIM_KERNEL_EXCEPTION);
    k.rig.open(0);
    k.rig.put(0, sqe_kernel(STARS_KERNEL_AIC, 1, kNothing), 0);
    k.rig.run();
    EXPECT_EQ(k.rig.cqe(0, 0).u.error.status, STARS_STATUS_AICORE_EXCEPTION);
    EXPECT_EQ(k.rig.phases(TWINSIM_PHASE_REPORT, 0).size(), 1);
}

// T-CORE-11: a description that does not fit the number of blocks.
static void test_bad_description()
{
    KernelRig k;
    k.kernels.set(30, {{}, {}, {}});
    k.kernels.set(31, {{}, {}, {}, {}});
    k.rig.open(0);
    k.rig.open(1);
    k.rig.open(2);
    k.rig.put(0, sqe_kernel(STARS_KERNEL_AIC, 3, 30), 0); // one for each block
    k.rig.put(1, sqe_kernel(STARS_KERNEL_AIC, 2, 30), 0);
    k.rig.put(2, sqe_kernel(STARS_KERNEL_MIXED, 2, 31), 0);
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
    EXPECT_EQ(k.rig.cqe(1, 0).u.error.code, STARS_ERROR_BAD_SQE);
    EXPECT_EQ(k.rig.cqe(2, 0).u.error.code, STARS_ERROR_BAD_SQE);
    EXPECT_EQ(k.kernels.ends.size(), 3);
}

// T-CORE-13: running blocks end, no other is issued, the queue holds in its slot; resume goes on
// with the next block.
static void test_pause()
{
    KernelRig k([](tsim::Params &p) { p.aic_cores.value = 2; });
    teach(k);
    tsim::TaskScheduler &scheduler = k.rig.device().scheduler();
    k.rig.open(0);
    k.rig.open(1);
    k.rig.put(0, sqe_kernel(STARS_KERNEL_AIC, 5, kWork), 0);
    k.rig.run_until(5000);
    CU_ASSERT(scheduler.control(0, STARS_SQ_CONTROL_TASK_PAUSE));
    k.rig.run_until(8000);
    EXPECT_EQ(k.rig.state(0), TWINSIM_QUEUE_KERNEL);
    k.rig.put(1, sqe_kernel(STARS_KERNEL_AIC, 2, kWork), k.rig.now()); // others get the cores
    k.rig.run();
    EXPECT_EQ(k.rig.state(0), TWINSIM_QUEUE_HELD);
    CU_ASSERT(scheduler.slot(0) != tsim::TaskScheduler::kNoSlot);
    EXPECT_EQ(blocks(k, 0).size(), 2);
    EXPECT_EQ(k.rig.retired(1), 1);
    CU_ASSERT(k.kernels.effects.size() == 1);
    const uint64_t resumed = k.rig.now();
    CU_ASSERT(scheduler.control(0, STARS_SQ_CONTROL_TASK_RESUME));
    EXPECT_EQ(k.rig.state(0), TWINSIM_QUEUE_KERNEL);
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
    EXPECT_EQ(blocks(k, 0).size(), 5);
    EXPECT_EQ(blocks(k, 0).at(2).begin_ns, resumed);
}

// T-CORE-12, T-SCH-14: a kill stops the cores in that cycle; so do close and reset. Nothing
// remains.
static void test_kill_close_reset()
{
    for (int how = 0; how < 3; ++how) {
        KernelRig k;
        k.kernels.set(40, {{read_gm(uint64_t{1} << 30, 500), work(TWIN_PIPE_VECTOR, 18000)}});
        k.kernels.set(kWork, {{read_gm(1 << 20)}});
        tsim::TaskScheduler &scheduler = k.rig.device().scheduler();
        const auto cores = static_cast<uint32_t>(k.rig.params().aiv_cores.value);
        k.rig.open(0);
        k.rig.open(1);
        k.rig.put(0, sqe_kernel(STARS_KERNEL_AIV, 2 * cores, 40), 0);
        k.rig.run_until(20000);
        const uint64_t stopped = k.rig.now();
        switch (how) {
        case 0:
            CU_ASSERT(scheduler.control(0, STARS_SQ_CONTROL_TASK_KILL));
            break;
        case 1:
            scheduler.close(0);
            break;
        default:
            k.rig.device().reset();
        }
        EXPECT_EQ(k.kernels.ends.size(), 1);
        CU_ASSERT(k.kernels.effects.empty());
        if (how == 2)
            k.rig.open(1);
        EXPECT_EQ(k.rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_IDLE);
        EXPECT_EQ(k.rig.now(), stopped);
        for (const auto &block : blocks(k, 0))
            EXPECT_EQ(block.end_ns, stopped);
        k.rig.put(1, sqe_kernel(STARS_KERNEL_AIV, cores, kWork), k.rig.now());
        k.rig.run();
        EXPECT_EQ(k.rig.retired(1), 1);
        // Its bytes have HBM to themselves: at most the effective rate, all cores alike.
        EXPECT_EQ(blocks(k, 1).size(), cores);
    }
}

// T-SCH-16 for cores: an idle dispatcher has no timer, and a system that never saw a kernel made no
// cores.
static void test_idle_costs_nothing()
{
    KernelRig k;
    teach(k);
    k.rig.open(0);
    k.rig.put(0, sqe_kernel(STARS_KERNEL_AIC, 3, kWork), 0);
    k.rig.run();
    EXPECT_EQ(k.rig.system().next_time(), tsim::kNever);
    // Two identical empty kernels take as many events as one another: nothing piles up.
    uint32_t steps[2] = {0, 0};
    for (uint32_t &count : steps) {
        k.rig.put(0, sqe_kernel(STARS_KERNEL_AIC, 1, kNothing), k.rig.now());
        while (k.rig.system().run(TWINSIM_NEVER, 1) == TWINSIM_STOP_CHUNK)
            ++count;
    }
    EXPECT_EQ(steps[0], steps[1]);
}

static const twin_test tests[] = {
    {"an empty kernel takes 1.7 us to the end of its report", test_floor},
    {"twice as many blocks as cores are two waves", test_waves},
    {"a batch kernel waits for cores for all of its blocks", test_batch},
    {"a batch kernel's blocks are issued without others between", test_batch_is_not_interrupted},
    {"kernels share issues by their weights", test_weights},
    {"a mixed block takes an AIC and its own AIVs", test_mixed},
    {"a kernel that no core can run is a bad SQE", test_bad},
    {"each kind of kernel has a separate class", test_classes},
    {"the model stands still until a kernel is described", test_later},
    {"a kernel has its effect when its last block ends", test_effect},
    {"a kernel over its time limit fails with AI-core timeout", test_time_limit},
    {"a kernel that faults fails its queue and frees its cores", test_faults},
    {"a description that does not fit the blocks is refused", test_bad_description},
    {"a pause acts at the end of the running blocks", test_pause},
    {"kill, close and reset stop a kernel in its tracks", test_kill_close_reset},
    {"idle cores cost nothing", test_idle_costs_nothing},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim kernel", tests, TWIN_COUNT(tests), argc, argv);
}
