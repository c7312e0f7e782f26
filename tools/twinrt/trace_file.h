/* SPDX-License-Identifier: Apache-2.0 */
/* A timeline file as data: the tasks of the streams and their phases. */
#ifndef TWINRT_TOOLS_TRACE_FILE_H
#define TWINRT_TOOLS_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first three are of streams, in `slices`; the others are in `others`. */
enum trace_kind {
    TRACE_TASK,
    TRACE_PHASE,
    TRACE_WAIT,
    TRACE_SLOT,      /* a stream has a slot; unit 0 */
    TRACE_SHARE,     /* a stream has a share of class `unit` */
    TRACE_DMA,       /* a channel works; unit: engine << 16 | channel */
    TRACE_TRANSFER,  /* the same, of the driver: by number, with the waits for a channel */
    TRACE_DOORBELL,  /* an instant: the SQE becomes visible */
    TRACE_CALL,      /* unit: the thread */
    TRACE_HOST_WAIT, /* the same */
};
#define TRACE_HOST_DMA 3u /* engine */

struct trace_slice {
    enum trace_kind kind;
    const char *name;
    uint64_t begin_ns;
    uint64_t end_ns;
    uint64_t number; /* of the task on its stream, from 1 */
    uint64_t bytes;
    bool recorded; /* TASK: it recorded an event, at */
    uint64_t recorded_ns;
    uint32_t track; /* which life of which stream; ids are used again, tracks are not */
    uint32_t device;
    uint32_t stream;
    uint32_t phase;        /* enum twinsim_phase, by `name`; TWINSIM_PHASE_COUNT: none */
    const char *parameter; /* NULL: none sets the length */
    uint32_t resource;     /* enum twinsim_resource: that of which `parameter` is the number;
                              TWINSIM_RESOURCE_COUNT: none */
    uint32_t share;        /* enum twinsim_class, when that is a class */
    const char *value;
    const char *unit_name;
    const char *mark;
    uint32_t unit;     /* of its kind; PHASE: of its engine and channel, UINT32_MAX: none */
    uint64_t done_ns;  /* HOST_WAIT: when the awaited object was ready */
    uint64_t alone_ns; /* of a transfer: how long it takes when nothing else moves, 0: unknown */
    uint64_t rung_ns;  /* DOORBELL: when a thread rang for it, if `rung` */
    uint32_t thread;   /* that rang the doorbell */
    const char *cause; /* HOST_WAIT */
    bool of_stream;    /* SLOT, SHARE, DMA, HOST_WAIT: track and number are a task's */
    bool rung;
    bool failed; /* HOST_WAIT */
    bool woken;  /* WAIT: a record of the stream `waker_stream` ended it */
    uint32_t waker_device;
    uint32_t waker_track;
    uint32_t waker_stream;
    uint64_t waker_number;
};

struct trace_file {
    struct trace_slice *slices; /* by track, begin, then the longer first */
    size_t count;
    const struct trace_slice **tasks; /* those of kind TASK, by track and number */
    size_t task_count;
    const struct trace_slice **phases; /* PHASE and WAIT, by track, number, begin */
    size_t phase_count;
    /* by kind, device, unit, end; DOORBELL: by track, number; CALL, HOST_WAIT: by thread, begin */
    struct trace_slice *others;
    size_t other_count;
    bool many_devices; /* the number of a stream is unique on its device only */
    void *document;    /* owns the strings */
};

/* Reads the file. Returns 0, or -1 with a text in `error`. */
int trace_file_load(const char *path, struct trace_file *out, char *error, size_t error_bytes);
void trace_file_free(struct trace_file *file);
/* Task `number` of a track, or NULL. */
const struct trace_slice *trace_file_task(const struct trace_file *file, uint32_t track,
                                          uint64_t number);

#define TRACE_STREAM_TEXT 48
/* "stream 3", after "device 1, " if the file is of several devices. */
const char *trace_file_stream(const struct trace_file *file, const struct trace_slice *slice,
                              char text[TRACE_STREAM_TEXT]);

#define TRACE_US_TEXT 32
/* Microseconds with three decimals. */
const char *trace_file_us(uint64_t ns, char text[TRACE_US_TEXT]);

/* The phases of a task, by begin: the first, and their number in *out_count. */
const struct trace_slice *const *trace_file_phases(const struct trace_file *file, uint32_t track,
                                                   uint64_t number, size_t *out_count);
/* Of those in `others` with that kind, device and unit the one that ended last by `until_ns`, or
 * NULL. */
const struct trace_slice *trace_file_ended(const struct trace_file *file, enum trace_kind kind,
                                           uint32_t device, uint32_t unit, uint64_t until_ns);
/* The instant at which a task became visible, or NULL. */
const struct trace_slice *trace_file_doorbell(const struct trace_file *file, uint32_t track,
                                              uint64_t number);

#endif
