/* SPDX-License-Identifier: Apache-2.0 */
/* What a run asked of its device, one operation after another: members that mean the same in all
 * kinds of operations, the public call that each was part of, and when it ran on the device.
 * All readers of a recording's operations use it; nothing in `twin_op` names a file, so it also
 * serves operations that are made up or watched. */
#ifndef TWINRT_TOOLS_RECORDING_OPS_H
#define TWINRT_TOOLS_RECORDING_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "recording/containers.h"
#include "recording/reader.h"
#include "seam/types.h"

#define TWIN_OP_NONE UINT32_MAX

/* X(name, entry, word): the kind of an op, the kind of entries that it is read from, and how
 * reports call it. Work comes first: what is queued as a task. CONTROL has more kinds of entries
 * (ops.c). */
#define TWIN_OPS(X)                                                                                \
    X(COPY, WORK_COPY, "copy")                                                                     \
    X(FILL, WORK_FILL, "fill")                                                                     \
    X(REDUCE, WORK_REDUCE, "reduce")                                                               \
    X(COPY_ROWS, WORK_COPY_ROWS, "copy of rows")                                                   \
    X(DESCRIBED, WORK_DESCRIBED, "work by descriptor")                                             \
    X(MAINTAIN, WORK_MAINTAIN, "cache maintenance")                                                \
    X(COPY_BASED, WORK_COPY_BASED, "copy with offsets")                                            \
    X(RANDOM, WORK_RANDOM, "random numbers")                                                       \
    X(RECORD, WORK_RECORD, "record")                                                               \
    X(WAIT, WORK_WAIT, "wait")                                                                     \
    X(RESET, WORK_RESET, "reset")                                                                  \
    X(WRITE_VALUE, WORK_WRITE_VALUE, "value write")                                                \
    X(WAIT_VALUE, WORK_WAIT_VALUE, "value wait")                                                   \
    X(COUNT, WORK_COUNT, "count")                                                                  \
    X(WAIT_COUNT, WORK_WAIT_COUNT, "count wait")                                                   \
    X(CALL, WORK_CALL, "host call")                                                                \
    X(LAUNCH, WORK_LAUNCH, "launch")                                                               \
    X(RUN, WORK_RUN, "run of a model instance")                                                    \
    X(POOL_ALLOC, WORK_ALLOC, "allocation from a pool")                                            \
    X(POOL_FREE, WORK_FREE, "free in stream order")                                                \
    X(ACTIVATE, WORK_ACTIVATE, "start of a stream")                                                \
    X(END, WORK_END, "end of a model instance")                                                    \
    X(CONTROL, WORK_BRANCH, "control task")                                                        \
    X(DEVICE_OPEN, DEVICE_OPEN, "device open")                                                     \
    X(DEVICE_CLOSE, DEVICE_CLOSE, "device close")                                                  \
    X(DEVICE_ABORT, DEVICE_ABORT, "device abort")                                                  \
    X(ALLOC, MEMORY_ALLOC, "allocation")                                                           \
    X(FREE, MEMORY_FREE, "free")                                                                   \
    X(HOST_ALLOC, MEMORY_HOST_ALLOC, "host allocation")                                            \
    X(HOST_FREE, MEMORY_HOST_FREE, "host free")                                                    \
    X(IMAGE_LOAD, IMAGE_LOAD, "loading of an image")                                               \
    X(IMAGE_UNLOAD, IMAGE_UNLOAD, "unloading of an image")                                         \
    X(NOW_COPY, MEMORY_COPY, "synchronous copy")                                                   \
    X(NOW_FILL, MEMORY_FILL, "synchronous fill")                                                   \
    X(NOW_ROWS, MEMORY_COPY_ROWS, "synchronous copy of rows")                                      \
    X(QUEUE_CREATE, QUEUE_CREATE, "stream creation")                                               \
    X(QUEUE_DESTROY, QUEUE_DESTROY, "stream destruction")                                          \
    X(DRAIN, QUEUE_DRAIN, "wait for a stream")                                                     \
    X(QUEUE_QUERY, QUEUE_QUERY, "query of a stream")                                               \
    X(QUEUE_ABORT, QUEUE_ABORT, "stream abort")                                                    \
    X(QUEUE_STOP, QUEUE_STOP, "end of a task")                                                     \
    X(QUEUE_OTHER, QUEUE_SET_PRIORITY, "stream setting")                                           \
    X(STOP_ON_FAILURE, QUEUE_STOP_ON_FAILURE, "failure mode")                                      \
    X(TAKE_FAILURE, QUEUE_TAKE_FAILURE, "taking a failure")                                        \
    X(SIGNAL_CREATE, SIGNAL_CREATE, "event creation")                                              \
    X(SIGNAL_DESTROY, SIGNAL_DESTROY, "event destruction")                                         \
    X(SIGNAL_QUERY, SIGNAL_QUERY, "query of an event")                                             \
    X(SIGNAL_WAIT, SIGNAL_WAIT, "wait for an event")                                               \
    X(TIMESTAMP, SIGNAL_TIMESTAMP, "time of an event")                                             \
    X(SIGNAL_CLEAR, SIGNAL_CLEAR, "clearing a notify")                                             \
    X(SIGNAL_SHARE, SIGNAL_SHARE, "sharing an event")                                              \
    X(SIGNAL_OPEN, SIGNAL_OPEN, "opening a shared event")                                          \
    X(CALL_QUEUE_CREATE, CALL_QUEUE_CREATE, "host-call queue creation")                            \
    X(CALL_QUEUE_DESTROY, CALL_QUEUE_DESTROY, "host-call queue end")                               \
    X(TAKE, CALL_QUEUE_TAKE, "taking a host call")                                                 \
    X(ANSWER, CALL_QUEUE_ANSWER, "answer of a host call")                                          \
    X(MODEL_INSTANCE_CREATE, MODEL_INSTANCE_CREATE, "model instance creation")                     \
    X(MODEL_INSTANCE_DESTROY, MODEL_INSTANCE_DESTROY, "model instance destruction")                \
    X(MODEL_INSTANCE_BIND, MODEL_INSTANCE_BIND, "binding a stream")                                \
    X(MODEL_INSTANCE_UNBIND, MODEL_INSTANCE_UNBIND, "unbinding a stream")                          \
    X(MODEL_INSTANCE_CLEAN, MODEL_INSTANCE_CLEAN, "dropping the tasks of a stream")                \
    X(MODEL_INSTANCE_ABORT, MODEL_INSTANCE_ABORT, "abort of a model instance")                     \
    X(MODEL_INSTANCE_DRAIN, MODEL_INSTANCE_DRAIN, "wait for a model instance")                     \
    X(FAULT_INJECT, FAULT_INJECT, "injecting a fault")                                             \
    X(STOP, PROCESS_STOP, "end of the process's use")                                              \
    X(CALL_ENDED, HOST_CALL, "public call")
typedef enum twin_op_kind {
#define TWIN_OP_ENUM(name, entry, word) TWIN_OP_##name,
    TWIN_OPS(TWIN_OP_ENUM)
#undef TWIN_OP_ENUM
        TWIN_OP_KINDS
} twin_op_kind;

typedef struct twin_op {
    /* Counter of the process. A came back before B began if A.end_seq < B.begin_seq. */
    uint64_t begin_seq;
    uint64_t end_seq;  /* 0: it had not come back */
    uint64_t begin_ns; /* the caller's clock; 0 with end_ns 0: not known */
    uint64_t end_ns;
    uint64_t device_ns; /* how far the device had come when it came back; 0: not known */
    uint64_t site;      /* return address of the public call it was part of; 0: not known */
    /* Of the task on the device; valid with `timed`. */
    uint64_t task_begin_ns;
    uint64_t task_end_ns;
    union {
        struct {
            uint64_t dst, src,
                bytes; /* copies, fills (no src), reductions; allocations, images: dst,
                                         bytes (0: not known); frees: dst */
            uint64_t dst_pitch, src_pitch, height; /* of rows: `bytes` is the width */
        };
        struct {
            uint64_t address, value;
            uint32_t relation; /* twin_relation */
        } word;
        struct {
            uint32_t value;
            uint16_t mode;     /* COUNT: twin_count_mode */
            uint16_t relation; /* WAIT_COUNT: twin_count_relation */
            bool clear;        /* WAIT_COUNT: the count becomes 0 */
        } count;
        struct {
            uint64_t function, argument, ticket;
        } call;
        uint32_t other;      /* ACTIVATE: number of the queue that begins */
        uint64_t time_ns;    /* TIMESTAMP: the answer */
        uint64_t timeout_ns; /* waits */
        struct {
            uint32_t signal_kind; /* twin_signal_kind */
            uint32_t name;        /* that the program's reports use; stream id of a queue */
            uint32_t group;
            bool timed, is_default, deferred;
            bool reports_tasks; /* of a queue: the device reports the times of all its tasks */
            bool inside; /* SIGNAL_SHARE, SIGNAL_OPEN: both ends are here, and no other process is
                           let in */
            uint64_t share; /* the same two: made of the name */
        } config;
    };
    uint32_t entry; /* of the recording */
    uint32_t thread;
    uint32_t device;
    uint32_t queue;  /* number, from 1; 0: none */
    uint32_t object; /* number of a signal, host-call queue, model instance or image; 0: none */
    uint32_t
        task; /* number of the task on its queue as the device counts, TWIN_OP_NONE: not known */
    uint32_t tasks;    /* that it became, 1 mostly */
    uint32_t reported; /* times of tasks that the device reported for it */
    uint32_t stack;    /* of the public call: its number in the recording; 0: not known */
    uint32_t
        name; /* of the public call it was part of: string of the recording; TWIN_OP_NONE: none */
    int32_t code;         /* CALL_ENDED: what it answered */
    uint16_t kind;        /* twin_op_kind */
    uint16_t status;      /* twin_status */
    uint16_t task_status; /* twin_status of the task; valid with `timed` */
    bool timed;
    bool stamped;  /* task_end_ns was taken after the task, which may have ended long before */
    bool of_free;  /* CALL_ENDED: it was to free memory, and the device was not asked */
    bool blocks;   /* CALL: later tasks wait for the answer */
    bool head;     /* MODEL_INSTANCE_BIND: the queue begins with the instance */
    bool positive; /* QUEUE_QUERY: idle; SIGNAL_QUERY: complete */
    bool recorded; /* SIGNAL_QUERY: there was a record */
    bool moved;    /* the caller's clock was set to where other threads had brought the device
                  meanwhile */
    int16_t fill;  /* NOW_FILL, FILL: the byte; -1: more than one */
} twin_op;

static inline bool twin_op_is_work(uint32_t kind)
{
    return kind <= TWIN_OP_CONTROL;
}

/* Whether it came back, and came back well. */
static inline bool twin_op_succeeded(const twin_op *op)
{
    return op->end_seq != 0 && op->status == TWIN_OK;
}

/* Word for a kind: "copy". */
const char *twin_op_word(uint32_t kind);

/* A thread follows another one from a number of the sequence on. */
struct twin_op_edge {
    uint64_t seq; /* its own place */
    uint32_t thread;
    uint32_t releaser;
    uint64_t of_seq;
};

/* The operations of a recording. */
struct twin_ops {
    twin_op *list; /* in the order of begin_seq */
    size_t count;
    LIST_OF(struct twin_op_edge) edges;
    bool threads_apart;  /* all that orders host threads is in `edges`, except what cannot be
                          observed */
    uint64_t calls;      /* public calls that came back */
    uint64_t unanswered; /* ops that had not come back */
    uint64_t refused;    /* public copies and fills that the runtime refused for an argument */
    bool whole;          /* the recording ended in order */
    bool partial;        /* something of it is damaged or missing */
    bool one_clock;      /* the callers' clock is the device's */
};

/* False: out of memory. */
bool twin_ops_load(const twin_recording *recording, struct twin_ops *out);
void twin_ops_free(struct twin_ops *ops);

/* Name of the public call that an op was part of, "" for none; of a damaged recording, what can be
 * printed of it. */
#define TWIN_OP_NAME 96u
const char *twin_op_name(const twin_recording *recording, const twin_op *op,
                         char text[TWIN_OP_NAME]);

#endif
