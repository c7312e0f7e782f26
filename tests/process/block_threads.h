/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of the kernel in block_threads_kernels.c. */
#ifndef TWINRT_TESTS_PROCESS_BLOCK_THREADS_H
#define TWINRT_TESTS_PROCESS_BLOCK_THREADS_H

#include <stdint.h>

struct which_args {
    uint64_t threads; /* device: INT32 of each block */
    uint32_t rounds, none;
};

#endif
