/* SPDX-License-Identifier: Apache-2.0 */
/* What the memory of an arena contains, kept in host memory and put back later. */
#ifndef TWINRT_SIM_MEMORY_SAVED_MEMORY_H
#define TWINRT_SIM_MEMORY_SAVED_MEMORY_H

#include "memory/arena.h"

/* One block and those of its pages that had contents. */
struct sim_saved_block {
    uint64_t base, room, serial;
    size_t first, count; /* of its pages among `pages` */
};

/* Zero: nothing is kept. */
struct sim_saved {
    struct sim_saved_block *blocks;
    size_t block_count, block_room;
    uint32_t *pages; /* page numbers of the arena, rising in each block */
    char *contents;  /* of those pages */
    size_t page_count, page_room;
};

/* Keeps the contents of all live blocks. The model lock is held: nothing else writes them.
 * TWIN_E_NOMEM: `saved` is as before. */
twin_status sim_saved_take(struct sim_saved *saved, struct sim_arena *arena);
/* Puts them back into those blocks that are still live. The model lock is held. */
void sim_saved_restore(const struct sim_saved *saved, struct sim_arena *arena);
void sim_saved_drop(struct sim_saved *saved);

#endif
