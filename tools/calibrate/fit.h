/* SPDX-License-Identifier: Apache-2.0 */
/* The fit itself: what moves, how rows depend on it, and how far it is to move. */
#ifndef TWINRT_CALIBRATE_FIT_H
#define TWINRT_CALIBRATE_FIT_H

#include "calibrate/trial.h"

/* Parameters that move together, by one factor: one alone, or some that the records only know the sum of. */
struct fit_axis {
    size_t *members; /* parameters */
    size_t count;
    double log_factor; /* by which they differ from where they began */
};

struct fit {
    struct calibrate_bench *bench;
    struct calibrate_parameters *parameters;
    const struct calibrate_row **rows; /* of all records, without public calls */
    size_t *row_at;                    /* of each: where a trial has its value */
    size_t row_count;
    struct fit_axis *axes;
    size_t axis_count;
    double *jacobian; /* rows by axes: change of deviation by change of the logarithm */
    double *weights;  /* by row; 0: unsteady, see fit_derive() */
    bool *unsteady;   /* by row */
    double *z;        /* by row: deviation by its sigma, where the fit stands */
    double scale;     /* of z: 1.48 times the median */
    double cost;
    char *error;
    size_t error_bytes;
};

/* The normal matrix with columns of length 1, taken apart. */
struct fit_system {
    double *matrix, *lengths, *values, *vectors; /* as calibrate_eigen() tells them */
    double *slope, *turned;                      /* of the cost, by axis and by vector */
    double *turning;                             /* used up */
};

/* fit.c */
/* False: memory is short. */
bool fit_begin(struct fit *fit, struct calibrate_bench *bench,
               struct calibrate_parameters *parameters, char *error, size_t error_bytes);
void fit_end(struct fit *fit);
/* Runs the model where the fit stands. False: `error` says why not. */
bool fit_look(struct fit *fit);
/* Fills in the Jacobian there, from both sides. Rows whose two slopes differ are unsteady: tasks that compete come in another
 * order, and what such a row says of a small step is nothing. They do not count until the next time. */
bool fit_derive(struct fit *fit);
/* Moves until nothing is won. */
bool fit_solve(struct fit *fit, unsigned iterations_most, unsigned *out_iterations,
               bool *out_settled);
/* Values of all parameters when axis `axis` (SIZE_MAX: none) moves by `log_factor` more. */
void fit_values(const struct fit *fit, size_t axis, double log_factor, double *out_values);
/* The logarithm of what the axis is in all. */
double fit_axis_log(const struct fit *fit, size_t axis, const double *values);
/* Runs trials with these values each. `out_z`: count by rows. */
bool fit_try(struct fit *fit, double *const *values, size_t count, double *out_z);
/* Of deviations, as the fit counts them. */
double fit_cost_of(const struct fit *fit, const double *z);
/* The normal matrix with columns of length 1, and their lengths before. */
void fit_normal(const struct fit *fit, double *out_matrix, double *out_lengths);

/* Fills in a system from the Jacobian and the weights. */
void fit_system_set_up(const struct fit *fit, struct fit_system *system);
/* Weights of rows, scale and cost, from the deviations. */
void fit_weigh(struct fit *fit);
/* Moves each axis by a step of its logarithm, times `sign`. */
void fit_move(struct fit *fit, const double *step, double sign);
/* False, with that as the error. */
bool fit_memory_is_short(struct fit *fit);

/* search.c */
/* Each axis alone, far and near to both sides, and with the unsteady rows. Takes the best step, or the best ones of all axes
 * together if that is better. *out_won: something was better than staying. */
bool fit_search(struct fit *fit, bool *out_won);
/* The last of it: whole numbers, and what trades places slowly. All rows count, for near the end they are steady. */
bool fit_polish(struct fit *fit, struct fit_system *system);

/* identify.c */
/* Lets parameters move together that the records only know the sum of. */
bool fit_join(struct fit *fit);
/* Writes verdicts and errors into the parameters. */
bool fit_judge(struct fit *fit);

#endif
