/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of several threads fail at the same time: each thread gets its own exceptions, with
 * their function and arguments, while others come and go with callbacks, images and aborts. */
#include <stdlib.h>
#include <string.h>

#include "exception_tests.h"

enum { WORKERS = 4, ROUNDS = 25, LAUNCHES = 6, ARGS_BYTES = 48 };

/* What the thread expects of the callbacks that run on it, and what they saw. */
typedef struct worker {
    unsigned index;
    aclrtFuncHandle function;
    aclrtBinHandle binary;
    unsigned calls, binary_calls, wrong;
} worker;

static _Thread_local worker *own;
static aclrtContext shared_context;
static unsigned char *image; /* the threads only read it */
static size_t image_bytes;

static void look(aclrtExceptionInfo *info, worker *w)
{
    unsigned char bytes[ARGS_BYTES];
    void *args = NULL;
    uint32_t length = 0;
    aclrtFuncHandle function = NULL;
    bool good =
        aclrtGetArgsFromExceptionInfo(info, &args, &length) == ACL_SUCCESS &&
        length == ARGS_BYTES &&
        aclrtGetFuncHandleFromExceptionInfo(info, &function) == ACL_SUCCESS &&
        function == w->function &&
        aclrtMemcpy(bytes, sizeof(bytes), args, length, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS;
    for (unsigned i = 0; good && i < ARGS_BYTES; i++)
        good = bytes[i] == 0x40 + w->index;
    w->wrong += !good;
}

static void on_process(aclrtExceptionInfo *info)
{
    if (!own)
        return;
    own->calls++;
    look(info, own);
}

static void on_nothing(aclrtExceptionInfo *info)
{
    (void)info;
}

static void on_own_binary(aclrtExceptionInfo *info, void *user)
{
    worker *w = user;
    w->wrong += w != own;
    w->binary_calls++;
    look(info, w);
}

static void load(worker *w)
{
    CHECK_OK(aclrtBinaryLoadFromData(image, image_bytes, NULL, &w->binary));
    w->function = image_find(w->binary, "cube_12");
    CHECK_OK(aclrtBinarySetExceptionCallback(w->binary, on_own_binary, w));
}

static void launch(const worker *w, aclrtStream stream)
{
    unsigned char values[ARGS_BYTES];
    memset(values, 0x40 + (int)w->index, sizeof(values));
    CHECK_OK(
        aclrtLaunchKernelWithHostArgs(w->function, 1, stream, NULL, values, ARGS_BYTES, NULL, 0));
}

static void work(worker *w)
{
    aclrtStream stream = twin_stream();
    load(w);
    own = w;
    for (unsigned round = 1; round <= ROUNDS; round++) {
        for (unsigned i = 0; i < LAUNCHES; i++)
            launch(w, stream);
        CHECK_CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION);
        CHECK_EQUAL(w->calls, round * LAUNCHES);
        CHECK_EQUAL(w->binary_calls, round * LAUNCHES);
    }
    CHECK_EQUAL(w->wrong, 0);
    own = NULL;
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtBinaryUnLoad(w->binary));
}

/* It does not wait for its kernels: aborts and unloaded images end what is known of them. */
static void disturb(worker *w)
{
    aclrtStream stream = twin_stream();
    for (unsigned round = 0; round < ROUNDS; round++) {
        CHECK_OK(aclrtExceptionInfoCallbackRegister(on_nothing));
        CHECK_OK(aclrtSetExceptionInfoCallback(on_nothing));
        load(w);
        for (unsigned i = 0; i < LAUNCHES; i++)
            launch(w, stream);
        CHECK_OK(aclrtBinaryUnLoad(w->binary));
        CHECK_OK(aclrtStreamAbort(stream));
        CHECK_OK(aclrtSetExceptionInfoCallback(NULL));
        CHECK_OK(aclrtExceptionInfoCallbackUnregister(on_nothing));
    }
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_EQUAL(w->binary_calls, 0);
}

static void run(void *argument, unsigned index)
{
    worker *workers = argument;
    CHECK_OK(aclrtSetCurrentContext(shared_context));
    workers[index].index = index;
    if (index < WORKERS)
        work(&workers[index]);
    else
        disturb(&workers[index]);
}

void test_many_failures_at_once(void)
{
    static worker workers[WORKERS + 1];
    memset(workers, 0, sizeof(workers));
    image = image_make(&image_bytes);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&shared_context));
    CHECK_OK(aclrtExceptionInfoCallbackRegister(on_process));
    twinrt_fault fault = TWINRT_FAULT_INIT(TWINRT_FAULT_ENGINE_ERROR);
    fault.task = TWINRT_FAULT_TASK_KERNEL;
    fault.times = 0;
    (void)twin_inject_fault(&fault);
    twin_threads_run(WORKERS + 1, run, workers);
    CHECK_OK(twinrt_fault_remove(0));
    CHECK_OK(aclrtExceptionInfoCallbackUnregister(on_process));
    CHECK_OK(aclrtResetDevice(0));
    free(image);
}
