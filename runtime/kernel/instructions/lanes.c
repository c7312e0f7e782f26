/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/instructions/lanes.h"

#include <string.h>

#include "kernel/access.h"
#include "twinrt/kernel.h"

/* ---- which elements -------------------------------------------------------------------------- */

static void choose(native_lanes *lanes, const uint64_t mask[2])
{
    uint32_t lane = 0;
    while (lane < lanes->per_repeat) {
        const uint64_t word = mask[lane / 64] >> lane % 64;
        if (word == 0) {
            lane = (lane / 64 + 1) * 64;
            continue;
        }
        lane += (uint32_t)__builtin_ctzll(word);
        if (lane >= lanes->per_repeat)
            break;
        const uint32_t begin = lane;
        while (lane < lanes->per_repeat && (mask[lane / 64] >> lane % 64 & 1) != 0)
            lanes->chosen[lanes->chosen_count++] = (uint8_t)lane++;
        lanes->runs[lanes->run_count++] = (native_range){begin, lane};
    }
}

static void choose_all(native_lanes *lanes)
{
    for (uint32_t lane = 0; lane < lanes->per_repeat; lane++)
        lanes->chosen[lane] = (uint8_t)lane;
    lanes->chosen_count = lanes->last = lanes->per_repeat;
    lanes->runs[0] = (native_range){0, lanes->per_repeat};
    lanes->run_count = 1;
}

static bool choose_count(native_lanes *lanes, uint64_t count)
{
    if (count > NATIVE_COUNT_MOST)
        twin_native_refuse(lanes->core, TWIN_NATIVE_OPERATION,
                           "the mask counts %llu elements; the maximum is %llu",
                           (unsigned long long)count, (unsigned long long)NATIVE_COUNT_MOST);
    lanes->counted = true;
    lanes->repeats = (uint32_t)native_divide_up(count, lanes->per_repeat);
    choose_all(lanes);
    if (lanes->repeats > 0)
        lanes->last = (uint32_t)count - (lanes->repeats - 1) * lanes->per_repeat;
    return lanes->repeats > 0;
}

static void begin(native_lanes *lanes, native_core *core, const twk_instruction *instruction,
                  uint32_t per_repeat, uint64_t repeat)
{
    const native_op op = (native_op)(NATIVE_OP_INSTRUCTION + instruction->number);
    (void)twin_native_operation(TWIN_PIPE_VECTOR, op);
    memset(lanes, 0, offsetof(native_lanes, runs));
    lanes->chosen_count = 0;
    lanes->counted = lanes->reads_dst = false;
    lanes->dst.bits = lanes->a.bits = lanes->b.bits = 0;
    lanes->core = core;
    lanes->op = op;
    lanes->per_repeat = per_repeat;
    lanes->repeats = (uint16_t)repeat;
}

bool twin_native_lanes_begin_all(native_lanes *lanes, native_core *core,
                                 const twk_instruction *instruction, uint32_t per_repeat,
                                 uint64_t repeat)
{
    begin(lanes, core, instruction, per_repeat, repeat);
    choose_all(lanes);
    return lanes->repeats > 0;
}

bool twin_native_lanes_begin(native_lanes *lanes, native_core *core,
                             const twk_instruction *instruction, uint32_t per_repeat,
                             uint64_t repeat)
{
    static const uint64_t all[2] = {UINT64_MAX, UINT64_MAX};
    const native_registers *registers = &core->registers;
    begin(lanes, core, instruction, per_repeat, repeat);
    if (registers->ctrl & NATIVE_CTRL_COUNT)
        return choose_count(lanes, registers->mask[0]);
    if (memcmp(registers->mask, all, sizeof(all)) == 0)
        choose_all(lanes);
    else
        choose(lanes, registers->mask);
    lanes->last = lanes->chosen_count;
    return lanes->repeats > 0 && lanes->chosen_count > 0;
}

uint32_t twin_native_lanes_chosen(const native_lanes *lanes, uint32_t repeat,
                                  const uint8_t **out_lanes)
{
    if (out_lanes)
        *out_lanes = lanes->chosen;
    return repeat + 1 < lanes->repeats ? lanes->chosen_count : lanes->last;
}

/* ---- where they are -------------------------------------------------------------------------- */

/* Distance of an element from the first of its repeat, in bits. */
static inline uint64_t place_of(const native_operand *operand, uint32_t lane)
{
    return (uint64_t)(lane / operand->block_lanes) * operand->block_stride *
               (NATIVE_BLOCK_BYTES * 8) +
           operand->offset * 8u + (uint64_t)(lane % operand->block_lanes) * operand->bits;
}

/* Elements of a repeat follow on each other. */
static inline bool follows(const native_operand *operand)
{
    return operand->block_stride == 1 &&
           (uint32_t)operand->block_lanes * operand->bits == NATIVE_BLOCK_BYTES * 8;
}

/* Bytes from the first of a repeat to the last of its first `count` chosen elements. */
static uint64_t reach(const native_lanes *lanes, const native_operand *operand, uint32_t count)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t end = place_of(operand, lanes->chosen[i]) + operand->bits;
        most = end > most ? end : most;
    }
    return native_divide_up(most, 8);
}

unsigned char *twin_native_lanes_local(native_core *core, const char *name, uint64_t at,
                                       uint64_t bytes, uint32_t unit)
{
    const uint32_t room = core->size[TWK_UB];
    if (__builtin_expect(at % unit != 0, 0))
        twin_native_refuse(core, TWIN_NATIVE_ALIGNMENT, "%s is %llu in UB, not a multiple of %u",
                           name, (unsigned long long)at, unit);
    if (__builtin_expect(at > room || bytes > room - at, 0))
        twin_native_refuse(core, TWIN_NATIVE_BUFFER,
                           "%s needs %llu bytes at %llu in UB, which has %u", name,
                           (unsigned long long)bytes, (unsigned long long)at, room);
    return core->buffer[TWK_UB] + at;
}

void twin_native_lanes_check(const native_lanes *lanes, const native_operand *operand,
                             uint32_t unit)
{
    const uint64_t pitch = (uint64_t)operand->repeat_stride * NATIVE_BLOCK_BYTES;
    uint64_t bytes = (lanes->repeats - 1) * pitch + reach(lanes, operand, lanes->last);
    if (lanes->repeats > 1 && lanes->last < lanes->chosen_count) {
        const uint64_t full =
            (lanes->repeats - 2) * pitch + reach(lanes, operand, lanes->chosen_count);
        bytes = full > bytes ? full : bytes;
    }
    (void)twin_native_lanes_local(lanes->core, operand->name, operand->at, bytes, unit);
}

/* All repeats follow on each other, and have all of their elements but at the end. */
static bool is_dense(const native_lanes *lanes, const native_operand *operand)
{
    const uint32_t bytes = lanes->per_repeat * operand->bits / 8;
    return follows(operand) && lanes->run_count == 1 && lanes->runs[0].begin == 0 &&
           (lanes->repeats == 1 || (operand->repeat_stride * NATIVE_BLOCK_BYTES == bytes &&
                                    lanes->chosen_count == lanes->per_repeat));
}

/* ---- notes ----------------------------------------------------------------------------------- */

static void add(const native_lanes *lanes, const native_operand *operand, uint64_t base,
                uint32_t first, uint32_t end)
{
    const uint64_t begin_bit = place_of(operand, first);
    native_hazard_join_range(
        lanes->core, &lanes->core->hazards, (uint32_t)(base + begin_bit / 8),
        (uint32_t)(base +
                   native_divide_up(begin_bit + (uint64_t)(end - first) * operand->bits, 8)));
}

static void add_run(const native_lanes *lanes, const native_operand *operand, uint64_t base,
                    native_range run)
{
    if (follows(operand)) {
        add(lanes, operand, base, run.begin, run.end);
        return;
    }
    for (uint32_t lane = run.begin, next; lane < run.end; lane = next) {
        next = (lane / operand->block_lanes + 1) * operand->block_lanes;
        next = next < run.end ? next : run.end;
        add(lanes, operand, base, lane, next);
    }
}

void twin_native_lanes_note(const native_lanes *lanes, const native_operand *operand, bool write)
{
    native_core *core = lanes->core;
    if (is_dense(lanes, operand)) {
        const uint32_t at = (uint32_t)operand->at;
        native_hazard_add_range(core, &core->hazards, at,
                                at + (uint32_t)native_divide_up(
                                         (uint64_t)native_lanes_count(lanes) * operand->bits, 8));
    } else {
        /* Repeats at one place touch the same bytes. */
        const uint32_t repeats = operand->repeat_stride == 0 ? 1 : lanes->repeats;
        for (uint32_t repeat = 0; repeat < repeats; repeat++) {
            const uint64_t base =
                operand->at + (uint64_t)repeat * operand->repeat_stride * NATIVE_BLOCK_BYTES;
            const bool part = repeat + 1 == lanes->repeats && lanes->last < lanes->chosen_count;
            if (part)
                add_run(lanes, operand, base, (native_range){0, lanes->last});
            for (uint32_t i = 0; i < lanes->run_count && !part; i++)
                add_run(lanes, operand, base, lanes->runs[i]);
        }
    }
    twin_native_hazard_note(core, TWK_UB, TWIN_PIPE_VECTOR, lanes->op, write);
}

/* ---- to and from ----------------------------------------------------------------------------- */

static unsigned char *base_of(const native_lanes *lanes, const native_operand *operand,
                              uint32_t repeat)
{
    return lanes->core->buffer[TWK_UB] + operand->at +
           (size_t)repeat * operand->repeat_stride * NATIVE_BLOCK_BYTES;
}

static uint8_t nibble(const unsigned char *base, uint64_t bit)
{
    return base[bit / 8] >> bit % 8 & 15;
}

static void put_nibble(unsigned char *base, uint64_t bit, uint8_t value)
{
    unsigned char *at = base + bit / 8;
    *at = (unsigned char)(bit % 8 ? (*at & 0x0f) | value << 4 : (*at & 0xf0) | (value & 15));
}

/* Copies elements of a repeat from `packed` on, which follow on each other there. */
static void copy_nibbles(const native_operand *operand, unsigned char *base, native_range run,
                         unsigned char *packed, bool out)
{
    for (uint32_t lane = run.begin; lane < run.end; lane++, packed++)
        if (out)
            put_nibble(base, place_of(operand, lane), *packed);
        else
            *packed = nibble(base, place_of(operand, lane));
}

static void copy_run(const native_operand *operand, unsigned char *base, native_range run,
                     unsigned char *packed, bool out)
{
    const uint32_t size = operand->bits / 8;
    for (uint32_t lane = run.begin, next; lane < run.end; lane = next) {
        next =
            follows(operand) ? run.end : (lane / operand->block_lanes + 1) * operand->block_lanes;
        next = next < run.end ? next : run.end;
        unsigned char *there = base + place_of(operand, lane) / 8;
        const size_t bytes = (size_t)(next - lane) * size;
        memcpy(out ? there : packed, out ? packed : there, bytes);
        packed += bytes;
    }
}

/* The chosen elements of a repeat. */
static void copy_chosen(const native_lanes *lanes, const native_operand *operand, uint32_t repeat,
                        unsigned char *packed, bool out)
{
    unsigned char *base = base_of(lanes, operand, repeat);
    const bool part = repeat + 1 == lanes->repeats && lanes->last < lanes->chosen_count;
    for (uint32_t i = 0; i < lanes->run_count; i++) {
        const native_range run = part ? (native_range){0, lanes->last} : lanes->runs[i];
        if (operand->bits < 8)
            copy_nibbles(operand, base, run, packed, out);
        else
            copy_run(operand, base, run, packed, out);
        packed += (size_t)(run.end - run.begin) * (operand->bits < 8 ? 1 : operand->bits / 8);
    }
}

uint32_t twin_native_lanes_gather(const native_lanes *lanes, const native_operand *operand,
                                  uint32_t repeat, unsigned char *to)
{
    copy_chosen(lanes, operand, repeat, to, false);
    return twin_native_lanes_chosen(lanes, repeat, NULL);
}

void twin_native_lanes_scatter(const native_lanes *lanes, const native_operand *operand,
                               uint32_t repeat, const unsigned char *from)
{
    copy_chosen(lanes, operand, repeat, (unsigned char *)(uintptr_t)from, true);
}

/* ---- all ------------------------------------------------------------------------------------- */

#define ROOM (NATIVE_LANES_MOST * NATIVE_ELEMENT_MOST)

/* The elements of an operand in a repeat: where they are, if they follow on each other. */
static const unsigned char *open_operand(const native_lanes *lanes, const native_operand *operand,
                                         uint32_t repeat, unsigned char *room)
{
    if (operand->bits == 0)
        return NULL;
    if (operand->bits >= 8 && follows(operand) && lanes->run_count == 1)
        return base_of(lanes, operand, repeat) + place_of(operand, lanes->runs[0].begin) / 8;
    twin_native_lanes_gather(lanes, operand, repeat, room);
    return room;
}

static void run_repeat(const native_lanes *lanes, uint32_t repeat, native_lane_compute *compute,
                       native_lane_work *work)
{
    unsigned char a[ROOM] __attribute__((aligned(32)));
    unsigned char b[ROOM] __attribute__((aligned(32)));
    unsigned char dst[ROOM] __attribute__((aligned(32)));
    work->repeat = repeat;
    work->count = twin_native_lanes_chosen(lanes, repeat, NULL);
    work->lanes = lanes->run_count == 1 && lanes->runs[0].begin == 0 ? NULL : lanes->chosen;
    work->a = open_operand(lanes, &lanes->a, repeat, a);
    work->b = open_operand(lanes, &lanes->b, repeat, b);
    work->dst = dst;
    if (lanes->reads_dst)
        twin_native_lanes_gather(lanes, &lanes->dst, repeat, dst);
    compute(work);
    twin_native_lanes_scatter(lanes, &lanes->dst, repeat, dst);
}

/* Whether an operand is the destination, or elsewhere: then nothing that is read was written by an
 * earlier repeat. */
static bool is_apart(const native_lanes *lanes, const native_operand *operand)
{
    const uint64_t count = native_lanes_count(lanes);
    const uint64_t bytes = count * operand->bits / 8, written = count * lanes->dst.bits / 8;
    return operand->bits == 0 ||
           (operand->at == lanes->dst.at && operand->bits == lanes->dst.bits) ||
           operand->at + bytes <= lanes->dst.at || lanes->dst.at + written <= operand->at;
}

static bool at_once(const native_lanes *lanes, const native_operand *operand)
{
    return operand->bits == 0 ||
           (operand->bits >= 8 && is_dense(lanes, operand) && is_apart(lanes, operand));
}

void twin_native_lanes_run(const native_lanes *lanes, native_lane_compute *compute, const void *how)
{
    const native_operand *operands[] = {&lanes->a, &lanes->b, &lanes->dst};
    for (uint32_t i = 0; i < 3; i++)
        if (operands[i]->bits > 0)
            twin_native_lanes_check(lanes, operands[i], NATIVE_BLOCK_BYTES);
    for (uint32_t i = 0; i < 3; i++)
        if (operands[i]->bits > 0 && (i < 2 || lanes->reads_dst))
            twin_native_lanes_note(lanes, operands[i], false);
    twin_native_lanes_note(lanes, &lanes->dst, true);
    if (!native_computes(lanes->core))
        return;
    native_lane_work work = {.core = lanes->core, .how = how, .per_repeat = lanes->per_repeat};
    if (at_once(lanes, &lanes->dst) && at_once(lanes, &lanes->a) && at_once(lanes, &lanes->b)) {
        unsigned char *ub = lanes->core->buffer[TWK_UB];
        work.a = lanes->a.bits > 0 ? ub + lanes->a.at : NULL;
        work.b = lanes->b.bits > 0 ? ub + lanes->b.at : NULL;
        work.dst = ub + lanes->dst.at;
        work.count = native_lanes_count(lanes);
        compute(&work);
        return;
    }
    for (uint32_t repeat = 0; repeat < lanes->repeats; repeat++)
        run_repeat(lanes, repeat, compute, &work);
}

void twin_native_lanes_time(const native_lanes *lanes, uint32_t op, uint32_t type)
{
    const native_operand *operands[] = {&lanes->a, &lanes->b, &lanes->dst};
    const uint32_t count =
        lanes->counted ? native_lanes_count(lanes) : lanes->repeats * lanes->per_repeat;
    const twk_vector call = {
        .op = (uint8_t)op, .type = (uint8_t)type, .to = (uint8_t)type, .count = count};
    native_operands on = {.call = &call,
                          .core = lanes->core,
                          .size = NATIVE_REPEAT_BYTES / lanes->per_repeat,
                          .computed = native_lanes_count(lanes),
                          .to = lanes->dst.bits > 0 ? (uint32_t)lanes->dst.at : NATIVE_NOWHERE};
    for (uint32_t i = 0; i < 3; i++)
        if (operands[i]->bits > 0 && (i < 2 || lanes->reads_dst))
            on.reads[on.read_count++] = (uint32_t)operands[i]->at;
    twin_native_step(lanes->core, TWIN_PIPE_VECTOR, TWIN_STEP_WORK, 0,
                     twin_native_vector_cycles(&on));
}

void twin_native_vector_fit(native_core *core, int extra, uint64_t steps, uint32_t each)
{
    const twin_core_properties *of = core->run->call.core;
    const int64_t start = (int64_t)of->vector_start + extra;
    const uint64_t turns = native_divide_up(NATIVE_REPEAT_BYTES, of->vector_bytes);
    twin_native_step(core, TWIN_PIPE_VECTOR, TWIN_STEP_WORK, 0,
                     (start > 0 ? (uint64_t)start : 0) + steps * each * turns);
}
