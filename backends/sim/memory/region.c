/* SPDX-License-Identifier: Apache-2.0 */
#include "memory/region.h"

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>

#include "memory/vmm_lookup.h"

/* Filled from the front; read without lock. */
static const struct sim_region *_Atomic regions[SIM_REGIONS];
static atomic_uint region_count;

/* All reserved addresses: base and bytes mean nothing. */
static const struct sim_region_ops vmm_ops = {.info = sim_vmm_info,
                                              .translate = sim_vmm_translate,
                                              .piece = sim_vmm_piece,
                                              .allocated = sim_vmm_allocated};
static const struct sim_region reservations = {.ops = &vmm_ops};

void sim_region_add(const struct sim_region *region)
{
    const unsigned count = atomic_load_explicit(&region_count, memory_order_relaxed);
    assert(count < SIM_REGIONS);
    atomic_store_explicit(&regions[count], region, memory_order_release);
    atomic_store_explicit(&region_count, count + 1, memory_order_release);
}

const struct sim_region *sim_region_of(uint64_t address)
{
    const unsigned count = atomic_load_explicit(&region_count, memory_order_acquire);
    if (sim_vmm_reserved(address))
        return &reservations;
    for (unsigned i = 0; i < count; i++) {
        const struct sim_region *region = atomic_load_explicit(&regions[i], memory_order_acquire);
        if (address - region->base < region->bytes)
            return region;
    }
    return NULL;
}
