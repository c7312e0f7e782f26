/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the vendor's runtime. The core stops a backend when the process ends, when objects of
 * the vendor's may be gone already: those that it made last go first. So the end comes before, in a
 * handler that is registered when all of them are there: after the last device closes. A program
 * that leaves devices open has its process end as it would without us: nothing is asked of the
 * vendor's any more. */
#include <stdlib.h>
#include <unistd.h>

#include "process.h"

#define HANDLERS_MOST 16u /* of a program that opens and closes for ever */

static _Atomic uint32_t handlers;

void ascend_end(void)
{
    if (atomic_exchange(&ascend.over, true))
        return;
    ascend_failures_listen(false);
    ascend_pinned_clear();
    if (ascend.is_ours)
        vendor.finalize();
}

static void end_with_process(void)
{
    if (!ascend.started || getpid() != ascend.process)
        return;
    if (ascend_any_open())
        atomic_store(&ascend.over, true);
    else
        ascend_end();
}

void ascend_end_later(void)
{
    if (atomic_fetch_add_explicit(&handlers, 1, memory_order_relaxed) < HANDLERS_MOST)
        (void)atexit(end_with_process);
    else
        atomic_fetch_sub_explicit(&handlers, 1, memory_order_relaxed);
}
