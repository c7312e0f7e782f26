/* SPDX-License-Identifier: Apache-2.0 */
/* Bad input: made-up, dead and foreign handles, bad addresses and ranges. Codes as documented, no
 * crash, and the device works on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "suite.h"

#define BYTES 4096

/* One of each kind of object, alive; and one of each that was destroyed. */
typedef struct objects {
    aclrtContext context;
    aclrtStream stream;
    aclrtEvent event;
    aclrtNotify notify;
    void *device;
    void *pinned;
} objects;

static void make(objects *all)
{
    aclrtContext primary = NULL;
    CHECK_OK(aclrtGetCurrentContext(&primary));
    CHECK_OK(aclrtCreateContext(&all->context, 0));
    CHECK_OK(aclrtSetCurrentContext(primary));
    all->stream = twin_stream();
    all->event = twin_event(EVENT_FLAG);
    CHECK_OK(aclrtCreateNotify(&all->notify, 0));
    CHECK_OK(aclrtMalloc(&all->device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMallocHost(&all->pinned, BYTES));
}

static void destroy(objects *all)
{
    CHECK_OK(aclrtFreeHost(all->pinned));
    CHECK_OK(aclrtFree(all->device));
    CHECK_OK(aclrtDestroyNotify(all->notify));
    CHECK_OK(aclrtDestroyEvent(all->event));
    CHECK_OK(aclrtDestroyStream(all->stream));
    CHECK_OK(aclrtDestroyContext(all->context));
}

static objects live;
static objects dead;

static void begin(void)
{
    CHECK_OK(aclrtSetDevice(0));
    make(&dead);
    make(&live); /* before the others go, so that none takes the place of one */
    destroy(&dead);
}

/* Whatever went wrong before, everything still works. */
static void check_all_works(void)
{
    uint8_t *pinned = live.pinned;
    memset(pinned, 0, BYTES);
    CHECK_OK(aclrtMemsetAsync(live.device, BYTES, 0x4d, BYTES, live.stream));
    CHECK_OK(aclrtRecordEvent(live.event, live.stream));
    CHECK_OK(aclrtStreamWaitEvent(NULL, live.event));
    CHECK_OK(aclrtMemcpyAsync(pinned, BYTES, live.device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, NULL));
    CHECK_OK(aclrtResetEvent(live.event, NULL));
    CHECK_OK(aclrtRecordNotify(live.notify, NULL));
    CHECK_OK(aclrtWaitAndResetNotify(live.notify, live.stream, 0));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(live.stream, SOON_MS));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(NULL, SOON_MS));
    CHECK_BYTES(pinned, 0x4d, BYTES);
}

static void end(void)
{
    check_all_works();
    destroy(&live);
    CHECK_OK(aclrtResetDeviceForce(0));
}

/* ---- handles -------------------------------------------------------------------------------- */

typedef enum kind { A_CONTEXT, A_STREAM, AN_EVENT, A_NOTIFY } kind;

/* Values that are no handles: small numbers, bit patterns, real pointers, and each kind's handle
 * bent a little. */
static size_t made_up(void **values)
{
    static int global;
    size_t count = 0;
    values[count++] = (void *)(uintptr_t)1;
    values[count++] = (void *)(uintptr_t)0x1234;
    values[count++] = (void *)(uintptr_t)0xdeadbeef;
    values[count++] = (void *)(uintptr_t)0x100000000;
    values[count++] = (void *)(uintptr_t)0x7fffffffffff;
    values[count++] = (void *)(uintptr_t)0x8000000000000000;
    values[count++] = (void *)UINTPTR_MAX;
    values[count++] = (void *)(UINTPTR_MAX - 7);
    values[count++] = &global;
    values[count++] = live.device;
    values[count++] = live.pinned;
    values[count++] = (void *)((uintptr_t)live.stream ^ 0x10000000000);
    values[count++] = (void *)((uintptr_t)live.event ^ 0x8000000000000000);
    values[count++] = (void *)((uintptr_t)live.notify + 0x1000000);
    return count;
}

static aclError call_stream(int function, void *handle)
{
    aclrtStreamStatus status;
    uint32_t number = 0;
    int32_t id = 0;
    switch (function) {
    case 0:
        return aclrtDestroyStream(handle);
    case 1:
        return aclrtDestroyStreamForce(handle);
    case 2:
        return aclrtSynchronizeStream(handle);
    case 3:
        return aclrtSynchronizeStreamWithTimeout(handle, 10);
    case 4:
        return aclrtStreamQuery(handle, &status);
    case 5:
        return aclrtStreamGetPriority(handle, &number);
    case 6:
        return aclrtStreamGetFlags(handle, &number);
    case 7:
        return aclrtStreamGetId(handle, &id);
    case 8:
        return aclrtRecordEvent(live.event, handle);
    case 9:
        return aclrtStreamWaitEvent(handle, live.event);
    case 10:
        return aclrtStreamWaitEventWithTimeout(handle, live.event, 1);
    case 11:
        return aclrtResetEvent(live.event, handle);
    case 12:
        return aclrtRecordNotify(live.notify, handle);
    case 13:
        return aclrtWaitAndResetNotify(live.notify, handle, 1);
    case 14:
        return aclrtMemsetAsync(live.device, BYTES, 1, BYTES, handle);
    case 15:
        return aclrtMemcpyAsync(live.device, BYTES, live.pinned, BYTES, ACL_MEMCPY_HOST_TO_DEVICE,
                                handle);
    default:
        return ACL_SUCCESS;
    }
}
#define STREAM_FUNCTIONS 16

static aclError call_event(int function, void *handle)
{
    aclrtEventStatus status;
    aclrtEventRecordedStatus recorded;
    aclrtEventWaitStatus waited;
    float elapsed = 0;
    uint64_t time = 0;
    uint32_t id = 0;
    switch (function) {
    case 0:
        return aclrtDestroyEvent(handle);
    case 1:
        return aclrtRecordEvent(handle, live.stream);
    case 2:
        return aclrtStreamWaitEvent(live.stream, handle);
    case 3:
        return aclrtStreamWaitEventWithTimeout(live.stream, handle, 1);
    case 4:
        return aclrtResetEvent(handle, live.stream);
    case 5:
        return aclrtQueryEvent(handle, &status);
    case 6:
        return aclrtQueryEventStatus(handle, &recorded);
    case 7:
        return aclrtQueryEventWaitStatus(handle, &waited);
    case 8:
        return aclrtSynchronizeEvent(handle);
    case 9:
        return aclrtSynchronizeEventWithTimeout(handle, 10);
    case 10:
        return aclrtEventElapsedTime(&elapsed, handle, live.event);
    case 11:
        return aclrtEventElapsedTime(&elapsed, live.event, handle);
    case 12:
        return aclrtEventGetTimestamp(handle, &time);
    case 13:
        return aclrtGetEventId(handle, &id);
    default:
        return ACL_SUCCESS;
    }
}
#define EVENT_FUNCTIONS 14

static aclError call_notify(int function, void *handle)
{
    uint32_t id = 0;
    switch (function) {
    case 0:
        return aclrtDestroyNotify(handle);
    case 1:
        return aclrtRecordNotify(handle, live.stream);
    case 2:
        return aclrtWaitAndResetNotify(handle, live.stream, 1);
    case 3:
        return aclrtGetNotifyId(handle, &id);
    default:
        return ACL_SUCCESS;
    }
}
#define NOTIFY_FUNCTIONS 4

static const struct {
    const char *name;
    kind kind;
    int functions;
    aclError (*call)(int function, void *handle);
} takers[] = {
    {"stream", A_STREAM, STREAM_FUNCTIONS, call_stream},
    {"event", AN_EVENT, EVENT_FUNCTIONS, call_event},
    {"notify", A_NOTIFY, NOTIFY_FUNCTIONS, call_notify},
};

static void check_refused(size_t taker, void *handle, const char *what)
{
    for (int function = 0; function < takers[taker].functions; function++) {
        aclError code = takers[taker].call(function, handle);
        char text[160];
        snprintf(text, sizeof(text), "%s function %d with %s (%p) answered %s", takers[taker].name,
                 function, what, handle, twin_code_name(code));
        twin_check_true(code == ACL_ERROR_RT_INVALID_HANDLE, text, __FILE__, __LINE__);
    }
}

static void test_made_up_handles(void)
{
    void *values[32];
    begin();
    size_t count = made_up(values);
    for (size_t t = 0; t < TWIN_COUNT(takers); t++)
        for (size_t i = 0; i < count; i++)
            check_refused(t, values[i], "a made-up handle");
    end();
}

static void test_dead_handles(void)
{
    begin();
    for (size_t t = 0; t < TWIN_COUNT(takers); t++) {
        check_refused(t, dead.stream, "a dead stream");
        check_refused(t, dead.event, "a dead event");
        check_refused(t, dead.notify, "a dead notify");
    }
    end();
}

static void test_foreign_handles(void)
{
    begin();
    for (size_t t = 0; t < TWIN_COUNT(takers); t++) {
        if (takers[t].kind != A_CONTEXT)
            check_refused(t, live.context, "a context");
        if (takers[t].kind != A_STREAM)
            check_refused(t, live.stream, "a stream");
        if (takers[t].kind != AN_EVENT)
            check_refused(t, live.event, "an event");
        if (takers[t].kind != A_NOTIFY)
            check_refused(t, live.notify, "a notify");
    }
    end();
}

static void test_bad_contexts(void)
{
    aclrtContext primary = NULL;
    aclrtContext after = NULL;
    void *values[32];
    begin();
    size_t count = made_up(values);
    values[count++] = dead.context;
    values[count++] = live.stream;
    values[count++] = live.event;
    values[count++] = live.notify;
    CHECK_OK(aclrtGetCurrentContext(&primary));
    for (size_t i = 0; i < count; i++) {
        CHECK_CODE(aclrtSetCurrentContext(values[i]), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_EITHER(aclrtDestroyContext(values[i]), ACL_ERROR_RT_CONTEXT_NULL,
                     ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
    }
    CHECK_OK(aclrtGetCurrentContext(&after));
    CHECK(primary == after);
    end();
}

/* ---- memory --------------------------------------------------------------------------------- */

static void test_bad_frees(void)
{
    int local = 0;
    begin();
    void *const values[] = {(void *)(uintptr_t)1,
                            (void *)(uintptr_t)0x1000,
                            (void *)UINTPTR_MAX,
                            &local,
                            live.stream,
                            live.event,
                            dead.device,
                            dead.pinned,
                            (uint8_t *)live.device + 1,
                            (uint8_t *)live.pinned + 64};
    for (size_t i = 0; i < TWIN_COUNT(values); i++) {
        CHECK_CODE(aclrtFree(values[i]), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclrtFreeHost(values[i]), ACL_ERROR_RT_PARAM_INVALID);
    }
    CHECK_CODE(aclrtFreeHost(live.device), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtFree(live.pinned), ACL_ERROR_RT_PARAM_INVALID);
    end();
}

#define FAR ((size_t)64 << 20)

static void test_ranges_that_leave_their_allocation(void)
{
    begin();
    void *host = malloc(FAR);
    uint8_t *pinned = live.pinned;
    memset(host, 0xee, FAR);
    CHECK_OK(aclrtMemset(live.device, BYTES, 0x15, BYTES));
    memset(pinned, 0x16, BYTES);
    CHECK_CODE(aclrtMemcpy(live.device, FAR, host, FAR, ACL_MEMCPY_HOST_TO_DEVICE),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemcpy(host, FAR, live.device, FAR, ACL_MEMCPY_DEVICE_TO_HOST),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(
        aclrtMemcpy((uint8_t *)live.device + BYTES, FAR, host, FAR, ACL_MEMCPY_HOST_TO_DEVICE),
        ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemset(live.device, FAR, 1, FAR), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemsetAsync(live.device, FAR, 1, FAR, live.stream), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(
        aclrtMemcpyAsync(live.device, FAR, pinned, FAR, ACL_MEMCPY_HOST_TO_DEVICE, live.stream),
        ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(
        aclrtMemcpyAsync(pinned, FAR, live.device, FAR, ACL_MEMCPY_DEVICE_TO_HOST, live.stream),
        ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtSynchronizeStream(live.stream));
    CHECK_BYTES(pinned, 0x16, BYTES);
    CHECK_BYTES(host, 0xee, FAR);
    CHECK_OK(aclrtMemcpy(pinned, BYTES, live.device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_BYTES(pinned, 0x15, BYTES); /* not even the part that would have fitted */
    free(host);
    end();
}

static void test_sizes_that_wrap(void)
{
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 4095, (size_t)1 << 63};
    begin();
    for (size_t i = 0; i < TWIN_COUNT(sizes); i++) {
        size_t bytes = sizes[i];
        CHECK_CODE(aclrtMemcpy(live.device, bytes, live.pinned, bytes, ACL_MEMCPY_HOST_TO_DEVICE),
                   ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclrtMemset(live.device, bytes, 0, bytes), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclrtMemsetAsync(live.device, bytes, 0, bytes, live.stream),
                   ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclrtMemcpyAsync(live.device, bytes, live.pinned, bytes,
                                    ACL_MEMCPY_HOST_TO_DEVICE, live.stream),
                   ACL_ERROR_RT_PARAM_INVALID);
    }
    void *memory = NULL;
    CHECK_FAILS(aclrtMalloc(&memory, (size_t)1 << 60, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_FAILS(aclrtMallocHost(&memory, (size_t)1 << 60));
    CHECK_FAILS(aclrtMallocHost(&memory, SIZE_MAX));
    CHECK(memory == NULL);
    end();
}

static void test_freed_memory(void)
{
    begin();
    /* What was freed is not mistaken for memory of the host. */
    CHECK_FAILS(aclrtMemcpy(dead.device, 64, live.pinned, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_FAILS(aclrtMemcpy(live.pinned, 64, dead.device, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_FAILS(aclrtMemset(dead.device, 64, 0, 64));
    CHECK_FAILS(aclrtMemsetAsync(dead.device, 64, 0, 64, live.stream));
    CHECK_FAILS(
        aclrtMemcpyAsync(dead.device, 64, live.pinned, 64, ACL_MEMCPY_HOST_TO_DEVICE, live.stream));
    CHECK_FAILS(
        aclrtMemcpyAsync(live.device, 64, dead.pinned, 64, ACL_MEMCPY_HOST_TO_DEVICE, live.stream));
    end();
}

static void test_unmapped_host_memory(void)
{
    begin();
    void *gone = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(gone != MAP_FAILED);
    munmap(gone, BYTES);
    void *const values[] = {gone, (void *)(uintptr_t)0x1000, (void *)UINTPTR_MAX};
    for (size_t i = 0; i < TWIN_COUNT(values); i++) {
        CHECK_FAILS(aclrtMemcpy(live.device, 64, values[i], 64, ACL_MEMCPY_HOST_TO_DEVICE));
        CHECK_FAILS(aclrtMemcpy(values[i], 64, live.device, 64, ACL_MEMCPY_DEVICE_TO_HOST));
        CHECK_FAILS(aclrtMemcpyAsync(live.device, 64, values[i], 64, ACL_MEMCPY_HOST_TO_DEVICE,
                                     live.stream));
        CHECK_FAILS(aclrtMemset(values[i], 64, 0, 64));
        CHECK_FAILS(aclrtMemsetAsync(values[i], 64, 0, 64, live.stream));
    }
    end();
}

static void test_overlapping_copies(void)
{
    uint8_t expected[BYTES];
    begin();
    uint8_t *device = live.device;
    uint8_t *pinned = live.pinned;
    for (int way = 0; way < 4; way++) {
        size_t from = way % 2 ? 100 : 0;
        size_t to = way % 2 ? 0 : 100;
        for (int i = 0; i < BYTES; i++)
            expected[i] = (uint8_t)(i * 5 + way);
        CHECK_OK(aclrtMemcpy(device, BYTES, expected, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
        aclError code = way < 2
                            ? aclrtMemcpy(device + to, BYTES - to, device + from, BYTES - 200,
                                          ACL_MEMCPY_DEVICE_TO_DEVICE)
                            : aclrtMemcpyAsync(device + to, BYTES - to, device + from, BYTES - 200,
                                               ACL_MEMCPY_DEVICE_TO_DEVICE, live.stream);
        CHECK_EITHER(code, ACL_SUCCESS, ACL_ERROR_RT_PARAM_INVALID);
        CHECK_OK(aclrtSynchronizeStream(live.stream));
        if (code == ACL_SUCCESS) /* taken, so done right */
            memmove(expected + to, expected + from, BYTES - 200);
        CHECK_OK(aclrtMemcpy(pinned, BYTES, device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
        CHECK(memcmp(pinned, expected, BYTES) == 0);
    }
    end();
}

/* ---- values --------------------------------------------------------------------------------- */

static void test_null_everywhere(void)
{
    uint8_t byte = 0;
    size_t size = 0;
    int32_t state = 0;
    begin();
    CHECK_CODE(aclrtGetDevice(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetRunMode(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetDeviceCount(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetPrimaryCtxState(0, NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtQueryDeviceStatus(0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtDeviceGetStreamPriorityRange(NULL, NULL));
    CHECK_CODE(aclrtCreateContext(NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDestroyContext(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetCurrentContext(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetCurrentContext(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCtxGetCurrentDefaultStream(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCreateStream(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCreateStreamWithConfig(NULL, 0, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDestroyStream(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDestroyStreamForce(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtStreamQuery(live.stream, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtStreamGetPriority(live.stream, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtStreamGetFlags(live.stream, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtStreamGetId(live.stream, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetStreamAvailableNum(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCreateEvent(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCreateEventWithFlag(NULL, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCreateEventExWithFlag(NULL, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDestroyEvent(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtRecordEvent(NULL, live.stream), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtStreamWaitEvent(live.stream, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtResetEvent(NULL, live.stream), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtQueryEvent(live.event, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtQueryEventStatus(live.event, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtQueryEventWaitStatus(live.event, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSynchronizeEvent(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSynchronizeEventWithTimeout(NULL, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtEventElapsedTime(NULL, live.event, live.event), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtEventGetTimestamp(live.event, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetEventId(live.event, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetEventAvailNum(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCreateNotify(NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDestroyNotify(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtRecordNotify(NULL, live.stream), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtWaitAndResetNotify(NULL, live.stream, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetNotifyId(live.notify, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMalloc(NULL, 1, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMallocHost(NULL, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtFreeHost(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemcpy(NULL, 1, &byte, 1, ACL_MEMCPY_DEFAULT), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemcpyAsync(&byte, 1, NULL, 1, ACL_MEMCPY_DEFAULT, NULL),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemset(NULL, 1, 0, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemsetAsync(NULL, 1, 0, 1, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetMemInfo(ACL_HBM_MEM, NULL, &size), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtGetPrimaryCtxState(0, NULL, &state));
    end();
}

static void test_outputs_of_failed_calls(void)
{
    begin();
    aclrtStream stream = live.stream;
    aclrtEvent event = live.event;
    aclrtNotify notify = live.notify;
    void *memory = live.device;
    uint32_t number = 4711;
    CHECK_CODE(aclrtCreateStreamWithConfig(&stream, 0, 0x3f), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCreateEventWithFlag(&event, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCreateNotify(&notify, 9), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtStreamGetPriority(dead.stream, &number), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtGetNotifyId(dead.notify, &number), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK(stream == live.stream && event == live.event && notify == live.notify);
    CHECK(memory == live.device);
    CHECK_EQUAL(number, 4711);
    end();
}

static const twin_test tests[] = {
    {"made-up handles are refused by every function", test_made_up_handles},
    {"dead handles are refused by every function", test_dead_handles},
    {"handles of other kinds are refused by every function", test_foreign_handles},
    {"bad contexts are refused and the current one stays", test_bad_contexts},
    {"memory that was not allocated is not freed", test_bad_frees},
    {"ranges that leave their allocation are refused whole",
     test_ranges_that_leave_their_allocation},
    {"sizes that wrap are refused", test_sizes_that_wrap},
    {"freed memory is refused", test_freed_memory},
    {"host memory that is not mapped is refused", test_unmapped_host_memory},
    {"overlapping copies are refused or done right", test_overlapping_copies},
    {"NULL is refused by every function that needs a pointer", test_null_everywhere},
    {"a call that fails leaves its outputs alone", test_outputs_of_failed_calls},
};

static const twin_suite suite = {
    .name = "robustness", .tests = tests, .test_count = TWIN_COUNT(tests), .initialise = true};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
