/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts of waits: when a wait asks for them; leader.c acts on it. */
#ifndef TWINRT_SIM_WAIT_INTERRUPT_H
#define TWINRT_SIM_WAIT_INTERRUPT_H

#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

#include "wait/wait.h"

/* Real time of the first and of the next look of the calling thread's wait; UINT64_MAX: it does not
 * look. A wait for a transfer does not: it ends by itself, and the model may be in its memory. */
uint64_t sim_interrupt_first_look(enum sim_wait_kind kind);
uint64_t sim_interrupt_next_look(void);
/* No clock is read for a wait that does not look. */
bool sim_interrupt_look_due(uint64_t look_ns);
/* Sleeps until the post, at most until look_ns. True: posted. No lock held. */
bool sim_interrupt_sleep(sem_t *sem, uint64_t look_ns);
/* Asks. No lock held. */
bool sim_interrupt_asked(void);

#endif
