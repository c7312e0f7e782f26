/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP        0.05 /* of a logarithm, for differences */
#define HUBER       2.0  /* scales beyond which a deviation counts no more than in proportion */
#define SCALE_LEAST 1.0  /* so that what whole numbers cannot say counts squared */
#define UNSTEADY_NS 3.0  /* slopes to both sides may differ by so much in one step */
#define UNSTEADY    0.3  /* or by this part of it */

/* ---- what moves ------------------------------------------------------------------------------ */

static double most_of(const struct calibrate_parameter *parameter)
{
    if (strcmp(parameter->unit, "MB/s") == 0)
        return 1e7;
    if (strcmp(parameter->unit, "permille") == 0 || strcmp(parameter->unit, "B/cycle") == 0)
        return 1000;
    return strcmp(parameter->unit, "cycles") == 0 ? 1e5 : fmax(1e9, parameter->start);
}

void fit_values(const struct fit *fit, size_t axis, double log_factor, double *out_values)
{
    for (size_t i = 0; i < fit->parameters->count; i++)
        out_values[i] = fit->parameters->items[i].value;
    for (size_t a = 0; a < fit->axis_count; a++) {
        const struct fit_axis *one = &fit->axes[a];
        double factor = exp(one->log_factor + (a == axis ? log_factor : 0));
        for (size_t m = 0; m < one->count; m++) {
            const struct calibrate_parameter *parameter = &fit->parameters->items[one->members[m]];
            double value = round(parameter->start * factor);
            out_values[one->members[m]] = fmin(fmax(value, 1), most_of(parameter));
        }
    }
}

double fit_axis_log(const struct fit *fit, size_t axis, const double *values)
{
    double sum = 0;
    for (size_t m = 0; m < fit->axes[axis].count; m++)
        sum += values[fit->axes[axis].members[m]];
    return log(sum);
}

bool fit_begin(struct fit *fit, struct calibrate_bench *bench,
               struct calibrate_parameters *parameters)
{
    *fit = (struct fit){.bench = bench, .parameters = parameters};
    const size_t rows = bench->row_count;
    fit->rows = fit_zeros(fit, rows, sizeof(*fit->rows));
    fit->row_at = fit_zeros(fit, rows, sizeof(*fit->row_at));
    fit->axes = fit_zeros(fit, parameters->count, sizeof(*fit->axes));
    fit->weights = fit_numbers(fit, rows);
    fit->z = fit_numbers(fit, rows);
    fit->unsteady = fit_zeros(fit, rows, sizeof(*fit->unsteady));
    fit->jacobian = fit_numbers(fit, (rows + 1) * (parameters->count + 1));
    if (!fit->rows || !fit->row_at || !fit->axes || !fit->weights || !fit->z || !fit->unsteady ||
        !fit->jacobian)
        return false;
    size_t at = 0;
    for (size_t work = 0; work < bench->work_count; work++) {
        for (size_t i = 0; i < bench->rows[work].count; i++, at++) {
            if (bench->rows[work].items[i].from_op == CALIBRATE_NONE)
                continue;
            fit->row_at[fit->row_count] = at;
            fit->rows[fit->row_count++] = &bench->rows[work].items[i];
        }
    }
    for (size_t i = 0; i < parameters->count; i++) {
        if (!parameters->items[i].is_free || parameters->items[i].cost >= 0)
            continue;
        struct fit_axis *axis = &fit->axes[fit->axis_count];
        axis->members = fit_zeros(fit, parameters->count, sizeof(*axis->members));
        if (!axis->members)
            return false;
        fit->axis_count++;
        axis->members[axis->count++] = i;
    }
    return true;
}

void fit_end(struct fit *fit)
{
    for (size_t i = 0; fit->axes && i < fit->axis_count; i++)
        free(fit->axes[i].members);
    free(fit->rows);
    free(fit->row_at);
    free(fit->axes);
    free(fit->weights);
    free(fit->z);
    free(fit->unsteady);
    free(fit->jacobian);
}

/* ---- trials ---------------------------------------------------------------------------------- */

void *fit_zeros(struct fit *fit, size_t count, size_t bytes)
{
    void *zeros = calloc(count + 1, bytes);
    if (!zeros)
        (void)calibrate_fail(fit->bench->job, "out of memory");
    return zeros;
}

double *fit_numbers(struct fit *fit, size_t count)
{
    return fit_zeros(fit, count, sizeof(double));
}

struct fit_batch *fit_batch_new(struct fit *fit, size_t room)
{
    size_t values = room * fit->parameters->count;
    struct fit_batch *batch =
        calloc(1, sizeof(*batch) + (values + room * fit->row_count) * sizeof(*batch->store));
    if (!batch) {
        (void)calibrate_fail(fit->bench->job, "out of memory");
        return NULL;
    }
    batch->values = batch->store;
    batch->z = batch->store + values;
    return batch;
}

double *fit_batch_add(const struct fit *fit, struct fit_batch *batch)
{
    return batch->values + fit->parameters->count * batch->count++;
}

void fit_batch_step(struct fit *fit, struct fit_batch *batch, const double *step)
{
    fit_move(fit, step, 1);
    fit_values(fit, SIZE_MAX, 0, fit_batch_add(fit, batch));
    fit_move(fit, step, -1);
}

double *fit_batch_z(const struct fit *fit, const struct fit_batch *batch, size_t place)
{
    return batch->z + place * fit->row_count;
}

bool fit_batch_run(struct fit *fit, struct fit_batch *batch)
{
    size_t count = batch->count;
    struct calibrate_trial *trials = fit_zeros(fit, count, sizeof(*trials));
    double *rows = fit_numbers(fit, count * fit->bench->row_count);
    bool good = rows && trials;
    for (size_t i = 0; good && i < count; i++)
        trials[i] = (struct calibrate_trial){.values = batch->values + i * fit->parameters->count,
                                             .rows = rows + i * fit->bench->row_count};
    good = good && (count == 0 || calibrate_bench_run(fit->bench, trials, count));
    for (size_t i = 0; good && i < count; i++) {
        for (size_t r = 0; r < fit->row_count; r++) {
            double value = trials[i].rows[fit->row_at[r]];
            /* what did not happen in the model has no times */
            fit_batch_z(fit, batch, i)[r] =
                trials[i].refused ? FIT_REFUSED
                : isnan(value)    ? 0
                                  : (value - fit->rows[r]->measured) / fit->rows[r]->sigma;
        }
    }
    free(trials);
    free(rows);
    return good;
}

size_t fit_batch_best(const struct fit *fit, const struct fit_batch *batch, double *cost)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < batch->count; i++) {
        double own = fit_cost_of(fit, fit_batch_z(fit, batch, i));
        if (own < *cost) {
            *cost = own;
            best = i;
        }
    }
    return best;
}

bool fit_take_best(struct fit *fit, const double *steps, size_t count, size_t *out_best)
{
    const size_t n = fit->axis_count;
    struct fit_batch *batch = fit_batch_new(fit, count);
    double cost = fit->cost * (1 - 1e-9);
    *out_best = SIZE_MAX;
    for (size_t t = 0; batch && t < count; t++)
        fit_batch_step(fit, batch, steps + t * n);
    const bool good = batch && fit_batch_run(fit, batch);
    if (good)
        *out_best = fit_batch_best(fit, batch, &cost);
    if (*out_best != SIZE_MAX) {
        fit_move(fit, steps + *out_best * n, 1);
        memcpy(fit->z, fit_batch_z(fit, batch, *out_best), fit->row_count * sizeof(*fit->z));
        fit->cost = cost;
    }
    free(batch);
    return good;
}

bool fit_refused(const struct fit *fit, const double *z)
{
    return fit->row_count > 0 && z[0] == FIT_REFUSED;
}

bool fit_counts(const struct fit *fit, size_t row)
{
    return !fit->unsteady[row] && (!fit->alone_only || fit->rows[row]->alone);
}

double fit_median(const struct fit *fit)
{
    double *sizes = malloc((fit->row_count + 1) * sizeof(*sizes));
    size_t count = 0;
    if (!sizes)
        return 0;
    for (size_t r = 0; r < fit->row_count; r++)
        if (fit_counts(fit, r))
            sizes[count++] = fabs(fit->z[r]);
    double median = calibrate_median(sizes, count);
    free(sizes);
    return median;
}

/* Huber's: squares near 0, then in proportion. */
double fit_cost_of(const struct fit *fit, const double *z)
{
    double bend = HUBER * fit->scale;
    double sum = 0;
    for (size_t r = 0; r < fit->row_count; r++) {
        double size = fit_counts(fit, r) ? fabs(z[r]) : 0;
        sum += size <= bend ? size * size / 2 : bend * (size - bend / 2);
    }
    return sum;
}

void fit_weigh(struct fit *fit)
{
    fit->scale = fmax(1.4826 * fit_median(fit), SCALE_LEAST);
    for (size_t r = 0; r < fit->row_count; r++) {
        double size = fabs(fit->z[r]);
        fit->weights[r] = !fit_counts(fit, r)          ? 0
                          : size <= HUBER * fit->scale ? 1
                                                       : HUBER * fit->scale / size;
    }
    fit->cost = fit_cost_of(fit, fit->z);
}

void fit_count_all(struct fit *fit)
{
    memset(fit->unsteady, 0, fit->row_count * sizeof(*fit->unsteady));
    fit_weigh(fit);
}

bool fit_look(struct fit *fit)
{
    struct fit_batch *batch = fit_batch_new(fit, 1);
    if (!batch)
        return false;
    fit_values(fit, SIZE_MAX, 0, fit_batch_add(fit, batch));
    bool good = fit_batch_run(fit, batch) && !fit_refused(fit, batch->z);
    if (good) {
        memcpy(fit->z, batch->z, fit->row_count * sizeof(*fit->z));
        fit_weigh(fit);
    }
    free(batch);
    return good;
}

/* Values for a step of each axis, large enough to be one in whole numbers. */
static void step_values(const struct fit *fit, size_t axis, double step, double *values,
                        const double *here)
{
    do {
        fit_values(fit, axis, step, values);
        step *= 1.5;
    } while (fabs(step) < 3 && fit_axis_log(fit, axis, values) == fit_axis_log(fit, axis, here));
}

struct side {
    const double *z;
    double change; /* of the logarithm; 0: there is no step to this side */
};

/* Slope of one row, and whether it is the same to both sides except for whole numbers. */
static double slope_of(const struct fit *fit, size_t r, const struct side *up,
                       const struct side *down, bool *out_steady)
{
    double rise = up->change != 0 ? (up->z[r] - fit->z[r]) / up->change : 0;
    double fall = down->change != 0 ? (down->z[r] - fit->z[r]) / down->change : 0;
    *out_steady = true;
    if (up->change == 0 || down->change == 0)
        return up->change != 0 ? rise : fall;
    double step = fmin(fabs(up->change), fabs(down->change));
    double apart = fabs(rise - fall) * step * fit->rows[r]->sigma; /* ns */
    double length = fmax(fabs(rise), fabs(fall)) * step * fit->rows[r]->sigma;
    *out_steady = apart <= fmax(UNSTEADY_NS, UNSTEADY * length);
    return (rise + fall) / 2;
}

/* A factor that went beyond what values can be would take as many steps to come back. */
static void bound(struct fit *fit)
{
    for (size_t a = 0; a < fit->axis_count; a++) {
        struct fit_axis *axis = &fit->axes[a];
        const struct calibrate_parameter *first = &fit->parameters->items[axis->members[0]];
        axis->log_factor =
            fmin(fmax(axis->log_factor, -log(first->start)), log(most_of(first) / first->start));
    }
}

/* What the model refuses is not a step. */
static struct side side_of(const struct fit *fit, size_t axis, const double *values,
                           const double *z, double log_here)
{
    return (struct side){z, fit_refused(fit, z) ? 0 : fit_axis_log(fit, axis, values) - log_here};
}

/* From the trials up and down. */
static void derive_axis(struct fit *fit, size_t axis, const double *here,
                        const struct fit_batch *batch, size_t at)
{
    const double *values = batch->values + at * fit->parameters->count;
    double log_here = fit_axis_log(fit, axis, here);
    const struct side up = side_of(fit, axis, values, fit_batch_z(fit, batch, at), log_here);
    const struct side down = side_of(fit, axis, values + fit->parameters->count,
                                     fit_batch_z(fit, batch, at + 1), log_here);
    fit->axes[axis].idle = true;
    for (size_t r = 0; r < fit->row_count; r++) {
        bool steady;
        double slope = slope_of(fit, r, &up, &down, &steady);
        fit->jacobian[r * fit->axis_count + axis] = slope;
        fit->unsteady[r] = fit->unsteady[r] || !steady;
        fit->axes[axis].idle = fit->axes[axis].idle && slope == 0 && steady;
    }
}

/* Trials to both sides of each axis that is looked at; none for idle ones. */
static void list_sides(const struct fit *fit, bool all, const double *here, struct fit_batch *batch)
{
    for (size_t i = 0; i < fit->axis_count; i++) {
        if (fit->axes[i].idle && !all)
            continue;
        double log_here = fit_axis_log(fit, i, here);
        double *up = fit_batch_add(fit, batch);
        double *down = fit_batch_add(fit, batch);
        step_values(fit, i, STEP, up, here);
        step_values(fit, i, -STEP, down, here);
        /* there is nothing below the least value: two steps above show as well whether slopes
         * agree */
        if (fit_axis_log(fit, i, down) == log_here)
            step_values(fit, i, fmax(2 * (fit_axis_log(fit, i, up) - log_here), STEP), down, here);
    }
}

bool fit_derive(struct fit *fit, bool all)
{
    size_t n = fit->axis_count;
    struct fit_batch *batch = fit_batch_new(fit, 2 * n);
    double *here = fit_numbers(fit, fit->parameters->count);
    bool good = batch && here;
    if (good) {
        bound(fit);
        fit_values(fit, SIZE_MAX, 0, here);
        list_sides(fit, all, here, batch);
        good = fit_batch_run(fit, batch);
    }
    for (size_t r = 0; good && r < fit->row_count; r++)
        fit->unsteady[r] = false;
    for (size_t i = 0, t = 0; good && i < n; i++) {
        if (fit->axes[i].idle && !all) {
            for (size_t r = 0; r < fit->row_count; r++)
                fit->jacobian[r * n + i] = 0;
            continue;
        }
        derive_axis(fit, i, here, batch, t);
        t += 2;
    }
    if (good)
        fit_weigh(fit);
    free(batch);
    free(here);
    return good;
}
