/* SPDX-License-Identifier: Apache-2.0 */
/* The model lock: the driver releases it to each thread that asks for it. */
#include "wait/model_lock.h"

#include <stdatomic.h>
#include <time.h>

#include "process/nondeterminism.h"
#include "wait/real_time.h"

static pthread_mutex_t model_lock = PTHREAD_MUTEX_INITIALIZER;
/* Threads that ask for the model lock or have it, without the driver. */
static atomic_uint lock_wanted;
static pthread_cond_t lock_given = PTHREAD_COND_INITIALIZER;
/* The driver sleeps on lock_given until so many others had the lock. Guarded by model_lock. */
static unsigned driver_yields;

void sim_model_lock_as_driver(void)
{
    atomic_fetch_sub(&lock_wanted, 1);
}

void sim_model_lock_alone(void)
{
    atomic_fetch_add(&lock_wanted, 1);
    pthread_mutex_lock(&model_lock);
}

void sim_model_lock(void)
{
    sim_nd_act(TWIN_ND_LOCK, false, sim_model_lock_alone);
}

bool sim_model_lock_within(uint64_t real_ns)
{
    const struct timespec step = {.tv_nsec = 1000000};
    const uint64_t until_ns = sim_real_now() + real_ns;
    atomic_fetch_add(&lock_wanted, 1);
    /* In steps: ThreadSanitizer does not know pthread_mutex_clocklock(). */
    while (pthread_mutex_trylock(&model_lock) != 0) {
        if (sim_real_now() >= until_ns) {
            atomic_fetch_sub(&lock_wanted, 1);
            return false;
        }
        nanosleep(&step, NULL);
    }
    return true;
}

void sim_model_forked(void)
{
    pthread_mutex_init(&model_lock, NULL);
    pthread_cond_init(&lock_given, NULL);
    atomic_store(&lock_wanted, 0);
}

void sim_model_unlock(void)
{
    atomic_fetch_sub(&lock_wanted, 1);
    if (driver_yields != 0 && --driver_yields == 0)
        pthread_cond_signal(&lock_given);
    pthread_mutex_unlock(&model_lock);
}

void sim_model_yield(void)
{
    driver_yields = atomic_load(&lock_wanted);
    if (driver_yields == 0)
        return;
    sim_model_await(&lock_given); /* woken early is as good */
    driver_yields = 0;
}

void sim_model_pause(void)
{
    pthread_mutex_unlock(&model_lock);
}

void sim_model_continue(void)
{
    pthread_mutex_lock(&model_lock);
}

void sim_model_await(pthread_cond_t *condition)
{
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pthread_cond_wait(condition, &model_lock);
    pthread_setcancelstate(cancel, NULL);
}
