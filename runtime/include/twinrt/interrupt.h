/* SPDX-License-Identifier: Apache-2.0 */
/* An addition to the interface, for those who bind it to a language whose signal handlers run
 * between two steps of the program (Python): a wait that lasts would keep them, and Ctrl-C with
 * them, for as long. */
#ifndef TWINRT_INTERRUPT_H
#define TWINRT_INTERRUPT_H

#ifdef __cplusplus
extern "C" {
#endif

/* Runs handlers that are due; other than 0: the wait is to end. It may make calls of the
 * interface. */
typedef int (*twinrt_interrupted)(void);

/* From now on waits of the process's main thread ask this function about ten times a second of real
 * time, once they have lasted a tenth, and end with 507046 when interrupted: what was queued stays
 * queued. NULL: no longer. Synchronous copies and fills do not ask: they end by themselves. Times
 * of the model do not depend on it. */
void twinrt_set_interrupt(twinrt_interrupted asked);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
