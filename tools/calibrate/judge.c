/* SPDX-License-Identifier: Apache-2.0 */
/* How sure a fit is of each parameter, and what follows from that. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/eigen.h"
#include "calibrate/fit.h"

#define SCATTER_LEAST 0.29 /* what whole nanoseconds leave open: no recording is better */
#define ROUNDED_NS    0.29 /* usual deviation of what is rounded to whole ones */
#define FELT          1e-9 /* length of a column that is none */
#define EIGEN_LEAST   1e-10
#define LEVERAGE_MOST 0.95
#define UNKNOWN                                                                                    \
    1.0 /* half an interval, of the logarithm, beyond which a value is as good as
                             any */
#define BEND                                                                                       \
    2.0            /* as the weights have it: beyond it a deviation does not measure a
                             slope */
#define LOST 1e-13 /* of a difference: what its terms do not determine */
#define SHARED                                                                                     \
    0.3 /* of the error of one alone, what its combination with another may
                             have */

struct judge {
    struct fit *fit;
    size_t n;
    double *matrix, *lengths, *values, *vectors;
    double *inverse;  /* of the normal matrix, by axes, of logarithms */
    double *variance; /* and covariance, by axes */
    double *fourth;   /* by axis: sum of the squares of what each row adds to the variance */
    double *drifts;   /* by axes: how far the first goes when the second is as wrong as it may be */
    double *pull;     /* by axis: used up */
    double *halves;   /* by axis: half of the interval, of the logarithm */
};

/* Student's t for 99.7 %, which is 3 for many rows. */
static double quantile(double freedom)
{
    static const double table[][2] = {{1, 235.8}, {2, 19.21}, {3, 9.22},  {4, 6.62},  {5, 5.51},
                                      {6, 4.90},  {8, 4.28},  {10, 3.96}, {15, 3.59}, {20, 3.42},
                                      {30, 3.27}, {60, 3.13}, {200, 3.04}};
    enum { ROWS = sizeof(table) / sizeof(table[0]) };
    if (freedom <= table[0][0])
        return table[0][1];
    for (size_t i = 1; i < ROWS; i++) {
        if (freedom > table[i][0])
            continue;
        double part = log(freedom / table[i - 1][0]) / log(table[i][0] / table[i - 1][0]);
        return exp(log(table[i - 1][1]) * (1 - part) + log(table[i][1]) * part);
    }
    return 3;
}

double fit_interval(double error, double rows)
{
    return error * quantile(rows - 1);
}

/* Of usual deviations, by their sigma. An instant that is noisy ends one length and begins others,
 * so noise may count twice. */
static double scatter_of(const struct fit *fit)
{
    return fmax(M_SQRT2 * 1.4826 * fit_median(fit), SCATTER_LEAST);
}

/* Rows beyond the bend do not determine a slope. */
static bool is_measure(const struct fit *fit, size_t r)
{
    return fit_counts(fit, r) && fabs(fit->z[r]) <= BEND * fit->scale;
}

static void take_apart(struct judge *judge)
{
    struct fit *fit = judge->fit;
    size_t n = judge->n;
    for (size_t r = 0; r < fit->row_count; r++)
        fit->weights[r] = is_measure(fit, r) ? 1 : 0;
    fit_normal(fit, judge->matrix, judge->lengths);
    fit_weigh(fit);
    calibrate_eigen(judge->matrix, n, judge->values, judge->vectors);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < n && judge->lengths[i] > FELT && judge->lengths[j] > FELT; k++)
                judge->inverse[i * n + j] += judge->vectors[i * n + k] * judge->vectors[j * n + k] /
                                             fmax(judge->values[k], EIGEN_LEAST) /
                                             (judge->lengths[i] * judge->lengths[j]);
}

/* Each row adds as much to the variance as its own deviation shows, and the usual one at least:
 * rows differ in their noise. What a row says of its own noise is less where the fit could follow
 * it, which is made good. */
static void add_row(struct judge *judge, size_t r, double scatter, double *pull)
{
    const struct fit *fit = judge->fit;
    const double *row = fit->jacobian + r * judge->n;
    double leverage = 0;
    for (size_t i = 0; i < judge->n; i++) {
        pull[i] = 0;
        for (size_t j = 0; j < judge->n; j++)
            pull[i] += judge->inverse[i * judge->n + j] * row[j];
        leverage += row[i] * pull[i];
    }
    leverage = is_measure(fit, r) ? fmin(fmax(leverage, 0), LEVERAGE_MOST) : 0;
    /* an instant that is noisy ends one length and begins another, so its noise may count twice */
    double own = M_SQRT2 * fit->weights[r] * fabs(fit->z[r]) / (1 - leverage);
    double noise = fmax(own, scatter);
    double known = is_measure(fit, r) ? scatter : 0; /* is in the inverse */
    for (size_t i = 0; i < judge->n; i++) {
        if (pull[i] == 0)
            continue;
        for (size_t j = 0; j < judge->n; j++)
            judge->variance[i * judge->n + j] +=
                pull[i] * pull[j] * (noise * noise - known * known);
        judge->fourth[i] += pow(pull[i] * noise, 4);
    }
}

/* The most that a length which counts changes by, in ns, along a direction. */
static double most_felt(const struct judge *judge, const double *direction)
{
    const struct fit *fit = judge->fit;
    double most = 0;
    for (size_t r = 0; r < fit->row_count; r++) {
        double change = 0;
        for (size_t i = 0; i < judge->n && is_measure(fit, r); i++)
            change += fit->jacobian[r * judge->n + i] * direction[i];
        most = fmax(most, fabs(change) * fit->rows[r]->sigma);
    }
    return most;
}

/* Whole nanoseconds: lengths of one kind are all rounded the same way, so a hundred of them
 * determine a direction no better than the one that feels it most. */
static void add_rounding(struct judge *judge, double scatter, double *direction)
{
    size_t n = judge->n;
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < n; i++)
            direction[i] =
                judge->lengths[i] > FELT ? judge->vectors[i * n + k] / judge->lengths[i] : 0;
        double most = most_felt(judge, direction);
        if (!(most > 0))
            continue;
        double rounded = ROUNDED_NS / most;
        double more = rounded * rounded - scatter * scatter / fmax(judge->values[k], EIGEN_LEAST);
        for (size_t i = 0; i < n && more > 0; i++)
            for (size_t j = 0; j < n; j++)
                judge->variance[i * n + j] += more * direction[i] * direction[j];
    }
}

static void add_rows(struct judge *judge)
{
    const struct fit *fit = judge->fit;
    double scatter = scatter_of(fit);
    /* from the inverse and not from rows: of a way that none of them measures, their sum would say
     * that it is known */
    for (size_t i = 0; i < judge->n * judge->n; i++)
        judge->variance[i] = judge->inverse[i] * scatter * scatter;
    for (size_t r = 0; r < fit->row_count; r++)
        if (fit_counts(fit, r))
            add_row(judge, r, scatter, judge->pull);
    add_rounding(judge, scatter, judge->pull);
}

static uint64_t rows_of(const struct fit *fit, size_t axis)
{
    uint64_t count = 0;
    for (size_t r = 0; r < fit->row_count; r++)
        count += fit->jacobian[r * fit->axis_count + axis] != 0;
    return count;
}

/* How many rows an error rests on, when all that count were alike: no more than there are. */
static double effective_rows(const struct judge *judge, size_t axis)
{
    double variance = judge->variance[axis * judge->n + axis];
    if (!(judge->fourth[axis] > 0))
        return 1;
    return fmin(variance * variance / judge->fourth[axis], (double)rows_of(judge->fit, axis));
}

static double error_of(const struct judge *judge, size_t axis)
{
    return judge->lengths[axis] > FELT ? sqrt(judge->variance[axis * judge->n + axis]) : INFINITY;
}

/* What the recordings hardly determine may be anything, also where errors of small steps say
 * otherwise: as far off as it was assumed to be. What can be exchanged with it is off with it. */
static void find_drifts(struct judge *judge, const double *here)
{
    const struct fit *fit = judge->fit;
    size_t n = judge->n;
    for (size_t k = 0; k < n; k++) {
        double square = judge->variance[k * n + k];
        double half = fit_interval(error_of(judge, k), effective_rows(judge, k));
        judge->halves[k] = half;
        if (!(half > UNKNOWN) || isinf(half) || !(square > 0))
            continue;
        double value = exp(fit_axis_log(fit, k, here));
        double start = value / exp(fit->axes[k].log_factor);
        for (size_t i = 0; i < n; i++)
            judge->drifts[i * n + k] =
                judge->variance[i * n + k] / square * fmax(start, value) / value;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            judge->halves[i] += k != i ? fabs(judge->drifts[i * n + k]) : 0;
}

/* ---- verdicts -------------------------------------------------------------------------------- */

static void add_text(char *text, size_t bytes, const char *more)
{
    size_t used = strlen(text);
    if (used < bytes)
        (void)snprintf(text + used, bytes - used, "%s", more);
}

static void add_name(struct calibrate_parameter *parameter, const char *name)
{
    if (parameter->with[0] != '\0')
        add_text(parameter->with, sizeof(parameter->with), ", ");
    add_text(parameter->with, sizeof(parameter->with), name);
}

static void set_sum(struct calibrate_parameter *parameter, double sum, double half)
{
    parameter->sum = sum;
    parameter->sum_low = sum * exp(-half);
    parameter->sum_high = sum * exp(half);
}

/* Parameters that move together: their sum. */
static void judge_sum(const struct judge *judge, size_t axis, const double *here, double half)
{
    const struct fit_axis *one = &judge->fit->axes[axis];
    double sum = 0;
    for (size_t m = 0; m < one->count; m++)
        sum += here[one->members[m]];
    for (size_t m = 0; m < one->count; m++) {
        struct calibrate_parameter *parameter = &judge->fit->parameters->items[one->members[m]];
        parameter->verdict = half <= CALIBRATE_SURE ? CALIBRATE_TOGETHER : CALIBRATE_WEAK;
        for (size_t other = 0; other < one->count; other++) {
            const char *name = judge->fit->parameters->items[one->members[other]].name;
            if (other != m)
                add_name(parameter, name);
            if (other > 0)
                add_text(parameter->combination, sizeof(parameter->combination), " + ");
            add_text(parameter->combination, sizeof(parameter->combination), name);
        }
        set_sum(parameter, sum, half);
    }
}

/* Times are parts of a sum, and so are shares; of rates the parts are reciprocals, whose sum says
 * nothing of another place. */
static bool adds_up(const struct calibrate_parameter *parameter)
{
    return strcmp(parameter->unit, "B/cycle") != 0 && strcmp(parameter->unit, "MB/s") != 0;
}

/* Another parameter whose sum with this one, times some factor, is known where this one alone is
 * not. */
static void find_partner(const struct judge *judge, size_t axis, const double *here)
{
    const struct fit *fit = judge->fit;
    size_t n = judge->n;
    struct calibrate_parameter *parameter = &fit->parameters->items[fit->axes[axis].members[0]];
    double own = here[fit->axes[axis].members[0]];
    double alone = judge->variance[axis * n + axis] * own * own;
    double best = CALIBRATE_SURE;
    for (size_t j = 0; j < n; j++) {
        if (j == axis || judge->lengths[j] <= FELT || fit->axes[j].count > 1)
            continue;
        const struct calibrate_parameter *other = &fit->parameters->items[fit->axes[j].members[0]];
        double value = here[fit->axes[j].members[0]];
        double between = judge->variance[axis * n + j] * own * value;
        double square = judge->variance[j * n + j] * value * value;
        double factor = square > 0 ? -between / square : 0;
        /* of what is open altogether the difference of two huge numbers is left, which means
         * nothing */
        double rest = sqrt(fmax(alone - between * between / fmax(square, 1e-300), LOST * alone));
        double rows = fmin(effective_rows(judge, axis), effective_rows(judge, j));
        double sum = own + factor * value;
        double half = fit_interval(rest / sum, rows);
        for (size_t k = 0; k < n; k++)
            half += fabs(own * judge->drifts[axis * n + k] +
                         factor * value * judge->drifts[j * n + k]) /
                    sum;
        if (factor < 0.01 || strcmp(other->unit, parameter->unit) != 0 || !adds_up(parameter) ||
            half > best || rest > SHARED * sqrt(alone))
            continue;
        best = half;
        parameter->verdict = CALIBRATE_TOGETHER;
        parameter->with[0] = '\0';
        add_name(parameter, other->name);
        (void)snprintf(parameter->combination, sizeof(parameter->combination), "%s + %.3g * %s",
                       parameter->name, factor, other->name);
        set_sum(parameter, own + factor * value, half);
    }
}

static void judge_axis(const struct judge *judge, size_t axis, const double *here, bool was_idle)
{
    const struct fit *fit = judge->fit;
    const struct fit_axis *one = &fit->axes[axis];
    double error = error_of(judge, axis);
    double half = judge->halves[axis];
    for (size_t m = 0; m < one->count; m++) {
        struct calibrate_parameter *parameter = &fit->parameters->items[one->members[m]];
        double value = here[one->members[m]];
        parameter->error = error;
        parameter->rows = one->far_rows > 0 ? one->far_rows : rows_of(fit, axis);
        parameter->with[0] = parameter->combination[0] = '\0';
        parameter->low = parameter->high = NAN;
        parameter->verdict = one->idle && one->far_rows == 0 ? CALIBRATE_INFLUENCE_0
                             : half <= CALIBRATE_SURE && !was_idle && !one->idle ? CALIBRATE_FITTED
                                                                                 : CALIBRATE_WEAK;
        if (one->idle || was_idle || one->count > 1 || !(half < CALIBRATE_UNSURE))
            continue;
        /* the model has whole numbers: half of one for its own, and where others are rounded as
         * well the place that fits best may be a neighbour */
        parameter->low = fmax(value * exp(-half) - 1, 0);
        parameter->high = value * exp(half) + 1;
    }
    if (one->idle || was_idle)
        return;
    if (one->count > 1)
        judge_sum(judge, axis, here, half);
    else if (fit->parameters->items[one->members[0]].verdict == CALIBRATE_WEAK)
        find_partner(judge, axis, here);
}

bool fit_judge(struct fit *fit)
{
    size_t n = fit->axis_count;
    double *store = fit_numbers(fit, 5 * n * n + 5 * n + fit->parameters->count);
    bool *was_idle = fit_zeros(fit, n, sizeof(*was_idle));
    bool good = store && was_idle;
    for (size_t i = 0; good && i < n; i++)
        was_idle[i] = fit->axes[i].idle;
    if (good && fit_derive(fit, true) && fit_look_far(fit)) {
        double *by_axis = store + 5 * n * n;
        double *here = by_axis + 5 * n;
        struct judge judge = {.fit = fit,
                              .n = n,
                              .matrix = store,
                              .vectors = store + n * n,
                              .inverse = store + 2 * n * n,
                              .variance = store + 3 * n * n,
                              .drifts = store + 4 * n * n,
                              .lengths = by_axis,
                              .values = by_axis + n,
                              .fourth = by_axis + 2 * n,
                              .halves = by_axis + 3 * n,
                              .pull = by_axis + 4 * n};
        take_apart(&judge);
        add_rows(&judge);
        fit_values(fit, SIZE_MAX, 0, here);
        find_drifts(&judge, here);
        for (size_t i = 0; i < n; i++)
            judge_axis(&judge, i, here, was_idle[i]);
    } else {
        good = false;
    }
    free(store);
    free(was_idle);
    return good;
}
