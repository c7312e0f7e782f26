/* SPDX-License-Identifier: Apache-2.0 */
/* The styles of random programs, and how often each kind of step occurs in them. */
#include "program.h"

const struct style styles[STYLES] = {
    [ORDER] = {.name = "order",
               .threads = ALONE,
               .default_calls = 100,
               .places = 2,
               .streams = 4,
               .events = 8,
               .bulk_bits = 20,
               .judged = true,
               .processes = true,
               .stays = true},
    [TURNS] = {.name = "turns",
               .threads = STRICT,
               .default_threads = 4,
               .default_calls = 60,
               .places = 3,
               .streams = 3,
               .events = 9,
               .bulk_bits = 20,
               .judged = true,
               .old_events = true,
               .stays = true},
    [WAITS] = {.name = "waits",
               .threads = OWN,
               .default_threads = RANDOM_THREADS_MOST,
               .default_calls = 6500,
               .places = 1,
               .streams = 2,
               .events = 3,
               .bulk_bits = 16,
               .judged = true},
    [WIDE] = {.name = "wide",
              .threads = ALONE,
              .default_calls = 500,
              .places = 1,
              .streams = 40,
              .events = 16,
              .bulk_bits = 22},
    [RACES] = {.name = "races",
               .threads = SHARED,
               .default_calls = 60,
               .places = 1,
               .streams = 5,
               .events = 6,
               .bulk_bits = 18},
    [LOCKS] = {.name = "locks",
               .threads = SHARED,
               .default_calls = 40,
               .places = 1,
               .streams = 4,
               .events = 4,
               .bulk_bits = 18,
               .meets = true,
               .stays = true},
};

static const struct kind {
    step_function *step;
    unsigned class;
    uint8_t weights[STYLES];
} kinds[] = {
#define KIND(function, of_class, ...) {function, of_class, {__VA_ARGS__}},
#include "kinds.def"
#undef KIND
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

void take_step(program *p, unsigned classes)
{
    const size_t style = (size_t)(p->style - styles);
    uint32_t weights[KINDS], all = 0, kind = 0;
    for (uint32_t i = 0; i < KINDS; i++)
        all += weights[i] = (kinds[i].class & classes) != 0 ? kinds[i].weights[style] : 0;
    for (uint32_t dice = below(p, all); dice >= weights[kind]; kind++)
        dice -= weights[kind];
    p->step++;
    if (!p->is_child)
        random_at(p->index, "step", p->step);
    kinds[kind].step(p, any_lane(p));
}
