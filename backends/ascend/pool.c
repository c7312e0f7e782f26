/* SPDX-License-Identifier: Apache-2.0 */
/* Pools are the vendor's; which memory they gave is noted as that of other allocations is. */
#include <pthread.h>
#include <stdlib.h>
#include <utlist.h>

#include "process.h"

struct twin_hw_pool {
    twin_hw_device *device;
    aclrtMemPool pool;
};

/* Allocations that pools have given: they end with their pool. */
struct given {
    struct given *prev, *next;
    const twin_hw_pool *pool;
    uint64_t base;
};
static pthread_mutex_t given_lock = PTHREAD_MUTEX_INITIALIZER;
static struct given *all_given; /* guarded by given_lock */

static bool note_given(const twin_hw_pool *pool, uint64_t base)
{
    struct given *one = calloc(1, sizeof(*one));
    if (!one)
        return false;
    one->pool = pool;
    one->base = base;
    pthread_mutex_lock(&given_lock);
    DL_PREPEND(all_given, one);
    pthread_mutex_unlock(&given_lock);
    return true;
}

/* Forgets those of a pool, or with NULL the one at `base`. */
static void forget_given(const twin_hw_pool *pool, uint64_t base)
{
    struct given *one, *next;
    pthread_mutex_lock(&given_lock);
    DL_FOREACH_SAFE(all_given, one, next) {
        if (pool ? one->pool != pool : one->base != base)
            continue;
        twin_memory_info info;
        if (pool)
            (void)ascend_range_remove(one->base, TWIN_MEMORY_DEVICE, &info);
        DL_DELETE(all_given, one);
        free(one);
    }
    pthread_mutex_unlock(&given_lock);
}

static bool has_pools(void)
{
    return vendor.pool_create && vendor.pool_destroy && vendor.pool_set && vendor.pool_get &&
           vendor.pool_trim && vendor.pool_malloc && vendor.pool_free;
}

void ascend_pool_forget(uint64_t address)
{
    forget_given(NULL, address);
}

twin_status ascend_pool_create(twin_hw_device *device, uint64_t bytes, twin_hw_pool **out_pool)
{
    if (!has_pools())
        return TWIN_E_UNSUPPORTED;
    twin_hw_pool *made = calloc(1, sizeof(*made));
    if (!made)
        return TWIN_E_NOMEM;
    const aclrtMemPoolProps properties = {
        .allocType = ACL_MEM_ALLOCATION_TYPE_PINNED,
        .location = {.id = device->index, .type = ACL_MEM_LOCATION_TYPE_DEVICE},
        .maxSize = bytes};
    twin_status status =
        ASCEND_CALL(ascend_use_device(device), vendor.pool_create(&made->pool, &properties));
    if (status != TWIN_OK) {
        free(made);
        return status;
    }
    made->device = device;
    *out_pool = made;
    return TWIN_OK;
}

void ascend_pool_destroy(twin_hw_pool *pool)
{
    forget_given(pool, 0); /* before the addresses can be another's */
    if (ascend_use_device(pool->device) == TWIN_OK)
        vendor.pool_destroy(pool->pool);
    free(pool);
}

/* The first three are numbers of 32 bits. */
static bool is_switch(twin_pool_attr attr)
{
    return attr <= TWIN_POOL_ADD_WAITS;
}

twin_status ascend_pool_set(twin_hw_pool *pool, twin_pool_attr attr, uint64_t value)
{
    uint32_t narrow = value != 0;
    return ASCEND_CALL(ascend_use_device(pool->device),
                       vendor.pool_set(pool->pool, (aclrtMemPoolAttr)attr,
                                       is_switch(attr) ? (void *)&narrow : (void *)&value));
}

twin_status ascend_pool_get(twin_hw_pool *pool, twin_pool_attr attr, uint64_t *out_value)
{
    uint32_t narrow = 0;
    uint64_t wide = 0;
    twin_status status =
        ASCEND_CALL(ascend_use_device(pool->device),
                    vendor.pool_get(pool->pool, (aclrtMemPoolAttr)attr,
                                    is_switch(attr) ? (void *)&narrow : (void *)&wide));
    if (status == TWIN_OK)
        *out_value = is_switch(attr) ? narrow : wide;
    return status;
}

twin_status ascend_pool_trim(twin_hw_pool *pool, uint64_t bytes)
{
    return ASCEND_CALL(ascend_use_device(pool->device), vendor.pool_trim(pool->pool, bytes));
}

twin_status ascend_work_alloc(twin_queue *queue, twin_hw_pool *pool, uint64_t bytes,
                              uint64_t *out_address)
{
    void *pointer = NULL;
    twin_status status = ASCEND_CALL(
        ascend_use_queue(queue), vendor.pool_malloc(&pointer, bytes, pool->pool, queue->stream));
    if (status != TWIN_OK)
        return status;
    const twin_memory_info info = {.kind = TWIN_MEMORY_DEVICE,
                                   .device = pool->device->index,
                                   .base = (uint64_t)(uintptr_t)pointer,
                                   .size_bytes = bytes,
                                   .page_bytes = (uint32_t)TWIN_POOL_GRANULE};
    const bool noted = note_given(pool, info.base);
    if (!noted || !ascend_range_add(&info)) {
        if (noted)
            forget_given(NULL, info.base);
        vendor.pool_free(pointer, queue->stream);
        return TWIN_E_NOMEM;
    }
    *out_address = info.base;
    return TWIN_OK;
}

twin_status ascend_work_free(twin_queue *queue, uint64_t address)
{
    twin_memory_info info;
    if (!vendor.pool_free)
        return TWIN_E_UNSUPPORTED;
    /* Before the address can be another's. */
    if (!ascend_range_remove(address, TWIN_MEMORY_DEVICE, &info))
        return TWIN_E_INVALID;
    twin_status status = ASCEND_CALL(ascend_use_queue(queue),
                                     vendor.pool_free((void *)(uintptr_t)address, queue->stream));
    if (status == TWIN_OK)
        forget_given(NULL, address);
    else
        (void)ascend_range_add(&info);
    return status;
}
