/* SPDX-License-Identifier: Apache-2.0 */
/* Condition variables, and what waits on them need of mutex.c. */
#ifndef TWINRT_HOST_COND_H
#define TWINRT_HOST_COND_H

#include "host.h"

/* Every waiter returns, as it may without a signal, and waits in the C library from then on. */
void host_conds_end(void);
/* In a forked child: no thread waits. */
void host_conds_forked(void);

/* pthread_mutex_lock and _unlock as they are interposed, the first in the name of `name`. */
int host_mutex_lock(pthread_mutex_t *mutex, const char *name, const void *call_site);
int host_mutex_unlock(pthread_mutex_t *mutex);

#endif
