/* SPDX-License-Identifier: Apache-2.0 */
/* What an instruction of the vector unit costs: by operation, type, length and the banks of its
 * operands. runtime/docs/decisions/0042-vector-cycles.md has the sources and what they leave
 * open. */
#include "kernel/access.h"
#include "kernel/vector.h"
#include "twinrt/kernel.h"

#define BLOCK         32u /* bytes of a row of a bank */
#define REPEAT_BLOCKS 8u  /* of a repeat; each is in another bank group */

/* `extra`: cycles beside aicore.vector_start_cycles. `half`, `single`: cycles for each
 * aicore.vector_bytes of 16 and of 32 bits. Of a unit with registers: `latency` of the operation
 * between them, `issue` cycles for 16 bits, half as many for 32 bits. */
typedef struct cost {
    int8_t extra;
    uint8_t half, single, latency, issue;
} cost;

static const cost costs[TWK_OP_COUNT] = {
    [TWK_OP_ADD] = {0, 1, 1, 7, 1},          [TWK_OP_SUB] = {0, 1, 1, 7, 1},
    [TWK_OP_MUL] = {1, 1, 1, 8, 1},          [TWK_OP_DIV] = {6, 4, 2, 17, 4},
    [TWK_OP_MAX] = {0, 1, 1, 6, 1},          [TWK_OP_MIN] = {0, 1, 1, 6, 1},
    [TWK_OP_AND] = {-4, 1, 1, 6, 1},         [TWK_OP_OR] = {-4, 1, 1, 6, 1},
    [TWK_OP_XOR] = {-4, 1, 1, 6, 1},         [TWK_OP_ABS] = {5, 1, 1, 5, 1},
    [TWK_OP_EXP] = {7, 4, 2, 16, 4},         [TWK_OP_LN] = {9, 4, 2, 16, 4},
    [TWK_OP_SQRT] = {15, 4, 2, 17, 4},       [TWK_OP_RSQRT] = {0, 1, 1, 17, 4},
    [TWK_OP_RECIPROCAL] = {0, 1, 1, 17, 4},  [TWK_OP_RELU] = {-1, 1, 1, 6, 1},
    [TWK_OP_NOT] = {-4, 1, 1, 6, 1},         [TWK_OP_ADDS] = {7, 1, 1, 7, 1},
    [TWK_OP_MULS] = {2, 1, 1, 8, 1},         [TWK_OP_MAXS] = {-1, 1, 1, 6, 1},
    [TWK_OP_MINS] = {6, 1, 1, 6, 1},         [TWK_OP_SHL] = {0, 1, 1, 6, 1},
    [TWK_OP_SHR] = {0, 1, 1, 6, 1},          [TWK_OP_AXPY] = {0, 2, 2, 8, 1},
    [TWK_OP_MULADD] = {0, 2, 2, 8, 1},       [TWK_OP_COMPARE] = {12, 1, 1, 6, 1},
    [TWK_OP_COMPARES] = {12, 1, 1, 6, 1},    [TWK_OP_SELECT] = {3, 1, 1, 6, 1},
    [TWK_OP_SELECTS] = {3, 1, 1, 6, 1},      [TWK_OP_CAST] = {8, 2, 2, 7, 1},
    [TWK_OP_DUPLICATE] = {0, 1, 1, 6, 1},    [TWK_OP_INDEX] = {0, 1, 1, 6, 1},
    [TWK_OP_GATHER] = {-2, 8, 4, 9, 8},      [TWK_OP_REDUCE_SUM] = {22, 7, 7, 22, 1},
    [TWK_OP_REDUCE_MAX] = {22, 7, 7, 16, 1}, [TWK_OP_REDUCE_MIN] = {22, 7, 7, 16, 1},
    [TWK_OP_ROW_ADD] = {0, 1, 1, 7, 1},      [TWK_OP_ROW_SUB] = {0, 1, 1, 7, 1},
    [TWK_OP_ROW_MUL] = {1, 1, 1, 8, 1},      [TWK_OP_ROW_DIV] = {6, 4, 2, 17, 4},
};

/* ---- banks of UB ----------------------------------------------------------------------------- */

/* The bank groups of the repeat that begins at `at`, a bit each. */
static uint64_t groups_of(uint32_t groups, uint32_t at)
{
    const uint32_t first = at / BLOCK % groups;
    const uint64_t mask = ((uint64_t)1 << REPEAT_BLOCKS) - 1;
    const uint64_t all = ((uint64_t)1 << groups) - 1;
    return (mask << first | mask << first >> groups) & all;
}

/* Cycles for the accesses of one repeat: a group serves one read in a cycle, a bank one read or the
 * write. A write that meets a read block by block is a repeat later, in the other groups. All
 * repeats are as the first. */
static uint32_t turns_of(const twin_core_properties *core, const native_operands *on)
{
    const uint32_t groups = core->ub_groups, bank_bytes = core->ub_bytes / core->ub_banks;
    const uint32_t bank = on->to / bank_bytes;
    uint64_t once = 0, twice = 0, thrice = 0;
    uint32_t late = 0;
    for (uint32_t i = 0; i < on->read_count; i++) {
        const uint64_t mask = groups_of(groups, on->reads[i]);
        thrice |= twice & mask;
        twice |= once & mask;
        once |= mask;
        if (on->reads[i] / bank_bytes == bank &&
            on->reads[i] / BLOCK % groups == on->to / BLOCK % groups)
            late = REPEAT_BLOCKS * BLOCK;
    }
    const uint32_t reads = thrice ? 3 : twice ? 2 : 1;
    uint32_t met = 0;
    const uint64_t written = groups_of(groups, on->to + late);
    once = twice = 0;
    for (uint32_t i = 0; i < on->read_count; i++) {
        if (on->reads[i] / bank_bytes != bank)
            continue;
        const uint64_t mask = groups_of(groups, on->reads[i]) & written;
        twice |= once & mask;
        once |= mask;
        met = twice ? 2 : once ? 1 : 0;
    }
    return met + 1 > reads ? met + 1 : reads;
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* Half cycles for each `vector_bytes` of operands. A unit with registers reaches each bank group
 * twice in a cycle. */
static uint64_t step_of(const twin_core_properties *core, const native_operands *on, uint32_t size,
                        bool banks)
{
    const uint32_t op = on->call->op;
    if (core->vector_load > 0) { /* registers, and one store in a cycle */
        const uint64_t issue =
            size < 4 || costs[op].issue == 1 ? 2u * costs[op].issue : costs[op].issue;
        const uint64_t accesses = on->read_count + 1;
        return accesses > issue ? accesses : issue;
    }
    const uint64_t cycles = size < 4 ? costs[op].half : costs[op].single;
    const uint64_t turns =
        banks && core->ub_groups > 0 && on->read_count > 0 ? turns_of(core, on) : 1;
    if (op == TWK_OP_MULADD || op == TWK_OP_AXPY) /* the cycles are those of the reads */
        return 2 * (turns > cycles ? turns : cycles);
    return 2 * cycles * turns;
}

static uint64_t start_of(const twin_core_properties *core, uint32_t op)
{
    const int64_t start = (int64_t)core->vector_start + costs[op].extra;
    if (core->vector_load > 0)
        return (uint64_t)core->vector_start + core->vector_load + costs[op].latency;
    return start > 0 ? (uint64_t)start : 0;
}

/* Instructions that leave a result for each `vector_bytes`, until there is one. */
static uint64_t reduce_cycles(const twin_core_properties *core, const native_operands *on,
                              uint64_t rows, bool banks)
{
    const uint64_t start = start_of(core, on->call->op);
    const uint64_t step = step_of(core, on, on->size, banks);
    uint64_t cycles = 0, left = on->call->count;
    do {
        left = native_divide_up(left * on->size, core->vector_bytes);
        cycles += start + native_divide_up(rows * left * step, 2);
    } while (left > 1);
    return cycles;
}

/* `banks`: with the time that operands wait for each other there. */
static uint64_t cycles_of(const native_operands *on, bool banks)
{
    const twin_core_properties *core = on->core->run->call.core;
    const twk_vector *call = on->call;
    const uint64_t rows = call->rows ? call->rows : 1;
    uint32_t size = on->size;
    if (call->op == TWK_OP_REDUCE_SUM || call->op == TWK_OP_REDUCE_MAX ||
        call->op == TWK_OP_REDUCE_MIN)
        return reduce_cycles(core, on, rows, banks);
    if (call->op == TWK_OP_CAST && native_size_of(call->to) > size)
        size = native_size_of(call->to);
    const uint64_t bytes = (uint64_t)call->count * size;
    const uint64_t steps = native_divide_up(bytes, core->vector_bytes) * rows;
    return start_of(core, call->op) + (bytes % core->vector_bytes ? core->vector_unaligned : 0) +
           native_divide_up(steps * step_of(core, on, size, banks), 2);
}

/* Operations on an element: arithmetic; copies, comparisons and conversions are none. */
static uint64_t operations_of(uint32_t op)
{
    switch (op) {
    case TWK_OP_MULADD:
    case TWK_OP_AXPY:
        return 2;
    case TWK_OP_AND:
    case TWK_OP_OR:
    case TWK_OP_XOR:
    case TWK_OP_NOT:
    case TWK_OP_SHL:
    case TWK_OP_SHR:
    case TWK_OP_COMPARE:
    case TWK_OP_COMPARES:
    case TWK_OP_SELECT:
    case TWK_OP_SELECTS:
    case TWK_OP_CAST:
    case TWK_OP_DUPLICATE:
    case TWK_OP_INDEX:
    case TWK_OP_GATHER:
        return 0;
    default:
        return 1;
    }
}

uint64_t twin_native_vector_cycles(const native_operands *on)
{
    const uint64_t cycles = cycles_of(on, true);
    if (__builtin_expect(on->core->run->call.counts, 0)) {
        const twk_vector *call = on->call;
        if (call->type <= TWIN_COUNT_UINT64)
            native_count(on->core, TWIN_PIPE_VECTOR, call->type,
                         on->computed * operations_of(call->op));
        native_count(on->core, TWIN_PIPE_VECTOR, TWIN_COUNT_BANK_CYCLES,
                     cycles - cycles_of(on, false));
    }
    return cycles;
}
