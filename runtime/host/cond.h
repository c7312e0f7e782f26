/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TWINRT_HOST_COND_H
#define TWINRT_HOST_COND_H

/* In a forked child: nobody waits. */
void host_conds_forked(void);

#endif
