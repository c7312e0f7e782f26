/* SPDX-License-Identifier: Apache-2.0 */
/* Each rule of `twinrt check` on lifetimes: a program that keeps it is not blamed, one that breaks
 * it is, with the two ops. */
#include "support/cunit_main.h"

#include <string.h>

#include "check_script.h"

#define MEMORY SCRIPT_MEMORY

static struct script s;

static void begin(void)
{
    script_stage(&s);
}

static void expect_clean(void)
{
    CU_ASSERT_TRUE(script_clean(&s));
}

static void expect(check_rule rule, uint32_t first, uint32_t second)
{
    CU_ASSERT_TRUE(script_breaks(&s, rule, first, second));
}

static void test_memory(void)
{
    begin();
    uint32_t copy = script_copy(&s, 2, MEMORY, MEMORY + 64, 64);
    uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 2, TWIN_OK);
    uint32_t release = script_now(&s, TWIN_OP_FREE, MEMORY, 0, 0);
    expect_clean();
    s.ops[drain].queue = 3;
    expect(CHECK_LIFE_01, copy, release);
    s.ops[drain].queue = 2;
    uint32_t again = script_now(&s, TWIN_OP_FREE, MEMORY, 0, 0);
    s.ops[again].status = TWIN_E_INVALID;
    expect(CHECK_LIFE_04, release, again);
    s.count = again;
    uint32_t late = script_fill(&s, 2, MEMORY + 100, 8);
    expect(CHECK_LIFE_03, release, late);
    s.count = release;
    uint32_t outside = script_fill(&s, 2, MEMORY + (1 << 20) - 8, 16);
    expect(CHECK_LIFE_02, CHECK_NONE, outside);
    s.ops[outside].dst = 64;
    expect(CHECK_LIFE_02, CHECK_NONE, outside);
}

/* A pool's memory is freed by a stream; other streams come before it by an event. */
static void test_pool(void)
{
    const uint64_t block = MEMORY + (1 << 24);
    begin();
    twin_op op = {.kind = TWIN_OP_POOL_ALLOC, .queue = 2};
    op.dst = block;
    op.bytes = 4096;
    script_add(&s, op);
    script_fill(&s, 2, block, 64);
    script_sync(&s, TWIN_OP_RECORD, 2, 1);
    script_sync(&s, TWIN_OP_WAIT, 3, 1);
    uint32_t other = script_fill(&s, 3, block, 64);
    script_sync(&s, TWIN_OP_RECORD, 3, 2);
    uint32_t wait = script_sync(&s, TWIN_OP_WAIT, 2, 2);
    op = (twin_op){.kind = TWIN_OP_POOL_FREE, .queue = 2};
    op.dst = block;
    uint32_t freed = script_add(&s, op);
    expect_clean();

    /* a use that nothing orders before the free */
    s.ops[wait].kind = TWIN_OP_RECORD;
    s.ops[wait].object = 1;
    expect(CHECK_RACE_01, other, freed);
    s.ops[wait].kind = TWIN_OP_WAIT;
    s.ops[wait].object = 2;
    /* one that comes later, unordered; and one after the free, in its stream */
    uint32_t late = script_fill(&s, 3, block + 8, 8);
    expect(CHECK_RACE_01, freed, late);
    s.ops[late].queue = 2;
    expect(CHECK_LIFE_03, freed, late);
    s.count = late;
    uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 2, TWIN_OK);
    uint32_t copied = script_now(&s, TWIN_OP_NOW_FILL, block, 0, 8);
    expect(CHECK_LIFE_03, freed, copied);
    s.count = drain;

    /* the pool gives the block again, to a stream that it orders itself */
    op = (twin_op){.kind = TWIN_OP_POOL_ALLOC, .queue = 3};
    op.dst = block;
    op.bytes = 4096;
    script_add(&s, op);
    script_fill(&s, 3, block, 64);
    expect_clean();

    /* or other memory that is there now */
    op = (twin_op){.kind = TWIN_OP_POOL_FREE, .queue = 3};
    op.dst = block;
    script_add(&s, op);
    op = (twin_op){.kind = TWIN_OP_POOL_ALLOC, .queue = 2};
    op.dst = block - 4096;
    op.bytes = 1 << 20;
    script_add(&s, op);
    script_fill(&s, 2, block - 4096, 1 << 20);
    expect_clean();
}

static void test_objects(void)
{
    begin();
    uint32_t copy = script_copy(&s, 2, MEMORY, MEMORY + 64, 64);
    uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 2, TWIN_OK);
    uint32_t gone = script_on_queue(&s, TWIN_OP_QUEUE_DESTROY, 2, TWIN_OK);
    expect_clean();
    uint32_t late = script_fill(&s, 2, MEMORY, 8);
    expect(CHECK_LIFE_06, CHECK_NONE, late);
    s.count = late;
    s.ops[drain].queue = 3;
    expect(CHECK_LIFE_05, copy, gone);
    s.ops[drain].kind = TWIN_OP_QUEUE_ABORT;
    s.ops[drain].queue = 2;
    expect_clean();
    script_on_signal(&s, TWIN_OP_SIGNAL_DESTROY, 1, TWIN_OK);
    expect_clean();
    uint32_t query = script_query(&s, 1, true);
    expect(CHECK_LIFE_06, CHECK_NONE, query);
}

static void test_flags_waited_for(void)
{
    begin();
    uint32_t wait = script_sync(&s, TWIN_OP_WAIT, 2, 3);
    expect(CHECK_LIFE_07, wait, CHECK_NONE);
    uint32_t record = script_sync(&s, TWIN_OP_RECORD, 3, 3);
    expect_clean();
    s.count = record;
    uint32_t gone = script_on_signal(&s, TWIN_OP_SIGNAL_DESTROY, 3, TWIN_OK);
    expect(CHECK_LIFE_07, wait, gone);
}

/* A drain reports that nothing can end the wait, and the host cleans up. */
static void test_flag_given_up(void)
{
    for (uint32_t signal = 3; signal <= 4; signal++) {
        begin();
        uint32_t wait = script_sync(&s, TWIN_OP_WAIT, 2, signal);
        uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 2, TWIN_E_DEADLOCK);
        uint32_t end = script_on_queue(&s, TWIN_OP_QUEUE_ABORT, 2, TWIN_OK);
        script_on_signal(&s, TWIN_OP_SIGNAL_DESTROY, signal, TWIN_OK);
        expect(CHECK_LIFE_07, wait, end);
        /* after a time limit the host may have had other reasons */
        s.ops[drain].status = TWIN_E_TIMEOUT;
        expect_clean();
        /* a record that comes in time keeps the promise */
        s.count = end;
        s.ops[drain].status = TWIN_E_DEADLOCK;
        script_sync(&s, TWIN_OP_RECORD, 3, signal);
        script_on_queue(&s, TWIN_OP_DRAIN, 2, TWIN_OK);
        script_on_queue(&s, TWIN_OP_QUEUE_ABORT, 2, TWIN_OK);
        expect_clean();
    }
    /* the host waited for another stream, which waits for a record of this one */
    begin();
    uint32_t blocked = script_sync(&s, TWIN_OP_WAIT, 2, 3);
    script_sync(&s, TWIN_OP_RECORD, 2, 1);
    script_sync(&s, TWIN_OP_WAIT, 3, 1);
    uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 3, TWIN_E_DEADLOCK);
    script_on_queue(&s, TWIN_OP_QUEUE_ABORT, 3, TWIN_OK);
    uint32_t last = script_on_queue(&s, TWIN_OP_QUEUE_ABORT, 2, TWIN_OK);
    expect(CHECK_LIFE_07, blocked, last);
    s.ops[drain].queue = 4;
    expect_clean();
    /* two waits that hold each other have their records queued */
    begin();
    script_sync(&s, TWIN_OP_WAIT, 2, 3);
    script_sync(&s, TWIN_OP_RECORD, 2, 4);
    script_sync(&s, TWIN_OP_WAIT, 3, 4);
    script_sync(&s, TWIN_OP_RECORD, 3, 3);
    script_on_queue(&s, TWIN_OP_DRAIN, 3, TWIN_E_DEADLOCK);
    script_on_queue(&s, TWIN_OP_QUEUE_ABORT, 3, TWIN_OK);
    script_on_queue(&s, TWIN_OP_QUEUE_ABORT, 2, TWIN_OK);
    expect_clean();
}

/* A task without times did not run: the abort dropped it. Work that ran before is not blamed. */
static void test_dropped(void)
{
    begin();
    uint32_t done = script_copy(&s, 2, MEMORY, MEMORY + 64, 64);
    uint32_t dropped = script_fill(&s, 2, MEMORY + 4096, 8);
    script_fill(&s, 2, MEMORY + 8192, 8);
    script_fill(&s, 3, MEMORY + 16384, 8);
    uint32_t end = script_on_queue(&s, TWIN_OP_QUEUE_ABORT, 2, TWIN_OK);
    for (uint32_t op = done; op < end; op++)
        s.ops[op].task = op, s.ops[op].tasks = 1;
    s.ops[done].reported = 1;
    expect_clean(); /* a recording that ends early proves nothing */
    s.expect_times = true;
    expect(CHECK_LIFE_11, dropped, end);
    s.ops[end].status = TWIN_E_INTERNAL;
    expect_clean();
    s.ops[end].status = TWIN_OK;
    s.ops[end].kind = TWIN_OP_DEVICE_ABORT;
    struct checker *checker = script_check(&s);
    size_t count = 0;
    const struct check_finding *findings = checker_findings(checker, &count);
    CU_ASSERT_EQUAL(count, 2); /* one for each stream */
    for (size_t i = 0; i < count; i++)
        CU_ASSERT_EQUAL(findings[i].rule, CHECK_LIFE_11);
    CU_ASSERT_TRUE(count == 2 && strstr(findings[0].why, "2 tasks of stream") != NULL);
    checker_free(checker);
    s.ops[end].kind = TWIN_OP_QUEUE_ABORT;
    s.ops[end - 3].reported = s.ops[end - 2].reported = 1;
    expect_clean();
}

/* A second round of a notify, and of an event that is reset, after or during the first. */
static void test_rounds(void)
{
    begin();
    script_sync(&s, TWIN_OP_RECORD, 2, 3);
    uint32_t wait = script_sync(&s, TWIN_OP_WAIT, 3, 3);
    uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 3, TWIN_OK);
    uint32_t record = script_sync(&s, TWIN_OP_RECORD, 2, 3);
    script_sync(&s, TWIN_OP_WAIT, 3, 3);
    expect_clean();
    s.ops[drain].queue = 2;
    expect(CHECK_LIFE_10, wait, record);
    begin();
    script_sync(&s, TWIN_OP_RECORD, 2, 4);
    script_sync(&s, TWIN_OP_WAIT, 3, 4);
    uint32_t reset = script_sync(&s, TWIN_OP_RESET, 3, 4);
    drain = script_on_queue(&s, TWIN_OP_DRAIN, 3, TWIN_OK);
    record = script_sync(&s, TWIN_OP_RECORD, 2, 4);
    script_sync(&s, TWIN_OP_WAIT, 3, 4);
    expect_clean();
    s.ops[drain].queue = 2;
    expect(CHECK_LIFE_10, reset, record);
}

static void test_never_recorded(void)
{
    begin();
    uint32_t wait = script_sync(&s, TWIN_OP_WAIT, 2, 1);
    expect(CHECK_LIFE_08, CHECK_NONE, wait);
}

/* The runtime refuses a free by itself: there is no op but the call. */
static void test_refused_free(void)
{
    begin();
    uint32_t call = script_add(&s, (twin_op){.kind = TWIN_OP_CALL_ENDED, .code = 107000});
    expect_clean();
    s.ops[call].of_free = true;
    expect(CHECK_LIFE_04, CHECK_NONE, call);
    s.ops[call].code = 207001; /* a failure that says nothing of the address */
    expect_clean();
}

static void test_dead_handle(void)
{
    begin();
    uint32_t call = script_add(&s, (twin_op){.kind = TWIN_OP_CALL_ENDED, .code = 107000});
    expect_clean();
    s.ops[call].code = 107017;
    expect(CHECK_LIFE_09, CHECK_NONE, call);
}

/* Variables of an image lie where the device put it: on a board nothing else reports that
 * memory. */
static void test_image(void)
{
    const uint64_t image = 0x900000;
    begin();
    uint32_t load = script_alloc(&s, image, 8192);
    s.ops[load].kind = TWIN_OP_IMAGE_LOAD;
    s.ops[load].object = 1;
    uint32_t copy = script_copy(&s, 2, image + 100, MEMORY, 64);
    uint32_t drain = script_on_queue(&s, TWIN_OP_DRAIN, 2, TWIN_OK);
    uint32_t unload =
        script_add(&s, (twin_op){.kind = TWIN_OP_IMAGE_UNLOAD, .object = 1, .name = CHECK_NONE});
    expect_clean();
    s.ops[copy].bytes = 8192; /* past its end */
    expect(CHECK_LIFE_02, load, copy);
    s.ops[copy].bytes = 64;
    s.ops[drain].queue = 3;
    expect(CHECK_LIFE_01, copy, unload);
    s.ops[drain].queue = 2;
    s.ops[load].bytes =
        0; /* the device does not report the length, or the recording is an older one */
    expect_clean();
    s.ops[load].status = TWIN_E_INVALID;
    expect(CHECK_LIFE_02, CHECK_NONE, copy);
    s.ops[load].status = TWIN_OK;
    s.ops[load].bytes = 8192;
    expect(CHECK_LIFE_03, unload, script_copy(&s, 2, image + 100, MEMORY, 64));
}

static const twin_test tests[] = {
    {"LIFE-01, 02, 03, 04: memory that is freed in use, left, freed or freed twice", test_memory},
    {"memory of a pool is freed in stream order", test_pool},
    {"LIFE-05, 06: streams and events that are used up", test_objects},
    {"LIFE-07: a flag that nothing sets", test_flags_waited_for},
    {"LIFE-07: a flag that nothing will set, as the host knew", test_flag_given_up},
    {"LIFE-10: a round of a flag that begins before the last is over", test_rounds},
    {"LIFE-11: work that an abort dropped is named", test_dropped},
    {"LIFE-08: an event without a record", test_never_recorded},
    {"LIFE-04: a free that the runtime refused", test_refused_free},
    {"LIFE-09: a public call that met a dead handle", test_dead_handle},
    {"LIFE-01, LIFE-02, LIFE-03: memory of images is an allocation", test_image},
};

int main(int argc, char **argv)
{
    return twin_run_suite("check_lifetime", tests, TWIN_COUNT(tests), argc, argv);
}
