/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, and the bus of the model: which memory each address is. */
#ifndef TWINRT_SIM_MEMORY_MEMORY_H
#define TWINRT_SIM_MEMORY_MEMORY_H

#include "process/process.h"

/* The arena of page-locked host memory, made at the first start and kept. Thread: init. */
twin_status sim_memory_start(void);
/* Reports page-locked memory that is still allocated. Thread: init. */
void sim_memory_stop(void);

/* Finds a range that the caller does not know. TWIN_E_INVALID, explained, when it starts in an
 * arena and is not wholly inside one live block. UNKNOWN: not in any arena. Lock free. */
twin_status sim_memory_find(uint64_t address, uint64_t bytes, twin_side *out_side);

/* Names the memory that host code has touched and may not: called by a signal handler, takes no
 * lock. memory/access_guard.c. */
void sim_access_guard_report(uint64_t address);

/* The smallest useful reservation. */
#define SIM_MEMORY_LEAST (32ull << 20)

/* Whether a range that starts in an arena is inside the requested bytes of one block. Lock free. */
bool sim_memory_allocated(uint64_t address, uint64_t bytes);

/* Whether every page of [at, end) is in a mapping of the process with this letter in its rights, as
 * /proc/self/maps has them ('s': shared); true if the system does not say. Slow. Thread: any. */
bool sim_host_has_rights(uint64_t at, uint64_t end, char right);

/* Of page-locked memory. */
struct sim_arena *sim_memory_host_arena(void);

/* The translate callback of the model. Thread: model. */
void *sim_memory_translate(void *context, uint32_t device, uint64_t address, uint64_t bytes,
                           enum twinsim_access access, enum twinsim_target *out_target,
                           uint32_t *out_device);
/* The piece callback of the model. Thread: model. */
uint64_t sim_memory_piece(void *context, uint32_t device, uint64_t address, uint64_t *out_place);

#endif
