/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a backend runs: idle, running, failed to start, ended. Written by core/backend/registry.c
 * alone. */
#ifndef TWINRT_CORE_BASE_PHASE_H
#define TWINRT_CORE_BASE_PHASE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef enum twin_phase {
    TWIN_PHASE_IDLE,
    TWIN_PHASE_RUNNING,
    TWIN_PHASE_FAILED, /* final for the process */
    TWIN_PHASE_ENDED
} twin_phase;

/* Release/acquire: who reads TWIN_PHASE_RUNNING sees the table of ops. */
extern _Atomic twin_phase twin_backend_phase;
/* How often a backend has started. Release/acquire. */
extern _Atomic uint32_t twin_backend_start_count;
/* The process that started it; read where a failure is reported, before a start as well. */
extern _Atomic pid_t twin_backend_process;
/* This process was forked from that one, and may not use its backend. Relaxed. */
extern _Atomic bool twin_backend_is_forked;

/* How many backends have started: moves when the table below another name of it does. Thread: any,
 * for all of these. */
static inline uint32_t twin_backend_starts(void)
{
    return atomic_load_explicit(&twin_backend_start_count, memory_order_acquire);
}

/* Whether a backend has started and not ended. */
static inline bool twin_backend_running(void)
{
    return atomic_load_explicit(&twin_backend_phase, memory_order_acquire) == TWIN_PHASE_RUNNING;
}

/* Whether the process is ending: the table is one of stubs again and nothing is reported. */
static inline bool twin_backend_ended(void)
{
    return atomic_load_explicit(&twin_backend_phase, memory_order_acquire) == TWIN_PHASE_ENDED;
}

/* Whether this process was forked from the one that runs the backend; *out_parent is that one. */
static inline bool twin_backend_forked(pid_t *out_parent)
{
    *out_parent = atomic_load(&twin_backend_process);
    return atomic_load_explicit(&twin_backend_is_forked, memory_order_relaxed);
}

#endif
