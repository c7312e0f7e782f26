/* SPDX-License-Identifier: Apache-2.0 */
/* Times of a board beside those of the model. */
#ifndef TWINRT_MSPROF_PAIRS_H
#define TWINRT_MSPROF_PAIRS_H

#include <stdio.h>

#include "msprof/times.h"
#include "output/json.h"

struct msprof_pair {
    const struct msprof_time *time; /* of the board */
    double before_us;               /* of the model as it was; NaN: not asked for */
    double model_us;
};

/* Those of two lists that are comparable, if both are greater than 0; the caller's to free.
 * *out_left_out: times of the board that the model does not have. NULL: out of memory. */
struct msprof_pair *msprof_pairs_make(const struct msprof_times *board,
                                      const struct msprof_times *model, size_t *out_count,
                                      size_t *out_left_out);
/* A line for each kernel and column: rows, means, mean deviations, and the worst row. */
void msprof_pairs_print(const struct msprof_pair *pairs, size_t count, FILE *out);
/* Which times of the board have no counterpart, by the reason: nothing if all have one. */
void msprof_left_out_print(const struct msprof_times *board, const struct msprof_times *model,
                           FILE *out);
/* A list with an object for each pair. */
cJSON *msprof_pairs_json(const struct msprof_pair *pairs, size_t count);

#endif
