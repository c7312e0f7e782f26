/* SPDX-License-Identifier: Apache-2.0 */
/* Captures: from aclmdlRICaptureBegin to aclmdlRICaptureEnd the work of a stream is not executed
 * but becomes the tasks of a model instance; docs/decisions/0041-captures.md.
 *
 * Another stream joins when it waits for an event that the capture has recorded. Each stream in
 * capture has a lane: persistent streams of the instance, of which the next one is activated by the
 * last task of the one before. A record in a capture sets an event of the instance's own, its edge;
 * a wait waits for that. The first tasks of an instance of several lanes reset all edges.
 *
 * All functions take handles of the public interface, and answer 107017 for a dead one. */
#ifndef TWINRT_CORE_CAPTURE_CAPTURE_H
#define TWINRT_CORE_CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/object/capture_mode.h"
#include "core/object/stream.h"

/* With the public values: aclmdlRICaptureStatus. */
typedef enum twin_capture_status {
    TWIN_CAPTURE_NONE,
    TWIN_CAPTURE_ACTIVE,
    TWIN_CAPTURE_BROKEN
} twin_capture_status;

/* Tasks of a lane's stream, of which some take several entries of the 2,000 and more that one
 * has. */
#define TWIN_CAPTURE_TASKS 1000u

/* What a task of a stream in capture needs; guarded by the stream's lock. Written under
 * twin_capture_lock too, but for what a task changes. */
typedef struct twin_capture_tail {
    twin_stream
        *newest;    /* of the instance, which pins it: takes the tasks; only they use its queue */
    uint32_t tasks; /* in `newest` */
    uint32_t tasks_most; /* with so many, or more, a task takes the long way */
    struct twin_capture_edge
        *last_edge; /* that the last task records; NULL: that is another task */
    twin_capture_call last;
} twin_capture_tail;
/* Of a stream in capture. */
static inline twin_capture_tail *twin_capture_tail_of(const twin_stream *stream)
{
    return (twin_capture_tail *)stream->lane; /* its first member */
}

/* aclmdlRICaptureBegin. 107002, 107003; 107005: bound; 107027: in capture; 207000: a default
 * stream; 507000: made with flags that do not go with a capture; what makes a stream. */
int32_t twin_capture_begin(uint64_t stream, twin_capture_mode mode);
/* aclmdlRICaptureToModelRIBegin: as begin, into a graph of a conditional task. 107000: another
 * instance; 107004; 107026: its capture has begun before. */
int32_t twin_capture_begin_graph(uint64_t stream, uint64_t graph, twin_capture_mode mode);
/* aclmdlRICaptureEnd; `wanted`: the caller takes the instance. 107000: it does not, and the capture
 * goes on, unless it is that of a graph. *out_instance 0 on failure; *out_graph: it is a graph's,
 * whose handle the caller has. 107002, 107003, 207000; 107029: not in capture; 107036: it joined;
 * 107038: another thread began it. What breaks the capture: 107024, 107025, 107045, 507903. */
int32_t twin_capture_end(uint64_t stream, bool wanted, uint64_t *out_instance, bool *out_graph);
/* aclmdlRICaptureGetInfo. *out_instance 0: in no capture. */
int32_t twin_capture_look(uint64_t stream, twin_capture_status *out_status, uint64_t *out_instance);

/* Adds a task to the capture of a stream of the current context, or, if the capture has ended
 * meanwhile, queues it. A wait for an event that a capture has recorded makes the stream join.
 * 107000: a wait with an event that no stream can wait for. 107031: a default stream. 107032: of
 * two captures, both of which are broken now. Else as twin_stream_submit(). */
int32_t twin_capture_submit(uint64_t stream, const twin_task *task);

/* aclrtStreamWaitEventWithFlag and aclrtRecordEventWithFlag in a capture, with EXTERNAL: each run
 * of the instance waits for the event, or records it. 107000: the graph uses the event so already;
 * 107002, 107003, 107029; 207000: a graph of a conditional task, or the driver; 507009, 107034: a
 * task group is open. 207001. */
int32_t twin_capture_external(uint64_t stream, uint64_t event, bool waits);

/* aclmdlRICaptureTaskGrpBegin: the kernels of the stream form a group until its end. No other task
 * joins the capture meanwhile: that breaks it, with 507009 on the stream, 107034 on others. 107002,
 * 107003, 107029; 107033: a group is open on the stream. 207001. */
int32_t twin_capture_group_begin(uint64_t stream);
/* aclmdlRICaptureTaskGrpEnd. *out_group 0 on failure. 107002, 107003, 107029; 107033: no group is
 * open; what broke the capture: 507009, 107034, 507903. */
int32_t twin_capture_group_end(uint64_t stream, uint64_t *out_group);

/* aclmdlRICondHandleCreate. 107000: not in capture, or that is broken; 107002, 107004, 107017;
 * 207000: not a captured instance; 207001. */
int32_t twin_capture_condition(uint64_t instance, uint64_t initial, bool assigns,
                               uint64_t *out_handle);
typedef struct twin_capture_choice {
    uint64_t condition; /* handle */
    uint32_t type;      /* twin_conditional_type */
    uint32_t count;     /* of graphs */
} twin_capture_choice;
/* aclmdlRIAddCondTask: writes the handles of the new graphs. 107000: the handle has a task, is of
 * another instance, or the count does not fit the type; 107002, 107003, 107017; 107029; 507009,
 * 107034: a task group is open. What makes streams. */
int32_t twin_capture_choose(uint64_t stream, const twin_capture_choice *choice, void **out_graphs);

/* Ends all captures of a context that is closing. */
void twin_captures_close(const twin_context *context);

#endif
