/* SPDX-License-Identifier: Apache-2.0 */
/* What the records determine: parameters that can be exchanged for each other, and those of which nothing tells. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/eigen.h"
#include "calibrate/fit.h"

#define ALIKE     0.95 /* cosine of two columns that are tried against each other */
#define EXCHANGED 0.02 /* of what one alone would change, when both change against each other */
#define FELT      1e-9 /* length of a column that is none */
#define FAR       2.08 /* of a logarithm, a factor of 8: how far from what is assumed a value may be */

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
    size_t a, b; /* axes of one parameter each */
};

/* Pairs whose columns are nearly in proportion. */
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
                pairs[count++] = (struct pair){a, b};
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
    size_t m = fit->parameters->count;
    double *store = calloc(2 * count * m + 1, sizeof(*store));
    double **values = calloc(2 * count + 1, sizeof(*values));
    double *z = calloc(2 * count * fit->row_count + 1, sizeof(*z));
    size_t *members = calloc(2 * count + 1, sizeof(*members));
    bool good = store && values && z && members;
    if (!good)
        (void)snprintf(fit->error, fit->error_bytes, "out of memory");
    for (size_t i = 0; good && i < count; i++) {
        size_t a = members[2 * i] = fit->axes[pairs[i].a].members[0];
        size_t b = members[2 * i + 1] = fit->axes[pairs[i].b].members[0];
        double by = exchange_of(here, a, b);
        for (size_t side = 0; side < 2; side++) {
            values[2 * i + side] = store + (2 * i + side) * m;
            memcpy(values[2 * i + side], here, m * sizeof(*here));
            values[2 * i + side][a] += by;
        }
        values[2 * i][b] -= by; /* against each other, and beside it one alone */
    }
    good = good && fit_try(fit, values, 2 * count, z);
    for (size_t i = 0; good && i < count; i++) {
        double both = change_of(fit, z + 2 * i * fit->row_count);
        double alone = change_of(fit, z + (2 * i + 1) * fit->row_count);
        size_t a = axis_with(fit, members[2 * i]);
        size_t b = axis_with(fit, members[2 * i + 1]);
        if (both <= EXCHANGED * alone && a != b &&
            !fit_refused(fit, z + (2 * i + 1) * fit->row_count))
            join(fit, a < b ? a : b, a < b ? b : a);
    }
    free(store);
    free(values);
    free(z);
    free(members);
    return good;
}

bool fit_join(struct fit *fit)
{
    size_t n = fit->axis_count;
    double *matrix = calloc(n * n + 1, sizeof(*matrix));
    double *lengths = calloc(n + 1, sizeof(*lengths));
    double *here = calloc(fit->parameters->count + 1, sizeof(*here));
    struct pair *pairs = calloc(n * n + 1, sizeof(*pairs));
    bool good = matrix && lengths && here && pairs;
    if (!good)
        (void)snprintf(fit->error, fit->error_bytes, "out of memory");
    good = good && fit_derive(fit, true);
    if (good) {
        fit_normal(fit, matrix, lengths);
        fit_values(fit, SIZE_MAX, 0, here);
        size_t count = find_alike(fit, matrix, lengths, here, pairs);
        good = count == 0 || try_pairs(fit, pairs, count, here);
    }
    free(matrix);
    free(lengths);
    free(here);
    free(pairs);
    return good;
}

/* Rows that are not as where the fit stands. */
static uint64_t rows_changed(const struct fit *fit, const double *z)
{
    uint64_t count = 0;
    for (size_t r = 0; r < fit->row_count; r++)
        count += z[r] != fit->z[r];
    return count;
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

/* One trial for each of them to each side: it alone, or with those before it, for two steps may hide each other. */
static bool try_far(struct fit *fit, const size_t *idle, size_t count, bool together)
{
    size_t m = fit->parameters->count;
    double *store = calloc(2 * count * m + 1, sizeof(*store));
    double **values = calloc(2 * count + 1, sizeof(*values));
    double *z = calloc(2 * count * fit->row_count + 1, sizeof(*z));
    bool good = store && values && z;
    if (!good)
        (void)fit_memory_is_short(fit);
    for (size_t i = 0; good && i < 2 * count; i++) {
        double by = i < count ? FAR : -FAR;
        values[i] = store + i * m;
        if (together)
            move_together(fit, idle, i % count, by, values[i]);
        else
            fit_values(fit, idle[i % count], by, values[i]);
    }
    good = good && (count == 0 || fit_try(fit, values, 2 * count, z));
    for (size_t i = 0; good && i < 2 * count; i++) {
        uint64_t changed = rows_changed(fit, z + i * fit->row_count);
        uint64_t before =
            together && i % count > 0 ? rows_changed(fit, z + (i - 1) * fit->row_count) : 0;
        struct fit_axis *axis = &fit->axes[idle[i % count]];
        if (axis->far_rows == 0 && changed > before)
            axis->far_rows = changed;
    }
    free(store);
    free(values);
    free(z);
    return good;
}

bool fit_look_far(struct fit *fit)
{
    size_t *idle = calloc(fit->axis_count + 1, sizeof(*idle));
    size_t count = 0;
    if (!idle)
        return fit_memory_is_short(fit);
    for (size_t a = 0; a < fit->axis_count; a++) {
        fit->axes[a].far_rows = 0;
        if (fit->axes[a].idle)
            idle[count++] = a;
    }
    bool good = try_far(fit, idle, count, false) && try_far(fit, idle, count, true);
    free(idle);
    return good;
}
