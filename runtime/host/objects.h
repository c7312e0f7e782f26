/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of semaphores, barriers and rwlocks, by their address: a fixed hash table. Objects
 * that several threads release at once carry several moments. If the table has no
 * room, the object is dropped: it has no clock, and threads that wait for it are not counted as
 * blocked. */
#ifndef TWINRT_HOST_OBJECTS_H
#define TWINRT_HOST_OBJECTS_H

#include "host.h"

#define HOST_MOMENTS 16u /* a power of two */
#define HOST_BANK    (HOST_MOMENTS / 2)

enum host_object_kind { HOST_OBJECT_SEM = 1, HOST_OBJECT_BARRIER, HOST_OBJECT_RWLOCK };

/* Tokens of a semaphore that one post, or posts in a row, gave. */
struct host_tokens {
    twin_host_moment moment; /* of the last of them; system_id 0: none */
    uint64_t count;
};

struct host_object {
    _Atomic uintptr_t key; /* 0: free */
    atomic_int kind;
    atomic_flag
        busy; /* guards the union; never waited for without a limit (signal handlers post) */
    /* SEM: initial value and posts, less the waits that have returned; written by who has taken the
     * object. BARRIER: arrivals. */
    _Atomic int64_t count;
    /* BARRIER: how many a round has, and how many are inside now. */
    uint64_t threads;
    _Atomic uint64_t inside;
    /* Its count proves nothing. BARRIER: more than a round has were inside. SEM: it could not be
     * taken to count. */
    atomic_bool mixed;
    union {
        struct { /* SEM: first in, first out, `used` from `first` on */
            uint32_t first;
            uint32_t used;
            struct host_tokens tokens[HOST_MOMENTS];
        };
        struct { /* BARRIER: of the last two rounds, the even ones in the first */
            uint64_t bank_round[2];
            uint32_t bank_used[2];
            twin_host_moment banks[2][HOST_BANK];
        };
        struct { /* RWLOCK: since the last writer */
            twin_host_moment writer;
            uint32_t readers_used;
            twin_host_moment readers[HOST_MOMENTS];
        };
    };
};

#define HOST_OBJECT_SETS_LOG2 11
#define HOST_OBJECT_WAYS      4u
extern struct host_object host_objects[1u << HOST_OBJECT_SETS_LOG2][HOST_OBJECT_WAYS];

static inline struct host_object *host_object_set(const void *object)
{
    uint64_t hash = (uint64_t)(uintptr_t)object * 0x9e3779b97f4a7c15ull;
    return host_objects[hash >> (64 - HOST_OBJECT_SETS_LOG2)];
}

/* Of any kind. */
static inline struct host_object *host_object_at(const void *object)
{
    struct host_object *set = host_object_set(object);
    for (unsigned i = 0; i < HOST_OBJECT_WAYS; i++)
        if (atomic_load_explicit(&set[i].key, memory_order_acquire) == (uintptr_t)object)
            return &set[i];
    return NULL;
}

/* NULL: not known, or another kind of object. */
static inline struct host_object *host_object_find(const void *object, enum host_object_kind kind)
{
    struct host_object *found = host_object_at(object);
    return found && atomic_load_explicit(&found->kind, memory_order_relaxed) == (int)kind ? found
                                                                                          : NULL;
}

/* Known from now on, with its fields 0. NULL: no place. */
struct host_object *host_object_add(const void *object, enum host_object_kind kind);
void host_object_remove(const void *object);
void host_objects_forked(void);

/* False: held for long by others, or by the function that this signal handler interrupts. */
static inline bool host_object_take(struct host_object *object)
{
    for (int spin = 0; spin < 1000; spin++)
        if (HOST_LIKELY(!atomic_flag_test_and_set_explicit(&object->busy, memory_order_acquire)))
            return true;
    return false;
}
static inline void host_object_drop(struct host_object *object)
{
    atomic_flag_clear_explicit(&object->busy, memory_order_release);
}

/* Puts *moment among `used` of `limit` moments of different threads: in the place of an older one
 * of that thread, else in a free one, else of the earliest. */
void host_moments_put(twin_host_moment *moments, uint32_t *used, uint32_t limit,
                      const twin_host_moment *moment);

#endif
