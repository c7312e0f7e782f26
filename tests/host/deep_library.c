/* SPDX-License-Identifier: Apache-2.0 */
/* Wakes a thread of the program past every interposer, when it is opened with RTLD_DEEPBIND. */
#include <pthread.h>
#include <stdbool.h>

void deep_wake(pthread_mutex_t *mutex, pthread_cond_t *changed, bool *flag);

void deep_wake(pthread_mutex_t *mutex, pthread_cond_t *changed, bool *flag)
{
    pthread_mutex_lock(mutex);
    *flag = true;
    pthread_cond_signal(changed);
    pthread_mutex_unlock(mutex);
}
