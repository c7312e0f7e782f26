/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TWINRT_HOST_COND_H
#define TWINRT_HOST_COND_H

/* Every waiter returns, as it may without a signal, and waits in the C library from then on. */
void host_conds_end(void);
/* In a forked child: no thread waits. */
void host_conds_forked(void);

#endif
