/* SPDX-License-Identifier: Apache-2.0 */
/* Happens-before: a vector clock for each pipe, carried by flags, and for each byte of a buffer its
 * last access. What is touched without being ordered is a hazard: a board might do it the other way
 * round.
 *
 * A pipe's clock holds a time for each pipe of the block: up to where that pipe's work is done
 * before what comes next in this one. A pipe's own time goes up each time it lets others know. */
#ifndef TWINRT_KERNEL_HAZARD_H
#define TWINRT_KERNEL_HAZARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/names.h"
#include "kernel/source_line.h"
#include "seam/launch.h"

#define NATIVE_PIPES   7u /* of a core, as twin_pipe numbers them */
#define NATIVE_CLOCKS  28u
#define NATIVE_PAIRS   (NATIVE_PIPES * NATIVE_PIPES)
#define NATIVE_IDS     TWIN_STEP_FLAG_IDS /* flags of a pair of pipes */
#define NATIVE_NO_PIPE 0xffu
#define NATIVE_BUFFERS 8u /* of a core: as twk_buffer numbers them, and native_buffer */

typedef struct native_clock {
    uint32_t time[NATIVE_CLOCKS];
} native_clock;

/* Bytes of a buffer that were treated alike: up to where the next span begins. */
typedef struct native_span {
    uint32_t begin;
    uint32_t write_time;
    uint32_t read_time[NATIVE_PIPES];
    native_op write_op;
    native_op read_op[NATIVE_PIPES];
    uint8_t write_pipe; /* NATIVE_NO_PIPE: never written */
    uint8_t reserved[3];
} native_span;

typedef struct native_shadow {
    native_span *spans;
    uint32_t count, room;
    uint32_t bytes;
} native_shadow;

struct native_core;

/* Bytes of a buffer, up to `end`. */
typedef struct native_range {
    uint32_t begin, end;
} native_range;

typedef struct native_hazards {
    uint32_t first;  /* number of this core's scalar unit among the clocks */
    uint32_t clocks; /* of the block */
    native_clock pipe[NATIVE_PIPES];
    bool scalar_touched; /* it read or wrote since its time last went up */
    uint64_t
        pairs_used; /* bit n: a flag of that pair of pipes was set or waited for in this block */
    int16_t flags[NATIVE_PAIRS * NATIVE_IDS]; /* 0 in all other pairs */
    native_clock *flag_clock;                 /* of each flag; NULL until one is set */
    uint32_t open_wait; /* number of a flag: if its count is below 0, that of its first wait */
    native_place open_place;
    native_shadow shadow[NATIVE_BUFFERS];
    native_span *pieces; /* room to work */
    size_t pieces_room;
    native_range *ranges; /* that an operation reads or writes */
    size_t range_count, range_room;
} native_hazards;

void twin_native_hazard_more_ranges(struct native_core *core); /* makes room for one */

/* One more range for the next note. */
static inline void native_hazard_add_range(struct native_core *core, native_hazards *hazards,
                                           uint32_t begin, uint32_t end)
{
    if (hazards->range_count == hazards->range_room)
        twin_native_hazard_more_ranges(core);
    hazards->ranges[hazards->range_count++] = (native_range){begin, end};
}
/* The same; it is joined to the one before it if that ends there. */
static inline void native_hazard_join_range(struct native_core *core, native_hazards *hazards,
                                            uint32_t begin, uint32_t end)
{
    const size_t count = hazards->range_count;
    if (count > 0 && hazards->ranges[count - 1].end == begin)
        hazards->ranges[count - 1].end = end;
    else
        native_hazard_add_range(core, hazards, begin, end);
}

/* What has been reported in this run. */
#define NATIVE_REPORTS 64u
typedef struct native_reported {
    uint64_t list[NATIVE_REPORTS];
    uint32_t count;
} native_reported;

struct native_write;
struct twin_native_run;

/* A block begins on the core. */
void twin_native_hazard_begin(struct native_core *core, uint32_t first, uint32_t clocks);
void twin_native_hazard_free(native_hazards *hazards);

/* The first flag from `number` on that is not 0; NATIVE_PAIRS * NATIVE_IDS: none is. */
static inline uint32_t native_hazard_flag(const native_hazards *hazards, uint32_t number)
{
    for (; number < NATIVE_PAIRS * NATIVE_IDS; number++) {
        const uint64_t rest = hazards->pairs_used >> number / NATIVE_IDS;
        if (rest == 0)
            return NATIVE_PAIRS * NATIVE_IDS;
        if ((rest & 1) == 0)
            number = (number / NATIVE_IDS + (uint32_t)__builtin_ctzll(rest)) * NATIVE_IDS;
        if (hazards->flags[number] != 0)
            return number;
    }
    return number;
}

/* The scalar unit puts something into the queue of a pipe. */
void twin_native_hazard_issue(struct native_core *core, uint32_t pipe);
/* `pipe` reads or writes bytes of a buffer. Bytes that were not written are filled, so that a run
 * is the same every time. */
void twin_native_hazard_read(struct native_core *core, uint32_t buffer, uint32_t pipe, native_op op,
                             uint32_t at, uint32_t bytes);
void twin_native_hazard_write(struct native_core *core, uint32_t buffer, uint32_t pipe,
                              native_op op, uint32_t at, uint32_t bytes);
/* The same of the ranges that were added since the last note, in any order. */
void twin_native_hazard_note(struct native_core *core, uint32_t buffer, uint32_t pipe, native_op op,
                             bool write);
/* Strips that one operation reads, in order: they do not overlap. */
typedef struct native_strips {
    uint32_t at, bytes; /* of a strip */
    uint32_t pitch, count;
} native_strips;
void twin_native_hazard_read_strips(struct native_core *core, uint32_t buffer, uint32_t pipe,
                                    native_op op, const native_strips *strips);
/* A span of the bytes that another pipe than the scalar unit has written; NULL: none. The bytes
 * have just been read. */
const native_span *twin_native_hazard_written(const struct native_core *core, uint32_t buffer,
                                              uint32_t at, uint32_t bytes);
/* As order_read or order_write of global memory, whose bytes this block wrote before. */
typedef struct native_meeting {
    struct native_core *core;
    uint32_t pipe;
    native_op op;
    bool write;
} native_meeting;
void twin_native_hazard_meet(void *meeting, const struct native_write *earlier);

/* The pipe lets others know: what they get. */
native_clock twin_native_hazard_release(struct native_core *core, uint32_t pipe);
/* What comes next in the pipe comes after that. */
void twin_native_hazard_join(struct native_core *core, uint32_t pipe, const native_clock *clock);
/* What is known by one or the other. */
void twin_native_clock_join(native_clock *into, const native_clock *from, uint32_t clocks);
/* The scalar unit waits for all pipes. */
void twin_native_hazard_barrier(struct native_core *core);

/* The end of the block: flags that are left. */
void twin_native_hazard_end(struct native_core *core);

/* The newest barrier of the launch after which the pipe's next operation comes; 0: none. */
uint32_t twin_native_hazard_seen(const struct native_core *core, uint32_t pipe);

/* A line that a core reports, and where in its source. */
typedef struct native_report {
    char text[832];
    native_place place;
} native_report;
/* Passes it on, on the stack of the run. */
void twin_native_report_now(struct twin_native_run *run, native_report *report);

/* Reports a line, once in a run for each key. */
void twin_native_report(struct native_core *core, uint64_t key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void twin_native_report_block(struct twin_native_run *run, uint32_t block, uint64_t key,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
