/* SPDX-License-Identifier: Apache-2.0 */
/* What the memory of an object proves about a wait for it (threads.h). The fields are glibc's; they
 * are part of its binary interface, because static initializers write them. `self`: system id of
 * the waiting thread. */
#ifndef TWINRT_HOST_PROOF_H
#define TWINRT_HOST_PROOF_H

#include "host.h"

/* Another thread of this process holds it, and only unlocking ends that. */
bool host_mutex_held(const pthread_mutex_t *mutex, uint32_t self);
/* System id of the thread that holds it; 0: none, or not known. */
uint32_t host_mutex_owner(const pthread_mutex_t *mutex);

/* Another thread of this process has it for writing; or that, or threads have it for reading. */
bool host_rwlock_written(const pthread_rwlock_t *rwlock, uint32_t self);
bool host_rwlock_held(const pthread_rwlock_t *rwlock, uint32_t self);
/* System id of the thread that writes; 0: none does. */
uint32_t host_rwlock_owner(const pthread_rwlock_t *rwlock);

/* `object`: struct host_object with the tokens of the semaphore. No token is left, nor about to be
 * taken. */
bool host_sem_empty(const void *object, const void *semaphore);
/* `object`: struct host_object of the barrier. Threads of that round are still to come. */
bool host_barrier_open(const void *object, const void *barrier, uint64_t round);

#endif
