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

/* Of a function that the C library has in two versions: the version that programs get today, or
 * another interposer's, which need not have versions. Without a version, older dynamic linkers give
 * the older one. */
static void *find_cond(const char *name)
{
    void *versioned = dlvsym(RTLD_NEXT, name, COND_VERSION);
    void *next = dlsym(RTLD_NEXT, name);
    Dl_info of_versioned;
    Dl_info of_next;
    if (!versioned || !next || dladdr(versioned, &of_versioned) == 0 || dladdr(next, &of_next) == 0)
        return versioned ? versioned : next;
    return of_versioned.dli_fbase == of_next.dli_fbase ? versioned : next;
}

void host_real_find(void)
{
#define FIND(name)      take(&host_real.name, dlsym(RTLD_NEXT, #name));
#define FIND_COND(name) take(&host_real.name, find_cond(#name));
    HOST_REAL(FIND, FIND_COND)
#undef FIND
#undef FIND_COND
}
