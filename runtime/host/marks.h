/* SPDX-License-Identifier: Apache-2.0 */
/* Where the thread that released a mutex or a spin lock last was in its time, by the object's
 * address: a fixed hash table. Its holder alone touches an object's mark, so none needs a lock. An
 * object that finds no place is dropped: it carries no clock, and no object ever has another
 * one's. */
#ifndef TWINRT_HOST_MARKS_H
#define TWINRT_HOST_MARKS_H

#include "host.h"

#define HOST_MARK_SETS_LOG2 14
#define HOST_MARK_WAYS      4u

struct host_mark {
    _Atomic uintptr_t key; /* 0: free */
    twin_host_moment moment;
};

extern struct host_mark host_marks[1u << HOST_MARK_SETS_LOG2][HOST_MARK_WAYS];
/* Objects that found no place. */
extern _Atomic uint64_t host_marks_dropped;

static inline struct host_mark *host_mark_set(const volatile void *object)
{
    uint64_t hash = (uint64_t)(uintptr_t)object * 0x9e3779b97f4a7c15ull;
    return host_marks[hash >> (64 - HOST_MARK_SETS_LOG2)];
}

/* NULL: it has none. */
static inline struct host_mark *host_mark_find(const volatile void *object)
{
    struct host_mark *set = host_mark_set(object);
    for (unsigned i = 0; i < HOST_MARK_WAYS; i++)
        if (atomic_load_explicit(&set[i].key, memory_order_acquire) == (uintptr_t)object)
            return &set[i];
    return NULL;
}

struct host_mark *host_mark_add(const volatile void *object);
/* The object ends. */
void host_mark_remove(const volatile void *object);

/* The calling thread has taken the object. */
static inline void host_mark_acquired(const volatile void *object)
{
    const twin_host_moment *moment = host_moment();
    if (!moment)
        return;
    const struct host_mark *mark = host_mark_find(object);
    if (mark && HOST_UNLIKELY(mark->moment.system_id != moment->system_id))
        host_follow(&mark->moment);
}

/* The calling thread is about to release it. */
static inline void host_mark_released(const volatile void *object)
{
    const twin_host_moment *moment = host_moment();
    if (!moment)
        return;
    struct host_mark *mark = host_mark_find(object);
    if (HOST_UNLIKELY(!mark) && !(mark = host_mark_add(object)))
        return;
    if (!host_same_moment(&mark->moment, moment))
        mark->moment = *moment;
}

#endif
