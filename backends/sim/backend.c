/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the sim backend: a driver for the register-level model behind twinsim.h. */
#include "seam/backend.h"

#include <stdlib.h>
#include <unistd.h>

#include "graph/model_instance.h"
#include "hostcall/host_call_queue.h"
#include "inject/fault_injection.h"
#include "memory/memory.h"
#include "observe/atomic_file.h"
#include "observe/observe.h"
#include "process/device.h"
#include "queue/failure.h"
#include "queue/kernel.h"
#include "queue/queue.h"
#include "queue/work.h"
#include "replay/nondeterminism.h"
#include "signal/event.h"
#include "signal/ipc.h"
#include "wait/clock.h"
#include "wait/hooks.h"
#include "wait/idle.h"
#include "wait/leader.h"
#include "wait/model_lock.h"
#include "wait/progress.h"

#define LOCK_NS 1000000000u /* real time to wait for the lock */

static void write_files(void)
{
    if (!sim_process.sim)
        return;
    sim_model_lock();
    sim_observe_write();
    sim_model_unlock();
}

static twin_status process_start(const twin_services *services)
{
    twin_status status = sim_settings_read(services);
    if (status == TWIN_OK)
        status = sim_memory_start();
    if (status != TWIN_OK)
        return status;
    if (!sim_process.open_memory)
        sim_access_guard_install();
    sim_idle_init();
    sim_watch_begin(services->setting("TWINRT_RUN_PAGE"));
    sim_progress_begin(sim_process.progress_ns);
    sim_output_begin(getpid());
    sim_observe_begin();
    if (sim_watch_needs_thread())
        sim_progress_make();
    return TWIN_OK;
}

static void process_stop(void)
{
    sim_watch_end();
    sim_progress_end();
    write_files();
    sim_memory_stop();
    sim_access_guard_remove();
    sim_settings_drop();
    sim_replay_end();
}

static bool process_write(twin_write_when when, unsigned waiting)
{
    if (when == TWIN_WRITE_ALONE) {
        sim_output_remove_on_signals();
        sim_observe_alone();
        if (sim_process.sim)
            sim_observe_write();
        return true;
    }
    if (!sim_model_lock_within(when == TWIN_WRITE_NOW ? LOCK_NS : 0))
        return false;
    bool now = when == TWIN_WRITE_NOW || sim_drive_still(waiting);
    if (now && sim_process.sim)
        sim_observe_write();
    sim_model_unlock();
    return now;
}

static bool process_forked(void)
{
    if (sim_process.sim)
        return false;
    sim_model_forked();
    sim_clock_forked();
    sim_settings_drop();
    return true;
}

static twin_status process_count(uint32_t *out_count)
{
    *out_count = sim_process.device_count;
    return TWIN_OK;
}

static twin_status process_describe(uint32_t index, const twin_device_properties **out_properties)
{
    if (index >= sim_process.device_count)
        return TWIN_E_DEVICE_ID;
    *out_properties = &sim_process.properties[index];
    return TWIN_OK;
}

/* Not measured: 0 for engines that are there. */
static twin_status diag_usage(uint32_t index, twin_usage *out_usage)
{
    const twin_device_properties *properties = NULL;
    twin_status status = process_describe(index, &properties);
    if (status == TWIN_OK)
        *out_usage = (twin_usage){.cube = properties->aic_cores > 0 ? 0 : -1,
                                  .vector = properties->aiv_cores > 0 ? 0 : -1,
                                  .cpu = properties->ai_cpus > 0 ? 0 : -1};
    return status;
}

static void diag_facts(void (*take)(void *context, const twin_fact *fact), void *context)
{
    take(context, &(twin_fact){"profile", sim_process.profile_path, "", "", "TWINRT_PROFILE", ""});
    size_t count = twinsim_profile_count(sim_process.profile);
    for (size_t i = 0; i < count; i++) {
        const struct twinsim_parameter *p = twinsim_profile_at(sim_process.profile, i);
        take(context, &(twin_fact){p->name, p->text, p->unit, p->mark, p->source, p->base});
    }
}

static const struct twin_backend backend = {
    .size = sizeof(struct twin_backend),
    .version = TWIN_SEAM_VERSION,
    .name = TWIN_BACKEND_NAME,
    .flags = TWIN_BACKEND_CONDUCTED,
    .process = {.start = process_start,
                .stop = process_stop,
                .count = process_count,
                .describe = process_describe,
                .write = process_write,
                .forked = process_forked},
    .host = {.attach = sim_clock_attach,
             .detach = sim_clock_detach,
             .enter = sim_clock_enter,
             .leave = sim_clock_leave,
             .traced = sim_clock_traced,
             .now = sim_clock_now,
             .last_task = sim_clock_last_task,
             .reach = sim_clock_raise_to,
             .pace = sim_replay_begin,
             .see = sim_replay_see,
             .move = sim_replay_move,
             .advance = sim_clock_advance,
             .self = sim_clock_self,
             .follow = sim_clock_follow,
             .changed = sim_progress_host_changed},
    .device = {.open = sim_device_open, .close = sim_device_close, .abort = sim_control_abort_all},
    .memory = {.alloc = sim_memory_alloc,
               .free = sim_memory_free,
               .host_alloc = sim_memory_host_alloc,
               .host_free = sim_memory_host_free,
               .info = sim_memory_info,
               .space = sim_memory_space,
               .copy = sim_memory_copy,
               .fill = sim_memory_fill,
               .copy_rows = sim_memory_copy_rows,
               .errors = sim_inject_errors,
               .repair = sim_inject_repair},
    .queue = {.create = sim_queue_create,
              .destroy = sim_queue_destroy,
              .drain = sim_queue_drain,
              .query = sim_queue_query,
              .room = sim_queue_room,
              .abort = sim_control_abort,
              .stop = sim_control_stop,
              .set_priority = sim_control_set_priority,
              .stop_on_failure = sim_failure_stop_on,
              .take_failure = sim_failure_take},
    .work = {.copy = sim_work_copy,
             .fill = sim_work_fill,
             .record = sim_work_record,
             .wait = sim_work_wait,
             .reset = sim_work_reset,
             .run = sim_work_run,
             .end = sim_work_end,
             .activate = sim_work_activate,
             .branch = sim_work_branch,
             .label = sim_work_label,
             .jump = sim_work_jump,
             .write_value = sim_work_write_value,
             .wait_value = sim_work_wait_value,
             .call = sim_work_call,
             .count = sim_work_count,
             .wait_count = sim_work_wait_count,
             .launch = sim_kernel_launch,
             .reduce = sim_work_reduce,
             .copy_rows = sim_work_copy_rows},
    .signal = {.create = sim_event_create,
               .destroy = sim_event_destroy,
               .query = sim_event_query,
               .wait = sim_event_wait,
               .timestamp = sim_event_timestamp,
               .available = sim_event_available,
               .clear = sim_event_clear,
               .share = sim_shared_share,
               .allow = sim_shared_allow,
               .open = sim_shared_open},
    .model_instance = {.create = sim_instance_create,
                       .destroy = sim_instance_destroy,
                       .bind = sim_instance_bind,
                       .unbind = sim_instance_unbind,
                       .seal = sim_instance_seal,
                       .clean = sim_instance_clean,
                       .abort = sim_instance_abort,
                       .drain = sim_instance_drain},
    .call_queue = {.create = sim_call_queue_create,
                   .destroy = sim_call_queue_destroy,
                   .take = sim_call_queue_take,
                   .answer = sim_call_queue_answer,
                   .close = sim_call_queue_close},
    .fault = {.inject = sim_inject_fault,
              .remove = sim_inject_remove,
              .triggered = sim_inject_triggered},
    .diag = {.facts = diag_facts,
             .usage = diag_usage,
             .tasks = sim_queue_tasks,
             .newest_task = sim_queue_newest_task},
};

__attribute__((visibility("default"))) const struct twin_backend *twin_backend_entry(void);

const struct twin_backend *twin_backend_entry(void)
{
    return &backend;
}
