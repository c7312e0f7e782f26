// SPDX-License-Identifier: Apache-2.0
/// Injected faults that hit CQEs: of tasks that asked for one, and of those that fail. Rules
/// T-FLT-10, T-FLT-11, T-FLT-13.
#include "rig.h"

namespace
{

twinsim_fault fault_of(twinsim_fault_kind kind)
{
    twinsim_fault fault{};
    fault.kind = kind;
    fault.device = fault.stream = fault.task = fault.id = TWINSIM_ANY;
    fault.first = fault.times = 1;
    return fault;
}

uint32_t inject(Rig &rig, const twinsim_fault &fault)
{
    CU_ASSERT_PTR_NULL(tsim::FaultPlan::check(fault));
    return rig.system().faults().inject(fault);
}

uint64_t times(Rig &rig, uint32_t number)
{
    uint64_t out = 0;
    CU_ASSERT(rig.system().faults().triggered(number, out));
    return out;
}

stars_sqe copy()
{
    return sqe_sdma(Rig::kHbm + 4096, Rig::kHbm, 4096);
}

void go_on(Rig &rig)
{
    EXPECT_EQ(rig.device().write(STARS_SQ_CONTROL, STARS_SQ_CONTROL_EXCEPTION_HANDLED), TWINSIM_OK);
}

void expect_engine_error(Rig &rig, uint32_t index)
{
    CU_ASSERT((rig.cqe(0, index).flags & STARS_CQE_ERROR) != 0);
    EXPECT_EQ(rig.cqe(0, index).u.error.status, STARS_STATUS_DMA_ERROR);
}

} // namespace

// T-FLT-10, T-FLT-11: without its CQE a failed SQE stands still, and no report follows.
static void test_lost_error()
{
    for (const auto kind : {TWINSIM_FAULT_COMPLETION_LOST, TWINSIM_FAULT_CQE_LOST}) {
        Rig rig;
        rig.open(0);
        inject(rig, fault_of(kind));
        inject(rig, fault_of(TWINSIM_FAULT_BAD_SQE));
        rig.put(0, sqe_with_cqe(sqe_placeholder()), 0);
        EXPECT_EQ(rig.system().run(TWINSIM_NEVER, UINT32_MAX), TWINSIM_STOP_IDLE);
        EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_EXCEPTION);
        EXPECT_EQ(rig.cqe(0, 0).flags, 0);
        EXPECT_EQ(rig.device().scheduler().take_interrupt(), tsim::kNone);
        go_on(rig);
        EXPECT_EQ(rig.retired(0), 1);
    }
}

// T-FLT-11: only those that ask for one are counted.
static void test_lost_cqe()
{
    Rig rig;
    rig.open(0);
    twinsim_fault fault = fault_of(TWINSIM_FAULT_CQE_LOST);
    fault.first = 2;
    inject(rig, fault);
    rig.put(0, sqe_placeholder(), 0);
    for (uint32_t i = 0; i < 3; ++i)
        rig.put(0, sqe_with_cqe(sqe_placeholder()), 0);
    rig.run();
    EXPECT_EQ(rig.retired(0), 4);
    EXPECT_EQ(rig.cqe(0, 0).task_id, 2);
    EXPECT_EQ(rig.cqe(0, 1).task_id, 4);
    EXPECT_EQ(rig.cqe(0, 2).flags, 0);
}

// T-FLT-11, T-FLT-13: an SQE that fails writes a CQE even without the CQE flag; it counts like any
// other.
static void test_cqe_of_a_failure()
{
    for (const auto kind : {TWINSIM_FAULT_CQE_LOST, TWINSIM_FAULT_CQ_FULL}) {
        Rig rig;
        rig.open(0);
        twinsim_fault fault = fault_of(kind);
        fault.task = STARS_SQE_SDMA;
        fault.first = 2;
        fault.duration_ns = kind == TWINSIM_FAULT_CQ_FULL ? 3000 : 0;
        const uint32_t number = inject(rig, fault);
        fault = fault_of(TWINSIM_FAULT_ENGINE_ERROR);
        fault.first = 2;
        fault.times = 0;
        inject(rig, fault);
        rig.put(0, copy(), 0);
        rig.put(0, copy(), 0);
        rig.put(0, sqe_event_record(2), 0);
        rig.put(0, copy(), 0);
        rig.run();
        EXPECT_EQ(times(rig, number), 0); // the good copy wrote none, and one has failed
        expect_engine_error(rig, 0);
        go_on(rig);
        rig.run();
        EXPECT_EQ(rig.retired(0), 3);
        EXPECT_EQ(times(rig, number), 1);
        EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_EXCEPTION);
        twinsim_queue_info info{};
        rig.device().scheduler().inspect(0, info);
        CU_ASSERT(info.faulted);
        if (kind == TWINSIM_FAULT_CQE_LOST) {
            EXPECT_EQ(rig.cqe(0, 1).flags, 0);
            continue;
        }
        expect_engine_error(rig, 1);
        const auto holds = rig.phases(TWINSIM_PHASE_HOLD, 0);
        CU_ASSERT_FATAL(holds.size() == 1);
        EXPECT_EQ(holds[0].end_ns - holds[0].begin_ns, 3000);
    }
}

// T-FLT-13: until its time has passed, though the host takes every entry.
static void test_full_cq()
{
    for (const bool failing : {false, true}) {
        Rig rig;
        rig.open(0);
        twinsim_fault fault = fault_of(TWINSIM_FAULT_CQ_FULL);
        fault.duration_ns = 3000;
        inject(rig, fault);
        if (failing)
            inject(rig, fault_of(TWINSIM_FAULT_BAD_SQE));
        rig.put(0, sqe_with_cqe(sqe_placeholder()), 0);
        EXPECT_EQ(rig.system().run(TWINSIM_NEVER, UINT32_MAX), TWINSIM_STOP_CQ);
        EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_HELD);
        const uint64_t held = rig.now();
        rig.run_until(held + 1000);
        CU_ASSERT(rig.device().scheduler().set_cq_head(0, 0));
        EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_HELD);
        rig.run();
        CU_ASSERT((rig.cqe(0, 0).flags & STARS_CQE_PHASE) != 0);
        EXPECT_EQ(rig.now() - held, 3000);
        EXPECT_EQ(rig.state(0), failing ? TWINSIM_QUEUE_EXCEPTION : TWINSIM_QUEUE_IDLE);
    }
}

static const twin_test tests[] = {
    {"an error whose entry is lost stands still", test_lost_error},
    {"a lost entry moves the head all the same", test_lost_cqe},
    {"the entry of a failure is lost or held like any other", test_cqe_of_a_failure},
    {"a full completion queue holds those that need it", test_full_cq},
};

int main(int argc, char **argv)
{
    return twin_run_suite("fault_report", tests, TWIN_COUNT(tests), argc, argv);
}
