/* SPDX-License-Identifier: Apache-2.0 */
/* Fits the assumed parameters of a profile to measured recordings by least squares.
 *
 * The work of each recording is asked of the model again, with the same pauses between; the lengths
 * of its parts are compared with those of the recording, and the parameters moved until they fit
 * (Levenberg-Marquardt on their logarithms, with weights that keep outliers from counting more than
 * others). What the recordings determine, and what only in sums, is read from the eigenvectors of
 * the normal matrix. */
#ifndef TWINRT_CALIBRATE_CALIBRATE_H
#define TWINRT_CALIBRATE_CALIBRATE_H

#include <stdio.h>

#include "calibrate/parameter.h"
#include "msprof/pairs.h"

/* What is wrong, of which object, and what to do: set where a function returns false. */
struct calibrate_error {
    char text[4096];
};

struct calibrate_job {
    const char *const *recordings;       /* paths; with a program: of tables of a profiler */
    const char *const *program;          /* NULL: there are recordings */
    const struct msprof_rename *renames; /* of kernels in tables */
    size_t rename_count;
    size_t recording_count;
    const char *profile; /* a name or a file */
    /* Names of parameters: all that are free, or in addition to the usual choice. */
    const char *const *only, *const *freed, *const *fixed;
    size_t only_count, freed_count, fixed_count;
    unsigned iterations_most;
    unsigned processes;                 /* trials at once */
    const struct twin_backend *backend; /* the model, not started */
    const char *plugin_folder;          /* where profiles are */
    const char *(*setting)(const char *name);
    FILE *begin;    /* where it says what is fitted, before the first step; NULL: nowhere */
    FILE *progress; /* of each step; NULL: no reports */
    struct calibrate_error *error;
};

struct calibrate_recording_sum {
    const char *path;
    uint64_t ops, rows, left_out;
    bool one_clock;
    bool table; /* of a profiler: `ops` are its times */
};

/* Of the model's durations from those of the device. */
struct calibrate_deviation {
    double relative;      /* root mean square, each by its sigma */
    double median, worst; /* absolute, ns */
};

struct calibrate_result {
    struct calibrate_parameters parameters;
    struct calibrate_recording_sum *recordings;
    size_t recording_count;
    struct msprof_times board, model; /* of tables; the model's are those of its first run */
    struct msprof_pair *pairs;        /* of tables: by row */
    size_t pair_count;
    uint64_t rows, outliers, trials;
    unsigned iterations;
    bool poor;    /* some deviations are far larger than the others: nothing is believed */
    bool settled; /* the last step changed next to nothing */
    bool partial; /* some values of the fit are not used */
    struct calibrate_deviation before, fitted, after; /* after: with the values that are used */
};

/* Sets the job's error. Returns false. */
__attribute__((format(printf, 2, 3))) bool calibrate_fail(const struct calibrate_job *job,
                                                          const char *format, ...);
bool calibrate_run(const struct calibrate_job *job, struct calibrate_result *out);
void calibrate_result_free(struct calibrate_result *result);

void calibrate_report_text(const struct calibrate_result *result, FILE *out);
/* What calibrate_write() has written to `path`, from `profile`; NULL: it was not called. */
void calibrate_report_written(const struct calibrate_result *result, const char *profile,
                              const char *path, FILE *out);
/* False: out of memory. */
bool calibrate_report_json(const struct calibrate_result *result, FILE *out);
/* Writes the fitted values as a profile that builds on the one they came from, and tries whether
 * the model takes it. False: what is at `path` is as it was. */
bool calibrate_write(const struct calibrate_job *job, const struct calibrate_result *result,
                     const char *path);

#endif
