/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the program that a device reaches in place: arguments, addresses, copies, words. */
#include "registered_tests.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GEQ, EQ };

void *registered_pages(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    return pages;
}

void registered_unmap(void *pages, size_t bytes)
{
    CHECK_EQUAL(munmap(pages, bytes), 0);
}

void *registered_map(void *pages, size_t bytes)
{
    void *device = NULL;
    CHECK_OK(aclrtHostRegister(pages, bytes, ACL_HOST_REGISTER_MAPPED, &device));
    return device;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static void test_register_arguments(void)
{
    void *const before = (void *)(uintptr_t)0x55;
    void *device = before;
    char *pages = registered_pages(2 * PAGE);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtHostRegister(NULL, PAGE, ACL_HOST_REGISTER_MAPPED, &device),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtHostRegister(pages, PAGE, ACL_HOST_REGISTER_MAPPED, NULL),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtHostRegister(pages, 0, ACL_HOST_REGISTER_MAPPED, &device),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtHostRegister(pages, PAGE, (aclrtHostRegisterType)1, &device),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtHostRegister(pages, PAGE, (aclrtHostRegisterType)0x10000000, &device),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtHostRegister(pages, PAGE, ACL_HOST_REGISTER_IOMEMORY, &device),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtHostRegister(pages + 64, PAGE, ACL_HOST_REGISTER_MAPPED, &device),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK(device == before);
    CHECK_OK(aclrtResetDevice(0));
    registered_unmap(pages, 2 * PAGE);
}

static void test_register_v2_arguments(void)
{
    char *pages = registered_pages(PAGE);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtHostRegisterV2(NULL, PAGE, ACL_HOST_REG_PINNED), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtHostRegisterV2(pages, 0, ACL_HOST_REG_PINNED), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtHostRegisterV2(pages, PAGE, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtHostRegisterV2(pages, PAGE, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtHostRegisterV2(pages, PAGE, ACL_HOST_REG_PINNED | 0x10),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtHostRegisterV2(pages, PAGE, ACL_HOST_REG_IOMEMORY),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtHostRegisterV2(pages, PAGE, ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED));
    CHECK_OK(aclrtHostUnregister(pages));
    CHECK_OK(aclrtResetDevice(0));
    registered_unmap(pages, PAGE);
}

static void without_context(void *pages)
{
    void *device = NULL;
    CHECK_CODE(aclrtHostRegister(pages, PAGE, ACL_HOST_REGISTER_MAPPED, &device),
               ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtHostRegisterV2(pages, PAGE, ACL_HOST_REG_PINNED), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtHostGetDevicePointer(pages, &device, 0), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtHostUnregister(pages), ACL_ERROR_RT_CONTEXT_NULL);
}

static void test_no_context(void)
{
    char *pages = registered_pages(PAGE);
    twin_on_thread(without_context, pages);
    registered_unmap(pages, PAGE);
}

/* Not memory of the host, or not there. */
static void test_other_memory(void)
{
    void *device = NULL;
    void *address = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtMalloc(&device, 8 * PAGE, ACL_MEM_MALLOC_NORMAL_ONLY));
    CHECK_CODE(aclrtHostRegister(device, PAGE, ACL_HOST_REGISTER_MAPPED, &address),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtHostRegisterV2(device, PAGE, ACL_HOST_REG_PINNED), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtFree(device));
    char *pages = registered_pages(2 * PAGE);
    registered_unmap(pages + PAGE, PAGE);
    CHECK_CODE(aclrtHostRegister(pages, 2 * PAGE, ACL_HOST_REGISTER_MAPPED, &address),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtHostRegister(pages, PAGE, ACL_HOST_REGISTER_MAPPED, &address));
    CHECK_CODE(aclrtFreeHost(pages), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtFree(address), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtHostUnregister(pages));
    CHECK_OK(aclrtResetDevice(0));
    registered_unmap(pages, PAGE);
}

static void test_overlap(void)
{
    void *device = NULL;
    char *pages = registered_pages(8 * PAGE);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtHostRegisterV2(pages + 2 * PAGE, 2 * PAGE, ACL_HOST_REG_PINNED));
    static const struct {
        unsigned first, count;
        bool good;
    } cases[] = {{2, 2, false}, {2, 1, false}, {3, 1, false}, {3, 2, false},
                 {1, 2, false}, {0, 8, false}, {0, 2, true},  {4, 1, true}};
    for (size_t i = 0; i < TWIN_COUNT(cases); i++) {
        char *base = pages + cases[i].first * PAGE;
        const aclError want =
            cases[i].good ? ACL_SUCCESS : ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
        CHECK_CODE(aclrtHostRegisterV2(base, cases[i].count * PAGE, ACL_HOST_REG_MAPPED), want);
        if (cases[i].good)
            CHECK_OK(aclrtHostUnregister(base));
        CHECK_CODE(
            aclrtHostRegister(base, cases[i].count * PAGE, ACL_HOST_REGISTER_MAPPED, &device),
            want);
        if (cases[i].good)
            CHECK_OK(aclrtHostUnregister(base));
    }
    CHECK_OK(aclrtHostUnregister(pages + 2 * PAGE));
    CHECK_OK(aclrtHostRegisterV2(pages, 8 * PAGE, ACL_HOST_REG_PINNED));
    CHECK_OK(aclrtHostUnregister(pages));
    CHECK_OK(aclrtResetDevice(0));
    registered_unmap(pages, 8 * PAGE);
}

static void test_page_locked(void)
{
    void *host = NULL;
    void *device = NULL;
    void *same = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtMallocHost(&host, PAGE));
    CHECK_CODE(aclrtHostRegisterV2(host, PAGE, ACL_HOST_REG_PINNED), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtHostRegisterV2(host, PAGE, ACL_HOST_REG_PINNED | ACL_HOST_REG_MAPPED),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtHostRegister(host, PAGE, ACL_HOST_REGISTER_MAPPED, &device));
    CHECK_OK(aclrtHostGetDevicePointer(host, &same, 0));
    CHECK(device == same);
    memset(host, 0, PAGE);
    CHECK_OK(aclrtValueWrite((char *)device + 16, 77, 0, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_EQUAL(((uint64_t *)host)[2], 77);
    CHECK_OK(aclrtHostUnregister(host));
    CHECK_OK(aclrtFreeHost(host));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_device_pointer(void)
{
    void *const before = (void *)(uintptr_t)0x55;
    void *device = before;
    char *pages = registered_pages(4 * PAGE);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtHostGetDevicePointer(NULL, &device, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtHostGetDevicePointer(pages, NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtHostGetDevicePointer(pages, &device, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtHostGetDevicePointer(pages, &device, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtHostRegisterV2(pages, PAGE, ACL_HOST_REG_PINNED));
    CHECK_CODE(aclrtHostGetDevicePointer(pages, &device, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(device == before);
    CHECK_OK(aclrtHostUnregister(pages));
    CHECK_OK(aclrtHostRegisterV2(pages, 2 * PAGE, ACL_HOST_REG_MAPPED));
    CHECK_OK(aclrtHostGetDevicePointer(pages, &device, 0));
    CHECK(device != NULL && device != before && (uintptr_t)device % PAGE == 0);
    CHECK_OK(aclrtHostUnregister(pages));
    CHECK_CODE(aclrtHostGetDevicePointer(pages, &device, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtHostRegister(pages, 2 * PAGE, ACL_HOST_REGISTER_MAPPED, &device));
    void *same = NULL;
    CHECK_OK(aclrtHostGetDevicePointer(pages, &same, 0));
    void *inside = NULL;
    CHECK_OK(aclrtHostGetDevicePointer((char *)pages + 100, &inside, 0));
    CHECK(inside == (char *)same + 100);
    CHECK(device == same);
    CHECK_OK(aclrtHostUnregister(pages));
    CHECK_OK(aclrtResetDevice(0));
    registered_unmap(pages, 4 * PAGE);
}

static void test_unregister(void)
{
    char *pages = registered_pages(2 * PAGE);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtHostUnregister(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtHostUnregister(pages), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED);
    CHECK_OK(aclrtHostRegisterV2(pages, 2 * PAGE, ACL_HOST_REG_PINNED));
    CHECK_CODE(aclrtHostUnregister(pages + PAGE), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED);
    CHECK_OK(aclrtHostUnregister(pages));
    CHECK_CODE(aclrtHostUnregister(pages), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED);
    /* A registration ends with its device. */
    CHECK_OK(aclrtHostRegisterV2(pages, 2 * PAGE, ACL_HOST_REG_MAPPED));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtHostUnregister(pages), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED);
    CHECK_OK(aclrtHostRegisterV2(pages, 2 * PAGE, ACL_HOST_REG_MAPPED));
    CHECK_OK(aclrtHostUnregister(pages));
    CHECK_OK(aclrtResetDevice(0));
    registered_unmap(pages, 2 * PAGE);
}

static void test_capabilities(void)
{
    const aclrtHostMemMapCapability other = (aclrtHostMemMapCapability)9;
    aclrtHostMemMapCapability answer = other;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtHostMemMapCapabilities(0, ACL_RT_HAC_TYPE_STARS, NULL),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtHostMemMapCapabilities(999, ACL_RT_HAC_TYPE_STARS, &answer),
               ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtHostMemMapCapabilities(0, (aclrtHacType)10, &answer),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK(answer == other);
    for (int engine = 0; engine < 10; engine++) {
        CHECK_OK(aclrtHostMemMapCapabilities(0, (aclrtHacType)engine, &answer));
        CHECK(answer == ACL_RT_HOST_MEM_MAP_SUPPORTED ||
              answer == ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED);
    }
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Both sides store to and read the same words. */
static void test_same_bytes(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    _Atomic uint64_t *words = registered_pages(3 * PAGE);
    uint64_t *device = registered_map((void *)words, 3 * PAGE);
    CHECK((void *)device != (void *)words);
    for (unsigned i = 0; i < 3; i++) {
        const size_t at = i * (PAGE / 8) + 7 * i;
        CHECK_OK(aclrtValueWrite(device + at, 100 + i, 0, stream));
        CHECK_OK(aclrtSynchronizeStream(stream));
        CHECK_EQUAL(words[at], 100 + i);
        words[at] = 200 + i; /* the device reads what the host has stored */
        CHECK_OK(aclrtValueWait(device + at, 200 + i, EQ, stream));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    }
    CHECK_OK(aclrtHostUnregister((void *)words));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
    registered_unmap((void *)words, 3 * PAGE);
}

/* Only tasks of a device take its address. */
static void test_device_address_is_refused(void)
{
    uint8_t bytes[16] = {0};
    void *memory = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    char *pages = registered_pages(PAGE);
    char *device = registered_map(pages, PAGE);
    CHECK_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_CODE(aclrtMemcpy(bytes, 16, device, 16, ACL_MEMCPY_DEVICE_TO_HOST),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemcpy(device + 8, 16, memory, 16, ACL_MEMCPY_DEVICE_TO_DEVICE),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemcpyAsync(device, 16, memory, 16, ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemset(device, 16, 1, 16), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemsetAsync(device, 16, 1, 16, stream), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtValueWrite(pages, 1, 0, stream), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtValueWrite(device + PAGE, 1, 0, stream), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_BYTES(pages, 0, PAGE);
    CHECK_OK(aclrtHostUnregister(pages));
    CHECK_CODE(aclrtValueWrite(device, 1, 0, stream), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
    registered_unmap(pages, PAGE);
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* An asynchronous copy returns before it is executed, and reads what is there then. */
static void check_asynchronous(uint32_t flags)
{
    twin_buffer buffer;
    twin_hold hold;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    uint8_t *memory = registered_pages(4 * PAGE);
    twin_buffer_make(&buffer, 2 * PAGE, 1);
    CHECK_OK(aclrtHostRegisterV2(memory, 4 * PAGE, flags));
    uint8_t *inside = memory + PAGE / 2;
    memset(memory, 2, 4 * PAGE);
    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtMemcpyAsync(buffer.device, 2 * PAGE, inside, 2 * PAGE, ACL_MEMCPY_HOST_TO_DEVICE,
                              stream));
    CHECK_OK(aclrtMemcpyAsync(memory + 3 * PAGE, PAGE, buffer.device, PAGE,
                              ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK(!twin_idle(stream));
    memset(inside, 3, 2 * PAGE);
    CHECK_BYTES(memory + 3 * PAGE, 2, PAGE);
    twin_hold_end(&hold, NULL);
    CHECK_BYTES(memory + 3 * PAGE, 3, PAGE);
    twin_buffer_read(&buffer);
    CHECK_BYTES(buffer.host, 3, 2 * PAGE);
    CHECK_OK(aclrtHostUnregister(memory));
    twin_buffer_free(&buffer);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
    registered_unmap(memory, 4 * PAGE);
}

static void test_asynchronous_copies(void)
{
    check_asynchronous(ACL_HOST_REG_PINNED);
    check_asynchronous(ACL_HOST_REG_MAPPED);
    check_asynchronous(ACL_HOST_REG_PINNED | ACL_HOST_REG_MAPPED);
}

/* Any address of malloc can be page-locked. */
static void test_malloc_memory(void)
{
    const size_t bytes = 100001;
    twin_buffer buffer;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    uint8_t *memory = malloc(bytes + 16);
    twin_buffer_make(&buffer, bytes, 1);
    CHECK_OK(aclrtHostRegisterV2(memory + 8, bytes, ACL_HOST_REG_PINNED));
    memset(memory, 0, bytes + 16);
    CHECK_OK(aclrtMemcpyAsync(memory + 8, bytes, buffer.device, bytes, ACL_MEMCPY_DEVICE_TO_HOST,
                              stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_BYTES(memory + 8, 1, bytes);
    CHECK_BYTES(memory, 0, 8);
    CHECK_BYTES(memory + 8 + bytes, 0, 8);
    memset(memory, 5, bytes + 16);
    CHECK_OK(aclrtMemcpy(buffer.device, bytes, memory + 8, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    twin_buffer_read(&buffer);
    CHECK_BYTES(buffer.host, 5, bytes);
    CHECK_OK(aclrtMemset(memory + 8, bytes, 6, bytes));
    CHECK_BYTES(memory + 8, 6, bytes);
    CHECK_BYTES(memory, 5, 8);
    CHECK_OK(aclrtHostUnregister(memory + 8));
    free(memory);
    twin_buffer_free(&buffer);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* A range that leaves the registered one is pageable memory: the copy is over with the call. */
static void test_partly_registered(void)
{
    twin_buffer buffer;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    uint8_t *memory = registered_pages(4 * PAGE);
    twin_buffer_make(&buffer, 2 * PAGE, 7);
    CHECK_OK(aclrtHostRegisterV2(memory + PAGE, PAGE, ACL_HOST_REG_PINNED));
    CHECK_OK(aclrtMemcpyAsync(memory + PAGE, 2 * PAGE, buffer.device, 2 * PAGE,
                              ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK_BYTES(memory + PAGE, 7, 2 * PAGE);
    memset(memory, 8, 4 * PAGE);
    CHECK_OK(aclrtMemcpy(memory, 2 * PAGE, buffer.device, 2 * PAGE, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_BYTES(memory, 7, 2 * PAGE);
    CHECK_BYTES(memory + 2 * PAGE, 8, 2 * PAGE);
    CHECK_OK(aclrtHostUnregister(memory + PAGE));
    twin_buffer_free(&buffer);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
    registered_unmap(memory, 4 * PAGE);
}

/* Blocks of rows between registered and device memory. */
static void test_rows(void)
{
    enum { WIDTH = 100, PITCH = 300, HEIGHT = 40 };
    twin_buffer buffer;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    uint8_t *memory = registered_pages(4 * PAGE);
    twin_buffer_make(&buffer, WIDTH * HEIGHT, 9);
    CHECK_OK(aclrtHostRegisterV2(memory, 4 * PAGE, ACL_HOST_REG_PINNED));
    CHECK_OK(aclrtMemcpy2dAsync(memory, PITCH, buffer.device, WIDTH, WIDTH, HEIGHT,
                                ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    for (int row = 0; row < HEIGHT; row++) {
        CHECK_BYTES(memory + row * PITCH, 9, WIDTH);
        CHECK_BYTES(memory + row * PITCH + WIDTH, 0, PITCH - WIDTH);
        memset(memory + row * PITCH, 10, WIDTH);
    }
    CHECK_OK(aclrtMemcpy2dAsync(buffer.device, WIDTH, memory, PITCH, WIDTH, HEIGHT,
                                ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    twin_buffer_read(&buffer);
    CHECK_BYTES(buffer.host, 10, WIDTH * HEIGHT);
    CHECK_OK(aclrtHostUnregister(memory));
    twin_buffer_free(&buffer);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
    registered_unmap(memory, 4 * PAGE);
}

/* ---- polling --------------------------------------------------------------------------------- */

static bool becomes(const _Atomic uint64_t *word, uint64_t want)
{
    const double end = twin_wall_seconds() + 30;
    while (atomic_load(word) != want)
        if (twin_wall_seconds() > end)
            return false;
    return true;
}

/* A program that reads memory and never calls sees what its tasks store; tasks see what it
 * stores. */
static void test_polled_without_a_call(void)
{
#ifdef __SANITIZE_THREAD__
    TWIN_SKIP("the host reads what the device writes at that moment, as beside hardware");
#endif
    enum { TURNS = 4 };
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    _Atomic uint64_t *words = registered_pages(PAGE);
    uint64_t *device = registered_map((void *)words, PAGE);
    for (uint64_t turn = 1; turn <= TURNS; turn++) {
        CHECK_OK(aclrtValueWrite(&device[0], turn, 0, stream));
        CHECK_OK(aclrtValueWait(&device[1], turn, EQ, stream));
        CHECK_OK(aclrtValueWrite(&device[2], turn, 0, stream));
    }
    for (uint64_t turn = 1; turn <= TURNS; turn++) {
        CHECK(becomes(&words[0], turn));
        CHECK_EQUAL(words[2], turn - 1);
        words[1] = turn;
        CHECK(becomes(&words[2], turn));
    }
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK_OK(aclrtHostUnregister((void *)words));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
    registered_unmap((void *)words, PAGE);
}

static void store_later(void *words)
{
    const double begin = twin_wall_seconds();
    while (twin_wall_seconds() < begin + 0.2)
        ;
    ((_Atomic uint64_t *)words)[1] = 1;
}

static void store_beside(void *argument, unsigned index)
{
    void **all = argument;
    if (index == 0) {
        store_later(all[0]);
        return;
    }
    CHECK_OK(aclrtSetCurrentContext(all[2]));
    CHECK_OK(aclrtSynchronizeStream(all[1]));
}

/* One thread waits for the stream, which waits for what another one stores without a call. */
static void test_stored_while_a_thread_waits(void)
{
#ifdef __SANITIZE_THREAD__
    TWIN_SKIP("the host writes what the device reads at that moment, as beside hardware");
#endif
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    _Atomic uint64_t *words = registered_pages(PAGE);
    uint64_t *device = registered_map((void *)words, PAGE);
    void *all[] = {(void *)words, stream, NULL};
    CHECK_OK(aclrtGetCurrentContext(&all[2]));
    CHECK_OK(aclrtValueWait(&device[1], 1, EQ, stream));
    twin_threads_run(2, store_beside, all);
    CHECK_OK(aclrtHostUnregister((void *)words));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
    registered_unmap((void *)words, PAGE);
}

/* No other process has the page: nothing can end the wait. */
static void test_deadlock(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    char *pages = registered_pages(PAGE);
    CHECK_OK(aclrtValueWait(registered_map(pages, PAGE), 1, EQ, stream));
    CHECK_CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtDestroyStreamForce(stream));
    CHECK_OK(aclrtHostUnregister(pages));
    CHECK_OK(aclrtResetDevice(0));
    registered_unmap(pages, PAGE);
}

/* Another process stores what the only thread waits for. */
static void test_stored_by_another_process(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    _Atomic uint64_t *words =
        mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK((void *)words != MAP_FAILED);
    uint64_t *device = registered_map((void *)words, PAGE);
    const pid_t child = fork();
    if (child == 0) {
        store_later((void *)words);
        _exit(0);
    }
    CHECK_OK(aclrtValueWait(&device[1], 1, EQ, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK(waitpid(child, NULL, 0) == child);
    CHECK_OK(aclrtHostUnregister((void *)words));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
    registered_unmap((void *)words, PAGE);
}

static const twin_test tests[] = {
    {"MEM-50, MEM-51: registration refuses bad arguments", test_register_arguments},
    {"MEM-53: the second form of registration refuses bad arguments", test_register_v2_arguments},
    {"registered memory: every function but the query requires a context", test_no_context},
    {"MEM-62: only memory of the host that is there", test_other_memory},
    {"MEM-54: registrations do not overlap", test_overlap},
    {"MEM-56: page-locked memory is mapped, and not locked again", test_page_locked},
    {"MEM-57, MEM-58, MEM-59: the device's address of a range", test_device_pointer},
    {"MEM-60: only the begin of a range ends its registration", test_unregister},
    {"MEM-67: each device registers a range for itself", test_two_devices},
    {"MEM-67: a reset ends the registrations of one device", test_reset_of_one_device},
    {"MEM-67: ranges of two devices overlap", test_overlap_of_devices},
    {"MEM-61: which engines reach mapped memory", test_capabilities},
    {"MEM-52: host and device share the bytes of a mapped range", test_same_bytes},
    {"MEM-52: copies and fills refuse the device's address", test_device_address_is_refused},
    {"MEM-55: copies of registered memory are asynchronous", test_asynchronous_copies},
    {"MEM-55: memory of malloc can be page-locked", test_malloc_memory},
    {"MEM-65: a range that leaves it is pageable", test_partly_registered},
    {"registered memory: blocks of rows", test_rows},
    {"MEM-66: polling without a call", test_polled_without_a_call},
    {"MEM-66: a store while another thread waits", test_stored_while_a_thread_waits},
    {"registered memory: a wait that nothing ends is a deadlock", test_deadlock},
    {"MEM-66: a store by another process", test_stored_by_another_process},
    {"MEM-64: unmapped pages fail the task", test_unmapped},
    {"MEM-64: a file that was truncated fails the task", test_truncated},
    {"MEM-64: pages that were moved fail the task", test_moved},
    {"MEM-64: protected pages fail the task", test_protected},
    {"MEM-63: a device does not write what is read-only", test_read_only},
    {"MEM-64: a failure does not have the cause of an earlier one", test_cause_of_another},
    {"registered memory: tasks reach the parent's pages after a fork", test_forked},
    {"MEM-64: a range that is unregistered fails the task", test_unregistered_in_flight},
};

int main(int argc, char **argv)
{
    const twin_suite suite = {
        .name = "registered", .tests = tests, .test_count = TWIN_COUNT(tests), .initialise = true};
    return twin_suite_main(&suite, argc, argv);
}
