/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks, lanes and devices in words. */
#include <inttypes.h>
#include <string.h>

#include "graph/parts.h"
#include "output/layout.h"
#include "recording/utf8.h"

static const char *const kinds[TWIN_RECORD_KINDS_END][2] = {
    [TWIN_RECORD_WORK_COPY] = {"copy", "copies"},
    [TWIN_RECORD_WORK_FILL] = {"fill", "fills"},
    [TWIN_RECORD_WORK_REDUCE] = {"reduction", "reductions"},
    [TWIN_RECORD_WORK_COPY_ROWS] = {"copy of rows", "copies of rows"},
    [TWIN_RECORD_WORK_COPY_BASED] = {"copy with offsets", "copies with offsets"},
    [TWIN_RECORD_WORK_DESCRIBED] = {"work by descriptor", "works by descriptor"},
    [TWIN_RECORD_WORK_MAINTAIN] = {"cache maintenance", "cache maintenances"},
    [TWIN_RECORD_WORK_RANDOM] = {"random numbers", "random numbers"},
    [TWIN_RECORD_WORK_LAUNCH] = {"kernel", "kernels"},
    [TWIN_RECORD_WORK_CALL] = {"host function", "host functions"},
    [TWIN_RECORD_WORK_RECORD] = {"record", "records"},
    [TWIN_RECORD_WORK_WAIT] = {"wait", "waits"},
    [TWIN_RECORD_WORK_RESET] = {"reset", "resets"},
    [TWIN_RECORD_WORK_WRITE_VALUE] = {"value write", "value writes"},
    [TWIN_RECORD_WORK_WAIT_VALUE] = {"value wait", "value waits"},
    [TWIN_RECORD_WORK_COUNT] = {"count", "counts"},
    [TWIN_RECORD_WORK_WAIT_COUNT] = {"count wait", "count waits"},
    [TWIN_RECORD_WORK_ACTIVATE] = {"activation", "activations"},
    [TWIN_RECORD_WORK_BRANCH] = {"switch", "switches"},
    [TWIN_RECORD_WORK_LABEL] = {"label", "labels"},
    [TWIN_RECORD_WORK_JUMP] = {"jump", "jumps"},
    [TWIN_RECORD_WORK_END] = {"end", "ends"},
};

static const char *kind_word(uint32_t kind, bool plural)
{
    const char *word = kind < TWIN_RECORD_KINDS_END ? kinds[kind][plural] : NULL;
    return word ? word : plural ? "other tasks" : "other task";
}

const char *graph_kind(const struct graph_task *task, bool plural)
{
    return kind_word(task->kind, plural);
}

static const char *direction(const struct graph_task *task)
{
    static const char *const words[3][3] = {
        [GRAPH_HOST] = {[GRAPH_HOST] = " in host memory", [GRAPH_DEVICE] = " host to device"},
        [GRAPH_DEVICE] = {[GRAPH_HOST] = " device to host", [GRAPH_DEVICE] = " on the device"},
    };
    const char *word = words[task->from][task->to];
    return word ? word : "";
}

const char *graph_task_text(const struct graph *graph, const struct graph_task *task,
                            char text[GRAPH_TASK_TEXT])
{
    char bytes[LAYOUT_BYTES];
    const size_t other = graph_stream_of(graph, task->other);
    const char *kind = graph_kind(task, false);
    if (task->kind == TWIN_RECORD_WORK_LAUNCH) {
        (void)snprintf(text, GRAPH_TASK_TEXT, "%.200s, %" PRIu32 " block%s",
                       task->name[0] ? task->name : kind, task->blocks,
                       layout_plural(task->blocks));
        utf8_clean(text);
    } else if (task->other != 0 && other != GRAPH_NONE) {
        (void)snprintf(text, GRAPH_TASK_TEXT, "%s stream %" PRIu32,
                       task->kind == TWIN_RECORD_WORK_ACTIVATE ? "activate" : "switch to",
                       graph->streams.items[other].id);
    } else if (task->bytes != 0) {
        (void)snprintf(text, GRAPH_TASK_TEXT, "%s %s%s", kind, layout_bytes(task->bytes, bytes),
                       direction(task));
    } else {
        (void)snprintf(text, GRAPH_TASK_TEXT, "%s", kind);
    }
    return text;
}

char *graph_kinds_text(const struct graph *graph, size_t first, size_t count)
{
    size_t found[TWIN_RECORD_KINDS_END] = {0};
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    for (size_t i = 0; i < count; i++)
        found[graph->tasks.items[first + i].kind]++;
    for (bool begun = false;; begun = true) {
        uint32_t most = 0;
        for (uint32_t kind = 1; kind < TWIN_RECORD_KINDS_END; kind++)
            if (found[kind] > found[most])
                most = kind;
        if (found[most] == 0)
            break;
        fprintf(out, "%s%zu %s", begun ? ", " : "", found[most], kind_word(most, found[most] != 1));
        found[most] = 0;
    }
    return fclose(out) == 0 ? text : NULL;
}

char *graph_lane_text(const struct graph *graph, const struct graph_lane *lane)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    const uint32_t shown = lane->stream_count > 3 ? 2 : lane->stream_count;
    for (uint32_t i = 0; i < shown; i++)
        fprintf(out, "%s%" PRIu32, i > 0 ? ", " : "",
                graph->streams.items[lane->first_stream + i].id);
    if (shown < lane->stream_count)
        fprintf(out, " and %" PRIu32 " more", lane->stream_count - shown);
    return fclose(out) == 0 ? text : NULL;
}

const char *graph_part(const struct graphs *graphs, uint32_t device)
{
    for (size_t i = 0; i < twin_recording_count(graphs->recording); i++) {
        const struct twin_record_entry *entry = twin_recording_at(graphs->recording, i);
        struct twin_record_PROCESS_DESCRIBE f;
        if (TWIN_RECORDING_GET(entry, PROCESS_DESCRIBE, &f) && f.device == device &&
            twin_recording_succeeded(entry))
            return twin_recording_text(entry, 0);
    }
    return "";
}

bool graph_is_same_task(const struct graph_task *a, const struct graph_task *b)
{
    return a->kind == b->kind && strcmp(a->name, b->name) == 0 && a->bytes == b->bytes &&
           a->blocks == b->blocks && a->from == b->from && a->to == b->to &&
           a->args_known == b->args_known && a->args_bytes == b->args_bytes;
}
