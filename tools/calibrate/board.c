/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate/board.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate/trial.h"

#define RELATIVE_SIGMA 0.01
#define ROWS_MOST      100000u /* the fit has a number for each and each parameter */
#define SELF           "/proc/self/exe"

static const char *const outputs[] = {"op-summary", "pipe-utilization"};
#define OUTPUTS (sizeof(outputs) / sizeof(outputs[0]))

/* ---- tables ---------------------------------------------------------------------------------- */

bool calibrate_board_read(const struct calibrate_job *job, double mhz, struct calibrate_result *out)
{
    struct calibrate_error *error = job->error;
    for (size_t i = 0; i < job->recording_count; i++)
        if (!msprof_times_add(&out->board, job->recordings[i], error->text, sizeof(error->text)))
            return false;
    if (!msprof_times_sort(&out->board, job->renames, job->rename_count))
        return calibrate_fail(job, "out of memory");
    if (out->board.mhz > 0 && mhz > 0 && fabs(out->board.mhz - mhz) > 0.5)
        return calibrate_fail(job,
                              "%s: measured at %.0f MHz, but profile %s has cores of %.0f MHz "
                              "(aicore.clock_mhz); select a profile with that clock",
                              job->recordings[0], out->board.mhz, job->profile, mhz);
    return true;
}

static struct calibrate_recording_sum *sum_of(const struct calibrate_result *out, const char *path)
{
    size_t at = 0;
    while (at + 1 < out->recording_count && out->recordings[at].path != path)
        at++;
    return &out->recordings[at];
}

static double sigma_of(const struct msprof_time *time, double tick_ns)
{
    const double step = strcmp(time->column, "task") == 0 ? tick_ns : 1.0;
    return hypot(step, RELATIVE_SIGMA * time->us * 1000);
}

bool calibrate_board_choose(const struct calibrate_job *job, const struct msprof_times *model,
                            double tick_ns, struct calibrate_rows *rows,
                            struct calibrate_result *out)
{
    struct calibrate_error *error = job->error;
    size_t left_out = 0;
    if (!msprof_is_comparable(&out->board, model, error->text, sizeof(error->text)))
        return false;
    out->pairs = msprof_pairs_make(&out->board, model, &out->pair_count, &left_out);
    if (!out->pairs)
        return calibrate_fail(job, "out of memory");
    if (out->pair_count > ROWS_MOST)
        return calibrate_fail(job, "%zu times to fit to; expected at most %u: name fewer files",
                              out->pair_count, ROWS_MOST);
    for (size_t i = 0; i < out->board.count; i++)
        if (out->board.items[i].us > 0)
            sum_of(out, out->board.items[i].path)->ops++;
    for (size_t i = 0; i < out->pair_count; i++) {
        struct msprof_pair *pair = &out->pairs[i];
        pair->before_us = pair->model_us;
        /* each is a length of its own, which no other begins or ends */
        const uint32_t at = (uint32_t)(2 * i);
        if (!LIST_ADD(rows, (struct calibrate_row){.from_op = at,
                                                   .to_op = at + 1,
                                                   .alone = pair->time->blocks < 2,
                                                   .measured = pair->time->us * 1000,
                                                   .sigma = sigma_of(pair->time, tick_ns)}))
            return calibrate_fail(job, "out of memory");
        sum_of(out, pair->time->path)->rows++;
    }
    for (size_t i = 0; i < out->recording_count; i++)
        out->recordings[i].left_out = out->recordings[i].ops - out->recordings[i].rows;
    return rows->count > 0 ||
           calibrate_fail(job, "%s: no time that the model has too", job->recordings[0]);
}

void calibrate_board_values(const struct calibrate_result *board, const struct msprof_times *model,
                            double *rows)
{
    for (size_t i = 0; i < board->pair_count; i++) {
        const struct msprof_time *same = msprof_find(model, board->pairs[i].time);
        rows[i] = same ? same->us * 1000 : NAN;
    }
}

/* ---- runs of the program --------------------------------------------------------------------- */

/* `what`: one of `outputs`, or "text". */
static void path_of(const char *folder, size_t trial, const char *what, char path[PATH_MAX])
{
    (void)snprintf(path, PATH_MAX, "%s/trial-%zu.%s", folder, trial, what);
}

/* `twinrt run`, which finds the libraries. Its own lines go where those of the program do. */
void calibrate_board_run(const struct calibrate_job *job, const char *folder, size_t trial,
                         const char *profile)
{
    char text[PATH_MAX];
    char tables[OUTPUTS][PATH_MAX + 32];
    size_t words = 0;
    while (job->program[words])
        words++;
    char **arguments = calloc(words + OUTPUTS + 6, sizeof(*arguments));
    path_of(folder, trial, "text", text);
    const int out = open(text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (!arguments || out < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0)
        _exit(125);
    static char run[] = "run";
    static char self[] = "twinrt";
    static char backend[] = "--backend=sim";
    static char end[] = "--";
    size_t at = 0;
    arguments[at++] = self;
    arguments[at++] = run;
    arguments[at++] = backend;
    for (size_t i = 0; i < OUTPUTS; i++) {
        char path[PATH_MAX];
        path_of(folder, trial, outputs[i], path);
        (void)snprintf(tables[i], sizeof(tables[i]), "--%s=%s", outputs[i], path);
        arguments[at++] = tables[i];
    }
    arguments[at++] = end;
    memcpy(arguments + at, job->program, words * sizeof(*arguments)); /* execv() takes no const */
    calibrate_trial_environment(profile);
    (void)execv(SELF, arguments);
    _exit(125);
}

bool calibrate_board_take(const struct calibrate_job *job, const char *folder, size_t trial,
                          struct msprof_times *out)
{
    char path[PATH_MAX];
    bool good = true;
    for (size_t i = 0; good && i < OUTPUTS; i++) {
        path_of(folder, trial, outputs[i], path);
        if (access(path, F_OK) != 0)
            return calibrate_fail(job,
                                  "%s: a run on the model has no times of kernels; expected a "
                                  "program that calls aclInit and launches kernels",
                                  job->program[0]);
        good = msprof_times_add(out, path, job->error->text, sizeof(job->error->text));
    }
    for (size_t i = 0; i < out->count; i++)
        out->items[i].path = job->program[0]; /* for messages; the file is removed */
    return good && (msprof_times_sort(out, NULL, 0) || calibrate_fail(job, "out of memory"));
}

void calibrate_board_said(const char *folder, size_t trial, char *text, size_t bytes)
{
    char path[PATH_MAX];
    char line[512];
    path_of(folder, trial, "text", path);
    FILE *file = fopen(path, "re");
    text[0] = '\0';
    while (file && fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] != '\0')
            (void)snprintf(text, bytes, "%s", line);
    }
    if (file)
        (void)fclose(file);
}

void calibrate_board_remove(const char *folder, size_t trial)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < OUTPUTS; i++) {
        path_of(folder, trial, outputs[i], path);
        (void)unlink(path);
    }
    path_of(folder, trial, "text", path);
    (void)unlink(path);
}
