/* SPDX-License-Identifier: Apache-2.0 */
/* Stubs of the ops for the time of host threads, for devices that run in real time. */
#ifndef TWINRT_CORE_BACKEND_UNSUPPORTED_HOST_H
#define TWINRT_CORE_BACKEND_UNSUPPORTED_HOST_H

#include "seam/backend.h"

void twin_unsupported_host_advance(uint64_t ns);
void twin_unsupported_host_changed(void);
void twin_unsupported_host_follow(const twin_host_moment *moment);
twin_status twin_unsupported_host_pace(void);
twin_status twin_unsupported_host_see(twin_seen what, uint32_t device, uint32_t queue,
                                      uint64_t number);
twin_status twin_unsupported_host_move(uint64_t at_ns, uint64_t events);
twin_host_moment *twin_unsupported_host_self(void);

/* Of a process: nothing to write, and nothing that a forked child could start with. */
bool twin_unsupported_process_forked(void);
void twin_unsupported_process_stop(void);
bool twin_unsupported_process_write(twin_write_when when, unsigned waiting);

#endif
