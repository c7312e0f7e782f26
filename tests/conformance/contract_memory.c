/* SPDX-License-Identifier: Apache-2.0 */
/* Filling host memory, batches of copies. */
#include "contract_tests.h"

enum { ITEM = 64, ITEMS = 3 };

void test_fill_of_host_memory(void)
{
    unsigned char *memory = NULL;
    twin_hold hold;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream(), releaser = twin_stream();
    CHECK_OK(aclrtMallocHost((void **)&memory, ITEM));
    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtMemsetAsync(memory, ITEM, 5, ITEM, releaser));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(releaser, SOON_MS));
    CHECK_BYTES(memory, 5, ITEM);
    /* The call returns, although the stream is held. */
    CHECK_OK(aclrtMemsetAsync(memory, ITEM, 6, ITEM, stream));
    twin_hold_end(&hold, releaser);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK_BYTES(memory, 6, ITEM);
    CHECK_OK(aclrtFreeHost(memory));
    CHECK_OK(aclrtDestroyStream(releaser));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* Three items from device memory that holds 9 to host memory that holds 1. */
typedef struct batch {
    unsigned char *device, *host;
    aclrtStream stream;
    void *to[ITEMS], *from[ITEMS];
    size_t room[ITEMS], bytes[ITEMS], indexes[1];
    aclrtMemcpyBatchAttr attributes[1];
} batch;

static void batch_begin(batch *b)
{
    *b = (batch){.indexes = {0}};
    CHECK_OK(aclrtSetDevice(0));
    b->stream = twin_stream();
    CHECK_OK(aclrtMalloc((void **)&b->device, ITEM * ITEMS, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMallocHost((void **)&b->host, ITEM * ITEMS));
    CHECK_OK(aclrtMemset(b->device, ITEM * ITEMS, 9, ITEM * ITEMS));
    for (size_t i = 0; i < ITEMS; i++) {
        b->to[i] = b->host + i * ITEM;
        b->from[i] = b->device + i * ITEM;
        b->room[i] = b->bytes[i] = ITEM;
    }
    for (size_t i = 0; i < ITEM * ITEMS; i++)
        b->host[i] = 1;
    b->attributes[0].dstLoc.type = ACL_MEM_LOCATION_TYPE_HOST;
    b->attributes[0].srcLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
}

static aclError batch_queue(batch *b, size_t *fail)
{
    return aclrtMemcpyBatchAsync(b->to, b->room, b->from, b->bytes, ITEMS, b->attributes,
                                 b->indexes, 1, fail, b->stream);
}

static void batch_end(batch *b)
{
    CHECK_OK(aclrtFreeHost(b->host));
    CHECK_OK(aclrtFree(b->device));
    CHECK_OK(aclrtDestroyStream(b->stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_batch_with_empty_item(void)
{
    batch b;
    size_t fail = 77;
    batch_begin(&b);
    b.bytes[1] = 0;
    CHECK_CODE(batch_queue(&b, &fail), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQUAL(fail, 1);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(b.stream, SOON_MS));
    CHECK_BYTES(b.host, 9, ITEM);
    CHECK_BYTES(b.host + (size_t)2 * ITEM, 1, ITEM);
    batch_end(&b);
}

void test_batch_with_short_room(void)
{
    batch b;
    size_t fail = 77;
    batch_begin(&b);
    b.room[1] = ITEM - 1;
    CHECK_CODE(batch_queue(&b, &fail), ACL_ERROR_INVALID_PARAM);
    CHECK_EQUAL(fail, 77);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(b.stream, SOON_MS));
    CHECK_BYTES(b.host, 1, (size_t)ITEM * ITEMS);
    batch_end(&b);
}

void test_batch_count_limit(void)
{
    batch b;
    size_t fail = 77;
    batch_begin(&b);
    CHECK_CODE(aclrtMemcpyBatch(b.to, b.room, b.from, b.bytes, ITEMS, b.attributes, b.indexes,
                                SIZE_MAX, &fail),
               ACL_ERROR_INVALID_PARAM);
    batch_end(&b);
}
