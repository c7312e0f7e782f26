/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of cores: devices of this generation have none. Arguments are looked at first all the
 * same. */
#include "acl/acl_rt.h"
#include "api/entry.h"

static int32_t no_groups(void)
{
    return twin_fail(TWIN_ERR_UNSUPPORTED,
                     "groups of cores belong to other products; aclrtSetStreamResLimit gives a "
                     "stream a share of the cores");
}

aclError aclrtSetGroup(int32_t groupId)
{
    TWIN_ENTER(LOCAL);
    (void)groupId;
    return TWIN_LEAVE(no_groups());
}

aclError aclrtGetGroupCount(uint32_t *count)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(count);
    return TWIN_LEAVE(no_groups());
}

aclrtGroupInfo *aclrtCreateGroupInfo(void)
{
    TWIN_ENTER_HOST(LOCAL);
    (void)TWIN_LEAVE(no_groups());
    return NULL;
}

aclError aclrtDestroyGroupInfo(aclrtGroupInfo *groupInfo)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(groupInfo);
    return TWIN_LEAVE(no_groups());
}

aclError aclrtGetAllGroupInfo(aclrtGroupInfo *groupInfo)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(groupInfo);
    return TWIN_LEAVE(no_groups());
}

static int32_t check_detail(int32_t index, aclrtGroupAttr attribute, size_t bytes)
{
    if (index < 0)
        return twin_fail(TWIN_ERR_ARG_VALUE, "groupIndex is %d; groups are numbered from 0", index);
    if ((int)attribute < ACL_GROUP_AICORE_INT || (int)attribute > ACL_GROUP_GROUPID_INT)
        return twin_fail(TWIN_ERR_ARG_VALUE, "attr is %d; 0 to 5 are known", (int)attribute);
    if (bytes < sizeof(int32_t))
        return twin_fail(TWIN_ERR_ARG_VALUE, "valueLen is %zu; the attribute has %zu bytes", bytes,
                         sizeof(int32_t));
    return no_groups();
}

aclError aclrtGetGroupInfoDetail(const aclrtGroupInfo *groupInfo, int32_t groupIndex,
                                 aclrtGroupAttr attr, void *attrValue, size_t valueLen,
                                 size_t *paramRetSize)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(groupInfo, attrValue, paramRetSize);
    return TWIN_LEAVE(check_detail(groupIndex, attr, valueLen));
}
