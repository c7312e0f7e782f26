/* SPDX-License-Identifier: Apache-2.0 */
/* Checked handles. What an application holds is a number: kind, slot and generation. It is never a
 * pointer to follow (its top byte is one no pointer has), and a stale, foreign or made-up one finds
 * nothing.
 *
 * Objects live in slots of a table per kind. Slots are never returned to the system and keep
 * their type, so looking at a dead one is harmless. An object is used in one of two ways:
 *   find, lock the object's own lock, ask twin_handle_is() again, use, unlock  (short, never
 *   blocks);
 *   pin, use, unpin                                                           (may block).
 * Retiring makes the handle dead at once. The last unpin after that releases the object. */
#ifndef TWINRT_CORE_BASE_HANDLE_H
#define TWINRT_CORE_BASE_HANDLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/lock.h"

typedef enum twin_handle_kind {
    TWIN_HANDLE_CONTEXT = 1,
    TWIN_HANDLE_STREAM,
    TWIN_HANDLE_EVENT,
    TWIN_HANDLE_NOTIFY,
    TWIN_HANDLE_DATA_BUFFER,
    TWIN_HANDLE_INSTANCE,
    TWIN_HANDLE_LABEL,
    TWIN_HANDLE_LABEL_LIST,
    TWIN_HANDLE_BINARY,
    TWIN_HANDLE_BINARY_DATA,
    TWIN_HANDLE_FUNCTION,
    TWIN_HANDLE_TENSOR_DESC,
    TWIN_HANDLE_ALLOCATOR_DESC,
    TWIN_HANDLE_PHYSICAL,
    TWIN_HANDLE_POOL,
    TWIN_HANDLE_COUNT,
    TWIN_HANDLE_GROUP,
    TWIN_HANDLE_CONDITIONAL,
    TWIN_HANDLE_TASK
} twin_handle_kind;

/* 63..56 tag and kind, 55..32 slot, 31..0 generation. */
#define TWIN_HANDLE_TAG          0x40u
#define TWIN_HANDLE_SLOT_BITS    24u
#define TWIN_HANDLE_CHUNK_SLOTS  256u
#define TWIN_HANDLE_CHUNK_COUNT  ((1u << TWIN_HANDLE_SLOT_BITS) / TWIN_HANDLE_CHUNK_SLOTS)
#define TWIN_HANDLE_LIVE         (UINT64_C(1) << 31)
#define TWIN_HANDLE_PINS         (TWIN_HANDLE_LIVE - 1)
#define TWIN_HANDLE_KIND(handle) ((uint32_t)((handle) >> 56) & ~TWIN_HANDLE_TAG)

/* First member of every object. */
typedef struct twin_object {
    _Atomic uint64_t state; /* generation << 32 | live << 31 | pins */
    uint64_t handle;        /* of the present or last life; written before it goes live */
    uint32_t slot;
    uint32_t next_free; /* guarded by the table's lock */
} twin_object;

typedef struct twin_handle_table {
    const char *kind_name;
    twin_handle_kind kind;
    size_t object_bytes;
    /* Once per slot, before its first use: makes the locks. NULL: there are none. */
    void (*construct)(void *object);
    /* After retire, with no pin left and no lock held: releases what the object holds and ends
     * with twin_handle_free(). */
    void (*release)(void *object);

    twin_lock lock;
    uint32_t used;       /* slots ever given; guarded by lock */
    uint32_t free_first; /* first free slot + 1, 0 none; guarded by lock */
    /* What was allocated for the chunks, linked by the first words, so that leak checkers find it;
     * guarded by lock. */
    void **given;
    _Atomic(char *) chunks[TWIN_HANDLE_CHUNK_COUNT]; /* release/acquire: slots are made before */
} twin_handle_table;

#define TWIN_HANDLE_TABLE_INITIALIZER(name_text, kind_value, type, construct_fn, release_fn)       \
    {                                                                                              \
        .kind_name = (name_text), .kind = (kind_value), .object_bytes = sizeof(type),              \
        .construct = (construct_fn), .release = (release_fn),                                      \
        .lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_HANDLES)                                           \
    }

/* A slot with one pin that no handle finds yet; NULL when memory or slots are out. The caller fills
 * the object, then publishes it or frees it. Thread: any. */
void *twin_handle_alloc(twin_handle_table *table);
/* Makes the object's handle valid, gives up the first pin, and returns the handle. */
uint64_t twin_handle_publish(void *object);
/* As publish, but the caller keeps its pin. */
uint64_t twin_handle_publish_pinned(void *object);
/* Gives the slot back; the handle stays dead for ever. Only from release, or instead of publish. */
void twin_handle_free(twin_handle_table *table, void *object);

/* The caller has pinned the object. Makes the handle dead. False: it was dead already. */
bool twin_handle_retire(void *object);
void twin_handle_unpin(twin_handle_table *table, void *object);

/* Whether the object now lives under that handle. */
static inline bool twin_handle_is(const void *object, uint64_t handle)
{
    const twin_object *head = object;
    /* Acquire: what was written before publish is seen. */
    uint64_t state = atomic_load_explicit(&head->state, memory_order_acquire);
    return (uint32_t)(state >> 32) == (uint32_t)handle && (state & TWIN_HANDLE_LIVE) != 0;
}

/* The live object of a handle, or NULL. Not pinned: see the two ways above. */
static inline void *twin_handle_find(twin_handle_table *table, uint64_t handle)
{
    if ((handle >> 56) != (TWIN_HANDLE_TAG | (uint64_t)table->kind))
        return NULL;
    uint32_t slot = (uint32_t)(handle >> 32) & ((1u << TWIN_HANDLE_SLOT_BITS) - 1);
    char *chunk =
        atomic_load_explicit(&table->chunks[slot / TWIN_HANDLE_CHUNK_SLOTS], memory_order_acquire);
    if (!chunk)
        return NULL;
    void *object = chunk + (slot % TWIN_HANDLE_CHUNK_SLOTS) * table->object_bytes;
    return twin_handle_is(object, handle) ? object : NULL;
}

/* Pins an object that the caller knows to be where it is; false when it is no longer that one. */
static inline bool twin_handle_pin_object(void *object, uint64_t handle)
{
    twin_object *head = object;
    uint64_t state = atomic_load_explicit(&head->state, memory_order_acquire);
    do {
        if ((uint32_t)(state >> 32) != (uint32_t)handle || (state & TWIN_HANDLE_LIVE) == 0)
            return false;
        /* Acquire: pairs with publish. Nothing of ours need be seen by others yet. */
    } while (!atomic_compare_exchange_weak_explicit(&head->state, &state, state + 1,
                                                    memory_order_acquire, memory_order_acquire));
    return true;
}

/* The live object of a handle, pinned, or NULL. */
static inline void *twin_handle_pin(twin_handle_table *table, uint64_t handle)
{
    void *object = twin_handle_find(table, handle);
    return object && twin_handle_pin_object(object, handle) ? object : NULL;
}

/* TWIN_PINNED(type, name): a pointer `twin_type *name`, NULL at first. What is pinned there by the
 * end of the block, also on a return in it, is unpinned. TWIN_PINNED_TYPE(type) beside the
 * declaration of twin_type_unpin() makes that possible. */
#define TWIN_PINNED_TYPE(type)                                                                     \
    static inline void twin_##type##_unpin_at_end(twin_##type *const *object)                      \
    {                                                                                              \
        if (*object)                                                                               \
            twin_##type##_unpin(*object);                                                          \
    }
#define TWIN_PINNED(type, name)                                                                    \
    twin_##type *name __attribute__((cleanup(twin_##type##_unpin_at_end))) = NULL

#endif
