/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/allocator.h"

#include "core/backend/error.h"
#include "core/base/alloc.h"
#include "core/object/stream.h"

int32_t twin_allocator_register(twin_stream *stream, const twin_allocator *allocator)
{
    twin_allocator *copy = allocator ? twin_zalloc(sizeof(*copy)) : NULL;
    if (allocator && !copy)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for the allocator of stream %u",
                         stream->id);
    if (allocator)
        *copy = *allocator;
    twin_lock_take(&stream->lock);
    twin_allocator *before = stream->allocator;
    stream->allocator = copy;
    twin_lock_drop(&stream->lock);
    twin_free(before);
    return 0;
}

bool twin_allocator_registered(twin_stream *stream, twin_allocator *out_allocator)
{
    TWIN_LOCKED(&stream->lock);
    if (stream->allocator)
        *out_allocator = *stream->allocator;
    return stream->allocator != NULL;
}

void twin_allocator_drop(twin_stream *stream)
{
    twin_free(stream->allocator);
    stream->allocator = NULL;
}
