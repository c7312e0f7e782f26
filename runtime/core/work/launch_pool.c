/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/launch_pool.h"

#include <stdatomic.h>
#include <string.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/base/alloc.h"
#include "core/object/device_area.h"

#define CHUNK_BYTES (256u << 10) /* of device memory: a whole number of blocks of each class */

/* Bytes of arguments that a launch has room for itself, and in its block of device memory. Other
 * ones get an allocation of their own. A captured kernel keeps its launch as long as its
 * instance. */
static const uint32_t class_bytes[] = {0, 128, 512, 4096};
#define CLASSES ((uint32_t)(sizeof(class_bytes) / sizeof(class_bytes[0])))

/* Launches of one device that wait for use, by class, and the device memory they got. Guarded by
 * lock. */
typedef struct launch_pool {
    twin_kernel_launch *waiting[CLASSES];
    uint64_t *chunks;
    uint32_t chunk_count;
    /* Of the newest chunk of the class: no launch has had them. */
    uint64_t rest[CLASSES], rest_end[CLASSES];
    uint32_t life; /* how often the device has gone down */
} launch_pool;

static twin_lock lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_LAUNCHES);
static launch_pool pools[TWIN_MAX_DEVICES];
/* Released under locks of the backend, so what they hold is returned to the pool later.
 * Release/acquire. */
static _Atomic(twin_kernel_launch *) over;

/* ---- taking ---------------------------------------------------------------------------------- */

/* One more chunk for the class, all of whose blocks are new. The device is up and stays so. */
static int32_t grow(twin_device *device, uint32_t size)
{
    const struct twin_backend *ops = twin_ops();
    uint64_t chunk = 0;
    const twin_status status =
        twin_device_alloc(device, CHUNK_BYTES, "arguments of kernels", &chunk);
    if (status != TWIN_OK)
        return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT,
                                "device %u has no room for arguments of kernels", device->id);
    launch_pool *pool = &pools[device->hw_index];
    twin_lock_take(&lock);
    /* Another thread may have been faster: then its blocks are used first, and these are not
     * lost. */
    const bool needed = pool->rest[size] == pool->rest_end[size];
    uint64_t *chunks = NULL;
    if (needed)
        chunks = twin_regrow(pool->chunks, pool->chunk_count + (size_t)1, sizeof(*chunks));
    if (chunks) {
        pool->chunks = chunks;
        chunks[pool->chunk_count++] = chunk;
        pool->rest[size] = chunk;
        pool->rest_end[size] = chunk + CHUNK_BYTES;
    }
    twin_lock_drop(&lock);
    if (chunks)
        return 0;
    ops->memory.free(chunk);
    return needed ? twin_fail(TWIN_ERR_NOMEM, "no host memory for arguments of kernels") : 0;
}

/* One that waits for use; NULL: there is none. `out_life` in any case. */
static twin_kernel_launch *take_known(uint32_t hw_index, uint32_t size, uint32_t *out_life)
{
    launch_pool *pool = &pools[hw_index];
    twin_lock_take(&lock);
    twin_kernel_launch *known = pool->waiting[size];
    if (known)
        pool->waiting[size] = known->next;
    *out_life = pool->life;
    twin_lock_drop(&lock);
    return known;
}

/* Gives a new launch its block. */
static int32_t take_block(twin_device *device, twin_kernel_launch *launch)
{
    launch_pool *pool = &pools[device->hw_index];
    for (;;) {
        twin_lock_take(&lock);
        if (pool->rest[launch->size] != pool->rest_end[launch->size]) {
            launch->block = pool->rest[launch->size];
            pool->rest[launch->size] += class_bytes[launch->size];
        }
        twin_lock_drop(&lock);
        if (launch->block != 0)
            return 0;
        const int32_t code = grow(device, launch->size);
        if (code != 0)
            return code;
    }
}

__attribute__((cold, noinline)) static int32_t
take_new(twin_device *device, uint32_t size, uint32_t life, twin_kernel_launch **out_launch)
{
    twin_kernel_launch *launch = twin_zalloc(sizeof(*launch) + class_bytes[size]);
    if (!launch)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for a launch");
    launch->size = (uint8_t)size;
    launch->hw_index = (uint8_t)device->hw_index;
    launch->life = life;
    const int32_t code = class_bytes[size] > 0 ? take_block(device, launch) : 0;
    if (code != 0)
        twin_free(launch);
    else
        *out_launch = launch;
    return code;
}

/* Arguments of more bytes than any class has. */
__attribute__((cold, noinline)) static int32_t take_far(twin_device *device,
                                                        twin_kernel_launch *launch, size_t bytes)
{
    launch->args = twin_zalloc(bytes);
    if (!launch->args)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for %zu bytes of arguments", bytes);
    const twin_status status =
        twin_device_alloc(device, bytes, "arguments of kernels", &launch->args_address);
    launch->own_memory = status == TWIN_OK;
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT,
                            "device %u has no room for %zu bytes of arguments", device->id, bytes);
}

/* The smallest class for as many bytes of arguments; of more than any has: that of none. */
static uint32_t class_of(size_t bytes)
{
    for (uint32_t size = 0; size < CLASSES; size++)
        if (bytes <= class_bytes[size])
            return size;
    return 0;
}

int32_t twin_launch_take(twin_device *device, size_t bytes, twin_kernel_launch **out_launch)
{
    const uint32_t size = class_of(bytes);
    uint32_t life = 0;
    twin_kernel_launch *launch = take_known(device->hw_index, size, &life);
    int32_t code = 0;
    if (__builtin_expect(!launch, 0))
        code = take_new(device, size, life, &launch);
    if (__builtin_expect(code != 0, 0))
        return code;
    atomic_init(&launch->references, 1);
    atomic_init(&launch->there, false);
    launch->function = NULL;
    launch->run = NULL;
    launch->own_code = NULL;
    launch->args_address = launch->block;
    launch->args_bytes = bytes;
    launch->from_host = bytes > 0;
    launch->own_memory = false;
    launch->args = launch->near_args;
    if (__builtin_expect(bytes > class_bytes[size], 0))
        code = take_far(device, launch, bytes);
    if (__builtin_expect(code != 0, 0))
        twin_launch_give(launch);
    else
        *out_launch = launch;
    return code;
}

/* ---- returning ------------------------------------------------------------------------------- */

/* All but the launch itself. */
static void empty(twin_kernel_launch *launch)
{
    if (launch->args != launch->near_args)
        twin_free(launch->args);
    twin_free(launch->own_code);
    if (launch->function)
        twin_function_unpin(launch->function);
}

/* Whether it waits for use again. A device that goes down takes its memory along; the addresses may
 * be another's by now. */
static bool keep_locked(twin_kernel_launch *launch, uint64_t *out_memory)
{
    launch_pool *pool = &pools[launch->hw_index];
    if (launch->life != pool->life)
        return false;
    if (launch->own_memory)
        *out_memory = launch->args_address;
    launch->next = pool->waiting[launch->size];
    pool->waiting[launch->size] = launch;
    return true;
}

void twin_launch_give(twin_kernel_launch *launch)
{
    uint64_t memory = 0;
    empty(launch);
    twin_lock_take(&lock);
    const bool kept = keep_locked(launch, &memory);
    twin_lock_drop(&lock);
    if (memory != 0)
        twin_ops()->memory.free(memory);
    if (!kept)
        twin_free(launch);
}

void twin_launch_over(twin_kernel_launch *launch)
{
    twin_kernel_launch *first = atomic_load_explicit(&over, memory_order_relaxed);
    do
        launch->next = first;
    while (!atomic_compare_exchange_weak_explicit(&over, &first, launch, memory_order_release,
                                                  memory_order_relaxed));
}

static void free_list(twin_kernel_launch *launch)
{
    while (launch) {
        twin_kernel_launch *next = launch->next;
        twin_free(launch);
        launch = next;
    }
}

void twin_launches_reap(void)
{
    if (__builtin_expect(!atomic_load_explicit(&over, memory_order_relaxed), 1))
        return;
    twin_kernel_launch *launch = atomic_exchange_explicit(&over, NULL, memory_order_acquire);
    twin_kernel_launch *emptied = NULL;
    while (launch) {
        twin_kernel_launch *next = launch->next;
        if (launch->own_memory) {
            twin_launch_give(launch);
        } else {
            empty(launch);
            launch->next = emptied;
            emptied = launch;
        }
        launch = next;
    }
    twin_kernel_launch *gone = NULL;
    uint64_t none = 0;
    twin_lock_take(&lock);
    while (emptied) {
        twin_kernel_launch *next = emptied->next;
        if (!keep_locked(emptied, &none)) {
            emptied->next = gone;
            gone = emptied;
        }
        emptied = next;
    }
    twin_lock_drop(&lock);
    free_list(gone);
}

void twin_launches_forget(twin_device *device)
{
    twin_launches_reap();
    launch_pool *pool = &pools[device->hw_index];
    twin_lock_take(&lock);
    const launch_pool gone = *pool;
    *pool = (launch_pool){.life = gone.life + 1};
    twin_lock_drop(&lock);
    for (uint32_t i = 0; i < gone.chunk_count; i++)
        twin_ops()->memory.free(gone.chunks[i]);
    twin_free(gone.chunks);
    for (uint32_t size = 0; size < CLASSES; size++)
        free_list(gone.waiting[size]);
}
