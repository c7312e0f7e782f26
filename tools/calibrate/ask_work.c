/* SPDX-License-Identifier: Apache-2.0 */
/* Queues the work of a record again, and notes which tasks came of it. */
#include <stdlib.h>

#include "calibrate/player.h"

/* ---- tasks ----------------------------------------------------------------------------------- */

void play_take_task(void *context, const twin_task_end *task)
{
    const struct play_queue *queue = context;
    if (task->number >= queue->tasks || task->status != TWIN_OK)
        return;
    uint64_t op = queue->op_of_task[task->number];
    uint64_t *at = queue->player->times[op & ~PLAY_STAMP].at;
    if (op & PLAY_STAMP) {
        at[CALIBRATE_TASK_END] = task->end_ns;
        return;
    }
    if (at[CALIBRATE_TASK_BEGIN] == CALIBRATE_UNKNOWN)
        at[CALIBRATE_TASK_BEGIN] = task->begin_ns;
    at[CALIBRATE_TASK_END] = task->end_ns;
}

/* Tasks queued since are those of `op`. */
static bool note_tasks(struct player *player, struct play_queue *queue, uint64_t op)
{
    uint64_t newest = player->backend->diag.newest_task(queue->queue);
    if (newest >= queue->room) {
        uint64_t room = newest * 2 + 64;
        uint64_t *tasks = realloc(queue->op_of_task, room * sizeof(*tasks));
        if (!tasks)
            return false;
        queue->op_of_task = tasks;
        queue->room = room;
    }
    for (; queue->tasks <= newest; queue->tasks++)
        queue->op_of_task[queue->tasks] = op;
    return true;
}

static twin_status stamp(struct player *player, struct play_queue *queue, uint64_t op)
{
    static const twin_signal_config config = {.kind = TWIN_SIGNAL_EVENT_REBIND, .timed = true};
    twin_status status = TWIN_OK;
    if (!queue->stamp)
        status = player->backend->signal.create(queue->device, &config, &queue->stamp);
    if (status == TWIN_OK)
        status = player->backend->work.record(queue->queue, queue->stamp);
    if (status == TWIN_OK && !note_tasks(player, queue, op | PLAY_STAMP))
        status = TWIN_E_NOMEM;
    return status;
}

/* ---- kernels --------------------------------------------------------------------------------- */

struct play_kernel {
    twin_launch launch;
    twin_launch_work work;
    twin_step *steps; /* of all its programs */
};

static void keep(struct twin_launch *launch)
{
    (void)launch;
}

/* What blocks did: said with the launch, or when the kernel began. */
static uint32_t steps_of(const struct calibrate_work *work,
                         const struct twin_record_WORK_LAUNCH *launch, uint64_t from)
{
    if (launch->list != 0)
        return launch->list;
    for (size_t i = twin_recording_find(work->recording, from);
         i < twin_recording_count(work->recording); i++) {
        struct twin_record_DESCRIBED described;
        if (TWIN_RECORDING_GET(twin_recording_at(work->recording, i), DESCRIBED, &described) &&
            described.kernel == launch->kernel)
            return described.out_list;
    }
    return 0;
}

/* Lives until the process ends: the model may hold it that long. NULL: out of memory. */
static struct play_kernel *make_kernel(const struct calibrate_work *work,
                                       const struct calibrate_op *op)
{
    struct twin_record_WORK_LAUNCH launch;
    struct twin_recording_steps list = {0};
    twin_recording_fields(op->entry, &launch, sizeof(launch));
    struct play_kernel *kernel = calloc(1, sizeof(*kernel));
    if (!kernel)
        return NULL;
    (void)twin_recording_steps(work->recording, steps_of(work, &launch, op->entry->begin_seq),
                               &list);
    twin_steps *programs = calloc(list.program_count + 1, sizeof(*programs));
    twin_step *steps = calloc(list.step_count + 1, sizeof(*steps));
    if (!programs || !steps) {
        free(programs);
        free(steps);
        free(kernel);
        return NULL;
    }
    for (uint64_t i = 0; i < list.step_count; i++)
        steps[i] = (twin_step){.pipe = list.steps[i].pipe,
                               .kind = list.steps[i].kind,
                               .flag = list.steps[i].flag,
                               .hit_permille = list.steps[i].hit_permille,
                               .amount = list.steps[i].amount};
    for (uint64_t i = 0; i < list.program_count; i++)
        programs[i] =
            (twin_steps){.steps = steps + list.programs[i].first, .count = list.programs[i].count};
    kernel->steps = steps;
    kernel->work = (twin_launch_work){.programs = programs, .count = list.program_count};
    kernel->launch = (twin_launch){.name = "recorded",
                                   .cores = (twin_launch_cores)launch.cores,
                                   .blocks = launch.blocks,
                                   .batch = launch.batch != 0,
                                   .weight = (uint8_t)launch.weight,
                                   .timeout_ns = launch.timeout_ns,
                                   .work = &kernel->work,
                                   .keep = keep,
                                   .release = keep};
    return kernel;
}

/* ---- work ------------------------------------------------------------------------------------- */

static twin_status queue_work(struct player *player, const struct calibrate_op *op)
{
    const struct twin_work_ops *work = &player->backend->work;
    const struct twin_record_entry *entry = op->entry;
    twin_queue *queue = player->queues[op->queue].queue;
    twin_signal *signal = op->object <= player->work->signals ? player->signals[op->object] : NULL;
    switch (entry->kind) {
    case TWIN_RECORD_WORK_COPY: {
        struct twin_record_WORK_COPY f;
        twin_recording_fields(entry, &f, sizeof(f));
        return work->copy(
            queue, &(twin_copy){play_address(player, f.dst), play_address(player, f.src), f.bytes});
    }
    case TWIN_RECORD_WORK_FILL: {
        struct twin_record_WORK_FILL f;
        twin_recording_fields(entry, &f, sizeof(f));
        return work->fill(queue,
                          &(twin_fill){play_address(player, f.dst), f.bytes, (uint8_t)f.value});
    }
    case TWIN_RECORD_WORK_COPY_ROWS: {
        struct twin_record_WORK_COPY_ROWS f;
        twin_recording_fields(entry, &f, sizeof(f));
        return work->copy_rows(queue, &(twin_rows){play_address(player, f.dst),
                                                   play_address(player, f.src), f.dst_pitch,
                                                   f.src_pitch, f.width, f.height});
    }
    case TWIN_RECORD_WORK_REDUCE: {
        struct twin_record_WORK_REDUCE f;
        twin_recording_fields(entry, &f, sizeof(f));
        return work->reduce(queue,
                            &(twin_reduce){play_address(player, f.dst), play_address(player, f.src),
                                           f.bytes, (twin_reduce_op)f.op, (twin_element)f.element});
    }
    case TWIN_RECORD_WORK_WRITE_VALUE: {
        struct twin_record_WORK_WRITE_VALUE f;
        twin_recording_fields(entry, &f, sizeof(f));
        return work->write_value(queue, play_address(player, f.address), f.value);
    }
    case TWIN_RECORD_WORK_WAIT_VALUE: {
        struct twin_record_WORK_WAIT_VALUE f;
        twin_recording_fields(entry, &f, sizeof(f));
        return work->wait_value(queue, &(twin_value_wait){play_address(player, f.address), f.value,
                                                          (twin_relation)f.relation});
    }
    case TWIN_RECORD_WORK_RECORD:
        return work->record(queue, signal);
    case TWIN_RECORD_WORK_RESET:
        return work->reset(queue, signal);
    case TWIN_RECORD_WORK_WAIT: {
        struct twin_record_WORK_WAIT f;
        twin_recording_fields(entry, &f, sizeof(f));
        return work->wait(queue, signal, f.timeout_ns);
    }
    case TWIN_RECORD_WORK_COUNT: {
        struct twin_record_WORK_COUNT f;
        twin_recording_fields(entry, &f, sizeof(f));
        return work->count(queue, signal, &(twin_count_change){(twin_count_mode)f.mode, f.value});
    }
    case TWIN_RECORD_WORK_WAIT_COUNT: {
        struct twin_record_WORK_WAIT_COUNT f;
        twin_recording_fields(entry, &f, sizeof(f));
        return work->wait_count(queue, signal,
                                &(twin_count_wait){(twin_count_relation)f.relation, f.value,
                                                   f.clear != 0, f.timeout_ns});
    }
    case TWIN_RECORD_WORK_CALL: {
        struct twin_record_WORK_CALL f;
        twin_recording_fields(entry, &f, sizeof(f));
        return work->call(queue, player->channels[op->object],
                          &(twin_host_call){.block = f.block != 0});
    }
    case TWIN_RECORD_WORK_LAUNCH: {
        struct play_kernel *kernel = make_kernel(player->work, op);
        return kernel ? work->launch(queue, &kernel->launch) : TWIN_E_NOMEM;
    }
    default:
        return TWIN_E_UNSUPPORTED;
    }
}

twin_status play_work(struct player *player, const struct calibrate_op *op, uint64_t index)
{
    struct play_queue *queue = &player->queues[op->queue];
    twin_status status = queue_work(player, op);
    while (status == TWIN_E_BUSY && player->backend->queue.room(queue->queue) == TWIN_OK)
        status = queue_work(player, op);
    if (status != TWIN_OK)
        return status;
    if (!note_tasks(player, queue, index))
        return TWIN_E_NOMEM;
    if (!op->stamped)
        return TWIN_OK;
    status = stamp(player, queue, index);
    while (status == TWIN_E_BUSY && player->backend->queue.room(queue->queue) == TWIN_OK)
        status = stamp(player, queue, index);
    return status;
}
