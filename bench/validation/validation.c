/* SPDX-License-Identifier: Apache-2.0 */
/* Does one piece of work of which a time is published: bench/validation/run.py reads the time from
 * the recording.
 *
 *   validation WORK [name=NUMBER]...
 *
 * WORK is a kernel of kernels.c or product.c, or `copies` or `submit`. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl.h"
#include "args.h"

#define MUST(call) must((call), #call)

static void must(int code, const char *what)
{
    if (code == 0)
        return;
    fprintf(stderr, "validation: %s returned %d\n", what, code);
    exit(1);
}

static void refuse(const char *what, const char *text)
{
    fprintf(stderr, "validation: %s: %s\n", what, text);
    exit(2);
}

/* ---- arguments ------------------------------------------------------------------------------- */

static uint32_t *field_of(struct validation_args *args, const char *name, size_t length)
{
#define VALIDATION_FIND_(key)                                                                      \
    if (length == strlen(#key) && strncmp(name, #key, length) == 0)                                \
        return &args->key;
    VALIDATION_KEYS(VALIDATION_FIND_)
#undef VALIDATION_FIND_
    return NULL;
}

static void read_arguments(int argc, char **argv, struct validation_args *args)
{
    args->blocks = args->repeat = args->sets = args->passes = args->slices = args->streams = 1;
    args->rows = args->step_a = args->step_b = 1;
    args->sets_l1 = args->sets_l0 = 2;
    for (int i = 2; i < argc; i++) {
        const char *value = strchr(argv[i], '=');
        char *end = NULL;
        uint32_t *field = value ? field_of(args, argv[i], (size_t)(value - argv[i])) : NULL;
        if (!field)
            refuse("no such argument", argv[i]);
        const unsigned long number = strtoul(value + 1, &end, 0);
        if (end == value + 1 || *end || number > UINT32_MAX)
            refuse("not a number", argv[i]);
        *field = (uint32_t)number;
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

static aclrtBinHandle load_kernels(void)
{
    char path[PATH_MAX];
    aclrtBinHandle binary = NULL;
    const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 32);
    if (length <= 0)
        refuse("cannot find the kernels", "/proc/self/exe");
    snprintf(path + length, sizeof(path) - (size_t)length, "_kernels.o");
    MUST(aclrtBinaryLoadFromFile(path, NULL, &binary));
    return binary;
}

static uint64_t device_memory(uint64_t bytes)
{
    void *memory = NULL;
    MUST(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    return (uintptr_t)memory;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* An empty kernel first, in a model instance: the queue has its slot, and the next task has been
 * read ahead. */
static void launch(const char *name, aclrtStream stream, struct validation_args *args)
{
    aclrtBinHandle binary = load_kernels();
    aclrtFuncHandle kernel = NULL;
    aclrtFuncHandle empty = NULL;
    aclmdlRI instance = NULL;
    struct validation_args nothing = {0};
    const uint64_t m = larger(args->m, 1), n = larger(args->n, 1), k = larger(args->k, 1);
    /* both inputs of a product; all of a copy or a sum; and for single operations enough */
    const uint64_t size = args->type == 7 || args->result == 7 ? 4 : 2; /* FP32 */
    const uint64_t bytes = larger(larger(m * n, larger(m * k, k * n)) * size, 1u << 20);
    MUST(aclrtBinaryGetFunction(binary, name, &kernel));
    MUST(aclrtBinaryGetFunction(binary, "empty", &empty));
    args->a = device_memory(bytes);
    args->b = device_memory(bytes);
    args->c = device_memory(bytes);
    MUST(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    MUST(aclrtLaunchKernelWithHostArgs(empty, 1, stream, NULL, &nothing, sizeof(nothing), NULL, 0));
    MUST(aclrtLaunchKernelWithHostArgs(kernel, args->blocks, stream, NULL, args, sizeof(*args),
                                       NULL, 0));
    MUST(aclmdlRICaptureEnd(stream, &instance));
    MUST(aclmdlRIExecuteAsync(instance, stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclmdlRIDestroy(instance));
    MUST(aclrtFree((void *)(uintptr_t)args->a));
    MUST(aclrtFree((void *)(uintptr_t)args->b));
    MUST(aclrtFree((void *)(uintptr_t)args->c));
    MUST(aclrtBinaryUnLoad(binary));
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* All copies from one address to another. */
struct copy_job {
    uint64_t to, from;
    aclrtMemcpyKind kind;
};

static void submit_copies(const struct validation_args *args, const struct copy_job *job,
                          aclrtStream *streams)
{
    uint32_t turn = 0;
    for (uint64_t at = 0; at < args->total; at += args->bytes, turn++)
        MUST(aclrtMemcpyAsync((void *)(uintptr_t)(job->to + at), args->bytes,
                              (void *)(uintptr_t)(job->from + at), args->bytes, job->kind,
                              streams[turn % args->streams]));
}

/* As hixl has it done (TransferSync with AICPU unfold): descriptors of 128 bytes go to the device,
 * which queues the copies in one queue; the host waits, and reads the status. A model instance is
 * in place of the kernel of an AI CPU. It begins with the only aclrtSetCurrentContext. */
static void copies_by_device(const struct validation_args *args, const struct copy_job *job,
                             aclrtStream stream)
{
    aclmdlRI instance = NULL;
    aclrtContext context = NULL;
    unsigned char *descriptors = NULL;
    const uint64_t bytes = 128 * (args->total / args->bytes);
    MUST(aclrtMallocHost((void **)&descriptors, bytes));
    memset(descriptors, 0, bytes);
    void *const device = (void *)(uintptr_t)device_memory(bytes);
    MUST(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    submit_copies(args, job, &stream);
    MUST(aclmdlRICaptureEnd(stream, &instance));
    MUST(aclrtGetCurrentContext(&context));
    MUST(aclrtSetCurrentContext(context));
    MUST(aclrtMemcpy(device, 4, descriptors, 4, ACL_MEMCPY_HOST_TO_DEVICE)); /* the status */
    MUST(aclrtMemcpy(device, bytes, descriptors, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    MUST(aclrtMemcpy(device, 128, descriptors, 128, ACL_MEMCPY_HOST_TO_DEVICE)); /* arguments */
    MUST(aclmdlRIExecuteAsync(instance, stream));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtMemcpy(descriptors, 4, device, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    MUST(aclmdlRIDestroy(instance));
    MUST(aclrtFree(device));
    MUST(aclrtFreeHost(descriptors));
}

/* `total` bytes in copies of `bytes` each, on `streams` streams in turn. order: 0 host to device, 1
 * device to host, 2 within the device, 3 to device 1, 4 from device 1. device: 1 if the device
 * queues them. */
static void copies(struct validation_args *args)
{
    static const aclrtMemcpyKind kinds[] = {
        ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE,
        ACL_MEMCPY_DEVICE_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_DEVICE};
    aclrtStream stream[64] = {NULL};
    void *host = NULL;
    if (args->order >= sizeof(kinds) / sizeof(*kinds) || args->streams == 0 || args->streams > 64 ||
        args->bytes == 0)
        refuse("copies", "order, streams or bytes is out of range");
    MUST(aclrtMallocHost(&host, args->total));
    const uint64_t here = device_memory(args->total);
    if (args->order >= 3) {
        MUST(aclrtDeviceEnablePeerAccess(1, 0));
        MUST(aclrtSetDevice(1));
        MUST(aclrtDeviceEnablePeerAccess(0, 0));
    }
    const uint64_t other = device_memory(args->total);
    MUST(aclrtSetDevice(0));
    const uint64_t from[] = {(uintptr_t)host, here, here, here, other};
    const uint64_t to[] = {here, (uintptr_t)host, other, other, here};
    const struct copy_job job = {to[args->order], from[args->order], kinds[args->order]};
    for (uint32_t i = 0; i < args->streams; i++)
        MUST(aclrtCreateStream(&stream[i]));
    if (args->device)
        copies_by_device(args, &job, stream[0]);
    else
        submit_copies(args, &job, stream);
    for (uint32_t i = 0; i < args->streams; i++)
        MUST(aclrtSynchronizeStream(stream[i]));
    MUST(aclrtFreeHost(host));
    MUST(aclrtFree((void *)(uintptr_t)here));
    if (args->order >= 3)
        MUST(aclrtSetDevice(1));
    MUST(aclrtFree((void *)(uintptr_t)other));
    MUST(aclrtSetDevice(0));
}

/* The smallest task, and the wait for it. */
static void submit(aclrtStream stream, struct validation_args *args)
{
    aclrtBinHandle binary = load_kernels();
    aclrtFuncHandle kernel = NULL;
    MUST(aclrtBinaryGetFunction(binary, "empty", &kernel));
    for (uint32_t i = 0; i < args->repeat; i++) {
        MUST(aclrtLaunchKernelWithHostArgs(kernel, args->blocks, stream, NULL, args, sizeof(*args),
                                           NULL, 0));
        MUST(aclrtSynchronizeStream(stream));
    }
    MUST(aclrtBinaryUnLoad(binary));
}

int main(int argc, char **argv)
{
    struct validation_args args = {0};
    aclrtStream stream = NULL;
    if (argc < 2)
        refuse("missing argument", "WORK");
    read_arguments(argc, argv, &args);
    MUST(aclInit(NULL));
    MUST(aclrtSetDevice(0));
    MUST(aclrtCreateStream(&stream));
    if (strcmp(argv[1], "copies") == 0)
        copies(&args);
    else if (strcmp(argv[1], "submit") == 0)
        submit(stream, &args);
    else
        launch(argv[1], stream, &args);
    MUST(aclrtResetDevice(0));
    MUST(aclFinalize());
    return 0;
}
