/* SPDX-License-Identifier: Apache-2.0 */
/* Fractals: 16 rows of 32 bytes. */
#ifndef TWINRT_KERNEL_INSTRUCTIONS_FRACTAL_H
#define TWINRT_KERNEL_INSTRUCTIONS_FRACTAL_H

/* Rows of 16 elements of 2 bytes become columns. */
void twin_native_turn_fractal(unsigned char *to, const unsigned char *from);

#endif
