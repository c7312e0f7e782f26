/* SPDX-License-Identifier: Apache-2.0 */
#include "trace_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/json.h"
#include "recording/containers.h"
#include "twinsim.h"

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

static uint32_t unit_of(const cJSON *args)
{
    static const char *const engines[] = {"", "SDMA", "PCIe DMA", "host DMA"};
    const char *name = get_text(args, "engine");
    uint32_t channel;
    for (uint32_t i = 1; name && i < sizeof(engines) / sizeof(engines[0]); i++)
        if (strcmp(engines[i], name) == 0 && get_u32(args, "channel", &channel))
            return i << 16 | channel;
    return UINT32_MAX;
}

static bool read_kind(const cJSON *event, enum trace_kind *out)
{
    static const struct {
        const char *category;
        enum trace_kind kind;
    } kinds[] = {
        {"task", TRACE_TASK}, {"phase", TRACE_PHASE},         {"wait", TRACE_WAIT},
        {"slot", TRACE_SLOT}, {"share", TRACE_SHARE},         {"engine", TRACE_DMA},
        {"call", TRACE_CALL}, {"host wait", TRACE_HOST_WAIT},
    };
    const char *phase = get_text(event, "ph");
    const char *category = get_text(event, "cat");
    const char *name = get_text(event, "name");
    if (!phase || !category || !name)
        return false;
    if (strcmp(phase, "i") == 0) {
        *out = TRACE_DOORBELL;
        return strcmp(name, "doorbell") == 0;
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        *out = kinds[i].kind;
        if (strcmp(phase, "X") == 0 && strcmp(kinds[i].category, category) == 0)
            return true;
    }
    return false;
}

static bool read_ids(const cJSON *event, const cJSON *args, struct trace_slice *out)
{
    out->of_stream =
        get_number(args, "number", &out->number) && get_u32(args, "track", &out->track);
    bool known = get_u32(args, "device", &out->device);
    bool stream = get_u32(args, "stream", &out->stream);
    out->unit = 0;
    switch (out->kind) {
    case TRACE_TASK:
    case TRACE_PHASE:
    case TRACE_WAIT:
        out->unit = unit_of(args);
        return out->of_stream && known && stream;
    case TRACE_SLOT:
        return out->of_stream && known;
    case TRACE_SHARE:
        return out->of_stream && known && get_u32(args, "class", &out->unit);
    case TRACE_DMA:
    case TRACE_TRANSFER:
        out->unit = unit_of(args);
        return known && out->unit != UINT32_MAX;
    case TRACE_DOORBELL:
        out->rung = get_ns(args, "rung", &out->rung_ns) && get_u32(args, "thread", &out->thread);
        return out->of_stream;
    case TRACE_HOST_WAIT:
        out->cause = get_text(args, "cause");
        out->failed = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(args, "failed"));
        return out->cause && get_ns(args, "done", &out->done_ns) &&
               get_u32(event, "tid", &out->unit);
    case TRACE_CALL:
        return get_u32(event, "tid", &out->unit);
    }
    return false;
}

/* The first of its name: SLOT, where OCCUPY has the same. */
static uint32_t phase_of(const char *name)
{
    static const char *const names[TWINSIM_PHASE_COUNT] = {
#define PHASE(phase, name, cause) [TWINSIM_PHASE_##phase] = (name),
#include "twinsim/phases.def"
#undef PHASE
    };
    uint32_t phase = 0;
    while (phase < TWINSIM_PHASE_COUNT && strcmp(names[phase], name) != 0)
        phase++;
    return phase;
}

static void read_resource(struct trace_slice *out)
{
    static const struct {
        const char *parameter;
        uint32_t resource;
        uint32_t share;
    } rows[] = {
#define UNITS(resource, parameter) {(parameter), TWINSIM_RESOURCE_##resource, 0},
#define SHARES(share, parameter)   {(parameter), TWINSIM_RESOURCE_CLASS, TWINSIM_CLASS_##share},
#include "twinsim/resources.def"
    };
    out->resource = TWINSIM_RESOURCE_COUNT;
    for (size_t i = 0; out->parameter && i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].parameter, out->parameter) == 0) {
            out->resource = rows[i].resource;
            out->share = rows[i].share;
            return;
        }
}

/* False: the event is of no interest. */
static bool read_slice(const cJSON *event, struct trace_slice *out)
{
    const cJSON *args = cJSON_GetObjectItemCaseSensitive(event, "args");
    uint64_t length_ns = 0;
    memset(out, 0, sizeof(*out));
    if (!args || !read_kind(event, &out->kind))
        return false;
    out->name = get_text(event, "name");
    out->phase = phase_of(out->name);
    if (!get_ns(event, "ts", &out->begin_ns) ||
        (out->kind != TRACE_DOORBELL && !get_ns(event, "dur", &length_ns)) ||
        !read_ids(event, args, out))
        return false;
    out->end_ns = out->begin_ns + length_ns;
    (void)get_number(args, "bytes", &out->bytes);
    (void)get_ns(args, "alone", &out->alone_ns);
    out->recorded = get_ns(args, "recorded", &out->recorded_ns);
    out->parameter = get_text(args, "parameter");
    read_resource(out);
    out->value = get_text(args, "value");
    out->unit_name = get_text(args, "unit");
    out->mark = get_text(args, "mark");
    out->woken = get_u32(args, "waker_track", &out->waker_track) &&
                 get_u32(args, "waker_stream", &out->waker_stream) &&
                 get_number(args, "waker_number", &out->waker_number);
    if (!get_u32(args, "waker_device", &out->waker_device))
        out->waker_device = out->device; /* of an older timeline */
    return true;
}

static int compare(const void *left, const void *right)
{
    const struct trace_slice *a = left;
    const struct trace_slice *b = right;
    const int places = ORDER_2(a->track, b->track, a->begin_ns, b->begin_ns);
    return places != 0 ? places
                       : ORDER_3(b->end_ns, a->end_ns, a->kind, b->kind, a->number, b->number);
}

static int compare_numbers(const struct trace_slice *a, uint32_t track, uint64_t number)
{
    return ORDER_2(a->track, track, a->number, number);
}

static int compare_tasks(const void *left, const void *right)
{
    const struct trace_slice *b = *(const struct trace_slice *const *)right;
    return compare_numbers(*(const struct trace_slice *const *)left, b->track, b->number);
}

const struct trace_slice *trace_file_task(const struct trace_file *file, uint32_t track,
                                          uint64_t number)
{
    const size_t at = PARTITION_POINT(file->task_count, middle,
                                      compare_numbers(file->tasks[middle], track, number) < 0);
    return at < file->task_count && compare_numbers(file->tasks[at], track, number) == 0
               ? file->tasks[at]
               : NULL;
}

static int compare_phases(const void *left, const void *right)
{
    const struct trace_slice *a = *(const struct trace_slice *const *)left;
    const struct trace_slice *b = *(const struct trace_slice *const *)right;
    return ORDER_3(a->track, b->track, a->number, b->number, a->begin_ns, b->begin_ns);
}

static int compare_others(const void *left, const void *right)
{
    const struct trace_slice *a = left;
    const struct trace_slice *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->kind == TRACE_DOORBELL)
        return compare_numbers(a, b->track, b->number);
    if (a->device != b->device && a->kind < TRACE_DOORBELL)
        return a->device < b->device ? -1 : 1;
    if (a->kind == TRACE_TRANSFER && a->number != b->number)
        return a->number < b->number ? -1 : 1;
    if (a->unit != b->unit && a->kind != TRACE_TRANSFER)
        return a->unit < b->unit ? -1 : 1;
    if (a->kind >= TRACE_CALL && a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns ? -1 : 1;
    return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

const struct trace_slice *const *trace_file_phases(const struct trace_file *file, uint32_t track,
                                                   uint64_t number, size_t *out_count)
{
    const size_t low = PARTITION_POINT(file->phase_count, middle,
                                       compare_numbers(file->phases[middle], track, number) < 0);
    size_t count = 0;
    while (low + count < file->phase_count &&
           compare_numbers(file->phases[low + count], track, number) == 0)
        count++;
    *out_count = count;
    return &file->phases[low];
}

/* The last of `others` that comes before the key or is equal to it, if it is of the same kind. */
static const struct trace_slice *last_until(const struct trace_file *file,
                                            const struct trace_slice *key)
{
    const size_t count =
        PARTITION_POINT(file->other_count, middle, compare_others(&file->others[middle], key) <= 0);
    return count > 0 && file->others[count - 1].kind == key->kind ? &file->others[count - 1] : NULL;
}

const struct trace_slice *trace_file_ended(const struct trace_file *file, enum trace_kind kind,
                                           uint32_t device, uint32_t unit, uint64_t until_ns)
{
    const struct trace_slice key = {
        .kind = kind, .device = device, .unit = unit, .end_ns = until_ns};
    const struct trace_slice *found = last_until(file, &key);
    return found && found->device == device && found->unit == unit ? found : NULL;
}

const struct trace_slice *trace_file_doorbell(const struct trace_file *file, uint32_t track,
                                              uint64_t number)
{
    const struct trace_slice key = {.kind = TRACE_DOORBELL, .track = track, .number = number};
    const struct trace_slice *found = last_until(file, &key);
    return found && found->track == track && found->number == number ? found : NULL;
}

const char *trace_file_us(uint64_t ns, char text[TRACE_US_TEXT])
{
    (void)snprintf(text, TRACE_US_TEXT, "%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
    return text;
}

const char *trace_file_stream(const struct trace_file *file, const struct trace_slice *slice,
                              char text[TRACE_STREAM_TEXT])
{
    if (file->many_devices)
        (void)snprintf(text, TRACE_STREAM_TEXT, "device %" PRIu32 ", stream %" PRIu32,
                       slice->device, slice->stream);
    else
        (void)snprintf(text, TRACE_STREAM_TEXT, "stream %" PRIu32, slice->stream);
    return text;
}

int trace_file_load(const char *path, struct trace_file *out, char *error, size_t error_bytes)
{
    cJSON *document = json_file_read(path);
    const cJSON *events = cJSON_GetObjectItemCaseSensitive(document, "traceEvents");
    if (!cJSON_IsArray(events)) {
        (void)snprintf(error, error_bytes, "%s: %s", path,
                       errno != 0 ? strerror(errno) : "not a timeline");
        cJSON_Delete(document);
        return -1;
    }
    size_t room = (size_t)cJSON_GetArraySize(events) + 1;
    struct trace_slice *slices = calloc(room, sizeof(*slices));
    struct trace_slice *others = calloc(2 * room, sizeof(*others));
    const struct trace_slice **tasks = calloc(room, sizeof(const struct trace_slice *));
    const struct trace_slice **phases = calloc(room, sizeof(const struct trace_slice *));
    *out = (struct trace_file){
        .slices = slices, .tasks = tasks, .phases = phases, .others = others, .document = document};
    if (!slices || !tasks || !phases || !others) {
        trace_file_free(out);
        (void)snprintf(error, error_bytes, "%s: too large for this host's memory", path);
        return -1;
    }
    uint32_t first_device = UINT32_MAX;
    const cJSON *event;
    cJSON_ArrayForEach(event, events)
    {
        struct trace_slice slice;
        if (!read_slice(event, &slice))
            continue;
        if (slice.kind <= TRACE_TRANSFER) {
            if (first_device == UINT32_MAX)
                first_device = slice.device;
            out->many_devices |= slice.device != first_device;
        }
        if (slice.kind <= TRACE_WAIT) {
            slices[out->count++] = slice;
            continue;
        }
        bool waits = slice.kind == TRACE_DMA && slice.resource == TWINSIM_RESOURCE_HOST_DMA;
        if (!waits)
            others[out->other_count++] = slice;
        if (slice.kind == TRACE_DMA && slice.unit >> 16 == TRACE_HOST_DMA) {
            slice.kind = TRACE_TRANSFER;
            others[out->other_count++] = slice;
        }
    }
    qsort(slices, out->count, sizeof(*slices), compare);
    qsort(others, out->other_count, sizeof(*others), compare_others);
    for (size_t i = 0; i < out->count; i++) {
        if (slices[i].kind == TRACE_TASK)
            tasks[out->task_count++] = &slices[i];
        else
            phases[out->phase_count++] = &slices[i];
    }
    qsort(tasks, out->task_count, sizeof(const struct trace_slice *), compare_tasks);
    qsort(phases, out->phase_count, sizeof(const struct trace_slice *), compare_phases);
    return 0;
}

void trace_file_free(struct trace_file *file)
{
    free(file->slices);
    free(file->tasks);
    free(file->phases);
    free(file->others);
    cJSON_Delete(file->document);
    memset(file, 0, sizeof(*file));
}
