/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the sim backend: a driver for the register-level model behind twinsim.h. */
#include <unistd.h>

#include "memory/guarded_copy.h"
#include "memory/memory.h"
#include "observe/atomic_file.h"
#include "observe/observe.h"
#include "process/process.h"
#include "process/nondeterminism.h"
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

twin_status sim_process_start(const twin_services *services)
{
    twin_status status = sim_settings_read(services);
    if (status == TWIN_OK)
        status = sim_memory_start();
    if (status != TWIN_OK)
        return status;
    sim_guarded_copy_install(sim_access_guard_report);
    sim_idle_init();
    sim_watch_begin(services->setting("TWINRT_RUN_PAGE"));
    sim_progress_begin(sim_process.progress_ns);
    sim_output_begin(getpid());
    sim_observe_begin();
    if (sim_watch_needs_thread())
        sim_progress_make();
    return TWIN_OK;
}

void sim_process_stop(void)
{
    sim_watch_end();
    sim_progress_end();
    write_files();
    sim_memory_stop();
    sim_guarded_copy_remove();
    sim_settings_drop();
    sim_replay_end();
}

bool sim_process_write(twin_write_when when, unsigned waiting)
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

bool sim_process_forked(void)
{
    if (sim_process.sim)
        return false;
    sim_model_forked();
    sim_clock_forked();
    sim_settings_drop();
    return true;
}

twin_status sim_process_count(uint32_t *out_count)
{
    *out_count = sim_process.device_count;
    return TWIN_OK;
}

twin_status sim_process_describe(uint32_t index, const twin_device_properties **out_properties)
{
    if (index >= sim_process.device_count)
        return TWIN_E_DEVICE_ID;
    *out_properties = &sim_process.properties[index];
    return TWIN_OK;
}

/* Not measured: 0 for engines that are there. */
twin_status sim_diag_usage(uint32_t index, twin_usage *out_usage)
{
    const twin_device_properties *properties = NULL;
    twin_status status = sim_process_describe(index, &properties);
    if (status == TWIN_OK)
        *out_usage = (twin_usage){.cube = properties->aic_cores > 0 ? 0 : -1,
                                  .vector = properties->aiv_cores > 0 ? 0 : -1,
                                  .cpu = properties->ai_cpus > 0 ? 0 : -1};
    return status;
}

void sim_diag_facts(void (*take)(void *context, const twin_fact *fact), void *context)
{
    take(context, &(twin_fact){"profile", sim_process.profile_path, "", "", "TWINRT_PROFILE", ""});
    size_t count = twinsim_profile_count(sim_process.profile);
    for (size_t i = 0; i < count; i++) {
        const struct twinsim_parameter *p = twinsim_profile_at(sim_process.profile, i);
        take(context, &(twin_fact){p->name, p->text, p->unit, p->mark, p->source, p->base});
    }
}

/* What the model does not have: the core answers. */
#define sim_device_peer     NULL
#define sim_memory_map_peer NULL
#define sim_image_load      NULL
#define sim_image_unload    NULL
#define sim_signal_elapsed  NULL

static const struct twin_backend backend = {
    .size = sizeof(struct twin_backend),
    .version = TWIN_SEAM_VERSION,
    .name = TWIN_BACKEND_NAME,
    .flags = TWIN_BACKEND_CONDUCTED,
#define OP(group, op, type, lacking, parameters, arguments) .group.op = sim_##group##_##op,
#include "seam/ops.def"
};

__attribute__((visibility("default"))) const struct twin_backend *twin_backend_entry(void);

const struct twin_backend *twin_backend_entry(void)
{
    return &backend;
}
