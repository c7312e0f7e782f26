/* SPDX-License-Identifier: Apache-2.0 */
/* Results of the cube on their way out of L0C. */
#include <string.h>

#include "kernel/access.h"
#include "kernel/number.h"
#include "twinrt/kernel.h"

#define UNIT   32u
#define EDGE   16u
#define RESULT 1024u

/* Where rows of results go. */
typedef struct sink {
    unsigned char *at; /* of row 0 */
    uint64_t pitch;    /* TO_GM, TO_UB */
    uint64_t high;     /* TO_L1: rows, filled up */
    uint32_t size;
    bool fractal;
} sink;

static void check_types(native_core *core, const twk_result *result)
{
    const bool floats =
        result->from == TWK_FP32 &&
        (result->type == TWK_FP32 || result->type == TWK_FP16 || result->type == TWK_BF16);
    const bool integers =
        result->from == TWK_INT32 &&
        (result->type == TWK_INT32 || result->type == TWK_FP16 || result->type == TWK_INT8);
    if (!floats && !integers)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "it makes no %s from %s",
                           twin_native_type_name(result->type),
                           twin_native_type_name(result->from));
}

/* One result, changed as requested. */
static void convert(native_core *core, const twk_result *result, uint32_t bits, unsigned char *to)
{
    bool overflow = false;
    if (result->relu && bits >> 31)
        bits = 0; /* -0 and negative NaN too */
    if (result->from == TWK_FP32 && result->type != TWK_FP32) {
        const float value = twin_bits_float(bits);
        uint16_t half =
            result->type == TWK_FP16 ? twin_float_half(value) : twin_float_bfloat16(value);
        const uint16_t infinite = result->type == TWK_FP16 ? 0x7c00u : 0x7f80u;
        if (__builtin_expect((half & infinite) == infinite, 0)) {
            overflow = (twin_float_bits(value) & 0x7f800000u) != 0x7f800000u;
            if (native_saturates(core))
                half =
                    (half & 0x7fffu) > infinite ? 0 : (uint16_t)((half & 0x8000u) + infinite - 1);
        }
        memcpy(to, &half, sizeof(half));
    } else if (result->from == TWK_INT32 && result->type != TWK_INT32) {
        const double scale = result->scale == 0 ? 1.0 : (double)result->scale;
        twin_native_store(result->type, to, (double)(int32_t)bits * scale, TWK_ROUND_EVEN,
                          &overflow);
        if (overflow && native_saturates(core)) {
            const uint16_t largest =
                (uint16_t)(((int32_t)bits < 0) != (scale < 0) ? 0xfbffu : 0x7bffu);
            memcpy(to, &largest, sizeof(largest));
        }
    } else {
        memcpy(to, &bits, sizeof(bits));
    }
    core->run->overflowed = core->run->overflowed || overflow;
}

static void convert_all(native_core *core, const twk_result *result, const unsigned char *from,
                        const sink *out)
{
    const uint64_t high = native_round_up(result->m, EDGE);
    const uint32_t per_unit = UNIT / out->size;
    for (uint32_t row = 0; row < result->m; row++)
        for (uint32_t column = 0; column < result->n; column++) {
            uint32_t bits;
            memcpy(&bits,
                   from + (column / EDGE * high + row) * EDGE * 4 + (uint64_t)(column % EDGE) * 4,
                   sizeof(bits));
            unsigned char *to = out->fractal
                                    ? out->at + (column / per_unit * out->high + row) * UNIT +
                                          (uint64_t)(column % per_unit) * out->size
                                    : out->at + row * out->pitch + (uint64_t)column * out->size;
            convert(core, result, bits, to);
        }
}

static void to_global(native_core *core, native_op op, const twk_result *result, sink *out)
{
    const uint32_t bytes = result->n * out->size;
    if (result->m > 1 && result->pitch < bytes)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "rows of %u bytes, %llu from one to the next", bytes,
                           (unsigned long long)result->pitch);
    if (result->atomic > TWK_ATOMIC_MIN)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "atomic operation %u is invalid",
                           result->atomic);
    if (result->atomic && (result->gm % out->size != 0 || result->pitch % out->size != 0))
        twin_native_fail(core, TWIN_NATIVE_ALIGNMENT, &result->gm,
                         "%s: global address 0x%llx and pitch %llu are not multiples of %u",
                         twin_native_op_name(op), (unsigned long long)result->gm,
                         (unsigned long long)result->pitch, out->size);
    twin_native_check_global(core, op, result->gm, result->pitch, result->m, bytes, true);
    out->at = twin_native_global_write(core, TWIN_PIPE_FIX, op,
                                       &(native_write){.address = result->gm,
                                                       .pitch = result->pitch,
                                                       .rows = result->m,
                                                       .bytes = bytes,
                                                       .atomic = result->atomic,
                                                       .type = result->type});
    out->pitch = bytes;
}

static void to_buffer(native_core *core, native_op op, const twk_result *result, sink *out)
{
    const uint64_t bytes = (uint64_t)result->n * out->size;
    if (result->target == TWK_TO_L1) {
        out->fractal = true;
        out->high = native_round_up(result->m, EDGE);
        const uint64_t room = out->high * native_divide_up(bytes, UNIT) * UNIT;
        out->at = twin_native_target(core, TWK_L1, TWIN_PIPE_FIX, op, result->local, room, UNIT);
        if (native_computes(core) && (result->m % EDGE != 0 || bytes % UNIT != 0))
            memset(out->at, 0, room);
        return;
    }
    if (result->pitch < bytes || result->pitch > UINT32_MAX || result->pitch % UNIT != 0)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "rows of %llu bytes, %llu from one to the next in UB; that must be as "
                           "much or more and a multiple of %u",
                           (unsigned long long)bytes, (unsigned long long)result->pitch, UNIT);
    for (uint32_t row = 0; row < result->m; row++)
        (void)twin_native_target(core, TWK_UB, TWIN_PIPE_FIX, op,
                                 result->local + row * result->pitch, bytes, UNIT);
    out->at = core->buffer[TWK_UB] + result->local;
    out->pitch = result->pitch;
}

void twin_native_result(const twk_result *result)
{
    const native_op op = result->target == TWK_TO_GM   ? NATIVE_OP_STORE_RESULT
                         : result->target == TWK_TO_L1 ? NATIVE_OP_KEEP_RESULT
                                                       : NATIVE_OP_MOVE_RESULT;
    native_core *core = twin_native_operation(TWIN_PIPE_FIX, op);
    sink out = {.size = twin_native_check_type(core, result->type)};
    check_types(core, result);
    if (result->m > 65535 || result->n > 65535)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "%u by %u; the maximum is 65535", result->m,
                           result->n);
    if (result->m == 0 || result->n == 0)
        return;
    const uint64_t held = native_round_up(result->m, EDGE) * native_round_up(result->n, EDGE) * 4;
    const unsigned char *from =
        twin_native_source(core, TWK_L0C, TWIN_PIPE_FIX, op, result->c, held, RESULT);
    if (result->target == TWK_TO_GM)
        to_global(core, op, result, &out);
    else
        to_buffer(core, op, result, &out);
    if (native_computes(core))
        convert_all(core, result, from, &out);
    const twin_core_properties *properties = core->run->call.core;
    const bool global = result->target == TWK_TO_GM;
    twin_native_step(core, TWIN_PIPE_FIX, TWIN_STEP_WORK, 0,
                     properties->mte_start +
                         (global ? 0 : native_divide_up(held, properties->l0c_read_bytes)));
    if (global)
        twin_native_global_step(core, TWIN_PIPE_FIX, TWIN_STEP_WRITE,
                                &(native_rows){.address = result->gm,
                                               .pitch = result->pitch,
                                               .rows = result->m,
                                               .bytes = result->n * out.size,
                                               .bits = result->atomic ? TWIN_STEP_ATOMIC : 0});
}
