/* SPDX-License-Identifier: Apache-2.0 */
/* The way to the place that fits best. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/eigen.h"
#include "calibrate/fit.h"

#define STEP_MOST 1.1  /* of a logarithm, in one iteration */
#define DAMPINGS  6    /* tried at once */
#define LITTLE    1e-3 /* part of the cost: not worth a step */
#define MUCH      1e-2 /* worth a round of slopes and searches */
#define NOTHING   1e-2 /* a cost that is none */
#define POOR      2.0  /* deviations of rows that compete, by those of rows that do not */
#define FAR                                                                                        \
    20.0 /* scales beyond which a deviation counts as this far: clocks stray as
                          well */

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

static bool system_begin(struct fit *fit, struct fit_system *system)
{
    size_t n = fit->axis_count;
    double *at = fit_numbers(fit, 3 * n * n + 4 * n);
    *system = (struct fit_system){.matrix = at};
    if (!at)
        return false;
    system->turning = at + n * n;
    system->vectors = at + 2 * n * n;
    at += 3 * n * n;
    system->lengths = at;
    system->values = at + n;
    system->slope = at + 2 * n;
    system->turned = at + 3 * n;
    return true;
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

/* Tries several dampings at once and takes the best. False in *out_won: none is better than
 * staying. */
static bool try_steps(struct fit *fit, const struct fit_system *system, double *damping,
                      bool *out_won)
{
    size_t n = fit->axis_count;
    double *steps = fit_numbers(fit, DAMPINGS * n);
    size_t best = SIZE_MAX;
    for (size_t t = 0; steps && t < DAMPINGS; t++)
        step_of(fit, system, *damping * pow(30, (double)t - 1), steps + t * n);
    const bool good = steps && fit_take_best(fit, steps, DAMPINGS, &best);
    *out_won = best != SIZE_MAX;
    if (*out_won)
        *damping = fmax(*damping * pow(30, (double)best - 1), 1e-12);
    free(steps);
    return good;
}

static void say(const struct fit *fit, unsigned iteration)
{
    size_t counting = 0;
    for (size_t r = 0; r < fit->row_count; r++)
        counting += fit_counts(fit, r);
    if (fit->bench->job->progress)
        fprintf(fit->bench->job->progress,
                "step %u: cost %.4g, scale %.3g, %zu of %zu durations count, %llu runs\n",
                iteration, fit->cost, fit->scale, counting, fit->row_count,
                (unsigned long long)fit->bench->trials);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Where a fit stands, to come back to. */
struct place {
    double *log_factors, *z; /* of one block */
    double cost;             /* by all rows */
};

struct solver {
    struct fit *fit;
    struct fit_system system;
    struct place start, best, other;
    unsigned iterations_most, iterations;
    bool settled;
};

static void keep_place(const struct fit *fit, struct place *place)
{
    for (size_t a = 0; a < fit->axis_count; a++)
        place->log_factors[a] = fit->axes[a].log_factor;
    memcpy(place->z, fit->z, fit->row_count * sizeof(*place->z));
    place->cost = fit->cost;
}

/* All rows count there. */
static void return_to(struct fit *fit, const struct place *place)
{
    for (size_t a = 0; a < fit->axis_count; a++)
        fit->axes[a].log_factor = place->log_factors[a];
    memcpy(fit->z, place->z, fit->row_count * sizeof(*place->z));
    fit_count_all(fit);
}

/* What is to be won for another round: a part of the cost, and of what rows cost that deviate by a
 * sigma. */
static double worth(const struct fit *fit, double cost, double part)
{
    return part * fmax(cost, 0.1 * (double)fit->row_count);
}

/* Levenberg and Marquardt's steps until one wins next to nothing. */
static bool descend(struct solver *solver)
{
    struct fit *fit = solver->fit;
    double damping = 1e-3;
    bool won = true;
    bool good = true;
    bool all = true; /* what was idle elsewhere may not be so here */
    while (good && won && solver->iterations < solver->iterations_most) {
        good = fit_derive(fit, all);
        all = false;
        if (!good)
            break;
        double before = fit->cost;
        fit_system_set_up(fit, &solver->system);
        good = try_steps(fit, &solver->system, &damping, &won);
        won = won && before - fit_cost_of(fit, fit->z) > worth(fit, before, LITTLE);
        fit_weigh(fit);
        solver->iterations++;
        say(fit, solver->iterations);
    }
    return good;
}

/* Root mean square of the deviations of rows that were alone, or that were not. False: there are
 * none. */
static bool deviation_of(const struct fit *fit, bool alone, double *out)
{
    double squares = 0;
    size_t count = 0;
    for (size_t r = 0; r < fit->row_count; r++) {
        if (fit->rows[r]->alone != alone)
            continue;
        double size = fmin(fabs(fit->z[r]), FAR * fit->scale);
        squares += size * size;
        count++;
    }
    *out = count > 0 ? sqrt(squares / (double)count) : 0;
    return count > 0;
}

bool fit_is_poor(const struct fit *fit)
{
    double quiet;
    double busy;
    if (!deviation_of(fit, true, &quiet))
        quiet = fit->scale;
    return deviation_of(fit, false, &busy) && busy > POOR * fmax(quiet, 1);
}

/* By tasks that were alone: what they depend on is smooth, so this ends in the right place wherever
 * it begins. */
static bool approach(struct solver *solver)
{
    struct fit *fit = solver->fit;
    fit->alone_only = true;
    bool good = descend(solver) && fit_derive(fit, true);
    if (good)
        fit_system_set_up(fit, &solver->system);
    fit->alone_only = false;
    /* what one direction wins may show what another has to win */
    return good && fit_slide(fit, &solver->system) && fit_slide(fit, &solver->system);
}

/* Slopes and searches in turn. Slopes leave out rows that are unsteady, a search counts all: what
 * wins by one may lose by the other, so it ends when a round of both wins nothing by all rows.
 * Where it was best is kept. */
static bool settle(struct solver *solver, struct place *best)
{
    struct fit *fit = solver->fit;
    bool good = true;
    solver->settled = false;
    solver->iterations = 0;
    fit_count_all(fit);
    keep_place(fit, best);
    while (good && !solver->settled && solver->iterations < solver->iterations_most) {
        double before = best->cost;
        good = descend(solver);
        fit_count_all(fit);
        if (fit->cost < best->cost)
            keep_place(fit, best);
        return_to(fit, best);
        if (good && fit->cost > NOTHING)
            good = fit_search(fit);
        fit_count_all(fit);
        if (good && fit->cost < best->cost)
            keep_place(fit, best);
        solver->settled = before - best->cost <= worth(fit, before, MUCH) || best->cost <= NOTHING;
    }
    return good;
}

/* Two ways to the place that fits best; the second where the first leads nowhere. */
static bool find_place(struct solver *solver)
{
    struct fit *fit = solver->fit;
    if (!approach(solver) || !settle(solver, &solver->best))
        return false;
    return_to(fit, &solver->best);
    if (!fit_is_poor(fit))
        return true;
    return_to(fit, &solver->start);
    if (!settle(solver, &solver->other))
        return false;
    return_to(fit, solver->other.cost < solver->best.cost ? &solver->other : &solver->best);
    return true;
}

static bool place_begin(struct fit *fit, struct place *place)
{
    place->log_factors = fit_numbers(fit, fit->axis_count + fit->row_count);
    place->z = place->log_factors ? place->log_factors + fit->axis_count : NULL;
    return place->z != NULL;
}

bool fit_solve(struct fit *fit, unsigned iterations_most, unsigned *out_iterations,
               bool *out_settled)
{
    struct solver solver = {.fit = fit, .iterations_most = iterations_most};
    bool good = system_begin(fit, &solver.system) && place_begin(fit, &solver.best) &&
                place_begin(fit, &solver.other) && place_begin(fit, &solver.start);
    if (good)
        keep_place(fit, &solver.start);
    good = good && find_place(&solver) && fit_derive(fit, true);
    if (good)
        fit_system_set_up(fit, &solver.system);
    good = good && fit_polish(fit, &solver.system);
    *out_iterations = solver.iterations;
    *out_settled = solver.settled;
    free(solver.best.log_factors);
    free(solver.other.log_factors);
    free(solver.start.log_factors);
    free(solver.system.matrix);
    return good;
}
