/* SPDX-License-Identifier: Apache-2.0 */
/* Several streams in one capture, and events. */
#include "capture_tests.h"

void test_join(void)
{
    capture s;
    capture_open(&s);
    aclmdlRI own = NULL, joined = &s;
    aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    capture_begin(s.first);
    CHECK_OK(aclrtRecordEvent(s.fork, s.first));
    CHECK_EQUAL(capture_status(s.second), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    CHECK_OK(aclrtStreamWaitEvent(s.second, s.fork));
    CHECK_OK(aclmdlRICaptureGetInfo(s.first, NULL, &own));
    CHECK_OK(aclmdlRICaptureGetInfo(s.second, &status, &joined));
    CHECK_EQUAL(status, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    CHECK(own == joined);
    capture_order(s.second, s.join, s.first);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.first)));
    CHECK_EQUAL(capture_status(s.second), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    capture_close(&s);
}

/* first: words[0] = 1, fork, words[3] = words[1] after the join; second: words[1] = words[0]. */
void test_join_order(void)
{
    capture s;
    capture_open(&s);
    capture_begin(s.first);
    capture_set(&s, 0, 1, s.first);
    capture_order(s.first, s.fork, s.second);
    capture_copy(&s, 1, 0, s.second);
    capture_order(s.second, s.join, s.first);
    capture_copy(&s, 3, 1, s.first);
    capture_set(&s, 0, 9, s.first);
    capture_set(&s, 1, 9, s.first);
    aclmdlRI instance = capture_end(s.first);
    for (int run = 0; run < 3; run++) {
        CHECK_OK(aclrtMemset(&s.words[3], 4, 0, 4));
        capture_run(instance, s.third);
        CHECK_EQUAL(capture_fetch(&s)[3], capture_word(1));
        CHECK_EQUAL(capture_fetch(&s)[1], capture_word(9));
    }
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

/* first -> second -> third -> first, and second -> first. */
void test_join_many(void)
{
    capture s;
    capture_open(&s);
    aclrtEvent other = capture_event(), last = capture_event();
    capture_begin(s.first);
    capture_set(&s, 0, 4, s.first);
    capture_order(s.first, s.fork, s.second);
    capture_copy(&s, 1, 0, s.second);
    capture_order(s.second, other, s.third);
    capture_copy(&s, 2, 1, s.third);
    capture_order(s.third, s.join, s.second);
    capture_copy(&s, 4, 2, s.second);
    CHECK_OK(aclrtRecordEvent(last, s.second));
    CHECK_OK(aclrtStreamWaitEvent(s.first, last));
    capture_copy(&s, 5, 4, s.first);
    aclmdlRI instance = capture_end(s.first);
    for (int run = 0; run < 2; run++) {
        CHECK_OK(aclrtMemset(s.words, WORDS * 4, 0, WORDS * 4));
        capture_run(instance, s.first);
        CHECK_EQUAL(capture_fetch(&s)[5], capture_word(4));
    }
    CHECK_OK(aclmdlRIDestroy(instance));
    CHECK_OK(aclrtDestroyEvent(other));
    CHECK_OK(aclrtDestroyEvent(last));
    capture_close(&s);
}

void test_conflict(void)
{
    capture s;
    capture_open(&s);
    aclmdlRI instance = NULL;
    capture_begin(s.first);
    capture_begin(s.second);
    CHECK_OK(aclrtRecordEvent(s.fork, s.first));
    CHECK_CODE(aclrtStreamWaitEvent(s.second, s.fork), ACL_ERROR_STREAM_CAPTURE_CONFLICT);
    CHECK_EQUAL(capture_status(s.first), ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED);
    CHECK_EQUAL(capture_status(s.second), ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED);
    CHECK_CODE(aclmdlRICaptureEnd(s.first, &instance), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    CHECK_CODE(aclmdlRICaptureEnd(s.second, &instance), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    capture_close(&s);
}

void test_unjoined(void)
{
    capture s;
    capture_open(&s);
    aclmdlRI instance = &s;
    capture_begin(s.first);
    capture_order(s.first, s.fork, s.second);
    capture_order(s.second, s.join, s.first);
    capture_set(&s, 0, 1, s.second);
    CHECK_CODE(aclmdlRICaptureEnd(s.first, &instance), ACL_ERROR_RT_STREAM_UNJOINED);
    CHECK(instance == NULL);
    CHECK(capture_explains((const char *const[]){"aclrtStreamWaitEvent", "aclrtMemsetAsync",
                                                 "record an event", "dropped", NULL}));
    CHECK_EQUAL(capture_status(s.second), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    capture_begin(s.second);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.second)));
    capture_close(&s);
}

void test_unjoined_unwaited(void)
{
    capture s;
    capture_open(&s);
    aclmdlRI instance = NULL;
    capture_begin(s.first);
    capture_order(s.first, s.fork, s.second);
    CHECK_OK(aclrtRecordEvent(s.join, s.second));
    CHECK_CODE(aclmdlRICaptureEnd(s.first, &instance), ACL_ERROR_RT_STREAM_UNJOINED);
    CHECK(capture_explains(
        (const char *const[]){"aclrtRecordEvent", "no stream of the capture", NULL}));
    capture_close(&s);
}

void test_outside_event(void)
{
    capture s;
    capture_open(&s);
    CHECK_OK(aclrtRecordEvent(s.join, s.third));
    capture_begin(s.first);
    CHECK_CODE(aclrtStreamWaitEvent(s.first, s.join), ACL_ERROR_RT_CAPTURE_DEPENDENCY);
    CHECK(capture_explains((const char *const[]){"ACL_EVENT_WAIT_EXTERNAL", NULL}));
    CHECK_OK(aclrtStreamWaitEvent(s.first, s.fork)); /* never recorded: nothing to wait for */
    CHECK_EQUAL(capture_status(s.first), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    aclmdlRI instance = capture_end(s.first);
    capture_run(instance, s.first);
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

void test_implicit(void)
{
    capture s;
    capture_open(&s);
    capture_begin(s.first);
    CHECK_OK(aclrtRecordEvent(s.fork, s.first));
    CHECK_CODE(aclrtStreamWaitEvent(NULL, s.fork), ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT);
    CHECK_CODE(aclrtRecordEvent(s.fork, NULL), ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT);
    CHECK_EQUAL(capture_status(s.first), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.first)));
    CHECK_OK(aclrtRecordEvent(s.fork, NULL));
    CHECK_OK(aclrtStreamWaitEvent(NULL, s.fork));
    capture_close(&s);
}

void test_captured_event(void)
{
    capture s;
    capture_open(&s);
    aclrtEventRecordedStatus status;
    float ms = 0;
    uint64_t time = 0;
    capture_begin(s.first);
    CHECK_OK(aclrtQueryEventStatus(s.fork, &status));
    CHECK_OK(aclrtRecordEvent(s.fork, s.first));
    CHECK_CODE(aclrtQueryEventStatus(s.fork, &status), ACL_ERROR_RT_EVENT_CAPTURED);
    CHECK_CODE(aclrtSynchronizeEvent(s.fork), ACL_ERROR_RT_EVENT_CAPTURED);
    CHECK_CODE(aclrtSynchronizeEventWithTimeout(s.fork, 1), ACL_ERROR_RT_EVENT_CAPTURED);
    CHECK_CODE(aclrtEventElapsedTime(&ms, s.fork, s.join), ACL_ERROR_RT_EVENT_CAPTURED);
    CHECK_CODE(aclrtEventGetTimestamp(s.fork, &time), ACL_ERROR_RT_EVENT_CAPTURED);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.first)));
    CHECK_OK(aclrtQueryEventStatus(s.fork, &status));
    CHECK_EQUAL(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
    CHECK_OK(aclrtSynchronizeEvent(s.fork));
    capture_close(&s);
}

void test_event_kinds(void)
{
    capture s;
    capture_open(&s);
    aclrtEvent plain = twin_event(EVENT_PLAIN), flag = twin_event(EVENT_FLAG);
    aclrtEvent timed = NULL, shared = NULL;
    CHECK_OK(aclrtCreateEventExWithFlag(&timed, ACL_EVENT_TIME_LINE));
    CHECK_OK(aclrtCreateEventExWithFlag(&shared, ACL_EVENT_IPC));
    capture_begin(s.first);
    CHECK_CODE(aclrtRecordEvent(plain, s.first), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtRecordEvent(flag, s.first), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtRecordEvent(shared, s.first), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtStreamWaitEvent(s.first, plain), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtStreamWaitEvent(s.first, flag), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtResetEvent(flag, s.first), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtResetEvent(plain, s.first), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtRecordEvent(timed, s.first));
    CHECK_EQUAL(capture_status(s.first), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.first)));
    CHECK_OK(aclrtDestroyEvent(plain));
    CHECK_OK(aclrtDestroyEvent(flag));
    CHECK_OK(aclrtDestroyEvent(timed));
    CHECK_OK(aclrtDestroyEvent(shared));
    capture_close(&s);
}

/* The wait is for the newest record before it, as it is without a capture. */
void test_event_again(void)
{
    capture s;
    capture_open(&s);
    capture_begin(s.first);
    capture_set(&s, 0, 1, s.first);
    capture_order(s.first, s.fork, s.second);
    capture_copy(&s, 1, 0, s.second);
    capture_order(s.second, s.fork, s.first);
    capture_set(&s, 0, 2, s.first);
    capture_order(s.first, s.fork, s.second);
    capture_copy(&s, 2, 0, s.second);
    capture_order(s.second, s.fork, s.first);
    aclmdlRI instance = capture_end(s.first);
    for (int run = 0; run < 2; run++) {
        CHECK_OK(aclrtMemset(s.words, WORDS * 4, 0, WORDS * 4));
        capture_run(instance, s.first);
        CHECK_EQUAL(capture_fetch(&s)[1], capture_word(1));
        CHECK_EQUAL(capture_fetch(&s)[2], capture_word(2));
    }
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

void test_event_destroyed(void)
{
    capture s;
    capture_open(&s);
    aclrtEvent fork = capture_event(), join = capture_event();
    capture_begin(s.first);
    capture_order(s.first, fork, s.second);
    CHECK_OK(aclrtDestroyEvent(fork));
    capture_set(&s, 0, 6, s.second);
    capture_order(s.second, join, s.first);
    CHECK_OK(aclrtDestroyEvent(join));
    aclmdlRI instance = capture_end(s.first);
    capture_run(instance, s.first);
    CHECK_EQUAL(capture_fetch(&s)[0], capture_word(6));
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

/* The newest record counts: after one outside of the capture a wait does not join it. */
void test_event_outside_again(void)
{
    capture s;
    capture_open(&s);
    capture_begin(s.first);
    CHECK_OK(aclrtRecordEvent(s.fork, s.first));
    CHECK_OK(aclrtRecordEvent(s.fork, s.second));
    CHECK_OK(aclrtStreamWaitEvent(s.third, s.fork));
    CHECK_EQUAL(capture_status(s.third), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    CHECK_OK(aclrtSynchronizeEvent(s.fork));
    CHECK_CODE(aclrtStreamWaitEvent(s.first, s.fork), ACL_ERROR_RT_CAPTURE_DEPENDENCY);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.first)));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.third, SOON_MS));
    capture_close(&s);
}

/* A capture ends with the context of any stream that takes part. */
void test_join_other_context(void)
{
    capture s;
    capture_open(&s);
    aclrtContext own = NULL, foreign = NULL;
    aclmdlRI instance = &s;
    CHECK_OK(aclrtGetCurrentContext(&own));
    CHECK_OK(aclmdlRICaptureBegin(s.first, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    CHECK_OK(aclrtRecordEvent(s.fork, s.first));
    CHECK_OK(aclrtCreateContext(&foreign, 0));
    aclrtStream there = twin_stream();
    CHECK_OK(aclrtStreamWaitEvent(there, s.fork));
    CHECK_EQUAL(capture_status(there), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    CHECK_OK(aclrtDestroyContext(foreign));
    CHECK_OK(aclrtSetCurrentContext(own));
    CHECK_CODE(aclmdlRICaptureEnd(s.first, &instance), ACL_ERROR_RT_STREAM_NOT_CAPTURED);
    capture_set(&s, 0, 3, s.first);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.first, SOON_MS));
    CHECK_EQUAL(capture_fetch(&s)[0], capture_word(3));
    capture_close(&s);
}
