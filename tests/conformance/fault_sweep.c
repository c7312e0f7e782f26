/* SPDX-License-Identifier: Apache-2.0 */
/* Each kind of fault at each task of two programs in turn: a program never hangs, gets documented
 * codes, and after recovery succeeds in the same process. The child prints its observations; two
 * children agree. */
#include <stdio.h>
#include <string.h>

#include "acl/acl_rt_memory_soma.h"
#include "fault_tests.h"

#define BYTES  4096
#define KINDS  ((unsigned)TWINRT_FAULT_DOORBELL_LOST + 1)
#define PLACES 24 /* more than a program has tasks of any kind */
#define PAGE   ((size_t)2 << 20)

typedef struct world {
    aclrtStream first, second;
    twin_buffer buffer; /* two halves */
    aclrtEvent begin, ready, done;
    aclrtNotify back;
    aclrtMemPool pool;
    void *managed;
} world;

/* Submitting succeeds whatever becomes of it. Without a fault the second half of the host's buffer
 * has the bytes of the first then. */
typedef void (*program)(world *w);

static const aclError documented[] = {
    ACL_SUCCESS,
    ACL_ERROR_RT_TASK_TIMEOUT,        /* an engine gave up, or a wait inside the device */
    ACL_ERROR_RT_TS_ERROR,            /* a garbled task, an engine's error */
    ACL_ERROR_RT_DEVICE_MEM_ERROR,    /* memory */
    ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, /* nothing came back */
};

static bool is_documented(aclError code)
{
    for (size_t i = 0; i < TWIN_COUNT(documented); i++)
        if (documented[i] == code)
            return true;
    return false;
}

static void begin(world *w)
{
    CHECK_OK(aclrtSetDevice(0));
    w->first = twin_stream();
    w->second = twin_stream();
    twin_buffer_make(&w->buffer, 2 * BYTES, 0);
    CHECK_OK(aclrtCreateEventWithFlag(&w->begin, ACL_EVENT_TIME_LINE));
    w->ready = twin_event(EVENT_EX);
    CHECK_OK(aclrtCreateEventWithFlag(&w->done, ACL_EVENT_TIME_LINE));
    CHECK_OK(aclrtCreateNotify(&w->back, 0));
    const aclrtMemPoolProps props = {.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED,
                                     .location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE},
                                     .maxSize = 2 * PAGE};
    CHECK_OK(aclrtMemPoolCreate(&w->pool, &props));
    CHECK_OK(aclrtMemAllocManaged(&w->managed, PAGE, ACL_RT_MEM_ATTACH_GLOBAL));
}

static void end(world *w)
{
    CHECK_OK(aclrtFree(w->managed));
    CHECK_OK(aclrtMemPoolDestroy(w->pool));
    CHECK_OK(aclrtDestroyNotify(w->back));
    CHECK_OK(aclrtDestroyEvent(w->done));
    CHECK_OK(aclrtDestroyEvent(w->ready));
    CHECK_OK(aclrtDestroyEvent(w->begin));
    twin_buffer_free(&w->buffer);
    CHECK_OK(aclrtDestroyStream(w->second));
    CHECK_OK(aclrtDestroyStream(w->first));
    CHECK_OK(aclrtResetDevice(0));
}

/* Ten tasks on two streams, which need each other. */
static void run_signals(world *w)
{
    uint8_t *half = w->buffer.device + BYTES;
    CHECK_OK(aclrtRecordEvent(w->begin, w->first));
    CHECK_OK(aclrtMemsetAsync(half, BYTES, 0xee, BYTES, w->first));
    CHECK_OK(aclrtMemcpyAsync(w->buffer.device, BYTES, w->buffer.host, BYTES,
                              ACL_MEMCPY_HOST_TO_DEVICE, w->first));
    CHECK_OK(aclrtRecordEvent(w->ready, w->first));
    CHECK_OK(aclrtStreamWaitEvent(w->second, w->ready));
    CHECK_OK(aclrtMemcpyAsync(half, BYTES, w->buffer.device, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE,
                              w->second));
    CHECK_OK(aclrtRecordNotify(w->back, w->second));
    CHECK_OK(aclrtWaitAndResetNotify(w->back, w->first, 1));
    CHECK_OK(aclrtMemcpyAsync(w->buffer.host + BYTES, BYTES, half, BYTES, ACL_MEMCPY_DEVICE_TO_HOST,
                              w->first));
    CHECK_OK(aclrtRecordEvent(w->done, w->first));
}

/* Each kind of task on memory that has an engine or an order of its own: fills, a batch, cache
 * maintenance, memory of a pool, rows, a reduction, a prefetch of managed memory. */
static void run_memory(world *w)
{
    uint8_t *const from = w->buffer.host, *const to = w->buffer.device, *const half = to + BYTES;
    const aclrtMemManagedLocation here = {.type = ACL_MEM_LOCATIONTYPE_DEVICE};
    void *dsts[] = {to, to + BYTES / 2}, *srcs[] = {from, from + BYTES / 2};
    size_t sizes[] = {BYTES / 2, BYTES / 2}, first = 0, failed = 0;
    aclrtMemcpyBatchAttr attr = {.dstLoc = {.type = ACL_MEM_LOCATION_TYPE_DEVICE},
                                 .srcLoc = {.type = ACL_MEM_LOCATION_TYPE_HOST}};
    void *pooled = NULL;
    CHECK_OK(aclrtMemsetD32Async(to, BYTES, 0xdddddddd, BYTES / 4, w->first));
    CHECK_OK(
        aclrtMemcpyBatchAsync(dsts, sizes, srcs, sizes, 2, &attr, &first, 1, &failed, w->first));
    CHECK_OK(aclrtCmoAsync(to, BYTES, ACL_RT_CMO_TYPE_PREFETCH, w->first));
    CHECK_OK(aclrtMemPoolMallocAsync(&pooled, BYTES, w->pool, w->first));
    CHECK_OK(aclrtMemcpy2dAsync(pooled, 64, to, 64, 64, BYTES / 64, ACL_MEMCPY_DEVICE_TO_DEVICE,
                                w->first));
    CHECK_OK(aclrtMemsetAsync(half, BYTES, 0, BYTES, w->first));
    CHECK_OK(aclrtReduceAsync(half, pooled, BYTES, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT8,
                              w->first, NULL));
    CHECK_OK(aclrtMemPoolFreeAsync(pooled, w->first));
    CHECK_OK(aclrtMemManagedPrefetchAsync(w->managed, PAGE, here, 0, w->second));
    CHECK_OK(
        aclrtMemcpyAsync(from + BYTES, BYTES, half, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, w->first));
    CHECK_OK(aclrtRecordEvent(w->done, w->first));
}

static void run(world *w, program what, int value, aclError codes[2])
{
    memset(w->buffer.host, value, BYTES);
    memset(w->buffer.host + BYTES, 0, BYTES);
    what(w);
    codes[0] = aclrtSynchronizeStreamWithTimeout(w->first, 5 * SOON_MS);
    codes[1] = aclrtSynchronizeStreamWithTimeout(w->second, 5 * SOON_MS);
}

/* Three ways back. The state that a record left in its event or notify does not matter: they are
 * made anew. */
static void recover(world *w, unsigned way)
{
    if (way == 0) {
        CHECK_OK(aclrtStreamAbort(w->first));
        CHECK_OK(aclrtStreamAbort(w->second));
        end(w);
    } else if (way == 1) {
        CHECK_OK(aclrtDeviceTaskAbort(0, 0));
        end(w);
    } else {
        twin_buffer_free(&w->buffer);
        CHECK_OK(aclrtFree(w->managed));
        /* Work that can never end is dropped, and said. */
        CHECK_EITHER(aclrtResetDeviceForce(0), ACL_SUCCESS, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    }
    begin(w);
}

static void run_well(world *w, program what, int value)
{
    aclError codes[2];
    run(w, what, value, codes);
    CHECK_OK(codes[0]);
    CHECK_OK(codes[1]);
    CHECK_BYTES(w->buffer.host + BYTES, value, BYTES);
}

/* Whether there is a task of that kind at that place. */
static bool sweep_one(world *w, program what, unsigned kind, unsigned place)
{
    twinrt_fault fault = twin_fault_for((twinrt_fault_kind)kind);
    fault.first = place;
    if (kind == TWINRT_FAULT_MEMORY) {
        fault.address = (uint64_t)(uintptr_t)w->buffer.device;
        fault.bytes = 2 * BYTES;
        fault.access = TWINRT_FAULT_READ | TWINRT_FAULT_WRITE;
    }
    uint32_t number = twin_inject_fault(&fault);
    aclError codes[2];
    run(w, what, 2, codes);
    uint64_t times = 0;
    CHECK_OK(twinrt_fault_triggered(number, &times));
    CHECK(is_documented(codes[0]));
    CHECK(is_documented(codes[1]));
    if (times == 0) { /* there are no more of that kind */
        CHECK_OK(codes[0]);
        CHECK_OK(codes[1]);
        CHECK_BYTES(w->buffer.host + BYTES, 2, BYTES);
    }
    uint64_t stamp = 0;
    if (aclrtEventGetTimestamp(w->done, &stamp) != ACL_SUCCESS)
        stamp = 0;
    printf("%u.%u: %d %d x%llu @%llu\n", kind, place, codes[0], codes[1], (unsigned long long)times,
           (unsigned long long)stamp);
    CHECK_OK(twinrt_fault_remove(0));
    recover(w, (kind + place) % 3);
    run_well(w, what, 3);
    return times != 0;
}

void twin_sweep_child(void)
{
    static const program programs[] = {run_signals, run_memory};
    world w;
    CHECK_OK(aclInit(NULL));
    begin(&w);
    for (size_t i = 0; i < TWIN_COUNT(programs); i++) {
        run_well(&w, programs[i], 1);
        for (unsigned kind = 0; kind < KINDS; kind++) {
            unsigned place = 1;
            while (sweep_one(&w, programs[i], kind, place) && place < PLACES)
                place++;
            CHECK(place < PLACES);
        }
    }
    end(&w);
    CHECK_OK(aclFinalize());
}

void test_sweep(void)
{
    static char outputs[2][32768];
    for (int i = 0; i < 2; i++)
        CHECK_EQUAL(twin_child_status("sweep", NULL, outputs[i], sizeof(outputs[i])), 0);
    CHECK(strcmp(outputs[0], outputs[1]) == 0);
    CHECK(strstr(outputs[0], "10.1: ") != NULL);
}
