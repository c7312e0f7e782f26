/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of the kernels in block_threads_kernels.c. */
#ifndef TWINRT_TESTS_PROCESS_BLOCK_THREADS_H
#define TWINRT_TESTS_PROCESS_BLOCK_THREADS_H

#include <stdint.h>

struct which_args {
    uint64_t threads; /* device: INT32 of each block */
    uint32_t rounds, none;
};

struct reach_args {
    uint64_t first; /* what block 1 reads, after a while; the device's address */
    uint64_t other; /* what the blocks after it read at once, each 64 bytes at its own place */
    uint32_t rounds, none;
};

#endif
