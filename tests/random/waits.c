/* SPDX-License-Identifier: Apache-2.0 */
/* What a random program sees on the host, compared with the graph: its waits, queries, memory and
 * host functions. */
#include <stdio.h>

#include "program.h"

/* ---- what the host sees ---------------------------------------------------------------------- */

static void look_at_read(const program *p, uint32_t task, const uint64_t *words)
{
    char why[160];
    for (unsigned i = 1; i < CELL_WORDS; i++)
        if (words[i] != words[0]) {
            random_failure("task %u read a torn cell: word %u is 0x%llx, word 0 0x%llx", task, i,
                           (unsigned long long)words[i], (unsigned long long)words[0]);
            return;
        }
    if (!order_read_fits(p->graph, task, words[0], CELL_INITIAL, why, sizeof(why)))
        random_failure("%s", why);
}

static void look_at_call(program *p, uint32_t task)
{
    const order_graph *graph = p->graph;
    uint32_t turn = atomic_load(&p->turn[task]);
    if (turn == 0)
        random_failure("the host function of task %u must have run, and did not", task);
    for (uint32_t i = 0; i < graph->count; i++)
        if (graph->tasks[i].kind == ORDER_CALL && order_has(&graph->tasks[task].before, i) &&
            atomic_load(&p->turn[i]) > turn)
            random_failure("the host function of task %u ran before that of task %u", task, i);
}

/* ORD-10: what is known to be complete is there. */
static void know(program *p, uint32_t task)
{
    order_graph *graph = p->graph;
    if (!graph || task == NONE)
        return;
    order_join(&graph->known, &graph->tasks[task].before);
    graph->known.word[task / 64] |= UINT64_C(1) << (task % 64);
    for (uint32_t i = 0; i < graph->count; i++) {
        if (p->looked[i] || !order_has(&graph->known, i))
            continue;
        if (graph->tasks[i].kind == ORDER_CALL)
            look_at_call(p, i);
        else if (graph->tasks[i].kind == ORDER_READ && p->to_host[i])
            look_at_read(p, i, &p->log[i * CELL_WORDS]);
        else
            continue;
        p->looked[i] = true;
    }
}

/* ORD-02: what is held back is not complete, and what is known to be complete is. */
static void look_at_status(program *p, const char *what, uint32_t task, bool complete)
{
    meet(p, complete);
    if (!p->graph || task == NONE)
        return;
    if (complete && held(p, task))
        random_failure("%s: task %u is held back, and complete", what, task);
    else if (complete)
        know(p, task);
    else if (known(p, task))
        random_failure("%s: task %u is known to be complete, and the answer is no", what, task);
}

/* ---- waits of the host ----------------------------------------------------------------------- */

static void ask_stream(program *p, uint32_t number, bool until)
{
    aclrtStream stream = use(p, number);
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    do {
        OK(aclrtStreamQuery(stream, &status));
        dawdle();
    } while (until && status != ACL_STREAM_STATUS_COMPLETE && random_failures() == 0 && !run.stop);
    look_at_status(p, "stream", p->lanes[number].last, status == ACL_STREAM_STATUS_COMPLETE);
}

static void ask_event(program *p, const struct event *which, bool until)
{
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    go_to(p, which->place);
    do {
        OK(aclrtQueryEventStatus(which->handle, &status));
        dawdle();
    } while (until && status != ACL_EVENT_RECORDED_STATUS_COMPLETE && random_failures() == 0 &&
             !run.stop);
    look_at_status(p, "event", which->is_old ? NONE : which->recorded,
                   status == ACL_EVENT_RECORDED_STATUS_COMPLETE);
}

/* ORD-02, ORD-07: a wait for a stream that is held back ends by its time; any other one ends. */
void sync_stream(program *p, uint32_t number)
{
    aclrtStream stream = use(p, number);
    uint32_t last = p->lanes[number].last;
    if (held(p, last)) {
        if (below(p, 2) == 0)
            MUST(aclrtSynchronizeStreamWithTimeout(stream, 1), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        ask_stream(p, number, false);
        return;
    }
    if (below(p, 2) == 0)
        OK(aclrtSynchronizeStream(stream));
    else
        OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    know(p, last);
}

void sync_event(program *p, uint32_t number)
{
    const struct event *which = &p->events[below(p, p->style->events)];
    (void)number;
    if (p->graph && which->recorded == NONE)
        return;
    go_to(p, which->place);
    if (held(p, which->recorded)) {
        ask_event(p, which, false);
        return;
    }
    if (below(p, 2) == 0)
        OK(aclrtSynchronizeEvent(which->handle));
    else
        OK(aclrtSynchronizeEventWithTimeout(which->handle, SOON_MS));
    if (!which->is_old)
        know(p, which->recorded);
}

static void sync_place(program *p, uint32_t place)
{
    const uint32_t first = place * (p->style->streams + 1);
    for (uint32_t i = first; i <= first + p->style->streams; i++)
        if (held(p, p->lanes[i].last))
            return;
    go_to(p, place);
    if (below(p, 4) == 0)
        OK(aclrtSynchronizeDevice());
    else
        OK(aclrtSynchronizeDeviceWithTimeout(SOON_MS));
    for (uint32_t i = first; i <= first + p->style->streams; i++)
        know(p, p->lanes[i].last);
}

void sync_device(program *p, uint32_t number)
{
    sync_place(p, p->lanes[number].place);
}

void ask_once(program *p, uint32_t number)
{
    const struct event *a = event_beside(p, number), *b = event_beside(p, number);
    aclrtEventWaitStatus waited = ACL_EVENT_WAIT_STATUS_RESERVED;
    float ms = 0;
    switch (below(p, 4)) {
    case 0:
        ask_stream(p, number, false);
        break;
    case 1:
        go_to(p, a->place);
        if (a->is_old)
            OK(aclrtQueryEventWaitStatus(a->handle, &waited));
        break;
    case 2:
        go_to(p, a->place);
        (void)aclrtEventElapsedTime(&ms, a->handle, b->handle); /* it may not be over */
        break;
    default:
        ask_event(p, a, false);
        break;
    }
}

/* Each time costs time, so how often it asks is seen in the times of all that follows. */
void ask_until(program *p, uint32_t number)
{
    const struct event *which = event_beside(p, number);
    if (below(p, 2) == 0 && !held(p, p->lanes[number].last))
        ask_stream(p, number, true);
    else if (p->graph && which->recorded != NONE && !held(p, which->recorded))
        ask_event(p, which, true);
}

void impatient(program *p, uint32_t number)
{
    aclError code = aclrtSynchronizeStreamWithTimeout(use(p, number), 1);
    if (code != ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
        must("aclrtSynchronizeStreamWithTimeout", code, ACL_SUCCESS);
    meet(p, (uint64_t)code);
}

/* A wait that ends by its time, with host functions of other streams; then it is released. */
void time_out(program *p, uint32_t number)
{
    struct hold *one = hold(p, number);
    if (!one)
        return;
    do_call(p, beside(p, number));
    do_fill(p, number);
    MUST(aclrtSynchronizeStreamWithTimeout(use(p, number), 1), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    do_call(p, beside(p, number));
    release(p, p->lanes[number].place, one);
    sync_stream(p, number);
}

void foreign(program *p, uint32_t number)
{
    const program *other = &run.programs[below(p, run.options.threads)];
    (void)number;
    OK(aclrtSynchronizeEventWithTimeout(other->events[below(p, p->style->events)].handle, SOON_MS));
}

void measure(program *p, uint32_t number)
{
    struct event begin = {.recorded = NONE}, end = {.recorded = NONE};
    void *memory = NULL;
    float ms = -1;
    if (held(p, p->lanes[number].last))
        return;
    aclrtStream stream = use(p, number);
    OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtCreateEventWithFlag(&begin.handle, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
    OK(aclrtCreateEventWithFlag(&end.handle, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
    record(p, number, &begin);
    (void)note(p, number, ORDER_OTHER, "fill of new memory");
    OK(aclrtMemsetAsync(memory, 4096, 1, 1 + below(p, 4096), stream));
    record(p, number, &end);
    OK(aclrtSynchronizeEvent(end.handle));
    know(p, end.recorded);
    OK(aclrtEventElapsedTime(&ms, begin.handle, end.handle));
    if (ms < 0 && !run.stop)
        random_failure("a fill took %g ms", (double)ms);
    meet(p, (uint64_t)(ms * 1e6F));
    OK(aclrtFree(memory));
    OK(aclrtDestroyEvent(begin.handle));
    OK(aclrtDestroyEvent(end.handle));
}

/* ---- objects that go and come ---------------------------------------------------------------- */

/* EVT-66: what was recorded and what waits for it goes on. */
void renew_event(program *p, uint32_t number)
{
    uint32_t which = below(p, p->style->events);
    (void)number;
    go_to(p, p->events[which].place);
    OK(aclrtDestroyEvent(p->events[which].handle));
    make_event(p, which);
}

/* STR-15: the host waits for all that was queued. The default stream stays. */
void renew_stream(program *p, uint32_t number)
{
    number = p->graph ? number : p->own;
    struct lane *one = &p->lanes[number];
    if (!one->created || held(p, one->last))
        return;
    if (!p->graph) /* an answer that may differ is no matter of this */
        OK(aclrtSynchronizeStream(use(p, number)));
    OK(aclrtDestroyStream(use(p, number)));
    know(p, one->last);
    one->last = NONE;
    OK(aclrtCreateStream(&one->stream));
}

/* ---- callbacks ------------------------------------------------------------------------------- */

static void on_thread(void *data)
{
    dawdle();
    --*(uint32_t *)data;
}

/* For the last thread, which runs them when its turn has come, and that is next. */
void launch_callbacks(program *p, uint32_t number)
{
    const uint32_t on = p->subscribed;
    (void)number;
    for (uint32_t left = on == NONE ? 0 : 1 + below(p, 3); left > 0; left--) {
        do_fill(p, on);
        (void)note(p, on, ORDER_OTHER, "callback");
        run.callbacks++;
        OK(aclrtLaunchCallback(on_thread, &run.callbacks,
                               below(p, 2) == 0 ? ACL_CALLBACK_BLOCK : ACL_CALLBACK_NO_BLOCK,
                               use(p, on)));
        ask_once(p, 0);
    }
}

void run_callbacks(program *p)
{
    while (run.callbacks != 0 && random_failures() == 0) {
        OK(aclrtProcessReport(SOON_MS));
        dawdle();
    }
    if (p->subscribed != NONE)
        sync_stream(p, p->subscribed);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Records that are ordered have times that are. */
static void look_at_times(program *p)
{
    for (uint32_t i = 0; i < p->style->events * p->style->events; i++) {
        const struct event *a = &p->events[i / p->style->events],
                           *b = &p->events[i % p->style->events];
        float ms = -1;
        if (a->recorded == NONE || b->recorded == NONE || a->is_old || b->is_old ||
            !order_has(&p->graph->tasks[b->recorded].before, a->recorded))
            continue;
        OK(aclrtEventElapsedTime(&ms, a->handle, b->handle));
        if (ms < 0)
            random_failure("task %u was recorded %g ms before task %u, which comes before it",
                           b->recorded, (double)-ms, a->recorded);
    }
}

void settle(program *p)
{
    const size_t all = (size_t)ORDER_TASKS_MOST * CELL_BYTES;
    order_graph *graph = p->graph;
    if (!graph)
        return;
    for (uint32_t place = 0; place < p->style->places; place++)
        for (uint32_t i = 0; i < HOLDS; i++)
            release(p, place, &p->places[place].holds[i]);
    for (uint32_t place = 0; place < p->style->places; place++)
        sync_place(p, place);
    look_at_times(p);
    for (uint32_t place = 0; place < p->style->places; place++) {
        go_to(p, place);
        OK(aclrtMemcpy(p->log, all, p->places[place].logs, all, ACL_MEMCPY_DEVICE_TO_HOST));
        for (uint32_t i = 0; i < graph->count; i++)
            if (graph->tasks[i].kind == ORDER_READ && !p->to_host[i] &&
                p->lanes[graph->tasks[i].lane].place == place)
                look_at_read(p, i, &p->log[i * CELL_WORDS]);
    }
    for (uint32_t i = 0; i < graph->count; i++)
        if (!order_has(&graph->known, i))
            random_failure("task %u is not known to be complete at the end", i);
    forget(p);
}
