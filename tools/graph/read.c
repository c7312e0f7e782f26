/* SPDX-License-Identifier: Apache-2.0 */
/* From the entries of a recording to graphs. A queue keeps its tasks; an instance takes those of
 * the queues that are bound to it when it is sealed, or, if it never is, at its end. */
#include "graph/graph.h"

#include <string.h>

#include "graph/parts.h"

struct queue {
    UT_hash_handle hh;
    uint32_t number;
    const twin_op *made;
    LIST_OF(struct graph_task) tasks;
};

/* What a kernel is to run. */
struct code {
    UT_hash_handle hh;
    uint32_t kernel;
    uint64_t args_bytes;
    const char *function;
};

struct reader {
    struct graphs *graphs;
    const twin_recording *recording;
    twin_recording_memory *memory;
    struct queue *queues;
    struct code *codes;
    size_t index; /* of the entry */
};

struct graph *graphs_find(const struct graphs *graphs, uint32_t number)
{
    for (size_t i = 0; i < graphs->list.count; i++)
        if (graphs->list.items[i].number == number)
            return &graphs->list.items[i];
    return NULL;
}

static struct queue *find_queue(const struct reader *reader, uint32_t number)
{
    struct queue *queue;
    HASH_FIND(hh, reader->queues, &number, sizeof(number), queue);
    return queue;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static enum graph_place place_of(const struct reader *reader, uint64_t address)
{
    const struct twin_recording_range *range = twin_recording_memory_at(reader->memory, address);
    return !range ? GRAPH_UNKNOWN : range->host ? GRAPH_HOST : GRAPH_DEVICE;
}

static uint64_t product(uint64_t a, uint64_t b)
{
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static void note_kernel(const struct reader *reader, const struct twin_record_entry *entry,
                        const struct twin_record_WORK_LAUNCH *f, struct graph_task *task)
{
    const struct code *code;
    HASH_FIND(hh, reader->codes, &f->kernel, sizeof(f->kernel), code);
    task->blocks = f->blocks;
    task->name = twin_recording_text(entry, 0);
    task->args_known = code != NULL;
    task->args_bytes = code ? code->args_bytes : 0;
    if (code && task->name[0] == '\0')
        task->name = code->function;
}

static struct graph_task task_of(const struct reader *reader, const twin_op *op)
{
    union twin_recording_any any;
    const struct twin_record_entry *entry = twin_recording_at(reader->recording, op->entry);
    struct graph_task task = {.op = op, .name = "", .kind = entry->kind};
    twin_recording_fields(entry, &any, twin_recording_kind(entry->kind)->bytes);
    switch (entry->kind) {
    case TWIN_RECORD_WORK_COPY:
    case TWIN_RECORD_WORK_COPY_BASED:
    case TWIN_RECORD_WORK_COPY_ROWS:
        task.bytes =
            entry->kind == TWIN_RECORD_WORK_COPY_ROWS ? product(op->bytes, op->height) : op->bytes;
        task.from = place_of(reader, op->src);
        task.to = place_of(reader, op->dst);
        break;
    case TWIN_RECORD_WORK_FILL:
    case TWIN_RECORD_WORK_REDUCE:
    case TWIN_RECORD_WORK_MAINTAIN:
    case TWIN_RECORD_WORK_RANDOM:
        task.bytes = op->bytes;
        break;
    case TWIN_RECORD_WORK_LAUNCH:
        note_kernel(reader, entry, &any.WORK_LAUNCH, &task);
        break;
    case TWIN_RECORD_WORK_ACTIVATE:
        task.other = any.WORK_ACTIVATE.other;
        break;
    case TWIN_RECORD_WORK_BRANCH:
        task.other = any.WORK_BRANCH.to;
        break;
    default:
        break;
    }
    return task;
}

/* An update of a task group. */
static void note_update(const struct reader *reader, const struct twin_record_WORK_LAUNCH *f)
{
    for (size_t i = 0; i < reader->graphs->list.count; i++) {
        struct graph_task *task =
            graph_task_of(&reader->graphs->list.items[i], f->replaced, f->place);
        if (task)
            task->updates++;
    }
}

/* ---- what an instance takes ------------------------------------------------------------------ */

static struct graph_stream *find_stream(const struct graph *graph, uint32_t queue)
{
    for (size_t i = 0; i < graph->streams.count; i++)
        if (graph->streams.items[i].queue == queue)
            return &graph->streams.items[i];
    return NULL;
}

static bool take_tasks(const struct reader *reader, struct graph *graph, size_t stream)
{
    struct graph_stream *at = &graph->streams.items[stream];
    const struct queue *queue = find_queue(reader, at->queue);
    at->first = graph->tasks.count;
    at->count = queue ? queue->tasks.count : 0;
    for (size_t i = 0; i < at->count; i++) {
        if (!LIST_ADD(&graph->tasks, queue->tasks.items[i]))
            return false;
        graph->tasks.items[graph->tasks.count - 1].stream = (uint32_t)stream;
    }
    return true;
}

/* Takes the tasks of its streams: of those that are bound now, or of all that ever were. */
static bool take_all(const struct reader *reader, struct graph *graph, bool bound)
{
    size_t kept = 0;
    for (size_t i = 0; i < graph->streams.count; i++)
        if (!bound || graph->streams.items[i].bound)
            graph->streams.items[kept++] = graph->streams.items[i];
    graph->streams.count = kept;
    graph->tasks.count = 0;
    for (size_t i = 0; i < kept; i++)
        if (!take_tasks(reader, graph, i))
            return false;
    return graph_make_lanes(reader->recording, graph) && graph_make_edges(reader->recording, graph);
}

/* ---- entries --------------------------------------------------------------------------------- */

static bool create(struct reader *reader, const twin_op *op)
{
    char name[TWIN_OP_NAME];
    const bool captured = strstr(twin_op_name(reader->recording, op, name), "CaptureBegin") != NULL;
    const struct graph graph = {.number = op->object,
                                .device = op->device,
                                .made = op,
                                .is_captured = captured,
                                .timed_run = GRAPH_NONE};
    return graphs_find(reader->graphs, op->object) || LIST_ADD(&reader->graphs->list, graph);
}

static bool bind(const struct reader *reader, const struct twin_record_MODEL_INSTANCE_BIND *f)
{
    struct graph *graph = graphs_find(reader->graphs, f->model_instance);
    const struct queue *queue = find_queue(reader, f->queue);
    if (!graph || !queue || !queue->made)
        return true;
    struct graph_stream *stream = find_stream(graph, f->queue);
    if (stream) {
        stream->head = f->head != 0;
        stream->bound = true;
        return true;
    }
    return LIST_ADD(&graph->streams, (struct graph_stream){.made = queue->made,
                                                           .queue = f->queue,
                                                           .id = queue->made->config.name,
                                                           .head = f->head != 0,
                                                           .bound = true});
}

static void unbind(const struct reader *reader, const struct twin_record_MODEL_INSTANCE_UNBIND *f)
{
    const struct graph *graph = graphs_find(reader->graphs, f->model_instance);
    struct graph_stream *stream = graph ? find_stream(graph, f->queue) : NULL;
    if (stream)
        stream->bound = false;
}

static bool seal(const struct reader *reader, const struct twin_record_entry *entry,
                 uint32_t instance)
{
    struct graph *graph = graphs_find(reader->graphs, instance);
    if (!graph)
        return true;
    graph->sealed_seq = entry->begin_seq;
    return take_all(reader, graph, true);
}

static bool note_code(struct reader *reader, const struct twin_record_entry *entry)
{
    struct twin_record_CODE f;
    struct twin_recording_code parts;
    struct code *code = NULL;
    if (!TWIN_RECORDING_GET(entry, CODE, &f) || !twin_recording_code(entry, &parts))
        return true;
    HASH_ENSURE(reader->codes, kernel, f.kernel, code);
    if (!code)
        return false;
    code->args_bytes = parts.args_bytes;
    code->function = parts.function;
    return true;
}

/* Work that came to a queue. */
static bool take_work(struct reader *reader, const twin_op *op, const union twin_recording_any *any)
{
    struct queue *queue = find_queue(reader, op->queue);
    struct graph *graph = op->kind == TWIN_OP_RUN ? graphs_find(reader->graphs, op->object) : NULL;
    if (graph && !LIST_ADD(&graph->runs, (struct graph_run){.op = op}))
        return false;
    if (twin_recording_at(reader->recording, op->entry)->kind == TWIN_RECORD_WORK_LAUNCH &&
        any->WORK_LAUNCH.replaced != 0) {
        note_update(reader, &any->WORK_LAUNCH);
        return true;
    }
    if (!queue || !queue->made || !queue->made->config.deferred)
        return true;
    return twin_recording_memory_go(reader->memory, op->entry) &&
           LIST_ADD(&queue->tasks, task_of(reader, op));
}

/* `op`: NULL, the entry is none. */
static bool take_entry(struct reader *reader, const struct twin_record_entry *entry,
                       const twin_op *op)
{
    union twin_recording_any any;
    struct queue *queue = NULL;
    if (entry->kind == TWIN_RECORD_CODE)
        return note_code(reader, entry);
    if (!twin_recording_succeeded(entry) || !twin_recording_kind(entry->kind))
        return true;
    twin_recording_fields(entry, &any, twin_recording_kind(entry->kind)->bytes);
    switch (entry->kind) {
    case TWIN_RECORD_QUEUE_CREATE:
        HASH_ENSURE(reader->queues, number, op->queue, queue);
        if (queue)
            queue->made = op;
        return queue != NULL;
    case TWIN_RECORD_MODEL_INSTANCE_CREATE:
        return create(reader, op);
    case TWIN_RECORD_MODEL_INSTANCE_BIND:
        return bind(reader, &any.MODEL_INSTANCE_BIND);
    case TWIN_RECORD_MODEL_INSTANCE_UNBIND:
        unbind(reader, &any.MODEL_INSTANCE_UNBIND);
        return true;
    case TWIN_RECORD_MODEL_INSTANCE_SEAL:
        return seal(reader, entry, any.MODEL_INSTANCE_SEAL.model_instance);
    case TWIN_RECORD_MODEL_INSTANCE_CLEAN:
        queue = find_queue(reader, any.MODEL_INSTANCE_CLEAN.queue);
        if (queue)
            queue->tasks.count = 0;
        return true;
    default:
        return !op || !twin_op_is_work(op->kind) || take_work(reader, op, &any);
    }
}

static int by_number(const void *left, const void *right)
{
    const struct graph *a = left;
    const struct graph *b = right;
    return ORDER(a->number, b->number);
}

bool graphs_read(struct graphs *graphs)
{
    struct reader reader = {.graphs = graphs, .recording = graphs->recording};
    const size_t count = twin_recording_count(graphs->recording);
    size_t next = 0;
    reader.memory = twin_recording_memory_new(graphs->recording);
    bool good = reader.memory && twin_ops_load(graphs->recording, &graphs->ops);
    for (size_t i = 0; good && i < count; i++) {
        const bool is_op = next < graphs->ops.count && graphs->ops.list[next].entry == i;
        good = take_entry(&reader, twin_recording_at(graphs->recording, i),
                          is_op ? &graphs->ops.list[next] : NULL);
        next += is_op;
    }
    for (size_t i = 0; good && i < graphs->list.count; i++)
        if (graphs->list.items[i].sealed_seq == 0)
            good = take_all(&reader, &graphs->list.items[i], false);
    if (good && graphs->list.count > 0)
        qsort(graphs->list.items, graphs->list.count, sizeof(struct graph), by_number);
    for (struct queue *queue = reader.queues; queue; queue = queue->hh.next)
        free(queue->tasks.items);
    HASH_FREE_ALL(reader.queues);
    HASH_FREE_ALL(reader.codes);
    if (reader.memory)
        twin_recording_memory_free(reader.memory);
    return good;
}

void graphs_free(struct graphs *graphs)
{
    for (size_t i = 0; i < graphs->list.count; i++) {
        struct graph *graph = &graphs->list.items[i];
        free(graph->streams.items);
        free(graph->lanes.items);
        free(graph->tasks.items);
        free(graph->edges.items);
        free(graph->runs.items);
    }
    free(graphs->list.items);
    twin_ops_free(&graphs->ops);
    *graphs = (struct graphs){.path = graphs->path, .recording = graphs->recording};
}
