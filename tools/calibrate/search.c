/* SPDX-License-Identifier: Apache-2.0 */
/* Trials without slopes: where these mislead, or where whole numbers are in the way. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/fit.h"
#include "output/layout.h"

#define SMALL        40 /* a value so small that a whole number is a large step */
#define POLISH_MOST  12
#define POLISH_LEAST 2e-4 /* of the cost: what is worth another round */
#define LIKE         0.4  /* cosine of columns that are tried against each other */
#define SEARCH_STEPS 10
#define SCALE_FINE   1.0  /* of deviations that are a matter of whole numbers */
#define SCATTER_FINE 0.29 /* what they are then at least */
#define AGAIN_MOST   32
#define FOLLOW_STEPS 6
#define FOLLOW_LEAST 1e-6 /* eigenvalue: of what is open altogether nothing follows */

#define SLIDES_MOST 8    /* directions */
#define SLIDE_OPEN  0.02 /* eigenvalue of a direction that rows leave open */
#define SLIDE_TRIES 16   /* along one, in each of two rounds */
#define SLIDE_LEAST 0.1  /* of what a value is: how far it may slide */
#define SLIDE_MOST  5.0

/* The logarithm by which an axis moves when its first member becomes `by` larger. */
static double log_for(const struct fit *fit, size_t axis, const double *here, double by)
{
    double value = here[fit->axes[axis].members[0]] + by;
    double start = fit->parameters->items[fit->axes[axis].members[0]].start;
    return value >= 1 ? log(value / start) - fit->axes[axis].log_factor : 0;
}

/* A trial near by: one axis by some whole numbers more, another (SIZE_MAX: none) by as many
 * less. */
static void exchange(const struct fit *fit, const double *here, size_t up, size_t down, double by,
                     double *out_step)
{
    if (up != SIZE_MAX)
        out_step[up] = log_for(fit, up, here, by);
    if (down != SIZE_MAX)
        out_step[down] = log_for(fit, down, here, -by);
}

/* Small values, one up and down; and pairs whose columns are alike, against each other. */
static size_t list_exchanges(const struct fit *fit, const double *matrix, const double *here,
                             double *steps)
{
    static const double sizes[] = {1, 4};
    size_t n = fit->axis_count;
    size_t count = 0;
    for (size_t a = 0; a < n; a++) {
        if (fit->axes[a].idle)
            continue;
        if (here[fit->axes[a].members[0]] <= SMALL) {
            exchange(fit, here, a, SIZE_MAX, 1, steps + n * count++);
            exchange(fit, here, SIZE_MAX, a, 1, steps + n * count++);
        }
        for (size_t b = 0; b < n; b++)
            for (size_t i = 0; a != b && matrix[a * n + b] > LIKE && i < 2; i++)
                exchange(fit, here, a, b, sizes[i], steps + n * count++);
    }
    return count;
}

/* What axis `j` is to move by when `i` moves by one: the place that fits best then, as far as
 * slopes show (logarithms). */
static double answer_of(const struct fit *fit, const struct fit_system *system, size_t j, size_t i)
{
    size_t n = fit->axis_count;
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += system->vectors[j * n + k] * system->vectors[i * n + k] /
               (fmax(system->values[k], 0) + FOLLOW_LEAST);
    return system->lengths[j] > 0 ? sum / (system->lengths[j] * system->lengths[i]) : 0;
}

/* One axis by some whole numbers, and all others as they have to follow so that it changes least:
 * what trades with several others at once, each by another share, no pair leads along. Sums of
 * steps are straight in ns, not in logarithms. */
static void follow(const struct fit *fit, const struct fit_system *system, const double *here,
                   size_t axis, double by, double *out_step)
{
    double own = answer_of(fit, system, axis, axis);
    for (size_t j = 0; j < fit->axis_count; j++) {
        double part = answer_of(fit, system, j, axis) / own * here[fit->axes[j].members[0]] /
                      here[fit->axes[axis].members[0]];
        double whole = round(part * by);
        out_step[j] = whole != 0 ? log_for(fit, j, here, whole) : 0;
    }
}

/* Near by: as far as deviations of a matter of whole numbers leave open. */
static size_t list_near(const struct fit *fit, const struct fit_system *system, const double *here,
                        double *steps)
{
    static const double sizes[FOLLOW_STEPS] = {-16, -4, -1, 1, 4, 16};
    size_t n = fit->axis_count;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (fit->axes[i].idle || !(system->lengths[i] > 0))
            continue;
        double error = SCATTER_FINE * sqrt(answer_of(fit, system, i, i));
        double unit = fmax(round(error * here[fit->axes[i].members[0]]), 1);
        for (size_t s = 0; s < FOLLOW_STEPS; s++, count++)
            follow(fit, system, here, i, sizes[s] * unit, steps + count * n);
    }
    return count;
}

/* Takes the best of these steps, and goes the same way again as long as that wins. */
static bool take_best(struct fit *fit, const double *steps, size_t count)
{
    size_t best = SIZE_MAX;
    bool good = fit_take_best(fit, steps, count, &best);
    const double *step = steps + (best != SIZE_MAX ? best : 0) * fit->axis_count;
    for (unsigned i = 0; good && best != SIZE_MAX && i < AGAIN_MOST; i++)
        good = fit_take_best(fit, step, 1, &best);
    return good;
}

/* Of exchanges, and of what is near by. */
static bool polish_once(struct fit *fit, const struct fit_system *system, bool *out_won)
{
    size_t n = fit->axis_count;
    double *here = fit_numbers(fit, fit->parameters->count);
    double *steps = fit_numbers(fit, (2 * n * n + 2 * n + FOLLOW_STEPS * n) * n);
    double before = fit->cost;
    bool good = here && steps;
    if (good) {
        fit_values(fit, SIZE_MAX, 0, here);
        size_t count = list_exchanges(fit, system->matrix, here, steps);
        count += list_near(fit, system, here, steps + count * n);
        good = take_best(fit, steps, count);
    }
    *out_won = before - fit->cost > POLISH_LEAST * before;
    free(here);
    free(steps);
    return good;
}

bool fit_polish(struct fit *fit, struct fit_system *system)
{
    bool won = true;
    bool good = true;
    fit_count_all(fit);
    /* where deviations are no matter of whole numbers there is nothing to polish */
    bool fine = fit->scale <= SCALE_FINE;
    for (unsigned i = 0; fine && good && won && i < POLISH_MOST && fit->cost > 0; i++)
        good = polish_once(fit, system, &won);
    fit_weigh(fit);
    return good;
}

bool fit_search(struct fit *fit)
{
    /* the far ones are a half, two thirds and their like: what goes round, as turns of looking do,
     * may fit there as well */
    static const double steps[SEARCH_STEPS] = {-0.693, -0.405, -0.25, -0.1,  -0.03,
                                               0.03,   0.1,    0.25,  0.405, 0.693};
    size_t n = fit->axis_count;
    struct fit_batch *batch = fit_batch_new(fit, n * SEARCH_STEPS);
    struct fit_batch *together = fit_batch_new(fit, 1);
    double *moved = fit_numbers(fit, n);
    bool good = batch && together && moved;
    fit_count_all(fit);
    for (size_t i = 0; good && i < n * SEARCH_STEPS; i++)
        if (!fit->axes[i / SEARCH_STEPS].idle)
            fit_values(fit, i / SEARCH_STEPS, steps[i % SEARCH_STEPS], fit_batch_add(fit, batch));
    good = good && fit_batch_run(fit, batch);
    double best_cost = fit->cost * (1 - 1e-6);
    size_t best = SIZE_MAX; /* place */
    size_t best_axis = 0;
    for (size_t a = 0, at = 0; good && a < n; a++) {
        double own_cost = fit->cost * (1 - 1e-6);
        for (size_t i = 0; !fit->axes[a].idle && i < SEARCH_STEPS; i++, at++) {
            double cost = fit_cost_of(fit, fit_batch_z(fit, batch, at));
            if (cost < own_cost) {
                own_cost = cost;
                moved[a] = steps[i];
            }
            if (cost < best_cost) {
                best_cost = cost;
                best = at;
                best_axis = a;
            }
        }
    }
    if (good && best != SIZE_MAX) {
        const double *z = together->z;
        fit_batch_step(fit, together, moved);
        good = fit_batch_run(fit, together);
        if (good && fit_cost_of(fit, z) > best_cost) {
            for (size_t a = 0; a < n; a++)
                moved[a] = a == best_axis ? moved[a] : 0;
            z = fit_batch_z(fit, batch, best);
        }
        if (good) {
            fit_move(fit, moved, 1);
            memcpy(fit->z, z, fit->row_count * sizeof(*z));
        }
    }
    free(batch);
    free(together);
    free(moved);
    return good;
}

/* ---- open directions ------------------------------------------------------------------------- */

struct slide {
    double *by;         /* ns and the like, by axis, for a way of 1 */
    double first, last; /* ends of the way */
    double value;       /* eigenvalue */
};

/* Along an eigenvector, as far as all values stay within sight. */
static void lay_slide(const struct fit *fit, const struct fit_system *system, size_t k,
                      const double *here, struct slide *out)
{
    size_t n = fit->axis_count;
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        double length = system->lengths[i] > 0 ? system->lengths[i] : 1;
        out->by[i] = fit->axes[i].idle
                         ? 0
                         : system->vectors[i * n + k] / length * here[fit->axes[i].members[0]];
        most = fmax(most, fabs(out->by[i]));
    }
    out->first = -INFINITY;
    out->last = INFINITY;
    out->value = system->values[k];
    for (size_t i = 0; i < n; i++) {
        double value = here[fit->axes[i].members[0]];
        out->by[i] = fabs(out->by[i]) < 0.02 * most || most == 0 ? 0 : out->by[i] / most;
        if (out->by[i] == 0)
            continue;
        double down = (SLIDE_LEAST - 1) * value / out->by[i];
        double up = (SLIDE_MOST - 1) * value / out->by[i];
        out->first = fmax(out->first, fmin(down, up));
        out->last = fmin(out->last, fmax(down, up));
    }
    if (most == 0)
        out->first = out->last = 0;
}

static void slide_step(const struct fit *fit, const struct slide *slide, const double *here,
                       double way, double *out_step)
{
    for (size_t i = 0; i < fit->axis_count; i++)
        out_step[i] = slide->by[i] != 0 ? log_for(fit, i, here, way * slide->by[i]) : 0;
}

/* Tries places between two; *way: the best, if it is better than staying. */
static bool try_ways(struct fit *fit, const struct slide *slide, const double *here, double first,
                     double last, double *way)
{
    struct fit_batch *batch = fit_batch_new(fit, SLIDE_TRIES);
    double *step = fit_numbers(fit, fit->axis_count);
    bool good = batch && step;
    for (size_t t = 0; good && t < SLIDE_TRIES; t++) {
        slide_step(fit, slide, here, first + (last - first) * (double)t / (SLIDE_TRIES - 1), step);
        fit_batch_step(fit, batch, step);
    }
    good = good && fit_batch_run(fit, batch);
    size_t best = good ? fit_batch_best(fit, batch, &fit->cost) : SIZE_MAX;
    if (best != SIZE_MAX) {
        *way = first + (last - first) * (double)best / (SLIDE_TRIES - 1);
        memcpy(fit->z, fit_batch_z(fit, batch, best), fit->row_count * sizeof(*fit->z));
    }
    free(batch);
    free(step);
    return good;
}

static void print_slide(const struct fit *fit, const struct slide *slide, double way)
{
    FILE *progress = fit->bench->job->progress;
    if (!progress)
        return;
    char text[4096];
    int used = snprintf(text, sizeof(text), "cost %.4g", fit->cost);
    char separator = ':';
    for (size_t i = 0; i < fit->axis_count && used < (int)sizeof(text); i++) {
        if (slide->by[i] == 0)
            continue;
        used += snprintf(text + used, sizeof(text) - (size_t)used, "%c %s %+.0f", separator,
                         fit->parameters->items[fit->axes[i].members[0]].name, way * slide->by[i]);
        separator = ',';
    }
    layout_item(progress, 0, text);
}

static bool slide_along(struct fit *fit, const struct slide *slide, const double *here)
{
    double *step = fit_numbers(fit, fit->axis_count);
    if (!step)
        return false;
    double way = 0;
    double spacing = (slide->last - slide->first) / (SLIDE_TRIES - 1);
    bool good = try_ways(fit, slide, here, slide->first, slide->last, &way) &&
                try_ways(fit, slide, here, way - spacing, way + spacing, &way);
    if (good) {
        slide_step(fit, slide, here, way, step);
        fit_move(fit, step, 1);
        print_slide(fit, slide, way);
    }
    free(step);
    return good;
}

static int by_value(const void *left, const void *right)
{
    const struct slide *a = left;
    const struct slide *b = right;
    return a->value < b->value ? -1 : a->value > b->value;
}

bool fit_slide(struct fit *fit, struct fit_system *system)
{
    size_t n = fit->axis_count;
    double *here = fit_numbers(fit, fit->parameters->count);
    double *store = fit_numbers(fit, n * n);
    struct slide *slides = fit_zeros(fit, n, sizeof(*slides));
    bool good = here && store && slides;
    size_t count = 0;
    fit_count_all(fit);
    for (size_t k = 0; good && k < n; k++) {
        if (system->values[k] > SLIDE_OPEN)
            continue;
        slides[count].by = store + count * n;
        fit_values(fit, SIZE_MAX, 0, here);
        lay_slide(fit, system, k, here, &slides[count]);
        count += slides[count].last > slides[count].first;
    }
    if (good)
        qsort(slides, count, sizeof(*slides), by_value);
    for (size_t i = 0; good && i < count && i < SLIDES_MOST; i++) {
        fit_values(fit, SIZE_MAX, 0, here);
        good = slide_along(fit, &slides[i], here);
    }
    free(here);
    free(store);
    free(slides);
    return good;
}
