/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of pools share. */
#ifndef TWINRT_CONFORMANCE_POOL_TESTS_H
#define TWINRT_CONFORMANCE_POOL_TESTS_H

#include "acl/acl_rt_memory_soma.h"
#include "suite.h"

#define MIB     ((size_t)1 << 20)
#define GRANULE (2 * MIB)

static inline aclrtMemPoolProps properties(size_t size)
{
    return (aclrtMemPoolProps){.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED,
                               .location = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE},
                               .maxSize = size};
}

static inline aclrtMemPool make_pool(size_t size)
{
    const aclrtMemPoolProps props = properties(size);
    aclrtMemPool pool = NULL;
    CHECK_OK(aclrtMemPoolCreate(&pool, &props));
    CHECK(pool != NULL);
    return pool;
}

static inline uint64_t get(aclrtMemPool pool, aclrtMemPoolAttr attr)
{
    uint64_t value = 0;
    CHECK_OK(aclrtMemPoolGetAttr(pool, attr, &value));
    return value;
}

static inline uint64_t reserved(aclrtMemPool pool)
{
    return get(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT);
}

static inline uint64_t used(aclrtMemPool pool)
{
    return get(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT);
}

static inline void set_switch(aclrtMemPool pool, aclrtMemPoolAttr attr, uint32_t value)
{
    CHECK_OK(aclrtMemPoolSetAttr(pool, attr, &value));
}

static inline void set_threshold(aclrtMemPool pool, uint64_t bytes)
{
    CHECK_OK(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &bytes));
}

static inline void *take(aclrtMemPool pool, size_t bytes, aclrtStream stream)
{
    void *pointer = NULL;
    CHECK_OK(aclrtMemPoolMallocAsync(&pointer, bytes, pool, stream));
    CHECK(pointer != NULL);
    return pointer;
}

/* pool_reuse.c */
void test_reuse_in_stream(void);
void test_reuse_after_event(void);
void test_reuse_when_done(void);
void test_reuse_behind_wait(void);
void test_many(void);

#endif
