/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline's text: what the device did. */
#include "observe/timeline_print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "twinsim/stars.h"

static const char *const phase_names[] = {
#define PHASE(phase, name, cause) [TWINSIM_PHASE_##phase] = (name),
#include "twinsim/phases.def"
#undef PHASE
};
_Static_assert(sizeof(phase_names) / sizeof(phase_names[0]) == TWINSIM_PHASE_COUNT,
               "each phase has its row in twinsim/phases.def");

static const char *const flow_names[TIMELINE_FLOWS][2] = {
    [TIMELINE_FLOW_WAKE] = {"wake", "record to wait"},
    [TIMELINE_FLOW_SUBMIT] = {"submit", "call to task"},
    [TIMELINE_FLOW_BELL] = {"doorbell", "doorbell to task"},
    [TIMELINE_FLOW_DATA] = {"data", "work to its reader"},
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

static void put_slice_args(struct printer *printer, const struct timeline_slice *slice)
{
    const struct timeline_layout *layout = printer->layout;
    const struct twinsim_trace_record *record = &layout->records[slice->record];
    const struct timeline_track *track = &layout->tracks[slice->track];
    FILE *file = printer->file;

    fprintf(file, "{\"number\":%" PRIu64 ",\"task\":%u", record->number, (unsigned)record->task_id);
    uint32_t owner = layout->record_track[slice->record];
    if (owner == TIMELINE_NONE)
        fprintf(file, ",\"device\":%u", (unsigned)record->device);
    else
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
    if (record->engine != TWINSIM_ENGINE_NONE && record->engine < TWINSIM_ENGINE_AIC &&
        record->id != TIMELINE_NONE && !id)
        fprintf(file, ",\"engine\":\"%s\",\"channel\":%" PRIu32,
                timeline_engine_name(record->engine), record->id);
    if (record->phase == TWINSIM_PHASE_TASK && record->sqe_type == STARS_SQE_EVENT_RECORD &&
        printer->counter_mhz > 0) {
        fputs(",\"recorded\":", file);
        timeline_put_us(file, sim_ticks_ns(record->end_ns / 1000 * printer->counter_mhz +
                                               record->end_ns % 1000 * printer->counter_mhz / 1000,
                                           printer->counter_mhz));
    }
    uint32_t waker = layout->waker_track[slice->record];
    if (waker != TIMELINE_NONE)
        fprintf(file,
                ",\"waker_device\":%" PRIu32 ",\"waker_stream\":%" PRIu32
                ",\"waker_track\":%" PRIu32 ",\"waker_number\":%" PRIu64,
                layout->tracks[waker].device, layout->tracks[waker].number,
                layout->tracks[waker].first_tid, record->waker_number);
    if (record->phase == TWINSIM_PHASE_TRANSFER && record->route != TIMELINE_NONE) {
        fputs(",\"alone\":", file);
        timeline_put_us(file, twinsim_route_alone_ns(printer->sim, record->route, record->bytes));
    }
    if (track->group == TIMELINE_SLOTS || track->group == TIMELINE_CLASSES)
        fprintf(file, ",\"%s\":%" PRIu32, track->group == TIMELINE_SLOTS ? "slot" : "class",
                track->number);
    if (track->group == TIMELINE_CORES)
        fprintf(file, ",\"core\":%" PRIu32 ",\"block\":%" PRIu32, track->number,
                (uint32_t)record->waker_number);
    timeline_put_parameter(printer, record->parameter,
                           track->group != TIMELINE_ENGINES || owner == TIMELINE_NONE);
    fputc('}', file);
}

static const char *category(const struct twinsim_trace_record *record, enum timeline_group group)
{
    switch (group) {
    case TIMELINE_ENGINES:
        return "engine";
    case TIMELINE_SLOTS:
        return "slot";
    case TIMELINE_CLASSES:
        return "share";
    case TIMELINE_CORES:
        return "core";
    default:
        break;
    }
    switch (record->phase) {
    case TWINSIM_PHASE_TASK:
        return "task";
    case TWINSIM_PHASE_PARK:
    case TWINSIM_PHASE_HOST:
    case TWINSIM_PHASE_HOLD:
        return "wait";
    default:
        return "phase";
    }
}

static void put_slice(struct printer *printer, const struct timeline_event *event)
{
    const struct timeline_layout *layout = printer->layout;
    const struct timeline_slice *slice = &layout->slices[event->index];
    const struct twinsim_trace_record *record = &layout->records[slice->record];
    bool whole = record->phase == TWINSIM_PHASE_TASK;
    const struct timeline_track *track = &layout->tracks[slice->track];
    FILE *file = printer->file;

    fprintf(file, "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"", category(record, track->group));
    if (whole) {
        uint32_t id = id_name(record->sqe_type) ? timeline_slice_id(layout, slice) : TIMELINE_NONE;
        fputs(record->sq == UINT16_MAX ? timeline_engine_name(record->engine)
                                       : type_name(record->sqe_type),
              file);
        if (id != TIMELINE_NONE)
            fprintf(file, " %" PRIu32, id);
    } else if (track->group == TIMELINE_SLOTS || track->group == TIMELINE_CLASSES) {
        const struct timeline_track *owner = &layout->tracks[layout->record_track[slice->record]];
        fprintf(file, "%s %" PRIu32, owner->named ? "stream" : "SQ", owner->number);
    } else if (record->phase == TWINSIM_PHASE_BLOCK) {
        fprintf(file, "block %" PRIu32, (uint32_t)record->waker_number);
    } else {
        fputs(record->phase < TWINSIM_PHASE_COUNT ? phase_names[record->phase] : "phase", file);
    }
    fputs("\",\"ts\":", file);
    timeline_put_us(file, event->at_ns);
    fputs(",\"dur\":", file);
    timeline_put_us(file, event->length_ns);
    fprintf(file,
            ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"args\":", timeline_slice_pid(layout, slice),
            timeline_slice_tid(layout, slice));
    put_slice_args(printer, slice);
    fputc('}', file);
}

static void put_instant(struct printer *printer, const struct timeline_event *event)
{
    const struct twinsim_trace_record *record = &printer->layout->records[event->index];
    FILE *file = printer->file;
    fputs("{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"phase\",\"name\":\"doorbell\",\"ts\":", file);
    timeline_put_us(file, event->at_ns);
    fprintf(file, ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"args\":{\"number\":%" PRIu64,
            event->pid, event->tid, record->number);
    size_t bell = printer->layout->record_bell[event->index];
    uint32_t track = printer->layout->record_track[event->index];
    if (track != TIMELINE_NONE)
        fprintf(file, ",\"track\":%" PRIu32, printer->layout->tracks[track].first_tid);
    if (bell != TIMELINE_NO_BELL) {
        fprintf(file, ",\"thread\":%" PRIu32 ",\"rung\":", printer->layout->bells[bell].thread);
        timeline_put_us(file, printer->layout->bells[bell].rung_ns);
    }
    timeline_put_parameter(printer, printer->doorbell, true);
    fputs("}}", file);
}

static void put_sample(struct printer *printer, const struct timeline_event *event)
{
    const struct timeline_sample *sample = &printer->layout->samples[event->index];
    FILE *file = printer->file;
    struct twinsim_link link = {.name = "link"};
    bool slots = timeline_sample_is_slots(sample);
    if (!slots)
        (void)twinsim_link_at(printer->sim, sample->link, &link);
    fputs("{\"ph\":\"C\",\"cat\":\"curve\",\"name\":", file);
    timeline_put_text(file, slots ? "slots in use" : link.name);
    fputs(",\"ts\":", file);
    timeline_put_us(file, event->at_ns);
    fprintf(file, ",\"pid\":%" PRIu32 ",\"tid\":0,\"args\":{\"%s\":%" PRIu64 "}}", event->pid,
            slots ? "slots" : "bytes_per_s", sample->value);
}

static void put_flow(struct printer *printer, const struct timeline_event *event)
{
    FILE *file = printer->file;
    bool start = event->kind == TIMELINE_FLOW_START;
    fprintf(file, "{\"ph\":\"%s\",\"cat\":\"%s\",\"name\":\"%s\",\"id\":%zu,\"ts\":",
            start ? "s" : "f\",\"bp\":\"e", flow_names[event->flow][0], flow_names[event->flow][1],
            event->index);
    timeline_put_us(file, event->at_ns);
    fprintf(file, ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 "}", event->pid, event->tid);
}

static void put_events(struct printer *printer)
{
    const struct timeline_layout *layout = printer->layout;
    for (size_t i = 0; i < layout->event_count; i++) {
        const struct timeline_event *event = &layout->events[i];
        timeline_next_line(printer);
        switch (event->kind) {
        case TIMELINE_SLICE:
            put_slice(printer, event);
            break;
        case TIMELINE_CALL:
            timeline_put_call(printer, event);
            break;
        case TIMELINE_HOST_WAIT:
            timeline_put_host_wait(printer, event);
            break;
        case TIMELINE_BELL:
            timeline_put_bell(printer, event);
            break;
        case TIMELINE_SAMPLE:
            put_sample(printer, event);
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

int timeline_draw(FILE *file, const struct timeline_notes *notes, const twinsim *sim,
                  const twinsim_profile *profile)
{
    struct timeline_layout layout;
    struct printer printer = {.file = file,
                              .layout = &layout,
                              .profile = profile,
                              .sim = sim,
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
    timeline_find_host_parameters(&printer);
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", file);
    timeline_put_rows(&printer);
    put_events(&printer);
    fputs("\n],\"otherData\":{\"generator\":\"twinrt\",\"version\":2,\"clock\":\"simulated device "
          "time\"",
          file);
    if (notes->dropped > 0)
        fprintf(file, ",\"dropped\":%" PRIu64, notes->dropped);
    fputs(",\"links\":[", file);
    timeline_put_links(&printer);
    fputs("\n],\"parameters\":[", file);
    timeline_put_parameters(&printer);
    fputs("\n]}}\n", file);
    if (ferror(file))
        error = -EIO;
    free(printer.uses);

free_layout:
    timeline_layout_free(&layout);
    return error;
}
