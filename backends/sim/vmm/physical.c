/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "vmm/physical.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "device/device.h"
#include "memory/arena.h"
#include "memory/memory.h"
#include "queue/kernel.h"
#include "wait/model_lock.h"

#define NO_USER UINT32_MAX

static struct sim_physical *table;
static _Atomic uint32_t made; /* so far */

uint64_t sim_physical_granule(const twin_physical_config *config)
{
    if (config->memory.pages != TWIN_PAGES_HUGE_1G)
        return SIM_HUGE_PAGE; /* normal pages too (VMM-10) */
    return config->host ? 0 : SIM_GIANT_PAGE;
}

static void unmap_view(struct sim_physical *memory)
{
    if (memory->view)
        munmap(memory->view, memory->room);
    memory->view = NULL;
}

/* Pages that can be mapped at several addresses. */
static bool map_view(struct sim_physical *memory)
{
    void *view = mmap(NULL, memory->room, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (view == MAP_FAILED)
        return false;
    if (!memory->config.host)
        (void)madvise(view, memory->room, MADV_DONTDUMP);
    memory->view = view;
    return true;
}

twin_status sim_physical_make(twin_hw_device *device, const twin_physical_config *config,
                              struct sim_physical **out)
{
    const uint64_t granule = sim_physical_granule(config);
    if (granule == 0) {
        sim_explain("host memory has no pages of 1 GiB");
        return TWIN_E_UNSUPPORTED;
    }
    if (config->memory.bytes > UINT64_MAX - granule)
        return TWIN_E_DEVICE_MEMORY;
    struct sim_physical *memory = calloc(1, sizeof(*memory));
    if (!memory)
        return TWIN_E_NOMEM;
    memory->config = *config;
    sim_owner_take(&memory->owner, &config->memory);
    memory->config.device = device->index;
    memory->user = config->host ? NO_USER : device->index;
    memory->granule = granule;
    memory->room = (config->memory.bytes + granule - 1) / granule * granule;
    twin_status status = TWIN_OK;
    if (!config->host) {
        twin_allocation allocation = config->memory;
        allocation.bytes = memory->room;
        allocation.flags |= SIM_ALLOC_HIDDEN;
        if (allocation.pages != TWIN_PAGES_HUGE_1G)
            allocation.pages = TWIN_PAGES_HUGE_ONLY;
        memory->arena = &device->memory;
        status = sim_memory_alloc(device, &allocation, &memory->block);
    }
    memory->to_host = config->host || device->memory.config.open;
    if (status == TWIN_OK && memory->to_host && !map_view(memory))
        status = TWIN_E_NOMEM;
    if (status != TWIN_OK) {
        if (memory->block != 0)
            (void)sim_arena_free(memory->arena, memory->block, NULL);
        free(memory);
        return status;
    }
    memory->serial = atomic_fetch_add(&made, 1) + 1;
    *out = memory;
    return TWIN_OK;
}

struct sim_physical *sim_physical_import(twin_hw_device *device, const struct sim_memfile *file,
                                         const struct sim_export *origin, void *view)
{
    struct sim_physical *memory = calloc(1, sizeof(*memory));
    if (!memory) {
        munmap(view, file->bytes);
        return NULL;
    }
    memory->config = (twin_physical_config){
        .memory = {.bytes = origin->bytes, .pages = file->pages, .module = TWIN_MODULE_APP},
        .node = UINT32_MAX,
        .device = file->device};
    sim_owner_take(&memory->owner, &memory->config.memory);
    memory->user = device->index;
    memory->granule = sim_physical_granule(&memory->config);
    memory->room = file->bytes;
    memory->view = view;
    memory->to_host = sim_process.open_memory;
    memory->foreign = true;
    memory->origin = *origin;
    memory->serial = atomic_fetch_add(&made, 1) + 1;
    return memory;
}

void sim_physical_end_locked(struct sim_physical *memory)
{
    if (memory->moved)
        sim_pages_drop(memory->moved);
    unmap_view(memory);
    if (memory->block != 0)
        (void)sim_arena_free(memory->arena, memory->block, NULL);
    free(memory);
}

void sim_physical_end(struct sim_physical *memory)
{
    if (!memory->view) {
        sim_physical_end_locked(memory);
        return;
    }
    sim_model_lock();
    sim_kernel_settle_locked(); /* it may have looked up an address there */
    sim_physical_end_locked(memory);
    sim_model_unlock();
}

/* ---- the table ------------------------------------------------------------------------------ */

struct sim_physical *sim_physical_find(uint64_t number)
{
    struct sim_physical *memory;
    HASH_FIND(hh, table, &number, sizeof(number), memory);
    return memory;
}

bool sim_physical_add(struct sim_physical *memory)
{
    if (sim_physical_find(memory->number))
        return false;
    HASH_ADD(hh, table, number, sizeof(memory->number), memory);
    return memory->hh.tbl != NULL;
}

void sim_physical_remove(struct sim_physical *memory)
{
    HASH_DELETE(hh, table, memory);
}

void sim_physical_each(void (*visit)(void *context, const struct sim_physical *memory),
                       void *context)
{
    for (const struct sim_physical *memory = table; memory; memory = memory->hh.next)
        visit(context, memory);
}

struct sim_physical *sim_physical_first(uint32_t user)
{
    for (struct sim_physical *memory = table; memory; memory = memory->hh.next)
        if (memory->user == user)
            return memory;
    return NULL;
}

bool sim_physical_any_view(void)
{
    for (struct sim_physical *memory = table; memory; memory = memory->hh.next)
        if (memory->view)
            return true;
    return false;
}

struct sim_physical *sim_physical_of(const struct sim_export *origin)
{
    for (struct sim_physical *memory = table; memory; memory = memory->hh.next)
        if (memory->foreign && memory->origin.process == origin->process &&
            memory->origin.descriptor == origin->descriptor &&
            memory->origin.secret[0] == origin->secret[0])
            return memory;
    return NULL;
}
