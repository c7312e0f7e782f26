/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the sim backend: a driver for the register-level model behind twinsim.h. */
#include <stdio.h>
#include <unistd.h>

#include "memory/address_map.h"
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

static void take_range(void (*take)(void *context, const twin_fact *fact), void *context,
                       const char *name, uint64_t begin, uint64_t bytes, const char *what)
{
    char value[64];
    (void)snprintf(value, sizeof(value), "0x%llx-0x%llx", (unsigned long long)begin,
                   (unsigned long long)begin + bytes);
    take(context, &(twin_fact){name, value, "", "", what, ""});
}

static void take_memory(void (*take)(void *context, const twin_fact *fact), void *context)
{
    const uint64_t bytes = sim_process.limits.memory_bytes;
    take(context,
         &(twin_fact){"page.small", "4096", "bytes", "",
                      "allocations of up to 1 MiB, page-locked and registered memory", ""});
    take(context, &(twin_fact){"page.huge", "2097152", "bytes", "",
                               "larger allocations; managed memory, pools, and physical memory, of "
                               "which it is the granularity",
                               ""});
    take(context, &(twin_fact){"page.giant", "1073741824", "bytes", "",
                               "allocations that ask for it (HUGE1G)", ""});
    take_range(take, context, "address.managed", SIM_MANAGED_BASE, SIM_MANAGED_BYTES,
               "managed memory, for the host and all devices");
    take_range(take, context, "address.expect", SIM_EXPECT_BASE, SIM_EXPECT_BYTES,
               "aclrtReserveMemAddress with expectPtr, where nothing else is");
    take_range(take, context, "address.page_locked", SIM_HOST_BASE, 2 * SIM_HOST_BYTES,
               "page-locked memory of the host, at most half of that");
    for (uint32_t i = 0; i < sim_process.device_count; i++) {
        char name[32];
        char what[64];
        (void)snprintf(name, sizeof(name), "address.device_%u", i);
        (void)snprintf(what, sizeof(what), "memory of device %u, at most half of that", i);
        take_range(take, context, name, SIM_DEVICE_BASE + i * SIM_DEVICE_STRIDE, 2 * bytes, what);
    }
    take_range(take, context, "address.reserved", SIM_RESERVE_BASE, SIM_RESERVE_BYTES,
               "aclrtReserveMemAddress without expectPtr, and memory of other processes");
    take_range(take, context, "address.registered", SIM_REGISTERED_BASE, SIM_REGISTERED_BYTES,
               "registered memory of the program, as devices address it");
}

void sim_diag_facts(void (*take)(void *context, const twin_fact *fact), void *context)
{
    take(context, &(twin_fact){"profile", sim_process.profile_path, "", "", "TWINRT_PROFILE", ""});
    size_t count = twinsim_profile_count(sim_process.profile);
    for (size_t i = 0; i < count; i++) {
        const struct twinsim_parameter *p = twinsim_profile_at(sim_process.profile, i);
        take(context, &(twin_fact){p->name, p->text, p->unit, p->mark, p->source, p->base});
    }
    take_memory(take, context);
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
