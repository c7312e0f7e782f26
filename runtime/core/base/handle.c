/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/handle.h"

#include "core/base/alloc.h"

#define CACHE_LINE 64u

static twin_object *slot_object(twin_handle_table *table, uint32_t slot)
{
    char *chunk =
        atomic_load_explicit(&table->chunks[slot / TWIN_HANDLE_CHUNK_SLOTS], memory_order_relaxed);
    return (void *)(chunk + (slot % TWIN_HANDLE_CHUNK_SLOTS) * table->object_bytes);
}

/* A slot that was never used, or NULL. Table locked. */
static twin_object *new_slot_locked(twin_handle_table *table)
{
    uint32_t slot = table->used;
    if (slot >= 1u << TWIN_HANDLE_SLOT_BITS)
        return NULL;
    if (slot % TWIN_HANDLE_CHUNK_SLOTS == 0) {
        /* Begins with a cache line, so that objects may be laid out by lines. Never freed. */
        void **given = twin_zalloc(sizeof(*given) + TWIN_HANDLE_CHUNK_SLOTS * table->object_bytes +
                                   CACHE_LINE - 1);
        if (!given)
            return NULL;
        *given = table->given;
        table->given = given;
        char *chunk = (char *)(given + 1);
        chunk += (CACHE_LINE - (uintptr_t)chunk % CACHE_LINE) % CACHE_LINE;
        for (uint32_t i = 0; i < TWIN_HANDLE_CHUNK_SLOTS; i++) {
            twin_object *object = (void *)(chunk + i * table->object_bytes);
            object->slot = slot + i;
            if (table->construct)
                table->construct(object);
        }
        atomic_store_explicit(&table->chunks[slot / TWIN_HANDLE_CHUNK_SLOTS], chunk,
                              memory_order_release);
    }
    table->used = slot + 1;
    return slot_object(table, slot);
}

void *twin_handle_alloc(twin_handle_table *table)
{
    twin_lock_take(&table->lock);
    twin_object *object;
    if (table->free_first != 0) {
        object = slot_object(table, table->free_first - 1);
        table->free_first = object->next_free;
    } else {
        object = new_slot_locked(table);
    }
    twin_lock_drop(&table->lock);
    if (!object)
        return NULL;

    /* The generation moves here and not in free, so that no life shares one with the one before. */
    uint32_t generation =
        (uint32_t)(atomic_load_explicit(&object->state, memory_order_relaxed) >> 32) + 1;
    if (generation == 0)
        generation = 1;
    object->handle = (uint64_t)(TWIN_HANDLE_TAG | (uint32_t)table->kind) << 56 |
                     (uint64_t)object->slot << 32 | generation;
    atomic_store_explicit(&object->state, (uint64_t)generation << 32 | 1, memory_order_relaxed);
    return object;
}

uint64_t twin_handle_publish_pinned(void *object)
{
    twin_object *head = object;
    uint64_t state = atomic_load_explicit(&head->state, memory_order_relaxed);
    uint64_t handle = head->handle;
    /* Release: a thread that finds the handle sees the filled object. */
    atomic_store_explicit(&head->state, state | TWIN_HANDLE_LIVE, memory_order_release);
    return handle;
}

uint64_t twin_handle_publish(void *object)
{
    twin_object *head = object;
    uint64_t state = atomic_load_explicit(&head->state, memory_order_relaxed);
    uint64_t handle = head->handle;
    atomic_store_explicit(&head->state, (state - 1) | TWIN_HANDLE_LIVE, memory_order_release);
    return handle;
}

void twin_handle_free(twin_handle_table *table, void *object)
{
    twin_object *head = object;
    uint64_t state = atomic_load_explicit(&head->state, memory_order_relaxed);
    atomic_store_explicit(&head->state, state & ~(TWIN_HANDLE_LIVE | TWIN_HANDLE_PINS),
                          memory_order_relaxed);
    twin_lock_take(&table->lock);
    head->next_free = table->free_first;
    table->free_first = head->slot + 1;
    twin_lock_drop(&table->lock);
}

bool twin_handle_retire(void *object)
{
    twin_object *head = object;
    uint64_t before =
        atomic_fetch_and_explicit(&head->state, ~TWIN_HANDLE_LIVE, memory_order_acq_rel);
    return (before & TWIN_HANDLE_LIVE) != 0;
}

void twin_handle_unpin(twin_handle_table *table, void *object)
{
    twin_object *head = object;
    /* Release: our uses come before the release of the object; acquire: others' do too. */
    uint64_t before = atomic_fetch_sub_explicit(&head->state, 1, memory_order_acq_rel);
    if ((before & TWIN_HANDLE_PINS) == 1 && (before & TWIN_HANDLE_LIVE) == 0)
        table->release(object);
}
