/* SPDX-License-Identifier: Apache-2.0 */
/* What contexts, streams and devices call in the parts of the core that are built on them, as those
 * keep something for an object that ends. The object layer does not know the layers above it:
 * core/users.c fills the table. */
#ifndef TWINRT_CORE_OBJECT_USERS_H
#define TWINRT_CORE_OBJECT_USERS_H

#include <stdint.h>

#include "seam/types.h"

struct twin_context;
struct twin_device;
struct twin_stream;

/* No lock of the core is held in any of them, unless stated otherwise. */
typedef struct twin_object_users {
    /* The context refuses new streams from now on, and has those that it had. Code of the first
     * wait that was given up, else 0. Blocks. */
    int32_t (*context_closing)(struct twin_context *context);
    /* Its streams have ended. Blocks. */
    void (*context_emptied)(struct twin_context *context);
    /* A wait has found that a task of the pinned stream failed. */
    void (*stream_failed)(struct twin_stream *stream);
    /* A wait of this thread has found that a task failed, of whichever stream of the current
     * context. */
    void (*wait_failed)(void);
    /* Work of some stream is complete: what it held can be released. Called at the end of each
     * wait. */
    void (*work_completed)(void);
    /* The stream's handle is dead from now on. The stream is pinned. */
    void (*stream_retired)(struct twin_stream *stream);
    /* The stream has no user any more, and its queue is gone. */
    void (*stream_released)(struct twin_stream *stream);
    /* Every object on the device has ended; it is about to be closed, and `hw` is the backend's. */
    void (*device_emptied)(struct twin_device *device, twin_hw_device *hw);
} twin_object_users;

extern const twin_object_users twin_users;

#endif
