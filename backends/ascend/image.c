/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel images and launches: the vendor's loader takes the file as the program gave it, and its
 * launches copy arguments. */
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "process.h"

#define US_PER_WORD 32 /* bits of each half of a limit */

/* Functions that were looked up, so that a launch looks none up. */
typedef struct function {
    struct function *next;
    aclrtFuncHandle handle;
    char name[];
} function;

struct twin_loaded_image {
    twin_hw_device *device;
    aclrtBinHandle binary;
    uint64_t address; /* 0: the vendor does not report it */
    pthread_mutex_t lock;
    function *functions; /* guarded by lock */
};

_Static_assert(sizeof(twin_code_place) == sizeof(aclrtPlaceHolderInfo),
               "places are the vendor's as they are");

twin_status ascend_image_load(twin_hw_device *device, const twin_image_source *source,
                              twin_loaded_image **out_image, uint64_t *out_address)
{
    if (!vendor.load_image || !vendor.unload_image || !vendor.find_function ||
        !vendor.image_address || !vendor.launch_host)
        return TWIN_E_UNSUPPORTED;
    twin_status status = ascend_use_device(device);
    if (status != TWIN_OK)
        return status;
    twin_loaded_image *image = calloc(1, sizeof(*image));
    if (!image)
        return TWIN_E_NOMEM;
    aclrtBinaryLoadOption magic = {.type = ACL_RT_BINARY_LOAD_OPT_MAGIC,
                                   .value = {.magic = source->magic}};
    const aclrtBinaryLoadOptions options = {.options = &magic,
                                            .numOpt = source->magic != 0 ? 1 : 0};
    status = ascend_status(vendor.load_image(source->bytes, source->size,
                                             source->magic != 0 ? &options : NULL, &image->binary));
    void *address = NULL;
    size_t bytes = 0;
    if (status == TWIN_OK) {
        status = ascend_status(vendor.image_address(image->binary, &address, &bytes));
        if (status != TWIN_OK)
            vendor.unload_image(image->binary);
    }
    if (status != TWIN_OK) {
        free(image);
        return status;
    }
    image->device = device;
    image->address = (uint64_t)(uintptr_t)address;
    pthread_mutex_init(&image->lock, NULL);
    const twin_memory_info info = {.kind = TWIN_MEMORY_DEVICE,
                                   .device = device->index,
                                   .base = image->address,
                                   .size_bytes = bytes,
                                   .page_bytes = 4096};
    if (image->address != 0 && bytes != 0)
        (void)ascend_range_add(&info); /* without it copies to variables are refused, no more */
    *out_image = image;
    *out_address = image->address;
    return TWIN_OK;
}

void ascend_image_unload(twin_loaded_image *image)
{
    twin_memory_info info;
    (void)ascend_range_remove(image->address, TWIN_MEMORY_DEVICE, &info);
    if (ascend_use_device(image->device) != TWIN_OK || vendor.unload_image(image->binary) != 0)
        ascend.services->log(2, "the vendor's runtime cannot unload a kernel image");
    function *one, *next;
    LL_FOREACH_SAFE(image->functions, one, next)
        free(one);
    pthread_mutex_destroy(&image->lock);
    free(image);
}

static twin_status find(twin_loaded_image *image, const char *name, aclrtFuncHandle *out_handle)
{
    twin_status status = TWIN_OK;
    pthread_mutex_lock(&image->lock);
    function *one = image->functions;
    while (one && strcmp(one->name, name) != 0)
        one = one->next;
    if (!one) {
        size_t bytes = strlen(name) + 1;
        one = calloc(1, sizeof(*one) + bytes);
        status = one ? ascend_status(vendor.find_function(image->binary, name, &one->handle))
                     : TWIN_E_NOMEM;
        if (status == TWIN_OK) {
            memcpy(one->name, name, bytes);
            LL_PREPEND(image->functions, one);
        } else {
            free(one);
            one = NULL;
        }
    }
    if (one)
        *out_handle = one->handle;
    pthread_mutex_unlock(&image->lock);
    return status;
}

/* The attributes that the program has given. */
static size_t attributes_of(const twin_launch *kernel, aclrtLaunchKernelAttr list[3])
{
    const twin_launch_code *code = kernel->code;
    size_t count = 0;
    if (kernel->guarded)
        list[count++] = (aclrtLaunchKernelAttr){.id = ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH,
                                                .value = {.isBlockTaskPrefetch = 1}};
    if (code->schedule_given)
        list[count++] = (aclrtLaunchKernelAttr){.id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE,
                                                .value = {.schemMode = code->batch ? 1 : 0}};
    if (code->timeout_given)
        list[count++] = (aclrtLaunchKernelAttr){
            .id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US,
            .value = {.timeoutUs = {.timeoutLow = (uint32_t)code->timeout_us,
                                    .timeoutHigh = (uint32_t)(code->timeout_us >> US_PER_WORD)}}};
    return count;
}

twin_status ascend_work_launch(twin_queue *queue, twin_launch *kernel)
{
    const twin_launch_code *code = kernel->code;
    aclrtLaunchKernelAttr list[3];
    aclrtFuncHandle handle = NULL;
    if (!code || kernel->replaces || (code->device_args != 0 && !vendor.launch_device))
        return TWIN_E_UNSUPPORTED;
    twin_status status = ascend_use_queue(queue);
    if (status == TWIN_OK)
        status = find(code->image, code->function, &handle);
    if (status != TWIN_OK)
        return status;
    aclrtLaunchKernelCfg config = {.attrs = list, .numAttrs = attributes_of(kernel, list)};
    aclrtLaunchKernelCfg *given = config.numAttrs > 0 ? &config : NULL;
    if (code->device_args != 0) {
        status = ascend_status(vendor.launch_device(handle, code->blocks,
                                                    ascend_pointer(code->device_args),
                                                    code->args_bytes, given, queue->stream));
    } else {
        /* What is below takes these without const and leaves them as they are, but for the places
         * it fills. */
        void *args = code->args_bytes > 0 ? malloc(code->args_bytes) : NULL;
        if (code->args_bytes > 0 && !args)
            return TWIN_E_NOMEM;
        if (args)
            memcpy(args, code->host_args, code->args_bytes);
        status = ascend_status(vendor.launch_host(
            handle, code->blocks, queue->stream, given, args, code->args_bytes,
            (aclrtPlaceHolderInfo *)(void *)(uintptr_t)code->places, code->place_count));
        free(args);
    }
    if (status == TWIN_OK)
        kernel->release(kernel); /* the vendor does the rest */
    return status;
}
