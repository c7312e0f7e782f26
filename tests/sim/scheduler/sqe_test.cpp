// SPDX-License-Identifier: Apache-2.0
/// One SQE: holds, CQEs, failures, time limits, write-value.
#include <cstring>

#include "rig.h"

namespace
{

constexpr uint64_t kSecond = 1000000000;

bool control(Rig &rig, uint32_t sq, uint32_t pulses)
{
    return rig.device().scheduler().control(sq, pulses);
}

stars_sqe with_w0(stars_sqe sqe, uint32_t bits)
{
    sqe.word[0] |= bits;
    return sqe;
}

} // namespace

// T-CQ-2, T-SQE-6, T-TIM-5.
static void test_cqe_of_a_record()
{
    Rig rig;
    rig.open(5);
    rig.put(5, sqe_event_record(1), 33);
    rig.put(5, sqe_with_cqe(sqe_event_record(1)), 33);
    rig.put(5, sqe_with_cqe(sqe_placeholder()), 33);
    rig.run();
    const stars_cqe &cqe = rig.cqe(5, 0);
    EXPECT_EQ(cqe.flags, STARS_CQE_PHASE | STARS_CQE_EVENT | 5u << STARS_CQE_SQ_SHIFT);
    EXPECT_EQ(cqe.sq_head, 2);
    EXPECT_EQ(cqe.stream_id, 5);
    EXPECT_EQ(cqe.task_id, 2);
    EXPECT_EQ(cqe.u.timestamp, rig.retired_at(5, 2) * rig.params().counter_mhz.value / 1000);
    CU_ASSERT(rig.cqe(5, 1).flags & STARS_CQE_PLACEHOLDER);
    EXPECT_EQ(rig.cqe(5, 2).flags, 0);
    EXPECT_EQ(rig.device().scheduler().take_interrupt(), 5);
    EXPECT_EQ(rig.device().scheduler().take_interrupt(), tsim::kNone);
}

// T-CQ-3, T-CQ-4, T-CQ-6: the queue holds, others go on, nothing is lost.
static void test_full_cq_holds_the_queue()
{
    Rig rig;
    rig.open(0, 0, 64, 8);
    rig.open(1);
    for (uint32_t i = 0; i < 20; ++i)
        rig.write(0, sqe_with_cqe(sqe_event_record(i)));
    rig.ring(0, 0);
    EXPECT_EQ(rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_CQ);
    EXPECT_EQ(rig.retired(0), 7);
    EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_HELD);
    rig.put(1, sqe_placeholder(), rig.now());
    EXPECT_EQ(rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_IDLE);
    EXPECT_EQ(rig.retired(1), 1);
    EXPECT_EQ(rig.retired(0), 7);
    uint32_t seen = 0;
    while (rig.retired(0) < 20) {
        const uint32_t tail = rig.device().scheduler().front(0).cq_tail();
        for (; seen % 8 != tail; ++seen) {
            EXPECT_EQ(rig.cqe(0, seen % 8).task_id, seen + 1);
            EXPECT_EQ(rig.cqe(0, seen % 8).flags & STARS_CQE_PHASE, (seen / 8) % 2 == 0 ? 1 : 0);
        }
        CU_ASSERT_FATAL(rig.device().scheduler().set_cq_head(0, tail));
        rig.run();
    }
    EXPECT_EQ(rig.retired(0), 20);
}

// T-SQE-4, T-SQE-7, T-SCH-13.
static void test_holds_before_and_after()
{
    Rig rig;
    rig.open(0);
    rig.put(0, with_w0(sqe_event_record(3), 3u << STARS_W0_PRE_P_SHIFT), 0);
    rig.put(0, with_w0(sqe_event_record(4), 3u << STARS_W0_POST_P_SHIFT), 0);
    rig.run();
    CU_ASSERT_FALSE(rig.device().scheduler().events().flag(3));
    EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_HELD);
    EXPECT_EQ(rig.device().scheduler().take_interrupt(), 0);
    CU_ASSERT(control(rig, 0, STARS_SQ_CONTROL_TASK_RESUME));
    rig.run();
    EXPECT_EQ(rig.retired(0), 1);
    CU_ASSERT(rig.device().scheduler().events().flag(4)); // it has had its effect
    EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_HELD);
    CU_ASSERT(control(rig, 0, STARS_SQ_CONTROL_TASK_RESUME));
    rig.run();
    EXPECT_EQ(rig.retired(0), 2);
}

// T-SCH-13.
static void test_pause_and_resume()
{
    Rig rig;
    rig.open(0);
    for (int i = 0; i < 3; ++i)
        rig.put(0, sqe_placeholder(), 0);
    rig.device().scheduler().watch(0, 1);
    EXPECT_EQ(rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_WATCH);
    CU_ASSERT(control(rig, 0, STARS_SQ_CONTROL_TASK_PAUSE));
    rig.run();
    EXPECT_EQ(rig.retired(0), 2); // the one under way ends
    EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_HELD);
    CU_ASSERT(control(rig, 0, STARS_SQ_CONTROL_TASK_RESUME));
    rig.run();
    EXPECT_EQ(rig.retired(0), 3);
    CU_ASSERT(control(rig, 0, STARS_SQ_CONTROL_TASK_PAUSE)); // an idle queue
    rig.put(0, sqe_placeholder(), rig.now());
    rig.run();
    EXPECT_EQ(rig.retired(0), 3);
    CU_ASSERT(control(rig, 0, STARS_SQ_CONTROL_TASK_RESUME));
    rig.run();
    EXPECT_EQ(rig.retired(0), 4);
}

// T-SQE-10, T-SQE-11: an error CQE, the queue stands; handled, it goes on after the failed SQE.
static void test_failure_and_continue()
{
    Rig rig;
    rig.open(6);
    rig.open(7);
    rig.put(6, sqe_placeholder(), 0);
    stars_sqe bad = sqe_placeholder();
    bad.word[0] = STARS_SQE_INVALID;
    rig.put(6, bad, 0);
    rig.put(6, sqe_event_record(2), 0);
    rig.put(7, sqe_placeholder(), 50000);
    EXPECT_EQ(rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_CQ);
    EXPECT_EQ(rig.state(6), TWINSIM_QUEUE_EXCEPTION);
    EXPECT_EQ(rig.retired(6), 1);
    const stars_cqe &cqe = rig.cqe(6, 0);
    EXPECT_EQ(cqe.flags, STARS_CQE_PHASE | STARS_CQE_ERROR | 6u << STARS_CQE_SQ_SHIFT);
    EXPECT_EQ(cqe.task_id, 2);
    EXPECT_EQ(cqe.u.error.code, STARS_ERROR_BAD_SQE);
    EXPECT_EQ(cqe.u.error.status, STARS_STATUS_BAD_SQE);
    EXPECT_EQ(cqe.u.error.type >> STARS_CQE_TYPE_SHIFT, STARS_SQE_INVALID);
    EXPECT_EQ(cqe.u.error.sqe_index, 1);
    EXPECT_EQ(rig.device().scheduler().slot(6), tsim::TaskScheduler::kNoSlot); // T-SCH-12
    rig.run();
    EXPECT_EQ(rig.retired(7), 1); // others went on
    EXPECT_EQ(rig.retired(6), 1);
    CU_ASSERT(control(rig, 6, STARS_SQ_CONTROL_EXCEPTION_HANDLED));
    rig.run();
    EXPECT_EQ(rig.retired(6), 3);
    CU_ASSERT(rig.device().scheduler().events().flag(2));
    CU_ASSERT_FALSE(control(rig, 6, STARS_SQ_CONTROL_EXCEPTION_HANDLED));
}

// T-SQE-10, T-DMA-8.
static void test_every_bad_sqe_is_refused()
{
    stars_sqe odd_placeholder = sqe_placeholder();
    odd_placeholder.word[0] |= 7u << STARS_W0_BLOCK_DIM_SHIFT;
    stars_sqe equal = sqe_sdma(Rig::kHbm, Rig::kHbm + 4096, 64);
    equal.word[4] = STARS_SDMA_OP_EQUAL;
    stars_sqe converted = sqe_pcie_dma(Rig::kHbm, Rig::kHost, 64);
    converted.word[7] = STARS_W7_CONVERTED; // a list of nothing
    stars_sqe wide = sqe_write_value(Rig::kHost, 6, 0);
    stars_sqe subtype = sqe_write_value(Rig::kHost, 2, 0);
    subtype.word[7] = 9;
    stars_sqe reset_elsewhere = sqe_write_value(Rig::kHost, 2, 0);
    reset_elsewhere.word[7] = STARS_WRITE_VALUE_EVENT_RESET;
    stars_sqe kernel = sqe_placeholder();
    kernel.word[0] = STARS_SQE_AICORE;
    const stars_sqe bad[] = {odd_placeholder,
                             equal,
                             converted,
                             wide,
                             subtype,
                             reset_elsewhere,
                             kernel,
                             sqe_sdma(Rig::kHbm, Rig::kHbm + 4096, 0),
                             sqe_pcie_dma(Rig::kHbm, Rig::kHost, 0),
                             sqe_event_record(100),
                             sqe_event_wait(100, 0),
                             sqe_count_record(2, STARS_COUNT_SET, 1),
                             sqe_count_record(1, STARS_COUNT_AND + 1, 1),
                             sqe_count_wait(2, STARS_COUNT_EQUAL, 0, 0, 0),
                             sqe_count_wait(1, STARS_COUNT_MASK + 1, 0, 0, 0),
                             sqe_notify_record(50),
                             sqe_notify_wait(50, 0)};
    Rig rig([](tsim::Params &p) {
        p.events.value = 100;
        p.notifies.value = 50;
        p.count_notifies.value = 2;
    });
    rig.open(0);
    uint64_t done = 0;
    for (const stars_sqe &sqe : bad) {
        rig.put(0, sqe, rig.now());
        rig.run();
        EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_EXCEPTION);
        EXPECT_EQ(rig.cqe(0, static_cast<uint32_t>(done)).u.error.status, STARS_STATUS_BAD_SQE);
        control(rig, 0, STARS_SQ_CONTROL_EXCEPTION_HANDLED);
        EXPECT_EQ(rig.retired(0), ++done);
    }
    // A part without counts.
    Rig none;
    none.open(0);
    none.put(0, sqe_count_record(0, STARS_COUNT_SET, 1), 0);
    none.run();
    EXPECT_EQ(none.cqe(0, 0).u.error.status, STARS_STATUS_BAD_SQE);
}

// T-SQE-8: the wait fails at its time, in device time, and a later record finds no waiter.
static void test_wait_times_out()
{
    Rig rig;
    rig.open(0);
    rig.open(1);
    rig.put(0, sqe_notify_wait(3, 10), 0);
    rig.put(0, sqe_event_wait(3, 7), 0);
    rig.run();
    const tsim::Params &p = rig.params();
    const auto parks = rig.phases(TWINSIM_PHASE_PARK, 0);
    EXPECT_EQ(parks.size(), 1);
    EXPECT_EQ(parks[0].end_ns - parks[0].begin_ns, 10 * kSecond);
    EXPECT_EQ(parks[0].waker_sq, tsim::kNone);
    EXPECT_EQ(rig.now(), parks[0].end_ns + p.retire.value + p.cq_write.value);
    EXPECT_EQ(rig.cqe(0, 0).u.error.code, STARS_ERROR_TIMEOUT);
    EXPECT_EQ(rig.cqe(0, 0).u.error.status, STARS_STATUS_TASK_TIMEOUT);
    control(rig, 0, STARS_SQ_CONTROL_EXCEPTION_HANDLED);
    rig.run();
    EXPECT_EQ(rig.phases(TWINSIM_PHASE_PARK, 0).at(1).end_ns -
                  rig.phases(TWINSIM_PHASE_PARK, 0).at(1).begin_ns,
              7 * kSecond);
    rig.put(1, sqe_notify_record(3), rig.now());
    rig.run();
    CU_ASSERT(rig.device().scheduler().notifies().flag(3));
}

// T-SQE-8, T-CTN-3: so does a wait for a count, which then clears nothing.
static void test_count_wait_times_out()
{
    Rig rig([](tsim::Params &p) { p.count_notifies.value = 8; });
    rig.open(0);
    rig.open(1);
    rig.put(0, sqe_count_wait(3, STARS_COUNT_EQUAL, 5, 1, 10), 0);
    rig.run();
    const auto parks = rig.phases(TWINSIM_PHASE_PARK, 0);
    EXPECT_EQ(parks.size(), 1);
    EXPECT_EQ(parks[0].end_ns - parks[0].begin_ns, 10 * kSecond);
    EXPECT_EQ(rig.cqe(0, 0).u.error.status, STARS_STATUS_TASK_TIMEOUT);
    CU_ASSERT_FALSE(rig.device().scheduler().counts().pending(3));
    rig.put(1, sqe_count_record(3, STARS_COUNT_SET, 5), rig.now());
    rig.run();
    EXPECT_EQ(rig.retired(1), 1);
    EXPECT_EQ(rig.device().scheduler().counts().count(3), 5);
}

// T-SQE-8: a record in time takes the limit away.
static void test_wait_in_time()
{
    Rig rig;
    rig.open(0);
    rig.open(1);
    rig.put(0, sqe_event_wait(3, 10), 0);
    rig.put(1, sqe_event_record(3), 9 * kSecond);
    rig.run();
    EXPECT_EQ(rig.retired(0), 1);
    CU_ASSERT(rig.now() < 10 * kSecond);
}

// T-SQE-8: credit limits waits and copies.
static void test_credit()
{
    Rig rig([](tsim::Params &p) { p.credit_unit.value = 1000; });
    rig.open(0);
    rig.open(1);
    rig.put(0, sqe_with_credit(sqe_event_wait(3, 10), 5), 0);
    rig.put(1, sqe_with_credit(sqe_pcie_dma(Rig::kHbm, Rig::kHost, 64 << 20), 20), 0);
    std::memset(rig.host(), 0x55, 64 << 20);
    rig.run();
    const auto parks = rig.phases(TWINSIM_PHASE_PARK, 0);
    EXPECT_EQ(parks.at(0).end_ns - parks.at(0).begin_ns, 5000);
    const auto transfers = rig.phases(TWINSIM_PHASE_TRANSFER, 1);
    EXPECT_EQ(transfers.at(0).end_ns - transfers.at(0).begin_ns, 20000);
    EXPECT_EQ(rig.cqe(1, 0).u.error.code, STARS_ERROR_TIMEOUT);
    EXPECT_EQ(*rig.hbm(), 0); // no effect
}

// T-SQE-9.
static void test_write_value()
{
    Rig rig;
    rig.open(0);
    rig.put(0, sqe_write_value(Rig::kHost + 3, 0, 0x1122334455667788), 0);
    rig.put(0, sqe_write_value(Rig::kHost + 16, 3, 0x1122334455667788), 0);
    rig.put(0, sqe_write_value(Rig::kHbm + 64, 5, 7), 0);
    std::memset(rig.hbm(64), 0xff, 40);
    rig.run();
    EXPECT_EQ(rig.retired(0), 3);
    EXPECT_EQ(*rig.host(3), 0x88);
    EXPECT_EQ(*rig.host(4), 0);
    uint64_t wide = 0;
    std::memcpy(&wide, rig.host(16), 8);
    EXPECT_EQ(wide, 0x1122334455667788);
    EXPECT_EQ(*rig.hbm(64), 7);
    EXPECT_EQ(*rig.hbm(95), 0);
    EXPECT_EQ(*rig.hbm(96), 0xff);
}

// T-SQE-9: the entry of an event or notify of another table than the first.
static void test_write_value_into_tables()
{
    Rig rig;
    rig.open(0);
    stars_sqe store = sqe_write_value(0, 0, 1);
    store.word[5] = 0;
    store.word[4] = STARS_EVENT_TABLE_BASE + 3 * 0x10000 + 4 * 5;
    rig.put(0, store, 0);
    store.word[4] = STARS_NOTIFY_TABLE_BASE + 15 * 0x10000 + 4 * 511;
    rig.put(0, store, 0);
    rig.run();
    EXPECT_EQ(rig.retired(0), 2);
    CU_ASSERT(rig.device().scheduler().events().flag(3 * 4096 + 5));
    CU_ASSERT(rig.device().scheduler().notifies().flag(8191));
    // A reset: one byte of 0, and the event in word 6.
    stars_sqe reset = sqe_write_value(0, 0, 0);
    reset.word[5] = 0;
    reset.word[4] = STARS_EVENT_TABLE_BASE + 3 * 0x10000 + 4 * 5;
    reset.word[6] = 3 * 4096 + 5;
    reset.word[7] = 1;
    rig.put(0, reset, rig.now());
    rig.run();
    EXPECT_EQ(rig.retired(0), 3);
    CU_ASSERT_FALSE(rig.device().scheduler().events().flag(3 * 4096 + 5));
}

// T-SQE-9, T-SQE-10: neither mapped nor a table.
static void test_write_value_faults()
{
    Rig rig;
    rig.open(0);
    stars_sqe physical = sqe_write_value(Rig::kHost, 2, 1);
    physical.word[5] &= ~STARS_W5_VIRTUAL;
    stars_sqe between = physical; // between two tables of 512 notifies
    between.word[4] = STARS_NOTIFY_TABLE_BASE + 4 * 512;
    const stars_sqe bad[] = {sqe_write_value(0x1000, 2, 1), physical, between};
    uint32_t number = 0;
    for (const stars_sqe &sqe : bad) {
        rig.put(0, sqe, rig.now());
        rig.run();
        EXPECT_EQ(rig.cqe(0, number).u.error.code, STARS_ERROR_EXCEPTION);
        EXPECT_EQ(rig.cqe(0, number++).u.error.status, STARS_STATUS_BUS_FAULT);
        control(rig, 0, STARS_SQ_CONTROL_EXCEPTION_HANDLED);
    }
}

// T-SCH-14, T-SCH-15: from every state, everything the queue held is free again.
static void test_kill_and_terminate()
{
    struct Case {
        stars_sqe sqe;
        uint64_t when;
    };
    const Case cases[] = {
        {sqe_event_wait(1, 0), 5000},                                   // parked
        {sqe_notify_wait(1, 0), 5000},                                  // parked
        {sqe_pcie_dma(Rig::kHbm, Rig::kHost, 64 << 20), 100000},        // bytes move
        {sqe_pcie_dma(Rig::kHbm, Rig::kHost, 64 << 20), 2000},          // set-up
        {sqe_placeholder(), 2},                                         // swap-in
        {with_w0(sqe_placeholder(), 1u << STARS_W0_PRE_P_SHIFT), 5000}, // held
        {sqe_placeholder(), 1000000},                                   // idle
    };
    for (const Case &c : cases) {
        Rig rig([](tsim::Params &p) {
            p.slots.value = 1;
            p.pcie_dma_cap.value = 1;
            p.pcie_channels.value = 1;
        });
        rig.open(0);
        rig.open(1);
        std::memset(rig.host(), 0x77, 4096);
        rig.put(0, c.sqe, 0);
        rig.put(0, sqe_event_record(40), 0);
        rig.run_until(c.when);
        CU_ASSERT_FALSE(control(rig, 0, STARS_SQ_CONTROL_TASK_TERMINATE));
        const bool idle = rig.retired(0) == 2;
        CU_ASSERT(control(rig, 0, STARS_SQ_CONTROL_TASK_KILL));
        rig.run();
        EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_HELD);
        EXPECT_EQ(rig.retired(0), idle ? 2 : 0);
        // Another queue finds slot, class and channel free, and no queue waits any more.
        rig.put(1, sqe_notify_record(1), rig.now());
        rig.put(1, sqe_pcie_dma(Rig::kHbm + 8192, Rig::kHost, 4096), rig.now());
        rig.run();
        EXPECT_EQ(rig.retired(1), 2);
        CU_ASSERT(rig.device().scheduler().notifies().flag(1));
        EXPECT_EQ(*rig.hbm(), 0);
        // Terminate drops what was rung; the queue lives on.
        CU_ASSERT(control(rig, 0, STARS_SQ_CONTROL_TASK_TERMINATE));
        EXPECT_EQ(rig.retired(0), 2);
        rig.put(0, sqe_event_record(41), rig.now());
        rig.run();
        EXPECT_EQ(rig.retired(0), 3);
        if (!idle)
            CU_ASSERT_FALSE(rig.device().scheduler().events().flag(40));
        CU_ASSERT(rig.device().scheduler().events().flag(41));
    }
}

// T-SCH-17: whatever the queue was at, the SQE under way has no effect and the next one runs.
static void test_kill_and_resume()
{
    struct Case {
        stars_sqe sqe;
        uint64_t when;
        bool under_way;
    };
    const Case cases[] = {
        {sqe_event_wait(1, 0), 5000, true},                            // parked
        {sqe_pcie_dma(Rig::kHbm, Rig::kHost, 64 << 20), 100000, true}, // bytes move
        {sqe_placeholder(), 2, true},                                  // swap-in
        {sqe_event_wait(1, 0), 0, false},                              // not visible yet
    };
    for (const Case &c : cases) {
        Rig rig;
        rig.open(0);
        std::memset(rig.host(), 0x77, 4096);
        rig.put(0, c.sqe, c.under_way ? 0 : 1000);
        rig.put(0, sqe_event_record(40), c.under_way ? 0 : 1000);
        rig.run_until(c.when);
        CU_ASSERT(control(rig, 0, STARS_SQ_CONTROL_TASK_KILL | STARS_SQ_CONTROL_TASK_RESUME));
        EXPECT_EQ(rig.retired(0), c.under_way ? 1 : 0);
        rig.run();
        EXPECT_EQ(*rig.hbm(), 0);
        EXPECT_EQ(rig.retired(0), c.under_way ? 2 : 0);
        EXPECT_EQ(rig.device().scheduler().events().flag(40), c.under_way);
    }
}

// T-SCH-14, T-SCH-17: killed twice, skipped once.
static void test_kill_twice_and_resume()
{
    Rig rig;
    rig.open(0);
    rig.put(0, sqe_event_wait(1, 0), 0);
    rig.put(0, sqe_event_record(40), 0);
    rig.run();
    CU_ASSERT(control(rig, 0, STARS_SQ_CONTROL_TASK_KILL));
    CU_ASSERT(control(rig, 0, STARS_SQ_CONTROL_TASK_KILL));
    rig.run();
    EXPECT_EQ(rig.retired(0), 0);
    CU_ASSERT(control(rig, 0, STARS_SQ_CONTROL_TASK_RESUME));
    rig.run();
    EXPECT_EQ(rig.retired(0), 2);
}

static const twin_test tests[] = {
    {"a CQE has its queue, task and time", test_cqe_of_a_record},
    {"a full CQ holds its queue alone and loses nothing", test_full_cq_holds_the_queue},
    {"pre_p holds before the effect, post_p after it", test_holds_before_and_after},
    {"a paused queue ends its SQE and holds until resumed", test_pause_and_resume},
    {"a failed SQE stops its queue until it is handled", test_failure_and_continue},
    {"every kind of bad SQE is refused", test_every_bad_sqe_is_refused},
    {"a wait fails when its time is over", test_wait_times_out},
    {"a wait for a count times out at its time", test_count_wait_times_out},
    {"a record in time ends the limit", test_wait_in_time},
    {"credit limits waits and copies", test_credit},
    {"write-value stores 1 to 32 bytes", test_write_value},
    {"write-values reach the entries of all tables", test_write_value_into_tables},
    {"write-value to nowhere is a bus fault", test_write_value_faults},
    {"a killed queue frees all it held, terminate drops its work", test_kill_and_terminate},
    {"a killed SQE is skipped by resume", test_kill_and_resume},
    {"resume skips once", test_kill_twice_and_resume},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim sqe", tests, TWIN_COUNT(tests), argc, argv);
}
