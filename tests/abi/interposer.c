/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in for the tools that put themselves in front of the runtime. */
#include "acl/acl.h"

__attribute__((visibility("default"))) size_t aclDataTypeSize(aclDataType dataType)
{
    (void)dataType;
    return 4711;
}
