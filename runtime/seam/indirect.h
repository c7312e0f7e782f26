/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of work whose addresses are in device memory, of cache maintenance and of random
 * numbers; part of seam/types.h. */
#ifndef TWINRT_SEAM_INDIRECT_H
#define TWINRT_SEAM_INDIRECT_H

#include <stdbool.h>
#include <stdint.h>

/* What a device does with a range that a descriptor in its memory names: a copy, or cache
 * maintenance, which changes no byte. */
typedef enum twin_range_op {
    TWIN_RANGE_COPY,
    TWIN_RANGE_PREFETCH,
    TWIN_RANGE_WRITEBACK,
    TWIN_RANGE_INVALIDATE,
    TWIN_RANGE_FLUSH
} twin_range_op;

/* Bytes of such a descriptor in the form of the device, at a multiple of TWIN_DESCRIPTOR_ALIGN. */
#define TWIN_DESCRIPTOR_BYTES 32u
#define TWIN_DESCRIPTOR_ALIGN 64u

typedef struct twin_maintenance {
    uint64_t address;
    uint64_t bytes;   /* > 0 */
    twin_range_op op; /* not COPY */
} twin_maintenance;

/* A copy within devices whose base addresses are words of device memory, read when it begins. */
typedef struct twin_based_copy {
    uint64_t dst; /* 8-byte aligned: where the base of the destination is */
    uint64_t src;
    uint64_t dst_offset; /* from the base to the first byte */
    uint64_t src_offset;
    uint64_t bytes; /* > 0 */
} twin_based_copy;

/* Random numbers: types and distributions with the numbers of the public device interface. */
typedef enum twin_random_function {
    TWIN_RANDOM_DROPOUT, /* bits that are 0 with probability `first`; the type is its */
    TWIN_RANDOM_UNIFORM, /* from `first` to `second` */
    TWIN_RANDOM_NORMAL,  /* mean `first`, standard deviation `second`; not of whole numbers */
    TWIN_RANDOM_TRUNCATED_NORMAL /* at most two deviations from the mean; not of whole numbers */
} twin_random_function;
typedef enum twin_random_type {
    TWIN_RANDOM_INT32,
    TWIN_RANDOM_INT64,
    TWIN_RANDOM_UINT32,
    TWIN_RANDOM_UINT64,
    TWIN_RANDOM_BF16,
    TWIN_RANDOM_FP16,
    TWIN_RANDOM_FP32
} twin_random_type;

/* The bits of a number, or the address of them in device memory, read when the task begins. */
typedef struct twin_random_value {
    uint64_t value;
    bool is_address;
} twin_random_value;

typedef struct twin_random {
    twin_random_function function;
    twin_random_type type;
    uint64_t dst;     /* device memory */
    uint64_t counter; /* of 16 bytes, in device memory */
    uint64_t params;  /* device memory that holds the values of first and second, or where they are;
                         0: the backend's to provide */
    twin_random_value first, second;
    twin_random_value seed, count; /* 64 bits each; count: of DROPOUT, bits */
} twin_random;

/* Bytes of `count` numbers, or of so many bits of DROPOUT; UINT64_MAX: too many. */
static inline uint64_t twin_random_bytes(twin_random_function function, twin_random_type type,
                                         uint64_t count)
{
    static const uint8_t bytes[] = {4, 8, 4, 8, 2, 2, 4};
    if (count >= (uint64_t)1 << 40)
        return UINT64_MAX;
    return function == TWIN_RANDOM_DROPOUT ? (count + 7) / 8 : count * bytes[type];
}

#endif
