/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous copies and fills. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory_tests.h"
#include "suite.h"

#define BYTES 4096

static twin_buffer data;
static aclrtStream stream;
static aclrtStream opener;

static void begin(size_t bytes)
{
    CHECK_OK(aclrtSetDevice(0));
    stream = twin_stream();
    opener = twin_stream();
    twin_buffer_make(&data, bytes, 0);
}

static void end(void)
{
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_async_copy_of_nothing(void)
{
    aclrtStream made_up = (aclrtStream)(uintptr_t)0x1234;
    begin(BYTES);
    CHECK_OK(aclrtMemcpyAsync(NULL, 0, NULL, 0, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK_OK(aclrtMemcpyAsync(NULL, 0, NULL, 0, (aclrtMemcpyKind)99, made_up));
    end();
}

void test_async_copy_arguments(void)
{
    static const int bad[] = {ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, ACL_MEMCPY_INTER_DEVICE_TO_DEVICE,
                              99, -1};
    begin(BYTES);
    CHECK_CODE(aclrtMemcpyAsync(NULL, BYTES, data.host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemcpyAsync(data.device, BYTES, NULL, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream),
               ACL_ERROR_INVALID_PARAM);
    for (size_t i = 0; i < TWIN_COUNT(bad); i++)
        CHECK_CODE(
            aclrtMemcpyAsync(data.device, BYTES, data.host, BYTES, (aclrtMemcpyKind)bad[i], stream),
            ACL_ERROR_INVALID_PARAM);
    end();
}

void test_async_copy_too_long(void)
{
    begin(BYTES);
    memset(data.host, 9, BYTES);
    CHECK_CODE(aclrtMemcpyAsync(data.device, BYTES - 1, data.host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE,
                                stream),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtSynchronizeStream(stream));
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 0, BYTES);
    end();
}

void test_async_copy_default_stream(void)
{
    begin(BYTES);
    memset(data.host, 9, BYTES);
    CHECK_OK(
        aclrtMemcpyAsync(data.device, BYTES, data.host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
    CHECK(twin_idle(stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(NULL, SOON_MS));
    memset(data.host, 0, BYTES);
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 9, BYTES);
    end();
}

void test_async_copy_foreign_stream(void)
{
    aclrtContext primary = NULL;
    aclrtContext other = NULL;
    begin(BYTES);
    CHECK_OK(aclrtGetCurrentContext(&primary));
    CHECK_OK(aclrtCreateContext(&other, 0));
    CHECK_CODE(
        aclrtMemcpyAsync(data.device, BYTES, data.host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream),
        ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(aclrtSetCurrentContext(primary));
    CHECK_OK(aclrtDestroyContext(other));
    CHECK_OK(aclrtSetDevice(1));
    CHECK_CODE(
        aclrtMemcpyAsync(data.device, BYTES, data.host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream),
        ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(aclrtResetDevice(1));
    CHECK_OK(aclrtSetCurrentContext(primary));
    end();
}

void test_async_copy_dead_handle(void)
{
    begin(BYTES);
    aclrtStream dead = twin_stream();
    aclrtEvent event = twin_event(EVENT_EX);
    CHECK_OK(aclrtDestroyStream(dead));
    CHECK_CODE(
        aclrtMemcpyAsync(data.device, BYTES, data.host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, dead),
        ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(
        aclrtMemcpyAsync(data.device, BYTES, data.host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, event),
        ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtDestroyEvent(event));
    end();
}

void test_async_copy_is_asynchronous(void)
{
    twin_hold hold;
    begin(BYTES);
    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtMemsetAsync(data.device, BYTES, 1, BYTES, stream));
    CHECK_OK(
        aclrtMemcpyAsync(data.host, BYTES, data.device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK_OK(aclrtMemsetAsync(data.device, BYTES, 2, BYTES, stream));
    CHECK_BYTES(data.host, 0, BYTES);
    twin_hold_end(&hold, opener);
    CHECK_BYTES(data.host, 1, BYTES);

    /* On an idle device it is still asynchronous: no call has waited. */
    memset(data.host, 3, BYTES);
    CHECK_OK(
        aclrtMemcpyAsync(data.device, BYTES, data.host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    memset(data.host, 4, BYTES); /* the copy has not read its source */
    CHECK_OK(aclrtSynchronizeStream(stream));
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 4, BYTES);
    end();
}

void test_pageable_copy_is_synchronous(void)
{
    begin(BYTES);
    uint8_t *pageable = malloc(BYTES);
    CHECK_OK(aclrtMemsetAsync(data.device, BYTES, 5, BYTES, stream));
    CHECK_OK(
        aclrtMemcpyAsync(pageable, BYTES, data.device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK_BYTES(pageable, 5, BYTES);
    CHECK(twin_idle(stream));
    memset(pageable, 6, BYTES);
    CHECK_OK(
        aclrtMemcpyAsync(data.device, BYTES, pageable, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    memset(pageable, 7, BYTES);
    free(pageable);
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 6, BYTES);
    end();
}

void test_pageable_copy_reports_failure(void)
{
    uint8_t pageable[64];
    memset(pageable, 7, sizeof(pageable));
    begin(BYTES);
    aclrtEvent never = twin_event(EVENT_FLAG);
    CHECK_OK(aclrtStreamWaitEventWithTimeout(stream, never, 1));
    CHECK_CODE(aclrtMemcpyAsync(data.device, 64, pageable, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream),
               ACL_ERROR_RT_TASK_TIMEOUT);
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 0, BYTES);
    CHECK_OK(aclrtDestroyEvent(never));
    CHECK_OK(aclrtDestroyStreamForce(stream));
    stream = twin_stream();
    end();
}

void test_async_copy_corrects_kind(void)
{
    static const aclrtMemcpyKind kinds[] = {ACL_MEMCPY_HOST_TO_HOST, ACL_MEMCPY_HOST_TO_DEVICE,
                                            ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE,
                                            ACL_MEMCPY_DEFAULT};
    begin(BYTES);
    for (size_t i = 0; i < TWIN_COUNT(kinds); i++) {
        CHECK_OK(aclrtMemset(data.device, BYTES, (int)i + 1, BYTES));
        CHECK_OK(aclrtMemcpyAsync(data.host, BYTES, data.device, BYTES, kinds[i], stream));
        CHECK_OK(aclrtSynchronizeStream(stream));
        CHECK_BYTES(data.host, (uint8_t)(i + 1), BYTES);
    }
    end();
}

void test_pageable_source_kinds(void)
{
    uint8_t pageable[64];
    begin(BYTES);
    memset(pageable, 1, sizeof(pageable));
    CHECK_OK(aclrtMemcpyAsync(data.device, 64, pageable, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK_OK(aclrtMemcpyAsync(data.device, 64, pageable, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    CHECK_OK(aclrtMemcpyAsync(data.device, 64, pageable, 64, ACL_MEMCPY_DEFAULT, stream));
    CHECK_CODE(aclrtMemcpyAsync(data.device, 64, pageable, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemcpyAsync(data.device, 64, pageable, 64, ACL_MEMCPY_HOST_TO_HOST, stream),
               ACL_ERROR_RT_PARAM_INVALID);
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 1, 64);
    end();
}

void test_pageable_destination_kinds(void)
{
    static const aclrtMemcpyKind good[] = {ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE,
                                           ACL_MEMCPY_DEFAULT};
    uint8_t pageable[64];
    begin(BYTES);
    for (size_t i = 0; i < TWIN_COUNT(good); i++) {
        CHECK_OK(aclrtMemset(data.device, 64, (int)i + 1, 64));
        CHECK_OK(aclrtMemcpyAsync(pageable, 64, data.device, 64, good[i], stream));
        CHECK_BYTES(pageable, (uint8_t)(i + 1), 64);
    }
    CHECK_CODE(aclrtMemcpyAsync(pageable, 64, data.device, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemcpyAsync(pageable, 64, data.device, 64, ACL_MEMCPY_HOST_TO_HOST, stream),
               ACL_ERROR_RT_PARAM_INVALID);
    end();
}

void test_async_host_to_host(void)
{
    uint8_t one[64] = {0};
    uint8_t two[64] = {0};
    void *pinned = NULL;
    begin(BYTES);
    CHECK_OK(aclrtMallocHost(&pinned, BYTES));
    CHECK_CODE(aclrtMemcpyAsync(pinned, 64, data.host, 64, ACL_MEMCPY_HOST_TO_HOST, stream),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtMemcpyAsync(pinned, 64, data.host, 64, ACL_MEMCPY_DEFAULT, stream),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtMemcpyAsync(two, 64, one, 64, ACL_MEMCPY_DEFAULT, stream),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtFreeHost(pinned));
    end();
}

void test_async_copy_onto_itself(void)
{
    twin_hold hold;
    begin(BYTES);
    CHECK_OK(aclrtMemcpyAsync(data.device, BYTES, data.device, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE,
                              stream));
    CHECK(twin_idle(stream)); /* no task */
    CHECK_CODE(
        aclrtMemcpyAsync(data.host, BYTES, data.host, BYTES, ACL_MEMCPY_HOST_TO_HOST, stream),
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    twin_hold_begin(&hold, stream);
    twin_hold_end(&hold, opener);
    end();
}

void test_snapshot_copy(void)
{
    twin_hold hold;
    begin(BYTES);
    uint8_t *pageable = malloc(BYTES);
    memset(data.host, 0x31, BYTES);
    memset(pageable, 0x32, BYTES);
    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtMemcpyAsync(data.device, BYTES / 2, data.host, BYTES / 2,
                              ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, stream));
    CHECK_OK(aclrtMemcpyAsync(data.device + BYTES / 2, BYTES / 2, pageable, BYTES / 2,
                              ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, stream));
    memset(data.host, 0, BYTES);
    memset(pageable, 0, BYTES);
    free(pageable);
    CHECK(!twin_idle(stream));
    twin_hold_end(&hold, opener);
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 0x31, BYTES / 2);
    CHECK_BYTES(data.host + BYTES / 2, 0x32, BYTES / 2);
    end();
}

/* One side of each copy is on `page`, which ends in a hole when `bytes` is more than a page. */
static void check_refused(uint8_t *page, size_t bytes, bool as_source)
{
    static const aclrtMemcpyKind from[] = {ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEFAULT,
                                           ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE};
    for (size_t i = 0; as_source && i < TWIN_COUNT(from); i++)
        CHECK_CODE(aclrtMemcpyAsync(data.device, bytes, page, bytes, from[i], stream),
                   ACL_ERROR_RT_PARAM_INVALID);
    if (as_source)
        return;
    CHECK_CODE(aclrtMemcpyAsync(page, bytes, data.device, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemsetAsync(page, bytes, 1, bytes, stream), ACL_ERROR_RT_PARAM_INVALID);
}

void test_untouchable_pageable_memory(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    begin(2 * page);
    uint8_t *pages =
        mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!CHECK(pages != MAP_FAILED))
        return;
    /* Mapped without access; then for reading only; then half of it; then none. */
    CHECK(mprotect(pages, 2 * page, PROT_NONE) == 0);
    check_refused(pages, 64, true);
    check_refused(pages, 64, false);
    CHECK(mprotect(pages, 2 * page, PROT_READ) == 0);
    check_refused(pages, 64, false);
    CHECK(mprotect(pages, page, PROT_READ | PROT_WRITE) == 0 &&
          mprotect(pages + page, page, PROT_NONE) == 0);
    check_refused(pages, page + 64, true);
    check_refused(pages, page + 64, false);
    CHECK(munmap(pages, 2 * page) == 0);
    check_refused(pages, 64, true);
    check_refused(pages, 64, false);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS)); /* and nothing was queued */
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 0, 2 * page);
    end();
}

void test_snapshot_copy_in_a_model(void)
{
    aclmdlRI model = NULL;
    aclrtStream bound = NULL;
    begin(BYTES);
    CHECK_OK(aclmdlRIBuildBegin(&model, 0));
    CHECK_OK(aclrtCreateStreamWithConfig(&bound, 0, ACL_STREAM_PERSISTENT));
    CHECK_OK(aclmdlRIBindStream(model, bound, 0));
    CHECK_CODE(
        aclrtMemcpyAsync(data.device, 64, data.host, 64, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, bound),
        ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclmdlRIDestroy(model));
    CHECK_OK(aclrtDestroyStream(bound));
    end();
}

void test_snapshot_copy_arguments(void)
{
    twin_buffer other;
    uint8_t pageable[64] = {0};
    begin(BYTES);
    twin_buffer_make(&other, BYTES, 0);
    CHECK_CODE(aclrtMemcpyAsync(data.device, 64, other.device, 64, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE,
                                stream),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(
        aclrtMemcpyAsync(data.host, 64, pageable, 64, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, stream),
        ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(
        aclrtMemcpyAsync(pageable, 64, data.host, 64, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, stream),
        ACL_ERROR_RT_PARAM_INVALID);
    twin_buffer_free(&other);
    end();
}

void test_large_async_copy(void)
{
    enum { LARGE = (130 << 20) + 17 }; /* more than two pieces of 64 MiB */
    begin(LARGE);
    for (size_t i = 0; i < LARGE; i += 4096)
        data.host[i] = (uint8_t)(i >> 12);
    data.host[LARGE - 1] = 0x5d;
    CHECK_OK(
        aclrtMemcpyAsync(data.device, LARGE, data.host, LARGE, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK_OK(aclrtMemsetAsync(data.device + 4096, 1, 0xaa, 1, stream)); /* after all pieces */
    CHECK_OK(aclrtSynchronizeStream(stream));
    memset(data.host, 0, LARGE);
    CHECK_OK(
        aclrtMemcpyAsync(data.host, LARGE, data.device, LARGE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK_BYTES(data.host, 0, 4096);
    CHECK_OK(aclrtSynchronizeStream(stream));
    bool same = true;
    for (size_t i = 0; i < LARGE - 1; i += 4096)
        same = same && data.host[i] == (i == 4096 ? 0xaa : (uint8_t)(i >> 12));
    CHECK(same);
    CHECK_EQUAL(data.host[LARGE - 1], 0x5d);
    end();
}

void test_async_fill_any_range(void)
{
    static const struct {
        size_t offset;
        size_t bytes;
    } ranges[] = {{0, 1}, {3, 5}, {64, 63}, {129, 1}, {1001, 1023}, {2048, 2048}};
    begin(BYTES);
    for (size_t i = 0; i < TWIN_COUNT(ranges); i++)
        CHECK_OK(aclrtMemsetAsync(data.device + ranges[i].offset, BYTES - ranges[i].offset,
                                  (int)i + 1, ranges[i].bytes, stream));
    CHECK_OK(aclrtMemsetAsync(data.device + 2048, 10, 0x7e, 10, stream)); /* later, so on top */
    CHECK_OK(
        aclrtMemcpyAsync(data.host, BYTES, data.device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    uint8_t expected[BYTES] = {0};
    for (size_t i = 0; i < TWIN_COUNT(ranges); i++)
        memset(expected + ranges[i].offset, (int)i + 1, ranges[i].bytes);
    memset(expected + 2048, 0x7e, 10);
    CHECK(memcmp(expected, data.host, BYTES) == 0);
    end();
}

void test_async_fill_arguments(void)
{
    aclrtContext primary = NULL;
    aclrtContext other = NULL;
    begin(BYTES);
    CHECK_OK(aclrtGetCurrentContext(&primary));
    CHECK_OK(aclrtMemsetAsync(data.device, BYTES, 1, BYTES, NULL));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 1, BYTES);
    CHECK_OK(aclrtCreateContext(&other, 0));
    CHECK_CODE(aclrtMemsetAsync(data.device, BYTES, 2, BYTES, stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(aclrtSetCurrentContext(primary));
    CHECK_OK(aclrtDestroyContext(other));
    aclrtStream dead = twin_stream();
    CHECK_OK(aclrtDestroyStream(dead));
    CHECK_CODE(aclrtMemsetAsync(data.device, BYTES, 2, BYTES, dead), ACL_ERROR_RT_INVALID_HANDLE);
    end();
}
