/* SPDX-License-Identifier: Apache-2.0 */
/* One copy to the device and back; half of what is copied has never been written, which is no error
 * of a copy. */
#include <string.h>

#include "check.h"

enum { BYTES = 8192 };

int main(void)
{
    void *device = NULL;
    unsigned char *in = malloc(BYTES);
    unsigned char *out = malloc(BYTES);
    REQUIRE(in && out);
    pattern_fill(in, BYTES / 2, 3);
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtMalloc(&device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemcpy(device, BYTES, in, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(aclrtMemcpy(out, BYTES, device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    REQUIRE(pattern_differences(out, BYTES / 2, 3) == 0);
    CHECK(aclrtFree(device));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    free(in);
    free(out);
    return 0;
}
