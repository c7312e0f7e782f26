/* SPDX-License-Identifier: Apache-2.0 */
/* What host threads do: calls, waits in them, doorbells. */
#include "observe/timeline_print.h"
#include "wait/observer.h"

#include <inttypes.h>
#include <string.h>

static const char *const cost_names[TWIN_COST_COUNT] = {
    [TWIN_COST_LOCAL] = "local",   [TWIN_COST_CREATE] = "create", [TWIN_COST_SUBMIT] = "submit",
    [TWIN_COST_POLL] = "poll",     [TWIN_COST_WAIT] = "wait",     [TWIN_COST_COPY] = "copy",
    [TWIN_COST_MEMORY] = "memory", [TWIN_COST_DEVICE] = "device",
};

/* What a host thread waits for, in words and in one. */
static const char *const wait_names[SIM_HOST_CAUSES][2] = {
    [SIM_HOST_QUEUE] = {"waits for work", "work"},
    [SIM_HOST_RING] = {"waits for room in the ring", "ring_full"},
    [SIM_HOST_ID] = {"waits for an event id", "event_id"},
    [SIM_HOST_COPY] = {"waits for its copy", "copy"},
    [SIM_HOST_SHARED] = {"waits for another process", "shared"},
    [SIM_HOST_CALL] = {"waits for a host function", "host_function"},
};

static const char *const wake_names[SIM_WAKE_COUNT] = {
    [SIM_WAKE_STREAM] = "stream", [SIM_WAKE_EVENT] = "event", [SIM_WAKE_POLL] = "poll",
    [SIM_WAKE_COPY] = "copy",     [SIM_WAKE_CALL] = "call",
};

static uint32_t find(const struct printer *printer, const char *begin, const char *middle)
{
    char name[64];
    (void)snprintf(name, sizeof(name), "%s%s_ns", begin, middle);
    for (size_t i = 0; i < printer->parameter_count; i++)
        if (strcmp(twinsim_profile_at(printer->profile, i)->name, name) == 0)
            return (uint32_t)i;
    return UINT32_MAX;
}

void timeline_find_host_parameters(struct printer *printer)
{
    for (int i = 0; i < TWIN_COST_COUNT; i++)
        printer->cost[i] = find(printer, "host.", cost_names[i]);
    for (int i = 0; i < SIM_WAKE_COUNT; i++)
        printer->wake[i] = find(printer, "host.wake.", wake_names[i]);
    printer->doorbell = find(printer, "host.", "doorbell");
}

void timeline_put_call(struct printer *printer, const struct timeline_event *event)
{
    const struct timeline_note *note = &printer->layout->notes->notes[event->index];
    FILE *file = printer->file;
    fputs("{\"ph\":\"X\",\"cat\":\"call\",\"name\":", file);
    timeline_put_text(file, note->call->name);
    fputs(",\"ts\":", file);
    timeline_put_us(file, event->at_ns);
    fputs(",\"dur\":", file);
    timeline_put_us(file, event->length_ns);
    fprintf(file, ",\"pid\":%u,\"tid\":%" PRIu32 ",\"args\":{\"code\":%" PRId32 ",\"cost\":\"%s\"",
            TIMELINE_HOST_PID, event->tid, note->u.code,
            (unsigned)note->call->cost < TWIN_COST_COUNT ? cost_names[note->call->cost] : "");
    if ((unsigned)note->call->cost < TWIN_COST_COUNT)
        timeline_put_parameter(printer, printer->cost[note->call->cost], true);
    fputs("}}", file);
}

void timeline_put_host_wait(struct printer *printer, const struct timeline_event *event)
{
    const struct timeline_layout *layout = printer->layout;
    const struct timeline_note *note = &layout->notes->notes[event->index];
    FILE *file = printer->file;
    bool known = note->cause < SIM_HOST_CAUSES;
    fprintf(file, "{\"ph\":\"X\",\"cat\":\"host wait\",\"name\":\"%s\",\"ts\":",
            known ? wait_names[note->cause][0] : "waits");
    timeline_put_us(file, event->at_ns);
    fputs(",\"dur\":", file);
    timeline_put_us(file, event->length_ns);
    fprintf(file, ",\"pid\":%u,\"tid\":%" PRIu32 ",\"args\":{\"cause\":\"%s\",\"done\":",
            TIMELINE_HOST_PID, event->tid, known ? wait_names[note->cause][1] : "");
    timeline_put_us(file, note->done_ns);
    if (note->number > 0)
        fprintf(file, ",\"number\":%" PRIu64, note->number);
    if (note->cause == SIM_HOST_COPY) {
        fprintf(file, ",\"device\":%" PRIu32, note->u.track);
    } else if (note->u.track < layout->notes->queue_count) {
        const struct timeline_track *track = &layout->tracks[note->u.track];
        fprintf(file, ",\"device\":%" PRIu32 ",\"stream\":%" PRIu32 ",\"track\":%" PRIu32,
                track->device, track->number, track->first_tid);
    }
    if (note->failed)
        fputs(",\"failed\":true", file);
    if (note->wake < SIM_WAKE_COUNT)
        timeline_put_parameter(printer, printer->wake[note->wake], true);
    fputs("}}", file);
}

void timeline_put_bell(struct printer *printer, const struct timeline_event *event)
{
    const struct timeline_bell *bell = &printer->layout->bells[event->index];
    FILE *file = printer->file;
    fputs("{\"ph\":\"X\",\"cat\":\"doorbell\",\"name\":\"doorbell\",\"ts\":", file);
    timeline_put_us(file, event->at_ns);
    fputs(",\"dur\":", file);
    timeline_put_us(file, event->length_ns);
    fprintf(file,
            ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"args\":{\"number\":%" PRIu64 ",\"rung\":",
            event->pid, event->tid, bell->number);
    timeline_put_us(file, bell->rung_ns);
    timeline_put_parameter(printer, printer->doorbell, true);
    fputs("}}", file);
}
