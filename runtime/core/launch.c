/* SPDX-License-Identifier: Apache-2.0 */
#include "core/launch.h"

#include <stdatomic.h>
#include <string.h>

#include "core/alloc.h"
#include "core/binary.h"
#include "core/config.h"
#include "core/context.h"
#include "core/error.h"
#include "core/kernel_settings.h"
#include "core/log.h"
#include "core/registry.h"
#include "core/stream.h"

#define BLOCK_BYTES   4096u /* of device memory, for the arguments of a launch that fit */
#define CHUNK_BLOCKS  64u
#define POINTER_BYTES 8u
#define NS_PER_US     1000u

/* A launch on its way. */
typedef struct kernel_launch {
    twin_launch base;
    struct kernel_launch *next; /* among those that are over */
    twin_function *function;    /* pinned */
    uint32_t hw_index;
    uint32_t life;         /* of its device, as the pool counts them */
    uint64_t args_address; /* device; 0: none */
    size_t args_bytes;
    bool has_block; /* args_address is a block of the pool, or all of an allocation */
    bool from_host; /* args[] goes there when the kernel begins */
    unsigned char args[];
} kernel_launch;

/* Memory for arguments on one device: chunks, cut into blocks. Guarded by lock. */
typedef struct args_pool {
    uint64_t *free;
    uint32_t free_count, free_room;
    uint64_t *chunks;
    uint32_t chunk_count;
    uint32_t life; /* how often the device has gone down */
} args_pool;

static twin_lock lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_LAUNCHES);
static args_pool pools[TWIN_MAX_DEVICES];
/* Released under locks of the backend, so what they hold is given back later. Release/acquire. */
static _Atomic(kernel_launch *) over;

/* ---- memory of arguments ------------------------------------------------------------------------ */

/* One more chunk, whose blocks all are free. The device is up and stays so. */
static int32_t grow(twin_device *device)
{
    const struct twin_backend *ops = twin_ops();
    uint64_t chunk = 0;
    const twin_status status =
        twin_device_note(device, ops->memory.alloc(device->hw, (uint64_t)BLOCK_BYTES * CHUNK_BLOCKS,
                                                   TWIN_PAGES_DEFAULT, &chunk));
    if (status != TWIN_OK)
        return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT,
                                "device %u has no room for arguments of kernels", device->id);
    args_pool *pool = &pools[device->hw_index];
    bool kept = false;
    twin_lock_take(&lock);
    uint64_t *chunks = twin_regrow(pool->chunks, pool->chunk_count + (size_t)1, sizeof(*chunks));
    if (chunks)
        pool->chunks = chunks;
    const size_t room = ((size_t)pool->chunk_count + 1) * CHUNK_BLOCKS;
    uint64_t *blocks = chunks ? twin_regrow(pool->free, room, sizeof(*blocks)) : NULL;
    if (blocks) {
        pool->free = blocks;
        pool->free_room = (uint32_t)room;
        chunks[pool->chunk_count++] = chunk;
        for (uint32_t i = 0; i < CHUNK_BLOCKS; i++)
            blocks[pool->free_count++] = chunk + (uint64_t)BLOCK_BYTES * (CHUNK_BLOCKS - 1 - i);
        kept = true;
    }
    twin_lock_drop(&lock);
    if (kept)
        return 0;
    ops->memory.free(chunk);
    return twin_fail(TWIN_ERR_NOMEM, "no host memory for arguments of kernels");
}

static uint64_t take_block(uint32_t hw_index)
{
    args_pool *pool = &pools[hw_index];
    twin_lock_take(&lock);
    const uint64_t block = pool->free_count > 0 ? pool->free[--pool->free_count] : 0;
    twin_lock_drop(&lock);
    return block;
}

static uint32_t life_of(uint32_t hw_index)
{
    twin_lock_take(&lock);
    const uint32_t life = pools[hw_index].life;
    twin_lock_drop(&lock);
    return life;
}

/* The caller keeps the device up. */
static int32_t place_args(kernel_launch *launch, twin_device *device)
{
    launch->life = life_of(device->hw_index);
    if (launch->args_bytes > BLOCK_BYTES) {
        const twin_status status = twin_device_note(
            device, twin_ops()->memory.alloc(device->hw, launch->args_bytes, TWIN_PAGES_DEFAULT,
                                             &launch->args_address));
        return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT,
                                "device %u has no room for %zu bytes of arguments", device->id,
                                launch->args_bytes);
    }
    int32_t code = 0;
    while (code == 0 && (launch->args_address = take_block(device->hw_index)) == 0)
        code = grow(device);
    launch->has_block = code == 0;
    return code;
}

static void give_args_back(const kernel_launch *launch)
{
    if (!launch->from_host || launch->args_address == 0)
        return;
    /* A device that goes down takes its memory along; the address may be another's by now. */
    args_pool *pool = &pools[launch->hw_index];
    twin_lock_take(&lock);
    const bool there = pool->life == launch->life;
    if (there && launch->has_block)
        pool->free[pool->free_count++] = launch->args_address;
    twin_lock_drop(&lock);
    if (there && !launch->has_block)
        twin_ops()->memory.free(launch->args_address);
}

/* ---- the end of launches ------------------------------------------------------------------------ */

static void end_launch(kernel_launch *launch)
{
    give_args_back(launch);
    twin_function_unpin(launch->function);
    twin_free(launch);
}

void twin_launches_reap(void)
{
    if (!atomic_load_explicit(&over, memory_order_relaxed))
        return;
    kernel_launch *launch = atomic_exchange_explicit(&over, NULL, memory_order_acquire);
    while (launch) {
        kernel_launch *next = launch->next;
        end_launch(launch);
        launch = next;
    }
}

void twin_launches_forget(twin_device *device)
{
    twin_launches_reap();
    args_pool *pool = &pools[device->hw_index];
    twin_lock_take(&lock);
    const args_pool gone = *pool;
    *pool = (args_pool){.life = gone.life + 1};
    twin_lock_drop(&lock);
    for (uint32_t i = 0; i < gone.chunk_count; i++)
        twin_ops()->memory.free(gone.chunks[i]);
    twin_free(gone.chunks);
    twin_free(gone.free);
}

/* ---- what the backend asks ---------------------------------------------------------------------- */

/* The arguments come to the device; what a kernel of device code does is not known. */
static twin_status describe(twin_launch *kernel, const twin_reach *reach, twin_launch_work *out)
{
    const kernel_launch *launch = (const kernel_launch *)(const void *)kernel;
    void *args = reach->at(reach, launch->args_address, launch->args_bytes, launch->from_host);
    if (!args)
        return TWIN_E_KERNEL_EXCEPTION;
    if (launch->from_host)
        memcpy(args, launch->args, launch->args_bytes);
    *out = (twin_launch_work){0};
    return TWIN_OK;
}

static void release(twin_launch *kernel)
{
    kernel_launch *launch = (kernel_launch *)(void *)kernel;
    kernel_launch *first = atomic_load_explicit(&over, memory_order_relaxed);
    do
        launch->next = first;
    while (!atomic_compare_exchange_weak_explicit(&over, &first, launch, memory_order_release,
                                                  memory_order_relaxed));
}

/* ---- launching ---------------------------------------------------------------------------------- */

/* Device code: whether it may be launched at all. */
static int32_t check_opaque(const twin_kernel *kernel)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (kernel->type == TWIN_KERNEL_AICPU)
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "kernel \"%s\" is one of the AI CPU, which no backend has", kernel->name);
    if (strcmp(twin_setting(TWIN_SETTING_OPAQUE_KERNELS), "timing") != 0)
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "kernel \"%s\" is device code, whose instructions are not public; set "
                         "TWINRT_OPAQUE_KERNELS=timing to let such kernels take the time of a "
                         "launch without doing anything",
                         kernel->name);
    if (!atomic_flag_test_and_set(&told))
        twin_log(TWIN_LOG_WARNING,
                 "kernels of device code take the time of a launch and do nothing "
                 "(TWINRT_OPAQUE_KERNELS=timing); the first is \"%s\"",
                 kernel->name);
    return 0;
}

/* Cores and blocks: a launch counts blocks of the main half. */
static void choose_cores(twin_launch *base, const twin_kernel *kernel, uint32_t blocks)
{
    base->blocks = blocks;
    if (kernel->type == TWIN_KERNEL_VECTOR || kernel->cube_ratio == 0) {
        base->cores = TWIN_CORES_VECTOR;
        return;
    }
    if (kernel->type != TWIN_KERNEL_MIX || kernel->vector_ratio == 0) {
        base->cores = TWIN_CORES_CUBE;
        return;
    }
    base->cores = TWIN_CORES_MIXED;
    if (kernel->main == TWIN_HALF_VECTOR)
        base->blocks = blocks / kernel->vector_ratio + (blocks % kernel->vector_ratio != 0);
}

static uint64_t timeout_of(const twin_launch_config *config, const twin_device_traits *traits)
{
    if (config->timeout_given)
        return config->timeout_us == 0                       ? TWIN_FOREVER
               : config->timeout_us > UINT64_MAX / NS_PER_US ? TWIN_FOREVER - 1
                                                             : config->timeout_us * NS_PER_US;
    return twin_op_limit_ns(twin_op_limit(), traits->op_unit_ns);
}

static int32_t copy_args(kernel_launch *launch, const twin_launch_args *args, twin_device *device)
{
    launch->args_bytes = args->bytes;
    if (args->device != 0 || args->bytes == 0) {
        launch->args_address = args->device;
        return 0;
    }
    launch->from_host = true;
    memcpy(launch->args, args->host, args->bytes);
    const int32_t code = place_args(launch, device);
    for (size_t i = 0; i < args->place_count && code == 0; i++) {
        const uint64_t address = launch->args_address + args->places[i].data;
        memcpy(launch->args + args->places[i].place, &address, sizeof(address));
    }
    return code;
}

static int32_t check_places(const twin_launch_args *args)
{
    for (size_t i = 0; i < args->place_count; i++) {
        const twin_place *one = &args->places[i];
        if (args->bytes < POINTER_BYTES || one->place > args->bytes - POINTER_BYTES ||
            one->data >= args->bytes)
            return twin_fail(TWIN_ERR_PARAM,
                             "placeholder %zu: addrOffset %u and dataOffset %u do not lie in the "
                             "%zu bytes of arguments",
                             i, one->place, one->data, args->bytes);
    }
    return 0;
}

/* A launch that is ready to be queued. The function's pin becomes its own. */
static int32_t make(twin_function *function, uint32_t blocks, const twin_launch_config *config,
                    const twin_launch_args *args, twin_device *device, kernel_launch **out)
{
    static const twin_launch_work nothing = {0};
    const twin_kernel *kernel = function->kernel;
    kernel_launch *launch =
        twin_zalloc(sizeof(*launch) + (args->device == 0 ? args->bytes : (size_t)0));
    if (!launch)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for a launch");
    launch->function = function;
    launch->hw_index = device->hw_index;
    launch->base = (twin_launch){.name = kernel->name,
                                 .batch = config->schedule_given ? config->batch : kernel->batch,
                                 .weight = 1,
                                 .timeout_ns = timeout_of(config, device->traits),
                                 .describe = describe,
                                 .release = release};
    choose_cores(&launch->base, kernel, blocks);
    const int32_t code = copy_args(launch, args, device);
    if (code != 0) {
        twin_free(launch);
        return code;
    }
    if (args->bytes == 0)
        launch->base.work = &nothing;
    *out = launch;
    return 0;
}

int32_t twin_launch_kernel(uint64_t function_handle, uint32_t blocks,
                           const twin_launch_config *config, const twin_launch_args *args,
                           uint64_t stream)
{
    twin_launches_reap();
    if (args->bytes > UINT32_MAX) /* what offsets in them reach */
        return twin_fail(TWIN_ERR_PARAM, "%zu bytes of arguments; %u are the most", args->bytes,
                         UINT32_MAX);
    twin_function *function = NULL;
    int32_t code = twin_function_pin(function_handle, &function);
    if (code != 0)
        return code;
    twin_context *context = NULL;
    kernel_launch *launch = NULL;
    code = twin_stream_check_own(stream, &context);
    if (code == 0 && blocks == 0)
        code = twin_fail(TWIN_ERR_PARAM, "numBlocks is 0; a launch has blocks");
    if (code == 0)
        code = check_places(args);
    if (code == 0)
        code = check_opaque(function->kernel);
    if (code == 0)
        code = twin_context_pin_current(&context);
    else
        context = NULL;
    if (code == 0) {
        uint64_t image = 0;
        code = twin_binary_place(function->binary, context->device, &image);
        if (code == 0)
            code = make(function, blocks, config, args, context->device, &launch);
        twin_context_unpin(context);
    }
    if (code != 0) {
        twin_function_unpin(function);
        return code;
    }
    code =
        twin_stream_submit(stream, &(twin_task){.kind = TWIN_TASK_LAUNCH, .launch = &launch->base});
    if (code != 0)
        end_launch(launch);
    return code;
}
