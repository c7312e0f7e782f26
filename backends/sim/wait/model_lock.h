/* SPDX-License-Identifier: Apache-2.0 */
/* The model lock: its holder may read the model, and the driver moves the model. */
#ifndef TWINRT_SIM_WAIT_MODEL_LOCK_H
#define TWINRT_SIM_WAIT_MODEL_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The model lock, first in rank. A driver yields it to each thread that asks for it. The time of
 * the model when an op takes it depends on the order of threads; what an op does under the lock
 * `alone` is not logged. */
void sim_model_lock(void);
void sim_model_lock_alone(void);
void sim_model_unlock(void);
/* False: the lock was not free in that time. */
bool sim_model_lock_within(uint64_t real_ns);
/* The caller, who has the lock, is the driver from now on. */
void sim_model_lock_as_driver(void);
/* In a forked child, where no thread has it: without devices no thread waits either. */
void sim_model_forked(void);
/* ---- for the driver, who has it ---- */

/* The driver releases the model lock to sleep, and takes it again. */
void sim_model_pause(void);
void sim_model_continue(void);
/* The driver yields to the threads that wait for the lock now: each of them takes and releases
 * it. */
void sim_model_yield(void);
/* Releases the model lock until the condition is signalled. */
void sim_model_await(pthread_cond_t *condition);

#endif
