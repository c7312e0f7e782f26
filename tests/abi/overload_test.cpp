/* SPDX-License-Identifier: Apache-2.0 */
/* The C++ overloads hand their arguments to the C functions. The C functions here are ours: they
 * write down what they were given; no runtime is linked. */
#include <cstdint>
#include <string>

#include "acl/acl_rt_api.h"
#include "support/cunit_main.h"

namespace
{
std::string called;
const void *given[3];
size_t sizes_given[3];
uint64_t number;

aclError note(const char *name, const void *first, const void *second, const void *third)
{
    called = name;
    given[0] = first;
    given[1] = second;
    given[2] = third;
    return ACL_ERROR_RT_NO_DEVICE; /* unlike success, it cannot come from anywhere else */
}
} // namespace

extern "C" {
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
    number = static_cast<uint64_t>(timeout);
    return note("SynchronizeStreamWithTimeout", stream, nullptr, nullptr);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
    number = flag;
    return note("CreateEventExWithFlag", event, nullptr, nullptr);
}

aclError aclrtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy,
                            aclrtMallocConfig *cfg)
{
    sizes_given[0] = size;
    number = policy;
    return note("MallocWithCfg", devPtr, cfg, nullptr);
}

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    sizes_given[0] = size;
    number = policy;
    return note("Malloc", devPtr, nullptr, nullptr);
}

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count,
                          aclrtMemcpyKind kind, aclrtStream stream)
{
    sizes_given[0] = destMax;
    sizes_given[1] = count;
    number = kind;
    return note("MemcpyAsync", dst, src, stream);
}

aclError aclrtMemcpyBatch(void **dsts, size_t *, void **srcs, size_t *, size_t,
                          aclrtMemcpyBatchAttr *, size_t *attrsIndexes, size_t numAttrs,
                          size_t *failIndex)
{
    sizes_given[0] = attrsIndexes[0];
    sizes_given[1] = numAttrs;
    return note("MemcpyBatch", dsts, srcs, failIndex);
}

aclError aclrtMemcpyBatchV2(void **dsts, size_t *, void **srcs, size_t *, size_t,
                            aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs)
{
    sizes_given[0] = attrsIndexes[0];
    sizes_given[1] = numAttrs;
    number = attrs->dstLoc.id;
    return note("MemcpyBatchV2", dsts, srcs, nullptr);
}

aclError aclrtMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                             aclrtMemcpyKind kind)
{
    sizes_given[0] = count;
    sizes_given[1] = offset;
    number = kind;
    return note("MemcpyToSymbol", symbol, src, nullptr);
}
}

static void test_timeout(void)
{
    int stream = 0;
    CU_ASSERT_EQUAL(aclrtSynchronizeStream(&stream, 17), ACL_ERROR_RT_NO_DEVICE);
    CU_ASSERT_EQUAL(called, "SynchronizeStreamWithTimeout");
    CU_ASSERT_PTR_EQUAL(given[0], &stream);
    CU_ASSERT_EQUAL(number, 17);
}

static void test_event(void)
{
    aclrtEvent event = nullptr;
    CU_ASSERT_EQUAL(aclrtCreateEvent(&event, ACL_EVENT_TIME_LINE), ACL_ERROR_RT_NO_DEVICE);
    CU_ASSERT_EQUAL(called, "CreateEventExWithFlag");
    CU_ASSERT_PTR_EQUAL(given[0], &event);
    CU_ASSERT_EQUAL(number, ACL_EVENT_TIME_LINE);
}

static void test_malloc(void)
{
    float *memory = nullptr;
    CU_ASSERT_EQUAL(aclrtMalloc(&memory, 12), ACL_ERROR_RT_NO_DEVICE);
    CU_ASSERT_EQUAL(called, "MallocWithCfg");
    CU_ASSERT_PTR_EQUAL(given[0], &memory);
    CU_ASSERT_PTR_NULL(given[1]);
    CU_ASSERT_EQUAL(sizes_given[0], 12);
    CU_ASSERT_EQUAL(number, ACL_MEM_MALLOC_HUGE_FIRST);
    CU_ASSERT_EQUAL(aclrtMalloc(&memory, 12, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_ERROR_RT_NO_DEVICE);
    CU_ASSERT_EQUAL(number, ACL_MEM_MALLOC_NORMAL_ONLY);
}

static void test_untyped_malloc(void)
{
    void *memory = nullptr;
    CU_ASSERT_EQUAL(aclrtMalloc(&memory, 12, ACL_MEM_MALLOC_HUGE_ONLY), ACL_ERROR_RT_NO_DEVICE);
    CU_ASSERT_EQUAL(called, "Malloc");
    CU_ASSERT_PTR_EQUAL(given[0], &memory);
}

static void test_copy(void)
{
    double to[2] = {};
    const short from[4] = {};
    int stream = 0;
    CU_ASSERT_EQUAL(aclrtMemcpyAsync(to, 16, from, 8, ACL_MEMCPY_HOST_TO_DEVICE, &stream),
                    ACL_ERROR_RT_NO_DEVICE);
    CU_ASSERT_EQUAL(called, "MemcpyAsync");
    CU_ASSERT_PTR_EQUAL(given[0], to);
    CU_ASSERT_PTR_EQUAL(given[1], from);
    CU_ASSERT_PTR_EQUAL(given[2], &stream);
    CU_ASSERT_EQUAL(sizes_given[0], 16);
    CU_ASSERT_EQUAL(sizes_given[1], 8);
    CU_ASSERT_EQUAL(number, ACL_MEMCPY_HOST_TO_DEVICE);
}

static void test_batch(void)
{
    float *to[1] = {};
    int *from[1] = {};
    size_t sizes[1] = {};
    size_t failed = 5;
    aclrtMemcpyBatchAttr attr = {};
    attr.dstLoc.id = 3;
    CU_ASSERT_EQUAL(aclrtMemcpyBatch(to, sizes, from, sizes, 1, attr), ACL_ERROR_RT_NO_DEVICE);
    CU_ASSERT_EQUAL(called, "MemcpyBatchV2");
    CU_ASSERT_PTR_EQUAL(given[0], to);
    CU_ASSERT_PTR_EQUAL(given[1], from);
    CU_ASSERT_EQUAL(sizes_given[0], 0);
    CU_ASSERT_EQUAL(sizes_given[1], 1);
    CU_ASSERT_EQUAL(number, 3);
    CU_ASSERT_EQUAL(aclrtMemcpyBatch(to, sizes, from, sizes, 1, attr, &failed),
                    ACL_ERROR_RT_NO_DEVICE);
    CU_ASSERT_EQUAL(called, "MemcpyBatch");
    CU_ASSERT_PTR_EQUAL(given[2], &failed);
}

static void test_symbol(void)
{
    static int table[4];
    int source = 0;
    CU_ASSERT_EQUAL(aclrtMemcpyToSymbol(table, &source, 4, 8, ACL_MEMCPY_HOST_TO_DEVICE),
                    ACL_ERROR_RT_NO_DEVICE);
    CU_ASSERT_EQUAL(called, "MemcpyToSymbol");
    CU_ASSERT_PTR_EQUAL(given[0], table);
    CU_ASSERT_PTR_EQUAL(given[1], &source);
    CU_ASSERT_EQUAL(sizes_given[0], 4);
    CU_ASSERT_EQUAL(sizes_given[1], 8);
}

static const twin_test tests[] = {
    {"a wait with a timeout is the function of that name", test_timeout},
    {"an event with a flag is of the reusable kind", test_event},
    {"typed memory is allocated with huge pages first, or as asked", test_malloc},
    {"untyped memory is allocated by the C function itself", test_untyped_malloc},
    {"a typed copy passes on both ranges, kind and stream", test_copy},
    {"one attribute holds for the whole batch, and a failure index is asked for", test_batch},
    {"a symbol is passed by its address", test_symbol},
};

int main(int argc, char **argv)
{
    return twin_run_suite("overload", tests, TWIN_COUNT(tests), argc, argv);
}
