/* SPDX-License-Identifier: Apache-2.0 */
#include "core/backend/unsupported_ops.h"

#include "core/backend/unsupported_fault.h"
#include "core/backend/unsupported_host.h"
#include "core/backend/unsupported_work.h"

static twin_status process_start(const twin_services *services)
{
    (void)services;
    return TWIN_E_UNSUPPORTED;
}

static twin_status process_count(uint32_t *out_count)
{
    (void)out_count;
    return TWIN_E_UNSUPPORTED;
}

static twin_status process_describe(uint32_t index, const twin_device_traits **out_traits)
{
    (void)index;
    (void)out_traits;
    return TWIN_E_UNSUPPORTED;
}

static void host_attach(void) {}

static void host_detach(void) {}

static void host_enter(const twin_call *call)
{
    (void)call;
}

static void host_leave(const twin_call *call, int32_t code)
{
    (void)call;
    (void)code;
}

static bool host_traced(void)
{
    return false;
}

static uint64_t host_now(void)
{
    return 0;
}

static void host_reach(uint64_t at_ns)
{
    (void)at_ns;
}

static twin_status device_open(uint32_t index, twin_hw_device **out_device)
{
    (void)index;
    (void)out_device;
    return TWIN_E_UNSUPPORTED;
}

static void device_close(twin_hw_device *device)
{
    (void)device;
}

static twin_status device_peer(twin_hw_device *device, uint32_t other, bool enable)
{
    (void)device;
    (void)other;
    (void)enable;
    return TWIN_E_UNSUPPORTED;
}

static twin_status memory_alloc(twin_hw_device *device, uint64_t bytes, twin_page_policy pages,
                                uint64_t *out_address)
{
    (void)device;
    (void)bytes;
    (void)pages;
    (void)out_address;
    return TWIN_E_UNSUPPORTED;
}

static twin_status memory_free(uint64_t address)
{
    (void)address;
    return TWIN_E_UNSUPPORTED;
}

static twin_status memory_host_alloc(uint64_t bytes, void **out_pointer)
{
    (void)bytes;
    (void)out_pointer;
    return TWIN_E_UNSUPPORTED;
}

static twin_status memory_host_free(void *pointer)
{
    (void)pointer;
    return TWIN_E_UNSUPPORTED;
}

static twin_status memory_info(uint64_t address, twin_memory_info *out_info)
{
    (void)address;
    (void)out_info;
    return TWIN_E_UNSUPPORTED;
}

static twin_status memory_space(twin_hw_device *device, uint32_t page_class, uint64_t *out_free,
                                uint64_t *out_total)
{
    (void)device;
    (void)page_class;
    (void)out_free;
    (void)out_total;
    return TWIN_E_UNSUPPORTED;
}

static twin_status memory_copy(twin_hw_device *device, const twin_copy *copy)
{
    (void)device;
    (void)copy;
    return TWIN_E_UNSUPPORTED;
}

static twin_status memory_fill(twin_hw_device *device, const twin_fill *fill)
{
    (void)device;
    (void)fill;
    return TWIN_E_UNSUPPORTED;
}

static twin_status memory_copy_rows(twin_hw_device *device, const twin_rows *rows)
{
    (void)device;
    (void)rows;
    return TWIN_E_UNSUPPORTED;
}

static twin_status queue_create(twin_hw_device *device, const twin_queue_config *config,
                                twin_queue **out_queue)
{
    (void)device;
    (void)config;
    (void)out_queue;
    return TWIN_E_UNSUPPORTED;
}

static void queue_destroy(twin_queue *queue)
{
    (void)queue;
}

static twin_status queue_drain(twin_queue *queue, uint64_t timeout_ns)
{
    (void)queue;
    (void)timeout_ns;
    return TWIN_E_UNSUPPORTED;
}

static twin_status queue_query(twin_queue *queue, bool *out_idle)
{
    (void)queue;
    (void)out_idle;
    return TWIN_E_UNSUPPORTED;
}

static twin_status queue_room(twin_queue *queue)
{
    (void)queue;
    return TWIN_E_UNSUPPORTED;
}

static twin_status queue_abort(twin_queue *queue)
{
    (void)queue;
    return TWIN_E_UNSUPPORTED;
}

static twin_status signal_create(twin_hw_device *device, const twin_signal_config *config,
                                 twin_signal **out_signal)
{
    (void)device;
    (void)config;
    (void)out_signal;
    return TWIN_E_UNSUPPORTED;
}

static void signal_destroy(twin_signal *signal)
{
    (void)signal;
}

static twin_status signal_query(twin_signal *signal, twin_signal_state *out_state)
{
    (void)signal;
    (void)out_state;
    return TWIN_E_UNSUPPORTED;
}

static twin_status signal_wait(twin_signal *signal, uint64_t timeout_ns)
{
    (void)signal;
    (void)timeout_ns;
    return TWIN_E_UNSUPPORTED;
}

static twin_status signal_timestamp(twin_signal *signal, uint64_t *out_ns)
{
    (void)signal;
    (void)out_ns;
    return TWIN_E_UNSUPPORTED;
}

static twin_status signal_elapsed(twin_signal *begin, twin_signal *end, double *out_ns)
{
    (void)begin;
    (void)end;
    (void)out_ns;
    return TWIN_E_UNSUPPORTED;
}

static twin_status signal_available(twin_hw_device *device, twin_signal_kind kind,
                                    uint32_t *out_count)
{
    (void)device;
    (void)kind;
    (void)out_count;
    return TWIN_E_UNSUPPORTED;
}

static uint32_t host_last_task(void)
{
    return UINT32_MAX;
}

static twin_status device_abort(twin_hw_device *device)
{
    (void)device;
    return TWIN_E_UNSUPPORTED;
}

static twin_status queue_stop(twin_queue *queue)
{
    (void)queue;
    return TWIN_E_UNSUPPORTED;
}

static twin_status queue_set_priority(twin_queue *queue, uint32_t priority)
{
    (void)queue;
    (void)priority;
    return TWIN_E_UNSUPPORTED;
}

static twin_status queue_stop_on_failure(twin_queue *queue)
{
    (void)queue;
    return TWIN_E_UNSUPPORTED;
}

static twin_status queue_take_failure(twin_queue *queue, twin_failure *out_failure)
{
    (void)queue;
    (void)out_failure;
    return TWIN_E_UNSUPPORTED;
}

static twin_status signal_clear(twin_signal *signal)
{
    (void)signal;
    return TWIN_E_UNSUPPORTED;
}

static twin_status signal_share(twin_signal *signal, bool check_pid, char *out_name)
{
    (void)signal;
    (void)check_pid;
    (void)out_name;
    return TWIN_E_UNSUPPORTED;
}

static twin_status signal_allow(twin_signal *signal, const int32_t *pids, size_t count)
{
    (void)signal;
    (void)pids;
    (void)count;
    return TWIN_E_UNSUPPORTED;
}

static twin_status signal_open(twin_hw_device *device, const char *name,
                               const twin_signal_config *config, twin_signal **out_signal)
{
    (void)device;
    (void)name;
    (void)config;
    (void)out_signal;
    return TWIN_E_UNSUPPORTED;
}

static twin_status channel_create(twin_hw_device *device, bool service, twin_channel **out_channel)
{
    (void)device;
    (void)service;
    (void)out_channel;
    return TWIN_E_UNSUPPORTED;
}

static void channel_destroy(twin_channel *channel)
{
    (void)channel;
}

static twin_status channel_take(twin_channel *channel, uint64_t timeout_ns,
                                twin_taken_call *out_call)
{
    (void)channel;
    (void)timeout_ns;
    (void)out_call;
    return TWIN_E_UNSUPPORTED;
}

static void channel_answer(twin_channel *channel, uint64_t ticket)
{
    (void)channel;
    (void)ticket;
}

static void channel_close(twin_channel *channel)
{
    (void)channel;
}

static twin_status program_create(twin_hw_device *device, twin_program **out_program)
{
    (void)device;
    (void)out_program;
    return TWIN_E_UNSUPPORTED;
}

static void program_destroy(twin_program *program)
{
    (void)program;
}

static twin_status program_bind(twin_program *program, twin_queue *queue, bool head)
{
    (void)program;
    (void)queue;
    (void)head;
    return TWIN_E_UNSUPPORTED;
}

static twin_status program_unbind(twin_program *program, twin_queue *queue)
{
    (void)program;
    (void)queue;
    return TWIN_E_UNSUPPORTED;
}

static twin_status program_seal(twin_program *program)
{
    (void)program;
    return TWIN_E_UNSUPPORTED;
}

static twin_status program_clean(twin_queue *queue)
{
    (void)queue;
    return TWIN_E_UNSUPPORTED;
}

static twin_status program_abort(twin_program *program)
{
    (void)program;
    return TWIN_E_UNSUPPORTED;
}

static twin_status program_drain(twin_program *program, uint64_t timeout_ns)
{
    (void)program;
    (void)timeout_ns;
    return TWIN_E_UNSUPPORTED;
}

static void diag_dump(twin_hw_device *device)
{
    (void)device;
}

static void diag_facts(void (*take)(void *context, const twin_fact *fact), void *context)
{
    (void)take;
    (void)context;
}

static twin_status diag_usage(uint32_t index, twin_usage *out_usage)
{
    (void)index;
    (void)out_usage;
    return TWIN_E_UNSUPPORTED;
}

static twin_status diag_tasks(twin_queue *queue,
                              void (*take)(void *context, const twin_task_end *task), void *context)
{
    (void)queue;
    (void)take;
    (void)context;
    return TWIN_E_UNSUPPORTED;
}

static uint64_t diag_newest_task(twin_queue *queue)
{
    (void)queue;
    return 0;
}

static twin_status image_load(twin_hw_device *device, const twin_image_source *source,
                              twin_loaded_image **out_image, uint64_t *out_address)
{
    (void)device;
    (void)source;
    (void)out_image;
    (void)out_address;
    return TWIN_E_UNSUPPORTED;
}

static void image_unload(twin_loaded_image *image)
{
    (void)image;
}

const struct twin_backend twin_unsupported_ops = {
    .size = sizeof(struct twin_backend),
    .version = TWIN_SEAM_VERSION,
    .name = "",
    .process = {.start = process_start,
                .stop = twin_unsupported_process_stop,
                .count = process_count,
                .describe = process_describe,
                .write = twin_unsupported_process_write,
                .forked = twin_unsupported_process_forked},
    .host = {.attach = host_attach,
             .detach = host_detach,
             .enter = host_enter,
             .leave = host_leave,
             .traced = host_traced,
             .now = host_now,
             .last_task = host_last_task,
             .reach = host_reach,
             .pace = twin_unsupported_host_pace,
             .see = twin_unsupported_host_see,
             .move = twin_unsupported_host_move,
             .advance = twin_unsupported_host_advance,
             .self = twin_unsupported_host_self,
             .follow = twin_unsupported_host_follow,
             .changed = twin_unsupported_host_changed},
    .device = {.open = device_open,
               .close = device_close,
               .abort = device_abort,
               .peer = device_peer},
    .memory = {.alloc = memory_alloc,
               .free = memory_free,
               .host_alloc = memory_host_alloc,
               .host_free = memory_host_free,
               .info = memory_info,
               .space = memory_space,
               .copy = memory_copy,
               .fill = memory_fill,
               .copy_rows = memory_copy_rows,
               .errors = twin_unsupported_memory_errors,
               .repair = twin_unsupported_memory_repair},
    .queue = {.create = queue_create,
              .destroy = queue_destroy,
              .drain = queue_drain,
              .query = queue_query,
              .room = queue_room,
              .abort = queue_abort,
              .stop = queue_stop,
              .set_priority = queue_set_priority,
              .stop_on_failure = queue_stop_on_failure,
              .take_failure = queue_take_failure},
    .work = {.copy = twin_unsupported_work_copy,
             .fill = twin_unsupported_work_fill,
             .record = twin_unsupported_work_record,
             .wait = twin_unsupported_work_wait,
             .reset = twin_unsupported_work_reset,
             .write_value = twin_unsupported_work_write_value,
             .wait_value = twin_unsupported_work_wait_value,
             .call = twin_unsupported_work_call,
             .run = twin_unsupported_work_run,
             .end = twin_unsupported_work_end,
             .activate = twin_unsupported_work_activate,
             .branch = twin_unsupported_work_branch,
             .label = twin_unsupported_work_label,
             .jump = twin_unsupported_work_jump,
             .count = twin_unsupported_work_count,
             .wait_count = twin_unsupported_work_wait_count,
             .launch = twin_unsupported_work_launch,
             .reduce = twin_unsupported_work_reduce,
             .copy_rows = twin_unsupported_work_copy_rows},
    .signal = {.create = signal_create,
               .destroy = signal_destroy,
               .query = signal_query,
               .wait = signal_wait,
               .timestamp = signal_timestamp,
               .available = signal_available,
               .clear = signal_clear,
               .share = signal_share,
               .allow = signal_allow,
               .open = signal_open,
               .elapsed = signal_elapsed},
    .channel = {.create = channel_create,
                .destroy = channel_destroy,
                .take = channel_take,
                .answer = channel_answer,
                .close = channel_close},
    .program = {.create = program_create,
                .destroy = program_destroy,
                .bind = program_bind,
                .unbind = program_unbind,
                .seal = program_seal,
                .clean = program_clean,
                .abort = program_abort,
                .drain = program_drain},
    .diag = {.dump = diag_dump,
             .facts = diag_facts,
             .usage = diag_usage,
             .tasks = diag_tasks,
             .newest_task = diag_newest_task},
    .fault = {.plant = twin_unsupported_fault_plant,
              .remove = twin_unsupported_fault_remove,
              .struck = twin_unsupported_fault_struck},
    .image = {.load = image_load, .unload = image_unload},
};

#define FILL(group, op)                                                                            \
    do {                                                                                           \
        if (!table->group.op)                                                                      \
            table->group.op = twin_unsupported_ops.group.op;                                       \
    } while (0)

void twin_fill_unsupported_ops(struct twin_backend *table)
{
    FILL(process, start);
    FILL(process, stop);
    FILL(process, count);
    FILL(process, describe);
    FILL(process, write);
    FILL(process, forked);
    FILL(host, attach);
    FILL(host, detach);
    FILL(host, enter);
    FILL(host, leave);
    FILL(host, traced);
    FILL(host, now);
    FILL(host, last_task);
    FILL(host, reach);
    FILL(host, pace);
    FILL(host, see);
    FILL(host, move);
    FILL(host, advance);
    FILL(host, self);
    FILL(host, follow);
    FILL(host, changed);
    FILL(device, open);
    FILL(device, close);
    FILL(device, abort);
    FILL(device, peer);
    FILL(memory, alloc);
    FILL(memory, free);
    FILL(memory, host_alloc);
    FILL(memory, host_free);
    FILL(memory, info);
    FILL(memory, space);
    FILL(memory, copy);
    FILL(memory, fill);
    FILL(memory, copy_rows);
    FILL(memory, errors);
    FILL(memory, repair);
    FILL(queue, create);
    FILL(queue, destroy);
    FILL(queue, drain);
    FILL(queue, query);
    FILL(queue, room);
    FILL(queue, abort);
    FILL(queue, stop);
    FILL(queue, set_priority);
    FILL(queue, stop_on_failure);
    FILL(queue, take_failure);
    FILL(work, copy);
    FILL(work, fill);
    FILL(work, record);
    FILL(work, wait);
    FILL(work, reset);
    FILL(work, write_value);
    FILL(work, wait_value);
    FILL(work, call);
    FILL(work, run);
    FILL(work, end);
    FILL(work, activate);
    FILL(work, branch);
    FILL(work, label);
    FILL(work, jump);
    FILL(work, count);
    FILL(work, wait_count);
    FILL(work, reduce);
    FILL(work, copy_rows);
    FILL(work, launch);
    FILL(signal, create);
    FILL(signal, destroy);
    FILL(signal, query);
    FILL(signal, wait);
    FILL(signal, timestamp);
    FILL(signal, available);
    FILL(signal, clear);
    FILL(signal, share);
    FILL(signal, allow);
    FILL(signal, open);
    FILL(signal, elapsed);
    FILL(channel, create);
    FILL(channel, destroy);
    FILL(channel, take);
    FILL(channel, answer);
    FILL(channel, close);
    FILL(program, create);
    FILL(program, destroy);
    FILL(program, bind);
    FILL(program, unbind);
    FILL(program, seal);
    FILL(program, clean);
    FILL(program, abort);
    FILL(program, drain);
    FILL(diag, dump);
    FILL(diag, facts);
    FILL(diag, usage);
    FILL(diag, tasks);
    FILL(diag, newest_task);
    FILL(fault, plant);
    FILL(fault, remove);
    FILL(fault, struck);
    FILL(image, load);
    FILL(image, unload);
}
