/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory management: lookups of reserved addresses, and what is mapped there. vmm/vmm.c
 * reserves and maps.
 *
 * A reservation is address space without rights, and a number per granule of 2 MiB. A mapping is a
 * record that these granules lead to; the model looks it up and goes to the physical memory, so
 * that a mapping needs nothing of the host's kernel, and two mappings of one physical memory are
 * aliases by themselves. Physical memory of a device is a block of its arena whose address is never
 * given out. Only memory that the host reaches (that of the host, and all of it with
 * TWINRT_DEVMEM=open) has pages of its own, which are mapped again at the reserved addresses.
 *
 * Lookups are lock free; everything else takes one lock, after the model lock. */
#ifndef TWINRT_SIM_MEMORY_VMM_LOOKUP_H
#define TWINRT_SIM_MEMORY_VMM_LOOKUP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "process/process.h"

#define SIM_GRANULE_SHIFT 21u
#define SIM_GRANULE       (UINT64_C(1) << SIM_GRANULE_SHIFT)

/* Leaves of the map: 16 GiB of addresses each. They stay for the life of the process. */
#define SIM_VMM_LEAF_SHIFT 34u
#define SIM_VMM_LEAVES     (1u << (47u - SIM_VMM_LEAF_SHIFT))
#define SIM_VMM_GRANULES   (1u << (SIM_VMM_LEAF_SHIFT - SIM_GRANULE_SHIFT))

/* A lookup reads these two of a granule, from one cache line. */
struct sim_vmm_cell {
    _Atomic uint32_t reservation; /* number; 0: not reserved */
    _Atomic uint32_t mapping;     /* vmm_records.h; 0: nothing is mapped */
};
struct sim_vmm_leaf {
    struct sim_vmm_cell cells[SIM_VMM_GRANULES];
    _Atomic uint32_t last[SIM_VMM_GRANULES]; /* physical memory that was mapped last */
};
extern _Atomic(struct sim_vmm_leaf *) sim_vmm_leaves[SIM_VMM_LEAVES];

static inline struct sim_vmm_leaf *sim_vmm_leaf(uint64_t address)
{
    const uint64_t index = address >> SIM_VMM_LEAF_SHIFT;
    return index < SIM_VMM_LEAVES
               ? atomic_load_explicit(&sim_vmm_leaves[index], memory_order_acquire)
               : NULL;
}
static inline unsigned sim_vmm_granule(uint64_t address)
{
    return (unsigned)(address >> SIM_GRANULE_SHIFT) & (SIM_VMM_GRANULES - 1);
}
/* Whether the address is in a reservation. Lock free. */
static inline bool sim_vmm_reserved(uint64_t address)
{
    struct sim_vmm_leaf *leaf = sim_vmm_leaf(address);
    return leaf && atomic_load_explicit(&leaf->cells[sim_vmm_granule(address)].reservation,
                                        memory_order_relaxed) != 0;
}

/* The rest is for addresses in a reservation: lookups as memory/region.h has them. */
void sim_vmm_info(uint64_t address, twin_memory_info *out_info);
void *sim_vmm_translate(uint32_t device, uint64_t address, uint64_t bytes,
                        enum twinsim_access access, enum twinsim_target *out_target,
                        uint32_t *out_device);
uint64_t sim_vmm_piece(uint64_t address, uint64_t *out_place);
bool sim_vmm_allocated(uint64_t address, uint64_t bytes);
/* Bytes from the address on that are mapped without a hole, at most `bytes`. Lock free. */
uint64_t sim_vmm_mapped(uint64_t address, uint64_t bytes);

/* What is known of an address in a reservation. */
struct sim_vmm_place {
    uint64_t reservation;               /* counts reservations from 1; 0: the address is in none */
    uint64_t base, bytes;               /* of it */
    uint64_t mapped_base, mapped_bytes; /* what is mapped there; 0: nothing */
    uint64_t
        physical; /* what is mapped there, or was last; counts physical memory from 1; 0: none */
};
struct sim_vmm_place sim_vmm_look(uint64_t address);
/* Writes why `device` cannot use some address of the range. False: it can use all of it, or the
 * range is in no reservation. */
bool sim_vmm_explain(uint32_t device, uint64_t address, uint64_t bytes, char *text, size_t room);

#endif
