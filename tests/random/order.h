/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of order: what must come before what in a program of several streams and devices, and
 * whether a read fits. */
#ifndef TWINRT_TESTS_RANDOM_ORDER_H
#define TWINRT_TESTS_RANDOM_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORDER_TASKS_MOST 448u

/* A set of tasks. */
typedef struct order_set {
    uint64_t word[ORDER_TASKS_MOST / 64];
} order_set;

static inline bool order_has(const order_set *set, uint32_t task)
{
    return (set->word[task / 64] >> (task % 64) & 1) != 0;
}
static inline void order_join(order_set *set, const order_set *other)
{
    for (size_t i = 0; i < sizeof(set->word) / sizeof(set->word[0]); i++)
        set->word[i] |= other->word[i];
}

typedef enum order_kind { ORDER_OTHER, ORDER_WRITE, ORDER_READ, ORDER_CALL } order_kind;

/* A task as the rules see it: what must be complete before it begins. */
typedef struct order_task {
    order_kind kind;
    const char *name; /* for messages */
    uint32_t lane;
    uint32_t cell;    /* WRITE, READ */
    uint64_t pattern; /* WRITE: what it writes */
    order_set before;
    uint32_t holds; /* it cannot begin while one of these is closed */
} order_task;

/* The program so far, and what the host knows to be complete. */
typedef struct order_graph {
    order_task tasks[ORDER_TASKS_MOST];
    uint32_t count;
    order_set known;
} order_graph;

/* Whether a read may have found the pattern in its cell, which held `initial` before the first
 * write. Says why not. */
bool order_read_fits(const order_graph *graph, uint32_t read, uint64_t pattern, uint64_t initial,
                     char *why, size_t bytes);

#endif
