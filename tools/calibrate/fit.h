/* SPDX-License-Identifier: Apache-2.0 */
/* The fit itself: what moves, how rows depend on it, and how far it is to move. */
#ifndef TWINRT_CALIBRATE_FIT_H
#define TWINRT_CALIBRATE_FIT_H

#include "calibrate/trial.h"

/* Parameters that move together, by one factor: one alone, or some that the recordings only know
 * the sum of. */
struct fit_axis {
    size_t *members; /* parameters */
    size_t count;
    double log_factor; /* by which they differ from where they began */
    bool idle;         /* no row depended on it when that was last looked at */
    uint64_t far_rows; /* of an idle one: that depend on it where it is far from here */
};

struct fit {
    struct calibrate_bench *bench;
    struct calibrate_parameters *parameters;
    const struct calibrate_row **rows; /* of all recordings, without public calls */
    size_t *row_at;                    /* of each: where a trial has its value */
    size_t row_count;
    struct fit_axis *axes;
    size_t axis_count;
    double *jacobian; /* rows by axes: change of deviation by change of the logarithm */
    double *weights;  /* by row; 0: unsteady, see fit_derive() */
    bool *unsteady;   /* by row */
    bool alone_only;  /* other rows do not count yet */
    double *z;        /* by row: deviation by its sigma, where the fit stands */
    double scale;     /* of z: 1.48 times the median */
    double cost;
};

/* The normal matrix with columns of length 1, taken apart. */
struct fit_system {
    double *matrix, *lengths, *values, *vectors; /* as calibrate_eigen() returns them */
    double *slope, *turned;                      /* of the cost, by axis and by vector */
    double *turning;                             /* used up */
};

/* Places that are tried at once. */
struct fit_batch {
    size_t count;
    double *values; /* places by parameters */
    double *z;      /* places by rows: the deviations there */
    double store[];
};

/* fit.c */
/* False: out of memory. */
bool fit_begin(struct fit *fit, struct calibrate_bench *bench,
               struct calibrate_parameters *parameters);
void fit_end(struct fit *fit);
/* Runs the model where the fit stands. */
bool fit_look(struct fit *fit);
/* Fills in the Jacobian there, from both sides; of idle axes too if `all`, and says anew which
 * those are. Rows whose two slopes differ are unsteady: tasks that compete come in another order,
 * and what such a row says of a small step is nothing. They do not count until the next time. */
bool fit_derive(struct fit *fit, bool all);
/* Values of all parameters when axis `axis` (SIZE_MAX: none) moves by `log_factor` more. */
void fit_values(const struct fit *fit, size_t axis, double log_factor, double *out_values);
/* The logarithm of what the axis is in all. */
double fit_axis_log(const struct fit *fit, size_t axis, const double *values);
/* Of no places yet, for at most `room`; free() ends it. NULL: out of memory, which is the error
 * then. */
struct fit_batch *fit_batch_new(struct fit *fit, size_t room);
/* One place more: its values are the caller's to fill in. */
double *fit_batch_add(const struct fit *fit, struct fit_batch *batch);
/* The same with the values after a step of each axis. */
void fit_batch_step(struct fit *fit, struct fit_batch *batch, const double *step);
/* Runs a trial at each. The deviations are all FIT_REFUSED where the model does not do the work as
 * the device did, as with times so long that a limit of the work passes. */
bool fit_batch_run(struct fit *fit, struct fit_batch *batch);
#define FIT_REFUSED 1e7
double *fit_batch_z(const struct fit *fit, const struct fit_batch *batch, size_t place);
/* Tries steps of all axes, `count` of them, and takes the one of the least cost, if that is less
 * than the cost now. *out_best: which; SIZE_MAX: none was taken. */
bool fit_take_best(struct fit *fit, const double *steps, size_t count, size_t *out_best);
/* The place of the least cost among those that cost less than *cost, and what; SIZE_MAX: none
 * does. */
size_t fit_batch_best(const struct fit *fit, const struct fit_batch *batch, double *cost);
bool fit_refused(const struct fit *fit, const double *z);
/* Zeros, room for one more; free() ends them. NULL: out of memory, which is the error then. */
void *fit_zeros(struct fit *fit, size_t count, size_t bytes);
double *fit_numbers(struct fit *fit, size_t count);
/* Median of the absolute deviations that count. */
double fit_median(const struct fit *fit);
/* Lets all rows count. */
void fit_count_all(struct fit *fit);
/* Whether the row counts now. */
bool fit_counts(const struct fit *fit, size_t row);
/* Of deviations, as the fit counts them. */
double fit_cost_of(const struct fit *fit, const double *z);
/* Weights of rows, scale and cost, from the deviations. */
void fit_weigh(struct fit *fit);

/* solve.c */
/* First by the rows of tasks that were alone, which are sums of steps; then along the directions
 * that these leave open; then by all rows, until nothing is won. */
bool fit_solve(struct fit *fit, unsigned iterations_most, unsigned *out_iterations,
               bool *out_settled);
/* Whether tasks that compete deviate as those that were alone do not: the fit has ended in a wrong
 * place, or the device does what the model lacks. */
bool fit_is_poor(const struct fit *fit);
/* The normal matrix with columns of length 1, and their lengths before. */
void fit_normal(const struct fit *fit, double *out_matrix, double *out_lengths);
/* Fills in a system from the Jacobian and the weights. */
void fit_system_set_up(const struct fit *fit, struct fit_system *system);
/* Moves each axis by a step of its logarithm, times `sign`. */
void fit_move(struct fit *fit, const double *step, double sign);

/* search.c */
/* Each axis alone, far and near to both sides, and with the unsteady rows. Takes the best step, or
 * the best ones of all axes together if that is better. */
bool fit_search(struct fit *fit);
/* Along directions of which the rows that count say next to nothing, by what all rows say. The
 * Jacobian is that of where the fit stands. */
bool fit_slide(struct fit *fit, struct fit_system *system);
/* The last of it: whole numbers, and what trades places slowly. All rows count, for near the end
 * they are steady. */
bool fit_polish(struct fit *fit, struct fit_system *system);
/* identify.c */
/* Lets parameters move together that the recordings only know the sum of, and finds idle axes. */
bool fit_join(struct fit *fit);
/* Calls two rates too weak that act nearly in proportion: fit_join() tries times alone, whose sums
 * stay the same. After fit_judge(). */
bool fit_doubt_rates(struct fit *fit);
/* Calls an axis too weak if its rows are as they are because the fit moved idle axes, whose values
 * are not used. After fit_judge(). */
bool fit_doubt_moved(struct fit *fit);
/* Whether rows depend on idle axes where these are far from what they are: a step that another
 * hides has no slope. */
bool fit_look_far(struct fit *fit);

/* judge.c */
#define CALIBRATE_SURE   0.05 /* relative half width of the interval of what counts as determined */
#define CALIBRATE_UNSURE 3.0  /* of the logarithm: an interval so wide means nothing */
/* Writes verdicts, errors and intervals into the parameters. */
bool fit_judge(struct fit *fit);
/* Half of the interval that holds the truth in all but 3 of 1000 cases, from a standard error and
 * the rows it rests on. */
double fit_interval(double error, double rows);

#endif
