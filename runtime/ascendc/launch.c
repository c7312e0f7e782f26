/* SPDX-License-Identifier: Apache-2.0 */
/* Linked into programs in Ascend C: how `kernel<<<blocks, 0, stream>>>(x)` becomes a launch. The
 * kernel's function of the host notes its arguments here, and then the launch is made. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"

/* As twinrt-cc writes them. */
typedef struct launch_image {
    const unsigned char *begin, *end;
    aclrtBinHandle handle;     /* NULL: not loaded yet */
    struct launch_image *next; /* of those that are loaded */
} launch_image;

typedef struct launch_kernel {
    launch_image *image;
    const char *name;         /* of its symbol */
    const char *title;        /* as the source names it, for messages */
    aclrtFuncHandle function; /* NULL: not found yet */
    uint64_t args_bytes;
} launch_kernel;

#define HIDDEN __attribute__((visibility("hidden")))
HIDDEN void *twk_launch_begin_(launch_kernel *kernel);
HIDDEN void twk_launch_copy_(void *to, const void *from, uint64_t bytes);
HIDDEN int twk_launch_end_(uint64_t blocks, uint64_t dynamic, void *stream);

/* The launch whose arguments were noted last. */
typedef struct pending_launch {
    launch_kernel *kernel;
    unsigned char *args;
    uint64_t room;
} pending_launch;

static _Thread_local pending_launch pending;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static launch_image *loaded;

static void report(const launch_kernel *kernel, const char *what, aclError code)
{
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "twinrt: launch of kernel %s: %s: error %d%s%s\n", kernel->title, what, code,
            message && message[0] ? ": " : "", message ? message : "");
}

/* Whether it is one that code for dav-2201 does not run on. A profile of the user's may have any
 * name. */
static bool is_other_part(const char *soc)
{
    return strncmp(soc, "Ascend", 6) == 0 && strncmp(soc, "Ascend910B", 10) != 0 &&
           strncmp(soc, "Ascend910_93", 12) != 0;
}

/* Finds the function of the kernel in its image, which the first launch loads. */
static aclError find_locked(launch_kernel *kernel)
{
    launch_image *image = kernel->image;
    aclError code = ACL_SUCCESS;
    if (!image->handle) {
        const char *soc = aclrtGetSocName();
        if (soc && is_other_part(soc)) {
            fprintf(stderr,
                    "twinrt: launch of kernel %s: it is compiled for the 910B and A3 (dav-2201), "
                    "and the device is %s\n",
                    kernel->title, soc);
            return ACL_ERROR_RT_PARAM_INVALID;
        }
        code = aclrtBinaryLoadFromData(image->begin, (size_t)(image->end - image->begin), NULL,
                                       &image->handle);
        if (code != ACL_SUCCESS) {
            report(kernel, "its image cannot be loaded", code);
            return code;
        }
        image->next = loaded;
        loaded = image;
    }
    if (!kernel->function) {
        code = aclrtBinaryGetFunction(image->handle, kernel->name, &kernel->function);
        if (code != ACL_SUCCESS)
            report(kernel, "it cannot be found", code);
    }
    return code;
}

/* A kernel that was called like a function of the host. */
static void report_plain_call(void)
{
    if (pending.kernel)
        fprintf(stderr, "twinrt: kernel %s was called without <<<>>>: it has not run\n",
                pending.kernel->title);
    pending.kernel = NULL;
}

void *twk_launch_begin_(launch_kernel *kernel)
{
    report_plain_call();
    const uint64_t bytes = kernel->args_bytes > 8 ? kernel->args_bytes : 8;
    if (pending.room < bytes) {
        free(pending.args);
        pending.args = malloc(bytes);
        if (!pending.args) {
            fprintf(stderr, "twinrt: launch of kernel %s: no memory\n", kernel->title);
            abort();
        }
        pending.room = bytes;
    }
    memset(pending.args, 0, bytes);
    pending.kernel = kernel;
    return pending.args;
}

void twk_launch_copy_(void *to, const void *from, uint64_t bytes)
{
    memcpy(to, from, bytes);
}

int twk_launch_end_(uint64_t blocks, uint64_t dynamic, void *stream)
{
    launch_kernel *kernel = pending.kernel;
    pending.kernel = NULL;
    if (!kernel) {
        fputs("twinrt: a launch without a kernel: what is before <<< is not a __global__ function "
              "of this program\n",
              stderr);
        return ACL_ERROR_INVALID_PARAM;
    }
    if (dynamic != 0) {
        fprintf(stderr,
                "twinrt: launch of kernel %s: the second number is %llu; it must be 0 or nullptr "
                "on a 910B\n",
                kernel->title, (unsigned long long)dynamic);
        return ACL_ERROR_INVALID_PARAM;
    }
    if (blocks > UINT32_MAX) {
        fprintf(stderr, "twinrt: launch of kernel %s: %llu blocks; the maximum is %u\n",
                kernel->title, (unsigned long long)blocks, UINT32_MAX);
        return ACL_ERROR_INVALID_PARAM;
    }
    pthread_mutex_lock(&lock);
    aclError code = find_locked(kernel);
    pthread_mutex_unlock(&lock);
    if (code != ACL_SUCCESS)
        return code;
    const uint64_t bytes = kernel->args_bytes > 0 ? kernel->args_bytes : 8;
    code = aclrtLaunchKernelWithHostArgs(kernel->function, (uint32_t)blocks, stream, NULL,
                                         pending.args, bytes, NULL, 0);
    if (code != ACL_SUCCESS)
        report(kernel, "it was refused", code);
    return code;
}

static void __attribute__((destructor)) unload(void)
{
    report_plain_call();
    for (launch_image *image = loaded; image; image = image->next) {
        (void)aclrtBinaryUnLoad(image->handle);
        image->handle = NULL;
    }
    loaded = NULL;
}
