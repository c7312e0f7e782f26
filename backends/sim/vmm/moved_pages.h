/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of this process that others may open: its pages move into a memory file, at the place
 * where the model reaches them. */
#ifndef TWINRT_SIM_VMM_MOVED_PAGES_H
#define TWINRT_SIM_VMM_MOVED_PAGES_H

#include "vmm/memory_file.h"

struct sim_arena;
struct sim_block;

/* Pages of one allocation, or of physical memory. */
struct sim_moved_pages {
    struct sim_moved_pages *next;
    struct sim_arena *arena; /* of a block */
    uint64_t base;           /* of a block */
    uint64_t room;
    char *place;  /* where the model reaches them */
    char *parked; /* what was there before; NULL: what it was is made again */
    struct sim_memfile shared;
};

/* Moves the pages of the live block around the address into a file, if they are not in one.
 * TWIN_E_INVALID: no such block. TWIN_E_SETUP, TWIN_E_NOMEM. Takes the model lock. Thread: any. */
twin_status sim_pages_block(struct sim_arena *arena, uint64_t address,
                            struct sim_moved_pages **out);
/* The same for `room` bytes of a mapping at `place`, owned by the caller until sim_pages_drop. */
twin_status sim_pages_view(char *place, uint64_t room, uint32_t device, twin_page_policy pages,
                           struct sim_moved_pages **out);
void sim_pages_drop(struct sim_moved_pages *pages);
/* For sim_arena_config: the block is about to be dropped, its pages become what they were. */
void sim_pages_end_block(struct sim_arena *arena, uint64_t base);

/* The pages whose export has this process's secret, or NULL. */
struct sim_moved_pages *sim_pages_find(const struct sim_export *export);

#endif
