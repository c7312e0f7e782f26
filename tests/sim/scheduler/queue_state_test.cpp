// SPDX-License-Identifier: Apache-2.0
/// What can be observed of queues: states, counters, interrupts; and the pulses that act on the
/// prefetch and the slot.
#include "rig.h"

namespace
{

uint32_t block(Rig &rig, uint32_t offset)
{
    uint32_t value = 0xdead;
    EXPECT_EQ(rig.device().read(uint64_t{STARS_BLOCK_BASE} + offset, value), TWINSIM_OK);
    return value;
}

void set_block(Rig &rig, uint32_t offset, uint32_t value)
{
    EXPECT_EQ(rig.device().write(uint64_t{STARS_BLOCK_BASE} + offset, value), TWINSIM_OK);
}

uint32_t state(Rig &rig, uint32_t sq)
{
    set_block(rig, STARS_RTSQ_SELECT, sq);
    EXPECT_EQ(block(rig, STARS_RTSQ_SELECT), sq);
    return block(rig, STARS_RTSQ_STATE);
}

void set(Rig &rig, uint32_t sq, uint32_t offset, uint32_t value)
{
    EXPECT_EQ(rig.device().write(uint64_t{sq} * STARS_SQ_PAGE + offset, value), TWINSIM_OK);
}

uint64_t swap_in(const tsim::Params &p)
{
    return p.arbitration.value + p.record_read.value + p.slot_enable.value;
}

uint64_t swap_out(const tsim::Params &p)
{
    return p.drain.value + p.slot_disable.value;
}

// To that time, whatever stops a run before.
void run_to(Rig &rig, uint64_t time)
{
    while (rig.run_until(time) != TWINSIM_STOP_LIMIT) {
    }
}

stars_sqe with_targets(stars_sqe sqe, uint32_t ie, uint32_t pre, uint32_t post)
{
    sqe.word[0] |=
        ie << STARS_W0_IE_SHIFT | pre << STARS_W0_PRE_P_SHIFT | post << STARS_W0_POST_P_SHIFT;
    return sqe;
}

// T-SCH-5, T-SCH-19, T-SCH-21: a lone SQE takes its queue through 0 to 7 and back.
void test_states_of_a_lone_sqe()
{
    Rig rig;
    const tsim::Params &p = rig.params();
    rig.open(3);
    rig.put(3, sqe_placeholder(), 1000);
    const uint64_t work = p.fetch_read.value + p.decode.value + p.retire.value;
    const struct {
        uint64_t length;
        uint32_t state;
    } course[] = {{1000, STARS_RTSQ_IDLE},
                  {p.arbitration.value, STARS_RTSQ_WAIT_SWAP_IN},
                  {1, STARS_RTSQ_READ_SENT},
                  {p.record_read.value - 1, STARS_RTSQ_WAIT_RECORD},
                  {p.slot_enable.value, STARS_RTSQ_SLOT_ENABLE},
                  {work, STARS_RTSQ_WORKING},
                  {p.drain.value, STARS_RTSQ_WAIT_SWAP_OUT},
                  {p.slot_disable.value, STARS_RTSQ_SLOT_DISABLE},
                  {1, STARS_RTSQ_IDLE}};
    rig.open(9);
    rig.put(9, sqe_placeholder(), 100000); // keeps the system from coming to rest
    uint64_t begin = 0;
    for (const auto &part : course) {
        rig.run_until(begin);
        EXPECT_EQ(state(rig, 3), part.state);
        begin += part.length;
        rig.run_until(begin - 1);
        EXPECT_EQ(state(rig, 3), part.state);
    }
    EXPECT_EQ(rig.retired_at(3, 1) + swap_out(p), begin - 1);
}

// T-SCH-21: parked A, held and failed 9, without a share of its class 1; in the slot 8 with a pause
// to come, B disabled.
void test_states_aside()
{
    Rig rig([](tsim::Params &p) { p.sdma_cap.value = 1; });
    const tsim::Params &p = rig.params();
    const auto put = [&rig](uint32_t sq, const stars_sqe &sqe) {
        rig.open(sq);
        rig.put(sq, sqe, 0);
    };
    put(1, sqe_event_wait(5, 0));
    put(2, with_targets(sqe_placeholder(), 0, 1, 0));
    stars_sqe bad = sqe_placeholder();
    bad.word[0] = STARS_SQE_INVALID;
    rig.open(4);
    rig.put(4, bad, 0);
    for (uint32_t sq = 5; sq < 9; ++sq)
        put(sq, sqe_sdma(Rig::kHbm, Rig::kHbm + (1 << 20), 1 << 20));
    run_to(rig, 100);
    EXPECT_EQ(state(rig, 5), STARS_RTSQ_WAIT_RECORD);
    const uint64_t decoded = swap_in(p) + p.fetch_read.value + p.decode.value;
    const uint64_t reported = 7 * p.arbitration.value + decoded + p.retire.value + p.cq_write.value;
    run_to(rig, decoded + 50);
    EXPECT_EQ(state(rig, 4), STARS_RTSQ_WORKING); // the report takes its time
    set(rig, 5, STARS_SQ_CONTROL, STARS_SQ_CONTROL_TASK_PAUSE);
    EXPECT_EQ(state(rig, 5), STARS_RTSQ_OPERATION);
    set(rig, 5, STARS_SQ_CONTROL, STARS_SQ_CONTROL_TASK_RESUME);
    EXPECT_EQ(state(rig, 5), STARS_RTSQ_WORKING);
    set(rig, 5, STARS_SQ_ENABLE, 0);
    EXPECT_EQ(state(rig, 5), STARS_RTSQ_WAIT_SLOT_IDLE);
    run_to(rig, reported + swap_out(p));
    EXPECT_EQ(state(rig, 1), STARS_RTSQ_POLL_FLAG);
    EXPECT_EQ(state(rig, 2), STARS_RTSQ_WAIT_SOFTWARE);
    EXPECT_EQ(state(rig, 6), STARS_RTSQ_WAIT_SWAP_IN);
    EXPECT_EQ(state(rig, 4), STARS_RTSQ_WAIT_SOFTWARE);
    set(rig, 4, STARS_SQ_CONTROL, STARS_SQ_CONTROL_TASK_KILL);
    EXPECT_EQ(state(rig, 4), STARS_RTSQ_WAIT_SOFTWARE);
    rig.run();
    EXPECT_EQ(rig.retired(5), 1);
    EXPECT_EQ(rig.state(5), TWINSIM_QUEUE_IDLE);
}

// T-SCH-19, T-SCH-20: work that comes while a queue is swapped out waits for that, and the trace
// says so.
void test_asking_while_swapped_out()
{
    Rig rig;
    const tsim::Params &p = rig.params();
    rig.open(0);
    const uint64_t retired = swap_in(p) + p.fetch_read.value + p.decode.value + p.retire.value;
    const uint64_t out = retired + swap_out(p);
    rig.put(0, sqe_placeholder(), 0);
    rig.put(0, sqe_placeholder(), retired + 10);
    rig.run_until(retired + 15);
    EXPECT_EQ(state(rig, 0), STARS_RTSQ_WAIT_SWAP_OUT);
    set(rig, 0, STARS_SQ_PRIORITY, 3u << 10); // T-FE-10, in this state too
    rig.run();
    EXPECT_EQ(rig.retired_at(0, 1), retired);
    EXPECT_EQ(rig.retired_at(0, 2), out + retired);
    const auto slots = rig.phases(TWINSIM_PHASE_SLOT, 0);
    EXPECT_EQ(slots.size(), 1);
    EXPECT_EQ(slots.at(0).begin_ns, retired + 10);
    EXPECT_EQ(slots.at(0).end_ns, out);
    EXPECT_EQ(slots.at(0).parameter, p.slot_disable.index);
}

// T-SCH-20: a wait that is released while its queue is swapped out, and a queue killed then.
void test_released_while_swapped_out()
{
    for (const bool killed : {false, true}) {
        Rig rig;
        const tsim::Params &p = rig.params();
        rig.open(0);
        rig.put(0, sqe_event_wait(1, 0), 0);
        const uint64_t parked =
            swap_in(p) + p.fetch_read.value + p.decode.value + p.event_table.value;
        rig.run_until(parked);
        EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_PARKED);
        EXPECT_EQ(rig.device().write(STARS_EVENT_ENTRY(1), 1), TWINSIM_OK);
        twinsim_queue_info info{};
        rig.device().scheduler().inspect(0, info);
        CU_ASSERT(info.done);
        if (killed)
            set(rig, 0, STARS_SQ_CONTROL,
                STARS_SQ_CONTROL_TASK_KILL | STARS_SQ_CONTROL_TASK_TERMINATE);
        rig.run();
        EXPECT_EQ(rig.retired(0), 1);
        EXPECT_EQ(rig.retired_at(0, 1),
                  killed ? parked : parked + swap_out(p) + swap_in(p) + p.retire.value);
    }
}

// T-SCH-22: three queues for one slot.
void test_counters()
{
    Rig rig([](tsim::Params &p) { p.slots.value = 1; });
    const tsim::Params &p = rig.params();
    for (uint32_t sq = 0; sq < 3; ++sq) {
        rig.open(sq);
        rig.put(sq, sqe_placeholder(), 0);
    }
    rig.run();
    const uint64_t turn =
        swap_in(p) + p.fetch_read.value + p.decode.value + p.retire.value + swap_out(p);
    for (uint32_t sq = 0; sq < 3; ++sq) {
        set_block(rig, STARS_RTSQ_SELECT, sq);
        EXPECT_EQ(block(rig, STARS_RTSQ_SWAP_INS), 1u << STARS_RTSQ_SWAP_INS_SHIFT | sq * turn);
    }
    for (int i = 0; i < 4095; ++i) {
        rig.put(2, sqe_placeholder(), 0);
        rig.run();
    }
    EXPECT_EQ(block(rig, STARS_RTSQ_SWAP_INS) >> STARS_RTSQ_SWAP_INS_SHIFT, 0); // 4096 of them
    // After a slot that is held for long the time stays at its maximum.
    rig.put(0, with_targets(sqe_placeholder(), 0, 2, 0), rig.now());
    rig.run();
    rig.put(2, sqe_placeholder(), rig.now());
    rig.open(7);
    rig.put(7, sqe_placeholder(), rig.now() + 5000000);
    rig.run_until(rig.now() + 4000000);
    set(rig, 0, STARS_SQ_CONTROL, STARS_SQ_CONTROL_TASK_RESUME);
    rig.run();
    EXPECT_EQ(block(rig, STARS_RTSQ_SWAP_INS) & 0xfffff, 0xfffff);
    set_block(rig, STARS_RTSQ_SELECT, 2 | STARS_RTSQ_SELECT_CLEAR);
    EXPECT_EQ(block(rig, STARS_RTSQ_SELECT), 2);
    EXPECT_EQ(block(rig, STARS_RTSQ_SWAP_INS), 0);
    set_block(rig, STARS_RTSQ_SELECT, 2047); // no such queue
    EXPECT_EQ(block(rig, STARS_RTSQ_STATE), 0);
    EXPECT_EQ(block(rig, STARS_RTSQ_SWAP_INS), 0);
}

// T-SQE-13, T-CQ-7: the three targets have separate registers; the mask holds the host's back.
void test_interrupts()
{
    Rig rig;
    for (const uint32_t sq : {5u, 700u, 1500u, 2000u})
        rig.open(sq);
    rig.put(5, with_targets(sqe_placeholder(), 1, 0, 0), 0);
    rig.put(700, with_targets(sqe_placeholder(), 2, 0, 0), 0);
    rig.put(1500, with_targets(sqe_placeholder(), 3, 0, 0), 0);
    rig.put(2000, sqe_with_cqe(sqe_placeholder()), 0);
    rig.run();
    constexpr uint32_t kTarget = 1u << STARS_CQ_INTERRUPT_TARGET_SHIFT;
    const struct {
        uint32_t place, status, queue;
    } seen[] = {{2 * kTarget, 1, 5}, {kTarget, 1, 700}, {0, 2, 1500}, {0, 2, 2000}};
    for (const auto &one : seen) {
        EXPECT_EQ(block(rig, one.place + STARS_CQ_INTERRUPT_STATUS), one.status);
        const uint32_t word = one.queue / 32;
        CU_ASSERT(
            block(rig, one.place + STARS_CQ_INTERRUPT_MIDDLE + 4 * (word / 32)) >> (word % 32) & 1);
        EXPECT_EQ(block(rig, one.place + STARS_CQ_INTERRUPT_QUEUES + 4 * word),
                  1u << one.queue % 32);
    }
    EXPECT_EQ(block(rig, STARS_CQ_INTERRUPT_QUEUES), 0);
    set_block(rig, STARS_CQ_INTERRUPT_MASK, 2);
    EXPECT_EQ(block(rig, STARS_CQ_INTERRUPT_MASK), 2);
    EXPECT_EQ(rig.device().scheduler().take_interrupt(), tsim::kNone);
    rig.put(5, sqe_with_cqe(sqe_placeholder()), 0);
    rig.run();
    EXPECT_EQ(rig.device().scheduler().take_interrupt(), 5);
    EXPECT_EQ(rig.device().scheduler().take_interrupt(), tsim::kNone);
    set_block(rig, STARS_CQ_INTERRUPT_MASK, 1);
    set_block(rig, STARS_CQ_INTERRUPT_QUEUES + 4 * (1500 / 32), ~0u);
    EXPECT_EQ(rig.device().scheduler().take_interrupt(), 2000);
    EXPECT_EQ(rig.device().scheduler().take_interrupt(), tsim::kNone);
    EXPECT_EQ(block(rig, STARS_CQ_INTERRUPT_STATUS), 0);
    uint32_t value = 1;
    for (const uint32_t offset :
         {0u, 0x2000u, 0x2280u, 3 * kTarget + STARS_CQ_INTERRUPT_STATUS, 0x4c00u}) {
        EXPECT_EQ(rig.device().read(uint64_t{STARS_BLOCK_BASE} + offset, value),
                  TWINSIM_E_ARGUMENT);
        EXPECT_EQ(value, 0);
        EXPECT_EQ(rig.device().write(uint64_t{STARS_BLOCK_BASE} + offset, 1), TWINSIM_E_ARGUMENT);
    }
}

// T-SCH-18, T-SCH-13: each pause waits for its own resume; "debug resume" ends no other hold.
void test_debug_pause()
{
    const uint32_t pauses[] = {STARS_SQ_CONTROL_DEBUG_PAUSE, STARS_SQ_CONTROL_TASK_PAUSE};
    const uint32_t resumes[] = {STARS_SQ_CONTROL_DEBUG_RESUME, STARS_SQ_CONTROL_TASK_RESUME};
    for (const int first : {0, 1}) {
        Rig rig;
        rig.open(0);
        rig.put(0, with_targets(sqe_event_record(1), 0, 2, 0), 0);
        rig.put(0, sqe_event_record(2), 0);
        rig.run_until(700);
        set(rig, 0, STARS_SQ_CONTROL, pauses[0] | pauses[1]);
        rig.run();
        set(rig, 0, STARS_SQ_CONTROL, STARS_SQ_CONTROL_DEBUG_RESUME); // not out of pre_p
        rig.run();
        EXPECT_EQ(rig.retired(0), 0);
        set(rig, 0, STARS_SQ_CONTROL, STARS_SQ_CONTROL_TASK_RESUME);
        set(rig, 0, STARS_SQ_CONTROL, pauses[0] | pauses[1]); // again, as the resume took one away
        rig.run();
        EXPECT_EQ(rig.retired(0), 1);
        EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_HELD);
        set(rig, 0, STARS_SQ_CONTROL, resumes[first]);
        rig.run();
        EXPECT_EQ(rig.retired(0), 1);
        EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_HELD);
        set(rig, 0, STARS_SQ_CONTROL, resumes[1 - first]);
        rig.run();
        EXPECT_EQ(rig.retired(0), 2);
        // A kill ends both.
        set(rig, 0, STARS_SQ_CONTROL, pauses[0] | pauses[1]);
        set(rig, 0, STARS_SQ_CONTROL, STARS_SQ_CONTROL_TASK_KILL | STARS_SQ_CONTROL_TASK_RESUME);
        rig.put(0, sqe_event_record(3), rig.now());
        rig.run();
        EXPECT_EQ(rig.retired(0), 3);
    }
}

// T-CQ-4, T-SCH-18: taking CQEs ends the hold for a full CQ, and no pause.
void test_pause_outlives_a_full_cq()
{
    Rig rig;
    rig.open(0, 0, 64, 8);
    for (int i = 0; i < 10; ++i)
        rig.put(0, sqe_with_cqe(sqe_placeholder()), 0);
    rig.run();
    EXPECT_EQ(rig.retired(0), 7);
    set(rig, 0, STARS_SQ_CONTROL, STARS_SQ_CONTROL_TASK_PAUSE);
    set(rig, 0, STARS_SQ_CQ_HEAD, 7);
    rig.run();
    EXPECT_EQ(rig.retired(0), 8);
    set(rig, 0, STARS_SQ_CONTROL, STARS_SQ_CONTROL_TASK_RESUME);
    rig.run();
    EXPECT_EQ(rig.retired(0), 10);
}

// T-FE-11: the line in the buffer is read again; the SQE under way is not disturbed.
void test_drop_prefetched()
{
    uint64_t end[2] = {};
    for (const int drops : {0, 1}) {
        Rig rig;
        const tsim::Params &p = rig.params();
        CU_ASSERT(p.fetch_window.value / 2 >= 2);
        rig.open(0);
        rig.put(0, sqe_placeholder(), 0);
        rig.put(0, sqe_placeholder(), 0);
        const uint64_t first = swap_in(p) + p.fetch_read.value + p.decode.value;
        rig.run_until(first);
        set(rig, 0, STARS_SQ_PREFETCH, 1); // another bit
        EXPECT_EQ(rig.device().write(STARS_SQ_PREFETCH, STARS_SQ_PREFETCH_DROP), TWINSIM_E_STATE);
        set(rig, 0, STARS_SQ_CONTROL, STARS_SQ_CONTROL_DEBUG_PAUSE);
        if (drops != 0)
            set(rig, 0, STARS_SQ_PREFETCH, STARS_SQ_PREFETCH_DROP);
        set(rig, 0, STARS_SQ_CONTROL, STARS_SQ_CONTROL_DEBUG_RESUME);
        rig.run();
        EXPECT_EQ(rig.retired_at(0, 1), first + p.retire.value);
        end[drops] = rig.retired_at(0, 2);
        EXPECT_EQ(end[1 * drops], first + 2 * p.retire.value + p.decode.value +
                                      (drops != 0 ? p.fetch_read.value : 0));
    }
    CU_ASSERT(end[0] < end[1]);
}

// T-FE-12: all SQEs of a queue are changed to bad ones while it waits. Those that were read ahead
// run as they were, unless they are dropped.
void test_changed_after_they_were_read()
{
    for (const bool drops : {false, true}) {
        Rig rig;
        rig.open(0);
        rig.open(1);
        rig.put(0, sqe_event_wait(1, 0), 0);
        for (int i = 0; i < 12; ++i)
            rig.put(0, sqe_placeholder(), 0);
        rig.run();
        EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_PARKED);
        for (uint32_t i = 0; i <= 12; ++i)
            rig.entries(0)[i].word[0] |= STARS_W0_TYPE_MASK;
        if (drops) {
            set(rig, 0, STARS_SQ_CONTROL, STARS_SQ_CONTROL_DEBUG_PAUSE);
            set(rig, 0, STARS_SQ_PREFETCH, STARS_SQ_PREFETCH_DROP);
            set(rig, 0, STARS_SQ_CONTROL, STARS_SQ_CONTROL_DEBUG_RESUME);
        }
        rig.put(1, sqe_event_record(1), rig.now());
        rig.run();
        EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_EXCEPTION);
        // The wait, and with it 7 others of two lines of 4.
        EXPECT_EQ(rig.retired(0), drops ? 1 : 8);
    }
}

// T-FE-8: disabled while it waits for a slot, and while held.
void test_disabled_before_it_begins()
{
    Rig rig([](tsim::Params &p) { p.slots.value = 1; });
    for (uint32_t sq = 0; sq < 2; ++sq) {
        rig.open(sq);
        rig.put(sq, sqe_placeholder(), 0);
        rig.put(sq, sqe_placeholder(), 0);
    }
    rig.run_until(10);
    EXPECT_EQ(state(rig, 1), STARS_RTSQ_WAIT_SWAP_IN);
    set(rig, 1, STARS_SQ_ENABLE, 0);
    EXPECT_EQ(rig.device().write(STARS_SQ_PAGE + STARS_SQ_HEAD, 1), TWINSIM_E_STATE);
    set(rig, 0, STARS_SQ_CONTROL, STARS_SQ_CONTROL_TASK_PAUSE);
    rig.run();
    EXPECT_EQ(rig.retired(0), 0);
    set(rig, 0, STARS_SQ_ENABLE, 0);
    set(rig, 0, STARS_SQ_CONTROL, STARS_SQ_CONTROL_TASK_RESUME);
    rig.run();
    EXPECT_EQ(rig.retired(0), 0);
    EXPECT_EQ(rig.retired(1), 0);
    for (uint32_t sq = 0; sq < 2; ++sq) {
        EXPECT_EQ(rig.state(sq), TWINSIM_QUEUE_IDLE);
        EXPECT_EQ(rig.device().write(uint64_t{sq} * STARS_SQ_PAGE + STARS_SQ_HEAD, 1), TWINSIM_OK);
        set(rig, sq, STARS_SQ_ENABLE, 1);
        set(rig, sq, STARS_SQ_ENABLE, 1);
    }
    rig.run();
    EXPECT_EQ(rig.retired(0), 2);
    EXPECT_EQ(rig.retired(1), 2);
}

const twin_test tests[] = {
    {"a lone SQE takes its queue through the states", test_states_of_a_lone_sqe},
    {"states beside the straight way", test_states_aside},
    {"an access while it is swapped out waits for the end of that", test_asking_while_swapped_out},
    {"a release or a kill while a queue is swapped out", test_released_while_swapped_out},
    {"swap-ins and the time before them are counted", test_counters},
    {"interrupts of three targets, a mask, and clearing", test_interrupts},
    {"the debug pause has a separate resume", test_debug_pause},
    {"a pause outlives the hold for a full CQ", test_pause_outlives_a_full_cq},
    {"dropped SQEs are read again", test_drop_prefetched},
    {"SQEs that were read ahead run as they were", test_changed_after_they_were_read},
    {"a queue disabled before it begins", test_disabled_before_it_begins},
};

} // namespace

int main(int argc, char **argv)
{
    return twin_run_suite("sim queue state", tests, TWIN_COUNT(tests), argc, argv);
}
