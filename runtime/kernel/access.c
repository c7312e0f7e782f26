/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/access.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel/number.h"
#include "kernel/poll.h"
#include "kernel/print_buffer.h"
#include "twinrt/kernel.h"

#define PITCH_MOST ((uint64_t)1 << 31) /* of rows in global memory: no sum of them wraps */
#define GAP_MOST   ((uint64_t)1 << 30) /* of a message: what is further away says nothing */

static void NATIVE_COLD no_step(native_core *core)
{
    const unsigned long long steps = core->steps.count;
    if (steps < NATIVE_STEPS_MOST)
        twin_native_fail(core, TWIN_NATIVE_NOMEM, NULL, "no host memory");
    twin_native_refuse(core, TWIN_NATIVE_TIME, "the core has done %llu steps and is not done%s",
                       steps, twin_native_poll_text(core).text);
}

void twin_native_step(native_core *core, uint32_t pipe, twin_step_kind kind, uint32_t flag,
                      uint64_t amount)
{
    if (__builtin_expect(
            !native_steps_add(&core->steps, (twin_pipe)pipe, kind, (uint16_t)flag, amount), 0))
        no_step(core);
}

/* Where the rows are that `step`, the newest, moves. */
static void place_rows(twin_step *step, const native_rows *rows)
{
    step->address = rows->address;
    if (rows->rows == 1 || rows->pitch == rows->bytes)
        return;
    step->row_bytes = rows->bytes;
    step->pitch = (uint32_t)rows->pitch;
}

void twin_native_global_noted(native_core *core, uint32_t pipe, const native_rows *rows)
{
    const native_hazards *hazards = &core->hazards;
    const bool whole = rows->rows == 1 || rows->pitch == rows->bytes;
    const uint64_t bytes = (uint64_t)rows->rows * rows->bytes;
    native_read read = {.address = rows->address,
                        .pitch = rows->pitch,
                        .rows = rows->rows,
                        .bytes = rows->bytes,
                        .block = core->block->number,
                        .pipe = (uint8_t)(hazards->first + pipe),
                        .op = core->op,
                        .time = hazards->pipe[pipe].time[hazards->first + pipe],
                        .visible = core->run->barrier};
    if (whole && bytes <= UINT32_MAX) {
        read.rows = 1;
        read.bytes = (uint32_t)bytes;
    }
    if (!twin_native_reads_add(&core->block->reads, &read))
        twin_native_fail(core, TWIN_NATIVE_NOMEM, NULL, "no host memory");
}

void twin_native_global_step(native_core *core, uint32_t pipe, twin_step_kind kind,
                             const native_rows *rows)
{
    if (kind == TWIN_STEP_READ && pipe != TWIN_PIPE_SCALAR && core->run->notes_reads)
        twin_native_global_noted(core, pipe, rows);
    const bool in_host =
        twin_native_memory_in_host(&core->run->memory, rows->address, kind == TWIN_STEP_WRITE);
    const bool placed = core->run->call.core->places && !in_host;
    const uint32_t bits = in_host ? TWIN_STEP_IN_HOST : placed ? rows->bits : 0;
    /* Rows that far apart are steps of their own. */
    const uint32_t each = placed && rows->rows > 1 && rows->pitch > UINT32_MAX ? 1 : rows->rows;
    for (uint32_t row = 0; row < rows->rows; row += each) {
        twin_native_step(core, pipe, kind, bits, (uint64_t)each * rows->bytes);
        native_rows part = *rows;
        part.address += row * rows->pitch;
        part.rows = each;
        if (placed)
            place_rows(&core->steps.list[core->steps.count - 1], &part);
    }
}

void twin_native_scalar_time(native_core *core)
{
    const uint64_t blocks = native_fiber_head_of(&core->fiber)->count.blocks;
    const uint64_t passed = blocks - core->counted;
    core->counted = blocks;
    twin_native_step(core, TWIN_PIPE_SCALAR, TWIN_STEP_WORK, 0,
                     passed * core->run->call.core->scalar_block);
}

static bool has_pipe(const native_core *core, uint32_t pipe)
{
    switch (pipe) {
    case TWIN_PIPE_VECTOR:
        return core->has_vector;
    case TWIN_PIPE_MTE3: /* of a cube core for L1 to global memory, by instructions alone */
        return core->has_vector ||
               (core->run->call.core->split && core->op >= NATIVE_OP_INSTRUCTION);
    case TWIN_PIPE_CUBE:
    case TWIN_PIPE_MTE1:
    case TWIN_PIPE_FIX:
        return core->has_cube;
    default:
        return pipe < TWIN_PIPE_COUNT;
    }
}

native_core *twin_native_operation(uint32_t pipe, native_op op)
{
    native_core *core = native_caller(op);
    core->op = op;
    twin_native_scalar_time(core);
    if (__builtin_expect(!has_pipe(core, pipe), 0))
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "a %s core has no pipe %s",
                           core->has_cube ? "cube" : "vector", twin_native_pipe_name(pipe));
    twin_native_hazard_issue(core, pipe);
    return core;
}

static void NATIVE_COLD bad_range(native_core *core, uint32_t buffer, uint64_t at, uint64_t bytes,
                                  uint32_t unit)
{
    const char *name = twin_native_buffer_name(buffer);
    if (core->size[buffer] == 0)
        twin_native_refuse(core, TWIN_NATIVE_BUFFER, "a %s core has no %s",
                           core->has_cube ? "cube" : "vector", name);
    if (at % unit != 0)
        twin_native_refuse(core, TWIN_NATIVE_ALIGNMENT, "offset %llu in %s is not a multiple of %u",
                           (unsigned long long)at, name, unit);
    twin_native_refuse(core, TWIN_NATIVE_BUFFER, "bytes %llu to %llu are not in %s, which has %u",
                       (unsigned long long)at, (unsigned long long)(at + bytes - 1), name,
                       core->size[buffer]);
}

unsigned char *twin_native_local(native_core *core, uint32_t buffer, uint64_t at, uint64_t bytes,
                                 uint32_t unit)
{
    if (__builtin_expect(at % unit != 0 || at > core->size[buffer] ||
                             bytes > core->size[buffer] - at || core->size[buffer] == 0,
                         0))
        bad_range(core, buffer, at, bytes, unit);
    return core->buffer[buffer] + at;
}

const unsigned char *twin_native_source(native_core *core, uint32_t buffer, uint32_t pipe,
                                        native_op op, uint64_t at, uint64_t bytes, uint32_t unit)
{
    const unsigned char *local = twin_native_local(core, buffer, at, bytes, unit);
    twin_native_hazard_read(core, buffer, pipe, op, (uint32_t)at, (uint32_t)bytes);
    return local;
}

unsigned char *twin_native_target(native_core *core, uint32_t buffer, uint32_t pipe, native_op op,
                                  uint64_t at, uint64_t bytes, uint32_t unit)
{
    unsigned char *local = twin_native_local(core, buffer, at, bytes, unit);
    twin_native_hazard_write(core, buffer, pipe, op, (uint32_t)at, (uint32_t)bytes);
    return local;
}

/* Of the bytes from `address` on, which are not all there, as many as are. */
static uint32_t count_there(native_memory *memory, uint64_t address, uint32_t bytes, bool write)
{
    uint32_t there = 0;
    uint32_t gone = bytes;
    while (gone - there > 1) {
        const uint32_t middle = there + (gone - there) / 2;
        if (twin_native_memory_find(memory, address, middle, write))
            there = middle;
        else
            gone = middle;
    }
    return there;
}

/* How far before `address`, which is not there, an allocation ends; 0: none does nearby. */
static uint64_t gap_before(native_memory *memory, uint64_t address, bool write)
{
    uint64_t gone = 0;
    uint64_t there = 1;
    while (there <= GAP_MOST && there <= address &&
           !twin_native_memory_find(memory, address - there, 1, write)) {
        gone = there;
        there *= 2;
    }
    if (there > GAP_MOST || there > address)
        return 0;
    while (there - gone > 1) {
        const uint64_t middle = gone + (there - gone) / 2;
        if (twin_native_memory_find(memory, address - middle, 1, write))
            there = middle;
        else
            gone = middle;
    }
    return there;
}

/* What is near the bytes, for a message; nothing in a part of a launch, which has none. */
static void NATIVE_COLD write_near(twin_native_run *run, uint64_t address, uint32_t bytes,
                                   bool write, char *out, size_t room)
{
    out[0] = '\0';
    if (run->stop)
        return;
    native_memory *memory = &run->memory;
    const twin_reach *reach = memory->reach;
    twin_reach looks = *reach; /* what else is wrong there has been said */
    looks.silent = true;
    memory->reach = &looks;
    const uint32_t there = count_there(memory, address, bytes, write);
    const uint64_t gap = there > 0 ? 0 : gap_before(memory, address, write);
    memory->reach = reach;
    if (there > 0)
        snprintf(out, room, ": it ends after %u of them", there);
    else if (gap > 0)
        snprintf(out, room, ": one ends %llu bytes before them", (unsigned long long)(gap - 1));
}

static void NATIVE_COLD bad_global(native_core *core, native_op op, uint64_t address,
                                   uint32_t bytes, bool write)
{
    char near[80];
    write_near(core->run, address, bytes, write, near, sizeof(near));
    twin_native_fail(core, TWIN_NATIVE_ADDRESS, &address,
                     "%s %s %u bytes of global memory at 0x%llx, which are not inside an "
                     "allocation%s",
                     twin_native_op_name(op), write ? "writes" : "reads", bytes,
                     (unsigned long long)address, near);
}

/* What headers print has no gaps. */
static void NATIVE_COLD check_printed(native_core *core, native_op op, uint64_t address,
                                      uint64_t pitch, uint32_t rows, uint32_t bytes)
{
    if (rows > 1 && pitch != bytes)
        bad_global(core, op, address, bytes, true);
    (void)twin_native_print_bytes(core, op, address, (uint64_t)rows * bytes);
}

void twin_native_check_global(native_core *core, native_op op, uint64_t address, uint64_t pitch,
                              uint32_t rows, uint32_t bytes, bool write)
{
    native_memory *memory = &core->run->memory;
    const uint64_t span = (uint64_t)(rows - 1) * pitch;
    if (__builtin_expect(native_is_printed(address), 0)) {
        check_printed(core, op, address, pitch, rows, bytes);
        return;
    }
    if (rows > 1 && pitch > PITCH_MOST)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "rows that are %llu bytes apart in global memory; the maximum is %llu",
                           (unsigned long long)pitch, (unsigned long long)PITCH_MOST);
    if ((rows == 1 || !memory->reach->exact) && span <= UINT64_MAX - bytes &&
        twin_native_memory_find(memory, address, span + bytes, write))
        return;
    for (uint32_t row = 0; row < rows; row++)
        if (rows == 1 || !twin_native_memory_find(memory, address + row * pitch, bytes, write))
            bad_global(core, op, address + row * pitch, bytes, write);
}

void twin_native_global_read(native_core *core, uint32_t pipe, native_op op, uint64_t address,
                             uint32_t bytes, unsigned char *out)
{
    native_meeting meeting = {.core = core, .pipe = pipe, .op = op};
    if (__builtin_expect(native_is_printed(address), 0)) {
        memcpy(out, twin_native_print_bytes(core, op, address, bytes), bytes);
        return;
    }
    if (!native_computes(core) && pipe != TWIN_PIPE_SCALAR) {
        twin_native_overlay_touch(&core->run->memory, &core->block->writes, address, bytes,
                                  twin_native_hazard_meet, &meeting);
        return;
    }
    while (twin_native_overlay_read(&core->run->memory, &core->block->writes, address, bytes, out,
                                    twin_native_hazard_meet, &meeting))
        if (__builtin_expect(!twin_native_poll_waits(core, address, bytes, out), 1))
            return;
    if (core->run->memory.gone) /* another thread has freed it since it was found */
        bad_global(core, op, address, bytes, false);
    else
        twin_native_fail(core, TWIN_NATIVE_NOMEM, NULL, "no host memory");
}

/* Whether the bytes at `address` are marked. Less than a word is if it is a floating NaN or if its
 * whole word is marked. */
static bool is_marked(native_core *core, native_op op, uint32_t type, uint64_t address,
                      uint32_t size, const unsigned char *value)
{
    uint32_t marks = 0;
    for (uint32_t i = 0; i < size; i++)
        marks += value[i] == native_mark(address + i);
    if (size == 8)
        return memcmp(value, &(uint32_t){TWIN_NATIVE_MARK}, 4) == 0 ||
               memcmp(value + 4, &(uint32_t){TWIN_NATIVE_MARK}, 4) == 0;
    if (marks < size || size == 4 || type == TWK_FP16 || type == TWK_BF16)
        return marks == size;
    const uint64_t word = address & ~(uint64_t)3;
    uint32_t whole = 0;
    if (twin_native_memory_find(&core->run->memory, word, sizeof(whole), false))
        twin_native_global_read(core, TWIN_PIPE_SCALAR, op, word, sizeof(whole),
                                (unsigned char *)&whole);
    return whole == TWIN_NATIVE_MARK;
}

void twin_native_seen_global(native_core *core, native_op op, uint32_t type, uint64_t address,
                             uint32_t size, void *out)
{
    twin_native_global_read(core, TWIN_PIPE_SCALAR, op, address, size, out);
    if (__builtin_expect(native_computes(core) && !twin_native_memory_marked(), 1) ||
        !is_marked(core, op, type, address, size, out))
        return;
    twin_native_fail(core, TWIN_NATIVE_UNCOMPUTED, &address,
                     "%s reads global memory at 0x%llx, which was not computed: " NATIVE_COMPUTE_IT,
                     twin_native_op_name(op), (unsigned long long)address);
}

void twin_native_seen_local(native_core *core, uint32_t buffer, uint64_t at, uint64_t bytes)
{
    const native_span *span =
        native_computes(core)
            ? NULL
            : twin_native_hazard_written(core, buffer, (uint32_t)at, (uint32_t)bytes);
    if (span)
        twin_native_refuse(core, TWIN_NATIVE_UNCOMPUTED,
                           "it reads %s bytes %llu to %llu, which %s (%s) writes and which were "
                           "not computed: " NATIVE_COMPUTE_IT,
                           twin_native_buffer_name(buffer), (unsigned long long)at,
                           (unsigned long long)(at + bytes - 1),
                           twin_native_op_name(span->write_op),
                           twin_native_pipe_name(span->write_pipe));
}

unsigned char *twin_native_global_write(native_core *core, uint32_t pipe, native_op op,
                                        const native_write *write)
{
    native_meeting meeting = {.core = core, .pipe = pipe, .op = op, .write = true};
    if (__builtin_expect(native_is_printed(write->address), 0))
        return twin_native_print_bytes(core, op, write->address,
                                       (uint64_t)write->rows * write->bytes);
    native_write full = *write;
    const native_hazards *hazards = &core->hazards;
    full.pipe = (uint8_t)(hazards->first + pipe);
    full.time = hazards->pipe[pipe].time[hazards->first + pipe];
    full.op = op;
    full.block = core->block->number;
    full.seen = twin_native_hazard_seen(core, pipe);
    full.cached = pipe == TWIN_PIPE_SCALAR;
    full.uncomputed = !native_computes(core) && pipe != TWIN_PIPE_SCALAR;
    twin_native_poll_wrote(core, write->address, write->bytes);
    unsigned char *data = twin_native_overlay_write(&core->run->memory, &core->block->writes, &full,
                                                    twin_native_hazard_meet, &meeting);
    if (!data)
        twin_native_fail(core, TWIN_NATIVE_NOMEM, NULL, "no host memory");
    return data;
}

void twin_native_given(native_core *core, uint32_t type, void *at, double value)
{
    twin_native_run *run = core->run;
    bool overflow = false;
    twin_native_store(type, at, value, TWK_ROUND_EVEN, &overflow);
    if (overflow && native_saturates(core))
        twin_native_store(type, at, twin_native_saturated(type, copysign(INFINITY, value)),
                          TWK_ROUND_EVEN, &overflow);
    run->overflowed = run->overflowed || overflow;
}

void twin_native_bad_type(native_core *core, uint32_t type)
{
    if (native_size_of(type) == 0)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "type %u is invalid", type);
    twin_native_refuse(core, TWIN_NATIVE_OPERATION, "it does not take %s",
                       twin_native_type_name(type));
}

uint32_t twin_native_check_type(native_core *core, uint32_t type)
{
    const uint32_t size = native_size_of(type);
    if (__builtin_expect(size == 0, 0))
        twin_native_bad_type(core, type);
    if (__builtin_expect(type == TWK_BF16 && !core->run->call.bf16, 0))
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "this part has no BF16");
    return size;
}
