/* SPDX-License-Identifier: Apache-2.0 */
/* What captures forbid to threads: in each mode, calls that wait for the device or copy at once. */
#ifndef TWINRT_CORE_OBJECT_CAPTURE_MODE_H
#define TWINRT_CORE_OBJECT_CAPTURE_MODE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/backend/thread_state.h"
#include "core/object/context.h"

/* With the public values: aclmdlRICaptureMode. The smaller one is the stricter one. */
typedef enum twin_capture_mode {
    TWIN_CAPTURE_GLOBAL,       /* forbids in all threads that use the context */
    TWIN_CAPTURE_THREAD_LOCAL, /* forbids in the thread that began the capture */
    TWIN_CAPTURE_RELAXED,      /* forbids nothing */
    TWIN_CAPTURE_NO_MODE
} twin_capture_mode;

/* A public call of the program. */
typedef struct twin_capture_call {
    const char *name; /* NULL: none */
    const void *site;
    uint32_t thread; /* as twin_capture_thread() numbers it */
} twin_capture_call;

/* The call that this thread is in. */
twin_capture_call twin_capture_this_call(void);

/* "NAME at MODULE+OFFSET, thread N" into `text`; returns it. */
#define TWIN_CAPTURE_CALL_TEXT 192u
const char *twin_capture_call_text(const twin_capture_call *call,
                                   char text[static TWIN_CAPTURE_CALL_TEXT]);

/* Where a capture was begun. */
typedef struct twin_capture_place {
    uint64_t context; /* handle */
    uint32_t stream;  /* id */
    twin_capture_mode mode;
    twin_capture_call begun;
    struct twin_capture_place *next, *previous;
} twin_capture_place;

/* Held over all that begins, changes or ends a capture; no other lock of the core is held when it
 * is taken, but for those of lower rank. */
extern twin_lock twin_capture_lock;

/* System id of the calling thread. */
uint32_t twin_capture_thread(void);

/* The capture begins to forbid, or ends. Under twin_capture_lock. */
void twin_capture_mode_enter(twin_capture_place *place);
void twin_capture_mode_leave(twin_capture_place *place);

/* Out of the way of twin_capture_mode_check: some capture is going on. */
int32_t twin_capture_mode_refuse(bool asynchronous);
/* Captures that are going on; relaxed: a hint. */
extern _Atomic uint32_t twin_captures_present;

/* Whether the calling thread may do what a capture may forbid: a synchronous copy, or an
 * asynchronous one that is as good as synchronous. 107030, `asynchronous`: 107041. */
static inline int32_t twin_capture_mode_check(bool asynchronous)
{
    return __builtin_expect(atomic_load_explicit(&twin_captures_present, memory_order_relaxed) == 0,
                            1)
               ? 0
               : twin_capture_mode_refuse(asynchronous);
}

/* aclmdlRICaptureThreadExchangeMode: `mode` becomes the thread's, and what was before is in it.
 * 107002. */
int32_t twin_capture_mode_exchange(twin_capture_mode *mode);

#endif
