/* SPDX-License-Identifier: Apache-2.0 */
/* Loading kernel images, and what is in them. */
#include "core/image/binary.h"
#include "core/object/context.h"

#include "acl/acl_rt.h"
#include "api/entry.h"

/* Where an image comes from decides which options fit. */
typedef enum source { FROM_FILE, FROM_DATA } source;

static int32_t take_cpu_mode(int32_t mode, source from, twin_binary_options *out)
{
    const bool fits = from == FROM_FILE
                          ? mode == TWIN_CPU_ON_DEVICE || mode == TWIN_CPU_WITH_LIBRARY
                          : mode == TWIN_CPU_LIBRARY;
    if (!fits)
        return twin_fail(TWIN_ERR_PARAM, "cpuKernelMode is %d; %s", mode,
                         from == FROM_FILE ? "a file is loaded with 0 or 1"
                                           : "data is loaded with 2");
    out->cpu = (twin_cpu_mode)mode;
    return 0;
}

static int32_t take_magic(uint32_t magic, source from, twin_binary_options *out)
{
    if (from == FROM_FILE)
        return twin_fail(TWIN_ERR_PARAM,
                         "a magic number is given for data alone; a file has it in the JSON file "
                         "beside it");
    if (magic != TWIN_MAGIC_ELF && magic != TWIN_MAGIC_CUBE && magic != TWIN_MAGIC_VECTOR)
        return twin_fail(TWIN_ERR_PARAM,
                         "the magic number %#x is none of 0x43554245, 0x41494343, 0x41415246",
                         magic);
    out->magic = magic;
    return 0;
}

static int32_t take_option(const aclrtBinaryLoadOption *option, source from,
                           twin_binary_options *out)
{
    switch (option->type) {
    case ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD:
        if (option->value.isLazyLoad > 1)
            return twin_fail(TWIN_ERR_PARAM, "isLazyLoad is %u; it is 0 or 1",
                             option->value.isLazyLoad);
        out->lazy = option->value.isLazyLoad == 1;
        return 0;
    case ACL_RT_BINARY_LOAD_OPT_MAGIC:
        return take_magic(option->value.magic, from, out);
    case ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE:
        return take_cpu_mode(option->value.cpuKernelMode, from, out);
    default:
        return twin_fail(TWIN_ERR_PARAM, "%d is not an option for loading an image",
                         (int)option->type);
    }
}

static int32_t take_options(const aclrtBinaryLoadOptions *options, source from,
                            twin_binary_options *out)
{
    *out = (twin_binary_options){.cpu = TWIN_CPU_NONE};
    if (!options)
        return 0;
    if (!options->options)
        return twin_fail(TWIN_ERR_PARAM_NULL, "options->options is NULL; without options give NULL "
                                              "for options");
    int32_t code = 0;
    for (size_t i = 0; i < options->numOpt && code == 0; i++)
        code = take_option(&options->options[i], from, out);
    return code;
}

aclError aclrtBinaryLoadFromFile(const char *binPath, aclrtBinaryLoadOptions *options,
                                 aclrtBinHandle *binHandle)
{
    TWIN_ENTER(COPY);
    TWIN_NOT_NULL(binPath, binHandle);
    twin_binary_options chosen;
    uint64_t handle = 0;
    int32_t code = take_options(options, FROM_FILE, &chosen);
    if (code == 0)
        code = twin_binary_load_file(binPath, &chosen, &handle);
    return TWIN_LEAVE(twin_api_give(code, &handle, binHandle));
}

static int32_t load_data(const void *data, size_t bytes, const aclrtBinaryLoadOptions *options,
                         aclrtBinHandle *out)
{
    twin_binary_options chosen;
    uint64_t handle = 0;
    int32_t code = take_options(options, FROM_DATA, &chosen);
    if (code == 0 && bytes == 0)
        code = twin_fail(TWIN_ERR_PARAM, "length is 0; it must be at least 1");
    if (code == 0)
        code = twin_binary_load(data, bytes, &chosen, &handle);
    return twin_api_give(code, &handle, out);
}

aclError aclrtBinaryLoadFromData(const void *data, size_t length,
                                 const aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle)
{
    TWIN_ENTER(COPY);
    TWIN_NOT_NULL(data, binHandle);
    return TWIN_LEAVE(load_data(data, length, options, binHandle));
}

aclrtBinary aclrtCreateBinary(const void *data, size_t dataLen)
{
    TWIN_ENTER_OR_RETURN(CREATE, ((void)TWIN_LEAVE(twin_api_refuse_forked()), NULL));
    uint64_t handle = 0;
    if (!data)
        (void)twin_api_null("data");
    else
        (void)twin_binary_data_create(data, dataLen, &handle);
    (void)TWIN_LEAVE(0);
    return twin_api_pointer(handle);
}

aclError aclrtDestroyBinary(aclrtBinary binary)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(binary);
    return TWIN_LEAVE(twin_binary_data_destroy(twin_api_handle(binary)));
}

aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle *binHandle)
{
    TWIN_ENTER(COPY);
    TWIN_NOT_NULL(binary, binHandle);
    const void *data = NULL;
    size_t bytes = 0;
    int32_t code = twin_binary_data_read(twin_api_handle(binary), &data, &bytes);
    if (code == 0)
        code = load_data(data, bytes, NULL, binHandle);
    return TWIN_LEAVE(code);
}

aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle)
{
    TWIN_ENTER(MEMORY);
    TWIN_NOT_NULL(binHandle);
    return TWIN_LEAVE(twin_binary_unload(twin_api_handle(binHandle)));
}

/* Asks a live binary something; the answer goes into `out`. */
typedef int32_t binary_question(twin_binary *binary, void *out);

static int32_t ask(const void *handle, binary_question *question, void *out)
{
    TWIN_PINNED(binary, binary);
    int32_t code = twin_binary_pin(twin_api_handle(handle), &binary);
    return code != 0 ? code : question(binary, out);
}

/* Where something is on the current device. */
typedef struct place {
    const char *name; /* of a variable */
    uint64_t address, bytes;
} place;

static int32_t place_of(twin_binary *binary, void *out)
{
    place *found = out;
    return twin_binary_address(binary, &found->address, &found->bytes);
}

aclError aclrtBinaryGetDevAddress(const aclrtBinHandle binHandle, void **binAddr, size_t *binSize)
{
    TWIN_ENTER(LOCAL);
    const int32_t live = twin_binary_guard(twin_api_handle(binHandle));
    if (live != 0)
        return TWIN_LEAVE(live);
    TWIN_NOT_NULL(binHandle, binAddr, binSize);
    place found = {0};
    const int32_t code = ask(binHandle, place_of, &found);
    if (code == 0) {
        *binAddr = twin_api_pointer(found.address);
        *binSize = found.bytes;
    }
    return TWIN_LEAVE(code);
}

/* A function by its name, its entry, or of the CPU by both of its names. */
typedef struct wanted {
    const char *name, *entry;
    uint64_t key;
    uint64_t function; /* found */
} wanted;

static int32_t function_by_name(twin_binary *binary, void *out)
{
    wanted *w = out;
    twin_context *context = NULL;
    if (twin_context_current(&context) != 0)
        return twin_fail(
            TWIN_ERR_PARAM,
            "this thread has no context in which the function could be looked up; call "
            "aclrtSetDevice or aclrtSetCurrentContext");
    return twin_binary_find(binary, w->name, &w->function);
}

static int32_t function_by_key(twin_binary *binary, void *out)
{
    wanted *w = out;
    return twin_binary_find_key(binary, w->key, &w->function);
}

static int32_t registered(twin_binary *binary, void *out)
{
    wanted *w = out;
    return twin_binary_register(binary, w->name, w->entry, &w->function);
}

/* The handle is as it was when there is none. */
static int32_t ask_function(const void *binary, binary_question *question, wanted w,
                            aclrtFuncHandle *out)
{
    return twin_api_give(ask(binary, question, &w), &w.function, out);
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName,
                                aclrtFuncHandle *funcHandle)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(binHandle, kernelName, funcHandle);
    *funcHandle = NULL;
    return TWIN_LEAVE(
        ask_function(binHandle, function_by_name, (wanted){.name = kernelName}, funcHandle));
}

aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle, uint64_t funcEntry,
                                       aclrtFuncHandle *funcHandle)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(binHandle, funcHandle);
    *funcHandle = NULL;
    return TWIN_LEAVE(
        ask_function(binHandle, function_by_key, (wanted){.key = funcEntry}, funcHandle));
}

static int32_t variable_of(twin_binary *binary, void *out)
{
    place *found = out;
    return twin_binary_global(binary, found->name, &found->address, &found->bytes);
}

aclError aclrtBinaryGetGlobal(aclrtBinHandle binHandle, const char *name, void **dptr, size_t *size)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(binHandle, name);
    if (!dptr && !size)
        return TWIN_LEAVE(twin_api_null("dptr and size"));
    place found = {.name = name};
    const int32_t code = ask(binHandle, variable_of, &found);
    if (code == 0 && dptr)
        *dptr = twin_api_pointer(found.address);
    if (code == 0 && size)
        *size = found.bytes;
    return TWIN_LEAVE(code);
}

aclError aclrtRegisterCpuFunc(const aclrtBinHandle handle, const char *funcName,
                              const char *kernelName, aclrtFuncHandle *funcHandle)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(handle, funcName, kernelName, funcHandle);
    return TWIN_LEAVE(ask_function(handle, registered,
                                   (wanted){.name = kernelName, .entry = funcName}, funcHandle));
}
