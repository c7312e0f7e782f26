/* SPDX-License-Identifier: Apache-2.0 */
/* What host threads do: calls, waits in them, doorbells. */
#include "observe/observe.h"
#include "observe/timeline_print.h"

#include <string.h>

static const char *const cost_names[TWIN_COST_COUNT] = {
    [TWIN_COST_LOCAL] = "local",       [TWIN_COST_CREATE] = "create", [TWIN_COST_SUBMIT] = "submit",
    [TWIN_COST_POLL] = "poll",         [TWIN_COST_WAIT] = "wait",     [TWIN_COST_COPY] = "copy",
    [TWIN_COST_MEMORY] = "memory",     [TWIN_COST_DEVICE] = "device", [TWIN_COST_LAUNCH] = "launch",
    [TWIN_COST_TRANSFER] = "transfer",
};

static const char *const wait_names[SIM_HOST_CAUSES] = {
    [SIM_HOST_QUEUE] = "waits for work",
    [SIM_HOST_RING] = "waits for room in the ring",
    [SIM_HOST_ID] = "waits for an event id",
    [SIM_HOST_COPY] = "waits for its copy",
    [SIM_HOST_SHARED] = "waits for another process",
    [SIM_HOST_CALL] = "waits for a host function",
};

const char *const sim_host_cause_names[SIM_HOST_CAUSES] = {
    [SIM_HOST_QUEUE] = "work", [SIM_HOST_RING] = "ring_full", [SIM_HOST_ID] = "event_id",
    [SIM_HOST_COPY] = "copy",  [SIM_HOST_SHARED] = "shared",  [SIM_HOST_CALL] = "host_function",
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

static struct timeline_place host_place(const struct timeline_event *event)
{
    return (struct timeline_place){.pid = TIMELINE_HOST_PID, .tid = event->tid};
}

void timeline_put_call(struct printer *printer, const struct timeline_event *event)
{
    const struct timeline_note *note = &printer->layout->notes->notes[event->index];
    const unsigned cost = note->call->cost;
    timeline_begin_slice(printer, "call", note->call->name, TIMELINE_NONE, event,
                         host_place(event));
    timeline_print(printer, "\"code\":%" PRId32 ",\"cost\":\"%s\"", note->u.code,
                   cost < TWIN_COST_COUNT ? cost_names[cost] : "");
    if (cost < TWIN_COST_COUNT)
        timeline_put_parameter(printer, printer->cost[cost], true);
    timeline_print(printer, "}}");
}

void timeline_put_host_wait(struct printer *printer, const struct timeline_event *event)
{
    const struct timeline_layout *layout = printer->layout;
    const struct timeline_note *note = &layout->notes->notes[event->index];
    bool known = note->cause < SIM_HOST_CAUSES;
    timeline_begin_slice(printer, "host wait", known ? wait_names[note->cause] : "waits",
                         TIMELINE_NONE, event, host_place(event));
    timeline_print(printer, "\"cause\":\"%s\",\"done\":" TIMELINE_US,
                   known ? sim_host_cause_names[note->cause] : "", TIMELINE_US_OF(note->done_ns));
    if (note->number > 0)
        timeline_print(printer, ",\"number\":%" PRIu64, note->number);
    if (note->cause == SIM_HOST_COPY) {
        timeline_print(printer, ",\"device\":%" PRIu32, note->u.track);
    } else if (note->u.track < layout->notes->queue_count) {
        const struct timeline_track *track = &layout->tracks[note->u.track];
        timeline_print(printer, ",\"device\":%" PRIu32 ",\"stream\":%" PRIu32 ",\"track\":%" PRIu32,
                       track->device, track->number, track->first_tid);
    }
    if (note->failed)
        timeline_print(printer, ",\"failed\":true");
    if (note->wake < SIM_WAKE_COUNT)
        timeline_put_parameter(printer, printer->wake[note->wake], true);
    timeline_print(printer, "}}");
}

void timeline_put_doorbell(struct printer *printer, const struct timeline_event *event)
{
    const struct timeline_doorbell *doorbell = &printer->layout->doorbells[event->index];
    timeline_begin_slice(printer, "doorbell", "doorbell", TIMELINE_NONE, event,
                         (struct timeline_place){.pid = event->pid, .tid = event->tid});
    timeline_print(printer, "\"number\":%" PRIu64 ",\"rung\":" TIMELINE_US, doorbell->number,
                   TIMELINE_US_OF(doorbell->rung_ns));
    timeline_put_parameter(printer, printer->doorbell, true);
    timeline_print(printer, "}}");
}
