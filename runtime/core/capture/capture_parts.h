/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of captures share. Everything is guarded by twin_capture_lock, unless stated
 * otherwise. */
#ifndef TWINRT_CORE_CAPTURE_CAPTURE_PARTS_H
#define TWINRT_CORE_CAPTURE_CAPTURE_PARTS_H

#include "core/capture/capture.h"
#include "core/model_instance/model_instance.h"
#include "core/object/event.h"

/* A record in a capture. */
typedef struct twin_capture_edge {
    struct twin_capture *capture;
    struct twin_capture_lane *lane; /* that records */
    twin_event *signal;             /* set by the record; the instance's */
    twin_event *event;              /* the program's, pinned; its handle may be dead */
    uint64_t event_handle;
    bool waited, waited_by_origin; /* by another lane; by that of the stream that began */
    struct twin_capture_edge *next;
} twin_capture_edge;

/* A stream in capture. */
typedef struct twin_capture_lane {
    twin_capture_tail tail;
    twin_stream *first; /* of the instance: where the tasks of the lane begin */
    struct twin_capture *capture;
    twin_stream *stream; /* the program's; pinned */
    bool origin;         /* the capture was begun on it */
    twin_capture_call joined;
    struct twin_task_group *group; /* of the instance, that its kernels join now; or NULL */
    struct twin_capture_lane *next;
} twin_capture_lane;

typedef struct twin_capture {
    twin_capture_place place;
    twin_instance *instance; /* pinned */
    twin_capture_lane *lanes;
    twin_capture_edge *edges; /* newest first */
    /* What broke it; code 0: nothing has. */
    int32_t broken_code;
    uint32_t broken_stream; /* id */
    int32_t group_code;     /* why a group could not take a task; 0: none */
    uint32_t open_groups;
    twin_capture_call broken_by;
    struct twin_capture *next, *previous; /* of all that go on */
} twin_capture;

/* The capture that goes on of an instance; NULL: none. */
twin_capture *twin_capture_of(const twin_instance *instance);
/* The lane of a pinned stream. 107029. */
int32_t twin_capture_lane_of(const twin_stream *stream, twin_capture_lane **out_lane);
/* A stream of the program enters a capture, with its first task still to come. The caller has
 * pinned it; the pin is the capture's on success. */
int32_t twin_capture_enter(twin_capture *capture, twin_stream *stream, bool origin,
                           twin_capture_lane **out_lane);
/* Makes room for one more task of the lane: a stream that is nearly full leads to the next one. */
int32_t twin_capture_make_room(twin_capture_lane *lane);
/* Adds a task that lets the tasks of another lane begin. */
int32_t twin_capture_begin_lane(twin_capture_lane *lane, const twin_stream *first);
/* Adds a task; no checks of what it names. `edge`: that it records, or NULL. */
int32_t twin_capture_add(twin_capture_lane *lane, const twin_task *task, twin_capture_edge *edge);
/* The same as twin_capture_break(), of a task that a group does not take. */
int32_t twin_capture_break_group(twin_capture_lane *lane, int32_t code);
/* Whether the graphs of the capture's conditional tasks were captured. 107045. */
int32_t twin_capture_check_graphs(const twin_capture *capture);
/* Adds the tasks that choose between these graphs. */
int32_t twin_capture_fill_choosers(twin_capture *capture);
/* Whether a run of the instance begins with values for conditions; adds these. */
bool twin_capture_assigns(const twin_capture *capture);
int32_t twin_capture_assign(twin_capture_lane *start);
/* Adds the task that leaves the graph which the lane ends, and begins in `entry`. */
int32_t twin_capture_leave_graph(const twin_capture_lane *origin, const twin_stream *entry);
/* From now on each task of the capture takes the long way, or not any more. */
void twin_capture_watch(twin_capture *capture, bool watch);
/* No capture has recorded the event, pinned, from now on. */
void twin_capture_forget_edge(twin_event *event, uint64_t handle);
/* The capture cannot succeed any more, because of `code` that the present call of `stream` gets.
 * Returns `code`. */
int32_t twin_capture_break(twin_capture *capture, const twin_stream *stream, int32_t code);

#endif
