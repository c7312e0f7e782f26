/* SPDX-License-Identifier: Apache-2.0 */
/* Global memory that was written and not computed. */
#ifndef TWINRT_KERNEL_MARK_H
#define TWINRT_KERNEL_MARK_H

#include <stdint.h>

/* What its words hold: NaN in each floating type. */
#define TWIN_NATIVE_MARK 0xffd7ffc9u

static inline unsigned char native_mark(uint64_t address)
{
    return (unsigned char)(TWIN_NATIVE_MARK >> (address & 3) * 8);
}

#endif
