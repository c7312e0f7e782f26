/* SPDX-License-Identifier: Apache-2.0 */
/* Locking and unlocking as the interposed functions do it, for waits on condition variables. */
#ifndef TWINRT_HOST_MUTEX_H
#define TWINRT_HOST_MUTEX_H

#include "host.h"

/* pthread_mutex_lock in the name of the interposed function `name`. */
int host_mutex_lock(pthread_mutex_t *mutex, const char *name, const void *call_site);
int host_mutex_unlock(pthread_mutex_t *mutex);

#endif
