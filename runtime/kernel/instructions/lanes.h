/* SPDX-License-Identifier: Apache-2.0 */
/* Elements that an instruction of the vector unit works on. It repeats: each repeat has up to 256
 * bytes of the wider type, as blocks of 32 bytes, whose distances, and those of repeats, are the
 * instruction's. The mask chooses elements of a repeat; or, in count mode, it is how many there are
 * in all repeats. */
#ifndef TWINRT_KERNEL_INSTRUCTIONS_LANES_H
#define TWINRT_KERNEL_INSTRUCTIONS_LANES_H

#include "kernel/core.h"
#include "kernel/vector.h"
#include "twinrt/kernel_image.h"

#define NATIVE_BLOCK_BYTES  32u
#define NATIVE_REPEAT_BYTES 256u
#define NATIVE_LANES_MOST   128u                /* elements of a repeat */
#define NATIVE_ELEMENT_MOST 8u                  /* bytes of an element */
#define NATIVE_COUNT_MOST   ((uint64_t)1 << 20) /* elements in count mode: more than UB has bytes */

/* Where the elements of a parameter are. */
typedef struct native_operand {
    const char *name;
    uint64_t at;
    uint32_t block_stride, repeat_stride; /* in blocks */
    uint8_t bits;                         /* of an element: 4 to 64 */
    uint8_t block_lanes;                  /* elements in a block */
    uint8_t offset;                       /* of the first one in its block, in bytes */
} native_operand;

/* What is computed at once. An element of 4 bits is in a byte here. */
typedef struct native_lane_work {
    native_core *core;
    const void *how; /* what the decoder has to say to the one that computes */
    const unsigned char *a, *b;
    unsigned char *dst;
    uint32_t count;
    const uint8_t *lanes; /* the place of each element in its repeat; NULL: in order, from 0 */
    uint32_t per_repeat;
    uint32_t repeat; /* that the first element is in */
} native_lane_work;

/* Among the elements of all repeats, the number of element `i` of those that are computed. */
static inline uint32_t native_lane_number(const native_lane_work *work, uint32_t i)
{
    return work->repeat * work->per_repeat + (work->lanes ? work->lanes[i] : i);
}

typedef void native_lane_compute(const native_lane_work *work);

typedef struct native_lanes {
    native_core *core;
    native_op op;
    uint32_t per_repeat, repeats;
    uint32_t last;      /* elements of the last repeat */
    uint32_t run_count; /* of elements of a repeat that the mask has */
    native_range runs[NATIVE_LANES_MOST / 2];
    uint8_t chosen[NATIVE_LANES_MOST]; /* their places, one by one */
    uint32_t chosen_count;
    bool counted;
    bool ignores_mask;        /* and count mode */
    native_operand dst, a, b; /* bits of a and b: 0: there is none */
    bool reads_dst;
} native_lanes;

/* The instruction as an operation of the vector unit. Its number of repeats is `repeat` or the
 * mask's; each has `per_repeat` elements. false: nothing is to be done. */
bool twin_native_lanes_begin(native_lanes *lanes, native_core *core,
                             const twk_instruction *instruction, uint32_t per_repeat,
                             uint64_t repeat);
/* The same; all elements of each repeat are there, whatever the mask. */
bool twin_native_lanes_begin_all(native_lanes *lanes, native_core *core,
                                 const twk_instruction *instruction, uint32_t per_repeat,
                                 uint64_t repeat);

static inline native_operand native_operand_of(const char *name, uint64_t at, uint32_t bits,
                                               uint64_t block_stride, uint64_t repeat_stride)
{
    return (native_operand){.name = name,
                            .at = at,
                            .block_stride = (uint16_t)block_stride,
                            .repeat_stride = (uint16_t)repeat_stride,
                            .bits = (uint8_t)bits,
                            .block_lanes = (uint8_t)(NATIVE_BLOCK_BYTES * 8 / bits)};
}

/* The elements are there, or the kernel fails; notes of what is read and written. */
void twin_native_lanes_check(const native_lanes *lanes, const native_operand *operand,
                             uint32_t unit);
void twin_native_lanes_note(const native_lanes *lanes, const native_operand *operand, bool write);
/* The chosen elements of repeat number `repeat`, one after the other; and back. How many. */
uint32_t twin_native_lanes_gather(const native_lanes *lanes, const native_operand *operand,
                                  uint32_t repeat, unsigned char *to);
void twin_native_lanes_scatter(const native_lanes *lanes, const native_operand *operand,
                               uint32_t repeat, const unsigned char *from);
/* Elements of all repeats that the mask has. */
static inline uint32_t native_lanes_count(const native_lanes *lanes)
{
    return (lanes->repeats - 1) * lanes->chosen_count + lanes->last;
}

/* Elements of that repeat, and their places. */
uint32_t twin_native_lanes_chosen(const native_lanes *lanes, uint32_t repeat,
                                  const uint8_t **out_lanes);

/* Checks, notes and computes: dst from a and b, repeat by repeat; each repeat reads before it
 * writes. */
void twin_native_lanes_run(const native_lanes *lanes, native_lane_compute *compute,
                           const void *how);
/* Time of the vector unit: that of the operation `op`, a TWK_OP_…, on `type` of `bits`. */
void twin_native_lanes_time(const native_lanes *lanes, uint32_t op, uint32_t type);

/* Time of an instruction with a cost that is published: `extra` cycles beside those of the start,
 * and `each` for each of `steps` repeats. */
void twin_native_vector_fit(native_core *core, int extra, uint64_t steps, uint32_t each);

/* Of a type with up to 64 bits, also TWK_INT64; of none a byte's. */
static inline uint32_t native_bits_of(uint32_t type)
{
    const uint32_t size = type == TWK_INT64 || type == TWK_UINT64 ? 8 : native_size_of(type);
    return size > 0 ? size * 8 : 8;
}

/* `bytes` bytes of UB at `at`, which the parameter `name` says, at a multiple of `unit`; the kernel
 * fails if they are not there. */
unsigned char *twin_native_lanes_local(native_core *core, const char *name, uint64_t at,
                                       uint64_t bytes, uint32_t unit);

#endif
