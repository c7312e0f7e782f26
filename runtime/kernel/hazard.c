/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/hazard.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/core.h"
#include "kernel/names.h"
#include "twinrt/kernel.h"

#define FIRST_SPANS  64u
#define FIRST_RANGES 64u
#define POISON       0xa5

/* Kinds of hazards, for keys. */
enum {
    READ_EARLY = 1,
    WRITE_EARLY,
    OVERWRITE,
    UNWRITTEN,
    GLOBAL_READ,
    GLOBAL_WRITE,
    LEFT_SET,
    OTHER_BLOCK
};

/* ---- reports --------------------------------------------------------------------------------- */

static void __attribute__((format(printf, 5, 0)))
report(twin_native_run *run, uint32_t block, const char *core, uint64_t key, const char *format,
       va_list args)
{
    native_reported *reported = &run->reported;
    for (uint32_t i = 0; i < reported->count; i++)
        if (reported->list[i] == key)
            return;
    if (reported->count == NATIVE_REPORTS)
        return;
    reported->list[reported->count++] = key;
    if (!run->call.hazard)
        return;
    native_report report;
    const int length =
        snprintf(report.text, sizeof(report.text),
                 "kernel \"%s\", block %u%s: ", twk_title_of(run->call.kernel), block, core);
    if (length > 0 && (size_t)length < sizeof(report.text))
        vsnprintf(report.text + length, sizeof(report.text) - (size_t)length, format, args);
    report.place.count = 0;
    native_core *running = run->running;
    if (!running) {
        twin_native_report_now(run, &report);
        return;
    }
    twin_native_place_take(running, &report.place);
    run->report = &report;
    twin_native_wait(running); /* its stack is small */
}

void twin_native_report_now(twin_native_run *run, native_report *report)
{
    twin_native_place_append(run, &report->place, report->text, sizeof(report->text));
    run->call.hazard(run->call.user, report->text);
}

void twin_native_report(native_core *core, uint64_t key, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(core->run, core->block->number, twin_native_core_name(core), key, format, args);
    va_end(args);
}

void twin_native_report_block(twin_native_run *run, uint32_t block, uint64_t key,
                              const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(run, block, "", key, format, args);
    va_end(args);
}

static uint64_t key_of(uint32_t kind, uint32_t buffer, uint32_t earlier_pipe, uint32_t earlier_op,
                       uint32_t pipe, uint32_t op)
{
    return (uint64_t)kind << 56 | (uint64_t)buffer << 48 | (uint64_t)earlier_pipe << 40 |
           (uint64_t)earlier_op << 24 | (uint64_t)pipe << 16 | op;
}

typedef struct unordered {
    uint32_t kind, buffer;
    uint32_t begin, end;
    uint32_t earlier_pipe;
    native_op earlier_op;
    uint32_t pipe;
    native_op op;
} unordered;

static void NATIVE_COLD report_unordered(native_core *core, const unordered *found)
{
    static const char *const does[][2] = {[READ_EARLY] = {"reads", "may still write it"},
                                          [WRITE_EARLY] = {"writes", "may still read it"},
                                          [OVERWRITE] = {"writes", "may still write it"}};
    const char *from = twin_native_pipe_name(found->earlier_pipe);
    const char *to = twin_native_pipe_name(found->pipe);
    const native_words *words = twin_native_words(found->op);
    twin_native_report(core,
                       key_of(found->kind, found->buffer, found->earlier_pipe, found->earlier_op,
                              found->pipe, found->op),
                       "%s (%s) %s %s bytes %u to %u while %s (%s) %s: missing are "
                       "%s(%s%s, %s%s, ...) after %s and %s of the same before %s",
                       twin_native_op_name(found->op), to, does[found->kind][0],
                       twin_native_buffer_name(found->buffer), found->begin, found->end - 1,
                       twin_native_op_name(found->earlier_op), from, does[found->kind][1],
                       words->set, words->pipe, from, words->pipe, to,
                       twin_native_op_name(found->earlier_op), words->wait,
                       twin_native_op_name(found->op));
}

/* ---- clocks ---------------------------------------------------------------------------------- */

void twin_native_clock_join(native_clock *into, const native_clock *from, uint32_t clocks)
{
    for (uint32_t i = 0; i < clocks; i++)
        into->time[i] = into->time[i] > from->time[i] ? into->time[i] : from->time[i];
}

static void tick(native_hazards *hazards, uint32_t pipe)
{
    hazards->pipe[pipe].time[hazards->first + pipe]++;
}

void twin_native_hazard_issue(native_core *core, uint32_t pipe)
{
    native_hazards *hazards = &core->hazards;
    if (pipe == TWIN_PIPE_SCALAR)
        return;
    twin_native_clock_join(&hazards->pipe[pipe], &hazards->pipe[TWIN_PIPE_SCALAR], hazards->clocks);
    if (hazards->scalar_touched) {
        tick(hazards, TWIN_PIPE_SCALAR);
        hazards->scalar_touched = false;
    }
}

native_clock twin_native_hazard_release(native_core *core, uint32_t pipe)
{
    native_hazards *hazards = &core->hazards;
    const native_clock clock = hazards->pipe[pipe];
    tick(hazards, pipe);
    return clock;
}

void twin_native_hazard_join(native_core *core, uint32_t pipe, const native_clock *clock)
{
    twin_native_clock_join(&core->hazards.pipe[pipe], clock, core->hazards.clocks);
}

void twin_native_hazard_barrier(native_core *core)
{
    native_hazards *hazards = &core->hazards;
    for (uint32_t pipe = 1; pipe < NATIVE_PIPES; pipe++) {
        twin_native_clock_join(&hazards->pipe[TWIN_PIPE_SCALAR], &hazards->pipe[pipe],
                               hazards->clocks);
        tick(hazards, pipe);
    }
}

/* ---- spans ----------------------------------------------------------------------------------- */

static void shadow_begin(native_core *core, native_shadow *shadow, uint32_t bytes)
{
    shadow->bytes = bytes;
    shadow->count = 0;
    if (bytes == 0)
        return;
    if (!shadow->spans) {
        shadow->spans = malloc(FIRST_SPANS * sizeof(*shadow->spans));
        shadow->room = shadow->spans ? FIRST_SPANS : 0;
    }
    if (!shadow->spans) {
        shadow->bytes = 0; /* found when the buffer is used */
        (void)core;
        return;
    }
    shadow->spans[0] = (native_span){.write_pipe = NATIVE_NO_PIPE};
    shadow->count = 1;
}

/* The span that holds the byte. */
static uint32_t span_of(const native_shadow *shadow, uint32_t at)
{
    uint32_t low = 0, high = shadow->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (shadow->spans[middle].begin <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint32_t end_of(const native_shadow *shadow, uint32_t index)
{
    return index + 1 < shadow->count ? shadow->spans[index + 1].begin : shadow->bytes;
}

/* Makes a span begin at `at`, and says which. */
static uint32_t split(native_core *core, native_shadow *shadow, uint32_t at)
{
    const uint32_t index = span_of(shadow, at);
    if (shadow->spans[index].begin == at)
        return index;
    if (shadow->count == shadow->room) {
        native_span *spans = realloc(shadow->spans, 2 * (size_t)shadow->room * sizeof(*spans));
        if (!spans)
            twin_native_fail(core, TWIN_NATIVE_NOMEM, NULL, "no host memory");
        shadow->spans = spans;
        shadow->room *= 2;
    }
    memmove(&shadow->spans[index + 2], &shadow->spans[index + 1],
            (shadow->count - index - 1) * sizeof(native_span));
    shadow->spans[index + 1] = shadow->spans[index];
    shadow->spans[index + 1].begin = at;
    shadow->count++;
    return index + 1;
}

static bool alike(const native_span *a, const native_span *b)
{
    return memcmp((const unsigned char *)a + sizeof(a->begin),
                  (const unsigned char *)b + sizeof(b->begin), sizeof(*a) - sizeof(a->begin)) == 0;
}

/* Spans around [first, last] that have become alike are one. */
static void merge(native_shadow *shadow, uint32_t first, uint32_t last)
{
    uint32_t to = first > 0 ? first - 1 : 0;
    const uint32_t stop = last + 1 < shadow->count ? last + 1 : last;
    uint32_t from = to + 1;
    for (; from <= stop; from++)
        if (!alike(&shadow->spans[to], &shadow->spans[from]))
            shadow->spans[++to] = shadow->spans[from];
    if (to + 1 == from)
        return;
    memmove(&shadow->spans[to + 1], &shadow->spans[from],
            (shadow->count - from) * sizeof(native_span));
    shadow->count -= from - to - 1;
}

/* Whether what the pipe does next comes after `time` of another pipe of this core. */
static inline bool after(const native_hazards *hazards, uint32_t pipe, uint32_t other,
                         uint32_t time)
{
    return other == pipe || time <= hazards->pipe[pipe].time[hazards->first + other];
}

static void check_write(native_core *core, const native_span *span, uint32_t end, uint32_t buffer,
                        uint32_t pipe, native_op op, uint32_t kind)
{
    if (__builtin_expect(span->write_pipe != NATIVE_NO_PIPE &&
                             !after(&core->hazards, pipe, span->write_pipe, span->write_time),
                         0))
        report_unordered(core, &(unordered){.kind = kind,
                                            .buffer = buffer,
                                            .begin = span->begin,
                                            .end = end,
                                            .earlier_pipe = span->write_pipe,
                                            .earlier_op = span->write_op,
                                            .pipe = pipe,
                                            .op = op});
}

/* Where a pipe works, as the spans [first, last] of the buffer. */
static native_shadow *cut(native_core *core, uint32_t buffer, uint32_t at, uint32_t bytes,
                          uint32_t *out_first, uint32_t *out_last)
{
    native_shadow *shadow = &core->hazards.shadow[buffer];
    if (shadow->bytes == 0)
        twin_native_fail(core, TWIN_NATIVE_NOMEM, NULL, "no host memory");
    *out_first = split(core, shadow, at);
    *out_last =
        at + bytes == shadow->bytes ? shadow->count - 1 : split(core, shadow, at + bytes) - 1;
    return shadow;
}

/* A pipe reads a span, up to `end`. */
static void read_span(native_core *core, native_span *span, uint32_t end, uint32_t buffer,
                      uint32_t pipe, native_op op)
{
    const native_hazards *hazards = &core->hazards;
    check_write(core, span, end, buffer, pipe, op, READ_EARLY);
    if (__builtin_expect(span->write_pipe == NATIVE_NO_PIPE, 0)) {
        if (native_computes(core) || pipe == TWIN_PIPE_SCALAR)
            memset(core->buffer[buffer] + span->begin, POISON, end - span->begin);
        twin_native_report(core, key_of(UNWRITTEN, buffer, 0, 0, pipe, op),
                           "%s reads %s bytes %u to %u, which the block has not written: they "
                           "hold what was there before, here "
                           "0xa5",
                           twin_native_op_name(op), twin_native_buffer_name(buffer), span->begin,
                           end - 1);
    }
    span->read_time[pipe] = hazards->pipe[pipe].time[hazards->first + pipe];
    span->read_op[pipe] = op;
}

void twin_native_hazard_read(native_core *core, uint32_t buffer, uint32_t pipe, native_op op,
                             uint32_t at, uint32_t bytes)
{
    if (bytes == 0)
        return;
    uint32_t first, last;
    native_hazards *hazards = &core->hazards;
    native_shadow *shadow = cut(core, buffer, at, bytes, &first, &last);
    if (pipe == TWIN_PIPE_SCALAR)
        hazards->scalar_touched = true;
    for (uint32_t i = first; i <= last; i++)
        read_span(core, &shadow->spans[i], end_of(shadow, i), buffer, pipe, op);
    merge(shadow, first, last);
}

/* Room for pieces of spans. */
static native_span *pieces_for(native_core *core, size_t count)
{
    native_hazards *hazards = &core->hazards;
    if (count <= hazards->pieces_room)
        return hazards->pieces;
    native_span *pieces = realloc(hazards->pieces, 2 * count * sizeof(*pieces));
    if (!pieces)
        twin_native_fail(core, TWIN_NATIVE_NOMEM, NULL, "no host memory");
    hazards->pieces = pieces;
    hazards->pieces_room = 2 * count;
    return pieces;
}

/* Puts `count` pieces in the place of spans [first, last). */
static void replace(native_core *core, native_shadow *shadow, uint32_t first, uint32_t last,
                    uint32_t count)
{
    const uint32_t total = shadow->count - (last - first) + count;
    if (total > shadow->room) {
        native_span *spans = realloc(shadow->spans, 2 * (size_t)total * sizeof(*spans));
        if (!spans)
            twin_native_fail(core, TWIN_NATIVE_NOMEM, NULL, "no host memory");
        shadow->spans = spans;
        shadow->room = 2 * total;
    }
    memmove(&shadow->spans[first + count], &shadow->spans[last],
            (shadow->count - last) * sizeof(native_span));
    memcpy(&shadow->spans[first], core->hazards.pieces, count * sizeof(native_span));
    shadow->count = total;
}

/* A pipe writes a span, up to `end`. */
static void check_span(native_core *core, const native_span *span, uint32_t end, uint32_t buffer,
                       uint32_t pipe, native_op op)
{
    check_write(core, span, end, buffer, pipe, op, OVERWRITE);
    for (uint32_t other = 0; other < NATIVE_PIPES; other++)
        if (__builtin_expect(!after(&core->hazards, pipe, other, span->read_time[other]), 0))
            report_unordered(core, &(unordered){.kind = WRITE_EARLY,
                                                .buffer = buffer,
                                                .begin = span->begin,
                                                .end = end,
                                                .earlier_pipe = other,
                                                .earlier_op = span->read_op[other],
                                                .pipe = pipe,
                                                .op = op});
}

static native_span written_span(const native_hazards *hazards, uint32_t at, uint32_t pipe,
                                native_op op)
{
    return (native_span){.begin = at,
                         .write_pipe = (uint8_t)pipe,
                         .write_op = op,
                         .write_time = hazards->pipe[pipe].time[hazards->first + pipe]};
}

void twin_native_hazard_more_ranges(native_core *core)
{
    native_hazards *hazards = &core->hazards;
    if (!twin_native_grow(&hazards->ranges, &hazards->range_room, sizeof(*hazards->ranges),
                          FIRST_RANGES))
        twin_native_fail(core, TWIN_NATIVE_NOMEM, NULL, "no host memory");
}

static int by_begin(const void *a, const void *b)
{
    const native_range *one = a, *other = b;
    return one->begin < other->begin ? -1 : one->begin > other->begin;
}

/* Orders ranges by where they begin, and joins those that overlap. How many are left. */
static size_t order_ranges(native_range *ranges, size_t count)
{
    bool ordered = true;
    for (size_t i = 1; i < count && ordered; i++)
        ordered = ranges[i].begin >= ranges[i - 1].end;
    if (ordered)
        return count;
    qsort(ranges, count, sizeof(*ranges), by_begin);
    size_t last = 0;
    for (size_t i = 1; i < count; i++) {
        if (ranges[i].begin >= ranges[last].end)
            ranges[++last] = ranges[i];
        else if (ranges[i].end > ranges[last].end)
            ranges[last].end = ranges[i].end;
    }
    return last + 1;
}

/* Several ranges: one pass over the spans that they touch. */
static void note_ranges(native_core *core, uint32_t buffer, uint32_t pipe, native_op op,
                        size_t range_count, bool write)
{
    native_hazards *hazards = &core->hazards;
    native_shadow *shadow = &hazards->shadow[buffer];
    if (shadow->bytes == 0)
        twin_native_fail(core, TWIN_NATIVE_NOMEM, NULL, "no host memory");
    native_span *pieces = pieces_for(core, shadow->count + 2 * range_count + 1);
    const native_range *range = hazards->ranges, *last = range + range_count - 1;
    uint32_t count = 0;
    uint32_t i = span_of(shadow, range->begin);
    i -= i > 0; /* it may become like the one after it */
    const uint32_t first = i;
    for (; i < shadow->count && shadow->spans[i].begin < last->end; i++) {
        const uint32_t end = end_of(shadow, i);
        for (uint32_t at = shadow->spans[i].begin, next; at < end; at = next) {
            const bool inside = range <= last && at >= range->begin;
            const uint32_t edge = range > last ? end : inside ? range->end : range->begin;
            next = edge < end ? edge : end;
            native_span *piece = &pieces[count];
            *piece = shadow->spans[i];
            piece->begin = at;
            if (inside && write) {
                check_span(core, piece, next, buffer, pipe, op);
                *piece = written_span(hazards, at, pipe, op);
            } else if (inside) {
                read_span(core, piece, next, buffer, pipe, op);
            }
            if (inside && next == range->end)
                range++;
            if (count == 0 || !alike(&pieces[count - 1], piece))
                count++;
        }
    }
    if (i < shadow->count && alike(&pieces[count - 1], &shadow->spans[i]))
        i++;
    replace(core, shadow, first, i, count);
}

void twin_native_hazard_note(native_core *core, uint32_t buffer, uint32_t pipe, native_op op,
                             bool write)
{
    native_hazards *hazards = &core->hazards;
    if (hazards->range_count == 0)
        return;
    const size_t count = order_ranges(hazards->ranges, hazards->range_count);
    const native_range *only = &hazards->ranges[0];
    hazards->range_count = 0;
    if (pipe == TWIN_PIPE_SCALAR)
        hazards->scalar_touched = true;
    if (count > 1)
        note_ranges(core, buffer, pipe, op, count, write);
    else if (write)
        twin_native_hazard_write(core, buffer, pipe, op, only->begin, only->end - only->begin);
    else
        twin_native_hazard_read(core, buffer, pipe, op, only->begin, only->end - only->begin);
}

void twin_native_hazard_read_strips(native_core *core, uint32_t buffer, uint32_t pipe, native_op op,
                                    const native_strips *strips)
{
    for (uint32_t i = 0; i < strips->count; i++)
        native_hazard_add_range(core, &core->hazards, strips->at + i * strips->pitch,
                                strips->at + i * strips->pitch + strips->bytes);
    twin_native_hazard_note(core, buffer, pipe, op, false);
}

void twin_native_hazard_write(native_core *core, uint32_t buffer, uint32_t pipe, native_op op,
                              uint32_t at, uint32_t bytes)
{
    if (bytes == 0)
        return;
    uint32_t first, last;
    native_hazards *hazards = &core->hazards;
    native_shadow *shadow = cut(core, buffer, at, bytes, &first, &last);
    if (pipe == TWIN_PIPE_SCALAR)
        hazards->scalar_touched = true;
    for (uint32_t i = first; i <= last; i++)
        check_span(core, &shadow->spans[i], end_of(shadow, i), buffer, pipe, op);
    /* They are one span now. */
    shadow->spans[first] = written_span(hazards, at, pipe, op);
    if (last > first) {
        memmove(&shadow->spans[first + 1], &shadow->spans[last + 1],
                (shadow->count - last - 1) * sizeof(native_span));
        shadow->count -= last - first;
    }
    merge(shadow, first, first);
}

const native_span *twin_native_hazard_written(const native_core *core, uint32_t buffer, uint32_t at,
                                              uint32_t bytes)
{
    const native_shadow *shadow = &core->hazards.shadow[buffer];
    for (uint32_t i = span_of(shadow, at); i < shadow->count; i++) {
        const native_span *span = &shadow->spans[i];
        if (span->begin >= at + bytes)
            break;
        if (span->write_pipe != TWIN_PIPE_SCALAR && span->write_pipe != NATIVE_NO_PIPE)
            return span;
    }
    return NULL;
}

uint32_t twin_native_hazard_seen(const native_core *core, uint32_t pipe)
{
    const native_block *block = core->block;
    for (size_t i = block->wait_count; i-- > 0;)
        if (core->hazards.pipe[pipe].time[block->waits[i].pipe] >= block->waits[i].time)
            return block->waits[i].barrier;
    return 0;
}

/* Another block has written there, and let others see it. */
static void meet_other_block(const native_meeting *meeting, const native_write *earlier)
{
    native_core *core = meeting->core;
    if (earlier->released &&
        (core->run->polled || earlier->barrier <= twin_native_hazard_seen(core, meeting->pipe)))
        return;
    if (meeting->write && earlier->atomic != TWK_ATOMIC_NONE)
        return; /* reported when it is read */
    const char *from = twin_native_pipe_name(earlier->pipe % NATIVE_PIPES);
    const char *to = twin_native_pipe_name(meeting->pipe);
    const uint64_t key = key_of(OTHER_BLOCK, meeting->write, earlier->pipe, earlier->op,
                                core->hazards.first + meeting->pipe, meeting->op);
    const native_words *words = twin_native_words(meeting->op);
    char missing[160];
    if (earlier->cached)
        snprintf(missing, sizeof(missing),
                 "missing is %s after the one: it is in the data cache of its core", words->clean);
    else if (!earlier->released)
        snprintf(missing, sizeof(missing),
                 "the set of that block does not wait for it: missing are %s(%s%s, ...) and %s "
                 "before the set",
                 words->set, words->pipe, from, words->wait);
    else
        snprintf(missing, sizeof(missing), "missing is a %s that %s%s comes after",
                 words->cross_core_wait, words->pipe, to);
    twin_native_report(core, key,
                       "%s (%s) %s global memory at 0x%llx while %s (%s) of block %u may still "
                       "write it: %s",
                       twin_native_op_name(meeting->op), to, meeting->write ? "writes" : "reads",
                       (unsigned long long)earlier->address, twin_native_op_name(earlier->op), from,
                       earlier->block, missing);
}

void twin_native_hazard_meet(void *user, const native_write *earlier)
{
    const native_meeting *meeting = user;
    native_core *core = meeting->core;
    const native_hazards *hazards = &core->hazards;
    const uint32_t own = hazards->first + meeting->pipe;
    if (earlier->block != core->block->number) {
        meet_other_block(meeting, earlier);
        return;
    }
    if (earlier->pipe == own || earlier->time <= hazards->pipe[meeting->pipe].time[earlier->pipe])
        return;
    if (meeting->write && earlier->atomic != TWK_ATOMIC_NONE)
        return; /* reported when it is read */
    const uint32_t there = earlier->pipe / NATIVE_PIPES, here = own / NATIVE_PIPES;
    const char *from = twin_native_pipe_name(earlier->pipe % NATIVE_PIPES);
    const char *to = twin_native_pipe_name(meeting->pipe);
    const native_words *words = twin_native_words(meeting->op);
    const uint64_t key = key_of(meeting->write ? GLOBAL_WRITE : GLOBAL_READ, 0, earlier->pipe,
                                earlier->op, own, meeting->op);
    if (there == here)
        twin_native_report(
            core, key,
            "%s (%s) %s global memory at 0x%llx while %s (%s) of the same block may "
            "still write it: missing are %s(%s%s, %s%s, ...) after %s and %s of the same before %s",
            twin_native_op_name(meeting->op), to, meeting->write ? "writes" : "reads",
            (unsigned long long)earlier->address, twin_native_op_name(earlier->op), from,
            words->set, words->pipe, from, words->pipe, to, twin_native_op_name(earlier->op),
            words->wait, twin_native_op_name(meeting->op));
    else
        twin_native_report(
            core, key,
            "%s (%s) %s global memory at 0x%llx while %s (%s) of another core of the "
            "block may still write it: missing are %s(%s%s, ...) after %s and %s(%s%s, ...) before "
            "%s",
            twin_native_op_name(meeting->op), to, meeting->write ? "writes" : "reads",
            (unsigned long long)earlier->address, twin_native_op_name(earlier->op), from,
            words->cross_core_set, words->pipe, from, twin_native_op_name(earlier->op),
            words->cross_core_wait, words->pipe, to, twin_native_op_name(meeting->op));
}

/* ---- blocks ---------------------------------------------------------------------------------- */

void twin_native_hazard_begin(native_core *core, uint32_t first, uint32_t clocks)
{
    native_hazards *hazards = &core->hazards;
    hazards->first = first;
    hazards->clocks = clocks;
    hazards->scalar_touched = false;
    hazards->range_count = 0;
    for (uint32_t pipe = 0; pipe < NATIVE_PIPES; pipe++) {
        memset(hazards->pipe[pipe].time, 0, clocks * sizeof(hazards->pipe[pipe].time[0]));
        hazards->pipe[pipe].time[first + pipe] = 1;
    }
    for (uint32_t pair = 0; hazards->pairs_used != 0; pair++, hazards->pairs_used >>= 1)
        if (hazards->pairs_used & 1)
            memset(&hazards->flags[pair * NATIVE_IDS], 0, NATIVE_IDS * sizeof(hazards->flags[0]));
    for (uint32_t i = 0; i < NATIVE_BUFFERS; i++)
        shadow_begin(core, &hazards->shadow[i], core->size[i]);
}

void twin_native_hazard_end(native_core *core)
{
    const native_hazards *hazards = &core->hazards;
    for (uint32_t i = native_hazard_flag(hazards, 0); i < NATIVE_PAIRS * NATIVE_IDS;
         i = native_hazard_flag(hazards, i + 1)) {
        if (hazards->flags[i] < 0)
            continue;
        const uint32_t from = i / (NATIVE_PIPES * NATIVE_IDS);
        const uint32_t to = i / NATIVE_IDS % NATIVE_PIPES;
        twin_native_report(core, key_of(LEFT_SET, 0, from, i % NATIVE_IDS, to, 0),
                           "flag %u from %s to %s is still set at the end: a board keeps it for "
                           "the next kernel, whose first wait passes too early",
                           i % NATIVE_IDS, twin_native_pipe_name(from), twin_native_pipe_name(to));
    }
}

void twin_native_hazard_free(native_hazards *hazards)
{
    for (uint32_t i = 0; i < NATIVE_BUFFERS; i++)
        free(hazards->shadow[i].spans);
    free(hazards->flag_clock);
    free(hazards->pieces);
    free(hazards->ranges);
    *hazards = (native_hazards){0};
}
