/* SPDX-License-Identifier: Apache-2.0 */
/* Managed memory: arguments, advice, attributes, contents on both sides, prefetches. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

#define MIB    ((size_t)1 << 20)
#define PAGE   (2 * MIB)
#define GLOBAL ACL_RT_MEM_ATTACH_GLOBAL
#define WINDOW UINT64_C(0x90000000000)
#define TIB    ((uint64_t)1 << 40)

enum { EQ = 1, NONE = -2, ON_HOST = -1 };

static const aclrtMemManagedLocation host = {ACL_MEM_LOCATIONTYPE_HOST, 0};
static const aclrtMemManagedLocation device0 = {ACL_MEM_LOCATIONTYPE_DEVICE, 0};
static const aclrtMemManagedLocation nowhere = {ACL_MEM_LOCATIONTYPE_INVALID, 0};

static uint8_t *managed(size_t bytes)
{
    void *memory = NULL;
    CHECK_OK(aclrtMemAllocManaged(&memory, bytes, GLOBAL));
    return memory;
}

static int32_t attribute(aclrtMemManagedRangeAttribute which, const void *memory, size_t bytes)
{
    int32_t value = 77;
    CHECK_OK(aclrtMemManagedGetAttr(which, memory, bytes, &value, sizeof(value)));
    return value;
}

/* ---- allocation ------------------------------------------------------------------------------ */

static void test_arguments(void)
{
    void *const before = (void *)(uintptr_t)0x55;
    void *memory = before;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtMemAllocManaged(NULL, PAGE, GLOBAL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemAllocManaged(&memory, PAGE, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemAllocManaged(&memory, PAGE, 2), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemAllocManaged(&memory, 0, GLOBAL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemAllocManaged(&memory, 4 * TIB, GLOBAL), ACL_ERROR_RT_MEMORY_ALLOCATION);
    CHECK(memory == before);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_allocation(void)
{
    static const size_t sizes[] = {1, PAGE, PAGE + 1, 64 * MIB};
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < TWIN_COUNT(sizes); i++) {
        const size_t whole = (sizes[i] + PAGE - 1) / PAGE * PAGE;
        uint8_t *memory = managed(sizes[i]);
#ifndef TWIN_SANITIZED /* which has these addresses for itself */
        CHECK((uintptr_t)memory >= WINDOW && (uintptr_t)memory + whole <= WINDOW + 3 * TIB);
#endif
        CHECK_EQUAL((uintptr_t)memory % PAGE, 0);
        memset(memory, 5, whole); /* all of the pages is the program's */
        CHECK_OK(aclrtFree(memory));
        CHECK_CODE(aclrtFree(memory), ACL_ERROR_RT_PARAM_INVALID);
    }
    uint8_t *memory = managed(PAGE);
    CHECK_CODE(aclrtFree(memory + 64), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtFreeHost(memory), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- contents -------------------------------------------------------------------------------- */

/* Copies, fills and words, by host and device in turn, at one address. */
static void test_both_sides(void)
{
    twin_buffer buffer;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    uint8_t *memory = managed(2 * PAGE);
    uint64_t *word = (uint64_t *)(void *)(memory + PAGE);
    twin_buffer_make(&buffer, 4096, 1);
    for (uint8_t turn = 10; turn < 13; turn++) {
        memset(memory, turn, 2 * PAGE);
        CHECK_OK(aclrtMemcpyAsync(buffer.device, 4096, memory + PAGE - 2048, 4096,
                                  ACL_MEMCPY_HOST_TO_DEVICE, stream));
        CHECK_OK(aclrtValueWrite(word, turn, 0, stream));
        CHECK_OK(aclrtSynchronizeStream(stream));
        twin_buffer_read(&buffer);
        CHECK_BYTES(buffer.host, turn, 4096);
        CHECK_EQUAL(*word, turn);
        *word = turn + 100u;
        CHECK_OK(aclrtValueWait(word, turn + 100u, EQ, stream));
        CHECK_OK(aclrtMemsetAsync(memory, PAGE, turn + 50, PAGE, stream));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
        CHECK_BYTES(memory, (uint8_t)(turn + 50), PAGE);
        CHECK_OK(aclrtMemset(memory, PAGE, turn, PAGE));
        CHECK_BYTES(memory, turn, PAGE);
    }
    twin_buffer_free(&buffer);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* Copies with managed memory are in the order of their stream, in each direction. */
static void test_copies_in_order(void)
{
    twin_buffer buffer;
    twin_hold hold;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    uint8_t *a = managed(PAGE);
    uint8_t *b = managed(PAGE);
    uint8_t *pageable = malloc(4096);
    twin_buffer_make(&buffer, 4096, 1);
    memset(a, 2, PAGE);
    memset(b, 3, PAGE);
    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtMemcpyAsync(b, 4096, a, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    CHECK_OK(aclrtMemcpyAsync(a, 4096, buffer.device, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    CHECK_OK(aclrtMemcpyAsync(buffer.host, 4096, b, 4096, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK(!twin_idle(stream));
    CHECK_BYTES(a, 2, 4096);
    CHECK_BYTES(b, 3, 4096);
    twin_hold_end(&hold, NULL);
    CHECK_BYTES(a, 1, 4096);
    CHECK_BYTES(b, 2, 4096);
    CHECK_BYTES(buffer.host, 2, 4096);
    CHECK_OK(aclrtMemcpyAsync(pageable, 4096, a, 4096, ACL_MEMCPY_DEFAULT, stream));
    CHECK_BYTES(pageable, 1, 4096);
    CHECK_OK(aclrtMemcpy(b, 4096, pageable, 4096, ACL_MEMCPY_DEFAULT));
    CHECK_BYTES(b, 1, 4096);
    CHECK_OK(aclrtMemcpy2dAsync(b + 4096, 64, a, 32, 32, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_BYTES(b + 4096 + 7 * 64, 1, 32);
    CHECK_BYTES(b + 4096 + 32, 3, 32);
    CHECK_CODE(aclrtMemcpy(a, PAGE + 1, b, PAGE + 1, ACL_MEMCPY_DEFAULT),
               ACL_ERROR_RT_PARAM_INVALID);
    free(pageable);
    twin_buffer_free(&buffer);
    CHECK_OK(aclrtFree(a));
    CHECK_OK(aclrtFree(b));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- advice and attributes ------------------------------------------------------------------- */

static void test_advice_arguments(void)
{
    static const aclrtMemManagedLocation far = {ACL_MEM_LOCATIONTYPE_DEVICE, 999};
    static const aclrtMemManagedLocation negative = {ACL_MEM_LOCATIONTYPE_DEVICE, -1};
    const aclrtMemManagedAdviseType mostly = ACL_MEM_ADVISE_SET_READ_MOSTLY;
    const aclrtMemManagedAdviseType preferred = ACL_MEM_ADVISE_SET_PREFERRED_LOCATION;
    char other[64];
    CHECK_OK(aclrtSetDevice(0));
    uint8_t *memory = managed(2 * PAGE);
    CHECK_CODE(aclrtMemManagedAdvise(NULL, PAGE, mostly, host), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemManagedAdvise(memory, 0, mostly, host), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemManagedAdvise(memory, PAGE, (aclrtMemManagedAdviseType)6, host),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemManagedAdvise(memory, PAGE, preferred, far), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemManagedAdvise(memory, PAGE, preferred, negative),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemManagedAdvise(memory, PAGE, preferred, nowhere), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemManagedAdvise(other, sizeof(other), mostly, host),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemManagedAdvise(memory, PAGE / 2, mostly, host), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemManagedAdvise(memory + 64, PAGE, mostly, host), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemManagedAdvise(memory, 3 * PAGE, mostly, host), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_attribute_arguments(void)
{
    const aclrtMemManagedRangeAttribute mostly = ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
    int32_t values[2] = {5, 5};
    CHECK_OK(aclrtSetDevice(0));
    uint8_t *memory = managed(PAGE);
    CHECK_CODE(aclrtMemManagedGetAttr(mostly, NULL, PAGE, values, 4), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemManagedGetAttr(mostly, memory, PAGE, NULL, 4), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemManagedGetAttr(mostly, memory, 0, values, 4), ACL_ERROR_INVALID_PARAM);
    for (int which = 0; which < 10; which += 9)
        CHECK_CODE(
            aclrtMemManagedGetAttr((aclrtMemManagedRangeAttribute)which, memory, PAGE, values, 4),
            ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemManagedGetAttr(mostly, memory, PAGE, values, 8), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, memory, PAGE, values, 6),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemManagedGetAttr(mostly, values, 4, values, 4), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQUAL(values[0], 5);
    aclrtMemManagedRangeAttribute both[] = {mostly, ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION};
    void *data[] = {&values[0], &values[1]};
    size_t sizes[] = {4, 4};
    CHECK_CODE(aclrtMemManagedGetAttrs(NULL, 2, memory, PAGE, data, sizes),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemManagedGetAttrs(both, 2, memory, PAGE, NULL, sizes),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemManagedGetAttrs(both, 2, memory, PAGE, data, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtMemManagedGetAttrs(both, 2, memory, PAGE, data, sizes));
    CHECK_EQUAL(values[0], 0);
    CHECK_EQUAL(values[1], NONE);
    both[1] = (aclrtMemManagedRangeAttribute)9;
    CHECK_CODE(aclrtMemManagedGetAttrs(both, 2, memory, PAGE, data, sizes),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_read_mostly(void)
{
    const aclrtMemManagedRangeAttribute mostly = ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
    CHECK_OK(aclrtSetDevice(0));
    uint8_t *memory = managed(3 * PAGE);
    CHECK_EQUAL(attribute(mostly, memory, 3 * PAGE), 0);
    CHECK_OK(aclrtMemManagedAdvise(memory, 2 * PAGE, ACL_MEM_ADVISE_SET_READ_MOSTLY, nowhere));
    CHECK_EQUAL(attribute(mostly, memory, 2 * PAGE), 1);
    CHECK_EQUAL(attribute(mostly, memory + PAGE, 64), 1);
    CHECK_EQUAL(attribute(mostly, memory, 3 * PAGE), 0);
    CHECK_OK(aclrtMemManagedAdvise(memory, PAGE, ACL_MEM_ADVISE_UNSET_READ_MOSTLY, nowhere));
    CHECK_EQUAL(attribute(mostly, memory, 2 * PAGE), 0);
    CHECK_EQUAL(attribute(mostly, memory + PAGE, PAGE), 1);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_preferred_location(void)
{
    const aclrtMemManagedRangeAttribute where = ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION;
    const aclrtMemManagedRangeAttribute type = ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE;
    const aclrtMemManagedAdviseType set = ACL_MEM_ADVISE_SET_PREFERRED_LOCATION;
    CHECK_OK(aclrtSetDevice(0));
    uint8_t *memory = managed(4 * PAGE);
    CHECK_EQUAL(attribute(where, memory, 4 * PAGE), NONE);
    CHECK_EQUAL(attribute(type, memory, 4 * PAGE), ACL_MEM_LOCATIONTYPE_INVALID);
    CHECK_OK(aclrtMemManagedAdvise(memory, PAGE, set, device0));
    CHECK_OK(aclrtMemManagedAdvise(memory + PAGE, PAGE, set, host));
    CHECK_EQUAL(attribute(where, memory, PAGE), 0);
    CHECK_EQUAL(attribute(type, memory, PAGE), ACL_MEM_LOCATIONTYPE_DEVICE);
    CHECK_EQUAL(attribute(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID, memory, PAGE), 0);
    CHECK_EQUAL(attribute(where, memory + PAGE, PAGE), ON_HOST);
    CHECK_EQUAL(attribute(type, memory + PAGE, PAGE), ACL_MEM_LOCATIONTYPE_HOST);
    CHECK_EQUAL(attribute(where, memory, 2 * PAGE), NONE);
    CHECK_EQUAL(attribute(where, memory, 4 * PAGE), NONE);
    CHECK_OK(aclrtMemManagedAdvise(memory, PAGE, ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION, device0));
    CHECK_EQUAL(attribute(where, memory, PAGE), NONE);
    /* A page that the host has used is not on the device. */
    memory[2 * PAGE] = 1;
    CHECK_FAILS(aclrtMemManagedAdvise(memory + 2 * PAGE, PAGE, set, device0));
    CHECK_OK(aclrtMemManagedAdvise(memory + 2 * PAGE, PAGE, set, host));
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_accessed_by(void)
{
    int32_t list[4] = {9, 9, 9, 9};
    const aclrtMemManagedRangeAttribute by = ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY;
    CHECK_OK(aclrtSetDevice(0));
    uint8_t *memory = managed(2 * PAGE);
    CHECK_OK(aclrtMemManagedAdvise(memory, 2 * PAGE, ACL_MEM_ADVISE_SET_ACCESSED_BY, device0));
    CHECK_OK(aclrtMemManagedAdvise(memory, PAGE, ACL_MEM_ADVISE_SET_ACCESSED_BY, host));
    CHECK_OK(aclrtMemManagedGetAttr(by, memory, PAGE, list, sizeof(list)));
    CHECK((list[0] == ON_HOST && list[1] == 0) || (list[0] == 0 && list[1] == ON_HOST));
    CHECK(list[2] == NONE && list[3] == NONE);
    CHECK_OK(aclrtMemManagedGetAttr(by, memory, 2 * PAGE, list, sizeof(list)));
    CHECK(list[0] == 0 && list[1] == NONE);
    CHECK_OK(aclrtMemManagedAdvise(memory, 2 * PAGE, ACL_MEM_ADVISE_UNSET_ACCESSED_BY, device0));
    CHECK_OK(aclrtMemManagedGetAttr(by, memory, 2 * PAGE, list, 4));
    CHECK_EQUAL(list[0], NONE);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- prefetches ------------------------------------------------------------------------------ */

static void test_prefetch_arguments(void)
{
    static const aclrtMemManagedLocation far = {ACL_MEM_LOCATIONTYPE_DEVICE, 999};
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    uint8_t *memory = managed(2 * PAGE);
    CHECK_CODE(aclrtMemManagedPrefetchAsync(NULL, PAGE, device0, 0, stream),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemManagedPrefetchAsync(memory, 0, device0, 0, stream),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemManagedPrefetchAsync(memory, PAGE, device0, 1, stream),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemManagedPrefetchAsync(memory, PAGE, far, 0, stream),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemManagedPrefetchAsync(memory, 3 * PAGE, device0, 0, stream),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtMemManagedPrefetchAsync(memory, PAGE, device0, 0, NULL));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* It takes its place in the stream, and keeps the bytes. */
static void test_prefetch(void)
{
    const aclrtMemManagedRangeAttribute last = ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION;
    twin_hold hold;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    uint8_t *memory = managed(4 * PAGE);
    memset(memory, 6, 4 * PAGE);
    CHECK_EQUAL(attribute(last, memory, 4 * PAGE), NONE);
    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtMemManagedPrefetchAsync(memory, 4 * PAGE, device0, 0, stream));
    CHECK(!twin_idle(stream));
    twin_hold_end(&hold, NULL);
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_EQUAL(attribute(last, memory, 4 * PAGE), 0);
    CHECK_EQUAL(attribute(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE, memory, PAGE),
                ACL_MEM_LOCATIONTYPE_DEVICE);
    CHECK_BYTES(memory, 6, 4 * PAGE);
    CHECK_OK(aclrtMemManagedPrefetchAsync(memory, PAGE, host, 0, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_EQUAL(attribute(last, memory, PAGE), ON_HOST);
    CHECK_EQUAL(attribute(last, memory, 4 * PAGE), NONE);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_prefetch_batch(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    uint8_t *memory = managed(3 * PAGE);
    const void *ranges[] = {memory, memory + PAGE, memory + 2 * PAGE};
    size_t sizes[] = {PAGE, PAGE, PAGE};
    aclrtMemManagedLocation places[] = {device0, host};
    size_t indexes[] = {0, 2};
#define BATCH(r, s, c, p, i, n, f) aclrtMemManagedPrefetchBatchAsync(r, s, c, p, i, n, f, stream)
    CHECK_CODE(BATCH(NULL, sizes, 3, places, indexes, 2, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(BATCH(ranges, NULL, 3, places, indexes, 2, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(BATCH(ranges, sizes, 3, NULL, indexes, 2, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(BATCH(ranges, sizes, 3, places, NULL, 2, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(BATCH(ranges, sizes, 0, places, indexes, 2, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(BATCH(ranges, sizes, 3, places, indexes, 0, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(BATCH(ranges, sizes, 1, places, indexes, 2, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(BATCH(ranges, sizes, 3, places, indexes, 2, 1), ACL_ERROR_INVALID_PARAM);
    static const size_t wrong[][2] = {{1, 2}, {0, 0}, {0, 3}};
    for (size_t k = 0; k < TWIN_COUNT(wrong); k++) {
        size_t bad[] = {wrong[k][0], wrong[k][1]};
        CHECK_CODE(BATCH(ranges, sizes, 3, places, bad, 2, 0), ACL_ERROR_RT_PARAM_INVALID);
    }
    CHECK_OK(BATCH(ranges, sizes, 3, places, indexes, 2, 0));
#undef BATCH
    CHECK_OK(aclrtSynchronizeStream(stream));
    const aclrtMemManagedRangeAttribute last = ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION;
    CHECK_EQUAL(attribute(last, memory, 2 * PAGE), 0);
    CHECK_EQUAL(attribute(last, memory + 2 * PAGE, PAGE), ON_HOST);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* Prefetches that never ran: the stream is aborted, or destroyed by force. */
static void test_prefetch_dropped(void)
{
    twin_hold hold;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    uint8_t *memory = managed(PAGE);
    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtMemManagedPrefetchAsync(memory, PAGE, device0, 0, stream));
    CHECK_OK(aclrtStreamAbort(stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static const twin_test tests[] = {
    {"UVA-10: an allocation refuses bad arguments", test_arguments},
    {"UVA-11: whole pages in the documented window, freed as device memory", test_allocation},
    {"UVA-12: host and device see each other's bytes", test_both_sides},
    {"MEM-108: copies of managed memory are in the order of their stream", test_copies_in_order},
    {"UVA-13: advice refuses bad arguments", test_advice_arguments},
    {"UVA-14: pages that are mostly read", test_read_mostly},
    {"UVA-15: the preferred location", test_preferred_location},
    {"UVA-21: who accesses a range", test_accessed_by},
    {"UVA-16: attributes refuse bad arguments", test_attribute_arguments},
    {"UVA-17: a prefetch refuses bad arguments", test_prefetch_arguments},
    {"UVA-17: a prefetch in the order of its stream", test_prefetch},
    {"UVA-18: prefetches of many ranges", test_prefetch_batch},
    {"managed memory: a prefetch that is dropped", test_prefetch_dropped},
};

int main(int argc, char **argv)
{
    const twin_suite suite = {
        .name = "managed", .tests = tests, .test_count = TWIN_COUNT(tests), .initialise = true};
    return twin_suite_main(&suite, argc, argv);
}
