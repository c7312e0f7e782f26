/* SPDX-License-Identifier: Apache-2.0 */
/* What other products have: groups of cores, configurations of streams. */
#include <string.h>

#include "facts_tests.h"
#include "suite.h"

/* ---- groups of cores ------------------------------------------------------------------------- */

/* Stands for a group's information, which nobody can make here. */
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

void test_stream_configuration(void)
{
    static const aclrtStreamConfigHandle zero;
    const uint32_t priority = 5;
    const size_t flag = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC;
    aclrtStreamConfigHandle *handle = aclrtCreateStreamConfigHandle();
    CHECK(handle != NULL);
    if (!handle)
        return;
    CHECK(!handle->workptr && handle->workSize == 0 && handle->flag == 0 && handle->priority == 0);
    CHECK_OK(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_PRIORITY, &priority, sizeof(priority)));
    CHECK_OK(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_FLAG, &flag, sizeof(flag)));

    CHECK_OK(aclrtSetDevice(0));
    const aclrtStreamConfigHandle *const given[] = {handle, &zero, NULL};
    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
        uint32_t got_priority = 77, got_flags = 77;
        aclrtStream stream = NULL;
        CHECK_OK(aclrtCreateStreamV2(&stream, given[i]));
        CHECK_OK(aclrtStreamGetPriority(stream, &got_priority));
        CHECK_OK(aclrtStreamGetFlags(stream, &got_flags));
        CHECK_EQUAL(got_priority, i == 0 ? priority : 0);
        CHECK_EQUAL(got_flags, i == 0 ? flag : 0);
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
        CHECK_OK(aclrtDestroyStream(stream));
    }
    CHECK_OK(aclrtDestroyStreamConfigHandle(handle));
    CHECK_OK(aclrtResetDevice(0));
}

void test_stream_configuration_refusals(void)
{
    aclrtStreamConfigHandle *handle = aclrtCreateStreamConfigHandle();
    aclrtStreamConfigHandle made = {.priority = 8};
    aclrtStream stream = NULL;
    const uint32_t priority = 8;
    const size_t size = 4096;
    void *const pointer = somewhere;
    CHECK(handle != NULL);
    if (!handle)
        return;
    CHECK_CODE(aclrtSetStreamConfigOpt(NULL, ACL_RT_STREAM_FLAG, &size, sizeof(size)),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_FLAG, NULL, sizeof(size)),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetStreamConfigOpt(handle, (aclrtStreamConfigAttr)4, &size, sizeof(size)),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_FLAG, &size, 4),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_WORK_SIZE, &size, 4),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(
        aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_WORK_ADDR_PTR, (const void *)&pointer, 4),
        ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_PRIORITY, &size, 8),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_PRIORITY, &priority, sizeof(priority)),
               ACL_ERROR_INVALID_PARAM);
    CHECK(handle->priority == 0 && handle->flag == 0 && handle->workSize == 0 && !handle->workptr);

    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtCreateStreamV2(NULL, handle), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCreateStreamV2(&stream, &made), ACL_ERROR_INVALID_PARAM);
    /* Memory that the caller gives for a stream's work has no meaning here. */
    CHECK_OK(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_WORK_SIZE, &size, sizeof(size)));
    CHECK_CODE(aclrtCreateStreamV2(&stream, handle), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    handle->workSize = 0;
    CHECK_OK(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_WORK_ADDR_PTR, (const void *)&pointer,
                                     sizeof(pointer)));
    CHECK_CODE(aclrtCreateStreamV2(&stream, handle), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    handle->workptr = NULL;
    handle->flag = ACL_STREAM_DEVICE_USE_ONLY | ACL_STREAM_PERSISTENT;
    CHECK_CODE(aclrtCreateStreamV2(&stream, handle), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(stream == NULL);
    CHECK_CODE(aclrtDestroyStreamConfigHandle(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtDestroyStreamConfigHandle(handle));
    CHECK_OK(aclrtResetDevice(0));
}
