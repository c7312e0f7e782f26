/* SPDX-License-Identifier: Apache-2.0 */
/* The handles and addresses that all threads of a random test share: living ones, dead ones, and
 * made-up numbers. */
#ifndef TWINRT_TESTS_RANDOM_POOL_H
#define TWINRT_TESTS_RANDOM_POOL_H

#include <stdint.h>

#include "random_support.h"

typedef enum random_kind {
    RANDOM_CONTEXT,
    RANDOM_STREAM,
    RANDOM_EVENT,
    RANDOM_NOTIFY,
    RANDOM_MEMORY,
    RANDOM_BUFFER,
    RANDOM_MODEL,
    RANDOM_LABEL,
    RANDOM_LABEL_LIST,
    RANDOM_IMAGE,
    RANDOM_BINARY,
    RANDOM_FUNCTION,
    RANDOM_FAULT,
    RANDOM_KIND_COUNT
} random_kind;

/* What a pool holds. `owner`: the context of a stream, the bytes of an allocation. */
typedef struct random_entry {
    uint64_t handle;
    uint64_t owner;
} random_entry;

/* Puts an entry in a random place and returns what was there, for the caller to destroy. A handle
 * that was given before is a failure; an address may come again. */
random_entry random_pool_put(random_state *random, random_kind kind, random_entry entry);
/* Takes a random entry out, so that no other thread finds it any more; it counts as dead from now
 * on. */
random_entry random_pool_take(random_state *random, random_kind kind);
/* A living one, mostly; if `owner` is not 0, one of that owner when there is one. */
random_entry random_pool_living(random_state *random, random_kind kind, uint64_t owner);
/* An argument: a living one mostly, else a dead one, one of another kind, NULL, or garbage. */
random_entry random_pool_any(random_state *random, random_kind kind, uint64_t owner);

#endif
