/* SPDX-License-Identifier: Apache-2.0 */
/* What `twinrt run --explain` prints. All times are the device's, simulated. */
#include "tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "explain_waits.h"
#include "marks.h"
#include "sync_breakdown.h"
#include "trace_file.h"

#define TASKS_SHOWN  40 /* of one stream */
#define EVENTS_SHOWN 40

static void print_tasks(const struct trace_file *file)
{
    uint32_t track = 0;
    size_t shown = 0;
    size_t left_out = 0;
    unsigned life = 1; /* of a stream number: it is given again after a destroy */
    char begin[TRACE_US_TEXT], end[TRACE_US_TEXT], took[TRACE_US_TEXT];

    printf("Tasks in the order of each stream (device time, us)\n");
    for (size_t i = 0; i < file->task_count; i++) {
        const struct trace_slice *task = file->tasks[i];
        if (i == 0 || task->track != track) {
            if (left_out > 0)
                printf("  and %zu more\n", left_out);
            shown = left_out = 0;
            track = task->track;
            const struct trace_slice *last = i > 0 ? file->tasks[i - 1] : NULL;
            const bool again = last && last->device == task->device && last->stream == task->stream;
            life = again ? life + 1 : 1;
            printf(" device %" PRIu32 ", stream %" PRIu32, task->device, task->stream);
            if (life > 1)
                printf(" (%u)", life); /* as in the timeline */
            fputc('\n', stdout);
            printf("   task %14s %14s %12s\n", "begins", "ends", "takes");
        }
        if (shown == TASKS_SHOWN) {
            left_out++;
            continue;
        }
        shown++;
        printf("   %4" PRIu64 " %14s %14s %12s  %s", task->number,
               trace_file_us(task->begin_ns, begin), trace_file_us(task->end_ns, end),
               trace_file_us(task->end_ns - task->begin_ns, took), task->name);
        if (task->bytes > 0)
            printf(", %" PRIu64 " bytes", task->bytes);
        fputc('\n', stdout);
    }
    if (left_out > 0)
        printf("  and %zu more\n", left_out);
    if (file->task_count == 0)
        printf(" none: no stream did any work\n");
}

/* Records in the order of their times: of all that are left, the earliest next. */
static const struct trace_slice *next_record(const struct trace_file *file,
                                             const struct trace_slice *after)
{
    const struct trace_slice *best = NULL;
    for (size_t i = 0; i < file->task_count; i++) {
        const struct trace_slice *task = file->tasks[i];
        if (!task->recorded)
            continue;
        if (after && (task->recorded_ns < after->recorded_ns ||
                      (task->recorded_ns == after->recorded_ns && task <= after)))
            continue;
        if (!best || task->recorded_ns < best->recorded_ns ||
            (task->recorded_ns == best->recorded_ns && task < best))
            best = task;
    }
    return best;
}

static void print_events(const struct trace_file *file)
{
    char time[TRACE_US_TEXT], stream[TRACE_STREAM_TEXT];
    size_t shown = 0;
    size_t count = 0;
    for (size_t i = 0; i < file->task_count; i++)
        count += file->tasks[i]->recorded;
    printf("\nRecorded events, by device time (us); the number is the hardware's id\n");
    const struct trace_slice *record = NULL;
    while (shown < EVENTS_SHOWN && (record = next_record(file, record))) {
        printf("   %14s  %s, task %" PRIu64 " of %s\n", trace_file_us(record->recorded_ns, time),
               record->name, record->number, trace_file_stream(file, record, stream));
        shown++;
    }
    if (count > shown)
        printf("  and %zu more\n", count - shown);
    if (count == 0)
        printf(" none\n");
}

static void print_part(const struct sync_breakdown *breakdown,
                       const struct sync_breakdown_part *part)
{
    const struct trace_slice *phase = part->phase;
    char begin[TRACE_US_TEXT];
    printf("   %14s %10" PRIu64 "  ", trace_file_us(part->begin_ns, begin),
           part->end_ns - part->begin_ns);
    if (!phase) {
        printf("unaccounted\n");
        return;
    }
    printf("%-9s %-8s", phase->name,
           phase->number == breakdown->wait->number ? "of wait" : "of next");
    if (phase->parameter)
        printf(" %s = %s %s [%s]", phase->parameter, phase->value ? phase->value : "",
               phase->unit_name ? phase->unit_name : "", phase->mark ? phase->mark : "unmarked");
    if (phase->bytes > 0)
        printf(" for %" PRIu64 " bytes", phase->bytes);
    fputc('\n', stdout);
}

static void print_marks(const struct sync_breakdown *breakdown)
{
    uint64_t by_mark[MARK_COUNT + 1] = {0};
    for (size_t i = 0; i < breakdown->part_count; i++) {
        const struct sync_breakdown_part *part = &breakdown->parts[i];
        by_mark[mark_of(part->phase ? part->phase->mark : NULL)] += part->end_ns - part->begin_ns;
    }
    printf("   of these:");
    const char *separator = " ";
    for (size_t m = 0; m <= MARK_COUNT; m++) {
        if (by_mark[m] == 0)
            continue;
        printf("%s%" PRIu64 " ns %s", separator, by_mark[m],
               m < MARK_COUNT ? mark_names[m] : "without a parameter");
        separator = ", ";
    }
    fputc('\n', stdout);
}

static int print_sync_breakdown(const struct trace_file *file)
{
    struct sync_breakdown breakdown;
    char time[TRACE_US_TEXT], stream[TRACE_STREAM_TEXT];
    int found = sync_breakdown_longest(file, &breakdown);
    printf("\nWhere the time of a wait between streams went\n");
    if (found < 0) {
        fprintf(stderr, "twinrt: out of memory\n");
        return -1;
    }
    if (found == 0) {
        printf(" no stream had to wait for another\n");
        return 0;
    }
    size_t count = sync_breakdown_count(file);
    if (count > 1)
        printf(" the longest of %zu\n", count);
    printf(" from: task %" PRIu64 " of %s (%s)", breakdown.record->number,
           trace_file_stream(file, breakdown.record, stream), breakdown.record->name);
    if (breakdown.begin_ns < breakdown.record->end_ns)
        printf(" released the waiter at %s us,", trace_file_us(breakdown.begin_ns, time));
    printf(" retired at %s us\n", trace_file_us(breakdown.record->end_ns, time));
    printf(" over: task %" PRIu64 " of %s (%s)\n", breakdown.wait->number,
           trace_file_stream(file, breakdown.wait, stream), breakdown.wait->name);
    printf(" to:   task %" PRIu64 " of %s (%s) retired at %s us\n", breakdown.next->number,
           trace_file_stream(file, breakdown.next, stream), breakdown.next->name,
           trace_file_us(breakdown.end_ns, time));
    printf("   %14s %10s  %s\n", "at us", "ns", "what, and the parameter behind it");
    uint64_t sum = 0;
    for (size_t i = 0; i < breakdown.part_count; i++) {
        print_part(&breakdown, &breakdown.parts[i]);
        sum += breakdown.parts[i].end_ns - breakdown.parts[i].begin_ns;
    }
    printf("   %14s %10" PRIu64 "  in all, %" PRIu64 " ns unaccounted\n", "", sum,
           breakdown.unaccounted_ns);
    print_marks(&breakdown);
    sync_breakdown_free(&breakdown);
    return 0;
}

int twin_tool_explain(const char *trace_path, unsigned waits)
{
    struct trace_file file;
    char error[512];
    if (trace_file_load(trace_path, &file, error, sizeof(error)) != 0) {
        fprintf(stderr, "twinrt: %s\n", error);
        return -1;
    }
    print_tasks(&file);
    print_events(&file);
    int result = print_sync_breakdown(&file);
    if (result == 0)
        result = twin_tool_explain_waits(&file, waits);
    trace_file_free(&file);
    return result;
}
