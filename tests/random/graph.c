/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs of several streams, executed at once and captured.
 *
 *   random_graph [--seed=N] [--calls=N] [--threads=N]
 *
 * --calls: programs. A program is a list of steps in 2 to 4 streams that has no race: fills, copies
 * in all directions, reductions, values in memory, functions of the host, and events, notifies and
 * waits for values between the streams. It is run at once, then captured, perhaps as a graph of
 * conditional tasks in one another, loops among them, and the model instance is run up to three
 * times. Each time all bytes must be those that the steps give one after the other. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "fault/random_support.h"

enum {
    STREAMS_MOST = 4,
    CELLS = 12, /* on the device, and as many on the host */
    CELL_BYTES = 64,
    FLAGS = 24, /* words that streams wait for */
    STEPS_MOST = 48,
    NOTIFIES = 4,
    EVENTS = 4,
    LEVELS_MOST = 3, /* of conditional tasks */
    GRAPHS_MOST = 3,
    WATCH_SECONDS = 240
};
#define CELLS_BYTES ((size_t)CELLS * CELL_BYTES)
#define FLAG_EQUAL  1u

enum step_kind { FILL, COPY, UPLOAD, DOWNLOAD, ADD, CALL, RECORD, WAIT, RING, AWAIT, PUT, GET };

struct step {
    enum step_kind kind;
    uint8_t stream;
    uint8_t from, to; /* cells; an event, a notify, a flag */
    uint8_t value;
};

struct program {
    uint32_t streams, count;
    struct step steps[STEPS_MOST];
};

/* Which steps of each stream a stream comes after. */
struct clock {
    uint32_t after[STREAMS_MOST];
};

struct cell {
    struct clock written; /* by whom, as that one's own entry */
    uint8_t writer;
    struct clock read; /* the newest read of each stream */
};

struct planner {
    random_state *random;
    struct program *program;
    struct clock clocks[STREAMS_MOST];
    struct cell device[CELLS], host[CELLS];
    struct clock events[EVENTS];
    bool recorded[EVENTS], joined[STREAMS_MOST];
    uint32_t flags;
};

struct worker {
    uint32_t index;
    uint64_t programs;
    random_state random;
    bool relaxed;
    aclrtStream streams[STREAMS_MOST];
    aclrtEvent events[EVENTS];
    aclrtNotify notifies[NOTIFIES];
    aclrtStream outer[LEVELS_MOST]; /* have the conditional tasks */
    uint8_t *device, *host;         /* cells; flags behind those of the device */
    uint8_t *saved; /* device: the start of both, and then -1; a graph that repeats begins there */
    uint8_t model_device[CELLS_BYTES], model_host[CELLS_BYTES];
    uint8_t start_device[CELLS_BYTES], start_host[CELLS_BYTES];
    struct program program;
};

#define OK(worker, call)                                                                           \
    do {                                                                                           \
        random_at((worker)->index, #call, (worker)->programs);                                     \
        const aclError code_ = (call);                                                             \
        if (code_ != ACL_SUCCESS)                                                                  \
            fail(#call, code_);                                                                    \
    } while (0)

static void fail(const char *what, aclError code)
{
    const char *message = aclGetRecentErrMsg();
    random_failure("%s answers %d: %s", what, code, message ? message : "");
}

/* ---- plans ----------------------------------------------------------------------------------- */

static void merge(struct clock *into, const struct clock *other)
{
    for (uint32_t i = 0; i < STREAMS_MOST; i++)
        if (other->after[i] > into->after[i])
            into->after[i] = other->after[i];
}

static bool may_read(const struct planner *planner, uint32_t stream, const struct cell *cell)
{
    return planner->clocks[stream].after[cell->writer] >= cell->written.after[cell->writer];
}

static bool may_write(const struct planner *planner, uint32_t stream, const struct cell *cell)
{
    for (uint32_t i = 0; i < STREAMS_MOST; i++)
        if (planner->clocks[stream].after[i] < cell->read.after[i])
            return false;
    return may_read(planner, stream, cell);
}

static void add(struct planner *planner, struct step step)
{
    struct program *program = planner->program;
    if (program->count == STEPS_MOST)
        abort();
    program->steps[program->count++] = step;
    planner->clocks[step.stream].after[step.stream]++;
}

static void note_read(struct planner *planner, uint32_t stream, struct cell *cell)
{
    cell->read.after[stream] = planner->clocks[stream].after[stream] + 1;
}

static void note_write(struct planner *planner, uint32_t stream, struct cell *cell)
{
    cell->writer = (uint8_t)stream;
    cell->written.after[stream] = planner->clocks[stream].after[stream] + 1;
}

/* A step that uses cells, if the stream may use those that were drawn. */
static void plan_work(struct planner *planner, uint32_t stream)
{
    random_state *random = planner->random;
    struct step step = {.kind = (enum step_kind)random_below(random, CALL + 1),
                        .stream = (uint8_t)stream,
                        .from = (uint8_t)random_below(random, CELLS),
                        .to = (uint8_t)random_below(random, CELLS),
                        .value = (uint8_t)random_below(random, 256)};
    struct cell *from = step.kind == UPLOAD || step.kind == CALL ? &planner->host[step.from]
                                                                 : &planner->device[step.from];
    struct cell *to = step.kind == DOWNLOAD || step.kind == CALL ? &planner->host[step.to]
                                                                 : &planner->device[step.to];
    const bool reads = step.kind != FILL;
    if (from == to || (reads && !may_read(planner, stream, from)) ||
        !may_write(planner, stream, to))
        return;
    if (reads)
        note_read(planner, stream, from);
    note_write(planner, stream, to);
    add(planner, step);
}

static uint32_t other_stream(struct planner *planner, uint32_t stream)
{
    const uint32_t streams = planner->program->streams;
    return (stream + 1 + random_below(planner->random, streams - 1)) % streams;
}

/* `to` comes after what `from` has done, by an event. */
static void plan_event(struct planner *planner, uint32_t from, uint32_t to)
{
    const uint8_t event = (uint8_t)random_below(planner->random, EVENTS);
    add(planner, (struct step){.kind = RECORD, .stream = (uint8_t)from, .to = event});
    planner->events[event] = planner->clocks[from];
    planner->recorded[event] = true;
    add(planner, (struct step){.kind = WAIT, .stream = (uint8_t)to, .to = event});
    merge(&planner->clocks[to], &planner->events[event]);
    planner->joined[to] = true;
}

/* The same by a notify or a value; both streams are in the capture. */
static void plan_signal(struct planner *planner, uint32_t from, uint32_t to)
{
    const bool notify = planner->flags == FLAGS || random_percent(planner->random, 50);
    /* One notify per pair of streams: each record is taken before the next one. */
    const uint8_t which = notify ? (uint8_t)(from % NOTIFIES) : (uint8_t)planner->flags++;
    if (notify && to != (from + 1) % planner->program->streams)
        return;
    add(planner, (struct step){.kind = notify ? RING : PUT, .stream = (uint8_t)from, .to = which});
    const struct clock at = planner->clocks[from];
    add(planner, (struct step){.kind = notify ? AWAIT : GET, .stream = (uint8_t)to, .to = which});
    merge(&planner->clocks[to], &at);
    if (!notify)
        return;
    /* The next record of that notify must come after this wait. */
    plan_event(planner, to, from);
}

static void plan(random_state *random, struct program *program)
{
    struct planner planner = {.random = random, .program = program};
    program->count = 0;
    program->streams = 2 + random_below(random, STREAMS_MOST - 1);
    planner.joined[0] = true;
    const uint32_t wanted = 8 + random_below(random, STEPS_MOST - 24);
    while (program->count < wanted) {
        const uint32_t stream = random_below(random, program->streams);
        const uint32_t other = other_stream(&planner, stream);
        if (!planner.joined[stream])
            continue;
        const uint32_t roll = random_below(random, 100);
        if (roll < 60)
            plan_work(&planner, stream);
        else if (roll < 85 || !planner.joined[other])
            plan_event(&planner, stream, other);
        else
            plan_signal(&planner, stream, other);
    }
    for (uint32_t i = 1; i < program->streams; i++)
        if (planner.joined[i])
            plan_event(&planner, i, 0);
}

/* ---- the plain model ------------------------------------------------------------------------- */

static void call_bytes(uint8_t *to, const uint8_t *from)
{
    for (uint32_t i = 0; i < CELL_BYTES; i++)
        to[i] = (uint8_t)(3 * from[i] + 1);
}

static void model_step(struct worker *worker, const struct step *step)
{
    uint8_t *device_to = worker->model_device + (size_t)step->to % CELLS * CELL_BYTES;
    uint8_t *host_to = worker->model_host + (size_t)step->to % CELLS * CELL_BYTES;
    const uint8_t *device_from = worker->model_device + (size_t)step->from * CELL_BYTES;
    const uint8_t *host_from = worker->model_host + (size_t)step->from * CELL_BYTES;
    if (step->kind == FILL)
        memset(device_to, step->value, CELL_BYTES);
    else if (step->kind == COPY)
        memcpy(device_to, device_from, CELL_BYTES);
    else if (step->kind == UPLOAD)
        memcpy(device_to, host_from, CELL_BYTES);
    else if (step->kind == DOWNLOAD)
        memcpy(host_to, device_from, CELL_BYTES);
    else if (step->kind == CALL)
        call_bytes(host_to, host_from);
    for (uint32_t i = 0; step->kind == ADD && i < CELL_BYTES / 4; i++) {
        uint32_t left, right;
        memcpy(&left, device_to + (size_t)4 * i, 4);
        memcpy(&right, device_from + (size_t)4 * i, 4);
        left += right;
        memcpy(device_to + (size_t)4 * i, &left, 4);
    }
}

/* ---- the runtime ----------------------------------------------------------------------------- */

struct host_call {
    uint8_t *to;
    const uint8_t *from;
};

static void run_call(void *argument)
{
    const struct host_call *call = argument;
    call_bytes(call->to, call->from);
}

static uint8_t *flag_at(const struct worker *worker, uint32_t flag)
{
    return worker->device + CELLS_BYTES + (size_t)8 * flag;
}

static void submit_step(struct worker *worker, const struct step *step, struct host_call *call)
{
    const aclrtStream stream = worker->streams[step->stream];
    const aclrtEvent event = worker->events[step->to % EVENTS];
    const aclrtNotify notify = worker->notifies[step->to % NOTIFIES];
    const size_t to = (size_t)step->to % CELLS * CELL_BYTES;
    const size_t from = (size_t)step->from * CELL_BYTES;
    switch (step->kind) {
    case FILL:
        OK(worker,
           aclrtMemsetAsync(worker->device + to, CELL_BYTES, step->value, CELL_BYTES, stream));
        break;
    case COPY:
        OK(worker, aclrtMemcpyAsync(worker->device + to, CELL_BYTES, worker->device + from,
                                    CELL_BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        break;
    case UPLOAD:
        OK(worker, aclrtMemcpyAsync(worker->device + to, CELL_BYTES, worker->host + from,
                                    CELL_BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        break;
    case DOWNLOAD:
        OK(worker, aclrtMemcpyAsync(worker->host + to, CELL_BYTES, worker->device + from,
                                    CELL_BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        break;
    case ADD:
        OK(worker, aclrtReduceAsync(worker->device + to, worker->device + from, CELL_BYTES,
                                    ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, stream, NULL));
        break;
    case CALL:
        *call = (struct host_call){.to = worker->host + to, .from = worker->host + from};
        OK(worker, aclrtLaunchHostFunc(stream, run_call, call));
        break;
    case RECORD:
        OK(worker, aclrtRecordEvent(event, stream));
        break;
    case WAIT:
        OK(worker, aclrtStreamWaitEvent(stream, event));
        break;
    case RING:
        OK(worker, aclrtRecordNotify(notify, stream));
        break;
    case AWAIT:
        OK(worker, aclrtWaitAndResetNotify(notify, stream, 0));
        break;
    case PUT:
        OK(worker, aclrtValueWrite(flag_at(worker, step->to), step->to + 1u, 0, stream));
        break;
    case GET:
        OK(worker, aclrtValueWait(flag_at(worker, step->to), step->to + 1u, FLAG_EQUAL, stream));
        break;
    }
}

static void submit(struct worker *worker, struct host_call *calls)
{
    for (uint32_t i = 0; i < worker->program.count; i++)
        submit_step(worker, &worker->program.steps[i], &calls[i]);
    /* For the next run. */
    OK(worker, aclrtMemsetAsync(flag_at(worker, 0), (size_t)8 * FLAGS, 0, (size_t)8 * FLAGS,
                                worker->streams[0]));
}

static void load(struct worker *worker)
{
    memcpy(worker->host, worker->start_host, CELLS_BYTES);
    OK(worker, aclrtMemcpy(worker->device, CELLS_BYTES, worker->start_device, CELLS_BYTES,
                           ACL_MEMCPY_HOST_TO_DEVICE));
    OK(worker, aclrtMemcpy(worker->saved, CELLS_BYTES, worker->start_device, CELLS_BYTES,
                           ACL_MEMCPY_HOST_TO_DEVICE));
    OK(worker, aclrtMemcpy(worker->saved + CELLS_BYTES, CELLS_BYTES, worker->start_host,
                           CELLS_BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
}

/* ---- conditional tasks ----------------------------------------------------------------------- */

/* The cells as they were at first: a graph that repeats does the same again. */
static void submit_restore(struct worker *worker)
{
    OK(worker, aclrtMemcpyAsync(worker->device, CELLS_BYTES, worker->saved, CELLS_BYTES,
                                ACL_MEMCPY_DEVICE_TO_DEVICE, worker->streams[0]));
    OK(worker, aclrtMemcpyAsync(worker->host, CELLS_BYTES, worker->saved + CELLS_BYTES, CELLS_BYTES,
                                ACL_MEMCPY_DEVICE_TO_HOST, worker->streams[0]));
}

static void begin_graph(struct worker *worker, aclrtStream stream, aclmdlRI graph)
{
    OK(worker,
       aclmdlRICaptureToModelRIBegin(stream, graph,
                                     worker->relaxed ? ACL_MODEL_RI_CAPTURE_MODE_RELAXED
                                                     : ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
}

/* Captures a graph that must not run. */
static void capture_wrong(struct worker *worker, aclmdlRI graph)
{
    begin_graph(worker, worker->streams[1], graph);
    OK(worker,
       aclrtMemsetAsync(worker->device, CELLS_BYTES, 0xee, CELLS_BYTES, worker->streams[1]));
    OK(worker, aclmdlRICaptureEnd(worker->streams[1], NULL));
}

/* Adds a conditional task to the capture of `stream`. *out_graph: the one that runs, *out_word: the
 * word that counts how often; NULL: once. */
static void choose(struct worker *worker, aclrtStream stream, aclmdlRI *out_graph,
                   uint64_t **out_word)
{
    const aclmdlRICondTaskType type = (aclmdlRICondTaskType)random_below(&worker->random, 3);
    const bool repeats = type == ACL_MODEL_RI_COND_TYPE_WHILE;
    const uint32_t most = repeats ? 1 : type == ACL_MODEL_RI_COND_TYPE_IF ? 2 : GRAPHS_MOST;
    const uint32_t size = 1 + random_below(&worker->random, most);
    const uint32_t chosen = random_below(&worker->random, size);
    const uint32_t value = repeats ? 1 + random_below(&worker->random, 3)
                           : type == ACL_MODEL_RI_COND_TYPE_IF ? !chosen
                                                               : chosen;
    aclmdlRI graphs[GRAPHS_MOST] = {NULL}, instance = NULL;
    aclmdlRICondTaskParams params = {NULL, type, size, graphs};
    OK(worker, aclmdlRICaptureGetInfo(stream, NULL, &instance));
    OK(worker, aclmdlRICondHandleCreate(instance, value, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT,
                                        &params.handle));
    OK(worker, aclmdlRICondHandleGetCondPtr(params.handle, out_word));
    OK(worker, aclmdlRIAddCondTask(params, stream, 0));
    for (uint32_t i = 0; i < size; i++)
        if (i != chosen)
            capture_wrong(worker, graphs[i]);
    *out_graph = graphs[chosen];
    if (!repeats)
        *out_word = NULL;
}

/* The program as the innermost of `levels` graphs. */
static void capture_graphs(struct worker *worker, uint32_t levels, struct host_call *calls)
{
    uint64_t *words[LEVELS_MOST];
    for (uint32_t i = 0; i < levels; i++) {
        aclmdlRI graph = NULL;
        choose(worker, worker->outer[i], &graph, &words[i]);
        begin_graph(worker, i + 1 < levels ? worker->outer[i + 1] : worker->streams[0], graph);
    }
    submit_restore(worker);
    submit(worker, calls);
    for (uint32_t i = levels; i-- > 0;) {
        const aclrtStream stream = i + 1 < levels ? worker->outer[i + 1] : worker->streams[0];
        if (words[i])
            OK(worker, aclrtReduceAsync(words[i], worker->saved + 2 * CELLS_BYTES, 4,
                                        ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, stream, NULL));
        OK(worker, aclmdlRICaptureEnd(stream, NULL));
    }
}

/* ---- programs -------------------------------------------------------------------------------- */

static void compare(struct worker *worker, const char *when)
{
    uint8_t found[CELLS_BYTES];
    OK(worker, aclrtSynchronizeStreamWithTimeout(worker->streams[0], 60000));
    OK(worker,
       aclrtMemcpy(found, CELLS_BYTES, worker->device, CELLS_BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    for (uint32_t i = 0; i < CELLS; i++) {
        const size_t at = (size_t)i * CELL_BYTES;
        if (memcmp(found + at, worker->model_device + at, CELL_BYTES) != 0)
            random_failure("program %llu, %s: cell %u of the device is %02x.., not %02x..",
                           (unsigned long long)worker->programs, when, i, found[at],
                           worker->model_device[at]);
        if (memcmp(worker->host + at, worker->model_host + at, CELL_BYTES) != 0)
            random_failure("program %llu, %s: cell %u of the host is %02x.., not %02x..",
                           (unsigned long long)worker->programs, when, i, worker->host[at],
                           worker->model_host[at]);
    }
}

static void run_program(struct worker *worker)
{
    struct host_call calls[STEPS_MOST];
    aclmdlRI instance = NULL;
    plan(&worker->random, &worker->program);
    for (size_t i = 0; i < CELLS_BYTES; i++) {
        worker->start_device[i] = (uint8_t)random_next(&worker->random);
        worker->start_host[i] = (uint8_t)random_next(&worker->random);
    }
    memcpy(worker->model_device, worker->start_device, CELLS_BYTES);
    memcpy(worker->model_host, worker->start_host, CELLS_BYTES);
    for (uint32_t i = 0; i < worker->program.count; i++)
        model_step(worker, &worker->program.steps[i]);

    load(worker);
    submit(worker, calls);
    compare(worker, "at once");

    const uint32_t mode =
        worker->relaxed ? ACL_MODEL_RI_CAPTURE_MODE_RELAXED : random_below(&worker->random, 3);
    const uint32_t levels = random_below(&worker->random, LEVELS_MOST + 1);
    const aclrtStream stream = levels > 0 ? worker->outer[0] : worker->streams[0];
    OK(worker, aclmdlRICaptureBegin(stream, (aclmdlRICaptureMode)mode));
    if (levels > 0)
        capture_graphs(worker, levels, calls);
    else
        submit(worker, calls);
    OK(worker, aclmdlRICaptureEnd(stream, &instance));
    const uint32_t runs = 1 + random_below(&worker->random, 3);
    for (uint32_t run = 0; instance && run < runs; run++) {
        load(worker);
        OK(worker, aclmdlRIExecuteAsync(instance, worker->streams[0]));
        compare(worker, levels > 0 ? "captured as a graph" : "captured");
    }
    if (instance)
        OK(worker, aclmdlRIDestroy(instance));
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    OK(worker, aclrtSetDevice(0));
    for (uint32_t i = 0; i < STREAMS_MOST; i++)
        OK(worker, aclrtCreateStream(&worker->streams[i]));
    for (uint32_t i = 0; i < LEVELS_MOST; i++)
        OK(worker, aclrtCreateStream(&worker->outer[i]));
    for (uint32_t i = 0; i < EVENTS; i++)
        OK(worker, aclrtCreateEventExWithFlag(&worker->events[i], ACL_EVENT_SYNC));
    for (uint32_t i = 0; i < NOTIFIES; i++)
        OK(worker, aclrtCreateNotify(&worker->notifies[i], 0));
    const size_t bytes = CELLS_BYTES + (size_t)8 * FLAGS;
    OK(worker, aclrtMalloc((void **)&worker->device, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(worker,
       aclrtMalloc((void **)&worker->saved, 2 * CELLS_BYTES + 4, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(worker, aclrtMemset(worker->saved + 2 * CELLS_BYTES, 4, 0xff, 4));
    OK(worker, aclrtMallocHost((void **)&worker->host, CELLS_BYTES));
    OK(worker, aclrtMemset(worker->device, bytes, 0, bytes));
    for (; worker->programs > 0 && random_failures() == 0; worker->programs--)
        run_program(worker);
    for (uint32_t i = 0; i < NOTIFIES; i++)
        OK(worker, aclrtDestroyNotify(worker->notifies[i]));
    for (uint32_t i = 0; i < EVENTS; i++)
        OK(worker, aclrtDestroyEvent(worker->events[i]));
    for (uint32_t i = 0; i < STREAMS_MOST; i++)
        OK(worker, aclrtDestroyStream(worker->streams[i]));
    for (uint32_t i = 0; i < LEVELS_MOST; i++)
        OK(worker, aclrtDestroyStream(worker->outer[i]));
    OK(worker, aclrtFreeHost(worker->host));
    OK(worker, aclrtFree(worker->saved));
    OK(worker, aclrtFree(worker->device));
    OK(worker, aclrtResetDevice(0));
    return NULL;
}

int main(int argc, char **argv)
{
    random_options options = {.seed = random_new_seed(), .calls = 2000, .threads = 1};
    if (!random_options_parse(&options, argc, argv))
        return 2;
    random_failures_of(&options);
    random_watchdog(WATCH_SECONDS);
    if (aclInit(NULL) != ACL_SUCCESS)
        return 1;
    static struct worker workers[RANDOM_THREADS_MOST];
    pthread_t threads[RANDOM_THREADS_MOST];
    for (uint32_t i = 0; i < options.threads; i++) {
        workers[i].index = i;
        workers[i].programs = options.calls / options.threads;
        workers[i].relaxed = options.threads > 1;
        random_seed(&workers[i].random, options.seed, i + 1);
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            abort();
    }
    for (uint32_t i = 0; i < options.threads; i++)
        pthread_join(threads[i], NULL);
    (void)aclFinalize();
    const bool good = random_failures() == 0;
    printf("random_graph: seed %llu, %llu programs at once and captured, %u threads: %s\n",
           (unsigned long long)options.seed, (unsigned long long)options.calls, options.threads,
           good ? "all right" : "FAILED");
    return good ? 0 : 1;
}
