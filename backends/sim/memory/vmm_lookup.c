/* SPDX-License-Identifier: Apache-2.0 */
#include "memory/vmm_lookup.h"

#include <stdio.h>

#include "memory/arena.h"
#include "memory/vmm_records.h"
#include "wait/progress.h"

#define ANY_DEVICE UINT32_MAX

_Atomic(struct sim_vmm_leaf *) sim_vmm_leaves[SIM_VMM_LEAVES];
struct sim_records sim_mappings = {.bytes = sizeof(struct sim_mapping)};
struct sim_records sim_reservations = {.bytes = sizeof(struct sim_reservation)};

/* ---- lookups -------------------------------------------------------------------------------- */

void sim_vmm_info(uint64_t address, twin_memory_info *out_info)
{
    const uint32_t cell = sim_vmm_cell(address);
    out_info->reserved = true;
    if ((cell & SIM_CELL_GRANULE_ALONE) != 0) {
        out_info->kind = (cell & SIM_CELL_HOST) != 0 ? TWIN_MEMORY_HOST_PINNED : TWIN_MEMORY_DEVICE;
        out_info->device = cell >> SIM_CELL_DEVICE_SHIFT & (SIM_CELL_DEVICES - 1);
        out_info->base = address & ~(SIM_GRANULE - 1);
        out_info->size_bytes = SIM_GRANULE;
        out_info->page_bytes = SIM_HUGE_PAGE;
        out_info->mapped = true;
        return;
    }
    const struct sim_mapping *one = sim_mapping_at(address);
    if (!one) {
        out_info->kind = TWIN_MEMORY_GONE;
        return;
    }
    out_info->kind = one->host ? TWIN_MEMORY_HOST_PINNED : TWIN_MEMORY_DEVICE;
    out_info->device = one->device;
    out_info->base = one->base;
    out_info->size_bytes = one->bytes;
    out_info->page_bytes = SIM_HUGE_PAGE;
    out_info->mapped = true;
    out_info->foreign = one->foreign;
}

uint64_t sim_vmm_mapped(uint64_t address, uint64_t bytes)
{
    uint64_t found = 0;
    while (found < bytes) {
        const struct sim_mapping *one = sim_mapping_at(address + found);
        if (!one)
            return found;
        found += one->bytes - (address + found - one->base);
    }
    return bytes;
}

/* Whether it may use the mapping. The core has asked whether it reaches the owner's memory. */
static bool may_use(const struct sim_mapping *one, uint32_t device)
{
    return (one->access >> device & 1) != 0 || (one->access >> one->device & 1) != 0;
}

/* Where the model reaches the address. */
static char *place_of(const struct sim_mapping *one, uint64_t address)
{
    const uint64_t offset = address - one->base;
    const struct sim_arena *arena = one->arena;
    return arena ? arena->view + (one->block - arena->base) + offset
                 : (char *)(uintptr_t)one->block + offset;
}

/* Bytes from the address on that lie next to each other, at most `bytes`; of mappings that the
 * device may use. */
static uint64_t run_of(uint32_t device, uint64_t address, uint64_t bytes)
{
    const char *place = NULL;
    uint64_t found = 0;
    while (found < bytes) {
        const struct sim_mapping *one = sim_mapping_at(address + found);
        if (!one || (device != ANY_DEVICE && !may_use(one, device)))
            break;
        const char *next = place_of(one, address + found);
        if (found == 0)
            place = next;
        else if (next != place + found)
            break;
        found += one->bytes - (address + found - one->base);
    }
    return found < bytes ? found : bytes;
}

/* Prepares pages that are about to be used. */
static void touch(uint64_t address, uint64_t bytes, bool write)
{
    for (uint64_t done = 0; done < bytes;) {
        const struct sim_mapping *one = sim_mapping_at(address + done);
        if (!one)
            return;
        const uint64_t offset = address + done - one->base;
        const uint64_t part =
            one->bytes - offset < bytes - done ? one->bytes - offset : bytes - done;
        if (one->arena)
            (void)sim_arena_touch(one->arena, one->block + offset, part, write);
        done += part;
    }
}

void *sim_vmm_translate(uint32_t device, uint64_t address, uint64_t bytes,
                        enum twinsim_access access, enum twinsim_target *out_target,
                        uint32_t *out_device)
{
    const struct sim_mapping *one = sim_mapping_at(address);
    if (!one || run_of(device, address, bytes) < bytes)
        return NULL;
    char *place = place_of(one, address);
    *out_target = one->host ? TWINSIM_TARGET_HOST : TWINSIM_TARGET_HBM;
    if (!one->host)
        *out_device = one->device;
    if (access == TWINSIM_ROUTE)
        return place;
    if (access == TWINSIM_WRITE && !one->arena)
        sim_progress_seen = true; /* the host, or another process, may look at it */
    touch(address, bytes, access == TWINSIM_WRITE);
    return place;
}

/* A byte is named by where its physical memory is: in the arena, which nothing else has, or in
 * pages of the process. */
uint64_t sim_vmm_piece(uint64_t address, uint64_t *out_place)
{
    const struct sim_mapping *one = sim_mapping_at(address);
    if (!one)
        return 0;
    const uint64_t offset = address - one->base;
    *out_place = one->block + offset;
    return run_of(ANY_DEVICE, address, one->bytes - offset);
}

bool sim_vmm_allocated(uint64_t address, uint64_t bytes)
{
    return sim_vmm_mapped(address, bytes) == bytes;
}

/* ---- reports -------------------------------------------------------------------------------- */

struct sim_vmm_place sim_vmm_look(uint64_t address)
{
    struct sim_vmm_place place = {0};
    const struct sim_reservation *in = sim_reservation_at(address);
    if (!in)
        return place;
    place.reservation = in->serial;
    place.base = in->base;
    place.bytes = in->bytes;
    const struct sim_mapping *one = sim_mapping_at(address);
    if (one) {
        place.mapped_base = one->base;
        place.mapped_bytes = one->bytes;
        place.physical = one->serial;
    } else {
        place.physical = atomic_load_explicit(
            &sim_vmm_leaf(address)->last[sim_vmm_granule(address)], memory_order_relaxed);
    }
    return place;
}

bool sim_vmm_explain(uint32_t device, uint64_t address, uint64_t bytes, char *text, size_t room)
{
    const uint64_t end = address + bytes;
    while (address < end) {
        const struct sim_mapping *one = sim_mapping_at(address);
        if (!one || !may_use(one, device))
            break;
        address = one->base + one->bytes;
    }
    const struct sim_vmm_place place = sim_vmm_look(address);
    if (address >= end || place.reservation == 0)
        return false;
    char what[96];
    if (place.mapped_bytes != 0)
        (void)snprintf(what, sizeof(what), "device %u has no access to the mapping there (%s)",
                       device, "aclrtMemSetAccess");
    else if (place.physical != 0)
        (void)snprintf(what, sizeof(what), "physical memory %llu was mapped there, and is no more",
                       (unsigned long long)place.physical);
    else
        (void)snprintf(what, sizeof(what), "nothing was ever mapped there");
    (void)snprintf(text, room, "0x%llx, in reservation %llu (%llu bytes at 0x%llx): %s",
                   (unsigned long long)address, (unsigned long long)place.reservation,
                   (unsigned long long)place.bytes, (unsigned long long)place.base, what);
    return true;
}
