// SPDX-License-Identifier: Apache-2.0
/// Injected faults and the life of a queue: what is left of one when software ends it, or its
/// queue, before its time.
#include "rig.h"

namespace
{

twinsim_fault fault_of(twinsim_fault_kind kind)
{
    twinsim_fault fault{};
    fault.kind = kind;
    fault.device = fault.stream = fault.task = fault.id = TWINSIM_ANY;
    fault.first = fault.times = 1;
    fault.access = TWINSIM_FAULT_READ;
    return fault;
}

uint32_t inject(Rig &rig, const twinsim_fault &fault)
{
    CU_ASSERT_PTR_NULL(tsim::FaultPlan::check(fault));
    return rig.system().faults().inject(fault);
}

void pulse(Rig &rig, uint32_t bits)
{
    EXPECT_EQ(rig.device().write(STARS_SQ_CONTROL, bits), TWINSIM_OK);
}

} // namespace

// T-FLT-10: a resume ends the hold for good, also when nothing comes after it; the fault's time
// means nothing any more.
static void test_resume_before_the_time()
{
    for (const uint32_t what : {STARS_SQ_CONTROL_TASK_RESUME, STARS_SQ_CONTROL_TASK_KILL}) {
        Rig rig;
        rig.open(0);
        twinsim_fault fault = fault_of(TWINSIM_FAULT_COMPLETION_LOST);
        fault.duration_ns = 1000000;
        inject(rig, fault);
        rig.put(0, sqe_event_record(1), 0);
        rig.run_until(500000);
        EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_HELD);
        pulse(rig, what | STARS_SQ_CONTROL_TASK_RESUME);
        EXPECT_EQ(rig.retired(0), 1);
        EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_IDLE);
        rig.run();
        EXPECT_EQ(rig.now(), 500000); // nothing was left to happen
        EXPECT_EQ(rig.retired(0), 1);
        // What comes before the fault's time has passed is seen when it comes.
        rig.put(0, sqe_placeholder(), 600000);
        rig.run();
        EXPECT_EQ(rig.retired(0), 2);
        CU_ASSERT(rig.now() < 1000000);
    }
}

// T-FLT-13, T-CQ-4: so does a CQ head that the host moves while an injected full CQ holds: not
// before the time.
static void test_full_queue_with_a_time()
{
    Rig rig;
    rig.open(0);
    twinsim_fault fault = fault_of(TWINSIM_FAULT_CQ_FULL);
    fault.duration_ns = 100000;
    inject(rig, fault);
    rig.put(0, sqe_with_cqe(sqe_placeholder()), 0);
    rig.run_until(50000);
    EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_HELD);
    CU_ASSERT(rig.device().scheduler().set_cq_head(0, 0));
    EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_HELD);
    rig.run();
    EXPECT_EQ(rig.retired(0), 1);
    const auto holds = rig.phases(TWINSIM_PHASE_HOLD, 0);
    CU_ASSERT_FATAL(!holds.empty());
    EXPECT_EQ(holds.back().end_ns - holds.front().begin_ns, 100000);
}

// T-FLT-3: a lost completion and a full CQ hit one SQE, each with its own time, one after the
// other.
static void test_two_holds()
{
    for (const bool full_first : {false, true}) {
        Rig rig;
        rig.open(0);
        twinsim_fault lost = fault_of(TWINSIM_FAULT_COMPLETION_LOST);
        lost.duration_ns = 3000;
        twinsim_fault full = fault_of(TWINSIM_FAULT_CQ_FULL);
        full.duration_ns = 70000;
        inject(rig, full_first ? full : lost);
        inject(rig, full_first ? lost : full);
        rig.put(0, sqe_with_cqe(sqe_placeholder()), 0);
        rig.run();
        EXPECT_EQ(rig.retired(0), 1);
        const auto holds = rig.phases(TWINSIM_PHASE_HOLD, 0);
        CU_ASSERT_FATAL(holds.size() == 2);
        EXPECT_EQ(holds[0].id, TWINSIM_HOLD_LOST);
        EXPECT_EQ(holds[0].end_ns - holds[0].begin_ns, 3000);
        EXPECT_EQ(holds[1].id, TWINSIM_HOLD_CQ);
        EXPECT_EQ(holds[1].end_ns - holds[1].begin_ns, 70000);
    }
}

// Times are sums, and files hold them as numbers of JSON: exact up to 2^53.
static void test_durations()
{
    twinsim_fault fault = fault_of(TWINSIM_FAULT_COMPLETION_LOST);
    for (const uint64_t beyond :
         {TWINSIM_FAULT_DURATION_MOST + 1, uint64_t{INT64_MAX}, UINT64_MAX}) {
        fault.duration_ns = beyond;
        CU_ASSERT_PTR_NOT_NULL(tsim::FaultPlan::check(fault));
    }
    // The longest, as often as there can be faults: each comes out to the ns.
    constexpr uint64_t kTimes = 256;
    fault.duration_ns = TWINSIM_FAULT_DURATION_MOST;
    fault.times = kTimes;
    CU_ASSERT(kTimes * TWINSIM_FAULT_DURATION_MOST < uint64_t{1} << 53);
    Rig rig;
    rig.open(0, 0, 512);
    inject(rig, fault);
    for (uint64_t i = 0; i < kTimes; ++i)
        rig.put(0, sqe_placeholder(), 0);
    rig.run();
    EXPECT_EQ(rig.retired(0), kTimes);
    const auto holds = rig.phases(TWINSIM_PHASE_HOLD, 0);
    EXPECT_EQ(holds.size(), kTimes);
    for (const auto &hold : holds)
        EXPECT_EQ(hold.end_ns - hold.begin_ns, TWINSIM_FAULT_DURATION_MOST);
}

// T-FLT-12: a queue that closes takes its lost doorbell along; the next one under this number is
// rung for by itself.
static void test_lost_doorbell_of_a_closed_queue()
{
    Rig rig;
    rig.open(0);
    const tsim::Params &p = rig.params();
    // An earlier life of the ring leaves old times.
    for (int i = 0; i < 20; ++i)
        rig.put(0, sqe_placeholder(), 0);
    rig.run();
    inject(rig, fault_of(TWINSIM_FAULT_DOORBELL_LOST));
    for (int i = 0; i < 10; ++i)
        rig.put(0, sqe_placeholder(), rig.now());
    rig.run();
    EXPECT_EQ(rig.retired(0), 20);
    rig.device().scheduler().close(0);

    rig.open(0);
    const uint64_t at = rig.now() + 1000000;
    for (int i = 0; i < 5; ++i)
        rig.put(0, sqe_placeholder(), at);
    rig.run();
    EXPECT_EQ(rig.retired(0), 5);
    EXPECT_EQ(rig.retired_at(0, 1), at + p.arbitration.value + p.record_read.value +
                                        p.slot_enable.value + p.fetch_read.value + p.decode.value +
                                        p.retire.value);
}

// T-FLT-12, T-RMT-2: a record on another device can be lost too; the SQE retires as ever.
static void test_lost_record_on_another_device()
{
    Rig::Options two;
    two.devices = 2;
    for (const bool event : {false, true}) {
        Rig rig(two, nullptr);
        rig.open(0);
        twinsim_fault fault = fault_of(TWINSIM_FAULT_RECORD_LOST);
        fault.task = STARS_SQE_WRITE_VALUE;
        const uint32_t number = inject(rig, fault);
        const auto &peer = rig.device(1).scheduler();
        stars_sqe sqe = sqe_write_value(
            STARS_PEER(1) + (event ? STARS_EVENT_ENTRY(9) : STARS_NOTIFY_ENTRY(9)), 2, 1);
        sqe.word[5] &= ~STARS_W5_VIRTUAL;
        rig.put(0, sqe, 0);
        rig.run();
        EXPECT_EQ(rig.retired(0), 1);
        uint64_t hit = 0;
        CU_ASSERT(rig.system().faults().triggered(number, hit));
        EXPECT_EQ(hit, 1);
        CU_ASSERT_FALSE(event ? peer.events().flag(9) : peer.notifies().flag(9));
        const uint64_t first = rig.retired_at(0, 1);
        rig.put(0, sqe, first);
        rig.run();
        CU_ASSERT(event ? peer.events().flag(9) : peer.notifies().flag(9));
        const auto tables = rig.phases(TWINSIM_PHASE_TABLE, 0);
        CU_ASSERT_FATAL(tables.size() == 4); // a store and the way, each
        EXPECT_EQ(tables[1].end_ns - tables[0].begin_ns, tables[3].end_ns - tables[2].begin_ns);
    }
}

// T-FLT-8: a time that has more than 64 bits when it is multiplied is as long as it should be; one
// that is too long for the clock does not end by itself.
static void test_slow_beyond_measure()
{
    for (const uint64_t setup : {UINT64_C(20000000000000), UINT64_C(9000000000000000000)}) {
        Rig rig([setup](tsim::Params &p) {
            p.sdma_setup.value = setup;
            p.sdma_setup.jitter = 0;
        });
        twinsim_fault fault = fault_of(TWINSIM_FAULT_ENGINE_SLOW);
        fault.factor_permille = 1000000;
        inject(rig, fault);
        rig.open(0);
        rig.put(0, sqe_sdma(Rig::kHbm, Rig::kHbm + 4096, 64), 0);
        rig.run_until(setup / 2);
        EXPECT_EQ(rig.retired(0), 0);
        const uint64_t begun = rig.phases(TWINSIM_PHASE_DECODE, 0).at(0).end_ns;
        if (setup < UINT64_C(1) << 60) {
            rig.run();
            EXPECT_EQ(rig.retired(0), 1);
            const auto record = rig.phases(TWINSIM_PHASE_SETUP, 0).at(0);
            EXPECT_EQ(record.begin_ns, begun);
            EXPECT_EQ(record.end_ns, begun + setup * 1000);
        } else {
            rig.run_until(UINT64_C(18000000000000000000)); // five centuries
            EXPECT_EQ(rig.retired(0), 0);
            pulse(rig, STARS_SQ_CONTROL_TASK_KILL | STARS_SQ_CONTROL_TASK_TERMINATE);
        }
    }
}

static const twin_test tests[] = {
    {"a resume before the time of a lost completion", test_resume_before_the_time},
    {"an injected full CQ keeps its time", test_full_queue_with_a_time},
    {"a lost completion and a full CQ on one SQE", test_two_holds},
    {"durations stay within the clock", test_durations},
    {"a lost doorbell goes with its queue", test_lost_doorbell_of_a_closed_queue},
    {"records on other devices can be lost", test_lost_record_on_another_device},
    {"a slow engine is slow beyond measure", test_slow_beyond_measure},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim fault life", tests, TWIN_COUNT(tests), argc, argv);
}
