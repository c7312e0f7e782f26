/* SPDX-License-Identifier: Apache-2.0 */
/* One thing that a run asked of its device, as the rules look at it. Whoever has a record, or watches a program while it
 * runs, makes these; the rules know neither files nor seams. */
#ifndef TWINRT_CHECK_OP_H
#define TWINRT_CHECK_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "seam/status.h"

#define CHECK_NONE UINT32_MAX

/* X(name, word). Work comes first: what is queued as a task. */
#define CHECK_KINDS(X)                                                                             \
    X(COPY, "copy")                                                                                \
    X(FILL, "fill")                                                                                \
    X(REDUCE, "reduce")                                                                            \
    X(COPY_ROWS, "copy of rows")                                                                   \
    X(RECORD, "record")                                                                            \
    X(WAIT, "wait")                                                                                \
    X(RESET, "reset")                                                                              \
    X(WRITE_VALUE, "value write")                                                                  \
    X(WAIT_VALUE, "value wait")                                                                    \
    X(COUNT, "count")                                                                              \
    X(WAIT_COUNT, "count wait")                                                                    \
    X(CALL, "host call")                                                                           \
    X(LAUNCH, "launch")                                                                            \
    X(RUN, "run of a program")                                                                     \
    X(CONTROL, "control task")                                                                     \
    X(DEVICE_OPEN, "device open")                                                                  \
    X(DEVICE_CLOSE, "device close")                                                                \
    X(DEVICE_ABORT, "device abort")                                                                \
    X(ALLOC, "allocation")                                                                         \
    X(FREE, "free")                                                                                \
    X(HOST_ALLOC, "host allocation")                                                               \
    X(HOST_FREE, "host free")                                                                      \
    X(IMAGE_LOAD, "loading of an image")                                                           \
    X(IMAGE_UNLOAD, "unloading of an image")                                                       \
    X(NOW_COPY, "synchronous copy")                                                                \
    X(NOW_FILL, "synchronous fill")                                                                \
    X(NOW_ROWS, "synchronous copy of rows")                                                        \
    X(QUEUE_CREATE, "stream creation")                                                             \
    X(QUEUE_DESTROY, "stream destruction")                                                         \
    X(DRAIN, "wait for a stream")                                                                  \
    X(QUEUE_QUERY, "query of a stream")                                                            \
    X(QUEUE_ABORT, "stream abort")                                                                 \
    X(QUEUE_STOP, "end of a task")                                                                 \
    X(QUEUE_OTHER, "stream setting")                                                               \
    X(STOP_ON_FAILURE, "failure mode")                                                             \
    X(TAKE_FAILURE, "taking a failure")                                                            \
    X(SIGNAL_CREATE, "event creation")                                                             \
    X(SIGNAL_DESTROY, "event destruction")                                                         \
    X(SIGNAL_QUERY, "query of an event")                                                           \
    X(SIGNAL_WAIT, "wait for an event")                                                            \
    X(TIMESTAMP, "time of an event")                                                               \
    X(SIGNAL_CLEAR, "clearing a notify")                                                           \
    X(SIGNAL_SHARE, "sharing an event")                                                            \
    X(SIGNAL_OPEN, "opening a shared event")                                                       \
    X(CHANNEL_CREATE, "channel creation")                                                          \
    X(CHANNEL_DESTROY, "channel end")                                                              \
    X(TAKE, "taking a host call")                                                                  \
    X(ANSWER, "answer of a host call")                                                             \
    X(PROGRAM_CREATE, "program creation")                                                          \
    X(PROGRAM_DESTROY, "program destruction")                                                      \
    X(PROGRAM_DRAIN, "wait for a program")                                                         \
    X(FAULT_PLANT, "planting a fault")                                                             \
    X(STOP, "end of the process's use")                                                            \
    X(CALL_ENDED, "public call")
typedef enum check_kind {
#define CHECK_KIND_ENUM(name, word) CHECK_##name,
    CHECK_KINDS(CHECK_KIND_ENUM)
#undef CHECK_KIND_ENUM
        CHECK_KIND_COUNT
} check_kind;

/* Mirrors twin_signal_kind. */
typedef enum check_signal_kind {
    CHECK_REBIND,
    CHECK_LEVEL,
    CHECK_NOTIFY,
    CHECK_COUNTER
} check_signal_kind;

typedef struct check_op {
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
                bytes; /* copies, fills (no src), reductions; allocations, images: dst, bytes (0: not told);
                          frees: dst */
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
        uint64_t time_ns;    /* TIMESTAMP: the answer */
        uint64_t timeout_ns; /* waits */
        struct {
            uint32_t signal_kind; /* check_signal_kind */
            uint32_t name;        /* that the program's reports use; stream id of a queue */
            uint32_t group;
            bool timed, is_default, deferred;
            bool tasks_told; /* of a queue: the device tells the times of all its tasks */
            bool
                inside; /* SIGNAL_SHARE, SIGNAL_OPEN: both ends are here, and nobody else is let in */
            uint64_t share; /* the same two: made of the name */
        } config;
    };
    uint32_t thread;
    uint32_t device;
    uint32_t queue;  /* number, from 1; 0: none */
    uint32_t object; /* number of a signal, channel, program or image; 0: none */
    uint32_t task; /* number of the task on its queue as the device counts, CHECK_NONE: not known */
    uint32_t tasks; /* that it became, 1 mostly */
    uint32_t told;  /* times of tasks that the device told for it */
    uint32_t stack; /* of the public call: its number in the recording; 0: not known */
    uint32_t
        name; /* of the public call it was part of: index for who made the ops; CHECK_NONE: none */
    int32_t code;         /* CALL_ENDED: what it answered */
    uint16_t kind;        /* check_kind */
    uint16_t status;      /* twin_status */
    uint16_t task_status; /* twin_status of the task; valid with `timed` */
    bool timed;
    bool stamped;  /* task_end_ns was taken behind the task, which may have ended long before */
    bool of_free;  /* CALL_ENDED: it was to free memory, and the device was not asked */
    bool blocks;   /* CALL: later tasks wait for the answer */
    bool positive; /* QUEUE_QUERY: idle; SIGNAL_QUERY: complete */
    bool recorded; /* SIGNAL_QUERY: there was a record */
    bool
        moved; /* the caller's clock was set to where other threads had brought the device meanwhile */
    uint8_t fill; /* NOW_FILL, FILL: the byte */
} check_op;

static inline bool check_is_work(uint32_t kind)
{
    return kind <= CHECK_CONTROL;
}

/* Word for a kind: "copy". */
const char *check_kind_word(uint32_t kind);

#endif
