/* SPDX-License-Identifier: Apache-2.0 */
/* The records that the map of vmm_lookup.h leads to. They stay where they are, with their type. */
#ifndef TWINRT_SIM_MEMORY_VMM_RECORDS_H
#define TWINRT_SIM_MEMORY_VMM_RECORDS_H

#include "memory/owner.h"
#include "memory/vmm_lookup.h"

struct sim_arena;
struct sim_physical;

#define SIM_RECORDS_CHUNK  1024u
#define SIM_RECORDS_CHUNKS 16384u

/* Of a granule of the map: the number of the mapping. If the mapping is this granule alone, of
 * memory of this process, all that a query asks for is here too. */
#define SIM_CELL_NUMBER        0x1ffffffu
#define SIM_CELL_DEVICE_SHIFT  25u
#define SIM_CELL_DEVICES       32u
#define SIM_CELL_HOST          0x40000000u
#define SIM_CELL_GRANULE_ALONE 0x80000000u
_Static_assert(SIM_RECORDS_CHUNK *SIM_RECORDS_CHUNKS <= SIM_CELL_NUMBER, "numbers fit");

/* What a lookup reads of it is in one cache line.
 * Written under the lock, read without: for an address that another thread maps anew meanwhile a
 * reader may see either mapping, but never a torn number. */
struct sim_mapping {
    _Alignas(64) _Atomic uint64_t base;
    _Atomic uint64_t bytes;
    _Atomic(struct sim_arena *) arena; /* NULL: not in one */
    _Atomic uint64_t block;            /* in the arena; else where the model reaches the pages */
    _Atomic uint64_t access;           /* bit per device */
    _Atomic uint32_t device;
    _Atomic uint32_t serial; /* of the physical memory */
    atomic_bool host, host_access, foreign;
    uint32_t number;                 /* its own */
    uint32_t next_free;              /* guarded by the lock, as the rest */
    struct sim_physical *memory;     /* NULL: it is free */
    struct sim_mapping *prev, *next; /* of the same memory */
};

struct sim_reservation {
    _Atomic uint64_t base, bytes; /* base 0: it is free */
    _Atomic uint64_t serial;
    uint32_t number;
    uint32_t next_free;
    uint32_t mappings;
    uint32_t device; /* what the mappings have in common */
    bool host, foreign;
    bool in_span; /* its place is of the span */
    struct sim_owner owner;
};

struct sim_records {
    _Atomic(char *) chunks[SIM_RECORDS_CHUNKS];
    size_t bytes; /* of a record */
    uint32_t used, first_free;
};
extern struct sim_records sim_mappings, sim_reservations;

/* Numbers count from 1. Lock free. */
static inline void *sim_record_at(struct sim_records *records, uint32_t number)
{
    char *chunk = atomic_load_explicit(&records->chunks[(number - 1) / SIM_RECORDS_CHUNK],
                                       memory_order_acquire);
    return chunk + (size_t)((number - 1) % SIM_RECORDS_CHUNK) * records->bytes;
}

static inline struct sim_reservation *sim_reservation_at(uint64_t address)
{
    struct sim_vmm_leaf *leaf = sim_vmm_leaf(address);
    const uint32_t number =
        leaf ? atomic_load_explicit(&leaf->cells[sim_vmm_granule(address)].reservation,
                                    memory_order_acquire)
             : 0;
    return number != 0 ? sim_record_at(&sim_reservations, number) : NULL;
}

/* Of a mapping that is complete. */
static inline uint32_t sim_cell_of(const struct sim_mapping *one)
{
    if (one->bytes != SIM_GRANULE || one->foreign || one->device >= SIM_CELL_DEVICES)
        return one->number;
    return one->number | SIM_CELL_GRANULE_ALONE | one->device << SIM_CELL_DEVICE_SHIFT |
           (one->host ? SIM_CELL_HOST : 0);
}

/* What the map says of a granule; 0: nothing is mapped there. Lock free. */
static inline uint32_t sim_vmm_cell(uint64_t address)
{
    struct sim_vmm_leaf *leaf = sim_vmm_leaf(address);
    return leaf ? atomic_load_explicit(&leaf->cells[sim_vmm_granule(address)].mapping,
                                       memory_order_acquire)
                : 0;
}

/* The mapping that contains the address, or NULL. Lock free. */
static inline struct sim_mapping *sim_mapping_at(uint64_t address)
{
    const uint32_t number = sim_vmm_cell(address) & SIM_CELL_NUMBER;
    if (number == 0)
        return NULL;
    struct sim_mapping *one = sim_record_at(&sim_mappings, number);
    return address - one->base < one->bytes ? one : NULL;
}

#endif
