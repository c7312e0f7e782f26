/* SPDX-License-Identifier: Apache-2.0 */
/* What `twinrt run --explain` prints, in 80 columns. All times are simulated times of the
 * device. */
#include "tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "critical_path.h"
#include "marks.h"
#include "sync_breakdown.h"
#include "trace_file.h"

#define PARTS_SHOWN  24u
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
    printf("  %10s %8" PRIu64 "  ", trace_file_us(part->begin_ns, begin),
           part->end_ns - part->begin_ns);
    if (!phase) {
        printf("unaccounted\n");
        return;
    }
    printf("%-8s %-4s", phase->name, phase->number == breakdown->wait->number ? "wait" : "next");
    if (phase->parameter)
        printf(" %s %s %s", phase->parameter, phase->value ? phase->value : "",
               phase->mark ? phase->mark : "unmarked");
    fputc('\n', stdout);
}

static void print_breakdown_marks(const struct sync_breakdown *breakdown)
{
    uint64_t by_mark[MARK_COUNT + 1] = {0};
    for (size_t i = 0; i < breakdown->part_count; i++) {
        const struct sync_breakdown_part *part = &breakdown->parts[i];
        by_mark[mark_of(part->phase ? part->phase->mark : NULL)] += part->end_ns - part->begin_ns;
    }
    printf("  of these:");
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
    if (found < 0)
        return twin_tool_error(-1, "out of memory");
    if (found == 0) {
        printf(" no stream had to wait for another\n");
        return 0;
    }
    size_t count = sync_breakdown_count(file);
    if (count > 1)
        printf(" the longest of %zu\n", count);
    printf(" from: task %" PRIu64 " of %s (%s)", breakdown.record->number,
           trace_file_stream(file, breakdown.record, stream), breakdown.record->name);
    printf("\n       ");
    if (breakdown.begin_ns < breakdown.record->end_ns)
        printf("released the waiter at %s us, ", trace_file_us(breakdown.begin_ns, time));
    printf("retired at %s us\n", trace_file_us(breakdown.record->end_ns, time));
    printf(" over: task %" PRIu64 " of %s (%s)\n", breakdown.wait->number,
           trace_file_stream(file, breakdown.wait, stream), breakdown.wait->name);
    printf(" to:   task %" PRIu64 " of %s (%s) retired at %s us\n", breakdown.next->number,
           trace_file_stream(file, breakdown.next, stream), breakdown.next->name,
           trace_file_us(breakdown.end_ns, time));
    printf("  %10s %8s  %-8s %-4s %s\n", "at us", "ns", "phase", "of",
           "parameter that sets it, value, mark");
    uint64_t sum = 0;
    for (size_t i = 0; i < breakdown.part_count; i++) {
        print_part(&breakdown, &breakdown.parts[i]);
        sum += breakdown.parts[i].end_ns - breakdown.parts[i].begin_ns;
    }
    printf("  %10s %8" PRIu64 "  in all, %" PRIu64 " ns unaccounted\n", "", sum,
           breakdown.unaccounted_ns);
    print_breakdown_marks(&breakdown);
    sync_breakdown_free(&breakdown);
    return 0;
}

/* ---- the slowest waits ----------------------------------------------------------------------- */

static uint64_t length(const struct critical_part *part)
{
    return part->end_ns - part->begin_ns;
}

/* Tenths of a percent, rounded half up. */
static void print_share(uint64_t of, uint64_t whole)
{
    uint64_t permille = whole ? (of * 1000 + whole / 2) / whole : 0;
    printf("%3" PRIu64 ".%" PRIu64 " %%", permille / 10, permille % 10);
}

static bool has_task(const struct trace_slice *slice)
{
    return slice->kind == TRACE_TRANSFER || slice->kind <= TRACE_WAIT;
}

/* "s1 t2": task 2 of stream 1; "d0 s1 t2" if there are several devices. */
static void print_task(const struct trace_file *file, const struct trace_slice *slice)
{
    const bool copy = slice->kind == TRACE_TRANSFER;
    if (file->many_devices)
        printf(" d%" PRIu32, slice->device);
    if (copy)
        printf(" copy %" PRIu64, slice->number);
    else
        printf(" s%" PRIu32 " t%" PRIu64, slice->stream, slice->number);
}

static void print_wait_part(const struct trace_file *file, const struct critical_part *part)
{
    const struct trace_slice *slice = part->slice;
    char begin[TRACE_US_TEXT];
    printf("  %10s %8" PRIu64 "  %-20s", trace_file_us(part->begin_ns, begin), length(part),
           critical_cause_name(part->cause));
    if (slice && (slice->parameter || has_task(slice)))
        printf(" %-*s", has_task(slice) ? 24 : 0, slice->parameter ? slice->parameter : "");
    if (slice && has_task(slice))
        print_task(file, slice);
    fputc('\n', stdout);
}

static void print_parts(const struct trace_file *file, const struct critical_part *parts,
                        size_t count)
{
    size_t hidden = count > PARTS_SHOWN ? count - PARTS_SHOWN : 0;
    for (size_t i = 0; i < count; i++) {
        if (hidden > 0 && i == PARTS_SHOWN / 2) {
            printf("  %19s  and %zu more\n", "", hidden);
            i += hidden;
        }
        print_wait_part(file, &parts[i]);
    }
}

static void print_causes(const struct critical_path *path, uint64_t whole)
{
    uint64_t sums[CRITICAL_CAUSES] = {0};
    for (size_t i = 0; i < path->part_count; i++)
        sums[path->parts[i].cause] += length(&path->parts[i]);
    printf("  by cause:\n");
    for (;;) {
        int most = 0;
        for (int i = 1; i < CRITICAL_CAUSES; i++)
            if (sums[i] > sums[most])
                most = i;
        if (sums[most] == 0)
            break;
        printf("  %10s %8" PRIu64 "  %-20s ", "", sums[most],
               critical_cause_name((enum critical_cause)most));
        print_share(sums[most], whole);
        fputc('\n', stdout);
        sums[most] = 0;
    }
}

/* Each parameter once, in the order of the parts. */
static void print_parameters(const struct critical_path *path)
{
    bool any = false;
    for (size_t i = 0; i < path->part_count; i++) {
        const struct trace_slice *slice = path->parts[i].slice;
        bool again = !slice || !slice->parameter;
        for (size_t k = 0; k < i && !again; k++) {
            const struct trace_slice *before = path->parts[k].slice;
            again = before && before->parameter && strcmp(before->parameter, slice->parameter) == 0;
        }
        if (again)
            continue;
        if (!any)
            printf("  parameters:\n");
        any = true;
        printf("  %19s  %s = %s %s [%s]\n", "", slice->parameter, slice->value ? slice->value : "",
               slice->unit_name ? slice->unit_name : "", slice->mark ? slice->mark : "unmarked");
    }
}

static void print_path_marks(const struct critical_path *path, uint64_t whole)
{
    uint64_t sums[MARK_COUNT + 1] = {0};
    for (size_t i = 0; i < path->part_count; i++) {
        const struct trace_slice *slice = path->parts[i].slice;
        sums[mark_of(slice && slice->parameter ? slice->mark : NULL)] += length(&path->parts[i]);
    }
    printf("  rests on:");
    for (size_t i = 0; i <= MARK_COUNT; i++) {
        if (sums[i] == 0)
            continue;
        printf(" %s ", i < MARK_COUNT ? mark_names[i] : "no parameter");
        print_share(sums[i], whole);
    }
    fputc('\n', stdout);
}

static void print_path(const struct trace_file *file, const struct critical_path *path)
{
    const struct trace_slice *call = path->call;
    uint64_t whole = call->end_ns - call->begin_ns;
    uint64_t sum = 0;
    char begin[TRACE_US_TEXT];
    printf(" %s of thread %" PRIu32 ", from %s us: %" PRIu64 " ns\n", call->name, call->unit,
           trace_file_us(call->begin_ns, begin), whole);
    if (path->submitted)
        printf("  its chain began %s at %s us\n",
               path->parts[0].begin_ns <= path->submit_ns ? "in it" : "with a submission",
               trace_file_us(path->submit_ns, begin));
    printf("  %10s %8s  %-20s %-24s %s\n", "at us", "ns", "cause", "parameter that sets it",
           "task");
    print_parts(file, path->parts, path->part_count);
    for (size_t i = 0; i < path->part_count; i++)
        sum += length(&path->parts[i]);
    printf("  %10s %8" PRIu64 "  in all\n", "", sum);
    print_causes(path, whole);
    print_path_marks(path, whole);
    print_parameters(path);
    if (path->before_count > 0) {
        printf("  before that wait, back to the begin of the chain:\n");
        print_parts(file, path->before, path->before_count);
    }
}

static int print_waits(const struct trace_file *file, unsigned wanted)
{
    const struct trace_slice **calls = calloc(wanted + 1, sizeof(const struct trace_slice *));
    if (!calls)
        return twin_tool_error(-1, "out of memory");
    size_t count = critical_waits(file, calls, wanted);
    size_t shown = count < wanted ? count : wanted;
    int result = 0;
    printf("\nWhere the time of the slowest waits of host threads went\n");
    if (count == 0)
        printf(" no thread had to wait\n");
    else if (count > shown)
        printf(" %zu of %zu\n", shown, count);
    for (size_t i = 0; i < shown && result == 0; i++) {
        struct critical_path path;
        result = critical_follow(file, calls[i], &path);
        if (result == 0)
            print_path(file, &path);
        else
            fprintf(stderr, "twinrt: out of memory\n");
        critical_free(&path);
    }
    free(calls);
    return result;
}

int twin_tool_explain(const char *trace_path, unsigned waits)
{
    struct trace_file file;
    char error[512];
    if (trace_file_load(trace_path, &file, error, sizeof(error)) != 0)
        return twin_tool_error(-1, "%s", error);
    print_tasks(&file);
    print_events(&file);
    int result = print_sync_breakdown(&file);
    if (result == 0)
        result = print_waits(&file, waits);
    trace_file_free(&file);
    return result;
}
