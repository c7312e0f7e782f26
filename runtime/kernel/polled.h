/* SPDX-License-Identifier: Apache-2.0 */
/* What a core has polled (poll.h). */
#ifndef TWINRT_KERNEL_POLLED_H
#define TWINRT_KERNEL_POLLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NATIVE_POLLS       64u   /* equal reads in succession, after which a core waits */
#define NATIVE_POLL_BYTES  2048u /* of a read; longer ones are not for polling */
#define NATIVE_POLL_RANGES 64u   /* that a core polls in turn */

/* Bytes that a core has accessed since it last met new ones. */
typedef struct native_polled {
    uint64_t address;
    uint64_t hash; /* of what it has read there; 0: not known yet */
    uint32_t bytes;
    uint32_t generation; /* another than the core's: free */
    bool write;
} native_polled;

typedef struct native_poll {
    native_polled ranges[2 * NATIVE_POLL_RANGES]; /* by hash */
    uint32_t generation;
    uint32_t count;    /* of ranges */
    uint32_t repeats;  /* reads that found nothing new, in succession */
    uint32_t patience; /* of these before it waits */
    bool waits;
    bool waited;       /* and has found nothing new since */
    uint64_t address;  /* that it waited for last */
    size_t launch;     /* writes that all blocks saw when the wait began, and its own */
    uint32_t releases; /* of the run, likewise */
} native_poll;

#endif
