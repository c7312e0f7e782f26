/* SPDX-License-Identifier: Apache-2.0 */
/* Races, against a reference that draws the whole graph of "comes before" and looks at every pair
 * of accesses. Some programs have model instances, whose runs exclude each other. */
#include "support/cunit_main.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_script.h"

#define QUEUES    4u
#define RELEASER  5u /* one more, which never waits */
#define EVENTS    3u /* signals 1 to 3; then as many notifies */
#define NOTIFIES  3u
#define WORDS     2u
#define NODES     384u
#define STEPS_TO  256u /* nodes, beyond which no step comes */
#define BASE      UINT64_C(0x100000)
#define PIECES    10u /* of 64 bytes */
#define WORD_AT   (BASE + 4096)
#define INSTANCES 2u
#define LANES     3u /* of one at most; then one more that starts them */
#define EDGES     4u /* besides one for each lane */
#define TASKS     64u
#define PROGRAMS  20000

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % below;
}

/* ---- the reference ---- */

struct touch {
    uint64_t begin, end;
    bool writes;
};

struct node {
    uint32_t op, run; /* CHECK_NONE: of no run */
    uint32_t instance;
    struct touch touches[2];
    uint32_t touch_count;
};

static struct node nodes[NODES];
static uint32_t node_count;
static bool edges[NODES][NODES];
static uint64_t before[NODES][NODES / 64]; /* a bit for each node that comes before */

static uint32_t last_host, last_task[RELEASER + 1];
static uint32_t newest_record[EVENTS + 1];
static uint32_t notify_records[NOTIFIES + 1][NODES], notify_record_count[NOTIFIES + 1];
static uint32_t notify_waits[NOTIFIES + 1][NODES], notify_wait_count[NOTIFIES + 1];
static uint32_t word_write[WORDS], word_waits[WORDS][NODES], word_wait_count[WORDS];

static uint32_t add_node(uint32_t op)
{
    memset(&nodes[node_count], 0, sizeof(nodes[0]));
    nodes[node_count].op = op;
    nodes[node_count].run = CHECK_NONE;
    memset(edges[node_count], 0, sizeof(edges[0]));
    for (uint32_t i = 0; i < NODES; i++)
        edges[i][node_count] = false;
    return node_count++;
}

static uint32_t add_host(uint32_t op)
{
    uint32_t node = add_node(op);
    if (last_host != CHECK_NONE)
        edges[last_host][node] = true;
    last_host = node;
    return node;
}

static uint32_t add_task(uint32_t op, uint32_t queue)
{
    uint32_t host = add_host(op);
    uint32_t node = add_node(op);
    edges[host][node] = true;
    if (last_task[queue] != CHECK_NONE)
        edges[last_task[queue]][node] = true;
    last_task[queue] = node;
    return node;
}

static void add_touch(uint32_t node, uint64_t begin, uint64_t bytes, bool writes)
{
    nodes[node].touches[nodes[node].touch_count++] =
        (struct touch){.begin = begin, .end = begin + bytes, .writes = writes};
}

/* False: there is a cycle, so the program hangs. */
static bool close_graph(void)
{
    static uint32_t waiting[NODES], ready[NODES];
    uint32_t ready_count = 0;
    uint32_t done = 0;
    memset(before, 0, sizeof(before));
    memset(waiting, 0, sizeof(waiting));
    for (uint32_t a = 0; a < node_count; a++)
        for (uint32_t b = 0; b < node_count; b++)
            waiting[b] += edges[a][b];
    for (uint32_t a = 0; a < node_count; a++)
        if (waiting[a] == 0)
            ready[ready_count++] = a;
    while (done < ready_count) {
        uint32_t a = ready[done++];
        for (uint32_t b = 0; b < node_count; b++) {
            if (!edges[a][b])
                continue;
            before[b][a / 64] |= UINT64_C(1) << (a % 64);
            for (uint32_t i = 0; i < NODES / 64; i++)
                before[b][i] |= before[a][i];
            if (--waiting[b] == 0)
                ready[ready_count++] = b;
        }
    }
    return done == node_count;
}

static bool comes_before(uint32_t a, uint32_t b)
{
    return (before[b][a / 64] >> (a % 64) & 1) != 0;
}

static bool races(uint32_t a, uint32_t b)
{
    if (a == b || comes_before(a, b) || comes_before(b, a))
        return false;
    if (nodes[a].instance == nodes[b].instance && nodes[a].run != nodes[b].run)
        return false; /* instance 0 has no runs */
    for (uint32_t i = 0; i < nodes[a].touch_count; i++)
        for (uint32_t j = 0; j < nodes[b].touch_count; j++) {
            const struct touch *x = &nodes[a].touches[i];
            const struct touch *y = &nodes[b].touches[j];
            if ((x->writes || y->writes) && x->begin < y->end && y->begin < x->end)
                return true;
        }
    return false;
}

/* ---- programs ---- */

static struct script script;

static void random_touches(uint64_t *dst, uint64_t *src, uint64_t *bytes)
{
    *dst = BASE + 64 * draw(PIECES) + draw(3) * 8;
    *src = BASE + 64 * draw(PIECES) + draw(3) * 8;
    *bytes = 8 + 8 * draw(8);
}

static void random_copy(uint32_t queue)
{
    uint64_t dst = 0;
    uint64_t src = 0;
    uint64_t bytes = 0;
    random_touches(&dst, &src, &bytes);
    uint32_t node = 0;
    if (draw(5) == 0) {
        node = add_host(script_now(&script, TWIN_OP_NOW_COPY, dst, src, bytes));
        add_touch(node, src, bytes, false);
    } else if (draw(3) == 0) {
        node = add_task(script_fill(&script, queue, dst, bytes), queue);
    } else {
        node = add_task(script_copy(&script, queue, dst, src, bytes), queue);
        add_touch(node, src, bytes, false);
    }
    add_touch(node, dst, bytes, true);
}

static void random_notify(uint32_t queue)
{
    uint32_t notify = 1 + draw(NOTIFIES);
    if (draw(2) == 0)
        notify_records[notify][notify_record_count[notify]++] =
            add_task(script_sync(&script, TWIN_OP_RECORD, queue, EVENTS + notify), queue);
    else
        notify_waits[notify][notify_wait_count[notify]++] =
            add_task(script_sync(&script, TWIN_OP_WAIT, queue, EVENTS + notify), queue);
}

static void random_event(uint32_t queue)
{
    uint32_t event = 1 + draw(EVENTS);
    if (newest_record[event] == CHECK_NONE || draw(3) == 0) {
        newest_record[event] = add_task(script_sync(&script, TWIN_OP_RECORD, queue, event), queue);
    } else if (draw(4) == 0) {
        uint32_t host =
            add_host(draw(2) == 0 ? script_on_signal(&script, TWIN_OP_SIGNAL_WAIT, event, TWIN_OK)
                                  : script_query(&script, event, true));
        edges[newest_record[event]][host] = true;
    } else {
        uint32_t wait = add_task(script_sync(&script, TWIN_OP_WAIT, queue, event), queue);
        edges[newest_record[event]][wait] = true;
    }
}

static void random_word(uint32_t queue)
{
    uint32_t word = draw(WORDS);
    if (draw(3) > 0)
        word_waits[word][word_wait_count[word]++] =
            add_task(script_word(&script, TWIN_OP_WAIT_VALUE, queue, WORD_AT + 8 * word, 7), queue);
    else if (word_write[word] == CHECK_NONE)
        word_write[word] = add_task(
            script_word(&script, TWIN_OP_WRITE_VALUE, queue, WORD_AT + 8 * word, 7), queue);
}

/* ---- model instances ---- */

struct task {
    uint32_t op, kind, lane;
    uint32_t other; /* lane that it starts, edge that it sets or waits for */
    uint64_t dst, src, bytes;
};

struct instance {
    struct task tasks[TASKS];
    uint32_t count;
    uint32_t queue; /* of the newest run; 0: none yet */
};

static struct instance instances[INSTANCES];
static uint32_t instance_count;
/* Each race must be found; else the order of runs on several streams hides some. */
static bool exact;

static uint32_t lane_queue(uint32_t instance, uint32_t lane)
{
    return 10 + instance * (LANES + 1) + lane;
}

static uint32_t edge_signal(uint32_t instance, uint32_t edge)
{
    return 20 + instance * (LANES + EDGES) + edge;
}

static struct task *new_task(uint32_t number, uint32_t kind, uint32_t lane, uint32_t op)
{
    struct instance *instance = &instances[number];
    struct task *task = &instance->tasks[instance->count++];
    *task = (struct task){.op = op, .kind = kind, .lane = lane};
    return task;
}

static void add_edge(uint32_t number, uint32_t kind, uint32_t lane, uint32_t edge)
{
    uint32_t op = script_sync(&script, (twin_op_kind)kind, lane_queue(number, lane),
                              edge_signal(number, edge));
    new_task(number, kind, lane, op)->other = edge;
}

static void add_touching(uint32_t number, uint32_t lane)
{
    struct task touching = {.kind = draw(3) == 0 ? TWIN_OP_FILL : TWIN_OP_COPY, .lane = lane};
    uint32_t queue = lane_queue(number, lane);
    random_touches(&touching.dst, &touching.src, &touching.bytes);
    touching.op = touching.kind == TWIN_OP_FILL
                      ? script_fill(&script, queue, touching.dst, touching.bytes)
                      : script_copy(&script, queue, touching.dst, touching.src, touching.bytes);
    *new_task(number, touching.kind, lane, touching.op) = touching;
}

static void add_activate(uint32_t number, uint32_t lane, uint32_t other)
{
    uint32_t op = script_activate(&script, lane_queue(number, lane), lane_queue(number, other));
    new_task(number, TWIN_OP_ACTIVATE, lane, op)->other = other;
}

static void add_resets(uint32_t number, uint32_t lane)
{
    for (uint32_t edge = 0; edge < LANES + EDGES; edge++)
        add_edge(number, TWIN_OP_RESET, lane, edge);
}

/* Edges from lane to lane, and all lanes are joined to lane 0. As in a capture one more lane resets
 * the edges and starts all others, at last; or lane 0 begins, and each other one is started by one
 * before it. */
static void make_instance(uint32_t number)
{
    struct instance *instance = &instances[number];
    const uint32_t lanes = 1 + draw(LANES);
    const bool captured = lanes > 1 && draw(2) == 0;
    uint32_t used = 0;
    *instance = (struct instance){0};
    script_on_instance(&script, TWIN_OP_MODEL_INSTANCE_CREATE, number + 1, 0);
    for (uint32_t lane = 0; lane < lanes + captured; lane++) {
        script_lane(&script, lane_queue(number, lane));
        script_bind(&script, number + 1, lane_queue(number, lane), lane == (captured ? lanes : 0));
    }
    for (uint32_t edge = 0; edge < LANES + EDGES; edge++)
        script_signal(&script, edge_signal(number, edge), TWIN_SIGNAL_EVENT_LEVEL);
    if (!captured)
        add_resets(number, 0);
    for (uint32_t lane = 1; lane < lanes && !captured; lane++) {
        add_touching(number, draw(lane));
        add_activate(number, draw(lane), lane);
    }
    for (uint32_t left = 1 + draw(8); left > 0; left--) {
        uint32_t from = draw(lanes);
        uint32_t to = draw(lanes);
        if (from == to || used == EDGES) {
            add_touching(number, from);
            continue;
        }
        add_edge(number, TWIN_OP_RECORD, from, used);
        add_edge(number, TWIN_OP_WAIT, to, used);
        if (draw(2) == 0)
            add_edge(number, TWIN_OP_WAIT, draw(lanes), used);
        used++;
    }
    for (uint32_t lane = 1; lane < lanes; lane++) {
        add_edge(number, TWIN_OP_RECORD, lane, EDGES + lane);
        add_edge(number, TWIN_OP_WAIT, 0, EDGES + lane);
    }
    if (captured)
        add_resets(number, lanes);
    for (uint32_t lane = 0; lane < lanes && captured; lane++)
        add_activate(number, lanes, lane);
    new_task(number, TWIN_OP_END, 0,
             script_on_instance(&script, TWIN_OP_END, 0, lane_queue(number, 0)));
}

/* Whether a task comes after another one of its run. */
static bool follows(const struct task *task, const struct task *other)
{
    return (other->kind == TWIN_OP_ACTIVATE && other->other == task->lane) ||
           (other->kind == TWIN_OP_RECORD && task->kind == TWIN_OP_WAIT &&
            other->other == task->other);
}

static void add_run(uint32_t number, uint32_t queue)
{
    const struct instance *instance = &instances[number];
    uint32_t run = script_on_instance(&script, TWIN_OP_RUN, number + 1, queue);
    uint32_t begin = add_task(run, queue);
    uint32_t first = node_count;
    for (uint32_t i = 0; i < instance->count; i++) {
        const struct task *task = &instance->tasks[i];
        uint32_t node = add_node(task->op);
        nodes[node].run = run;
        nodes[node].instance = number + 1;
        if (task->kind == TWIN_OP_COPY)
            add_touch(node, task->src, task->bytes, false);
        if (task->kind == TWIN_OP_COPY || task->kind == TWIN_OP_FILL)
            add_touch(node, task->dst, task->bytes, true);
    }
    uint32_t after = add_node(run);
    edges[begin][after] = true;
    last_task[queue] = after;
    for (uint32_t i = 0; i < instance->count; i++) {
        edges[begin][first + i] = true;
        if (instance->tasks[i].kind == TWIN_OP_END)
            edges[first + i][after] = true;
        for (uint32_t n = 0; n < instance->count; n++)
            if ((n < i && instance->tasks[n].lane == instance->tasks[i].lane) ||
                follows(&instance->tasks[i], &instance->tasks[n]))
                edges[first + n][first + i] = true;
    }
}

static void random_run(uint32_t queue)
{
    uint32_t number = draw(INSTANCES);
    struct instance *instance = &instances[number];
    if (number >= instance_count)
        return;
    if (instance->queue != 0 && draw(4) > 0)
        queue = instance->queue;
    exact = exact && (instance->queue == 0 || instance->queue == queue);
    instance->queue = queue;
    add_run(number, queue);
}

/* The host waits for all runs of an instance. */
static void random_drain(void)
{
    uint32_t number = draw(INSTANCES);
    if (number >= instance_count)
        return;
    uint32_t host =
        add_host(script_on_instance(&script, TWIN_OP_MODEL_INSTANCE_DRAIN, number + 1, 0));
    for (uint32_t i = 0; i < node_count; i++)
        if (nodes[i].instance == number + 1)
            edges[i][host] = true;
}

static void step(void)
{
    uint32_t queue = 1 + draw(QUEUES);
    if (instance_count > 0 && draw(5) == 0) {
        if (draw(8) == 0)
            random_drain();
        else
            random_run(queue);
        return;
    }
    switch (draw(10)) {
    case 0:
        random_notify(queue);
        break;
    case 1:
        if (draw(2) == 0) {
            uint32_t host = add_host(script_on_queue(&script, TWIN_OP_DRAIN, queue, TWIN_OK));
            if (last_task[queue] != CHECK_NONE)
                edges[last_task[queue]][host] = true;
        }
        break;
    case 2:
        random_word(queue);
        break;
    case 3:
    case 4:
    case 5:
        random_event(queue);
        break;
    default:
        random_copy(queue);
        break;
    }
}

/* Records the notifies that still have waits without a record. */
static void release(void)
{
    for (uint32_t n = 1; n <= NOTIFIES; n++) {
        while (notify_record_count[n] < notify_wait_count[n])
            notify_records[n][notify_record_count[n]++] =
                add_task(script_sync(&script, TWIN_OP_RECORD, RELEASER, EVENTS + n), RELEASER);
        for (uint32_t i = 0; i < notify_wait_count[n]; i++)
            edges[notify_records[n][i]][notify_waits[n][i]] = true;
    }
    for (uint32_t w = 0; w < WORDS; w++) {
        if (word_write[w] == CHECK_NONE && word_wait_count[w] > 0)
            word_write[w] = add_task(
                script_word(&script, TWIN_OP_WRITE_VALUE, RELEASER, WORD_AT + 8 * w, 7), RELEASER);
        for (uint32_t i = 0; i < word_wait_count[w]; i++)
            edges[word_write[w]][word_waits[w][i]] = true;
    }
}

static void make_program(uint32_t steps)
{
    script_begin(&script);
    node_count = 0;
    last_host = CHECK_NONE;
    memset(last_task, 0xff, sizeof(last_task));
    memset(newest_record, 0xff, sizeof(newest_record));
    memset(notify_record_count, 0, sizeof(notify_record_count));
    memset(notify_wait_count, 0, sizeof(notify_wait_count));
    memset(word_write, 0xff, sizeof(word_write));
    memset(word_wait_count, 0, sizeof(word_wait_count));
    script_open(&script, 0);
    for (uint32_t q = 1; q <= RELEASER; q++)
        script_queue(&script, q, q == 1);
    for (uint32_t s = 1; s <= EVENTS + NOTIFIES; s++)
        script_signal(&script, s, s <= EVENTS ? TWIN_SIGNAL_EVENT_REBIND : TWIN_SIGNAL_NOTIFY);
    script_alloc(&script, BASE, 8192);
    for (uint32_t w = 0; w < WORDS; w++)
        script_word(&script, TWIN_OP_WRITE_VALUE, 1, WORD_AT + 8 * w, 0);
    script_on_queue(&script, TWIN_OP_DRAIN, 1, TWIN_OK);
    exact = true;
    instance_count = draw(2) == 0 ? draw(INSTANCES + 1) : 0;
    for (uint32_t i = 0; i < instance_count; i++)
        make_instance(i);
    for (uint32_t i = 0; i < steps && node_count < STEPS_TO; i++)
        step();
    release();
}

/* ---- judging ---- */

static uint32_t node_of(const struct checker *checker, uint32_t index)
{
    const twin_op *op = checker_op(checker, index);
    uint32_t found = CHECK_NONE;
    const twin_op *asked = checker_op(checker, checker_run_of(checker, index));
    const uint32_t run = asked ? asked->entry : CHECK_NONE;
    for (uint32_t i = 0; op && i < node_count; i++)
        if (nodes[i].op == op->entry && nodes[i].run == run)
            found = i; /* the task comes after the host's part */
    return found;
}

static bool found_rightly(const struct checker *checker, const struct check_finding *finding)
{
    uint32_t a = node_of(checker, finding->first);
    uint32_t b = node_of(checker, finding->second);
    return a != CHECK_NONE && b != CHECK_NONE && check_rule_texts[finding->rule].of == CHECK_RACE &&
           races(a, b);
}

static void test_programs(void)
{
    uint32_t with = 0;
    uint32_t without = 0;
    uint32_t with_runs = 0;
    uint32_t without_runs = 0;
    uint32_t hung = 0;
    for (uint32_t seed = 1; seed <= PROGRAMS; seed++) {
        state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
        make_program(3 + draw(draw(2) == 0 ? 8 : 50));
        if (!close_graph()) {
            hung++;
            continue;
        }
        bool expected = false;
        for (uint32_t a = 0; a < node_count && !expected; a++)
            for (uint32_t b = a + 1; b < node_count && !expected; b++)
                expected = races(a, b);
        struct checker *checker = script_check(&script);
        size_t count = 0;
        const struct check_finding *findings = checker_findings(checker, &count);
        bool found = false;
        bool good = true;
        for (size_t i = 0; i < count; i++) {
            /* these programs use notifies as it comes */
            if (findings[i].rule == CHECK_LIFE_10)
                continue;
            found = true;
            good = good && found_rightly(checker, &findings[i]);
        }
        good = good && (exact || found ? found == expected : true);
        with_runs += instance_count > 0 && expected;
        without_runs += instance_count > 0 && !expected;
        if (!good) {
            fprintf(stderr, "seed %u, %s:\n", (unsigned)seed, expected ? "races" : "no race");
            script_print(checker);
        }
        CU_ASSERT_TRUE(good);
        with += expected;
        without += !expected;
        checker_free(checker);
        if (!good)
            return;
    }
    /* both kinds came up, and often */
    CU_ASSERT_TRUE(with > PROGRAMS / 10);
    CU_ASSERT_TRUE(without > PROGRAMS / 10);
    CU_ASSERT_TRUE(with_runs > PROGRAMS / 20);
    CU_ASSERT_TRUE(without_runs > PROGRAMS / 50);
    CU_ASSERT_TRUE(hung < PROGRAMS * 3 / 4);
    printf("%u with races, %u without, %u that hang\n", (unsigned)with, (unsigned)without,
           (unsigned)hung);
}

static const twin_test tests[] = {
    {"a race is found in a program if and only if the graph of all that comes before has one",
     test_programs},
};

int main(int argc, char **argv)
{
    return twin_run_suite("check_race", tests, TWIN_COUNT(tests), argc, argv);
}
