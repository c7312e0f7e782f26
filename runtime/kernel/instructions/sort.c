/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that sort and merge, the largest first. A sorted element has 8 bytes: its score in
 * the first 2 or 4, its index in the last 4. */
#include <math.h>
#include <string.h>

#include "kernel/access.h"
#include "kernel/instructions/argument.h"
#include "kernel/instructions/decoders.h"
#include "kernel/instructions/lanes.h"
#include "kernel/number.h"
#include "twinrt/kernel.h"

#define GROUP       32u /* elements that are sorted in a repeat */
#define ELEMENT     8u
#define INDEX       4u
#define LISTS       4u
#define LENGTH_MOST 4095u

/* NaN comes before all numbers. */
static bool precedes(double a, double b)
{
    return isnan(a) ? !isnan(b) : a > b;
}

/* ---- sort ------------------------------------------------------------------------------------ */

static void sort_group(uint32_t type, const unsigned char *scores, const unsigned char *indices,
                       unsigned char *to)
{
    const uint32_t size = native_size_of(type);
    double values[GROUP];
    uint32_t order[GROUP];
    for (uint32_t i = 0; i < GROUP; i++) {
        uint32_t at = i;
        values[i] = twin_native_number(type, scores + (size_t)i * size);
        for (; at > 0 && precedes(values[i], values[order[at - 1]]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    unsigned char sorted[GROUP * ELEMENT] = {0};
    for (uint32_t i = 0; i < GROUP; i++) {
        memcpy(sorted + (size_t)i * ELEMENT, scores + (size_t)order[i] * size, size);
        memcpy(sorted + (size_t)i * ELEMENT + INDEX, indices + (size_t)order[i] * INDEX, INDEX);
    }
    memcpy(to, sorted, sizeof(sorted));
}

uint64_t twin_instruction_vbitsort(native_core *core, const twk_instruction *instruction)
{
    const uint64_t *argument = instruction->arguments;
    const native_op op = native_op_of(instruction);
    const uint32_t type = instruction->types[0], size = native_size_of(type);
    (void)twin_native_operation(TWIN_PIPE_VECTOR, op);
    const uint32_t repeats = (uint8_t)argument[3], count = repeats * GROUP;
    if (repeats == 0)
        return 0;
    unsigned char *dst = twin_native_lanes_local(core, "dst", argument[0],
                                                 (uint64_t)count * ELEMENT, NATIVE_BLOCK_BYTES);
    const unsigned char *scores = twin_native_lanes_local(
        core, "src0", argument[1], (uint64_t)count * size, NATIVE_BLOCK_BYTES);
    const unsigned char *indices = twin_native_lanes_local(
        core, "src1", argument[2], (uint64_t)count * INDEX, NATIVE_BLOCK_BYTES);
    twin_native_hazard_read(core, TWK_UB, TWIN_PIPE_VECTOR, op, (uint32_t)argument[1],
                            count * size);
    twin_native_hazard_read(core, TWK_UB, TWIN_PIPE_VECTOR, op, (uint32_t)argument[2],
                            count * INDEX);
    twin_native_hazard_write(core, TWK_UB, TWIN_PIPE_VECTOR, op, (uint32_t)argument[0],
                             count * ELEMENT);
    twin_native_vector_fit(core, 0, repeats, 16);
    for (uint32_t i = 0; i < repeats && native_computes(core); i++)
        sort_group(type, scores + (size_t)i * GROUP * size, indices + (size_t)i * GROUP * INDEX,
                   dst + (size_t)i * GROUP * ELEMENT);
    return 0;
}

/* ---- merge ----------------------------------------------------------------------------------- */

/* Up to four sorted lists become one. With `stops` the instruction ends when one is used up. */
typedef struct merge {
    native_core *core;
    native_op op;
    uint32_t type, lists, repeats;
    uint64_t dst, src[LISTS];
    uint32_t length[LISTS];
    bool stops;
} merge;

static bool is_used_up(const merge *m, const uint32_t *taken)
{
    for (uint32_t i = 0; i < m->lists; i++)
        if (m->length[i] > 0 && taken[i] == m->length[i])
            return true;
    return false;
}

/* The list whose next element comes first: of equal ones that of the first list. LISTS: none. */
static uint32_t next_list(const merge *m, const unsigned char *const *heads, const uint32_t *taken)
{
    uint32_t best = LISTS;
    double best_value = 0;
    for (uint32_t i = 0; i < m->lists; i++) {
        if (taken[i] == m->length[i])
            continue;
        const double value = twin_native_number(m->type, heads[i] + (size_t)taken[i] * ELEMENT);
        if (best == LISTS || precedes(value, best_value)) {
            best = i;
            best_value = value;
        }
    }
    return best;
}

static void merge_lists(const merge *m, uint64_t shift, uint32_t *taken)
{
    unsigned char *ub = m->core->buffer[TWK_UB], *to = ub + m->dst + shift;
    const unsigned char *heads[LISTS];
    memset(taken, 0, LISTS * sizeof(*taken));
    for (uint32_t i = 0; i < m->lists; i++)
        heads[i] = ub + m->src[i] + shift;
    while (!m->stops || !is_used_up(m, taken)) {
        const uint32_t list = next_list(m, heads, taken);
        if (list == LISTS)
            break;
        memmove(to, heads[list] + (size_t)taken[list]++ * ELEMENT, ELEMENT);
        to += ELEMENT;
    }
}

static uint32_t total_of(const merge *m)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < m->lists; i++)
        total += m->length[i];
    return total;
}

static void check_repeats(const merge *m)
{
    bool alike = m->lists == LISTS && !m->stops;
    for (uint32_t i = 1; i < m->lists; i++)
        alike = alike && m->length[i] == m->length[0] &&
                m->src[i] == m->src[0] + (uint64_t)i * m->length[0] * ELEMENT;
    if (m->repeats > 1 && !alike)
        twin_native_refuse(m->core, TWIN_NATIVE_OPERATION,
                           "%u repeats; more than 1 need four lists of one length that follow on "
                           "each other, and no suspension",
                           m->repeats);
}

static uint64_t merge_all(const merge *m)
{
    native_core *core = m->core;
    native_registers *registers = &core->registers;
    const uint32_t total = total_of(m);
    const uint64_t shift = (uint64_t)total * ELEMENT;
    uint32_t taken[LISTS] = {0};
    registers->merged_unknown = !native_computes(core);
    check_repeats(m);
    for (uint32_t i = 0; i < m->lists; i++) {
        const uint64_t bytes = (uint64_t)m->length[i] * ELEMENT;
        (void)twin_native_lanes_local(core, "a list of src", m->src[i],
                                      (m->repeats - 1) * shift + bytes, ELEMENT);
        for (uint32_t repeat = 0; repeat < m->repeats && bytes > 0; repeat++)
            native_hazard_join_range(core, &core->hazards, (uint32_t)(m->src[i] + repeat * shift),
                                     (uint32_t)(m->src[i] + repeat * shift + bytes));
    }
    twin_native_hazard_note(core, TWK_UB, TWIN_PIPE_VECTOR, m->op, false);
    (void)twin_native_lanes_local(core, "dst", m->dst, m->repeats * shift, NATIVE_BLOCK_BYTES);
    for (uint32_t repeat = 0; repeat < m->repeats && native_computes(core); repeat++)
        merge_lists(m, repeat * shift, taken);
    uint64_t written = m->repeats * shift;
    if (native_computes(core)) {
        registers->merged = 0;
        for (uint32_t i = 0; i < LISTS; i++)
            registers->merged |= (uint64_t)taken[i] << 16 * i;
        if (m->stops)
            written = (uint64_t)(taken[0] + taken[1] + taken[2] + taken[3]) * ELEMENT;
    }
    twin_native_hazard_write(core, TWK_UB, TWIN_PIPE_VECTOR, m->op, (uint32_t)m->dst,
                             (uint32_t)written);
    /* 78 cycles for 128 elements, and 20. */
    twin_native_step(core, TWIN_PIPE_VECTOR, TWIN_STEP_WORK, 0,
                     20 + m->repeats * native_divide_up((uint64_t)total * 78, 128));
    return 0;
}

/* Lengths and modes are parameters of their own, or fields of two words. */
uint64_t twin_instruction_vmrgsort4(native_core *core, const twk_instruction *instruction)
{
    const uint64_t *argument = instruction->arguments;
    const bool packed = instruction->count < 12;
    const uint64_t config = argument[6];
    const uint64_t valid = packed ? config >> 8 & 15 : argument[11];
    merge m = {.core = core,
               .op = native_op_of(instruction),
               .type = instruction->types[0],
               .repeats = (uint8_t)(packed ? config : argument[5]),
               .dst = argument[0],
               .stops = ((packed ? config >> 12 : argument[10]) & 1) != 0};
    (void)twin_native_operation(TWIN_PIPE_VECTOR, m.op);
    m.lists = valid == 15 ? 4 : valid == 7 ? 3 : valid == 3 ? 2 : 0;
    if (m.lists == 0)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "lists that are valid: %llu; it must be 3, 7 or 15",
                           (unsigned long long)valid);
    for (uint32_t i = 0; i < LISTS; i++) {
        const uint64_t length = packed ? argument[5] >> 16 * i & 0xffff : argument[6 + i];
        m.src[i] = argument[1 + i];
        if (i < m.lists && length > LENGTH_MOST)
            twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                               "list %u has %llu elements; the maximum is %u", i,
                               (unsigned long long)length, LENGTH_MOST);
        m.length[i] = (uint32_t)length;
    }
    return m.repeats > 0 ? merge_all(&m) : 0;
}
