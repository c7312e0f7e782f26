/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of model instances: what comes before and after them, and what the recording does not show
 * and is not judged. check_race_test compares their races with a reference. */
#include "support/cunit_main.h"

#include <stdint.h>

#include "check_script.h"

#define X     SCRIPT_MEMORY
#define Y     (SCRIPT_MEMORY + 4096)
#define Z     (SCRIPT_MEMORY + 8192)
#define BYTES 4096

static struct script s;

/* Model instance 1, of queue 10. */
static void open_instance(void)
{
    script_stage(&s);
    script_on_instance(&s, TWIN_OP_MODEL_INSTANCE_CREATE, 1, 0);
    script_lane(&s, 10);
    script_bind(&s, 1, 10, true);
}

static void end_instance(void)
{
    script_on_instance(&s, TWIN_OP_END, 0, 10);
}

static uint32_t run(uint32_t queue)
{
    return script_on_instance(&s, TWIN_OP_RUN, 1, queue);
}

/* One that copies X to Y. */
static uint32_t copying_instance(void)
{
    open_instance();
    uint32_t copy = script_copy(&s, 10, Y, X, BYTES);
    end_instance();
    return copy;
}

static uint32_t fetch(uint64_t from)
{
    return script_now(&s, TWIN_OP_NOW_COPY, 0x5000, from, BYTES);
}

static void test_host(void)
{
    uint32_t copy = copying_instance();
    run(2);
    uint32_t fetched = fetch(Y);
    CU_ASSERT_TRUE(script_breaks(&s, CHECK_RACE_04, copy, fetched));
    const twin_op_kind waits[] = {TWIN_OP_MODEL_INSTANCE_DRAIN, TWIN_OP_MODEL_INSTANCE_DESTROY,
                                  TWIN_OP_MODEL_INSTANCE_UNBIND, TWIN_OP_DRAIN};
    for (size_t i = 0; i < TWIN_COUNT(waits); i++) {
        copying_instance();
        run(2);
        script_on_instance(&s, waits[i], 1,
                           waits[i] == TWIN_OP_DRAIN                   ? 2
                           : waits[i] == TWIN_OP_MODEL_INSTANCE_UNBIND ? 10
                                                                       : 0);
        fetch(Y);
        CU_ASSERT_TRUE(script_clean(&s));
    }
    copying_instance(); /* the first wait was asked for too early */
    uint32_t asked = run(2);
    uint32_t drain = script_on_instance(&s, TWIN_OP_MODEL_INSTANCE_DRAIN, 1, 0);
    s.ops[asked].end_seq = s.ops[drain].begin_seq + 1;
    script_on_instance(&s, TWIN_OP_MODEL_INSTANCE_DRAIN, 1, 0);
    fetch(Y);
    CU_ASSERT_TRUE(script_clean(&s));
    copy = copying_instance(); /* the wait was given up */
    run(2);
    s.ops[script_on_instance(&s, TWIN_OP_MODEL_INSTANCE_DRAIN, 1, 0)].status = TWIN_E_TIMEOUT;
    fetched = fetch(Y);
    CU_ASSERT_TRUE(script_breaks(&s, CHECK_RACE_04, copy, fetched));
}

/* What came before one run does not come before the next one, on another stream. */
static void test_runs_apart(void)
{
    copying_instance();
    uint32_t fill = script_fill(&s, 2, Z, BYTES);
    run(2);
    run(3);
    uint32_t copy = script_copy(&s, 3, Y, Z, BYTES);
    CU_ASSERT_TRUE(script_breaks(&s, CHECK_RACE_02, fill, copy));
    copying_instance();
    script_fill(&s, 2, Z, BYTES);
    run(2);
    script_sync(&s, TWIN_OP_RECORD, 2, 1);
    script_sync(&s, TWIN_OP_WAIT, 3, 1);
    run(3);
    script_copy(&s, 3, Y, Z, BYTES);
    CU_ASSERT_TRUE(script_clean(&s));
}

/* A run that cannot begin yet does not hold back one of another stream. */
static void test_overtaking(void)
{
    copying_instance();
    script_sync(&s, TWIN_OP_WAIT, 2, 3);
    run(2);
    run(3);
    script_on_queue(&s, TWIN_OP_DRAIN, 3, TWIN_OK);
    fetch(Z);
    script_sync(&s, TWIN_OP_RECORD, 4, 3);
    script_on_queue(&s, TWIN_OP_DRAIN, 2, TWIN_OK);
    fetch(Y);
    CU_ASSERT_TRUE(script_clean(&s));
}

/* The notify of the run before may not be taken yet; but the runs exclude each other. */
static void test_notify(void)
{
    open_instance();
    script_lane(&s, 11);
    script_bind(&s, 1, 11, true);
    script_sync(&s, TWIN_OP_RECORD, 11, 3);
    script_sync(&s, TWIN_OP_WAIT, 10, 3);
    end_instance();
    run(2);
    run(3);
    CU_ASSERT_TRUE(script_clean(&s));
}

/* Which record ends a wait outside of the instance is not known. */
static void test_flag_outside(void)
{
    open_instance();
    script_fill(&s, 10, X, BYTES);
    script_sync(&s, TWIN_OP_RECORD, 10, 4);
    end_instance();
    script_sync(&s, TWIN_OP_WAIT, 2, 3);
    run(2);
    script_sync(&s, TWIN_OP_WAIT, 3, 4);
    script_copy(&s, 3, Y, X, BYTES);
    script_sync(&s, TWIN_OP_RECORD, 3, 1);
    script_sync(&s, TWIN_OP_WAIT, 4, 1);
    script_sync(&s, TWIN_OP_RECORD, 4, 4);
    script_sync(&s, TWIN_OP_RECORD, 1, 3);
    for (uint32_t queue = 2; queue <= 4; queue++)
        script_on_queue(&s, TWIN_OP_DRAIN, queue, TWIN_OK);
    CU_ASSERT_TRUE(script_clean(&s));
    open_instance(); /* two records, of which either may end the wait */
    script_lane(&s, 11);
    script_bind(&s, 1, 11, true);
    script_fill(&s, 10, X, BYTES);
    script_sync(&s, TWIN_OP_RECORD, 10, 3);
    script_sync(&s, TWIN_OP_WAIT, 11, 3);
    script_copy(&s, 11, Y, X, BYTES);
    end_instance();
    script_sync(&s, TWIN_OP_RECORD, 3, 3);
    run(2);
    CU_ASSERT_TRUE(script_clean(&s));
    open_instance(); /* what comes before such a wait is judged */
    uint32_t first = script_fill(&s, 10, X, BYTES);
    script_sync(&s, TWIN_OP_WAIT, 10, 4);
    script_fill(&s, 10, Y, BYTES);
    end_instance();
    run(2);
    uint32_t second = script_fill(&s, 3, X, BYTES);
    script_fill(&s, 3, Y, BYTES);
    script_sync(&s, TWIN_OP_RECORD, 3, 4);
    CU_ASSERT_TRUE(script_breaks(&s, CHECK_RACE_01, first, second));
    for (int outside_waits = 0; outside_waits < 2; outside_waits++) {
        open_instance();
        script_sync(&s, TWIN_OP_RESET, 10, 4);
        if (outside_waits) {
            script_fill(&s, 10, X, BYTES);
            script_sync(&s, TWIN_OP_RECORD, 10, 4);
        } else {
            script_sync(&s, TWIN_OP_WAIT, 10, 4);
            script_copy(&s, 10, Y, X, BYTES);
        }
        end_instance();
        run(2);
        if (outside_waits) {
            script_sync(&s, TWIN_OP_WAIT, 3, 4);
            script_copy(&s, 3, Y, X, BYTES);
        } else {
            script_fill(&s, 3, X, BYTES);
            script_sync(&s, TWIN_OP_RECORD, 3, 4);
        }
        CU_ASSERT_TRUE(script_clean(&s));
    }
}

/* The host sees an event that each run resets and sets: of which run it was is not known. */
static void test_flag_seen(void)
{
    open_instance();
    script_sync(&s, TWIN_OP_RESET, 10, 4);
    script_fill(&s, 10, X, BYTES);
    script_sync(&s, TWIN_OP_RECORD, 10, 4);
    end_instance();
    run(2);
    run(2);
    script_on_signal(&s, TWIN_OP_SIGNAL_WAIT, 4, TWIN_OK);
    script_query(&s, 4, false);
    fetch(X);
    CU_ASSERT_TRUE(script_clean(&s));
}

/* What decides the order is not in the recording. */
static void test_unknown_order(void)
{
    enum { BRANCH, NEVER_ENDS, NEVER_BEGINS, TWO_RECORDS, NO_END, CASES };
    for (int what = 0; what < CASES; what++) {
        open_instance();
        script_lane(&s, 11);
        script_bind(&s, 1, 11, what != NEVER_BEGINS);
        if (what == BRANCH)
            script_on_instance(&s, TWIN_OP_CONTROL, 0, 10);
        script_fill(&s, 10, X, BYTES);
        if (what == NEVER_ENDS)
            script_sync(&s, TWIN_OP_WAIT, 10, 3);
        script_sync(&s, TWIN_OP_RECORD, 10, 3);
        if (what == TWO_RECORDS)
            script_sync(&s, TWIN_OP_RECORD, 10, 3);
        if (what == TWO_RECORDS)
            script_sync(&s, TWIN_OP_WAIT, 11, 3);
        script_fill(&s, 11, X, BYTES);
        if (what != NO_END)
            end_instance();
        run(2);
        script_fill(&s, 2, X, BYTES);
        script_on_queue(&s, TWIN_OP_DRAIN, 2, TWIN_OK);
        CU_ASSERT_TRUE(script_clean(&s));
    }
    open_instance(); /* none of these */
    script_lane(&s, 11);
    script_bind(&s, 1, 11, true);
    uint32_t first = script_fill(&s, 10, X, BYTES);
    script_sync(&s, TWIN_OP_RECORD, 10, 3);
    uint32_t second = script_fill(&s, 11, X, BYTES);
    end_instance();
    run(2);
    CU_ASSERT_TRUE(script_breaks(&s, CHECK_RACE_01, first, second));
}

static void test_cut_short(void)
{
    copying_instance(); /* it failed: what it did not do is not known */
    script_time(&s, run(2), 100, 200);
    s.ops[s.count - 1].task_status = TWIN_E_TASK;
    script_fill(&s, 3, Y, BYTES);
    CU_ASSERT_TRUE(script_clean(&s));
    for (int of_queue = 0; of_queue < 2; of_queue++) {
        open_instance();
        script_copy(&s, 10, Y, X, BYTES);
        script_word(&s, TWIN_OP_WAIT_VALUE, 10, Z, 1); /* written after the abort */
        end_instance();
        run(2);
        if (of_queue)
            script_on_queue(&s, TWIN_OP_QUEUE_ABORT, 2, TWIN_OK);
        else
            script_on_instance(&s, TWIN_OP_MODEL_INSTANCE_ABORT, 1, 0);
        fetch(Y);
        script_word(&s, TWIN_OP_WRITE_VALUE, 4, Z, 1);
        run(3);
        script_on_queue(&s, TWIN_OP_DRAIN, 3, TWIN_OK);
        fetch(Y);
        CU_ASSERT_TRUE(script_clean(&s));
    }
}

static uint32_t call_op(twin_op_kind kind, uint32_t queue)
{
    twin_op op = {.kind = (uint16_t)kind, .queue = queue, .object = 1, .blocks = true};
    op.tasks = queue != 0;
    op.call.function = 7;
    op.call.ticket = 9;
    return script_add(&s, op);
}

/* A function of the host that a run calls sees what comes before it; what comes after waits. */
static void test_call(void)
{
    for (int early = 0; early < 2; early++) {
        open_instance();
        script_add(&s, (twin_op){.kind = TWIN_OP_CALL_QUEUE_CREATE, .object = 1});
        script_fill(&s, 10, X, BYTES);
        call_op(TWIN_OP_CALL, 10);
        uint32_t fill = script_fill(&s, 10, Y, BYTES);
        end_instance();
        run(2);
        call_op(TWIN_OP_TAKE, 0);
        fetch(X);
        script_fill(&s, 3, Y, BYTES);
        uint32_t waited = early ? CHECK_NONE : script_on_queue(&s, TWIN_OP_DRAIN, 3, TWIN_OK);
        call_op(TWIN_OP_ANSWER, 0);
        CU_ASSERT_TRUE(waited != CHECK_NONE ? script_clean(&s)
                                            : script_breaks(&s, CHECK_RACE_01, CHECK_NONE, fill));
    }
}

/* The run with the call began, though nothing in the recording shows that the value came. */
static void test_unexpected_call(void)
{
    open_instance();
    script_add(&s, (twin_op){.kind = TWIN_OP_CALL_QUEUE_CREATE, .object = 1});
    call_op(TWIN_OP_CALL, 10);
    end_instance();
    script_fill(&s, 2, X, BYTES);
    script_word(&s, TWIN_OP_WAIT_VALUE, 2, Z, 1);
    run(2);
    call_op(TWIN_OP_TAKE, 0);
    fetch(X);
    call_op(TWIN_OP_ANSWER, 0);
    CU_ASSERT_TRUE(script_clean(&s));
}

/* Tasks that were dropped, or an end that did not stay, are in no run. */
static void test_cleaned(void)
{
    copying_instance();
    script_on_instance(&s, TWIN_OP_MODEL_INSTANCE_CLEAN, 0, 10);
    uint32_t kept = script_fill(&s, 10, Z, BYTES);
    end_instance();
    run(2);
    script_fill(&s, 3, Y, BYTES);
    uint32_t fill = script_fill(&s, 3, Z, BYTES);
    CU_ASSERT_TRUE(script_breaks(&s, CHECK_RACE_01, kept, fill));
    uint32_t copy = copying_instance();
    script_on_instance(&s, TWIN_OP_MODEL_INSTANCE_UNBIND, 1, 10);
    script_bind(&s, 1, 10, true);
    end_instance();
    run(2);
    fill = script_fill(&s, 3, Y, BYTES);
    CU_ASSERT_TRUE(script_breaks(&s, CHECK_RACE_01, copy, fill));
}

static void test_lifetime(void)
{
    uint32_t copy = copying_instance();
    run(2);
    uint32_t freed = script_now(&s, TWIN_OP_FREE, SCRIPT_MEMORY, 0, 0);
    CU_ASSERT_TRUE(script_breaks(&s, CHECK_LIFE_01, copy, freed));
    copying_instance();
    run(2);
    script_on_queue(&s, TWIN_OP_DRAIN, 2, TWIN_OK);
    script_now(&s, TWIN_OP_FREE, SCRIPT_MEMORY, 0, 0);
    CU_ASSERT_TRUE(script_clean(&s));
    copy = copying_instance();
    freed = script_now(&s, TWIN_OP_FREE, SCRIPT_MEMORY, 0, 0);
    run(2);
    struct checker *checker = script_check(&s);
    CU_ASSERT_TRUE(script_found(&s, checker, CHECK_LIFE_03, freed, copy));
    size_t count = 0;
    const struct check_finding *findings = checker_findings(checker, &count);
    /* both sides of the copy */
    CU_ASSERT_TRUE(count == 1 && findings[0].repeats == 1);
    checker_free(checker);
}

static const twin_test tests[] = {
    {"a wait for a model instance, its end and unbinding one of its streams see its runs complete",
     test_host},
    {"a run on one stream does not order a run on another one", test_runs_apart},
    {"a run that cannot begin does not hold back one of another stream", test_overtaking},
    {"rounds of a notify in two runs are not judged", test_notify},
    {"a flag that is used outside of the instance is not judged", test_flag_outside},
    {"a flag of a run that the host saw orders nothing", test_flag_seen},
    {"tasks without one order are not judged", test_unknown_order},
    {"runs that failed or were aborted are not judged", test_cut_short},
    {"a function of the host in a run sees what comes before it", test_call},
    {"a call that the recording does not explain shows more than it has", test_unexpected_call},
    {"tasks that were dropped are in no run", test_cleaned},
    {"memory stays as long as runs use it", test_lifetime},
};

int main(int argc, char **argv)
{
    return twin_run_suite("check_instance", tests, TWIN_COUNT(tests), argc, argv);
}
