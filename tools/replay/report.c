/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "output/layout.h"
#include "replay/state.h"

static void print_notes(const struct replay *replay, const struct replay_notes *notes,
                        const char *title, size_t most, FILE *to)
{
    if (notes->count == 0)
        return;
    fprintf(to, "\n%s: %" PRIu64 "\n", title, notes->count);
    size_t printed = 0;
    for (; printed < notes->kept && printed < most; printed++) {
        const struct replay_note *note = &notes->list[printed];
        char text[sizeof(note->text) + 32];
        (void)snprintf(text, sizeof(text), "%s", note->text);
        if (note->entry != TWIN_RECORDING_NONE)
            (void)snprintf(text + strlen(text), 32, " (seq %" PRIu64 ")",
                           twin_recording_at(replay->recording, note->entry)->begin_seq);
        layout_item(to, 2, text);
    }
    if (printed < notes->count)
        fprintf(to, "  and %" PRIu64 " more\n", notes->count - printed);
}

static double length_us(const struct replay_span *span)
{
    return (double)(span->last_ns - span->first_ns) / 1000.0;
}

static void print_tasks(const struct replay_report *report, FILE *to)
{
    const struct replay_span *then = &report->recorded;
    const struct replay_span *now = &report->replayed;
    if (!report->timed) {
        fprintf(to,
                "tasks: %" PRIu64 ", over %.3f us; the recording does not say when its own ran\n",
                now->tasks, length_us(now));
        return;
    }
    fprintf(to, "tasks: %" PRIu64, now->tasks);
    if (now->tasks != then->tasks)
        fprintf(to, ", and %" PRIu64 " in the recording", then->tasks);
    if (report->same)
        fprintf(to, ", %" PRIu64 " of them at the recorded times", report->same_tasks);
    char ratio[64] = "", text[256];
    if (!report->same && length_us(then) > 0)
        (void)snprintf(ratio, sizeof(ratio), " (%.3f times as long)",
                       length_us(now) / length_us(then));
    (void)snprintf(text, sizeof(text),
                   "device time from first to last task: %.3f us, recorded: %.3f us%s",
                   length_us(now), length_us(then), ratio);
    fputc('\n', to);
    layout_item(to, 0, text);
}

static void print_limits(const struct replay_report *report, FILE *to)
{
    if (report->sessions > 1)
        fprintf(to, "the device was started %u times; this is the first of them\n",
                report->sessions);
    if (report->same && !report->paced && report->threads > 1)
        layout_item(to, 0,
                    "the recording lacks the order of racing threads (an older version wrote it): "
                    "their tasks may come at other times");
    const struct {
        uint64_t count;
        const char *text, *more;
    } limits[] = {
        {report->open,
         report->open == 1 ? "call had not returned in the recording and is left out"
                           : "calls had not returned in the recording and are left out",
         ""},
        {report->no_contents > 0 || report->effects > 0 ? report->values : 0,
         "ops go by words of device memory, and not all that is copied or computed there is in the "
         "recording: they may go another way",
         report->no_contents > 0 ? " (record with --data)" : ""},
        {report->unknown_kernels,
         "kernels take the time of a launch alone: what their blocks do is not in the recording, "
         "or not for this device",
         ""},
        {report->timed_only,
         report->timed_only == 1
             ? "kernel was only timed in the recording and is only timed here: times are compared, "
               "results of kernels are not"
             : "kernels were only timed in the recording and are only timed here: times are "
               "compared, results of kernels are not",
         ""},
        {report->waited, "waits for room in queues that had room in the recording", ""},
        {report->raised, "clocks of threads were advanced as other threads had advanced them", ""},
        {report->polls,
         "queries of progress, time or space have other answers, as is to be expected of another "
         "device",
         ""},
        {report->clocks, "calls end at another time of the host", ""}};
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        if (limits[i].count > 0) {
            char text[256];
            (void)snprintf(text, sizeof(text), "%" PRIu64 " %s%s", limits[i].count, limits[i].text,
                           limits[i].more);
            layout_item(to, 0, text);
        }
}

void replay_report_text(const struct replay *replay, const char *name, size_t most, FILE *to)
{
    const struct replay_report *report = &replay->report;
    const char *part = "";
    for (size_t i = replay->start; i < replay->stop && part[0] == '\0'; i++) {
        const struct twin_record_entry *entry = twin_recording_at(replay->recording, i);
        if (entry->kind == TWIN_RECORD_PROCESS_DESCRIBE)
            part = twin_recording_text(entry, 0);
    }
    fprintf(to, "recording: %s (%s%s%s)\n", name, replay_backend(replay), part[0] ? " " : "", part);
    char device[sizeof(report->backend) + sizeof(report->part) + sizeof(report->why) + 32];
    (void)snprintf(device, sizeof(device), "device: %s%s%s, %s%s", report->backend,
                   report->part[0] ? " " : "", report->part,
                   report->same ? "the recorded one" : "another: ", report->why);
    layout_item(to, 0, device);
    fprintf(to, "calls: %" PRIu64 " by %u thread%s\n", report->asked, report->threads,
            layout_plural(report->threads));
    print_tasks(report, to);
    print_limits(report, to);
    print_notes(replay, &report->left_out, "left out", most, to);
    print_notes(replay, &report->differences, "answered differently", most, to);
    print_notes(replay, &report->times, "tasks at different times", most, to);
    if (replay_is_same(report))
        fprintf(to, "\nthe same answers%s\n", report->same ? " at the same times" : "");
}
