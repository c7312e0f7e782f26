/* SPDX-License-Identifier: Apache-2.0 */
/* Memory with attributes, what an address is, and who has how much memory. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "suite.h"

#define MIB ((size_t)1 << 20)
#define GIB ((size_t)1 << 30)

static aclrtMallocAttribute module_id(uint16_t module)
{
    return (aclrtMallocAttribute){.attr = ACL_RT_MEM_ATTR_MODULE_ID, .value.moduleId = module};
}

static aclrtMallocAttribute device_id(uint32_t device)
{
    return (aclrtMallocAttribute){.attr = ACL_RT_MEM_ATTR_DEVICE_ID, .value.deviceId = device};
}

static aclrtMallocAttribute va_flag(uint32_t flag)
{
    return (aclrtMallocAttribute){.attr = ACL_RT_MEM_ATTR_VA_FLAG, .value.vaFlag = flag};
}

static aclrtMallocAttribute of_kind(int kind)
{
    return (aclrtMallocAttribute){.attr = (aclrtMallocAttrType)kind};
}

/* Bytes from the pointer to the end of its allocation. */
static size_t room_at(void *memory)
{
    void *base = NULL;
    size_t bytes = 0;
    CHECK_OK(aclrtMemGetAddressRange(memory, &base, &bytes));
    return bytes - (size_t)((char *)memory - (char *)base);
}

/* ---- allocation with attributes -------------------------------------------------------------- */

static void test_no_attributes(void)
{
    aclrtMallocConfig none = {.attrs = NULL, .numAttrs = 0};
    void *memory = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtMallocWithCfg(&memory, 100, ACL_MEM_MALLOC_HUGE_FIRST, NULL));
    CHECK(memory != NULL && (uintptr_t)memory % 64 == 0);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtMallocWithCfg(&memory, 100, ACL_MEM_MALLOC_HUGE_FIRST, &none));
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtMallocHostWithCfg(&memory, 100, NULL));
    memset(memory, 1, 100);
    CHECK_OK(aclrtFreeHost(memory));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_device_arguments(void)
{
    aclrtMallocConfig missing = {.attrs = NULL, .numAttrs = 1};
    void *memory = &missing;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtMallocWithCfg(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST, NULL),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMallocWithCfg(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST, &missing),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMallocWithCfg(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST, NULL),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMallocForTaskScheduler(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST, NULL),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMallocWithCfg(&memory, SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST, NULL),
               ACL_ERROR_INVALID_PARAM);
    CHECK(memory == &missing);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_no_padding(void)
{
    static const size_t sizes[][2] = {{1, 32}, {32, 32}, {33, 64}, {4096, 4096}};
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < TWIN_COUNT(sizes); i++) {
        void *memory = NULL;
        CHECK_OK(aclrtMallocWithCfg(&memory, sizes[i][0], ACL_MEM_MALLOC_HUGE_FIRST, NULL));
        CHECK_EQUAL(room_at(memory), sizes[i][1]);
        CHECK_OK(aclrtFree(memory));
    }
    CHECK_OK(aclrtResetDevice(0));
}

static void test_policy_bits(void)
{
    static const uint32_t bits[] = {ACL_MEM_TYPE_LOW_BAND_WIDTH, ACL_MEM_TYPE_HIGH_BAND_WIDTH,
                                    ACL_MEM_ACCESS_USER_SPACE_READONLY,
                                    ACL_MEM_TYPE_HIGH_BAND_WIDTH |
                                        ACL_MEM_ACCESS_USER_SPACE_READONLY};
    static const uint32_t pages[][2] = {{ACL_MEM_MALLOC_HUGE_FIRST, 4096},
                                        {ACL_MEM_MALLOC_HUGE_ONLY, 2 * MIB},
                                        {ACL_MEM_MALLOC_NORMAL_ONLY, 4096}};
    CHECK_OK(aclrtSetDevice(0));
    for (size_t p = 0; p < TWIN_COUNT(pages); p++)
        for (size_t b = 0; b < TWIN_COUNT(bits); b++) {
            void *memory = NULL;
            aclrtPtrAttributes attributes;
            CHECK_OK(aclrtMallocWithCfg(&memory, 100, (aclrtMemMallocPolicy)(pages[p][0] | bits[b]),
                                        NULL));
            CHECK_OK(aclrtPointerGetAttributes(memory, &attributes));
            CHECK_EQUAL(attributes.pageSize, pages[p][1]);
            CHECK_OK(aclrtMemset(memory, 100, 1, 100));
            CHECK_OK(aclrtFree(memory));
        }
    CHECK_OK(aclrtResetDevice(0));
}

static void test_other_device(void)
{
    void *memory = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtMallocAttribute one = device_id(0);
    aclrtMallocConfig config = {.attrs = &one, .numAttrs = 1};
    CHECK_OK(aclrtMallocWithCfg(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config));
    CHECK_OK(aclrtFree(memory));
    memory = NULL;
    const uint32_t others[] = {1, twin_device_count(), UINT32_MAX};
    for (size_t i = 0; i < TWIN_COUNT(others); i++) {
        one = device_id(others[i]);
        CHECK_CODE(aclrtMallocWithCfg(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config),
                   ACL_ERROR_RT_PARAM_INVALID);
    }
    CHECK(memory == NULL);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_device_attributes(void)
{
    static const int kinds[] = {ACL_RT_MEM_ATTR_VA_FLAG, 4, -1};
    void *memory = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtMallocAttribute one;
    aclrtMallocConfig config = {.attrs = &one, .numAttrs = 1};
    for (size_t i = 0; i < TWIN_COUNT(kinds); i++) {
        one = of_kind(kinds[i]);
        CHECK_CODE(aclrtMallocWithCfg(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config),
                   ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclrtMallocForTaskScheduler(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config),
                   ACL_ERROR_RT_PARAM_INVALID);
    }
    one = of_kind(ACL_RT_MEM_ATTR_RSV);
    CHECK_OK(aclrtMallocWithCfg(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config));
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_last_attribute_wins(void)
{
    void *memory = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtMallocAttribute list[] = {device_id(UINT32_MAX), device_id(0)};
    aclrtMallocConfig config = {.attrs = list, .numAttrs = 2};
    CHECK_OK(aclrtMallocWithCfg(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config));
    CHECK_OK(aclrtFree(memory));
    list[0] = device_id(0);
    list[1] = device_id(UINT32_MAX);
    CHECK_CODE(aclrtMallocWithCfg(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_scheduler_memory(void)
{
    void *memory = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtMallocForTaskScheduler(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST, NULL));
    CHECK_OK(aclrtMemset(memory, 64, 0, 64));
    if (twin_profile_offers("aclrtValueWrite")) {
        CHECK_OK(aclrtValueWrite(memory, 7, 0, stream));
        CHECK_OK(aclrtValueWait(memory, 7, 1, stream));
    }
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_host_attributes(void)
{
    void *memory = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtMallocAttribute list[] = {module_id(45), va_flag(0)};
    aclrtMallocConfig config = {.attrs = list, .numAttrs = 2};
    CHECK_OK(aclrtMallocHostWithCfg(&memory, 100, &config));
    memset(memory, 1, 100);
    CHECK_OK(aclrtFreeHost(memory));
    memory = NULL;
    const aclrtMallocAttribute refused[] = {device_id(0), of_kind(ACL_RT_MEM_ATTR_RSV),
                                            of_kind(17)};
    for (size_t i = 0; i < TWIN_COUNT(refused); i++) {
        list[1] = refused[i];
        CHECK_CODE(aclrtMallocHostWithCfg(&memory, 100, &config), ACL_ERROR_RT_PARAM_INVALID);
    }
    config = (aclrtMallocConfig){.attrs = NULL, .numAttrs = 0};
    CHECK_CODE(aclrtMallocHostWithCfg(&memory, 100, &config), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMallocHostWithCfg(&memory, 0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMallocHostWithCfg(NULL, 100, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK(memory == NULL);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_unified_host_memory(void)
{
    void *memory = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtMallocAttribute one = va_flag(1);
    aclrtMallocConfig config = {.attrs = &one, .numAttrs = 1};
    const aclError code = aclrtMallocHostWithCfg(&memory, 100, &config);
    if (twin_profile_offers("aclrtDeviceGetUuid")) { /* the parts that have one address for both */
        void *mapped = NULL;
        CHECK_CODE(code, ACL_SUCCESS);
        CHECK_OK(aclrtHostRegister(memory, 100, ACL_HOST_REGISTER_MAPPED, &mapped));
        CHECK(mapped == memory);
        CHECK_OK(aclrtHostUnregister(memory));
        CHECK_OK(aclrtFreeHost(memory));
    } else {
        CHECK_CODE(code, ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
        CHECK(memory == NULL);
    }
    CHECK_OK(aclrtResetDevice(0));
}

static void allocate_without_context(void *unused)
{
    (void)unused;
    void *memory = NULL;
    uint32_t result = 7;
    CHECK_CODE(aclrtMallocWithCfg(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST, NULL),
               ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtMallocForTaskScheduler(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST, NULL),
               ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtMallocHostWithCfg(&memory, 64, NULL), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtFreeWithDevSync(&memory), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtFreeHostWithDevSync(&memory), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtCheckMemType(&memory, 1, ACL_RT_MEM_TYPE_DEV, &result, 0),
               ACL_ERROR_RT_CONTEXT_NULL);
    CHECK(memory == NULL && result == 0);
}

static void test_no_context(void)
{
    twin_on_thread(allocate_without_context, NULL);
}

/* ---- frees that wait ------------------------------------------------------------------------- */

#define LONG_BYTES (64 * MIB)

static void test_free_waits(void)
{
    void *memory = NULL;
    void *pinned = NULL;
    CHECK_CODE(aclrtFreeWithDevSync(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtFreeHostWithDevSync(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream streams[] = {twin_stream(), twin_stream()};
    for (int host = 0; host < 2; host++) {
        CHECK_OK(aclrtMalloc(&memory, LONG_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK_OK(aclrtMallocHost(&pinned, LONG_BYTES));
        for (int i = 0; i < 2; i++)
            CHECK_OK(aclrtMemcpyAsync(memory, LONG_BYTES, pinned, LONG_BYTES,
                                      ACL_MEMCPY_HOST_TO_DEVICE, streams[i]));
        CHECK(!twin_idle(streams[1]));
        CHECK_OK(host ? aclrtFreeHostWithDevSync(pinned) : aclrtFreeWithDevSync(memory));
        CHECK(twin_idle(streams[0]) && twin_idle(streams[1]));
        CHECK_OK(host ? aclrtFree(memory) : aclrtFreeHost(pinned));
    }
    CHECK_CODE(aclrtFreeWithDevSync(&memory), ACL_ERROR_RT_PARAM_INVALID);
    for (int i = 0; i < 2; i++)
        CHECK_OK(aclrtDestroyStream(streams[i]));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- who has how much ------------------------------------------------------------------------ */

#define USES_MOST 256

/* What the module of that name has; the list is sorted. */
static aclrtMemUsageInfo use_of(const char *name)
{
    static aclrtMemUsageInfo list[USES_MOST];
    aclrtMemUsageInfo found = {.curMemSize = 0};
    size_t count = 0;
    CHECK_OK(aclrtGetMemUsageInfo(0, list, USES_MOST, &count));
    CHECK(count <= USES_MOST);
    for (size_t i = 0; i < count; i++) {
        CHECK(i == 0 || list[i].curMemSize <= list[i - 1].curMemSize);
        CHECK(list[i].memPeakSize >= list[i].curMemSize);
        if (strcmp(list[i].name, name) == 0)
            found = list[i];
    }
    return found;
}

static void test_usage_arguments(void)
{
    aclrtMemUsageInfo use;
    size_t count = 7;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtGetMemUsageInfo(0, NULL, 1, &count), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetMemUsageInfo(0, &use, 1, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQUAL(count, 7);
    CHECK_CODE(aclrtGetMemUsageInfo(0, &use, 0, &count), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQUAL(count, 0);
    CHECK_CODE(aclrtGetMemUsageInfo(-1, &use, 1, &count), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtGetMemUsageInfo((int32_t)twin_device_count(), &use, 1, &count),
               ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_usage_by_module(void)
{
    void *large = NULL;
    void *small = NULL;
    CHECK_OK(aclrtSetDevice(0));
    aclrtMallocAttribute one = module_id(45); /* GE */
    aclrtMallocConfig config = {.attrs = &one, .numAttrs = 1};
    const uint64_t before = use_of("APP").curMemSize;
    CHECK_OK(aclrtMallocWithCfg(&large, 6 * MIB, ACL_MEM_MALLOC_HUGE_ONLY, &config));
    CHECK_EQUAL(use_of("GE").curMemSize, 6 * MIB);
    CHECK_OK(aclrtMalloc(&small, 2 * MIB - 32, ACL_MEM_MALLOC_HUGE_ONLY));
    CHECK(use_of("APP").curMemSize >= before + 2 * MIB);

    aclrtMemUsageInfo first;
    size_t count = 0;
    CHECK_OK(aclrtGetMemUsageInfo(0, &first, 1, &count));
    CHECK_EQUAL(count, 1);
    CHECK_EQUAL(first.curMemSize, 6 * MIB);

    CHECK_OK(aclrtFree(large));
    CHECK_EQUAL(use_of("GE").curMemSize, 0);
    CHECK_EQUAL(use_of("GE").memPeakSize, 6 * MIB);
    CHECK_OK(aclrtFree(small));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- what an address is ---------------------------------------------------------------------- */

static void test_attributes_arguments(void)
{
    aclrtPtrAttributes attributes;
    CHECK_CODE(aclrtPointerGetAttributes(NULL, &attributes), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtPointerGetAttributes(&attributes, NULL), ACL_ERROR_INVALID_PARAM);
}

static void check_place(const void *pointer, aclrtMemLocationType type, uint32_t page_bytes)
{
    aclrtPtrAttributes attributes;
    memset(&attributes, 0xff, sizeof(attributes));
    CHECK_OK(aclrtPointerGetAttributes(pointer, &attributes));
    CHECK_EQUAL(attributes.location.type, type);
    CHECK_EQUAL(attributes.location.id, 0);
    CHECK_EQUAL(attributes.pageSize, page_bytes);
    for (size_t i = 0; i < TWIN_COUNT(attributes.rsv); i++)
        CHECK_EQUAL(attributes.rsv[i], 0);
}

static void test_place_of_device_memory(void)
{
    static const struct {
        size_t bytes;
        aclrtMemMallocPolicy policy;
        uint32_t page_bytes;
    } rows[] = {{100, ACL_MEM_MALLOC_HUGE_FIRST, 4096},
                {4 * MIB, ACL_MEM_MALLOC_HUGE_FIRST, 2 * MIB},
                {4 * MIB, ACL_MEM_MALLOC_NORMAL_ONLY, 4096},
                {100, ACL_MEM_MALLOC_HUGE_ONLY, 2 * MIB}};
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < TWIN_COUNT(rows); i++) {
        void *memory = NULL;
        CHECK_OK(aclrtMalloc(&memory, rows[i].bytes, rows[i].policy));
        check_place(memory, ACL_MEM_LOCATION_TYPE_DEVICE, rows[i].page_bytes);
        check_place((char *)memory + rows[i].bytes - 1, ACL_MEM_LOCATION_TYPE_DEVICE,
                    rows[i].page_bytes);
        CHECK_OK(aclrtFree(memory));
        CHECK_CODE(aclrtPointerGetAttributes(memory, &(aclrtPtrAttributes){.pageSize = 0}),
                   ACL_ERROR_RT_PARAM_INVALID);
    }
    CHECK_OK(aclrtResetDevice(0));
}

static void see_second_of_machine(void)
{
    void *memory = NULL;
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtMalloc(&memory, 100, ACL_MEM_MALLOC_HUGE_FIRST));
    check_place(memory, ACL_MEM_LOCATION_TYPE_DEVICE, 4096);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclFinalize());
}

static void test_place_counts_visible_devices(void)
{
    static const char *const settings[] = {"TWINRT_DEVICES=2", "ASCEND_RT_VISIBLE_DEVICES=1", NULL};
    twin_run_child("second", settings);
}

static void see_places(void *memory)
{
    void *const *list = memory;
    int local = 0;
    void *heap = malloc(100);
    aclrtPtrAttributes attributes;
    CHECK_OK(aclrtPointerGetAttributes(list[0], &attributes));
    CHECK_EQUAL(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    CHECK_OK(aclrtPointerGetAttributes(list[1], &attributes));
    CHECK_EQUAL(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
    CHECK_EQUAL(attributes.location.id, 0);
    CHECK_OK(aclrtPointerGetAttributes(&local, &attributes));
    CHECK_EQUAL(attributes.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    CHECK_OK(aclrtPointerGetAttributes(heap, &attributes));
    CHECK_EQUAL(attributes.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    free(heap);
}

static void test_places(void)
{
    void *list[2] = {NULL, NULL};
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtMalloc(&list[0], 100, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMallocHost(&list[1], 100));
    see_places(list);
    twin_on_thread(see_places, list); /* which has no context */
    CHECK_OK(aclrtFree(list[0]));
    CHECK_OK(aclrtFreeHost(list[1]));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_range(void)
{
    void *memory = NULL;
    void *pinned = NULL;
    void *base = NULL;
    size_t bytes = 0;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtMalloc(&memory, 1000, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMallocHost(&pinned, 5000));
    CHECK_CODE(aclrtMemGetAddressRange(NULL, &base, &bytes), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemGetAddressRange(memory, NULL, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtMemGetAddressRange((char *)memory + 999, &base, NULL));
    CHECK(base == memory);
    CHECK_OK(aclrtMemGetAddressRange(memory, NULL, &bytes));
    CHECK(bytes >= 1000);
    CHECK_OK(aclrtMemGetAddressRange((char *)pinned + 4999, &base, &bytes));
    CHECK(base == pinned && bytes >= 5000);
    CHECK_CODE(aclrtMemGetAddressRange(&bytes, &base, &bytes), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtFreeHost(pinned));
    CHECK_OK(aclrtFree(memory));
    CHECK_CODE(aclrtMemGetAddressRange(memory, &base, &bytes), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_types(void)
{
    void *list[4] = {NULL, NULL, NULL, NULL};
    uint32_t result = 7;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtMalloc(&list[0], 100, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMallocWithCfg(&list[1], 100, ACL_MEM_MALLOC_HUGE_ONLY, NULL));
    CHECK_OK(aclrtMallocHost(&list[2], 100));
    list[3] = &result;
    CHECK_OK(aclrtCheckMemType(list, 2, ACL_RT_MEM_TYPE_DEV, &result, 0));
    CHECK_EQUAL(result, 1);
    CHECK_OK(aclrtCheckMemType(list, 2, ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP, &result, 0));
    CHECK_EQUAL(result, 1);
    for (uint32_t count = 3; count <= 4; count++) {
        CHECK_OK(aclrtCheckMemType(list, count, ACL_RT_MEM_TYPE_DEV, &result, 0));
        CHECK_EQUAL(result, 0);
    }
    CHECK_OK(aclrtCheckMemType(list, 1, ACL_RT_MEM_TYPE_DVPP, &result, 0));
    CHECK_EQUAL(result, 0);
    CHECK_OK(aclrtCheckMemType(list, 1, ACL_RT_MEM_TYPE_RSVD, &result, 0));
    CHECK_EQUAL(result, 0);
    CHECK_OK(aclrtFree(list[0]));
    CHECK_OK(aclrtCheckMemType(list, 1, ACL_RT_MEM_TYPE_DEV, &result, 0));
    CHECK_EQUAL(result, 0);
    CHECK_OK(aclrtFree(list[1]));
    CHECK_OK(aclrtFreeHost(list[2]));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_types_of_reserved(void)
{
    const aclrtPhysicalMemProp prop = {.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
                                       .memAttr = ACL_HBM_MEM_HUGE,
                                       .location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
    void *place = NULL;
    aclrtDrvMemHandle handle = NULL;
    aclrtPtrAttributes attributes;
    uint32_t result = 7;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtReserveMemAddress(&place, 4 * MIB, 0, NULL, 1));
    CHECK_OK(aclrtMallocPhysical(&handle, 2 * MIB, &prop, 0));
    CHECK_OK(aclrtMapMem(place, 2 * MIB, 0, handle, 0));
    CHECK_OK(aclrtCheckMemType(&place, 1, ACL_RT_MEM_TYPE_RSVD, &result, 0));
    CHECK_EQUAL(result, 1);
    CHECK_OK(aclrtCheckMemType(&place, 1, ACL_RT_MEM_TYPE_DEV, &result, 0));
    CHECK_EQUAL(result, 0);
    CHECK_OK(aclrtPointerGetAttributes(place, &attributes));
    CHECK_EQUAL(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    CHECK_EQUAL(attributes.pageSize, 2 * MIB);
    void *base = NULL;
    size_t bytes = 0;
    CHECK_OK(aclrtMemGetAddressRange((char *)place + 5, &base, &bytes));
    CHECK(base == place && bytes == 2 * MIB);
    CHECK_OK(aclrtUnmapMem(place));
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_OK(aclrtReleaseMemAddress(place));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_types_arguments(void)
{
    void *one = &one;
    uint32_t result = 7;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtCheckMemType(&one, 1, ACL_RT_MEM_TYPE_DEV, &result, 1),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQUAL(result, 0);
    result = 7;
    CHECK_CODE(aclrtCheckMemType(&one, 0, ACL_RT_MEM_TYPE_DEV, &result, 0),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQUAL(result, 0);
    result = 7;
    CHECK_CODE(aclrtCheckMemType(&one, 1, 1, &result, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQUAL(result, 0);
    CHECK_CODE(aclrtCheckMemType(NULL, 1, ACL_RT_MEM_TYPE_DEV, &result, 0),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCheckMemType(&one, 1, ACL_RT_MEM_TYPE_DEV, NULL, 0),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- out of memory --------------------------------------------------------------------------- */

static void test_exhaustion_names_owners(void)
{
    void *pieces[128];
    unsigned count = 0;
    void *memory = NULL;
    CHECK_OK(aclrtSetDevice(0));
    while (count < TWIN_COUNT(pieces) &&
           aclrtMalloc(&pieces[count], GIB, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS)
        count++;
    CHECK(count > 0 && count < TWIN_COUNT(pieces));
    (void)aclGetRecentErrMsg();
    CHECK_CODE(aclrtMalloc(&memory, 2 * GIB, ACL_MEM_MALLOC_HUGE_FIRST),
               ACL_ERROR_RT_MEMORY_ALLOCATION);
    const char *message = aclGetRecentErrMsg();
    if (CHECK(message != NULL)) {
        CHECK(strstr(message, "the largest owners:") != NULL);
        CHECK(strstr(message, "APP, allocated by aclrtMalloc, called at attributes_suite+0x") !=
              NULL);
        CHECK(strstr(message, "pages of 2 MiB") != NULL);
    }
    for (unsigned i = 0; i < count; i++)
        CHECK_OK(aclrtFree(pieces[i]));
    CHECK_OK(aclrtResetDevice(0));
}

static const twin_test tests[] = {
    {"MEM-16: a NULL configuration means no attributes", test_no_attributes},
    {"MEM-03, MEM-45: device memory with attributes refuses bad arguments", test_device_arguments},
    {"MEM-17: memory with attributes is rounded to 32 without padding", test_no_padding},
    {"MEM-18: bits for bandwidth and rights go with each page policy", test_policy_bits},
    {"MEM-19: an attribute that names another device is refused", test_other_device},
    {"MEM-20: attributes of other kinds are refused for device memory", test_device_attributes},
    {"MEM-21: of an attribute that is given twice the last one counts", test_last_attribute_wins},
    {"MEM-22: memory for the task scheduler serves values", test_scheduler_memory},
    {"MEM-27, MEM-49: a free with a synchronization waits for the device", test_free_waits},
    {"MEM-33: the query of use by module refuses bad arguments", test_usage_arguments},
    {"MEM-34: use by module is sorted, the largest first", test_usage_by_module},
    {"MEM-35: the kind of memory is checked for each address", test_types},
    {"MEM-35, UVA-05, VMM-22: mapped memory is of a reservation", test_types_of_reserved},
    {"MEM-36: the check of kinds refuses bad arguments", test_types_arguments},
    {"MEM-43, MEM-44: host memory takes two kinds of attributes", test_host_attributes},
    {"MEM-46: host memory with the device's addresses", test_unified_host_memory},
    {"MEM-14, MEM-42: without a context there is no memory", test_no_context},
    {"UVA-01: the query of an address refuses NULL", test_attributes_arguments},
    {"UVA-02: the place of device memory, and its pages", test_place_of_device_memory},
    {"UVA-02: devices count as the program sees them", test_place_counts_visible_devices},
    {"UVA-03, UVA-04, UVA-06: page-locked and other memory, on any thread", test_places},
    {"VMM-22: the allocation around an address", test_range},
    {"MEM-13: an error message names who has the memory", test_exhaustion_names_owners},
};

static const twin_child children[] = {{"second", see_second_of_machine}};

int main(int argc, char **argv)
{
    static const twin_suite suite = {.name = "attributes",
                                     .tests = tests,
                                     .test_count = TWIN_COUNT(tests),
                                     .children = children,
                                     .child_count = TWIN_COUNT(children),
                                     .initialise = true};
    return twin_suite_main(&suite, argc, argv);
}
