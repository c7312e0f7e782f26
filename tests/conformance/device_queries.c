/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: queries and synchronisation. */
#include <string.h>

#include "device_tests.h"
#include "suite.h"

bool twin_device_active(int32_t device)
{
    int32_t state = -1;
    CHECK_OK(aclrtGetPrimaryCtxState(device, NULL, &state));
    CHECK(state == 0 || state == 1);
    return state == 1;
}

/* ---- queries -------------------------------------------------------------------------------- */

static void ask_device_without_context(void *unused)
{
    (void)unused;
    int32_t device = 7;
    CHECK_CODE(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQUAL(device, 7);
}

void test_device_of_the_context(void)
{
    aclrtContext context = NULL;
    int32_t device = -1;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateContext(&context, 1));
    CHECK_OK(aclrtGetDevice(&device));
    CHECK_EQUAL(device, 1);
    CHECK_OK(aclrtDestroyContext(context));
    CHECK_OK(aclrtResetDeviceForce(0));
}

void test_device_without_context(void)
{
    twin_on_thread(ask_device_without_context, NULL);
}

void test_run_mode(void)
{
    aclrtRunMode mode = ACL_DEVICE;
    CHECK_OK(aclrtGetRunMode(&mode));
    CHECK_EQUAL(mode, ACL_HOST);
}

void test_null_outputs(void)
{
    CHECK_CODE(aclrtGetDevice(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetRunMode(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetDeviceCount(NULL), ACL_ERROR_INVALID_PARAM);
}

void child_two_visible(void)
{
    CHECK_EQUAL(twin_device_count(), 2);
}

void child_one_visible(void)
{
    CHECK_EQUAL(twin_device_count(), 1);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtSetDevice(1), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_OK(aclrtResetDevice(0));
}

void test_visible_devices(void)
{
    static const char *const all[] = {"TWINRT_DEVICES=2", NULL};
    static const char *const second[] = {"TWINRT_DEVICES=2", "ASCEND_RT_VISIBLE_DEVICES=1", NULL};
    static const char *const swapped[] = {"TWINRT_DEVICES=2", "ASCEND_RT_VISIBLE_DEVICES=1,0",
                                          NULL};
    twin_run_child("two_visible", all);
    twin_run_child("two_visible", swapped);
    twin_run_child("one_visible", second);
}

void child_none_visible(void)
{
    uint32_t count = 7;
    CHECK_CODE(aclrtGetDeviceCount(&count), ACL_ERROR_RT_NO_DEVICE);
    CHECK_FAILS(aclrtSetDevice(0));
}

void test_invalid_visible_devices(void)
{
    static const char *const words[] = {"ASCEND_RT_VISIBLE_DEVICES=abc", NULL};
    static const char *const absent[] = {"ASCEND_RT_VISIBLE_DEVICES=63", NULL};
    twin_run_child("none_visible", words);
    twin_run_child("none_visible", absent);
}

void test_task_schedulers(void)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtSetTsDevice(ACL_TS_ID_AICORE));
    CHECK_OK(aclrtSetTsDevice(ACL_TS_ID_AIVECTOR));
    CHECK_CODE(aclrtSetTsDevice(ACL_TS_ID_RESERVED), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetTsDevice((aclrtTsId)-1), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtResetDevice(0));
}

void test_device_status(void)
{
    aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_END;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtQueryDeviceStatus(0, &status));
    CHECK_EQUAL(status, ACL_RT_DEVICE_STATUS_NORMAL);
    CHECK_CODE(aclrtQueryDeviceStatus(0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtQueryDeviceStatus(-1, &status), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_OK(aclrtResetDevice(0));
}

void test_soc_name(void)
{
    const char *first = aclrtGetSocName();
    CHECK(first && strncmp(first, "Ascend", 6) == 0);
    CHECK_OK(aclrtSetDevice(0));
    const char *second = aclrtGetSocName();
    CHECK(first && second && strcmp(first, second) == 0);
    CHECK_OK(aclrtResetDevice(0));
    CHECK(first && second && strcmp(first, second) == 0);
}

void child_soc_name_first(void)
{
    const char *name = aclrtGetSocName(); /* the first call of the process */
    CHECK(name && strcmp(name, "Ascend910B3") == 0);
}

void test_soc_name_needs_nothing(void)
{
    static const char *const settings[] = {"TWINRT_PROFILE=910b3", NULL};
    twin_run_child("soc_name_first", settings);
}

void test_priority_range(void)
{
    int32_t least = -1;
    int32_t greatest = -1;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK_EQUAL(least, 7);
    CHECK_EQUAL(greatest, 0);
    least = -1;
    greatest = -1;
    CHECK_OK(aclrtDeviceGetStreamPriorityRange(&least, NULL));
    CHECK_OK(aclrtDeviceGetStreamPriorityRange(NULL, &greatest));
    CHECK_EQUAL(least, 7);
    CHECK_EQUAL(greatest, 0);
    CHECK_OK(aclrtResetDevice(0));
}

void test_primary_context_state(void)
{
    CHECK(!twin_device_active(0));
    CHECK_OK(aclrtSetDevice(0));
    CHECK(twin_device_active(0));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtResetDevice(0));
    CHECK(twin_device_active(0));
    CHECK_OK(aclrtResetDevice(0));
    CHECK(!twin_device_active(0));
}

void test_primary_context_arguments(void)
{
    uint32_t flags = 0;
    int32_t state = 0;
    int32_t count = (int32_t)twin_device_count();
    CHECK_CODE(aclrtGetPrimaryCtxState(0, NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetPrimaryCtxState(0, &flags, &state), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetPrimaryCtxState(-1, NULL, &state), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtGetPrimaryCtxState(count, NULL, &state), ACL_ERROR_RT_INVALID_DEVICEID);
}

/* ---- synchronisation ------------------------------------------------------------------------ */

void test_synchronize_device_covers_all_streams(void)
{
    enum { STREAMS = 4, BYTES = 1 << 20 };
    twin_buffer data[STREAMS];
    aclrtStream streams[STREAMS] = {NULL};
    CHECK_OK(aclrtSetDevice(0));
    for (int i = 0; i < STREAMS; i++) {
        if (i > 0)
            streams[i] = twin_stream(); /* stream 0 is the default one */
        twin_buffer_make(&data[i], BYTES, 0);
    }
    for (int i = 0; i < STREAMS; i++) {
        CHECK_OK(aclrtMemsetAsync(data[i].device, BYTES, 0x30 + i, BYTES, streams[i]));
        CHECK_OK(aclrtMemcpyAsync(data[i].host, BYTES, data[i].device, BYTES,
                                  ACL_MEMCPY_DEVICE_TO_HOST, streams[i]));
    }
    CHECK_OK(aclrtSynchronizeDevice());
    for (int i = 0; i < STREAMS; i++) {
        CHECK_BYTES(data[i].host, (uint8_t)(0x30 + i), BYTES);
        CHECK(twin_idle(streams[i]));
        twin_buffer_free(&data[i]);
        if (streams[i])
            CHECK_OK(aclrtDestroyStream(streams[i]));
    }
    CHECK_OK(aclrtResetDevice(0));
}

void test_synchronize_device_leaves_other_devices(void)
{
    twin_hold hold;
    aclrtContext first = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&first));
    aclrtStream held = twin_stream();
    aclrtStream opener = twin_stream();
    twin_hold_begin(&hold, held);
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtSynchronizeDeviceWithTimeout(SOON_MS));
    CHECK_OK(aclrtSetCurrentContext(first));
    CHECK(!twin_idle(held));
    twin_hold_end(&hold, opener);
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(held));
    CHECK_OK(aclrtResetDevice(1));
    CHECK_OK(aclrtResetDevice(0));
}

static void synchronize_without_context(void *unused)
{
    (void)unused;
    CHECK_CODE(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtSynchronizeDeviceWithTimeout(10), ACL_ERROR_RT_CONTEXT_NULL);
}

void test_synchronize_device_errors(void)
{
    twin_on_thread(synchronize_without_context, NULL);
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent never = twin_event(EVENT_FLAG);
    CHECK_OK(aclrtStreamWaitEventWithTimeout(stream, never, 1));
    CHECK_CODE(aclrtSynchronizeDevice(), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_OK(aclrtDestroyEvent(never));
    CHECK_OK(aclrtDestroyStreamForce(stream));
    CHECK_OK(aclrtResetDeviceForce(0));
}

void test_synchronize_device_with_timeout(void)
{
    twin_hold hold;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream held = twin_stream();
    aclrtStream opener = twin_stream();
    CHECK_OK(aclrtSynchronizeDeviceWithTimeout(-1));
    twin_hold_begin(&hold, held);
    CHECK_CODE(aclrtSynchronizeDeviceWithTimeout(SHORT_MS), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_CODE(aclrtSynchronizeDeviceWithTimeout(-2), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSynchronizeDeviceWithTimeout(INT32_MIN), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(!twin_idle(held));
    twin_hold_release(&hold, opener);
    CHECK_OK(aclrtSynchronizeDevice());
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(held));
    CHECK_OK(aclrtResetDevice(0));
}
