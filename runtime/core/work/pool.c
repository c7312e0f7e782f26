/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/pool.h"

#include <utlist.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/object/context.h"
#include "core/object/stream.h"
#include "core/work/range.h"

static twin_lock list_lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_POOLS);
static twin_pool *all; /* that are not destroyed; guarded by list_lock */

static void construct(void *object)
{
    twin_pool *pool = object;
    twin_lock_init(&pool->lock, TWIN_RANK_POOL);
}

static void release(void *object)
{
    twin_handle_free(&twin_pools, object);
}

twin_handle_table twin_pools =
    TWIN_HANDLE_TABLE_INITIALIZER("memory pool", TWIN_HANDLE_POOL, twin_pool, construct, release);

static int32_t fail_status(const twin_pool *pool, twin_status status)
{
    return twin_fail_status(twin_device_note(pool->device, status), TWIN_CODE_STREAM_TIMEOUT,
                            "a memory pool of device %u", pool->device->id);
}

/* The refusal of a handle that names no pool, by the code that the function documents. */
static int32_t fail_handle(twin_error error)
{
    return twin_fail(error, "memPool is not a memory pool: use what aclrtMemPoolCreate gave, until "
                            "it is destroyed or its device is reset");
}

/* ---- life ------------------------------------------------------------------------------------ */

/* The size of a pool on the device. */
static int32_t round_size(const twin_device *device, uint64_t *bytes)
{
    uint64_t unused = 0, total = 0;
    twin_status status = twin_ops()->memory.space(device->hw, 0, &unused, &total);
    if (status != TWIN_OK)
        return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "device %u", device->id);
    const uint64_t asked = *bytes;
    *bytes = asked == 0 ? total / TWIN_POOL_GRANULE * TWIN_POOL_GRANULE
                        : (asked / TWIN_POOL_GRANULE + (asked % TWIN_POOL_GRANULE != 0)) *
                              TWIN_POOL_GRANULE;
    if (asked <= total && *bytes <= total)
        return 0;
    return twin_fail(TWIN_ERR_PARAM_RELATION,
                     "maxSize is %llu bytes; device %u has %llu bytes of memory",
                     (unsigned long long)asked, device->id, (unsigned long long)total);
}

/* The device is up and stays so. */
static int32_t create(twin_device *device, uint64_t bytes, uint64_t *out_handle)
{
    int32_t code = round_size(device, &bytes);
    if (code != 0)
        return code;
    twin_pool *pool = twin_handle_alloc(&twin_pools);
    if (!pool)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for a memory pool");
    pool->device = device;
    pool->hw = NULL;
    code = fail_status(pool, twin_ops()->pool.create(device->hw, bytes, &pool->hw));
    if (code != 0) {
        twin_handle_free(&twin_pools, pool);
        return code;
    }
    twin_lock_take(&list_lock);
    DL_APPEND(all, pool);
    twin_lock_drop(&list_lock);
    *out_handle = twin_handle_publish(pool);
    return 0;
}

int32_t twin_pool_create(uint32_t device, uint64_t bytes, uint64_t *out_handle)
{
    TWIN_PINNED(context, context);
    twin_device *found = NULL;
    int32_t code = twin_context_pin_current(&context);
    if (code == 0)
        code = twin_device_find((int32_t)device, &found);
    if (code != 0)
        return code;
    if (!twin_device_add_object(found, false))
        return twin_fail(TWIN_ERR_CONTEXT_NULL, "device %u is not set up; call aclrtSetDevice",
                         device);
    code = create(found, bytes, out_handle);
    twin_device_drop_object(found);
    return code;
}

/* Ends a pinned pool. False: another thread did. */
static bool end(twin_pool *pool)
{
    if (!twin_handle_retire(pool))
        return false;
    twin_lock_take(&list_lock);
    DL_DELETE(all, pool);
    twin_lock_drop(&list_lock);
    twin_lock_take(&pool->lock);
    twin_hw_pool *hw = pool->hw;
    pool->hw = NULL;
    if (hw)
        twin_ops()->pool.destroy(hw);
    twin_lock_drop(&pool->lock);
    return true;
}

int32_t twin_pool_destroy(uint64_t handle)
{
    TWIN_PINNED(pool, pool);
    pool = twin_handle_pin(&twin_pools, handle);
    return pool && end(pool) ? 0 : fail_handle(TWIN_ERR_INTERNAL);
}

/* A pool of the device, pinned; NULL: there is none left. */
static twin_pool *pin_one(const twin_device *device)
{
    TWIN_LOCKED(&list_lock);
    for (twin_pool *pool = all; pool; pool = pool->next)
        if (pool->device == device && twin_handle_pin_object(pool, pool->object.handle))
            return pool;
    return NULL;
}

void twin_pools_forget(const twin_device *device)
{
    twin_pool *pool;
    while ((pool = pin_one(device)) != NULL) {
        (void)end(pool);
        twin_pool_unpin(pool);
    }
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* Pins a pool and takes its lock; NULL: no such pool. */
static twin_pool *lock_pool(uint64_t handle)
{
    twin_pool *pool = twin_handle_pin(&twin_pools, handle);
    if (!pool)
        return NULL;
    twin_lock_take(&pool->lock);
    if (pool->hw)
        return pool;
    twin_lock_drop(&pool->lock);
    twin_pool_unpin(pool);
    return NULL;
}

static int32_t unlock_pool(twin_pool *pool, twin_status status)
{
    twin_lock_drop(&pool->lock);
    const int32_t code = fail_status(pool, status);
    twin_pool_unpin(pool);
    return code;
}

int32_t twin_pool_set(uint64_t handle, twin_pool_attr attr, uint64_t value)
{
    twin_pool *pool = lock_pool(handle);
    return pool ? unlock_pool(pool, twin_ops()->pool.set(pool->hw, attr, value))
                : fail_handle(TWIN_ERR_PARAM);
}

int32_t twin_pool_get(uint64_t handle, twin_pool_attr attr, uint64_t *out_value)
{
    twin_pool *pool = lock_pool(handle);
    return pool ? unlock_pool(pool, twin_ops()->pool.get(pool->hw, attr, out_value))
                : fail_handle(TWIN_ERR_PARAM);
}

int32_t twin_pool_trim(uint64_t handle, uint64_t bytes)
{
    twin_pool *pool = lock_pool(handle);
    return pool ? unlock_pool(pool, twin_ops()->pool.trim(pool->hw, bytes))
                : fail_handle(TWIN_ERR_INTERNAL);
}

/* ---- allocations ----------------------------------------------------------------------------- */

twin_status twin_pool_alloc_locked(twin_queue *queue, twin_pool *pool, uint64_t bytes,
                                   uint64_t *out_address)
{
    TWIN_LOCKED(&pool->lock);
    return pool->hw ? twin_ops()->work.alloc(queue, pool->hw, bytes, out_address) : TWIN_E_POOL;
}

int32_t twin_pool_alloc(uint64_t handle, uint64_t bytes, uint64_t stream, void **out_pointer)
{
    TWIN_PINNED(stream, own);
    TWIN_PINNED(pool, pool);
    int32_t code = twin_stream_pin_own(stream, &own);
    if (code != 0)
        return code;
    if (bytes > UINT64_MAX - TWIN_POOL_GRANULE)
        return twin_fail(TWIN_ERR_PARAM, "size is %llu; no pool has that much",
                         (unsigned long long)bytes);
    pool = twin_handle_pin(&twin_pools, handle);
    if (!pool)
        return fail_handle(TWIN_ERR_INTERNAL);
    if (pool->device != own->device)
        return twin_fail(TWIN_ERR_PARAM_RELATION,
                         "memPool is of device %u, and stream %u of device %u", pool->device->id,
                         own->id, own->device->id);
    uint64_t address = 0;
    const twin_pool_work work = {.pool = pool,
                                 .bytes = (bytes + TWIN_POOL_GRANULE - 1) / TWIN_POOL_GRANULE *
                                          TWIN_POOL_GRANULE,
                                 .out_address = &address};
    code = twin_stream_submit(stream, &(twin_task){.kind = TWIN_TASK_ALLOC, .pool = &work});
    if (code == 0)
        *out_pointer = (void *)(uintptr_t)address;
    return code;
}

int32_t twin_pool_free(void *pointer, uint64_t stream)
{
    TWIN_PINNED(stream, own);
    int32_t code = twin_stream_pin_own(stream, &own);
    if (code != 0)
        return code;
    const twin_memory_info info = twin_range_info(pointer);
    if (info.kind != TWIN_MEMORY_DEVICE || info.base != (uint64_t)(uintptr_t)pointer)
        return twin_fail(TWIN_ERR_PARAM,
                         "%p is not the start of an allocation of device memory: it was freed, or "
                         "is of another allocator",
                         pointer);
    code = twin_range_check_owner("memory", &info, own->device);
    if (code != 0)
        return code;
    const twin_pool_work work = {.address = info.base};
    return twin_stream_submit(stream, &(twin_task){.kind = TWIN_TASK_FREE, .pool = &work});
}
