/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning and the end of each public call, as the backend and sanitizers see them. */
#ifndef TWINRT_CORE_BACKEND_CALL_H
#define TWINRT_CORE_BACKEND_CALL_H

#include "core/backend/ops.h"
#include "core/backend/sanitizer.h"
#include "core/backend/thread_state.h"

/* A call begins: the thread is known to the backend, and the call's host cost is charged. `site`:
 * where the program called. False: the process was forked from the one that runs the backend, so
 * any lock of the core may be held for ever. */
static inline bool twin_call_enter(const twin_call *call, const void *site)
{
    twin_thread *thread = &twin_self;
    thread->call = call;
    thread->call_site = site;
    thread->inside = true;
    if (__builtin_expect(twin_sanitized, 0))
        twin_sanitizer_enter(thread);
    atomic_store_explicit(&thread->in_call, true, memory_order_relaxed);
    /* The store stays before the load of the table; see twin_threads_leave(). */
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(thread->ops != twin_ops(), 0) && !twin_thread_attach())
        return false;
    thread->ops->host.enter(call);
    return true;
}

/* A call ends with `code`. */
static inline int32_t twin_call_leave(int32_t code)
{
    twin_thread *thread = &twin_self;
    if (__builtin_expect(atomic_load_explicit(&twin_ops_traced, memory_order_relaxed), 0))
        thread->ops->host.leave(thread->call, code);
    thread->inside = false;
    atomic_store_explicit(&thread->in_call, false, memory_order_release);
    if (__builtin_expect(twin_sanitized, 0))
        twin_sanitizer_leave(thread, code);
    return code;
}

/* Number of the last task that this thread queued, 0: none. */
static inline uint32_t twin_call_last_task(void)
{
    return twin_ops()->host.last_task();
}

#endif
