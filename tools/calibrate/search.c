/* SPDX-License-Identifier: Apache-2.0 */
/* Trials without slopes: where these mislead, or where whole numbers are in the way. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/fit.h"

#define SMALL        40 /* a value so small that a whole number is a large step */
#define POLISH_MOST  16
#define LIKE         0.4 /* cosine of columns that are tried against each other */
#define SEARCH_STEPS 8

/* A trial near by: one axis by some whole numbers more, another by as many less. */
struct exchange {
    size_t up, down; /* axes; SIZE_MAX: none */
    double by;
};

/* The logarithm by which an axis moves when its first member becomes `by` larger. */
static double log_for(const struct fit *fit, size_t axis, const double *here, double by)
{
    double value = here[fit->axes[axis].members[0]] + by;
    double start = fit->parameters->items[fit->axes[axis].members[0]].start;
    return value >= 1 ? log(value / start) - fit->axes[axis].log_factor : 0;
}

/* Small values, one up and down; and pairs whose columns are alike, against each other. */
static size_t list_exchanges(const struct fit *fit, const double *matrix, const double *here,
                             struct exchange *list)
{
    static const double sizes[] = {1, 3, 8};
    size_t n = fit->axis_count;
    size_t count = 0;
    for (size_t a = 0; a < n; a++) {
        if (here[fit->axes[a].members[0]] <= SMALL) {
            list[count++] = (struct exchange){a, SIZE_MAX, 1};
            list[count++] = (struct exchange){SIZE_MAX, a, 1};
        }
        for (size_t b = 0; b < n; b++)
            for (size_t i = 0; a != b && matrix[a * n + b] > LIKE && i < 3; i++)
                list[count++] = (struct exchange){a, b, sizes[i]};
    }
    return count;
}

static void exchange_step(const struct fit *fit, const struct exchange *what, const double *here,
                          double *out_step)
{
    if (what->up != SIZE_MAX)
        out_step[what->up] = log_for(fit, what->up, here, what->by);
    if (what->down != SIZE_MAX)
        out_step[what->down] = log_for(fit, what->down, here, -what->by);
}

/* Steps along the directions that rows tell least of, where several parameters trade a whole number each. */
static size_t list_slides(const struct fit *fit, const struct fit_system *system,
                          const double *here, double *steps)
{
    static const double sizes[] = {-2, -1, 1, 2};
    size_t n = fit->axis_count;
    size_t count = 0;
    for (size_t k = 0; k < n; k++) {
        double most = 0;
        for (size_t i = 0; i < n; i++)
            if (system->lengths[i] > 0)
                most = fmax(most, fabs(system->vectors[i * n + k] / system->lengths[i] *
                                       here[fit->axes[i].members[0]]));
        for (size_t s = 0; s < 4 && most > 0; s++, count++)
            for (size_t i = 0; i < n; i++) {
                double value = here[fit->axes[i].members[0]];
                double by = system->lengths[i] > 0
                                ? round(system->vectors[i * n + k] / system->lengths[i] * value /
                                        most * sizes[s])
                                : 0;
                steps[count * n + i] = by != 0 ? log_for(fit, i, here, by) : 0;
            }
    }
    return count;
}

/* Takes the best of all exchanges and slides. */
static bool polish_once(struct fit *fit, const struct fit_system *system, bool *out_won)
{
    size_t n = fit->axis_count;
    size_t m = fit->parameters->count;
    struct exchange *list = calloc(3 * n * n + 2 * n + 1, sizeof(*list));
    double *here = calloc(m + 1, sizeof(*here));
    double *slides = calloc(4 * n * n + 1, sizeof(*slides));
    size_t exchanges = 0;
    size_t count = 0;
    *out_won = false;
    if (list && here && slides) {
        fit_values(fit, SIZE_MAX, 0, here);
        exchanges = list_exchanges(fit, system->matrix, here, list);
        count = exchanges + list_slides(fit, system, here, slides);
    }
    double *steps = calloc(count * n + 1, sizeof(*steps));
    double *store = calloc(count * m + 1, sizeof(*store));
    double **values = calloc(count + 1, sizeof(*values));
    double *z = calloc(count * fit->row_count + 1, sizeof(*z));
    bool good = list && here && slides && steps && store && values && z;
    if (!good)
        (void)fit_memory_is_short(fit);
    for (size_t t = 0; good && t < count; t++) {
        if (t < exchanges)
            exchange_step(fit, &list[t], here, steps + t * n);
        else
            memcpy(steps + t * n, slides + (t - exchanges) * n, n * sizeof(*steps));
        values[t] = store + t * m;
        fit_move(fit, steps + t * n, 1);
        fit_values(fit, SIZE_MAX, 0, values[t]);
        fit_move(fit, steps + t * n, -1);
    }
    good = good && (count == 0 || fit_try(fit, values, count, z));
    double best_cost = fit->cost * (1 - 1e-9);
    size_t best = SIZE_MAX;
    for (size_t t = 0; good && t < count; t++) {
        double cost = fit_cost_of(fit, z + t * fit->row_count);
        if (cost < best_cost) {
            best = t;
            best_cost = cost;
        }
    }
    if (best != SIZE_MAX) {
        fit_move(fit, steps + best * n, 1);
        memcpy(fit->z, z + best * fit->row_count, fit->row_count * sizeof(*z));
        fit->cost = best_cost;
        *out_won = true;
    }
    free(list);
    free(here);
    free(slides);
    free(steps);
    free(store);
    free(values);
    free(z);
    return good;
}

bool fit_polish(struct fit *fit, struct fit_system *system)
{
    bool won = true;
    bool good = true;
    fit_system_set_up(fit, system);
    for (size_t r = 0; r < fit->row_count; r++)
        fit->unsteady[r] = false;
    fit_weigh(fit);
    for (unsigned i = 0; good && won && i < POLISH_MOST && fit->cost > 0; i++)
        good = polish_once(fit, system, &won);
    fit_weigh(fit);
    return good;
}

/* The best step of each axis, SEARCH_STEPS where none is better than staying; returns the best cost of one alone. */
static double best_steps(const struct fit *fit, const double *z, size_t *out_steps,
                         size_t *out_best)
{
    double best_cost = fit->cost * (1 - 1e-6);
    *out_best = SIZE_MAX;
    for (size_t a = 0; a < fit->axis_count; a++) {
        double own_cost = fit->cost * (1 - 1e-6);
        out_steps[a] = SEARCH_STEPS;
        for (size_t i = 0; i < SEARCH_STEPS; i++) {
            double cost = fit_cost_of(fit, z + (a * SEARCH_STEPS + i) * fit->row_count);
            if (cost < own_cost) {
                own_cost = cost;
                out_steps[a] = i;
            }
        }
        if (own_cost < best_cost) {
            best_cost = own_cost;
            *out_best = a;
        }
    }
    return best_cost;
}

bool fit_search(struct fit *fit, bool *out_won)
{
    static const double steps[SEARCH_STEPS] = {-0.5, -0.25, -0.1, -0.03, 0.03, 0.1, 0.25, 0.5};
    size_t m = fit->parameters->count;
    size_t n = fit->axis_count;
    size_t count = n * SEARCH_STEPS;
    double *store = calloc((count + 1) * m + 1, sizeof(*store));
    double **values = calloc(count + 1, sizeof(*values));
    double *z = calloc((count + 1) * fit->row_count + 1, sizeof(*z));
    double *moved = calloc(n + 1, sizeof(*moved));
    size_t *chosen = calloc(n + 1, sizeof(*chosen));
    bool good = store && values && z && moved && chosen;
    size_t best = SIZE_MAX;
    if (!good)
        (void)fit_memory_is_short(fit);
    for (size_t r = 0; r < fit->row_count; r++)
        fit->unsteady[r] = false;
    fit_weigh(fit);
    for (size_t i = 0; good && i < count; i++) {
        values[i] = store + i * m;
        fit_values(fit, i / SEARCH_STEPS, steps[i % SEARCH_STEPS], values[i]);
    }
    good = good && (count == 0 || fit_try(fit, values, count, z));
    double best_cost = good ? best_steps(fit, z, chosen, &best) : 0;
    *out_won = best != SIZE_MAX;
    if (good && *out_won) {
        double *last = z + count * fit->row_count;
        for (size_t a = 0; a < n; a++)
            moved[a] = chosen[a] < SEARCH_STEPS ? steps[chosen[a]] : 0;
        fit_move(fit, moved, 1);
        values[count] = store + count * m;
        fit_values(fit, SIZE_MAX, 0, values[count]);
        good = fit_try(fit, &values[count], 1, last);
        if (good && fit_cost_of(fit, last) > best_cost) {
            fit_move(fit, moved, -1);
            fit->axes[best].log_factor += steps[chosen[best]];
            last = z + (best * SEARCH_STEPS + chosen[best]) * fit->row_count;
        }
        if (good)
            memcpy(fit->z, last, fit->row_count * sizeof(*z));
    }
    free(store);
    free(values);
    free(z);
    free(moved);
    free(chosen);
    return good;
}
