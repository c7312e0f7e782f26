/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/eigen.h"

#define STEP        0.05 /* of a logarithm, for differences */
#define STEP_MOST   1.1  /* of a logarithm, in one iteration */
#define HUBER       2.0  /* scales beyond which a deviation counts no more than in proportion */
#define SCALE_LEAST 1.0  /* so that what whole numbers cannot say counts squared */
#define DAMPINGS    6    /* tried at once */
#define UNSTEADY_NS 3.0  /* slopes to both sides may differ by so much in one step */
#define UNSTEADY    0.3  /* or by this part of it */

bool fit_memory_is_short(struct fit *fit)
{
    (void)snprintf(fit->error, fit->error_bytes, "memory is short");
    return false;
}

/* ---- what moves ------------------------------------------------------------------------------ */

static double most_of(const struct calibrate_parameter *parameter)
{
    if (strcmp(parameter->unit, "MB/s") == 0)
        return 1e7;
    if (strcmp(parameter->unit, "permille") == 0 || strcmp(parameter->unit, "B/cycle") == 0)
        return 1000;
    return strcmp(parameter->unit, "cycles") == 0 ? 1e5 : 1e9;
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
               struct calibrate_parameters *parameters, char *error, size_t error_bytes)
{
    *fit = (struct fit){
        .bench = bench, .parameters = parameters, .error = error, .error_bytes = error_bytes};
    fit->rows = calloc(bench->row_count + 1, sizeof(*fit->rows));
    fit->row_at = calloc(bench->row_count + 1, sizeof(*fit->row_at));
    fit->axes = calloc(parameters->count + 1, sizeof(*fit->axes));
    fit->weights = calloc(bench->row_count + 1, sizeof(*fit->weights));
    fit->z = calloc(bench->row_count + 1, sizeof(*fit->z));
    fit->unsteady = calloc(bench->row_count + 1, sizeof(*fit->unsteady));
    fit->jacobian =
        calloc((bench->row_count + 1) * (parameters->count + 1), sizeof(*fit->jacobian));
    if (!fit->rows || !fit->row_at || !fit->axes || !fit->weights || !fit->z || !fit->unsteady ||
        !fit->jacobian)
        return fit_memory_is_short(fit);
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
        axis->members = calloc(parameters->count, sizeof(*axis->members));
        if (!axis->members)
            return fit_memory_is_short(fit);
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

bool fit_try(struct fit *fit, double *const *values, size_t count, double *out_z)
{
    struct calibrate_trial *trials = calloc(count + 1, sizeof(*trials));
    double *rows = calloc(count * fit->bench->row_count + 1, sizeof(*rows));
    bool good = trials && rows;
    if (!good)
        (void)fit_memory_is_short(fit);
    for (size_t i = 0; good && i < count; i++)
        trials[i] =
            (struct calibrate_trial){.values = values[i], .rows = rows + i * fit->bench->row_count};
    good = good && calibrate_bench_run(fit->bench, trials, count, fit->error, fit->error_bytes);
    for (size_t i = 0; good && i < count; i++) {
        for (size_t r = 0; r < fit->row_count; r++) {
            double value = trials[i].rows[fit->row_at[r]];
            /* what did not happen in the model tells nothing of times */
            out_z[i * fit->row_count + r] =
                isnan(value) ? 0 : (value - fit->rows[r]->measured) / fit->rows[r]->sigma;
        }
    }
    free(trials);
    free(rows);
    return good;
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static double median_of_size(const double *z, size_t count)
{
    double *sizes = count > 0 ? malloc(count * sizeof(*sizes)) : NULL;
    if (!sizes)
        return 0;
    for (size_t i = 0; i < count; i++)
        sizes[i] = fabs(z[i]);
    qsort(sizes, count, sizeof(*sizes), by_size);
    double median = sizes[count / 2];
    free(sizes);
    return median;
}

/* Huber's: squares near 0, then in proportion. */
double fit_cost_of(const struct fit *fit, const double *z)
{
    double bend = HUBER * fit->scale;
    double sum = 0;
    for (size_t r = 0; r < fit->row_count; r++) {
        double size = fit->unsteady[r] ? 0 : fabs(z[r]);
        sum += size <= bend ? size * size / 2 : bend * (size - bend / 2);
    }
    return sum;
}

void fit_weigh(struct fit *fit)
{
    fit->scale = fmax(1.4826 * median_of_size(fit->z, fit->row_count), SCALE_LEAST);
    for (size_t r = 0; r < fit->row_count; r++) {
        double size = fabs(fit->z[r]);
        fit->weights[r] = fit->unsteady[r]             ? 0
                          : size <= HUBER * fit->scale ? 1
                                                       : HUBER * fit->scale / size;
    }
    fit->cost = fit_cost_of(fit, fit->z);
}

bool fit_look(struct fit *fit)
{
    double *values = calloc(fit->parameters->count + 1, sizeof(*values));
    if (!values)
        return fit_memory_is_short(fit);
    fit_values(fit, SIZE_MAX, 0, values);
    bool good = fit_try(fit, &values, 1, fit->z);
    free(values);
    if (good)
        fit_weigh(fit);
    return good;
}

/* Values for a step of each axis, large enough to be one in whole numbers. */
static void step_values(const struct fit *fit, size_t axis, double sign, double *values,
                        const double *here)
{
    double step = STEP * sign;
    do {
        fit_values(fit, axis, step, values);
        step *= 1.5;
    } while (fabs(step) < 3 && fit_axis_log(fit, axis, values) == fit_axis_log(fit, axis, here));
}

struct side {
    const double *z;
    double change; /* of the logarithm; 0: there is no step to this side */
};

/* Slope of one row, and whether it is the same to both sides but for whole numbers. */
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

bool fit_derive(struct fit *fit)
{
    size_t n = fit->axis_count;
    size_t m = fit->parameters->count;
    double *store = calloc((2 * n + 1) * m + 1, sizeof(*store));
    double **values = calloc(2 * n + 1, sizeof(*values));
    double *z = calloc(2 * n * fit->row_count + 1, sizeof(*z));
    bool good = store && values && z;
    if (!good)
        (void)fit_memory_is_short(fit);
    double *here = good ? store + 2 * n * m : NULL;
    if (good)
        fit_values(fit, SIZE_MAX, 0, here);
    for (size_t i = 0; good && i < 2 * n; i++) {
        values[i] = store + i * m;
        step_values(fit, i / 2, i % 2 == 0 ? 1 : -1, values[i], here);
    }
    good = good && (n == 0 || fit_try(fit, values, 2 * n, z));
    for (size_t r = 0; good && r < fit->row_count; r++)
        fit->unsteady[r] = false;
    for (size_t i = 0; good && i < n; i++) {
        double log_here = fit_axis_log(fit, i, here);
        const struct side up = {z + 2 * i * fit->row_count,
                                fit_axis_log(fit, i, values[2 * i]) - log_here};
        const struct side down = {z + (2 * i + 1) * fit->row_count,
                                  fit_axis_log(fit, i, values[2 * i + 1]) - log_here};
        for (size_t r = 0; r < fit->row_count; r++) {
            bool steady;
            fit->jacobian[r * n + i] = slope_of(fit, r, &up, &down, &steady);
            fit->unsteady[r] = fit->unsteady[r] || !steady;
        }
    }
    if (good)
        fit_weigh(fit);
    free(store);
    free(values);
    free(z);
    return good;
}

/* ---- steps ----------------------------------------------------------------------------------- */

void fit_normal(const struct fit *fit, double *out_matrix, double *out_lengths)
{
    size_t n = fit->axis_count;
    memset(out_matrix, 0, n * n * sizeof(*out_matrix));
    for (size_t r = 0; r < fit->row_count; r++) {
        const double *row = fit->jacobian + r * n;
        for (size_t i = 0; i < n; i++) {
            if (row[i] == 0)
                continue;
            for (size_t j = 0; j < n; j++)
                out_matrix[i * n + j] += fit->weights[r] * row[i] * row[j];
        }
    }
    for (size_t i = 0; i < n; i++)
        out_lengths[i] = sqrt(out_matrix[i * n + i]);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (out_lengths[i] > 0 && out_lengths[j] > 0)
                out_matrix[i * n + j] /= out_lengths[i] * out_lengths[j];
}

static bool system_begin(struct fit_system *system, size_t n)
{
    system->matrix = calloc(n * n + 1, sizeof(double));
    system->turning = calloc(n * n + 1, sizeof(double));
    system->vectors = calloc(n * n + 1, sizeof(double));
    system->lengths = calloc(n + 1, sizeof(double));
    system->values = calloc(n + 1, sizeof(double));
    system->slope = calloc(n + 1, sizeof(double));
    system->turned = calloc(n + 1, sizeof(double));
    return system->matrix && system->turning && system->vectors && system->lengths &&
           system->values && system->slope && system->turned;
}

static void system_end(struct fit_system *system)
{
    free(system->matrix);
    free(system->turning);
    free(system->vectors);
    free(system->lengths);
    free(system->values);
    free(system->slope);
    free(system->turned);
}

/* The slope of the cost, in the directions of the eigenvectors. */
void fit_system_set_up(const struct fit *fit, struct fit_system *system)
{
    size_t n = fit->axis_count;
    fit_normal(fit, system->matrix, system->lengths);
    memset(system->slope, 0, n * sizeof(double));
    memset(system->turned, 0, n * sizeof(double));
    for (size_t r = 0; r < fit->row_count; r++)
        for (size_t i = 0; i < n; i++)
            system->slope[i] += fit->weights[r] * fit->jacobian[r * n + i] * fit->z[r];
    memcpy(system->turning, system->matrix, n * n * sizeof(double));
    calibrate_eigen(system->turning, n, system->values, system->vectors);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            if (system->lengths[i] > 0)
                system->turned[k] +=
                    system->vectors[i * n + k] * system->slope[i] / system->lengths[i];
}

/* Levenberg and Marquardt's step, by axis. */
static void step_of(const struct fit *fit, const struct fit_system *system, double damping,
                    double *out_step)
{
    size_t n = fit->axis_count;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k < n; k++)
            sum -= system->vectors[i * n + k] * system->turned[k] /
                   (fmax(system->values[k], 0) + damping);
        out_step[i] = system->lengths[i] > 0 ? sum / system->lengths[i] : 0;
        out_step[i] = fmin(fmax(out_step[i], -STEP_MOST), STEP_MOST);
    }
}

void fit_move(struct fit *fit, const double *step, double sign)
{
    for (size_t i = 0; i < fit->axis_count; i++)
        fit->axes[i].log_factor += sign * step[i];
}

/* Tries several dampings at once and takes the best. False in *out_won: none is better than staying. */
static bool try_steps(struct fit *fit, const struct fit_system *system, double *damping,
                      bool *out_won)
{
    size_t n = fit->axis_count;
    size_t m = fit->parameters->count;
    double *steps = calloc(DAMPINGS * n + 1, sizeof(*steps));
    double *store = calloc(DAMPINGS * m + 1, sizeof(*store));
    double *z = calloc(DAMPINGS * fit->row_count + 1, sizeof(*z));
    double *values[DAMPINGS];
    size_t best = SIZE_MAX;
    double best_cost = fit->cost * (1 - 1e-9);
    bool good = steps && store && z;
    if (!good)
        (void)fit_memory_is_short(fit);
    for (size_t t = 0; good && t < DAMPINGS; t++) {
        values[t] = store + t * m;
        step_of(fit, system, *damping * pow(30, (double)t - 1), steps + t * n);
        fit_move(fit, steps + t * n, 1);
        fit_values(fit, SIZE_MAX, 0, values[t]);
        fit_move(fit, steps + t * n, -1);
    }
    good = good && fit_try(fit, values, DAMPINGS, z);
    for (size_t t = 0; good && t < DAMPINGS; t++) {
        double cost = fit_cost_of(fit, z + t * fit->row_count);
        if (cost < best_cost) {
            best = t;
            best_cost = cost;
        }
    }
    *out_won = good && best != SIZE_MAX;
    if (*out_won) {
        fit_move(fit, steps + best * n, 1);
        memcpy(fit->z, z + best * fit->row_count, fit->row_count * sizeof(*z));
        *damping = fmax(*damping * pow(30, (double)best - 1), 1e-12);
    }
    free(steps);
    free(store);
    free(z);
    return good;
}

static void say(const struct fit *fit, unsigned iteration)
{
    size_t unsteady = 0;
    for (size_t r = 0; r < fit->row_count; r++)
        unsteady += fit->unsteady[r];
    if (fit->bench->job->progress)
        fprintf(fit->bench->job->progress,
                "step %u: cost %.4g, scale %.3g, %zu of %zu lengths unsteady, %llu runs\n",
                iteration, fit->cost, fit->scale, unsteady, fit->row_count,
                (unsigned long long)fit->bench->trials);
}

bool fit_solve(struct fit *fit, unsigned iterations_most, unsigned *out_iterations,
               bool *out_settled)
{
    struct fit_system system = {0};
    double damping = 1e-3;
    bool good = system_begin(&system, fit->axis_count) || fit_memory_is_short(fit);
    bool won = true;
    *out_settled = false;
    for (unsigned i = 0; good && i < iterations_most && !*out_settled; i++) {
        good = fit_derive(fit);
        if (!good)
            break;
        double before = fit->cost;
        fit_system_set_up(fit, &system);
        good = try_steps(fit, &system, &damping, &won);
        if (good && (!won || fit_cost_of(fit, fit->z) > 0.999 * before)) {
            damping = 1e-3;
            good = fit_search(fit, &won);
            *out_settled = !won || fit_cost_of(fit, fit->z) > 0.99 * fit->cost;
        }
        fit_weigh(fit);
        *out_iterations += 1;
        say(fit, *out_iterations);
    }
    good = good && fit_polish(fit, &system);
    system_end(&system);
    return good;
}
