/* SPDX-License-Identifier: Apache-2.0 */
/* Two streams pass a token to and fro, by one notify for both ways: a mistake that only shows on a
 * device which is slow to see new work. There the stream that has passed it on takes it itself, and
 * both wait for ever. */
#include <stdio.h>

#include "acl/acl.h"

#define TURNS 8

static int failed(aclError error, const char *what)
{
    if (error == ACL_SUCCESS)
        return 0;
    fprintf(stderr, "token_program: %s: %d: %s\n", what, error, aclGetRecentErrMsg());
    return 1;
}
#define MUST(call)                                                                                 \
    if (failed(call, #call))                                                                       \
    return 1

int main(void)
{
    aclrtStream streams[2];
    aclrtNotify notify;
    MUST(aclInit(NULL));
    MUST(aclrtSetDevice(0));
    MUST(aclrtCreateStream(&streams[0]));
    MUST(aclrtCreateStream(&streams[1]));
    MUST(aclrtCreateNotify(&notify, 0));
    for (int i = 0; i < TURNS; i++) {
        MUST(aclrtRecordNotify(notify, streams[i % 2]));
        MUST(aclrtWaitAndResetNotify(notify, streams[(i + 1) % 2], 0));
    }
    MUST(aclrtSynchronizeStream(streams[0]));
    MUST(aclrtSynchronizeStream(streams[1]));
    MUST(aclrtDestroyNotify(notify));
    MUST(aclrtDestroyStream(streams[0]));
    MUST(aclrtDestroyStream(streams[1]));
    MUST(aclrtResetDevice(0));
    MUST(aclFinalize());
    return 0;
}
