/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the program that is registered with a device (memory.pin). Its pages stay the
 * program's: the model reaches them through sim_memory_host_move, which reports a page that is
 * missing, and never through a pointer.
 *
 * A mapped range has an address for its device, too. These addresses are a region of reserved
 * address space, so that nothing else of the process is ever there. */
#ifndef TWINRT_SIM_MEMORY_REGISTERED_H
#define TWINRT_SIM_MEMORY_REGISTERED_H

#include "memory/memory_map.h"
#include "process/process.h"

/* The registered range in which an address of the program is; false: in none. Lock free, thread:
 * any. */
bool sim_registered_info(uint64_t address, twin_memory_info *out_info);
/* Whether a part of the program's memory there is registered. Lock free, thread: any. */
bool sim_registered_any(uint64_t address, uint64_t bytes);
/* As twinsim_bus.translate, for such an address. NULL: the range is not inside a registered one.
 * Thread: model. */
void *sim_registered_translate(uint64_t address, uint64_t bytes, enum twinsim_access access,
                               enum twinsim_target *out_target);
/* Whether another process can have the page in which a mapped word of the program is. Slow. */
bool sim_registered_outside(uint64_t device_address);
/* As twinsim_bus.host_move. Never raises a signal; notes of which registered range a page is
 * missing. */
bool sim_memory_host_move(void *context, void *to, const void *from, uint64_t bytes);

/* A row for each registration. Takes the lock. */
void sim_registered_each(sim_map_visit *visit, void *context);
/* Ends the registrations of a device that closes. Thread: as device.close. */
void sim_registered_close(uint32_t device);
/* Whether a device reaches registered memory at that address; *out_host: its own address. For a
 * signal handler: takes no lock. */
bool sim_registered_at(uint64_t device_address, uint64_t *out_host);

#endif
