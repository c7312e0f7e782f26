/* SPDX-License-Identifier: Apache-2.0 */
/* Counting notifies: refused by the default product; the rest runs as a child on a profile that has
 * them. */
#include "suite.h"

#include "profile.h"

static void create_without_context(void *unused)
{
    (void)unused;
    aclrtCntNotify notify = NULL;
    CHECK_CODE(aclrtCntNotifyCreate(&notify, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCntNotifyCreate(&notify, 0), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK(notify == NULL);
}

static void test_not_on_this_product(void)
{
    aclrtCntNotify notify = NULL;
    uint32_t id = 0;
    aclrtCntNotifyRecordInfo record = {ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 1};
    twin_on_thread(create_without_context, NULL);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtCntNotifyCreate(&notify, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCntNotifyCreate(&notify, UINT64_MAX), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCntNotifyCreate(&notify, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK(notify == NULL);
    aclrtCntNotify made_up = (aclrtCntNotify)(uintptr_t)0x1234;
    CHECK_CODE(aclrtCntNotifyRecord(made_up, NULL, &record), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtCntNotifyReset(made_up, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtCntNotifyGetId(made_up, &id), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtCntNotifyDestroy(made_up), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtResetDevice(0));
}

static void check_info_null(void)
{
    CHECK_CODE(aclrtCntNotifyRecord(NULL, NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCntNotifyWaitWithTimeout(NULL, NULL, NULL), ACL_ERROR_INVALID_PARAM);
}

/* ---- on a profile that has them ------------------------------------------------------------- */

static const char *const settings[] = {"TWINRT_PROFILE=950", NULL};

static aclrtCntNotify notify;
static aclrtStream recorder;
static aclrtStream waiter;

static void begin(void)
{
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCntNotifyCreate(&notify, 0));
    recorder = twin_stream();
    waiter = twin_stream();
}

static void end(void)
{
    CHECK_OK(aclrtDestroyStream(waiter));
    CHECK_OK(aclrtDestroyStream(recorder));
    CHECK_OK(aclrtCntNotifyDestroy(notify));
    CHECK_CODE(aclrtCntNotifyDestroy(notify), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclFinalize());
}

static void record(aclrtCntNotifyRecordMode mode, uint32_t value)
{
    aclrtCntNotifyRecordInfo info = {mode, value};
    CHECK_OK(aclrtCntNotifyRecord(notify, recorder, &info));
}

static void wait_for(aclrtCntNotifyWaitMode mode, uint32_t value, uint8_t clear)
{
    aclrtCntNotifyWaitInfo info = {mode, value, 0, clear, {0, 0, 0}};
    CHECK_OK(aclrtCntNotifyWaitWithTimeout(notify, waiter, &info));
}

static bool passes(void)
{
    aclError code = aclrtSynchronizeStreamWithTimeout(waiter, SHORT_MS);
    CHECK_EITHER(code, ACL_SUCCESS, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    return code == ACL_SUCCESS;
}

/* The count is `value`: a wait for it passes at once. */
static bool count_is(uint32_t value)
{
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(recorder, SOON_MS));
    wait_for(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, value, 0);
    return passes();
}

static void child_create(void)
{
    aclrtCntNotify other = NULL;
    uint32_t ids[2] = {0, 0};
    begin();
    CHECK_CODE(aclrtCntNotifyCreate(&other, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCntNotifyCreate(NULL, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtCntNotifyCreate(&other, 0));
    CHECK_OK(aclrtCntNotifyGetId(notify, &ids[0]));
    CHECK_OK(aclrtCntNotifyGetId(other, &ids[1]));
    CHECK(ids[0] != ids[1]);
    CHECK_CODE(aclrtCntNotifyGetId(notify, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtCntNotifyDestroy(other));
    CHECK(count_is(0));
    end();
}

/* A device has so many, and one less makes room; a reset of the device takes the counts away. */
static void child_limit(void)
{
    enum { MOST = 4096 };
    static aclrtCntNotify made[MOST];
    begin();
    unsigned limit = (unsigned)twin_profile_value("limit.count_notifies") - 1;
    unsigned count = 0;
    aclError code = ACL_SUCCESS;
    CHECK(limit < MOST);
    while (count < MOST && (code = aclrtCntNotifyCreate(&made[count], 0)) == ACL_SUCCESS)
        count++;
    CHECK_EQUAL(count, limit);
    CHECK_CODE(code, ACL_ERROR_RT_NO_NOTIFY_RESOURCE);
    CHECK_OK(aclrtCntNotifyDestroy(made[count / 2]));
    CHECK_OK(aclrtCntNotifyCreate(&made[count / 2], 0));
    while (count > 0)
        CHECK_OK(aclrtCntNotifyDestroy(made[--count]));
    record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 5);
    CHECK(count_is(5));
    end();
    begin();
    CHECK(count_is(0));
    end();
}

/* Tasks of a model instance run as often as it does. */
static void child_model(void)
{
    aclmdlRI model = NULL;
    aclrtStream kept = NULL;
    begin();
    CHECK_OK(aclrtCreateStreamWithConfig(&kept, 0, ACL_STREAM_PERSISTENT));
    CHECK_OK(aclmdlRIBuildBegin(&model, 0));
    CHECK_OK(aclmdlRIBindStream(model, kept, 0));
    aclrtCntNotifyRecordInfo add = {ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 2};
    CHECK_OK(aclrtCntNotifyRecord(notify, kept, &add));
    aclrtCntNotifyWaitInfo wait = {ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 7, 0, 0, {0, 0, 0}};
    CHECK_OK(aclrtCntNotifyWaitWithTimeout(notify, kept, &wait));
    CHECK_OK(aclmdlRIEndTask(model, kept));
    CHECK_OK(aclmdlRIBuildEnd(model, NULL));
    CHECK(count_is(0));
    record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 5);
    CHECK(count_is(5));
    CHECK_OK(aclmdlRIExecute(model, SOON_MS));
    CHECK(count_is(7));
    CHECK_OK(aclmdlRIExecute(model, SOON_MS));
    CHECK(count_is(9));
    CHECK_OK(aclmdlRIDestroy(model));
    CHECK_OK(aclrtDestroyStream(kept));
    end();
}

static void child_record(void)
{
    begin();
    record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 7);
    CHECK(count_is(7));
    record(ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 5);
    CHECK(count_is(12));
    record(ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE, 0x80000001);
    CHECK(count_is(0x8000000d));
    record(ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE, 0x80000004);
    CHECK(count_is(0x80000004));
    record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, UINT32_MAX);
    CHECK(count_is(UINT32_MAX));
    record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 1);
    CHECK(count_is(1));
    aclrtCntNotifyRecordInfo bad = {(aclrtCntNotifyRecordMode)3, 1};
    CHECK_CODE(aclrtCntNotifyRecord(notify, recorder, &bad), ACL_ERROR_RT_PARAM_INVALID);
    bad.mode = (aclrtCntNotifyRecordMode)5;
    CHECK_CODE(aclrtCntNotifyRecord(notify, recorder, &bad), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(count_is(1));
    end();
}

static void child_wait(void)
{
    /* The wait does not pass with `before` and passes with `after`. */
    static const struct {
        aclrtCntNotifyWaitMode mode;
        uint32_t value, before, after;
    } cases[] = {
        {ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE, 5, 5, 4},
        {ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE, 0x80000000, UINT32_MAX, 0x7fffffff},
        {ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 5, 6, 5},
        {ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE, 5, 5, 6},
        {ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 5, 4, 5},
        {ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 5, 0, UINT32_MAX},
        {ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE, 6, 4, 14},
    };
    begin();
    for (size_t i = 0; i < TWIN_COUNT(cases); i++)
        for (uint8_t clear = 0; clear <= 1; clear++) {
            record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, cases[i].before);
            CHECK_OK(aclrtSynchronizeStreamWithTimeout(recorder, SOON_MS));
            wait_for(cases[i].mode, cases[i].value, clear);
            CHECK(!passes());
            record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, cases[i].after);
            CHECK(passes());
            CHECK(count_is(clear ? 0 : cases[i].after));
        }

    /* One that passes at once clears too. */
    record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 9);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(recorder, SOON_MS));
    wait_for(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 9, 1);
    CHECK(passes());
    CHECK(count_is(0));

    aclrtCntNotifyWaitInfo info = {(aclrtCntNotifyWaitMode)5, 0, 0, 0, {0, 0, 0}};
    CHECK_CODE(aclrtCntNotifyWaitWithTimeout(notify, waiter, &info), ACL_ERROR_RT_PARAM_INVALID);
    info = (aclrtCntNotifyWaitInfo){ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 1, 1, 0, {0, 0, 0}};
    CHECK_OK(aclrtCntNotifyWaitWithTimeout(notify, waiter, &info));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(waiter, 900), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(waiter, SOON_MS), ACL_ERROR_RT_TASK_TIMEOUT);
    end();
}

static void child_reset(void)
{
    twin_hold hold;
    begin();
    record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 3);
    twin_hold_begin(&hold, recorder);
    CHECK_OK(aclrtCntNotifyReset(notify, recorder));
    wait_for(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 3, 0);
    CHECK(passes()); /* the reset has its turn later */
    wait_for(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 0, 0);
    CHECK(!passes());
    twin_hold_end(&hold, NULL);
    CHECK(passes());
    end();
}

static const twin_child children[] = {
    {"create", child_create}, {"limit", child_limit}, {"model", child_model},
    {"record", child_record}, {"wait", child_wait},   {"reset", child_reset},
};

static void test_create(void)
{
    twin_run_child("create", settings);
}
static void test_limit(void)
{
    twin_run_child("limit", settings);
}
static void test_model(void)
{
    twin_run_child("model", settings);
}
static void test_record(void)
{
    twin_run_child("record", settings);
}
static void test_wait(void)
{
    twin_run_child("wait", settings);
}
static void test_reset(void)
{
    twin_run_child("reset", settings);
}

static const twin_test tests[] = {
    {"CNT-01: the default product refuses counting notifies, after its arguments",
     test_not_on_this_product},
    {"CNT-02: records and waits refuse no information", check_info_null},
    {"CNT-03: where they are offered, the flag is 0 and the count begins at 0", test_create},
    {"CNT-03: the device's limit holds, one less makes room, and no count outlives its device",
     test_limit},
    {"CNT-04: a record sets, adds, and combines bits", test_record},
    {"CNT-05: a wait passes when its relation holds, and clears when it is to", test_wait},
    {"CNT-04: records and waits of a model instance take part in each run", test_model},
    {"CNT-06: a reset sets the count to 0 when its stream gets there", test_reset},
};

int main(int argc, char **argv)
{
    const twin_suite suite = {
        .name = "count",
        .tests = tests,
        .test_count = TWIN_COUNT(tests),
        .children = children,
        .child_count = TWIN_COUNT(children),
        .initialise = true,
    };
    return twin_suite_main(&suite, argc, argv);
}
