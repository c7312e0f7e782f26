/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between parts, as the profile has it: who they are, what they offer, and the limits that a program meets. */
#include <string.h>

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
    aclrtStream stream = twin_stream();
    void *word = NULL;
    CHECK_OK(aclrtMalloc(&word, BYTES, ACL_MEM_MALLOC_NORMAL_ONLY));
    check_offer(aclrtValueWrite(word, 1, 0, stream), offers("cond.value_wait"), "value write");
    aclrtCntNotify count = NULL;
    aclError code = aclrtCntNotifyCreate(&count, 0);
    check_offer(code, offers("limit.count_notifies"), "counting notifies");
    if (code == ACL_SUCCESS)
        CHECK_OK(aclrtCntNotifyDestroy(count));

    aclrtNotify notify = NULL;
    char key[256] = "";
    CHECK_OK(aclrtCreateNotify(&notify, 0));
    check_offer(aclrtNotifyGetExportKey(notify, key, sizeof(key), 2),
                offers("feature.ipc_notifies"), "notifies between processes");
    check_offer(aclrtNotifyBatchReset(&notify, 1), offers("feature.notify_reset"), "batch reset");
    aclrtEvent event = NULL;
    aclrtIpcEventHandle handle;
    memset(&handle, 0, sizeof(handle));
    CHECK_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC));
    check_offer(aclrtIpcGetEventHandle(event, &handle), offers("feature.ipc_events"),
                "events between processes");
    check_offer(aclrtStreamStop(stream), offers("feature.stream_abort"), "stop");
    check_offer(aclrtStreamAbort(stream), offers("feature.stream_abort"), "abort");
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_OK(aclrtDestroyStreamForce(stream));
    CHECK_OK(aclrtFree(word));
    CHECK_OK(aclrtResetDevice(0));
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

/* A query sees that work is done without anybody waiting: at last, where reports come in batches. */
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
        CHECK_CODE(aclrtCreateStream(&more), ACL_ERROR_RT_NO_STREAM_RESOURCE);
        for (size_t i = 0; i < RECORDED; i++)
            CHECK_OK(aclrtDestroyStream(streams[i]));
    }
    CHECK_OK(aclrtResetDevice(0));
}

static const twin_test tests[] = {
    {"a device is the part of its profile", test_identity},
    {"what a part does not offer is refused with its code", test_offers},
    {"streams, events and copies work on every part", test_work},
    {"a query sees the end of work that nobody waits for", test_query},
    {"a 910C has as many streams as were recorded", test_streams_of_a_910c},
};

int main(int argc, char **argv)
{
    static const twin_suite suite = {
        .name = "part", .tests = tests, .test_count = TWIN_COUNT(tests), .initialise = true};
    return twin_suite_main(&suite, argc, argv);
}
