/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the process: what the backend writes at the end is written whatever the threads are
 * doing, and nothing waits for a lock that is never released. */
#ifndef TWINRT_CORE_BACKEND_ENDING_H
#define TWINRT_CORE_BACKEND_ENDING_H

#include "seam/backend.h"

/* The public table is one of stubs already. Stops the backend `ops` when all threads have left it.
 * When some do not within a second, or make no progress in waits, it writes and is not stopped.
 * When the calling thread was interrupted inside a call, a forked child writes, as any lock may be
 * this thread's. Logs when nothing could be written. */
void twin_ending_stop(const struct twin_backend *ops);

#endif
