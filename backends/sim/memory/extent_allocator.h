/* SPDX-License-Identifier: Apache-2.0 */
/* Free extents of a row of equal units: best fit, lowest first, neighbours join. The same calls
 * always give the same places. */
#ifndef TWINRT_SIM_MEMORY_EXTENT_ALLOCATOR_H
#define TWINRT_SIM_MEMORY_EXTENT_ALLOCATOR_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_SPAN_BINS 32u

struct sim_span_node;

/* Not locked: the owner's lock guards it. */
struct sim_span {
    uint32_t units;
    uint64_t free_units;
    struct sim_span_node *nodes;  /* one per unit, committed as touched */
    uint32_t bins[SIM_SPAN_BINS]; /* first extent of each size class */
};

/* One free extent of `units` units. False: out of host memory. */
bool sim_span_init(struct sim_span *span, uint32_t units);
void sim_span_fini(struct sim_span *span);
/* Everything is free again; releases the memory of the bookkeeping. */
void sim_span_clear(struct sim_span *span);
/* Takes `count` units at a multiple of `align` units. False: no such extent. */
bool sim_span_take(struct sim_span *span, uint32_t count, uint32_t align, uint32_t *out_start);
/* Takes these units. False: some of them are taken. As many steps as there are free extents. */
bool sim_span_take_at(struct sim_span *span, uint32_t place, uint32_t count);
void sim_span_release(struct sim_span *span, uint32_t start, uint32_t count);

#endif
