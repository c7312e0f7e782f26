/* SPDX-License-Identifier: Apache-2.0 */
/* Regions: ranges of addresses outside the arenas, each with its own lookup. A region is added once
 * and stays for the life of the process. */
#ifndef TWINRT_SIM_MEMORY_REGION_H
#define TWINRT_SIM_MEMORY_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include "seam/types.h"
#include "twinsim.h"

/* Each gets an address of the region. Lock free; thread: any, unless said otherwise. */
struct sim_region_ops {
    /* As memory.info. */
    void (*info)(uint64_t address, twin_memory_info *out_info);
    /* As twinsim_bus.translate; *out_device is the device that asks. Thread: model. */
    void *(*translate)(uint32_t device, uint64_t address, uint64_t bytes,
                       enum twinsim_access access, enum twinsim_target *out_target,
                       uint32_t *out_device);
    /* As twinsim_bus.piece. Thread: model. */
    uint64_t (*piece)(uint64_t address, uint64_t *out_place);
    /* Whether all bytes of the range may be used by a device. */
    bool (*allocated)(uint64_t address, uint64_t bytes);
};

struct sim_region {
    uint64_t base;
    uint64_t bytes;
    const struct sim_region_ops *ops;
};

#define SIM_REGIONS 4u

/* Adds a region, which must stay. At most SIM_REGIONS. Thread: init, or with the model lock. */
void sim_region_add(const struct sim_region *region);
/* The region of an address, or NULL. Lock free. */
const struct sim_region *sim_region_of(uint64_t address);

#endif
