/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: a set of streams on one device, with a default stream; current per thread. */
#ifndef TWINRT_CORE_OBJECT_CONTEXT_H
#define TWINRT_CORE_OBJECT_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/backend/thread_state.h"
#include "core/base/handle.h"
#include "core/object/device.h"
#include "core/base/options.h"

struct twin_service;
struct twin_stream;

typedef struct twin_context {
    twin_object object;
    twin_lock lock;
    /* Atomic because twin_context_current() gives contexts out unpinned. */
    _Atomic(twin_device *) device;
    bool primary;  /* the device's default context */
    uint32_t name; /* number in messages */
    /* Relaxed: set before publish; a late reader of a dead context only finds a dead stream. */
    _Atomic uint64_t default_stream;
    _Atomic bool stops;                   /* relaxed: the first failure ends all work of it */
    bool closing;                         /* guarded by lock: no stream joins any more */
    struct twin_stream *streams;          /* guarded by lock */
    uint32_t stream_count;                /* guarded by lock */
    struct twin_instance *instances;      /* guarded by lock */
    struct twin_service *service;         /* guarded by lock: runs host functions; NULL: none yet */
    bool service_starts;                  /* guarded by lock: a thread makes it */
    twin_cond changed;                    /* with lock: service_starts */
    twin_options options;                 /* read by launches of kernels */
    struct twin_context *next, *previous; /* guarded by device->lock */
} twin_context;

extern twin_handle_table twin_contexts;

/* As a thread's context: none, and no default device in its place. */
#define TWIN_CONTEXT_NONE 1u

/* A context with its default stream. The device is up, or opening when `primary`. */
int32_t twin_context_create(twin_device *device, bool primary, uint64_t *out_handle);
/* Ends a pinned context: waits for its streams, destroys them, makes the handle dead. False:
 * another thread is doing that. `out_code`: why a wait was given up, else 0. Blocks. */
bool twin_context_close(twin_context *context, int32_t *out_code);

/* aclrtCreateContext: on a device by number, made current. Blocks. */
int32_t twin_context_create_explicit(int32_t device_id, uint64_t *out_handle);
/* aclrtDestroyContext. 107002: default context, or not alive. Blocks. */
int32_t twin_context_destroy(uint64_t handle);
/* aclrtSetCurrentContext. 107000: not alive. */
int32_t twin_context_set_current(uint64_t handle);

/* Out of the way of twin_context_current: no live context. Tries the configured default device. */
int32_t twin_context_current_slow(twin_context **out_context);

/* The calling thread's current context, alive a moment ago and not pinned: for reading its handle
 * and default stream. Sets the configured default device when there is none. 107002. */
static inline int32_t twin_context_current(twin_context **out_context)
{
    twin_context *context = twin_handle_find(&twin_contexts, twin_self.context);
    if (__builtin_expect(!context, 0))
        return twin_context_current_slow(out_context);
    *out_context = context;
    return 0;
}

/* The same, pinned: its device stays up until twin_context_unpin(). 107002. */
int32_t twin_context_pin_current(twin_context **out_context);
/* The same for callers that go on without a context: false, and nothing is reported, if the thread
 * has none. */
bool twin_context_pin_present(twin_context **out_context);
static inline void twin_context_unpin(twin_context *context)
{
    twin_handle_unpin(&twin_contexts, context);
}
TWIN_PINNED_TYPE(context)

/* Of the thread's current context; `option` is below TWIN_OPTION_CONTEXT_COUNT. 107002; get: 107021
 * never set. */
int32_t twin_context_set_option(uint32_t option, int64_t value);
int32_t twin_context_option(uint32_t option, int64_t *out_value);

/* Device used by threads without a context (aclInit's defaultDevice); -1 none. */
void twin_context_set_default_device(int32_t device_id);
int32_t twin_context_default_device(void);

#endif
