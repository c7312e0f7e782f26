/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of memory that is allocated and freed in stream order. */
#include <stdio.h>

#include "pool_tests.h"

static size_t total_memory(void)
{
    size_t unused = 0, total = 0;
    CHECK_OK(aclrtGetMemInfo(ACL_HBM_MEM, &unused, &total));
    return total;
}

static size_t free_memory(void)
{
    size_t unused = 0, total = 0;
    CHECK_OK(aclrtGetMemInfo(ACL_HBM_MEM, &unused, &total));
    return unused;
}

/* ---- creation ------------------------------------------------------------------------------- */

static void check_refused(const aclrtMemPoolProps *props, aclError code)
{
    aclrtMemPool pool = NULL;
    CHECK_CODE(aclrtMemPoolCreate(&pool, props), code);
    CHECK(pool == NULL);
}

static void test_refused_creation(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtMemPool pool = NULL;
    aclrtMemPoolProps props = properties(4 * MIB);
    CHECK_CODE(aclrtMemPoolCreate(NULL, &props), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemPoolCreate(&pool, NULL), ACL_ERROR_INVALID_PARAM);
    props.allocType = (aclrtMemAllocationType)(ACL_MEM_ALLOCATION_TYPE_PINNED + 1);
    check_refused(&props, ACL_ERROR_INVALID_PARAM);
    props = properties(4 * MIB);
    props.location.type = ACL_MEM_LOCATION_TYPE_HOST;
    check_refused(&props, ACL_ERROR_INVALID_PARAM);
    for (size_t i = 0; i < sizeof(props.reserved); i += 31) {
        props = properties(4 * MIB);
        props.reserved[i] = 1;
        check_refused(&props, ACL_ERROR_INVALID_PARAM);
    }
    props = properties(4 * MIB);
    props.location.id = 77;
    check_refused(&props, ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_OK(aclrtResetDevice(0));
    props = properties(4 * MIB);
    check_refused(&props, ACL_ERROR_RT_CONTEXT_NULL);
}

/* Whether the threshold of a pool may be `bytes`: no more than its size. */
static aclError threshold(aclrtMemPool pool, uint64_t bytes)
{
    return aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &bytes);
}

static void check_size(size_t asked, size_t size)
{
    aclrtMemPool pool = make_pool(asked);
    CHECK_OK(threshold(pool, size));
    CHECK_CODE(threshold(pool, size + 1), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK_OK(aclrtMemPoolDestroy(pool));
}

static void test_size(void)
{
    CHECK_OK(aclrtSetDevice(0));
    const size_t total = total_memory();
    check_size(0, total / GRANULE * GRANULE);
    check_size(1, GRANULE);
    check_size(GRANULE, GRANULE);
    check_size(GRANULE + 1, 2 * GRANULE);
    aclrtMemPoolProps props = properties(total / GRANULE * GRANULE + 1);
    if (total % GRANULE == 0)
        check_refused(&props, ACL_ERROR_RT_PARAM_INVALID);
    props = properties(total + GRANULE);
    check_refused(&props, ACL_ERROR_RT_PARAM_INVALID);
    props = properties(SIZE_MAX);
    check_refused(&props, ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_destroyed(void)
{
    void *pointer = NULL;
    uint32_t number = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtMemPool pool = make_pool(4 * MIB);
    CHECK_CODE(aclrtMemPoolDestroy(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtMemPoolDestroy(pool));
    CHECK_CODE(aclrtMemPoolDestroy(pool), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK_CODE(aclrtMemPoolTrimTo(pool, 0), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK_CODE(aclrtMemPoolMallocAsync(&pointer, 1, pool, stream), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK_CODE(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, &number),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, &number),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK(pointer == NULL);
    CHECK_OK(aclrtDestroyStream(stream));
    pool = make_pool(4 * MIB);
    CHECK_OK(aclrtResetDevice(0)); /* which ends it */
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtMemPoolDestroy(pool), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- allocation ----------------------------------------------------------------------------- */

static void test_refused_allocation(void)
{
    char untouched;
    void *pointer = &untouched;
    CHECK_OK(aclrtSetDevice(0));
    aclrtMemPool pool = make_pool(8 * MIB);
    aclrtStream stream = twin_stream();
    CHECK_CODE(aclrtMemPoolMallocAsync(NULL, 1, pool, stream), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemPoolMallocAsync(&pointer, 1, NULL, stream), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemPoolMallocAsync(&pointer, 1, pool, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemPoolMallocAsync(&pointer, 0, pool, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemPoolMallocAsync(&pointer, SIZE_MAX, pool, stream),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK(pointer == &untouched);
    CHECK_OK(aclrtMemPoolDestroy(pool));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_nothing_asked(void)
{
    char untouched;
    void *pointer = &untouched;
    CHECK_OK(aclrtSetDevice(0));
    aclrtMemPool pool = make_pool(8 * MIB);
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtMemPoolMallocAsync(&pointer, 0, pool, stream));
    CHECK(pointer == &untouched);
    CHECK_EQUAL(used(pool), 0);
    CHECK_OK(aclrtMemPoolDestroy(pool));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_used_at_once(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtMemPool pool = make_pool(8 * MIB);
    aclrtStream stream = twin_stream();
    twin_buffer data;
    twin_buffer_make(&data, 4096, 1);
    uint8_t *memory = take(pool, 4096, stream);
    CHECK_EQUAL(used(pool), GRANULE);
    CHECK_EQUAL(reserved(pool), GRANULE);
    CHECK_OK(aclrtMemsetAsync(memory, GRANULE, 5, GRANULE, stream)); /* all of the granule */
    CHECK_OK(aclrtMemcpyAsync(data.host, 4096, memory + GRANULE - 4096, 4096,
                              ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK_OK(aclrtMemPoolFreeAsync(memory, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_BYTES(data.host, 5, 4096);
    CHECK_CODE(aclrtMemset(memory, 4096, 1, 4096), ACL_ERROR_RT_PARAM_INVALID); /* freed */
    twin_buffer_free(&data);
    CHECK_OK(aclrtMemPoolDestroy(pool));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_other_context_and_exhausted(void)
{
    aclrtContext mine = NULL, other = NULL;
    void *pointer = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&mine));
    aclrtMemPool pool = make_pool(4 * MIB);
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtCreateContext(&other, 0));
    CHECK_CODE(aclrtMemPoolMallocAsync(&pointer, 1, pool, stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(aclrtDestroyContext(other));
    CHECK_OK(aclrtSetCurrentContext(mine));
    void *first = take(pool, 2 * MIB, stream);
    void *second = take(pool, 2 * MIB, stream);
    CHECK_CODE(aclrtMemPoolMallocAsync(&pointer, 1, pool, stream), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK(pointer == NULL && first != second);
    CHECK_OK(aclrtMemPoolFreeAsync(second, stream));
    CHECK_CODE(aclrtMemPoolMallocAsync(&pointer, 4 * MIB, pool, stream),
               ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK_OK(aclrtMemPoolFreeAsync(first, stream));
    CHECK_OK(aclrtMemPoolDestroy(pool));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_CODE(aclrtMemPoolMallocAsync(&pointer, 1, pool, stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- free ----------------------------------------------------------------------------------- */

static void test_refused_free(void)
{
    int here = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtMemPool pool = make_pool(8 * MIB);
    aclrtStream stream = twin_stream();
    uint8_t *memory = take(pool, MIB, stream);
    CHECK_CODE(aclrtMemPoolFreeAsync(NULL, stream), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemPoolFreeAsync(NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemPoolFreeAsync(memory, NULL), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK_CODE(aclrtMemPoolFreeAsync(memory + 64, stream), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemPoolFreeAsync(&here, stream), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQUAL(used(pool), GRANULE);
    CHECK_OK(aclrtMemPoolFreeAsync(memory, stream));
    CHECK_CODE(aclrtMemPoolFreeAsync(memory, stream), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtMemPoolDestroy(pool));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_free_keeps_memory(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtMemPool pool = make_pool(16 * MIB);
    aclrtStream stream = twin_stream();
    void *memory = take(pool, 6 * MIB, stream);
    CHECK_EQUAL(used(pool), 6 * MIB);
    CHECK_EQUAL(reserved(pool), 6 * MIB);
    CHECK_OK(aclrtMemPoolFreeAsync(memory, stream));
    CHECK_EQUAL(used(pool), 0);
    CHECK_EQUAL(reserved(pool), 6 * MIB);
    CHECK_OK(aclrtMemPoolDestroy(pool));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_free_of_other_memory(void)
{
    void *memory = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtMemPool pool = make_pool(8 * MIB);
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtMalloc(&memory, 4 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemsetAsync(memory, MIB, 1, MIB, stream));
    CHECK_OK(aclrtMemPoolFreeAsync(memory, stream)); /* in stream order too */
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_CODE(aclrtFree(memory), ACL_ERROR_RT_PARAM_INVALID);
    memory = take(pool, 4 * MIB, stream);
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtFree(memory)); /* at once: the pool has it no longer */
    CHECK_EQUAL(used(pool), 0);
    CHECK_EQUAL(reserved(pool), 0);
    CHECK_OK(aclrtMemPoolDestroy(pool));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- attributes ----------------------------------------------------------------------------- */

static void test_refused_attributes(void)
{
    uint64_t value = 7;
    CHECK_OK(aclrtSetDevice(0));
    aclrtMemPool pool = make_pool(8 * MIB);
    CHECK_CODE(aclrtMemPoolSetAttr(NULL, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemPoolGetAttr(NULL, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, NULL),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, NULL),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemPoolSetAttr(&value, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQUAL(value, 7);
    CHECK_OK(aclrtMemPoolDestroy(pool));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_read_only(void)
{
    uint64_t value = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtMemPool pool = make_pool(8 * MIB);
    CHECK_CODE(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT, &value),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &value),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtMemPoolDestroy(pool));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_high_marks(void)
{
    uint64_t value = 1;
    CHECK_OK(aclrtSetDevice(0));
    aclrtMemPool pool = make_pool(16 * MIB);
    aclrtStream stream = twin_stream();
    void *memory = take(pool, 8 * MIB, stream);
    CHECK_OK(aclrtMemPoolFreeAsync(memory, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_EQUAL(get(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH), 8 * MIB);
    CHECK_EQUAL(get(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH), 8 * MIB);
    CHECK_CODE(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, &value),
               ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK_CODE(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH, &value),
               ACL_ERROR_RT_INTERNAL_ERROR);
    value = 0;
    CHECK_OK(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, &value));
    CHECK_OK(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH, &value));
    CHECK_EQUAL(get(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH), 0);
    CHECK_EQUAL(get(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH), 0);
    memory = take(pool, 2 * MIB, stream);
    CHECK_EQUAL(get(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH), 2 * MIB);
    CHECK_EQUAL(get(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH), 2 * MIB);
    CHECK_OK(aclrtMemPoolFreeAsync(memory, stream));
    CHECK_OK(aclrtMemPoolDestroy(pool));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_defaults(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtMemPool pool = make_pool(8 * MIB);
    for (int attr = ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES;
         attr <= ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES; attr++) {
        uint32_t words[2] = {9, 9}; /* 32 bits are written */
        CHECK_OK(aclrtMemPoolGetAttr(pool, (aclrtMemPoolAttr)attr, words));
        CHECK_EQUAL(words[0], 0);
        CHECK_EQUAL(words[1], 9);
        set_switch(pool, (aclrtMemPoolAttr)attr, 5);
        CHECK_OK(aclrtMemPoolGetAttr(pool, (aclrtMemPoolAttr)attr, words));
        CHECK_EQUAL(words[0], 1);
        set_switch(pool, (aclrtMemPoolAttr)attr, 0);
        CHECK_OK(aclrtMemPoolGetAttr(pool, (aclrtMemPoolAttr)attr, words));
        CHECK_EQUAL(words[0], 0);
    }
    for (int attr = ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD;
         attr <= ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH; attr++)
        CHECK_EQUAL(get(pool, (aclrtMemPoolAttr)attr), 0);
    set_threshold(pool, 4 * MIB);
    set_threshold(pool, 6 * MIB);
    CHECK_EQUAL(get(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD), 6 * MIB);
    CHECK_OK(aclrtMemPoolDestroy(pool));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_unknown_attribute(void)
{
    uint64_t value = 7;
    CHECK_OK(aclrtSetDevice(0));
    aclrtMemPool pool = make_pool(8 * MIB);
    for (int attr = 0; attr <= 9; attr += 9) {
        CHECK_CODE(aclrtMemPoolSetAttr(pool, (aclrtMemPoolAttr)attr, &value),
                   ACL_ERROR_RT_INTERNAL_ERROR);
        CHECK_CODE(aclrtMemPoolGetAttr(pool, (aclrtMemPoolAttr)attr, &value),
                   ACL_ERROR_RT_INTERNAL_ERROR);
    }
    CHECK_EQUAL(value, 7);
    CHECK_OK(aclrtMemPoolDestroy(pool));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- memory that goes back ------------------------------------------------------------------ */

static void test_trim(void)
{
    CHECK_OK(aclrtSetDevice(0));
    const size_t before = free_memory();
    aclrtMemPool pool = make_pool(16 * MIB);
    aclrtStream stream = twin_stream();
    twin_buffer data;
    twin_buffer_make(&data, 4096, 0);
    uint8_t *kept = take(pool, 4 * MIB, stream);
    void *freed = take(pool, 8 * MIB, stream);
    CHECK_OK(aclrtMemsetAsync(kept, 4 * MIB, 3, 4 * MIB, stream));
    CHECK_OK(aclrtMemPoolFreeAsync(freed, stream));
    CHECK_CODE(aclrtMemPoolTrimTo(NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemPoolTrimTo(pool, 18 * MIB), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK_CODE(aclrtMemPoolTrimTo(pool, 2 * MIB), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK_OK(aclrtMemPoolTrimTo(pool, 12 * MIB));
    CHECK_EQUAL(reserved(pool), 12 * MIB);
    CHECK_OK(aclrtMemPoolTrimTo(pool, 10 * MIB));
    CHECK_EQUAL(reserved(pool), 10 * MIB);
    CHECK_OK(aclrtMemPoolTrimTo(pool, 4 * MIB));
    CHECK_EQUAL(reserved(pool), 4 * MIB);
    CHECK_EQUAL(used(pool), 4 * MIB);
    CHECK_OK(aclrtMemcpyAsync(data.host, 4096, kept + 4 * MIB - 4096, 4096,
                              ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK_OK(aclrtMemPoolFreeAsync(kept, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_BYTES(data.host, 3, 4096);
    twin_buffer_free(&data);
    CHECK_OK(aclrtMemPoolTrimTo(pool, 0));
    CHECK_EQUAL(reserved(pool), 0);
    CHECK_EQUAL(free_memory(), before);
    CHECK_OK(aclrtMemPoolDestroy(pool));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_threshold(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtMemPool pool = make_pool(16 * MIB);
    aclrtStream stream = twin_stream();
    for (unsigned kept = 0; kept <= 4; kept += 2) {
        set_threshold(pool, kept * MIB);
        void *first = take(pool, 4 * MIB, stream);
        void *second = take(pool, 4 * MIB, stream);
        CHECK_OK(aclrtMemPoolFreeAsync(first, stream));
        CHECK_OK(aclrtMemPoolFreeAsync(second, stream));
        CHECK_EQUAL(reserved(pool), 8 * MIB);
        CHECK_OK(aclrtSynchronizeStream(stream));
        CHECK_EQUAL(reserved(pool), kept * MIB);
        CHECK_OK(aclrtMemPoolTrimTo(pool, 0)); /* the threshold does not hold it */
        CHECK_EQUAL(reserved(pool), 0);
    }
    void *memory = take(pool, 8 * MIB, stream); /* what is used stays */
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_EQUAL(reserved(pool), 8 * MIB);
    CHECK_OK(aclrtMemPoolFreeAsync(memory, stream));
    CHECK_OK(aclrtMemPoolDestroy(pool));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* KiB of shared memory that the process has in use. */
static unsigned long shared_kib(void)
{
    char line[256];
    unsigned long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    CHECK(status != NULL);
    while (fgets(line, sizeof(line), status))
        if (sscanf(line, "RssShmem: %lu", &kib) == 1)
            break;
    fclose(status);
    return kib;
}

/* Blocks of a pool that become smaller each time share its size; so do their pages on the host. */
static void test_smaller_each_time(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtMemPool pool = make_pool(32 * MIB);
    aclrtStream stream = twin_stream();
    set_threshold(pool, 32 * MIB);
    const unsigned long before = shared_kib();
    for (size_t i = 0; i < 15; i++) {
        const size_t bytes = 32 * MIB - i * GRANULE;
        void *memory = take(pool, bytes, stream);
        CHECK_OK(aclrtMemsetAsync(memory, bytes, 1, bytes, stream));
        CHECK_OK(aclrtMemPoolFreeAsync(memory, stream));
        CHECK_OK(aclrtSynchronizeStream(stream));
        CHECK(reserved(pool) <= 32 * MIB);
    }
    CHECK(shared_kib() <= before + 3 * 32 * 1024);
    CHECK_OK(aclrtMemPoolDestroy(pool));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_not_exported(void)
{
    char key[65];
    CHECK_OK(aclrtSetDevice(0));
    aclrtMemPool pool = make_pool(4 * MIB);
    aclrtStream stream = twin_stream();
    void *memory = take(pool, 4 * MIB, stream);
    CHECK_CODE(aclrtIpcMemGetExportKey(memory, 4 * MIB, key, sizeof(key), 0),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtMemPoolFreeAsync(memory, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtMemPoolDestroy(pool));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static const twin_test tests[] = {
    {"SOMA-01: properties that a pool cannot have", test_refused_creation},
    {"SOMA-02, SOMA-03: the size of a pool", test_size},
    {"SOMA-04: NULL is refused by an allocation", test_refused_allocation},
    {"SOMA-05: an allocation of nothing", test_nothing_asked},
    {"SOMA-06: memory is used by later tasks of the stream at once", test_used_at_once},
    {"SOMA-07: a stream of another context, and a pool without memory",
     test_other_context_and_exhausted},
    {"SOMA-07, SOMA-15, SOMA-18: a pool that was destroyed", test_destroyed},
    {"SOMA-08: what cannot be freed", test_refused_free},
    {"SOMA-09: a free leaves the memory to the pool", test_free_keeps_memory},
    {"SOMA-11: bad arguments for an attribute", test_refused_attributes},
    {"SOMA-12: attributes that are read only", test_read_only},
    {"SOMA-13: high-water marks are reset with 0", test_high_marks},
    {"SOMA-14: attributes at first, and after they are set", test_defaults},
    {"SOMA-15: a pool is trimmed", test_trim},
    {"SOMA-16: memory is reused in its stream", test_reuse_in_stream},
    {"SOMA-17: idle memory above the threshold goes back", test_threshold},
    {"SOMA-16: allocations that become smaller stay within the size of the pool",
     test_smaller_each_time},
    {"SOMA-16: memory of a pool is not exported", test_not_exported},
    {"SOMA-19: reuse in a stream that waited for an event", test_reuse_after_event},
    {"SOMA-20: reuse of what another stream is done with", test_reuse_when_done},
    {"SOMA-21: reuse behind a wait that is added", test_reuse_behind_wait},
    {"SOMA-22: memory of aclrtMalloc and of pools, freed either way", test_free_of_other_memory},
    {"SOMA-23: an attribute that does not exist", test_unknown_attribute},
    {"SOMA-06, SOMA-16: contents stay right when memory changes hands", test_many},
};

int main(int argc, char **argv)
{
    static const twin_suite suite = {
        .name = "pool", .tests = tests, .test_count = TWIN_COUNT(tests), .initialise = true};
    return twin_suite_main(&suite, argc, argv);
}
