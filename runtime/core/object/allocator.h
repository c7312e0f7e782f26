/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator that a program registers for a stream: libraries that run operators on the stream
 * ask for it and take their working memory from it. The runtime itself never calls it. */
#ifndef TWINRT_CORE_OBJECT_ALLOCATOR_H
#define TWINRT_CORE_OBJECT_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a description says, with the types of the public functions. */
typedef struct twin_allocator {
    void *object; /* of the program: first argument of all functions but `address` */
    void *(*alloc)(void *object, size_t bytes);
    void (*free)(void *object, void *block);
    void *(*advise)(void *object, size_t bytes, void *address); /* may be NULL */
    void *(*address)(void *block);
    uint64_t description; /* handle of the description that was registered */
} twin_allocator;

struct twin_stream;

/* Registers a copy, in the place of an earlier one; `allocator` NULL: takes it away, if there is
 * one. The stream is pinned. 207001. */
int32_t twin_allocator_register(struct twin_stream *stream, const twin_allocator *allocator);
/* False: none is registered. The stream is pinned. */
bool twin_allocator_registered(struct twin_stream *stream, twin_allocator *out_allocator);
/* The stream ends, and no other thread can find it. */
void twin_allocator_drop(struct twin_stream *stream);

#endif
