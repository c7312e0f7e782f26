/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt graph`: the model instances of a recording. */
#include "tool.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "check/report/site.h"
#include "graph/graph.h"
#include "options.h"
#include "output.h"

static struct {
    const char *path;
    const char *other; /* --diff */
    const char *dot, *svg;
    unsigned instance, with, execution; /* 0: not given */
    bool resources, each, json;
} options;

static void check_usage(struct argp_state *state)
{
    const bool diff = options.other || options.with;
    if (options.with && !options.instance && !options.other)
        argp_error(state, "--with requires --instance or --diff");
    if (diff && (options.resources || options.dot || options.svg || options.execution))
        argp_error(state, "a comparison and --resources, --dot, --svg or --execution exclude each "
                          "other");
    if (options.each && !options.dot && !options.svg)
        argp_error(state, "--each requires --dot or --svg");
    if (options.dot && options.svg && output_is_same_file(options.dot, options.svg))
        argp_error(state, "--dot and --svg name the same file");
}

/* ---- reading --------------------------------------------------------------------------------- */

struct side {
    struct graphs graphs;
    twin_recording *recording;
};

/* 0, or -1 with a message. */
static int read_side(const char *path, struct side *side)
{
    *side = (struct side){.recording = twin_tool_read_recording(path)};
    if (!side->recording)
        return -1;
    twin_tool_report_damage(side->recording, path);
    side->graphs.path = path;
    side->graphs.recording = side->recording;
    if (!graphs_read(&side->graphs))
        return twin_tool_error(-1, "%s: out of memory", path);
    if (side->graphs.list.count == 0)
        return twin_tool_error(-1,
                               "%s: no model instance is in the recording; expected a program that "
                               "calls aclmdlRICaptureBegin or aclmdlRIBuildBegin",
                               path);
    return 0;
}

static void free_side(struct side *side)
{
    graphs_free(&side->graphs);
    twin_recording_free(side->recording);
}

/* "1, 2, 5" */
static const char *numbers_text(const struct graphs *graphs, char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < graphs->list.count && used + 16 < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%" PRIu32, i > 0 ? ", " : "",
                                 graphs->list.items[i].number);
    return text;
}

/* The instance of that number, or with 0 the only one; NULL, with a message. */
static struct graph *choose(const struct graphs *graphs, unsigned number, const char *option)
{
    char numbers[256];
    if (number == 0 && graphs->list.count == 1)
        return &graphs->list.items[0];
    struct graph *graph = number != 0 ? graphs_find(graphs, number) : NULL;
    if (number == 0)
        (void)twin_tool_error(0, "%s: the recording has model instances %s; choose one with %s",
                              graphs->path, numbers_text(graphs, numbers, sizeof(numbers)), option);
    else if (!graph)
        (void)twin_tool_error(0, "%s: no model instance %u; the recording has %s", graphs->path,
                              number, numbers_text(graphs, numbers, sizeof(numbers)));
    return graph;
}

/* Times of the execution that is asked for. 0, or -1 with a message. */
static int take_times(const struct graphs *graphs, struct graph *graph)
{
    const size_t run = options.execution != 0 ? options.execution - 1 : GRAPH_NONE;
    if (graph_time(graphs, graph, run) || options.execution == 0)
        return 0;
    if (options.execution > graph->runs.count)
        return twin_tool_error(-1, "%s: model instance %" PRIu32 " has %zu executions, not %u",
                               graphs->path, graph->number, graph->runs.count, options.execution);
    return twin_tool_error(
        -1, "%s: no times of execution %u of model instance %" PRIu32 " are in the recording",
        graphs->path, options.execution, graph->number);
}

/* ---- what is asked for ----------------------------------------------------------------------- */

static int draw(const struct graphs *graphs, const struct graph *graph, struct check_sites *sites,
                bool svg)
{
    const char *path = svg ? options.svg : options.dot;
    FILE *file = output_create(path, 0600);
    if (!file)
        return twin_tool_error(-1, "%s: %s", path, strerror(errno));
    const bool made = svg ? graph_draw_svg(graphs, graph, sites, options.each, file)
                          : graph_draw_dot(graphs, graph, sites, options.each, file);
    const bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed)
        return twin_tool_error(-1, "%s: %s", path, strerror(errno));
    return made ? 0 : twin_tool_error(-1, "%s: out of memory", path);
}

static int show(const struct graphs *graphs, const struct graph_request *request)
{
    const struct graph *drawn = NULL;
    if (options.dot || options.svg) {
        drawn = choose(graphs, options.instance, "--instance");
        if (!drawn || (options.dot && draw(graphs, drawn, request->sites, false) != 0) ||
            (options.svg && draw(graphs, drawn, request->sites, true) != 0))
            return -1;
    }
    if (drawn && !options.json && !options.resources)
        return 0;
    bool good = true;
    if (options.resources)
        good = options.json ? graph_resources_json(graphs, request, stdout)
                            : graph_resources_text(graphs, request, stdout);
    else if (options.json)
        good = graph_list_json(graphs, request, stdout);
    else
        graph_list_text(graphs, request, stdout);
    return good ? 0 : twin_tool_error(-1, "%s: out of memory", graphs->path);
}

static int list(const struct graphs *graphs)
{
    struct symbolizer *symbolizer = symbolizer_new();
    struct graph_request request = {
        .sites = symbolizer ? check_sites_new(graphs->recording, symbolizer) : NULL};
    int status = request.sites ? 0 : twin_tool_error(-1, "%s: out of memory", graphs->path);
    if (status == 0 && (options.instance || options.execution)) {
        request.only = choose(graphs, options.instance, "--instance");
        status = request.only ? 0 : -1;
    }
    for (size_t i = 0; status == 0 && i < graphs->list.count; i++)
        if (!request.only || request.only == &graphs->list.items[i])
            status = take_times(graphs, &graphs->list.items[i]);
    if (status == 0)
        status = show(graphs, &request);
    check_sites_free(request.sites);
    symbolizer_free(symbolizer);
    return status == 0 ? 0 : TWIN_TOOL_UNREADABLE;
}

static bool is_whole(const struct side *side)
{
    return side->graphs.ops.whole;
}

static int compare(const struct side *a)
{
    struct side other = {0};
    const struct side *b = a;
    struct graph_diff diff = {0};
    int status = TWIN_TOOL_UNREADABLE;
    if (options.other) {
        if (read_side(options.other, &other) != 0)
            goto done;
        b = &other;
    }
    diff.of[0] = &a->graphs;
    diff.of[1] = &b->graphs;
    diff.graph[0] = choose(diff.of[0], options.instance, "--instance");
    if (!diff.graph[0])
        goto done;
    diff.graph[1] = choose(diff.of[1], options.with ? options.with : options.instance, "--with");
    if (!diff.graph[1])
        goto done;
    bool good = graph_compare(&diff);
    if (good && options.json)
        good = graph_diff_json(&diff, stdout);
    else if (good)
        graph_diff_text(&diff, stdout);
    if (!good)
        (void)twin_tool_error(0, "%s: out of memory", options.path);
    else if (!graph_is_same(&diff))
        status = TWIN_TOOL_FOUND;
    else
        status = is_whole(a) && is_whole(b) ? 0 : TWIN_TOOL_PARTIAL;
done:
    graph_diff_free(&diff);
    free_side(&other);
    return status;
}

int twin_tool_graph(int argc, char **argv)
{
    static const struct tool_option table[] = {
        {"instance", "N", "Only the model instance of this number", option_number,
         .to = &options.instance, .least = 1, .most = UINT_MAX},
        {"execution", "N",
         "Times of this execution, from 1; without it, those of the last one of which the "
         "recording has the times of all tasks",
         option_number, .to = &options.execution, .least = 1, .most = UINT_MAX},
        {"resources", NULL,
         "The streams, events and notifies that each graph holds, who holds others, and how many "
         "more such graphs fit",
         option_flag, .to = &options.resources},
        {"svg", "FILE",
         "Draw the graph instead of listing it, with its critical path if there are times",
         option_text, .to = &options.svg},
        {"dot", "FILE", "Draw the graph for Graphviz instead of listing it", option_text,
         .to = &options.dot},
        {"each", NULL, "Draw each task; without it, a row of equal tasks is one box", option_flag,
         .to = &options.each},
        {"diff", "OTHER", "Compare the graph with one of the recording OTHER", option_text,
         .to = &options.other},
        {"with", "N",
         "The model instance to compare with, of OTHER (without this option, of the same number) "
         "or "
         "of the same recording",
         option_number, .to = &options.with, .least = 1, .most = UINT_MAX},
        {"json", NULL, "Print one JSON object", option_flag, .to = &options.json},
        {0},
    };
    static const struct tool_syntax syntax = {
        .options = table,
        .arguments = "RECORDING",
        .help =
            "Shows the model instances of a recording as graphs, captured or built: their streams, "
            "tasks, edges and executions.\v"
            "0: success, or both graphs are the same; 1: they differ; 2: a recording cannot be "
            "read, or has no such model instance; 3: both are the same, but a recording is damaged "
            "or ended before its program.",
        .recordings = &options.path,
        .recording_count = 1,
        .end = check_usage,
    };
    struct side side = {0};
    options_parse(&syntax, argc, argv);
    int status = TWIN_TOOL_UNREADABLE;
    if (read_side(options.path, &side) == 0)
        status = options.other || options.with ? compare(&side) : list(&side.graphs);
    free_side(&side);
    return status;
}
