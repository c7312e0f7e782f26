/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/alloc.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef bool (*twin_alloc_hook)(size_t bytes);

/* Relaxed: a hook is a plain function without data that needs publishing. */
static _Atomic(twin_alloc_hook) alloc_hook;

static bool alloc_refused(size_t bytes)
{
    twin_alloc_hook hook = atomic_load_explicit(&alloc_hook, memory_order_relaxed);
    return hook && hook(bytes);
}

void *twin_zalloc(size_t bytes)
{
    if (alloc_refused(bytes))
        return NULL;
    return calloc(1, bytes > 0 ? bytes : 1);
}

void *twin_regrow(void *array, size_t count, size_t element_bytes)
{
    if (element_bytes != 0 && count > SIZE_MAX / element_bytes)
        return NULL;
    if (alloc_refused(count * element_bytes))
        return NULL;
    return realloc(array, count * element_bytes > 0 ? count * element_bytes : 1);
}

char *twin_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = twin_zalloc(bytes);
    if (copy)
        memcpy(copy, text, bytes);
    return copy;
}

void twin_free(void *memory)
{
    free(memory);
}

void twin_alloc_set_hook(bool (*fails)(size_t bytes))
{
    atomic_store_explicit(&alloc_hook, fails, memory_order_relaxed);
}
