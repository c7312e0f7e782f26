/* SPDX-License-Identifier: Apache-2.0 */
/* What changes of a count can make of it, whichever come and in whichever order: bounds, never too
 * narrow. */
#ifndef TWINRT_CHECK_TALLY_H
#define TWINRT_CHECK_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/containers.h"
#include "recording/ops.h"

/* Of a set of changes; all 0 of none. */
struct tally {
    uint64_t added;              /* by all that add */
    uint64_t ored;               /* the same of or, as numbers */
    uint32_t ors;                /* as bits */
    uint32_t ands;               /* bits that some and clears */
    uint32_t set_any, set_clear; /* bits that some set sets, that some set clears */
    uint32_t most, least;        /* set; valid with has_set */
    bool has_set, has_and;
};

struct tally tally_of(const twin_op *change);
struct tally tally_both(struct tally a, struct tally b);

/* Grows at its end, and has the tally of any range of it in log n. */
struct tally_row {
    LIST_OF(struct tally) levels[32]; /* level n: of 2^n neighbours */
};
/* False: out of memory. */
bool tally_row_add(struct tally_row *row, struct tally tally);
struct tally tally_row_range(const struct tally_row *row, size_t begin, size_t end);
void tally_row_free(struct tally_row *row);

/* Values from which the changes may start out: 0, or what was set. */
struct tally_bases {
    uint32_t most;
    uint32_t any;       /* bits that one of them has */
    uint32_t all;       /* that all have */
    uint32_t clear;     /* that one lacks, with what surely is or-ed to it */
    uint64_t least;     /* with what is surely added to it */
    uint32_t least_ors; /* with what surely is or-ed to it */
    bool valid;
};
/* Adds one, with what surely changes it and sets nothing. */
void tally_bases_add(struct tally_bases *bases, uint32_t value, const struct tally *sure);

/* Whether a wait might pass. False: no value that holds can come of it. */
bool tally_may_pass(const twin_op *wait, const struct tally_bases *bases, const struct tally *sure,
                    const struct tally *free);
/* Whether a count of that value lets it pass. */
bool tally_holds(const twin_op *wait, uint32_t value);
/* What a change makes of a count. */
uint32_t tally_change(const twin_op *change, uint32_t value);

#endif
