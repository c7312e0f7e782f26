/* SPDX-License-Identifier: Apache-2.0 */
/* Failed tasks and the functions of the program that are called for them: on the thread that
 * synchronises, before the failing synchronisation returns, once per task, with no lock of the core
 * held. Of a kernel its binary's own function is called after all others; the kernel's arguments
 * stay where they are until then. */
#ifndef TWINRT_CORE_CALLBACK_EXCEPTION_CALLBACK_H
#define TWINRT_CORE_CALLBACK_EXCEPTION_CALLBACK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/object/stream.h"

/* What a failed task was; the public interface names the type and hides what is in it. UINT32_MAX:
 * not known. */
struct rtExceptionInfo {
    uint32_t task_id;
    uint32_t stream_id;
    uint32_t thread_id; /* system id of the thread that queued it */
    uint32_t device_id; /* as the user counts */
    uint32_t code;      /* public code */
    bool kernel;        /* it was a kernel, and this is known of it: */
    uint32_t args_bytes;
    uint64_t args;     /* device; 0: none */
    uint64_t function; /* handle */
};

typedef void (*twin_failure_listener)(struct rtExceptionInfo *info);

/* Adds a function, unless it is there already. 207001. */
int32_t twin_failure_listen(twin_failure_listener listener);
/* Takes it off; nothing when it is not there. */
void twin_failure_unlisten(twin_failure_listener listener);
/* The one function beside those; NULL: none. */
void twin_failure_set_listener(twin_failure_listener listener);

/* Copies the failure of a call under way. False: `info` is not, or no longer, of such a call. */
bool twin_failure_read(const struct rtExceptionInfo *info, struct rtExceptionInfo *out);

/* Reports failed tasks of a pinned stream, and of its whole context when a failure stops all of
 * that. */
void twin_failure_report(twin_stream *stream);
/* Reports failed tasks of the current context, if there is one. */
void twin_failure_report_current(void);

#endif
