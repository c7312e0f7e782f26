/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: allocation here, synchronous copies in memory_copy.c, asynchronous ones in
 * memory_async.c. */
#include "memory_tests.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

#define GIB ((size_t)1 << 30)

static void *allocate(size_t bytes)
{
    void *memory = NULL;
    CHECK_OK(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    return memory;
}

static size_t free_bytes(aclrtMemAttr attribute)
{
    size_t left = 0;
    size_t total = 0;
    CHECK_OK(aclrtGetMemInfo(attribute, &left, &total));
    CHECK(total >= left);
    return left;
}

/* ---- device memory -------------------------------------------------------------------------- */

/* MEM-39: not every part does. */
static bool has_giant_pages(void)
{
    size_t left = 0, total = 0;
    return aclrtGetMemInfo(ACL_HBM_MEM_HUGE1G, &left, &total) != ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
}

static void test_allocation(void)
{
    static const aclrtMemMallocPolicy policies[] = {
        ACL_MEM_MALLOC_HUGE_FIRST,     ACL_MEM_MALLOC_HUGE_ONLY,     ACL_MEM_MALLOC_NORMAL_ONLY,
        ACL_MEM_MALLOC_HUGE_FIRST_P2P, ACL_MEM_MALLOC_HUGE_ONLY_P2P, ACL_MEM_MALLOC_NORMAL_ONLY_P2P,
        ACL_MEM_MALLOC_HUGE1G_ONLY,    ACL_MEM_TYPE_LOW_BAND_WIDTH,  ACL_MEM_TYPE_HIGH_BAND_WIDTH};
    static const size_t sizes[] = {1, 31, 4096, 2 << 20, (2 << 20) + 1};
    CHECK_OK(aclrtSetDevice(0));
    for (size_t p = 0; p < TWIN_COUNT(policies); p++)
        for (size_t s = 0; s < TWIN_COUNT(sizes); s++) {
            void *memory = NULL;
            if (policies[p] == ACL_MEM_MALLOC_HUGE1G_ONLY && !has_giant_pages())
                continue;
            if (!CHECK_OK(aclrtMalloc(&memory, sizes[s], policies[p])))
                continue;
            CHECK(memory != NULL && (uintptr_t)memory % 64 == 0);
            CHECK_OK(aclrtMemset(memory, sizes[s], 1, sizes[s]));
            CHECK_OK(aclrtFree(memory));
        }
    CHECK_OK(aclrtResetDevice(0));
}

static void malloc_null_without_context(void *unused)
{
    (void)unused;
    CHECK_CODE(aclrtMalloc(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
}

static void test_null_output(void)
{
    twin_on_thread(malloc_null_without_context, NULL);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtMalloc(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMalloc(NULL, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMallocAlign32(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMallocCached(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_size_0(void)
{
    void *const before = (void *)(uintptr_t)0x55;
    void *memory = before;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMallocAlign32(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMallocCached(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    CHECK(memory == before);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_size_that_wraps(void)
{
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 31, SIZE_MAX - 63};
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < TWIN_COUNT(sizes); i++) {
        void *memory = NULL;
        CHECK_CODE(aclrtMalloc(&memory, sizes[i], ACL_MEM_MALLOC_HUGE_FIRST),
                   ACL_ERROR_INVALID_PARAM);
        CHECK(memory == NULL);
    }
    CHECK_OK(aclrtResetDevice(0));
}

/* The first `usable` bytes can be filled and read; nothing else is touched. */
static void check_usable(void *memory, size_t usable)
{
    uint8_t *copy = malloc(usable);
    CHECK_OK(aclrtMemset(memory, usable, 0x2e, usable));
    CHECK_OK(aclrtMemcpy(copy, usable, memory, usable, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_BYTES(copy, 0x2e, usable);
    free(copy);
}

static void test_padding(void)
{
    static const struct {
        size_t asked;
        size_t usable;
    } cases[] = {{1, 64}, {32, 64}, {33, 96}, {64, 96}, {4096, 4128}};
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < TWIN_COUNT(cases); i++) {
        void *memory = allocate(cases[i].asked);
        check_usable(memory, cases[i].usable);
        CHECK_OK(aclrtFree(memory));
    }
    CHECK_OK(aclrtResetDevice(0));
}

static void test_huge_1g_is_not_padded(void)
{
    void *memory = NULL;
    CHECK_OK(aclrtSetDevice(0));
    size_t before = free_bytes(ACL_HBM_MEM);
    if (has_giant_pages() && CHECK_OK(aclrtMalloc(&memory, GIB, ACL_MEM_MALLOC_HUGE1G_ONLY))) {
        CHECK_EQUAL(before - free_bytes(ACL_HBM_MEM), GIB); /* one page, not two */
        CHECK_OK(aclrtFree(memory));
    }
    CHECK_OK(aclrtResetDevice(0));
}

static void test_align32(void)
{
    void *memory = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtMallocAlign32(&memory, 33, ACL_MEM_MALLOC_HUGE_FIRST));
    check_usable(memory, 64);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_cached(void)
{
    void *memory = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtMallocCached(&memory, 33, ACL_MEM_MALLOC_HUGE_FIRST));
    check_usable(memory, 96);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtMallocCached(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST_P2P));
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtMallocCached(&memory, 64, (aclrtMemMallocPolicy)77));
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_unknown_policy(void)
{
    static const unsigned policies[] = {ACL_MEM_MALLOC_HUGE_FIRST | ACL_MEM_TYPE_HIGH_BAND_WIDTH,
                                        77, 0x7fffffff};
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < TWIN_COUNT(policies); i++) {
        void *memory = NULL;
        CHECK_OK(aclrtMalloc(&memory, 64, (aclrtMemMallocPolicy)policies[i]));
        CHECK_OK(aclrtFree(memory));
    }
    CHECK_OK(aclrtResetDevice(0));
}

/* Takes device memory in pieces of 1 GiB until the device refuses; answers how many it gave. */
static unsigned take_all(void **pieces, unsigned most, aclrtMemMallocPolicy policy, aclError *code)
{
    unsigned taken = 0;
    *code = ACL_SUCCESS;
    while (taken < most && (*code = aclrtMalloc(&pieces[taken], GIB, policy)) == ACL_SUCCESS)
        taken++;
    return taken;
}

static void check_exhaustion(aclrtMemMallocPolicy policy, bool smaller_fits)
{
    enum { MOST = 256 };
    static void *pieces[MOST];
    aclError code = ACL_SUCCESS;
    CHECK_OK(aclrtSetDevice(0));
    void *early = allocate(4096);
    size_t before = free_bytes(ACL_HBM_MEM);
    unsigned taken = take_all(pieces, MOST, policy, &code);
    CHECK(taken > 0 && taken < MOST);
    CHECK_CODE(code, ACL_ERROR_RT_MEMORY_ALLOCATION);
    if (smaller_fits) {
        void *small = allocate(4096);
        check_usable(small, 4096);
        CHECK_OK(aclrtFree(small));
    }
    check_usable(early, 4096);
    if (taken > 0)
        check_usable(pieces[taken - 1], 4096);
    for (unsigned i = 0; i < taken; i++)
        CHECK_OK(aclrtFree(pieces[i]));
    CHECK_EQUAL(free_bytes(ACL_HBM_MEM), before);
    void *late = allocate(GIB);
    CHECK_OK(aclrtFree(late));
    CHECK_OK(aclrtFree(early));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_exhaustion(void)
{
    check_exhaustion(ACL_MEM_MALLOC_HUGE_FIRST, true);
}

static void test_exhausted_page_class(void)
{
    check_exhaustion(ACL_MEM_MALLOC_HUGE_ONLY, false);
    CHECK_OK(aclrtSetDevice(0));
    const bool giant = has_giant_pages();
    CHECK_OK(aclrtResetDevice(0));
    if (giant)
        check_exhaustion(ACL_MEM_MALLOC_HUGE1G_ONLY, false);
}

static void malloc_without_context(void *unused)
{
    (void)unused;
    void *memory = NULL;
    size_t left = 0;
    size_t total = 0;
    CHECK_CODE(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtMallocAlign32(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST),
               ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtMallocCached(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST),
               ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtMallocHost(&memory, 64), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK(memory == NULL);
}

static void test_no_context(void)
{
    twin_on_thread(malloc_without_context, NULL);
}

static void test_allocation_does_not_wait(void)
{
    twin_hold hold;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream held = twin_stream();
    aclrtStream opener = twin_stream();
    twin_hold_begin(&hold, held);
    void *memory = allocate(1 << 20);
    CHECK(!twin_idle(held));
    CHECK_OK(aclrtFree(memory));
    twin_hold_end(&hold, opener);
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(held));
    CHECK_OK(aclrtResetDevice(0));
}

/* Programs that rely on zeros must not get away with it. */
static void test_fresh_memory_is_not_zero(void)
{
    uint8_t content[4096];
    bool zero = true;
    CHECK_OK(aclrtSetDevice(0));
    void *memory = allocate(sizeof(content));
    CHECK_OK(
        aclrtMemcpy(content, sizeof(content), memory, sizeof(content), ACL_MEMCPY_DEVICE_TO_HOST));
    for (size_t i = 0; i < sizeof(content); i++)
        zero = zero && content[i] == 0;
    CHECK(!zero);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtResetDevice(0));
}

/* A copy under way has not written yet, nor made its target readable as zeros. */
static void test_target_of_a_running_copy_is_still_fresh(void)
{
    enum {
        BYTES = 16 << 20,
        POLLS = 12
    }; /* few enough for the clock to advance by their cost alone */
    uint8_t content[4096];
    void *source = NULL;
    size_t zeros = 0;
    size_t copied = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtMallocHost(&source, BYTES));
    memset(source, 0x3c, BYTES);
    void *memory = allocate(BYTES);
    CHECK_OK(aclrtMemcpyAsync(memory, BYTES, source, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    for (int i = 0; i < POLLS; i++)
        (void)twin_idle(stream);
    CHECK_OK(
        aclrtMemcpy(content, sizeof(content), memory, sizeof(content), ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(!twin_idle(stream));
    for (size_t i = 0; i < sizeof(content); i++) {
        zeros += content[i] == 0;
        copied += content[i] == 0x3c;
    }
    CHECK_EQUAL(zeros, 0);
    CHECK_EQUAL(copied, 0);
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(
        aclrtMemcpy(content, sizeof(content), memory, sizeof(content), ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(content[0] == 0x3c && content[sizeof(content) - 1] == 0x3c);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtFreeHost(source));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void child_touch(void)
{
    CHECK_OK(aclrtSetDevice(0));
    volatile uint8_t *memory = allocate(4096);
    memory[5] = 0x5c;
    uint8_t back = 0;
    CHECK_OK(aclrtMemcpy(&back, 1, (uint8_t *)memory + 5, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_EQUAL(back, 0x5c);
    CHECK_OK(aclrtFree((void *)memory));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_host_cannot_touch_device_memory(void)
{
    static const char *const guarded[] = {"TWINRT_DEVMEM=guarded", NULL};
    static const char *const open[] = {"TWINRT_DEVMEM=open", NULL};
    CHECK(twin_child_status("touch", guarded, NULL, 0) !=
          0); /* killed, or stopped by a sanitizer */
    twin_run_child("touch", open);
}

static void test_free_null(void)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtFreeHost(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_free_does_not_wait(void)
{
    twin_hold hold;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream held = twin_stream();
    aclrtStream opener = twin_stream();
    void *memory = allocate(4096);
    twin_hold_begin(&hold, held);
    CHECK_OK(aclrtMemsetAsync(memory, 4096, 1, 4096, held));
    CHECK_OK(aclrtFree(memory));
    CHECK(!twin_idle(held));
    twin_hold_end(&hold, opener); /* the task still had its pages */
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(held));
    CHECK_OK(aclrtResetDevice(0));
}

static void free_it(void *memory)
{
    CHECK_OK(aclrtFree(memory));
}

static void test_free_without_context(void)
{
    CHECK_OK(aclrtSetDevice(0));
    void *memory = allocate(4096);
    twin_on_thread(free_it, memory);
    CHECK_CODE(aclrtFree(memory), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_free_of_others(void)
{
    int local = 0;
    CHECK_OK(aclrtSetDevice(0));
    uint8_t *memory = allocate(4096);
    uint8_t *other = allocate(4096);
    void *pageable = malloc(64);
    CHECK_OK(aclrtMemset(other, 4096, 0x71, 4096));
    CHECK_CODE(aclrtFree(&local), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtFree(pageable), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtFree(memory + 64), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtFree((void *)(uintptr_t)0x1000), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtFree((void *)UINTPTR_MAX), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtFree(memory));
    CHECK_CODE(aclrtFree(memory), ACL_ERROR_RT_PARAM_INVALID);
    uint8_t byte = 0;
    CHECK_OK(aclrtMemcpy(&byte, 1, other + 4095, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_EQUAL(byte, 0x71);
    CHECK_OK(aclrtFree(other));
    free(pageable);
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- space ---------------------------------------------------------------------------------- */

static void test_space_arguments(void)
{
    size_t bytes = 0;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtGetMemInfo(ACL_HBM_MEM, NULL, &bytes), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetMemInfo(ACL_HBM_MEM, &bytes, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetMemInfo((aclrtMemAttr)99, &bytes, &bytes), ACL_ERROR_RT_INVALID_MEMORY_TYPE);
    CHECK_CODE(aclrtGetMemInfo((aclrtMemAttr)-1, &bytes, &bytes), ACL_ERROR_RT_INVALID_MEMORY_TYPE);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_space_follows_allocations(void)
{
    enum { BYTES = 64 << 20, HUGE_PAGE = 2 << 20 };
    CHECK_OK(aclrtSetDevice(0));
    size_t before = free_bytes(ACL_HBM_MEM);
    void *memory = allocate(BYTES);
    size_t during = free_bytes(ACL_HBM_MEM);
    CHECK(before - during >= BYTES);
    CHECK(before - during <= BYTES + HUGE_PAGE);
    CHECK_OK(aclrtFree(memory));
    CHECK_EQUAL(free_bytes(ACL_HBM_MEM), before);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_space_by_page_class(void)
{
    CHECK_OK(aclrtSetDevice(0));
    size_t all = free_bytes(ACL_HBM_MEM);
    size_t huge = free_bytes(ACL_HBM_MEM_HUGE);
    size_t normal = free_bytes(ACL_HBM_MEM_NORMAL);
    CHECK(all > 0 && all == huge + normal);
    (void)free_bytes(ACL_DDR_MEM); /* this part has none: any figure, no error */
    (void)free_bytes(ACL_DDR_MEM_HUGE);
    (void)free_bytes(ACL_DDR_MEM_NORMAL);
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- host memory ---------------------------------------------------------------------------- */

static void test_pinned_allocation(void)
{
    static const size_t sizes[] = {1, 64, 4096, 3 << 20};
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < TWIN_COUNT(sizes); i++) {
        void *memory = NULL;
        if (!CHECK_OK(aclrtMallocHost(&memory, sizes[i])))
            continue;
        CHECK((uintptr_t)memory % 64 == 0);
        memset(memory, 0x19, sizes[i]);
        CHECK_BYTES(memory, 0x19, sizes[i]);
        CHECK_OK(aclrtFreeHost(memory));
    }
    CHECK_OK(aclrtResetDevice(0));
}

static void test_pinned_arguments(void)
{
    void *memory = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtMallocHost(NULL, 64), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMallocHost(&memory, 0), ACL_ERROR_INVALID_PARAM);
    CHECK(memory == NULL);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_pinned_free_of_device_memory(void)
{
    CHECK_OK(aclrtSetDevice(0));
    void *memory = allocate(4096);
    CHECK_CODE(aclrtFreeHost(memory), ACL_ERROR_RT_PARAM_INVALID);
    check_usable(memory, 4096);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_pinned_free_does_not_wait(void)
{
    twin_hold hold;
    void *host = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream held = twin_stream();
    aclrtStream opener = twin_stream();
    void *memory = allocate(4096);
    CHECK_OK(aclrtMallocHost(&host, 4096));
    twin_hold_begin(&hold, held);
    CHECK_OK(aclrtMemcpyAsync(memory, 4096, host, 4096, ACL_MEMCPY_HOST_TO_DEVICE, held));
    CHECK_OK(aclrtFreeHost(host));
    CHECK(!twin_idle(held));
    twin_hold_end(&hold, opener);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(held));
    CHECK_OK(aclrtResetDevice(0));
}

static const twin_test tests[] = {
    {"MEM-01: every policy gives aligned, usable memory", test_allocation},
    {"MEM-02: a NULL output is refused before all else", test_null_output},
    {"MEM-03: size 0 is refused and the output stays", test_size_0},
    {"MEM-04: a size that wraps is refused", test_size_that_wraps},
    {"MEM-05: plain allocations are rounded to 32 and 32 more", test_padding},
    {"MEM-06: a page of 1 GiB is not padded", test_huge_1g_is_not_padded},
    {"MEM-07: the align32 form rounds to 32", test_align32},
    {"MEM-08: cached memory is like plain memory, odd policies count as default", test_cached},
    {"MEM-09: an unknown policy means the default", test_unknown_policy},
    {"MEM-10: more than 1 MiB with its padding has huge pages, less has normal ones",
     test_page_class_by_size},
    {"MEM-11: without huge pages, normal ones serve", test_fallback_to_normal_pages},
    {"MEM-12: an exhausted page class fails", test_exhausted_page_class},
    {"MEM-13: exhausted device memory fails without other effects", test_exhaustion},
    {"MEM-14, MEM-32, MEM-42: without a context there is no memory", test_no_context},
    {"MEM-15: allocating does not wait for streams", test_allocation_does_not_wait},
    {"MEM-15: fresh memory is not zero", test_fresh_memory_is_not_zero},
    {"MEM-15: the target of a running copy is still fresh",
     test_target_of_a_running_copy_is_still_fresh},
    {"code of the host cannot touch device memory, unless asked to be let",
     test_host_cannot_touch_device_memory},
    {"MEM-23, MEM-47: freeing NULL is refused", test_free_null},
    {"MEM-24: freeing does not wait for tasks that use the memory", test_free_does_not_wait},
    {"MEM-25: freeing needs no context", test_free_without_context},
    {"MEM-26: freeing memory that was not allocated, or twice, fails", test_free_of_others},
    {"MEM-28, MEM-29: the query of space refuses NULL and unknown attributes",
     test_space_arguments},
    {"MEM-30: free space follows allocations", test_space_follows_allocations},
    {"MEM-31: page classes add up, absent memory is not an error", test_space_by_page_class},
    {"MEM-40: pinned memory is aligned and the host's to use", test_pinned_allocation},
    {"MEM-41: pinned memory refuses NULL and size 0", test_pinned_arguments},
    {"MEM-48: device memory is not freed as pinned memory", test_pinned_free_of_device_memory},
    {"MEM-49: freeing pinned memory does not wait", test_pinned_free_does_not_wait},
    {"MEM-70: copying nothing succeeds, whatever the arguments", test_copy_of_nothing},
    {"MEM-71: copying from or to NULL is refused", test_copy_null},
    {"MEM-72: a copy longer than its destination is refused and writes nothing",
     test_copy_too_long},
    {"MEM-73: only the documented kinds are accepted", test_copy_kinds},
    {"MEM-74: the addresses decide, not the kind", test_copy_contradicting_kind},
    {"MEM-75: copies in all directions arrive before the call returns", test_copy_directions},
    {"MEM-76: a copy synchronises with no stream", test_copy_does_not_synchronise},
    {"MEM-77: a copy onto itself does nothing", test_copy_onto_itself},
    {"MEM-78: a copy needs a context", test_copy_without_context},
    {"MEM-81: a copy between devices without peer access does not pass off wrong data",
     test_copy_across_devices},
    {"MEM-90: copying nothing asynchronously succeeds, whatever the arguments",
     test_async_copy_of_nothing},
    {"MEM-91: an asynchronous copy refuses NULL and other kinds", test_async_copy_arguments},
    {"MEM-92: an asynchronous copy longer than its destination is refused",
     test_async_copy_too_long},
    {"MEM-93: NULL is the default stream", test_async_copy_default_stream},
    {"MEM-94: a stream of another context is refused", test_async_copy_foreign_stream},
    {"MEM-95: dead and foreign handles are refused", test_async_copy_dead_handle},
    {"MEM-96: a copy from pinned memory happens later, in stream order",
     test_async_copy_is_asynchronous},
    {"MEM-97: a copy from pageable memory has happened when the call returns",
     test_pageable_copy_is_synchronous},
    {"MEM-98: a copy from pageable memory returns an earlier task's failure",
     test_pageable_copy_reports_failure},
    {"MEM-99: the kind is corrected by the addresses", test_async_copy_corrects_kind},
    {"MEM-97: pageable memory that the process cannot touch is refused",
     test_untouchable_pageable_memory},
    {"MEM-100: kinds for a pageable source", test_pageable_source_kinds},
    {"MEM-101: kinds for a pageable destination", test_pageable_destination_kinds},
    {"MEM-102: an asynchronous copy from host to host is not supported", test_async_host_to_host},
    {"MEM-103: an asynchronous copy onto itself does nothing", test_async_copy_onto_itself},
    {"MEM-104: a buffered copy takes its source during the call", test_snapshot_copy},
    {"MEM-105: a buffered copy goes from host to device only", test_snapshot_copy_arguments},
    {"MEM-106: a buffered copy refuses a stream of a model instance",
     test_snapshot_copy_in_a_model},
    {"MEM-107: a copy larger than one piece is one operation", test_large_async_copy},
    {"MEM-150: filling nothing succeeds, filling NULL is refused", test_fill_of_nothing},
    {"MEM-151: a fill uses the low byte and stays in its range", test_fill_value_and_range},
    {"MEM-152: a fill longer than its range is refused", test_fill_too_long},
    {"MEM-153: a fill synchronises with no stream", test_fill_does_not_wait},
    {"MEM-154: an asynchronous fill runs in stream order, with any count and alignment",
     test_async_fill_any_range},
    {"MEM-155: an asynchronous fill refuses bad streams, NULL is the default stream",
     test_async_fill_arguments},
    {"MEM-120: a block without bytes succeeds, whatever the arguments", test_block_of_nothing},
    {"MEM-121, MEM-122: blocks refuse NULL, narrow pitches and other kinds", test_block_arguments},
    {"MEM-123, MEM-126: blocks are copied at once between host and device alone",
     test_block_within_the_device_at_once},
    {"MEM-124: blocks have limits and stay in their allocations", test_block_limits},
    {"MEM-125, MEM-126: rows go where they belong, gaps stay", test_block_copies},
    {"MEM-127: blocks are copied in stream order, with pageable memory at once", test_block_async},
    {"MEM-127: a block with more rows than a queue has room is one task", test_block_of_many_rows},
    {"MEM-125: blocks of random shape equal memcpy of each row", test_block_random},
    {"MEM-130, MEM-131: a batch without bytes succeeds", test_batch_of_nothing},
    {"MEM-132, MEM-133: bad batches copy nothing", test_batch_arguments},
    {"MEM-134: at once a batch has at most 4096 items", test_batch_too_long_at_once},
    {"MEM-135, MEM-136: an item that does not lie where it says is named", test_batch_places},
    {"MEM-137: a batch copies its items, in order with the rest of the stream", test_batch_copies},
    {"MEM-138: a batch in both directions is refused, or copies each way", test_batch_of_both},
    {"RED-01: reductions refuse NULL, reserved arguments and other types", test_reduce_arguments},
    {"RED-02: counts and kinds out of range are refused", test_reduce_values},
    {"RED-03: operations that the engine does not offer are not supported",
     test_reduce_not_offered},
    {"RED-05: addresses are aligned to elements", test_reduce_alignment},
    {"RED-04: sums, maxima and minima in stream order", test_reduce_in_order},
    {"a reduction onto itself is right, other overlaps are refused", test_reduce_overlap},
    {"RED-04: sums of floating point numbers on the default stream", test_reduce_floats},
};

static const twin_child children[] = {
    {"touch", child_touch},
};

static const twin_suite suite = {.name = "memory",
                                 .tests = tests,
                                 .test_count = TWIN_COUNT(tests),
                                 .children = children,
                                 .child_count = TWIN_COUNT(children),
                                 .initialise = true};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
