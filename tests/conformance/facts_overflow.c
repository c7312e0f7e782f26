/* SPDX-License-Identifier: Apache-2.0 */
/* The status of overflows. Kernels write overflows to the address that aclrtCtxGetFloatOverflowAddr
 * returns; here copies replace kernels. */
#include <string.h>

#include "facts_tests.h"
#include "suite.h"

#define STATUS 64
#define EMPTY  0x22 /* what a buffer holds before a status is copied there */
#define FOUND  0x5a

static void *flags_address(void)
{
    void *address = NULL;
    CHECK_OK(aclrtCtxGetFloatOverflowAddr(&address));
    CHECK(address != NULL);
    return address;
}

static aclError get_plain(twin_buffer *output, aclrtStream stream)
{
    return aclrtGetOverflowStatus(output->device, STATUS, stream);
}

static aclError get_float(twin_buffer *output, aclrtStream stream)
{
    return aclrtGetFloatOverflowStatus(output->device, STATUS, stream);
}

/* The status goes where the first word says: here to the buffer's second half. */
static aclError get_npu(twin_buffer *output, aclrtStream stream)
{
    uint64_t target = (uint64_t)(uintptr_t)output->device + STATUS;
    CHECK_OK(aclrtMemcpy(output->device, sizeof(target), &target, sizeof(target),
                         ACL_MEMCPY_HOST_TO_DEVICE));
    return aclrtNpuGetFloatOverFlowStatus(output->device, STATUS, 0, stream);
}

static aclError clear_npu(aclrtStream stream)
{
    return aclrtNpuClearFloatOverFlowStatus(0, stream);
}

/* Three ways to read and clear the same flags, and where in a buffer the status arrives. */
static const struct {
    aclError (*get)(twin_buffer *output, aclrtStream stream);
    aclError (*clear)(aclrtStream stream);
    size_t offset;
} ways[] = {
    {get_plain, aclrtResetOverflowStatus, 0},
    {get_float, aclrtResetFloatOverflowStatus, 0},
    {get_npu, clear_npu, STATUS},
};

void test_overflow_in_order(void)
{
    uint8_t found[STATUS];
    memset(found, FOUND, sizeof(found));
    CHECK_OK(aclrtSetDevice(0));
    void *flags = flags_address();
    aclrtStream stream = twin_stream();
    aclrtStream opener = twin_stream();
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        twin_buffer before, after, none;
        twin_hold hold;
        const size_t at = ways[i].offset;
        twin_buffer_make(&none, 2 * STATUS, EMPTY);
        twin_buffer_make(&before, 2 * STATUS, EMPTY);
        twin_buffer_make(&after, 2 * STATUS, EMPTY);
        CHECK_OK(ways[i].get(&none, stream));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
        twin_buffer_read(&none);
        CHECK_BYTES(none.host + at, 0, STATUS); /* nothing found yet */

        CHECK_OK(aclrtMemcpy(flags, STATUS, found, STATUS, ACL_MEMCPY_HOST_TO_DEVICE));
        twin_hold_begin(&hold, stream);
        CHECK_OK(ways[i].get(&before, stream));
        CHECK_OK(ways[i].clear(stream));
        CHECK_OK(ways[i].get(&after, stream));
        twin_buffer_read(&before);
        CHECK_BYTES(before.host + STATUS, EMPTY, STATUS); /* held, so nothing is read or cleared */
        twin_hold_end(&hold, opener);
        twin_buffer_read(&before);
        twin_buffer_read(&after);
        CHECK_BYTES(before.host + at, FOUND, STATUS);
        CHECK_BYTES(after.host + at, 0, STATUS);
        if (at == 0) { /* 64 bytes and no more */
            CHECK_BYTES(before.host + STATUS, EMPTY, STATUS);
            CHECK_BYTES(after.host + STATUS, EMPTY, STATUS);
        }
        twin_buffer_free(&after);
        twin_buffer_free(&before);
        twin_buffer_free(&none);
    }
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static uint8_t first_of_status(void)
{
    twin_buffer output;
    twin_buffer_make(&output, STATUS, EMPTY);
    CHECK_OK(aclrtGetOverflowStatus(output.device, STATUS, NULL));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(NULL, SOON_MS));
    twin_buffer_read(&output);
    uint8_t first = output.host[0];
    twin_buffer_free(&output);
    return first;
}

void test_overflow_of_a_device(void)
{
    const uint8_t found = FOUND;
    aclrtContext context = NULL;
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtSetDevice(0));
    void *flags = flags_address();
    CHECK(flags_address() == flags);
    CHECK_OK(aclrtMemcpy(flags, 1, &found, 1, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_CODE(aclrtFree(flags), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtCreateContext(&context, 0));
    CHECK_EQUAL(first_of_status(), FOUND); /* whatever the context */
    CHECK_OK(aclrtDestroyContext(context));
    CHECK_OK(aclrtSetDevice(1));
    CHECK(flags_address() != flags);
    CHECK_EQUAL(first_of_status(), 0);
    CHECK_OK(aclrtResetDeviceForce(1));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQUAL(first_of_status(), FOUND);
    CHECK_OK(aclrtResetDeviceForce(0));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQUAL(first_of_status(), 0); /* a new life of the device */
    CHECK_OK(aclrtResetDevice(0));
}

void test_overflow_refusals(void)
{
    twin_buffer output;
    int dead = 0;
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_make(&output, STATUS, EMPTY);
    uint8_t *to = output.device;
    CHECK_CODE(aclrtGetOverflowStatus(NULL, STATUS, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetOverflowStatus(to, STATUS - 1, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetOverflowStatus(to, STATUS + 1, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetOverflowStatus(output.host, STATUS, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetOverflowStatus(to + STATUS, STATUS, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetOverflowStatus(to, STATUS, &dead), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtGetFloatOverflowStatus(NULL, STATUS, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetFloatOverflowStatus(to, 0, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtNpuGetFloatOverFlowStatus(NULL, STATUS, 0, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtNpuGetFloatOverFlowStatus(to, 32, 0, NULL), ACL_ERROR_RT_PARAM_INVALID);
    /* Its first word, 0x2222222222222222, is not an address of device memory. */
    CHECK_CODE(aclrtNpuGetFloatOverFlowStatus(to, STATUS, 0, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtResetOverflowStatus(&dead), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtResetFloatOverflowStatus(&dead), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtNpuClearFloatOverFlowStatus(0, &dead), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtCtxGetFloatOverflowAddr(NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtSynchronizeDevice());
    twin_buffer_read(&output);
    CHECK_BYTES(output.host, EMPTY, STATUS);
    twin_buffer_free(&output);
    CHECK_OK(aclrtResetDevice(0));
}

#define THREADS 8

static size_t free_bytes(void)
{
    size_t left = 0, total = 0;
    CHECK_OK(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total));
    return left;
}

static void ask(void *argument, unsigned index)
{
    void **addresses = argument;
    CHECK_OK(aclrtSetDevice(0));
    addresses[index] = flags_address();
    CHECK_OK(aclrtResetDevice(0));
}

void test_overflow_is_made_once(void)
{
    void *addresses[THREADS];
    CHECK_OK(aclrtSetDevice(0));
    size_t before = free_bytes();
    (void)flags_address();
    size_t cost = before - free_bytes();
    CHECK(cost > 0);
    CHECK_OK(aclrtResetDevice(0));
    for (int turn = 0; turn < 20; turn++) {
        CHECK_OK(aclrtSetDevice(0));
        before = free_bytes();
        twin_threads_run(THREADS, ask, addresses);
        for (unsigned i = 0; i < THREADS; i++)
            CHECK(addresses[i] == flags_address());
        CHECK_EQUAL(before - free_bytes(), cost); /* late threads released theirs */
        CHECK_OK(aclrtResetDevice(0));
    }
}

static void without_context(void *unused)
{
    void *address = NULL;
    (void)unused;
    CHECK_CODE(aclrtCtxGetFloatOverflowAddr(&address), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtResetOverflowStatus(NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(address == NULL);
}

void test_overflow_needs_a_device(void)
{
    twin_on_thread(without_context, NULL);
}
