/* SPDX-License-Identifier: Apache-2.0 */
/* Random calls of the public functions: which, with what arguments, and what each may answer. */
#ifndef TWINRT_TESTS_RANDOM_CALLS_H
#define TWINRT_TESTS_RANDOM_CALLS_H

#include <stdint.h>

#include "random_support.h"

#define RANDOM_HOST_BUFFERS 4
#define RANDOM_HOST_BYTES   (64u << 10)

/* One thread of the test. */
typedef struct random_worker {
    uint32_t index;
    uint64_t number; /* of the call it is in */
    random_state random;
    uint64_t context; /* the one last seen as current; 0 unknown */
    bool lost;        /* the last call found no usable context */
    /* Page-locked memory and plain memory that only this thread uses and frees. */
    void *pinned[RANDOM_HOST_BUFFERS];
    unsigned char *pageable;
    uint64_t *counts; /* answers by call and outcome: [2 * call + (code != 0)] */
} random_worker;

/* How many kinds of calls there are. */
uint32_t random_call_count(void);
const char *random_call_name(uint32_t call);
/* Makes one call and checks the answer. */
void random_call(random_worker *worker);
/* Releases what the worker alone holds. */
void random_worker_end(random_worker *worker);

#endif
