/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: in-order queues of device work, each of one context. */
#ifndef TWINRT_CORE_OBJECT_STREAM_H
#define TWINRT_CORE_OBJECT_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/handle.h"
#include "core/object/context.h"

/* Creation flags, with the public values. */
#define TWIN_STREAM_FAST_LAUNCH  0x01u
#define TWIN_STREAM_FAST_SYNC    0x02u
#define TWIN_STREAM_PERSISTENT   0x04u
#define TWIN_STREAM_HUGE         0x08u
#define TWIN_STREAM_CPU_SCHEDULE 0x10u
#define TWIN_STREAM_DEVICE_ONLY  0x20u
#define TWIN_STREAM_ALL          0x3fu
/* Not public: of a captured model instance. */
#define TWIN_STREAM_LANE   0x100u
#define TWIN_STREAM_NO_TAG UINT32_MAX /* USER_CUSTOM_TAG before it is set */
/* Those whose tasks do not run on submission; nothing waits for such a stream. */
#define TWIN_STREAM_PASSIVE                                                                        \
    (TWIN_STREAM_PERSISTENT | TWIN_STREAM_CPU_SCHEDULE | TWIN_STREAM_DEVICE_ONLY)

/* Tasks that a persistent stream keeps: core/model_instance/stored_task.h. */
typedef struct twin_stored_tasks {
    struct twin_stored_block *first, *last;
    _Atomic uint32_t *numbers; /* next number of the instance that it is bound to, relaxed; or
                                  NULL */
    uint32_t room;             /* in all blocks */
    bool fixed;                /* they cannot be made anew */
    bool changed;              /* they are to be made anew */
    _Atomic uint32_t count;    /* release/acquire: so many can be read */
} twin_stored_tasks;

typedef struct twin_stream {
    /* First what a submission touches: two lines. */
    twin_object object;
    twin_lock lock; /* held over each work op of the queue */
    /* Fixed from publish to release. */
    twin_queue *queue;
    twin_device *device;
    /* Relaxed: also read before the stream is locked, and read again under the lock. */
    _Atomic uint64_t context_handle;
    uint32_t id;
    uint32_t flags;
    /* The model instance it is bound to. Written under lock and the instance's lock; read without
     * either it is a hint. */
    _Atomic(struct twin_instance *) instance;
    _Atomic uint8_t halt; /* TWIN_HALT_*: who takes work back now; written under lock, relaxed */
    bool destroying;      /* guarded by lock: refuses new work */
    bool host_functions;  /* guarded by lock: aclrtLaunchHostFunc was used on it */
    /* Fixed from publish to release. */
    bool is_default;
    atomic_bool
        stops; /* the mode that was set is stop on failure; relaxed. Its effect is the context's */
    twin_context *context;
    twin_core_share share; /* of cores, as launches may use them */
    twin_saturation saturation;
    /* Attributes; relaxed: plain numbers. */
    _Atomic uint32_t priority;
    _Atomic uint32_t overflow_switch, custom_tag, cache_info;
    atomic_bool overflows_hidden; /* the switch was turned off: kernels launched from then on set no
                             status */
    struct twin_label_ref *label_lists; /* guarded by lock: lists that its tasks name */
    struct twin_allocator *allocator;   /* guarded by lock: registered for it, or NULL */
    struct twin_subscriber *subscriber; /* guarded by lock: who runs its callbacks, or NULL */
    struct twin_capture_lane
        *lane; /* in capture, or NULL; written under twin_capture_lock and lock */
    struct twin_task_group *updates;     /* guarded by lock: pinned; or NULL */
    twin_stored_tasks stored;            /* of a persistent stream; guarded as they say */
    struct twin_stream *next, *previous; /* guarded by context->lock */
} twin_stream;

/* Bits of `halt`: while one of the first two is set, new work and waits of the host answer that the
 * stream, or all its device, is being aborted. With the third the stream is in capture: its work
 * becomes that of a model instance. */
#define TWIN_HALT_STREAM  1u
#define TWIN_HALT_DEVICE  2u
#define TWIN_HALT_CAPTURE 4u
/* Its kernels replace those of a task group. */
#define TWIN_HALT_UPDATE 8u

extern twin_handle_table twin_streams;

struct twin_event;
struct twin_instance;

typedef enum twin_task_kind {
    /* To TWIN_TASK_WAIT_COUNT: what streams do most, or to an event. */
    TWIN_TASK_COPY,
    TWIN_TASK_FILL,
    TWIN_TASK_RECORD,
    TWIN_TASK_WAIT,
    TWIN_TASK_RESET,
    TWIN_TASK_COUNT,
    TWIN_TASK_WAIT_COUNT,
    TWIN_TASK_RUN,
    TWIN_TASK_CALL, /* a function of the host */
    TWIN_TASK_WRITE_VALUE,
    TWIN_TASK_WAIT_VALUE,
    TWIN_TASK_REDUCE,
    TWIN_TASK_COPY_ROWS,
    TWIN_TASK_DESCRIBED,
    TWIN_TASK_MAINTAIN,
    TWIN_TASK_COPY_BASED,
    TWIN_TASK_RANDOM,
    TWIN_TASK_LAUNCH,
    TWIN_TASK_ALLOC, /* of a memory pool */
    TWIN_TASK_FREE
} twin_task_kind;

/* An allocation of a memory pool, or what is freed in stream order. */
typedef struct twin_pool_work {
    struct twin_pool *pool; /* ALLOC: pinned */
    uint64_t bytes;         /* ALLOC */
    uint64_t *out_address;  /* ALLOC */
    uint64_t address;       /* FREE */
} twin_pool_work;

/* One piece of work on its way to a queue. */
typedef struct twin_task {
    twin_task_kind kind;
    union {
        const twin_copy *copy;
        const twin_fill *fill;
        const twin_reduce *reduce;
        const twin_rows *rows;
        const twin_maintenance *maintenance; /* described: address is the descriptor's */
        const twin_based_copy *based;
        const twin_random *random;
        const twin_value_wait *value; /* to write: without the relation */
        const twin_count_change *change;
        const twin_count_wait *count_wait;
        twin_launch *launch; /* the backend's once it was accepted */
        const twin_pool_work *pool;
    };
    struct twin_stream *stream; /* found, not pinned; NULL: found by the handle */
    struct twin_event *event;   /* found, not pinned */
    uint64_t event_handle;
    uint64_t shown_event; /* handle that the program gave, if it is another event; else 0 */
    uint64_t timeout_ns;
    struct twin_instance *instance; /* RUN: pinned */
    const twin_host_call *call;
    bool once; /* CALL: its argument ends with the first call, so a capture does not take it */
    twin_call_queue
        *call_queue; /* CALL: of the context's own thread; NULL: the stream's subscriber */
} twin_task;

/* The priority that a stream gets: above INT32_MAX a negative number, so the highest; else at most
 * the lowest. */
uint32_t twin_stream_clamp_priority(const twin_device *device, uint32_t priority);
/* A stream of a pinned context. 107002, 207001, 207005, 207008. */
int32_t twin_stream_create(twin_context *context, uint32_t priority, uint32_t flags,
                           bool is_default, uint64_t *out_handle);
/* Destroys a stream of the current context: after its work, or with `force` at once, dropping it.
 * A deadlock leaves the stream alive and answers so. Blocks.
 * 107000: a default stream. 107002, 107003, 107005: bound to a model instance. 107017. */
int32_t twin_stream_destroy(uint64_t handle, bool force);
/* Makes a pinned stream dead and takes it off its context. The pin stays the caller's. */
void twin_stream_retire(twin_stream *stream);
static inline void twin_stream_unpin(twin_stream *stream)
{
    twin_handle_unpin(&twin_streams, stream);
}
TWIN_PINNED_TYPE(stream)

/* The refusal of a handle that names no live stream (107017). */
int32_t twin_stream_fail_handle(uint64_t handle);
/* The live stream, not pinned; for 0, which means the default stream, NULL. 107017. */
static inline int32_t twin_stream_find(uint64_t handle, twin_stream **out_stream)
{
    *out_stream = handle != 0 ? twin_handle_find(&twin_streams, handle) : NULL;
    return __builtin_expect(handle == 0 || *out_stream, 1) ? 0 : twin_stream_fail_handle(handle);
}
/* Whether a handle may name a stream: 0 (the default stream) or a live one. 107017. */
static inline int32_t twin_stream_guard(uint64_t handle)
{
    twin_stream *stream = NULL;
    return twin_stream_find(handle, &stream);
}
/* The current context, and whether the stream that twin_stream_find() gave is of it. 107002,
 * 107003, 107017. */
int32_t twin_stream_check_found(twin_stream *found, uint64_t handle, twin_context **out_context);
/* The same, of a handle. */
int32_t twin_stream_check_own(uint64_t handle, twin_context **out_context);
/* The stream, or for 0 the current context's default stream, pinned. It may belong to any context.
 * 107002, 107017. */
int32_t twin_stream_pin(uint64_t handle, twin_stream **out_stream);
/* As pin, but only a stream of the current context. 107003 too. NULL in `out_stream` on failure. */
int32_t twin_stream_pin_own(uint64_t handle, twin_stream **out_stream);
/* As pin, and the thread needs a current context for any stream. 107002, 107017. */
int32_t twin_stream_pin_current(uint64_t handle, twin_stream **out_stream);
/* For calls that refuse the default stream of a thread without a context as a bad parameter.
 * 107000: `handle` is 0 and the thread has no context. */
int32_t twin_stream_check_named(uint64_t handle);

/* The refusal of a stream of another context (107003). */
int32_t twin_stream_fail_foreign(const twin_stream *stream);
static inline uint64_t twin_stream_context_handle(const twin_stream *stream)
{
    return atomic_load_explicit(&stream->context_handle, memory_order_relaxed);
}

/* The context of a pinned stream, pinned until twin_context_unpin(); NULL: another thread has ended
 * it. */
static inline twin_context *twin_stream_pin_context(const twin_stream *stream)
{
    return twin_handle_pin(&twin_contexts, twin_stream_context_handle(stream));
}

/* Whether the stream is bound to a model instance now. */
static inline bool twin_stream_is_bound(const twin_stream *stream)
{
    return atomic_load_explicit(&stream->instance, memory_order_relaxed) != NULL;
}

/* A stream of the current context (0: its default stream), locked and taking work of some kind.
 * 107002, 107003, 107017. */
int32_t twin_stream_lock_own(uint64_t handle, twin_stream **out_stream);
/* Queues `task` on a stream of the current context (0: its default stream). Waits when the queue is
 * full. On a persistent stream the task stays for the runs of a model instance, and a full stream
 * is refused (507002). In capture the task becomes one of the captured instance. 107002, 107003,
 * 107005: the instance is complete. 107017, or the device's answer; for calls 107011, 107015. */
int32_t twin_stream_submit(uint64_t handle, const twin_task *task);
/* Queues a task of a locked stream in capture on its lane, a pinned stream of the captured
 * instance. *out_full: there is no room, and the answer is 0. */
int32_t twin_stream_submit_captured(twin_stream *stream, twin_stream *lane, const twin_task *task,
                                    bool *out_full);
/* Queues a task of a locked stream of a model instance anew, as it is; it is not stored. */
int32_t twin_stream_submit_again(twin_stream *lane, const twin_task *task);

/* Whether a pinned stream has nothing to do. The backend's answer; 107027. */
int32_t twin_stream_query(const twin_stream *stream, bool *out_idle);

/* Whether a pinned stream is in no capture. 107027. */
int32_t twin_stream_check_not_captured(const twin_stream *stream);
/* What stream `id` answers while its `halt` is not 0: 107022, 107023, in capture 107027. */
int32_t twin_stream_fail_halted(uint8_t halt, uint32_t id, uint32_t device_id);

/* Waits for a pinned stream's work; reports failed tasks. 507046 on timeout or deadlock, 107022,
 * 107023, 107027, else a task's code. Blocks. */
int32_t twin_stream_drain(twin_stream *stream, uint64_t timeout_ns);
/* Waits for all streams of a pinned context. Blocks. */
int32_t twin_stream_drain_context(twin_context *context, uint64_t timeout_ns);
/* Waits for all streams of the current context. Blocks. */
int32_t twin_stream_drain_all(uint64_t timeout_ns);

#endif
