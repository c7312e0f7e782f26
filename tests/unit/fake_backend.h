/* SPDX-License-Identifier: Apache-2.0 */
/* A small backend for tests of the core: it runs queued work at once when a thread waits or asks,
 * on ordinary memory, with its own clock. It counts the objects that the core holds, and ops can
 * be set to fail. */
#ifndef TWINRT_TESTS_UNIT_FAKE_BACKEND_H
#define TWINRT_TESTS_UNIT_FAKE_BACKEND_H

#include <stdatomic.h>

#include "seam/backend.h"

/* Set before fake_install(), which resets it to the values here. */
typedef struct fake_settings {
    uint32_t devices;         /* 2 */
    uint32_t stream_limit;    /* 8 */
    uint32_t stream_id_limit; /* 0 */
    uint32_t queue_depth;     /* 16 */
    uint32_t event_limit;     /* 4: hardware ids for level events */
    /* An op that answers something other than TWIN_OK, once. */
    _Atomic twin_status fail_open, fail_queue, fail_signal, fail_work, fail_drain, fail_start;
} fake_settings;

/* The objects that the core has made and not yet released, and the numbers of calls. */
typedef struct fake_counts {
    _Atomic int devices, queues, signals, memory, threads;
    _Atomic int opens, closes, starts, stops, aborts, enters;
} fake_counts;

extern fake_settings fake_set;
extern fake_counts fake_count;
extern struct twin_backend fake_table;

/* Makes the core use the fake from its next call on, with default settings and counts of 0. */
void fake_install(void);

#endif
