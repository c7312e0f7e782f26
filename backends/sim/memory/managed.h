/* SPDX-License-Identifier: Apache-2.0 */
/* Managed memory: pages of 2 MiB at addresses that the host and all devices use. The bytes are in
 * one place, shared memory that is mapped twice: for the host, and for the model. Where a page
 * "is" decides what accesses cost.
 *
 * The host is never trapped. When a page moves to a device, its entries leave the page table of the
 * host's mapping; if the page table has one again later, the host has used the page meanwhile, and
 * the page was there since. */
#ifndef TWINRT_SIM_MEMORY_MANAGED_H
#define TWINRT_SIM_MEMORY_MANAGED_H

#include "memory/memory_map.h"
#include "process/process.h"

/* Whether an address is of managed memory, allocated or not. Thread: any. */
bool sim_managed_contains(uint64_t address);

/* Whether there is an allocation. The model lock is held. */
bool sim_managed_exists(void);
/* A kernel of the device reads or writes the range, which is inside an allocation: pages move to
 * the device. Thread: model. */
void sim_managed_use(uint32_t device, uint64_t address, uint64_t bytes, bool write);
/* What moves since the last call cost: page faults of devices, and time on the link both ways.
 * Thread: model. */
uint64_t sim_managed_take_cost(void);
/* memory.free of such an address. */
twin_status sim_managed_free(uint64_t address);
/* A row for each allocation. The model lock is held. */
void sim_managed_each(sim_map_visit *visit, void *context);
/* Frees what was allocated on a device that closes. The model lock is held. */
void sim_managed_close(uint32_t device);

#endif
