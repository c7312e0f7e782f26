/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/instructions/fractal.h"

#include <stdint.h>
#include <string.h>

#define ROW 32u

/* Four rows of four elements, each row a word. */
static void turn_words(unsigned char *to, const unsigned char *from)
{
    const uint64_t even = UINT64_C(0x0000ffff0000ffff);
    uint64_t a[4], b[4];
    for (uint32_t i = 0; i < 4; i++)
        memcpy(&a[i], from + i * ROW, sizeof(a[i]));
    for (uint32_t i = 0; i < 4; i += 2) {
        b[i] = (a[i] & even) | (a[i + 1] & even) << 16;
        b[i + 1] = (a[i] >> 16 & even) | (a[i + 1] & ~even);
    }
    for (uint32_t i = 0; i < 2; i++) {
        a[i] = (uint32_t)b[i] | b[i + 2] << 32;
        a[i + 2] = b[i] >> 32 | (b[i + 2] >> 32) << 32;
    }
    for (uint32_t i = 0; i < 4; i++)
        memcpy(to + i * ROW, &a[i], sizeof(a[i]));
}

void twin_native_turn_fractal(unsigned char *to, const unsigned char *from)
{
    for (uint32_t row = 0; row < 4; row++)
        for (uint32_t column = 0; column < 4; column++)
            turn_words(to + column * 4 * ROW + row * 8, from + row * 4 * ROW + column * 8);
}
