/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is allocated inside a call of the program, with signals held off: a handler that
 * calls exit() in the middle of malloc() would meet malloc's own lock. For rare allocations: it
 * takes two system calls. */
#ifndef TWINRT_SEAM_HELD_ALLOC_H
#define TWINRT_SEAM_HELD_ALLOC_H

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

/* As malloc(). Thread: any. */
static inline void *twin_alloc_held(size_t bytes)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    void *memory = malloc(bytes);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return memory;
}

#endif
