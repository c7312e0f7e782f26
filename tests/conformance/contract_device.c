/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, start and end, options, plain data. */
#include "contract_tests.h"

#include <string.h>

enum { BYTES = 64 };

void test_reset_keeps_contexts(void)
{
    aclrtContext context = NULL, current = NULL;
    aclrtStream stream = NULL, of_default = NULL;
    aclrtEvent event = NULL;
    void *memory = NULL;
    unsigned char host[BYTES];
    CHECK_OK(aclrtSetDevice(0));
    of_default = twin_stream();
    CHECK_OK(aclrtCreateContext(&context, 0));
    stream = twin_stream();
    event = twin_event(EVENT_PLAIN);
    CHECK_OK(aclrtMalloc(&memory, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtResetDevice(0));

    CHECK_OK(aclrtGetCurrentContext(&current));
    CHECK(current == context);
    CHECK_OK(aclrtMemsetAsync(memory, BYTES, 7, BYTES, stream));
    CHECK_OK(aclrtRecordEvent(event, stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK(twin_recorded(event));
    CHECK_OK(aclrtMemcpy(host, BYTES, memory, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_BYTES(host, 7, BYTES);
    CHECK_CODE(aclrtSynchronizeStream(of_default), ACL_ERROR_RT_INVALID_HANDLE);

    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtDestroyContext(context));
    CHECK_CODE(aclrtGetCurrentContext(&current), ACL_ERROR_RT_CONTEXT_NULL);
}

void test_reset_then_set_again(void)
{
    aclrtContext context = NULL, first = NULL, again = NULL;
    int32_t active = 9;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&first));
    CHECK_OK(aclrtCreateContext(&context, 0));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclrtGetPrimaryCtxState(0, NULL, &active));
    CHECK_EQUAL(active, 0);
    CHECK_CODE(aclrtSetCurrentContext(first), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_FAILS(aclrtResetDevice(0));

    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&again));
    CHECK(again != context);
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(NULL, SOON_MS));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK_OK(aclrtDestroyContext(context));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
}

void test_zero_timeouts(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent event = twin_event(EVENT_PLAIN);
    CHECK_OK(aclrtRecordEvent(event, stream));
    CHECK_CODE(aclrtSynchronizeDeviceWithTimeout(0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSynchronizeEventWithTimeout(event, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtSynchronizeDeviceWithTimeout(-1));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, -1));
    CHECK_OK(aclrtSynchronizeEventWithTimeout(event, -1));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* The reported states, in order: 1 SET_PRE, 2 SET_POST, 3 RESET_PRE, 4 RESET_POST. */
typedef struct news {
    int states[16];
    unsigned count;
} news;

static void note_state(int32_t device, aclrtDeviceState state, void *user)
{
    news *seen = user;
    (void)device;
    if (seen->count < 16)
        seen->states[seen->count++] = (int)state;
}

void test_device_callbacks_by_use(void)
{
    static const int want[] = {ACL_RT_DEVICE_STATE_SET_PRE, ACL_RT_DEVICE_STATE_SET_POST,
                               ACL_RT_DEVICE_STATE_SET_POST, ACL_RT_DEVICE_STATE_RESET_PRE,
                               ACL_RT_DEVICE_STATE_RESET_POST};
    news seen = {.count = 0};
    CHECK_OK(aclrtRegDeviceStateCallback("contract", note_state, &seen));
    CHECK_OK(aclrtSetDevice(0)); /* brings it up */
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_EQUAL(seen.count, 3);
    CHECK_OK(aclrtResetDevice(0)); /* releases it */
    CHECK_OK(aclrtRegDeviceStateCallback("contract", NULL, NULL));
    CHECK_EQUAL(seen.count, TWIN_COUNT(want));
    for (size_t i = 0; i < TWIN_COUNT(want); i++)
        CHECK_EQUAL(seen.states[i], want[i]);
}

void test_ids_out_of_range(void)
{
    const int32_t bad[] = {-1, 1 << 20};
    int32_t id = 9;
    for (size_t i = 0; i < TWIN_COUNT(bad); i++) {
        CHECK_CODE(aclrtGetLogicDevIdByUserDevId(bad[i], &id), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclrtGetUserDevIdByLogicDevId(bad[i], &id), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclrtGetLogicDevIdByPhyDevId(bad[i], &id), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclrtGetPhyDevIdByLogicDevId(bad[i], &id), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclrtGetUserDevIdByPhyDevId(bad[i], &id), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclrtGetPhyDevIdByUserDevId(bad[i], &id), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclrtDeviceCanAccessPeer(&id, bad[i], 0), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclrtDeviceCanAccessPeer(&id, 0, bad[i]), ACL_ERROR_RT_PARAM_INVALID);
    }
    CHECK_EQUAL(id, 9);
}

void test_utilization_of_bad_device(void)
{
    aclrtUtilizationInfo info = {0};
    CHECK_OK(aclrtGetDeviceUtilizationRate(1 << 20, &info));
    CHECK_EQUAL(info.cubeUtilization, -1);
    CHECK_EQUAL(info.vectorUtilization, -1);
    CHECK_EQUAL(info.aicpuUtilization, -1);
    CHECK_EQUAL(info.memoryUtilization, -1);
}

void test_reference_writes_zero(void)
{
    uint64_t count = 99;
    CHECK_CODE(aclFinalizeReference(&count), ACL_ERROR_REPEAT_FINALIZE);
    CHECK_EQUAL(count, 0);
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclFinalizeReference(&count));
    count = 99;
    CHECK_CODE(aclFinalizeReference(&count), ACL_ERROR_REPEAT_FINALIZE);
    CHECK_EQUAL(count, 0);
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclFinalize());
    count = 99;
    CHECK_CODE(aclFinalizeReference(&count), ACL_ERROR_REPEAT_FINALIZE);
    CHECK_EQUAL(count, 0);
}

static aclError at_init(const char *text, size_t length, void *user)
{
    (void)text;
    (void)length;
    (void)user;
    return ACL_SUCCESS;
}

static aclError at_finalize(void *user)
{
    (void)user;
    return ACL_SUCCESS;
}

void test_callback_types(void)
{
    const int types[] = {-1, 4711};
    for (size_t i = 0; i < TWIN_COUNT(types); i++) {
        aclRegisterCallbackType type = (aclRegisterCallbackType)types[i];
        CHECK_OK(aclInitCallbackRegister(type, at_init, NULL));
        CHECK_OK(aclInitCallbackUnRegister(type, at_init));
        CHECK_CODE(aclInitCallbackUnRegister(type, at_init), ACL_ERROR_INTERNAL_ERROR);
        CHECK_OK(aclFinalizeCallbackRegister(type, at_finalize, NULL));
        CHECK_OK(aclFinalizeCallbackUnRegister(type, at_finalize));
        CHECK_CODE(aclFinalizeCallbackUnRegister(type, at_finalize), ACL_ERROR_INTERNAL_ERROR);
    }
}

void test_option_values(void)
{
    static const struct {
        aclSysParamOpt option;
        int64_t value;
        aclError want;
    } rows[] = {
        {ACL_OPT_DETERMINISTIC, 0, ACL_SUCCESS},
        {ACL_OPT_DETERMINISTIC, 3, ACL_SUCCESS},
        {ACL_OPT_DETERMINISTIC, 4, ACL_ERROR_RT_PARAM_INVALID},
        {ACL_OPT_DETERMINISTIC, -1, ACL_ERROR_RT_PARAM_INVALID},
        {ACL_OPT_ENABLE_DEBUG_KERNEL, 1, ACL_SUCCESS},
        {ACL_OPT_ENABLE_DEBUG_KERNEL, 2, ACL_ERROR_RT_PARAM_INVALID},
        {ACL_OPT_STRONG_CONSISTENCY, 1, ACL_SUCCESS},
        {ACL_OPT_STRONG_CONSISTENCY, 2, ACL_ERROR_RT_PARAM_INVALID},
    };
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < TWIN_COUNT(rows); i++)
        CHECK_CODE(aclrtCtxSetSysParamOpt(rows[i].option, rows[i].value), rows[i].want);
    CHECK_OK(aclrtResetDevice(0));
}

void test_sat_mode_default(void)
{
    aclrtFloatOverflowMode mode = (aclrtFloatOverflowMode)9;
    const char *soc = aclrtGetSocName();
    if (!CHECK(soc != NULL) || !strstr(soc, "910B"))
        return;
    CHECK_OK(aclrtGetDeviceSatMode(&mode));
    CHECK_EQUAL(mode, ACL_RT_OVERFLOW_MODE_INFNAN);
    CHECK_OK(aclrtSetDevice(0));
    mode = (aclrtFloatOverflowMode)9;
    CHECK_OK(aclrtGetDeviceSatMode(&mode));
    CHECK_EQUAL(mode, ACL_RT_OVERFLOW_MODE_INFNAN);
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclInit(NULL));
    mode = (aclrtFloatOverflowMode)9;
    CHECK_OK(aclrtGetDeviceSatMode(&mode));
    CHECK_EQUAL(mode, ACL_RT_OVERFLOW_MODE_INFNAN);
    CHECK_OK(aclFinalize());
}

void test_unknown_data_type(void)
{
    CHECK_EQUAL(aclDataTypeSize((aclDataType)4711), 8);
    CHECK_EQUAL(aclDataTypeSize(ACL_DT_UNDEFINED), 0);
    CHECK_EQUAL(aclDataTypeSize(ACL_STRING), 0);
}
