/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of graph.c without a race: plans, the plain model, submission. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

/* Of aclrtValueWait, that a flag of 0 does not fulfil: >=, ==, some bit. */
#define FLAG_RELATIONS 3u

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
    add(planner, (struct step){.kind = notify ? AWAIT : GET,
                               .stream = (uint8_t)to,
                               .to = which,
                               .value = (uint8_t)random_below(planner->random, 256)});
    merge(&planner->clocks[to], &at);
    if (!notify)
        return;
    /* The next record of that notify must come after this wait. */
    plan_event(planner, to, from);
}

/* Once: a function of the host may read its arguments while the program is queued again. */
static void place_calls(const struct scene *scene, struct program *program)
{
    for (uint32_t i = 0; i < program->count; i++) {
        const struct step *step = &program->steps[i];
        if (step->kind == CALL)
            program->calls[i] =
                (struct host_call){.to = scene->host + (size_t)step->to * CELL_BYTES,
                                   .from = scene->host + (size_t)step->from * CELL_BYTES};
    }
}

void graph_plan(const struct scene *scene, random_state *random, struct program *program)
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
    place_calls(scene, program);
}

void graph_plan_single(const struct scene *scene, random_state *random, struct program *program,
                       uint32_t most)
{
    struct planner planner = {.random = random, .program = program};
    program->count = 0;
    program->streams = 1;
    for (uint32_t i = random_below(random, most + 1); i > 0; i--)
        plan_work(&planner, 0);
    place_calls(scene, program);
}

/* ---- the plain model ------------------------------------------------------------------------- */

static void call_bytes(uint8_t *to, const uint8_t *from)
{
    for (uint32_t i = 0; i < CELL_BYTES; i++)
        to[i] = (uint8_t)(3 * from[i] + 1);
}

static void model_words(const struct step *step, uint8_t *to, const uint8_t *from)
{
    for (uint32_t i = 0; i < CELL_BYTES / 4; i++) {
        uint32_t left, right;
        memcpy(&left, to + (size_t)4 * i, 4);
        memcpy(&right, from + (size_t)4 * i, 4);
        left = step->kind == ADD ? left + right : ~(left ^ right);
        memcpy(to + (size_t)4 * i, &left, 4);
    }
}

static void model_step(struct scene *scene, const struct step *step)
{
    uint8_t *device_to = scene->model_device + (size_t)step->to % CELLS * CELL_BYTES;
    uint8_t *host_to = scene->model_host + (size_t)step->to % CELLS * CELL_BYTES;
    const uint8_t *device_from = scene->model_device + (size_t)step->from * CELL_BYTES;
    const uint8_t *host_from = scene->model_host + (size_t)step->from * CELL_BYTES;
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
    else if (step->kind == ADD || step->kind == MIX)
        model_words(step, device_to, device_from);
}

void graph_model(struct scene *scene, const struct program *program)
{
    for (uint32_t i = 0; i < program->count; i++)
        model_step(scene, &program->steps[i]);
}

/* ---- the runtime ----------------------------------------------------------------------------- */

void graph_failed(const char *what, aclError code)
{
    const char *message = aclGetRecentErrMsg();
    random_failure("%s answers %d: %s", what, code, message ? message : "");
}

static void run_call(void *argument)
{
    const struct host_call *call = argument;
    call_bytes(call->to, call->from);
}

static uint8_t *flag_at(const struct scene *scene, uint32_t flag)
{
    return scene->device + CELLS_BYTES + (size_t)8 * flag;
}

/* The arguments of graph_kernel.c. */
struct mix_args {
    const uint8_t *to, *from;
};

static void submit_step(struct scene *scene, const struct step *step, struct host_call *call,
                        aclrtStream stream)
{
    const aclrtEvent event = scene->events[step->to % EVENTS];
    const aclrtNotify notify = scene->notifies[step->to % NOTIFIES];
    const size_t to = (size_t)step->to % CELLS * CELL_BYTES;
    const size_t from = (size_t)step->from * CELL_BYTES;
    switch (step->kind) {
    case FILL:
        OK(scene,
           aclrtMemsetAsync(scene->device + to, CELL_BYTES, step->value, CELL_BYTES, stream));
        break;
    case COPY:
        OK(scene, aclrtMemcpyAsync(scene->device + to, CELL_BYTES, scene->device + from, CELL_BYTES,
                                   ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        break;
    case UPLOAD:
        OK(scene, aclrtMemcpyAsync(scene->device + to, CELL_BYTES, scene->host + from, CELL_BYTES,
                                   ACL_MEMCPY_HOST_TO_DEVICE, stream));
        break;
    case DOWNLOAD:
        OK(scene, aclrtMemcpyAsync(scene->host + to, CELL_BYTES, scene->device + from, CELL_BYTES,
                                   ACL_MEMCPY_DEVICE_TO_HOST, stream));
        break;
    case ADD:
        OK(scene, aclrtReduceAsync(scene->device + to, scene->device + from, CELL_BYTES,
                                   ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, stream, NULL));
        break;
    case MIX: {
        struct mix_args args = {.to = scene->device + to, .from = scene->device + from};
        OK(scene, aclrtLaunchKernelWithHostArgs(scene->mix, 1, stream, NULL, &args, sizeof(args),
                                                NULL, 0));
        break;
    }
    case CALL:
        OK(scene, aclrtLaunchHostFunc(stream, run_call, call));
        break;
    case RECORD:
        OK(scene, aclrtRecordEvent(event, stream));
        break;
    case WAIT:
        OK(scene, aclrtStreamWaitEvent(stream, event));
        break;
    case RING:
        OK(scene, aclrtRecordNotify(notify, stream));
        break;
    case AWAIT:
        OK(scene, aclrtWaitAndResetNotify(notify, stream, 0));
        break;
    case PUT:
        OK(scene, aclrtValueWrite(flag_at(scene, step->to), step->to + 1u, 0, stream));
        break;
    case GET:
        OK(scene, aclrtValueWait(flag_at(scene, step->to), step->to + 1u,
                                 step->value % FLAG_RELATIONS, stream));
        break;
    }
}

void graph_submit(struct scene *scene, struct program *program, aclrtStream single)
{
    for (uint32_t i = 0; i < program->count; i++)
        submit_step(scene, &program->steps[i], &program->calls[i],
                    single ? single : scene->streams[program->steps[i].stream]);
    if (single)
        return;
    /* For the next run. */
    OK(scene, aclrtMemsetAsync(flag_at(scene, 0), FLAG_BYTES, 0, FLAG_BYTES, scene->streams[0]));
}
