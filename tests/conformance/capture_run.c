/* SPDX-License-Identifier: Apache-2.0 */
/* Captured model instances: their runs and their end. */
#include "capture_tests.h"

#include <pthread.h>
#include <stdatomic.h>

/* What is copied is read when the instance runs. */
void test_run_again(void)
{
    capture s;
    capture_open(&s);
    capture_begin(s.first);
    CHECK_OK(aclrtMemcpyAsync(s.words, 4, s.host, 4, ACL_MEMCPY_HOST_TO_DEVICE, s.first));
    capture_copy(&s, 1, 0, s.first);
    aclmdlRI instance = capture_end(s.first);
    for (int32_t run = 1; run <= 3; run++) {
        s.host[0] = run;
        capture_run(instance, s.first);
        CHECK_EQUAL(capture_fetch(&s)[1], run);
    }
    s.host[0] = 10;
    CHECK_OK(aclmdlRIExecuteAsync(instance, s.first));
    CHECK_OK(aclmdlRIExecuteAsync(instance, s.first));
    capture_copy(&s, 2, 1, s.first);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.first, SOON_MS));
    CHECK_EQUAL(capture_fetch(&s)[2], 10);
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

void test_run_arguments(void)
{
    capture s;
    capture_open(&s);
    aclmdlRI going = NULL;
    capture_begin(s.first);
    CHECK_OK(aclmdlRICaptureGetInfo(s.first, NULL, &going));
    CHECK_CODE(aclmdlRIExecuteAsync(going, s.second), ACL_ERROR_RT_MODEL_CAPTURED);
    CHECK_CODE(aclmdlRIExecuteAsync(going, s.first), ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK_CODE(aclmdlRIDestroy(going), ACL_ERROR_RT_MODEL_CAPTURED);
    aclmdlRI instance = capture_end(s.first);
    CHECK_CODE(aclmdlRIExecute(instance, SOON_MS), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRIAbort(instance), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    capture_begin(s.second);
    CHECK_CODE(aclmdlRIExecuteAsync(instance, s.second), ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.second)));
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

void test_run_other_stream(void)
{
    capture s;
    capture_open(&s);
    capture_begin(s.first);
    capture_copy(&s, 1, 0, s.first);
    aclmdlRI instance = capture_end(s.first);
    CHECK_OK(aclrtDestroyStream(s.first));
    twin_hold hold;
    twin_hold_begin(&hold, s.second);
    capture_set(&s, 0, 8, s.second);
    CHECK_OK(aclmdlRIExecuteAsync(instance, s.second));
    twin_hold_end(&hold, s.third);
    CHECK_EQUAL(capture_fetch(&s)[1], capture_word(8));
    CHECK_OK(aclmdlRIExecuteAsync(instance, NULL));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(NULL, SOON_MS));
    aclrtContext own = NULL, foreign = NULL;
    CHECK_OK(aclrtGetCurrentContext(&own));
    CHECK_OK(aclrtCreateContext(&foreign, 0));
    CHECK_CODE(aclmdlRIExecuteAsync(instance, NULL), ACL_ERROR_RT_MODEL_CONTEXT);
    aclrtStream there = twin_stream();
    CHECK_OK(aclrtSetCurrentContext(own));
    CHECK_CODE(aclmdlRIExecuteAsync(instance, there), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(aclrtDestroyContext(foreign));
    CHECK_OK(aclmdlRIDestroy(instance));
    s.first = twin_stream();
    capture_close(&s);
}

/* Counts its calls, and the word that it sees. */
typedef struct seen {
    atomic_int calls;
    const int32_t *word;
    int32_t last;
} seen;

static void note(void *pointer)
{
    seen *at = pointer;
    at->last = at->word ? *at->word : 0;
    atomic_fetch_add(&at->calls, 1);
}

void test_run_callback(void)
{
    capture s;
    capture_open(&s);
    seen at = {.word = s.host};
    capture_begin(s.first);
    CHECK_OK(aclrtMemcpyAsync(s.host, 4, s.words, 4, ACL_MEMCPY_DEVICE_TO_HOST, s.first));
    CHECK_OK(aclrtLaunchHostFunc(s.first, note, &at));
    CHECK_OK(aclrtLaunchCallback(note, &at, ACL_CALLBACK_BLOCK, s.first));
    capture_set(&s, 1, 4, s.first);
    aclmdlRI instance = capture_end(s.first);
    CHECK_EQUAL(atomic_load(&at.calls), 0);
    for (int run = 1; run <= 3; run++) {
        int32_t value = 100 + run;
        CHECK_OK(aclrtMemcpy(s.words, 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE));
        capture_run(instance, s.first);
        CHECK_EQUAL(atomic_load(&at.calls), 2 * run);
        CHECK_EQUAL(at.last, value);
    }
    CHECK_EQUAL(capture_fetch(&s)[1], capture_word(4));
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

static atomic_bool serving;
static void *serve(void *unused)
{
    (void)unused;
    while (atomic_load(&serving))
        (void)aclrtProcessReport(10);
    return NULL;
}

void test_run_subscribed(void)
{
    capture s;
    capture_open(&s);
    seen at = {0};
    pthread_t thread;
    atomic_store(&serving, true);
    CHECK(pthread_create(&thread, NULL, serve, NULL) == 0);
    CHECK_OK(aclrtSubscribeReport((uint64_t)thread, s.first));
    capture_begin(s.first);
    CHECK_OK(aclrtLaunchCallback(note, &at, ACL_CALLBACK_BLOCK, s.first));
    aclmdlRI instance = capture_end(s.first);
    capture_run(instance, s.second);
    capture_run(instance, s.second);
    CHECK_EQUAL(atomic_load(&at.calls), 2);
    CHECK_OK(aclrtUnSubscribeReport((uint64_t)thread, s.first));
    atomic_store(&serving, false);
    pthread_join(thread, NULL);
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

/* More tasks than a stream takes, of a stream that began the capture and of one that joined. */
void test_run_long(void)
{
    enum { TASKS = 5000 };
    capture s;
    capture_open(&s);
    capture_begin(s.first);
    capture_order(s.first, s.fork, s.second);
    for (int i = 0; i < TASKS; i++) {
        capture_set(&s, 0, (uint8_t)i, s.first);
        capture_set(&s, 1, (uint8_t)i, s.second);
    }
    capture_copy(&s, 2, 0, s.first);
    capture_copy(&s, 3, 1, s.second);
    capture_order(s.second, s.join, s.first);
    capture_copy(&s, 4, 3, s.first);
    aclmdlRI instance = capture_end(s.first);
    for (int run = 0; run < 2; run++) {
        CHECK_OK(aclrtMemset(s.words, WORDS * 4, 0, WORDS * 4));
        capture_run(instance, s.first);
        CHECK_EQUAL(capture_fetch(&s)[2], capture_word((uint8_t)(TASKS - 1)));
        CHECK_EQUAL(capture_fetch(&s)[4], capture_word((uint8_t)(TASKS - 1)));
    }
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

void test_run_notify(void)
{
    capture s;
    capture_open(&s);
    aclrtNotify notify = NULL;
    CHECK_OK(aclrtCreateNotify(&notify, 0));
    capture_begin(s.first);
    capture_order(s.first, s.fork, s.second);
    CHECK_OK(aclrtWaitAndResetNotify(notify, s.first, 0));
    capture_copy(&s, 1, 0, s.first);
    capture_set(&s, 0, 3, s.second);
    CHECK_OK(aclrtRecordNotify(notify, s.second));
    capture_order(s.second, s.join, s.first);
    aclmdlRI instance = capture_end(s.first);
    for (int run = 0; run < 2; run++) {
        CHECK_OK(aclrtMemset(s.words, WORDS * 4, 0, WORDS * 4));
        capture_run(instance, s.third);
        CHECK_EQUAL(capture_fetch(&s)[1], capture_word(3));
    }
    CHECK_OK(aclmdlRIDestroy(instance));
    CHECK_OK(aclrtDestroyNotify(notify));
    capture_close(&s);
}

void test_run_values(void)
{
    capture s;
    capture_open(&s);
    capture_begin(s.first);
    capture_order(s.first, s.fork, s.second);
    CHECK_OK(aclrtValueWait(&s.words[8], 21, 1 /* equal */, s.first));
    capture_copy(&s, 1, 0, s.first);
    capture_set(&s, 0, 5, s.second);
    CHECK_OK(aclrtValueWrite(&s.words[8], 21, 0, s.second));
    capture_order(s.second, s.join, s.first);
    CHECK_OK(aclrtValueWrite(&s.words[8], 0, 0, s.first));
    aclmdlRI instance = capture_end(s.first);
    for (int run = 0; run < 2; run++) {
        CHECK_OK(aclrtMemset(s.words, WORDS * 4, 0, WORDS * 4));
        capture_run(instance, s.first);
        CHECK_EQUAL(capture_fetch(&s)[1], capture_word(5));
    }
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

/* A run that was ended half-way leaves nothing to the next one. */
void test_run_aborted(void)
{
    capture s;
    capture_open(&s);
    aclrtNotify notify = NULL;
    CHECK_OK(aclrtCreateNotify(&notify, 0));
    capture_begin(s.first);
    CHECK_OK(aclrtMemcpyAsync(s.words, 4, s.host, 4, ACL_MEMCPY_HOST_TO_DEVICE, s.first));
    capture_order(s.first, s.fork, s.second);
    capture_copy(&s, 1, 0, s.second);
    capture_order(s.second, s.join, s.first);
    capture_copy(&s, 2, 1, s.first);
    CHECK_OK(aclrtWaitAndResetNotify(notify, s.first, 0));
    aclmdlRI instance = capture_end(s.first);
    for (int32_t run = 1; run <= 4; run++) {
        s.host[0] = run;
        CHECK_OK(aclmdlRIExecuteAsync(instance, s.third));
        if (run % 2 == 1) { /* all has happened but the wait for the notify */
            CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.third, 1),
                       ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
            CHECK_OK(aclrtStreamAbort(s.third));
            continue;
        }
        CHECK_OK(aclrtRecordNotify(notify, s.second));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.third, SOON_MS));
        CHECK_EQUAL(capture_fetch(&s)[1], run);
        CHECK_EQUAL(capture_fetch(&s)[2], run);
    }
    CHECK_OK(aclmdlRIDestroy(instance));
    CHECK_OK(aclrtDestroyNotify(notify));
    capture_close(&s);
}

void test_destroy(void)
{
    capture s;
    capture_open(&s);
    seen at = {0};
    uint32_t before = 0, after = 0;
    CHECK_OK(aclrtGetStreamAvailableNum(&before));
    capture_begin(s.first);
    capture_order(s.first, s.fork, s.second);
    capture_order(s.second, s.join, s.first);
    aclmdlRI instance = capture_end(s.first);
    CHECK_OK(aclrtGetStreamAvailableNum(&after));
    CHECK_EQUAL(before - after, 3); /* each stream has one of the instance, and one resets edges */
    CHECK_OK(aclmdlRIDestroyRegisterCallback(instance, note, &at));
    CHECK_OK(aclmdlRIExecuteAsync(instance, s.first));
    CHECK_OK(aclmdlRIDestroy(instance));
    CHECK_EQUAL(atomic_load(&at.calls), 1);
    CHECK_CODE(aclmdlRIDestroy(instance), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclmdlRIExecuteAsync(instance, s.first), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtSynchronizeStream(s.first));
    CHECK_OK(aclrtGetStreamAvailableNum(&after));
    CHECK_EQUAL(before, after);
    capture_close(&s);
}

void test_built_only(void)
{
    capture s;
    capture_open(&s);
    aclrtStream persistent = NULL;
    CHECK_OK(aclrtCreateStreamWithConfig(&persistent, 0, ACL_STREAM_PERSISTENT));
    capture_begin(s.first);
    aclmdlRI instance = capture_end(s.first);
    CHECK_CODE(aclmdlRIBindStream(instance, persistent, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRIUnbindStream(instance, persistent), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRIEndTask(instance, persistent), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRIBuildEnd(instance, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclmdlRIDestroy(instance));
    CHECK_OK(aclrtDestroyStream(persistent));
    capture_close(&s);
}

void test_streams(void)
{
    capture s;
    capture_open(&s);
    aclrtStream streams[4] = {&s, &s, &s, &s};
    uint32_t count = 0;
    capture_begin(s.first);
    capture_order(s.first, s.fork, s.second);
    capture_order(s.second, s.join, s.first);
    aclmdlRI instance = capture_end(s.first);
    CHECK_OK(aclmdlRIGetStreams(instance, NULL, &count));
    CHECK_EQUAL(count, 2);
    count = 4;
    CHECK_OK(aclmdlRIGetStreams(instance, streams, &count));
    CHECK_EQUAL(count, 2);
    CHECK(streams[0] != NULL && streams[1] != NULL && streams[0] != streams[1]);
    CHECK(streams[2] == &s && streams[3] == &s);
    for (int i = 0; i < 2; i++) {
        CHECK(streams[i] != s.first && streams[i] != s.second);
        CHECK_CODE(aclrtMemsetAsync(s.words, 4, 0, 4, streams[i]), ACL_ERROR_RT_STREAM_MODEL);
        CHECK_CODE(aclrtDestroyStream(streams[i]), ACL_ERROR_RT_STREAM_MODEL);
    }
    count = 1;
    CHECK_CODE(aclmdlRIGetStreams(instance, streams, &count),
               ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY);
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

void test_close(void)
{
    capture s;
    capture_open(&s);
    aclrtContext own = NULL, other = NULL;
    CHECK_OK(aclrtGetCurrentContext(&own));
    CHECK_OK(aclrtCreateContext(&other, 0));
    aclrtStream stream = twin_stream(), joined = twin_stream(), captured = twin_stream();
    capture_begin(stream);
    capture_order(stream, s.fork, joined);
    capture_set(&s, 0, 1, stream);
    capture_begin(captured);
    (void)capture_end(captured);
    CHECK_OK(aclrtDestroyContext(other));
    CHECK_OK(aclrtSetCurrentContext(own));
    int32_t value = 0;
    CHECK_OK(aclrtMemcpy(s.words, 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_OK(aclrtRecordEvent(s.fork, s.first));
    CHECK_OK(aclrtSynchronizeEvent(s.fork));
    capture_close(&s);
}
