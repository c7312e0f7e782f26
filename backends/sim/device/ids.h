/* SPDX-License-Identifier: Apache-2.0 */
/* Hardware ids of one table (events or notifies) of one device.
 *
 * An id is free, taken, or dirty: released, but its table entry must be cleared before it can be
 * taken again, which needs the model lock. Taking and releasing need no lock. */
#ifndef TWINRT_SIM_DEVICE_IDS_H
#define TWINRT_SIM_DEVICE_IDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "twinsim.h"
#include "twinsim/stars.h"

/* A binding ties one event id to one record: it counts the record and the waits that named it. */
struct sim_binding {
    /* high 32 bits: generation, raised by each taking; low 32 bits: references, 0: the id is not
     * retained */
    _Atomic uint64_t state;
    _Atomic uint32_t next_dirty; /* id + 1 */
};

struct sim_ids {
    uint32_t count;
    uint64_t table_base;     /* of the first table in the STARS window */
    uint32_t of_table;       /* ids of one table */
    _Atomic uint64_t *taken; /* a bit per id; a dirty id is taken */
    struct sim_binding *bindings;
    _Atomic uint32_t dirty;      /* head of the list of dirty ids, id + 1 */
    _Atomic uint32_t free_count; /* without the dirty ones */
};

/* False: out of host memory. */
bool sim_ids_init(struct sim_ids *ids, uint32_t count, uint64_t table_base, uint32_t of_table);
void sim_ids_fini(struct sim_ids *ids);

/* The offset of an id's entry in the STARS window. */
static inline uint64_t sim_ids_entry(const struct sim_ids *ids, uint32_t id)
{
    return STARS_ENTRY(ids->table_base, ids->of_table, id);
}

/* Takes the first free id at or after *cursor, going round; moves *cursor there. The new binding
 * has one reference. False: none is free. Thread: any. */
bool sim_ids_take(struct sim_ids *ids, uint32_t *cursor, uint32_t *out_id,
                  uint32_t *out_generation);
/* One more reference if generation `generation` of the id is still held. Thread: any. */
bool sim_ids_retain(struct sim_ids *ids, uint32_t id, uint32_t generation);
/* Whether more than one reference on that generation is held. Thread: any. */
bool sim_ids_shared(const struct sim_ids *ids, uint32_t id, uint32_t generation);
/* Takes a reference away; the last one makes the id dirty. Thread: any. */
void sim_ids_drop(struct sim_ids *ids, uint32_t id);
/* Clears the table entries of dirty ids and frees them. Thread: model. */
void sim_ids_clean(struct sim_ids *ids, twinsim *sim, uint32_t device);
/* The same for one of them, if it is. Only while no other thread runs (sim_replayed). */
void sim_ids_clean_one(struct sim_ids *ids, twinsim *sim, uint32_t device, uint32_t wanted);

/* While no other thread runs (sim_replayed): whatever has retired and holds the id releases it, and
 * it is free. queue/reclaim.c. */
void sim_queue_release_id(struct sim_ids *ids, uint32_t id);

#endif
