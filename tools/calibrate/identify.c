/* SPDX-License-Identifier: Apache-2.0 */
/* What the recordings determine: parameters that can be exchanged for each other, and those that
 * nothing depends on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/fit.h"

#define ALIKE      0.95 /* cosine of two columns that are tried against each other */
#define EXCHANGED  0.02 /* of what one alone would change, when both change against each other */
#define RATES      0.8  /* cosine of two rates' columns: whole ns hide that they are the same */
#define FELT       1e-9 /* length of a column that is none */
#define CHANGED_NS 1.0  /* beyond it a row is another: whole ns */
#define FAR                                                                                        \
    2.08 /* of a logarithm, a factor of 8: how far from what is assumed a value may
                          be */

static bool is_rate(const struct fit *fit, size_t axis)
{
    const char *unit = fit->parameters->items[fit->axes[axis].members[0]].unit;
    return strcmp(unit, "B/cycle") == 0 || strcmp(unit, "MB/s") == 0;
}

static bool is_time(const struct fit *fit, size_t axis)
{
    return strcmp(fit->parameters->items[fit->axes[axis].members[0]].unit, "ns") == 0;
}

/* What both are changed by in a trial, one up and one down: whole ns. */
static double exchange_of(const double *values, size_t a, size_t b)
{
    return fmax(round(fmin(values[a], values[b]) * 0.4), 1);
}

struct pair {
    size_t a, b; /* parameters */
};

/* Pairs whose columns are nearly in proportion; each axis has one parameter. */
static size_t find_alike(const struct fit *fit, const double *matrix, const double *lengths,
                         const double *values, struct pair *pairs)
{
    size_t n = fit->axis_count;
    size_t count = 0;
    for (size_t a = 0; a < n; a++) {
        for (size_t b = a + 1; b < n; b++) {
            size_t first = fit->axes[a].members[0];
            size_t second = fit->axes[b].members[0];
            if (lengths[a] <= FELT || lengths[b] <= FELT || !is_time(fit, a) || !is_time(fit, b) ||
                matrix[a * n + b] < ALIKE)
                continue;
            if (fmin(values[first], values[second]) > exchange_of(values, first, second))
                pairs[count++] = (struct pair){first, second};
        }
    }
    return count;
}

static void join(struct fit *fit, size_t a, size_t b)
{
    struct fit_axis *into = &fit->axes[a];
    struct fit_axis *from = &fit->axes[b];
    for (size_t i = 0; i < from->count; i++)
        into->members[into->count++] = from->members[i];
    free(from->members);
    fit->axis_count--;
    memmove(from, from + 1, (fit->axis_count - b) * sizeof(*from));
}

static size_t axis_with(const struct fit *fit, size_t parameter)
{
    for (size_t a = 0; a < fit->axis_count; a++)
        for (size_t m = 0; m < fit->axes[a].count; m++)
            if (fit->axes[a].members[m] == parameter)
                return a;
    return SIZE_MAX;
}

/* Length of the change that z shows, by weight. */
static double change_of(const struct fit *fit, const double *z)
{
    double sum = 0;
    for (size_t r = 0; r < fit->row_count; r++)
        sum += fit->weights[r] * (z[r] - fit->z[r]) * (z[r] - fit->z[r]);
    return sqrt(sum);
}

static bool try_pairs(struct fit *fit, const struct pair *pairs, size_t count, const double *here)
{
    struct fit_batch *batch = fit_batch_new(fit, 2 * count);
    if (!batch)
        return false;
    for (size_t i = 0; i < count; i++) {
        double by = exchange_of(here, pairs[i].a, pairs[i].b);
        for (size_t side = 0; side < 2; side++) { /* against each other, and beside it one alone */
            double *values = fit_batch_add(fit, batch);
            memcpy(values, here, fit->parameters->count * sizeof(*here));
            values[pairs[i].a] += by;
            values[pairs[i].b] -= side == 0 ? by : 0;
        }
    }
    bool good = fit_batch_run(fit, batch);
    for (size_t i = 0; good && i < count; i++) {
        double both = change_of(fit, fit_batch_z(fit, batch, 2 * i));
        const double *z = fit_batch_z(fit, batch, 2 * i + 1);
        size_t a = axis_with(fit, pairs[i].a);
        size_t b = axis_with(fit, pairs[i].b);
        if (both <= EXCHANGED * change_of(fit, z) && a != b && !fit_refused(fit, z))
            join(fit, a < b ? a : b, a < b ? b : a);
    }
    free(batch);
    return good;
}

bool fit_join(struct fit *fit)
{
    size_t n = fit->axis_count;
    double *matrix = fit_numbers(fit, n * n + n + fit->parameters->count);
    struct pair *pairs = fit_zeros(fit, n * n, sizeof(*pairs));
    bool good = matrix && pairs && fit_derive(fit, true);
    if (good) {
        double *lengths = matrix + n * n;
        double *here = lengths + n;
        fit_normal(fit, matrix, lengths);
        fit_values(fit, SIZE_MAX, 0, here);
        size_t count = find_alike(fit, matrix, lengths, here, pairs);
        good = count == 0 || try_pairs(fit, pairs, count, here);
    }
    free(matrix);
    free(pairs);
    return good;
}

/* Whether a parameter is said to be known. */
static bool is_determined(const struct calibrate_parameter *parameter)
{
    return parameter->verdict == CALIBRATE_FITTED || parameter->verdict == CALIBRATE_TOGETHER;
}

static void call_weak(struct fit *fit, size_t axis)
{
    for (size_t m = 0; m < fit->axes[axis].count; m++) {
        struct calibrate_parameter *parameter = &fit->parameters->items[fit->axes[axis].members[m]];
        if (!is_determined(parameter))
            continue;
        parameter->verdict = CALIBRATE_WEAK;
        parameter->low = parameter->high = NAN;
    }
}

bool fit_doubt_rates(struct fit *fit)
{
    size_t n = fit->axis_count;
    double *matrix = fit_numbers(fit, n * n + n);
    if (!matrix)
        return false;
    fit_normal(fit, matrix, matrix + n * n);
    for (size_t a = 0; a < n; a++)
        for (size_t b = a + 1; b < n; b++) {
            if (!is_rate(fit, a) || !is_rate(fit, b) || matrix[a * n + b] < RATES)
                continue;
            call_weak(fit, a);
            call_weak(fit, b);
        }
    free(matrix);
    return true;
}

/* Rows that are not as where the fit stands. */
static uint64_t rows_changed(const struct fit *fit, const double *z)
{
    uint64_t count = 0;
    for (size_t r = 0; r < fit->row_count; r++)
        count += z[r] != fit->z[r];
    return count;
}

/* Values of the fit, with idle axes where they began. Returns whether that changes one. */
static bool put_back(const struct fit *fit, double *out_values)
{
    bool moved = false;
    fit_values(fit, SIZE_MAX, 0, out_values);
    for (size_t a = 0; a < fit->axis_count; a++)
        for (size_t m = 0; fit->axes[a].idle && m < fit->axes[a].count; m++) {
            const size_t at = fit->axes[a].members[m];
            moved = moved || out_values[at] != fit->parameters->items[at].start;
            out_values[at] = fit->parameters->items[at].start;
        }
    return moved;
}

/* Whether most rows that depend on an axis are not as where the fit stands. */
static bool rests_on(const struct fit *fit, size_t axis, const double *z)
{
    uint64_t rows = 0;
    uint64_t changed = 0;
    for (size_t r = 0; r < fit->row_count; r++) {
        const bool depends = fit->jacobian[r * fit->axis_count + axis] != 0;
        rows += depends;
        changed += depends && fabs(z[r] - fit->z[r]) * fit->rows[r]->sigma > CHANGED_NS &&
                   fabs(z[r] - fit->z[r]) > 1;
    }
    return 2 * changed > rows;
}

bool fit_doubt_moved(struct fit *fit)
{
    struct fit_batch *batch = fit_batch_new(fit, 1);
    double *values = batch ? fit_batch_add(fit, batch) : NULL;
    const bool moved = values && put_back(fit, values);
    const bool good = batch && (!moved || fit_batch_run(fit, batch));
    for (size_t a = 0; good && moved && a < fit->axis_count; a++)
        if (!fit->axes[a].idle && rests_on(fit, a, batch->z))
            call_weak(fit, a);
    free(batch);
    return good;
}

/* Idle axes that nothing is known to depend on yet, all of the first `last` + 1 of them moved. */
static void move_together(struct fit *fit, const size_t *idle, size_t last, double by,
                          double *out_values)
{
    for (size_t i = 0; i <= last; i++)
        fit->axes[idle[i]].log_factor += fit->axes[idle[i]].far_rows == 0 ? by : 0;
    fit_values(fit, SIZE_MAX, 0, out_values);
    for (size_t i = 0; i <= last; i++)
        fit->axes[idle[i]].log_factor -= fit->axes[idle[i]].far_rows == 0 ? by : 0;
}

/* One trial for each of them to each side: it alone, or with those before it, for two steps may
 * hide each other. */
static bool try_far(struct fit *fit, const size_t *idle, size_t count, bool together)
{
    struct fit_batch *batch = fit_batch_new(fit, 2 * count);
    if (!batch)
        return false;
    for (size_t i = 0; i < 2 * count; i++) {
        double by = i < count ? FAR : -FAR;
        double *values = fit_batch_add(fit, batch);
        if (together)
            move_together(fit, idle, i % count, by, values);
        else
            fit_values(fit, idle[i % count], by, values);
    }
    bool good = fit_batch_run(fit, batch);
    for (size_t i = 0; good && i < 2 * count; i++) {
        uint64_t changed = rows_changed(fit, fit_batch_z(fit, batch, i));
        uint64_t before =
            together && i % count > 0 ? rows_changed(fit, fit_batch_z(fit, batch, i - 1)) : 0;
        struct fit_axis *axis = &fit->axes[idle[i % count]];
        if (axis->far_rows == 0 && changed > before)
            axis->far_rows = changed;
    }
    free(batch);
    return good;
}

bool fit_look_far(struct fit *fit)
{
    size_t *idle = fit_zeros(fit, fit->axis_count, sizeof(*idle));
    size_t count = 0;
    if (!idle)
        return false;
    for (size_t a = 0; a < fit->axis_count; a++) {
        fit->axes[a].far_rows = 0;
        if (fit->axes[a].idle)
            idle[count++] = a;
    }
    bool good = try_far(fit, idle, count, false) && try_far(fit, idle, count, true);
    free(idle);
    return good;
}
