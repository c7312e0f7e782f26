/* SPDX-License-Identifier: Apache-2.0 */
/* Names the allocation when host code touches guarded device memory, then leaves the fault to whoever
 * handled it before. */
#ifndef TWINRT_SIM_MEMORY_ACCESS_GUARD_H
#define TWINRT_SIM_MEMORY_ACCESS_GUARD_H

/* Thread: init. */
void sim_access_guard_install(void);
/* Puts the earlier handler back if nobody came after us. Thread: init. */
void sim_access_guard_remove(void);

#endif
