/* SPDX-License-Identifier: Apache-2.0 */
/* A graph in the language of Graphviz. */
#include <inttypes.h>

#include "graph/parts.h"

static void put_quoted(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        if ((unsigned char)*text >= ' ')
            fputc(*text, out);
    }
}

static void put_lane(const struct graphs *graphs, const struct graph *graph, size_t index,
                     struct check_sites *sites, FILE *out)
{
    char made[GRAPH_MADE_TEXT];
    const struct graph_lane *lane = &graph->lanes.items[index];
    char *names = graph_lane_text(graph, lane);
    fprintf(out, "    label=\"%sstream%s ", lane->is_start ? "start: " : "",
            lane->stream_count == 1 ? "" : "s");
    put_quoted(out, names ? names : "?");
    free(names);
    if (*graph_made_text(graphs, lane, graph, sites, made)) {
        fputs("\\n", out);
        put_quoted(out, made);
    }
    fputs("\"\n", out);
}

static void put_box(const struct graph *graph, const struct graph_drawing *drawing, size_t index,
                    FILE *out)
{
    char text[GRAPH_BOX_TEXT];
    char time[GRAPH_BOX_TIME];
    const struct graph_box *box = &drawing->boxes.items[index];
    fprintf(out, "    t%zu [label=\"", index);
    put_quoted(out, graph_box_text(graph, box, text));
    if (*graph_box_time(box, time))
        fprintf(out, "\\n%s", time);
    fprintf(out, "\"%s]\n", box->critical ? " color=red penwidth=2" : "");
}

bool graph_draw_dot(const struct graphs *graphs, const struct graph *graph,
                    struct check_sites *sites, bool each, FILE *out)
{
    char subtitle[GRAPH_TITLE];
    struct graph_drawing drawing;
    if (!graph_drawing_make(graph, each, &drawing))
        return false;
    fprintf(out,
            "digraph \"model instance %" PRIu32 "\" {\n  label=\"model instance %" PRIu32 ": %s\"\n"
            "  node [shape=box fontname=\"sans-serif\"]\n",
            graph->number, graph->number, graph_subtitle(graph, subtitle));
    for (size_t lane = 0; lane < graph->lanes.count; lane++) {
        fprintf(out, "  subgraph cluster_%zu {\n", lane);
        put_lane(graphs, graph, lane, sites, out);
        for (size_t i = 0; i < drawing.boxes.count; i++)
            if (drawing.boxes.items[i].lane == lane)
                put_box(graph, &drawing, i, out);
        fputs("  }\n", out);
    }
    for (size_t i = 1; i < drawing.boxes.count; i++) {
        const struct graph_box *from = &drawing.boxes.items[i - 1];
        const struct graph_box *to = &drawing.boxes.items[i];
        if (from->lane == to->lane && graph_before(graph, to->first) != GRAPH_NONE)
            fprintf(out, "  t%zu -> t%zu%s\n", i - 1, i,
                    graph->tasks.items[to->first].by_lane ? " [color=red penwidth=2]" : "");
    }
    for (size_t i = 0; i < drawing.arrows.count; i++) {
        const struct graph_arrow *arrow = &drawing.arrows.items[i];
        fprintf(out, "  t%zu -> t%zu [style=%s%s]\n", arrow->from, arrow->to,
                arrow->activates ? "dashed" : "solid",
                arrow->critical ? " color=red penwidth=2" : "");
    }
    fputs("}\n", out);
    graph_drawing_free(&drawing);
    return true;
}
