/* SPDX-License-Identifier: Apache-2.0 */
/* Reservations, physical memory and mappings; memory/vmm_lookup.h has how addresses are found. */
#ifndef TWINRT_SIM_VMM_VMM_H
#define TWINRT_SIM_VMM_VMM_H

#include "process/process.h"

struct sim_physical;

/* The lock of the records and of the table of physical memory. */
void sim_vmm_take_lock(void);
void sim_vmm_drop_lock(void);

/* Releases the physical memory and the imports that are left on a device which is about to be
 * closed. The model lock is held. */
void sim_vmm_close_device(twin_hw_device *device);

/* Physical memory by number, or NULL: the caller knows that it stays. */
struct sim_physical *sim_vmm_find(uint64_t physical);
/* Its pages are others now: the host is to see these. */
void sim_vmm_show_again(struct sim_physical *memory);
/* Memory of another process, with a number. TWIN_E_INVALID (explained): there is one of the same
 * origin. */
twin_status sim_vmm_add(struct sim_physical *memory);
/* The same without a number, at an address of its own; and the end of that. */
twin_status sim_vmm_place(struct sim_physical *memory, uint64_t *out_address);
void sim_vmm_unplace(struct sim_physical *memory);

/* shared_memory.c: whether there is memory outside of the arenas: of other processes, or with
 * TWINRT_DEVMEM=open. The model lock is held. */
bool sim_vmm_has_views(void);
bool sim_vmm_any_view(void);
/* shared_memory.c: ends what memory.open has given on a device. The model lock is held. */
void sim_imports_close(uint32_t device);

#endif
