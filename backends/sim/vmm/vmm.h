/* SPDX-License-Identifier: Apache-2.0 */
/* Reservations, physical memory and mappings; memory/vmm_lookup.h has how addresses are found. */
#ifndef TWINRT_SIM_VMM_VMM_H
#define TWINRT_SIM_VMM_VMM_H

#include "process/process.h"

/* Reports and releases the physical memory that is left on a device which is about to be closed.
 * The model lock is held. */
void sim_vmm_close_device(twin_hw_device *device);

#endif
