/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/kernel_args.h"

#include <pthread.h>
#include <string.h>

#include "core/backend/error.h"
#include "core/base/alloc.h"
#include "core/object/context.h"
#include "core/object/device_area.h"
#include "core/work/range.h"

#define LIST_MARK     UINT64_C(0x7477696e61726773)
#define ALIGN_BYTES   8u
#define SYSTEM_PARAMS 8u /* places that the loader of the board keeps for itself */
#define POINTER_BYTES 8u

/* The thread's own list and its values. */
typedef struct own_list {
    twin_kernel_args args;
    unsigned char values[TWIN_ARGS_SYSTEM_ROOM];
} own_list;

static pthread_key_t own_key;
static pthread_once_t own_once = PTHREAD_ONCE_INIT;
static int own_error;

static void make_key(void)
{
    own_error = pthread_key_create(&own_key, twin_free);
}

/* What a list must know of its function. */
typedef struct list_kind {
    bool cpu;
    bool hidden;
    uint32_t params;
} list_kind;

static void reset(twin_kernel_args *args, uint64_t function, const list_kind *kind, void *values,
                  size_t room)
{
    *args = (twin_kernel_args){.mark = LIST_MARK,
                               .self = args,
                               .function = function,
                               .cpu = kind->cpu,
                               .hidden = kind->hidden,
                               .values = values,
                               .room = room < UINT32_MAX ? room : UINT32_MAX,
                               .used = kind->hidden ? POINTER_BYTES : 0};
}

static bool has_hidden(const twin_function *function)
{
    const twin_image *image = function->binary->image;
    const twin_kernel *kernel = function->kernel;
    return image && !function->native && (image->implicit & TWIN_IMPLICIT_SYNC_ADDRESS) == 0 &&
           (kernel->cross_core || kernel->type == TWIN_KERNEL_MIX);
}

static int32_t read_function(uint64_t handle, list_kind *out)
{
    twin_function *function = NULL;
    const int32_t code = twin_function_pin(handle, &function);
    if (code != 0)
        return code;
    *out = (list_kind){.cpu = function->kernel->type == TWIN_KERNEL_AICPU,
                       .hidden = has_hidden(function),
                       .params = function->kernel->has_params ? function->kernel->param_count
                                                              : TWIN_ARGS_MOST};
    twin_function_unpin(function);
    return 0;
}

int32_t twin_args_begin(uint64_t function, twin_kernel_args **out_args)
{
    list_kind kind;
    const int32_t code = read_function(function, &kind);
    if (code != 0)
        return code;
    pthread_once(&own_once, make_key);
    own_list *own = own_error == 0 ? pthread_getspecific(own_key) : NULL;
    if (!own && own_error == 0) {
        own = twin_zalloc(sizeof(*own));
        if (own && pthread_setspecific(own_key, own) != 0) {
            twin_free(own);
            own = NULL;
        }
    }
    if (!own)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for a list of arguments");
    reset(&own->args, function, &kind, own->values, sizeof(own->values));
    *out_args = &own->args;
    return 0;
}

int32_t twin_args_begin_at(uint64_t function, void *memory, void *values, size_t room)
{
    list_kind kind;
    const int32_t code = read_function(function, &kind);
    if (code != 0)
        return code;
    if ((uintptr_t)memory % _Alignof(twin_kernel_args) != 0)
        return twin_fail(TWIN_ERR_PARAM,
                         "argsHandle is %p; its memory must be aligned to %zu bytes", memory,
                         _Alignof(twin_kernel_args));
    if (kind.hidden && room < POINTER_BYTES)
        return twin_fail(TWIN_ERR_PARAM,
                         "actualArgsSize is %zu; the kernel has a hidden argument of %u bytes, "
                         "which aclrtKernelArgsGetMemSize counts",
                         room, POINTER_BYTES);
    reset(memory, function, &kind, values, room);
    return 0;
}

int32_t twin_args_room(uint64_t function, size_t user_bytes, size_t *out_bytes)
{
    list_kind kind;
    const int32_t code = read_function(function, &kind);
    if (code != 0)
        return code;
    const size_t more = kind.cpu ? 0 : (size_t)POINTER_BYTES * (SYSTEM_PARAMS + kind.params);
    if (user_bytes > SIZE_MAX - more)
        return twin_fail(TWIN_ERR_PARAM, "%zu bytes of arguments are more than there can be",
                         user_bytes);
    *out_bytes = user_bytes + more;
    return 0;
}

/* The memory is a program's and may be anything or gone: the system reads it, which answers where
 * we would crash. */
static bool is_list(const twin_kernel_args *args)
{
    struct {
        uint64_t mark;
        const twin_kernel_args *self;
    } head;
    pthread_once(&own_once, make_key);
    if (own_error == 0 && (const void *)args == pthread_getspecific(own_key))
        return args != NULL;
    if ((uintptr_t)args % _Alignof(twin_kernel_args) != 0)
        return false;
    return twin_range_read(&head, (uint64_t)(uintptr_t)args, sizeof(head)) &&
           head.mark == LIST_MARK && head.self == args;
}

int32_t twin_args_find(void *memory, twin_kernel_args **out_args)
{
    if (!is_list(memory))
        return twin_fail(TWIN_ERR_HANDLE,
                         "argsHandle is %p, where no list of arguments was begun; call "
                         "aclrtKernelArgsInit or aclrtKernelArgsInitByUserMem first",
                         memory);
    *out_args = memory;
    return 0;
}

static int32_t refuse_finalized(void)
{
    return twin_fail(TWIN_ERR_UNSUPPORTED,
                     "the list of arguments is finalized; begin it anew for other parameters");
}

/* Room after what is used, for one more parameter. */
static int32_t add(twin_kernel_args *args, size_t bytes, twin_arg **out_arg)
{
    if (args->finalized)
        return refuse_finalized();
    if (args->count == TWIN_ARGS_MOST)
        return twin_fail(TWIN_ERR_PARAM, "the list of arguments has %u parameters already",
                         TWIN_ARGS_MOST);
    for (uint32_t i = 0; i < args->count; i++)
        if (args->args[i].has_data)
            return twin_fail(TWIN_ERR_UNSUPPORTED,
                             "a placeholder of the list has its memory already, which is after "
                             "all parameters; append the others first");
    const size_t place =
        args->cpu ? args->used : (args->used + ALIGN_BYTES - 1) & ~(size_t)(ALIGN_BYTES - 1);
    if (place > args->room || bytes > args->room - place)
        return twin_fail(TWIN_ERR_PARAM,
                         "a parameter of %zu bytes does not fit after the %zu bytes in use, of %zu",
                         bytes, place, args->room);
    twin_arg *arg = &args->args[args->count++];
    *arg = (twin_arg){.offset = (uint32_t)place, .bytes = (uint32_t)bytes};
    args->used = place + bytes;
    *out_arg = arg;
    return 0;
}

int32_t twin_args_append(twin_kernel_args *args, const void *value, size_t bytes,
                         twin_arg **out_arg)
{
    const int32_t code = add(args, bytes, out_arg);
    if (code == 0)
        memcpy(args->values + (*out_arg)->offset, value, bytes);
    return code;
}

int32_t twin_args_placeholder(twin_kernel_args *args, twin_arg **out_arg)
{
    const int32_t code = add(args, POINTER_BYTES, out_arg);
    if (code != 0)
        return code;
    (*out_arg)->placeholder = true;
    args->placeholders++;
    memset(args->values + (*out_arg)->offset, 0, POINTER_BYTES);
    return 0;
}

/* The parameter that a handle of the list means, which is a placeholder or not. */
static int32_t find_arg(twin_kernel_args *args, const void *handle, bool placeholder,
                        twin_arg **out_arg)
{
    for (uint32_t i = 0; i < args->count; i++)
        if (handle == &args->args[i]) {
            *out_arg = &args->args[i];
            if (args->args[i].placeholder == placeholder)
                return 0;
            return twin_fail(TWIN_ERR_PARAM, "paramHandle is parameter %u of the list, which %s", i,
                             placeholder ? "is not a placeholder" : "is a placeholder");
        }
    return twin_fail(TWIN_ERR_HANDLE, "paramHandle is %p; it must be a parameter of this list",
                     handle);
}

int32_t twin_args_data(twin_kernel_args *args, const void *handle, size_t bytes, void **out_data)
{
    twin_arg *arg = NULL;
    const int32_t code = find_arg(args, handle, true, &arg);
    if (code != 0)
        return code;
    if (args->finalized)
        return refuse_finalized();
    const size_t place = (args->used + ALIGN_BYTES - 1) & ~(size_t)(ALIGN_BYTES - 1);
    if (place > args->room || bytes > args->room - place)
        return twin_fail(TWIN_ERR_PARAM,
                         "%zu bytes for a placeholder do not fit after the %zu bytes in use, of "
                         "%zu",
                         bytes, place, args->room);
    arg->has_data = true;
    arg->data_offset = (uint32_t)place;
    args->used = place + bytes;
    *out_data = args->values + place;
    return 0;
}

int32_t twin_args_update(twin_kernel_args *args, const void *handle, const void *value,
                         size_t bytes)
{
    twin_arg *arg = NULL;
    const int32_t code = find_arg(args, handle, false, &arg);
    if (code != 0)
        return code;
    if (bytes != arg->bytes)
        return twin_fail(TWIN_ERR_PARAM, "paramSize is %zu; the parameter was appended with %u",
                         bytes, arg->bytes);
    memcpy(args->values + arg->offset, value, bytes);
    args->finalized = false;
    return 0;
}

/* Of the current device. */
static int32_t write_hidden(twin_kernel_args *args)
{
    TWIN_PINNED(context, context);
    uint64_t address = 0;
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    code = twin_device_sync_address(context->device, &address);
    memcpy(args->values, &address, sizeof(address));
    return code;
}

int32_t twin_args_finalize(twin_kernel_args *args)
{
    for (uint32_t i = 0; i < args->count; i++)
        if (args->args[i].placeholder && !args->args[i].has_data)
            return twin_fail(TWIN_ERR_PARAM,
                             "placeholder %u of the list has no memory; call "
                             "aclrtKernelArgsGetPlaceHolderBuffer for it",
                             i);
    const int32_t code = args->hidden ? write_hidden(args) : 0;
    args->finalized = code == 0;
    return code;
}

int32_t twin_kernel_check_params(const twin_kernel *kernel)
{
    if (kernel->type == TWIN_KERNEL_AICPU)
        return twin_fail(TWIN_ERR_UNSUPPORTED, "a CPU kernel does not report its parameters");
    if (!kernel->has_params)
        return twin_fail(TWIN_ERR_PARAM,
                         "kernel \"%s\" has no list of its parameters in its metadata",
                         kernel->name);
    return 0;
}

int32_t twin_args_check(const twin_kernel *kernel, void *const *values)
{
    const int32_t code = twin_kernel_check_params(kernel);
    if (code != 0)
        return code;
    if (kernel->param_count > 0 && !values)
        return twin_fail(TWIN_ERR_PARAM_NULL, "args is NULL; kernel \"%s\" has %u parameters",
                         kernel->name, kernel->param_count);
    if (kernel->param_bytes > TWIN_ARGS_SYSTEM_ROOM)
        return twin_fail(
            TWIN_ERR_PARAM, "kernel \"%s\" requires %llu bytes of arguments; the limit is %u",
            kernel->name, (unsigned long long)kernel->param_bytes, TWIN_ARGS_SYSTEM_ROOM);
    for (uint32_t i = 0; i < kernel->param_count; i++)
        if (!values[i])
            return twin_fail(TWIN_ERR_PARAM_NULL,
                             "args[%u] is NULL; kernel \"%s\" reads %u bytes there", i,
                             kernel->name, kernel->params[i].bytes);
    return 0;
}

void twin_args_gather(const twin_kernel *kernel, void *const *values, unsigned char *out)
{
    memset(out, 0, kernel->param_bytes);
    for (uint32_t i = 0; i < kernel->param_count; i++)
        memcpy(out + kernel->params[i].offset, values[i], kernel->params[i].bytes);
}
