/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that later work reads: options of the process and of contexts, shares of cores; what
 * devices are. */
#include "profile.h"
#include "suite.h"

#define DETERMINISTIC ACL_OPT_DETERMINISTIC
#define DEBUG_KERNEL  ACL_OPT_ENABLE_DEBUG_KERNEL
#define EARLY_START   ACL_OPT_ENABLE_KERNEL_EARLY_START

static int64_t process_option(aclSysParamOpt option)
{
    int64_t value = -99;
    CHECK_OK(aclrtGetSysParamOpt(option, &value));
    return value;
}

static int64_t context_option(aclSysParamOpt option)
{
    int64_t value = -99;
    CHECK_OK(aclrtCtxGetSysParamOpt(option, &value));
    return value;
}

/* ---- options of the process ----------------------------------------------------------------- */

static void set_one(void *unused)
{
    (void)unused;
    CHECK_EQUAL(process_option(DETERMINISTIC), 3);
    CHECK_OK(aclrtSetSysParamOpt(DETERMINISTIC, INT64_MAX));
}

static void child_process_options(void)
{
    for (int option = 0; option <= EARLY_START; option++)
        CHECK_EQUAL(process_option((aclSysParamOpt)option), 0);
    CHECK_OK(aclrtSetSysParamOpt(DETERMINISTIC, 1));
    CHECK_OK(aclrtSetSysParamOpt(DETERMINISTIC, 3));
    CHECK_OK(aclrtSetSysParamOpt(EARLY_START, -7));
    twin_on_thread(set_one, NULL);
    CHECK_EQUAL(process_option(DETERMINISTIC), INT64_MAX);
    CHECK_EQUAL(process_option(EARLY_START), -7);
    CHECK_EQUAL(process_option(DEBUG_KERNEL), 0);
}

static void test_process_options(void)
{
    twin_run_child("process_options", NULL);
}

static void test_process_refusals(void)
{
    int64_t value = 5;
    CHECK_CODE(aclrtSetSysParamOpt((aclSysParamOpt)4, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetSysParamOpt((aclSysParamOpt)-1, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetSysParamOpt((aclSysParamOpt)4, &value), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetSysParamOpt((aclSysParamOpt)-1, &value), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetSysParamOpt(DETERMINISTIC, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQUAL(value, 5);
}

/* ---- options of a context ------------------------------------------------------------------- */

static void test_context_refusals(void)
{
    int64_t value = 5;
    CHECK_CODE(aclrtCtxSetSysParamOpt(EARLY_START, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCtxGetSysParamOpt(EARLY_START, &value), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCtxSetSysParamOpt((aclSysParamOpt)-1, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCtxGetSysParamOpt(DETERMINISTIC, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQUAL(value, 5);
}

static void test_context_options(void)
{
    int64_t value = 5;
    aclrtContext first, second;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateContext(&first, 0));
    for (int option = 0; option < EARLY_START; option++)
        CHECK_CODE(aclrtCtxGetSysParamOpt((aclSysParamOpt)option, &value),
                   ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
    CHECK_EQUAL(value, 5);
    CHECK_OK(aclrtCtxSetSysParamOpt(DETERMINISTIC, 1));
    CHECK_OK(aclrtCtxSetSysParamOpt(DETERMINISTIC, 0));
    CHECK_EQUAL(context_option(DETERMINISTIC), 0);
    CHECK_OK(aclrtCtxSetSysParamOpt(DETERMINISTIC, 2));
    CHECK_CODE(aclrtCtxGetSysParamOpt(DEBUG_KERNEL, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);

    CHECK_OK(aclrtCreateContext(&second, 0));
    CHECK_CODE(aclrtCtxGetSysParamOpt(DETERMINISTIC, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
    CHECK_OK(aclrtCtxSetSysParamOpt(DETERMINISTIC, 3));
    CHECK_OK(aclrtSetCurrentContext(first));
    CHECK_EQUAL(context_option(DETERMINISTIC), 2);
    CHECK_OK(aclrtSetCurrentContext(second));
    CHECK_EQUAL(context_option(DETERMINISTIC), 3);

    /* A context that takes the place of an ended one begins anew. */
    CHECK_OK(aclrtDestroyContext(second));
    CHECK_OK(aclrtCreateContext(&second, 0));
    CHECK_CODE(aclrtCtxGetSysParamOpt(DETERMINISTIC, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
    CHECK_OK(aclrtDestroyContext(second));
    CHECK_OK(aclrtDestroyContext(first));
    CHECK_OK(aclrtResetDevice(0));
}

static void without_context(void *unused)
{
    int64_t value = 5;
    (void)unused;
    CHECK_CODE(aclrtCtxSetSysParamOpt(DETERMINISTIC, 1), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtCtxGetSysParamOpt(DETERMINISTIC, &value), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQUAL(value, 5);
}

static void test_without_context(void)
{
    twin_on_thread(without_context, NULL);
}

/* ---- shares of cores ------------------------------------------------------------------------ */

#define CUBE   ACL_RT_DEV_RES_CUBE_CORE
#define VECTOR ACL_RT_DEV_RES_VECTOR_CORE
#define BAD    ((aclrtDevResLimitType)2)

static uint32_t device_share(int32_t device, aclrtDevResLimitType type)
{
    uint32_t value = 9999;
    CHECK_OK(aclrtGetDeviceResLimit(device, type, &value));
    return value;
}

static uint32_t stream_share(aclrtStream stream, aclrtDevResLimitType type)
{
    uint32_t value = 9999;
    CHECK_OK(aclrtGetStreamResLimit(stream, type, &value));
    return value;
}

static uint32_t thread_share(aclrtDevResLimitType type)
{
    uint32_t value = 9999;
    CHECK_OK(aclrtGetResInCurrentThread(type, &value));
    return value;
}

static void test_device_share(void)
{
    uint32_t cubes = (uint32_t)twin_profile_value("limit.aic_cores");
    uint32_t vectors = (uint32_t)twin_profile_value("limit.aiv_cores");
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQUAL(device_share(0, CUBE), cubes);
    CHECK_EQUAL(device_share(0, VECTOR), vectors);
    CHECK_OK(aclrtSetDeviceResLimit(0, CUBE, 3));
    CHECK_OK(aclrtSetDeviceResLimit(0, CUBE, 5));
    CHECK_EQUAL(device_share(0, CUBE), 5);
    CHECK_EQUAL(device_share(0, VECTOR), vectors);
    CHECK_EQUAL(device_share(1, CUBE), cubes);
    CHECK_OK(aclrtSetDeviceResLimit(0, VECTOR, vectors));
    CHECK_OK(aclrtResetDeviceResLimit(0));
    CHECK_EQUAL(device_share(0, CUBE), cubes);
    CHECK_EQUAL(device_share(0, VECTOR), vectors);
    CHECK_OK(aclrtResetDevice(1));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_share_refusals(void)
{
    uint32_t value = 9999;
    uint32_t cubes = (uint32_t)twin_profile_value("limit.aic_cores");
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_CODE(aclrtSetDeviceResLimit(-1, CUBE, 1), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtGetDeviceResLimit(-1, CUBE, &value), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtResetDeviceResLimit(-1), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtSetDeviceResLimit(0, BAD, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetDeviceResLimit(0, BAD, &value), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetDeviceResLimit(0, CUBE, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetDeviceResLimit(0, CUBE, cubes + 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtSetDeviceResLimit(0, CUBE, 2));
    /* The bound is the hardware's, not what was set before. */
    CHECK_CODE(aclrtSetStreamResLimit(stream, CUBE, cubes + 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtSetStreamResLimit(stream, CUBE, cubes));
    CHECK_OK(aclrtSetDeviceResLimit(0, CUBE, cubes));
    CHECK_CODE(aclrtSetStreamResLimit(stream, BAD, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetStreamResLimit(stream, BAD, &value), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetStreamResLimit(stream, CUBE, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetResInCurrentThread(BAD, &value), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetResInCurrentThread(CUBE, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_CODE(aclrtSetStreamResLimit(stream, CUBE, 1), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQUAL(value, 9999);
    CHECK_OK(aclrtResetDevice(0));
}

static void child_device_down(void)
{
    uint32_t value = 9999;
    CHECK_CODE(aclrtSetDeviceResLimit(0, CUBE, 1), ACL_ERROR_RT_DEV_SETUP_ERROR);
    CHECK_CODE(aclrtGetDeviceResLimit(0, CUBE, &value), ACL_ERROR_RT_DEV_SETUP_ERROR);
    CHECK_CODE(aclrtResetDeviceResLimit(0), ACL_ERROR_RT_DEV_SETUP_ERROR);
    CHECK_EQUAL(value, 9999);
}

static void test_device_down(void)
{
    twin_run_child("device_down", NULL);
}

static void test_stream_share(void)
{
    uint32_t vectors = (uint32_t)twin_profile_value("limit.aiv_cores");
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_EQUAL(stream_share(stream, VECTOR), vectors);
    CHECK_OK(aclrtSetDeviceResLimit(0, VECTOR, 7));
    CHECK_EQUAL(stream_share(stream, VECTOR), 7);
    CHECK_OK(aclrtSetStreamResLimit(stream, VECTOR, 11));
    CHECK_OK(aclrtSetStreamResLimit(NULL, VECTOR, 13));
    CHECK_EQUAL(stream_share(stream, VECTOR), 11);
    CHECK_EQUAL(stream_share(NULL, VECTOR), 13);
    aclrtStream by_default;
    CHECK_OK(aclrtCtxGetCurrentDefaultStream(&by_default));
    CHECK_EQUAL(stream_share(by_default, VECTOR), 13);
    CHECK_EQUAL(device_share(0, VECTOR), 7);
    CHECK_OK(aclrtResetStreamResLimit(NULL));
    CHECK_EQUAL(stream_share(NULL, VECTOR), 7);
    CHECK_EQUAL(stream_share(stream, VECTOR), 11);
    CHECK_OK(aclrtResetDeviceResLimit(0));
    CHECK_EQUAL(stream_share(stream, VECTOR), 11);
    CHECK_OK(aclrtResetStreamResLimit(stream));
    CHECK_EQUAL(stream_share(stream, VECTOR), vectors);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void uses_nothing(void *stream)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_EQUAL(thread_share(CUBE), 5);
    CHECK_OK(aclrtUnuseStreamResInCurrentThread(stream)); /* another thread's affair */
    CHECK_OK(aclrtResetDevice(0));
}

static void test_thread_share(void)
{
    uint32_t cubes = (uint32_t)twin_profile_value("limit.aic_cores");
    uint32_t vectors = (uint32_t)twin_profile_value("limit.aiv_cores");
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream first = twin_stream();
    aclrtStream second = twin_stream();
    CHECK_OK(aclrtSetStreamResLimit(first, CUBE, 2));
    CHECK_OK(aclrtSetStreamResLimit(second, CUBE, 3));
    CHECK_EQUAL(thread_share(CUBE), cubes);
    CHECK_OK(aclrtUseStreamResInCurrentThread(first));
    CHECK_EQUAL(thread_share(CUBE), 2);
    CHECK_EQUAL(thread_share(VECTOR), vectors); /* not set on the stream */
    CHECK_OK(aclrtSetDeviceResLimit(0, CUBE, 5));
    CHECK_OK(aclrtSetDeviceResLimit(0, VECTOR, 6));
    CHECK_EQUAL(thread_share(CUBE), 2);
    CHECK_EQUAL(thread_share(VECTOR), 6);
    CHECK_OK(aclrtUseStreamResInCurrentThread(second));
    CHECK_EQUAL(thread_share(CUBE), 3);
    CHECK_OK(aclrtUnuseStreamResInCurrentThread(first));
    CHECK_EQUAL(thread_share(CUBE), 3);
    twin_on_thread(uses_nothing, second);
    CHECK_EQUAL(thread_share(CUBE), 3);
    CHECK_OK(aclrtUnuseStreamResInCurrentThread(second));
    CHECK_EQUAL(thread_share(CUBE), 5);

    CHECK_OK(aclrtUseStreamResInCurrentThread(first));
    CHECK_OK(aclrtDestroyStream(first)); /* while in use */
    CHECK_EQUAL(thread_share(CUBE), 5);
    CHECK_CODE(aclrtUseStreamResInCurrentThread(first), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtDestroyStream(second));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- what devices are ----------------------------------------------------------------------- */

static int64_t device_info(uint32_t device, aclrtDevAttr attribute)
{
    int64_t value = -99;
    CHECK_OK(aclrtGetDeviceInfo(device, attribute, &value));
    return value;
}

static void child_device_info(void)
{
    int64_t value = -99;
    CHECK_EQUAL(device_info(0, ACL_DEV_ATTR_AICORE_CORE_NUM),
                twin_profile_value("limit.aic_cores"));
    CHECK_EQUAL(device_info(1, ACL_DEV_ATTR_CUBE_CORE_NUM), twin_profile_value("limit.aic_cores"));
    CHECK_EQUAL(device_info(0, ACL_DEV_ATTR_VECTOR_CORE_NUM),
                twin_profile_value("limit.aiv_cores"));
    CHECK_EQUAL(device_info(0, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE),
                twin_profile_value("limit.memory_mib") << 20);
    CHECK_CODE(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_CUBE_CORE_NUM, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetDeviceInfo(2, ACL_DEV_ATTR_CUBE_CORE_NUM, &value),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_WARP_SIZE, &value),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_EQUAL(value, -99);
}

static void test_device_info(void)
{
    static const char *const settings[] = {"TWINRT_DEVICES=2", NULL};
    twin_run_child("device_info", settings);
}

static void child_device_numbers(void)
{
    static const int32_t machine[] = {2, 0}; /* as listed below */
    int32_t id = -99;
    for (int32_t user = 0; user < 2; user++) {
        CHECK_OK(aclrtGetLogicDevIdByUserDevId(user, &id));
        CHECK_EQUAL(id, machine[user]);
        CHECK_OK(aclrtGetUserDevIdByLogicDevId(machine[user], &id));
        CHECK_EQUAL(id, user);
        CHECK_OK(aclrtGetPhyDevIdByUserDevId(user, &id));
        CHECK_EQUAL(id, machine[user]);
        CHECK_OK(aclrtGetUserDevIdByPhyDevId(machine[user], &id));
        CHECK_EQUAL(id, user);
    }
    id = -99;
    CHECK_CODE(aclrtGetLogicDevIdByUserDevId(2, &id), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetPhyDevIdByUserDevId(-1, &id), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetUserDevIdByLogicDevId(1, &id), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetUserDevIdByPhyDevId(-1, &id), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetLogicDevIdByUserDevId(0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetUserDevIdByPhyDevId(0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQUAL(id, -99);
}

static void test_device_numbers(void)
{
    static const char *const settings[] = {"TWINRT_DEVICES=3", "ASCEND_RT_VISIBLE_DEVICES=2,0",
                                           NULL};
    twin_run_child("device_numbers", settings);
}

static const twin_child children[] = {
    {"device_down", child_device_down},
    {"device_info", child_device_info},
    {"device_numbers", child_device_numbers},
    {"process_options", child_process_options},
};

static const twin_test tests[] = {
    {"CFG-01, CFG-02: options of the process are 0, then what any thread set last",
     test_process_options},
    {"CFG-03: the process has options 0 to 3", test_process_refusals},
    {"CFG-04: a context has options 0 to 2", test_context_refusals},
    {"CFG-05, CFG-06: a context has its own options, and no default", test_context_options},
    {"CFG-07: options of a context need one", test_without_context},
    {"CFG-08: a device's share of cores is set, read and reset", test_device_share},
    {"CFG-09: shares refuse bad devices, types and values", test_share_refusals},
    {"CFG-10: shares need a device that is up", test_device_down},
    {"CFG-11: a stream's share overrides the device's", test_stream_share},
    {"CFG-12, CFG-13: a thread uses the share of one stream, else the device's", test_thread_share},
    {"DEV-42: device information needs no device set", test_device_info},
    {"the process counts visible devices, the machine all", test_device_numbers},
};

static const twin_suite suite = {.name = "config",
                                 .tests = tests,
                                 .test_count = TWIN_COUNT(tests),
                                 .children = children,
                                 .child_count = TWIN_COUNT(children)};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
