/* SPDX-License-Identifier: Apache-2.0 */
/* Notifies: one-shot signals between streams. */
#include <stdlib.h>

#include "profile.h"
#include "suite.h"

#define BYTES 1024

static aclrtNotify new_notify(void)
{
    aclrtNotify notify = NULL;
    CHECK_OK(aclrtCreateNotify(&notify, 0));
    return notify;
}

static void create_without_context(void *unused)
{
    (void)unused;
    aclrtNotify notify = NULL;
    CHECK_CODE(aclrtCreateNotify(NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCreateNotify(&notify, 0), ACL_ERROR_RT_CONTEXT_NULL);
}

static void test_creation(void)
{
    aclrtNotify notify = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateNotify(&notify, 0));
    CHECK(notify != NULL);
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_OK(aclrtCreateNotify(&notify, 1));
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_CODE(aclrtCreateNotify(&notify, 2), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCreateNotify(&notify, UINT64_MAX), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCreateNotify(NULL, 0), ACL_ERROR_INVALID_PARAM);
    twin_on_thread(create_without_context, NULL);
    CHECK_OK(aclrtResetDevice(0));
}

/* More than any part has. */
#define NOTIFIES_MOST 65536

static void test_limit(void)
{
    static aclrtNotify notifies[NOTIFIES_MOST + 1];
    unsigned made = 0;
    aclError code = ACL_SUCCESS;
    CHECK_OK(aclrtSetDevice(0));
    while (made <= NOTIFIES_MOST && (code = aclrtCreateNotify(&notifies[made], 0)) == ACL_SUCCESS)
        made++;
    CHECK_EQUAL(made, twin_profile_value("limit.notifies"));
    CHECK_EITHER(code, ACL_ERROR_RT_NO_NOTIFY_RESOURCE, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL);
    if (made > 0) {
        CHECK_OK(aclrtDestroyNotify(notifies[made / 2]));
        notifies[made / 2] = new_notify();
    }
    for (unsigned i = 0; i < made; i++)
        CHECK_OK(aclrtDestroyNotify(notifies[i]));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_record_orders_before_wait(void)
{
    twin_hold hold;
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream first = twin_stream();
    aclrtStream second = twin_stream();
    aclrtStream opener = twin_stream();
    aclrtNotify notify = new_notify();
    twin_buffer_make(&data, BYTES, 1);
    twin_hold_begin(&hold, first);
    CHECK_OK(aclrtMemsetAsync(data.device, BYTES, 2, BYTES, first));
    CHECK_OK(aclrtRecordNotify(notify, first));
    CHECK_OK(aclrtWaitAndResetNotify(notify, second, 0));
    CHECK_OK(
        aclrtMemcpyAsync(data.host, BYTES, data.device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, second));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(second, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_BYTES(data.host, 1, BYTES);
    twin_hold_end(&hold, opener);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(second, SOON_MS));
    CHECK_BYTES(data.host, 2, BYTES);
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(second));
    CHECK_OK(aclrtDestroyStream(first));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_wait_uses_the_signal_up(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream recorder = twin_stream();
    aclrtStream waiter = twin_stream();
    aclrtNotify notify = new_notify();
    CHECK_OK(aclrtRecordNotify(notify, recorder));
    CHECK_OK(aclrtWaitAndResetNotify(notify, waiter, 0));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(waiter, SOON_MS));
    CHECK_OK(aclrtWaitAndResetNotify(notify, waiter, 0));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(waiter, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtRecordNotify(notify, recorder));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(waiter, SOON_MS));
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_OK(aclrtDestroyStream(waiter));
    CHECK_OK(aclrtDestroyStream(recorder));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_signal_is_remembered(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtNotify notify = new_notify();
    CHECK_OK(aclrtRecordNotify(notify, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtWaitAndResetNotify(notify, stream, 0));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_one_record_releases_one(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream recorder = twin_stream();
    aclrtStream waiters[2] = {twin_stream(), twin_stream()};
    aclrtNotify notify = new_notify();
    for (int i = 0; i < 2; i++)
        CHECK_OK(aclrtWaitAndResetNotify(notify, waiters[i], 0));
    CHECK(!twin_idle(waiters[0]) && !twin_idle(waiters[1]));

    CHECK_OK(aclrtRecordNotify(notify, recorder));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(recorder, SOON_MS));
    /* Long after the record still one of them waits. */
    aclError codes[2];
    for (int i = 0; i < 2; i++)
        codes[i] = aclrtSynchronizeStreamWithTimeout(waiters[i], SHORT_MS);
    CHECK((codes[0] == ACL_SUCCESS) != (codes[1] == ACL_SUCCESS));
    int left = codes[0] == ACL_SUCCESS ? 1 : 0;
    CHECK_CODE(codes[left], ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);

    CHECK_OK(aclrtRecordNotify(notify, recorder));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(waiters[left], SOON_MS));
    CHECK_OK(aclrtDestroyNotify(notify));
    for (int i = 0; i < 2; i++)
        CHECK_OK(aclrtDestroyStream(waiters[i]));
    CHECK_OK(aclrtDestroyStream(recorder));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_wait_expires(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtNotify notify = new_notify();
    CHECK_OK(aclrtWaitAndResetNotify(notify, stream, 1));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, 900), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_OK(aclrtDestroyStreamForce(stream));
    CHECK_OK(aclrtResetDeviceForce(0));
}

static void check_waits_without_limit(uint32_t timeout)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtStream recorder = twin_stream();
    aclrtNotify notify = new_notify();
    CHECK_OK(aclrtWaitAndResetNotify(notify, stream, timeout));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, 3600 * 1000),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtRecordNotify(notify, recorder));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_OK(aclrtDestroyStream(recorder));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_timeout_0(void)
{
    check_waits_without_limit(0);
}

static void test_timeout_default(void)
{
    check_waits_without_limit(UINT32_MAX);
}

static void use_without_context(void *pointer)
{
    aclrtNotify notify = pointer;
    CHECK_CODE(aclrtRecordNotify(notify, NULL), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtWaitAndResetNotify(notify, NULL, 0), ACL_ERROR_RT_CONTEXT_NULL);
}

static void test_arguments(void)
{
    aclrtContext first = NULL;
    aclrtContext second = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&first));
    aclrtStream stream = twin_stream();
    aclrtNotify notify = new_notify();
    CHECK_CODE(aclrtRecordNotify(NULL, stream), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtWaitAndResetNotify(NULL, stream, 0), ACL_ERROR_INVALID_PARAM);

    CHECK_OK(aclrtCreateContext(&second, 0));
    CHECK_CODE(aclrtRecordNotify(notify, stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_CODE(aclrtWaitAndResetNotify(notify, stream, 0), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(aclrtSetCurrentContext(first));
    twin_on_thread(use_without_context, notify);

    CHECK_OK(aclrtRecordNotify(notify, NULL));
    CHECK_OK(aclrtWaitAndResetNotify(notify, NULL, 0));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(NULL, SOON_MS));

    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_CODE(aclrtRecordNotify(notify, stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtWaitAndResetNotify(notify, stream, 0), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtDestroyContext(second));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_destroy_and_id_arguments(void)
{
    uint32_t id = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtNotify notify = new_notify();
    CHECK_CODE(aclrtDestroyNotify(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetNotifyId(NULL, &id), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetNotifyId(notify, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_CODE(aclrtDestroyNotify(notify), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtGetNotifyId(notify, &id), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtResetDevice(0));
}

static int compare_ids(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static void test_ids(void)
{
    enum { NOTIFIES = 50 };
    aclrtNotify notifies[NOTIFIES];
    uint32_t ids[NOTIFIES];
    uint32_t again = 0;
    CHECK_OK(aclrtSetDevice(0));
    for (int i = 0; i < NOTIFIES; i++) {
        notifies[i] = new_notify();
        CHECK_OK(aclrtGetNotifyId(notifies[i], &ids[i]));
    }
    CHECK_OK(aclrtRecordNotify(notifies[7], NULL));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    CHECK_OK(aclrtGetNotifyId(notifies[7], &again));
    CHECK_EQUAL(again, ids[7]);
    qsort(ids, NOTIFIES, sizeof(ids[0]), compare_ids);
    for (int i = 1; i < NOTIFIES; i++)
        CHECK(ids[i] != ids[i - 1]);
    for (int i = 0; i < NOTIFIES; i++)
        CHECK_OK(aclrtDestroyNotify(notifies[i]));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_batch_reset(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtStream waiters[3] = {twin_stream(), twin_stream(), twin_stream()};
    aclrtNotify notifies[3] = {new_notify(), new_notify(), new_notify()};
    for (int i = 0; i < 3; i++)
        CHECK_OK(aclrtRecordNotify(notifies[i], stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK_OK(aclrtNotifyBatchReset(notifies, 2));
    for (int i = 0; i < 3; i++)
        CHECK_OK(aclrtWaitAndResetNotify(notifies[i], waiters[i], 0));
    for (int i = 0; i < 2; i++)
        CHECK_CODE(aclrtSynchronizeStreamWithTimeout(waiters[i], SHORT_MS),
                   ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(waiters[2], SOON_MS));

    /* It clears signals, not waits: those go on with the next record. */
    CHECK_OK(aclrtNotifyBatchReset(notifies, 3));
    for (int i = 0; i < 2; i++) {
        CHECK(!twin_idle(waiters[i]));
        CHECK_OK(aclrtRecordNotify(notifies[i], stream));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(waiters[i], SOON_MS));
    }
    for (int i = 0; i < 3; i++) {
        CHECK_OK(aclrtDestroyNotify(notifies[i]));
        CHECK_OK(aclrtDestroyStream(waiters[i]));
    }
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_batch_reset_many(void)
{
    enum { MANY = 100 };
    aclrtNotify notifies[MANY];
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    for (int i = 0; i < MANY; i++) {
        notifies[i] = new_notify();
        CHECK_OK(aclrtRecordNotify(notifies[i], stream));
    }
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK_OK(aclrtNotifyBatchReset(notifies, MANY));
    CHECK_OK(aclrtWaitAndResetNotify(notifies[MANY - 1], stream, 0));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtDestroyStreamForce(stream));
    for (int i = 0; i < MANY; i++)
        CHECK_OK(aclrtDestroyNotify(notifies[i]));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_batch_reset_arguments(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtNotify notifies[2] = {new_notify(), new_notify()};
    CHECK_CODE(aclrtNotifyBatchReset(NULL, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtNotifyBatchReset(notifies, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtRecordNotify(notifies[0], stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));

    /* What happens to the others is NTF-18's. */
    aclrtNotify good = notifies[1];
    notifies[1] = NULL;
    CHECK_FAILS(aclrtNotifyBatchReset(notifies, 2));
    CHECK_OK(aclrtDestroyNotify(good));
    notifies[1] = good;
    CHECK_FAILS(aclrtNotifyBatchReset(notifies, 2));
    CHECK_OK(aclrtDestroyNotify(notifies[0]));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_between_servers(void)
{
    int32_t pid = 1;
    aclrtServerPid server = {.sdid = 0, .pid = &pid, .num = 1};
    CHECK_OK(aclrtSetDevice(0));
    aclrtNotify notify = new_notify();
    CHECK_CODE(aclrtNotifySetImportPidInterServer(NULL, &server, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtNotifySetImportPidInterServer(notify, NULL, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtNotifySetImportPidInterServer(notify, &server, 0), ACL_ERROR_RT_PARAM_INVALID);
    server.pid = NULL;
    CHECK_CODE(aclrtNotifySetImportPidInterServer(notify, &server, 1), ACL_ERROR_RT_PARAM_INVALID);
    server.pid = &pid;
    server.num = 2;
    CHECK_CODE(aclrtNotifySetImportPidInterServer(notify, &server, 1), ACL_ERROR_RT_PARAM_INVALID);
    server.num = 1;
    CHECK_CODE(aclrtNotifySetImportPidInterServer(notify, &server, 1),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_OK(aclrtResetDevice(0));
}

static const twin_test tests[] = {
    {"NTF-01: creation takes flag 0 or 1, an output and a context", test_creation},
    {"NTF-02: the device's notify limit holds, and one less makes room", test_limit},
    {"NTF-03: work before the record happens before work after the wait",
     test_record_orders_before_wait},
    {"NTF-04: a wait uses the signal up", test_wait_uses_the_signal_up},
    {"NTF-05: a signal without a waiter is remembered", test_signal_is_remembered},
    {"NTF-06: one record releases exactly one of two waiters", test_one_record_releases_one},
    {"NTF-07: a wait that expires fails the next synchronisation", test_wait_expires},
    {"NTF-07: timeout 0 waits without limit", test_timeout_0},
    {"NTF-08: timeout UINT32_MAX waits without limit", test_timeout_default},
    {"NTF-09: bad notifies and streams are refused, NULL is the default stream", test_arguments},
    {"NTF-10: destroy and id refuse NULL and dead handles", test_destroy_and_id_arguments},
    {"NTF-11: ids are stable and unique", test_ids},
    {"NTF-12: a batch reset clears signals at once", test_batch_reset},
    {"NTF-12: a batch reset takes any number of notifies", test_batch_reset_many},
    {"NTF-12: a batch reset refuses bad arguments", test_batch_reset_arguments},
    {"NTF-17: import between servers is refused here, after its arguments", test_between_servers},
};

static const twin_suite suite = {
    .name = "notify", .tests = tests, .test_count = TWIN_COUNT(tests), .initialise = true};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
