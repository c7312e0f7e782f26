/* SPDX-License-Identifier: Apache-2.0 */
/* What launches of kernels read of the process: sizes of a core's stack and print buffer, the time
 * limit of an operator, the mode of overflows. Thread: any, for all of them. */
#ifndef TWINRT_CORE_BASE_KERNEL_SETTINGS_H
#define TWINRT_CORE_BASE_KERNEL_SETTINGS_H

#include <stdint.h>

#include "seam/types.h"

#define TWIN_STACK_MIN_BYTES (32u << 10)
#define TWIN_STACK_MAX_BYTES (192u << 10)
#define TWIN_PRINT_MIN_BYTES (1u << 10)
#define TWIN_PRINT_MAX_BYTES (64u << 20)
#define TWIN_PRINT_BYTES     (32u << 10) /* when nothing was set */

/* Sizes for each core of a device, in bytes. A device has those that hold when it is opened. */
typedef struct twin_core_memory {
    uint32_t stack_bytes;
    uint32_t print_bytes;
} twin_core_memory;

/* What is set now, for devices that are initialized from now on. */
twin_core_memory twin_core_memory_now(void);
/* Bounds and rounds a size of a stack, in bytes: 32 KiB to 192 KiB in steps of 16 KiB. */
uint32_t twin_stack_round(uint64_t bytes);
/* Rounds a size of a print buffer, in bytes and within its bounds: steps of 8 bytes. */
uint32_t twin_print_round(uint64_t bytes);
/* Sets one of them, rounded; print: `bytes` is within the bounds. */
void twin_stack_set(uint64_t bytes);
void twin_print_set(uint64_t bytes);

/* An operator may run for 1 to TWIN_OP_UNITS units of the device, each of `unit_ns` ns
 * (twin_device_properties). */
#define TWIN_OP_UNITS 254u
/* A time limit that is as long as the device can have, or none at all. */
#define TWIN_OP_MOST  (UINT64_MAX - 1)
#define TWIN_OP_NEVER UINT64_MAX

/* Sets the time limit of operators in us, or one of the two above. A launch may have its own. */
void twin_op_limit_set(uint64_t limit_us);
/* What is set; TWIN_OP_MOST when nothing was. */
uint64_t twin_op_limit(void);
/* How long `limit_us` is on a device: whole units, rounded up, in ns; UINT64_MAX for
 * TWIN_OP_NEVER. */
uint64_t twin_op_limit_ns(uint64_t limit_us, uint64_t unit_ns);

/* What becomes of a floating-point overflow, with the public values. */
typedef enum twin_saturation {
    TWIN_SATURATE, /* the largest number */
    TWIN_INF_NAN   /* infinity or NaN */
} twin_saturation;

/* For streams that are made from now on; a stream keeps what it was made with. */
void twin_saturation_set(twin_saturation mode);
/* `properties`: of the device that decides when nothing was set; NULL: none does, and it is
 * TWIN_SATURATE. */
twin_saturation twin_saturation_now(const twin_device_properties *properties);

#endif
