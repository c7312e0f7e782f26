/* SPDX-License-Identifier: Apache-2.0 */
/* Differences between parts, by their profiles: their names, the functions that they offer, and the
 * limits that a program meets. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "api/functions.h"
#include "profile.h"
#include "suite.h"

enum { BYTES = 4096 };

static bool offers(const char *name)
{
    return twin_profile_value(name) != 0;
}

/* A part that has no such thing says so; another one does it, or finds fault with the arguments. */
static void check_offer(aclError code, bool offered, const char *what)
{
    bool refused = code == ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    if (refused == offered)
        twin_check_true(false, what, __FILE__, __LINE__);
}

static void test_identity(void)
{
    CHECK_OK(aclrtSetDevice(0));
    const char *name = aclrtGetSocName();
    CHECK(name && twin_profile_says("soc_name", name));
    size_t free_bytes = 0, total = 0;
    CHECK_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
    CHECK_EQUAL(total, twin_profile_value("limit.memory_mib") << 20);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_offers(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtCntNotify count = NULL;
    aclError code = aclrtCntNotifyCreate(&count, 0);
    check_offer(code, twin_profile_offers("aclrtCntNotifyCreate"), "counting notifies");
    CHECK_EQUAL(offers("limit.count_notifies"), twin_profile_offers("aclrtCntNotifyCreate"));
    if (code == ACL_SUCCESS)
        CHECK_OK(aclrtCntNotifyDestroy(count));
    CHECK_OK(aclrtResetDevice(0));
}

/* MEM-39: pages of 1 GiB are of some parts only, whatever asks for them. */
static void test_giant_pages(void)
{
    static const aclrtMemAttr attributes[] = {ACL_HBM_MEM_HUGE1G, ACL_HBM_MEM_P2P_HUGE1G,
                                              ACL_MEM_HUGE1G, ACL_MEM_P2P_HUGE1G};
    const bool offered = twin_profile_is_of(TWIN_OFFERED_A2_A3_950);
    CHECK_OK(aclrtSetDevice(0));
    for (uint32_t i = 0; i < 2; i++) {
        const aclrtMemMallocPolicy policy =
            i == 0 ? ACL_MEM_MALLOC_HUGE1G_ONLY : ACL_MEM_MALLOC_HUGE1G_ONLY_P2P;
        void *memory[4] = {NULL};
        const aclError codes[] = {aclrtMalloc(&memory[0], BYTES, policy),
                                  aclrtMallocAlign32(&memory[1], BYTES, policy),
                                  aclrtMallocWithCfg(&memory[2], BYTES, policy, NULL),
                                  aclrtMallocForTaskScheduler(&memory[3], BYTES, policy, NULL)};
        for (size_t k = 0; k < TWIN_COUNT(codes); k++) {
            check_offer(codes[k], offered, "an allocation with pages of 1 GiB");
            if (memory[k])
                CHECK_OK(aclrtFree(memory[k]));
        }
    }
    for (size_t i = 0; i < TWIN_COUNT(attributes); i++) {
        size_t left = 0, total = 0;
        check_offer(aclrtGetMemInfo(attributes[i], &left, &total), offered,
                    "a query for pages of 1 GiB");
    }
    CHECK_OK(aclrtResetDevice(0));
}

/* Functions that look at their arguments before they refuse: rows CNT-01, GRP-01, IPC-11, NTF-17,
 * VMM-24 and VMM-26 of the catalogue. */
static bool looks_first(const char *function)
{
    return strncmp(function, "aclrtCntNotify", 14) == 0 || strstr(function, "Group") ||
           strcmp(function, "aclrtNotifySetImportPidInterServer") == 0 ||
           strcmp(function, "aclrtIpcMemSetAttr") == 0 ||
           strcmp(function, "aclrtMemMapSelectedLink") == 0 ||
           strcmp(function, "aclrtMemMapSetLink") == 0;
}

typedef aclError (*any_call)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                             uintptr_t, uintptr_t, uintptr_t);

/* Calls a function with arguments that are all 0: valid, or refused as invalid. */
static void call_by_name(const char *function, bool offered)
{
    void *symbol = dlsym(RTLD_DEFAULT, function);
    char what[128];
    any_call call;
    (void)snprintf(what, sizeof(what), "%s is %s", function, offered ? "offered" : "not offered");
    twin_check_true(symbol != NULL, what, __FILE__, __LINE__);
    if (!symbol)
        return;
    memcpy(&call, &symbol, sizeof(call));
    (void)aclGetRecentErrMsg();
    aclError code = call(0, 0, 0, 0, 0, 0, 0, 0, 0);
    /* Some refuse an argument with the code too; a refusal for the part says how to choose another
     * part. */
    const char *text = aclGetRecentErrMsg();
    bool of_part = text && strstr(text, function) && strstr(text, "TWINRT_PROFILE=");
    twin_check_true(offered ? !of_part : of_part && code == ACL_ERROR_RT_FEATURE_NOT_SUPPORT, what,
                    __FILE__, __LINE__);
    if (!offered)
        CHECK_EQUAL(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

/* Every function that is built and that some part lacks: refused there, with a device and without,
 * and nowhere else. */
static void test_functions(void)
{
    static const twin_api_function functions[] = {
#define TWIN_API TWIN_API_ROW
#include "api/functions.def"
    };
    unsigned called = 0;
    for (size_t i = 0; i < TWIN_COUNT(functions); i++) {
        const char *name = functions[i].name;
        /* What is refused on all parts looks at its arguments first (VMM-24). */
        if (functions[i].parts == TWIN_OFFERED_ALL || twin_api_not_built(functions[i].state) ||
            functions[i].state == TWIN_API_CHECKED || looks_first(name))
            continue;
        const bool offered = twin_profile_offers(name);
        if (!dlsym(RTLD_DEFAULT, name)) { /* of the IPV350 alone: abi.link_only */
            CHECK(!offered);
            continue;
        }
        called++;
        if (!offered)
            call_by_name(name, false);
        CHECK_OK(aclrtSetDevice(0));
        call_by_name(name, offered);
        CHECK_OK(aclrtResetDevice(0));
    }
    CHECK(called > 40);
}

/* A refused call leaves the stream as it was, and the rest of the part works. */
static void test_work(void)
{
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream first = twin_stream(), second = twin_stream();
    aclrtEvent event = NULL;
    CHECK_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    twin_buffer_make(&data, BYTES, 0);
    CHECK_OK(aclrtMemsetAsync(data.device, BYTES, 0x21, BYTES, first));
    CHECK_OK(aclrtRecordEvent(event, first));
    CHECK_OK(aclrtStreamWaitEvent(second, event));
    CHECK_OK(
        aclrtMemcpyAsync(data.host, BYTES, data.device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, second));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(second, SOON_MS));
    CHECK_BYTES(data.host, 0x21, BYTES);
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(second));
    CHECK_OK(aclrtDestroyStream(first));
    CHECK_OK(aclrtResetDevice(0));
}

/* A query sees that work is done without any wait: at last, where reports come in
 * batches. */
static void test_query(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    twin_buffer data;
    twin_buffer_make(&data, BYTES, 0);
    CHECK_OK(aclrtMemsetAsync(data.device, BYTES, 1, BYTES, stream));
    for (int i = 0; i < 100000 && status != ACL_STREAM_STATUS_COMPLETE; i++)
        if (!CHECK_OK(aclrtStreamQuery(stream, &status)))
            break;
    CHECK_EQUAL(status, ACL_STREAM_STATUS_COMPLETE);
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* As recorded on an Ascend 910C (decision 30). */
static void test_streams_of_a_910c(void)
{
    enum { RECORDED = 1979 };
    static aclrtStream streams[RECORDED];
    aclrtStream more = NULL;
    uint32_t left = 0;
    CHECK_OK(aclrtSetDevice(0));
    if (strcmp(aclrtGetSocName(), "Ascend910_9391") == 0) {
        CHECK_OK(aclrtGetStreamAvailableNum(&left));
        CHECK_EQUAL(left, RECORDED);
        for (size_t i = 0; i < RECORDED; i++)
            CHECK_OK(aclrtCreateStream(&streams[i]));
        CHECK_CODE(aclrtCreateStream(&more), ACL_ERROR_RT_RESOURCE_ALLOC_FAIL);
        for (size_t i = 0; i < RECORDED; i++)
            CHECK_OK(aclrtDestroyStream(streams[i]));
    }
    CHECK_OK(aclrtResetDevice(0));
}

/* A stream waits for cache maintenance of another one by its number. */
static void wait_for_barrier(twin_buffer *data, aclrtStream first, aclrtStream second)
{
    aclrtBarrierTaskInfo info = {.barrierNum = 1, .cmoInfo = {{ACL_RT_CMO_TYPE_INVALID, 3}}};
    twin_hold hold;
    CHECK_CODE(aclrtCmoWaitBarrier(&info, second, 0), ACL_ERROR_RT_PARAM_INVALID); /* no task */
    for (int round = 0; round < 2; round++) {
        twin_hold_begin(&hold, first);
        CHECK_OK(aclrtCmoAsyncWithBarrier(data->device, BYTES, ACL_RT_CMO_TYPE_INVALID, 3, first));
        CHECK_OK(aclrtCmoWaitBarrier(&info, second, 0));
        CHECK_OK(aclrtMemsetAsync(data->device, BYTES, round + 1, BYTES, second));
        CHECK(!twin_idle(second));
        twin_hold_end(&hold, NULL);
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(second, SOON_MS));
    }
}

static void test_cache_barriers(void)
{
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer data;
    twin_buffer_make(&data, BYTES, 0);
    aclrtStream first = twin_stream(), second = twin_stream();
    aclrtBarrierTaskInfo info = {.barrierNum = 7, .cmoInfo = {{ACL_RT_CMO_TYPE_INVALID, 3}}};
    const bool offered = twin_profile_offers("aclrtCmoWaitBarrier");
    const aclError bad = offered ? ACL_ERROR_RT_PARAM_INVALID : ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    CHECK_CODE(aclrtCmoWaitBarrier(&info, second, 0), bad);
    info.barrierNum = 1;
    CHECK_CODE(aclrtCmoWaitBarrier(&info, second, 1), bad);
    info.cmoInfo[0].cmoType = ACL_RT_CMO_TYPE_FLUSH;
    CHECK_CODE(aclrtCmoWaitBarrier(&info, second, 0), bad);
    CHECK_CODE(aclrtCmoAsyncWithBarrier(data.device, BYTES, ACL_RT_CMO_TYPE_INVALID, 0, first),
               bad);
    CHECK_CODE(aclrtCmoAsyncWithBarrier(data.device, BYTES, ACL_RT_CMO_TYPE_FLUSH, 3, first), bad);
    if (offered)
        wait_for_barrier(&data, first, second);
    CHECK_OK(aclrtDestroyStream(first));
    CHECK_OK(aclrtDestroyStream(second));
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
}

static const twin_test tests[] = {
    {"a device is the part of its profile", test_identity},
    {"a part has counting notifies or refuses them", test_offers},
    {"MEM-39: pages of 1 GiB are of some parts only", test_giant_pages},
    {"CMO-08: barriers of cache maintenance, where a part has them", test_cache_barriers},
    {"a function is refused on the parts that do not offer it, and on no other", test_functions},
    {"streams, events and copies work on every part", test_work},
    {"a query sees the end of work that no thread waits for", test_query},
    {"a 910C has as many streams as were recorded", test_streams_of_a_910c},
};

int main(int argc, char **argv)
{
    static const twin_suite suite = {
        .name = "part", .tests = tests, .test_count = TWIN_COUNT(tests), .initialise = true};
    return twin_suite_main(&suite, argc, argv);
}
