/* SPDX-License-Identifier: Apache-2.0 */
/* Captures: begin, end, information. The rules of joins, modes and runs are in the other files. */
#include "capture_tests.h"

static void test_begin_arguments(void)
{
    capture s;
    capture_open(&s);
    aclmdlRI instance = NULL;
    aclmdlRICaptureStatus status;
    CHECK_CODE(aclmdlRICaptureBegin(NULL, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRICaptureEnd(NULL, &instance), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRICaptureGetInfo(NULL, &status, &instance), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRICaptureBegin(s.first, (aclmdlRICaptureMode)3), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRICaptureBegin(s.first, (aclmdlRICaptureMode)-1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRICaptureBegin(s.fork, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL),
               ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQUAL(capture_status(s.first), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    capture_close(&s);
}

static void test_default_stream(void)
{
    capture s;
    capture_open(&s);
    aclrtStream main = NULL;
    aclmdlRI instance = NULL;
    CHECK_OK(aclrtCtxGetCurrentDefaultStream(&main));
    CHECK_CODE(aclmdlRICaptureBegin(main, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclmdlRICaptureEnd(main, &instance), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    capture_close(&s);
}

static void test_begin_twice(void)
{
    capture s;
    capture_open(&s);
    capture_begin(s.first);
    CHECK_CODE(aclmdlRICaptureBegin(s.first, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL),
               ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.first)));
    capture_begin(s.first);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.first)));
    capture_close(&s);
}

static void test_begin_stream(void)
{
    capture s;
    capture_open(&s);
    aclrtStream bound = NULL, device_only = NULL;
    aclmdlRI instance = NULL;
    CHECK_OK(aclrtCreateStreamWithConfig(&bound, 0, ACL_STREAM_PERSISTENT));
    CHECK_OK(aclrtCreateStreamWithConfig(&device_only, 0, ACL_STREAM_DEVICE_USE_ONLY));
    CHECK_OK(aclmdlRIBuildBegin(&instance, 0));
    CHECK_OK(aclmdlRIBindStream(instance, bound, 0));
    CHECK_CODE(aclmdlRICaptureBegin(bound, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL),
               ACL_ERROR_RT_STREAM_MODEL);
    CHECK_CODE(aclmdlRICaptureBegin(device_only, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL),
               ACL_ERROR_RT_INTERNAL_ERROR);
    aclrtContext own = NULL, foreign = NULL;
    CHECK_OK(aclrtGetCurrentContext(&own));
    CHECK_OK(aclrtCreateContext(&foreign, 0));
    CHECK_CODE(aclmdlRICaptureBegin(s.first, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL),
               ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(aclrtDestroyContext(foreign));
    CHECK_CODE(aclmdlRICaptureBegin(s.first, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL),
               ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_OK(aclrtSetCurrentContext(own));
    CHECK_OK(aclmdlRIDestroy(instance));
    CHECK_OK(aclrtDestroyStream(bound));
    CHECK_OK(aclrtDestroyStream(device_only));
    capture_close(&s);
}

static void test_not_executed(void)
{
    capture s;
    capture_open(&s);
    capture_begin(s.first);
    capture_set(&s, 0, 7, s.first);
    aclmdlRI instance = capture_end(s.first);
    CHECK_OK(aclrtSynchronizeDevice());
    CHECK_EQUAL(capture_fetch(&s)[0], 0);
    capture_set(&s, 1, 5, s.first);
    CHECK_OK(aclrtSynchronizeStream(s.first));
    CHECK_EQUAL(capture_fetch(&s)[0], 0);
    CHECK_EQUAL(capture_fetch(&s)[1], capture_word(5));
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

static void test_end_arguments(void)
{
    capture s;
    capture_open(&s);
    aclmdlRI instance = &s;
    CHECK_CODE(aclmdlRICaptureEnd(s.first, &instance), ACL_ERROR_RT_STREAM_NOT_CAPTURED);
    CHECK(instance == NULL);
    capture_begin(s.first);
    CHECK_CODE(aclmdlRICaptureEnd(s.first, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQUAL(capture_status(s.first), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.first)));
    capture_close(&s);
}

static void test_end_on_joined(void)
{
    capture s;
    capture_open(&s);
    aclmdlRI instance = NULL;
    capture_begin(s.first);
    capture_order(s.first, s.fork, s.second);
    CHECK_CODE(aclmdlRICaptureEnd(s.second, &instance), ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED);
    capture_order(s.second, s.join, s.first);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.first)));
    capture_close(&s);
}

static aclError elsewhere_code;
static void end_elsewhere(void *stream)
{
    aclmdlRI instance = NULL;
    CHECK_OK(aclrtSetDevice(0));
    elsewhere_code = aclmdlRICaptureEnd(stream, &instance);
    if (instance)
        CHECK_OK(aclmdlRIDestroy(instance));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_end_elsewhere(void)
{
    capture s;
    capture_open(&s);
    CHECK_OK(aclmdlRICaptureBegin(s.first, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    twin_on_thread(end_elsewhere, s.first);
    CHECK_CODE(elsewhere_code, ACL_SUCCESS);
    CHECK_OK(aclmdlRICaptureBegin(s.first, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    twin_on_thread(end_elsewhere, s.first);
    CHECK_CODE(elsewhere_code, ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD);
    CHECK_EQUAL(capture_status(s.first), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    capture_begin(s.first);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.first)));
    capture_close(&s);
}

static void test_invalidated(void)
{
    capture s;
    capture_open(&s);
    aclmdlRI instance = &s;
    capture_begin(s.first);
    CHECK_OK(aclmdlRICaptureBegin(s.third, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    CHECK_OK(aclrtRecordEvent(s.fork, s.first));
    CHECK_CODE(aclrtStreamWaitEvent(s.third, s.fork), ACL_ERROR_STREAM_CAPTURE_CONFLICT);
    CHECK_EQUAL(capture_status(s.first), ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED);
    CHECK_CODE(aclmdlRICaptureBegin(s.first, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL),
               ACL_ERROR_RT_STREAM_CAPTURED);
    capture_set(&s, 0, 1, s.first);
    CHECK_CODE(aclmdlRICaptureEnd(s.first, &instance), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    CHECK(instance == NULL);
    CHECK(capture_explains((const char *const[]){"aclrtStreamWaitEvent", "107032", NULL}));
    CHECK_CODE(aclmdlRICaptureEnd(s.third, &instance), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    capture_set(&s, 1, 1, s.first);
    CHECK_OK(aclrtSynchronizeStream(s.first));
    CHECK_EQUAL(capture_fetch(&s)[0], 0);
    CHECK_EQUAL(capture_fetch(&s)[1], capture_word(1));
    capture_begin(s.first);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.first)));
    capture_close(&s);
}

static void test_info(void)
{
    capture s;
    capture_open(&s);
    aclmdlRI found = &s;
    aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
    CHECK_CODE(aclmdlRICaptureGetInfo(s.first, NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclmdlRICaptureGetInfo(s.first, &status, &found));
    CHECK_EQUAL(status, ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    CHECK(found == NULL);
    capture_begin(s.first);
    CHECK_OK(aclmdlRICaptureGetInfo(s.first, &status, NULL));
    CHECK_EQUAL(status, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    CHECK_OK(aclmdlRICaptureGetInfo(s.first, NULL, &found));
    aclmdlRI instance = capture_end(s.first);
    CHECK(found == instance);
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

static void test_empty(void)
{
    capture s;
    capture_open(&s);
    capture_begin(s.first);
    aclmdlRI instance = capture_end(s.first);
    capture_run(instance, s.first);
    capture_run(instance, s.second);
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

static void test_refused_calls(void)
{
    capture s;
    capture_open(&s);
    aclrtStreamStatus status;
    capture_begin(s.first);
    CHECK_CODE(aclrtSynchronizeStream(s.first), ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.first, 1), ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK_CODE(aclrtStreamQuery(s.first, &status), ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK_CODE(aclrtDestroyStream(s.first), ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK_CODE(aclrtDestroyStreamForce(s.first), ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK_CODE(aclrtSynchronizeDevice(), ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK_CODE(aclrtStreamAbort(s.first), ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK_CODE(aclrtActiveStream(s.first, s.first), ACL_ERROR_RT_STREAM_MODEL);
    aclrtLabel label = NULL;
    CHECK_OK(aclrtCreateLabel(&label));
    CHECK_CODE(aclrtSetLabel(label, s.first), ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK_OK(aclrtDestroyLabel(label));
    CHECK_CODE(aclrtSetStreamOverflowSwitch(s.first, 1), ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK_CODE(aclrtGetOverflowStatus(s.words, 64, s.first), ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK_CODE(aclrtResetOverflowStatus(s.first), ACL_ERROR_RT_STREAM_CAPTURED);
    aclrtStreamAttrValue value = {.userCustomTag = 4};
    CHECK_CODE(aclrtSetStreamAttribute(s.first, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value),
               ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK_EQUAL(capture_status(s.first), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    capture_set(&s, 0, 3, s.first);
    aclmdlRI instance = capture_end(s.first);
    capture_run(instance, s.first);
    CHECK_EQUAL(capture_fetch(&s)[0], capture_word(3));
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

static const twin_test tests[] = {
    {"GRF-01, GRF-03: the begin and the end check their arguments", test_begin_arguments},
    {"GRF-02: the default stream is not captured", test_default_stream},
    {"GRF-04: a stream in capture does not begin another one", test_begin_twice},
    {"GRF-05, GRF-06: which streams a capture takes", test_begin_stream},
    {"GRF-07, GRF-08: captured work is not executed", test_not_executed},
    {"GRF-09, GRF-10: the end needs a capture, and a place for the instance", test_end_arguments},
    {"GRF-11: the end is for the stream that began", test_end_on_joined},
    {"GRF-12: in mode RELAXED another thread may end", test_end_elsewhere},
    {"GRF-13, GRF-16, GRF-34: an invalid capture ends with an error", test_invalidated},
    {"GRF-17, GRF-18: what a capture tells", test_info},
    {"GRF-19: an empty capture runs", test_empty},
    {"GRF-29, GRF-33: a stream in capture is not waited for, and its capture stays whole",
     test_refused_calls},
    {"GRF-20: a stream joins by waiting", test_join},
    {"GRF-21: joined streams keep their order", test_join_order},
    {"GRF-21: chains of joins of several streams", test_join_many},
    {"GRF-22: two captures do not wait for each other", test_conflict},
    {"GRF-23: a stream that does not join back", test_unjoined},
    {"GRF-23: a last record without a wait", test_unjoined_unwaited},
    {"GRF-25: an event from outside", test_outside_event},
    {"GRF-27: the default stream does not join", test_implicit},
    {"GRF-28: a captured event is not asked", test_captured_event},
    {"EVT-25: which events a capture takes", test_event_kinds},
    {"an event is recorded again in one capture", test_event_again},
    {"an event is destroyed while it is captured", test_event_destroyed},
    {"an event is recorded outside of the capture again", test_event_outside_again},
    {"a stream of another context joins", test_join_other_context},
    {"GRF-30, MEM-79: mode GLOBAL forbids synchronous copies to all threads", test_mode_global},
    {"GRF-31: mode THREAD_LOCAL forbids them to one thread", test_mode_thread_local},
    {"GRF-31: mode RELAXED forbids nothing", test_mode_relaxed},
    {"GRF-32, MEM-110: copies of pageable memory", test_mode_pageable},
    {"GRF-35: the exchange of modes checks its arguments", test_mode_exchange_arguments},
    {"GRF-36: the mode of a thread", test_mode_exchange},
    {"GRF-37: the mode of another thread", test_mode_exchange_elsewhere},
    {"captures of many threads", test_mode_threads},
    {"GRF-12, GRF-27, GRF-28, GRF-29, GRF-30, GRF-31: calls of eight threads about the captures of "
     "each "
     "other",
     test_mode_strangers},
    {"GRF-39, GRF-41: a captured instance runs again and again", test_run_again},
    {"GRF-42, GRF-44, GRF-46, GRF-54: what is refused of a captured instance", test_run_arguments},
    {"GRF-43: any stream of the context runs it", test_run_other_stream},
    {"GRF-38: a host function runs at each execution", test_run_callback},
    {"GRF-38: callbacks of a subscribed thread", test_run_subscribed},
    {"a capture of more tasks than a stream holds", test_run_long},
    {"notifies in a capture", test_run_notify},
    {"waits for values in a capture", test_run_values},
    {"a run after one that was aborted", test_run_aborted},
    {"GRF-48, GRF-50, GRF-51: the end of a captured instance", test_destroy},
    {"GRF-81, GRF-84: a captured instance is not built by hand", test_built_only},
    {"GRF-60, GRF-61, GRF-88b: the streams of a captured instance", test_streams},
    {"a context that ends takes its captures along", test_close},
    {"a capture takes streams of the device, to the last one", test_limit},
    {"graphs take all streams of the device, and no more", test_limit_streams},
    {"graphs take all events of the device, and no more", test_limit_events},
    {"a graph needs two notifies of the device", test_limit_notifies},
    {"runs wait for events of the outside, and record them", test_external_order},
    {"a run waits for the newest record of the outside", test_external_newest},
    {"GRF-26: a graph waits for another one", test_external_graphs},
    {"GRF-26: what is refused of events of the outside", test_external_refused},
    {"an event of another device is not recorded to the outside", test_external_device},
    {"EVT-25: a run waits for an external event in its middle", test_external_middle},
    {"EVT-25: a run records an external event in its middle", test_external_middle_record},
    {"GRF-62: the tasks of a stream", test_task_list},
    {"GRF-63, GRF-64: types, numbers and parameters of tasks", test_task_look},
    {"the events that tasks name", test_task_events},
    {"GRF-67: a task writes, or waits for, another value", test_task_set},
    {"GRF-65: what a task cannot become makes the instance faulty", test_task_set_refused},
    {"GRF-67: a task is left out", test_task_disable},
    {"GRF-66: tasks do not change while they run or are captured", test_task_busy},
    {"GRF-67: the update checks its argument", test_update_arguments},
    {"an update of a long capture", test_update_long},
    {"GRF-67: a wait keeps its time limit when a task before it changes", test_update_time_limit},
    {"GRF-55, GRF-56: what a captured instance prints", test_print},
    {"EXC-28: tasks that change others are not offered", test_update_async},
};

int main(int argc, char **argv)
{
    const twin_suite suite = {
        .name = "capture", .tests = tests, .test_count = sizeof(tests) / sizeof(tests[0])};
    return twin_suite_main(&suite, argc, argv);
}
