/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the device's types, exact to the bit on every host. */
#ifndef TWINRT_KERNEL_NUMBER_H
#define TWINRT_KERNEL_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "seam/half.h"

/* An element as a number; every type fits. */
double twin_native_number(uint32_t type, const void *at);
/* The value stored for a result that is not a number, with saturation: the largest one, or 0 for
 * NaN. */
double twin_native_saturated(uint32_t type, double value);
/* The nearest element: `mode` is a twk_round. Too large: the end of an integer type; of the others
 * infinity, or the largest as the mode has it, and *out_overflow. NaN: 0 in integer types. */
void twin_native_store(uint32_t type, void *at, double value, uint32_t mode, bool *out_overflow);

/* The number as the nearest element, which goes to `element`. */
double twin_native_nearest(uint32_t type, double value, unsigned char element[4]);

/* The first `size` bytes of the element, `count` times. */
void twin_native_repeat(unsigned char *at, uint32_t count, uint32_t size, const uint32_t *element);

/* Whole numbers near a double, by a twk_round. */
double twin_native_whole(double value, uint32_t mode);

/* Whether results are saturated; and whether one was too large for its type, or no number, which is
 * set and not cleared. */
typedef struct native_overflow {
    bool saturate, happened;
} native_overflow;

/* Each element at `at` becomes its sum with the one of `data`, or the larger or smaller: `how` is a
 * twk_atomic. */
void twin_native_combine(uint32_t how, uint32_t type, unsigned char *at, const unsigned char *data,
                         size_t bytes, native_overflow *overflow);

/* The two functions that no standard rounds, in double and the same on every host. Rounded once
 * more to FP32 they are the nearest but for about one in a hundred million, where they are the
 * second nearest. */
double twin_native_exp(double x);
double twin_native_ln(double x);

#endif
