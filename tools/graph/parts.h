/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the graph reader share. */
#ifndef TWINRT_GRAPH_PARTS_H
#define TWINRT_GRAPH_PARTS_H

#include "graph/graph.h"
#include "output/json.h"

#define GRAPH_COLUMNS 80u

/* Puts the streams of a lane, and its tasks, side by side; the lane that starts a capture comes
 * first. False: out of memory. */
bool graph_make_lanes(const twin_recording *recording, struct graph *graph);
/* False: out of memory. */
bool graph_make_edges(const twin_recording *recording, struct graph *graph);

/* The stream of a queue: its index, or GRAPH_NONE. */
size_t graph_stream_of(const struct graph *graph, uint32_t queue);
/* The task with that number on its queue, or NULL. */
struct graph_task *graph_task_of(const struct graph *graph, uint32_t queue, uint64_t number);
/* The task before one in its lane, or GRAPH_NONE. */
size_t graph_before(const struct graph *graph, size_t task);

/* Parts of JSON. The public call that an op was part of, where the recording has it: */
void graph_json_call(cJSON *object, struct check_sites *sites, const twin_recording *recording,
                     const twin_op *op);
cJSON *graph_json_task(const struct graph *graph, size_t index);
cJSON *graph_json_edge(const struct graph_edge *edge);
/* Prints the name of the recording, and `list` as the member `name`. False: out of memory. */
bool graph_json_print(const struct graphs *graphs, const char *name, cJSON *list, FILE *out);

/* ---- drawings (boxes.c) ---- */

/* A task, or a row of equal tasks that nothing outside of their lane follows or precedes. */
struct graph_box {
    size_t first, count; /* tasks */
    uint32_t lane;
    uint32_t row;   /* below all that it follows */
    uint64_t ns;    /* from the first begin to the last end; of all turns if there are several */
    uint32_t turns; /* 0: there are no times */
    bool critical;
};
struct graph_arrow {
    size_t from, to; /* boxes */
    bool activates;
    bool critical;
};
struct graph_drawing {
    LIST_OF(struct graph_box) boxes;    /* by lane */
    LIST_OF(struct graph_arrow) arrows; /* between lanes, by `from` */
    uint32_t rows;
};
/* False: out of memory. */
bool graph_drawing_make(const struct graph *graph, bool each, struct graph_drawing *out);
void graph_drawing_free(struct graph_drawing *drawing);

/* "24 x copy 32 KiB on the device" */
#define GRAPH_BOX_TEXT (GRAPH_TASK_TEXT + 24u)
const char *graph_box_text(const struct graph *graph, const struct graph_box *box,
                           char text[GRAPH_BOX_TEXT]);
/* "27.240 us", "5 times, 7.905 us", "" */
#define GRAPH_BOX_TIME 48u
const char *graph_box_time(const struct graph_box *box, char text[GRAPH_BOX_TIME]);
/* "aclmdlRICaptureBegin, copy.c:76": where a stream was made, without folders; "" where the
 * recording does not say. */
#define GRAPH_MADE_TEXT 192u
const char *graph_made_text(const struct graphs *graphs, const struct graph_lane *lane,
                            const struct graph *graph, struct check_sites *sites,
                            char text[GRAPH_MADE_TEXT]);
/* The title of a picture. */
#define GRAPH_TITLE 256u
const char *graph_subtitle(const struct graph *graph, char text[GRAPH_TITLE]);

#endif
