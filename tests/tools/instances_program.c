/* SPDX-License-Identifier: Apache-2.0 */
/* A program with model instances of each kind, for `twinrt graph`.
 *
 *   instances_program KERNELS         KERNELS: those of the example vector_add
 *   instances_program KERNELS other   the first capture has another kernel launch, sizes and tasks
 *   instances_program KERNELS BYTES   a capture of a kernel with arguments of so many bytes, alone
 *
 * Instance 1 is a capture of two streams with a kernel, a host function, a group and an update;
 * instance 2 was built by hand, its wait is queued before the record, after one for an event from
 * outside; instance 3 is a capture that is never complete; instance 4 has more tasks than a stream
 * takes. With several devices, another one has streams too. */
#include <string.h>

#include "examples/kernels.h"
#include "examples/vector_add/args.h"

#define BYTES ((size_t)64 << 10)
#define MANY  1200

static aclrtStream first, second;
static aclrtEvent fork_event, join_event;
static void *host, *device;
static aclrtFuncHandle kernel;

static void note(void *unused)
{
    (void)unused;
}

static void launch(aclrtStream stream, uint32_t blocks)
{
    struct add_args args = {(uintptr_t)device, (uintptr_t)device, (uintptr_t)device, 64};
    CHECK(
        aclrtLaunchKernelWithHostArgs(kernel, blocks, stream, NULL, &args, sizeof(args), NULL, 0));
}

static void capture_kernel(size_t bytes)
{
    struct add_args args[2] = {{(uintptr_t)device, (uintptr_t)device, (uintptr_t)device, 64}};
    aclmdlRI instance = NULL;
    REQUIRE(bytes >= sizeof(args[0]) && bytes <= sizeof(args));
    CHECK(aclmdlRICaptureBegin(first, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    CHECK(aclrtLaunchKernelWithHostArgs(kernel, 1, first, NULL, args, bytes, NULL, 0));
    CHECK(aclmdlRICaptureEnd(first, &instance));
    CHECK(aclmdlRIDestroy(instance));
}

static void fork_and_join(void (*work)(int), int other)
{
    CHECK(aclrtRecordEvent(fork_event, first));
    CHECK(aclrtStreamWaitEvent(second, fork_event));
    work(other);
    CHECK(aclrtRecordEvent(join_event, second));
    CHECK(aclrtStreamWaitEvent(first, join_event));
}

static void kernels(int other)
{
    launch(second, other ? 4 : 2);
    if (!other)
        CHECK(aclrtLaunchHostFunc(second, note, NULL));
}

static aclmdlRI capture(int other)
{
    aclmdlRI instance = NULL;
    aclrtTaskGrp group = NULL;
    CHECK(aclmdlRICaptureBegin(first, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    CHECK(aclrtMemcpyAsync(device, BYTES, host, other ? BYTES / 2 : BYTES,
                           ACL_MEMCPY_HOST_TO_DEVICE, first));
    if (other)
        CHECK(aclrtMemsetAsync(device, BYTES, 1, 4096, first));
    fork_and_join(kernels, other);
    CHECK(aclmdlRICaptureTaskGrpBegin(first));
    launch(first, 1);
    CHECK(aclmdlRICaptureTaskGrpEnd(first, &group));
    CHECK(aclrtMemcpyAsync(host, BYTES, device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, first));
    CHECK(aclmdlRICaptureEnd(first, &instance));
    for (int run = 0; run < 2; run++)
        CHECK(aclmdlRIExecuteAsync(instance, run == 0 ? first : second));
    CHECK(aclrtSynchronizeStream(first));
    CHECK(aclrtSynchronizeStream(second));
    CHECK(aclmdlRICaptureTaskUpdateBegin(first, group));
    launch(first, 3);
    CHECK(aclmdlRICaptureTaskUpdateEnd(first));
    CHECK(aclrtSynchronizeStream(first));
    return instance;
}

static void build(void)
{
    aclmdlRI instance = NULL;
    aclrtStream head, waits;
    aclrtEvent event, outside;
    CHECK(aclrtCreateStreamWithConfig(&head, 0, ACL_STREAM_PERSISTENT));
    CHECK(aclrtCreateStreamWithConfig(&waits, 0, ACL_STREAM_PERSISTENT));
    CHECK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
    CHECK(aclrtCreateEventWithFlag(&outside, ACL_EVENT_SYNC));
    CHECK(aclrtRecordEvent(outside, first));
    CHECK(aclmdlRIBuildBegin(&instance, 0));
    CHECK(aclmdlRIBindStream(instance, head, 0));
    CHECK(aclmdlRIBindStream(instance, waits, 0x7fffffff));
    CHECK(aclrtMemsetAsync(device, BYTES, 4, 512, waits));
    CHECK(aclmdlRIEndTask(instance, waits));
    CHECK(aclmdlRIBuildEnd(instance, NULL));
    CHECK(aclrtPersistentTaskClean(waits)); /* and other tasks instead */
    CHECK(aclrtStreamWaitEvent(waits, outside));
    CHECK(aclrtStreamWaitEvent(waits, event));
    CHECK(aclrtResetEvent(event, waits));
    CHECK(aclrtMemsetAsync(device, BYTES, 2, BYTES, head));
    CHECK(aclrtActiveStream(waits, head));
    CHECK(aclrtRecordEvent(event, head));
    CHECK(aclmdlRIEndTask(instance, waits));
    CHECK(aclmdlRIBuildEnd(instance, NULL));
    CHECK(aclmdlRIDestroy(instance));
    CHECK(aclrtDestroyEvent(outside));
    CHECK(aclrtDestroyEvent(event));
    CHECK(aclrtDestroyStream(waits));
    CHECK(aclrtDestroyStream(head));
}

static void nothing(int unused)
{
    (void)unused;
}

static void many(void)
{
    aclmdlRI instance = NULL;
    CHECK(aclmdlRICaptureBegin(first, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    CHECK(aclrtRecordEvent(fork_event, first)); /* nothing waits for this one */
    fork_and_join(nothing, 0);
    for (int i = 0; i < MANY; i++)
        CHECK(aclrtMemsetAsync(device, BYTES, 3, 64, first));
    CHECK(aclmdlRICaptureEnd(first, &instance));
    CHECK(aclmdlRIDestroy(instance));
}

/* The second stream does not join back. */
static void break_capture(void)
{
    aclmdlRI instance = NULL;
    CHECK(aclmdlRICaptureBegin(first, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    CHECK(aclrtRecordEvent(fork_event, first));
    CHECK(aclrtStreamWaitEvent(second, fork_event));
    EXPECT(aclmdlRICaptureEnd(first, &instance), 107025);
}

/* Streams of another device. */
static void use_other_device(void)
{
    aclrtStream stream;
    uint32_t count = 0;
    CHECK(aclrtGetDeviceCount(&count));
    if (count < 2)
        return;
    CHECK(aclrtSetDevice(1));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtSetDevice(0));
}

int main(int argc, char **argv)
{
    const int other = argc > 2 && strcmp(argv[2], "other") == 0;
    CHECK(aclInit(NULL));
    use_other_device();
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&first));
    CHECK(aclrtCreateStream(&second));
    CHECK(aclrtCreateEventExWithFlag(&fork_event, ACL_EVENT_SYNC));
    CHECK(aclrtCreateEventExWithFlag(&join_event, ACL_EVENT_SYNC));
    CHECK(aclrtMallocHost(&host, BYTES));
    CHECK(aclrtMalloc(&device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    aclrtBinHandle binary = load_kernels(argc, argv, "vector_add_kernels.o");
    kernel = find_kernel(binary, "vector_add");
    if (argc > 2 && !other) {
        capture_kernel(strtoul(argv[2], NULL, 10));
    } else {
        aclmdlRI instance = capture(other);
        build();
        break_capture();
        many();
        CHECK(aclmdlRIDestroy(instance));
    }
    CHECK(aclrtFree(device));
    CHECK(aclrtFreeHost(host));
    CHECK(aclrtBinaryUnLoad(binary));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
