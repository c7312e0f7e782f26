/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* mremap, MAP_FIXED_NOREPLACE */
#include "vmm/vmm.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <utlist.h>

#include "device/device.h"
#include "memory/address_map.h"
#include "memory/arena.h"
#include "memory/reserve.h"
#include "memory/vmm_records.h"
#include "vmm/physical.h"
#include "vmm/place.h"
#include "wait/leader.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t reservation_count; /* guarded by lock */

void sim_vmm_take_lock(void)
{
    pthread_mutex_lock(&lock);
}

void sim_vmm_drop_lock(void)
{
    pthread_mutex_unlock(&lock);
}

/* ---- records -------------------------------------------------------------------------------- */

/* A record that was never used; 0: out of memory. */
static uint32_t new_record_locked(struct sim_records *pool)
{
    const uint32_t index = pool->used;
    if (index >= SIM_RECORDS_CHUNK * SIM_RECORDS_CHUNKS)
        return 0;
    if (index % SIM_RECORDS_CHUNK == 0) {
        char *chunk = sim_reserve(SIM_RECORDS_CHUNK * pool->bytes);
        if (!chunk)
            return 0;
        atomic_store_explicit(&pool->chunks[index / SIM_RECORDS_CHUNK], chunk,
                              memory_order_release);
    }
    return pool->used = index + 1;
}

static struct sim_mapping *take_mapping_locked(void)
{
    uint32_t number = sim_mappings.first_free;
    const bool fresh = number == 0;
    if (fresh && (number = new_record_locked(&sim_mappings)) == 0)
        return NULL;
    struct sim_mapping *one = sim_record_at(&sim_mappings, number);
    if (!fresh)
        sim_mappings.first_free = one->next_free;
    one->number = number;
    return one;
}

static void drop_mapping_locked(struct sim_mapping *one)
{
    one->memory = NULL;
    one->next_free = sim_mappings.first_free;
    sim_mappings.first_free = one->number;
}

static struct sim_reservation *take_reservation_locked(void)
{
    uint32_t number = sim_reservations.first_free;
    const bool fresh = number == 0;
    if (fresh && (number = new_record_locked(&sim_reservations)) == 0)
        return NULL;
    struct sim_reservation *one = sim_record_at(&sim_reservations, number);
    if (!fresh)
        sim_reservations.first_free = one->next_free;
    one->number = number;
    return one;
}

static void drop_reservation_locked(struct sim_reservation *one)
{
    one->base = 0;
    one->next_free = sim_reservations.first_free;
    sim_reservations.first_free = one->number;
}

/* ---- the map -------------------------------------------------------------------------------- */

/* Makes the leaves for a range. */
static bool make_leaves_locked(uint64_t base, uint64_t bytes)
{
    for (uint64_t i = base >> SIM_VMM_LEAF_SHIFT; i <= (base + bytes - 1) >> SIM_VMM_LEAF_SHIFT;
         i++) {
        if (i >= SIM_VMM_LEAVES)
            return false;
        if (atomic_load_explicit(&sim_vmm_leaves[i], memory_order_relaxed))
            continue;
        struct sim_vmm_leaf *leaf = sim_reserve(sizeof(*leaf));
        if (!leaf)
            return false;
        atomic_store_explicit(&sim_vmm_leaves[i], leaf, memory_order_release);
    }
    return true;
}

static void note_reservation_locked(uint64_t base, uint64_t bytes, uint32_t number)
{
    for (uint64_t at = base; at < base + bytes; at += SIM_GRANULE) {
        struct sim_vmm_leaf *leaf = sim_vmm_leaf(at);
        const unsigned granule = sim_vmm_granule(at);
        atomic_store_explicit(&leaf->cells[granule].reservation, number, memory_order_release);
        /* pages of the leaf that nothing was written to stay as they are */
        if (number == 0 && atomic_load_explicit(&leaf->last[granule], memory_order_relaxed) != 0)
            atomic_store_explicit(&leaf->last[granule], 0, memory_order_relaxed);
    }
}

/* `cell` 0: nothing is mapped there any more; `serial`: what was last. */
static void note_mapping_locked(uint64_t base, uint64_t bytes, uint32_t cell, uint32_t serial)
{
    for (uint64_t at = base; at < base + bytes; at += SIM_GRANULE) {
        struct sim_vmm_leaf *leaf = sim_vmm_leaf(at);
        const unsigned granule = sim_vmm_granule(at);
        if (cell == 0)
            atomic_store_explicit(&leaf->last[granule], serial, memory_order_relaxed);
        /* release: who finds the number sees the record's fields */
        atomic_store_explicit(&leaf->cells[granule].mapping, cell, memory_order_release);
    }
}

/* ---- reservations --------------------------------------------------------------------------- */

twin_status sim_vmm_reserve(uint64_t bytes, uint64_t expected, uint64_t *out_address)
{
    if (bytes > SIM_RESERVE_BYTES) {
        sim_explain("%llu bytes of addresses were requested; at most %llu are given",
                    (unsigned long long)bytes, (unsigned long long)SIM_RESERVE_BYTES);
        return TWIN_E_NOMEM;
    }
    pthread_mutex_lock(&lock);
    twin_status status = TWIN_E_NOMEM;
    struct sim_reservation *one = take_reservation_locked();
    if (!one)
        goto unlock;
    status = sim_place_take(bytes, expected, one);
    if (status != TWIN_OK)
        goto drop;
    bytes = one->bytes;
    status = TWIN_E_NOMEM;
    if (!make_leaves_locked(one->base, bytes)) {
        sim_place_release(one);
        goto drop;
    }
    one->serial = ++reservation_count;
    one->mappings = 0;
    sim_owner_take(&one->owner, &(twin_allocation){.module = TWIN_MODULE_APP});
    note_reservation_locked(one->base, bytes, one->number);
    *out_address = one->base;
    status = TWIN_OK;
    goto unlock;
drop:
    drop_reservation_locked(one);
unlock:
    pthread_mutex_unlock(&lock);
    return status;
}

twin_status sim_vmm_release(uint64_t address)
{
    pthread_mutex_lock(&lock);
    twin_status status = TWIN_E_INVALID;
    struct sim_reservation *one = sim_reservation_at(address);
    if (!one || one->base != address) {
        sim_explain(one ? "0x%llx is inside the reserved range that starts at 0x%llx"
                        : "0x%llx is not the start of a reserved range",
                    (unsigned long long)address, (unsigned long long)(one ? one->base : 0));
    } else if (one->mappings != 0) {
        sim_explain("%u mappings are left in the range at 0x%llx; end them with aclrtUnmapMem "
                    "first",
                    one->mappings, (unsigned long long)address);
    } else {
        status = TWIN_OK;
        note_reservation_locked(one->base, one->bytes, 0);
        sim_place_release(one);
        drop_reservation_locked(one);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

/* ---- mappings ------------------------------------------------------------------------------- */

/* Gives the host the pages of `memory` at the addresses, or takes them away. False: the system
 * cannot map so many. */
static bool show_to_host(uint64_t address, uint64_t bytes, const struct sim_physical *memory)
{
    return mremap(memory->view, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                  (void *)(uintptr_t)address) != MAP_FAILED;
}

static void hide_from_host(uint64_t address, uint64_t bytes)
{
    sim_place_hide(address, bytes);
}

static bool is_free_locked(uint64_t address, uint64_t bytes)
{
    for (uint64_t at = address; at < address + bytes; at += SIM_GRANULE)
        if (sim_vmm_leaf(at)->cells[sim_vmm_granule(at)].mapping != 0)
            return false;
    return true;
}

/* Why the memory cannot be mapped there; NULL: it can. */
static const char *refusal_locked(const struct sim_reservation *into, uint64_t address,
                                  uint64_t bytes, const struct sim_physical *memory)
{
    if (!into)
        return "it is not reserved";
    if (address % memory->granule != 0 || bytes % memory->granule != 0)
        return "address and size must be multiples of the granularity";
    if (bytes > into->bytes - (address - into->base))
        return "the range leaves its reservation";
    if (!is_free_locked(address, bytes))
        return "something is mapped there; end it with aclrtUnmapMem first";
    if (into->mappings == 0)
        return NULL;
    if (into->foreign != memory->foreign)
        return "the reservation has memory of this process and of another one";
    if (into->host != memory->config.host || (!into->host && into->device != memory->config.device))
        return "the reservation has memory of another device";
    return NULL;
}

/* Devices that use a mapping of it: all, of host memory; else the owner, and who imported it. */
static uint64_t access_of(const struct sim_physical *memory)
{
    if (memory->config.host)
        return UINT64_MAX;
    return UINT64_C(1) << memory->config.device |
           (memory->user < SIM_DEVICES_MOST ? UINT64_C(1) << memory->user : 0);
}

twin_status sim_vmm_map(uint64_t address, uint64_t bytes, uint64_t physical, bool access)
{
    twin_status status = TWIN_E_INVALID;
    pthread_mutex_lock(&lock);
    struct sim_physical *memory = sim_physical_find(physical);
    struct sim_reservation *into = sim_reservation_at(address);
    const char *refusal =
        memory ? refusal_locked(into, address, bytes, memory) : "the physical memory is gone";
    struct sim_mapping *one = NULL;
    if (refusal) {
        sim_explain("cannot map %llu bytes at 0x%llx: %s", (unsigned long long)bytes,
                    (unsigned long long)address, refusal);
        goto unlock;
    }
    status = TWIN_E_NOMEM;
    one = take_mapping_locked();
    if (!one)
        goto unlock;
    const bool shown = memory->to_host && (memory->config.host || access);
    if (shown && !show_to_host(address, bytes, memory)) {
        sim_explain("the system cannot map more for the host: %s; see vm.max_map_count",
                    strerror(errno));
        drop_mapping_locked(one);
        goto unlock;
    }
    one->base = address;
    one->bytes = bytes;
    one->arena = memory->arena;
    one->block = memory->view ? (uint64_t)(uintptr_t)memory->view : memory->block;
    one->device = memory->config.device;
    one->serial = memory->serial;
    one->host = memory->config.host;
    one->foreign = false;
    one->host_access = shown;
    one->access = access ? access_of(memory) : 0;
    one->memory = memory;
    DL_APPEND(memory->mappings, one);
    note_mapping_locked(address, bytes, sim_cell_of(one), 0);
    into->mappings++;
    into->device = memory->config.device;
    into->host = memory->config.host;
    into->foreign = memory->foreign;
    status = TWIN_OK;
unlock:
    pthread_mutex_unlock(&lock);
    return status;
}

static void end_mapping_locked(struct sim_mapping *one)
{
    assert(one->memory);
    if (one->host_access)
        hide_from_host(one->base, one->bytes);
    note_mapping_locked(one->base, one->bytes, 0, one->serial);
    sim_reservation_at(one->base)->mappings--;
    DL_DELETE(one->memory->mappings, one);
    drop_mapping_locked(one);
}

/* The mapping that begins there; NULL: explained. */
static struct sim_mapping *begins_at_locked(uint64_t address)
{
    struct sim_mapping *one = sim_mapping_at(address);
    if (one && one->memory->number == 0) {
        sim_explain("0x%llx is memory of another process; aclrtIpcMemClose ends it",
                    (unsigned long long)address);
        return NULL;
    }
    if (one && one->base == address)
        return one;
    if (one)
        sim_explain("0x%llx is inside the mapping that starts at 0x%llx",
                    (unsigned long long)address, (unsigned long long)one->base);
    else
        sim_explain("nothing is mapped at 0x%llx", (unsigned long long)address);
    return NULL;
}

twin_status sim_vmm_unmap(uint64_t address, uint64_t *out_physical)
{
    if (sim_process.sim)
        sim_drive_poll(); /* what has ended by now used the mapping rightly */
    pthread_mutex_lock(&lock);
    struct sim_mapping *one = begins_at_locked(address);
    if (one) {
        *out_physical = one->memory->number;
        end_mapping_locked(one);
    }
    pthread_mutex_unlock(&lock);
    return one ? TWIN_OK : TWIN_E_INVALID;
}

twin_status sim_vmm_mapping(uint64_t address, twin_mapping *out_mapping)
{
    pthread_mutex_lock(&lock);
    const struct sim_mapping *one = begins_at_locked(address);
    if (one)
        *out_mapping = (twin_mapping){.physical = one->memory->number, .bytes = one->bytes};
    pthread_mutex_unlock(&lock);
    return one ? TWIN_OK : TWIN_E_INVALID;
}

/* ---- memory of other processes --------------------------------------------------------------- */

struct sim_physical *sim_vmm_find(uint64_t physical)
{
    pthread_mutex_lock(&lock);
    struct sim_physical *memory = sim_physical_find(physical);
    pthread_mutex_unlock(&lock);
    return memory;
}

bool sim_vmm_any_view(void)
{
    pthread_mutex_lock(&lock);
    const bool any = sim_physical_any_view();
    pthread_mutex_unlock(&lock);
    return any;
}

void sim_vmm_show_again(struct sim_physical *memory)
{
    pthread_mutex_lock(&lock);
    for (struct sim_mapping *one = memory->mappings; one; one = one->next)
        if (one->host_access && !show_to_host(one->base, one->bytes, memory))
            sim_fail("the host cannot reach 0x%llx any more: %s", (unsigned long long)one->base,
                     strerror(errno));
    pthread_mutex_unlock(&lock);
}

twin_status sim_vmm_add(struct sim_physical *memory)
{
    pthread_mutex_lock(&lock);
    twin_status status = TWIN_E_INVALID;
    if (sim_physical_of(&memory->origin))
        sim_explain("this process has imported it already");
    else
        status = sim_physical_add(memory) ? TWIN_OK : TWIN_E_NOMEM;
    pthread_mutex_unlock(&lock);
    return status;
}

twin_status sim_vmm_place(struct sim_physical *memory, uint64_t *out_address)
{
    uint64_t address = 0;
    const uint64_t bytes = memory->config.memory.bytes;
    twin_status status = sim_vmm_reserve(bytes, 0, &address);
    if (status != TWIN_OK)
        return status;
    pthread_mutex_lock(&lock);
    struct sim_mapping *one = take_mapping_locked();
    if (one) {
        one->base = address;
        one->bytes = bytes;
        one->arena = NULL;
        one->block = (uint64_t)(uintptr_t)memory->view + memory->origin.offset;
        one->device = memory->config.device;
        one->serial = memory->serial;
        one->host = false;
        one->foreign = true;
        one->host_access = false;
        one->access = access_of(memory);
        one->memory = memory;
        DL_APPEND(memory->mappings, one);
        note_mapping_locked(address, bytes, sim_cell_of(one), 0);
        sim_reservation_at(address)->mappings++;
    }
    pthread_mutex_unlock(&lock);
    if (!one) {
        (void)sim_vmm_release(address);
        return TWIN_E_NOMEM;
    }
    *out_address = address;
    return TWIN_OK;
}

void sim_vmm_unplace(struct sim_physical *memory)
{
    pthread_mutex_lock(&lock);
    const uint64_t address = memory->mappings->base;
    end_mapping_locked(memory->mappings);
    pthread_mutex_unlock(&lock);
    (void)sim_vmm_release(address);
}

/* ---- access --------------------------------------------------------------------------------- */

static twin_status let_host_locked(struct sim_mapping *one)
{
    if (one->host_access)
        return TWIN_OK;
    if (!one->memory->to_host) {
        sim_explain("the host does not reach device memory; set TWINRT_DEVMEM=open");
        return TWIN_E_UNSUPPORTED;
    }
    if (!show_to_host(one->base, one->bytes, one->memory))
        return TWIN_E_NOMEM;
    one->host_access = true;
    return TWIN_OK;
}

twin_status sim_vmm_set_access(uint64_t address, uint64_t bytes, const twin_accessor *accessor)
{
    twin_status status = TWIN_E_INVALID;
    pthread_mutex_lock(&lock);
    struct sim_mapping *one = begins_at_locked(address);
    if (one && one->bytes != bytes) {
        sim_explain("size is %llu; %llu bytes are mapped at 0x%llx", (unsigned long long)bytes,
                    (unsigned long long)one->bytes, (unsigned long long)address);
    } else if (one && accessor->host) {
        status = let_host_locked(one);
    } else if (one && accessor->device < sim_process.device_count) {
        atomic_fetch_or(&one->access, UINT64_C(1) << accessor->device);
        status = one->memory->to_host ? let_host_locked(one) : TWIN_OK;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

twin_status sim_vmm_get_access(uint64_t address, const twin_accessor *accessor, bool *out_access)
{
    pthread_mutex_lock(&lock);
    const struct sim_mapping *one = begins_at_locked(address);
    if (one)
        *out_access = accessor->host ? one->host_access
                                     : accessor->device < SIM_DEVICES_MOST &&
                                           (one->access >> accessor->device & 1) != 0;
    pthread_mutex_unlock(&lock);
    return one ? TWIN_OK : TWIN_E_INVALID;
}

/* ---- physical memory ------------------------------------------------------------------------ */

twin_status sim_vmm_granularity(const twin_physical_config *config, uint64_t *out_bytes)
{
    *out_bytes = sim_physical_granule(config);
    return *out_bytes != 0 ? TWIN_OK : TWIN_E_UNSUPPORTED;
}

twin_status sim_vmm_create(twin_hw_device *device, const twin_physical_config *config,
                           uint64_t physical)
{
    struct sim_physical *memory = NULL;
    twin_status status = sim_physical_make(device, config, &memory);
    if (status != TWIN_OK)
        return status;
    memory->number = physical;
    pthread_mutex_lock(&lock);
    const bool added = sim_physical_add(memory);
    pthread_mutex_unlock(&lock);
    if (!added)
        sim_physical_end(memory);
    return added ? TWIN_OK : TWIN_E_NOMEM;
}

twin_status sim_vmm_destroy(uint64_t physical)
{
    pthread_mutex_lock(&lock);
    struct sim_physical *memory = sim_physical_find(physical);
    const bool ends = memory && !memory->mappings;
    if (ends)
        sim_physical_remove(memory);
    pthread_mutex_unlock(&lock);
    if (ends) {
        sim_physical_end(memory);
        return TWIN_OK;
    }
    sim_explain(memory ? "something is mapped to it" : "it ended when its device was reset");
    return TWIN_E_INVALID;
}

void sim_vmm_close_device(twin_hw_device *device)
{
    struct sim_physical *left = NULL;
    sim_imports_close(device->index);
    pthread_mutex_lock(&lock);
    struct sim_physical *memory;
    while ((memory = sim_physical_first(device->index)) != NULL) {
        while (memory->mappings)
            end_mapping_locked(memory->mappings);
        sim_physical_remove(memory);
        LL_PREPEND2(left, memory, next);
    }
    pthread_mutex_unlock(&lock);
    while (left) {
        memory = left;
        LL_DELETE2(left, memory, next);
        sim_physical_end_locked(memory);
    }
}
