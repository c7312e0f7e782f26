/* SPDX-License-Identifier: Apache-2.0 */
#include "real.h"

#include <dlfcn.h>
#include <string.h>

#define COND_VERSION "GLIBC_2.3.2"

#ifdef __x86_64__
/* Names of the same functions that need no lookup. */
int host_early_lock(pthread_mutex_t *mutex);
int host_early_trylock(pthread_mutex_t *mutex);
int host_early_unlock(pthread_mutex_t *mutex);
__asm__(".symver host_early_lock,__pthread_mutex_lock@GLIBC_2.2.5");
__asm__(".symver host_early_trylock,__pthread_mutex_trylock@GLIBC_2.2.5");
__asm__(".symver host_early_unlock,__pthread_mutex_unlock@GLIBC_2.2.5");

host_real_table host_real = {
    .pthread_mutex_lock = host_early_lock,
    .pthread_mutex_trylock = host_early_trylock,
    .pthread_mutex_unlock = host_early_unlock,
};
#else
host_real_table host_real;
#endif

/* A function's address from an object's: C has no cast for it. */
static void take(void *slot, void *symbol)
{
    if (symbol)
        memcpy(slot, &symbol, sizeof(symbol));
}

void host_real_find(void)
{
#define FIND(name)      take(&host_real.name, dlsym(RTLD_NEXT, #name));
#define FIND_COND(name) take(&host_real.name, dlvsym(RTLD_NEXT, #name, COND_VERSION));
    HOST_REAL(FIND, FIND_COND)
#undef FIND
#undef FIND_COND
}
