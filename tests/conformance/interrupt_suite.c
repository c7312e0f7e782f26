/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of model instances that are interrupted, or meet each other: the next run is whole. */
#include "suite.h"

#define HEADS      9u /* more than one entry starts */
#define WORD_BYTES 256u
#define SPAN_BYTES (UINT64_C(4) << 20)

/* A model instance in which each stream copies word 0 to its own place; the first stream joins the
 * others. */
typedef struct setup {
    aclrtStream plain, other;
    aclrtStream streams[HEADS];
    aclrtEvent joins[HEADS];
    aclmdlRI model;
    char *words; /* device; one per stream and WORD_BYTES, then SPAN_BYTES for what takes time */
} setup;

static void begin(setup *s)
{
    CHECK_OK(aclrtSetDevice(0));
    s->plain = twin_stream();
    s->other = twin_stream();
    CHECK_OK(aclmdlRIBuildBegin(&s->model, 0));
    CHECK_OK(aclrtMalloc((void **)&s->words, HEADS * WORD_BYTES + 2 * SPAN_BYTES,
                         ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemset(s->words, HEADS * WORD_BYTES, 0, HEADS * WORD_BYTES));
    for (unsigned i = 0; i < HEADS; i++) {
        CHECK_OK(aclrtCreateStreamWithConfig(&s->streams[i], 0, ACL_STREAM_PERSISTENT));
        CHECK_OK(aclmdlRIBindStream(s->model, s->streams[i], 0));
        CHECK_OK(aclrtCreateEventWithFlag(&s->joins[i], ACL_EVENT_SYNC));
    }
    for (unsigned i = 1; i < HEADS; i++) {
        CHECK_OK(aclrtMemcpyAsync(s->words + (size_t)i * WORD_BYTES, 4, s->words, 4,
                                  ACL_MEMCPY_DEVICE_TO_DEVICE, s->streams[i]));
        CHECK_OK(aclrtRecordEvent(s->joins[i], s->streams[i]));
        CHECK_OK(aclrtStreamWaitEvent(s->streams[0], s->joins[i]));
        CHECK_OK(aclrtResetEvent(s->joins[i], s->streams[0]));
    }
}

static void finish(setup *s)
{
    CHECK_OK(aclmdlRIEndTask(s->model, s->streams[0]));
    CHECK_OK(aclmdlRIBuildEnd(s->model, NULL));
}

static void end(setup *s)
{
    CHECK_OK(aclmdlRIDestroy(s->model));
    for (unsigned i = 0; i < HEADS; i++) {
        CHECK_OK(aclrtDestroyStream(s->streams[i]));
        CHECK_OK(aclrtDestroyEvent(s->joins[i]));
    }
    CHECK_OK(aclrtDestroyStream(s->plain));
    CHECK_OK(aclrtDestroyStream(s->other));
    CHECK_OK(aclrtFree(s->words));
    CHECK_OK(aclrtResetDevice(0));
}

static int32_t read_word(const setup *s, unsigned place)
{
    int32_t word = -1;
    CHECK_OK(
        aclrtMemcpy(&word, 4, s->words + (size_t)place * WORD_BYTES, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    return word;
}

/* Whether one more run ends and every stream of it has run. */
static bool runs_whole(const setup *s, int32_t value)
{
    CHECK_OK(aclrtMemcpy(s->words, 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_OK(aclmdlRIExecuteAsync(s->model, s->plain));
    bool whole = aclrtSynchronizeStreamWithTimeout(s->plain, SOON_MS) == ACL_SUCCESS;
    for (unsigned i = 1; whole && i < HEADS; i++)
        whole = read_word(s, i) == value;
    return whole;
}

static aclError abort_model(const setup *s)
{
    return aclmdlRIAbort(s->model);
}
static aclError abort_stream(const setup *s)
{
    return aclrtStreamAbort(s->plain);
}
static aclError stop_stream(const setup *s)
{
    return aclrtStreamStop(s->plain);
}
static aclError abort_device(const setup *s)
{
    (void)s;
    return aclrtDeviceTaskAbort(0, 0);
}

/* The copy before the run ends at another time each time, so the interruption comes at other
 * instants of the run: before it has begun, in each of its entries, and when it is over. */
static void interrupt_at_any_instant(aclError (*interrupt)(const setup *s))
{
    setup s;
    begin(&s);
    finish(&s);
    for (uint64_t bytes = 800000; bytes < 2400000; bytes += 8192) {
        CHECK_OK(aclrtMemcpyAsync(s.words + HEADS * WORD_BYTES, SPAN_BYTES,
                                  s.words + HEADS * WORD_BYTES + SPAN_BYTES, bytes,
                                  ACL_MEMCPY_DEVICE_TO_DEVICE, s.plain));
        CHECK_OK(aclmdlRIExecuteAsync(s.model, s.plain));
        aclrtStreamStatus status;
        CHECK_OK(aclrtStreamQuery(s.plain, &status)); /* takes time */
        CHECK_OK(aclrtStreamQuery(s.plain, &status));
        CHECK_OK(interrupt(&s));
        aclError code = aclrtSynchronizeStreamWithTimeout(s.plain, SOON_MS);
        CHECK(code == ACL_SUCCESS ||
              (interrupt == abort_model && code == ACL_ERROR_RT_MODEL_ABORT_NORMAL));
        for (unsigned i = 1; i < HEADS; i++)
            CHECK_OK(aclrtResetEvent(s.joins[i], s.plain));
        if (code != ACL_ERROR_RT_STREAM_SYNC_TIMEOUT && runs_whole(&s, (int32_t)bytes))
            continue;
        CHECK_EQUAL(bytes, 0); /* says where it was */
        break;
    }
    end(&s);
}

static void test_abort_model(void)
{
    interrupt_at_any_instant(abort_model);
}

static void test_abort_stream(void)
{
    interrupt_at_any_instant(abort_stream);
}

static void test_abort_device(void)
{
    interrupt_at_any_instant(abort_device);
}

static void test_stop_stream(void)
{
    interrupt_at_any_instant(stop_stream);
}

/* A stop ends the stream's present run, and nothing after it. */
static void test_stop(void)
{
    setup s;
    begin(&s);
    char *marks = s.words + HEADS * WORD_BYTES;
    aclrtNotify gate = NULL;
    CHECK_OK(aclrtMemset(marks, 2, 0, 2));
    CHECK_OK(aclrtCreateNotify(&gate, 0));
    CHECK_OK(aclrtWaitAndResetNotify(gate, s.streams[0], 0));
    finish(&s);
    CHECK_OK(aclmdlRIExecuteAsync(s.model, s.plain));
    CHECK_OK(aclmdlRIExecuteAsync(s.model, s.other)); /* waits for the first run */
    CHECK_OK(aclrtMemsetAsync(marks, 1, 1, 1, s.other));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.plain, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtStreamStop(s.other));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.other, SOON_MS));
    char mark = 0;
    CHECK_OK(aclrtMemcpy(&mark, 1, marks, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_EQUAL(mark, 1);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.plain, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtStreamStop(s.plain));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.plain, SOON_MS));
    CHECK_OK(aclrtRecordNotify(gate, NULL)); /* for the next run: the stopped one waits no more */
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(NULL, SOON_MS));
    CHECK(runs_whole(&s, 7));
    CHECK_OK(aclrtDestroyNotify(gate));
    end(&s);
}

/* A stream that nothing joins still waits when the run is over: the next run cannot start it,
 * fails, and has no later effect. */
static void test_unjoined(void)
{
    setup s;
    begin(&s);
    aclrtNotify gate = NULL;
    CHECK_OK(aclrtCreateNotify(&gate, 0));
    CHECK_OK(aclrtWaitAndResetNotify(gate, s.streams[1], 0));
    finish(&s);
    CHECK(runs_whole(&s, 3));
    CHECK_OK(aclmdlRIExecuteAsync(s.model, s.plain));
    aclError code = aclrtSynchronizeStreamWithTimeout(s.plain, SOON_MS);
    CHECK(code != ACL_SUCCESS && code != ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    for (unsigned i = 1; i < HEADS; i++)
        CHECK_OK(aclrtResetEvent(s.joins[i], s.plain));
    CHECK(runs_whole(&s, 4));
    CHECK_OK(aclrtDestroyNotify(gate));
    end(&s);
}

/* The end that a stream had in one model does not end that model from within another. */
static void test_end_belongs_to_its_model(void)
{
    setup s;
    begin(&s);
    aclmdlRI other = NULL;
    aclrtNotify gate = NULL;
    CHECK_OK(aclrtCreateNotify(&gate, 0));
    finish(&s);
    CHECK_OK(aclmdlRIUnbindStream(s.model, s.streams[0]));
    CHECK_OK(aclrtWaitAndResetNotify(gate, s.streams[1], 0));
    CHECK_OK(aclmdlRIEndTask(s.model, s.streams[1]));
    CHECK_OK(aclmdlRIBuildEnd(s.model, NULL));
    CHECK_OK(aclmdlRIBuildBegin(&other, 0));
    CHECK_OK(aclmdlRIBindStream(other, s.streams[0], 0));
    CHECK_OK(aclmdlRIEndTask(other, s.streams[0]));
    CHECK_OK(aclmdlRIBuildEnd(other, NULL));
    CHECK_OK(aclmdlRIExecuteAsync(s.model, s.plain));
    CHECK_OK(aclmdlRIExecute(other, SOON_MS));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.plain, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtRecordNotify(gate, NULL));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.plain, SOON_MS));
    CHECK_OK(aclmdlRIDestroy(other));
    CHECK_OK(aclrtDestroyNotify(gate));
    end(&s);
}

static const twin_test tests[] = {
    {"GRF-54: a model that was aborted at any instant of a run runs again", test_abort_model},
    {"STR-44: so does one that ran in a stream when that was aborted", test_abort_stream},
    {"DEV-58: so does one that ran when its device was aborted", test_abort_device},
    {"STR-49: so does one that ran in a stream when that was stopped", test_stop_stream},
    {"STR-49: a stop ends the run that the stream is in, or waits for", test_stop},
    {"GRF-41: a run that finds a stream of the last one at work fails", test_unjoined},
    {"GRF-84: an end belongs to its model, not to the stream", test_end_belongs_to_its_model},
};

int main(int argc, char **argv)
{
    static const twin_suite suite = {.name = "interrupt",
                                     .tests = tests,
                                     .test_count = sizeof(tests) / sizeof(tests[0]),
                                     .initialise = true};
    return twin_suite_main(&suite, argc, argv);
}
