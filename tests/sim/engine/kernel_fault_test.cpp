// SPDX-License-Identifier: Apache-2.0
/// Injected faults that hit kernels: errors, hanging and slow cores, and memory that the driver
/// reads for them.
#include <algorithm>

#include "kernels.h"

namespace
{

using tsim::FaultPlan;

constexpr uint64_t kPc = 5, kMixedPc = 6;
constexpr uint64_t kCycles = 18000; // of every block

twinsim_fault fault_of(twinsim_fault_kind kind)
{
    twinsim_fault fault{};
    fault.kind = kind;
    fault.device = fault.stream = fault.id = TWINSIM_ANY;
    fault.task = STARS_SQE_AICORE;
    fault.first = fault.times = 1;
    fault.access = TWINSIM_FAULT_READ;
    return fault;
}

void inject(KernelRig &k, const twinsim_fault &fault)
{
    const char *wrong = FaultPlan::check(fault);
    CU_ASSERT_PTR_NULL(wrong);
    if (!wrong)
        (void)k.rig.system().faults().inject(fault);
}

void teach(KernelRig &k)
{
    const StepList list = {work(TWIN_PIPE_VECTOR, kCycles)};
    k.kernels.set(kPc, {list});
    k.kernels.set(kMixedPc, {list, list, list});
    k.rig.open(0);
    k.rig.open(1);
}

stars_sqe kernel(uint32_t blocks)
{
    return sqe_kernel(STARS_KERNEL_AIV, blocks, kPc);
}

void expect_error(Rig &rig, uint32_t sq, uint32_t index, uint32_t error, uint32_t status)
{
    const stars_cqe &cqe = rig.cqe(sq, index);
    CU_ASSERT((cqe.flags & STARS_CQE_ERROR) != 0);
    EXPECT_EQ(cqe.u.error.code, error);
    EXPECT_EQ(cqe.u.error.status, status);
}

/// Of a queue's kernel: from the issue of its first block to its end.
twinsim_trace_entry ran(KernelRig &k, uint32_t sq, size_t which = 0)
{
    return k.rig.phases(TWINSIM_PHASE_KERNEL, sq).at(which);
}

uint64_t length(const twinsim_trace_entry &entry)
{
    return entry.end_ns - entry.begin_ns;
}

void pulse(KernelRig &k, uint32_t sq, uint32_t bits)
{
    EXPECT_EQ(k.rig.device().write(uint64_t{sq} * STARS_SQ_PAGE + STARS_SQ_CONTROL, bits),
              TWINSIM_OK);
}

} // namespace

// T-FLT-15, T-CORE-12: the error comes when the last block has ended, after the time of the report;
// the next kernel is well.
static void test_error()
{
    KernelRig plain;
    teach(plain);
    plain.rig.put(0, kernel(3), 0);
    plain.rig.run();
    for (uint32_t given = 0; given < 2; ++given) {
        KernelRig k;
        teach(k);
        twinsim_fault fault = fault_of(TWINSIM_FAULT_ENGINE_ERROR);
        fault.error = given ? STARS_ERROR_TRAP : 0;
        fault.status = given ? STARS_STATUS_COPY_ERROR : 0;
        inject(k, fault);
        k.rig.put(0, kernel(3), 0);
        k.rig.put(0, kernel(3), 0);
        k.rig.run();
        EXPECT_EQ(k.rig.retired(0), 0);
        expect_error(k.rig, 0, 0, given ? STARS_ERROR_TRAP : STARS_ERROR_EXCEPTION,
                     given ? STARS_STATUS_COPY_ERROR : STARS_STATUS_AICORE_EXCEPTION);
        CU_ASSERT(k.kernels.effects.empty());
        EXPECT_EQ(k.kernels.ends.size(), 1);
        EXPECT_EQ(ran(k, 0).end_ns, ran(plain, 0).end_ns);
        const auto report = k.rig.phases(TWINSIM_PHASE_REPORT, 0).at(0);
        EXPECT_EQ(report.begin_ns, ran(k, 0).end_ns);
        EXPECT_EQ(length(report), k.rig.params().core_report.value);
        pulse(k, 0, STARS_SQ_CONTROL_EXCEPTION_HANDLED);
        k.rig.run();
        EXPECT_EQ(k.rig.retired(0), 2);
        EXPECT_EQ(k.kernels.effects.size(), 1);
    }
}

// T-FLT-16: its blocks keep the cores they have, others get the rest; a credit or a kill ends it.
static void test_hang()
{
    KernelRig k([](tsim::Params &p) {
        p.aiv_cores.value = 4;
        p.credit_unit.value = 100000;
    });
    teach(k);
    twinsim_fault fault = fault_of(TWINSIM_FAULT_ENGINE_HANG);
    fault.stream = 0;
    fault.times = 2;
    inject(k, fault);
    k.rig.put(0, kernel(3), 0);
    k.rig.run(); // nothing is left to happen
    EXPECT_EQ(k.rig.state(0), TWINSIM_QUEUE_KERNEL);
    k.rig.put(1, kernel(2), k.rig.now());
    k.rig.run();
    EXPECT_EQ(k.rig.retired(1), 1);
    const auto waves = k.rig.phases(TWINSIM_PHASE_BLOCK, 1); // one core was left
    CU_ASSERT(waves.at(1).begin_ns >= waves.at(0).end_ns);
    EXPECT_EQ(waves.at(0).id, 3);
    EXPECT_EQ(waves.at(1).id, 3);
    pulse(k, 0, STARS_SQ_CONTROL_TASK_KILL | STARS_SQ_CONTROL_TASK_RESUME);
    EXPECT_EQ(k.rig.retired(0), 1);
    EXPECT_EQ(k.kernels.effects.size(), 1); // the other's

    k.rig.put(0, sqe_with_credit(kernel(9), 2), k.rig.now()); // more blocks than cores
    k.rig.run();
    expect_error(k.rig, 0, 0, STARS_ERROR_TIMEOUT, STARS_STATUS_AICORE_TIMEOUT);
    EXPECT_EQ(length(ran(k, 0, k.rig.phases(TWINSIM_PHASE_KERNEL, 0).size() - 1)), 200000);
    pulse(k, 0, STARS_SQ_CONTROL_EXCEPTION_HANDLED);
    k.rig.put(0, kernel(4), k.rig.now()); // all cores are there again
    k.rig.run();
    EXPECT_EQ(k.rig.retired(0), 3);
    EXPECT_EQ(k.kernels.effects.size(), 2);
    EXPECT_EQ(k.kernels.ends.size(), 4);
}

// T-FLT-16: the fault's own time, and a credit that comes before it; all cores of a mixed block
// stand still.
static void test_time_out()
{
    constexpr uint64_t kGiveUp = 123456, kUnit = 50000;
    struct Case {
        uint32_t credit;
        uint64_t time;
        uint32_t given, status;
    };
    const Case cases[] = {
        {0, kGiveUp, 0, STARS_STATUS_AICORE_TIMEOUT},
        {3, kGiveUp, 0, STARS_STATUS_AICORE_TIMEOUT},
        {3, kGiveUp, STARS_STATUS_COPY_ERROR, STARS_STATUS_COPY_ERROR},
        {2, 2 * kUnit, STARS_STATUS_COPY_ERROR, STARS_STATUS_AICORE_TIMEOUT},
    };
    for (const Case &c : cases) {
        for (const bool mixed : {false, true}) {
            KernelRig k([](tsim::Params &p) { p.credit_unit.value = kUnit; });
            teach(k);
            twinsim_fault fault = fault_of(TWINSIM_FAULT_ENGINE_TIMEOUT);
            fault.duration_ns = kGiveUp;
            fault.status = c.given;
            inject(k, fault);
            const stars_sqe sqe = mixed ? sqe_kernel(STARS_KERNEL_MIXED, 2, kMixedPc) : kernel(2);
            k.rig.put(0, c.credit ? sqe_with_credit(sqe, c.credit) : sqe, 0);
            k.rig.run();
            expect_error(k.rig, 0, 0, STARS_ERROR_TIMEOUT, c.status);
            EXPECT_EQ(length(ran(k, 0)), c.time);
            CU_ASSERT(k.kernels.effects.empty());
            EXPECT_EQ(k.rig.phases(TWINSIM_PHASE_BLOCK, 0).size(), mixed ? 6 : 2);
            pulse(k, 0, STARS_SQ_CONTROL_EXCEPTION_HANDLED);
            k.rig.put(0, sqe, k.rig.now());
            k.rig.run();
            EXPECT_EQ(k.rig.retired(0), 2);
        }
    }
}

// T-FLT-17: the end, and with it effect and report, come later; the cores are free as ever.
static void test_slow()
{
    const auto one_core = [](tsim::Params &p) {
        p.aiv_cores.value = 1;
        p.credit_unit.value = 20000;
    };
    KernelRig plain(one_core);
    teach(plain);
    plain.rig.put(0, kernel(2), 0);
    plain.rig.run();
    twinsim_fault fault = fault_of(TWINSIM_FAULT_ENGINE_SLOW);
    fault.factor_permille = 3500;
    fault.stream = 0;

    KernelRig k(one_core);
    teach(k);
    inject(k, fault);
    const uint64_t slow = (length(ran(plain, 0)) * 7 + 1) / 2;
    k.rig.put(0, kernel(2), 0);
    k.rig.run_until(ran(plain, 0).end_ns + 1);
    CU_ASSERT(k.kernels.effects.empty());
    pulse(k, 0, STARS_SQ_CONTROL_TASK_PAUSE); // without a block left it changes nothing
    pulse(k, 0, STARS_SQ_CONTROL_TASK_RESUME);
    k.rig.put(1, kernel(1), k.rig.now());
    k.rig.run_until(ran(plain, 0).begin_ns + slow - 1);
    EXPECT_EQ(k.kernels.effects.size(), 1);
    k.rig.run();
    EXPECT_EQ(length(ran(k, 0)), slow);
    CU_ASSERT(ran(k, 1).end_ns < ran(k, 0).end_ns);
    EXPECT_EQ(k.rig.retired(0), 1);
    EXPECT_EQ(k.rig.retired(1), 1);
    EXPECT_EQ(k.kernels.effects.size(), 2);
    EXPECT_EQ(k.kernels.effects.at(1).sq, 0);
    EXPECT_EQ(k.kernels.ends.size(), 2);

    // Its credit passes when its blocks have long ended.
    KernelRig limited(one_core);
    teach(limited);
    fault.factor_permille = 1000000;
    inject(limited, fault);
    limited.rig.put(0, sqe_with_credit(kernel(1), 3), 0);
    limited.rig.run();
    expect_error(limited.rig, 0, 0, STARS_ERROR_TIMEOUT, STARS_STATUS_AICORE_TIMEOUT);
    EXPECT_EQ(length(ran(limited, 0)), 60000);
    CU_ASSERT(limited.kernels.effects.empty());
    EXPECT_EQ(limited.kernels.ends.size(), 1);

    // And one that is killed then.
    KernelRig killed(one_core);
    teach(killed);
    inject(killed, fault);
    killed.rig.put(0, kernel(1), 0);
    killed.rig.run_until(2 * ran(plain, 0).end_ns);
    pulse(killed, 0, STARS_SQ_CONTROL_TASK_KILL | STARS_SQ_CONTROL_TASK_RESUME);
    EXPECT_EQ(killed.rig.retired(0), 1);
    EXPECT_EQ(killed.kernels.ends.size(), 1);
    killed.rig.put(0, kernel(1), killed.rig.now());
    killed.rig.run();
    EXPECT_EQ(killed.rig.retired(0), 2);
    EXPECT_EQ(killed.kernels.effects.size(), 1);
}

// T-FLT-5, T-FLT-10, T-FLT-11, T-FLT-13: what hits any SQE hits kernels too.
static void test_other_kinds()
{
    for (const twinsim_fault_kind kind :
         {TWINSIM_FAULT_BAD_SQE, TWINSIM_FAULT_COMPLETION_LOST, TWINSIM_FAULT_CQ_FULL}) {
        KernelRig k;
        teach(k);
        twinsim_fault fault = fault_of(kind);
        fault.duration_ns = kind == TWINSIM_FAULT_BAD_SQE ? 0 : 70000;
        inject(k, fault);
        stars_sqe sqe = kernel(1);
        sqe.word[0] |= STARS_W0_WR_CQE;
        k.rig.put(0, sqe, 0);
        k.rig.run();
        if (kind == TWINSIM_FAULT_BAD_SQE) {
            expect_error(k.rig, 0, 0, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE);
            CU_ASSERT(k.kernels.asked.empty());
        } else {
            EXPECT_EQ(k.rig.retired(0), 1);
            EXPECT_EQ(k.kernels.effects.size(), 1);
            CU_ASSERT(k.rig.retired_at(0, 1) >= ran(k, 0).end_ns + 70000);
        }
    }
}

// T-FLT-18, T-FLT-4: what the driver touches is hit, and noted once for one instant; the kernel
// fails as it says.
static void test_memory()
{
    KernelRig k;
    teach(k);
    twinsim_fault fault = fault_of(TWINSIM_FAULT_MEMORY);
    fault.task = TWINSIM_ANY;
    fault.address = Rig::kHbm + 4096;
    fault.bytes = 64;
    inject(k, fault);
    FaultPlan &plan = k.rig.system().faults();
    EXPECT_EQ(plan.touch(0, Rig::kHbm, 4096, TWINSIM_READ), 0);
    EXPECT_EQ(plan.touch(0, Rig::kHbm + 4160, 64, TWINSIM_READ), 0);
    EXPECT_EQ(plan.touch(0, Rig::kHbm + 4096, 64, TWINSIM_WRITE), 0);
    EXPECT_EQ(plan.touch(0, Rig::kHbm, 4097, TWINSIM_READ), STARS_STATUS_POISON);
    EXPECT_EQ(plan.touch(0, Rig::kHbm + 4159, 1, TWINSIM_READ), STARS_STATUS_POISON);
    EXPECT_EQ(plan.errors(0, nullptr, 0), 1);
    uint64_t times = 0;
    CU_ASSERT(plan.triggered(1, times));
    EXPECT_EQ(times, 1);
    CU_ASSERT(plan.repair(0, Rig::kHbm + 4096, 64));
    EXPECT_EQ(plan.touch(0, Rig::kHbm + 4096, 64, TWINSIM_READ), 0);

    const struct {
        twinsim_kernel_fault fault;
        uint32_t status;
    } cases[] = {{TWINSIM_KERNEL_POISON, STARS_STATUS_POISON},
                 {TWINSIM_KERNEL_LINK, STARS_STATUS_LINK}};
    for (const auto &c : cases) {
        KernelRig at_start, in_block, at_end;
        for (KernelRig *rig : {&at_start, &in_block, &at_end})
            teach(*rig);
        at_start.kernels.fail(kPc, c.fault);
        in_block.kernels.set(kPc,
                             {{op(TWIN_PIPE_MTE2, TWIN_STEP_FAULT, TWINSIM_KERNEL_EXCEPTION)}});
        in_block.kernels.say_exception(kPc, c.fault);
        at_end.kernels.fail_effect(c.fault);
        for (KernelRig *rig : {&at_start, &in_block, &at_end}) {
            rig->rig.put(0, kernel(1), 0);
            rig->rig.run();
            expect_error(rig->rig, 0, 0, STARS_ERROR_EXCEPTION, c.status);
        }
        // Another fault of it keeps its own status.
        KernelRig trapped;
        teach(trapped);
        trapped.kernels.set(kPc, {{op(TWIN_PIPE_SCALAR, TWIN_STEP_FAULT, TWINSIM_KERNEL_TRAP)}});
        trapped.kernels.say_exception(kPc, c.fault);
        trapped.rig.put(0, kernel(1), 0);
        trapped.rig.run();
        expect_error(trapped.rig, 0, 0, STARS_ERROR_TRAP, STARS_STATUS_AICORE_EXCEPTION);
    }
}

static const twin_test tests[] = {
    {"a kernel hit by an engine error fails when its blocks have ended", test_error},
    {"hanging cores stay taken until a credit or a kill", test_hang},
    {"hanging cores time out after the fault's time", test_time_out},
    {"slow cores end later and free their cores before", test_slow},
    {"other kinds hit kernels as any task", test_other_kinds},
    {"memory that has failed hits accesses of the driver", test_memory},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim kernel fault", tests, TWIN_COUNT(tests), argc, argv);
}
