/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time of the slowest waits went. All times are the device's, simulated. */
#include "explain_waits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "critical_path.h"
#include "marks.h"

#define PARTS_SHOWN 24u

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

static void print_copy(const struct trace_file *file, const struct trace_slice *copy)
{
    if (file->many_devices)
        printf(" device %" PRIu32 ",", copy->device);
    printf(" driver's copy %" PRIu64, copy->number);
}

static void print_part(const struct trace_file *file, const struct critical_part *part,
                       uint64_t whole)
{
    const struct trace_slice *slice = part->slice;
    char stream[TRACE_STREAM_TEXT];
    printf("   %14" PRIu64 ".%03u %12" PRIu64 "  ", part->begin_ns / 1000,
           (unsigned)(part->begin_ns % 1000), length(part));
    print_share(length(part), whole);
    printf("  %-20s", critical_cause_name(part->cause));
    if (slice && slice->kind == TRACE_TRANSFER)
        print_copy(file, slice);
    else if (slice && slice->kind <= TRACE_WAIT)
        printf(" %s, task %" PRIu64, trace_file_stream(file, slice, stream), slice->number);
    if (slice && slice->parameter)
        printf("  %s = %s %s [%s]", slice->parameter, slice->value ? slice->value : "",
               slice->unit_name ? slice->unit_name : "", slice->mark ? slice->mark : "unmarked");
    fputc('\n', stdout);
}

static void print_parts(const struct trace_file *file, const struct critical_part *parts,
                        size_t count, uint64_t whole)
{
    size_t hidden = count > PARTS_SHOWN ? count - PARTS_SHOWN : 0;
    for (size_t i = 0; i < count; i++) {
        if (hidden > 0 && i == PARTS_SHOWN / 2) {
            printf("   %18s and %zu more\n", "", hidden);
            i += hidden;
        }
        print_part(file, &parts[i], whole);
    }
}

static void print_causes(const struct critical_path *path, uint64_t whole)
{
    uint64_t sums[CRITICAL_CAUSES] = {0};
    bool shown[CRITICAL_CAUSES] = {false};
    for (size_t i = 0; i < path->part_count; i++)
        sums[path->parts[i].cause] += length(&path->parts[i]);
    printf("   by cause:");
    for (int n = 0; n < CRITICAL_CAUSES; n++) {
        int most = -1;
        for (int i = 0; i < CRITICAL_CAUSES; i++)
            if (!shown[i] && sums[i] > 0 && (most < 0 || sums[i] > sums[most]))
                most = i;
        if (most < 0)
            break;
        shown[most] = true;
        printf("%s %s %" PRIu64 " ns (", n > 0 ? "," : "",
               critical_cause_name((enum critical_cause)most), sums[most]);
        print_share(sums[most], whole);
        printf(")");
    }
    fputc('\n', stdout);
}

static void print_marks(const struct critical_path *path, uint64_t whole)
{
    uint64_t sums[MARK_COUNT + 1] = {0};
    for (size_t i = 0; i < path->part_count; i++) {
        const struct trace_slice *slice = path->parts[i].slice;
        sums[mark_of(slice && slice->parameter ? slice->mark : NULL)] += length(&path->parts[i]);
    }
    printf("   rests on:");
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
    printf(" %s of thread %" PRIu32 ", from %" PRIu64 ".%03u us: %" PRIu64 " ns\n", call->name,
           call->unit, call->begin_ns / 1000, (unsigned)(call->begin_ns % 1000), whole);
    if (path->submitted)
        printf("   its chain began %s at %" PRIu64 ".%03u us\n",
               path->parts[0].begin_ns <= path->submit_ns ? "in it" : "with a submission",
               path->submit_ns / 1000, (unsigned)(path->submit_ns % 1000));
    printf("   %18s %12s  %7s  %s\n", "at us", "ns", "share", "cause, and the parameter behind it");
    print_parts(file, path->parts, path->part_count, whole);
    for (size_t i = 0; i < path->part_count; i++)
        sum += length(&path->parts[i]);
    printf("   %18s %12" PRIu64 "  in all\n", "", sum);
    print_causes(path, whole);
    print_marks(path, whole);
    if (path->before_count > 0) {
        printf("   before that wait, back to where the chain began:\n");
        print_parts(file, path->before, path->before_count,
                    path->before[path->before_count - 1].end_ns - path->before[0].begin_ns);
    }
}

int twin_tool_explain_waits(const struct trace_file *file, unsigned wanted)
{
    const struct trace_slice **calls = calloc(wanted + 1, sizeof(const struct trace_slice *));
    if (!calls) {
        fprintf(stderr, "twinrt: out of memory\n");
        return -1;
    }
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
