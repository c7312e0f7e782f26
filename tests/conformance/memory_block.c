/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of blocks and batches, and reductions. */
#include <stdlib.h>
#include <string.h>

#include "memory_tests.h"
#include "suite.h"

#define PITCH 96
#define ROWS  40
#define BYTES (PITCH * ROWS)

static twin_buffer data;
static twin_buffer other;
static aclrtStream stream;
static aclrtStream opener;

static void begin(void)
{
    CHECK_OK(aclrtSetDevice(0));
    stream = twin_stream();
    opener = twin_stream();
    twin_buffer_make(&data, BYTES, 0);
    twin_buffer_make(&other, BYTES, 0);
}

static void end(void)
{
    twin_buffer_free(&other);
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* Byte i of a pattern that differs from row to row. */
static uint8_t pattern(size_t i)
{
    return (uint8_t)(1 + i % 251);
}

static void fill_pattern(uint8_t *bytes)
{
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = pattern(i);
}

/* ---- blocks --------------------------------------------------------------------------------- */

void test_block_of_nothing(void)
{
    begin();
    CHECK_OK(aclrtMemcpy2d(NULL, 0, NULL, 0, 0, 5, (aclrtMemcpyKind)77));
    CHECK_OK(aclrtMemcpy2d(NULL, 0, NULL, 0, 5, 0, (aclrtMemcpyKind)77));
    CHECK_OK(aclrtMemcpy2dAsync(NULL, 0, NULL, 0, 0, 5, (aclrtMemcpyKind)77, NULL));
    CHECK_OK(aclrtMemcpy2dAsync(NULL, 0, NULL, 0, 5, 0, (aclrtMemcpyKind)77, NULL));
    end();
}

void test_block_arguments(void)
{
    static const int kinds[] = {ACL_MEMCPY_HOST_TO_HOST, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE,
                                ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, 99, -1};
    const aclrtMemcpyKind down = ACL_MEMCPY_HOST_TO_DEVICE;
    begin();
    CHECK_CODE(aclrtMemcpy2d(NULL, 8, data.host, 8, 8, 2, down), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemcpy2d(data.device, 8, NULL, 8, 8, 2, down), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemcpy2d(data.device, 7, data.host, 8, 8, 2, down), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemcpy2d(data.device, 8, data.host, 7, 8, 2, down), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemcpy2dAsync(NULL, 8, data.host, 8, 8, 2, down, stream),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemcpy2dAsync(data.device, 7, data.host, 8, 8, 2, down, stream),
               ACL_ERROR_INVALID_PARAM);
    for (size_t i = 0; i < TWIN_COUNT(kinds); i++) {
        const aclrtMemcpyKind kind = (aclrtMemcpyKind)kinds[i];
        CHECK_CODE(aclrtMemcpy2d(data.device, 8, data.host, 8, 8, 2, kind),
                   ACL_ERROR_INVALID_PARAM);
        CHECK_CODE(aclrtMemcpy2dAsync(data.device, 8, data.host, 8, 8, 2, kind, stream),
                   ACL_ERROR_INVALID_PARAM);
    }
    end();
}

void test_block_within_the_device_at_once(void)
{
    begin();
    CHECK_CODE(aclrtMemcpy2d(other.device, 8, data.device, 8, 8, 2, ACL_MEMCPY_DEVICE_TO_DEVICE),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    /* The addresses decide where the kind leaves it open. */
    CHECK_CODE(aclrtMemcpy2d(other.device, 8, data.device, 8, 8, 2, ACL_MEMCPY_DEFAULT),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemcpy2d(other.host, 8, data.host, 8, 8, 2, ACL_MEMCPY_DEFAULT),
               ACL_ERROR_RT_PARAM_INVALID);
    end();
}

void test_block_limits(void)
{
    const aclrtMemcpyKind down = ACL_MEMCPY_HOST_TO_DEVICE;
    begin();
    CHECK_CODE(aclrtMemcpy2d(data.device, 1, data.host, 1, 1, 5242881, down),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemcpy2d(data.device, 5000001, data.host, 5000001, 5000001, 1, down),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemcpy2dAsync(data.device, 1, data.host, 1, 1, 5242881, down, stream),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemcpy2dAsync(data.device, SIZE_MAX, data.host, SIZE_MAX, 1, 3, down, stream),
               ACL_ERROR_RT_PARAM_INVALID);
    /* one row too many for the allocation, whose size is rounded up */
    CHECK_CODE(aclrtMemcpy2d(data.device, PITCH, data.host, PITCH, 8, ROWS + 2, down),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtSynchronizeStream(stream));
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 0, BYTES);
    end();
}

/* Checks the destination of a block copy of 40 rows of 50 bytes; it was full of 9. */
static void check_block(const uint8_t *bytes, size_t width, size_t pitch)
{
    unsigned wrong = 0;
    for (size_t row = 0; row < ROWS; row++)
        for (size_t i = 0; i < pitch && row * pitch + i < BYTES; i++)
            wrong += bytes[row * pitch + i] != (i < width ? pattern(row * PITCH + i) : 9);
    CHECK_EQUAL(wrong, 0);
}

void test_block_copies(void)
{
    enum { WIDTH = 50, NARROW = 64 };
    begin();
    fill_pattern(data.host);
    memset(other.host, 9, BYTES);
    CHECK_OK(aclrtMemset(other.device, BYTES, 9, BYTES));
    /* down, with pitches that differ */
    CHECK_OK(aclrtMemcpy2d(other.device, NARROW, data.host, PITCH, WIDTH, ROWS,
                           ACL_MEMCPY_HOST_TO_DEVICE));
    twin_buffer_read(&other);
    check_block(other.host, WIDTH, NARROW);
    /* and up again, the direction left open */
    uint8_t *back = malloc(BYTES);
    memset(back, 9, BYTES);
    CHECK_OK(aclrtMemcpy2d(back, PITCH, other.device, NARROW, WIDTH, ROWS, ACL_MEMCPY_DEFAULT));
    check_block(back, WIDTH, PITCH);
    free(back);
    end();
}

void test_block_async(void)
{
    enum { WIDTH = 50 };
    twin_hold hold;
    begin();
    fill_pattern(data.host);
    CHECK_OK(aclrtMemset(other.device, BYTES, 9, BYTES));
    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtMemcpy2dAsync(data.device, PITCH, data.host, PITCH, PITCH, ROWS,
                                ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK_OK(aclrtMemcpy2dAsync(other.device, PITCH, data.device, PITCH, WIDTH, ROWS,
                                ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    CHECK(!twin_idle(stream));
    twin_hold_end(&hold, opener);
    twin_buffer_read(&other);
    check_block(other.host, WIDTH, PITCH);
    /* pageable memory: it has happened when the call returns */
    uint8_t *back = malloc(BYTES);
    memset(back, 9, BYTES);
    CHECK_OK(aclrtMemcpy2dAsync(back, PITCH, other.device, PITCH, WIDTH, ROWS,
                                ACL_MEMCPY_DEVICE_TO_HOST, stream));
    check_block(back, WIDTH, PITCH);
    free(back);
    end();
}

/* More rows than a queue holds, after a wait that the same thread releases later: one task like any
 * other. */
void test_block_of_many_rows(void)
{
    enum { MANY = 5000, WIDTH = 3, WIDE = 8 };
    twin_buffer large;
    twin_hold hold;
    begin();
    twin_buffer_make(&large, (size_t)MANY * WIDE, 9);
    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtMemcpy2dAsync(large.device, WIDE, large.host, WIDE, WIDTH, MANY,
                                ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK(!twin_idle(stream));
    for (size_t i = 0; i < (size_t)MANY * WIDE; i++)
        large.host[i] = pattern(i);
    twin_hold_end(&hold, opener);
    twin_buffer_read(&large);
    unsigned wrong = 0;
    for (size_t i = 0; i < (size_t)MANY * WIDE; i++)
        wrong += large.host[i] != (i % WIDE < WIDTH ? pattern(i) : 9);
    CHECK_EQUAL(wrong, 0);
    twin_buffer_free(&large);
    end();
}

/* Blocks of random shape, there and back in stream order, against memcpy of each row. */
void test_block_random(void)
{
    enum { ROUNDS = 60 };
    static uint8_t device_side[BYTES];
    static uint8_t host_side[BYTES];
    uint32_t state = 12345;
    begin();
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t r[6];
        for (size_t i = 0; i < TWIN_COUNT(r); i++)
            r[i] = (state = state * 1664525u + 1013904223u) >> 8;
        const size_t width = 1 + r[0] % 100;
        const size_t spitch = width + (r[1] % 3 == 0 ? 0 : r[1] % 50);
        const size_t dpitch = width + (r[2] % 3 == 0 ? 0 : r[2] % 50);
        const size_t pitch = spitch > dpitch ? spitch : dpitch;
        const size_t height = 1 + r[3] % ((BYTES - 100) / pitch);
        const size_t from = r[4] % 100;
        const size_t to = r[5] % 100;
        if (from + (height - 1) * spitch + width > BYTES ||
            to + (height - 1) * dpitch + width > BYTES)
            continue;
        for (size_t i = 0; i < BYTES; i++)
            host_side[i] = data.host[i] = pattern(i + (size_t)round);
        memset(device_side, 9, BYTES);
        memset(other.host, 5, BYTES);
        CHECK_OK(aclrtMemset(data.device, BYTES, 9, BYTES));
        CHECK_OK(aclrtMemcpy2dAsync(data.device + to, dpitch, data.host + from, spitch, width,
                                    height, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        CHECK_OK(aclrtMemcpy2dAsync(other.host + from, spitch, data.device + to, dpitch, width,
                                    height, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        CHECK_OK(aclrtSynchronizeStream(stream));
        for (size_t row = 0; row < height; row++)
            memcpy(device_side + to + row * dpitch, host_side + from + row * spitch, width);
        twin_buffer_read(&data);
        CHECK_EQUAL(memcmp(data.host, device_side, BYTES), 0);
        memset(host_side, 5, BYTES);
        for (size_t row = 0; row < height; row++)
            memcpy(host_side + from + row * spitch, device_side + to + row * dpitch, width);
        CHECK_EQUAL(memcmp(other.host, host_side, BYTES), 0);
    }
    end();
}

/* ---- batches -------------------------------------------------------------------------------- */

#define ITEMS 4

typedef struct items {
    void *dsts[ITEMS];
    size_t room[ITEMS];
    void *srcs[ITEMS];
    size_t sizes[ITEMS];
    aclrtMemcpyBatchAttr attr;
    size_t index;
    size_t failed;
} items;

/* Item i copies its quarter of the buffer from host to device. */
static items make_items(void)
{
    items a = {.index = 0, .failed = 4711};
    for (size_t i = 0; i < ITEMS; i++) {
        a.dsts[i] = data.device + i * (BYTES / ITEMS);
        a.srcs[i] = data.host + i * (BYTES / ITEMS);
        a.room[i] = a.sizes[i] = 100 + i;
    }
    a.attr.dstLoc = (aclrtMemLocation){.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE};
    a.attr.srcLoc = (aclrtMemLocation){.id = 0, .type = ACL_MEM_LOCATION_TYPE_HOST};
    return a;
}

static aclError copy_items(items *a, bool async)
{
    return async ? aclrtMemcpyBatchAsync(a->dsts, a->room, a->srcs, a->sizes, ITEMS, &a->attr,
                                         &a->index, 1, &a->failed, stream)
                 : aclrtMemcpyBatch(a->dsts, a->room, a->srcs, a->sizes, ITEMS, &a->attr, &a->index,
                                    1, &a->failed);
}

static void check_nothing_copied(void)
{
    uint8_t back[BYTES];
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtMemcpy(back, BYTES, data.device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_BYTES(back, 0, BYTES);
}

void test_batch_of_nothing(void)
{
    begin();
    size_t none[ITEMS] = {0};
    size_t failed = 5;
    CHECK_CODE(aclrtMemcpyBatch(NULL, NULL, NULL, NULL, 1, NULL, NULL, 0, &failed),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemcpyBatch(NULL, NULL, NULL, none, 0, NULL, NULL, 0, &failed),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemcpyBatch(NULL, NULL, NULL, none, ITEMS, NULL, NULL, 0, NULL),
               ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtMemcpyBatch(NULL, NULL, NULL, none, ITEMS, NULL, NULL, 0, &failed));
    CHECK(failed == SIZE_MAX);
    CHECK_OK(aclrtMemcpyBatchV2(NULL, NULL, NULL, none, ITEMS, NULL, NULL, 0));
    CHECK_OK(aclrtMemcpyBatchAsyncV2(NULL, NULL, NULL, none, ITEMS, NULL, NULL, 0, stream));
    end();
}

void test_batch_arguments(void)
{
    begin();
    memset(data.host, 7, BYTES);
    for (int async = 0; async < 2; async++) {
        items a = make_items();
        a.room[2] = a.sizes[2] - 1;
        CHECK_CODE(copy_items(&a, async), ACL_ERROR_INVALID_PARAM);
        a = make_items();
        a.attr.rsv[15] = 1;
        CHECK_CODE(copy_items(&a, async), ACL_ERROR_INVALID_PARAM);
        a = make_items();
        a.index = 1;
        CHECK_CODE(copy_items(&a, async), ACL_ERROR_RT_PARAM_INVALID);
    }
    items a = make_items();
    aclrtMemcpyBatchAttr attrs[ITEMS + 1];
    size_t indexes[ITEMS + 1] = {0, 2, 2};
    for (size_t i = 0; i < TWIN_COUNT(attrs); i++)
        attrs[i] = a.attr;
    for (size_t count = 0; count <= ITEMS + 1; count++)
        if (count == 0 || count > 2)
            CHECK_CODE(aclrtMemcpyBatch(a.dsts, a.room, a.srcs, a.sizes, ITEMS, attrs, indexes,
                                        count, &a.failed),
                       ACL_ERROR_RT_PARAM_INVALID);
    /* Of so many none is looked at. */
    CHECK_CODE(aclrtMemcpyBatch(a.dsts, a.room, a.srcs, a.sizes, ITEMS, attrs, indexes, SIZE_MAX,
                                &a.failed),
               ACL_ERROR_INVALID_PARAM);
    indexes[1] = ITEMS;
    CHECK_CODE(
        aclrtMemcpyBatch(a.dsts, a.room, a.srcs, a.sizes, ITEMS, attrs, indexes, 2, &a.failed),
        ACL_ERROR_RT_PARAM_INVALID);
    check_nothing_copied();
    end();
}

void test_batch_too_long_at_once(void)
{
    enum { MANY = 4097 };
    begin();
    items a = make_items();
    void **dsts = calloc(MANY, sizeof(void *));
    void **srcs = calloc(MANY, sizeof(void *));
    size_t *sizes = calloc(MANY, sizeof(size_t));
    for (size_t i = 0; i < MANY; i++) {
        dsts[i] = data.device;
        srcs[i] = data.host;
        sizes[i] = 1;
    }
    CHECK_CODE(aclrtMemcpyBatch(dsts, sizes, srcs, sizes, MANY, &a.attr, &a.index, 1, &a.failed),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtMemcpyBatchAsync(dsts, sizes, srcs, sizes, MANY, &a.attr, &a.index, 1, &a.failed,
                                   stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    free(sizes);
    free(srcs);
    free(dsts);
    end();
}

void test_batch_places(void)
{
    begin();
    memset(data.host, 7, BYTES);
    for (int async = 0; async < 2; async++) {
        items a = make_items();
        a.attr.dstLoc.id = 1;
        CHECK_CODE(copy_items(&a, async), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_EQUAL(a.failed, 0);
        a = make_items();
        a.attr.srcLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
        CHECK_CODE(copy_items(&a, async), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_EQUAL(a.failed, 0);
        /* the third is on the host at both ends */
        a = make_items();
        a.dsts[2] = other.host;
        CHECK_CODE(copy_items(&a, async), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_EQUAL(a.failed, 2);
        a = make_items();
        a.srcs[3] = other.device;
        CHECK_CODE(copy_items(&a, async), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_EQUAL(a.failed, 3);
    }
    check_nothing_copied();
    end();
}

void test_batch_copies(void)
{
    twin_hold hold;
    begin();
    for (int async = 0; async < 2; async++) {
        uint8_t back[BYTES];
        items a = make_items();
        a.attr.srcLoc.type = async ? ACL_MEM_LOCATION_TYPE_HOST_NUMA : ACL_MEM_LOCATION_TYPE_HOST;
        if (!async)
            a.sizes[1] = 0;
        fill_pattern(data.host);
        CHECK_OK(aclrtMemset(data.device, BYTES, 9, BYTES));
        if (async)
            twin_hold_begin(&hold, stream);
        CHECK_OK(copy_items(&a, async));
        CHECK(a.failed == SIZE_MAX);
        if (async) {
            CHECK_OK(aclrtMemcpy(back, BYTES, data.device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
            CHECK_BYTES(back, 9, BYTES);
            twin_hold_end(&hold, opener);
        }
        CHECK_OK(aclrtMemcpy(back, BYTES, data.device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
        unsigned wrong = 0;
        for (size_t i = 0; i < BYTES; i++) {
            size_t item = i / (BYTES / ITEMS);
            wrong += back[i] != (i % (BYTES / ITEMS) < a.sizes[item] ? pattern(i) : 9);
        }
        CHECK_EQUAL(wrong, 0);
    }
    end();
}

/* Items 0 and 1 go to the device, 2 and 3 from it. The documents have one direction for a batch. */
void test_batch_of_both(void)
{
    static const size_t first[] = {0, 2};
    begin();
    for (int async = 0; async < 2; async++) {
        items a = make_items();
        aclrtMemcpyBatchAttr attrs[] = {a.attr, {.dstLoc = a.attr.srcLoc, .srcLoc = a.attr.dstLoc}};
        fill_pattern(data.host);
        fill_pattern(other.host);
        CHECK_OK(aclrtMemset(data.device, BYTES, 9, BYTES));
        CHECK_OK(aclrtMemset(other.device, BYTES, 3, BYTES));
        for (size_t i = 2; i < ITEMS; i++) {
            a.dsts[i] = other.host + i * (BYTES / ITEMS);
            a.srcs[i] = other.device + i * (BYTES / ITEMS);
        }
        const aclError code =
            async ? aclrtMemcpyBatchAsync(a.dsts, a.room, a.srcs, a.sizes, ITEMS, attrs,
                                          (size_t *)first, TWIN_COUNT(first), &a.failed, stream)
                  : aclrtMemcpyBatch(a.dsts, a.room, a.srcs, a.sizes, ITEMS, attrs, (size_t *)first,
                                     TWIN_COUNT(first), &a.failed);
        CHECK_EITHER(code, ACL_SUCCESS, ACL_ERROR_RT_PARAM_INVALID);
        CHECK_OK(aclrtSynchronizeStream(stream));
        uint8_t back[BYTES];
        CHECK_OK(aclrtMemcpy(back, BYTES, data.device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
        unsigned wrong = 0;
        for (size_t i = 0; i < BYTES; i++) {
            const size_t item = i / (BYTES / ITEMS);
            const bool within = code == ACL_SUCCESS && i % (BYTES / ITEMS) < a.sizes[item];
            wrong += back[i] != (within && item < 2 ? pattern(i) : 9);
            wrong += other.host[i] != (within && item >= 2 ? 3 : pattern(i));
        }
        CHECK_EQUAL(wrong, 0);
    }
    end();
}

/* ---- reductions ----------------------------------------------------------------------------- */

static aclError reduce_ints(void *dst, const void *src, uint64_t bytes, int kind)
{
    return aclrtReduceAsync(dst, src, bytes, (aclrtReduceKind)kind, ACL_INT32, stream, NULL);
}

void test_reduce_arguments(void)
{
    static const int types[] = {ACL_DOUBLE, ACL_INT64, ACL_UINT64, ACL_BOOL, ACL_STRING, 99, -1};
    const int sum = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM;
    begin();
    CHECK_CODE(reduce_ints(NULL, other.device, 64, sum), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(reduce_ints(data.device, NULL, 64, sum), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtReduceAsync(data.device, other.device, 64, (aclrtReduceKind)sum, ACL_INT32,
                                stream, &data),
               ACL_ERROR_INVALID_PARAM);
    for (size_t i = 0; i < TWIN_COUNT(types); i++)
        CHECK_CODE(aclrtReduceAsync(data.device, other.device, 64, (aclrtReduceKind)sum,
                                    (aclDataType)types[i], stream, NULL),
                   ACL_ERROR_INVALID_PARAM);
    end();
}

void test_reduce_values(void)
{
    const int sum = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM;
    begin();
    CHECK_CODE(reduce_ints(data.device, other.device, 0, sum), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(reduce_ints(data.device, other.device, 64, 9), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(reduce_ints(data.device, other.device, 64, 14), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(reduce_ints(data.device, other.device, (4ull << 30) + 4, sum),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(reduce_ints(data.device, other.device, 62, sum), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(reduce_ints(data.device, other.device, 2 * BYTES, sum), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(reduce_ints(data.host, other.device, 64, sum), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(reduce_ints(data.device, other.host, 64, sum), ACL_ERROR_RT_PARAM_INVALID);
    end();
}

void test_reduce_not_offered(void)
{
    static const int types[] = {ACL_UINT8, ACL_UINT16, ACL_UINT32, ACL_INT4};
    begin();
    for (size_t i = 0; i < TWIN_COUNT(types); i++)
        CHECK_CODE(aclrtReduceAsync(data.device, other.device, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
                                    (aclDataType)types[i], stream, NULL),
                   ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(reduce_ints(data.device, other.device, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtSynchronizeStream(stream));
    end();
}

void test_reduce_alignment(void)
{
    const int sum = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM;
    begin();
    CHECK_CODE(reduce_ints(data.device + 2, other.device, 64, sum), ACL_ERROR_RT_ADDR_UNALIGNED);
    CHECK_CODE(reduce_ints(data.device, other.device + 1, 64, sum), ACL_ERROR_RT_ADDR_UNALIGNED);
    CHECK_CODE(aclrtReduceAsync(data.device + 1, other.device, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX,
                                ACL_FLOAT16, stream, NULL),
               ACL_ERROR_RT_ADDR_UNALIGNED);
    CHECK_OK(aclrtReduceAsync(data.device + 1, other.device + 3, 64,
                              ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX, ACL_INT8, stream, NULL));
    CHECK_OK(aclrtSynchronizeStream(stream));
    end();
}

/* The sum, then the largest, then the smallest of two rows, in stream order after the copy that
 * brings one. */
void test_reduce_in_order(void)
{
    enum { COUNT = BYTES / 4 };
    twin_hold hold;
    begin();
    int32_t *a = (int32_t *)(void *)data.host;
    int32_t *b = (int32_t *)(void *)other.host;
    for (int32_t i = 0; i < COUNT; i++) {
        a[i] = i - COUNT / 2;
        b[i] = 3 * i - COUNT;
    }
    CHECK_OK(aclrtMemcpy(other.device, BYTES, other.host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    twin_hold_begin(&hold, stream);
    CHECK_OK(
        aclrtMemcpyAsync(data.device, BYTES, data.host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK_OK(reduce_ints(data.device, other.device, BYTES / 3, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM));
    CHECK_OK(reduce_ints(data.device + BYTES / 3, other.device + BYTES / 3, BYTES / 3,
                         ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX));
    CHECK_OK(reduce_ints(data.device + BYTES / 3 * 2, other.device + BYTES / 3 * 2, BYTES / 3,
                         ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN));
    CHECK(!twin_idle(stream));
    twin_hold_end(&hold, opener);
    int32_t back[COUNT];
    CHECK_OK(aclrtMemcpy(back, BYTES, data.device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    unsigned wrong = 0;
    for (int32_t i = 0; i < COUNT; i++) {
        int32_t x = i - COUNT / 2;
        int32_t y = 3 * i - COUNT;
        int32_t want = i < COUNT / 3 ? x + y : i < COUNT / 3 * 2 ? (x > y ? x : y) : x < y ? x : y;
        wrong += back[i] != want;
    }
    CHECK_EQUAL(wrong, 0);
    end();
}

/* Each element twice itself; any other overlap is refused, as of copies, and changes nothing. */
void test_reduce_overlap(void)
{
    enum { COUNT = BYTES / 4 };
    const int sum = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM;
    begin();
    int32_t *a = (int32_t *)(void *)data.host;
    for (int32_t i = 0; i < COUNT; i++)
        a[i] = i - 3;
    CHECK_OK(aclrtMemcpy(data.device, BYTES, data.host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_CODE(reduce_ints(data.device + 4, data.device, 64, sum), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(reduce_ints(data.device, data.device + 60, 64, sum), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(reduce_ints(data.device, data.device, BYTES, sum));
    CHECK_OK(aclrtSynchronizeStream(stream));
    twin_buffer_read(&data);
    unsigned wrong = 0;
    for (int32_t i = 0; i < COUNT; i++)
        wrong += a[i] != 2 * (i - 3);
    CHECK_EQUAL(wrong, 0);
    CHECK_OK(reduce_ints(data.device, data.device + 64, 64, sum)); /* they only touch */
    CHECK_OK(aclrtSynchronizeStream(stream));
    end();
}

void test_reduce_floats(void)
{
    begin();
    float *a = (float *)(void *)data.host;
    float *b = (float *)(void *)other.host;
    for (unsigned i = 0; i < BYTES / 4; i++) {
        a[i] = (float)i * 0.25f;
        b[i] = (float)i * 0.5f;
    }
    CHECK_OK(aclrtMemcpy(data.device, BYTES, data.host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_OK(aclrtMemcpy(other.device, BYTES, other.host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_OK(aclrtReduceAsync(data.device, other.device, BYTES, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
                              ACL_FLOAT, NULL, NULL));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    twin_buffer_read(&data);
    unsigned wrong = 0;
    for (unsigned i = 0; i < BYTES / 4; i++)
        wrong += a[i] != (float)i * 0.75f; /* exact */
    CHECK_EQUAL(wrong, 0);
    end();
}
