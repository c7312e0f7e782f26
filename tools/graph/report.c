/* SPDX-License-Identifier: Apache-2.0 */
/* The list of graphs: text of 80 columns, JSON. */
#include <inttypes.h>
#include <string.h>

#include "check/report/site.h"
#include "graph/parts.h"
#include "output/json.h"
#include "output/layout.h"
#include "recording/utf8.h"

/* ---- text ------------------------------------------------------------------------------------ */

/* Time of the critical path by kind of task, longest first. */
static void print_path(const struct graph *graph, FILE *out)
{
    uint64_t times[TWIN_RECORD_KINDS_END] = {0};
    size_t counts[TWIN_RECORD_KINDS_END] = {0};
    const struct graph_task *of[TWIN_RECORD_KINDS_END] = {NULL};
    for (size_t i = 0; i < graph->tasks.count; i++) {
        const struct graph_task *task = &graph->tasks.items[i];
        if (!task->critical)
            continue;
        times[task->kind] += task->path_ns;
        counts[task->kind] += task->path_turns;
        of[task->kind] = task;
    }
    fprintf(out, "  critical path of execution %zu: %zu task%s, %.3f us\n", graph->timed_run + 1,
            graph->critical_count, layout_plural(graph->critical_count),
            (double)(graph->end_ns - graph->begin_ns) / 1e3);
    for (;;) {
        uint32_t most = 0;
        for (uint32_t kind = 1; kind < TWIN_RECORD_KINDS_END; kind++)
            if (of[kind] && (!of[most] || times[kind] > times[most]))
                most = kind;
        if (!of[most])
            return;
        fprintf(out, "    %10.3f us  %zu %s\n", (double)times[most] / 1e3, counts[most],
                graph_kind(of[most], counts[most] != 1));
        of[most] = NULL;
    }
}

static void print_lane(const struct graph *graph, const struct graph_lane *lane,
                       struct check_sites *sites, FILE *out)
{
    char call[CHECK_SITE_CALL];
    char label[64];
    char *names = graph_lane_text(graph, lane);
    char *kinds = graph_kinds_text(graph, lane->first, lane->count);
    char *text = NULL;
    size_t bytes = 0;
    FILE *line = open_memstream(&text, &bytes);
    (void)snprintf(label, sizeof(label), "  %-15.40s %6zu  ", names ? names : "?", lane->count);
    if (line) {
        (void)check_sites_call(sites, graph->streams.items[lane->first_stream].made, call);
        fprintf(line, "%s%s%s%s", lane->is_start ? "start: " : "", kinds ? kinds : "",
                kinds && *kinds && *call ? "; " : "", call);
        if (fclose(line) == 0)
            layout_print(out, GRAPH_COLUMNS, 26, label, text);
    }
    free(text);
    free(kinds);
    free(names);
}

static void print_graph(const struct graphs *graphs, const struct graph *graph,
                        struct check_sites *sites, FILE *out)
{
    char call[CHECK_SITE_CALL];
    const char *part = graph_part(graphs, graph->device);
    uint64_t updates = 0;
    for (size_t i = 0; i < graph->tasks.count; i++)
        updates += graph->tasks.items[i].updates;
    fprintf(out, "\nmodel instance %" PRIu32 ", %s, device %" PRIu32 "%s%s%s\n", graph->number,
            graph->is_captured ? "captured" : "built", graph->device, *part ? " (" : "", part,
            *part ? ")" : "");
    if (*check_sites_call(sites, graph->made, call))
        layout_print(out, GRAPH_COLUMNS, 2, "  ", call);
    fprintf(out, "  %zu task%s, %zu edge%s between streams, ", graph->tasks.count,
            layout_plural(graph->tasks.count), graph->edges.count,
            layout_plural(graph->edges.count));
    if (graph->sealed_seq == 0)
        fprintf(out, "never complete\n");
    else
        fprintf(out, "%zu execution%s\n", graph->runs.count, layout_plural(graph->runs.count));
    if (updates > 0)
        fprintf(out, "  %" PRIu64 " update%s of kernels\n", updates, layout_plural(updates));
    if (graph->lanes.count > 0)
        fprintf(out, "  %-15s %6s  %s\n", "stream", "tasks", "what they do; the call that made it");
    for (size_t i = 0; i < graph->lanes.count; i++)
        print_lane(graph, &graph->lanes.items[i], sites, out);
    if (graph->timed_run != GRAPH_NONE)
        print_path(graph, out);
    else if (graph->runs.count > 0)
        fprintf(out, "  no times of its tasks are in the recording\n");
}

void graph_list_text(const struct graphs *graphs, const struct graph_request *request, FILE *out)
{
    fprintf(out, "%s: %zu model instance%s\n", graphs->path, graphs->list.count,
            layout_plural(graphs->list.count));
    for (size_t i = 0; i < graphs->list.count; i++)
        if (!request->only || request->only == &graphs->list.items[i])
            print_graph(graphs, &graphs->list.items[i], request->sites, out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

void graph_json_call(cJSON *object, struct check_sites *sites, const twin_recording *recording,
                     const twin_op *op)
{
    char name[TWIN_OP_NAME];
    char line[CHECK_SITE_LINE];
    struct check_site site;
    if (op->name == TWIN_OP_NONE)
        return;
    json_add(object, JSON_TEXT("call", twin_op_name(recording, op, name)));
    if (check_sites_look(sites, op, &site))
        json_add(object, JSON_TEXT("site", check_site_text(&site, line)));
}

cJSON *graph_json_task(const struct graph *graph, size_t index)
{
    char text[GRAPH_TASK_TEXT];
    const struct graph_task *task = &graph->tasks.items[index];
    cJSON *object = json_object(JSON_NUMBER("task", index), JSON_NUMBER("lane", task->lane),
                                JSON_NUMBER("stream", graph->streams.items[task->stream].id),
                                JSON_TEXT("kind", graph_kind(task, false)),
                                JSON_TEXT("text", graph_task_text(graph, task, text)),
                                JSON_NUMBER("seq", task->op->begin_seq));
    if (task->bytes != 0)
        json_add(object, JSON_NUMBER("bytes", task->bytes));
    if (task->kind == TWIN_RECORD_WORK_LAUNCH)
        json_add(object, JSON_NUMBER("blocks", task->blocks),
                 JSON_NUMBER("updates", task->updates));
    if (task->args_known)
        json_add(object, JSON_NUMBER("args_bytes", task->args_bytes));
    if (task->turns > 0)
        json_add(object, JSON_NUMBER("begin_ns", task->begin_ns),
                 JSON_NUMBER("end_ns", task->end_ns), JSON_NUMBER("turns", task->turns),
                 JSON_BOOL("critical", task->critical));
    if (task->critical)
        json_add(object, JSON_NUMBER("path_ns", task->path_ns));
    return object;
}

cJSON *graph_json_edge(const struct graph_edge *edge)
{
    return json_object(JSON_NUMBER("from", edge->from), JSON_NUMBER("to", edge->to),
                       JSON_TEXT("kind", edge->activates ? "activation" : "wait"));
}

static cJSON *json_stream(const struct graphs *graphs, const struct graph_stream *stream,
                          const struct graph_lane *lane, struct check_sites *sites)
{
    cJSON *object =
        json_object(JSON_NUMBER("stream", stream->id), JSON_NUMBER("lane", stream->lane),
                    JSON_NUMBER("tasks", stream->count), JSON_BOOL("head", stream->head),
                    JSON_BOOL("start", lane->is_start));
    graph_json_call(object, sites, graphs->recording, stream->made);
    return object;
}

static cJSON *json_graph(const struct graphs *graphs, const struct graph *graph,
                         struct check_sites *sites)
{
    cJSON *streams = cJSON_CreateArray();
    cJSON *tasks = cJSON_CreateArray();
    cJSON *edges = cJSON_CreateArray();
    for (size_t i = 0; i < graph->streams.count; i++) {
        const struct graph_stream *stream = &graph->streams.items[i];
        json_append(streams, json_stream(graphs, stream, &graph->lanes.items[stream->lane], sites));
    }
    for (size_t i = 0; i < graph->tasks.count; i++)
        json_append(tasks, graph_json_task(graph, i));
    for (size_t i = 0; i < graph->edges.count; i++)
        json_append(edges, graph_json_edge(&graph->edges.items[i]));
    cJSON *object = json_object(
        JSON_NUMBER("instance", graph->number), JSON_NUMBER("device", graph->device),
        JSON_BOOL("captured", graph->is_captured), JSON_BOOL("complete", graph->sealed_seq != 0),
        JSON_NUMBER("executions", graph->runs.count), JSON_ITEM("streams", streams),
        JSON_ITEM("tasks", tasks), JSON_ITEM("edges", edges));
    graph_json_call(object, sites, graphs->recording, graph->made);
    if (graph->timed_run != GRAPH_NONE)
        json_add(object, JSON_NUMBER("timed_execution", graph->timed_run + 1),
                 JSON_NUMBER("begin_ns", graph->begin_ns), JSON_NUMBER("end_ns", graph->end_ns));
    return object;
}

bool graph_json_print(const struct graphs *graphs, const char *name, cJSON *list, FILE *out)
{
    char *shown = strdup(graphs->path);
    if (shown)
        utf8_clean(shown);
    const bool good = json_print(
        json_object(JSON_TEXT("recording", shown ? shown : ""), JSON_ITEM(name, list)), out);
    free(shown);
    return good;
}

bool graph_list_json(const struct graphs *graphs, const struct graph_request *request, FILE *out)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < graphs->list.count; i++)
        if (!request->only || request->only == &graphs->list.items[i])
            json_append(list, json_graph(graphs, &graphs->list.items[i], request->sites));
    return graph_json_print(graphs, "instances", list, out);
}
