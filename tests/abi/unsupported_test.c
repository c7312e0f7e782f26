/* SPDX-License-Identifier: Apache-2.0 */
/* Every function that is not built refuses: with the code or the empty value of its type, and with
 * a message that names it and says the reason. The types are those of the recorded functions. Built
 * with ABI_FUNCTIONS, the path of their table. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "acl/acl_prof.h"
#include "acl/acl_tdt.h"
#include "api/functions.h"
#include "support/cunit_main.h"

typedef void (*any_function)(void);

static struct row {
    const char *name;
    const char *reason;
    bool not_built;
    any_function function;
    char type[64]; /* of its result */
} rows[] = {
#define TWIN_API(area, function, parts, state, reason)                                             \
    {#function, TWIN_WHY_##reason, TWIN_API_##state >= TWIN_API_NOT_BUILT, NULL, ""},
#include "api/functions.def"
};
static size_t count; /* of those that are not built */

/* The recorded type of a function's result. The names of the layer below, which the table does not
 * have, return codes. */
static void find_type(const char *name, char type[64])
{
    char line[4096];
    FILE *table = fopen(ABI_FUNCTIONS, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(table);
    (void)snprintf(type, 64, "%s", strncmp(name, "rt", 2) == 0 ? "aclError" : "");
    while (table && fgets(line, sizeof(line), table)) {
        char *rest = line;
        (void)strsep(&rest, "\t");
        const char *function = strsep(&rest, "\t"), *result = strsep(&rest, "\t");
        if (function && result && strcmp(function, name) == 0)
            (void)snprintf(type, 64, "%s", result);
    }
    if (table)
        (void)fclose(table);
}

/* Leaves only the functions that are not built in the table, each with its address and type. */
static void prepare(void)
{
    for (size_t i = 0; i < TWIN_COUNT(rows); i++) {
        if (!rows[i].not_built)
            continue;
        void *symbol = dlsym(RTLD_DEFAULT, rows[i].name);
        rows[count] = rows[i];
        memcpy(&rows[count].function, &symbol, sizeof(symbol));
        find_type(rows[i].name, rows[count].type);
        CU_ASSERT_PTR_NOT_NULL_FATAL(symbol);
        count++;
    }
}

/* The arguments do not matter to a function that refuses: it is called without any. */
static int refuses(const struct row *row)
{
    const char *type = row->type;
    if (strcmp(type, "aclError") == 0)
        return ((aclError(*)(void))row->function)() == ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    if (strcmp(type, "aclDataType") == 0)
        return ((aclDataType(*)(void))row->function)() == ACL_DT_UNDEFINED;
    if (strcmp(type, "aclprofSubscribeOpFlag") == 0)
        return ((aclprofSubscribeOpFlag(*)(void))row->function)() == ACL_SUBSCRIBE_NONE;
    if (strcmp(type, "acltdtTensorType") == 0)
        return ((acltdtTensorType(*)(void))row->function)() == ACL_TENSOR_DATA_UNDEFINED;
    if (strcmp(type, "size_t") == 0 || strcmp(type, "uint64_t") == 0)
        return ((uint64_t(*)(void))row->function)() == 0;
    if (strchr(type, '*') || strcmp(type, "aclrtAllocatorDesc") == 0)
        return ((void *(*)(void))row->function)() == NULL;
    if (strcmp(type, "void") != 0)
        return 0; /* not recorded, or of a type that this test does not know */
    row->function();
    return 1;
}

static void test_answers(void)
{
    unsigned wrong = 0;
    prepare();
    CU_ASSERT(count > 0);
    for (size_t i = 0; i < count; i++) {
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
    for (size_t i = 0; i < count; i++) {
        (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
        (void)refuses(&rows[i]);
        wrong += aclrtGetLastError(ACL_RT_THREAD_LEVEL) != ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_message(void)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < count; i++) {
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
