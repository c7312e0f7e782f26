/* SPDX-License-Identifier: Apache-2.0 */
/* Fills with words, and transfers whose addresses are in device memory. */
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

static const twin_test tests[] = {
    {"MEM-156: a fill of words checks its arguments in order", test_word_fill_arguments},
    {"MEM-157: a fill of words takes memory of the runtime alone", test_word_fill_of_other_memory},
    {"MEM-158: a fill of words writes as many words as are asked for", test_word_fill},
    {"MEM-159: an asynchronous fill of words is queued for the device alone",
     test_word_fill_in_order},
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
