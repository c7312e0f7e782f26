/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a laid-out timeline in the trace event format: JSON, times in microseconds with three
 * decimals, so a nanosecond is exact. */
#include "timeline_layout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "twinsim/stars.h"

static const char *const phase_names[TWINSIM_PHASE_COUNT] = {
    [TWINSIM_PHASE_DOORBELL] = "doorbell",
    [TWINSIM_PHASE_SWAP_IN] = "swap in",
    [TWINSIM_PHASE_FETCH] = "fetch",
    [TWINSIM_PHASE_DECODE] = "decode",
    [TWINSIM_PHASE_TABLE] = "table",
    [TWINSIM_PHASE_PARK] = "park",
    [TWINSIM_PHASE_SLOT] = "slot",
    [TWINSIM_PHASE_ENGINE] = "engine",
    [TWINSIM_PHASE_SETUP] = "setup",
    [TWINSIM_PHASE_TRANSFER] = "transfer",
    [TWINSIM_PHASE_PROGRAM] = "program",
    [TWINSIM_PHASE_RETIRE] = "retire",
    [TWINSIM_PHASE_TASK] = "task",
    [TWINSIM_PHASE_MESSAGE] = "message",
    [TWINSIM_PHASE_HOST] = "waits for the host",
    [TWINSIM_PHASE_KERNEL] = "kernel",
    [TWINSIM_PHASE_BLOCK] = "block",
    [TWINSIM_PHASE_START] = "start",
    [TWINSIM_PHASE_PIPE] = "pipe",
    [TWINSIM_PHASE_REPORT] = "report",
    [TWINSIM_PHASE_HOLD] = "held",
    [TWINSIM_PHASE_OCCUPY] = "slot",
    [TWINSIM_PHASE_SHARE] = "share",
    [TWINSIM_PHASE_LINK] = "link",
};

static const char *const cost_names[TWIN_COST_COUNT] = {
    [TWIN_COST_LOCAL] = "local",   [TWIN_COST_CREATE] = "create", [TWIN_COST_SUBMIT] = "submit",
    [TWIN_COST_POLL] = "poll",     [TWIN_COST_WAIT] = "wait",     [TWIN_COST_COPY] = "copy",
    [TWIN_COST_MEMORY] = "memory", [TWIN_COST_DEVICE] = "device",
};

struct printer {
    FILE *file;
    const struct timeline_layout *layout;
    const twinsim_profile *profile;
    uint64_t *uses;       /* of each parameter */
    uint64_t counter_mhz; /* of the counter that event times are read from */
    size_t parameter_count;
    bool first; /* no element of the present list is printed yet */
};

static const char *type_name(uint8_t type)
{
    switch (type) {
    case STARS_SQE_AICORE:
        return "AI core";
    case STARS_SQE_AICPU:
        return "call host";
    case STARS_SQE_PLACEHOLDER:
        return "placeholder";
    case STARS_SQE_EVENT_RECORD:
        return "record event";
    case STARS_SQE_EVENT_WAIT:
        return "wait event";
    case STARS_SQE_NOTIFY_RECORD:
        return "record notify";
    case STARS_SQE_NOTIFY_WAIT:
        return "wait notify";
    case STARS_SQE_WRITE_VALUE:
        return "write value";
    case STARS_SQE_SDMA:
        return "SDMA";
    case STARS_SQE_PCIE_DMA:
        return "PCIe DMA";
    case STARS_SQE_COND:
        return "condition";
    default:
        return "unknown entry";
    }
}

/* What the id of such an SQE counts; NULL when it has none. */
static const char *id_name(uint8_t type)
{
    switch (type) {
    case STARS_SQE_EVENT_RECORD:
    case STARS_SQE_EVENT_WAIT:
        return "event";
    case STARS_SQE_NOTIFY_RECORD:
    case STARS_SQE_NOTIFY_WAIT:
        return "notify";
    default:
        return NULL;
    }
}

static const char *engine_name(uint8_t engine)
{
    switch (engine) {
    case TWINSIM_ENGINE_SDMA:
        return "SDMA";
    case TWINSIM_ENGINE_PCIE_DMA:
        return "PCIe DMA";
    case TWINSIM_ENGINE_HOST_DMA:
        return "host DMA";
    case TWINSIM_ENGINE_AIC:
        return "AIC";
    case TWINSIM_ENGINE_AIV:
        return "AIV";
    default:
        return "engine";
    }
}

static void put_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\')
            fprintf(file, "\\%c", *p);
        else if (*p < 0x20)
            fprintf(file, "\\u%04x", *p);
        else
            fputc(*p, file);
    }
    fputc('"', file);
}

static void put_us(FILE *file, uint64_t ns)
{
    fprintf(file, "%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
}

static void next_line(struct printer *printer)
{
    fputs(printer->first ? "\n" : ",\n", printer->file);
    printer->first = false;
}

static void put_row(struct printer *printer, const char *kind, uint32_t pid, uint32_t tid,
                    const char *name, uint32_t order)
{
    next_line(printer);
    fprintf(printer->file,
            "{\"ph\":\"M\",\"name\":\"%s_name\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
            ",\"args\":{\"name\":",
            kind, pid, tid);
    put_text(printer->file, name);
    fputs("}}", printer->file);
    next_line(printer);
    fprintf(printer->file,
            "{\"ph\":\"M\",\"name\":\"%s_sort_index\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
            ",\"args\":{\"sort_index\":%" PRIu32 "}}",
            kind, pid, tid, order);
}

static void put_track_rows(struct printer *printer, const struct timeline_track *track)
{
    char name[96];
    for (uint32_t lane = 0; lane < (track->lanes ? track->lanes : 1); lane++) {
        int used;
        if (track->engine)
            used = snprintf(name, sizeof(name), "%s channel %" PRIu32,
                            engine_name(track->engine_kind), track->number);
        else
            used = snprintf(name, sizeof(name), "%s %" PRIu32, track->named ? "stream" : "SQ",
                            track->number);
        if (lane > 0 && used > 0 && (size_t)used < sizeof(name))
            (void)snprintf(name + used, sizeof(name) - (size_t)used, " (%" PRIu32 ")", lane + 1);
        const struct timeline_slice place = {.track = (uint32_t)(track - printer->layout->tracks),
                                             .lane = lane};
        put_row(printer, "thread", timeline_slice_pid(printer->layout, &place),
                timeline_slice_tid(printer->layout, &place), name,
                timeline_slice_tid(printer->layout, &place));
    }
}

static void put_rows(struct printer *printer)
{
    const struct timeline_layout *layout = printer->layout;
    const struct timeline_notes *notes = layout->notes;
    char name[64];

    put_row(printer, "process", TIMELINE_HOST_PID, 0, "host threads", 0);
    for (size_t i = 0; i < notes->note_count; i++) {
        uint32_t thread = notes->notes[i].thread;
        if (i > 0 && notes->notes[i - 1].thread == thread)
            continue;
        (void)snprintf(name, sizeof(name), "thread %" PRIu32, thread);
        put_row(printer, "thread", TIMELINE_HOST_PID, thread + 1, name, thread);
    }
    bool seen[2][UINT8_MAX + 1] = {{false}};
    for (size_t i = 0; i < layout->track_count; i++) {
        const struct timeline_track *track = &layout->tracks[i];
        uint32_t pid = timeline_slice_pid(layout, &(struct timeline_slice){.track = (uint32_t)i});
        bool *done = &seen[track->engine][track->device & UINT8_MAX];
        if (!*done) {
            (void)snprintf(name, sizeof(name), "device %" PRIu32 " %s", track->device,
                           track->engine ? "engines" : "streams");
            put_row(printer, "process", pid, 0, name, pid);
            *done = true;
        }
        put_track_rows(printer, track);
    }
}

static void put_parameter(struct printer *printer, uint32_t index, bool counted)
{
    const struct twinsim_parameter *parameter =
        index < printer->parameter_count ? twinsim_profile_at(printer->profile, index) : NULL;
    if (!parameter)
        return;
    if (counted)
        printer->uses[index]++;
    fputs(",\"parameter\":", printer->file);
    put_text(printer->file, parameter->name);
    fputs(",\"value\":", printer->file);
    put_text(printer->file, parameter->text);
    fputs(",\"unit\":", printer->file);
    put_text(printer->file, parameter->unit);
    fputs(",\"mark\":", printer->file);
    put_text(printer->file, parameter->mark);
}

static void put_slice_args(struct printer *printer, const struct timeline_slice *slice)
{
    const struct timeline_layout *layout = printer->layout;
    const struct twinsim_trace_record *record = &layout->records[slice->record];
    const struct timeline_track *track = &layout->tracks[slice->track];
    FILE *file = printer->file;

    fprintf(file, "{\"number\":%" PRIu64 ",\"task\":%u", record->number, (unsigned)record->task_id);
    uint32_t owner = layout->record_track[slice->record];
    if (owner != TIMELINE_NONE)
        fprintf(file,
                ",\"device\":%" PRIu32 ",\"stream\":%" PRIu32 ",\"track\":%" PRIu32 ",\"sq\":%u",
                layout->tracks[owner].device, layout->tracks[owner].number,
                layout->tracks[owner].first_tid, (unsigned)record->sq);
    const char *id = id_name(record->sqe_type);
    uint32_t id_number = id ? timeline_slice_id(layout, slice) : TIMELINE_NONE;
    if (id_number != TIMELINE_NONE)
        fprintf(file, ",\"%s\":%" PRIu32, id, id_number);
    if (record->bytes > 0)
        fprintf(file, ",\"bytes\":%" PRIu64, record->bytes);
    if (record->engine != TWINSIM_ENGINE_NONE && record->id != TIMELINE_NONE && !id)
        fprintf(file, ",\"engine\":\"%s\",\"channel\":%" PRIu32, engine_name(record->engine),
                record->id);
    if (record->phase == TWINSIM_PHASE_TASK && record->sqe_type == STARS_SQE_EVENT_RECORD &&
        printer->counter_mhz > 0) {
        fputs(",\"recorded\":", file);
        put_us(file, record->end_ns * printer->counter_mhz / 1000 * 1000 / printer->counter_mhz);
    }
    uint32_t waker = layout->waker_track[slice->record];
    if (waker != TIMELINE_NONE)
        fprintf(
            file,
            ",\"waker_stream\":%" PRIu32 ",\"waker_track\":%" PRIu32 ",\"waker_number\":%" PRIu64,
            layout->tracks[waker].number, layout->tracks[waker].first_tid, record->waker_number);
    put_parameter(printer, record->parameter, !track->engine || owner == TIMELINE_NONE);
    fputc('}', file);
}

static void put_slice(struct printer *printer, const struct timeline_event *event)
{
    const struct timeline_layout *layout = printer->layout;
    const struct timeline_slice *slice = &layout->slices[event->index];
    const struct twinsim_trace_record *record = &layout->records[slice->record];
    bool whole = record->phase == TWINSIM_PHASE_TASK;
    bool on_engine = layout->tracks[slice->track].engine;
    FILE *file = printer->file;

    fprintf(file, "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"",
            whole                                                                        ? "task"
            : on_engine                                                                  ? "engine"
            : record->phase == TWINSIM_PHASE_PARK || record->phase == TWINSIM_PHASE_HOST ? "wait"
                                                                                         : "phase");
    if (whole) {
        uint32_t id = id_name(record->sqe_type) ? timeline_slice_id(layout, slice) : TIMELINE_NONE;
        fputs(record->sq == UINT16_MAX ? engine_name(record->engine) : type_name(record->sqe_type),
              file);
        if (id != TIMELINE_NONE)
            fprintf(file, " %" PRIu32, id);
    } else {
        fputs(record->phase < TWINSIM_PHASE_COUNT ? phase_names[record->phase] : "phase", file);
    }
    fputs("\",\"ts\":", file);
    put_us(file, event->at_ns);
    fputs(",\"dur\":", file);
    put_us(file, event->length_ns);
    fprintf(file,
            ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"args\":", timeline_slice_pid(layout, slice),
            timeline_slice_tid(layout, slice));
    put_slice_args(printer, slice);
    fputc('}', file);
}

static void put_call(struct printer *printer, const struct timeline_event *event)
{
    const struct timeline_note *note = &printer->layout->notes->notes[event->index];
    FILE *file = printer->file;
    fputs("{\"ph\":\"X\",\"cat\":\"call\",\"name\":", file);
    put_text(file, note->call->name);
    fputs(",\"ts\":", file);
    put_us(file, event->at_ns);
    fputs(",\"dur\":", file);
    put_us(file, event->length_ns);
    fprintf(file,
            ",\"pid\":%u,\"tid\":%" PRIu32 ",\"args\":{\"code\":%" PRId32 ",\"cost\":\"%s\"}}",
            TIMELINE_HOST_PID, event->tid, note->u.code,
            (unsigned)note->call->cost < TWIN_COST_COUNT ? cost_names[note->call->cost] : "");
}

static void put_instant(struct printer *printer, const struct timeline_event *event)
{
    const struct twinsim_trace_record *record = &printer->layout->records[event->index];
    FILE *file = printer->file;
    fputs("{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"phase\",\"name\":\"doorbell\",\"ts\":", file);
    put_us(file, event->at_ns);
    fprintf(file, ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"args\":{\"number\":%" PRIu64,
            event->pid, event->tid, record->number);
    put_parameter(printer, record->parameter, true);
    fputs("}}", file);
}

static void put_flow(struct printer *printer, const struct timeline_event *event)
{
    FILE *file = printer->file;
    bool start = event->kind == TIMELINE_FLOW_START;
    fprintf(file, "{\"ph\":\"%s\",\"cat\":\"%s\",\"name\":\"%s\",\"id\":%zu,\"ts\":",
            start ? "s" : "f\",\"bp\":\"e", event->wake ? "wake" : "submit",
            event->wake ? "record to wait" : "call to task", event->index);
    put_us(file, event->at_ns);
    fprintf(file, ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 "}", event->pid, event->tid);
}

static void put_events(struct printer *printer)
{
    const struct timeline_layout *layout = printer->layout;
    for (size_t i = 0; i < layout->event_count; i++) {
        const struct timeline_event *event = &layout->events[i];
        next_line(printer);
        switch (event->kind) {
        case TIMELINE_SLICE:
            put_slice(printer, event);
            break;
        case TIMELINE_CALL:
            put_call(printer, event);
            break;
        case TIMELINE_INSTANT:
            put_instant(printer, event);
            break;
        case TIMELINE_FLOW_START:
        case TIMELINE_FLOW_END:
            put_flow(printer, event);
            break;
        }
    }
}

/* The parameters behind the phases above, each once. */
static void put_parameters(struct printer *printer)
{
    FILE *file = printer->file;
    printer->first = true;
    for (size_t i = 0; i < printer->parameter_count; i++) {
        const struct twinsim_parameter *parameter = twinsim_profile_at(printer->profile, i);
        if (!parameter || printer->uses[i] == 0)
            continue;
        next_line(printer);
        fputs("{\"name\":", file);
        put_text(file, parameter->name);
        fputs(",\"value\":", file);
        put_text(file, parameter->text);
        fputs(",\"unit\":", file);
        put_text(file, parameter->unit);
        fputs(",\"mark\":", file);
        put_text(file, parameter->mark);
        fputs(",\"source\":", file);
        put_text(file, parameter->source);
        fprintf(file, ",\"uses\":%" PRIu64 "}", printer->uses[i]);
    }
}

int timeline_draw(FILE *file, const struct timeline_notes *notes, const twinsim *sim,
                  const twinsim_profile *profile)
{
    struct timeline_layout layout;
    struct printer printer = {.file = file,
                              .layout = &layout,
                              .profile = profile,
                              .parameter_count = profile ? twinsim_profile_count(profile) : 0,
                              .first = true};
    const struct twinsim_parameter *counter =
        profile ? twinsim_profile_find(profile, "counter_mhz") : NULL;
    if (counter)
        printer.counter_mhz = counter->number;
    int error = timeline_layout_make(&layout, notes, sim);
    if (error)
        goto free_layout;
    printer.uses = calloc(printer.parameter_count + 1, sizeof(*printer.uses));
    if (!printer.uses) {
        error = -ENOMEM;
        goto free_layout;
    }
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", file);
    put_rows(&printer);
    put_events(&printer);
    fputs("\n],\"otherData\":{\"generator\":\"twinrt\",\"clock\":\"simulated device time\"", file);
    if (notes->dropped > 0)
        fprintf(file, ",\"dropped\":%" PRIu64, notes->dropped);
    fputs(",\"parameters\":[", file);
    put_parameters(&printer);
    fputs("\n]}}\n", file);
    if (ferror(file))
        error = -EIO;
    free(printer.uses);

free_layout:
    timeline_layout_free(&layout);
    return error;
}
