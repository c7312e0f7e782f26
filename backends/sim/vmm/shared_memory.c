/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on memory that processes share: parts of allocations by name, physical memory by
 * number. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utlist.h>

#include "device/device.h"
#include "memory/arena.h"
#include "memory/vmm_records.h"
#include "process/pool_hooks.h"
#include "vmm/physical.h"
#include "vmm/vmm.h"
#include "wait/leader.h"
#include "wait/progress.h"

/* What memory.open has given. */
struct import {
    struct import *next;
    char name[TWIN_SHARE_NAME];
    uint64_t address;
    unsigned uses; /* calls of memory.open without one of memory.close */
    struct sim_physical *memory;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* taken before those of the memory */
static pthread_mutex_t export_lock = PTHREAD_MUTEX_INITIALIZER; /* before the model lock */
static struct import *imports;                                  /* guarded by lock */

/* ---- physical memory ------------------------------------------------------------------------ */

static twin_status export_physical(struct sim_physical *memory, bool check_pid,
                                   struct sim_export *out)
{
    if (!memory->view)
        return sim_pages_export_block(memory->arena, memory->block, memory->config.memory.bytes,
                                      check_pid, SIM_EXPORT_SECRET_BITS, out);
    twin_status status =
        sim_pages_export_view(memory->view, memory->room, &memory->config, check_pid,
                              SIM_EXPORT_SECRET_BITS, out, &memory->moved);
    sim_vmm_show_again(memory);
    return status;
}

static twin_status share_locked(uint64_t physical, bool check_pid, uint64_t *out_shared)
{
    struct sim_physical *memory = sim_vmm_find(physical);
    struct sim_export export;
    const char *refusal = !memory               ? "it ended when its device was reset"
                          : memory->foreign     ? "it is memory of another process"
                          : memory->exported    ? "it is exported already"
                          : memory->config.host ? "it is memory of the host"
                                                : NULL;
    if (refusal) {
        sim_explain("the physical memory cannot be exported: %s", refusal);
        return TWIN_E_INVALID;
    }
    twin_status status = export_physical(memory, check_pid, &export);
    if (status != TWIN_OK)
        return status;
    if (!sim_export_number(&export, out_shared)) {
        (void)sim_pages_end(&export);
        sim_fail("no shareable handle for process %u and descriptor %u: the numbers are too large",
                 export.process, export.descriptor);
        return TWIN_E_SETUP;
    }
    memory->exported = true;
    return TWIN_OK;
}

twin_status sim_vmm_share(uint64_t physical, bool check_pid, uint64_t *out_shared)
{
    pthread_mutex_lock(&export_lock);
    const twin_status status = share_locked(physical, check_pid, out_shared);
    pthread_mutex_unlock(&export_lock);
    if (status == TWIN_OK)
        sim_progress_share_outside();
    return status;
}

twin_status sim_vmm_allow(uint64_t shared, const int32_t *pids, size_t count)
{
    struct sim_export export;
    sim_export_read_number(shared, &export);
    return sim_pages_allow(&export, pids, count);
}

/* Memory that another process has exported. */
static twin_status import_memory(twin_hw_device *device, struct sim_export *export,
                                 struct sim_physical **out)
{
    struct sim_memfile file;
    void *view = NULL;
    twin_status status = sim_memfile_open(export, &file, &view);
    if (status != TWIN_OK)
        return status;
    *out = sim_physical_import(device, &file, export, view);
    return *out ? TWIN_OK : TWIN_E_NOMEM;
}

twin_status sim_vmm_open(twin_hw_device *device, uint64_t shared, uint64_t physical,
                         twin_physical_config *out_config)
{
    struct sim_export export;
    struct sim_physical *memory = NULL;
    sim_export_read_number(shared, &export);
    if (export.process == (uint32_t)getpid()) {
        sim_explain("this process has exported it; map the handle that it was exported from");
        return TWIN_E_INVALID;
    }
    twin_status status = import_memory(device, &export, &memory);
    if (status != TWIN_OK)
        return status;
    if (memory->origin.offset != 0 || memory->origin.bytes > memory->room) {
        sim_physical_end(memory); /* no export writes that */
        sim_explain("it cannot be imported: its file is damaged");
        return TWIN_E_INVALID;
    }
    memory->number = physical;
    status = sim_vmm_add(memory);
    if (status != TWIN_OK) {
        sim_physical_end(memory);
        return status;
    }
    *out_config = memory->config;
    sim_progress_share_outside();
    return TWIN_OK;
}

/* ---- parts of allocations ------------------------------------------------------------------- */

static struct sim_arena *arena_of(uint64_t address)
{
    for (uint32_t i = 0; i < sim_process.device_count; i++) {
        twin_hw_device *device = sim_device_made(i);
        if (device && sim_arena_contains(&device->memory, address))
            return &device->memory;
    }
    return NULL;
}

/* Why the range cannot be shared; NULL: it can. */
static const char *refusal_of(struct sim_arena *arena, uint64_t address, uint64_t bytes)
{
    const struct sim_block *block = arena ? sim_arena_find(arena, address) : NULL;
    if (!block || atomic_load_explicit(&block->state, memory_order_acquire) != SIM_BLOCK_LIVE ||
        atomic_load_explicit(&block->hidden, memory_order_relaxed))
        return "it is not memory that aclrtMalloc gave";
    if (sim_pool_exists() && sim_pool_contains(block))
        return "it is of a memory pool, which gives it to later allocations";
    const uint64_t offset = address - block->base;
    if (offset > block->bytes || bytes > block->bytes - offset)
        return "the range leaves its allocation";
    if (offset % block->page_bytes != 0)
        return "it must begin with a page: of 4 KiB up to 1 MiB, else of 2 MiB or 1 GiB";
    return NULL;
}

/* The block behind a reserved address. Another reason why it cannot be shared; NULL: none. */
static const char *find_mapped(uint64_t address, uint64_t bytes, struct sim_arena **out_arena,
                               uint64_t *out_block)
{
    const struct sim_mapping *one = sim_mapping_at(address);
    if (!one)
        return "nothing is mapped there";
    if (one->foreign)
        return "it is memory of another process";
    const uint64_t offset = address - one->base;
    if (bytes > one->bytes - offset)
        return "the range leaves its mapping; export each mapping";
    if (offset % SIM_GRANULE != 0)
        return "it must begin with a page, of 2 MiB";
    *out_arena = one->arena;
    *out_block = one->block + offset;
    return *out_arena && !one->host ? NULL
                                    : "it is memory that the host reaches; physical memory is "
                                      "shared by aclrtMemExportToShareableHandle";
}

twin_status sim_memory_share(uint64_t address, uint64_t bytes, bool check_pid,
                             char out_name[TWIN_SHARE_NAME])
{
    struct sim_arena *arena = arena_of(address);
    struct sim_export export;
    uint64_t block = address;
    const char *refusal = sim_vmm_reserved(address) ? find_mapped(address, bytes, &arena, &block)
                                                    : refusal_of(arena, address, bytes);
    if (refusal) {
        sim_explain("%llu bytes at 0x%llx cannot be shared: %s", (unsigned long long)bytes,
                    (unsigned long long)address, refusal);
        return TWIN_E_INVALID;
    }
    twin_status status = sim_pages_export_block(arena, block, bytes, check_pid, 0, &export);
    if (status != TWIN_OK)
        return status;
    sim_export_name(&export, out_name);
    sim_progress_share_outside();
    return TWIN_OK;
}

static twin_status refuse_name(void)
{
    sim_explain("the key was not made by an export");
    return TWIN_E_INVALID;
}

twin_status sim_memory_allow(const char *name, const int32_t *pids, size_t count)
{
    struct sim_export export;
    return sim_export_read(name, &export) ? sim_pages_allow(&export, pids, count) : refuse_name();
}

static struct import *find_locked(const char *name, uint64_t address)
{
    struct import *one;
    LL_FOREACH(imports, one)
    {
        if (name ? strncmp(one->name, name, TWIN_SHARE_NAME) == 0 : one->address == address)
            return one;
    }
    return NULL;
}

/* *out_failed: to be ended without the lock. */
static twin_status open_locked(twin_hw_device *device, const char *name, struct sim_export *export,
                               struct import **out, struct sim_physical **out_failed)
{
    struct sim_physical *memory = NULL;
    struct import *one = calloc(1, sizeof(*one));
    twin_status status = one ? import_memory(device, export, &memory) : TWIN_E_NOMEM;
    if (status == TWIN_OK)
        status = sim_vmm_place(memory, &one->address);
    if (status != TWIN_OK) {
        *out_failed = memory;
        free(one);
        return status;
    }
    memcpy(one->name, name, TWIN_SHARE_NAME);
    one->memory = memory;
    LL_PREPEND(imports, one);
    *out = one;
    return TWIN_OK;
}

twin_status sim_memory_open(twin_hw_device *device, const char *name, uint64_t *out_address)
{
    struct sim_export export;
    struct sim_physical *failed = NULL;
    if (!sim_export_read(name, &export))
        return refuse_name();
    pthread_mutex_lock(&lock);
    struct import *one = find_locked(name, 0);
    twin_status status = one ? TWIN_OK : open_locked(device, name, &export, &one, &failed);
    if (status == TWIN_OK) {
        one->uses++;
        *out_address = one->address;
    }
    pthread_mutex_unlock(&lock);
    if (failed)
        sim_physical_end(failed);
    if (status == TWIN_OK)
        sim_progress_share_outside();
    return status;
}

bool sim_vmm_has_views(void)
{
    pthread_mutex_lock(&lock);
    const bool imported = imports != NULL;
    pthread_mutex_unlock(&lock);
    return imported || sim_vmm_any_view();
}

/* Takes one use of what memory.open gave. *out_last: that was the last, and nothing is mapped there
 * any more. False: it gave nothing like it. */
static bool close_import(const char *name, uint64_t address, struct sim_physical **out_last)
{
    pthread_mutex_lock(&lock);
    struct import *one = find_locked(name, address);
    const bool found = one != NULL;
    if (one && --one->uses == 0) {
        *out_last = one->memory;
        sim_vmm_unplace(one->memory);
        LL_DELETE(imports, one);
        free(one);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

twin_status sim_memory_close(const char *name, uint64_t address)
{
    struct sim_physical *last = NULL;
    struct sim_export export;
    if (sim_process.sim)
        sim_drive_poll(); /* what has ended by now used the memory rightly */
    if (close_import(name, address, &last)) {
        if (last)
            sim_physical_end(last);
        return TWIN_OK;
    }
    if (name && sim_export_read(name, &export) && sim_pages_end(&export) == TWIN_OK)
        return TWIN_OK;
    sim_explain(name ? "this process has neither exported nor imported the key, or has closed it"
                     : "no memory of another process was imported there");
    return TWIN_E_INVALID;
}

void sim_imports_close(uint32_t device)
{
    struct import *one, *next;
    pthread_mutex_lock(&lock);
    LL_FOREACH_SAFE(imports, one, next) {
        if (one->memory->user != device)
            continue;
        sim_vmm_unplace(one->memory);
        sim_physical_end_locked(one->memory);
        LL_DELETE(imports, one);
        free(one);
    }
    pthread_mutex_unlock(&lock);
}
