/* SPDX-License-Identifier: Apache-2.0 */
/* The vector unit: what an operation is given, and who computes it. */
#ifndef TWINRT_KERNEL_VECTOR_H
#define TWINRT_KERNEL_VECTOR_H

#include "kernel/core.h"
#include "twinrt/kernel.h"

static inline bool native_is_float(uint32_t type)
{
    return type == TWK_FP16 || type == TWK_FP32 || type == TWK_BF16;
}

/* Operands of an operation, found good, as host memory. */
typedef struct native_operands {
    const twk_vector *call;
    native_core *core;
    uint32_t size;     /* of an element of the source */
    uint32_t computed; /* elements that the mask has, in all rows */
    unsigned char *dst;
    const unsigned char *a, *b;
    const unsigned char *mask;
    unsigned char *mask_out;
    uint32_t pitch;    /* bytes, of rows */
    uint32_t reads[3]; /* offsets in UB of what is read element by element */
    uint32_t read_count;
    uint32_t to; /* offset of what is written likewise, or NATIVE_NOWHERE */
} native_operands;

#define NATIVE_NOWHERE UINT32_MAX

/* Operations on floating types that instructions have and kernels of the native interface do not:
 * x if it is above 0, else x times the scalar. */
enum { NATIVE_VECTOR_LEAKY_RELU = TWK_OP_COUNT };

/* Cycles of the vector unit. Counts what the operation computes. */
uint64_t twin_native_vector_cycles(const native_operands *on);

/* Arithmetic on FP16, BF16 and FP32: element by element; reductions to one element; rows by an
 * element each. */
void twin_native_floats(const native_operands *on);
void twin_native_float_reduce(const native_operands *on, const unsigned char *from, uint32_t count,
                              unsigned char *to);
void twin_native_float_rows(const native_operands *on);
/* The same on integers. */
void twin_native_integers(const native_operands *on);
void twin_native_integer_reduce(const native_operands *on, const unsigned char *from,
                                uint32_t count, unsigned char *to);
/* Any types. */
void twin_native_cast(const native_operands *on);
void twin_native_compare(const native_operands *on);
void twin_native_select(const native_operands *on);

#endif
