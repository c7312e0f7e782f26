/* SPDX-License-Identifier: Apache-2.0 */
/* Random calls on kernel images and their functions, and launches. */
#define _GNU_SOURCE
#include <elf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "random_arguments.h"
#include "support/kernel_object.h"

/* Images --------------------------------------------------------------------------------------- */

/* One good image, and a file of it. Other threads only read it. */
static unsigned char *image;
static size_t image_bytes;
static char image_path[64];

static void make_image(void)
{
    static kernel_object object;
    static object_meta meta;
    static const unsigned char code[256] = {1, 2, 3};
    object_begin(&object, false);
    object_add_section(&object, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code,
                       sizeof(code));
    object_add_kernel(&object, "cube_12", 0, 16);
    meta_begin(&meta, false);
    meta_word(&meta, 1, 3); /* a vector kernel with two parameters */
    meta_params(&meta, 2, 16);
    meta_param(&meta, 0, 0, 8);
    meta_param(&meta, 1, 8, 4);
    meta_key(&meta, 0, 77);
    object_add_meta(&object, "vec", &meta);
    object_add_kernel(&object, "vec", 16, 24);
    for (unsigned half = 0; half < 2; half++) {
        const char *name = half == 0 ? "mix_mix_aic" : "mix_mix_aiv";
        meta_begin(&meta, false);
        meta_word(&meta, 1, 4); /* a mix whose cube half leads */
        meta_ratio(&meta, 1, 2);
        object_add_meta(&object, name, &meta);
        object_add_kernel(&object, name, half == 0 ? 128 : 160, 32);
    }
    object_add_symbol(&object, "table", ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 1, 64, 64);
    image = object_write(&object, &image_bytes);
    object_end(&object);
    int file = memfd_create("image", 0);
    if (file < 0 || !image || write(file, image, image_bytes) != (ssize_t)image_bytes)
        random_failure("no memory for a kernel image");
    snprintf(image_path, sizeof(image_path), "/proc/self/fd/%d", file);
}

static void need_image(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_image);
}

static aclError put_binary(random_worker *worker, aclrtBinHandle binary, aclError code)
{
    if (!binary)
        return code;
    random_entry old =
        random_pool_put(&worker->random, RANDOM_BINARY, (random_entry){HANDLE(binary), 0});
    if (old.handle != 0)
        (void)aclrtBinaryUnLoad(POINTER(old));
    return code;
}

/* Some bytes are others, or the end is missing. */
static aclError load_damaged(random_worker *worker, const aclrtBinaryLoadOptions *options,
                             aclrtBinHandle *out)
{
    unsigned char *copy = malloc(image_bytes);
    if (!copy)
        return NO_MEMORY;
    memcpy(copy, image, image_bytes);
    for (uint32_t left = below(worker, 8); left > 0; left--) {
        unsigned char *place = copy + below(worker, (uint32_t)image_bytes);
        *place = chance(worker, 50) ? (unsigned char)(*place ^ (1u << below(worker, 8)))
                                    : (unsigned char)any_number(worker);
    }
    size_t bytes = chance(worker, 80) ? image_bytes : below(worker, (uint32_t)image_bytes);
    aclError code = aclrtBinaryLoadFromData(copy, bytes, options, out);
    free(copy);
    return code;
}

static aclrtBinaryLoadOption any_option(random_worker *worker)
{
    static const uint32_t magics[] = {0x43554245, 0x41494343, 0x41415246};
    aclrtBinaryLoadOption option;
    memset(&option, 0, sizeof(option));
    option.type =
        (aclrtBinaryLoadOptionType)(chance(worker, 95) ? 1 + below(worker, 3) : any_number(worker));
    if (option.type == ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD)
        option.value.isLazyLoad = below(worker, 3);
    else if (option.type == ACL_RT_BINARY_LOAD_OPT_MAGIC)
        option.value.magic = chance(worker, 90) ? magics[below(worker, 3)] : any_number(worker);
    else
        option.value.cpuKernelMode = (int32_t)below(worker, 4);
    return option;
}

static aclError call_load(random_worker *worker)
{
    need_image();
    aclrtBinHandle binary = NULL;
    aclrtBinaryLoadOption list[2] = {any_option(worker), any_option(worker)};
    aclrtBinaryLoadOptions options = {.options = OUT(worker, *list), .numOpt = below(worker, 3)};
    aclrtBinaryLoadOptions *given = chance(worker, 50) ? NULL : &options;
    aclError code;
    switch (below(worker, 5)) {
    case 0:
        code = aclrtBinaryLoadFromFile(chance(worker, 95) ? image_path : "/no/such/file", given,
                                       OUT(worker, binary));
        break;
    case 1:
        code = load_damaged(worker, given, &binary);
        break;
    case 2:
        code = aclrtBinaryLoad(any(worker, RANDOM_IMAGE), OUT(worker, binary));
        break;
    default:
        code = aclrtBinaryLoadFromData(chance(worker, 97) ? image : NULL,
                                       chance(worker, 97) ? image_bytes : 0, given,
                                       OUT(worker, binary));
        break;
    }
    return put_binary(worker, binary, code);
}

static aclError call_image(random_worker *worker)
{
    need_image();
    if (chance(worker, 40))
        return aclrtDestroyBinary(POINTER(random_pool_take(&worker->random, RANDOM_IMAGE)));
    if (chance(worker, 20))
        return aclrtDestroyBinary(any(worker, RANDOM_IMAGE));
    aclrtBinary made = aclrtCreateBinary(chance(worker, 95) ? image : NULL, image_bytes);
    if (!made)
        return NULL_ARGUMENT;
    random_entry old =
        random_pool_put(&worker->random, RANDOM_IMAGE, (random_entry){HANDLE(made), 0});
    if (old.handle != 0)
        (void)aclrtDestroyBinary(POINTER(old));
    return ACL_SUCCESS;
}

static aclError call_unload(random_worker *worker)
{
    if (chance(worker, 60))
        return aclrtBinaryUnLoad(POINTER(random_pool_take(&worker->random, RANDOM_BINARY)));
    return aclrtBinaryUnLoad(any(worker, RANDOM_BINARY));
}

static const char *any_name(random_worker *worker)
{
    static const char *const names[] = {"cube_12", "vec", "mix", "table", "none", ""};
    return chance(worker, 97) ? names[below(worker, 6)] : NULL;
}

static aclError call_lookup(random_worker *worker)
{
    aclrtBinHandle binary = any(worker, RANDOM_BINARY);
    aclrtFuncHandle function = NULL;
    void *address = NULL;
    size_t bytes = 0;
    aclError code;
    switch (below(worker, 8)) {
    case 0:
        return aclrtBinaryGetDevAddress(binary, OUT(worker, address), OUT(worker, bytes));
    case 1:
        return aclrtBinaryGetGlobal(binary, any_name(worker), OUT(worker, address),
                                    OUT(worker, bytes));
    case 2:
        code =
            aclrtRegisterCpuFunc(binary, any_name(worker), any_name(worker), OUT(worker, function));
        break;
    case 3:
        code = aclrtBinaryGetFunctionByEntry(
            binary, chance(worker, 80) ? 77 - 65 * below(worker, 2) : any_number(worker),
            OUT(worker, function));
        break;
    case 4:
        return aclrtGetFuncBySymbol(any(worker, RANDOM_FUNCTION), OUT(worker, function));
    default:
        code = aclrtBinaryGetFunction(binary, any_name(worker), OUT(worker, function));
        break;
    }
    if (function)
        (void)random_pool_put(&worker->random, RANDOM_FUNCTION,
                              (random_entry){HANDLE(function), 0});
    return code;
}

static aclError call_function(random_worker *worker)
{
    aclrtFuncHandle function = any(worker, RANDOM_FUNCTION);
    void *one = NULL, *two = NULL;
    size_t first = 0, second = 0;
    int64_t value = 0;
    char name[16];
    switch (below(worker, 9)) {
    case 0:
        return aclrtGetFunctionAddr(function, OUT(worker, one), OUT(worker, two));
    case 1:
        return aclrtGetFunctionSize(function, OUT(worker, first), OUT(worker, second));
    case 2:
        return aclrtGetFunctionName(function, below(worker, sizeof(name) + 1), OUT(worker, *name));
    case 3:
        return aclrtGetFunctionAttribute(
            function, (aclrtFuncAttribute)(chance(worker, 90) ? below(worker, 5) : 1000),
            OUT(worker, value));
    case 4:
        return aclrtFunctionGetBinary(function, OUT(worker, one));
    case 5:
        return aclrtFunctionGetParamCount(function, OUT(worker, first));
    case 6:
        return aclrtFunctionGetParamInfo(function, below(worker, 4), OUT(worker, first),
                                         OUT(worker, second));
    case 7:
        return aclrtFunctionGetAvailDynUbufPerBlock(
            function, chance(worker, 90) ? 0 : any_number(worker), OUT(worker, first));
    default:
        return aclrtGetHardwareSyncAddr(OUT(worker, one));
    }
}

/* Cores ---------------------------------------------------------------------------------------- */

static aclError call_cores(random_worker *worker)
{
    void *stream = any_stream(worker);
    int32_t device = any_device(worker);
    aclrtDevResLimitType type =
        (aclrtDevResLimitType)(chance(worker, 95) ? below(worker, 2) : any_number(worker));
    uint32_t value = chance(worker, 90) ? 1 + below(worker, 24) : any_number(worker);
    switch (below(worker, 9)) {
    case 0:
        return aclrtGetDeviceResLimit(device, type, OUT(worker, value));
    case 1:
        return aclrtSetDeviceResLimit(device, type, value);
    case 2:
        return aclrtResetDeviceResLimit(device);
    case 3:
        return aclrtGetStreamResLimit(stream, type, OUT(worker, value));
    case 4:
        return aclrtSetStreamResLimit(stream, type, value);
    case 5:
        return aclrtResetStreamResLimit(stream);
    case 6:
        return aclrtUseStreamResInCurrentThread(stream);
    case 7:
        return aclrtUnuseStreamResInCurrentThread(stream);
    default:
        return aclrtGetResInCurrentThread(type, OUT(worker, value));
    }
}

/* Launches ------------------------------------------------------------------------------------- */

static uint32_t any_blocks(random_worker *worker)
{
    return chance(worker, 95) ? 1 + below(worker, 8) : any_number(worker);
}

static aclrtLaunchKernelAttr any_attribute(random_worker *worker)
{
    aclrtLaunchKernelAttr attribute;
    memset(&attribute, 0, sizeof(attribute));
    attribute.id =
        (aclrtLaunchKernelAttrId)(chance(worker, 95) ? below(worker, 10) : any_number(worker));
    /* All of them are numbers of 32 bits or less, which lie at the front. */
    uint32_t value = chance(worker, 90) ? below(worker, 3) : any_number(worker);
    memcpy(&attribute.value, &value, sizeof(value));
    return attribute;
}

/* The thread's own list of arguments, from its beginning to its launch; steps are left out now and
 * then. */
static aclError launch_list(random_worker *worker, aclrtFuncHandle function,
                            aclrtLaunchKernelCfg *config)
{
    aclrtArgsHandle list = NULL;
    aclrtParamHandle param = NULL;
    void *buffer = NULL;
    uint64_t value = any_number(worker);
    aclError code = aclrtKernelArgsInit(function, &list);
    if (!list)
        return code;
    for (uint32_t left = below(worker, 4); left > 0; left--)
        (void)aclrtKernelArgsAppend(list, OUT(worker, value), chance(worker, 95) ? 8 : 1u << 20,
                                    OUT(worker, param));
    if (chance(worker, 50))
        (void)aclrtKernelArgsAppendPlaceHolder(list, OUT(worker, param));
    size_t bytes = chance(worker, 95) ? below(worker, 256) : any_bytes(worker, 0);
    code = aclrtKernelArgsGetPlaceHolderBuffer(list, param, bytes, OUT(worker, buffer));
    if (code == ACL_SUCCESS && buffer)
        memset(buffer, 5, bytes);
    if (param && chance(worker, 30))
        (void)aclrtKernelArgsParaUpdate(list, param, &value, 1 + below(worker, 8));
    if (chance(worker, 95))
        (void)aclrtKernelArgsFinalize(chance(worker, 97) ? list : NULL);
    if (chance(worker, 3)) /* what is not a list */
        list = any(worker, RANDOM_FUNCTION);
    return aclrtLaunchKernelWithConfig(chance(worker, 95) ? function : any(worker, RANDOM_FUNCTION),
                                       any_blocks(worker), any_stream(worker), config, list,
                                       chance(worker, 99) ? NULL : &value);
}

static aclError launch_host(random_worker *worker, aclrtFuncHandle function,
                            aclrtLaunchKernelCfg *config)
{
    unsigned char arguments[256];
    aclrtPlaceHolderInfo places[3];
    memset(arguments, 7, sizeof(arguments));
    for (uint32_t i = 0; i < 3; i++)
        places[i] = (aclrtPlaceHolderInfo){
            .addrOffset = chance(worker, 95) ? 8 * i : any_number(worker),
            .dataOffset = chance(worker, 95) ? 64 + below(worker, 64) : any_number(worker)};
    size_t bytes = chance(worker, 80) ? 128 : below(worker, sizeof(arguments) + 1);
    return aclrtLaunchKernelWithHostArgs(function, any_blocks(worker), any_stream(worker), config,
                                         chance(worker, 97) ? arguments : NULL, bytes,
                                         OUT(worker, *places), below(worker, 4));
}

static aclError call_launch(random_worker *worker)
{
    aclrtFuncHandle function = any(worker, RANDOM_FUNCTION);
    aclrtLaunchKernelAttr attributes[2] = {any_attribute(worker), any_attribute(worker)};
    aclrtLaunchKernelCfg chosen = {.attrs = OUT(worker, *attributes), .numAttrs = below(worker, 3)};
    aclrtLaunchKernelCfg *config = chance(worker, 60) ? NULL : &chosen;
    uint64_t values[2] = {1, 2};
    void *list[2] = {OUT(worker, values[0]), &values[1]};
    void *memory = any(worker, RANDOM_MEMORY);
    size_t bytes = chance(worker, 90) ? 16 : any_bytes(worker, 0);
    switch (below(worker, 5)) {
    case 0:
        return aclrtLaunchKernel(function, any_blocks(worker), memory, bytes, any_stream(worker));
    case 1:
        return aclrtLaunchKernelV2(function, any_blocks(worker), memory, bytes, config,
                                   any_stream(worker));
    case 2:
        return launch_host(worker, function, config);
    case 3:
        return aclrtLaunchKernelWithArgsArray(function, any_blocks(worker), any_stream(worker),
                                              config, OUT(worker, *list));
    default:
        return launch_list(worker, function, config);
    }
}

/* All of it ------------------------------------------------------------------------------------ */

const random_row random_kernel_rows[] = {
    {"aclrtBinaryLoad...",
     call_load,
     12,
     {NULL_ARGUMENT, BAD_VALUE, NO_CONTEXT, DEAD_HANDLE, NO_MEMORY, FAILED_COPY},
     false},
    {"aclrtCreateBinary, aclrtDestroyBinary", call_image, 6, {NULL_ARGUMENT, DEAD_HANDLE}, false},
    {"aclrtBinaryUnLoad", call_unload, 6, {NULL_ARGUMENT, DEAD_HANDLE}, false},
    {"aclrtBinaryGet..., aclrtRegisterCpuFunc",
     call_lookup,
     30,
     {NULL_ARGUMENT, BAD_VALUE, NO_CONTEXT, DEAD_HANDLE, NO_SUCH_VARIABLE, NO_SUCH_SYMBOL,
      NO_MEMORY, FAILED_COPY},
     false},
    {"facts of functions",
     call_function,
     15,
     {NULL_ARGUMENT, BAD_VALUE, NO_CONTEXT, DEAD_HANDLE, NOT_OFFERED, NO_MEMORY, FAILED_COPY},
     false},
    {"limits of cores",
     call_cores,
     8,
     {NULL_ARGUMENT, BAD_VALUE, NO_SUCH_DEVICE, NO_CONTEXT, OTHER_CONTEXT, DEAD_HANDLE, NOT_UP,
      NOT_OFFERED},
     false},
    {"aclrtLaunchKernel...", call_launch, 40, {SUBMISSION, NO_MEMORY}, false},
};
const uint32_t random_kernel_row_count = sizeof(random_kernel_rows) / sizeof(random_kernel_rows[0]);
