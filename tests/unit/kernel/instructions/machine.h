/* SPDX-License-Identifier: Apache-2.0 */
/* A vector unit that works element by element, written from the documents: the reference for
 * random instructions. It sees the first bytes of UB alone. */
#ifndef TWINRT_TESTS_UNIT_KERNEL_INSTRUCTIONS_MACHINE_H
#define TWINRT_TESTS_UNIT_KERNEL_INSTRUCTIONS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "../kernel_number.h"
#include "twinrt/kernel.h"
#include "twinrt/kernel_instructions.h"

#define WINDOW 24576u

typedef struct machine {
    uint8_t ub[WINDOW];
    uint8_t kind[WINDOW]; /* of the element that was written there last: its type, or NO_TYPE */
    bool count_mode, saturate, truncate; /* conversions keep low bits */
    uint64_t mask[2];
    uint8_t compare[16];
    uint64_t dequantize;
    uint64_t va[8][8];
    uint64_t sum, extreme, kept, merged;
    bool sum_is_nan, extreme_is_nan;
    uint64_t result; /* of an instruction that has one */
    bool any_result; /* it is a NaN, or not documented */
} machine;

/* Instructions of one step; the last one is what the step is for. */
typedef struct program {
    twk_instruction list[16];
    uint32_t count;
} program;

/* A group of instructions: makes one with random arguments that is valid with the masks that the
 * machine has, and does it. */
typedef struct group {
    const char *name;
    void (*make)(const machine *m, program *p);
    /* false: the group does not have it */
    bool (*refer)(machine *m, const twk_instruction *in);
} group;

extern const group arithmetic_group, compare_group, convert_group, fill_group, gather_group,
    reduce_group, registers_group, sort_group;

/* ---- random ---------------------------------------------------------------------------------- */

uint32_t random_below(uint32_t end);
uint64_t random_bits(void);
/* An element of a type, as its bits: small numbers, limits, any bits. */
uint64_t random_element(uint32_t type);

/* ---- elements -------------------------------------------------------------------------------- */

static inline uint32_t bytes_of(uint32_t type)
{
    return type == TWK_INT64 || type == TWK_UINT64 ? 8
           : type == TWK_NO_TYPE                   ? 1
                                                   : twk_bytes_of((twk_type)type);
}

static inline uint32_t bits_of(uint32_t type)
{
    return type == TWK_NO_TYPE ? 4 : bytes_of(type) * 8;
}

static inline bool is_float(uint32_t type)
{
    return type == TWK_FP16 || type == TWK_BF16 || type == TWK_FP32;
}

double element(const machine *m, uint32_t type, uint64_t at);
double element_of_bits(uint32_t type, uint64_t bits);
/* Writes a number that the type has, or rounds it to nearest; infinities and NaN saturate if the
 * machine does. */
void put(machine *m, uint32_t type, uint64_t at, double value);
/* Writes the bytes of an element. */
void put_bytes(machine *m, uint32_t type, uint64_t at, const void *from);

/* ---- repeats --------------------------------------------------------------------------------- */

/* How many repeats an instruction does whose elements are `lanes` in one. */
uint32_t repeats_of(const machine *m, uint32_t lanes, uint32_t repeat);
bool is_active(const machine *m, uint32_t lanes, uint32_t repeat, uint32_t lane);
/* Where the element is: blocks of 32 bytes have `in_block` elements of `bits` bits. */
static inline uint64_t place(uint64_t at, uint32_t block_stride, uint32_t repeat_stride,
                             uint32_t in_block, uint32_t bits, uint32_t repeat, uint32_t lane)
{
    return at + (uint64_t)repeat * repeat_stride * 32 +
           (uint64_t)(lane / in_block) * block_stride * 32 + (uint64_t)(lane % in_block) * bits / 8;
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* One more instruction: number, and types of what it names. */
twk_instruction *record(program *p, uint32_t number, uint32_t first, uint32_t second,
                        uint32_t third);
#define NO_TYPES TWK_NO_TYPE, TWK_NO_TYPE, TWK_NO_TYPE
void argument(twk_instruction *in, uint64_t value);
/* Distances of an operand of `blocks` blocks in a repeat. */
typedef struct strides {
    uint32_t block, repeat;
} strides;
strides random_strides(uint32_t blocks);
/* An address at a multiple of `unit` from which `bytes` bytes are in the window. */
uint64_t random_place(uint64_t bytes, uint32_t unit);
/* Operands found no room: the instruction is made again. */
extern bool random_failed;
/* Likewise, at a block. `apart`: it does not overlap the destination: bits of a NaN, which differ,
 * would be read as another type. */
uint64_t random_source(uint64_t bytes, bool apart, uint64_t dst, uint64_t dst_end);
/* Bytes from the first block of `repeats` repeats to their end. */
static inline uint64_t reach_of(strides s, uint32_t blocks, uint32_t repeats)
{
    return ((uint64_t)(repeats ? repeats - 1 : 0) * s.repeat + (uint64_t)(blocks - 1) * s.block +
            1) *
           32;
}
/* Repeats that fit the window, whatever the strides. */
uint32_t random_repeat(const machine *m, uint32_t lanes);

#endif
