/* SPDX-License-Identifier: Apache-2.0 */
/* Whether some thread of the process can still act, attached or not: the kernel counts the threads,
 * the runtime and libtwinrt-host.so the blocked ones. Thread states and elapsed time decide
 * nothing. */
#ifndef TWINRT_SIM_WAIT_PROCESS_THREADS_H
#define TWINRT_SIM_WAIT_PROCESS_THREADS_H

#include <stdbool.h>
#include <stddef.h>

/* progress.c: threads of the backend: the kernel counts them, and none acts unless the model can
 * move. Thread: any. */
unsigned sim_progress_threads(void);
/* Threads of the process as the kernel counts them, without the one of progress.c; 0: unknown.
 * Thread: any. */
unsigned sim_process_threads(void);
/* Reads a file below /proc/self/task/TASK into text[bytes]; false, and "": it cannot be read, or is
 * empty. Thread: any. */
bool sim_process_read_task(unsigned task, const char *name, char *text, size_t bytes);
/* Whether a timer may run a function of the program. Thread: any. */
bool sim_process_timer_may_act(void);
/* Whether a handler of a signal may end a wait of the C library that some thread is in: of a signal
 * that a child process, another process or a thread of this one may send. Thread: any. */
bool sim_process_handler_may_act(void);

/* True: a proof that no thread of the process can act before one of the `waiting` that wait in this
 * backend goes on. All others are blocked until another thread of the process ends that, and no
 * timer and no handler of a signal does. False: unknown. *out_silent: threads that keep it from
 * being proven may block or end without a call of the backend, so the caller has to ask again.
 * Thread: model. */
bool sim_process_blocked(unsigned waiting, bool *out_silent);

#endif
