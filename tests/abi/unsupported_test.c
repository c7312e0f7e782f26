/* SPDX-License-Identifier: Apache-2.0 */
/* Every function that is not built refuses: with the code or the empty value of its type, and with a
 * message that names it and tells the reason. */
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"
#include "acl/acl_dump.h"
#include "acl/acl_platform.h"
#include "acl/acl_prof.h"
#include "acl/acl_rt_memory_soma.h"
#include "acl/acl_tdt.h"
#include "acl/acl_tdt_queue.h"
#include "api/rt_names.h"
#include "support/cunit_main.h"

typedef void (*any_function)(void);

enum answer { CODE, NOTHING, NO_OP, NO_POINTER, NO_TENSOR, NO_TYPE, ZERO };

/* Old functions refuse as well, and sizeof(void) stands for no result. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma GCC diagnostic ignored "-Wpointer-arith"

static const struct row {
    const char *name;
    const char *reason;
    any_function function;
    enum answer answer;
    size_t result_bytes;
} rows[] = {
#define TWIN_UNSUPPORTED(answer, type, name, parameters, reason)                                   \
    {#name, reason, (any_function)name, answer, sizeof(type)},
#include "api/unsupported.def"
};

/* The arguments do not matter to a function that refuses: it is called without any. */
static int refuses(const struct row *row)
{
    switch (row->answer) {
    case CODE:
        return ((aclError(*)(void))row->function)() == ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    case NOTHING:
        row->function();
        return 1;
    case NO_OP:
        return ((aclprofSubscribeOpFlag(*)(void))row->function)() == ACL_SUBSCRIBE_NONE;
    case NO_POINTER:
        return ((void *(*)(void))row->function)() == NULL;
    case NO_TENSOR:
        return ((acltdtTensorType(*)(void))row->function)() == ACL_TENSOR_DATA_UNDEFINED;
    case NO_TYPE:
        return ((aclDataType(*)(void))row->function)() == ACL_DT_UNDEFINED;
    case ZERO:
        if (row->result_bytes == sizeof(uint32_t))
            return ((uint32_t(*)(void))row->function)() == 0;
        return ((uint64_t(*)(void))row->function)() == 0;
    }
    return 0;
}

static void test_answers(void)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < TWIN_COUNT(rows); i++) {
        if (!refuses(&rows[i])) {
            printf("%s does not refuse\n", rows[i].name);
            wrong++;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_last_error(void)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < TWIN_COUNT(rows); i++) {
        (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
        (void)refuses(&rows[i]);
        wrong += aclrtGetLastError(ACL_RT_THREAD_LEVEL) != ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_message(void)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < TWIN_COUNT(rows); i++) {
        (void)aclGetRecentErrMsg();
        (void)refuses(&rows[i]);
        const char *text = aclGetRecentErrMsg();
        if (!text || !strstr(text, rows[i].name) || !strstr(text, rows[i].reason)) {
            printf("%s: message: %s\n", rows[i].name, text ? text : "none");
            wrong++;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static const twin_test tests[] = {
    {"a function that is not built answers 207000 or the empty value of its type", test_answers},
    {"the refusal is the thread's last error", test_last_error},
    {"the message names the function and the reason", test_message},
};

int main(int argc, char **argv)
{
    return twin_run_suite("unsupported", tests, TWIN_COUNT(tests), argc, argv);
}
