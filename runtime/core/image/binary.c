/* SPDX-License-Identifier: Apache-2.0 */
#include "core/image/binary.h"

#include <sched.h>
#include <string.h>
#include <utlist.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/base/alloc.h"
#include "core/base/soc.h"
#include "core/image/symbol.h"
#include "core/object/context.h"
#include "core/object/device_area.h"
#include "core/object/users.h"

#define SYNC_GLOBAL                                                                                \
    "g_sysFftsAddr" /* where a kernel finds the address for cores that wait for each other */

static twin_lock lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_BINARIES);
static twin_binary *binaries; /* guarded by lock */

static void drop_copy_locked(const struct twin_backend *ops, twin_binary *binary, uint32_t device)
{
    const uint64_t address =
        atomic_exchange_explicit(&binary->copies[device], 0, memory_order_acq_rel);
    twin_loaded_image *loaded =
        atomic_exchange_explicit(&binary->loaded[device], NULL, memory_order_acq_rel);
    if (loaded)
        ops->image.unload(loaded);
    else if (address != 0)
        ops->memory.free(address);
}

static void release_binary(void *object)
{
    twin_binary *binary = object;
    const struct twin_backend *ops = twin_ops();
    twin_lock_take(&lock);
    if (binary->previous) /* it was listed */
        DL_DELETE2(binaries, binary, previous, next);
    /* Under the lock: a device that goes down frees its memory, and the address may become
     * another's. */
    for (uint32_t i = 0; i < TWIN_MAX_DEVICES; i++)
        drop_copy_locked(ops, binary, i);
    twin_lock_drop(&lock);
    twin_library_close(binary->library);
    twin_image_free(binary->image);
    twin_free(binary->functions);
    binary->image = NULL;
    binary->library = NULL;
    binary->functions = NULL;
    twin_handle_free(&twin_binaries, binary);
}

static void release_function(void *object)
{
    twin_function *function = object;
    twin_free(function->own.name);
    twin_free(function->entry);
    function->own.name = NULL;
    function->entry = NULL;
    twin_handle_free(&twin_functions, function);
}

twin_handle_table twin_binaries = TWIN_HANDLE_TABLE_INITIALIZER("kernel image", TWIN_HANDLE_BINARY,
                                                                twin_binary, NULL, release_binary);
twin_handle_table twin_functions = TWIN_HANDLE_TABLE_INITIALIZER(
    "kernel function", TWIN_HANDLE_FUNCTION, twin_function, NULL, release_function);

static int32_t fail_memory(const char *what)
{
    return twin_fail(TWIN_ERR_NOMEM, "no host memory for %s", what);
}

/* ---- copies on devices ----------------------------------------------------------------------- */

/* Writes into a copy the address at which cores that wait for each other meet, if the image asks
 * for it. */
static int32_t patch(const twin_image *image, twin_device *device, uint64_t copy)
{
    const twin_image_global *global = (image->implicit & TWIN_IMPLICIT_SYNC_ADDRESS) != 0
                                          ? twin_image_find_global(image, SYNC_GLOBAL)
                                          : NULL;
    if (!global || global->bytes < sizeof(uint64_t))
        return 0;
    uint64_t address = 0;
    const int32_t code = twin_device_sync_address(device, &address);
    if (code != 0)
        return code;
    const twin_copy write = {.dst = copy + global->offset,
                             .src = (uint64_t)(uintptr_t)&address,
                             .bytes = sizeof(address)};
    return twin_fail_status(twin_device_note(device, twin_ops()->memory.copy(device->hw, &write)),
                            TWIN_CODE_STREAM_TIMEOUT, "device %u, a variable of a kernel image",
                            device->id);
}

/* The device has its own loader. */
static int32_t load_below(twin_binary *binary, twin_device *device, uint64_t *out_address)
{
    const struct twin_backend *ops = twin_ops();
    const twin_image_source source = {
        .bytes = binary->image->file, .size = binary->image->file_bytes, .magic = binary->magic};
    twin_loaded_image *loaded = NULL;
    uint64_t address = 0, present = 0;
    twin_assert_unlocked("image.load with a lock held");
    twin_status status =
        twin_device_note(device, ops->image.load(device->hw, &source, &loaded, &address));
    if (status != TWIN_OK)
        return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT,
                                "device %u does not load the kernel image", device->id);
    if (!atomic_compare_exchange_strong_explicit(&binary->copies[device->hw_index], &present,
                                                 address, memory_order_acq_rel,
                                                 memory_order_acquire)) {
        ops->image.unload(loaded); /* another thread was faster */
        address = present;
    } else {
        atomic_store_explicit(&binary->loaded[device->hw_index], loaded, memory_order_release);
    }
    *out_address = address;
    return 0;
}

twin_loaded_image *twin_binary_loaded(twin_binary *binary, const twin_device *device)
{
    twin_loaded_image *loaded;
    while (
        !(loaded = atomic_load_explicit(&binary->loaded[device->hw_index], memory_order_acquire)))
        sched_yield(); /* another thread has just loaded it */
    return loaded;
}

int32_t twin_binary_place(twin_binary *binary, twin_device *device, uint64_t *out_address)
{
    _Atomic uint64_t *slot = &binary->copies[device->hw_index];
    uint64_t address = atomic_load_explicit(slot, memory_order_acquire);
    const struct twin_backend *ops = twin_ops();
    const twin_image *image = binary->image;
    if (address != 0) {
        *out_address = address;
        return 0;
    }
    if ((ops->flags & TWIN_BACKEND_CODE) != 0)
        return load_below(binary, device, out_address);
    twin_status status = twin_device_alloc(device, image->slice_bytes, "a kernel image", &address);
    if (status != TWIN_OK)
        return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT,
                                "device %u has no room for a kernel image of %llu bytes",
                                device->id, (unsigned long long)image->slice_bytes);
    const twin_copy copy = {.dst = address,
                            .src = (uint64_t)(uintptr_t)(image->file + image->slice_offset),
                            .bytes = image->slice_bytes};
    twin_assert_unlocked("memory.copy with a lock held");
    int32_t code = twin_fail_status(twin_device_note(device, ops->memory.copy(device->hw, &copy)),
                                    TWIN_CODE_STREAM_TIMEOUT,
                                    "device %u, the copy of a kernel image", device->id);
    if (code == 0)
        code = patch(image, device, address);
    uint64_t present = 0;
    if (code != 0 || !atomic_compare_exchange_strong_explicit(
                         slot, &present, address, memory_order_acq_rel, memory_order_acquire)) {
        ops->memory.free(address); /* another thread was faster, or it cannot be used */
        address = present;
    }
    *out_address = address;
    return code;
}

void twin_binaries_forget(twin_device *device)
{
    const struct twin_backend *ops = twin_ops();
    TWIN_LOCKED(&lock);
    for (twin_binary *binary = binaries; binary; binary = binary->next)
        drop_copy_locked(ops, binary, device->hw_index);
}

/* ---- loading and unloading ------------------------------------------------------------------- */

/* The type of kernels without one, where the cube and the vector unit are separate cores, and
 * where they are not. */
static int32_t choose_defaults(const twin_binary_options *options, twin_image_defaults *out)
{
    const twin_device_properties *properties = NULL;
    int32_t code = twin_device_find_properties(0, &properties);
    if (code != 0)
        return code;
    const bool split = twin_soc_split(properties->arch);
    switch (options->magic) {
    case 0:
        out->type = split ? TWIN_KERNEL_CUBE : TWIN_KERNEL_AICORE;
        return 0;
    case TWIN_MAGIC_ELF:
        out->type = split ? TWIN_KERNEL_MIX : TWIN_KERNEL_AICORE;
        return 0;
    case TWIN_MAGIC_CUBE:
        out->type = TWIN_KERNEL_CUBE;
        return 0;
    case TWIN_MAGIC_VECTOR:
        out->type = TWIN_KERNEL_VECTOR;
        return 0;
    default:
        return twin_fail(TWIN_ERR_PARAM,
                         "the magic number %#x is none of 0x43554245, 0x41494343, 0x41415246",
                         options->magic);
    }
}

static uint64_t publish(twin_binary *binary)
{
    TWIN_LOCKED(&lock);
    DL_PREPEND2(binaries, binary, previous, next);
    return twin_handle_publish(binary);
}

int32_t twin_binary_add(twin_image *image, const twin_binary_options *options, uint64_t *out_handle)
{
    twin_binary *binary = twin_handle_alloc(&twin_binaries);
    if (!binary) {
        twin_image_free(image);
        return fail_memory("a kernel image");
    }
    binary->image = image;
    binary->library = NULL;
    binary->cpu = options->cpu;
    binary->functions = NULL;
    binary->first_function = NULL;
    binary->listener = (twin_binary_listener){0};
    binary->next = binary->previous = NULL;
    binary->magic = options->magic;
    for (uint32_t i = 0; i < TWIN_MAX_DEVICES; i++) {
        atomic_store_explicit(&binary->copies[i], 0, memory_order_relaxed);
        atomic_store_explicit(&binary->loaded[i], NULL, memory_order_relaxed);
    }
    int32_t code = 0;
    if (image) {
        binary->functions = twin_zalloc(image->kernel_count * sizeof(*binary->functions));
        if (!binary->functions)
            code = fail_memory("the functions of a kernel image");
        if (code == 0 && image->library)
            code = twin_library_open(image, &binary->library);
    }
    twin_context *context = NULL;
    if (code == 0 && image && !options->lazy && twin_context_pin_present(&context)) {
        uint64_t address = 0;
        code = twin_binary_place(binary, context->device, &address);
        twin_context_unpin(context);
    }
    if (code != 0) {
        release_binary(binary);
        return code;
    }
    *out_handle = publish(binary);
    return 0;
}

int32_t twin_binary_load(const void *data, size_t bytes, const twin_binary_options *options,
                         uint64_t *out_handle)
{
    twin_image_defaults defaults = {.cross_core = options->cross_core};
    twin_image *image = NULL;
    int32_t code = 0;
    if (options->cpu == TWIN_CPU_NONE)
        code = choose_defaults(options, &defaults);
    if (code == 0 && options->cpu == TWIN_CPU_NONE)
        code = twin_image_read(data, bytes, &defaults, &image);
    return code != 0 ? code : twin_binary_add(image, options, out_handle);
}

int32_t twin_binary_pin(uint64_t handle, twin_binary **out_binary)
{
    *out_binary = twin_handle_pin(&twin_binaries, handle);
    return *out_binary ? 0 : twin_fail_handle(twin_binaries.kind_name, handle);
}

void twin_binary_unpin(twin_binary *binary)
{
    twin_handle_unpin(&twin_binaries, binary);
}

void twin_binary_listen(twin_binary *binary, twin_binary_listener listener)
{
    TWIN_LOCKED(&lock);
    binary->listener = listener;
}

twin_binary_listener twin_binary_listener_of(twin_binary *binary, uint64_t handle)
{
    TWIN_LOCKED(&lock);
    return twin_handle_is(binary, handle) ? binary->listener : (twin_binary_listener){0};
}

int32_t twin_binary_unload(uint64_t handle)
{
    twin_users.work_completed(); /* what is over keeps no image */
    twin_binary *binary = NULL;
    int32_t code = twin_binary_pin(handle, &binary);
    if (code != 0)
        return code;
    twin_function *functions = NULL;
    twin_lock_take(&lock);
    const bool first = twin_handle_retire(binary);
    if (first) {
        functions = binary->first_function;
        binary->first_function = NULL;
    }
    twin_lock_drop(&lock);
    if (first)
        twin_symbols_forget(handle);
    while (functions) {
        twin_function *next = functions->next;
        if (twin_handle_pin_object(functions, functions->object.handle)) {
            twin_handle_retire(functions);
            twin_handle_unpin(&twin_functions, functions);
        }
        functions = next;
    }
    twin_binary_unpin(binary);
    return first ? 0 : twin_fail_handle(twin_binaries.kind_name, handle);
}

/* ---- what is in it --------------------------------------------------------------------------- */

static int32_t refuse_cpu(const char *what)
{
    return twin_fail(TWIN_ERR_PARAM, "an image of CPU kernels has no %s", what);
}

int32_t twin_binary_address(twin_binary *binary, uint64_t *out_address, uint64_t *out_bytes)
{
    if (!binary->image)
        return refuse_cpu("address on the device");
    TWIN_PINNED(context, context);
    const int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    *out_address =
        atomic_load_explicit(&binary->copies[context->device->hw_index], memory_order_acquire);
    *out_bytes = *out_address ? binary->image->slice_bytes : 0;
    return 0;
}

/* The copy on the current device. */
static int32_t place_current(twin_binary *binary, uint64_t *out_address)
{
    TWIN_PINNED(context, context);
    int32_t code = twin_context_pin_current(&context);
    return code != 0 ? code : twin_binary_place(binary, context->device, out_address);
}

int32_t twin_binary_global(twin_binary *binary, const char *name, uint64_t *out_address,
                           uint64_t *out_bytes)
{
    if (!binary->image)
        return refuse_cpu("variables");
    const twin_image_global *global = twin_image_find_global(binary->image, name);
    uint64_t address = 0;
    const int32_t code = place_current(binary, &address);
    if (code != 0)
        return code;
    if (!global)
        return twin_fail(TWIN_ERR_NO_SYMBOL, "the kernel image has no global variable \"%s\"",
                         name);
    *out_address = address + global->offset;
    *out_bytes = global->bytes;
    return 0;
}

/* A function object that is not published yet. */
static twin_function *new_function(twin_binary *binary, const twin_kernel *kernel)
{
    twin_function *function = twin_handle_alloc(&twin_functions);
    if (!function)
        return NULL;
    function->binary = binary;
    function->binary_handle = binary->object.handle;
    function->kernel = kernel;
    function->own = (twin_kernel){0};
    function->entry = NULL;
    function->native =
        binary->library
            ? twin_library_entry(binary->library, (size_t)(kernel - binary->image->kernels))
            : NULL;
    atomic_init(&function->hazard_reported, false);
    function->next = NULL;
    return function;
}

/* The functions of a binary that is still alive get one more. */
static uint64_t link_locked(twin_binary *binary, twin_function *function)
{
    function->next = binary->first_function;
    binary->first_function = function;
    return twin_handle_publish(function);
}

static int32_t give_function(twin_binary *binary, const twin_kernel *kernel, uint64_t *out_function)
{
    uint64_t address = 0;
    const int32_t code = place_current(binary, &address);
    if (code != 0)
        return code;
    uint64_t *known = &binary->functions[kernel - binary->image->kernels];
    twin_function *made = new_function(binary, kernel);
    if (!made)
        return fail_memory("a kernel function");
    twin_lock_take(&lock);
    const bool alive = twin_handle_is(binary, binary->object.handle);
    const bool is_new = alive && *known == 0;
    if (is_new)
        *known = link_locked(binary, made);
    *out_function = *known;
    twin_lock_drop(&lock);
    if (!is_new)
        twin_handle_free(&twin_functions, made);
    return alive ? 0 : twin_fail_handle(twin_binaries.kind_name, binary->object.handle);
}

/* A CPU kernel by name; 0: there is none. */
static uint64_t find_cpu_locked(const twin_binary *binary, const char *name)
{
    for (const twin_function *one = binary->first_function; one; one = one->next)
        if (strcmp(one->kernel->name, name) == 0)
            return one->object.handle;
    return 0;
}

int32_t twin_binary_find(twin_binary *binary, const char *name, uint64_t *out_function)
{
    if (!binary->image) {
        twin_lock_take(&lock);
        *out_function = find_cpu_locked(binary, name);
        twin_lock_drop(&lock);
        if (*out_function != 0)
            return 0;
    } else {
        const twin_kernel *kernel = twin_image_kernel(binary->image, name);
        if (kernel)
            return give_function(binary, kernel, out_function);
    }
    return twin_fail(TWIN_ERR_PARAM, "the kernel image has no kernel \"%s\"", name);
}

int32_t twin_binary_find_key(twin_binary *binary, uint64_t key, uint64_t *out_function)
{
    if (!binary->image)
        return refuse_cpu("entry numbers");
    const twin_kernel *kernel = twin_image_kernel_by_key(binary->image, key);
    if (!kernel)
        return twin_fail(TWIN_ERR_PARAM, "the kernel image has no kernel with entry %llu",
                         (unsigned long long)key);
    return give_function(binary, kernel, out_function);
}

int32_t twin_binary_register(twin_binary *binary, const char *name, const char *entry,
                             uint64_t *out_function)
{
    if (binary->cpu == TWIN_CPU_NONE)
        return twin_fail(TWIN_ERR_PARAM, "the image has kernels of the AI cores, not of the CPU");
    twin_function *made = new_function(binary, NULL);
    if (!made)
        return fail_memory("a kernel function");
    made->own = (twin_kernel){.type = TWIN_KERNEL_AICPU, .name = twin_strdup(name)};
    made->entry = twin_strdup(entry);
    made->kernel = &made->own;
    if (!made->own.name || !made->entry) {
        release_function(made);
        return fail_memory("the name of a kernel function");
    }
    twin_lock_take(&lock);
    const bool alive = twin_handle_is(binary, binary->object.handle);
    *out_function = alive ? find_cpu_locked(binary, name) : 0;
    const bool is_new = alive && *out_function == 0;
    if (is_new)
        *out_function = link_locked(binary, made);
    twin_lock_drop(&lock);
    if (!is_new)
        release_function(made);
    return alive ? 0 : twin_fail_handle(twin_binaries.kind_name, binary->object.handle);
}

int32_t twin_function_pin(uint64_t handle, twin_function **out_function)
{
    twin_function *function = twin_handle_pin(&twin_functions, handle);
    if (function && !twin_handle_pin_object(function->binary, function->binary_handle)) {
        twin_handle_unpin(&twin_functions, function);
        function = NULL;
    }
    *out_function = function;
    return function ? 0 : twin_fail_handle(twin_functions.kind_name, handle);
}

void twin_function_unpin(twin_function *function)
{
    twin_binary_unpin(function->binary);
    twin_handle_unpin(&twin_functions, function);
}
