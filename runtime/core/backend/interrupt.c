/* SPDX-License-Identifier: Apache-2.0 */
#include "core/backend/interrupt.h"

#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "core/backend/thread_state.h"

static int (*_Atomic function)(void);

void twin_interrupt_set(int (*asked)(void))
{
    atomic_store(&function, asked);
}

bool twin_interruptible(void)
{
    return atomic_load_explicit(&function, memory_order_relaxed) && gettid() == getpid();
}

bool twin_interrupted(void)
{
    int (*asked)(void) = atomic_load(&function);
    if (!asked)
        return false;
    const twin_call *call = twin_outcall_begin();
    bool interrupted = asked() != 0;
    twin_outcall_end(call);
    return interrupted;
}
