/* SPDX-License-Identifier: Apache-2.0 */
/* Fills with words, copies whose addresses are in device memory, cache maintenance; random
 * numbers in transfer_random.c. */
#include "transfer_tests.h"

#include <string.h>

#include "suite.h"

#define WORDS ((size_t)1000)
#define BYTES (WORDS * 4)

static twin_buffer data; /* filled with 0x11 */
static aclrtStream stream;

static void begin(void)
{
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_make(&data, BYTES, 0x11);
    stream = twin_stream();
}

static void end(void)
{
    CHECK_OK(aclrtDestroyStream(stream));
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
}

/* Words [first, last) of the buffer are `value`, the rest is as it was made. */
static void check_words(size_t first, size_t last, uint32_t value)
{
    twin_buffer_read(&data);
    size_t wrong = 0;
    for (size_t i = 0; i < WORDS; i++) {
        uint32_t word;
        memcpy(&word, data.host + 4 * i, 4);
        wrong += word != (i >= first && i < last ? value : 0x11111111u);
    }
    CHECK_EQUAL(wrong, 0);
}

static void test_word_fill_arguments(void)
{
    begin();
    void *const memory = data.device;
    CHECK_OK(aclrtMemsetD32(NULL, 0, 1, 0));
    CHECK_OK(aclrtMemsetD32Async(NULL, 0, 1, 0, (aclrtStream)&data));
    CHECK_CODE(aclrtMemsetD32(NULL, 4, 1, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemsetD32Async(NULL, 4, 1, 1, stream), ACL_ERROR_INVALID_PARAM);
    for (unsigned i = 1; i < 4; i++) {
        CHECK_CODE(aclrtMemsetD32(data.device + i, 4, 1, 1), ACL_ERROR_INVALID_PARAM);
        CHECK_CODE(aclrtMemsetD32Async(data.device + i, 4, 1, 1, stream), ACL_ERROR_INVALID_PARAM);
    }
    CHECK_CODE(aclrtMemsetD32(memory, 7, 1, 2), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemsetD32Async(memory, 7, 1, 2, stream), ACL_ERROR_INVALID_PARAM);
    /* As large as memSize allows, and larger than the allocation. */
    CHECK_CODE(aclrtMemsetD32(memory, 16 * BYTES, 1, 4 * WORDS), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemsetD32Async(memory, 16 * BYTES, 1, 4 * WORDS, stream),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtSynchronizeStream(stream));
    check_words(0, 0, 0);
    end();
}

static void test_word_fill_that_wraps(void)
{
    static const size_t counts[] = {(size_t)1 << 62, ((size_t)1 << 62) + 1, SIZE_MAX};
    begin();
    for (size_t i = 0; i < TWIN_COUNT(counts); i++) {
        CHECK_CODE(aclrtMemsetD32(data.device, BYTES, 1, counts[i]), ACL_ERROR_INVALID_PARAM);
        CHECK_CODE(aclrtMemsetD32Async(data.device, BYTES, 1, counts[i], stream),
                   ACL_ERROR_INVALID_PARAM);
    }
    check_words(0, 0, 0);
    end();
}

static void test_word_fill_of_other_memory(void)
{
    static uint32_t pageable[4];
    begin();
    CHECK_CODE(aclrtMemsetD32(pageable, sizeof(pageable), 1, 4), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemsetD32Async(pageable, sizeof(pageable), 1, 4, stream),
               ACL_ERROR_INVALID_PARAM);
    CHECK_EQUAL(pageable[0], 0);
    end();
}

static void test_word_fill(void)
{
    static const uint32_t values[] = {0, 0x5a5a5a5a, 0x04030201, 0xfffffffe};
    for (size_t i = 0; i < TWIN_COUNT(values); i++) {
        begin();
        CHECK_OK(aclrtMemsetD32(data.device + 12, BYTES - 12, values[i], 1));
        check_words(3, 4, values[i]);
        CHECK_OK(aclrtMemsetD32(data.device, BYTES, values[i], WORDS - 1));
        check_words(0, WORDS - 1, values[i]);
        CHECK_OK(aclrtMemsetD32(data.host, BYTES, values[i], WORDS));
        CHECK(memcmp(data.host, &values[i], 4) == 0 &&
              memcmp(data.host + BYTES - 4, &values[i], 4) == 0);
        end();
    }
}

static void test_word_fill_in_order(void)
{
    uint64_t *word = NULL;
    begin();
    CHECK_OK(aclrtMalloc((void **)&word, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemset(word, 8, 0, 8));
    CHECK_OK(aclrtValueWait(word, 1, 1, stream)); /* until it is 1 */
    CHECK_OK(aclrtMemsetD32Async(data.device + 8, BYTES - 8, 0x01020304, 500, stream));
    CHECK_OK(aclrtMemsetD32Async(data.device + 8, BYTES - 8, 0xa0b0c0d0, 500, stream));
    check_words(0, 0, 0);
    /* Host memory is filled at once, although the stream is held. */
    CHECK_OK(aclrtMemsetD32Async(data.host, BYTES, 0x0badcafe, WORDS, stream));
    CHECK(memcmp(data.host + BYTES - 4, &(uint32_t){0x0badcafe}, 4) == 0);
    CHECK_OK(aclrtMemcpy(word, 8, &(uint64_t){1}, 8, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    check_words(2, 502, 0xa0b0c0d0);
    CHECK_OK(aclrtMemsetD32Async(data.device, BYTES, 7, WORDS, NULL));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    check_words(0, WORDS, 7);
    CHECK_OK(aclrtFree(word));
    end();
}

/* ---- copies by descriptor, with offsets ------------------------------------------------------ */

#define INNER ACL_MEMCPY_INNER_DEVICE_TO_DEVICE

static void *descriptor; /* 64 bytes at a multiple of 64 */
static uint64_t *gate;   /* holds the stream until it is 1 */

static void begin_held(void)
{
    begin();
    CHECK_OK(aclrtMalloc(&descriptor, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMalloc((void **)&gate, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemset(descriptor, 64, 0, 64));
    CHECK_OK(aclrtMemset(gate, 64, 0, 64));
    CHECK_OK(aclrtMemsetD32(data.device, BYTES, 0x22222222, WORDS / 2));
    CHECK_OK(aclrtValueWait(gate, 1, 1, stream));
}

static void open_gate(void)
{
    CHECK_OK(aclrtMemcpy(gate, 8, &(uint64_t){1}, 8, ACL_MEMCPY_HOST_TO_DEVICE));
}

static void end_held(void)
{
    open_gate();
    (void)aclrtSynchronizeStreamWithTimeout(stream, SOON_MS);
    CHECK_OK(aclrtFree(descriptor));
    CHECK_OK(aclrtFree(gate));
    end();
}

static void test_descriptor_size(void)
{
    size_t bytes = 77;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtGetMemcpyDescSize(INNER, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetMemcpyDescSize((aclrtMemcpyKind)8, &bytes), ACL_ERROR_INVALID_PARAM);
    for (int kind = 0; kind < 8; kind++)
        if (kind != INNER)
            CHECK_CODE(aclrtGetMemcpyDescSize((aclrtMemcpyKind)kind, &bytes),
                       ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_EQUAL(bytes, 77);
    CHECK_OK(aclrtGetMemcpyDescSize(INNER, &bytes));
    CHECK_EQUAL(bytes, 32);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_descriptor_arguments(void)
{
    begin_held();
    uint8_t *const from = data.device;
    CHECK_CODE(aclrtSetMemcpyDesc(NULL, INNER, from, from, 4, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetMemcpyDesc(descriptor, INNER, NULL, from, 4, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetMemcpyDesc(descriptor, INNER, from, NULL, 4, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetMemcpyDesc(descriptor, INNER, from, from, 0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetMemcpyDesc(descriptor, INNER, from, from, 4, from), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetMemcpyDesc(descriptor, (aclrtMemcpyKind)8, from, from, 4, NULL),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetMemcpyDesc(descriptor, ACL_MEMCPY_DEVICE_TO_DEVICE, from, from, 4, NULL),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtSetMemcpyDesc(data.host, INNER, from, from + 64, 4, NULL),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSetMemcpyDesc((uint8_t *)descriptor + 32, INNER, from, from + 64, 4, NULL),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSetMemcpyDesc(descriptor, INNER, data.host, from, 4, NULL),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSetMemcpyDesc(descriptor, INNER, from, data.host, 4, NULL),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSetMemcpyDesc(descriptor, INNER, from, from + 64, ((size_t)4 << 30) + 1, NULL),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemcpyAsyncWithDesc(descriptor, INNER, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemcpyAsyncWithDesc(NULL, INNER, stream), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemcpyAsyncWithDesc(descriptor, ACL_MEMCPY_DEFAULT, stream),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtMemcpyAsyncWithDesc(data.host, INNER, stream), ACL_ERROR_RT_PARAM_INVALID);
    end_held();
}

static void test_descriptor_is_read_late(void)
{
    begin_held();
    uint8_t *const half = data.device + BYTES / 2;
    CHECK_OK(aclrtSetMemcpyDesc(descriptor, INNER, data.device, half, BYTES / 2, NULL));
    CHECK_OK(aclrtMemcpyAsyncWithDesc(descriptor, INNER, stream));
    CHECK_OK(aclrtMemsetD32Async(data.device, 4, 0x33333333, 1, stream)); /* after the copy */
    CHECK_OK(aclrtSetMemcpyDesc(descriptor, INNER, data.device, half + 4, 8, NULL));
    open_gate();
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK_OK(aclrtMemsetD32(data.device, BYTES, 0x11111111, WORDS / 2));
    check_words(WORDS / 2 + 1, WORDS / 2 + 3, 0x22222222);
    end_held();
}

/* Nothing was written there, or memory that is gone. */
static void test_bad_descriptor(void)
{
    uint8_t *gone = NULL;
    begin_held();
    CHECK_OK(aclrtMalloc((void **)&gone, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemcpyAsyncWithDesc(descriptor, INNER, stream));
    open_gate();
    CHECK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS) != ACL_SUCCESS);
    CHECK_OK(aclrtSetMemcpyDesc(descriptor, INNER, gone, data.device, 4096, NULL));
    CHECK_OK(aclrtFree(gone));
    CHECK_OK(aclrtMemcpyAsyncWithDesc(descriptor, INNER, stream));
    CHECK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS) != ACL_SUCCESS);
    check_words(0, WORDS / 2, 0x22222222);
    end_held();
}

static void test_offset_arguments(void)
{
    begin_held();
    void **const dst = (void **)(void *)gate;
    const void **const src = (const void **)(void *)gate;
    CHECK_OK(aclrtMemcpyAsyncWithOffset(NULL, 0, 5, NULL, 0, 5, ACL_MEMCPY_DEFAULT, NULL));
    CHECK_CODE(aclrtMemcpyAsyncWithOffset(NULL, 9, 0, src, 4, 0, INNER, stream),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemcpyAsyncWithOffset(dst, 9, 0, NULL, 4, 0, INNER, stream),
               ACL_ERROR_RT_PARAM_INVALID);
    for (int kind = 0; kind < 9; kind++)
        if (kind != INNER)
            CHECK_CODE(
                aclrtMemcpyAsyncWithOffset(dst, 9, 0, src, 4, 0, (aclrtMemcpyKind)kind, stream),
                ACL_ERROR_RT_PARAM_INVALID);
    static const struct {
        size_t most, to, bytes, from;
    } bad[] = {{8, 8, 1, 0},
               {8, 5, 4, 0},
               {SIZE_MAX, (size_t)1 << 48, 1, 0},
               {8, 0, 4, (size_t)1 << 48},
               {0, 0, 1, 0},
               {8, 4, SIZE_MAX, 0}};
    for (size_t i = 0; i < TWIN_COUNT(bad); i++)
        CHECK_CODE(aclrtMemcpyAsyncWithOffset(dst, bad[i].most, bad[i].to, src, bad[i].bytes,
                                              bad[i].from, INNER, stream),
                   ACL_ERROR_RT_PARAM_INVALID);
    /* The places of the addresses are checked at once, what they hold is not. */
    CHECK_CODE(
        aclrtMemcpyAsyncWithOffset((void **)(void *)data.host, 8, 0, src, 4, 0, INNER, stream),
        ACL_ERROR_RT_PARAM_INVALID);
    end_held();
}

static void test_offsets_are_read_late(void)
{
    begin_held();
    void **const bases = descriptor; /* of the destination, of the source */
    CHECK_OK(aclrtMemcpyAsyncWithOffset(bases, BYTES, BYTES / 2 + 8, (const void **)(bases + 1), 12,
                                        4, INNER, stream));
    void *const now[2] = {data.device, data.device + 4};
    CHECK_OK(aclrtMemcpy(bases, 16, now, 16, ACL_MEMCPY_HOST_TO_DEVICE));
    open_gate();
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK_OK(aclrtMemsetD32(data.device, BYTES, 0x11111111, WORDS / 2));
    check_words(WORDS / 2 + 2, WORDS / 2 + 5, 0x22222222);
    /* An address of nothing fails the task. */
    CHECK_OK(aclrtMemset(bases, 64, 0, 16));
    CHECK_OK(
        aclrtMemcpyAsyncWithOffset(bases, 64, 0, (const void **)(bases + 1), 8, 0, INNER, stream));
    CHECK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS) != ACL_SUCCESS);
    end_held();
}

static void test_conditional_copy(void)
{
    uint32_t pageable[4] = {0};
    begin();
    memset(data.host, 0x44, BYTES);
    CHECK_OK(aclrtMemcpyAsyncWithCondition(NULL, 0, NULL, 0, (aclrtMemcpyKind)99, stream));
    CHECK_CODE(aclrtMemcpyAsyncWithCondition(NULL, 4, data.host, 4, ACL_MEMCPY_DEFAULT, stream),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemcpyAsyncWithCondition(data.device, 4, data.host, 8,
                                             ACL_MEMCPY_HOST_TO_DEVICE, stream),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(
        aclrtMemcpyAsyncWithCondition(pageable, 16, data.host, 16, ACL_MEMCPY_HOST_TO_HOST, stream),
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtMemcpyAsyncWithCondition(data.device, BYTES, data.host, BYTES,
                                           ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK_OK(aclrtMemcpyAsyncWithCondition(pageable, 16, data.device, 16, ACL_MEMCPY_DEVICE_TO_HOST,
                                           stream));
    CHECK_EQUAL(pageable[3], 0x44444444); /* no wait: pageable */
    CHECK_OK(aclrtSynchronizeStream(stream));
    check_words(0, WORDS, 0x44444444);
    end();
}

/* ---- cache maintenance ----------------------------------------------------------------------- */

static void test_maintenance_arguments(void)
{
    begin();
    CHECK_CODE(aclrtCmoAsync(NULL, 4, ACL_RT_CMO_TYPE_PREFETCH, stream), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCmoAsync(data.device, 0, ACL_RT_CMO_TYPE_PREFETCH, stream),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCmoAsync(data.device, 4, (aclrtCmoType)4, stream),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtCmoAsync(data.device, 16 * BYTES, ACL_RT_CMO_TYPE_PREFETCH, stream),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCmoAsync(data.host, 4, ACL_RT_CMO_TYPE_PREFETCH, stream),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCmoAsyncWithBarrier(data.device, 4, ACL_RT_CMO_TYPE_INVALID, 1, stream),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    aclrtBarrierTaskInfo barrier = {.barrierNum = 1};
    CHECK_CODE(aclrtCmoWaitBarrier(&barrier, stream, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    end();
}

static void test_maintenance_is_a_task(void)
{
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
    aclrtEvent event = NULL;
    begin_held();
    CHECK_OK(aclrtCreateEvent(&event));
    for (int type = ACL_RT_CMO_TYPE_PREFETCH; type <= ACL_RT_CMO_TYPE_FLUSH; type++)
        CHECK_OK(aclrtCmoAsync(data.device, BYTES, (aclrtCmoType)type, stream));
    CHECK_OK(aclrtRecordEvent(event, stream));
    CHECK_OK(aclrtQueryEventStatus(event, &status));
    CHECK_EQUAL(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
    open_gate();
    CHECK_OK(aclrtSynchronizeEvent(event));
    CHECK_OK(aclrtCmoAsync(data.device + 3, 5, ACL_RT_CMO_TYPE_PREFETCH, NULL));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    check_words(0, WORDS / 2, 0x22222222);
    CHECK_OK(aclrtDestroyEvent(event));
    end_held();
}

static void test_maintenance_by_descriptor(void)
{
    size_t bytes = 0;
    begin_held();
    CHECK_CODE(aclrtCmoGetDescSize(NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtCmoGetDescSize(&bytes));
    CHECK_EQUAL(bytes, 32);
    CHECK_CODE(aclrtCmoSetDesc(NULL, data.device, 4), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCmoSetDesc(descriptor, NULL, 4), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCmoSetDesc(descriptor, data.device, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCmoSetDesc(data.host, data.device, 4), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCmoAsyncWithDesc(descriptor, ACL_RT_CMO_TYPE_PREFETCH, stream, &bytes),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCmoAsyncWithDesc(NULL, ACL_RT_CMO_TYPE_PREFETCH, stream, NULL),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCmoAsyncWithDesc(descriptor, (aclrtCmoType)4, stream, NULL),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtCmoAsyncWithDesc(descriptor, ACL_RT_CMO_TYPE_WRITEBACK, stream, NULL));
    CHECK_OK(aclrtCmoSetDesc(descriptor, data.device, BYTES)); /* read when the task runs */
    open_gate();
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    check_words(0, WORDS / 2, 0x22222222);
    end_held();
}

static void test_host_caches(void)
{
    begin();
    CHECK_CODE(aclrtMemFlush(NULL, 4), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemFlush(data.device, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemInvalidate(NULL, 4), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemInvalidate(data.device, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemFlush(data.device, 16 * BYTES), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtMemFlush(data.device, BYTES));
    CHECK_OK(aclrtMemInvalidate(data.device + 1, 7));
    check_words(0, 0, 0);
    end();
}

static const twin_test tests[] = {
    {"MEM-37, MEM-38: flushing and invalidating change no data", test_host_caches},
    {"MEM-109: a conditional copy is an asynchronous copy", test_conditional_copy},
    {"MEM-140: the size of a copy descriptor", test_descriptor_size},
    {"MEM-141, MEM-142, MEM-143: a copy descriptor checks its arguments",
     test_descriptor_arguments},
    {"MEM-144: a copy descriptor is read when the task runs", test_descriptor_is_read_late},
    {"MEM-144: a bad descriptor fails the task", test_bad_descriptor},
    {"MEM-145: a copy with offsets reads its base addresses when it runs",
     test_offsets_are_read_late},
    {"MEM-146, MEM-147, MEM-148: a copy with offsets checks its arguments", test_offset_arguments},
    {"CMO-01, CMO-02, CMO-08: cache maintenance checks its arguments", test_maintenance_arguments},
    {"CMO-03, CMO-04: cache maintenance is a task that changes nothing",
     test_maintenance_is_a_task},
    {"CMO-05, CMO-06, CMO-07: cache maintenance by descriptor", test_maintenance_by_descriptor},
    {"MEM-156: a fill of words checks its arguments in order", test_word_fill_arguments},
    {"MEM-157: a fill of words takes memory of the runtime alone", test_word_fill_of_other_memory},
    {"MEM-158: a fill of words writes as many words as are asked for", test_word_fill},
    {"MEM-159: an asynchronous fill of words is queued for the device alone",
     test_word_fill_in_order},
    {"RED-06: random numbers check their arguments", test_random_arguments},
    {"RED-06: random numbers are those of the generator, in stream order", test_random_words},
    {"RED-06: what random numbers need may be in device memory", test_random_by_address},
    {"RED-06: the distributions of random numbers", test_random_distributions},
    {"MEM-160: a number of words that wraps is refused", test_word_fill_that_wraps},
};

int main(int argc, char **argv)
{
    const twin_suite suite = {
        .name = "transfer",
        .tests = tests,
        .test_count = TWIN_COUNT(tests),
        .initialise = true,
    };
    return twin_suite_main(&suite, argc, argv);
}
