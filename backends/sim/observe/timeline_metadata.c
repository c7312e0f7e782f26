/* SPDX-License-Identifier: Apache-2.0 */
/* Names of processes and tracks, and the lists at the end of the file. */
#include "observe/observe.h"
#include "observe/timeline_print.h"

#include <assert.h>
#include <string.h>

static const char *const group_names[TIMELINE_GROUPS] = {
    [TIMELINE_STREAMS] = "streams", [TIMELINE_DOORBELLS] = "doorbells",
    [TIMELINE_SLOTS] = "slots",     [TIMELINE_CLASSES] = "class shares",
    [TIMELINE_ENGINES] = "engines", [TIMELINE_CORES] = "AI cores",
    [TIMELINE_CURVES] = "links",
};

const char *const sim_class_names[TWINSIM_CLASS_COUNT] = {
    [TWINSIM_CLASS_SDMA] = "SDMA",          [TWINSIM_CLASS_PCIE_DMA] = "PCIe DMA",
    [TWINSIM_CLASS_COND] = "condition",     [TWINSIM_CLASS_CPU_TOPIC] = "host call",
    [TWINSIM_CLASS_AIC] = "cube kernel",    [TWINSIM_CLASS_AIV] = "vector kernel",
    [TWINSIM_CLASS_MIXED] = "mixed kernel",
};
static_assert(TWINSIM_CLASS_COUNT == 7, "each class has its name");

static const char *const pipe_names[TWIN_PIPE_COUNT] = {
    [TWIN_PIPE_SCALAR] = "scalar", [TWIN_PIPE_VECTOR] = "vector", [TWIN_PIPE_CUBE] = "cube",
    [TWIN_PIPE_MTE1] = "MTE1",     [TWIN_PIPE_MTE2] = "MTE2",     [TWIN_PIPE_MTE3] = "MTE3",
    [TWIN_PIPE_FIX] = "FIX",
};

const char *timeline_engine_name(uint8_t engine)
{
    static const char *const names[] = {
        [TWINSIM_ENGINE_NONE] = "engine",       [TWINSIM_ENGINE_SDMA] = "SDMA",
        [TWINSIM_ENGINE_PCIE_DMA] = "PCIe DMA", [TWINSIM_ENGINE_HOST_DMA] = "host DMA",
        [TWINSIM_ENGINE_AIC] = "AIC",           [TWINSIM_ENGINE_AIV] = "AIV",
    };
    return names[engine < sizeof(names) / sizeof(names[0]) ? engine : TWINSIM_ENGINE_NONE];
}

static void put_value(struct printer *printer, const struct twinsim_parameter *parameter)
{
    timeline_put_text(printer, ",\"value\":\"", parameter->text);
    timeline_put_text(printer, ",\"unit\":\"", parameter->unit);
    timeline_put_text(printer, ",\"mark\":\"", parameter->mark);
}

void timeline_put_parameter(struct printer *printer, uint32_t index, bool counted)
{
    const struct twinsim_parameter *parameter =
        index < printer->parameter_count ? twinsim_profile_at(printer->profile, index) : NULL;
    if (!parameter)
        return;
    if (counted)
        printer->uses[index]++;
    timeline_put_text(printer, ",\"parameter\":\"", parameter->name);
    put_value(printer, parameter);
}

static void put_row(struct printer *printer, const char *kind, uint32_t pid, uint32_t tid,
                    const char *name, uint32_t order)
{
    timeline_next_line(printer);
    timeline_print(printer,
                   "{\"ph\":\"M\",\"name\":\"%s_name\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
                   ",\"args\":{",
                   kind, pid, tid);
    timeline_put_text(printer, "\"name\":\"", name);
    timeline_print(printer, "}}");
    timeline_next_line(printer);
    timeline_print(printer,
                   "{\"ph\":\"M\",\"name\":\"%s_sort_index\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
                   ",\"args\":{\"sort_index\":%" PRIu32 "}}",
                   kind, pid, tid, order);
}

static void name_track(const struct timeline_track *track, char *name, size_t bytes)
{
    switch (track->group) {
    case TIMELINE_SLOTS:
        (void)snprintf(name, bytes, "slot %" PRIu32, track->number);
        return;
    case TIMELINE_CLASSES:
        (void)snprintf(name, bytes, "%s",
                       track->number < TWINSIM_CLASS_COUNT ? sim_class_names[track->number]
                                                           : "class");
        return;
    case TIMELINE_ENGINES:
        if (track->number == TIMELINE_WAITS)
            (void)snprintf(name, bytes, "%s waits", timeline_engine_name(track->engine_kind));
        else
            (void)snprintf(name, bytes, "%s channel %" PRIu32,
                           timeline_engine_name(track->engine_kind), track->number);
        return;
    case TIMELINE_CORES:
        (void)snprintf(name, bytes, "%s %" PRIu32 "%s%s", timeline_engine_name(track->engine_kind),
                       track->number, track->part > 0 ? " " : "",
                       track->part == 0                 ? ""
                       : track->part <= TWIN_PIPE_COUNT ? pipe_names[track->part - 1]
                                                        : "pipe");
        return;
    default:
        (void)snprintf(name, bytes, "%s %" PRIu32, track->named ? "stream" : "SQ", track->number);
        return;
    }
}

static void put_track_rows(struct printer *printer, const struct timeline_track *track)
{
    char name[96];
    for (uint32_t lane = 0; lane < (track->lanes ? track->lanes : 1); lane++) {
        name_track(track, name, sizeof(name));
        size_t used = strlen(name);
        if (lane > 0)
            (void)snprintf(name + used, sizeof(name) - used, " (%" PRIu32 ")", lane + 1);
        uint32_t tid = track->first_tid + lane;
        put_row(printer, "thread", TIMELINE_PID(track->device, track->group), tid, name,
                track->group == TIMELINE_STREAMS ? tid : track->number * 16 + track->part);
    }
}

static void put_process(struct printer *printer, bool *seen, uint32_t device,
                        enum timeline_group group)
{
    char name[64];
    bool *done = &seen[(device & UINT8_MAX) * TIMELINE_GROUPS + (uint32_t)group];
    if (*done)
        return;
    *done = true;
    (void)snprintf(name, sizeof(name), "device %" PRIu32 " %s", device, group_names[group]);
    put_row(printer, "process", TIMELINE_PID(device, group), 0, name, TIMELINE_PID(device, group));
}

void timeline_put_rows(struct printer *printer)
{
    const struct timeline_layout *layout = printer->layout;
    const struct timeline_notes *notes = layout->notes;
    char name[96];

    put_row(printer, "process", TIMELINE_HOST_PID, 0, "host threads", 0);
    for (size_t i = 0; i < notes->note_count; i++) {
        uint32_t thread = notes->notes[i].thread;
        if (i > 0 && notes->notes[i - 1].thread == thread)
            continue;
        /* from 1, as in recordings */
        (void)snprintf(name, sizeof(name), "thread %" PRIu32, thread + 1);
        put_row(printer, "thread", TIMELINE_HOST_PID, thread + 1, name, thread);
    }
    bool seen[(UINT8_MAX + 1) * TIMELINE_GROUPS] = {false};
    for (size_t i = 0; i < layout->track_count; i++) {
        put_process(printer, seen, layout->tracks[i].device, layout->tracks[i].group);
        put_track_rows(printer, &layout->tracks[i]);
    }
    for (size_t i = 0; i < layout->doorbell_count; i++) {
        const struct timeline_track *track = &layout->tracks[layout->doorbells[i].track];
        if (i > 0 && layout->doorbells[i - 1].track == layout->doorbells[i].track)
            continue;
        put_process(printer, seen, track->device, TIMELINE_DOORBELLS);
        name_track(track, name, sizeof(name));
        put_row(printer, "thread", TIMELINE_PID(track->device, TIMELINE_DOORBELLS),
                track->first_tid, name, track->first_tid);
    }
    for (size_t i = 0; i < layout->sample_count; i++)
        put_process(printer, seen, layout->samples[i].device, TIMELINE_CURVES);
}

void timeline_put_links(struct printer *printer)
{
    const struct timeline_layout *layout = printer->layout;
    printer->first = true;
    for (size_t i = 0; i < layout->sample_count; i++) {
        struct twinsim_link link;
        if ((i > 0 && layout->samples[i - 1].link == layout->samples[i].link &&
             layout->samples[i - 1].device == layout->samples[i].device) ||
            timeline_sample_is_slots(&layout->samples[i]) ||
            twinsim_link_at(printer->sim, layout->samples[i].link, &link) != TWINSIM_OK)
            continue;
        timeline_next_line(printer);
        timeline_print(printer, "{\"device\":%" PRIu32 ",\"bytes_per_s\":%" PRIu64, link.device,
                       link.bytes_per_s);
        timeline_put_text(printer, ",\"name\":\"", link.name);
        timeline_put_parameter(printer, link.parameter, false);
        timeline_print(printer, "}");
    }
}

/* The parameters of the phases above, each once. */
void timeline_put_parameters(struct printer *printer)
{
    printer->first = true;
    for (size_t i = 0; i < printer->parameter_count; i++) {
        const struct twinsim_parameter *parameter = twinsim_profile_at(printer->profile, i);
        if (!parameter || printer->uses[i] == 0)
            continue;
        timeline_next_line(printer);
        timeline_put_text(printer, "{\"name\":\"", parameter->name);
        put_value(printer, parameter);
        timeline_put_text(printer, ",\"source\":\"", parameter->source);
        timeline_print(printer, ",\"uses\":%" PRIu64 "}", printer->uses[i]);
    }
}
