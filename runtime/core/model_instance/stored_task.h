/* SPDX-License-Identifier: Apache-2.0 */
/* The tasks that persistent streams keep, as the program submitted them. The device has its own
 * form of them; this one answers questions about tasks and makes a stream's tasks anew after some
 * of them were changed.
 *
 * Tasks are added by one thread at a time and stay in their place, so those that are there are read
 * without a lock. They change, and go, with the lock of the stream. */
#ifndef TWINRT_CORE_MODEL_INSTANCE_STORED_TASK_H
#define TWINRT_CORE_MODEL_INSTANCE_STORED_TASK_H

#include "core/object/stream.h"
#include "seam/indirect.h"

struct twin_task_group;

/* In place of a twin_task_kind: what the runtime itself has added. */
#define TWIN_STORED_ACTIVATE 0xfeu /* another stream of the model instance begins */
#define TWIN_STORED_OTHER    0xffu /* it cannot be made anew */

/* What a program knows a task by. */
typedef struct twin_instance_task {
    twin_object object;
    /* Fixed from publish to release. */
    uint64_t stream;                 /* handle */
    struct twin_stored_task *stored; /* alive while the handle is and the stream is locked */
} twin_instance_task;

extern twin_handle_table twin_instance_tasks;
void twin_instance_task_unpin(twin_instance_task *task);
TWIN_PINNED_TYPE(instance_task)

typedef enum twin_stored_state {
    TWIN_STORED_KEPT,
    TWIN_STORED_DISABLED, /* left out with the next update */
    TWIN_STORED_GONE      /* left out */
} twin_stored_state;

typedef struct twin_stored_task {
    uint8_t kind;                  /* twin_task_kind or TWIN_STORED_* */
    uint8_t state;                 /* twin_stored_state */
    uint32_t number;               /* of its model instance, in the order of submission */
    twin_instance_task *known;     /* what the program knows it by, pinned; NULL: not yet */
    struct twin_task_group *group; /* that it is a kernel of; or NULL */
    uint32_t member;               /* there */
    union {
        struct {
            struct twin_event *event;
            uint64_t handle;
            uint64_t shown; /* the event that the program named */
            uint64_t timeout_ns;
        } on_event; /* RECORD, WAIT, RESET */
        struct {
            struct twin_event *event;
            uint64_t handle;
            union {
                twin_count_change change;
                twin_count_wait wait;
            };
        } on_count;          /* COUNT, WAIT_COUNT */
        twin_launch *launch; /* kept */
        twin_value_wait value;
        twin_copy copy;
        twin_fill fill;
        twin_based_copy based;
        twin_maintenance maintenance;
        struct {
            twin_host_call call;
            twin_call_queue *queue; /* NULL: of a thread of the program */
        } host;
        void *far;             /* what tasks of other kinds name */
        const twin_stream *to; /* ACTIVATE; of the same model instance */
    };
} twin_stored_task;

/* Makes room for a task and keeps what it names; NULL: host memory is out. Then either commit, once
 * the device has the task, or cancel. One thread at a time. */
twin_stored_task *twin_stored_prepare(twin_stream *stream, const twin_task *task);
void twin_stored_commit(twin_stream *stream, twin_stored_task *stored);
void twin_stored_cancel(twin_stored_task *stored);
/* Likewise of a task of another kind: OTHER, or with `to` ACTIVATE. Then end, with what the device
 * answered (NULL: it was not asked). Returns the answer. */
twin_stored_task *twin_stored_prepare_other(twin_stream *stream, const twin_stream *to);
twin_status twin_stored_end(twin_stream *stream, twin_stored_task *stored, twin_status answer);

static inline uint32_t twin_stored_count(const twin_stream *stream)
{
    return atomic_load_explicit(&stream->stored.count, memory_order_acquire);
}
/* The first task that is not GONE from `*place` on, which becomes the place behind it; NULL: there
 * is none. Places count from 0. */
twin_stored_task *twin_stored_next(const twin_stream *stream, uint32_t *place);

/* The task as it can be submitted; its parts are those of `stored`. */
twin_task twin_stored_as_task(const twin_stored_task *stored);
/* A task that is DISABLED becomes GONE. */
void twin_stored_leave_out(twin_stored_task *stored);
/* The task that was added last. There is one. */
twin_stored_task *twin_stored_last(const twin_stream *stream);
/* Another kernel in its place, which is KEPT. `launch` is the task's own now. */
void twin_stored_set_launch(twin_stored_task *stored, twin_launch *launch);
/* A value is written, or waited for, in its place; KEPT too. */
void twin_stored_set_value(twin_stored_task *stored, twin_task_kind kind,
                           const twin_value_wait *value);

/* Takes all tasks out of a locked stream, whose queue does not have them any more; and releases
 * them, with no lock held. */
twin_stored_tasks twin_stored_take(twin_stream *stream);
void twin_stored_release(twin_stored_tasks *taken);

#endif
