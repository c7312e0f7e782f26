/* SPDX-License-Identifier: Apache-2.0 */
/* Model instances built by hand: persistent streams, switches. What ran, and how often, shows in
 * memory. */
#include "program_tests.h"

#include <string.h>

/* ---- building ------------------------------------------------------------------------------- */

static void test_build_arguments(void)
{
    program s;
    program_begin(&s);
    aclmdlRI other = NULL;
    CHECK_CODE(aclmdlRIBuildBegin(NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRIBuildBegin(&other, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclmdlRIBuildBegin(&other, 0));
    CHECK_CODE(aclmdlRIBuildEnd(other, NULL), ACL_ERROR_RT_STREAM_MODEL);
    CHECK_CODE(aclmdlRIBuildEnd(NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRIBuildEnd(other, &s), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRIBuildEnd(s.model, NULL), ACL_ERROR_RT_MODEL_EXECUTE);
    CHECK_CODE(aclmdlRIBindStream(NULL, s.first, HEAD), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRIBindStream(other, s.first, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRIBindStream(other, NULL, HEAD), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRIBindStream(other, s.plain, HEAD), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRIBindStream(other, s.first, HEAD), ACL_ERROR_RT_STREAM_MODEL);
    CHECK_CODE(aclmdlRIUnbindStream(other, s.first), ACL_ERROR_RT_STREAM_MODEL);
    CHECK_CODE(aclrtDestroyStream(s.first), ACL_ERROR_RT_STREAM_MODEL);
    CHECK_OK(aclmdlRIUnbindStream(s.model, s.first));
    CHECK_OK(aclmdlRIBindStream(other, s.first, HEAD));
    CHECK_OK(aclmdlRIDestroy(other));
    CHECK_CODE(aclmdlRIDestroy(other), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclmdlRIDestroy(NULL), ACL_ERROR_INVALID_PARAM);
    program_end(&s);
}

static void test_runs_again(void)
{
    program s;
    program_begin(&s);
    program_put(&s, 40, 7);
    program_push(&s, 0, 40, s.first);
    CHECK_OK(aclrtSynchronizeStream(s.first));
    CHECK_OK(aclrtSynchronizeDevice());
    CHECK_EQUAL(program_fetch(&s)[0], 0);
    program_finish(&s, s.first);
    CHECK_EQUAL(program_fetch(&s)[0], 0);
    for (int i = 1; i <= 3; i++) {
        program_run(&s);
        CHECK_EQUAL(program_fetch(&s)[i - 1], 7);
        CHECK_EQUAL(program_fetch(&s)[i], 0);
    }
    CHECK_OK(aclmdlRIExecute(s.model, SOON_MS));
    CHECK_EQUAL(program_fetch(&s)[3], 7);
    CHECK_CODE(aclrtMemsetAsync(s.words, 4, 0, 4, s.first), ACL_ERROR_RT_STREAM_MODEL);
    program_end(&s);
}

static void test_run_arguments(void)
{
    program s;
    program_begin(&s);
    CHECK_CODE(aclmdlRIExecuteAsync(NULL, s.plain), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRIExecuteAsync(s.plain, s.plain), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclmdlRIExecuteAsync(s.model, s.plain), ACL_ERROR_RT_MODEL_EXECUTE);
    program_finish(&s, s.first);
    CHECK_CODE(aclmdlRIExecuteAsync(s.model, s.first), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRIExecute(s.model, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRIExecute(s.model, -2), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRIExecute(NULL, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRIAbort(NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclmdlRIAbort(s.model));
    CHECK_OK(aclmdlRIExecuteAsync(s.model, NULL));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(NULL, SOON_MS));
    aclrtContext own = NULL, foreign = NULL;
    CHECK_OK(aclrtGetCurrentContext(&own));
    CHECK_OK(aclrtCreateContext(&foreign, 0));
    CHECK_CODE(aclmdlRIExecuteAsync(s.model, s.plain), ACL_ERROR_RT_MODEL_CONTEXT);
    CHECK_CODE(aclmdlRIDestroy(s.model), ACL_ERROR_RT_MODEL_CONTEXT);
    CHECK_OK(aclrtDestroyContext(foreign));
    CHECK_OK(aclrtSetCurrentContext(own));
    program_end(&s);
}

static void test_two_streams_serial(void)
{
    program s;
    program_begin(&s);
    aclrtStream other = NULL;
    CHECK_OK(aclrtCreateStream(&other));
    program_put(&s, 40, 9);
    program_push(&s, 0, 40, s.first);
    program_finish(&s, s.first);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(aclmdlRIExecuteAsync(s.model, s.plain));
        CHECK_OK(aclmdlRIExecuteAsync(s.model, other));
    }
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.plain, SOON_MS));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(other, SOON_MS));
    CHECK_EQUAL(program_fetch(&s)[3], 9);
    CHECK_EQUAL(program_fetch(&s)[4], 0);
    CHECK_OK(aclrtDestroyStream(other));
    program_end(&s);
}

/* Rows between host and device, of 4 bytes each with a pitch of 8 on the host: their descriptors
 * stay. */
static void test_rows_at_each_run(void)
{
    enum { ROWS = 8 };
    program s;
    program_begin(&s);
    CHECK_OK(
        aclrtMemcpy2dAsync(s.words, 4, s.host, 8, 4, ROWS, ACL_MEMCPY_HOST_TO_DEVICE, s.first));
    program_finish(&s, s.first);
    for (int32_t run = 1; run <= 3; run++) {
        for (int32_t i = 0; i < 2 * ROWS; i++)
            s.host[i] = run * 100 + i;
        program_run(&s);
        const int32_t *words = program_fetch(&s);
        for (int32_t i = 0; i < ROWS; i++)
            CHECK_EQUAL(words[i], run * 100 + 2 * i);
        CHECK_EQUAL(words[ROWS], 0);
    }
    program_end(&s);
}

static void test_full(void)
{
    program s;
    program_begin(&s);
    aclError code = ACL_SUCCESS;
    unsigned taken = 0;
    while (code == ACL_SUCCESS && taken < 100000) {
        code = aclrtMemsetAsync(s.words, 4, 1, 4, s.first);
        taken += code == ACL_SUCCESS;
    }
    CHECK_CODE(code, ACL_ERROR_RT_STREAM_TASK_FULL);
    CHECK(taken > 100);
    program_end(&s);
}

static void test_clean(void)
{
    program s;
    program_begin(&s);
    program_put(&s, 40, 1);
    program_put(&s, 41, 2);
    program_push(&s, 0, 40, s.first);
    CHECK_CODE(aclrtPersistentTaskClean(NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtPersistentTaskClean(s.plain), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK_CODE(aclrtPersistentTaskClean(s.first), ACL_ERROR_RT_INTERNAL_ERROR);
    program_finish(&s, s.first);
    program_run(&s);
    CHECK_OK(aclrtPersistentTaskClean(s.first));
    program_push(&s, 0, 41, s.first);
    program_finish(&s, s.first);
    program_run(&s);
    CHECK_EQUAL(program_fetch(&s)[0], 2);
    CHECK_EQUAL(program_fetch(&s)[1], 1);
    CHECK_EQUAL(program_fetch(&s)[2], 0);
    program_end(&s);
}

static void count_call(void *user)
{
    ++*(int *)user;
}

static void test_names(void)
{
    program s;
    program_begin(&s);
    char name[32] = "x";
    uint32_t id = 0, other_id = 0, count = 0;
    int calls = 0;
    aclmdlRI other = NULL;
    aclrtStream streams[3] = {NULL, NULL, &s};
    CHECK_OK(aclmdlRIGetName(s.model, sizeof(name), name));
    CHECK_EQUAL(strlen(name), 0);
    CHECK_OK(aclmdlRISetName(s.model, "one"));
    CHECK_OK(aclmdlRISetName(s.model, "two"));
    CHECK_OK(aclmdlRIGetName(s.model, sizeof(name), name));
    CHECK(strcmp(name, "two") == 0);
    CHECK_CODE(aclmdlRIGetName(s.model, 0, name), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRIGetName(s.model, 4, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRISetName(NULL, "x"), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclmdlRIBuildBegin(&other, 0));
    CHECK_OK(aclmdlRIGetId(s.model, &id));
    CHECK_OK(aclmdlRIGetId(other, &other_id));
    CHECK(id != other_id);
    CHECK_CODE(aclmdlRIGetId(other, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclmdlRIGetStreams(s.model, NULL, &count));
    CHECK_EQUAL(count, 2);
    count = 3;
    CHECK_OK(aclmdlRIGetStreams(s.model, streams, &count));
    CHECK_EQUAL(count, 2);
    CHECK(streams[0] != streams[1] && streams[2] == (aclrtStream)&s);
    count = 1;
    CHECK_CODE(aclmdlRIGetStreams(s.model, streams, &count), ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY);
    CHECK_CODE(aclmdlRIDestroyRegisterCallback(other, NULL, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclmdlRIDestroyRegisterCallback(other, count_call, &calls));
    CHECK_OK(aclmdlRIDestroyUnregisterCallback(other, count_call));
    CHECK_CODE(aclmdlRIDestroyUnregisterCallback(other, count_call), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclmdlRIDestroyRegisterCallback(other, count_call, &calls));
    CHECK_OK(aclmdlRIDestroy(other));
    CHECK_EQUAL(calls, 1);
    program_end(&s);
}

/* ---- events, failures, aborts --------------------------------------------------------------- */

static void test_events(void)
{
    program s;
    program_begin(&s);
    aclrtEvent plain = NULL, ex = NULL, level = NULL;
    CHECK_OK(aclrtCreateEvent(&plain));
    CHECK_OK(aclrtCreateEventExWithFlag(&ex, ACL_EVENT_SYNC));
    CHECK_OK(aclrtCreateEventWithFlag(&level, ACL_EVENT_SYNC));
    CHECK_CODE(aclrtRecordEvent(plain, s.first), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtRecordEvent(ex, s.first), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtStreamWaitEvent(s.first, plain), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtStreamWaitEvent(s.first, ex), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    /* The second stream's push comes after the first one's, in each run. */
    program_put(&s, 40, 1);
    program_put(&s, 41, 2);
    CHECK_OK(aclrtActiveStream(s.second, s.first));
    program_push(&s, 0, 40, s.first);
    CHECK_OK(aclrtRecordEvent(level, s.first));
    CHECK_CODE(aclrtSynchronizeEventWithTimeout(level, SHORT_MS), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtStreamWaitEvent(s.second, level));
    CHECK_OK(aclrtResetEvent(level, s.second));
    program_push(&s, 0, 41, s.second);
    program_finish(&s, s.second);
    program_run(&s);
    program_run(&s);
    const int32_t want[5] = {2, 1, 2, 1, 0};
    CHECK(memcmp(program_fetch(&s), want, sizeof(want)) == 0);
    program_end(&s);
    (void)aclrtDestroyEvent(plain);
    (void)aclrtDestroyEvent(ex);
    (void)aclrtDestroyEvent(level);
}

static void test_failure(void)
{
    program s;
    program_begin(&s);
    aclrtNotify never = NULL;
    CHECK_OK(aclrtCreateNotify(&never, 0));
    CHECK_OK(aclrtWaitAndResetNotify(never, s.first, 1));
    program_finish(&s, s.first);
    CHECK_OK(aclmdlRIExecuteAsync(s.model, s.plain));
    CHECK_FAILS(aclrtSynchronizeStreamWithTimeout(s.plain, 10 * SOON_MS));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.plain, SOON_MS));
    CHECK_OK(aclrtDestroyNotify(never));
    program_end(&s);
}

static void test_abort(void)
{
    program s;
    program_begin(&s);
    aclrtNotify gate = NULL;
    CHECK_OK(aclrtCreateNotify(&gate, 0));
    program_put(&s, 40, 3);
    CHECK_OK(aclrtWaitAndResetNotify(gate, s.first, 0));
    program_push(&s, 0, 40, s.first);
    program_finish(&s, s.first);
    CHECK_OK(aclmdlRIExecuteAsync(s.model, s.plain));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.plain, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_CODE(aclmdlRIDestroy(s.model), ACL_ERROR_RT_MODEL_RUNNING);
    CHECK_OK(aclmdlRIAbort(s.model));
    /* Reported once, though the stream has drained. */
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.plain, SOON_MS),
               ACL_ERROR_RT_MODEL_ABORT_NORMAL);
    CHECK(twin_idle(s.plain));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.plain, SOON_MS));
    CHECK_EQUAL(program_fetch(&s)[0], 0);
    /* It runs again, now to its end. */
    CHECK_OK(aclmdlRIExecuteAsync(s.model, s.plain));
    CHECK_OK(aclrtRecordNotify(gate, NULL));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.plain, SOON_MS));
    CHECK_EQUAL(program_fetch(&s)[0], 3);
    CHECK_OK(aclrtDestroyNotify(gate));
    program_end(&s);
}

/* ---- switches ------------------------------------------------------------------------------- */

static void test_active_arguments(void)
{
    program s;
    program_begin(&s);
    CHECK_CODE(aclrtActiveStream(NULL, s.first), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtActiveStream(s.second, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtActiveStream(s.plain, s.first), ACL_ERROR_RT_STREAM_MODEL);
    CHECK_CODE(aclrtActiveStream(s.second, s.plain), ACL_ERROR_RT_STREAM_MODEL);
    program_end(&s);
}

static void test_switch_arguments(void)
{
    program s;
    program_begin(&s);
    void *a = s.words, *b = s.words + 2;
    CHECK_CODE(
        aclrtSwitchStream(NULL, ACL_RT_EQUAL, b, ACL_RT_SWITCH_INT32, s.second, NULL, s.first),
        ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(
        aclrtSwitchStream(a, ACL_RT_EQUAL, b, ACL_RT_SWITCH_INT32, s.second, s.second, s.first),
        ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(
        aclrtSwitchStream(a, (aclrtCondition)6, b, ACL_RT_SWITCH_INT32, s.second, NULL, s.first),
        ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(
        aclrtSwitchStream(a, ACL_RT_EQUAL, b, (aclrtCompareDataType)2, s.second, NULL, s.first),
        ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSwitchStream(a, ACL_RT_EQUAL, b, ACL_RT_SWITCH_INT32, s.plain, NULL, s.first),
               ACL_ERROR_RT_STREAM_MODEL);
    CHECK_CODE(aclrtSwitchStream(a, ACL_RT_EQUAL, b, ACL_RT_SWITCH_INT32, s.second, NULL, s.plain),
               ACL_ERROR_RT_STREAM_MODEL);
    program_end(&s);
}

/* One run per pair of values and condition: which stream went on. */
static void test_switch(void)
{
    static const struct {
        int32_t left, right;
        aclrtCondition condition;
        bool switches;
    } cases[] = {
        {4, 4, ACL_RT_EQUAL, true},
        {4, 5, ACL_RT_EQUAL, false},
        {4, 5, ACL_RT_NOT_EQUAL, true},
        {4, 4, ACL_RT_NOT_EQUAL, false},
        {-1, -2, ACL_RT_GREATER, true},
        {4, 4, ACL_RT_GREATER, false},
        {4, 4, ACL_RT_GREATER_OR_EQUAL, true},
        {-5, 4, ACL_RT_GREATER_OR_EQUAL, false},
        {-5, 4, ACL_RT_LESS, true},
        {4, 4, ACL_RT_LESS, false},
        {4, 4, ACL_RT_LESS_OR_EQUAL, true},
        {5, 4, ACL_RT_LESS_OR_EQUAL, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        program s;
        program_begin(&s);
        aclrtNotify join = NULL;
        CHECK_OK(aclrtCreateNotify(&join, 0));
        program_put(&s, 40, 1);
        program_put(&s, 41, 2);
        program_put(&s, 42, cases[i].left);
        program_put(&s, 44, cases[i].right);
        aclrtStream ending = NULL;
        CHECK_OK(aclrtCreateStreamWithConfig(&ending, 0, ACL_STREAM_PERSISTENT));
        CHECK_OK(aclmdlRIBindStream(s.model, ending, HEAD));
        CHECK_OK(aclrtSwitchStream(&s.words[42], cases[i].condition, &s.words[44],
                                   ACL_RT_SWITCH_INT32, s.second, NULL, s.first));
        program_push(&s, 0, 40, s.first);
        CHECK_OK(aclrtRecordNotify(join, s.first));
        program_push(&s, 0, 41, s.second);
        CHECK_OK(aclrtRecordNotify(join, s.second));
        CHECK_OK(aclrtWaitAndResetNotify(join, ending, 0));
        program_finish(&s, ending);
        program_run(&s);
        program_run(&s);
        CHECK_EQUAL(program_fetch(&s)[0], cases[i].switches ? 2 : 1);
        CHECK_EQUAL(program_fetch(&s)[1], cases[i].switches ? 2 : 1);
        CHECK_EQUAL(program_fetch(&s)[2], 0);
        CHECK_OK(aclmdlRIUnbindStream(s.model, ending));
        CHECK_OK(aclrtDestroyStream(ending));
        CHECK_OK(aclrtDestroyNotify(join));
        program_end(&s);
    }
}

static const twin_test tests[] = {
    {"STR-18, GRF-80, GRF-81, GRF-83, GRF-84, GRF-50: building checks its arguments",
     test_build_arguments},
    {"STR-52, GRF-41, GRF-82, GRF-85: tasks run with their model, each time", test_runs_again},
    {"GRF-40, GRF-42, GRF-45, GRF-47, GRF-54: running checks its arguments", test_run_arguments},
    {"GRF-43: runs of two streams follow each other", test_two_streams_serial},
    {"STR-52: a persistent stream that is full says so", test_full},
    {"MEM-125: a block copied by a model instance is copied at each run", test_rows_at_each_run},
    {"STR-51: cleaning makes room for other tasks", test_clean},
    {"GRF-51, GRF-52, GRF-53: names, numbers, streams and end callbacks", test_names},
    {"EVT-16, EVT-32, EVT-56, STR-53: which events fit a model, and both streams run", test_events},
    {"GRF-41: a failure in a model is reported for the stream that ran it", test_failure},
    {"STR-27, GRF-49, GRF-54: a run that hangs keeps its model, and its abort is reported",
     test_abort},
    {"STR-53: activating needs two streams of a model", test_active_arguments},
    {"STR-54: switching checks its arguments", test_switch_arguments},
    {"STR-55: switching goes on in the other stream alone", test_switch},
    {"LBL-01, LBL-02, LBL-03, LBL-04, LBL-05, LBL-06, LBL-09: labels check their arguments",
     test_label_arguments},
    {"LBL-09: a list may go before the streams that name it", test_list_goes_first},
    {"LBL-06, LBL-09: a jump keeps the table that it reads", test_jump_keeps_table},
    {"LBL-05, LBL-07: a label leaves a stream that is cleaned or unbound",
     test_label_stands_no_more},
    {"LBL-07: a jump goes on at the label of the index in memory", test_jump},
    {"LBL-08: labels make a loop that data ends", test_loop},
};

int main(int argc, char **argv)
{
    static const twin_suite suite = {.name = "program",
                                     .tests = tests,
                                     .test_count = sizeof(tests) / sizeof(tests[0]),
                                     .initialise = true};
    return twin_suite_main(&suite, argc, argv);
}
