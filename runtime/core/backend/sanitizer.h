/* SPDX-License-Identifier: Apache-2.0 */
/* What sanitizers of the program learn of this library, which is not instrumented.
 *
 * ThreadSanitizer sees only part of what a library does that is not instrumented: calls of the C
 * library, but neither plain accesses nor atomics. While a thread runs code of the runtime, its
 * accesses and its locks are left out; instead the order that the public interface promises is
 * announced: what a thread did before a call happens before what another thread does after a wait
 * that succeeded, and before a function that a stream calls; what such a function did happens
 * before what follows a wait. The order is one for the whole process, so a race between calls on
 * unrelated streams can be missed.
 *
 * LeakSanitizer leaves out what the runtime allocates: it does not look into the tables that hold
 * it.
 *
 * A build of this library with sanitizers needs none of this. */
#ifndef TWINRT_CORE_BACKEND_SANITIZER_H
#define TWINRT_CORE_BACKEND_SANITIZER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/backend/thread_state.h"

#ifdef TWIN_SANITIZED
#define twin_sanitized false
#else
/* Whether the program has one of these sanitizers. Set before main(). */
extern bool twin_sanitized;
#endif

/* The calling thread begins or ends to run code of the runtime. Each does nothing the second time.
 * Thread: any. */
void twin_sanitizer_hide(twin_thread *thread);
void twin_sanitizer_show(twin_thread *thread);
/* At the beginning of a public call, and at its end with its code. Thread: any. */
void twin_sanitizer_enter(twin_thread *thread);
void twin_sanitizer_leave(twin_thread *thread, int32_t code);
/* Before and after a function of the program that the runtime calls. Thread: any. */
void twin_sanitizer_function_begin(twin_thread *thread);
void twin_sanitizer_function_end(twin_thread *thread);
/* Warns once of a sanitizer that programs cannot be built with. Thread: init. */
void twin_sanitizer_warn(void);

#endif
