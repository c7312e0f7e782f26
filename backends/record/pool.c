/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of memory, and what is allocated from them in queue order. */
#include <stdlib.h>

#include "ops.h"

twin_status record_pool_create(twin_hw_device *device, uint64_t bytes, twin_hw_pool **out_pool)
{
    twin_hw_pool *pool = calloc(1, sizeof(*pool));
    if (!pool)
        return TWIN_E_NOMEM;
    struct record_call call;
    struct twin_record_POOL_CREATE *f = RECORD_BEGIN(&call, POOL_CREATE, 0);
    f->device = device->index;
    f->bytes = bytes;
    record_called(&call);
    twin_status status = record_below.pool.create(device->inner, bytes, &pool->inner);
    if (status == TWIN_OK)
        f->out_pool = pool->number = record_number(&record_numbers.pools);
    record_returned(&call, status);
    if (status == TWIN_OK)
        *out_pool = pool;
    else
        free(pool);
    return status;
}

void record_pool_destroy(twin_hw_pool *pool)
{
    struct record_call call;
    struct twin_record_POOL_DESTROY *f = RECORD_BEGIN(&call, POOL_DESTROY, 0);
    f->pool = pool->number;
    record_called(&call);
    record_below.pool.destroy(pool->inner);
    record_returned(&call, TWIN_OK);
    free(pool);
}

twin_status record_work_alloc(twin_queue *queue, twin_hw_pool *pool, uint64_t bytes,
                              uint64_t *out_address)
{
    RECORD_WORK_BEGIN(WORK_ALLOC);
    f->pool = pool->number;
    f->bytes = bytes;
    record_called(&call);
    twin_status status = record_below.work.alloc(queue->inner, pool->inner, bytes, out_address);
    if (status == TWIN_OK)
        f->out_address = *out_address;
    return record_work_ended(queue, &call, f, before, status);
}
