/* SPDX-License-Identifier: Apache-2.0 */
/* Run with LD_PRELOAD=libabi_interposer.so: a tool's function comes before the runtime's. */
#include <stdio.h>

#include "acl/acl.h"

int main(void)
{
    size_t size = aclDataTypeSize(ACL_FLOAT);
    if (size != 4711) {
        printf("aclDataTypeSize answered %zu: the runtime's own function\n", size);
        return 1;
    }
    puts("ok: interposed");
    return 0;
}
