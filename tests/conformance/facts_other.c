/* SPDX-License-Identifier: Apache-2.0 */
/* What other products have: groups of cores, configurations of streams. */
#include <dlfcn.h>
#include <string.h>

#include "facts_tests.h"
#include "suite.h"

/* ---- groups of cores ------------------------------------------------------------------------- */

/* Used as a group's information, which cannot be made here. */
static long long somewhere[16];

void test_groups(void)
{
    aclrtGroupInfo *info = (aclrtGroupInfo *)(void *)somewhere;
    uint32_t count = 77;
    CHECK_CODE(aclrtGetGroupCount(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetAllGroupInfo(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetGroupCount(&count), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_EQUAL(count, 77);
    CHECK_CODE(aclrtGetAllGroupInfo(info), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtSetGroup(0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_EQUAL(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

void test_group_objects(void)
{
    (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    CHECK(aclrtCreateGroupInfo() == NULL);
    CHECK_EQUAL(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtDestroyGroupInfo(NULL), ACL_ERROR_INVALID_PARAM);
}

void test_group_details(void)
{
    const aclrtGroupInfo *info = (const aclrtGroupInfo *)(const void *)somewhere;
    const aclrtGroupAttr good = ACL_GROUP_AICORE_INT;
    int32_t value = 77;
    size_t bytes = 77;
    CHECK_CODE(aclrtGetGroupInfoDetail(NULL, 0, good, &value, sizeof(value), &bytes),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetGroupInfoDetail(info, 0, good, NULL, sizeof(value), &bytes),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetGroupInfoDetail(info, 0, good, &value, sizeof(value), NULL),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetGroupInfoDetail(info, -1, good, &value, sizeof(value), &bytes),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetGroupInfoDetail(info, 0, (aclrtGroupAttr)6, &value, sizeof(value), &bytes),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetGroupInfoDetail(info, 0, good, &value, sizeof(value) - 1, &bytes),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(
        aclrtGetGroupInfoDetail(info, 0, ACL_GROUP_GROUPID_INT, &value, sizeof(value), &bytes),
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_EQUAL(value, 77);
    CHECK_EQUAL(bytes, 77);
}

/* ---- configurations of streams --------------------------------------------------------------- */

/* A program asks for these at run time; where they are absent it has to make its streams another
 * way. */
void test_stream_configuration(void)
{
    static const char *const names[] = {"aclrtCreateStreamConfigHandle", "aclrtCreateStreamV2",
                                        "aclrtDestroyStreamConfigHandle",
                                        "aclrtSetStreamConfigOpt"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        CHECK(dlsym(RTLD_DEFAULT, names[i]) == NULL);
}
