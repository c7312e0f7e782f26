/* SPDX-License-Identifier: Apache-2.0 */
/* What is compared between a recording and the model: lengths of time, each from the newest thing
 * that it can have waited for, so that what one task deviates does not count again in all after
 * it. */
#ifndef TWINRT_CALIBRATE_ROWS_H
#define TWINRT_CALIBRATE_ROWS_H

#include "calibrate/parameter.h"
#include "calibrate/work.h"

struct calibrate_row {
    uint32_t from_op, to_op; /* from CALIBRATE_NONE: the length of a public call */
    uint8_t from, to;        /* enum replay_instant */
    uint8_t cost;            /* twin_cost of a public call */
    bool alone;              /* no other queue had anything under way meanwhile */
    double measured;         /* ns */
    double ended_ns;         /* ns: how long the tasks were that end where it begins or ends */
    double sigma;            /* what a deviation of one is, in ns */
};

struct calibrate_rows {
    LIST_OF(struct calibrate_row);
};

/* `tick_ns`: the counter's step, for ends that were stamped. False: out of memory. */
bool calibrate_rows_make(const struct calibrate_work *work, double tick_ns,
                         struct calibrate_rows *out);
void calibrate_rows_free(struct calibrate_rows *rows);
/* Sorts them; 0 of none. */
double calibrate_median(double *values, size_t count);
/* What the model says in place of `measured`; NaN: that did not happen. */
double calibrate_row_value(const struct calibrate_row *row, const struct replay_times *times,
                           const double cost_ns[TWIN_COST_COUNT]);

#endif
