/* SPDX-License-Identifier: Apache-2.0 */
/* What pictures of a graph have: boxes in lanes and rows, and arrows between lanes. */
#include <inttypes.h>
#include <string.h>

#include "check/report/site.h"
#include "graph/parts.h"
#include "output/layout.h"

/* ---- boxes ----------------------------------------------------------------------------------- */

/* Adds the task, to the last box if `join`. */
static bool add_task(const struct graph *graph, size_t index, bool join,
                     struct graph_drawing *drawing)
{
    const struct graph_task *task = &graph->tasks.items[index];
    if (!join &&
        !LIST_ADD(&drawing->boxes,
                  (struct graph_box){.first = index, .lane = task->lane, .turns = task->turns}))
        return false;
    struct graph_box *box = &drawing->boxes.items[drawing->boxes.count - 1];
    box->count++;
    box->ns = task->turns == 1 ? task->end_ns - graph->tasks.items[box->first].begin_ns
                               : box->ns + task->busy_ns;
    box->critical = box->critical || task->critical;
    return true;
}

/* The box of each task into `boxes`. */
static bool make_boxes(const struct graph *graph, bool each, struct graph_drawing *drawing,
                       size_t *boxes)
{
    for (size_t i = 0; i < graph->tasks.count; i++) {
        const struct graph_task *tasks = graph->tasks.items;
        const bool join = !each && i > 0 && graph_before(graph, i) != GRAPH_NONE &&
                          !tasks[i].has_edge && !tasks[i - 1].has_edge && tasks[i].other == 0 &&
                          tasks[i].turns == tasks[i - 1].turns &&
                          graph_is_same_task(&tasks[i - 1], &tasks[i]);
        if (!add_task(graph, i, join, drawing))
            return false;
        boxes[i] = drawing->boxes.count - 1;
    }
    return true;
}

static int by_from(const void *left, const void *right)
{
    const struct graph_arrow *a = left;
    const struct graph_arrow *b = right;
    return ORDER_2(a->from, b->from, a->to, b->to);
}

static bool make_arrows(const struct graph *graph, const size_t *boxes,
                        struct graph_drawing *drawing)
{
    for (size_t i = 0; i < graph->edges.count; i++) {
        const struct graph_edge *edge = &graph->edges.items[i];
        if (!LIST_ADD(&drawing->arrows, (struct graph_arrow){.from = boxes[edge->from],
                                                             .to = boxes[edge->to],
                                                             .activates = edge->activates,
                                                             .critical = edge->critical}))
            return false;
    }
    if (drawing->arrows.count > 0)
        qsort(drawing->arrows.items, drawing->arrows.count, sizeof(struct graph_arrow), by_from);
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct rows {
    struct graph_drawing *drawing;
    size_t *open;  /* by box: what it follows and has no row yet */
    size_t *ready; /* boxes whose row is final */
    size_t ready_count;
    bool *done;
};

static bool follows_lane(const struct graph_drawing *drawing, size_t box)
{
    return box > 0 && box < drawing->boxes.count &&
           drawing->boxes.items[box].lane == drawing->boxes.items[box - 1].lane;
}

static void make_ready(struct rows *rows, size_t box)
{
    if (rows->done[box])
        return;
    rows->done[box] = true;
    rows->ready[rows->ready_count++] = box;
}

static void put_below(struct rows *rows, size_t from, size_t to)
{
    struct graph_box *boxes = rows->drawing->boxes.items;
    if (rows->done[to])
        return; /* a loop */
    if (boxes[to].row <= boxes[from].row)
        boxes[to].row = boxes[from].row + 1;
    if (rows->open[to] > 0 && --rows->open[to] == 0)
        make_ready(rows, to);
}

/* In the order of what follows what; a loop is cut at its first box. */
static void order(struct rows *rows)
{
    struct graph_drawing *drawing = rows->drawing;
    const size_t count = drawing->boxes.count;
    for (size_t i = 0; i < count; i++)
        rows->open[i] = follows_lane(drawing, i);
    for (size_t i = 0; i < drawing->arrows.count; i++)
        rows->open[drawing->arrows.items[i].to]++;
    for (size_t i = 0; i < count; i++)
        if (rows->open[i] == 0)
            make_ready(rows, i);
    for (size_t next = 0, low = 0; next < count; next++) {
        while (next == rows->ready_count) {
            make_ready(rows, low++);
        }
        const size_t box = rows->ready[next];
        if (drawing->boxes.items[box].row >= drawing->rows)
            drawing->rows = drawing->boxes.items[box].row + 1;
        if (follows_lane(drawing, box + 1))
            put_below(rows, box, box + 1);
        const size_t first =
            PARTITION_POINT(drawing->arrows.count, at, drawing->arrows.items[at].from < box);
        for (size_t i = first; i < drawing->arrows.count && drawing->arrows.items[i].from == box;
             i++)
            put_below(rows, box, drawing->arrows.items[i].to);
    }
}

static bool make_rows(struct graph_drawing *drawing)
{
    const size_t count = drawing->boxes.count + 1;
    struct rows rows = {.drawing = drawing,
                        .open = calloc(count, sizeof(*rows.open)),
                        .ready = calloc(count, sizeof(*rows.ready)),
                        .done = calloc(count, sizeof(*rows.done))};
    const bool good = rows.open && rows.ready && rows.done;
    if (good)
        order(&rows);
    free(rows.open);
    free(rows.ready);
    free(rows.done);
    return good;
}

bool graph_drawing_make(const struct graph *graph, bool each, struct graph_drawing *out)
{
    size_t *boxes = calloc(graph->tasks.count + 1, sizeof(*boxes));
    *out = (struct graph_drawing){0};
    const bool good = boxes && make_boxes(graph, each, out, boxes) &&
                      make_arrows(graph, boxes, out) && make_rows(out);
    free(boxes);
    if (!good)
        graph_drawing_free(out);
    return good;
}

void graph_drawing_free(struct graph_drawing *drawing)
{
    free(drawing->boxes.items);
    free(drawing->arrows.items);
    *drawing = (struct graph_drawing){0};
}

/* ---- words ----------------------------------------------------------------------------------- */

const char *graph_box_text(const struct graph *graph, const struct graph_box *box,
                           char text[GRAPH_BOX_TEXT])
{
    char one[GRAPH_TASK_TEXT];
    const struct graph_task *task = &graph->tasks.items[box->first];
    (void)graph_task_text(graph, task, one);
    if (box->count == 1)
        (void)snprintf(text, GRAPH_BOX_TEXT, "%s", one);
    else if (strcmp(one, graph_kind(task, false)) == 0)
        (void)snprintf(text, GRAPH_BOX_TEXT, "%zu %s", box->count, graph_kind(task, true));
    else
        (void)snprintf(text, GRAPH_BOX_TEXT, "%zu x %s", box->count, one);
    return text;
}

const char *graph_box_time(const struct graph_box *box, char text[GRAPH_BOX_TIME])
{
    text[0] = '\0';
    if (box->turns == 1)
        (void)snprintf(text, GRAPH_BOX_TIME, "%.3f us", (double)box->ns / 1e3);
    else if (box->turns > 1)
        (void)snprintf(text, GRAPH_BOX_TIME, "%" PRIu32 " times, %.3f us", box->turns,
                       (double)box->ns / 1e3);
    return text;
}

const char *graph_made_text(const struct graphs *graphs, const struct graph_lane *lane,
                            const struct graph *graph, struct check_sites *sites,
                            char text[GRAPH_MADE_TEXT])
{
    char name[TWIN_OP_NAME];
    struct check_site site;
    const twin_op *made = graph->streams.items[lane->first_stream].made;
    (void)twin_op_name(graphs->recording, made, name);
    if (!*name || !check_sites_look(sites, made, &site))
        (void)snprintf(text, GRAPH_MADE_TEXT, "%s", name);
    else if (site.symbol.line != 0) {
        const char *slash = strrchr(site.symbol.file, '/');
        (void)snprintf(text, GRAPH_MADE_TEXT, "%s, %.80s:%" PRIu32, name,
                       slash ? slash + 1 : site.symbol.file, site.symbol.line);
    } else {
        (void)snprintf(text, GRAPH_MADE_TEXT, "%s, %.80s+0x%" PRIx64, name, site.module_name,
                       site.offset);
    }
    return text;
}

const char *graph_subtitle(const struct graph *graph, char text[GRAPH_TITLE])
{
    int used = snprintf(text, GRAPH_TITLE, "%s, %zu stream%s, %zu task%s, %zu edge%s",
                        graph->is_captured ? "captured" : "built", graph->streams.count,
                        layout_plural(graph->streams.count), graph->tasks.count,
                        layout_plural(graph->tasks.count), graph->edges.count,
                        layout_plural(graph->edges.count));
    if (graph->timed_run != GRAPH_NONE && used > 0 && (size_t)used < GRAPH_TITLE)
        (void)snprintf(text + used, GRAPH_TITLE - (size_t)used, "; execution %zu: %.3f us",
                       graph->timed_run + 1, (double)(graph->end_ns - graph->begin_ns) / 1e3);
    return text;
}
