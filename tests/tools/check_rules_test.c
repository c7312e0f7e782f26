/* SPDX-License-Identifier: Apache-2.0 */
/* Each rule of order of `twinrt check`, and properties of all rules: a program that keeps a rule is
 * not blamed, one that breaks it is, with the two ops. Lifetimes: check_lifetime_test.c. */
#include "support/cunit_main.h"

#include <stdio.h>
#include <string.h>

#include "api/functions.h"
#include "check_script.h"

#define MEMORY SCRIPT_MEMORY
#define US     UINT64_C(1000)

static struct script s;

static void begin(void)
{
    script_stage(&s);
}

static uint32_t timed_copy(uint32_t queue, uint64_t begin_ns, uint64_t end_ns)
{
    uint32_t op = script_copy(&s, queue, MEMORY + queue * 4096, MEMORY + queue * 4096 + 2048, 64);
    script_time(&s, op, begin_ns, end_ns);
    return op;
}

static uint32_t timed_sync(twin_op_kind kind, uint32_t queue, uint32_t signal, uint64_t begin_ns,
                           uint64_t end_ns)
{
    uint32_t op = script_sync(&s, kind, queue, signal);
    script_time(&s, op, begin_ns, end_ns);
    return op;
}

static void expect_clean(void)
{
    CU_ASSERT_TRUE(script_clean(&s));
}

static void expect(check_rule rule, uint32_t first, uint32_t second)
{
    CU_ASSERT_TRUE(script_breaks(&s, rule, first, second));
}

static uint64_t judged(check_rule rule)
{
    struct checker *checker = script_check(&s);
    uint64_t times = checker_judged(checker, rule);
    checker_free(checker);
    return times;
}

static void test_fifo(void)
{
    begin();
    timed_copy(2, 10 * US, 20 * US);
    uint32_t second = timed_copy(2, 20 * US, 30 * US);
    expect_clean();
    CU_ASSERT_EQUAL(judged(CHECK_ORD_01), 1);
    script_time(&s, second, 19 * US, 30 * US);
    expect(CHECK_ORD_01, second - 1, second);
}

/* The default stream, queued by two threads. */
static void test_default_fifo(void)
{
    begin();
    uint32_t first = timed_copy(1, 10 * US, 20 * US);
    uint32_t second = timed_copy(1, 20 * US, 30 * US);
    s.ops[second].thread = 2;
    expect_clean();
    script_time(&s, second, 15 * US, 30 * US);
    expect(CHECK_ORD_12, first, second);
}

static void test_each_once(void)
{
    begin();
    uint32_t first = timed_copy(2, 10 * US, 20 * US);
    s.ops[first].task = 1;
    script_on_queue(&s, TWIN_OP_DRAIN, 2, TWIN_OK);
    for (uint32_t times = 0; times < 3; times++) {
        s.ops[first].reported = times;
        struct checker *checker = checker_new(&(struct checker_facts){.whole = true});
        for (uint32_t i = 0; i < s.count; i++)
            CU_ASSERT_TRUE(checker_feed(checker, &s.ops[i]));
        CU_ASSERT_TRUE(checker_finish(checker));
        size_t count = 0;
        (void)checker_findings(checker, &count);
        CU_ASSERT_EQUAL(count, times == 1 ? 0 : 1);
        if (times != 1)
            CU_ASSERT_TRUE(script_found(&s, checker, CHECK_ORD_12, first, CHECK_NONE));
        checker_free(checker);
    }
}

/* Stream 3 is blocked by a notify; a wait for stream 2, or for the default stream, may not
 * suffer. */
static void test_independence(void)
{
    begin();
    uint32_t blocked = script_sync(&s, TWIN_OP_WAIT, 3, 3);
    script_copy(&s, 2, MEMORY, MEMORY + 64, 64);
    uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 2, TWIN_OK);
    script_sync(&s, TWIN_OP_RECORD, 4, 3);
    expect_clean();
    CU_ASSERT_EQUAL(judged(CHECK_ORD_02), 1);
    s.ops[drain].status = TWIN_E_DEADLOCK;
    expect(CHECK_ORD_02, blocked, drain);
    s.ops[drain].queue = s.ops[drain - 1].queue = 1;
    expect(CHECK_ORD_03, blocked, drain);
    s.ops[drain].status = TWIN_OK;
    expect_clean();
    CU_ASSERT_EQUAL(judged(CHECK_ORD_03), 1);
}

static void test_blocked_default(void)
{
    begin();
    uint32_t blocked = script_sync(&s, TWIN_OP_WAIT, 1, 3);
    script_copy(&s, 2, MEMORY, MEMORY + 64, 64);
    uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 2, TWIN_E_DEADLOCK);
    script_sync(&s, TWIN_OP_RECORD, 4, 3);
    expect(CHECK_ORD_03, blocked, drain);
}

/* A wait that timed out long after the end of its work. */
static void test_late_timeout(void)
{
    begin();
    script_sync(&s, TWIN_OP_WAIT, 3, 3);
    timed_copy(2, 10 * US, 20 * US);
    s.now_ns = 1000 * US;
    uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 2, TWIN_E_TIMEOUT);
    s.now_ns = 0;
    script_sync(&s, TWIN_OP_RECORD, 4, 3);
    expect(CHECK_ORD_02, CHECK_NONE, drain);
    script_time(&s, drain - 1, 990 * US, 999 * US);
    expect_clean();
}

static void test_submission(void)
{
    begin();
    uint32_t copy = script_copy(&s, 2, MEMORY, MEMORY + 64, 64);
    s.ops[copy].status = TWIN_E_BUSY;
    expect_clean();
    static const uint16_t of_tasks[] = {
#define TASK_FAILURE(name) name,
        TWIN_TASK_FAILURES(TASK_FAILURE)
#undef TASK_FAILURE
    };
    for (size_t i = 0; i < TWIN_COUNT(of_tasks); i++) {
        s.ops[copy].status = of_tasks[i];
        expect(CHECK_ORD_04, copy, CHECK_NONE);
    }
}

/* No earlier call reported the failure: on a board the refusal is the first to do so. */
static void test_stopped_group(void)
{
    begin();
    uint32_t mode = script_on_queue(&s, TWIN_OP_STOP_ON_FAILURE, 3, TWIN_OK);
    uint32_t copy = script_copy(&s, 2, MEMORY, MEMORY + 64, 64);
    s.ops[copy].status = TWIN_E_VECTOR_EXCEPTION;
    expect_clean();
    s.ops[mode].status = TWIN_E_UNSUPPORTED;
    expect(CHECK_ORD_04, copy, CHECK_NONE);
    s.ops[mode].status = TWIN_OK;
    s.ops[s.ops[copy].queue].config.group = 1; /* queue 2 is another context's */
    CU_ASSERT_EQUAL(s.ops[s.ops[copy].queue].queue, 2);
    expect(CHECK_ORD_04, copy, CHECK_NONE);
}

static void test_silent_failure(void)
{
    begin();
    uint32_t copy = timed_copy(2, 10 * US, 20 * US);
    s.ops[copy].task_status = TWIN_E_COPY;
    uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 2, TWIN_E_COPY);
    expect_clean();
    s.ops[drain].status = TWIN_OK;
    expect(CHECK_ORD_04, copy, drain);
}

static void test_event(void)
{
    begin();
    uint32_t before = timed_copy(2, 10 * US, 20 * US);
    uint32_t record = timed_sync(TWIN_OP_RECORD, 2, 1, 20 * US, 21 * US);
    uint32_t wait = timed_sync(TWIN_OP_WAIT, 3, 1, 5 * US, 21 * US);
    uint32_t after = timed_copy(3, 21 * US, 30 * US);
    expect_clean();
    script_time(&s, wait, 5 * US, 18 * US);
    script_time(&s, after, 22 * US, 30 * US);
    expect(CHECK_ORD_05, record, wait);
    /* without a time of the wait, the work after it decides */
    s.ops[wait].timed = s.ops[record].timed = false;
    expect_clean();
    script_time(&s, after, 12 * US, 30 * US);
    expect(CHECK_ORD_05, before, after);
}

static void test_record_alone(void)
{
    begin();
    uint32_t record = timed_sync(TWIN_OP_RECORD, 2, 1, 20 * US, 21 * US);
    uint32_t wait = timed_sync(TWIN_OP_WAIT, 3, 1, 5 * US, 19 * US);
    expect(CHECK_ORD_05, record, wait);
}

static uint32_t stamped_sync(twin_op_kind kind, uint32_t queue, uint32_t signal, uint64_t end_ns)
{
    uint32_t op = timed_sync(kind, queue, signal, 0, end_ns);
    s.ops[op].stamped = true;
    return op;
}

/* A stamp taken after a task proves only that the task had ended. The first record's stamp was
 * taken late: its waiter may have passed before. The work before the record had ended by its own
 * stamp. */
static void test_stamps(void)
{
    begin();
    uint32_t copy = timed_copy(2, 0, 40 * US);
    s.ops[copy].stamped = true;
    uint32_t record = stamped_sync(TWIN_OP_RECORD, 2, 1, 50 * US);
    uint32_t wait = stamped_sync(TWIN_OP_WAIT, 3, 1, 45 * US);
    uint32_t after = timed_copy(3, 0, 47 * US);
    s.ops[after].stamped = true;
    expect_clean();
    CU_ASSERT_EQUAL(judged(CHECK_ORD_01), 2);
    CU_ASSERT_EQUAL(judged(CHECK_ORD_05), 1);
    s.ops[wait].task_end_ns = 39 * US;
    expect(CHECK_ORD_05, copy, wait);
    s.ops[wait].task_end_ns = 45 * US;
    s.ops[after].task_end_ns = 44 * US;
    expect(CHECK_ORD_01, wait, after);
    s.ops[after].task_end_ns = 47 * US;
    /* the record's own time, which the program requested, is not a later stamp */
    s.ops[record].stamped = false;
    expect(CHECK_ORD_05, record, wait);
}

/* Nor does a call hold its thread because a time was taken late. */
static void test_stamp_prompt(void)
{
    begin();
    uint32_t record = stamped_sync(TWIN_OP_RECORD, 2, 1, 301 * US);
    s.now_ns = 100 * US;
    uint32_t wait = stamped_sync(TWIN_OP_WAIT, 3, 1, 310 * US);
    s.ops[wait].end_ns = 302 * US;
    expect_clean();
    s.ops[record].stamped = false;
    expect(CHECK_ORD_07, record, wait);
}

static void test_notify(void)
{
    begin();
    uint32_t first = timed_sync(TWIN_OP_WAIT, 3, 3, 5 * US, 21 * US);
    uint32_t record = timed_sync(TWIN_OP_RECORD, 2, 3, 20 * US, 21 * US);
    script_on_queue(&s, TWIN_OP_DRAIN, 3, TWIN_OK);
    uint32_t second = timed_sync(TWIN_OP_WAIT, 3, 3, 22 * US, 42 * US);
    timed_sync(TWIN_OP_RECORD, 2, 3, 40 * US, 41 * US);
    expect_clean();
    script_time(&s, first, 5 * US, 19 * US);
    expect(CHECK_ORD_05, record, first);
    script_time(&s, first, 5 * US, 21 * US);
    script_time(&s, second, 22 * US, 30 * US);
    expect(CHECK_ORD_05, second + 1, second);
}

/* The second round of a flag: between a reset and the next record no wait passes. */
static void test_flag(void)
{
    begin();
    timed_sync(TWIN_OP_RECORD, 2, 4, 10 * US, 11 * US);
    timed_sync(TWIN_OP_WAIT, 3, 4, 5 * US, 11 * US);
    timed_sync(TWIN_OP_RESET, 3, 4, 11 * US, 12 * US);
    script_on_queue(&s, TWIN_OP_DRAIN, 3, TWIN_OK);
    uint32_t record = timed_sync(TWIN_OP_RECORD, 2, 4, 40 * US, 41 * US);
    uint32_t wait = timed_sync(TWIN_OP_WAIT, 3, 4, 13 * US, 41 * US);
    expect_clean();
    script_time(&s, wait, 13 * US, 30 * US);
    expect(CHECK_ORD_05, record, wait);
}

/* Two streams that wait for each other's flags, and a third that releases one. */
static void test_flag_of_another(void)
{
    begin();
    script_signal(&s, 5, TWIN_SIGNAL_EVENT_LEVEL);
    script_sync(&s, TWIN_OP_WAIT, 2, 5);
    script_sync(&s, TWIN_OP_RECORD, 2, 4);
    script_sync(&s, TWIN_OP_WAIT, 3, 4);
    script_sync(&s, TWIN_OP_RECORD, 3, 5);
    script_sync(&s, TWIN_OP_RECORD, 4, 4);
    script_on_queue(&s, TWIN_OP_DRAIN, 2, TWIN_OK);
    expect_clean();
}

/* A blocked wait holds no work before it on its stream, nor work that waits for an earlier record
 * of its stream. */
static void test_no_more_order(void)
{
    begin();
    script_copy(&s, 3, MEMORY, MEMORY + 64, 64);
    s.seq += 2;
    uint32_t blocked = script_sync(&s, TWIN_OP_WAIT, 3, 3);
    uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 3, TWIN_E_DEADLOCK);
    /* it began before the wait was queued */
    s.ops[drain].begin_seq = s.ops[blocked].begin_seq - 1;
    script_sync(&s, TWIN_OP_RECORD, 4, 3);
    expect(CHECK_ORD_06, blocked, drain);
}

static void test_work_after_record(void)
{
    begin();
    script_sync(&s, TWIN_OP_RECORD, 2, 1);
    uint32_t blocked = script_sync(&s, TWIN_OP_WAIT, 2, 3);
    script_sync(&s, TWIN_OP_WAIT, 3, 1);
    script_copy(&s, 3, MEMORY, MEMORY + 64, 64);
    uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 3, TWIN_E_DEADLOCK);
    script_sync(&s, TWIN_OP_RECORD, 4, 3);
    expect(CHECK_ORD_06, blocked, drain);
}

static void test_prompt(void)
{
    begin();
    uint32_t record = timed_sync(TWIN_OP_RECORD, 2, 1, 300 * US, 301 * US);
    s.now_ns = 100 * US;
    uint32_t wait = timed_sync(TWIN_OP_WAIT, 3, 1, 110 * US, 301 * US);
    expect_clean();
    CU_ASSERT_EQUAL(judged(CHECK_ORD_07), 1);
    s.ops[wait].end_ns = 302 * US;
    expect(CHECK_ORD_07, record, wait);
    s.ops[wait].moved = true; /* it was not this call that took so long */
    expect_clean();
    CU_ASSERT_EQUAL(judged(CHECK_ORD_07), 0);
}

static void test_all_waiters(void)
{
    begin();
    script_sync(&s, TWIN_OP_RECORD, 2, 1);
    uint32_t wait = script_sync(&s, TWIN_OP_WAIT, 3, 1);
    script_sync(&s, TWIN_OP_WAIT, 4, 1);
    uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 3, TWIN_OK);
    expect_clean();
    s.ops[drain].status = TWIN_E_DEADLOCK;
    expect(CHECK_ORD_08, wait, drain);
}

static void test_chain(void)
{
    begin();
    uint32_t before = timed_copy(2, 10 * US, 20 * US);
    script_sync(&s, TWIN_OP_RECORD, 2, 1);
    script_sync(&s, TWIN_OP_WAIT, 3, 1);
    script_sync(&s, TWIN_OP_RECORD, 3, 2);
    script_sync(&s, TWIN_OP_WAIT, 4, 2);
    uint32_t after = timed_copy(4, 20 * US, 30 * US);
    expect_clean();
    CU_ASSERT_EQUAL(judged(CHECK_ORD_09), 1);
    script_time(&s, after, 15 * US, 30 * US);
    expect(CHECK_ORD_09, before, after);
}

/* The same without any times: the host sees the end of the chain and then not its beginning. */
static void test_chain_seen(void)
{
    begin();
    script_sync(&s, TWIN_OP_RECORD, 2, 1);
    script_sync(&s, TWIN_OP_WAIT, 3, 1);
    script_sync(&s, TWIN_OP_RECORD, 3, 2);
    script_sync(&s, TWIN_OP_WAIT, 4, 2);
    uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 4, TWIN_OK);
    uint32_t query = script_query(&s, 1, true);
    expect_clean();
    s.ops[query].positive = false;
    expect(CHECK_ORD_09, drain, query);
    /* one hop */
    s.ops[query].object = 2;
    expect(CHECK_ORD_05, drain, query);
}

static void test_host_wait(void)
{
    begin();
    s.now_ns = 10 * US;
    script_sync(&s, TWIN_OP_RECORD, 2, 1);
    uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 2, TWIN_OK);
    uint32_t query = script_query(&s, 1, true);
    expect_clean();
    s.ops[query].positive = false;
    expect(CHECK_ORD_10, drain, query);
    /* asked before the wait returned, by another thread: no contradiction */
    s.ops[query].thread = 2, s.ops[query].begin_seq = s.ops[drain].end_seq - 1;
    expect_clean();
    s.ops[query].positive = true;
    script_time(&s, drain - 1, 12 * US, 30 * US);
    expect(CHECK_ORD_10, drain - 1, drain);
    s.ops[drain].begin_ns = s.ops[drain].end_ns, s.ops[drain].device_ns = 29 * US;
    expect(CHECK_ORD_10, drain - 1, drain);
}

/* An event that the host saw complete proves all before it complete. */
static void test_host_event(void)
{
    begin();
    script_sync(&s, TWIN_OP_RECORD, 2, 1);
    script_sync(&s, TWIN_OP_RECORD, 2, 2);
    uint32_t wait = script_on_signal(&s, TWIN_OP_SIGNAL_WAIT, 2, TWIN_OK);
    uint32_t query = script_query(&s, 1, false);
    expect(CHECK_ORD_01, wait, query);
}

static void test_event_covers(void)
{
    begin();
    script_sync(&s, TWIN_OP_RECORD, 2, 1);
    uint32_t blocked = script_sync(&s, TWIN_OP_WAIT, 2, 3);
    uint32_t wait = script_on_signal(&s, TWIN_OP_SIGNAL_WAIT, 1, TWIN_OK);
    script_sync(&s, TWIN_OP_RECORD, 4, 3);
    expect_clean();
    CU_ASSERT_EQUAL(judged(CHECK_ORD_11), 1);
    s.ops[wait].status = TWIN_E_DEADLOCK;
    expect(CHECK_ORD_11, blocked, wait);
}

static void test_devices(void)
{
    begin();
    for (uint32_t q = 1; q <= 4; q++)
        script_on_queue(&s, TWIN_OP_QUEUE_DESTROY, q, TWIN_OK);
    uint32_t close = script_add(&s, (twin_op){.kind = TWIN_OP_DEVICE_CLOSE});
    expect_clean();
    uint32_t late = script_queue(&s, 9, false);
    expect(CHECK_ORD_14, CHECK_NONE, late);
    s.count = close;
    s.ops[close - 1] = s.ops[close];
    expect(CHECK_ORD_14, 4, close - 1);
}

static void test_submitted_first(void)
{
    begin();
    s.now_ns = 10 * US;
    uint32_t copy = timed_copy(2, 10 * US, 20 * US);
    expect_clean();
    script_time(&s, copy, 9 * US, 20 * US);
    expect(CHECK_CLK_01, copy, CHECK_NONE);
}

static void test_unrecorded_pass(void)
{
    begin();
    uint32_t wait = script_sync(&s, TWIN_OP_WAIT, 2, 3);
    uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 2, TWIN_OK);
    expect(CHECK_ORD_05, wait, drain);
}

/* Two streams set a word; one value or the other stays. */
static void test_words(void)
{
    begin();
    uint32_t first = script_word(&s, TWIN_OP_WRITE_VALUE, 2, MEMORY, 1);
    uint32_t second = script_word(&s, TWIN_OP_WRITE_VALUE, 3, MEMORY, 2);
    expect(CHECK_RACE_01, first, second);
    s.ops[second].word.value = 1;
    expect_clean();
    s.ops[second].word.value = 2;
    s.ops[second].kind = TWIN_OP_WAIT_VALUE;
    expect_clean();
}

/* A host function that blocks: what the host learned before the answer is ordered before the work
 * after the function. */
static void test_answer(void)
{
    begin();
    script_add(&s, (twin_op){.kind = TWIN_OP_CALL_QUEUE_CREATE, .object = 1});
    uint32_t write = script_copy(&s, 2, MEMORY, MEMORY + 64, 64);
    twin_op call = {.kind = TWIN_OP_CALL, .queue = 3, .object = 1, .tasks = 1, .blocks = true};
    call.call.function = 7;
    script_add(&s, call);
    uint32_t other = script_copy(&s, 3, MEMORY, MEMORY + 128, 64);
    call.kind = TWIN_OP_TAKE;
    call.queue = 0;
    call.call.ticket = 99;
    script_add(&s, call);
    uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 2, TWIN_OK);
    call.kind = TWIN_OP_ANSWER;
    script_add(&s, call);
    expect_clean();
    s.ops[drain].queue = 4;
    expect(CHECK_RACE_01, write, other);
}

/* A failure excuses waits: a failed task's record may never come. */
static void test_trouble(void)
{
    begin();
    script_sync(&s, TWIN_OP_WAIT, 3, 3);
    script_copy(&s, 2, MEMORY, MEMORY + 64, 64);
    uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 2, TWIN_E_DEADLOCK);
    script_add(&s, s.ops[drain]);
    s.ops[drain] = (twin_op){.kind = TWIN_OP_FAULT_INJECT,
                             .begin_seq = s.ops[drain].begin_seq,
                             .end_seq = s.ops[drain].end_seq,
                             .name = CHECK_NONE};
    expect_clean();
}

/* A process that is killed within a wait learned nothing, not even that its work failed. */
static void test_unanswered_wait(void)
{
    begin();
    script_copy(&s, 2, MEMORY, MEMORY + 64, 64);
    uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 2, TWIN_E_INTERNAL);
    struct checker *checker = script_check(&s);
    CU_ASSERT_TRUE(checker_failed(checker));
    checker_free(checker);
    s.ops[drain].end_seq = 0;
    checker = script_check(&s);
    CU_ASSERT_FALSE(checker_failed(checker));
    checker_free(checker);
}

/* The advice of a finding must name no function that is exported and not built. */
static void test_fixes(void)
{
    static const twin_api_function functions[] = {
#define TWIN_API TWIN_API_ROW
#include "api/functions.def"
    };
    for (int rule = 0; rule < CHECK_RULE_COUNT; rule++)
        for (size_t i = 0; i < TWIN_COUNT(functions); i++)
            if (twin_api_not_built(functions[i].state) &&
                strstr(check_rule_texts[rule].fix, functions[i].name)) {
                fprintf(stderr, "%s: %s\n", check_rule_texts[rule].number, functions[i].name);
                CU_FAIL("the fix is not built");
            }
}

static const twin_test tests[] = {
    {"ORD-01: a task that begins before the end of the one before is found", test_fifo},
    {"ORD-12: the same, of two threads on the default stream", test_default_fifo},
    {"ORD-12: a task that was lost or ran twice is found", test_each_once},
    {"ORD-02, ORD-03: a wait that fails because of a blocked stream is found", test_independence},
    {"ORD-03: a blocked default stream holds no other stream", test_blocked_default},
    {"ORD-02: a time limit that ends long after the work is found", test_late_timeout},
    {"ORD-04: a submission that answers for a task is found", test_submission},
    {"ORD-04: a group that stops refuses work with its failure", test_stopped_group},
    {"ORD-04: a failure that no wait reports is found", test_silent_failure},
    {"ORD-05: work after a wait that begins too early is found", test_event},
    {"ORD-05: a wait that passes before the record is found", test_record_alone},
    {"ORD-05: a stamp taken after a record does not bind its waiter", test_stamps},
    {"ORD-07: a stamp taken after a record does not bind the submitter", test_stamp_prompt},
    {"ORD-05: more waits than records of a notify are found", test_notify},
    {"ORD-05: a wait that passes between a reset and a record is found", test_flag},
    {"ORD-05: a wait that passed with no record at all is found", test_unrecorded_pass},
    {"ORD-05: a flag that another record sets releases too", test_flag_of_another},
    {"ORD-06: a wait for work before a blocked wait is not held", test_no_more_order},
    {"ORD-06: work after a record does not hold its waiters", test_work_after_record},
    {"ORD-07: a wait that holds the calling thread is found", test_prompt},
    {"ORD-08: a waiter that a record does not release is found", test_all_waiters},
    {"ORD-09: a chain of three streams is judged by its ends", test_chain},
    {"ORD-09: chains that the host sees out of order are found", test_chain_seen},
    {"ORD-10: work that a wait covers is done", test_host_wait},
    {"ORD-01: work before an event that the host saw is done", test_host_event},
    {"ORD-11: a wait for an event does not wait for later work", test_event_covers},
    {"ORD-14: objects of a device live while it is open", test_devices},
    {"CLK-01: no task begins before its submission", test_submitted_first},
    {"RACE-01: two values for one word that nothing orders", test_words},
    {"RACE-01: the answer of a host function orders as the host does", test_answer},
    {"a failure excuses the waits that depend on it", test_trouble},
    {"functions that a finding advises are built", test_fixes},
    {"a wait within which the process was killed proves nothing", test_unanswered_wait},
};

int main(int argc, char **argv)
{
    return twin_run_suite("check_rules", tests, TWIN_COUNT(tests), argc, argv);
}
