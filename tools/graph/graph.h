/* SPDX-License-Identifier: Apache-2.0 */
/* The model instances of a recording as graphs: tasks in lanes, edges between lanes, executions.
 *
 * A lane is a stream that was bound to the instance, or several: a capture goes on in another
 * stream when one is full, and at a conditional task. A wait follows the newest record before it,
 * else the first after it; a stream that is activated follows the task that does it. */
#ifndef TWINRT_GRAPH_GRAPH_H
#define TWINRT_GRAPH_GRAPH_H

#include <stdio.h>

#include "recording/containers.h"
#include "recording/ops.h"

#define GRAPH_NONE SIZE_MAX

struct check_sites;

/* Where a copy reads and writes. */
enum graph_place { GRAPH_UNKNOWN, GRAPH_HOST, GRAPH_DEVICE };

struct graph_task {
    const twin_op *op;
    const char *name;    /* of a kernel; "" */
    uint64_t bytes;      /* of a copy, a fill or a reduction */
    uint64_t args_bytes; /* of a kernel, if args_known */
    /* Of one execution, see graph_time(): */
    uint64_t begin_ns;   /* of the first turn */
    uint64_t end_ns;     /* of the last */
    uint64_t busy_ns;    /* of all turns */
    uint64_t path_ns;    /* its part of the critical path */
    uint32_t turns;      /* how often it ran; 0: its times are not known */
    uint32_t path_turns; /* those on the critical path */
    uint32_t kind;       /* enum twin_record_kind */
    uint32_t blocks;     /* of a kernel */
    uint32_t other;      /* queue that it activates or switches to; 0: none */
    uint32_t stream;     /* index in the graph */
    uint32_t lane;       /* index in the graph */
    uint32_t updates;    /* of a task group, that took its place */
    enum graph_place from, to;
    bool args_known;
    bool has_edge;  /* another one than that from the start */
    bool continues; /* activates the next stream of its lane */
    bool critical;
    bool by_lane; /* the critical path comes from the task before it in its lane */
};

struct graph_stream {
    const twin_op *made;
    size_t first, count; /* tasks */
    uint32_t queue;
    uint32_t id; /* the stream's, as reports name it */
    uint32_t lane;
    bool head; /* an execution begins with it */
    bool bound;
};

struct graph_lane {
    size_t first, count; /* tasks */
    uint32_t first_stream, stream_count;
    bool is_start; /* of a capture: resets the events and activates the others */
};

struct graph_edge {
    size_t from, to; /* tasks */
    bool activates;  /* else a wait follows a record, or a value or count */
    bool critical;
};

struct graph_run {
    const twin_op *op;
    uint64_t begin_ns, end_ns; /* on the stream that executes */
    bool timed;
};

struct graph {
    uint32_t number; /* of the instance in the recording */
    uint32_t device;
    const twin_op *made; /* by aclmdlRICaptureBegin or aclmdlRIBuildBegin */
    bool is_captured;
    uint64_t sealed_seq;                  /* 0: it was never complete */
    LIST_OF(struct graph_stream) streams; /* those of a lane are together */
    LIST_OF(struct graph_lane) lanes;
    LIST_OF(struct graph_task) tasks; /* by stream */
    LIST_OF(struct graph_edge) edges;
    LIST_OF(struct graph_run) runs;
    /* of graph_time(): */
    size_t timed_run;          /* GRAPH_NONE: no times */
    uint64_t begin_ns, end_ns; /* from its first task to the end of its last */
    size_t critical_count;     /* turns on the critical path */
};

/* All graphs of a recording. */
struct graphs {
    const char *path;
    const twin_recording *recording;
    struct twin_ops ops;
    LIST_OF(struct graph) list; /* by number */
};

/* False: out of memory. Path and recording are set, and outlive it. */
bool graphs_read(struct graphs *graphs);
void graphs_free(struct graphs *graphs);
/* NULL: there is none of this number. */
struct graph *graphs_find(const struct graphs *graphs, uint32_t number);

/* The times of execution `run`, or GRAPH_NONE: of the last one with times, of all
 * tasks if there is one; and the critical path. False: there are none. */
bool graph_time(const struct graphs *graphs, struct graph *graph, size_t run);

/* ---- words (words.c) ---- */

/* "copy", "copies": what the program calls the kind of a task. */
const char *graph_kind(const struct graph_task *task, bool plural);
/* "copy 64 KiB host to device", "vector_add, 40 blocks", "activate stream 4". */
#define GRAPH_TASK_TEXT 320u
const char *graph_task_text(const struct graph *graph, const struct graph_task *task,
                            char text[GRAPH_TASK_TEXT]);
/* "26 copies, 1 record": tasks of a range by kind, most first. The result is freed. */
char *graph_kinds_text(const struct graph *graph, size_t first, size_t count);
/* "3", "3, 7, 8", "3, 7 and 2 more": the streams of a lane. The result is freed. */
char *graph_lane_text(const struct graph *graph, const struct graph_lane *lane);
/* "sim Ascend910B3" of a device, or "". */
const char *graph_part(const struct graphs *graphs, uint32_t device);
/* Whether two tasks do the same, apart from addresses and from what they wait for. */
bool graph_is_same_task(const struct graph_task *a, const struct graph_task *b);

/* ---- reports ---- */

struct graph_request {
    struct graph *only; /* NULL: all */
    struct check_sites *sites;
};
void graph_list_text(const struct graphs *graphs, const struct graph_request *request, FILE *out);
bool graph_list_json(const struct graphs *graphs, const struct graph_request *request, FILE *out);
/* resources.c. False: out of memory. */
bool graph_resources_text(const struct graphs *graphs, const struct graph_request *request,
                          FILE *out);
bool graph_resources_json(const struct graphs *graphs, const struct graph_request *request,
                          FILE *out);

/* boxes.c: with `each`, a row of equal tasks is not one box. False: out of memory. */
bool graph_draw_svg(const struct graphs *graphs, const struct graph *graph,
                    struct check_sites *sites, bool each, FILE *out);
bool graph_draw_dot(const struct graphs *graphs, const struct graph *graph,
                    struct check_sites *sites, bool each, FILE *out);

/* ---- comparison (diff.c) ---- */

struct graph_pair {
    size_t a, b; /* tasks, or edges; GRAPH_NONE: there is none on this side */
};
struct graph_diff {
    const struct graphs *of[2];
    const struct graph *graph[2];
    LIST_OF(struct graph_pair) tasks; /* in the order of the lanes */
    LIST_OF(struct graph_pair) edges;
};
/* False: out of memory. Sides are set. */
bool graph_compare(struct graph_diff *diff);
void graph_diff_free(struct graph_diff *diff);
bool graph_is_same(const struct graph_diff *diff);
/* Prints what differs. */
void graph_diff_text(const struct graph_diff *diff, FILE *out);
bool graph_diff_json(const struct graph_diff *diff, FILE *out);

#endif
