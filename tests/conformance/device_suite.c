/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: reference counts and resets here, documented sequences of them in device_sequences.c,
 * queries and synchronisation in device_queries.c. */
#include <stdio.h>
#include <string.h>

#include "device_tests.h"
#include "suite.h"

static int32_t default_stream_id(void)
{
    int32_t id = -1;
    CHECK_OK(aclrtStreamGetId(NULL, &id));
    return id;
}

/* ---- set ------------------------------------------------------------------------------------ */

static void test_first_set(void)
{
    aclrtContext context = NULL;
    aclrtStream stream = NULL;
    CHECK(!twin_device_active(0));
    CHECK_OK(aclrtSetDevice(0));
    CHECK(twin_device_active(0));
    CHECK_OK(aclrtGetCurrentContext(&context));
    CHECK(context != NULL);
    CHECK_OK(aclrtCtxGetCurrentDefaultStream(&stream));
    CHECK(stream != NULL);
    CHECK_OK(aclrtSynchronizeStream(NULL));
    CHECK_OK(aclrtResetDevice(0));
    CHECK(!twin_device_active(0));
}

static void set_device_0(void *unused)
{
    (void)unused;
    CHECK_OK(aclrtSetDevice(0));
}

static void test_sets_are_counted(void)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtSetDevice(0));
    twin_on_thread(set_device_0, NULL);
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclrtResetDevice(0));
    CHECK(twin_device_active(0));
    CHECK_OK(aclrtResetDevice(0));
    CHECK(!twin_device_active(0));
}

typedef struct seen {
    aclrtContext context;
    int32_t stream;
    int32_t device;
} seen;

static void look_at_device_0(void *pointer)
{
    seen *here = pointer;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&here->context));
    here->stream = default_stream_id();
    CHECK_OK(aclrtResetDevice(0));
}

static void test_one_default_context(void)
{
    seen other = {0};
    aclrtContext context = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&context));
    int32_t stream = default_stream_id();
    twin_on_thread(look_at_device_0, &other);
    CHECK(other.context == context);
    CHECK_EQUAL(other.stream, stream);
    CHECK_OK(aclrtResetDevice(0));
}

static void set_device_1(void *pointer)
{
    seen *here = pointer;
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtGetDevice(&here->device));
    CHECK_OK(aclrtResetDevice(1));
}

static void test_selection_is_thread_local(void)
{
    seen other = {0};
    int32_t device = -1;
    CHECK_OK(aclrtSetDevice(0));
    twin_on_thread(set_device_1, &other);
    CHECK_EQUAL(other.device, 1);
    CHECK_OK(aclrtGetDevice(&device));
    CHECK_EQUAL(device, 0);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_switching_devices(void)
{
    aclrtContext contexts[3];
    int32_t device = -1;
    for (int i = 0; i < 3; i++) {
        CHECK_OK(aclrtSetDevice(i % 2));
        CHECK_OK(aclrtGetCurrentContext(&contexts[i]));
        CHECK_OK(aclrtGetDevice(&device));
        CHECK_EQUAL(device, i % 2);
    }
    CHECK(contexts[0] == contexts[2]);
    CHECK(contexts[0] != contexts[1]);
    CHECK_OK(aclrtResetDevice(0));
    CHECK(twin_device_active(0));
    CHECK_OK(aclrtResetDevice(0));
    CHECK(!twin_device_active(0));
    CHECK(twin_device_active(1));
    CHECK_OK(aclrtResetDevice(1));
    CHECK(!twin_device_active(1));
}

static void test_bad_device_ids(void)
{
    uint32_t count = twin_device_count();
    CHECK_CODE(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtSetDevice((int32_t)count), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtSetDevice(INT32_MAX), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtSetDevice(INT32_MIN), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtResetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtResetDevice((int32_t)count), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtResetDeviceForce(-1), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtResetDeviceForce((int32_t)count), ACL_ERROR_RT_INVALID_DEVICEID);
}

static void test_bad_set_counts_nothing(void)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtSetDevice((int32_t)twin_device_count()), ACL_ERROR_RT_INVALID_DEVICEID);
    int32_t device = -1;
    CHECK_OK(aclrtGetDevice(&device));
    CHECK_EQUAL(device, 0);
    CHECK_OK(aclrtResetDevice(0));
    CHECK(!twin_device_active(0));
}

static void child_broken_profile(void)
{
    CHECK_EITHER(aclrtSetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID, ACL_ERROR_RT_DEV_SETUP_ERROR);
    const char *text = aclGetRecentErrMsg();
    CHECK(text && strstr(text, "profile"));
}

static void test_device_that_cannot_come_up(void)
{
    static const char *const settings[] = {"TWINRT_PROFILE=/no/such/profile.json", NULL};
    twin_run_child("broken_profile", settings);
}

enum { SETTERS = 8 };

static void set_once(void *unused, unsigned index)
{
    (void)unused;
    (void)index;
    CHECK_OK(aclrtSetDevice(0));
}

static void test_concurrent_sets(void)
{
    twin_threads_run(SETTERS, set_once, NULL);
    for (int i = 0; i < SETTERS; i++) {
        CHECK(twin_device_active(0));
        CHECK_OK(aclrtResetDevice(0));
    }
    CHECK(!twin_device_active(0));
    CHECK_CODE(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
}

static void child_exit_without_reset(void)
{
    twin_buffer data;
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent event = twin_event(EVENT_EX);
    twin_buffer_make(&data, 4096, 1);
    CHECK_OK(aclrtMemsetAsync(data.device, data.bytes, 2, data.bytes, stream));
    CHECK_OK(aclrtRecordEvent(event, stream));
}

static void test_exit_without_reset(void)
{
    twin_run_child("exit_without_reset", NULL);
}

/* ---- reset ---------------------------------------------------------------------------------- */

static void test_reset_above_zero_releases_nothing(void)
{
    twin_buffer data;
    aclrtContext before = NULL;
    aclrtContext after = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtGetCurrentContext(&before));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&after));
    CHECK(before == after);
    twin_buffer_make(&data, 256, 0);
    CHECK_OK(aclrtMemsetAsync(data.device, 256, 5, 256, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtMemsetAsync(data.device, 128, 6, 128, NULL));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 6, 128);
    CHECK_BYTES(data.host + 128, 5, 128);
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* Leaves work pending on device 0, resets it with `reset`, and checks the memory that device 1
 * allocated. */
static void check_reset_waits(aclError (*reset)(int32_t))
{
    enum { BYTES = 32 << 20 };
    twin_buffer kept;
    void *device_0 = NULL;
    CHECK_OK(aclrtSetDevice(1));
    twin_buffer_make(&kept, BYTES, 1);
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtMalloc(&device_0, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemsetAsync(device_0, BYTES, 0x77, BYTES, stream));
    CHECK_OK(aclrtMemcpyAsync(kept.host, BYTES / 2, device_0, BYTES / 2, ACL_MEMCPY_DEVICE_TO_HOST,
                              stream));
    CHECK_OK(aclrtMemsetAsync((uint8_t *)device_0 + BYTES / 2, BYTES / 2, 0x78, BYTES / 2, NULL));
    CHECK_OK(aclrtMemcpyAsync(kept.host + BYTES / 2, BYTES / 2, (uint8_t *)device_0 + BYTES / 2,
                              BYTES / 2, ACL_MEMCPY_DEVICE_TO_HOST, NULL));
    CHECK_OK(reset(0));
    CHECK(!twin_device_active(0));
    CHECK_BYTES(kept.host, 0x77, BYTES / 2);
    CHECK(kept.host[BYTES - 1] == 0x77 || kept.host[BYTES - 1] == 0x78);

    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclrtSetDevice(1));
    twin_buffer_free(&kept);
    CHECK_OK(aclrtResetDeviceForce(1));
}

static void test_releasing_reset_waits_and_releases(void)
{
    check_reset_waits(aclrtResetDevice);
}

static void test_force_waits_and_releases(void)
{
    check_reset_waits(aclrtResetDeviceForce);
}

static void test_force_drains_any_count(void)
{
    for (int i = 0; i < 5; i++)
        CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtResetDeviceForce(0));
    CHECK(!twin_device_active(0));
}

static void test_reset_of_count_zero(void)
{
    CHECK_CODE(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
    CHECK_CODE(aclrtResetDeviceForce(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_CODE(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
    CHECK_CODE(aclrtResetDeviceForce(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
}

static void test_no_context_after_reset(void)
{
    aclrtContext context = NULL;
    aclrtStream stream = NULL;
    void *memory = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_CODE(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&context));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_second_life(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    aclrtStream fresh = twin_stream();
    CHECK(fresh != stream);
    CHECK_OK(aclrtSynchronizeStream(fresh));
    CHECK_OK(aclrtDestroyStream(fresh));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_event_of_an_earlier_life(void)
{
    aclrtEventRecordedStatus status;
    CHECK_OK(aclrtSetDevice(0));
    aclrtEvent event = twin_event(EVENT_EX);
    CHECK_OK(aclrtRecordEvent(event, NULL));
    CHECK_OK(aclrtResetDeviceForce(0));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtRecordEvent(event, NULL), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtQueryEventStatus(event, &status), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtDestroyEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_safe_order_of_release(void)
{
    aclrtContext context = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateContext(&context, 0));
    aclrtStream stream = twin_stream();
    aclrtEvent event = twin_event(EVENT_EX);
    CHECK_OK(aclrtRecordEvent(event, stream));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtDestroyContext(context));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_defaults_end_by_reset_only(void)
{
    aclrtContext context = NULL;
    aclrtStream stream = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&context));
    CHECK_OK(aclrtCtxGetCurrentDefaultStream(&stream));
    CHECK_FAILS(aclrtDestroyStream(stream));
    CHECK_FAILS(aclrtDestroyContext(context));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    CHECK_OK(aclrtGetCurrentContext(&context));
    CHECK_OK(aclrtResetDevice(0));
    CHECK(!twin_device_active(0));
}

static void test_no_release_of_defaults_needed(void)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
    CHECK(!twin_device_active(0));
}

static void test_devices_reset_apart(void)
{
    aclrtContext context = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&context));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtResetDeviceForce(1));
    CHECK(twin_device_active(0));
    CHECK_OK(aclrtSetCurrentContext(context));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
    CHECK(!twin_device_active(0));
}

static const twin_child children[] = {
    {"broken_profile", child_broken_profile}, {"exit_without_reset", child_exit_without_reset},
    {"none_visible", child_none_visible},     {"one_visible", child_one_visible},
    {"soc_name_first", child_soc_name_first}, {"two_visible", child_two_visible},
};

static const twin_test tests[] = {
    {"DEV-01: the first set brings up the device with a default context and stream",
     test_first_set},
    {"DEV-02: each set counts one, whatever the thread", test_sets_are_counted},
    {"DEV-03: all threads share one default context and default stream", test_one_default_context},
    {"DEV-04: the selection belongs to the thread", test_selection_is_thread_local},
    {"DEV-05: a thread switches devices, each set counts", test_switching_devices},
    {"DEV-06, DEV-13: a device id out of range is refused", test_bad_device_ids},
    {"DEV-06: a refused set counts nothing", test_bad_set_counts_nothing},
    {"DEV-07: a device that cannot be brought up says why", test_device_that_cannot_come_up},
    {"DEV-08: sets by many threads at once all count", test_concurrent_sets},
    {"DEV-09: a process may end without any reset", test_exit_without_reset},
    {"DEV-10: a reset above zero releases nothing", test_reset_above_zero_releases_nothing},
    {"DEV-11: the releasing reset waits for tasks and ends the streams",
     test_releasing_reset_waits_and_releases},
    {"DEV-12: a reset of count zero is refused", test_reset_of_count_zero},
    {"DEV-14: after the releasing reset the thread has no context", test_no_context_after_reset},
    {"DEV-15: a device opens again, old streams stay invalid", test_second_life},
    {"DEV-15: events of an earlier life stay invalid", test_event_of_an_earlier_life},
    {"DEV-16: the documented order of release succeeds", test_safe_order_of_release},
    {"DEV-17: default context and default stream end by the reset only",
     test_defaults_end_by_reset_only},
    {"DEV-18: default resources need no release of their own", test_no_release_of_defaults_needed},
    {"DEV-19: a forced reset drains any count", test_force_drains_any_count},
    {"DEV-19: a forced reset waits for tasks and ends the streams", test_force_waits_and_releases},
    {"DEV-20, DEV-21, DEV-22, DEV-23, DEV-24, DEV-25, DEV-26, DEV-27: every documented sequence of "
     "set, reset and force",
     test_reset_sequences},
    {"DEV-28, DEV-29: two threads set and force one device", test_reset_timelines},
    {"DEV-30: resetting one device leaves the other alone", test_devices_reset_apart},
    {"DEV-31: the device is that of the current context", test_device_of_the_context},
    {"DEV-32: without a context there is no current device", test_device_without_context},
    {"DEV-34, DEV-35: the run mode is host", test_run_mode},
    {"DEV-36: NULL outputs of the queries are refused", test_null_outputs},
    {"DEV-37: ASCEND_RT_VISIBLE_DEVICES filters the count", test_visible_devices},
    {"DEV-38: an invalid list of visible devices leaves none", test_invalid_visible_devices},
    {"DEV-39: both schedulers of the enumeration are accepted", test_task_schedulers},
    {"DEV-41: a healthy device is normal", test_device_status},
    {"DEV-44: the name of the SoC stays", test_soc_name},
    {"DEV-44: the name of the SoC needs neither init nor device", test_soc_name_needs_nothing},
    {"DEV-45: priorities go from 7, the least, to 0", test_priority_range},
    {"DEV-47: the primary context is active while the count is above zero",
     test_primary_context_state},
    {"DEV-48: reserved flags, NULL and bad ids are refused", test_primary_context_arguments},
    {"DEV-52: device synchronisation covers every stream of the context",
     test_synchronize_device_covers_all_streams},
    {"DEV-52: device synchronisation does not wait for another device",
     test_synchronize_device_leaves_other_devices},
    {"DEV-54: device synchronisation reports a missing context and a failed task",
     test_synchronize_device_errors},
    {"DEV-55: device synchronisation with a timeout", test_synchronize_device_with_timeout},
};

static const twin_suite suite = {.name = "device",
                                 .tests = tests,
                                 .test_count = TWIN_COUNT(tests),
                                 .children = children,
                                 .child_count = TWIN_COUNT(children)};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
