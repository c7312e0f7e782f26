/* SPDX-License-Identifier: Apache-2.0 */
#include "objects.h"

#include <string.h>

#include "lock.h"

struct host_object host_objects[1u << HOST_OBJECT_SETS_LOG2][HOST_OBJECT_WAYS];
static host_lock lock; /* of adding and removing */

static void clear(struct host_object *object)
{
    atomic_store(&object->count, 0);
    object->threads = 0;
    atomic_store(&object->inside, 0);
    atomic_store(&object->mixed, false);
    object->first = 0;
    object->used = 0;
    memset(object->tokens, 0, sizeof(object->tokens));
    memset(object->banks, 0, sizeof(object->banks));
    memset(object->readers, 0, sizeof(object->readers));
    object->bank_used[0] = object->bank_used[1] = 0;
    object->writer = (twin_host_moment){0};
    object->readers_used = 0;
    atomic_flag_clear(&object->busy);
}

struct host_object *host_object_add(const void *object, enum host_object_kind kind)
{
    host_lock_take(&lock);
    struct host_object *found = host_object_at(object);
    /* Two threads may come to know a rwlock at once; other kinds are made by one. */
    bool keep = found && kind == HOST_OBJECT_RWLOCK && atomic_load(&found->kind) == (int)kind;
    struct host_object *set = host_object_set(object);
    for (unsigned i = 0; i < HOST_OBJECT_WAYS && !found; i++)
        if (atomic_load(&set[i].key) == 0)
            found = &set[i];
    if (found && !keep) {
        atomic_store(&found->key, 0);
        clear(found);
        atomic_store(&found->kind, (int)kind);
        atomic_store_explicit(&found->key, (uintptr_t)object, memory_order_release);
    }
    host_lock_drop(&lock);
    return found;
}

void host_object_remove(const void *object)
{
    if (!host_object_at(object))
        return;
    host_lock_take(&lock);
    struct host_object *found = host_object_at(object);
    if (found)
        atomic_store_explicit(&found->key, 0, memory_order_release);
    host_lock_drop(&lock);
}

void host_objects_forked(void)
{
    atomic_store(&lock.state, 0);
    for (size_t i = 0; i < sizeof(host_objects) / sizeof(host_objects[0]); i++)
        for (unsigned j = 0; j < HOST_OBJECT_WAYS; j++)
            if (atomic_load_explicit(&host_objects[i][j].key, memory_order_relaxed) != 0)
                atomic_flag_clear(&host_objects[i][j].busy);
}

void host_moments_put(twin_host_moment *moments, uint32_t *used, uint32_t limit,
                      const twin_host_moment *moment)
{
    uint32_t place = 0;
    for (uint32_t i = 0; i < *used; i++) {
        if (moments[i].system_id == moment->system_id) {
            moments[i] = *moment;
            return;
        }
        if (moments[i].at_ns < moments[place].at_ns)
            place = i;
    }
    if (*used < limit)
        place = (*used)++;
    else if (moments[place].at_ns >= moment->at_ns)
        return;
    moments[place] = *moment;
}
