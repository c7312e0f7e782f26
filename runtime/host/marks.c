/* SPDX-License-Identifier: Apache-2.0 */
#include "marks.h"

/* Lines of 64 bytes: a set is two of them. */
__attribute__((
    aligned(128))) struct host_mark host_marks[1u << HOST_MARK_SETS_LOG2][HOST_MARK_WAYS];
_Atomic uint64_t host_marks_dropped;

struct host_mark *host_mark_add(const volatile void *object)
{
    struct host_mark *set = host_mark_set(object);
    for (unsigned i = 0; i < HOST_MARK_WAYS; i++) {
        uintptr_t none = 0;
        if (atomic_compare_exchange_strong(&set[i].key, &none, (uintptr_t)object))
            return &set[i];
    }
    atomic_fetch_add_explicit(&host_marks_dropped, 1, memory_order_relaxed);
    return NULL;
}

void host_mark_remove(const volatile void *object)
{
    struct host_mark *mark = host_mark_find(object);
    if (!mark)
        return;
    mark->moment = (twin_host_moment){0};
    atomic_store_explicit(&mark->key, 0, memory_order_release);
}
