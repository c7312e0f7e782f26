/* SPDX-License-Identifier: Apache-2.0 */
/* Special registers of a core, as instructions set and read them. */
#ifndef TWINRT_KERNEL_INSTRUCTIONS_REGISTERS_H
#define TWINRT_KERNEL_INSTRUCTIONS_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/hazard.h"
#include "twinrt/kernel.h"

struct native_core;

/* Bits of CTRL. */
#define NATIVE_CTRL_HF32          (UINT64_C(1) << 46) /* products of FP32 cut operands */
#define NATIVE_CTRL_HF32_ZERO     (UINT64_C(1) << 47) /* of two nearest the smaller one */
#define NATIVE_CTRL_NO_SATURATION (UINT64_C(1) << 48) /* infinities and NaN are kept */
#define NATIVE_CTRL_DIRECTION     (UINT64_C(1) << 51) /* order of a product: no other value */
#define NATIVE_CTRL_COUNT         (UINT64_C(1) << 56) /* the mask is a number of elements */
#define NATIVE_CTRL_TRUNCATION    (UINT64_C(1) << 59) /* conversions to integers keep low bits */

#define NATIVE_VA_REGISTERS 8u
#define NATIVE_VA_ADDRESSES 8u

typedef struct native_registers {
    uint64_t ctrl;
    uint64_t mask[2];       /* bit n of both: element n of a repeat; or [0]: how many elements */
    uint64_t compare[2];    /* result of a comparison, and choice of a selection */
    uint64_t dequantize;    /* scale of conversions to fewer bits */
    uint64_t sum;           /* of all that the newest sum added, as bits of its type */
    uint64_t extreme;       /* of the newest maximum or minimum: value, and index from bit 32 */
    uint64_t kept;          /* elements that the newest gather mask kept */
    uint64_t merged;        /* elements of four lists that the newest merge took, 16 bits each */
    uint64_t padding;       /* of bursts from global memory, as bits of an element */
    uint64_t feature[2];    /* the map of img2col: size and padding; a second one */
    uint64_t map_padding;   /* what is around it, as bits of an element */
    uint64_t map_repeat;    /* repeats of img2col */
    uint64_t l1_boundary;   /* addresses of L1 begin again there; 0: nowhere */
    uint32_t fill;          /* of buffers that are filled, as bits of an element */
    uint32_t scalar_atomic; /* of st_atomic: bits 0 to 2 the type, as in CTRL, 3 and 4 how */
    uint64_t ffts, condition, loops; /* kept for programs */
    uint64_t fixpipe; /* where its parameters are: of ReLU, bits 0 to 7, and conversions, 8 to 15 */
    uint64_t nd;      /* matrices of results: number, and strides of source and target */
    uint64_t leak;    /* of results that are less than 0: no conversion takes it */
    uint64_t quantize; /* parameter of conversions of results */
    bool sum_unknown, extreme_unknown, kept_unknown, merged_unknown; /* it was only timed */
    uint64_t va[NATIVE_VA_REGISTERS][NATIVE_VA_ADDRESSES];           /* addresses of blocks in UB */
} native_registers;

/* ---- unit flags of L0C (units.h) ------------------------------------------------------------- */

#define NATIVE_UNIT_BYTES 1024u /* a fractal of results */
#define NATIVE_UNITS      256u

/* What a pipe has done to units, counted. */
typedef struct native_unit_side {
    uint32_t done, seen; /* by the pipe; by the other one, which has waited so often */
    native_clock clock;  /* of the newest */
} native_unit_side;

typedef struct native_units {
    bool used;
    native_unit_side fills, empties;
    uint32_t filled[NATIVE_UNITS];  /* by which fill; 0: it is empty */
    uint32_t emptied[NATIVE_UNITS]; /* by which emptying; 0: by none */
} native_units;

/* How stores to global memory go with what is there: bits 6 to 8 of CTRL are the type of elements,
 * bits 9 and 10 a sum, the larger or the smaller. */
#define NATIVE_CTRL_ATOMIC_TYPE 6
#define NATIVE_CTRL_ATOMIC_HOW  9
#define NATIVE_CTRL_ATOMIC      (UINT64_C(0x1f) << NATIVE_CTRL_ATOMIC_TYPE)

#define NATIVE_CTRL_BITS                                                                           \
    (NATIVE_CTRL_HF32 | NATIVE_CTRL_HF32_ZERO | NATIVE_CTRL_NO_SATURATION |                        \
     NATIVE_CTRL_DIRECTION | NATIVE_CTRL_COUNT | NATIVE_CTRL_TRUNCATION | NATIVE_CTRL_ATOMIC)

/* A twk_atomic, and a twk_type or 0. */
static inline uint32_t native_atomic(const native_registers *registers)
{
    const uint32_t type = registers->ctrl >> NATIVE_CTRL_ATOMIC_TYPE & 7;
    return type == 0 ? TWK_ATOMIC_NONE
                     : TWK_ATOMIC_ADD + (registers->ctrl >> NATIVE_CTRL_ATOMIC_HOW & 3);
}
/* The twk_type of a field of three bits; 0: none. */
static inline uint32_t native_atomic_type_of(uint64_t field)
{
    static const uint8_t types[] = {0,         TWK_FP32, TWK_FP16, TWK_INT16,
                                    TWK_INT32, TWK_INT8, TWK_BF16, UINT8_MAX};
    return types[field & 7];
}
static inline uint32_t native_atomic_type(const native_registers *registers)
{
    return native_atomic_type_of(registers->ctrl >> NATIVE_CTRL_ATOMIC_TYPE);
}

/* A block begins on the core. */
void twin_native_registers_begin(struct native_core *core);

#endif
