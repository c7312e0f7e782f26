/* SPDX-License-Identifier: Apache-2.0 */
/* Events that a graph shares with what is outside of it. */
#include "capture_tests.h"

static aclError record_outside(aclrtEvent event, aclrtStream stream)
{
    return aclrtRecordEventWithFlag(event, stream, ACL_EVENT_RECORD_EXTERNAL);
}

static aclError wait_outside(aclrtStream stream, aclrtEvent event)
{
    return aclrtStreamWaitEventWithFlag(stream, event, 0, ACL_EVENT_WAIT_EXTERNAL);
}

/* words[1] = words[0], after `in` and before `out`. */
static aclmdlRI capture_between(capture *s, aclrtEvent in, aclrtEvent out)
{
    capture_begin(s->first);
    if (in)
        CHECK_OK(wait_outside(s->first, in));
    capture_copy(s, 1, 0, s->first);
    if (out)
        CHECK_OK(record_outside(out, s->first));
    return capture_end(s->first);
}

void test_external_order(void)
{
    capture s;
    capture_open(&s);
    aclmdlRI instance = capture_between(&s, s.fork, s.join);
    for (uint8_t run = 1; run <= 3; run++) {
        twin_hold hold;
        twin_hold_begin(&hold, s.third);
        capture_set(&s, 0, run, s.third);
        CHECK_OK(aclrtRecordEvent(s.fork, s.third));
        CHECK_OK(aclmdlRIExecuteAsync(instance, s.first));
        CHECK_OK(aclrtStreamWaitEvent(s.second, s.join));
        capture_copy(&s, 2, 1, s.second);
        CHECK(!twin_idle(s.first));
        twin_hold_end(&hold, NULL);
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.second, SOON_MS));
        CHECK_EQUAL(capture_fetch(&s)[2], capture_word(run));
    }
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

/* A wait is for the newest record when the instance is executed; without one it waits for
 * nothing. */
void test_external_newest(void)
{
    capture s;
    twin_hold hold;
    capture_open(&s);
    aclmdlRI instance = capture_between(&s, s.fork, NULL);
    capture_set(&s, 0, 4, s.first);
    capture_run(instance, s.first);
    CHECK_EQUAL(capture_fetch(&s)[1], capture_word(4));
    CHECK_OK(aclrtRecordEvent(s.fork, s.second));
    CHECK_OK(aclmdlRIExecuteAsync(instance, s.first));
    twin_hold_begin(&hold, s.third);
    CHECK_OK(aclrtRecordEvent(s.fork, s.third)); /* after the execution */
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.first, SOON_MS));
    twin_hold_end(&hold, NULL);
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

/* One graph waits for what another one records. */
void test_external_graphs(void)
{
    capture s;
    capture_open(&s);
    aclmdlRI maker = capture_between(&s, NULL, s.fork);
    capture_begin(s.second);
    CHECK_OK(wait_outside(s.second, s.fork));
    capture_copy(&s, 2, 1, s.second);
    aclmdlRI user = capture_end(s.second);
    for (uint8_t run = 1; run <= 2; run++) {
        twin_hold hold;
        twin_hold_begin(&hold, s.first);
        capture_set(&s, 0, run, s.first);
        CHECK_OK(aclmdlRIExecuteAsync(maker, s.first));
        CHECK_OK(aclmdlRIExecuteAsync(user, s.second));
        twin_hold_end(&hold, NULL);
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.second, SOON_MS));
        CHECK_EQUAL(capture_fetch(&s)[2], capture_word(run));
    }
    CHECK_OK(aclmdlRIDestroy(maker));
    CHECK_OK(aclmdlRIDestroy(user));
    capture_close(&s);
}

void test_external_refused(void)
{
    capture s;
    capture_open(&s);
    aclrtEvent other = capture_event();
    capture_begin(s.first);
    CHECK_OK(wait_outside(s.first, s.fork));
    CHECK_CODE(wait_outside(s.first, s.fork), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(record_outside(s.fork, s.first), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(record_outside(s.join, s.first));
    CHECK_CODE(record_outside(s.join, s.first), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(wait_outside(s.first, s.join), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(wait_outside(s.second, other), ACL_ERROR_RT_STREAM_NOT_CAPTURED);
    CHECK_OK(wait_outside(s.first, other));
    aclmdlRI instance = capture_end(s.first);
    capture_run(instance, s.first);
    capture_begin(s.second);
    CHECK_OK(aclrtRecordEvent(other, s.second));
    CHECK_CODE(aclmdlRIExecuteAsync(instance, s.first), ACL_ERROR_RT_MODEL_EXECUTE);
    CHECK(capture_explains((const char *const[]){"shares with the outside", "capture", NULL}));
    CHECK_OK(aclmdlRIDestroy(capture_end(s.second)));
    capture_run(instance, s.first);
    CHECK_OK(aclrtDestroyEvent(s.join));
    CHECK_CODE(aclmdlRIExecuteAsync(instance, s.first), ACL_ERROR_RT_MODEL_EXECUTE);
    CHECK(capture_explains((const char *const[]){"shares with the outside", "destroyed", NULL}));
    CHECK_OK(aclmdlRIDestroy(instance));

    capture_begin(s.first);
    CHECK_OK(aclmdlRICaptureTaskGrpBegin(s.first));
    CHECK_CODE(wait_outside(s.first, other), ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT);
    CHECK_CODE(aclmdlRICaptureEnd(s.first, &instance), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    CHECK_OK(aclrtDestroyEvent(other));
    s.join = capture_event();
    capture_close(&s);
}

/* Of another device an event is not recorded, which the capture says; a wait for it is taken. */
void test_external_device(void)
{
    capture s;
    CHECK_OK(aclrtSetDevice(1));
    aclrtEvent there = capture_event();
    capture_open(&s);
    capture_begin(s.first);
    CHECK_CODE(record_outside(there, s.first), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(wait_outside(s.first, there));
    CHECK_OK(record_outside(s.join, s.first));
    capture_set(&s, 1, 6, s.first);
    aclmdlRI instance = capture_end(s.first);
    capture_run(instance, s.first);
    CHECK_EQUAL(capture_fetch(&s)[1], capture_word(6));
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtDestroyEvent(there));
    CHECK_OK(aclrtResetDevice(1));
}

/* Such an event is recorded outside, and waited for and reset in the middle of each run. */
void test_external_middle(void)
{
    capture s;
    aclrtEvent event = NULL;
    capture_open(&s);
    CHECK_OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_EXTERNAL));
    capture_begin(s.first);
    capture_copy(&s, 1, 0, s.first);
    CHECK_OK(aclrtStreamWaitEvent(s.first, event));
    CHECK_OK(aclrtResetEvent(event, s.first));
    capture_copy(&s, 3, 2, s.first);
    aclmdlRI instance = capture_end(s.first);
    for (uint8_t run = 1; run <= 3; run++) {
        twin_hold hold;
        twin_hold_begin(&hold, s.second);
        capture_set(&s, 2, run, s.second);
        CHECK_OK(aclrtRecordEvent(event, s.second));
        capture_set(&s, 0, (uint8_t)(run + 10), s.first);
        CHECK_OK(aclmdlRIExecuteAsync(instance, s.first));
        CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.first, 100),
                   ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        CHECK_EQUAL(capture_fetch(&s)[1], capture_word((uint8_t)(run + 10)));
        CHECK_EQUAL(s.host[3], run == 1 ? 0 : capture_word((uint8_t)(run - 1)));
        twin_hold_end(&hold, NULL);
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.first, SOON_MS));
        CHECK_EQUAL(capture_fetch(&s)[3], capture_word(run));
    }
    CHECK_OK(aclmdlRIDestroy(instance));
    CHECK_OK(aclrtDestroyEvent(event));
    capture_close(&s);
}

/* Each run records it; a stream outside waits, and resets it. */
void test_external_middle_record(void)
{
    capture s;
    aclrtEvent event = NULL;
    capture_open(&s);
    CHECK_OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_EXTERNAL));
    capture_begin(s.first);
    capture_copy(&s, 1, 0, s.first);
    CHECK_OK(aclrtRecordEvent(event, s.first));
    capture_copy(&s, 2, 1, s.first);
    aclmdlRI instance = capture_end(s.first);
    for (uint8_t run = 1; run <= 3; run++) {
        CHECK_OK(aclrtStreamWaitEvent(s.second, event));
        CHECK_OK(aclrtResetEvent(event, s.second));
        capture_copy(&s, 3, 1, s.second);
        capture_set(&s, 0, run, s.first);
        CHECK(!twin_idle(s.second));
        CHECK_OK(aclmdlRIExecuteAsync(instance, s.first));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.second, SOON_MS));
        CHECK_EQUAL(capture_fetch(&s)[3], capture_word(run));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.first, SOON_MS));
    }
    CHECK_OK(aclmdlRIDestroy(instance));
    CHECK_OK(aclrtDestroyEvent(event));
    capture_close(&s);
}
