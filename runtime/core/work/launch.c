/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/launch.h"

#include <stdatomic.h>
#include <string.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/base/alloc.h"
#include "core/base/config.h"
#include "core/base/kernel_settings.h"
#include "core/base/log.h"
#include "core/image/binary.h"
#include "core/object/context.h"
#include "core/object/stream.h"
#include "core/work/kernel_args.h"
#include "core/work/launch_native.h"

#define POINTER_BYTES 8u
#define NS_PER_US     1000u

/* ---- what the backend asks ------------------------------------------------------------------- */

static twin_kernel_launch *launch_of(twin_launch *kernel)
{
    return (twin_kernel_launch *)(void *)kernel; /* its first member */
}

static void free_args(void **args)
{
    twin_free(*args);
    *args = NULL;
}

/* A copy of arguments that are where no pointer can be given. NULL: they are not there. */
static void *move_args(const twin_kernel_launch *launch, const twin_reach *reach)
{
    void *copy = reach->move ? twin_zalloc(launch->args_bytes) : NULL;
    if (copy && !reach->move(reach, launch->args_address, copy, launch->args_bytes, false))
        free_args(&copy);
    return copy;
}

/* The arguments come to the device; what a kernel of device code does is not known. */
static twin_status describe(twin_launch *kernel, const twin_reach *reach, twin_launch_work *out)
{
    twin_kernel_launch *launch = launch_of(kernel);
    const twin_reach wide = twin_launch_reach(launch, reach);
    void *args = NULL;
    void *moved __attribute__((cleanup(free_args))) = NULL;
    if (launch->args_bytes > 0) {
        args = wide.at(&wide, launch->args_address, launch->args_bytes, launch->from_host);
        if (!args && !launch->from_host) {
            moved = move_args(launch, &wide);
            args = moved;
        }
        if (!args) {
            twin_log(TWIN_LOG_ERROR,
                     "kernel \"%s\": its %zu bytes of arguments at 0x%llx are not in memory that "
                     "device %u reaches; arguments on the host go to aclrtLaunchKernelWithHostArgs",
                     kernel->name, launch->args_bytes, (unsigned long long)launch->args_address,
                     launch->device->id);
            return TWIN_E_KERNEL_EXCEPTION;
        }
        if (launch->from_host)
            memcpy(args, launch->args, launch->args_bytes);
        atomic_store_explicit(&launch->there, true, memory_order_release);
    }
    if (launch->function->native)
        return twin_launch_native_run(launch, &wide, launch->from_host ? launch->args : args, out);
    *out = (twin_launch_work){0};
    return TWIN_OK;
}

static void keep(twin_launch *kernel)
{
    atomic_fetch_add_explicit(&launch_of(kernel)->references, 1, memory_order_relaxed);
}

static void release(twin_launch *kernel)
{
    twin_kernel_launch *launch = launch_of(kernel);
    if (atomic_fetch_sub_explicit(&launch->references, 1, memory_order_acq_rel) != 1)
        return;
    twin_launch_native_end(launch);
    twin_launch_over(launch);
}

/* ---- a launch that failed -------------------------------------------------------------------- */

/* Of a kernel that never began: its arguments come to the device now, for those who look at
 * them. */
static bool args_there(const twin_kernel_launch *launch, twin_device *device)
{
    if (!launch->from_host || atomic_load_explicit(&launch->there, memory_order_acquire))
        return true;
    const twin_copy copy = {.dst = launch->args_address,
                            .src = (uint64_t)(uintptr_t)launch->args,
                            .bytes = launch->args_bytes};
    twin_assert_unlocked("memory.copy with a lock held");
    return twin_device_note(device, twin_ops()->memory.copy(device->hw, &copy)) == TWIN_OK;
}

twin_failed_launch twin_launch_failed(twin_launch *kernel, twin_device *device)
{
    const twin_kernel_launch *launch = launch_of(kernel);
    twin_failed_launch failed = {.function = launch->function_handle,
                                 .binary = launch->function->binary,
                                 .binary_handle = launch->function->binary_handle};
    if (launch->args_bytes > 0 && args_there(launch, device)) {
        failed.args = launch->args_address;
        failed.args_bytes = (uint32_t)launch->args_bytes;
    }
    return failed;
}

/* ---- launching ------------------------------------------------------------------------------- */

/* Device code: whether it may be launched at all. */
__attribute__((noinline)) static int32_t check_opaque(const twin_kernel *kernel)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (kernel->type == TWIN_KERNEL_AICPU)
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "kernel \"%s\" is one of the AI CPU, which no backend offers",
                         kernel->name);
    if (strcmp(twin_setting(TWIN_SETTING_OPAQUE_KERNELS), "timing") != 0)
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "kernel \"%s\" is device code, whose instructions are not public; set "
                         "TWINRT_OPAQUE_KERNELS=timing to let such kernels take the time of a "
                         "launch without doing anything",
                         kernel->name);
    if (!atomic_flag_test_and_set(&warned))
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

static uint64_t timeout_of(const twin_launch_config *config,
                           const twin_device_properties *properties)
{
    if (config->timeout_given)
        return config->timeout_us == 0                       ? TWIN_FOREVER
               : config->timeout_us > UINT64_MAX / NS_PER_US ? TWIN_FOREVER - 1
                                                             : config->timeout_us * NS_PER_US;
    return twin_op_limit_ns(twin_op_limit(), properties->op_unit_ns);
}

static void copy_args(twin_kernel_launch *launch, const twin_kernel *kernel,
                      const twin_launch_args *args)
{
    if (args->values)
        twin_args_gather(kernel, args->values, launch->args);
    else
        memcpy(launch->args, args->host, args->bytes);
    for (size_t i = 0; i < args->place_count; i++) {
        const uint64_t address = launch->args_address + args->places[i].data;
        memcpy(launch->args + args->places[i].place, &address, sizeof(address));
    }
}

static int32_t check_places(const twin_launch_args *args)
{
    for (size_t i = 0; i < args->place_count; i++) {
        const twin_code_place *one = &args->places[i];
        if (args->bytes < POINTER_BYTES || one->place > args->bytes - POINTER_BYTES ||
            one->data >= args->bytes)
            return twin_fail(TWIN_ERR_PARAM,
                             "placeholder %zu: addrOffset %u and dataOffset %u are not in the "
                             "%zu bytes of arguments",
                             i, one->place, one->data, args->bytes);
    }
    return 0;
}

/* One call. */
typedef struct request {
    uint64_t function_handle;
    uint32_t blocks;
    const twin_launch_config *config;
    const twin_launch_args *args;
    uint64_t stream;
    twin_stream *found;
    const twin_launch_sink *sink; /* NULL: the stream's queue */
} request;

static void note_request(twin_kernel_launch *launch, const request *wanted)
{
    launch->function_handle = wanted->function_handle;
    launch->config = *wanted->config;
    launch->blocks = wanted->blocks;
}

static const char *title_of(const twin_function *function)
{
    return function->native ? twk_title_of(function->native) : function->kernel->name;
}

/* A launch that is ready to be queued. It takes the pin of *function over, which becomes NULL. */
static int32_t make(const request *wanted, twin_function **function, twin_device *device,
                    twin_overflows overflows, twin_kernel_launch **out_launch)
{
    static const twin_launch_work nothing = {0};
    const twin_launch_config *config = wanted->config;
    const twin_launch_args *args = wanted->args;
    const twin_kernel *kernel = (*function)->kernel;
    const bool native = (*function)->native != NULL;
    twin_kernel_launch *launch = NULL;
    int32_t code = native ? twin_launch_native_offered(device) : 0;
    if (code == 0)
        code = twin_launch_take(device, args->device == 0 ? args->bytes : 0, &launch);
    if (code != 0)
        return code;
    launch->function = *function;
    *function = NULL;
    note_request(launch, wanted);
    launch->device = device;
    launch->base = (twin_launch){.name = title_of(launch->function),
                                 .batch = config->schedule_given ? config->batch : kernel->batch,
                                 .guarded = config->guarded,
                                 .weight = 1,
                                 .timeout_ns = timeout_of(config, device->properties),
                                 .describe = describe,
                                 .keep = keep,
                                 .release = release};
    choose_cores(&launch->base, kernel, wanted->blocks);
    if (launch->from_host) {
        copy_args(launch, kernel, args);
    } else {
        launch->args_address = args->device;
        launch->args_bytes = args->bytes;
    }
    if (native)
        twin_launch_native_prepare(launch, device, overflows);
    else if (args->bytes == 0)
        launch->base.work = &nothing;
    *out_launch = launch;
    return 0;
}

static int32_t submit(const request *wanted, twin_kernel_launch *launch)
{
    const twin_task task = {
        .kind = TWIN_TASK_LAUNCH, .launch = &launch->base, .stream = wanted->found};
    const int32_t code = wanted->sink ? wanted->sink->take(wanted->sink->user, &launch->base)
                                      : twin_stream_submit(wanted->stream, &task);
    if (code != 0)
        twin_launch_give(launch);
    return code;
}

/* Native kernels: their arguments, and what the stream says of overflows. */
static int32_t check_native(const twin_function *function, size_t args_bytes, uint64_t stream,
                            twin_overflows *out_overflows)
{
    TWIN_PINNED(stream, pinned);
    int32_t code = twin_launch_native_check(function, args_bytes);
    if (code == 0)
        code = twin_stream_pin(stream, &pinned);
    if (code == 0)
        *out_overflows = (twin_overflows){
            .saturate = pinned->saturation == TWIN_SATURATE,
            .hidden = atomic_load_explicit(&pinned->overflows_hidden, memory_order_relaxed)};
    return code;
}

/* The device runs the code itself, from `host_args` or from arguments on the device. As make() with
 * the function. */
static int32_t launch_code(const request *wanted, twin_function **function, twin_device *device,
                           const void *host_args)
{
    const twin_launch_config *config = wanted->config;
    const twin_launch_args *args = wanted->args;
    const twin_kernel *kernel = (*function)->kernel;
    const uint64_t process_us = twin_op_limit();
    /* The limit of the process, once the program has set one: what is below has its own. */
    const bool limited = config->timeout_given || process_us != TWIN_OP_MOST;
    const twin_launch_code code_of = {
        .image = twin_binary_loaded((*function)->binary, device),
        .function = kernel->name,
        .blocks = wanted->blocks,
        .device_args = args->device,
        .host_args = host_args,
        .args_bytes = args->bytes,
        .places = args->places,
        .place_count = args->place_count,
        .schedule_given = config->schedule_given,
        .batch = config->batch,
        .timeout_given = limited,
        .timeout_us = config->timeout_given         ? config->timeout_us
                      : process_us == TWIN_OP_NEVER ? 0
                                                    : process_us,
    };
    twin_kernel_launch *launch = NULL;
    const int32_t code = twin_launch_take(device, 0, &launch);
    if (code != 0)
        return code;
    launch->function = *function;
    *function = NULL;
    note_request(launch, wanted);
    launch->args_address = args->device;
    launch->args_bytes = args->device != 0 ? args->bytes : 0;
    launch->base = (twin_launch){.name = kernel->name,
                                 .guarded = config->guarded,
                                 .weight = 1,
                                 .timeout_ns = timeout_of(config, device->properties),
                                 .keep = keep,
                                 .release = release,
                                 .code = &code_of};
    choose_cores(&launch->base, kernel, wanted->blocks);
    return submit(wanted, launch);
}

/* The same with arguments that a list of pointers names: as one block during the call. */
static int32_t launch_code_gathered(const request *wanted, twin_function **function,
                                    twin_device *device)
{
    const twin_launch_args *args = wanted->args;
    if (!args->values)
        return launch_code(wanted, function, device, args->host);
    unsigned char *block = twin_zalloc(args->bytes);
    if (!block)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for the arguments of a kernel");
    twin_args_gather((*function)->kernel, args->values, block);
    const int32_t code = launch_code(wanted, function, device, block);
    twin_free(block);
    return code;
}

/* Queues the launch of device code where the device runs it; else makes *out_launch, which is to be
 * queued. */
static int32_t prepare(const request *wanted, twin_function **function,
                       twin_kernel_launch **out_launch)
{
    TWIN_PINNED(context, context);
    const bool below = (twin_ops()->flags & TWIN_BACKEND_CODE) != 0;
    twin_overflows overflows = {0};
    uint64_t image = 0;
    int32_t code = 0;
    if (!below)
        code = (*function)->native
                   ? check_native(*function, wanted->args->bytes, wanted->stream, &overflows)
                   : check_opaque((*function)->kernel);
    if (wanted->sink && wanted->sink->overflows)
        overflows = *wanted->sink->overflows;
    if (code == 0)
        code = twin_context_pin_current(&context);
    if (code == 0 && (*function)->binary->image)
        code = twin_binary_place((*function)->binary, context->device, &image);
    else if (code == 0 && below)
        code = check_opaque((*function)->kernel);
    if (code != 0)
        return code;
    return below ? launch_code_gathered(wanted, function, context->device)
                 : make(wanted, function, context->device, overflows, out_launch);
}

int32_t twin_launch_make(uint64_t function_handle, uint32_t blocks,
                         const twin_launch_config *config, const twin_launch_args *args,
                         uint64_t stream, const twin_launch_sink *sink)
{
    twin_launches_reap();
    if (args->bytes > UINT32_MAX) /* what offsets in them reach */
        return twin_fail(TWIN_ERR_PARAM, "%zu bytes of arguments; the limit is %u", args->bytes,
                         UINT32_MAX);
    TWIN_PINNED(function, function);
    twin_context *context = NULL;
    twin_kernel_launch *launch = NULL;
    request wanted = {.function_handle = function_handle,
                      .blocks = blocks,
                      .config = config,
                      .args = args,
                      .stream = stream,
                      .sink = sink};
    int32_t code = twin_function_pin(function_handle, &function);
    if (code == 0)
        code = twin_stream_find(stream, &wanted.found);
    if (code == 0)
        code = twin_stream_check_found(wanted.found, stream, &context);
    if (code == 0 && blocks == 0)
        code = twin_fail(TWIN_ERR_PARAM, "numBlocks is 0; it must be at least 1");
    if (code == 0)
        code = check_places(args);
    if (code == 0)
        code = prepare(&wanted, &function, &launch);
    return code != 0 || !launch ? code : submit(&wanted, launch);
}

int32_t twin_launch_kernel(uint64_t function, uint32_t blocks, const twin_launch_config *config,
                           const twin_launch_args *args, uint64_t stream)
{
    return twin_launch_make(function, blocks, config, args, stream, NULL);
}

/* ---- launches that are kept ------------------------------------------------------------------ */

twin_launch_view twin_launch_look(const twin_launch *kernel)
{
    const twin_kernel_launch *launch = (const twin_kernel_launch *)(const void *)kernel;
    const twin_launch_code *code = kernel->code;
    const bool in_code = code && code->device_args == 0;
    const bool on_host = in_code || launch->from_host;
    return (twin_launch_view){
        .function = launch->function_handle,
        .name = kernel->name,
        .blocks = launch->blocks,
        .args = in_code             ? code->host_args
                : launch->from_host ? launch->args
                                    : (const void *)(uintptr_t)launch->args_address,
        .on_host = on_host,
        .args_bytes = in_code ? (size_t)code->args_bytes : launch->args_bytes,
        .batch =
            launch->config.schedule_given ? launch->config.batch : launch->function->kernel->batch,
        .dump = launch->config.dump,
        .timeout_us = kernel->timeout_ns == TWIN_FOREVER ? 0 : kernel->timeout_ns / NS_PER_US,
        .overflows = launch->overflows};
}

int32_t twin_launch_own_code(twin_launch *kernel)
{
    twin_kernel_launch *launch = launch_of(kernel);
    const twin_launch_code *code = kernel->code;
    if (!code || code == launch->own_code)
        return 0;
    const size_t places = (size_t)code->place_count * sizeof(*code->places);
    const size_t bytes = code->host_args ? (size_t)code->args_bytes : 0;
    twin_launch_code *own = twin_zalloc(sizeof(*own) + places + bytes);
    if (!own)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory to keep a kernel");
    *own = *code;
    twin_code_place *own_places = (twin_code_place *)(void *)(own + 1);
    unsigned char *own_args = (unsigned char *)(own + 1) + places;
    if (places > 0)
        memcpy(own_places, code->places, places);
    if (bytes > 0)
        memcpy(own_args, code->host_args, bytes);
    own->places = own_places;
    own->host_args = code->host_args ? own_args : NULL;
    launch->own_code = own;
    kernel->code = own;
    return 0;
}
