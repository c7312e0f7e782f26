/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries whose calls cannot be seen: one opened with RTLD_DEEPBIND or dlmopen calls the C
 * library's functions past this library. It may wake any thread at any time, so nothing is proven
 * from then on, and waits are the C library's again. */
#include "cond.h"
#include "host.h"
#include "turn.h"

static void go_blind(void)
{
    if (!host_on(HOST_SYNC))
        return;
    atomic_store(&host_level, HOST_SLEEPS);
    host_conds_end();
    turn_end("a library was opened with RTLD_DEEPBIND or dlmopen, whose calls are not seen");
}

/* The C library looks up the run path of its caller: these must end in a jump, so that the caller
 * is the program. */
HOST_EXPORT void *dlopen(const char *path, int flags)
{
    (void)host_start();
    if ((flags & RTLD_DEEPBIND) != 0)
        go_blind();
    return host_real.dlopen(path, flags);
}

HOST_EXPORT void *dlmopen(Lmid_t space, const char *path, int flags)
{
    (void)host_start();
    if (space != LM_ID_BASE)
        go_blind();
    return host_real.dlmopen(space, path, flags);
}
