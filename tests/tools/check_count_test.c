/* SPDX-License-Identifier: Apache-2.0 */
/* Counting notifies: which changes come before a wait, by mode and relation, and the findings that
 * follow. */
#include "support/cunit_main.h"

#include <stdio.h>

#include "check_script.h"
#include "seam/types.h"

#define MEMORY SCRIPT_MEMORY
#define US     UINT64_C(1000)
#define COUNT  11u

#define AT_LEAST TWIN_COUNT_GREATER_OR_EQUAL

static struct script s;

static void begin(void)
{
    script_stage(&s);
    script_signal(&s, COUNT, TWIN_SIGNAL_COUNT);
}

static uint32_t change(uint32_t queue, uint32_t mode, uint32_t value)
{
    return script_count(&s, queue, COUNT, mode, value);
}

static uint32_t wait_for(uint32_t queue, uint32_t relation, uint32_t value)
{
    return script_wait_count(&s, queue, COUNT, relation, value, false);
}

static uint32_t wait_and_clear(uint32_t queue, uint32_t relation, uint32_t value)
{
    return script_wait_count(&s, queue, COUNT, relation, value, true);
}

static uint32_t touch(uint32_t queue)
{
    return script_fill(&s, queue, MEMORY, 64);
}

static void drain_all(void)
{
    for (uint32_t q = 1; q <= 4; q++)
        script_on_queue(&s, TWIN_OP_DRAIN, q, TWIN_OK);
}

static void expect_clean(void)
{
    CU_ASSERT_TRUE(script_clean(&s));
}

static void expect(check_rule rule, uint32_t first, uint32_t second)
{
    CU_ASSERT_TRUE(script_breaks(&s, rule, first, second));
}

static uint64_t unjudged(void)
{
    struct checker *checker = script_check(&s);
    uint64_t work = checker_unjudged_work(checker);
    checker_free(checker);
    return work;
}

/* No finding remains: two writes are in order, and that is known. */
static void expect_order(void)
{
    drain_all();
    expect_clean();
    CU_ASSERT_EQUAL(unjudged(), 0);
}

/* Two adds of two streams: a wait that needs both comes after both, one that needs one of them
 * after neither. */
static void test_add(void)
{
    begin();
    touch(2);
    change(2, TWIN_COUNT_ADD, 1);
    change(3, TWIN_COUNT_ADD, 1);
    uint32_t wait = wait_for(4, AT_LEAST, 2);
    touch(4);
    expect_order();
    s.ops[wait].count.value = 1;
    expect_clean();
    CU_ASSERT_EQUAL(unjudged(), 1);
    s.ops[wait].count.value = 0; /* it needs none */
    expect(CHECK_RACE_01, wait - 3, wait + 1);
}

/* An add that is submitted later may come first as well. */
static void test_later_change(void)
{
    begin();
    touch(2);
    change(2, TWIN_COUNT_ADD, 1);
    wait_for(4, AT_LEAST, 1);
    touch(4);
    uint32_t late = change(3, TWIN_COUNT_ADD, 1);
    drain_all();
    expect_clean();
    CU_ASSERT_EQUAL(unjudged(), 1);
    /* but not when the host had seen the wait passed */
    s.ops[late] = (twin_op){.kind = TWIN_OP_DRAIN,
                            .queue = 4,
                            .thread = 1,
                            .begin_seq = s.ops[late].begin_seq,
                            .end_seq = s.ops[late].end_seq,
                            .name = CHECK_NONE};
    change(3, TWIN_COUNT_ADD, 1);
    drain_all();
    expect_clean();
    CU_ASSERT_EQUAL(unjudged(), 0);
}

/* Each mode with a relation that needs it: {mode, value, relation, value}, from a count of 6. */
static void test_modes(void)
{
    static const uint32_t needs[][4] = {
        {TWIN_COUNT_ADD, 3, AT_LEAST, 9},         {TWIN_COUNT_ADD, 3, TWIN_COUNT_GREATER, 6},
        {TWIN_COUNT_ADD, 3, TWIN_COUNT_EQUAL, 9}, {TWIN_COUNT_SET, 9, AT_LEAST, 7},
        {TWIN_COUNT_SET, 1, TWIN_COUNT_LESS, 6},  {TWIN_COUNT_SET, 0, TWIN_COUNT_EQUAL, 0},
        {TWIN_COUNT_SET, 8, TWIN_COUNT_MASK, 8},  {TWIN_COUNT_OR, 1, TWIN_COUNT_MASK, 5},
        {TWIN_COUNT_OR, 1, TWIN_COUNT_EQUAL, 7},  {TWIN_COUNT_OR, 8, AT_LEAST, 10},
        {TWIN_COUNT_AND, 2, TWIN_COUNT_LESS, 4},  {TWIN_COUNT_AND, 4, TWIN_COUNT_EQUAL, 4},
    };
    for (size_t i = 0; i < TWIN_COUNT(needs); i++) {
        begin();
        change(4, TWIN_COUNT_SET, 6);
        script_sync(&s, TWIN_OP_RECORD, 4, 1);
        script_sync(&s, TWIN_OP_WAIT, 2, 1);
        uint32_t first = touch(2);
        change(2, needs[i][0], needs[i][1]);
        uint32_t wait = wait_for(4, needs[i][2], needs[i][3]);
        uint32_t second = touch(4);
        expect_order();
        /* by what is there already */
        s.ops[wait].count.relation = TWIN_COUNT_MASK;
        s.ops[wait].count.value = 0;
        if (!script_breaks(&s, CHECK_RACE_01, first, second)) {
            fprintf(stderr, "case %zu\n", i);
            CU_FAIL("no race");
        }
    }
}

/* Two rounds: the change that released the first wait is cleared, so the second needs its own. */
static void test_clear(void)
{
    for (int way = 0; way < 3; way++) {
        begin();
        change(2, TWIN_COUNT_ADD, 1);
        way == 1 ? wait_for(4, AT_LEAST, 1) : wait_and_clear(4, AT_LEAST, 1);
        if (way == 1)
            change(4, TWIN_COUNT_SET, 0);
        script_sync(&s, TWIN_OP_RECORD, 4, 1);
        script_sync(&s, TWIN_OP_WAIT, 3, 1);
        uint32_t first = touch(3);
        change(3, TWIN_COUNT_ADD, 1);
        uint32_t wait = wait_and_clear(4, AT_LEAST, 1);
        touch(4);
        if (way < 2) {
            expect_order();
            continue;
        }
        s.ops[wait - 5].count.clear = false; /* the first round's count is still there */
        CU_ASSERT_EQUAL(s.ops[wait - 5].kind, TWIN_OP_WAIT_COUNT);
        drain_all();
        expect(CHECK_RACE_01, first, wait + 1);
    }
}

/* A chain of rounds over two counts, none of which the host sees. */
static void test_rounds(void)
{
    begin();
    script_signal(&s, COUNT + 1, TWIN_SIGNAL_COUNT);
    for (uint32_t i = 0; i < 200; i++) {
        touch(2);
        change(2, TWIN_COUNT_ADD, 1);
        wait_for(3, AT_LEAST, i + 1);
        touch(3);
        script_count(&s, 3, COUNT + 1, TWIN_COUNT_ADD, 1);
        script_wait_count(&s, 2, COUNT + 1, AT_LEAST, 1, true);
    }
    expect_order();
}

static uint32_t timed(uint32_t op, uint64_t begin_us, uint64_t end_us)
{
    script_time(&s, op, begin_us * US, end_us * US);
    return op;
}

static void test_times(void)
{
    begin();
    uint32_t add = timed(change(2, TWIN_COUNT_ADD, 1), 20, 21);
    uint32_t other = timed(change(3, TWIN_COUNT_ADD, 1), 30, 31);
    uint32_t wait = timed(wait_for(4, AT_LEAST, 2), 5, 32);
    expect_clean();
    timed(wait, 5, 25);
    expect(CHECK_ORD_05, other, wait);
    /* one of the two is enough: not before the first */
    s.ops[wait].count.value = 1;
    expect_clean();
    timed(wait, 5, 19);
    expect(CHECK_ORD_05, add, wait);
}

/* A value that the count has only between two changes lets no later wait pass. */
static void test_times_between(void)
{
    begin();
    timed(change(2, TWIN_COUNT_SET, 5), 20, 21);
    timed(change(3, TWIN_COUNT_SET, 7), 30, 31);
    uint32_t wait = timed(wait_for(4, TWIN_COUNT_EQUAL, 5), 25, 29);
    expect_clean();
    timed(wait, 32, 35);
    expect(CHECK_ORD_05, CHECK_NONE, wait);
    /* unless it is not known which of the two came last */
    timed(wait - 1, 15, 40);
    expect_clean();
}

/* Two waits that clear need a change each. */
static void test_times_clear(void)
{
    begin();
    timed(change(2, TWIN_COUNT_ADD, 1), 20, 21);
    uint32_t add = timed(change(2, TWIN_COUNT_ADD, 1), 40, 41);
    uint32_t first = timed(wait_and_clear(3, AT_LEAST, 1), 5, 22);
    uint32_t second = timed(wait_and_clear(4, AT_LEAST, 1), 5, 42);
    expect_clean();
    timed(second, 5, 23);
    expect(CHECK_ORD_05, add, second);
    s.ops[first].count.clear = s.ops[second].count.clear = false;
    expect_clean();
}

/* Work on both sides, and no times of the ops between them. */
static void test_chain(void)
{
    begin();
    uint32_t before = timed(touch(2), 10, 20);
    change(2, TWIN_COUNT_ADD, 1);
    wait_for(3, AT_LEAST, 1);
    uint32_t after = timed(script_fill(&s, 3, MEMORY + 4096, 64), 21, 30);
    expect_clean();
    timed(after, 15, 30);
    expect(CHECK_ORD_05, before, after);
    s.count--;
    s.seq -= 2;
    script_signal(&s, COUNT + 1, TWIN_SIGNAL_COUNT);
    script_count(&s, 3, COUNT + 1, TWIN_COUNT_SET, 3);
    script_wait_count(&s, 4, COUNT + 1, TWIN_COUNT_MASK, 2, true);
    after = timed(script_fill(&s, 4, MEMORY + 4096, 64), 15, 30);
    expect(CHECK_ORD_09, before, after);
}

/* A board: no times at all. The host saw the later op complete, then a query reports the earlier op
 * as not complete. */
static void test_denial(void)
{
    begin();
    script_sync(&s, TWIN_OP_RECORD, 2, 1);
    change(2, TWIN_COUNT_OR, 1);
    change(3, TWIN_COUNT_OR, 2);
    wait_for(4, TWIN_COUNT_MASK, 3);
    uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 4, TWIN_OK);
    uint32_t query = script_query(&s, 1, true);
    expect_clean();
    s.ops[query].positive = false;
    expect(CHECK_ORD_05, drain, query);
}

static void test_passed_on_nothing(void)
{
    begin();
    change(2, TWIN_COUNT_ADD, 1);
    uint32_t wait = wait_for(4, AT_LEAST, 2);
    uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 4, TWIN_OK);
    change(2, TWIN_COUNT_ADD, 1);
    expect(CHECK_ORD_05, wait, drain);
    s.ops[wait].count.value = 1;
    expect_clean();
}

static void test_hangs(void)
{
    begin();
    change(2, TWIN_COUNT_ADD, 1);
    uint32_t wait = wait_for(4, AT_LEAST, 2);
    expect(CHECK_LIFE_07, wait, CHECK_NONE);
    change(3, TWIN_COUNT_ADD, 1);
    expect_clean();
}

static void test_prompt(void)
{
    begin();
    uint32_t add = timed(change(2, TWIN_COUNT_ADD, 1), 300, 301);
    s.now_ns = 100 * US;
    uint32_t wait = timed(wait_for(3, AT_LEAST, 1), 110, 301);
    expect_clean();
    s.ops[wait].end_ns = 302 * US;
    expect(CHECK_ORD_07, add, wait);
}

/* Work that an abort dropped may have happened or not. */
static void test_abort(void)
{
    begin();
    touch(2);
    change(2, TWIN_COUNT_ADD, 1);
    wait_for(4, AT_LEAST, 1);
    touch(4);
    script_on_queue(&s, TWIN_OP_QUEUE_ABORT, 2, TWIN_OK);
    script_on_queue(&s, TWIN_OP_DRAIN, 4, TWIN_OK);
    change(2, TWIN_COUNT_ADD, 1);
    wait_for(3, AT_LEAST, 2);
    script_on_queue(&s, TWIN_OP_DRAIN, 3, TWIN_OK);
    expect_clean();
}

/* Past 2^32 it begins again at 0. */
static void test_wrap(void)
{
    begin();
    touch(2);
    change(2, TWIN_COUNT_ADD, UINT32_MAX);
    change(3, TWIN_COUNT_ADD, 1);
    uint32_t wait = wait_for(4, TWIN_COUNT_EQUAL, UINT32_MAX);
    uint32_t second = touch(4);
    expect_order();
    s.ops[wait].count.value = 0; /* before both, or after both */
    expect(CHECK_RACE_01, wait - 3, second);
    s.ops[wait].count.value = UINT32_MAX;
    s.ops[second].dst += 4096;
    timed(wait - 2, 10, 11);
    timed(wait - 1, 20, 21);
    timed(wait, 5, 12);
    expect_clean();
    s.ops[wait].count.value = 0;
    timed(wait, 12, 22);
    expect_clean();
    timed(wait, 12, 19);
    expect(CHECK_ORD_05, wait - 1, wait);
}

static const twin_test tests[] = {
    {"a wait comes after each add that it cannot do without", test_add},
    {"a later change may release the wait too, unless the host saw it pass", test_later_change},
    {"each mode, with each relation that needs it", test_modes},
    {"a wait that clears, or a reset, ends a round", test_clear},
    {"rounds that the host does not see", test_rounds},
    {"ORD-05: a wait that passes before the changes it needs is found", test_times},
    {"ORD-05: a wait that passes when the count has gone on is found", test_times_between},
    {"ORD-05: two waits that clear and one change are found", test_times_clear},
    {"ORD-05, ORD-09: work ordered by counts that begins too early is found", test_chain},
    {"ORD-05: work before a count wait that the host saw passed is done", test_denial},
    {"ORD-05: a wait that passed on a count that cannot be is found", test_passed_on_nothing},
    {"LIFE-07: a wait for a count that never comes is found", test_hangs},
    {"ORD-07: a wait for a count that holds the calling thread is found", test_prompt},
    {"an abort leaves the count unknown", test_abort},
    {"a count that passes 2^32", test_wrap},
};

int main(int argc, char **argv)
{
    return twin_run_suite("check_count", tests, TWIN_COUNT(tests), argc, argv);
}
