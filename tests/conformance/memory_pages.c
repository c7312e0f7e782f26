/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of an allocation, seen by the free memory of each class. */
#include "memory_tests.h"
#include "suite.h"

#define MIB ((size_t)1 << 20)

static size_t left_of(aclrtMemAttr attribute)
{
    size_t left = 0;
    size_t total = 0;
    CHECK_OK(aclrtGetMemInfo(attribute, &left, &total));
    return left;
}

/* The largest size that is 1 MiB with its padding has normal pages, one byte more has huge ones. */
void test_page_class_by_size(void)
{
    static const struct {
        size_t bytes;
        bool huge;
    } rows[] = {{64, false}, {MIB - 32, false}, {MIB - 31, true}, {4 * MIB, true}};
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < TWIN_COUNT(rows); i++) {
        void *memory = NULL;
        const size_t normal = left_of(ACL_HBM_MEM_NORMAL);
        const size_t huge = left_of(ACL_HBM_MEM_HUGE);
        CHECK_OK(aclrtMalloc(&memory, rows[i].bytes, ACL_MEM_MALLOC_HUGE_FIRST));
        if (rows[i].huge)
            CHECK(left_of(ACL_HBM_MEM_HUGE) + rows[i].bytes <= huge);
        CHECK_EQUAL(left_of(ACL_HBM_MEM_NORMAL) == normal, rows[i].huge);
        CHECK_OK(aclrtFree(memory));
    }
    CHECK_OK(aclrtResetDevice(0));
}

static unsigned take_all(void **pieces, unsigned most, size_t bytes)
{
    unsigned taken = 0;
    while (taken < most &&
           aclrtMalloc(&pieces[taken], bytes, ACL_MEM_MALLOC_HUGE_ONLY) == ACL_SUCCESS)
        taken++;
    return taken;
}

/* With less than a huge page left. */
void test_fallback_to_normal_pages(void)
{
    enum { LARGE = 256, SMALL = 1024 };
    static void *large[LARGE];
    static void *small[SMALL];
    void *room = NULL;
    void *rest = NULL;
    void *memory = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtMalloc(&room, 2 * MIB - MIB / 4 - 32, ACL_MEM_MALLOC_NORMAL_ONLY));
    CHECK_OK(aclrtMalloc(&rest, MIB / 4 - 32, ACL_MEM_MALLOC_NORMAL_ONLY));
    const unsigned large_count = take_all(large, LARGE, 1024 * MIB);
    const unsigned small_count = take_all(small, SMALL, MIB);
    CHECK(large_count < LARGE && small_count < SMALL);
    CHECK_OK(aclrtFree(room));
    CHECK_CODE(aclrtMalloc(&memory, MIB + MIB / 2, ACL_MEM_MALLOC_HUGE_ONLY),
               ACL_ERROR_RT_MEMORY_ALLOCATION);
    if (CHECK_OK(aclrtMalloc(&memory, MIB + MIB / 2, ACL_MEM_MALLOC_HUGE_FIRST)))
        CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtFree(rest));
    for (unsigned i = 0; i < large_count; i++)
        CHECK_OK(aclrtFree(large[i]));
    for (unsigned i = 0; i < small_count; i++)
        CHECK_OK(aclrtFree(small[i]));
    CHECK_OK(aclrtResetDevice(0));
}
