/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory of the runtime. All of it passes here, so that a test can make the N-th request
 * fail. */
#ifndef TWINRT_CORE_BASE_ALLOC_H
#define TWINRT_CORE_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory, or NULL. Thread: any. */
void *twin_zalloc(size_t bytes);
/* `*array` grown to hold `count` elements of `element_bytes`, old contents kept, or NULL with the
 * old block untouched. Refuses a product that overflows. Thread: any. */
void *twin_regrow(void *array, size_t count, size_t element_bytes);
/* A copy of `text`, or NULL. Thread: any. */
char *twin_strdup(const char *text);
void twin_free(void *memory);

/* Asks `fails` before every request from now on; true makes that request return NULL. NULL ends it.
 * For tests. Thread: any. */
void twin_alloc_set_hook(bool (*fails)(size_t bytes));

#endif
