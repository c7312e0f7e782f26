/* SPDX-License-Identifier: Apache-2.0 */
/* The model is made with the first open, a device with its first; a close reports what was not
 * released. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "device/device.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "inject/fault_injection.h"
#include "memory/address_map.h"
#include "memory/managed.h"
#include "memory/memory.h"
#include "memory/memory_map.h"
#include "memory/region.h"
#include "memory/registered.h"
#include "memory/saved_memory.h"
#include "memory/touch.h"
#include "observe/observe.h"
#include "queue/kernel.h"
#include "process/nondeterminism.h"
#include "signal/event.h"
#include "wait/hooks.h"
#include "wait/leader.h"
#include "wait/model_lock.h"
#include "vmm/moved_pages.h"
#include "vmm/vmm.h"
#include "wait/progress.h"

/* An activation of SystemC costs as much as a task: waits that follow closely share one. */
#define SYSTEMC_QUANTUM_NS 1000000u

/* Of the last backup, by device. Guarded by the model lock. */
static struct sim_saved saved_memory[SIM_DEVICES_MOST];

static void free_device(twin_hw_device *device)
{
    sim_arena_fini(&device->memory);
    sim_ids_fini(&device->events);
    sim_ids_fini(&device->notifies);
    sim_ids_fini(&device->counts);
    sim_rings_fini(&device->rings);
    sim_lists_fini(&device->lists);
    if (device->code)
        munmap(device->code, device->code_bytes);
    free((void *)device->queues);
    pthread_mutex_destroy(&device->signals_lock);
    free(device);
}

static twin_status reserve_memory(twin_hw_device *device, const struct sim_arena_config *memory)
{
    twin_status status = sim_arena_init_fitting(&device->memory, memory, SIM_MEMORY_LEAST);
    uint64_t capacity = device->memory.config.capacity;
    if (status == TWIN_OK && capacity < memory->capacity && capacity < sim_arena_watched_limit())
        sim_log(
            2,
            "device %u: the process may not reserve address space for %llu MiB of device memory "
            "(ulimit -v): the device has %llu MiB; raise the limit, or set "
            "limit.memory_mib of the profile to that",
            device->index, (unsigned long long)(memory->capacity >> 20),
            (unsigned long long)(capacity >> 20));
    return status;
}

static twin_hw_device *make_device(uint32_t index)
{
    const struct sim_limits *limits = &sim_process.limits;
    twin_hw_device *device = calloc(1, sizeof(*device));
    if (!device)
        return NULL;
    device->index = index;
    pthread_mutex_init(&device->signals_lock, NULL);
    sim_lists_init(&device->lists);
    device->queues = calloc(limits->streams, sizeof(*device->queues));
    const struct sim_rings_config rings = {
        .queues = limits->streams,
        .sq_depth = limits->sq_depth,
        .cq_depth = limits->cq_depth,
        .task_state_bytes = sizeof(struct sim_task_state),
    };
    const struct sim_arena_config memory = {
        .device = index,
        .capacity = limits->memory_bytes,
        .hint = SIM_DEVICE_BASE + index * SIM_DEVICE_STRIDE,
        .open = sim_process.open_memory,
        .poison = sim_process.poison,
        .held = sim_kernel_described,
        .unshare = sim_pages_end_block,
    };
    if (!device->queues || !sim_rings_init(&device->rings, &rings) ||
        !sim_ids_init(&device->events, limits->events, STARS_EVENT_TABLE_BASE,
                      STARS_EVENTS_OF_TABLE) ||
        !sim_ids_init(&device->notifies, limits->notifies, STARS_NOTIFY_TABLE_BASE,
                      STARS_NOTIFIES_OF_TABLE) ||
        (limits->count_notifies != 0 && !sim_ids_init(&device->counts, limits->count_notifies,
                                                      STARS_COUNT_TABLE_BASE, UINT32_MAX)) ||
        reserve_memory(device, &memory) != TWIN_OK) {
        sim_fail("device %u: cannot reserve address space for its memory and %u queues: %s; raise "
                 "the limit of "
                 "the process (ulimit -v), or give a profile with a smaller limit.streams and "
                 "limit.memory_mib",
                 index, limits->streams, strerror(errno));
        free_device(device);
        return NULL;
    }
    return device;
}

/* The system, with all its devices, when the first one is opened. Model lock held. */
static twin_status make_system(void)
{
    if (sim_process.sim)
        return TWIN_OK;
    char rtl_library[PATH_MAX];
    (void)snprintf(rtl_library, sizeof(rtl_library), "%s/model-rtl.so",
                   sim_process.services->plugin_folder);
    const struct twinsim_config config = {
        .profile = sim_process.profile,
        .devices = sim_process.device_count,
        .seed = sim_process.seed,
        .trace = sim_process.trace_path[0] != '\0' || sim_observe_wants_trace(),
        .stats = sim_observe_wants_stats(),
        .quantum_ns = SYSTEMC_QUANTUM_NS,
        .bursts = sim_process.bursts,
        .model = sim_process.model,
        .rtl_library = rtl_library,
        .rtl_trace = sim_process.rtl_trace[0] != '\0' ? sim_process.rtl_trace : NULL,
        .before_end = sim_observe_write,
        .bus = {.translate = sim_touch_translate,
                .piece = sim_memory_piece,
                .host_move = sim_touch_host_move,
                .kernel = sim_kernel_begin,
                .kernel_effect = sim_kernel_effect,
                .failed = sim_failure_claim},
    };
    char error[512] = "";
    int code = twinsim_create(&config, &sim_process.sim, error, sizeof(error));
    if (code == TWINSIM_OK) {
        if (sim_nd_logged())
            twinsim_look_apart(sim_process.sim);
        return sim_inject_begin();
    }
    sim_process.sim = NULL;
    sim_fail("the model cannot be built: %s", error);
    return code == TWINSIM_E_MEMORY ? TWIN_E_NOMEM : TWIN_E_SETUP;
}

twin_status sim_device_open(uint32_t index, twin_hw_device **out_device)
{
    if (index >= sim_process.device_count)
        return TWIN_E_DEVICE_ID;
    sim_model_lock();
    twin_status status = make_system();
    if (status != TWIN_OK)
        goto unlock;
    twin_hw_device *device = sim_device_made(index);
    if (device && (device->memory.config.open != sim_process.open_memory ||
                   device->memory.config.poison != sim_process.poison)) {
        /* Other settings since the last time: other mappings. */
        struct sim_arena_config memory = device->memory.config;
        memory.capacity = sim_process.limits.memory_bytes;
        memory.open = sim_process.open_memory;
        memory.poison = sim_process.poison;
        sim_arena_fini(&device->memory);
        status = reserve_memory(device, &memory);
        if (status != TWIN_OK)
            goto unlock;
    }
    status = TWIN_E_NOMEM;
    if (!device)
        device = make_device(index);
    if (!device)
        goto unlock;
    status = TWIN_OK;
    sim_device_set_made(index, device);
    atomic_store_explicit(&device->faulted, false, memory_order_relaxed);
    atomic_store_explicit(&sim_process.devices[index], device, memory_order_release);
    if (sim_process.open_memory)
        sim_log(2,
                "device %u: TWINRT_DEVMEM=open lets the host touch device memory; a board does "
                "not",
                index);
    *out_device = device;
unlock:
    sim_model_unlock();
    if (status == TWIN_OK && sim_process.open_memory)
        sim_progress_submitted(); /* any work can be seen: submissions need not look */
    return status;
}

static void close_queue(void *context, twin_queue *queue)
{
    const twin_hw_device *device = context;
    sim_log(2, "device %u: stream %u was not destroyed", device->index, queue->config.id);
}

void sim_device_close(twin_hw_device *device)
{
    sim_model_lock();
    sim_queue_each(device, close_queue, device);
    twinsim_reset(sim_process.sim, device->index);
    sim_queue_drop_all(device);
    sim_kernel_settle_locked(); /* it may use memory of the device, though its task is gone */
    sim_ids_clean(&device->events, sim_process.sim, device->index);
    sim_ids_clean(&device->notifies, sim_process.sim, device->index);
    sim_ids_clean(&device->counts, sim_process.sim, device->index);
    pthread_mutex_lock(&device->signals_lock);
    for (const twin_signal *signal = device->signals; signal; signal = signal->next)
        sim_log(2, "device %u: %s %u was not destroyed", device->index, sim_event_noun(signal),
                signal->config.name);
    pthread_mutex_unlock(&device->signals_lock);
    sim_map_report_device(device->index);
    sim_registered_close(device->index);
    sim_managed_close(device->index);
    sim_vmm_close_device(device);
    uint32_t late = atomic_load_explicit(&device->memory.late_uses, memory_order_relaxed);
    if (late > SIM_LINES_NAMED)
        sim_log(2,
                "device %u: tasks used %u allocations after they were freed; the first %u are "
                "listed above",
                device->index, late, SIM_LINES_NAMED);
    sim_arena_clear(&device->memory);
    sim_saved_drop(&saved_memory[device->index]);
    device->dropped_count = 0;
    atomic_store_explicit(&sim_process.devices[device->index], NULL, memory_order_release);
    sim_drive_check_locked();
    sim_model_unlock();
}

twin_status sim_process_snapshot(twin_snapshot_step step)
{
    if (step != TWIN_SNAPSHOT_BACKUP && step != TWIN_SNAPSHOT_RESTORE)
        return TWIN_OK;
    twin_status status = TWIN_OK;
    sim_model_lock();
    if (step == TWIN_SNAPSHOT_BACKUP && (sim_managed_exists() || sim_vmm_has_views())) {
        sim_model_unlock();
        sim_explain("managed memory, memory of other processes and, with TWINRT_DEVMEM=open, "
                    "physical memory cannot be kept; free them before the backup");
        return TWIN_E_UNSUPPORTED;
    }
    for (uint32_t i = 0; status == TWIN_OK && i < sim_process.device_count; i++) {
        twin_hw_device *device = sim_device_made(i);
        if (!device)
            continue;
        if (step == TWIN_SNAPSHOT_RESTORE)
            sim_saved_restore(&saved_memory[i], &device->memory);
        else
            status = sim_saved_take(&saved_memory[i], &device->memory);
    }
    sim_model_unlock();
    if (status != TWIN_OK)
        sim_explain("the host has no memory left for the contents of device memory");
    return status;
}
