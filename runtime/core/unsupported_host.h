/* SPDX-License-Identifier: Apache-2.0 */
/* Stubs of the ops that pace a device, for devices that move by themselves. */
#ifndef TWINRT_CORE_UNSUPPORTED_HOST_H
#define TWINRT_CORE_UNSUPPORTED_HOST_H

#include "seam/backend.h"

twin_status twin_unsupported_host_pace(void);
twin_status twin_unsupported_host_see(uint32_t device, uint32_t queue, uint64_t newest);
twin_status twin_unsupported_host_move(uint64_t at_ns, uint64_t events);

#endif
