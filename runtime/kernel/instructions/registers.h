/* SPDX-License-Identifier: Apache-2.0 */
/* Special registers of a core, as instructions set and read them. */
#ifndef TWINRT_KERNEL_INSTRUCTIONS_REGISTERS_H
#define TWINRT_KERNEL_INSTRUCTIONS_REGISTERS_H

#include <stdint.h>

struct native_core;

/* Bits of CTRL. */
#define NATIVE_CTRL_NO_SATURATION (UINT64_C(1) << 48) /* infinities and NaN are kept */
#define NATIVE_CTRL_COUNT         (UINT64_C(1) << 56) /* the mask is a number of elements */

#define NATIVE_VA_REGISTERS 8u
#define NATIVE_VA_ADDRESSES 8u

typedef struct native_registers {
    uint64_t ctrl;
    uint64_t mask[2];    /* bit n of both: element n of a repeat; or [0]: how many elements */
    uint64_t compare[2]; /* result of a comparison, and choice of a selection */
    uint64_t dequantize; /* scale of conversions to fewer bits */
    uint64_t sum;        /* of all that the newest sum added, as bits of its type */
    uint64_t extreme;    /* of the newest maximum or minimum: value, and index from bit 32 */
    uint64_t kept;       /* elements that the newest gather mask kept */
    uint64_t merged;     /* elements of four lists that the newest merge took, 16 bits each */
    uint64_t va[NATIVE_VA_REGISTERS][NATIVE_VA_ADDRESSES]; /* addresses of blocks in UB */
} native_registers;

/* A block begins on the core. */
void twin_native_registers_begin(struct native_core *core);

#endif
