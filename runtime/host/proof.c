/* SPDX-License-Identifier: Apache-2.0 */
#include "proof.h"

/* Bits of __kind beyond the type of the mutex: robust, inherits priority, has a ceiling, is
 * shared. */
#define MUTEX_SPECIAL (16 | 32 | 64 | 128)
/* Bits of __readers; the count is above them. */
#define RWLOCK_WRITE_PHASE  1u
#define RWLOCK_READER_SHIFT 3

bool host_mutex_held(const pthread_mutex_t *mutex, uint32_t self)
{
    if ((mutex->__data.__kind & MUTEX_SPECIAL) != 0)
        return false;
    int locked = __atomic_load_n(&mutex->__data.__lock, __ATOMIC_SEQ_CST);
    uint32_t owner = host_mutex_owner(mutex);
    return locked != 0 && owner != 0 && owner != self;
}

uint32_t host_mutex_owner(const pthread_mutex_t *mutex)
{
    return (uint32_t)__atomic_load_n(&mutex->__data.__owner, __ATOMIC_SEQ_CST);
}

bool host_rwlock_written(const pthread_rwlock_t *rwlock, uint32_t self)
{
    if (rwlock->__data.__shared != 0)
        return false;
    uint32_t owner = host_rwlock_owner(rwlock);
    return owner != 0 && owner != self;
}

bool host_rwlock_held(const pthread_rwlock_t *rwlock, uint32_t self)
{
    if (rwlock->__data.__shared != 0)
        return false;
    uint32_t owner = host_rwlock_owner(rwlock);
    if (owner != 0)
        return owner != self;
    /* In the read phase every reader that is counted has the lock; in the other one readers wait
     * too. */
    unsigned readers = __atomic_load_n(&rwlock->__data.__readers, __ATOMIC_SEQ_CST);
    return (readers & RWLOCK_WRITE_PHASE) == 0 && readers >> RWLOCK_READER_SHIFT != 0;
}

uint32_t host_rwlock_owner(const pthread_rwlock_t *rwlock)
{
    return (uint32_t)__atomic_load_n(&rwlock->__data.__cur_writer, __ATOMIC_SEQ_CST);
}
