/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the rings, CQs and task states of a device's queues, one slice per SQ. This is not a
 * rule of the model: the addresses decide the host's cost of a task when many queues are used in
 * turn.
 *
 * Pages are committed as they are touched, so a queue that does little holds little. With many
 * queues in use no two tasks in a row touch the same page, and what the host pays most for is
 * finding pages: a piece of 2 MiB becomes one huge page once half of it is in use. */
#ifndef TWINRT_SIM_MEMORY_RING_MEMORY_H
#define TWINRT_SIM_MEMORY_RING_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "twinsim/stars.h"

#define SIM_RINGS_PIECE ((size_t)2 << 20)

struct sim_rings_config {
    uint32_t queues;
    uint32_t sq_depth; /* a power of two */
    uint32_t cq_depth;
    uint32_t task_state_bytes;
};

struct sim_rings {
    struct sim_rings_config config;
    char *base;             /* a multiple of SIM_RINGS_PIECE */
    size_t bytes;           /* the same */
    _Atomic uint32_t *used; /* by piece: bytes of rings and task states that were used at all */
};

/* What belongs to one SQ. */
struct sim_slice {
    stars_sqe *ring;
    stars_cqe *cq;
    void *task_states;
};

/* false: no address space or memory; then there is nothing to release. */
bool sim_rings_init(struct sim_rings *rings, const struct sim_rings_config *config);
/* Also of rings that are all zero. */
void sim_rings_fini(struct sim_rings *rings);
struct sim_slice sim_rings_slice(const struct sim_rings *rings, uint32_t sq);
/* Entries `from` up to `to` of that SQ are used for the first time. Thread: any. */
void sim_rings_use(struct sim_rings *rings, uint32_t sq, uint32_t from, uint32_t to);

/* Of an address in the memory of the rings: whether it is in that of SQs, which is the device's,
 * and not in that of CQs, which is the host's. Thread: any. */
bool sim_rings_of_device(const struct sim_rings *rings, uint64_t address);

static inline bool sim_rings_contain(const struct sim_rings *rings, uint64_t address,
                                     uint64_t bytes)
{
    uint64_t offset = address - (uintptr_t)rings->base;
    return offset < rings->bytes && bytes <= rings->bytes - offset;
}

#endif
