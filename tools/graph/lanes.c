/* SPDX-License-Identifier: Apache-2.0 */
/* The lanes of a graph, and the edges between them. */
#include <string.h>

#include "graph/parts.h"

size_t graph_stream_of(const struct graph *graph, uint32_t queue)
{
    for (size_t i = 0; queue != 0 && i < graph->streams.count; i++)
        if (graph->streams.items[i].queue == queue)
            return i;
    return GRAPH_NONE;
}

struct graph_task *graph_task_of(const struct graph *graph, uint32_t queue, uint64_t number)
{
    const size_t at = graph_stream_of(graph, queue);
    if (at == GRAPH_NONE)
        return NULL;
    const struct graph_stream *stream = &graph->streams.items[at];
    struct graph_task *first = &graph->tasks.items[stream->first];
    /* numbers rise within a stream */
    const size_t after = PARTITION_POINT(stream->count, i, (uint64_t)first[i].op->task <= number);
    struct graph_task *task = after > 0 ? &first[after - 1] : NULL;
    return task && task->op->task != TWIN_OP_NONE && number - task->op->task < task->op->tasks
               ? task
               : NULL;
}

size_t graph_before(const struct graph *graph, size_t task)
{
    const struct graph_task *tasks = graph->tasks.items;
    const size_t first = graph->lanes.items[tasks[task].lane].first;
    return task > first &&
                   (tasks[task - 1].stream == tasks[task].stream || tasks[task - 1].continues)
               ? task - 1
               : GRAPH_NONE;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

struct link {
    size_t next;       /* stream that comes after this one in its lane, or GRAPH_NONE */
    size_t activators; /* tasks that activate this one */
    bool is_later;     /* another stream comes before it */
    bool is_start;
    bool is_chooser; /* of a conditional task */
};

struct linking {
    const twin_recording *recording;
    struct graph *graph;
    struct link *links; /* by stream */
};

static bool is_made_by(const struct linking *linking, size_t stream, const char *call)
{
    char name[TWIN_OP_NAME];
    return strcmp(
               twin_op_name(linking->recording, linking->graph->streams.items[stream].made, name),
               call) == 0;
}

static void describe_streams(const struct linking *linking)
{
    const struct graph *graph = linking->graph;
    for (size_t i = 0; i < graph->streams.count; i++)
        linking->links[i] =
            (struct link){.next = GRAPH_NONE,
                          .is_start = graph->is_captured && graph->streams.items[i].head &&
                                      is_made_by(linking, i, "aclmdlRICaptureEnd")};
    for (size_t i = 0; i < graph->tasks.count; i++) {
        const struct graph_task *task = &graph->tasks.items[i];
        const size_t to = graph_stream_of(graph, task->other);
        if (to != GRAPH_NONE)
            linking->links[to].activators++;
        if (graph->is_captured && task->kind == TWIN_RECORD_WORK_BRANCH)
            linking->links[task->stream].is_chooser = true;
    }
}

/* The stream `to` comes after another one in its lane. */
static void link_after(const struct linking *linking, size_t stream, size_t to)
{
    if (linking->links[to].is_later || linking->graph->streams.items[to].head)
        return;
    linking->links[stream].next = to;
    linking->links[to].is_later = true;
}

/* A capture goes on in another stream when one is full: the last task activates the next one,
 * nothing else does. At a conditional task it goes on in a chooser, and then in the stream that was
 * made after that one. What starts a capture is full of its own tasks only. */
static void link_streams(const struct linking *linking)
{
    struct graph *graph = linking->graph;
    for (size_t i = 0; graph->is_captured && i < graph->streams.count; i++) {
        const struct graph_stream *stream = &graph->streams.items[i];
        struct link *link = &linking->links[i];
        if (link->is_chooser) {
            if (link->is_later && i + 1 < graph->streams.count &&
                is_made_by(linking, i + 1, "aclmdlRIAddCondTask"))
                link_after(linking, i, i + 1);
            continue;
        }
        struct graph_task *last =
            stream->count > 0 ? &graph->tasks.items[stream->first + stream->count - 1] : NULL;
        const size_t to = last && last->kind == TWIN_RECORD_WORK_ACTIVATE
                              ? graph_stream_of(graph, last->other)
                              : GRAPH_NONE;
        if (to == GRAPH_NONE || to <= i ||
            (!linking->links[to].is_chooser && linking->links[to].activators != 1) ||
            (link->is_start && !is_made_by(linking, to, "aclmdlRICaptureEnd")))
            continue;
        link_after(linking, i, to);
        if (link->next != to)
            continue;
        last->continues = true;
        linking->links[to].is_start = link->is_start;
    }
}

/* Where lanes and streams are put in their new order. */
struct order {
    struct graph_stream *streams;
    struct graph_task *tasks;
    size_t stream_count, task_count;
};

static bool add_lane(struct graph *graph, const struct link *links, size_t first,
                     struct order *order)
{
    struct graph_lane lane = {.first = order->task_count,
                              .first_stream = (uint32_t)order->stream_count,
                              .is_start = links[first].is_start};
    for (size_t i = first; i != GRAPH_NONE; i = links[i].next) {
        struct graph_stream stream = graph->streams.items[i];
        for (size_t k = 0; k < stream.count; k++) {
            struct graph_task task = graph->tasks.items[stream.first + k];
            task.stream = (uint32_t)order->stream_count;
            task.lane = (uint32_t)graph->lanes.count;
            order->tasks[order->task_count + k] = task;
        }
        stream.first = order->task_count;
        stream.lane = (uint32_t)graph->lanes.count;
        order->task_count += stream.count;
        order->streams[order->stream_count++] = stream;
        lane.count += stream.count;
        lane.stream_count++;
    }
    return LIST_ADD(&graph->lanes, lane);
}

bool graph_make_lanes(const twin_recording *recording, struct graph *graph)
{
    const size_t count = graph->streams.count;
    struct link *links = calloc(count + 1, sizeof(*links));
    const struct linking linking = {.recording = recording, .graph = graph, .links = links};
    struct order order = {.streams = calloc(count + 1, sizeof(*order.streams)),
                          .tasks = calloc(graph->tasks.count + 1, sizeof(*order.tasks))};
    bool good = links && order.streams && order.tasks;
    graph->lanes.count = 0;
    if (good) {
        describe_streams(&linking);
        link_streams(&linking);
    }
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; good && i < count; i++)
            if (!links[i].is_later && links[i].is_start == (pass == 0))
                good = add_lane(graph, links, i, &order);
    if (good && count > 0) {
        memcpy(graph->streams.items, order.streams, count * sizeof(*order.streams));
        if (order.task_count > 0)
            memcpy(graph->tasks.items, order.tasks, order.task_count * sizeof(*order.tasks));
    }
    free(links);
    free(order.streams);
    free(order.tasks);
    return good;
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* Signals and words of memory. */
struct point {
    UT_hash_handle hh;
    uint64_t key;
    size_t taken;            /* records of a notify that waits have used up */
    LIST_OF(size_t) records; /* tasks, in the order of submission */
};

static bool records(const struct graph_task *task)
{
    return task->kind == TWIN_RECORD_WORK_RECORD || task->kind == TWIN_RECORD_WORK_COUNT ||
           task->kind == TWIN_RECORD_WORK_WRITE_VALUE;
}

static bool waits(const struct graph_task *task)
{
    return task->kind == TWIN_RECORD_WORK_WAIT || task->kind == TWIN_RECORD_WORK_WAIT_COUNT ||
           task->kind == TWIN_RECORD_WORK_WAIT_VALUE;
}

/* Numbers of signals have 32 bits; addresses of words have the highest bit set here. */
static uint64_t key_of(const struct graph_task *task)
{
    return task->kind == TWIN_RECORD_WORK_WRITE_VALUE || task->kind == TWIN_RECORD_WORK_WAIT_VALUE
               ? task->op->word.address | UINT64_C(1) << 63
               : task->op->object;
}

static bool is_notify(const twin_recording *recording, uint64_t signal)
{
    struct twin_record_SIGNAL_CREATE made;
    const struct twin_recording_object *object =
        signal >> 63 == 0
            ? twin_recording_object(recording, TWIN_RECORD_ROLE_SIGNAL, (uint32_t)signal)
            : NULL;
    return object && object->made != TWIN_RECORDING_NONE &&
           TWIN_RECORDING_GET(twin_recording_at(recording, object->made), SIGNAL_CREATE, &made) &&
           made.kind == TWIN_SIGNAL_NOTIFY;
}

/* The record that a wait follows, or GRAPH_NONE. */
static size_t record_for(const twin_recording *recording, const struct graph *graph,
                         struct point *point, const struct graph_task *wait)
{
    if (is_notify(recording, point->key))
        return point->taken < point->records.count ? point->records.items[point->taken++]
                                                   : GRAPH_NONE;
    const size_t later = PARTITION_POINT(
        point->records.count, at,
        graph->tasks.items[point->records.items[at]].op->begin_seq < wait->op->begin_seq);
    if (later > 0)
        return point->records.items[later - 1];
    return later < point->records.count ? point->records.items[later] : GRAPH_NONE;
}

static int by_seq(const void *left, const void *right, void *context)
{
    const struct graph_task *tasks = context;
    return ORDER(tasks[*(const size_t *)left].op->begin_seq,
                 tasks[*(const size_t *)right].op->begin_seq);
}

static bool add_activation(struct graph *graph, size_t task)
{
    const struct graph_task *from = &graph->tasks.items[task];
    const size_t to = graph_stream_of(graph, from->other);
    if (to == GRAPH_NONE || from->continues || graph->streams.items[to].count == 0)
        return true;
    return LIST_ADD(
        &graph->edges,
        (struct graph_edge){.from = task, .to = graph->streams.items[to].first, .activates = true});
}

static int by_ends(const void *left, const void *right)
{
    const struct graph_edge *a = left;
    const struct graph_edge *b = right;
    return ORDER_2(a->to, b->to, a->from, b->from);
}

bool graph_make_edges(const twin_recording *recording, struct graph *graph)
{
    const size_t count = graph->tasks.count;
    struct point *points = NULL;
    size_t *order = calloc(count + 1, sizeof(*order));
    bool good = order != NULL;
    graph->edges.count = 0;
    for (size_t i = 0; good && i < count; i++)
        order[i] = i;
    if (good)
        qsort_r(order, count, sizeof(*order), by_seq, graph->tasks.items);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; good && i < count; i++) {
            const struct graph_task *task = &graph->tasks.items[order[i]];
            struct point *point = NULL;
            if (pass == 0 && records(task)) {
                HASH_ENSURE(points, key, key_of(task), point);
                good = point && LIST_ADD(&point->records, order[i]);
            } else if (pass == 1 && waits(task)) {
                const uint64_t key = key_of(task);
                HASH_FIND(hh, points, &key, sizeof(key), point);
                const size_t from = point ? record_for(recording, graph, point, task) : GRAPH_NONE;
                good = from == GRAPH_NONE ||
                       LIST_ADD(&graph->edges, (struct graph_edge){.from = from, .to = order[i]});
            } else if (pass == 1 && task->other != 0) {
                good = add_activation(graph, order[i]);
            }
        }
    for (size_t i = 0; good && i < graph->edges.count; i++) {
        struct graph_task *from = &graph->tasks.items[graph->edges.items[i].from];
        from->has_edge = true;
        if (!graph->lanes.items[from->lane].is_start)
            graph->tasks.items[graph->edges.items[i].to].has_edge = true;
    }
    if (good && graph->edges.count > 0)
        qsort(graph->edges.items, graph->edges.count, sizeof(struct graph_edge), by_ends);
    for (struct point *point = points; point; point = point->hh.next)
        free(point->records.items);
    HASH_FREE_ALL(points);
    free(order);
    return good;
}
