/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline's text: what the device did. */
#include "observe/timeline_print.h"

#include <errno.h>
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
    [TIMELINE_FLOW_DOORBELL] = {"doorbell", "doorbell to task"},
    [TIMELINE_FLOW_DATA] = {"data", "work to its reader"},
};

static const char *type_name(uint8_t type)
{
    static const char *const names[STARS_SQE_INVALID] = {
        [STARS_SQE_AICORE] = "AI core",
        [STARS_SQE_AICPU] = "call host",
        [STARS_SQE_PLACEHOLDER] = "placeholder",
        [STARS_SQE_EVENT_RECORD] = "record event",
        [STARS_SQE_EVENT_WAIT] = "wait event",
        [STARS_SQE_NOTIFY_RECORD] = "record notify",
        [STARS_SQE_NOTIFY_WAIT] = "wait notify",
        [STARS_SQE_WRITE_VALUE] = "write value",
        [STARS_SQE_SDMA] = "SDMA",
        [STARS_SQE_DSA] = "random numbers",
        [STARS_SQE_PCIE_DMA] = "PCIe DMA",
        [STARS_SQE_COND] = "condition",
    };
    return type < STARS_SQE_INVALID && names[type] ? names[type] : "unknown entry";
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
    const struct twinsim_trace_entry *entry = &layout->entries[slice->entry];
    const struct timeline_track *track = &layout->tracks[slice->track];

    timeline_print(printer, "\"number\":%" PRIu64 ",\"task\":%u", entry->number,
                   (unsigned)entry->task_id);
    uint32_t owner = layout->entry_track[slice->entry];
    if (owner == TIMELINE_NONE)
        timeline_print(printer, ",\"device\":%u", (unsigned)entry->device);
    else
        timeline_print(printer,
                       ",\"device\":%" PRIu32 ",\"stream\":%" PRIu32 ",\"track\":%" PRIu32
                       ",\"sq\":%u",
                       layout->tracks[owner].device, layout->tracks[owner].number,
                       layout->tracks[owner].first_tid, (unsigned)entry->sq);
    const char *id = id_name(entry->sqe_type);
    uint32_t id_number = id ? timeline_slice_id(layout, slice) : TIMELINE_NONE;
    if (id_number != TIMELINE_NONE)
        timeline_print(printer, ",\"%s\":%" PRIu32, id, id_number);
    if (entry->bytes > 0)
        timeline_print(printer, ",\"bytes\":%" PRIu64, entry->bytes);
    if (entry->engine != TWINSIM_ENGINE_NONE && entry->engine < TWINSIM_ENGINE_AIC &&
        entry->id != TIMELINE_NONE && !id)
        timeline_print(printer, ",\"engine\":\"%s\",\"channel\":%" PRIu32,
                       timeline_engine_name(entry->engine), entry->id);
    if (entry->phase == TWINSIM_PHASE_TASK && entry->sqe_type == STARS_SQE_EVENT_RECORD &&
        printer->counter_mhz > 0) {
        const uint64_t ticks = entry->end_ns / 1000 * printer->counter_mhz +
                               entry->end_ns % 1000 * printer->counter_mhz / 1000;
        const uint64_t ns = sim_ticks_ns(ticks, printer->counter_mhz);
        timeline_print(printer, ",\"recorded\":" TIMELINE_US, TIMELINE_US_OF(ns));
    }
    uint32_t waker = layout->waker_track[slice->entry];
    if (waker != TIMELINE_NONE)
        timeline_print(printer,
                       ",\"waker_device\":%" PRIu32 ",\"waker_stream\":%" PRIu32
                       ",\"waker_track\":%" PRIu32 ",\"waker_number\":%" PRIu64,
                       layout->tracks[waker].device, layout->tracks[waker].number,
                       layout->tracks[waker].first_tid, entry->waker_number);
    if (entry->phase == TWINSIM_PHASE_TRANSFER && entry->route != TIMELINE_NONE) {
        const uint64_t ns = twinsim_route_alone_ns(printer->sim, entry->route, entry->bytes);
        timeline_print(printer, ",\"alone\":" TIMELINE_US, TIMELINE_US_OF(ns));
    }
    if (track->group == TIMELINE_SLOTS || track->group == TIMELINE_CLASSES)
        timeline_print(printer, ",\"%s\":%" PRIu32,
                       track->group == TIMELINE_SLOTS ? "slot" : "class", track->number);
    if (track->group == TIMELINE_CORES)
        timeline_print(printer, ",\"core\":%" PRIu32 ",\"block\":%" PRIu32, track->number,
                       (uint32_t)entry->waker_number);
    timeline_put_parameter(printer, entry->parameter,
                           track->group != TIMELINE_ENGINES || owner == TIMELINE_NONE);
    timeline_print(printer, "}}");
}

static const char *category(const struct twinsim_trace_entry *entry, enum timeline_group group)
{
    static const char *const of_group[TIMELINE_GROUPS] = {[TIMELINE_ENGINES] = "engine",
                                                          [TIMELINE_SLOTS] = "slot",
                                                          [TIMELINE_CLASSES] = "share",
                                                          [TIMELINE_CORES] = "core"};
    if (of_group[group])
        return of_group[group];
    switch (entry->phase) {
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
    const struct twinsim_trace_entry *entry = &layout->entries[slice->entry];
    const struct timeline_track *track = &layout->tracks[slice->track];
    const char *noun = "phase";
    uint32_t number = TIMELINE_NONE;
    if (entry->phase == TWINSIM_PHASE_TASK) {
        noun = entry->sq == UINT16_MAX ? timeline_engine_name(entry->engine)
                                       : type_name(entry->sqe_type);
        if (id_name(entry->sqe_type))
            number = timeline_slice_id(layout, slice);
    } else if (track->group == TIMELINE_SLOTS || track->group == TIMELINE_CLASSES) {
        const struct timeline_track *owner = &layout->tracks[layout->entry_track[slice->entry]];
        noun = owner->named ? "stream" : "SQ";
        number = owner->number;
    } else if (entry->phase == TWINSIM_PHASE_BLOCK) {
        noun = "block";
        number = (uint32_t)entry->waker_number;
    } else if (entry->phase < TWINSIM_PHASE_COUNT) {
        noun = phase_names[entry->phase];
    }
    timeline_begin_slice(printer, category(entry, track->group), noun, number, event,
                         timeline_place_of(layout, slice));
    put_slice_args(printer, slice);
}

static void put_instant(struct printer *printer, const struct timeline_event *event)
{
    const struct twinsim_trace_entry *entry = &printer->layout->entries[event->index];
    timeline_print(
        printer,
        "{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"phase\",\"name\":\"doorbell\",\"ts\":" TIMELINE_US
        ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"args\":{\"number\":%" PRIu64,
        TIMELINE_US_OF(event->at_ns), event->pid, event->tid, entry->number);
    size_t doorbell = printer->layout->entry_doorbell[event->index];
    uint32_t track = printer->layout->entry_track[event->index];
    if (track != TIMELINE_NONE)
        timeline_print(printer, ",\"track\":%" PRIu32, printer->layout->tracks[track].first_tid);
    if (doorbell != TIMELINE_NO_DOORBELL)
        timeline_print(printer, ",\"thread\":%" PRIu32 ",\"rung\":" TIMELINE_US,
                       printer->layout->doorbells[doorbell].thread,
                       TIMELINE_US_OF(printer->layout->doorbells[doorbell].rung_ns));
    timeline_put_parameter(printer, printer->doorbell, true);
    timeline_print(printer, "}}");
}

static void put_sample(struct printer *printer, const struct timeline_event *event)
{
    const struct timeline_sample *sample = &printer->layout->samples[event->index];
    struct twinsim_link link = {.name = "link"};
    bool slots = timeline_sample_is_slots(sample);
    if (!slots)
        (void)twinsim_link_at(printer->sim, sample->link, &link);
    timeline_put_text(printer, "{\"ph\":\"C\",\"cat\":\"curve\",\"name\":\"",
                      slots ? "slots in use" : link.name);
    timeline_print(
        printer,
        ",\"ts\":" TIMELINE_US ",\"pid\":%" PRIu32 ",\"tid\":0,\"args\":{\"%s\":%" PRIu64 "}}",
        TIMELINE_US_OF(event->at_ns), event->pid, slots ? "slots" : "bytes_per_s", sample->value);
}

static void put_flow(struct printer *printer, const struct timeline_event *event)
{
    bool start = event->kind == TIMELINE_FLOW_START;
    timeline_print(printer,
                   "{\"ph\":\"%s\",\"cat\":\"%s\",\"name\":\"%s\",\"id\":%zu,\"ts\":" TIMELINE_US
                   ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 "}",
                   start ? "s" : "f\",\"bp\":\"e", flow_names[event->flow][0],
                   flow_names[event->flow][1], event->index, TIMELINE_US_OF(event->at_ns),
                   event->pid, event->tid);
}

static void (*const put_event[])(struct printer *printer, const struct timeline_event *event) = {
    [TIMELINE_SLICE] = put_slice,
    [TIMELINE_CALL] = timeline_put_call,
    [TIMELINE_HOST_WAIT] = timeline_put_host_wait,
    [TIMELINE_DOORBELL] = timeline_put_doorbell,
    [TIMELINE_SAMPLE] = put_sample,
    [TIMELINE_INSTANT] = put_instant,
    [TIMELINE_FLOW_START] = put_flow,
    [TIMELINE_FLOW_END] = put_flow,
};

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
    timeline_print(&printer, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    timeline_put_rows(&printer);
    for (size_t i = 0; i < layout.event_count; i++) {
        timeline_next_line(&printer);
        put_event[layout.events[i].kind](&printer, &layout.events[i]);
    }
    timeline_print(
        &printer,
        "\n],\"otherData\":{\"generator\":\"twinrt\",\"version\":2,\"clock\":\"simulated device "
        "time\"");
    if (notes->dropped > 0)
        timeline_print(&printer, ",\"dropped\":%" PRIu64, notes->dropped);
    timeline_print(&printer, ",\"links\":[");
    timeline_put_links(&printer);
    timeline_print(&printer, "\n],\"parameters\":[");
    timeline_put_parameters(&printer);
    timeline_print(&printer, "\n]}}\n");
    timeline_flush(&printer);
    error = printer.error;
    free(printer.uses);

free_layout:
    timeline_layout_free(&layout);
    return error;
}
