/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that later work reads: options of the process and of contexts. */
#include "suite.h"

#define DETERMINISTIC ACL_OPT_DETERMINISTIC
#define DEBUG_KERNEL  ACL_OPT_ENABLE_DEBUG_KERNEL
#define EARLY_START   ACL_OPT_ENABLE_KERNEL_EARLY_START

static int64_t process_option(aclSysParamOpt option)
{
    int64_t value = -99;
    CHECK_OK(aclrtGetSysParamOpt(option, &value));
    return value;
}

static int64_t context_option(aclSysParamOpt option)
{
    int64_t value = -99;
    CHECK_OK(aclrtCtxGetSysParamOpt(option, &value));
    return value;
}

/* ---- options of the process ----------------------------------------------------------------- */

static void set_one(void *unused)
{
    (void)unused;
    CHECK_EQUAL(process_option(DETERMINISTIC), 3);
    CHECK_OK(aclrtSetSysParamOpt(DETERMINISTIC, INT64_MAX));
}

static void child_process_options(void)
{
    for (int option = 0; option <= EARLY_START; option++)
        CHECK_EQUAL(process_option((aclSysParamOpt)option), 0);
    CHECK_OK(aclrtSetSysParamOpt(DETERMINISTIC, 1));
    CHECK_OK(aclrtSetSysParamOpt(DETERMINISTIC, 3));
    CHECK_OK(aclrtSetSysParamOpt(EARLY_START, -7));
    twin_on_thread(set_one, NULL);
    CHECK_EQUAL(process_option(DETERMINISTIC), INT64_MAX);
    CHECK_EQUAL(process_option(EARLY_START), -7);
    CHECK_EQUAL(process_option(DEBUG_KERNEL), 0);
}

static void test_process_options(void)
{
    twin_run_child("process_options", NULL);
}

static void test_process_refusals(void)
{
    int64_t value = 5;
    CHECK_CODE(aclrtSetSysParamOpt((aclSysParamOpt)4, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetSysParamOpt((aclSysParamOpt)-1, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetSysParamOpt((aclSysParamOpt)4, &value), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetSysParamOpt((aclSysParamOpt)-1, &value), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetSysParamOpt(DETERMINISTIC, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQUAL(value, 5);
}

/* ---- options of a context ------------------------------------------------------------------- */

static void test_context_refusals(void)
{
    int64_t value = 5;
    CHECK_CODE(aclrtCtxSetSysParamOpt(EARLY_START, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCtxGetSysParamOpt(EARLY_START, &value), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCtxSetSysParamOpt((aclSysParamOpt)-1, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCtxGetSysParamOpt(DETERMINISTIC, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_EQUAL(value, 5);
}

static void test_context_options(void)
{
    int64_t value = 5;
    aclrtContext first, second;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateContext(&first, 0));
    for (int option = 0; option < EARLY_START; option++)
        CHECK_CODE(aclrtCtxGetSysParamOpt((aclSysParamOpt)option, &value),
                   ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
    CHECK_EQUAL(value, 5);
    CHECK_OK(aclrtCtxSetSysParamOpt(DETERMINISTIC, 1));
    CHECK_OK(aclrtCtxSetSysParamOpt(DETERMINISTIC, 0));
    CHECK_EQUAL(context_option(DETERMINISTIC), 0);
    CHECK_OK(aclrtCtxSetSysParamOpt(DETERMINISTIC, 2));
    CHECK_CODE(aclrtCtxGetSysParamOpt(DEBUG_KERNEL, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);

    CHECK_OK(aclrtCreateContext(&second, 0));
    CHECK_CODE(aclrtCtxGetSysParamOpt(DETERMINISTIC, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
    CHECK_OK(aclrtCtxSetSysParamOpt(DETERMINISTIC, 9));
    CHECK_OK(aclrtSetCurrentContext(first));
    CHECK_EQUAL(context_option(DETERMINISTIC), 2);
    CHECK_OK(aclrtSetCurrentContext(second));
    CHECK_EQUAL(context_option(DETERMINISTIC), 9);

    /* A context that takes the place of an ended one begins anew. */
    CHECK_OK(aclrtDestroyContext(second));
    CHECK_OK(aclrtCreateContext(&second, 0));
    CHECK_CODE(aclrtCtxGetSysParamOpt(DETERMINISTIC, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
    CHECK_OK(aclrtDestroyContext(second));
    CHECK_OK(aclrtDestroyContext(first));
    CHECK_OK(aclrtResetDevice(0));
}

static void without_context(void *unused)
{
    int64_t value = 5;
    (void)unused;
    CHECK_CODE(aclrtCtxSetSysParamOpt(DETERMINISTIC, 1), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtCtxGetSysParamOpt(DETERMINISTIC, &value), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQUAL(value, 5);
}

static void test_without_context(void)
{
    twin_on_thread(without_context, NULL);
}

static const twin_child children[] = {
    {"process_options", child_process_options},
};

static const twin_test tests[] = {
    {"CFG-01, CFG-02: options of the process are 0, then what any thread set last",
     test_process_options},
    {"CFG-03: the process has options 0 to 3", test_process_refusals},
    {"CFG-04: a context has options 0 to 2", test_context_refusals},
    {"CFG-05, CFG-06: a context has its own options, and no default", test_context_options},
    {"CFG-07: options of a context need one", test_without_context},
};

static const twin_suite suite = {.name = "config",
                                 .tests = tests,
                                 .test_count = TWIN_COUNT(tests),
                                 .children = children,
                                 .child_count = TWIN_COUNT(children)};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
