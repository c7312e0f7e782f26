/* SPDX-License-Identifier: Apache-2.0 */
/* A graph as a picture: lanes side by side, tasks from top to bottom, each below all that it
 * follows. */
#include <inttypes.h>
#include <string.h>

#include "graph/parts.h"
#include "output/xml.h"

#define LEFT   16.0
#define COLUMN 300.0
#define BOX    260.0 /* width */
#define TOP    112.0
#define ROW    34.0
#define HIGH   24.0 /* of a box */
#define LEGEND 58.0
#define LETTER 6.0 /* width of one at 11 px */
#define FONT   "font-family='DejaVu Sans,Helvetica,Arial,sans-serif'"
/* Text on coloured boxes is dark on light and on dark pages. */
#define STYLE                                                                                      \
    "<style>.page{fill:#ffffff}.ink{fill:#22303c}.pale{fill:#68757f}.label{fill:#22303c}"          \
    ".lane{fill:#f4f6f8}.control{fill:#d5dae0}.box{stroke:none}.edge{stroke:#68757f}"              \
    ".edge-end{fill:#68757f}.hot{stroke:#d62839}.hot-end{fill:#d62839}\n"                          \
    "@media (prefers-color-scheme:dark){.page{fill:#0d1117}.ink{fill:#e6edf3}.pale{fill:#9aa6b2}"  \
    ".lane{fill:#161d25}.control{fill:#aeb8c2}.edge{stroke:#9aa6b2}.edge-end{fill:#9aa6b2}"        \
    ".hot{stroke:#ff6b6b}.hot-end{fill:#ff6b6b}}</style>\n"

/* A colour for each meaning, in the order of the legend; control is the class. */
enum meaning { KERNEL, MEMORY, ORDER, HOST, CONTROL, MEANINGS };
static const struct {
    const char *name, *fill;
} meanings[MEANINGS] = {
    [KERNEL] = {"kernel", "#c5d7a4"},      [MEMORY] = {"copy, fill", "#a9cbe6"},
    [ORDER] = {"record, wait", "#e9c46a"}, [HOST] = {"host function", "#cdbfe6"},
    [CONTROL] = {"control", NULL},
};

static enum meaning meaning_of(const struct graph_task *task)
{
    switch (task->kind) {
    case TWIN_RECORD_WORK_LAUNCH:
        return KERNEL;
    case TWIN_RECORD_WORK_CALL:
        return HOST;
    case TWIN_RECORD_WORK_RECORD:
    case TWIN_RECORD_WORK_WAIT:
    case TWIN_RECORD_WORK_WRITE_VALUE:
    case TWIN_RECORD_WORK_WAIT_VALUE:
    case TWIN_RECORD_WORK_COUNT:
    case TWIN_RECORD_WORK_WAIT_COUNT:
        return ORDER;
    case TWIN_RECORD_WORK_RESET:
    case TWIN_RECORD_WORK_ACTIVATE:
    case TWIN_RECORD_WORK_BRANCH:
    case TWIN_RECORD_WORK_LABEL:
    case TWIN_RECORD_WORK_JUMP:
    case TWIN_RECORD_WORK_END:
        return CONTROL;
    default:
        return MEMORY;
    }
}

struct picture {
    const struct graphs *graphs;
    const struct graph *graph;
    struct check_sites *sites;
    struct graph_drawing drawing;
    double width, height;
    FILE *out;
};

/* ---- parts ----------------------------------------------------------------------------------- */

/* At most `room` characters of the text, the last of them an ellipsis if it is longer. */
static void put_text(FILE *out, double x, double y, int size, const char *more, const char *kind,
                     size_t room, const char *text)
{
    char cut[GRAPH_BOX_TEXT + 8];
    size_t letters = 0;
    size_t bytes = 0;
    size_t kept = 0; /* bytes of all but the last that fits */
    for (; text[bytes] && bytes < GRAPH_BOX_TEXT; bytes++) {
        if (((unsigned char)text[bytes] & 0xc0) == 0x80)
            continue;
        if (letters == room - 1)
            kept = bytes;
        letters++;
    }
    if (letters <= room)
        (void)snprintf(cut, sizeof(cut), "%.*s", (int)bytes, text);
    else
        (void)snprintf(cut, sizeof(cut), "%.*s\xe2\x80\xa6", (int)kept, text);
    fprintf(out, "<text x='%.1f' y='%.1f' font-size='%d' class='%s'%s>", x, y, size, kind, more);
    xml_put(cut, out);
    fputs("</text>\n", out);
}

static double x_of(uint32_t lane)
{
    return LEFT + COLUMN * lane;
}

static double y_of(const struct graph_box *box)
{
    return TOP + ROW * box->row;
}

static void put_lane(const struct picture *picture, uint32_t index)
{
    char made[GRAPH_MADE_TEXT];
    char title[96];
    const struct graph_lane *lane = &picture->graph->lanes.items[index];
    char *names = graph_lane_text(picture->graph, lane);
    (void)snprintf(title, sizeof(title), "%sstream%s %.60s", lane->is_start ? "start: " : "",
                   lane->stream_count == 1 ? "" : "s", names ? names : "?");
    free(names);
    fprintf(picture->out, "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' class='lane'/>\n",
            x_of(index) - 6, TOP - 40, BOX + 12, picture->height - TOP + 32);
    put_text(picture->out, x_of(index), TOP - 24, 12, " font-weight='bold'", "ink", 40, title);
    (void)graph_made_text(picture->graphs, lane, picture->graph, picture->sites, made);
    put_text(picture->out, x_of(index), TOP - 10, 10, "", "pale", (size_t)(BOX / 5.4), made);
}

static void put_box(const struct picture *picture, const struct graph_box *box)
{
    char text[GRAPH_BOX_TEXT];
    char time[GRAPH_BOX_TIME];
    const struct graph_task *task = &picture->graph->tasks.items[box->first];
    const enum meaning meaning = meaning_of(task);
    (void)graph_box_text(picture->graph, box, text);
    (void)graph_box_time(box, time);
    fprintf(picture->out, "<g><title>");
    xml_put(text, picture->out);
    fprintf(picture->out, ", seq %" PRIu64, task->op->begin_seq);
    if (*time)
        fprintf(picture->out, ", %.3f us after the begin, %s",
                (double)(task->begin_ns - picture->graph->begin_ns) / 1e3, time);
    fprintf(picture->out,
            "</title><rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' rx='3' class='%s%s'%s%s%s"
            "%s/>\n",
            x_of(box->lane), y_of(box), BOX, HIGH, box->critical ? "hot" : "box",
            meaning == CONTROL ? " control" : "", meanings[meaning].fill ? " fill='" : "",
            meanings[meaning].fill ? meanings[meaning].fill : "", meanings[meaning].fill ? "'" : "",
            box->critical ? " stroke-width='2.5'" : "");
    put_text(picture->out, x_of(box->lane) + 8, y_of(box) + 16, 11, "", "label",
             (size_t)((BOX - 16) / LETTER) - strlen(time) - 1, text);
    if (*time)
        put_text(picture->out, x_of(box->lane) + BOX - 8, y_of(box) + 16, 11, " text-anchor='end'",
                 "label", sizeof(time), time);
    fputs("</g>\n", picture->out);
}

/* Within a lane, from one box to the one below. */
static void put_step(const struct picture *picture, const struct graph_box *from,
                     const struct graph_box *to)
{
    const bool hot = picture->graph->tasks.items[to->first].by_lane;
    const double x = x_of(to->lane) + BOX / 2;
    fprintf(picture->out,
            "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' class='%s' stroke-width='%s'/>\n", x,
            y_of(from) + HIGH, x, y_of(to), hot ? "hot" : "edge", hot ? "2.5" : "1");
}

static void put_arrow(const struct picture *picture, const struct graph_arrow *arrow)
{
    const struct graph_box *from = &picture->drawing.boxes.items[arrow->from];
    const struct graph_box *to = &picture->drawing.boxes.items[arrow->to];
    const bool right = to->lane >= from->lane;
    const double x1 = x_of(from->lane) + (right ? BOX : 0);
    const bool same = to->lane == from->lane; /* around the boxes between them */
    const double x2 = x_of(to->lane) + (right && !same ? 0 : BOX);
    const double y1 = y_of(from) + HIGH / 2;
    const double y2 = y_of(to) + HIGH / 2;
    const double bend = right ? 30 : -30;
    const char *kind = arrow->critical ? "hot" : "edge";
    fprintf(picture->out,
            "<path d='M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f' fill='none' class='%s' "
            "stroke-width='%s'%s marker-end='url(#%s)'/>\n",
            x1, y1, x1 + bend, y1, same ? x2 + bend : x2 - bend, y2, x2, y2, kind,
            arrow->critical ? "2.5" : "1.4", arrow->activates ? " stroke-dasharray='5 3'" : "",
            kind);
}

static void put_legend(const struct picture *picture)
{
    FILE *out = picture->out;
    double x = LEFT;
    bool used[MEANINGS] = {false};
    bool follows = false;
    bool activates = false;
    for (size_t i = 0; i < picture->graph->tasks.count; i++)
        used[meaning_of(&picture->graph->tasks.items[i])] = true;
    for (enum meaning meaning = KERNEL; meaning < MEANINGS; meaning++) {
        if (!used[meaning])
            continue;
        fprintf(out, "<rect x='%.1f' y='%.1f' width='14' height='12' rx='2' class='%s' %s%s%s/>\n",
                x, LEGEND - 10, meaning == CONTROL ? "control" : "box",
                meanings[meaning].fill ? "fill='" : "",
                meanings[meaning].fill ? meanings[meaning].fill : "",
                meanings[meaning].fill ? "'" : "");
        put_text(out, x + 20, LEGEND, 11, "", "ink", 40, meanings[meaning].name);
        x += 36 + LETTER * (double)strlen(meanings[meaning].name);
    }
    for (size_t i = 0; i < picture->drawing.arrows.count; i++) {
        follows = follows || !picture->drawing.arrows.items[i].activates;
        activates = activates || picture->drawing.arrows.items[i].activates;
    }
    const struct {
        bool used;
        const char *name, *kind, *more;
    } lines[] = {{follows, "a wait follows", "edge", " stroke-width='1.4'"},
                 {activates, "activates", "edge", " stroke-width='1.4' stroke-dasharray='5 3'"},
                 {picture->graph->critical_count > 0 && picture->graph->timed_run != GRAPH_NONE,
                  "critical path", "hot", " stroke-width='2.5'"}};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        if (!lines[i].used)
            continue;
        fprintf(out, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' class='%s'%s/>\n", x,
                LEGEND - 4, x + 22, LEGEND - 4, lines[i].kind, lines[i].more);
        put_text(out, x + 28, LEGEND, 11, "", "ink", 40, lines[i].name);
        x += 44 + LETTER * (double)strlen(lines[i].name);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void put_head(const struct picture *picture)
{
    FILE *out = picture->out;
    char subtitle[GRAPH_TITLE];
    (void)graph_subtitle(picture->graph, subtitle);
    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' "
            "viewBox='0 0 %.0f %.0f' " FONT " role='img' aria-labelledby='title description'>\n"
            "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
            "<title id='title'>Model instance %" PRIu32 "</title>\n"
            "<desc id='description'>%s. Streams are columns, tasks are boxes from top to bottom; "
            "arrows lead to tasks of other streams that follow.</desc>\n" STYLE "<defs>",
            picture->width, picture->height, picture->width, picture->height,
            picture->graph->number, subtitle);
    for (int hot = 0; hot < 2; hot++)
        fprintf(out,
                "<marker id='%s' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='%d' "
                "markerHeight='%d' orient='auto'><path d='M0 0 L8 4 L0 8 z' class='%s-end'/>"
                "</marker>",
                hot ? "hot" : "edge", hot ? 5 : 7, hot ? 5 : 7, hot ? "hot" : "edge");
    fprintf(out, "</defs>\n<rect width='100%%' height='100%%' class='page'/>\n");
    (void)fprintf(out,
                  "<text x='%.1f' y='28' font-size='16' font-weight='bold' class='ink'>Model "
                  "instance %" PRIu32 "</text>\n",
                  LEFT, picture->graph->number);
    put_text(out, LEFT + 170, 28, 12, "", "pale", GRAPH_TITLE, subtitle);
}

bool graph_draw_svg(const struct graphs *graphs, const struct graph *graph,
                    struct check_sites *sites, bool each, FILE *out)
{
    struct picture picture = {.graphs = graphs, .graph = graph, .sites = sites, .out = out};
    if (!graph_drawing_make(graph, each, &picture.drawing))
        return false;
    const struct graph_drawing *drawing = &picture.drawing;
    const double least = 720; /* for the heads */
    picture.width = 2 * LEFT + COLUMN * (double)graph->lanes.count - (COLUMN - BOX);
    if (picture.width < least)
        picture.width = least;
    picture.height = TOP + ROW * drawing->rows + 12;
    put_head(&picture);
    put_legend(&picture);
    for (uint32_t i = 0; i < graph->lanes.count; i++)
        put_lane(&picture, i);
    for (size_t i = 1; i < drawing->boxes.count; i++)
        if (graph_before(graph, drawing->boxes.items[i].first) != GRAPH_NONE)
            put_step(&picture, &drawing->boxes.items[i - 1], &drawing->boxes.items[i]);
    for (size_t i = 0; i < drawing->arrows.count; i++)
        put_arrow(&picture, &drawing->arrows.items[i]);
    for (size_t i = 0; i < drawing->boxes.count; i++)
        put_box(&picture, &drawing->boxes.items[i]);
    fputs("</svg>\n", out);
    graph_drawing_free(&picture.drawing);
    return true;
}
