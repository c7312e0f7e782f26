/* SPDX-License-Identifier: Apache-2.0 */
/* An interval map: ranges of addresses that do not overlap, in order. An interval is the first
 * member of what the caller keeps, so results are of any type that begins with one. */
#ifndef TWINRT_TOOLS_RECORDING_INTERVAL_MAP_H
#define TWINRT_TOOLS_RECORDING_INTERVAL_MAP_H

#include <stddef.h>
#include <stdint.h>

struct interval {
    uint64_t begin; /* first address */
    uint64_t end;   /* one after the last; above begin */
    struct interval *left, *right;
    uint32_t priority; /* of the heap: a hash of `begin` as it was put in */
};

struct interval_map {
    struct interval *root;
};

/* Puts an interval in; its begin and end are set and overlap no other. The end may be changed later
 * as long as that stays so. */
void interval_map_add(struct interval_map *map, struct interval *interval);
/* Takes out the interval that begins there. NULL: none does. */
void *interval_map_remove(struct interval_map *map, uint64_t begin);
/* Takes out the first interval with addresses from `begin` up to `end`. NULL: there is none. */
void *interval_map_take(struct interval_map *map, uint64_t begin, uint64_t end);
/* The interval that holds `address`. NULL: none does. */
void *interval_map_at(const struct interval_map *map, uint64_t address);
/* The first interval that ends after `address`: it holds the address or is above it. NULL: there is
 * none. */
void *interval_map_from(const struct interval_map *map, uint64_t address);

#endif
