/* SPDX-License-Identifier: Apache-2.0 */
#include "trace_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cjson/cJSON.h>

static int read_all(const char *path, char **out_text, size_t *out_bytes, char *error,
                    size_t error_bytes)
{
    FILE *file = fopen(path, "re");
    struct stat info;
    char *text = NULL;
    if (!file || fstat(fileno(file), &info) != 0) {
        (void)snprintf(error, error_bytes, "%s: %s", path, strerror(errno));
        goto close_file;
    }
    if (!S_ISREG(info.st_mode)) {
        (void)snprintf(error, error_bytes, "%s: not a file", path);
        goto close_file;
    }
    size_t bytes = (size_t)info.st_size;
    text = malloc(bytes + 1);
    if (!text || fread(text, 1, bytes, file) != bytes) {
        (void)snprintf(error, error_bytes, "%s: cannot be read", path);
        free(text);
        text = NULL;
        goto close_file;
    }
    text[bytes] = '\0';
    *out_text = text;
    *out_bytes = bytes;

close_file:
    if (file)
        (void)fclose(file);
    return text ? 0 : -1;
}

/* Times are microseconds with three decimals; a double holds them exactly enough for 50 days. */
static bool get_ns(const cJSON *object, const char *key, uint64_t *out_ns)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsNumber(item) || item->valuedouble < 0 || item->valuedouble > 4.5e12)
        return false;
    *out_ns = (uint64_t)llround(item->valuedouble * 1000.0);
    return true;
}

static bool get_number(const cJSON *object, const char *key, uint64_t *out_number)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsNumber(item) || item->valuedouble < 0 || item->valuedouble > 9e15)
        return false;
    *out_number = (uint64_t)item->valuedouble;
    return true;
}

static bool get_u32(const cJSON *object, const char *key, uint32_t *out_number)
{
    uint64_t number;
    if (!get_number(object, key, &number) || number > UINT32_MAX)
        return false;
    *out_number = (uint32_t)number;
    return true;
}

static const char *get_text(const cJSON *object, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

/* False: the event is no task and no phase of a stream. */
static bool read_slice(const cJSON *event, struct trace_slice *out)
{
    const char *phase = get_text(event, "ph");
    const char *category = get_text(event, "cat");
    const cJSON *args = cJSON_GetObjectItemCaseSensitive(event, "args");
    uint64_t length_ns;
    if (!phase || strcmp(phase, "X") != 0 || !category || !args)
        return false;

    memset(out, 0, sizeof(*out));
    if (strcmp(category, "task") == 0)
        out->kind = TRACE_TASK;
    else if (strcmp(category, "phase") == 0)
        out->kind = TRACE_PHASE;
    else if (strcmp(category, "wait") == 0)
        out->kind = TRACE_WAIT;
    else
        return false;
    out->name = get_text(event, "name");
    if (!out->name || !get_ns(event, "ts", &out->begin_ns) || !get_ns(event, "dur", &length_ns) ||
        !get_number(args, "number", &out->number) || !get_u32(args, "track", &out->track) ||
        !get_u32(args, "device", &out->device) || !get_u32(args, "stream", &out->stream))
        return false;
    out->end_ns = out->begin_ns + length_ns;
    (void)get_number(args, "bytes", &out->bytes);
    out->recorded = get_ns(args, "recorded", &out->recorded_ns);
    out->parameter = get_text(args, "parameter");
    out->value = get_text(args, "value");
    out->unit = get_text(args, "unit");
    out->mark = get_text(args, "mark");
    out->woken = get_u32(args, "waker_track", &out->waker_track) &&
                 get_u32(args, "waker_stream", &out->waker_stream) &&
                 get_number(args, "waker_number", &out->waker_number);
    return true;
}

static int compare(const void *left, const void *right)
{
    const struct trace_slice *a = left;
    const struct trace_slice *b = right;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns ? -1 : 1;
    if (a->end_ns != b->end_ns)
        return a->end_ns > b->end_ns ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int compare_numbers(const struct trace_slice *a, uint32_t track, uint64_t number)
{
    if (a->track != track)
        return a->track < track ? -1 : 1;
    return a->number < number ? -1 : a->number > number;
}

static int compare_tasks(const void *left, const void *right)
{
    const struct trace_slice *b = *(const struct trace_slice *const *)right;
    return compare_numbers(*(const struct trace_slice *const *)left, b->track, b->number);
}

const struct trace_slice *trace_file_task(const struct trace_file *file, uint32_t track,
                                          uint64_t number)
{
    size_t low = 0;
    size_t high = file->task_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_numbers(file->tasks[middle], track, number);
        if (order == 0)
            return file->tasks[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

int trace_file_load(const char *path, struct trace_file *out, char *error, size_t error_bytes)
{
    char *text = NULL;
    size_t bytes = 0;
    if (read_all(path, &text, &bytes, error, error_bytes) != 0)
        return -1;
    cJSON *document = cJSON_ParseWithLength(text, bytes + 1);
    free(text);
    const cJSON *events = cJSON_GetObjectItemCaseSensitive(document, "traceEvents");
    if (!cJSON_IsArray(events)) {
        (void)snprintf(error, error_bytes, "%s: not a timeline", path);
        cJSON_Delete(document);
        return -1;
    }
    size_t room = (size_t)cJSON_GetArraySize(events) + 1;
    struct trace_slice *slices = calloc(room, sizeof(*slices));
    const struct trace_slice **tasks = calloc(room, sizeof(const struct trace_slice *));
    if (!slices || !tasks) {
        free(slices);
        free(tasks);
        (void)snprintf(error, error_bytes, "%s: too large for this host's memory", path);
        cJSON_Delete(document);
        return -1;
    }
    size_t count = 0;
    const cJSON *event;
    cJSON_ArrayForEach(event, events)
    {
        if (read_slice(event, &slices[count]))
            count++;
    }
    qsort(slices, count, sizeof(*slices), compare);
    size_t task_count = 0;
    for (size_t i = 0; i < count; i++)
        if (slices[i].kind == TRACE_TASK)
            tasks[task_count++] = &slices[i];
    qsort(tasks, task_count, sizeof(const struct trace_slice *), compare_tasks);
    *out = (struct trace_file){.slices = slices,
                               .count = count,
                               .tasks = tasks,
                               .task_count = task_count,
                               .document = document};
    return 0;
}

void trace_file_free(struct trace_file *file)
{
    free(file->slices);
    free(file->tasks);
    cJSON_Delete(file->document);
    memset(file, 0, sizeof(*file));
}
