/* SPDX-License-Identifier: Apache-2.0 */
/* The times of one execution of a graph, and its critical path: from the task that ended last back
 * to what each task followed, by the latest end. A task of a loop runs several times. */
#include <string.h>

#include "graph/parts.h"

/* A task ran once. */
struct turn {
    size_t task;
    uint64_t begin_ns, end_ns;
    bool taken; /* by the critical path */
};

struct timing {
    const twin_recording *recording;
    struct graph *graph;
    LIST_OF(struct turn) turns; /* by task and end */
};

/* When an execution ran, from the tasks of the stream that executes. */
static void time_run(const twin_recording *recording, struct graph_run *run)
{
    struct twin_recording_times times;
    twin_recording_times(recording, run->op->entry, &times);
    run->timed = times.begun && times.ended;
    run->begin_ns = times.begin_ns;
    run->end_ns = times.end_ns;
}

static int by_task(const void *left, const void *right)
{
    const struct turn *a = left;
    const struct turn *b = right;
    return ORDER_3(a->task, b->task, a->end_ns, b->end_ns, a->begin_ns, b->begin_ns);
}

/* Whether tasks can run other than once. */
static bool has_branches(const struct graph *graph)
{
    for (size_t i = 0; i < graph->tasks.count; i++)
        if (graph->tasks.items[i].kind == TWIN_RECORD_WORK_BRANCH ||
            graph->tasks.items[i].kind == TWIN_RECORD_WORK_JUMP)
            return true;
    return false;
}

/* Runs of one instance exclude each other: what has ended by then is of runs that ended before. */
static uint64_t end_of_earlier(const struct graph *graph, const struct graph_run *run)
{
    uint64_t end_ns = 0;
    for (size_t i = 0; i < graph->runs.count; i++) {
        const struct graph_run *other = &graph->runs.items[i];
        if (other->timed && other->end_ns < run->end_ns && other->end_ns > end_ns)
            end_ns = other->end_ns;
    }
    return end_ns;
}

/* Gathers the turns. They come after the entry that queued the execution. An op that is several
 * tasks has one turn for all. False: out of memory. */
static bool gather(struct timing *timing, const struct graph_run *run)
{
    struct graph *graph = timing->graph;
    const size_t count = twin_recording_count(timing->recording);
    const bool all = has_branches(graph);
    const uint64_t earlier_ns = end_of_earlier(graph, run);
    uint64_t missing = 0;
    for (size_t i = 0; i < graph->tasks.count; i++)
        missing += graph->tasks.items[i].op->tasks;
    timing->turns.count = 0;
    for (size_t i = run->op->entry; (all || missing > 0) && i < count; i++) {
        struct twin_record_TASK reported;
        if (!TWIN_RECORDING_GET(twin_recording_at(timing->recording, i), TASK, &reported) ||
            reported.task_begin_ns < run->begin_ns || reported.task_end_ns > run->end_ns ||
            reported.task_end_ns <= earlier_ns || reported.task_end_ns < reported.task_begin_ns)
            continue;
        const struct graph_task *task = graph_task_of(graph, reported.queue, reported.task);
        if (!task)
            continue;
        missing--;
        if (!LIST_ADD(&timing->turns, (struct turn){.task = (size_t)(task - graph->tasks.items),
                                                    .begin_ns = reported.task_begin_ns,
                                                    .end_ns = reported.task_end_ns}))
            return false;
    }
    if (timing->turns.count > 0)
        qsort(timing->turns.items, timing->turns.count, sizeof(struct turn), by_task);
    return true;
}

static void join_parts(struct timing *timing)
{
    size_t kept = 0;
    for (size_t i = 0; i < timing->turns.count; i++) {
        struct turn *turns = timing->turns.items;
        const struct graph_task *task = &timing->graph->tasks.items[turns[i].task];
        struct turn *last = kept > 0 ? &turns[kept - 1] : NULL;
        if (task->op->tasks > 1 && last && last->task == turns[i].task) {
            last->begin_ns =
                turns[i].begin_ns < last->begin_ns ? turns[i].begin_ns : last->begin_ns;
            last->end_ns = turns[i].end_ns;
        } else {
            turns[kept++] = turns[i];
        }
    }
    timing->turns.count = kept;
}

static void take_times(const struct timing *timing)
{
    struct graph *graph = timing->graph;
    for (size_t i = 0; i < graph->tasks.count; i++) {
        struct graph_task *task = &graph->tasks.items[i];
        task->begin_ns = task->end_ns = task->busy_ns = task->path_ns = 0;
        task->turns = task->path_turns = 0;
        task->critical = task->by_lane = false;
    }
    for (size_t i = 0; i < timing->turns.count; i++) {
        const struct turn *turn = &timing->turns.items[i];
        struct graph_task *task = &graph->tasks.items[turn->task];
        if (task->turns++ == 0 || turn->begin_ns < task->begin_ns)
            task->begin_ns = turn->begin_ns;
        task->end_ns = turn->end_ns; /* the last */
        task->busy_ns += turn->end_ns - turn->begin_ns;
    }
}

static bool is_whole(const struct graph *graph)
{
    for (size_t i = 0; i < graph->tasks.count; i++)
        if (graph->tasks.items[i].turns == 0)
            return false;
    return graph->tasks.count > 0;
}

/* ---- the critical path ----------------------------------------------------------------------- */

/* The last turn of a task that had ended by then and is not on the path yet; GRAPH_NONE. */
static size_t turn_before(const struct timing *timing, size_t task, uint64_t end_ns)
{
    const struct turn *turns = timing->turns.items;
    size_t at = PARTITION_POINT(timing->turns.count, i,
                                turns[i].task < task ||
                                    (turns[i].task == task && turns[i].end_ns <= end_ns));
    for (; at > 0 && turns[at - 1].task == task; at--)
        if (!turns[at - 1].taken)
            return at - 1;
    return GRAPH_NONE;
}

/* What a turn followed: the one with the latest end among those of the task before it in its lane
 * and of the tasks at its edges. *out_edge: GRAPH_NONE for the first. */
static size_t followed(const struct timing *timing, size_t turn, size_t *out_edge)
{
    const struct graph *graph = timing->graph;
    const struct turn *turns = timing->turns.items;
    const size_t task = turns[turn].task;
    const size_t before = graph_before(graph, task);
    size_t best =
        before != GRAPH_NONE ? turn_before(timing, before, turns[turn].end_ns) : GRAPH_NONE;
    *out_edge = GRAPH_NONE;
    const size_t first = PARTITION_POINT(graph->edges.count, at, graph->edges.items[at].to < task);
    for (size_t i = first; i < graph->edges.count && graph->edges.items[i].to == task; i++) {
        const size_t other = turn_before(timing, graph->edges.items[i].from, turns[turn].end_ns);
        if (other == GRAPH_NONE ||
            (best != GRAPH_NONE && turns[other].end_ns <= turns[best].end_ns))
            continue;
        best = other;
        *out_edge = i;
    }
    return best;
}

static void follow(const struct timing *timing)
{
    struct graph *graph = timing->graph;
    size_t at = GRAPH_NONE;
    for (size_t i = 0; i < graph->edges.count; i++)
        graph->edges.items[i].critical = false;
    graph->critical_count = 0;
    graph->begin_ns = UINT64_MAX;
    for (size_t i = 0; i < timing->turns.count; i++) {
        const struct turn *turn = &timing->turns.items[i];
        graph->begin_ns = turn->begin_ns < graph->begin_ns ? turn->begin_ns : graph->begin_ns;
        if (at == GRAPH_NONE || turn->end_ns >= timing->turns.items[at].end_ns)
            at = i;
    }
    graph->end_ns = at != GRAPH_NONE ? timing->turns.items[at].end_ns : 0;
    while (at != GRAPH_NONE) {
        struct turn *turn = &timing->turns.items[at];
        struct graph_task *task = &graph->tasks.items[turn->task];
        size_t edge = GRAPH_NONE;
        turn->taken = true;
        const size_t before = followed(timing, at, &edge);
        const uint64_t since =
            before == GRAPH_NONE ? turn->begin_ns : timing->turns.items[before].end_ns;
        task->critical = true;
        task->path_turns++;
        task->path_ns += turn->end_ns - since;
        task->by_lane = task->by_lane || (before != GRAPH_NONE && edge == GRAPH_NONE);
        graph->critical_count++;
        if (edge != GRAPH_NONE)
            graph->edges.items[edge].critical = true;
        at = before;
    }
}

/* ---- which execution ------------------------------------------------------------------------- */

/* Whether the execution has times. False also when out of memory. */
static bool take_run(struct timing *timing, size_t run)
{
    struct graph *graph = timing->graph;
    if (!graph->runs.items[run].timed || !gather(timing, &graph->runs.items[run]))
        return false;
    join_parts(timing);
    take_times(timing);
    graph->timed_run = run;
    return timing->turns.count > 0;
}

/* Whether the last of the executions has times, of all tasks if `whole`. */
static bool take_last(struct timing *timing, bool whole)
{
    for (size_t i = timing->graph->runs.count; i-- > 0;)
        if (take_run(timing, i) && (!whole || is_whole(timing->graph)))
            return true;
    return false;
}

bool graph_time(const struct graphs *graphs, struct graph *graph, size_t run)
{
    struct timing timing = {.recording = graphs->recording, .graph = graph};
    bool found = false;
    for (size_t i = 0; i < graph->runs.count; i++)
        time_run(graphs->recording, &graph->runs.items[i]);
    if (run < graph->runs.count)
        found = take_run(&timing, run);
    else if (run == GRAPH_NONE)
        found = (!has_branches(graph) && take_last(&timing, true)) || take_last(&timing, false);
    if (found)
        follow(&timing);
    else
        graph->timed_run = GRAPH_NONE;
    free(timing.turns.items);
    return found;
}
