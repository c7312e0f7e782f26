/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that reduce elements of a repeat: all of them, those of each block, or pairs. */
#include <math.h>
#include <string.h>

#include "kernel/access.h"
#include "kernel/instructions/argument.h"
#include "kernel/instructions/decoders.h"
#include "kernel/instructions/lanes.h"
#include "kernel/number.h"
#include "twinrt/kernel.h"

typedef enum reduction { SUM, MAX, MIN } reduction;

/* What a maximum of all leaves for each repeat, by the last parameter. */
enum { VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX, ORDERS };

/* A partial result: the element, and where the first one like it was. */
typedef struct partial {
    float value;
    uint32_t lane;
    bool present; /* not left out by the mask */
} partial;

/* A sum as the type holds it: each addition rounds. */
static float add(native_core *core, uint32_t type, float a, float b)
{
    float sum = a + b;
    if (type == TWK_FP16)
        sum = twin_half_float(twin_float_half(sum));
    if (__builtin_expect(!isfinite(sum), 0)) {
        core->run->overflowed = core->run->overflowed || (isfinite(a) && isfinite(b));
        if (native_vector_saturates(core, type))
            sum = (float)twin_native_saturated(type, (double)sum);
    }
    return sum;
}

/* NaN is beyond all numbers. Of equal ones the first stays. */
static bool beats(reduction how, float a, float b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && !isnan(b);
    return how == MAX ? a > b : a < b;
}

static partial join(native_core *core, reduction how, uint32_t type, partial a, partial b)
{
    if (!a.present || !b.present)
        return a.present ? a : b;
    if (how == SUM)
        return (partial){add(core, type, a.value, b.value), a.lane, true};
    return beats(how, b.value, a.value) ? b : a;
}

/* Neighbours are joined, then neighbours of the results, until `span` elements are one. */
static void reduce(native_core *core, reduction how, uint32_t type, partial *all, uint32_t count,
                   uint32_t span)
{
    for (uint32_t step = 1; step < span; step *= 2)
        for (uint32_t i = 0; i < count; i += 2 * step)
            all[i] = join(core, how, type, all[i], all[i + step]);
}

/* The elements of a repeat. */
static void open_repeat(const native_lanes *lanes, uint32_t type, uint32_t repeat, partial *all)
{
    unsigned char packed[NATIVE_REPEAT_BYTES] __attribute__((aligned(32)));
    const uint8_t *places;
    const uint32_t size = native_bits_of(type) / 8;
    (void)twin_native_lanes_gather(lanes, &lanes->a, repeat, packed);
    const uint32_t count = twin_native_lanes_chosen(lanes, repeat, &places);
    memset(all, 0, lanes->per_repeat * sizeof(*all));
    for (uint32_t i = 0; i < count; i++)
        all[places[i]] =
            (partial){(float)twin_native_number(type, packed + (size_t)i * size), places[i], true};
}

static void put_value(uint32_t type, float value, unsigned char *to)
{
    bool overflow = false;
    twin_native_store(type, to, (double)value, TWK_ROUND_EVEN, &overflow);
}

/* ---- groups of elements: blocks, pairs ------------------------------------------------------- */

/* The chosen elements of a repeat are in these groups of `span`, a bit each. */
static uint64_t groups_of(const native_lanes *lanes, uint32_t repeat, uint32_t span)
{
    const uint8_t *places;
    uint64_t groups = 0;
    const uint32_t count = twin_native_lanes_chosen(lanes, repeat, &places);
    for (uint32_t i = 0; i < count; i++)
        groups |= UINT64_C(1) << places[i] / span;
    return groups;
}

/* Each group of `span` elements leaves a result, unless the mask leaves out all of it. Results of a
 * repeat follow on each other; `dst_stride` is in their bytes. */
static uint64_t reduce_groups(native_core *core, const twk_instruction *instruction, reduction how,
                              uint32_t span, int extra)
{
    const uint64_t *argument = instruction->arguments;
    const uint32_t type = instruction->types[0], bits = native_bits_of(type), size = bits / 8;
    const uint32_t per_repeat = NATIVE_REPEAT_BYTES / size;
    const uint32_t each = per_repeat / span * size; /* bytes of a repeat's results */
    native_lanes lanes;
    partial all[NATIVE_LANES_MOST];
    if (!twin_native_lanes_begin(&lanes, core, instruction, per_repeat, argument[2]))
        return 0;
    lanes.a = native_operand_of("src", argument[1], bits, argument[4], argument[5]);
    twin_native_lanes_check(&lanes, &lanes.a, NATIVE_BLOCK_BYTES);
    twin_native_lanes_note(&lanes, &lanes.a, false);
    const uint64_t pitch = (uint64_t)(uint16_t)argument[3] * each;
    const uint32_t unit = each < NATIVE_BLOCK_BYTES ? each : NATIVE_BLOCK_BYTES;
    for (uint32_t repeat = 0; repeat < lanes.repeats; repeat++)
        for (uint64_t groups = groups_of(&lanes, repeat, span); groups; groups &= groups - 1) {
            const uint64_t at =
                argument[0] + repeat * pitch + (uint64_t)(uint32_t)__builtin_ctzll(groups) * size;
            (void)twin_native_lanes_local(core, "dst", argument[0], 0, unit);
            (void)twin_native_lanes_local(core, "dst", at, size, 1);
            native_hazard_join_range(core, &core->hazards, (uint32_t)at, (uint32_t)at + size);
        }
    twin_native_hazard_note(core, TWK_UB, TWIN_PIPE_VECTOR, lanes.op, true);
    twin_native_vector_fit(core, extra, lanes.repeats, 1);
    native_count(core, TWIN_PIPE_VECTOR, type, native_lanes_count(&lanes));
    for (uint32_t repeat = 0; repeat < lanes.repeats && native_computes(core); repeat++) {
        unsigned char *to = core->buffer[TWK_UB] + argument[0] + repeat * pitch;
        open_repeat(&lanes, type, repeat, all);
        reduce(core, how, type, all, per_repeat, span);
        for (uint32_t i = 0; i < per_repeat / span; i++)
            if (all[(size_t)i * span].present)
                put_value(type, all[(size_t)i * span].value, to + (size_t)i * size);
    }
    return 0;
}

static uint32_t block_lanes(const twk_instruction *instruction)
{
    return NATIVE_BLOCK_BYTES * 8 / native_bits_of(instruction->types[0]);
}

uint64_t twin_instruction_vcgadd(native_core *core, const twk_instruction *instruction)
{
    return reduce_groups(core, instruction, SUM, block_lanes(instruction), 14);
}

uint64_t twin_instruction_vcgmax(native_core *core, const twk_instruction *instruction)
{
    return reduce_groups(core, instruction, MAX, block_lanes(instruction), 7);
}

uint64_t twin_instruction_vcgmin(native_core *core, const twk_instruction *instruction)
{
    return reduce_groups(core, instruction, MIN, block_lanes(instruction), 7);
}

uint64_t twin_instruction_vcpadd(native_core *core, const twk_instruction *instruction)
{
    return reduce_groups(core, instruction, SUM, 2, 14);
}

/* ---- all elements of a repeat ---------------------------------------------------------------- */

/* What a repeat leaves. */
typedef struct result {
    uint64_t at, pitch;
    uint32_t bytes; /* 0: nothing */
} result;

static void note_results(const native_lanes *lanes, const result *to)
{
    native_core *core = lanes->core;
    if (to->bytes == 0)
        return;
    (void)twin_native_lanes_local(core, "dst", to->at, (lanes->repeats - 1) * to->pitch + to->bytes,
                                  to->bytes);
    for (uint32_t repeat = 0; repeat < lanes->repeats; repeat++) {
        const uint32_t at = (uint32_t)(to->at + repeat * to->pitch);
        native_hazard_join_range(core, &core->hazards, at, at + to->bytes);
    }
    twin_native_hazard_note(core, TWK_UB, TWIN_PIPE_VECTOR, lanes->op, true);
}

static bool begin_all(native_lanes *lanes, native_core *core, const twk_instruction *instruction,
                      result *to, uint32_t bytes)
{
    const uint64_t *argument = instruction->arguments;
    const uint32_t bits = native_bits_of(instruction->types[0]);
    if (!twin_native_lanes_begin(lanes, core, instruction, NATIVE_REPEAT_BYTES * 8 / bits,
                                 argument[2]))
        return false;
    lanes->a = native_operand_of("src", argument[1], bits, argument[4], argument[5]);
    twin_native_lanes_check(lanes, &lanes->a, NATIVE_BLOCK_BYTES);
    twin_native_lanes_note(lanes, &lanes->a, false);
    *to = (result){argument[0], (uint64_t)(uint16_t)argument[3] * bytes, bytes};
    note_results(lanes, to);
    twin_native_vector_fit(core, 22, lanes->repeats, 7);
    native_count(core, TWIN_PIPE_VECTOR, instruction->types[0], native_lanes_count(lanes));
    return true;
}

/* With the mode the sum of all repeats goes to the register, and nothing to UB. */
uint64_t twin_instruction_vcadd(native_core *core, const twk_instruction *instruction)
{
    const uint32_t type = instruction->types[0];
    const bool to_register = native_argument_bool(instruction, 6);
    native_lanes lanes;
    result to;
    partial all[NATIVE_LANES_MOST];
    if (!begin_all(&lanes, core, instruction, &to, to_register ? 0 : native_size_of(type)))
        return 0;
    core->registers.sum_unknown = core->registers.sum_unknown || to_register;
    if (!native_computes(core))
        return 0;
    float total = 0;
    for (uint32_t repeat = 0; repeat < lanes.repeats; repeat++) {
        open_repeat(&lanes, type, repeat, all);
        reduce(core, SUM, type, all, lanes.per_repeat, lanes.per_repeat);
        if (!to_register)
            put_value(type, all[0].value, core->buffer[TWK_UB] + to.at + repeat * to.pitch);
        else
            total = repeat == 0 ? all[0].value : add(core, type, total, all[0].value);
    }
    if (to_register) {
        core->registers.sum = 0;
        put_value(type, total, (unsigned char *)&core->registers.sum);
        core->registers.sum_unknown = false;
    }
    return 0;
}

/* The index has as many bits as the element, but for order ONLY_INDEX, where it has 32. */
static void put_extreme(uint32_t type, uint32_t order, const partial *found, unsigned char *to)
{
    const uint32_t size = native_bits_of(type) / 8;
    if (order == ONLY_INDEX)
        memcpy(to, &found->lane, sizeof(found->lane));
    if (order == ONLY_INDEX)
        return;
    put_value(type, found->value, to + (order == INDEX_VALUE ? size : 0));
    if (order != ONLY_VALUE)
        memcpy(to + (order == INDEX_VALUE ? 0 : size), &found->lane, size);
}

static uint64_t find_extreme(native_core *core, const twk_instruction *instruction, reduction how)
{
    const uint32_t type = instruction->types[0], size = native_bits_of(type) / 8;
    native_lanes lanes;
    result to;
    partial all[NATIVE_LANES_MOST], newest = {0};
    const uint64_t order = instruction->arguments[6];
    if (order >= ORDERS)
        twin_native_fail(core, TWIN_NATIVE_OPERATION, NULL, "%s: order is %llu; it must be 0 to %d",
                         twin_native_instruction_name(instruction->number),
                         (unsigned long long)order, ORDERS - 1);
    if (!begin_all(&lanes, core, instruction, &to,
                   order == ONLY_INDEX   ? 4
                   : order == ONLY_VALUE ? size
                                         : 2 * size))
        return 0;
    core->registers.extreme_unknown = !native_computes(core);
    if (!native_computes(core))
        return 0;
    for (uint32_t repeat = 0; repeat < lanes.repeats; repeat++) {
        open_repeat(&lanes, type, repeat, all);
        reduce(core, how, type, all, lanes.per_repeat, lanes.per_repeat);
        put_extreme(type, (uint32_t)order, &all[0],
                    core->buffer[TWK_UB] + to.at + repeat * to.pitch);
        all[0].lane += repeat * lanes.per_repeat;
        newest = join(core, how, type, newest, all[0]);
    }
    core->registers.extreme = (uint64_t)newest.lane << 32;
    put_value(type, newest.value, (unsigned char *)&core->registers.extreme);
    return 0;
}

uint64_t twin_instruction_vcmax(native_core *core, const twk_instruction *instruction)
{
    return find_extreme(core, instruction, MAX);
}

uint64_t twin_instruction_vcmin(native_core *core, const twk_instruction *instruction)
{
    return find_extreme(core, instruction, MIN);
}

/* ---- results in registers -------------------------------------------------------------------- */

static uint64_t seen(native_core *core, const twk_instruction *instruction, uint64_t value,
                     bool unknown)
{
    (void)twin_native_operation(TWIN_PIPE_SCALAR, native_op_of(instruction));
    twin_native_step(core, TWIN_PIPE_SCALAR, TWIN_STEP_WORK, 0,
                     core->run->call.core->scalar_access);
    if (unknown)
        twin_native_refuse(core, TWIN_NATIVE_UNCOMPUTED, NATIVE_COMPUTE_IT);
    return value;
}

uint64_t twin_instruction_get_acc_val(native_core *core, const twk_instruction *instruction)
{
    return seen(core, instruction, core->registers.sum, core->registers.sum_unknown);
}

uint64_t twin_instruction_get_max_min_cnt(native_core *core, const twk_instruction *instruction)
{
    return seen(core, instruction, core->registers.extreme, core->registers.extreme_unknown);
}

uint64_t twin_instruction_get_rsvd_cnt(native_core *core, const twk_instruction *instruction)
{
    return seen(core, instruction, core->registers.kept, core->registers.kept_unknown);
}

uint64_t twin_instruction_get_vms4_sr(native_core *core, const twk_instruction *instruction)
{
    return seen(core, instruction, core->registers.merged, core->registers.merged_unknown);
}
