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

/* Exports `bytes` from an address of a live block on, whose pages move into a file if they are not
 * in one. secret_bits 0: the same part has one export; else each call makes one. Takes the model
 * lock. Thread: any. TWIN_E_INVALID: no such block, or explained. TWIN_E_SETUP, TWIN_E_NOMEM. */
twin_status sim_pages_export_block(struct sim_arena *arena, uint64_t address, uint64_t bytes,
                                   bool check_pid, unsigned secret_bits, struct sim_export *out);
/* The same of a mapping of `room` bytes at `place`; *out_pages is the caller's until
 * sim_pages_drop. */
twin_status sim_pages_export_view(char *place, uint64_t room, const twin_physical_config *config,
                                  bool check_pid, unsigned secret_bits, struct sim_export *out,
                                  struct sim_moved_pages **out_pages);
void sim_pages_drop(struct sim_moved_pages *pages);
/* For sim_arena_config: the block is about to be dropped, its pages become what they were. */
void sim_pages_end_block(struct sim_arena *arena, uint64_t base);

/* Of an export of this process: lets processes open it; ends it. TWIN_E_INVALID: there is no such
 * one. */
twin_status sim_pages_allow(const struct sim_export *export, const int32_t *pids, size_t count);
twin_status sim_pages_end(const struct sim_export *export);

#endif
