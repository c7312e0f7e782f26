/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the descriptor lists that PCIe DMA SQEs of a device name (T-DMA-40): the driver's own,
 * no allocation of the user's. A range of addresses is reserved with the first list; pages are
 * committed as they are written, and those of long lists are released with them. */
#ifndef TWINRT_SIM_MEMORY_DESCRIPTOR_POOL_H
#define TWINRT_SIM_MEMORY_DESCRIPTOR_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/extent_allocator.h"
#include "twinsim/stars.h"

struct sim_lists {
    pthread_mutex_t lock; /* taken last */
    struct sim_span span; /* of pages; guarded by lock */
    _Atomic(char *) base; /* NULL: nothing is reserved yet; written under lock, then it stays */
    size_t bytes;         /* of the range; written before base */
};

/* Pages of one list. */
struct sim_list {
    uint32_t page;
    uint32_t pages;
};

void sim_lists_init(struct sim_lists *lists);
void sim_lists_fini(struct sim_lists *lists);
/* Room for that many consecutive descriptors. False: no address space, or other lists use it.
 * Thread: any. */
bool sim_lists_take(struct sim_lists *lists, uint64_t descriptors, struct sim_list *out);
void sim_lists_release(struct sim_lists *lists, struct sim_list list);
/* Address of a list that was taken. */
stars_dma_descriptor *sim_lists_at(const struct sim_lists *lists, struct sim_list list);

/* Thread: any. */
static inline bool sim_lists_contain(const struct sim_lists *lists, uint64_t address,
                                     uint64_t bytes)
{
    const char *base = atomic_load_explicit(&lists->base, memory_order_acquire);
    const uint64_t offset = address - (uintptr_t)base;
    return base && offset < lists->bytes && bytes <= lists->bytes - offset;
}

#endif
