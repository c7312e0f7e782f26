/* SPDX-License-Identifier: Apache-2.0 */
/* Order between threads of the host: programs by hand, and random ones against a reference that
 * builds the whole happens-before graph on every run. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_script.h"
#include "support/cunit_main.h"

#define THREADS  3u
#define QUEUES   3u
#define EVENTS   3u /* signals 1 to 3; then notifies */
#define NOTIFIES 2u
#define SLOTS    2u
#define NODES    256u
#define EDGES    64u
#define BASE     SCRIPT_MEMORY
#define PIECES   6u /* of 64 bytes */
#define PROGRAMS 20000

static struct script script;

/* ---- edges between threads, fed among the ops ---- */

struct edge {
    uint32_t releaser, thread;
    uint64_t from, to; /* of the sequence */
};
static struct edge host_edges[EDGES];
static uint32_t edge_count;

static void begin(void)
{
    script_stage(&script);
    edge_count = 0;
}

/* The newest op is made by that thread. */
static uint32_t by(uint32_t thread, uint32_t op)
{
    script.ops[op].thread = thread;
    return op;
}

/* From here on the work of a thread comes after the work that another one has done by then. */
static void follows(uint32_t thread, uint32_t releaser, uint64_t from)
{
    host_edges[edge_count++] =
        (struct edge){.thread = thread, .releaser = releaser, .from = from, .to = ++script.seq};
}

struct turn {
    uint64_t key;
    uint32_t what; /* an op; numbers above the ops: releases and edges in turn */
};

static int by_key(const void *left, const void *right)
{
    const struct turn *a = left;
    const struct turn *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->what < b->what ? -1 : a->what > b->what;
}

static struct checker *check_apart(void)
{
    static struct turn turns[SCRIPT_ROOM + 2 * EDGES];
    uint32_t count = script.count;
    struct checker *checker = checker_new(&(struct checker_facts){.threads_apart = true});
    if (!checker)
        abort();
    for (uint32_t i = 0; i < count; i++)
        turns[i] = (struct turn){.key = check_order_key(&script.ops[i]), .what = i};
    for (uint32_t i = 0; i < 2 * edge_count; i++)
        turns[count + i] = (struct turn){
            .key = i % 2 == 0 ? host_edges[i / 2].from : host_edges[i / 2].to, .what = count + i};
    qsort(turns, count + 2 * edge_count, sizeof(turns[0]), by_key);
    for (uint32_t i = 0; i < count + 2 * edge_count; i++) {
        uint32_t what = turns[i].what;
        const struct edge *edge = what < count ? NULL : &host_edges[(what - count) / 2];
        if (!edge)
            (void)checker_feed(checker, &script.ops[what]);
        else if ((what - count) % 2 == 0)
            checker_release(checker, edge->releaser, edge->from);
        else
            checker_follow(checker, edge->thread, edge->from);
    }
    if (!checker_finish(checker))
        abort();
    return checker;
}

/* How often RACE-05 was found, and nothing else was. */
static size_t warnings(void)
{
    size_t count = 0;
    struct checker *checker = check_apart();
    const struct check_finding *findings = checker_findings(checker, &count);
    for (size_t i = 0; i < count; i++)
        CU_ASSERT_EQUAL(findings[i].rule, CHECK_RACE_05);
    checker_free(checker);
    return count;
}

/* ---- by hand ---- */

static void wait_for(uint32_t thread, uint32_t queue)
{
    by(thread, script_on_queue(&script, TWIN_OP_DRAIN, queue, TWIN_OK));
}

/* Thread 1 makes the stage, from which the others follow. */
static void begin_threads(void)
{
    begin();
    follows(2, 1, script.seq);
    follows(3, 1, script.seq);
}

static void test_what_another_thread_saw_done(void)
{
    for (int ordered = 0; ordered < 2; ordered++) {
        begin_threads();
        by(2, script_fill(&script, 2, BASE, 64));
        wait_for(2, 2);
        if (ordered)
            follows(3, 2, script.seq);
        by(3, script_fill(&script, 3, BASE, 64));
        wait_for(3, 3);
        CU_ASSERT_EQUAL(warnings(), !ordered);
        CU_ASSERT_TRUE(script_clean(&script)); /* threads as one */
    }
}

static void test_only_what_was_done_by_then(void)
{
    begin_threads();
    uint64_t before = script.seq;
    by(2, script_fill(&script, 2, BASE, 64));
    wait_for(2, 2);
    follows(3, 2, before); /* it was released before */
    by(3, script_fill(&script, 3, BASE, 64));
    wait_for(3, 3);
    CU_ASSERT_EQUAL(warnings(), 1);
}

static void test_order_goes_on_over_threads(void)
{
    for (int through = 0; through < 2; through++) {
        begin_threads();
        by(2, script_fill(&script, 2, BASE, 64));
        wait_for(2, 2);
        follows(7, 2, script.seq); /* one that calls nothing */
        if (through)
            follows(3, 7, script.seq);
        by(3, script_fill(&script, 3, BASE, 64));
        wait_for(3, 3);
        CU_ASSERT_EQUAL(warnings(), !through);
    }
}

static void test_a_wait_comes_after_the_record(void)
{
    for (int ordered = 0; ordered < 2; ordered++) {
        begin_threads();
        by(2, script_fill(&script, 2, BASE, 64));
        by(2, script_sync(&script, TWIN_OP_RECORD, 2, 1));
        if (ordered)
            follows(3, 2, script.seq);
        by(3, script_sync(&script, TWIN_OP_WAIT, 3, 1));
        by(3, script_fill(&script, 3, BASE, 64));
        CU_ASSERT_EQUAL(warnings(), !ordered);
        CU_ASSERT_TRUE(script_clean(&script));
    }
}

/* A notify makes the second stream wait, in any order of the calls. */
static void test_a_notify_needs_no_thread(void)
{
    begin_threads();
    by(2, script_fill(&script, 2, BASE, 64));
    by(2, script_sync(&script, TWIN_OP_RECORD, 2, 3));
    by(3, script_sync(&script, TWIN_OP_WAIT, 3, 3));
    by(3, script_fill(&script, 3, BASE, 64));
    CU_ASSERT_EQUAL(warnings(), 0);
}

static void test_two_threads_on_one_stream(void)
{
    for (int ordered = 0; ordered < 2; ordered++) {
        begin_threads();
        by(2, script_fill(&script, 2, BASE, 64));
        if (ordered)
            follows(3, 2, script.seq);
        by(3, script_fill(&script, 2, BASE, 64));
        CU_ASSERT_EQUAL(warnings(), !ordered);
        CU_ASSERT_TRUE(script_clean(&script));
    }
}

static void test_synchronous_copies_of_two_threads(void)
{
    for (int ordered = 0; ordered < 2; ordered++) {
        begin_threads();
        by(2, script_now(&script, TWIN_OP_NOW_FILL, BASE, 0, 64));
        if (ordered)
            follows(3, 2, script.seq);
        by(3, script_copy(&script, 3, BASE + 128, BASE, 64));
        CU_ASSERT_EQUAL(warnings(), !ordered);
        CU_ASSERT_TRUE(script_clean(&script));
    }
}

static void test_a_free_by_another_thread(void)
{
    for (int ordered = 0; ordered < 2; ordered++) {
        begin_threads();
        by(2, script_fill(&script, 2, BASE, 64));
        wait_for(2, 2);
        if (ordered)
            follows(3, 2, script.seq);
        by(3, script_now(&script, TWIN_OP_FREE, BASE, 0, 0));
        CU_ASSERT_EQUAL(warnings(), !ordered);
        CU_ASSERT_TRUE(script_clean(&script));
    }
}

/* ---- the reference ---- */

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % below;
}

/* A step of the host, or a task. `before` is kept complete: nodes are made after all that come
 * before them, except waits for notifies, which may be made after their records too. */
struct node {
    uint32_t op;
    uint32_t host;  /* of a task: the node that queued it; else itself */
    uint32_t queue; /* of a task; 0 */
    struct {
        uint64_t begin, end;
        bool writes;
    } touches[2];
    uint32_t touch_count;
};

static struct node nodes[NODES];
static uint32_t node_count;
static uint64_t before[NODES][NODES / 64];

static void come_after(uint32_t node, uint32_t other)
{
    if (other == CHECK_NONE)
        return;
    before[node][other / 64] |= UINT64_C(1) << (other % 64);
    for (uint32_t i = 0; i < NODES / 64; i++)
        before[node][i] |= before[other][i];
}

static bool comes_before(uint32_t a, uint32_t b)
{
    return a == b || (before[b][a / 64] >> (a % 64) & 1) != 0;
}

static uint32_t last_host[THREADS + 1], last_task[QUEUES + 1], newest_record[EVENTS + 1];
static uint32_t notify_records[NOTIFIES + 1][NODES], records[NOTIFIES + 1], waits[NOTIFIES + 1];
static struct {
    uint32_t thread, node;
    uint64_t seq;
} slots[SLOTS];

static uint32_t add_node(uint32_t op)
{
    memset(&nodes[node_count], 0, sizeof(nodes[0]));
    memset(before[node_count], 0, sizeof(before[0]));
    nodes[node_count].op = op;
    nodes[node_count].host = node_count;
    return node_count++;
}

static uint32_t add_host(uint32_t thread, uint32_t op)
{
    uint32_t node = add_node(op);
    if (op != CHECK_NONE)
        by(thread, op);
    come_after(node, last_host[thread]);
    last_host[thread] = node;
    return node;
}

static uint32_t add_task(uint32_t thread, uint32_t op, uint32_t queue)
{
    uint32_t host = add_host(thread, op);
    uint32_t node = add_node(op);
    nodes[node].host = host;
    nodes[node].queue = queue;
    come_after(node, host);
    come_after(node, last_task[queue]);
    last_task[queue] = node;
    return node;
}

static void add_touch(uint32_t node, uint64_t at, uint64_t bytes, bool writes)
{
    struct node *to = &nodes[node];
    to->touches[to->touch_count].begin = at;
    to->touches[to->touch_count].end = at + bytes;
    to->touches[to->touch_count++].writes = writes;
}

static void random_copy(uint32_t thread, uint32_t queue)
{
    uint64_t dst = BASE + 64 * draw(PIECES);
    uint64_t src = BASE + 64 * draw(PIECES);
    uint64_t bytes = 32 + 32 * draw(2);
    uint32_t node = 0;
    bool reads = true;
    if (draw(5) == 0) {
        node = add_host(thread, script_now(&script, TWIN_OP_NOW_COPY, dst, src, bytes));
    } else if (draw(3) == 0) {
        node = add_task(thread, script_fill(&script, queue, dst, bytes), queue);
        reads = false;
    } else {
        node = add_task(thread, script_copy(&script, queue, dst, src, bytes), queue);
    }
    if (reads)
        add_touch(node, src, bytes, false);
    add_touch(node, dst, bytes, true);
}

static void random_event(uint32_t thread, uint32_t queue)
{
    uint32_t event = 1 + draw(EVENTS);
    uint32_t record = newest_record[event];
    if (record == CHECK_NONE || draw(3) == 0) {
        newest_record[event] =
            add_task(thread, script_sync(&script, TWIN_OP_RECORD, queue, event), queue);
        return;
    }
    bool on_host = draw(3) == 0;
    uint32_t node =
        on_host ? add_host(thread, script_on_signal(&script, TWIN_OP_SIGNAL_WAIT, event, TWIN_OK))
                : add_task(thread, script_sync(&script, TWIN_OP_WAIT, queue, event), queue);
    if (comes_before(nodes[record].host, nodes[node].host))
        come_after(node, record);
}

/* Waits only for what was recorded: the nodes then come in order. */
static void random_notify(uint32_t thread, uint32_t queue)
{
    uint32_t notify = 1 + draw(NOTIFIES);
    uint32_t signal = EVENTS + notify;
    if (waits[notify] == records[notify]) {
        notify_records[notify][records[notify]++] =
            add_task(thread, script_sync(&script, TWIN_OP_RECORD, queue, signal), queue);
        return;
    }
    uint32_t node = add_task(thread, script_sync(&script, TWIN_OP_WAIT, queue, signal), queue);
    come_after(node, notify_records[notify][waits[notify]++]);
}

/* A thread waits for a stream when it comes after all that was queued there. */
static void random_drain(uint32_t thread, uint32_t queue)
{
    for (uint32_t i = 0; i < node_count; i++)
        if (nodes[i].queue == queue &&
            (last_host[thread] == CHECK_NONE || !comes_before(nodes[i].host, last_host[thread])))
            return;
    uint32_t node = add_host(thread, script_on_queue(&script, TWIN_OP_DRAIN, queue, TWIN_OK));
    come_after(node, last_task[queue]);
}

static void random_edge(uint32_t thread)
{
    uint32_t slot = draw(SLOTS);
    if (draw(2) == 0 || slots[slot].node == CHECK_NONE || edge_count == EDGES) {
        slots[slot].thread = thread;
        slots[slot].node = last_host[thread];
        slots[slot].seq = ++script.seq; /* no other op has it */
    } else {
        follows(thread, slots[slot].thread, slots[slot].seq);
        uint32_t node = add_host(thread, CHECK_NONE);
        come_after(node, slots[slot].node);
    }
}

static void make_program(uint32_t steps)
{
    begin();
    script_begin(&script);
    node_count = 0;
    memset(last_host, 0xff, sizeof(last_host));
    memset(last_task, 0xff, sizeof(last_task));
    memset(newest_record, 0xff, sizeof(newest_record));
    memset(slots, 0xff, sizeof(slots));
    memset(records, 0, sizeof(records));
    memset(waits, 0, sizeof(waits));
    script_open(&script, 0);
    for (uint32_t q = 1; q <= QUEUES; q++)
        script_queue(&script, q, q == 1);
    for (uint32_t s = 1; s <= EVENTS + NOTIFIES; s++)
        script_signal(&script, s, s <= EVENTS ? TWIN_SIGNAL_EVENT_REBIND : TWIN_SIGNAL_NOTIFY);
    script_alloc(&script, BASE, 8192);
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t thread = 1 + draw(THREADS);
        uint32_t queue = 1 + draw(QUEUES);
        switch (draw(10)) {
        case 0:
            random_notify(thread, queue);
            break;
        case 1:
        case 2:
            random_event(thread, queue);
            break;
        case 3:
            random_drain(thread, queue);
            break;
        case 4:
        case 5:
        case 6:
            random_edge(thread);
            break;
        default:
            random_copy(thread, queue);
            break;
        }
    }
}

static bool clashes(uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < nodes[a].touch_count; i++)
        for (uint32_t j = 0; j < nodes[b].touch_count; j++)
            if ((nodes[a].touches[i].writes || nodes[b].touches[j].writes) &&
                nodes[a].touches[i].begin < nodes[b].touches[j].end &&
                nodes[b].touches[j].begin < nodes[a].touches[i].end)
                return true;
    return false;
}

/* Of two tasks of one stream the order in which threads queue them counts. */
static bool races(uint32_t a, uint32_t b)
{
    if (a == b || !clashes(a, b))
        return false;
    if (nodes[a].queue != 0 && nodes[a].queue == nodes[b].queue)
        return !comes_before(nodes[a].host, nodes[b].host);
    return !comes_before(a, b);
}

static uint32_t node_of(const struct checker *checker, uint32_t index)
{
    const twin_op *op = checker_op(checker, index);
    uint32_t found = CHECK_NONE;
    for (uint32_t i = 0; op && i < node_count; i++)
        if (nodes[i].op != CHECK_NONE && script.ops[nodes[i].op].begin_seq == op->begin_seq)
            found = i;
    return found;
}

static void test_programs(void)
{
    uint32_t with = 0;
    uint32_t without = 0;
    uint32_t threads_alone = 0;
    for (uint32_t seed = 1; seed <= PROGRAMS; seed++) {
        state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
        make_program(3 + draw(draw(2) == 0 ? 8 : 50));
        bool expected = false;
        for (uint32_t a = 0; a < node_count; a++)
            for (uint32_t b = a + 1; b < node_count; b++)
                expected = expected || (nodes[a].queue != nodes[b].queue && races(a, b));
        struct checker *checker = check_apart();
        size_t count = 0;
        const struct check_finding *findings = checker_findings(checker, &count);
        bool found = false;
        bool alone = true;
        bool good = true;
        for (size_t i = 0; i < count; i++) {
            if (findings[i].rule == CHECK_LIFE_10) /* notifies are used as it comes */
                continue;
            found = true;
            alone = alone && findings[i].rule == CHECK_RACE_05;
            uint32_t a = node_of(checker, findings[i].first);
            uint32_t b = node_of(checker, findings[i].second);
            good = good && a != CHECK_NONE && b != CHECK_NONE && races(a, b);
        }
        good = good && (found || !expected);
        if (!good) {
            fprintf(stderr, "seed %u, %s:\n", (unsigned)seed, expected ? "races" : "no race");
            script_print(checker);
        }
        CU_ASSERT_TRUE(good);
        with += found;
        without += !found;
        threads_alone += found && alone;
        checker_free(checker);
        if (!good)
            return;
    }
    CU_ASSERT_TRUE(with > PROGRAMS / 10);
    CU_ASSERT_TRUE(without > PROGRAMS / 10);
    CU_ASSERT_TRUE(threads_alone > PROGRAMS / 20);
    printf("%u with findings, %u without, %u in which only threads race\n", (unsigned)with,
           (unsigned)without, (unsigned)threads_alone);
}

static const twin_test tests[] = {
    {"a thread that follows another knows the work that it saw done",
     test_what_another_thread_saw_done},
    {"a thread knows the work that was done when it was released", test_only_what_was_done_by_then},
    {"order goes on over threads that call nothing", test_order_goes_on_over_threads},
    {"a wait for an event counts when it comes after the record",
     test_a_wait_comes_after_the_record},
    {"a wait for a notify counts in any order of the calls", test_a_notify_needs_no_thread},
    {"two threads order their work on one stream", test_two_threads_on_one_stream},
    {"synchronous copies of two threads", test_synchronous_copies_of_two_threads},
    {"a thread that knows that memory is not in use may free it", test_a_free_by_another_thread},
    {"a finding is a pair that nothing orders on every run, and none is missed", test_programs},
};

int main(int argc, char **argv)
{
    return twin_run_suite("check_hosts", tests, TWIN_COUNT(tests), argc, argv);
}
