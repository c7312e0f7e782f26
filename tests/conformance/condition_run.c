/* SPDX-License-Identifier: Apache-2.0 */
/* What runs: which graph, how often, in which order. */
#include "condition_tests.h"

#include <stdatomic.h>

#define AFTER 20u /* the word that the task after the conditional task counts */

/* The words that were counted: `places` of them from 0 on, and AFTER. */
static void check_counts(capture *s, const int32_t *expected, unsigned places)
{
    const int32_t *words = capture_fetch(s);
    for (unsigned i = 0; i < places; i++)
        CHECK_EQUAL(words[i], expected[i]);
    CHECK_EQUAL(words[AFTER], 1);
}

/* Captures one conditional task of `size` graphs, of which graph i counts words[i]. */
static aclmdlRI capture_one(capture *s, aclmdlRICondTaskType type, uint32_t size, uint64_t **word)
{
    aclmdlRI graphs[4] = {NULL};
    capture_begin(s->first);
    aclmdlRICondHandle handle = condition_handle(s->first, word);
    CHECK_OK(condition_add(handle, type, size, graphs, s->first));
    condition_up(s, AFTER, s->first);
    for (uint32_t i = 0; i < size; i++)
        condition_count(s, graphs[i], s->second, i);
    return capture_end(s->first);
}

void test_if(void)
{
    capture s;
    condition_open(&s);
    uint64_t *word = NULL;
    aclmdlRI instance = capture_one(&s, ACL_MODEL_RI_COND_TYPE_IF, 1, &word);
    condition_run(&s, instance, word, 0);
    check_counts(&s, (int32_t[]){0, 0}, 2);
    condition_run(&s, instance, word, 1);
    check_counts(&s, (int32_t[]){1, 0}, 2);
    condition_run(&s, instance, word, UINT64_C(1) << 63); /* all eight bytes count */
    check_counts(&s, (int32_t[]){1, 0}, 2);
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

void test_if_else(void)
{
    capture s;
    condition_open(&s);
    uint64_t *word = NULL;
    aclmdlRI instance = capture_one(&s, ACL_MODEL_RI_COND_TYPE_IF, 2, &word);
    condition_run(&s, instance, word, 0);
    check_counts(&s, (int32_t[]){0, 1, 0}, 3);
    condition_run(&s, instance, word, 7);
    check_counts(&s, (int32_t[]){1, 0, 0}, 3);
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

/* A graph whose last task takes 1 from the word runs as often as the word says. */
void test_while(void)
{
    capture s;
    condition_open(&s);
    uint64_t *word = NULL;
    aclmdlRI graph = NULL;
    capture_begin(s.first);
    aclmdlRICondHandle handle = condition_handle(s.first, &word);
    CHECK_OK(condition_add(handle, ACL_MODEL_RI_COND_TYPE_WHILE, 1, &graph, s.first));
    capture_copy(&s, 1, 0, s.first);
    condition_up(&s, AFTER, s.first);
    condition_begin(s.second, graph);
    condition_up(&s, 0, s.second);
    condition_down(&s, word, s.second);
    condition_end(s.second, graph);
    aclmdlRI instance = capture_end(s.first);
    for (int32_t times = 0; times <= 5; times++) {
        condition_run(&s, instance, word, (uint64_t)times);
        check_counts(&s, (int32_t[]){times, times}, 2);
    }
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

void test_switch(void)
{
    capture s;
    condition_open(&s);
    uint64_t *word = NULL;
    aclmdlRI instance = capture_one(&s, ACL_MODEL_RI_COND_TYPE_SWITCH, 3, &word);
    for (unsigned i = 0; i < 3; i++) {
        int32_t expected[4] = {0};
        expected[i] = 1;
        condition_run(&s, instance, word, i);
        check_counts(&s, expected, 4);
    }
    condition_run(&s, instance, word, 3);
    check_counts(&s, (int32_t[]){0, 0, 0, 0}, 4);
    condition_run(&s, instance, word, UINT64_C(1) << 32);
    check_counts(&s, (int32_t[]){0, 0, 0, 0}, 4);
    condition_run(&s, instance, word, UINT64_MAX);
    check_counts(&s, (int32_t[]){0, 0, 0, 0}, 4);
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

/* Each run begins with the default value, or with what the word has. */
void test_default(void)
{
    capture s;
    condition_open(&s);
    uint64_t *word = NULL, *kept = NULL;
    aclmdlRI graphs[2] = {NULL};
    capture_begin(s.first);
    aclmdlRICondHandle handle = condition_default(s.first, 2, &word);
    CHECK_OK(condition_add(handle, ACL_MODEL_RI_COND_TYPE_WHILE, 1, &graphs[0], s.first));
    handle = condition_handle(s.first, &kept);
    CHECK_OK(condition_add(handle, ACL_MODEL_RI_COND_TYPE_IF, 1, &graphs[1], s.first));
    condition_begin(s.second, graphs[0]);
    condition_up(&s, 0, s.second);
    condition_down(&s, word, s.second);
    condition_end(s.second, graphs[0]);
    condition_count(&s, graphs[1], s.second, 1);
    aclmdlRI instance = capture_end(s.first);
    capture_run(instance, s.first);
    CHECK_EQUAL(capture_fetch(&s)[0], 2);
    condition_write(word, 0);
    condition_write(kept, 1);
    capture_run(instance, s.first);
    capture_run(instance, s.third);
    CHECK_EQUAL(capture_fetch(&s)[0], 6);
    CHECK_EQUAL(capture_fetch(&s)[1], 2);
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

/* Earlier tasks of the run write the word: a store of a value, a copy. */
void test_inside(void)
{
    capture s;
    condition_open(&s);
    uint64_t *word = NULL, *other = NULL;
    aclmdlRI graphs[2] = {NULL};
    capture_begin(s.first);
    aclmdlRICondHandle handle = condition_handle(s.first, &word);
    aclmdlRICondHandle copied = condition_handle(s.first, &other);
    CHECK_OK(aclrtValueWrite(word, 1, 0, s.first));
    CHECK_OK(condition_add(handle, ACL_MODEL_RI_COND_TYPE_IF, 1, &graphs[0], s.first));
    CHECK_OK(aclrtMemcpyAsync(other, 4, s.words, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, s.first));
    CHECK_OK(condition_add(copied, ACL_MODEL_RI_COND_TYPE_IF, 1, &graphs[1], s.first));
    condition_count(&s, graphs[0], s.second, 0);
    condition_count(&s, graphs[1], s.third, 1);
    aclmdlRI instance = capture_end(s.first);
    capture_run(instance, s.first);
    CHECK_EQUAL(capture_fetch(&s)[0], 1);
    CHECK_EQUAL(capture_fetch(&s)[1], 1);
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

/* A graph of two streams repeats: in each iteration they wait for each other anew. */
void test_lanes(void)
{
    capture s;
    condition_open(&s);
    uint64_t *word = NULL;
    aclmdlRI graph = NULL;
    capture_begin(s.first);
    aclmdlRICondHandle handle = condition_handle(s.first, &word);
    CHECK_OK(condition_add(handle, ACL_MODEL_RI_COND_TYPE_WHILE, 1, &graph, s.first));
    condition_up(&s, AFTER, s.first);
    condition_begin(s.second, graph);
    condition_up(&s, 0, s.second);
    capture_order(s.second, s.fork, s.third);
    CHECK_EQUAL(capture_status(s.third), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    capture_copy(&s, 1, 0, s.third); /* what the second stream has counted */
    capture_order(s.third, s.join, s.second);
    capture_copy(&s, 2, 1, s.second);
    condition_down(&s, word, s.second);
    condition_end(s.second, graph);
    aclmdlRI instance = capture_end(s.first);
    for (int32_t times = 1; times <= 4; times++) {
        condition_run(&s, instance, word, (uint64_t)times);
        check_counts(&s, (int32_t[]){times, times, times}, 3);
    }
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

/* The conditional task is in a stream that joined the capture. */
void test_joined_lane(void)
{
    capture s;
    condition_open(&s);
    uint64_t *word = NULL;
    aclmdlRI graph = NULL;
    aclrtStream fourth = twin_stream();
    capture_begin(s.first);
    capture_order(s.first, s.fork, s.second);
    aclmdlRICondHandle handle = condition_handle(s.second, &word);
    CHECK_OK(condition_add(handle, ACL_MODEL_RI_COND_TYPE_WHILE, 1, &graph, s.second));
    condition_begin(s.third, graph);
    condition_up(&s, 0, s.third);
    condition_down(&s, word, s.third);
    condition_end(s.third, graph);
    aclmdlRI none = NULL;
    CHECK_OK(aclrtRecordEvent(s.join, s.second));
    CHECK_OK(aclrtStreamWaitEvent(s.first, s.join));
    capture_copy(&s, 1, 0, s.first);
    condition_up(&s, AFTER, s.first);
    aclmdlRI instance = capture_end(s.first);
    for (int32_t times = 2; times >= 0; times--) {
        condition_run(&s, instance, word, (uint64_t)times);
        check_counts(&s, (int32_t[]){times, times}, 2);
    }
    CHECK_OK(aclmdlRIDestroy(instance));
    /* The conditional task is not a record. */
    capture_begin(s.first);
    capture_order(s.first, s.fork, s.second);
    handle = condition_handle(s.second, &word);
    capture_order(s.second, s.join, s.first);
    CHECK_OK(condition_add(handle, ACL_MODEL_RI_COND_TYPE_WHILE, 1, &graph, s.second));
    condition_count(&s, graph, fourth, 0);
    CHECK_CODE(aclmdlRICaptureEnd(s.first, &none), ACL_ERROR_RT_STREAM_UNJOINED);
    CHECK_OK(aclrtDestroyStream(fourth));
    capture_close(&s);
}

/* WHILE outer: (WHILE inner: count 0; IF parity: count 1 else count 2). Each round sets inner anew.
 */
void test_nested(void)
{
    capture s;
    condition_open(&s);
    uint64_t *outer = NULL, *inner = NULL, *choice = NULL;
    aclmdlRI round = NULL, body = NULL, sides[2] = {NULL};
    capture_begin(s.first);
    aclmdlRICondHandle handle = condition_handle(s.first, &outer);
    CHECK_OK(condition_add(handle, ACL_MODEL_RI_COND_TYPE_WHILE, 1, &round, s.first));
    condition_up(&s, AFTER, s.first);
    condition_begin(s.second, round);
    aclmdlRICondHandle inner_handle = condition_handle(s.second, &inner);
    aclmdlRICondHandle choice_handle = condition_handle(s.second, &choice);
    CHECK_OK(aclrtValueWrite(inner, 2, 0, s.second));
    CHECK_OK(condition_add(inner_handle, ACL_MODEL_RI_COND_TYPE_WHILE, 1, &body, s.second));
    condition_down(&s, outer, s.second);
    CHECK_OK(aclrtMemcpyAsync(choice, 8, outer, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, s.second));
    CHECK_OK(condition_add(choice_handle, ACL_MODEL_RI_COND_TYPE_IF, 2, sides, s.second));
    condition_begin(s.third, body);
    condition_up(&s, 0, s.third);
    condition_down(&s, inner, s.third);
    condition_end(s.third, body);
    condition_count(&s, sides[0], s.third, 1);
    condition_count(&s, sides[1], s.third, 2);
    condition_end(s.second, round);
    aclmdlRI instance = capture_end(s.first);
    for (int32_t times = 1; times <= 3; times++) {
        condition_run(&s, instance, outer, (uint64_t)times);
        check_counts(&s, (int32_t[]){2 * times, times - 1, 1}, 3);
    }
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

/* The condition of a graph has its default at the begin of a run, not of each iteration. */
void test_nested_default(void)
{
    capture s;
    condition_open(&s);
    uint64_t *outer = NULL, *inner = NULL;
    aclmdlRI round = NULL, body = NULL;
    capture_begin(s.first);
    aclmdlRICondHandle handle = condition_default(s.first, 3, &outer);
    CHECK_OK(condition_add(handle, ACL_MODEL_RI_COND_TYPE_WHILE, 1, &round, s.first));
    condition_begin(s.second, round);
    handle = condition_default(s.second, 2, &inner);
    CHECK_OK(condition_add(handle, ACL_MODEL_RI_COND_TYPE_WHILE, 1, &body, s.second));
    condition_down(&s, outer, s.second);
    condition_begin(s.third, body);
    condition_up(&s, 0, s.third);
    condition_down(&s, inner, s.third);
    condition_end(s.third, body);
    condition_end(s.second, round);
    aclmdlRI instance = capture_end(s.first);
    capture_run(instance, s.first);
    CHECK_EQUAL(capture_fetch(&s)[0], 2);
    capture_run(instance, s.first);
    CHECK_EQUAL(capture_fetch(&s)[0], 4);
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

/* More tasks than a stream takes: before the conditional task, in the graph, after it. */
void test_long(void)
{
    enum { TASKS = 2100 };
    capture s;
    condition_open(&s);
    uint64_t *word = NULL;
    aclmdlRI graph = NULL;
    capture_begin(s.first);
    for (int i = 0; i < TASKS; i++)
        capture_set(&s, 1, (uint8_t)i, s.first);
    capture_copy(&s, 2, 1, s.first);
    aclmdlRICondHandle handle = condition_handle(s.first, &word);
    CHECK_OK(condition_add(handle, ACL_MODEL_RI_COND_TYPE_WHILE, 1, &graph, s.first));
    for (int i = 0; i < TASKS; i++)
        capture_set(&s, 3, (uint8_t)i, s.first);
    condition_up(&s, AFTER, s.first);
    condition_begin(s.second, graph);
    for (int i = 0; i < TASKS; i++)
        capture_set(&s, 4, (uint8_t)i, s.second);
    condition_up(&s, 0, s.second);
    condition_down(&s, word, s.second);
    condition_end(s.second, graph);
    aclmdlRI instance = capture_end(s.first);
    condition_run(&s, instance, word, 2);
    const int32_t last = capture_word((uint8_t)(TASKS - 1));
    check_counts(&s, (int32_t[]){2, last, last, last, last}, 5);
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

/* Graphs without a task; the loop ends when another stream writes the word. */
void test_empty(void)
{
    capture s;
    condition_open(&s);
    uint64_t *word = NULL;
    aclmdlRI graph = NULL;
    capture_begin(s.first);
    aclmdlRICondHandle handle = condition_handle(s.first, &word);
    CHECK_OK(condition_add(handle, ACL_MODEL_RI_COND_TYPE_WHILE, 1, &graph, s.first));
    condition_up(&s, AFTER, s.first);
    condition_begin(s.second, graph);
    condition_end(s.second, graph);
    aclmdlRI instance = capture_end(s.first);
    condition_write(word, 1);
    CHECK_OK(aclmdlRIExecuteAsync(instance, s.first));
    for (int i = 0; i < 20; i++)
        capture_set(&s, 1, (uint8_t)i, s.second);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.second, SOON_MS));
    CHECK(!twin_idle(s.first));
    CHECK_OK(aclrtValueWrite(word, 0, 0, s.second));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.first, SOON_MS));
    CHECK_EQUAL(capture_fetch(&s)[AFTER], 1);
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

/* A run that was aborted in a graph leaves nothing to the next one. */
void test_aborted(void)
{
    capture s;
    condition_open(&s);
    uint64_t *word = NULL;
    aclmdlRI graph = NULL;
    aclrtNotify notify = NULL;
    CHECK_OK(aclrtCreateNotify(&notify, 0));
    capture_begin(s.first);
    aclmdlRICondHandle handle = condition_default(s.first, 2, &word);
    CHECK_OK(condition_add(handle, ACL_MODEL_RI_COND_TYPE_WHILE, 1, &graph, s.first));
    condition_up(&s, AFTER, s.first);
    condition_begin(s.second, graph);
    capture_order(s.second, s.fork, s.third);
    CHECK_OK(aclrtWaitAndResetNotify(notify, s.third, 0));
    capture_order(s.third, s.join, s.second);
    condition_up(&s, 0, s.second);
    condition_down(&s, word, s.second);
    condition_end(s.second, graph);
    aclmdlRI instance = capture_end(s.first);
    CHECK_OK(aclmdlRIExecuteAsync(instance, s.first));
    CHECK_OK(aclrtRecordNotify(notify, s.second));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.first, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtStreamAbort(s.first));
    CHECK_EQUAL(capture_fetch(&s)[0], 1);
    CHECK_EQUAL(capture_fetch(&s)[AFTER], 0);
    CHECK_OK(aclmdlRIExecuteAsync(instance, s.first));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(aclrtRecordNotify(notify, s.second));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.second, SOON_MS));
        if (i == 0)
            CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.first, SHORT_MS),
                       ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    }
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.first, SOON_MS));
    CHECK_EQUAL(capture_fetch(&s)[0], 3);
    CHECK_EQUAL(capture_fetch(&s)[AFTER], 1);
    CHECK_OK(aclmdlRIDestroy(instance));
    CHECK_OK(aclrtDestroyNotify(notify));
    capture_close(&s);
}

static void note(void *calls)
{
    atomic_fetch_add((atomic_int *)calls, 1);
}

/* A function of the host runs in each iteration. */
void test_host_function(void)
{
    capture s;
    condition_open(&s);
    uint64_t *word = NULL;
    aclmdlRI graph = NULL;
    atomic_int calls = 0;
    capture_begin(s.first);
    aclmdlRICondHandle handle = condition_default(s.first, 3, &word);
    CHECK_OK(condition_add(handle, ACL_MODEL_RI_COND_TYPE_WHILE, 1, &graph, s.first));
    condition_begin(s.second, graph);
    CHECK_OK(aclrtLaunchHostFunc(s.second, note, &calls));
    condition_down(&s, word, s.second);
    condition_end(s.second, graph);
    aclmdlRI instance = capture_end(s.first);
    capture_run(instance, s.first);
    CHECK_EQUAL(atomic_load(&calls), 3);
    capture_run(instance, s.first);
    CHECK_EQUAL(atomic_load(&calls), 6);
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}
