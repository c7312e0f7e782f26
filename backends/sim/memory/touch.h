/* SPDX-License-Identifier: Apache-2.0 */
/* What the bus of the model is, while contents of memory are recorded or replayed: memory to which
 * others store without a call is reported when a task uses it (twin_services.touched). Kernels are
 * not asked: a recording has their steps, and what they have stored counts as the program's. */
#ifndef TWINRT_SIM_MEMORY_TOUCH_H
#define TWINRT_SIM_MEMORY_TOUCH_H

#include "process/process.h"

/* As in twinsim_bus. */
void *sim_touch_translate(void *context, uint32_t device, uint64_t address, uint64_t bytes,
                          enum twinsim_access access, enum twinsim_target *out_target,
                          uint32_t *out_device);
bool sim_touch_host_move(void *context, void *to, const void *from, uint64_t bytes);

/* vmm/moved_pages.c: whether other processes may store at a place where the model reaches memory.
 * Thread: any. */
bool sim_pages_exported(const void *place);

#endif
