/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/acl_rt.h"
#include "linked.h"

int linked_dump_devices(void)
{
    uint32_t count = 0;
    return aclrtGetDeviceCount(&count) == ACL_SUCCESS ? (int)count : -1;
}

int linked_dump_physical(void)
{
    unsigned physical = 0;
    return rtGetDevicePhyIdByIndex(0, &physical) == 0 ? (int)physical : -1;
}
