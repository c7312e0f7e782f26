/* SPDX-License-Identifier: Apache-2.0 */
/* Trials: the work of the recordings on models with other parameters. A process can make one model,
 * so each trial of a recording is a separate process; some run at once. */
#ifndef TWINRT_CALIBRATE_TRIAL_H
#define TWINRT_CALIBRATE_TRIAL_H

#include "calibrate/calibrate.h"
#include "calibrate/parameter.h"
#include "calibrate/rows.h"
#include "calibrate/work.h"
#include "msprof/times.h"

struct calibrate_bench {
    const struct calibrate_job *job;
    const struct calibrate_parameters *parameters;
    const struct calibrate_work *works;   /* one per recording; of a board one without ops */
    const struct calibrate_result *board; /* its pairs are the rows; NULL: there are recordings */
    const struct calibrate_rows *rows;
    size_t work_count;
    size_t row_count; /* of all recordings */
    char folder[64];  /* for the profiles of trials */
    uint64_t trials;  /* so far */
};

/* One set of parameters and what the model then says, by row. */
struct calibrate_trial {
    double *values; /* by parameter; whole numbers */
    double *rows;
    bool refused; /* the model answered some op otherwise than the device had: `rows` say nothing */
};

/* False: the folder cannot be made. */
bool calibrate_bench_begin(struct calibrate_bench *bench);
void calibrate_bench_end(struct calibrate_bench *bench);
/* Fills in `rows` of each trial, or says that it was refused, and the job's error why. */
bool calibrate_bench_run(struct calibrate_bench *bench, struct calibrate_trial *trials,
                         size_t count);

/* In a process of its own: sets what a run of a program is to see, which leaves no files of the
 * caller's and injects no faults. */
void calibrate_trial_environment(const char *profile);
/* Runs the program of a board with the values of the profile. `out` is sorted. */
bool calibrate_bench_measure(struct calibrate_bench *bench, struct msprof_times *out);

/* profile.c: writes all parameters with these values as a profile. Where recordings are
 * repeated, costs of host calls are the steps of pauses, REPLAY_PAUSE_STEP. */
bool calibrate_profile_for_trial(const struct calibrate_job *job,
                                 const struct calibrate_parameters *parameters,
                                 const double *values, const char *path);

/* Starts the backend with a profile. */
bool calibrate_backend_start(const struct calibrate_job *job, const char *profile,
                             uint32_t devices);

#endif
