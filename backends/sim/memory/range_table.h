/* SPDX-License-Identifier: Apache-2.0 */
/* A sorted table of ranges of addresses that do not overlap. A lookup takes no lock and is
 * O(log n); changes are made by one thread at a time and are O(n). */
#ifndef TWINRT_SIM_MEMORY_RANGE_TABLE_H
#define TWINRT_SIM_MEMORY_RANGE_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_range {
    uint64_t base;
    uint64_t bytes; /* > 0 */
    void *what;     /* stays valid after its removal */
};

struct sim_ranges_list;
struct sim_ranges {
    _Atomic(struct sim_ranges_list *) list;
    _Atomic uint64_t version; /* odd: a change is under way */
};

/* False: no memory. The range overlaps none of the table. Thread: one at a time. */
bool sim_ranges_add(struct sim_ranges *ranges, const struct sim_range *range);
/* Removes the range that begins there. Thread: one at a time. */
void sim_ranges_remove(struct sim_ranges *ranges, uint64_t base);
/* The range of an address; false: there is none. Lock free, thread: any. */
bool sim_ranges_find(struct sim_ranges *ranges, uint64_t address, struct sim_range *out);
/* The first range whose end is above `address`; false: there is none. As find. */
bool sim_ranges_next(struct sim_ranges *ranges, uint64_t address, struct sim_range *out);

#endif
