/* SPDX-License-Identifier: Apache-2.0 */
/* The model lock: who holds it may look at the model, and the driver moves it. */
#ifndef TWINRT_SIM_WAIT_MODEL_LOCK_H
#define TWINRT_SIM_WAIT_MODEL_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The model lock, first in rank. A driver gives way to whoever asks for it. Where the model
 * stands when an op takes it depends on the order of threads; what an op does under the lock `alone` is not logged. */
void sim_model_lock(void);
void sim_model_lock_alone(void);
void sim_model_unlock(void);
/* False: the lock was not free in that time. */
bool sim_model_lock_within(uint64_t real_ns);
/* The caller, who holds the lock, is the driver from now on. */
void sim_model_lock_as_driver(void);
/* In a forked child, where nobody holds it: without devices nobody waits either. */
void sim_model_forked(void);
/* ---- for the driver, who holds it ---- */

/* The driver gives the model lock away to sleep, and takes it again. */
void sim_model_pause(void);
void sim_model_continue(void);
/* The driver gives way to those who want the lock now: each of them takes it and gives it back. */
void sim_drive_give_way(void);
/* Gives the model lock away until the condition is signalled. */
void sim_model_await(pthread_cond_t *condition);

#endif
