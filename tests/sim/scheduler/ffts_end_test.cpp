// SPDX-License-Identifier: Apache-2.0
/// FFTS+ tasks: bad tables, failures and faults, descriptions that come later, pauses and kills.
#include "contexts.h"

// T-FFT-3, T-FFT-12.
static void test_bad_tables()
{
    struct Case {
        std::vector<stars_ffts_context> table;
        uint32_t ready;
        uint32_t error, status;
    };
    stars_ffts_context waits = kernel(STARS_FFTS_AIV, 1, kWork, 1);
    stars_ffts_context header = copy(Rig::kHbm + 4096, Rig::kHbm, 64);
    header.word[19] = STARS_SDMA_OP_FILL;
    stars_ffts_context physical = value(Rig::kHbm, 1);
    physical.word[19] &= ~STARS_FFTS_W19_VIRTUAL;
    stars_ffts_context beyond = context_of(STARS_FFTS_AT_START, 0, {});
    beyond.word[19] = 1 | 1u << STARS_FFTS_W19_WINDOW_SHIFT; // of one thread, 0
    const Case cases[] = {
        {{beyond}, 1, STARS_ERROR_EXCEPTION, STARS_STATUS_FFTS_EXCEPTION},
        {{context_of(2, 0, {})}, 1, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE},
        {{kernel(STARS_FFTS_AIV, 1, kWork, 0, {1})}, 1, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE},
        {{waits}, 1, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE}, // ready, and waits for one
        {{kernel(STARS_FFTS_AIV, 0, kWork)}, 1, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE},
        {{notify(STARS_FFTS_NOTIFY_RECORD, 0xffff)}, 1, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE},
        {{header}, 1, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE},
        {{physical}, 1, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE},
        {{copy(Rig::kHbm, 0x50, 64)}, 1, STARS_ERROR_EXCEPTION, STARS_STATUS_BUS_FAULT},
        {{value(0x50, 1)}, 1, STARS_ERROR_EXCEPTION, STARS_STATUS_BUS_FAULT},
        // Nothing leads to the second; one too many leads to the third.
        {{kernel(STARS_FFTS_AIV, 1, kWork), waits},
         1,
         STARS_ERROR_EXCEPTION,
         STARS_STATUS_FFTS_EXCEPTION},
        {{label(0, {1, 1}), waits}, 1, STARS_ERROR_EXCEPTION, STARS_STATUS_FFTS_EXCEPTION},
        // Labels that lead to each other for ever.
        {{label(0, {1}), label(1, {2}), label(1, {1})},
         1,
         STARS_ERROR_EXCEPTION,
         STARS_STATUS_FFTS_EXCEPTION},
    };
    for (const Case &c : cases) {
        KernelRig k;
        teach(k);
        expect_failure(k, task(k.rig, c.table, c.ready), c.error, c.status);
    }
    // A circle is found in a large table too; all others in there wait for ever.
    std::vector<stars_ffts_context> large(65535, label(1, {}));
    large[0] = label(0, {1});
    large[1] = label(1, {2});
    large[2] = label(1, {1});
    KernelRig circle;
    expect_failure(circle, task(circle.rig, large, 1), STARS_ERROR_EXCEPTION,
                   STARS_STATUS_FFTS_EXCEPTION);
    // As many vector cores for a block as no block has.
    KernelRig many;
    many.kernels.set(kWork, {{}, {}, {}});
    expect_failure(many, task(many.rig, {kernel(STARS_FFTS_MIX_AIC, 1, kWork, 0, {}, 3)}, 1),
                   STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE);
    for (const uint32_t counts : {0u, 1u, 2u << 16 | 1u}) { // contexts and ready ones in the SQE
        KernelRig k;
        stars_sqe sqe = task(k.rig, {kernel(STARS_FFTS_AIV, 1, kWork)}, 1);
        sqe.word[6] = counts;
        expect_failure(k, sqe, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE);
    }
    KernelRig without([](tsim::Params &p) { p.ffts_contexts.value = 0; });
    expect_failure(without, task(without.rig, {kernel(STARS_FFTS_AIV, 1, kWork)}, 1),
                   STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE);
    KernelRig nowhere;
    stars_sqe sqe = task(nowhere.rig, {kernel(STARS_FFTS_AIV, 1, kWork)}, 1);
    sqe.word[STARS_FFTS_ADDRESS_WORD] = 0x50;
    sqe.word[STARS_FFTS_ADDRESS_WORD + 1] = 0;
    expect_failure(nowhere, sqe, STARS_ERROR_EXCEPTION, STARS_STATUS_BUS_FAULT);
}

// T-FFT-11: a kernel that fails takes the others with it; so does the time limit.
static void test_failures()
{
    KernelRig k;
    teach(k);
    k.kernels.set(20, {{work(TWIN_PIPE_SCALAR, 1800),
                        op(TWIN_PIPE_SCALAR, TWIN_STEP_FAULT, TWINSIM_KERNEL_EXCEPTION)}});
    expect_failure(
        k,
        task(k.rig,
             {kernel(STARS_FFTS_AIV, 40, kLong), kernel(STARS_FFTS_AIC, 1, 20),
              copy(Rig::kHbm, Rig::kHbm + (32 << 20), 32 << 20), notify(STARS_FFTS_NOTIFY_WAIT, 3)},
             4),
        STARS_ERROR_EXCEPTION, STARS_STATUS_AICORE_EXCEPTION);
    CU_ASSERT(k.rig.now() < 1000000);
    EXPECT_EQ(k.kernels.effects.size(), 1); // of the kernel afterwards

    KernelRig limited([](tsim::Params &p) { p.credit_unit.value = 50000; });
    teach(limited);
    const stars_sqe sqe = sqe_with_credit(
        task(limited.rig, {kernel(STARS_FFTS_AIV, 40, kLong), notify(STARS_FFTS_NOTIFY_WAIT, 3)},
             2),
        1);
    expect_failure(limited, sqe, STARS_ERROR_TIMEOUT, STARS_STATUS_AICORE_TIMEOUT);
}

/// A kernel and one after it, the next kernel hit by a fault. Time is from its first block to the
/// end of the task.
struct Hit {
    uint64_t ns;
    uint32_t blocks, effects, error, status;
};

static Hit run_hit(const twinsim_fault &fault)
{
    KernelRig k;
    teach(k);
    if (fault.times != 0)
        (void)k.rig.system().faults().inject(fault);
    k.kernels.on_effect = [&k] { // a description stays until the effect is there
        EXPECT_EQ(k.kernels.ends.size() + 1, k.kernels.effects.size());
    };
    k.rig.open(0);
    k.rig.put(0,
              task(k.rig,
                   {kernel(STARS_FFTS_AIV, 1, kWork, 0, {1}), kernel(STARS_FFTS_AIV, 1, kWork, 1)},
                   1),
              0);
    k.rig.run();
    const auto all = blocks(k, TWINSIM_ENGINE_AIV);
    const uint64_t begin = k.rig.phases(TWINSIM_PHASE_SETUP, 0).at(0).end_ns +
                           k.rig.params().ffts_start.value; // T-FFT-4, T-CORE-3
    const bool good = k.rig.retired(0) == 1;
    return {k.rig.phases(TWINSIM_PHASE_REPORT, 0).at(0).begin_ns - begin,
            static_cast<uint32_t>(all.size()), static_cast<uint32_t>(k.kernels.effects.size()),
            good ? 0u : k.rig.cqe(0, 0).u.error.code, good ? 0u : k.rig.cqe(0, 0).u.error.status};
}

// T-FLT-15 to T-FLT-17: the first kernel is hit; an error keeps its effect away, and ends the task.
static void test_faults()
{
    twinsim_fault fault{};
    fault.device = fault.stream = fault.id = TWINSIM_ANY;
    fault.task = STARS_SQE_AICORE;
    const Hit plain = run_hit(fault);
    EXPECT_EQ(plain.effects, 2);
    EXPECT_EQ(plain.error, 0);
    const uint64_t start = Rig().params().ffts_start.value;
    const uint64_t one = (plain.ns - start) / 2;

    fault.first = fault.times = 1;
    fault.kind = TWINSIM_FAULT_ENGINE_ERROR;
    const Hit failed = run_hit(fault);
    EXPECT_EQ(failed.blocks, 1);
    EXPECT_EQ(failed.effects, 0);
    EXPECT_EQ(failed.error, STARS_ERROR_EXCEPTION);
    EXPECT_EQ(failed.status, STARS_STATUS_AICORE_EXCEPTION);
    EXPECT_EQ(failed.ns, one);

    fault.kind = TWINSIM_FAULT_ENGINE_TIMEOUT;
    fault.duration_ns = 77000;
    const Hit late = run_hit(fault);
    EXPECT_EQ(late.effects, 0);
    EXPECT_EQ(late.error, STARS_ERROR_TIMEOUT);
    EXPECT_EQ(late.status, STARS_STATUS_AICORE_TIMEOUT);
    EXPECT_EQ(late.ns, 77000);

    fault.kind = TWINSIM_FAULT_ENGINE_SLOW;
    fault.duration_ns = 0;
    fault.factor_permille = 3000;
    const Hit slow = run_hit(fault);
    EXPECT_EQ(slow.effects, 2);
    EXPECT_EQ(slow.error, 0);
    EXPECT_EQ(slow.ns, plain.ns + 2 * one);
}

// T-CORE-2: descriptions of two kernels, one after the other; time stands still.
static void test_later()
{
    KernelRig k;
    teach(k);
    k.kernels.later = true;
    k.rig.open(0);
    k.rig.put(
        0, task(k.rig, {kernel(STARS_FFTS_AIV, 1, kWork), kernel(STARS_FFTS_AIC, 1, kWork)}, 2), 0);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(k.rig.run_until(1000000), TWINSIM_STOP_KERNEL);
        EXPECT_EQ(k.kernels.asked.size(), i + 1);
        EXPECT_EQ(k.kernels.asked.back().context, i);
        CU_ASSERT(k.rig.device().scheduler().give_kernel(0, 1, k.kernels.description(kWork)));
    }
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
    EXPECT_EQ(blocks(k, TWINSIM_ENGINE_AIC).at(0).begin_ns,
              blocks(k, TWINSIM_ENGINE_AIV).at(0).begin_ns + k.rig.params().core_issue.value);
}

// T-CORE-13: a pause comes before the description.
static void test_later_while_paused()
{
    KernelRig k;
    teach(k);
    k.kernels.later = true;
    tsim::TaskScheduler &scheduler = k.rig.device().scheduler();
    k.rig.open(0);
    k.rig.put(0, task(k.rig, {kernel(STARS_FFTS_AIV, 1, kWork)}, 1), 0);
    EXPECT_EQ(k.rig.run_until(1000000), TWINSIM_STOP_KERNEL);
    CU_ASSERT(scheduler.control(0, STARS_SQ_CONTROL_TASK_PAUSE));
    CU_ASSERT(scheduler.give_kernel(0, 1, k.kernels.description(kWork)));
    k.rig.run();
    EXPECT_EQ(k.rig.state(0), TWINSIM_QUEUE_HELD);
    EXPECT_EQ(blocks(k, TWINSIM_ENGINE_AIV).size(), 0);
    CU_ASSERT(scheduler.control(0, STARS_SQ_CONTROL_TASK_RESUME));
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
}

// T-CORE-13.
static void test_pause()
{
    KernelRig k([](tsim::Params &p) { p.aiv_cores.value = 2; });
    teach(k);
    tsim::TaskScheduler &scheduler = k.rig.device().scheduler();
    k.rig.open(0);
    k.rig.put(
        0,
        task(k.rig,
             {kernel(STARS_FFTS_AIV, 5, kWork, 0, {1}), copy(Rig::kHbm, Rig::kHbm + 64, 64, 1)}, 1),
        0);
    k.rig.run_until(5000);
    CU_ASSERT(scheduler.control(0, STARS_SQ_CONTROL_TASK_PAUSE));
    k.rig.run();
    EXPECT_EQ(k.rig.state(0), TWINSIM_QUEUE_HELD);
    EXPECT_EQ(blocks(k, TWINSIM_ENGINE_AIV).size(), 2);
    CU_ASSERT(scheduler.control(0, STARS_SQ_CONTROL_TASK_RESUME));
    k.rig.run_until(k.rig.now() + 15000); // the last wave is under way
    CU_ASSERT(scheduler.control(0, STARS_SQ_CONTROL_TASK_PAUSE));
    k.rig.run();
    EXPECT_EQ(k.rig.state(0), TWINSIM_QUEUE_HELD);
    EXPECT_EQ(k.rig.retired(0), 0);
    CU_ASSERT(scheduler.control(0, STARS_SQ_CONTROL_TASK_RESUME));
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 1);
    EXPECT_EQ(blocks(k, TWINSIM_ENGINE_AIV).size(), 5);
}

// T-CORE-12: nothing remains of a task that is killed in the middle of everything.
static void test_kill()
{
    for (int how = 0; how < 3; ++how) {
        KernelRig k;
        teach(k);
        tsim::TaskScheduler &scheduler = k.rig.device().scheduler();
        k.rig.open(0);
        k.rig.put(0,
                  task(k.rig,
                       {kernel(STARS_FFTS_AIV, 40, kLong), notify(STARS_FFTS_NOTIFY_WAIT, 3),
                        copy(Rig::kHbm, Rig::kHbm + (32 << 20), 32 << 20)},
                       3),
                  0);
        k.rig.run_until(10000);
        if (how == 0)
            CU_ASSERT(scheduler.control(0, STARS_SQ_CONTROL_TASK_KILL))
        else if (how == 1)
            scheduler.close(0);
        else
            k.rig.device().reset();
        const uint64_t at = k.rig.now();
        k.rig.open(1);
        k.rig.put(1, sqe_kernel(STARS_KERNEL_AIV, 40, kWork), at);
        k.rig.put(1, sqe_notify_record(3), at);
        k.rig.run();
        EXPECT_EQ(k.rig.retired(1), 2);
        EXPECT_EQ(k.rig.device().scheduler().notifies().flag(3), 1);
        CU_ASSERT(k.rig.now() < at + 100000);
    }
}

// T-FFT-11: two copies are complete in the same cycle, and one has no memory to go to.
static void test_copies_end_together()
{
    constexpr uint64_t kFirst = 32 << 20, kSecond = 40 << 20;
    for (const uint64_t gone : {kFirst, kSecond}) {
        KernelRig k;
        std::memset(k.rig.hbm(), 0x5a, 1 << 20);
        k.rig.open(0);
        k.rig.put(0,
                  task(k.rig,
                       {copy(Rig::kHbm + kFirst, Rig::kHbm, 1 << 20),
                        copy(Rig::kHbm + kSecond, Rig::kHbm, 1 << 20)},
                       2),
                  0);
        while (k.rig.system().now_ns() < 1000000 && k.rig.phases(TWINSIM_PHASE_SETUP, 0).empty())
            k.rig.run_until(k.rig.now() + 100);
        k.rig.run_until(k.rig.now() + k.rig.params().ffts_start.value +
                        k.rig.params().sdma_setup.value);
        k.rig.unmap(Rig::kHbm + gone);
        k.rig.run();
        expect_failed(k, STARS_ERROR_EXCEPTION, STARS_STATUS_BUS_FAULT);
        EXPECT_EQ(word_at(k.rig, kFirst), gone == kFirst ? 0 : 0x5a5a5a5a);
        EXPECT_EQ(word_at(k.rig, kSecond), 0);
    }
}

// T-FFT-11: a kernel fails and another one ends in the same cycle.
static void test_kernels_end_together()
{
    const StepList good = {work(TWIN_PIPE_SCALAR, kWorkCycles)};
    StepList bad = good;
    bad.push_back(op(TWIN_PIPE_SCALAR, TWIN_STEP_FAULT, TWINSIM_KERNEL_TRAP));
    StepList worse = good;
    worse.push_back(op(TWIN_PIPE_SCALAR, TWIN_STEP_FAULT, TWINSIM_KERNEL_EXCEPTION));
    struct Case {
        StepList first, second;
        uint32_t error, effects;
    };
    const Case cases[] = {{bad, good, STARS_ERROR_TRAP, 0},
                          {good, bad, STARS_ERROR_TRAP, 1},
                          {bad, worse, STARS_ERROR_TRAP, 0},
                          {worse, bad, STARS_ERROR_EXCEPTION, 0}};
    for (const Case &c : cases) {
        KernelRig k([](tsim::Params &p) { p.core_issue.value = 0; });
        k.kernels.set(20, {c.first});
        k.kernels.set(21, {c.second});
        k.rig.open(0);
        k.rig.put(0, task(k.rig, {kernel(STARS_FFTS_AIV, 1, 20), kernel(STARS_FFTS_AIV, 1, 21)}, 2),
                  0);
        k.rig.run();
        const auto all = blocks(k, TWINSIM_ENGINE_AIV);
        CU_ASSERT_FATAL(all.size() == 2);
        EXPECT_EQ(all[0].end_ns, all[1].end_ns);
        EXPECT_EQ(k.kernels.effects.size(), c.effects);
        EXPECT_EQ(k.kernels.ends.size(), 2);
        expect_failed(k, c.error, STARS_STATUS_AICORE_EXCEPTION);
    }
}

// T-FFT-3: the lists of a context that nothing leads to, which fails the task too, but later.
static void test_lists()
{
    enum List : uint32_t { kSuccessors, kStarts, kLabels };
    const auto fits = [](List list, uint32_t count, uint32_t last) {
        stars_ffts_context listing =
            context_of(list == kSuccessors ? STARS_FFTS_LABEL : STARS_FFTS_AT_END, 1, {});
        const uint32_t begin = list == kLabels ? STARS_FFTS_END_SLOTS : 0;
        listing.word[0] |= count << (list == kLabels ? STARS_FFTS_W0_LABELS_SHIFT
                                                     : STARS_FFTS_W0_SUCCESSORS_SHIFT);
        for (uint32_t i = begin; i < begin + count; ++i)
            listing.word[STARS_FFTS_LIST_WORD + i / 2] |= (i + 1 < begin + count ? 1 : last)
                                                          << (i % 2 * 16);
        KernelRig k;
        k.rig.open(0);
        k.rig.put(0, task(k.rig, {label(0, {}), listing}, 1), 0);
        k.rig.run();
        EXPECT_EQ(k.rig.state(0), TWINSIM_QUEUE_EXCEPTION);
        return k.rig.cqe(0, 0).u.error.code == STARS_ERROR_EXCEPTION;
    };
    const struct {
        List list;
        uint32_t most;
    } cases[] = {{kSuccessors, 26}, {kStarts, 12}, {kLabels, 12}};
    for (const auto &c : cases) {
        for (const uint32_t count : {uint32_t{1}, uint32_t{2}, c.most}) {
            CU_ASSERT(fits(c.list, count, 1));
            CU_ASSERT(!fits(c.list, count, 2));
            CU_ASSERT(!fits(c.list, count, 0xffff));
        }
        CU_ASSERT(!fits(c.list, c.most + 1, 1));
    }
}

// T-SQE-11: a table that fails while others of its contexts are ready and under way leaves nothing
// to the next one in its slot.
static void test_table_after_a_bad_one()
{
    for (const uint32_t ready : {3u, 70u}) { // more than can be under way
        KernelRig k([](tsim::Params &p) { p.slots.value = 1; });
        std::vector<stars_ffts_context> bad(ready, copy(Rig::kHbm + 4096, Rig::kHbm, 64));
        bad[0] = value(0x50, 7);
        k.rig.open(0);
        k.rig.put(0, task(k.rig, bad, ready), 0);
        k.rig.put(0, task(k.rig, {value(Rig::kHbm + 8192, 9)}, 1, kTable + (1 << 20)), 0);
        k.rig.run();
        EXPECT_EQ(k.rig.state(0), TWINSIM_QUEUE_EXCEPTION);
        CU_ASSERT(k.rig.device().scheduler().control(0, STARS_SQ_CONTROL_EXCEPTION_HANDLED));
        k.rig.run();
        EXPECT_EQ(k.rig.state(0), TWINSIM_QUEUE_IDLE);
        EXPECT_EQ(k.rig.retired(0), 2);
        EXPECT_EQ(word_at(k.rig, 8192), 9);
    }
}

// T-CORE-13: a pause that comes before the SQE is read, or while it waits for its share.
static void test_paused_before()
{
    for (const bool waits : {false, true}) {
        KernelRig k([](tsim::Params &p) { p.mixed_cap.value = 1; });
        teach(k);
        tsim::TaskScheduler &scheduler = k.rig.device().scheduler();
        k.rig.open(0);
        k.rig.open(1);
        if (waits)
            k.rig.put(1, task(k.rig, {kernel(STARS_FFTS_AIV, 1, kLong)}, 1, kTable + 4096), 0);
        k.rig.put(0, task(k.rig, {kernel(STARS_FFTS_AIV, 1, kWork)}, 1), waits ? 1 : 0);
        for (uint64_t at = 1; k.rig.state(0) == TWINSIM_QUEUE_IDLE && at < 10000; ++at)
            k.rig.run_until(at);
        if (waits) // the other one takes 1 ms
            k.rig.run_until(20000);
        CU_ASSERT(scheduler.control(0, STARS_SQ_CONTROL_TASK_PAUSE));
        k.rig.run();
        EXPECT_EQ(k.rig.state(0), TWINSIM_QUEUE_HELD);
        EXPECT_EQ(k.rig.retired(1), waits ? 1 : 0);
        EXPECT_EQ(k.kernels.asked.size(), waits ? 1 : 0);
        EXPECT_EQ(k.rig.retired(0), 0);
        CU_ASSERT(scheduler.control(0, STARS_SQ_CONTROL_TASK_RESUME));
        k.rig.run();
        EXPECT_EQ(k.rig.retired(0), 1);
    }
}

// T-FFT-4, T-CORE-13: a context has its whole start time, whatever pulses come meanwhile.
static void test_resume_early()
{
    uint64_t plain = 0;
    for (const uint32_t pulses :
         {uint32_t{0}, uint32_t{STARS_SQ_CONTROL_TASK_RESUME},
          STARS_SQ_CONTROL_TASK_PAUSE | uint32_t{STARS_SQ_CONTROL_TASK_RESUME}}) {
        KernelRig k;
        k.rig.open(0);
        k.rig.put(0, task(k.rig, {value(Rig::kHbm, 1)}, 1), 0);
        for (uint64_t at = 1; k.rig.phases(TWINSIM_PHASE_SETUP, 0).empty() && at < 10000; ++at)
            k.rig.run_until(at);
        if (pulses != 0)
            CU_ASSERT(k.rig.device().scheduler().control(0, pulses))
        k.rig.run();
        EXPECT_EQ(k.rig.retired(0), 1);
        const uint64_t end = k.rig.retired_at(0, 1);
        if (pulses == 0)
            plain = end;
        EXPECT_EQ(end, plain);
    }
}

// With seeds: each task ends, and the values are those of the plain machine.
static void test_seeds()
{
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        KernelRig k(nullptr, seed);
        teach(k);
        std::memset(k.rig.hbm(), 7, 4096);
        for (uint32_t sq = 0; sq < 8; ++sq) {
            k.rig.open(sq);
            const uint64_t to = (1 << 20) + uint64_t{sq} * 4096;
            k.rig.put(sq,
                      task(k.rig,
                           {copy(Rig::kHbm + to, Rig::kHbm, 4096, 0, {1}),
                            kernel(STARS_FFTS_AIV, 3, kWork, 1, {2}),
                            copy(Rig::kHbm + to + (1 << 20), Rig::kHbm + to, 4096, 1)},
                           1, kTable + uint64_t{sq} * 4096),
                      0);
        }
        k.rig.run();
        for (uint32_t sq = 0; sq < 8; ++sq) {
            EXPECT_EQ(k.rig.retired(sq), 1);
            EXPECT_EQ(word_at(k.rig, (2 << 20) + uint64_t{sq} * 4096 + 4092), 0x07070707);
        }
    }
}

static const twin_test tests[] = {
    {"T-FFT-3, T-FFT-12: tables that are bad", test_bad_tables},
    {"lists of successors, starts and labels that are too long or lead outside", test_lists},
    {"a table after one that failed", test_table_after_a_bad_one},
    {"T-FFT-11: what ends a task early", test_failures},
    {"T-FLT-15, T-FLT-16, T-FLT-17: faults that hit a kernel of a table", test_faults},
    {"T-FFT-8: descriptions that come later", test_later},
    {"a description that comes while the task is paused", test_later_while_paused},
    {"a paused task rests, and goes on", test_pause},
    {"nothing remains of a task that was killed", test_kill},
    {"T-FFT-11: copies that are complete in the same cycle", test_copies_end_together},
    {"T-FFT-11: kernels that end in the same cycle", test_kernels_end_together},
    {"a task that is paused before it starts", test_paused_before},
    {"pulses do not shorten the start of a context", test_resume_early},
    {"tasks end with every seed", test_seeds},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim ffts_end", tests, TWIN_COUNT(tests), argc, argv);
}
