/* SPDX-License-Identifier: Apache-2.0 */
/* Prefetches of managed memory: moves of pages in the order of a stream, which the thread makes
 * that runs the context's host functions. */
#ifndef TWINRT_CORE_CALLBACK_MANAGED_PREFETCH_H
#define TWINRT_CORE_CALLBACK_MANAGED_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

#include "seam/managed.h"

struct twin_device;

typedef struct twin_prefetch {
    const void *pointer;
    uint64_t bytes;
    twin_place place; /* with the user's device */
} twin_prefetch;

/* All ranges of the list, or none, as one task of the stream (0: the default stream). 107000: a
 * range that is not whole pages of one allocation, or no place; 107002, 107003, 107011, 107017,
 * 207001. */
int32_t twin_managed_prefetch(const twin_prefetch *list, size_t count, uint64_t stream);

/* The streams of a device have ended: those that did not run are dropped. */
void twin_managed_prefetch_forget(const struct twin_device *device);

#endif
