/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of device memory that is allocated and freed in stream order. A pool ends with its device
 * at the latest. */
#ifndef TWINRT_CORE_WORK_POOL_H
#define TWINRT_CORE_WORK_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/handle.h"
#include "core/object/device.h"

typedef struct twin_pool {
    twin_object object;
    twin_lock lock; /* held over each op of the pool */
    /* Fixed from publish to release. */
    twin_device *device;
    twin_hw_pool *hw;              /* guarded by lock; NULL: destroyed */
    struct twin_pool *next, *prev; /* list of all; guarded by its lock */
} twin_pool;

extern twin_handle_table twin_pools;
static inline void twin_pool_unpin(twin_pool *pool)
{
    twin_handle_unpin(&twin_pools, pool);
}
TWIN_PINNED_TYPE(pool)

/* On the device of a user's number, which is up. `bytes` 0: as large as the device's memory; else
 * rounded up to TWIN_POOL_GRANULE. 107000: larger than the device's memory. 107001. 107002: the
 * thread has no context, or the device is not up. 207001. */
int32_t twin_pool_create(uint32_t device, uint64_t bytes, uint64_t *out_handle);
/* 507000: no such pool. */
int32_t twin_pool_destroy(uint64_t handle);
/* 107000: no such pool, or a read-only attribute. 507000: no such attribute, or a bad value. */
int32_t twin_pool_set(uint64_t handle, twin_pool_attr attr, uint64_t value);
/* 107000: no such pool. 507000: no such attribute. */
int32_t twin_pool_get(uint64_t handle, twin_pool_attr attr, uint64_t *out_value);
/* 507000: no such pool; more than its size, or less than what is allocated. */
int32_t twin_pool_trim(uint64_t handle, uint64_t bytes);
/* In order of a stream of the current context. 107003, 107017; 107000: too large, or a pool of
 * another device than the stream's; 207000: a stream whose tasks do not run on submission; 507000:
 * no such pool, or it is exhausted. */
int32_t twin_pool_alloc(uint64_t handle, uint64_t bytes, uint64_t stream, void **out_pointer);
/* Likewise; also memory of aclrtMalloc. 107000: not the start of an allocation. */
int32_t twin_pool_free(void *pointer, uint64_t stream);

/* The device is about to be closed, and no stream of it is left. No lock is held. */
void twin_pools_forget(const twin_device *device);

/* ---- for submit.c; the stream is locked ---- */

struct twin_stream;

/* TWIN_E_POOL: destroyed meanwhile. */
twin_status twin_pool_alloc_locked(twin_queue *queue, twin_pool *pool, uint64_t bytes,
                                   uint64_t *out_address);

#endif
