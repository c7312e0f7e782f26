/* SPDX-License-Identifier: Apache-2.0 */
/* A timeline file as data: the tasks of the streams and their phases. */
#ifndef TWINRT_TOOLS_TRACE_FILE_H
#define TWINRT_TOOLS_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trace_kind { TRACE_TASK, TRACE_PHASE, TRACE_WAIT };

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
    const char *parameter; /* NULL: none sets the length */
    const char *value;
    const char *unit;
    const char *mark;
    bool woken; /* WAIT: a record of the stream below ended it */
    uint32_t waker_track;
    uint32_t waker_stream;
    uint64_t waker_number;
};

struct trace_file {
    struct trace_slice *slices; /* by track, begin, then the longer first */
    size_t count;
    const struct trace_slice **tasks; /* those of kind TASK, by track and number */
    size_t task_count;
    void *document; /* owns the strings */
};

/* Reads the file. Returns 0, or -1 with a text in `error`. */
int trace_file_load(const char *path, struct trace_file *out, char *error, size_t error_bytes);
void trace_file_free(struct trace_file *file);
/* Task `number` of a track, or NULL. */
const struct trace_slice *trace_file_task(const struct trace_file *file, uint32_t track,
                                          uint64_t number);

#endif
