/* SPDX-License-Identifier: Apache-2.0 */
/* Memory in stream order: a stream allocates, uses and frees scratch memory in each step without a
 * wait of the host, and all steps use the same memory. Another stream gets it behind an event. */
#include "check.h"

#include "acl/acl_rt_memory_soma.h"

#define BYTES ((size_t)4 << 20)
#define STEPS 8

static uint64_t reserved(aclrtMemPool pool)
{
    uint64_t bytes = 0;
    CHECK(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT, &bytes));
    return bytes;
}

int main(void)
{
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    aclrtStream first = NULL;
    aclrtStream second = NULL;
    aclrtEvent done = NULL;
    CHECK(aclrtCreateStream(&first));
    CHECK(aclrtCreateStream(&second));
    CHECK(aclrtCreateEventExWithFlag(&done, ACL_EVENT_SYNC));

    void *input = NULL;
    void *output = NULL;
    CHECK(aclrtMallocHost(&input, BYTES));
    CHECK(aclrtMallocHost(&output, BYTES));
    pattern_fill(input, BYTES, 30);
    pattern_fill(output, BYTES, 31);

    /* As large as one step needs: the pool must use its memory again. */
    const aclrtMemPoolProps properties = {
        .allocType = ACL_MEM_ALLOCATION_TYPE_PINNED,
        .location = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE},
        .maxSize = 2 * BYTES};
    aclrtMemPool pool = NULL;
    CHECK(aclrtMemPoolCreate(&pool, &properties));
    uint32_t on = 1;
    CHECK(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, &on));

    for (int step = 0; step < STEPS; step++) {
        void *from = NULL;
        void *to = NULL;
        CHECK(aclrtMemPoolMallocAsync(&from, BYTES, pool, first));
        CHECK(aclrtMemPoolMallocAsync(&to, BYTES, pool, first));
        CHECK(aclrtMemcpyAsync(from, BYTES, input, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, first));
        CHECK(aclrtMemcpyAsync(to, BYTES, from, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, first));
        CHECK(aclrtMemcpyAsync(output, BYTES, to, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, first));
        CHECK(aclrtMemPoolFreeAsync(to, first));
        CHECK(aclrtMemPoolFreeAsync(from, first));
    }
    REQUIRE(reserved(pool) == 2 * BYTES);
    printf("queued %d steps of %zu bytes in a pool of %zu\n", STEPS, 2 * BYTES, 2 * BYTES);

    /* The other stream may have it after an event that comes after the frees. */
    void *taken = NULL;
    EXPECT(aclrtMemPoolMallocAsync(&taken, BYTES, pool, second), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK(aclrtRecordEvent(done, first));
    CHECK(aclrtStreamWaitEvent(second, done));
    CHECK(aclrtMemPoolMallocAsync(&taken, BYTES, pool, second));
    CHECK(aclrtMemsetAsync(taken, BYTES, 0, BYTES, second));
    CHECK(aclrtMemPoolFreeAsync(taken, second));
    printf("the second stream has the memory after the first one's event\n");

    CHECK(aclrtSynchronizeStream(second));
    REQUIRE(pattern_differences(output, BYTES, 30) == 0);
    printf("copied through the pool: %zu bytes verified\n", BYTES);
    REQUIRE(reserved(pool) == 0);
    printf("the pool has released its memory at the synchronisation\n");

    CHECK(aclrtMemPoolDestroy(pool));
    CHECK(aclrtFreeHost(output));
    CHECK(aclrtFreeHost(input));
    CHECK(aclrtDestroyEvent(done));
    CHECK(aclrtDestroyStream(second));
    CHECK(aclrtDestroyStream(first));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    printf("memory_pool: ok\n");
    return 0;
}
