/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, contexts, labels and model instances. */
#include "contract_tests.h"

#define NO_TAG UINT32_MAX

void test_priority_above_int(void)
{
    static const struct {
        uint32_t asked, kept;
    } rows[] = {{INT32_MAX, 7}, {(uint32_t)INT32_MAX + 1, 0}, {UINT32_MAX, 0}};
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < TWIN_COUNT(rows); i++) {
        aclrtStream made = NULL, changed = twin_stream();
        aclrtStreamAttrValue value = {.streamPriority = rows[i].asked};
        uint32_t priority = 99;
        CHECK_OK(aclrtCreateStreamWithConfig(&made, rows[i].asked, 0));
        CHECK_OK(aclrtStreamGetPriority(made, &priority));
        CHECK_EQUAL(priority, rows[i].kept);
        CHECK_OK(aclrtSetStreamAttribute(changed, ACL_STREAM_ATTR_PRIORITY, &value));
        CHECK_OK(aclrtStreamGetPriority(changed, &priority));
        CHECK_EQUAL(priority, rows[i].kept);
        CHECK_OK(aclrtDestroyStream(changed));
        CHECK_OK(aclrtDestroyStream(made));
    }
    CHECK_OK(aclrtResetDevice(0));
}

static void check_mode(aclrtStream stream, uint64_t want)
{
    aclrtStreamAttrValue value = {.failureMode = 77};
    CHECK_OK(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &value));
    CHECK_EQUAL(value.failureMode, want);
}

void test_failure_mode_of_streams(void)
{
    aclrtContext own = NULL, other = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&own));
    aclrtStream stops = twin_stream(), goes_on = twin_stream();
    /* Only bit 0 counts. */
    CHECK_OK(aclrtSetStreamFailureMode(stops, 2));
    check_mode(stops, ACL_CONTINUE_ON_FAILURE);
    CHECK_OK(aclrtSetStreamFailureMode(stops, 3));
    check_mode(stops, ACL_STOP_ON_FAILURE);
    CHECK_CODE(aclrtSetStreamFailureMode(stops, ACL_CONTINUE_ON_FAILURE),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtSetStreamFailureMode(stops, 2), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    /* Of this stream alone. */
    check_mode(goes_on, ACL_CONTINUE_ON_FAILURE);
    check_mode(NULL, ACL_CONTINUE_ON_FAILURE);
    CHECK_OK(aclrtSetStreamFailureMode(goes_on, ACL_CONTINUE_ON_FAILURE));
    CHECK_OK(aclrtSetStreamFailureMode(NULL, ACL_CONTINUE_ON_FAILURE));
    /* The mode in force is checked before the context. */
    CHECK_OK(aclrtCreateContext(&other, 0));
    CHECK_OK(aclrtSetStreamFailureMode(stops, ACL_STOP_ON_FAILURE));
    CHECK_OK(aclrtSetStreamFailureMode(goes_on, ACL_CONTINUE_ON_FAILURE));
    CHECK_CODE(aclrtSetStreamFailureMode(goes_on, ACL_STOP_ON_FAILURE),
               ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(aclrtDestroyContext(other));
    CHECK_OK(aclrtSetCurrentContext(own));
    CHECK_OK(aclrtDestroyStream(goes_on));
    CHECK_OK(aclrtDestroyStream(stops));
    CHECK_OK(aclrtResetDevice(0));
}

typedef struct things {
    aclrtStream stream;
    aclrtNotify notify;
    aclmdlRI model;
} things;

static void things_begin(things *t)
{
    CHECK_OK(aclrtSetDevice(0));
    t->stream = twin_stream();
    CHECK_OK(aclrtCreateNotify(&t->notify, 0));
    CHECK_OK(aclmdlRIBuildBegin(&t->model, 0));
}

static void things_end(things *t)
{
    CHECK_OK(aclmdlRIDestroy(t->model));
    CHECK_OK(aclrtDestroyNotify(t->notify));
    CHECK_OK(aclrtDestroyStream(t->stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void call_without_context(void *argument)
{
    things *t = argument;
    uint32_t number = 0;
    int32_t value = 0;
    CHECK_CODE(aclrtDestroyNotify(t->notify), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtGetNotifyId(t->notify, &number), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtStreamGetPriority(t->stream, &number), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtStreamGetFlags(t->stream, &number), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtSubscribeReport(1, t->stream), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtGetDeviceCapability(0, ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV, &value),
               ACL_ERROR_RT_CONTEXT_NULL);
}

void test_needs_context(void)
{
    things t;
    things_begin(&t);
    twin_on_thread(call_without_context, &t);
    things_end(&t);
}

static void call_with_nothing(void *argument)
{
    static const aclrtStreamAttr attributes[] = {
        ACL_STREAM_ATTR_FAILURE_MODE, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK,
        ACL_STREAM_ATTR_USER_CUSTOM_TAG, ACL_STREAM_ATTR_CACHE_OP_INFO, ACL_STREAM_ATTR_PRIORITY};
    things *t = argument;
    uint32_t id = 0;
    for (size_t i = 0; i < TWIN_COUNT(attributes); i++) {
        aclrtStreamAttrValue value = {0};
        CHECK_OK(aclrtGetStreamAttribute(t->stream, attributes[i], &value));
        CHECK_OK(aclrtSetStreamAttribute(t->stream, attributes[i], &value));
    }
    CHECK_OK(aclmdlRIGetId(t->model, &id));
}

void test_needs_no_context(void)
{
    things t;
    aclrtContext own = NULL, other = NULL;
    things_begin(&t);
    twin_on_thread(call_with_nothing, &t);
    CHECK_OK(aclrtGetCurrentContext(&own));
    CHECK_OK(aclrtCreateContext(&other, 0));
    call_with_nothing(&t);
    CHECK_OK(aclrtDestroyContext(other));
    CHECK_OK(aclrtSetCurrentContext(own));
    things_end(&t);
}

void test_null_stream_without_context(void)
{
    aclrtStreamAttrValue value = {0};
    aclrtContext none = NULL;
    CHECK_CODE(aclrtGetCurrentContext(&none), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtSetStreamFailureMode(NULL, ACL_STOP_ON_FAILURE), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtStreamAbort(NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSetStreamAttribute(NULL, ACL_STREAM_ATTR_FAILURE_MODE, &value),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtResetOverflowStatus(NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtResetFloatOverflowStatus(NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(NULL, -2), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSynchronizeDeviceWithTimeout(-2), ACL_ERROR_RT_PARAM_INVALID);
}

void test_custom_tag_default(void)
{
    aclrtStreamAttrValue value = {0};
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value));
    CHECK_EQUAL(value.userCustomTag, NO_TAG);
    CHECK_OK(aclrtGetStreamAttribute(NULL, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value));
    CHECK_EQUAL(value.userCustomTag, NO_TAG);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_flags_of_default_stream(void)
{
    uint32_t flags = 99;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtStreamGetFlags(NULL, &flags));
    CHECK_EQUAL(flags, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC);
    CHECK_OK(aclrtResetDevice(0));
}

/* What a thread's context was inside the callback, by code. */
typedef struct seen_codes {
    aclError at_create, at_destroy;
} seen_codes;

static void note_context(aclrtStream stream, aclrtStreamState state, void *user)
{
    seen_codes *seen = user;
    aclrtContext context = NULL;
    (void)stream;
    aclError code = aclrtGetCurrentContext(&context);
    if (state == ACL_RT_STREAM_STATE_CREATE_POST)
        seen->at_create = code;
    else
        seen->at_destroy = code;
}

void test_current_context_in_callbacks(void)
{
    seen_codes seen = {.at_create = ACL_SUCCESS, .at_destroy = ACL_SUCCESS};
    CHECK_OK(aclrtRegStreamStateCallback("contract", note_context, &seen));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(seen.at_create, ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_OK(aclrtResetDevice(0));
    CHECK_CODE(seen.at_destroy, ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_OK(aclrtRegStreamStateCallback("contract", NULL, NULL));
}

void test_label_lists_without_context_check(void)
{
    aclrtContext own = NULL, other = NULL;
    aclrtLabel label = NULL, unlisted = NULL;
    aclrtLabelList list = NULL, second = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&own));
    CHECK_OK(aclrtCreateLabel(&label));
    CHECK_OK(aclrtCreateLabel(&unlisted));
    CHECK_OK(aclrtCreateLabelList(&label, 1, &list));
    CHECK_OK(aclrtCreateContext(&other, 0));
    CHECK_CODE(aclrtCreateLabelList(&label, 1, &second), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK_OK(aclrtCreateLabelList(&unlisted, 1, &second));
    CHECK_OK(aclrtDestroyLabelList(second));
    /* A list goes with its context; its label is of none then. */
    CHECK_OK(aclrtCreateLabelList(&unlisted, 1, &second));
    CHECK_OK(aclrtDestroyContext(other));
    CHECK_OK(aclrtSetCurrentContext(own));
    CHECK_OK(aclrtCreateLabelList(&unlisted, 1, &second));
    CHECK_OK(aclrtDestroyLabelList(second));
    CHECK_OK(aclrtDestroyLabelList(list));
    CHECK_OK(aclrtDestroyLabel(unlisted));
    CHECK_OK(aclrtDestroyLabel(label));
    CHECK_OK(aclrtResetDevice(0));
}

void test_streams_of_instance(void)
{
    int mark = 0;
    aclmdlRI model = NULL;
    aclrtStream bound[2] = {NULL, NULL};
    aclrtStream listed[3] = {NULL, NULL, &mark};
    uint32_t count = 3;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclmdlRIBuildBegin(&model, 0));
    for (size_t i = 0; i < 2; i++) {
        CHECK_OK(aclrtCreateStreamWithConfig(&bound[i], 0, ACL_STREAM_PERSISTENT));
        CHECK_OK(aclmdlRIBindStream(model, bound[i], 0));
    }
    CHECK_OK(aclmdlRIGetStreams(model, listed, &count));
    CHECK_EQUAL(count, 2);
    CHECK(listed[0] != NULL && listed[1] != NULL && listed[2] == &mark);
    count = 1;
    listed[0] = &mark;
    CHECK_CODE(aclmdlRIGetStreams(model, listed, &count), ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY);
    CHECK_EQUAL(count, 2);
    CHECK(listed[0] == &mark);
    CHECK_OK(aclmdlRIDestroy(model));
    for (size_t i = 0; i < 2; i++)
        CHECK_OK(aclrtDestroyStream(bound[i]));
    CHECK_OK(aclrtResetDevice(0));
}
