/* SPDX-License-Identifier: Apache-2.0 */
#include "native_tests.h"

const char *native_path(void)
{
    return NATIVE_KERNELS;
}

aclrtFuncHandle native_find(aclrtBinHandle binary, const char *name)
{
    aclrtFuncHandle function = NULL;
    CHECK_OK(aclrtBinaryGetFunction(binary, name, &function));
    return function;
}

void native_begin(native *n)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtBinaryLoadFromFile(native_path(), NULL, &n->binary));
    n->stream = twin_stream();
}

void native_end(native *n)
{
    CHECK_OK(aclrtDestroyStream(n->stream));
    CHECK_OK(aclrtBinaryUnLoad(n->binary));
    CHECK_OK(aclrtResetDevice(0));
}

aclError native_launch_on(const native *n, const char *kernel, uint32_t blocks, const void *args,
                          size_t bytes, aclrtStream stream)
{
    union {
        const void *given;
        void *wanted;
    } host = {.given = args};
    return aclrtLaunchKernelWithHostArgs(native_find(n->binary, kernel), blocks, stream, NULL,
                                         host.wanted, bytes, NULL, 0);
}

void *native_memory(size_t bytes)
{
    void *memory = NULL;
    CHECK_OK(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemset(memory, bytes, 0, bytes));
    return memory;
}

void native_free(void *memory)
{
    CHECK_OK(aclrtFree(memory));
}

void native_read(void *host, const void *device, size_t bytes)
{
    CHECK_OK(aclrtMemcpy(host, bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
}

void native_write(void *device, const void *host, size_t bytes)
{
    CHECK_OK(aclrtMemcpy(device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
}

double native_span(const native *n, native_work work, void *argument)
{
    aclrtEvent before = NULL;
    aclrtEvent after = NULL;
    float ms = 0;
    twin_hold hold;
    CHECK_OK(aclrtCreateEventWithFlag(&before, ACL_EVENT_TIME_LINE));
    CHECK_OK(aclrtCreateEventWithFlag(&after, ACL_EVENT_TIME_LINE));
    twin_hold_begin(&hold, n->stream); /* all of it is there when it begins */
    CHECK_OK(aclrtRecordEvent(before, n->stream));
    if (work)
        work(n, n->stream, argument);
    CHECK_OK(aclrtRecordEvent(after, n->stream));
    twin_hold_end(&hold, NULL);
    CHECK_OK(aclrtSynchronizeStream(n->stream));
    CHECK_OK(aclrtEventElapsedTime(&ms, before, after));
    CHECK_OK(aclrtDestroyEvent(before));
    CHECK_OK(aclrtDestroyEvent(after));
    return (double)ms * 1e6;
}
