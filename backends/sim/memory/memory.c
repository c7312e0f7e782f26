/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* MADV_POPULATE_READ */
#include "memory/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "memory/address_map.h"
#include "memory/arena.h"
#include "memory/managed.h"
#include "memory/memory_map.h"
#include "memory/region.h"
#include "memory/registered.h"
#include "memory/vmm_lookup.h"
#include "process/text.h"
#include "device/device.h"
#include "process/pool_hooks.h"
#include "queue/failure.h"
#include "queue/kernel.h"
#include "seam/sanitizer.h"
#include "wait/clock.h"
#include "wait/hooks.h"
#include "wait/leader.h"
#include "wait/progress.h"
#include "wait/wait.h"

#ifndef MADV_POPULATE_READ /* older headers */
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif

static struct sim_arena host_arena;
static bool host_ready;

struct sim_arena *sim_memory_host_arena(void)
{
    return &host_arena;
}

twin_status sim_memory_start(void)
{
    if (host_ready)
        return TWIN_OK;
    const struct sim_arena_config config = {.capacity = SIM_HOST_BYTES,
                                            .hint = SIM_HOST_BASE,
                                            .host = true,
                                            .held = sim_kernel_described};
    twin_status status = sim_arena_init_fitting(&host_arena, &config, SIM_MEMORY_LEAST);
    if (status != TWIN_OK)
        sim_fail("cannot reserve address space for page-locked memory: %s; raise the limit of the "
                 "process (ulimit "
                 "-v)",
                 strerror(errno));
    else if (sim_arena_watched_limit() != UINT64_MAX)
        sim_log(2,
                "the process runs under %s: a device and page-locked memory have at most %llu MiB "
                "each, and addresses may be outside the documented windows",
                twin_under_valgrind()           ? "valgrind"
                : twin_under_thread_sanitizer() ? "ThreadSanitizer"
                                                : "MemorySanitizer",
                (unsigned long long)(sim_arena_watched_limit() >> 20));
    else if (host_arena.config.capacity < SIM_HOST_BYTES)
        sim_log(2,
                "the process may reserve little address space (ulimit -v): it can have %llu MiB of "
                "page-locked "
                "memory, not %llu",
                (unsigned long long)(host_arena.config.capacity >> 20),
                (unsigned long long)(SIM_HOST_BYTES >> 20));
    host_ready = status == TWIN_OK;
    return status;
}

static bool report_due;

void sim_memory_stop(void)
{
    sim_arena_settle(&host_arena); /* the last freed blocks are released only here */
    report_due = true;
}

/* After the program's static objects and functions of atexit() have released what they have: they
 * cannot free memory any more, and if they tried, the program is not at fault. */
__attribute__((destructor)) static void report_left(void)
{
    if (!report_due || (sim_process.services->late && sim_process.services->late()))
        return;
    sim_map_report_host();
}

/* ---- whose address -------------------------------------------------------------------------- */

/* Those of closed devices too: addresses that the program still has are not pageable memory. */
static struct sim_arena *arena_of(uint64_t address)
{
    for (uint32_t i = 0; i < sim_process.device_count; i++) {
        twin_hw_device *device = sim_device_made(i);
        if (device && sim_arena_contains(&device->memory, address))
            return &device->memory;
    }
    return sim_arena_contains(&host_arena, address) ? &host_arena : NULL;
}

/* Whether tasks may use it: what was freed in queue order, those that its queue has before that. */
static bool is_live(const struct sim_block *block)
{
    return atomic_load_explicit(&block->state, memory_order_acquire) == SIM_BLOCK_LIVE ||
           !sim_pool_block_passed(block);
}

static struct sim_block *live_block(const struct sim_arena *arena, uint64_t address)
{
    struct sim_block *block = sim_arena_find(arena, address);
    const bool live =
        block && is_live(block) && !atomic_load_explicit(&block->hidden, memory_order_relaxed);
    return live ? block : NULL;
}

twin_status sim_memory_info(uint64_t address, twin_memory_info *out_info)
{
    memset(out_info, 0, sizeof(*out_info));
    const struct sim_arena *arena = arena_of(address);
    if (!arena) {
        const struct sim_region *region = sim_region_of(address);
        if (region)
            region->ops->info(address, out_info);
        else
            (void)sim_registered_info(address, out_info);
        return TWIN_OK;
    }
    const struct sim_block *block = live_block(arena, address);
    if (!block || address - block->base >= block->bytes) {
        out_info->kind = TWIN_MEMORY_GONE;
        return TWIN_OK;
    }
    out_info->kind = arena->config.host ? TWIN_MEMORY_HOST_PINNED : TWIN_MEMORY_DEVICE;
    out_info->device = arena->config.device;
    out_info->base = block->base;
    out_info->size_bytes = block->bytes;
    out_info->page_bytes = block->page_bytes;
    out_info->flags = block->flags;
    return TWIN_OK;
}

twin_status sim_memory_find(uint64_t address, uint64_t bytes, twin_side *out_side)
{
    twin_memory_info info;
    (void)sim_memory_info(address, &info);
    *out_side = (twin_side){.kind = info.kind, .device = info.device};
    if (info.kind == TWIN_MEMORY_UNKNOWN ||
        (info.kind != TWIN_MEMORY_GONE && bytes <= info.size_bytes - (address - info.base)) ||
        (info.mapped && sim_vmm_mapped(address, bytes) == bytes))
        return TWIN_OK;
    if (info.kind == TWIN_MEMORY_REGISTERED) { /* the program's, wherever the range ends */
        *out_side = (twin_side){.kind = TWIN_MEMORY_UNKNOWN};
        return TWIN_OK;
    }
    sim_explain("%llu bytes at 0x%llx are not inside one allocation", (unsigned long long)bytes,
                (unsigned long long)address);
    return TWIN_E_INVALID;
}

/* ---- allocation ----------------------------------------------------------------------------- */

twin_status sim_memory_alloc(twin_hw_device *device, const twin_allocation *allocation,
                             uint64_t *out_address)
{
    twin_status status = sim_arena_alloc(&device->memory, allocation, out_address);
    if (status == TWIN_E_DEVICE_MEMORY) {
        uint64_t left;
        uint64_t total;
        sim_arena_space(&device->memory, 0, &left, &total);
        char buffer[4096] = "";
        struct text owners = {.buffer = buffer, .room = sizeof(buffer)};
        sim_text_add_device_owners(&owners, device->index);
        sim_explain("device %u: %llu bytes of device memory requested, %llu of %llu are free%s%s",
                    device->index, (unsigned long long)allocation->bytes, (unsigned long long)left,
                    (unsigned long long)total, buffer[0] ? "; the largest owners:" : "", buffer);
    }
    return status;
}

static twin_status free_block(struct sim_arena *arena, uint64_t address)
{
    struct sim_fence *fence = NULL;
    bool in_flight = sim_process.sim && sim_fence_take(&fence);
    if (in_flight && !fence)
        return TWIN_E_NOMEM;
    twin_status status = sim_arena_free(arena, address, fence);
    if (status != TWIN_OK)
        sim_fence_free(fence);
    return status;
}

twin_status sim_memory_free(uint64_t address)
{
    struct sim_arena *arena = arena_of(address);
    if (sim_managed_contains(address))
        return sim_managed_free(address);
    if (sim_vmm_reserved(address))
        sim_explain("0x%llx is a mapping; end it with aclrtUnmapMem", (unsigned long long)address);
    twin_status status = TWIN_E_INVALID;
    if (!arena || arena->config.host || !live_block(arena, address) ||
        (sim_pool_exists() && sim_pool_free_now(arena, address, &status)))
        return status;
    return free_block(arena, address);
}

twin_status sim_memory_host_alloc(const twin_allocation *allocation, void **out_pointer)
{
    uint64_t address;
    twin_status status = sim_arena_alloc(&host_arena, allocation, &address);
    if (status == TWIN_OK) {
        *out_pointer = (void *)(uintptr_t)address;
        return TWIN_OK;
    }
    char buffer[4096] = "";
    struct text owners = {.buffer = buffer, .room = sizeof(buffer)};
    sim_text_add_host_owners(&owners);
    sim_explain("%llu bytes of page-locked memory requested; the process may have %llu%s%s",
                (unsigned long long)allocation->bytes,
                (unsigned long long)host_arena.config.capacity,
                buffer[0] ? "; the largest owners:" : "", buffer);
    return status;
}

twin_status sim_memory_host_free(void *pointer)
{
    uint64_t address = (uintptr_t)pointer;
    return sim_arena_contains(&host_arena, address) ? free_block(&host_arena, address)
                                                    : TWIN_E_INVALID;
}

twin_status sim_memory_space(twin_hw_device *device, uint32_t page_class, uint64_t *out_free,
                             uint64_t *out_total)
{
    sim_arena_space(&device->memory, page_class, out_free, out_total);
    /* Memory that the host cannot provide is not free; the total is the part's. */
    if (page_class != 2)
        *out_total += sim_process.limits.memory_bytes - device->memory.config.capacity;
    return TWIN_OK;
}

static int by_bytes(const void *left, const void *right)
{
    const twin_memory_use *a = left;
    const twin_memory_use *b = right;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? 1 : -1;
    return a->peak != b->peak ? (a->peak < b->peak ? 1 : -1) : strcmp(a->name, b->name);
}

twin_status sim_memory_usage(twin_hw_device *device, twin_memory_use *list, size_t room,
                             size_t *out_count)
{
    struct sim_arena *arena = &device->memory;
    twin_memory_use all[TWIN_MODULES];
    size_t count = 0;
    pthread_mutex_lock(&arena->lock);
    for (uint32_t module = 0; module < TWIN_MODULES; module++) {
        const struct sim_use *use = &arena->uses[module];
        if (use->peak == 0)
            continue;
        all[count] = (twin_memory_use){.bytes = use->bytes, .peak = use->peak};
        sim_module_name(module, all[count].name, sizeof(all[count].name));
        count++;
    }
    pthread_mutex_unlock(&arena->lock);
    qsort(all, count, sizeof(all[0]), by_bytes);
    *out_count = count < room ? count : room;
    memcpy(list, all, *out_count * sizeof(all[0]));
    return TWIN_OK;
}

/* ---- copies outside queues ------------------------------------------------------------------ */

bool sim_host_has_rights(uint64_t at, uint64_t end, char right)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        return true; /* nothing speaks against it */
    char line[512];
    while (at < end && fgets(line, sizeof(line), maps)) {
        unsigned long long first;
        unsigned long long last;
        char rights[8];
        if (sscanf(line, "%llx-%llx %7s", &first, &last, rights) != 3 || last <= at)
            continue;
        if (first > at || !strchr(rights, right))
            break;
        at = last;
    }
    fclose(maps);
    return at >= end;
}

/* Whether the host itself could read or write all of a pageable range; slow. */
static bool is_usable(uint64_t address, uint64_t bytes, bool write)
{
    const uint64_t end = address + bytes;
    if (end < address)
        return false;
    uint64_t first = address & ~(uint64_t)(SIM_PAGE - 1);
    int done;
    do {
        done = madvise((void *)(uintptr_t)first, end - first,
                       write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
    } while (done != 0 && (errno == EINTR || errno == EAGAIN));
    if (done == 0)
        return true;
    /* EINVAL: no such right, a mapping of a kind that cannot be populated, or a kernel before
     * 5.14 */
    return errno == EINVAL && sim_host_has_rights(first, end, write ? 'w' : 'r');
}

/* Checks one side of a synchronous transfer; pageable memory is opened to the transfer as a window,
 * and the transfer finds out whether it is there. */
static twin_status admit(uint64_t address, uint64_t bytes, twin_side side,
                         struct sim_window *window)
{
    twin_status status = TWIN_OK;
    if (side.kind == TWIN_MEMORY_UNKNOWN)
        status = sim_memory_find(address, bytes, &side);
    if (status != TWIN_OK || side.kind != TWIN_MEMORY_UNKNOWN)
        return status;
    window->address = address;
    window->bytes = bytes;
    return TWIN_OK;
}

/* Why a transfer ended with a bus fault. */
static void explain_fault(const twin_hw_device *device, const struct sim_wait *wait)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct sim_window *window = &wait->windows[i];
        const bool write = i == 0;
        if (window->bytes == 0 || is_usable(window->address, window->bytes, write))
            continue;
        sim_explain("the %s 0x%llx (%llu bytes) is not mapped, or not %s",
                    write ? "destination" : "source", (unsigned long long)window->address,
                    (unsigned long long)window->bytes, write ? "writable" : "readable");
        return;
    }
    char why[256];
    if (sim_vmm_explain(device->index, wait->transfer.dst, wait->transfer.bytes, why,
                        sizeof(why)) ||
        (wait->transfer.src != TWINSIM_NEVER &&
         sim_vmm_explain(device->index, wait->transfer.src, wait->transfer.bytes, why,
                         sizeof(why)))) {
        sim_explain("device %u: a synchronous transfer of %llu bytes used an address the device "
                    "cannot reach: %s",
                    device->index, (unsigned long long)wait->transfer.bytes, why);
        return;
    }
    /* Freed by another thread after the check: as if it had been faster still. */
    sim_explain(
        "device %u: a synchronous transfer of %llu bytes used memory that was freed meanwhile",
        device->index, (unsigned long long)wait->transfer.bytes);
}

static twin_status transfer(twin_hw_device *device, struct sim_wait *wait)
{
    if (atomic_load_explicit(&device->faulted, memory_order_relaxed))
        return TWIN_E_DEVICE;
    wait->kind = SIM_WAIT_TRANSFER;
    wait->wake = SIM_WAKE_COPY;
    wait->timeout_ns = TWIN_FOREVER;
    wait->device = device;
    twin_status status = sim_drive_wait(wait);
    if (status != TWIN_E_ADDRESS)
        return status;
    if (wait->transfer.status != STARS_STATUS_BUS_FAULT) {
        /* Whatever fails outside all queues is a copy. */
        status = sim_failure_status(0, wait->transfer.status);
        sim_explain("device %u: a synchronous transfer of %llu bytes failed (status 0x%x)",
                    device->index, (unsigned long long)wait->transfer.bytes, wait->transfer.status);
        return status == TWIN_E_TASK ? TWIN_E_COPY : status;
    }
    explain_fault(device, wait);
    return TWIN_E_INVALID;
}

/* Admits the destination, and a source unless it is a fill, and transfers. */
static twin_status transfer_between(twin_hw_device *device, struct sim_wait *wait,
                                    uint64_t dst_bytes, uint64_t src_bytes, const twin_sides *sides)
{
    twin_status status = admit(wait->transfer.dst, dst_bytes, sides->dst, &wait->windows[0]);
    if (status == TWIN_OK && src_bytes != 0) /* a fill has no source */
        status = admit(wait->transfer.src, src_bytes, sides->src, &wait->windows[1]);
    return status == TWIN_OK ? transfer(device, wait) : status;
}

twin_status sim_memory_copy(twin_hw_device *device, const twin_copy *copy)
{
    struct sim_wait wait = {.transfer = {.dst = copy->dst, .src = copy->src, .bytes = copy->bytes}};
    return transfer_between(device, &wait, copy->bytes, copy->bytes, &copy->sides);
}

twin_status sim_memory_copy_rows(twin_hw_device *device, const twin_rows *rows)
{
    struct sim_wait wait = {.transfer = {.dst = rows->dst,
                                         .src = rows->src,
                                         .bytes = rows->width * rows->height,
                                         .rows = (uint32_t)rows->height,
                                         .dst_row = rows->dst_pitch,
                                         .src_row = rows->src_pitch}};
    return transfer_between(device, &wait, twin_rows_span(rows, rows->dst_pitch),
                            twin_rows_span(rows, rows->src_pitch), &rows->sides);
}

twin_status sim_memory_fill(twin_hw_device *device, const twin_fill *fill)
{
    struct sim_wait wait = {.transfer = {.dst = fill->dst,
                                         .src = TWINSIM_NEVER,
                                         .bytes = fill->bytes,
                                         .value = fill->value,
                                         .words = fill->words}};
    return transfer_between(device, &wait, fill->bytes, 0, &(twin_sides){.dst = fill->side});
}

twin_status sim_memory_describe(twin_hw_device *device, uint64_t at, const twin_copy *copy)
{
    const uint32_t words[TWIN_DESCRIPTOR_BYTES / sizeof(uint32_t)] = {
        [3] = (uint32_t)copy->bytes,       [4] = (uint32_t)copy->src,
        [5] = (uint32_t)(copy->src >> 32), [6] = (uint32_t)copy->dst,
        [7] = (uint32_t)(copy->dst >> 32),
    };
    if (copy->bytes > UINT32_MAX || at % TWIN_DESCRIPTOR_ALIGN != 0)
        return TWIN_E_INVALID;
    const twin_copy write = {
        .dst = at, .src = (uint64_t)(uintptr_t)words, .bytes = TWIN_DESCRIPTOR_BYTES};
    return sim_memory_copy(device, &write);
}

/* The model's host has no caches that its devices do not see. */
twin_status sim_memory_maintain(twin_hw_device *device, uint64_t address, uint64_t bytes,
                                bool invalidate)
{
    twin_side side;
    (void)device;
    (void)invalidate;
    const twin_status status = sim_memory_find(address, bytes, &side);
    return status == TWIN_OK && side.kind == TWIN_MEMORY_UNKNOWN ? TWIN_E_INVALID : status;
}

/* ---- the bus -------------------------------------------------------------------------------- */

/* Page-locked memory is not reported: the core frees its staging buffers this way on purpose. */
static void report_hazard(struct sim_arena *arena, struct sim_block *block, uint64_t address,
                          enum twinsim_access access)
{
    if (arena->config.host ||
        atomic_exchange_explicit(&block->reported, true, memory_order_relaxed))
        return;
    if (atomic_fetch_add_explicit(&arena->late_uses, 1, memory_order_relaxed) >= SIM_LINES_NAMED)
        return; /* the count is reported when the device closes */
    const bool ordered = atomic_load_explicit(&block->returned_by, memory_order_relaxed) != NULL;
    sim_log(
        2,
        "device %u: a task %s 0x%llx after its memory was freed: allocation %llu, %llu bytes at "
        "0x%llx; %s",
        arena->config.device, access == TWINSIM_WRITE ? "writes" : "reads",
        (unsigned long long)address, (unsigned long long)block->serial,
        (unsigned long long)block->bytes, (unsigned long long)block->base,
        ordered ? "it was freed in the order of a stream: free it in a stream that waits for the "
                  "task"
                : "free it after the stream is synchronised");
}

bool sim_memory_allocated(uint64_t address, uint64_t bytes)
{
    struct sim_arena *arena = arena_of(address);
    if (!arena) {
        const struct sim_region *region = sim_region_of(address);
        twin_memory_info info;
        if (region)
            return region->ops->allocated(address, bytes);
        if (!sim_registered_info(address, &info))
            return true;
        sim_failure_because("0x%llx is the host's address of registered memory; a kernel takes "
                            "the one that aclrtHostGetDevicePointer returns",
                            (unsigned long long)address);
        return false;
    }
    const struct sim_block *block = sim_arena_find(arena, address);
    if (!block || atomic_load_explicit(&block->hidden, memory_order_relaxed))
        return false;
    const uint64_t offset = address - block->base;
    const uint64_t size = block->bytes;
    return offset <= size && bytes <= size - offset;
}

/* Whether a transfer that runs now may reach the range. The model lock is held. */
static bool window_open(uint64_t address, uint64_t bytes)
{
    for (const struct sim_wait *wait = sim_waits.first; wait; wait = wait->next) {
        if (wait->kind != SIM_WAIT_TRANSFER)
            continue;
        for (unsigned i = 0; i < 2; i++) {
            const struct sim_window *window = &wait->windows[i];
            if (address - window->address < window->bytes &&
                bytes <= window->bytes - (address - window->address))
                return true;
        }
    }
    return false;
}

void *sim_memory_translate(void *context, uint32_t device, uint64_t address, uint64_t bytes,
                           enum twinsim_access access, enum twinsim_target *out_target,
                           uint32_t *out_device)
{
    (void)context;
    struct sim_arena *arena = arena_of(address);
    *out_device = device;
    if (arena) {
        struct sim_block *block = sim_arena_find(arena, address);
        if (!block || bytes > block->room - (address - block->base) ||
            atomic_load_explicit(&block->hidden, memory_order_relaxed))
            return NULL;
        *out_target = arena->config.host ? TWINSIM_TARGET_HOST : TWINSIM_TARGET_HBM;
        if (!arena->config.host)
            *out_device = arena->config.device;
        if (access == TWINSIM_ROUTE)
            return arena->view + (address - arena->base);
        const bool late = !is_live(block);
        if (late && sim_silent)
            return NULL;
        if (late)
            report_hazard(arena, block, address, access);
        if (access == TWINSIM_WRITE && (arena->config.host || sim_process.open_memory))
            sim_progress_seen = true;
        return sim_arena_touch(arena, address, bytes, access == TWINSIM_WRITE);
    }
    const struct sim_region *region = sim_region_of(address);
    if (region)
        return region->ops->translate(device, address, bytes, access, out_target, out_device);
    const twin_hw_device *self =
        atomic_load_explicit(&sim_process.devices[device], memory_order_relaxed);
    if (self && sim_rings_contain(&self->rings, address, bytes)) {
        *out_target = access == TWINSIM_READ || sim_rings_of_device(&self->rings, address)
                          ? TWINSIM_TARGET_HBM
                          : TWINSIM_TARGET_HOST;
        return (void *)(uintptr_t)address;
    }
    if (self && access != TWINSIM_WRITE &&
        (sim_lists_contain(&self->lists, address, bytes) ||
         sim_device_code_contains(self, address, bytes))) {
        *out_target = TWINSIM_TARGET_HBM;
        return (void *)(uintptr_t)address;
    }
    if (window_open(address, bytes)) {
        *out_target = TWINSIM_TARGET_HOST_PAGES;
        return (void *)(uintptr_t)address;
    }
    return sim_registered_translate(address, bytes, access, out_target);
}

uint64_t sim_memory_piece(void *context, uint32_t device, uint64_t address, uint64_t *out_place)
{
    (void)context;
    (void)device;
    *out_place = address;
    const struct sim_arena *arena = arena_of(address);
    if (arena) {
        const struct sim_block *block = sim_arena_find(arena, address);
        return block ? block->room - (address - block->base) : 0;
    }
    const struct sim_region *region = sim_region_of(address);
    return region ? region->ops->piece(address, out_place) : UINT64_MAX - address;
}

void sim_check_transfer(struct sim_wait *wait)
{
    if (wait->transfer.done && wait->transfer.failed)
        sim_failure_drop_cause(); /* explain_fault() has its own words */
    if (wait->transfer.done)
        sim_wait_finish(wait, wait->transfer.failed ? TWIN_E_ADDRESS : TWIN_OK,
                        wait->transfer.done_ns);
}

twin_status sim_post_transfer(struct sim_wait *wait)
{
    wait->transfer.start_ns = sim_clock.now_ns;
    if (twinsim_transfer_post(sim_process.sim, wait->device->index, &wait->transfer) == TWINSIM_OK)
        return TWIN_OK;
    sim_fail("device %u: the model cannot start a transfer", wait->device->index);
    return TWIN_E_DEVICE;
}
