/* SPDX-License-Identifier: Apache-2.0 */
/* Labels of a model instance, lists of them, and jumps. */
#include "program_tests.h"

void test_label_arguments(void)
{
    program s;
    program_begin(&s);
    aclrtLabel labels[2] = {NULL, NULL};
    aclrtLabelList list = NULL, second_list = NULL;
    CHECK_CODE(aclrtCreateLabel(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtCreateLabel(&labels[0]));
    CHECK_OK(aclrtCreateLabel(&labels[1]));
    CHECK_CODE(aclrtCreateLabelList(NULL, 2, &list), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCreateLabelList(labels, 2, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCreateLabelList(labels, 0, &list), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCreateLabelList(labels, 65536, &list), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSetLabel(NULL, s.first), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetLabel(labels[0], NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetLabel(labels[0], s.plain), ACL_ERROR_RT_STREAM_MODEL);
    CHECK_CODE(aclrtSetLabel(labels[0], s.first), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK_OK(aclrtCreateLabelList(labels, 2, &list));
    CHECK_FAILS(aclrtCreateLabelList(labels, 1, &second_list));
    CHECK_OK(aclrtSetLabel(labels[0], s.first));
    CHECK_CODE(aclrtSetLabel(labels[0], s.first), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK_CODE(aclrtSwitchLabelByIndex(NULL, 2, list, s.first), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSwitchLabelByIndex(s.words, 2, NULL, s.first), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSwitchLabelByIndex(s.words, 2, list, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSwitchLabelByIndex(s.words, 2, list, s.plain), ACL_ERROR_RT_STREAM_MODEL);
    aclrtContext own = NULL, foreign = NULL;
    CHECK_OK(aclrtGetCurrentContext(&own));
    CHECK_OK(aclrtCreateContext(&foreign, 0));
    CHECK_CODE(aclrtSetLabel(labels[1], s.first), ACL_ERROR_RT_LABEL_CONTEXT);
    CHECK_OK(aclrtDestroyLabelList(list));
    CHECK_OK(aclrtDestroyContext(foreign));
    CHECK_OK(aclrtSetCurrentContext(own));
    CHECK_CODE(aclrtDestroyLabel(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDestroyLabelList(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDestroyLabelList(list), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtDestroyLabel(labels[0]));
    CHECK_CODE(aclrtDestroyLabel(labels[0]), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtDestroyLabel(labels[1]));
    program_end(&s);
}

/* The table of a destroyed list is not reused while a task still names it. */
void test_list_goes_first(void)
{
    program s;
    program_begin(&s);
    aclrtLabel label = NULL;
    aclrtLabelList list = NULL;
    CHECK_OK(aclrtCreateLabel(&label));
    CHECK_OK(aclrtCreateLabelList(&label, 1, &list));
    CHECK_OK(aclrtSetLabel(label, s.first));
    CHECK_OK(aclrtDestroyLabelList(list));
    CHECK_OK(aclrtDestroyLabel(label));
    uint64_t *word = NULL, seen = 0;
    CHECK_OK(aclrtMalloc((void **)&word, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemset(word, 8, 0x11, 8));
    program_finish(&s, s.first);
    CHECK_OK(aclrtMemcpy(&seen, 8, word, 8, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_EQUAL(seen, 0x1111111111111111u);
    CHECK_OK(aclrtFree(word));
    program_end(&s);
}

/* Cleaning and unbinding take labels out of a stream; a jump to one without a place fails. */
void test_label_stands_no_more(void)
{
    program s;
    program_begin(&s);
    aclrtLabel label = NULL;
    aclrtLabelList list = NULL;
    CHECK_OK(aclrtCreateLabel(&label));
    CHECK_OK(aclrtCreateLabelList(&label, 1, &list));
    CHECK_OK(aclrtSetLabel(label, s.second));
    CHECK_OK(aclrtSwitchLabelByIndex(&s.words[0], 1, list, s.first));
    program_finish(&s, s.first);
    CHECK_OK(aclrtPersistentTaskClean(s.second));
    CHECK_OK(aclmdlRIBuildEnd(s.model, NULL));
    CHECK_OK(aclmdlRIExecuteAsync(s.model, s.plain));
    aclError code = aclrtSynchronizeStreamWithTimeout(s.plain, SOON_MS);
    CHECK(code != ACL_SUCCESS && code != ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtPersistentTaskClean(s.first));
    CHECK_OK(aclrtSetLabel(label, s.second));
    CHECK_OK(aclmdlRIUnbindStream(s.model, s.second));
    CHECK_OK(aclrtSetLabel(label, s.first));
    CHECK_OK(aclrtDestroyLabelList(list));
    CHECK_OK(aclrtDestroyLabel(label));
    program_end(&s);
}

static size_t memory_left(void)
{
    size_t left = 0, all = 0;
    CHECK_OK(aclrtGetMemInfo(ACL_HBM_MEM, &left, &all));
    return left;
}

/* A jump reads the table at each run: it stays until the stream that jumps lets it go. */
void test_jump_keeps_table(void)
{
    program s;
    program_begin(&s);
    aclrtLabel label = NULL;
    aclrtLabelList list = NULL;
    CHECK_OK(aclrtCreateLabel(&label));
    size_t without = memory_left();
    CHECK_OK(aclrtCreateLabelList(&label, 1, &list));
    size_t with = memory_left();
    CHECK(with < without);
    CHECK_OK(aclrtSwitchLabelByIndex(&s.words[0], 1, list, s.first));
    CHECK_OK(aclrtDestroyLabelList(list));
    CHECK_OK(aclrtDestroyLabel(label));
    CHECK_EQUAL(memory_left(), with);
    program_finish(&s, s.first);
    CHECK_OK(aclrtPersistentTaskClean(s.first));
    CHECK_EQUAL(memory_left(), without);
    program_end(&s);
}

/* Label 2 is in the second stream; the tasks between the jump and the label do not run. */
void test_jump(void)
{
    program s;
    program_begin(&s);
    aclrtLabel labels[3];
    aclrtLabelList list = NULL;
    aclrtNotify join = NULL;
    aclrtStream ending = NULL;
    CHECK_OK(aclrtCreateNotify(&join, 0));
    CHECK_OK(aclrtCreateStreamWithConfig(&ending, 0, ACL_STREAM_PERSISTENT));
    CHECK_OK(aclmdlRIBindStream(s.model, ending, HEAD));
    for (int i = 0; i < 3; i++)
        CHECK_OK(aclrtCreateLabel(&labels[i]));
    CHECK_OK(aclrtCreateLabelList(labels, 3, &list));
    for (int i = 0; i < 4; i++)
        program_put(&s, 40 + (unsigned)i, 10 + i);
    CHECK_OK(aclrtSwitchLabelByIndex(&s.words[50], 3, list, s.first));
    program_copy(&s, 0, 40, 1, s.first);
    CHECK_OK(aclrtSetLabel(labels[0], s.first));
    program_copy(&s, 1, 41, 1, s.first);
    CHECK_OK(aclrtSetLabel(labels[1], s.first));
    program_copy(&s, 2, 42, 1, s.first);
    CHECK_OK(aclrtRecordNotify(join, s.first));
    program_copy(&s, 0, 40, 1, s.second);
    CHECK_OK(aclrtSetLabel(labels[2], s.second));
    program_copy(&s, 3, 43, 1, s.second);
    CHECK_OK(aclrtRecordNotify(join, s.second));
    CHECK_OK(aclrtWaitAndResetNotify(join, ending, 0));
    program_finish(&s, ending);
    static const int32_t want[4][4] = {{0, 11, 12, 0}, {0, 0, 12, 0}, {0, 0, 0, 13}, {0, 0, 0, 13}};
    for (int lap = 0; lap < 2; lap++) {
        for (int i = 0; i < 4; i++) { /* 3 is beyond the list: the last label */
            CHECK_OK(aclrtMemset(s.words, 16, 0, 16));
            program_put(&s, 50, i);
            program_run(&s);
            CHECK(memcmp(program_fetch(&s), want[i], sizeof(want[i])) == 0);
        }
    }
    CHECK_OK(aclmdlRIUnbindStream(s.model, ending));
    CHECK_OK(aclrtDestroyStream(ending));
    program_end(&s);
    (void)aclrtDestroyNotify(join);
}

/* A loop: back to label 0 while the list of indices says so, then out at label 1. */
void test_loop(void)
{
    program s;
    program_begin(&s);
    aclrtLabel labels[2];
    aclrtLabelList list = NULL;
    for (int i = 0; i < 2; i++)
        CHECK_OK(aclrtCreateLabel(&labels[i]));
    CHECK_OK(aclrtCreateLabelList(labels, 2, &list));
    program_put(&s, 40, 5);
    program_put(&s, 24, 0);
    program_put(&s, 25, 0);
    program_put(&s, 26, 1); /* the third time round it leaves */
    CHECK_OK(aclrtSetLabel(labels[0], s.first));
    program_push(&s, 0, 40, s.first);
    program_copy(&s, 50, 24, 1, s.first);
    program_copy(&s, 56, 25, 6, s.first);
    program_copy(&s, 24, 56, 6, s.first);
    CHECK_OK(aclrtSwitchLabelByIndex(&s.words[50], 2, list, s.first));
    CHECK_OK(aclrtSetLabel(labels[1], s.first));
    program_finish(&s, s.first);
    program_run(&s);
    CHECK_EQUAL(program_fetch(&s)[2], 5);
    CHECK_EQUAL(program_fetch(&s)[3], 0);
    /* All indices are 0 now: it goes round until it is aborted. */
    CHECK_OK(aclmdlRIExecuteAsync(s.model, s.plain));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.plain, 1), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclmdlRIAbort(s.model));
    CHECK_FAILS(aclrtSynchronizeStreamWithTimeout(s.plain, SOON_MS));
    CHECK_OK(aclrtDestroyLabelList(list));
    CHECK_OK(aclrtDestroyLabel(labels[0]));
    CHECK_OK(aclrtDestroyLabel(labels[1]));
    program_end(&s);
}
