// SPDX-License-Identifier: Apache-2.0
/// SQEs that call the host: messages, answers, the class they share.
#include "rig.h"

namespace
{

bool take(Rig &rig, twinsim_message &message)
{
    return rig.device().scheduler().take_message(message);
}

void answer(Rig &rig, uint32_t sq, uint64_t number, uint64_t at)
{
    rig.device().scheduler().answer(sq, number, at);
}

// A lone SQE on an idle queue, from visible to decoded.
uint64_t to_decoded(const tsim::Params &p)
{
    return p.arbitration.value + p.record_read.value + p.slot_enable.value + p.fetch_read.value +
           p.decode.value;
}

} // namespace

// T-CPU-1, T-CPU-2: the message comes after its time and carries what the SQE says; the queue goes
// on.
static void test_message_without_block()
{
    Rig rig;
    const tsim::Params &p = rig.params();
    rig.open(5);
    rig.put(5, sqe_callback(77, 0x1234567890abcdef, 0xfedcba0987654321, 0), 100);
    EXPECT_EQ(rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_CALL);
    const uint64_t there = 100 + to_decoded(p) + p.topic_message.value;
    EXPECT_EQ(rig.now(), there);
    twinsim_message m{};
    CU_ASSERT_FATAL(take(rig, m));
    EXPECT_EQ(m.posted_ns, there);
    EXPECT_EQ(m.function, 0x1234567890abcdef);
    EXPECT_EQ(m.data, 0xfedcba0987654321);
    EXPECT_EQ(m.number, 1);
    EXPECT_EQ(m.sq, 5);
    EXPECT_EQ(m.task_id, 1);
    EXPECT_EQ(m.group, 77);
    CU_ASSERT(!m.block);
    CU_ASSERT(!take(rig, m));
    rig.run();
    EXPECT_EQ(rig.retired_at(5, 1), there + p.retire.value);
}

// T-CPU-3, T-CPU-4: with the flag nothing after it moves before the answer is seen.
static void test_block_waits_for_the_answer()
{
    Rig rig;
    const tsim::Params &p = rig.params();
    rig.open(0);
    rig.put(0, sqe_callback(1, 2, 3, 1), 0);
    rig.put(0, sqe_placeholder(), 0);
    rig.run();
    EXPECT_EQ(rig.retired(0), 0);
    EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_HOST);
    const uint64_t posted = rig.now();
    answer(rig, 0, 1, posted + 5000);
    answer(rig, 0, 1, posted + 1); // a second one changes nothing
    rig.run();
    EXPECT_EQ(rig.retired_at(0, 1), posted + 5000 + p.retire.value);
    EXPECT_EQ(rig.retired(0), 2);
    const auto waits = rig.phases(TWINSIM_PHASE_HOST, 0);
    CU_ASSERT_FATAL(waits.size() == 1);
    EXPECT_EQ(waits[0].begin_ns, posted);
    EXPECT_EQ(waits[0].end_ns, posted + 5000);
    const auto messages = rig.phases(TWINSIM_PHASE_MESSAGE, 0);
    CU_ASSERT_FATAL(messages.size() == 1);
    EXPECT_EQ(messages[0].end_ns - messages[0].begin_ns, p.topic_message.value);
    EXPECT_EQ(messages[0].parameter, p.topic_message.index);
}

// T-CPU-4: a time that has passed counts as now.
static void test_answer_in_the_past()
{
    Rig rig;
    rig.open(0);
    rig.open(1);
    rig.put(0, sqe_callback(1, 2, 3, 1), 0);
    rig.put(1, sqe_placeholder(), 50000);
    rig.run();
    EXPECT_EQ(rig.retired(1), 1);
    const uint64_t now = rig.now();
    answer(rig, 0, 1, 10);
    rig.run();
    EXPECT_EQ(rig.retired_at(0, 1), now + rig.params().retire.value);
}

// T-CPU-5: answers that no SQE waits for.
static void test_answers_without_effect()
{
    Rig rig;
    rig.open(0);
    answer(rig, 0, 1, 0); // not called yet
    rig.put(0, sqe_callback(1, 2, 3, 1), 0);
    rig.run();
    answer(rig, 0, 2, 0); // another SQE
    rig.run();
    EXPECT_EQ(rig.retired(0), 0);
    CU_ASSERT(rig.device().scheduler().control(0, STARS_SQ_CONTROL_TASK_KILL));
    answer(rig, 0, 1, 0); // killed
    rig.run();
    EXPECT_EQ(rig.retired(0), 0);
    twinsim_message m{};
    CU_ASSERT(take(rig, m));
    rig.open(1);
    rig.put(1, sqe_callback(1, 2, 3, 1), rig.now());
    rig.run();
    rig.device().scheduler().close(1);
    CU_ASSERT(!take(rig, m)); // it went with its queue
}

// T-CPU-6: one stop for each message, in the order in which they came.
static void test_messages_in_order()
{
    Rig rig;
    constexpr uint32_t kQueues = 8;
    for (uint32_t sq = 0; sq < kQueues; ++sq) {
        rig.open(sq);
        rig.put(sq, sqe_callback(static_cast<uint16_t>(sq), 0, 0, 0), 100 * (kQueues - sq));
    }
    for (uint32_t i = 0; i < kQueues; ++i) {
        twinsim_message m{};
        EXPECT_EQ(rig.run_until(TWINSIM_NEVER), TWINSIM_STOP_CALL);
        CU_ASSERT_FATAL(take(rig, m));
        EXPECT_EQ(m.group, kQueues - 1 - i);
        CU_ASSERT(!take(rig, m));
    }
}

// T-CPU-7: 4 is the control CPU of the host.
static void test_other_topics()
{
    for (uint32_t topic = 0; topic < 16; ++topic) {
        Rig rig;
        rig.open(0);
        stars_sqe sqe = sqe_callback(1, 2, 3, 0);
        sqe.word[2] = topic << 24;
        rig.put(0, sqe, 0);
        rig.run();
        EXPECT_EQ(rig.state(0), topic == 4 ? TWINSIM_QUEUE_IDLE : TWINSIM_QUEUE_EXCEPTION);
        if (topic != 4)
            EXPECT_EQ(rig.cqe(0, 0).u.error.status, STARS_STATUS_BAD_SQE);
    }
}

// T-CPU-3, T-SCH-8, T-SCH-9: callbacks that wait keep their shares; the next one comes with the
// first answer.
static void test_class_limit()
{
    Rig rig([](tsim::Params &p) { p.cpu_topic_cap.value = 2; });
    for (uint32_t sq = 0; sq < 4; ++sq) {
        rig.open(sq);
        rig.put(sq, sqe_callback(static_cast<uint16_t>(sq), 0, 0, 1), 0);
    }
    rig.open(4);
    rig.put(4, sqe_placeholder(), 0); // has no class
    rig.run();
    EXPECT_EQ(rig.retired(4), 1);
    twinsim_message m{};
    CU_ASSERT_FATAL(take(rig, m));
    EXPECT_EQ(m.sq, 0);
    CU_ASSERT_FATAL(take(rig, m));
    EXPECT_EQ(m.sq, 1);
    CU_ASSERT(!take(rig, m));
    answer(rig, 1, 1, 0);
    rig.run();
    EXPECT_EQ(rig.retired(1), 1);
    CU_ASSERT_FATAL(take(rig, m));
    EXPECT_EQ(m.sq, 2);
    CU_ASSERT(!take(rig, m));
    const auto slots = rig.phases(TWINSIM_PHASE_SLOT, 2);
    bool named = false;
    for (const auto &slot : slots)
        named = named || slot.parameter == rig.params().cpu_topic_cap.index;
    CU_ASSERT(named);
}

// T-SQE-8: the credit ends a wait for the host, unless the answer is seen before.
static void test_credit()
{
    Rig rig;
    const uint64_t unit = rig.params().credit_unit.value;
    rig.open(0);
    rig.open(1);
    rig.put(0, sqe_with_credit(sqe_callback(1, 0, 0, 1), 2), 0);
    rig.put(1, sqe_with_credit(sqe_callback(1, 0, 0, 1), 2), 0);
    EXPECT_EQ(rig.run_until(unit), TWINSIM_STOP_CALL);
    EXPECT_EQ(rig.run_until(unit), TWINSIM_STOP_CALL);
    rig.run_until(unit);
    answer(rig, 0, 1, unit + 1);
    answer(rig, 1, 1, 3 * unit); // too late
    rig.run();
    EXPECT_EQ(rig.retired(0), 1);
    EXPECT_EQ(rig.state(1), TWINSIM_QUEUE_EXCEPTION);
    EXPECT_EQ(rig.cqe(1, 0).u.error.code, STARS_ERROR_TIMEOUT);
}

static const twin_test tests[] = {
    {"a callback sends its words to the host and goes on", test_message_without_block},
    {"a blocking callback waits for the answer", test_block_waits_for_the_answer},
    {"an answer in the past counts as now", test_answer_in_the_past},
    {"answers that no SQE waits for have no effect", test_answers_without_effect},
    {"messages come in order, one stop for each", test_messages_in_order},
    {"other topics are bad SQEs", test_other_topics},
    {"callbacks share a class", test_class_limit},
    {"credit ends a wait for the host", test_credit},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim call", tests, TWIN_COUNT(tests), argc, argv);
}
