/* SPDX-License-Identifier: Apache-2.0 */
/* What the modes of captures forbid. */
#include "capture_tests.h"

#include <pthread.h>
#include <stdlib.h>

/* The answers of the three synchronous functions are alike; which one it is. */
static aclError synchronous(int32_t *words)
{
    int32_t value = 0;
    const aclError copy = aclrtMemcpy(words, 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE);
    CHECK_CODE(aclrtMemset(words, 4, 0, 4), copy);
    CHECK_CODE(aclrtMemcpy2d(words, 4, &value, 4, 4, 1, ACL_MEMCPY_HOST_TO_DEVICE), copy);
    return copy;
}

typedef struct elsewhere {
    int32_t *words;
    aclmdlRICaptureMode own; /* of the thread */
    aclError code;
} elsewhere;

static void copy_elsewhere(void *pointer)
{
    elsewhere *at = pointer;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclmdlRICaptureThreadExchangeMode(&at->own));
    at->code = synchronous(at->words);
    CHECK_OK(aclrtResetDevice(0));
}

static aclError code_elsewhere(capture *s, aclmdlRICaptureMode own)
{
    elsewhere at = {.words = s->words, .own = own};
    twin_on_thread(copy_elsewhere, &at);
    CHECK_EQUAL(at.own, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL); /* what the thread had before */
    return at.code;
}

void test_mode_global(void)
{
    capture s;
    capture_open(&s);
    capture_begin(s.first);
    CHECK_CODE(synchronous(s.words), ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
    CHECK(capture_explains(
        (const char *const[]){"(aclmdlRICaptureBegin at ", "+0x", "GLOBAL", "RELAXED", NULL}));
    CHECK_CODE(code_elsewhere(&s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL),
               ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
    CHECK_EQUAL(capture_status(s.first), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.first)));
    CHECK_OK(synchronous(s.words));
    CHECK_OK(code_elsewhere(&s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    capture_close(&s);
}

void test_mode_thread_local(void)
{
    capture s;
    capture_open(&s);
    CHECK_OK(aclmdlRICaptureBegin(s.first, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    CHECK_CODE(synchronous(s.words), ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
    CHECK_OK(code_elsewhere(&s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    CHECK_OK(aclmdlRIDestroy(capture_end(s.first)));
    capture_close(&s);
}

void test_mode_relaxed(void)
{
    capture s;
    capture_open(&s);
    int32_t value = 77;
    CHECK_OK(aclmdlRICaptureBegin(s.first, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    CHECK_OK(aclrtMemcpy(s.words, 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_EQUAL(capture_fetch(&s)[0], 77);
    CHECK_OK(code_elsewhere(&s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    aclmdlRI instance = capture_end(s.first);
    CHECK_OK(aclrtMemset(s.words, 4, 0, 4));
    capture_run(instance, s.first);
    CHECK_EQUAL(capture_fetch(&s)[0], 0); /* the copy is not part of it */
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

void test_mode_pageable(void)
{
    capture s;
    capture_open(&s);
    int32_t *pageable = malloc(4);
    CHECK(pageable != NULL);
    *pageable = 5;
    capture_begin(s.first);
    CHECK_CODE(aclrtMemcpyAsync(s.words, 4, pageable, 4, ACL_MEMCPY_HOST_TO_DEVICE, s.second),
               ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC);
    CHECK(capture_explains((const char *const[]){"use page-locked memory", NULL}));
    CHECK_CODE(
        aclrtMemcpy2dAsync(s.words, 4, pageable, 4, 4, 1, ACL_MEMCPY_HOST_TO_DEVICE, s.second),
        ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC);
    CHECK_CODE(aclrtMemcpyAsync(s.words, 4, pageable, 4, ACL_MEMCPY_HOST_TO_DEVICE, s.first),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQUAL(capture_status(s.first), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.first)));
    CHECK_OK(aclrtMemcpyAsync(s.words, 4, pageable, 4, ACL_MEMCPY_HOST_TO_DEVICE, s.second));
    CHECK_EQUAL(capture_fetch(&s)[0], 5);
    free(pageable);
    capture_close(&s);
}

void test_mode_exchange_arguments(void)
{
    aclmdlRICaptureMode mode = (aclmdlRICaptureMode)3;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclmdlRICaptureThreadExchangeMode(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRICaptureThreadExchangeMode(&mode), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtResetDevice(0));
    mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    CHECK_CODE(aclmdlRICaptureThreadExchangeMode(&mode), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQUAL(mode, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
}

void test_mode_exchange(void)
{
    capture s;
    capture_open(&s);
    aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    capture_begin(s.first);
    CHECK_OK(aclmdlRICaptureThreadExchangeMode(&mode));
    CHECK_EQUAL(mode, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    CHECK_OK(synchronous(s.words));
    CHECK_OK(aclmdlRICaptureThreadExchangeMode(&mode));
    CHECK_EQUAL(mode, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
    CHECK_CODE(synchronous(s.words), ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
    CHECK_OK(aclmdlRIDestroy(capture_end(s.first)));
    capture_close(&s);
}

void test_mode_exchange_elsewhere(void)
{
    capture s;
    capture_open(&s);
    capture_begin(s.first);
    CHECK_OK(code_elsewhere(&s, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    CHECK_OK(code_elsewhere(&s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;
    CHECK_OK(aclmdlRICaptureThreadExchangeMode(&mode));
    CHECK_CODE(synchronous(s.words), ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
    CHECK_OK(aclmdlRICaptureThreadExchangeMode(&mode));
    CHECK_OK(aclmdlRIDestroy(capture_end(s.first)));
    capture_close(&s);
}

#define THREADS 8u
#define ROUNDS  20u

typedef struct busy {
    capture *s;
    aclmdlRICaptureMode mode;
} busy;

/* Each thread captures, replays and checks its own word, and makes calls that its mode forbids. */
static void capture_busily(void *pointer, unsigned index)
{
    const busy *with = pointer;
    int32_t *word = &with->s->words[index];
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream(), other = twin_stream();
    aclrtEvent fork = capture_event(), join = capture_event();
    for (unsigned round = 1; round <= ROUNDS; round++) {
        CHECK_OK(aclmdlRICaptureBegin(stream, with->mode));
        CHECK_OK(aclrtMemsetAsync(word, 4, (int32_t)round, 4, stream));
        capture_order(stream, fork, other);
        if (with->mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED)
            CHECK_OK(synchronous(&with->s->words[32 + index]));
        else
            CHECK_CODE(synchronous(&with->s->words[32 + index]),
                       ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
        CHECK_CODE(aclrtSynchronizeStream(other), ACL_ERROR_RT_STREAM_CAPTURED);
        capture_order(other, join, stream);
        aclmdlRI instance = capture_end(stream);
        capture_run(instance, stream);
        CHECK_OK(aclmdlRIDestroy(instance));
    }
    CHECK_OK(aclrtDestroyEvent(fork));
    CHECK_OK(aclrtDestroyEvent(join));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtDestroyStream(other));
    CHECK_OK(aclrtResetDevice(0));
}

void test_mode_threads(void)
{
    for (int mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL; mode <= ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
         mode++) {
        capture s;
        capture_open(&s);
        busy with = {.s = &s, .mode = (aclmdlRICaptureMode)mode};
        twin_threads_run(THREADS, capture_busily, &with);
        for (unsigned i = 0; i < THREADS; i++)
            CHECK_EQUAL(capture_fetch(&s)[i], capture_word(ROUNDS));
        capture_close(&s);
    }
}

#define STRANGERS 2u /* threads without a capture */
#define MEETINGS  10u

typedef struct place {
    aclrtStream stream, other;
    aclrtEvent fork, join;
} place;

/* Threads whose captures are all under way between `begun` and `done`. */
typedef struct meeting {
    capture *s;
    aclmdlRICaptureMode mode;
    pthread_barrier_t begun, done;
    place places[THREADS];
} meeting;

/* Each call about the capture of another thread has its code, and changes nothing there. */
static void intrude(const meeting *with, const place *at)
{
    aclmdlRI instance = NULL;
    aclrtStreamStatus status;
    aclrtEventRecordedStatus recorded;
    CHECK_CODE(aclmdlRICaptureBegin(at->stream, with->mode), ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK_CODE(aclrtSynchronizeStream(at->stream), ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK_CODE(aclrtStreamQuery(at->other, &status), ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK_CODE(aclrtSynchronizeDevice(), ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK_CODE(aclrtQueryEventStatus(at->fork, &recorded), ACL_ERROR_RT_EVENT_CAPTURED);
    CHECK_CODE(aclrtSynchronizeEvent(at->fork), ACL_ERROR_RT_EVENT_CAPTURED);
    CHECK_CODE(aclrtRecordEvent(at->fork, NULL), ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT);
    CHECK_CODE(aclrtStreamWaitEvent(NULL, at->fork), ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT);
    CHECK_OK(aclmdlRICaptureGetInfo(at->other, NULL, &instance));
    CHECK_CODE(aclmdlRIExecuteAsync(instance, NULL), ACL_ERROR_RT_MODEL_CAPTURED);
    CHECK_CODE(aclmdlRIDestroy(instance), ACL_ERROR_RT_MODEL_CAPTURED);
    CHECK_EQUAL(capture_status(at->stream), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
}

static void stay_away(meeting *with, unsigned index)
{
    for (unsigned round = 0; round < MEETINGS; round++) {
        pthread_barrier_wait(&with->begun);
        for (unsigned i = 0; i < THREADS; i++)
            intrude(with, &with->places[i]);
        CHECK_CODE(synchronous(&with->s->words[32 + index]),
                   with->mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
                       ? ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT
                       : ACL_SUCCESS);
        pthread_barrier_wait(&with->done);
    }
    pthread_barrier_wait(&with->begun); /* of capture_for_others() */
    pthread_barrier_wait(&with->done);
}

static void capture_watched(meeting *with, unsigned index)
{
    const place *own = &with->places[index];
    for (unsigned round = 1; round <= MEETINGS; round++) {
        CHECK_OK(aclmdlRICaptureBegin(own->stream, with->mode));
        capture_set(with->s, index, (uint8_t)round, own->stream);
        capture_order(own->stream, own->fork, own->other);
        pthread_barrier_wait(&with->begun);
        intrude(with, &with->places[(index + 1) % THREADS]);
        CHECK_CODE(synchronous(&with->s->words[32 + index]),
                   with->mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED
                       ? ACL_SUCCESS
                       : ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
        pthread_barrier_wait(&with->done);
        capture_order(own->other, own->join, own->stream);
        aclmdlRI instance = capture_end(own->stream);
        capture_run(instance, own->stream);
        CHECK_OK(aclmdlRIDestroy(instance));
    }
}

/* Each thread ends the capture of the next one, which is lost unless the mode is RELAXED. */
static void capture_for_others(meeting *with, unsigned index)
{
    const aclrtStream own = with->places[index].stream;
    const bool relaxed = with->mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    aclmdlRI instance = NULL;
    CHECK_OK(aclmdlRICaptureBegin(own, with->mode));
    pthread_barrier_wait(&with->begun);
    CHECK_CODE(aclmdlRICaptureEnd(with->places[(index + 1) % THREADS].stream, &instance),
               relaxed ? ACL_SUCCESS : ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD);
    pthread_barrier_wait(&with->done);
    if (relaxed)
        CHECK_OK(aclmdlRIDestroy(instance));
    CHECK(relaxed || instance == NULL);
    CHECK_CODE(aclmdlRICaptureEnd(own, &instance), ACL_ERROR_RT_STREAM_NOT_CAPTURED);
}

static void meet(void *pointer, unsigned index)
{
    CHECK_OK(aclrtSetDevice(0));
    if (index < THREADS) {
        capture_watched(pointer, index);
        capture_for_others(pointer, index);
    } else {
        stay_away(pointer, index);
    }
    CHECK_OK(aclrtResetDevice(0));
}

static void hold_meeting(capture *s, aclmdlRICaptureMode mode)
{
    meeting with = {.s = s, .mode = mode};
    pthread_barrier_init(&with.begun, NULL, THREADS + STRANGERS);
    pthread_barrier_init(&with.done, NULL, THREADS + STRANGERS);
    for (unsigned i = 0; i < THREADS; i++)
        with.places[i] = (place){.stream = twin_stream(),
                                 .other = twin_stream(),
                                 .fork = capture_event(),
                                 .join = capture_event()};
    twin_threads_run(THREADS + STRANGERS, meet, &with);
    for (unsigned i = 0; i < THREADS; i++) {
        CHECK_EQUAL(capture_fetch(s)[i], capture_word(MEETINGS));
        CHECK_OK(aclrtDestroyEvent(with.places[i].fork));
        CHECK_OK(aclrtDestroyEvent(with.places[i].join));
        CHECK_OK(aclrtDestroyStream(with.places[i].stream));
        CHECK_OK(aclrtDestroyStream(with.places[i].other));
    }
    pthread_barrier_destroy(&with.begun);
    pthread_barrier_destroy(&with.done);
}

void test_mode_strangers(void)
{
    capture s;
    capture_open(&s);
    hold_meeting(&s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    hold_meeting(&s, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL);
    hold_meeting(&s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
    capture_close(&s);
}
