/* SPDX-License-Identifier: Apache-2.0 */
/* Aborts a stream on which one fill is complete and two fills and a record are not.
 *
 *   abort_program force|abort|device|reset|wait */
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"

#define BYTES ((size_t)64 << 20)

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const aclError error = (call);                                                             \
        if (error != ACL_SUCCESS) {                                                                \
            fprintf(stderr, "abort_program: %s: %d\n", #call, error);                              \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static aclError end(const char *how, aclrtStream stream)
{
    if (strcmp(how, "force") == 0)
        return aclrtDestroyStreamForce(stream);
    if (strcmp(how, "abort") == 0)
        return aclrtStreamAbort(stream);
    if (strcmp(how, "device") == 0)
        return aclrtDeviceTaskAbort(0, 1000);
    if (strcmp(how, "reset") == 0)
        return aclrtResetDeviceForce(0);
    return aclrtSynchronizeStream(stream);
}

int main(int count, char **arguments)
{
    aclrtStream stream;
    aclrtEvent event;
    void *memory;
    if (count != 2)
        return 2;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtCreateEvent(&event));
    CHECK(aclrtMalloc(&memory, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemsetAsync(memory, BYTES, 1, BYTES, stream));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemsetAsync(memory, BYTES, 2, BYTES, stream));
    CHECK(aclrtMemsetAsync(memory, BYTES, 3, BYTES, stream));
    CHECK(aclrtRecordEvent(event, stream));
    CHECK(end(arguments[1], stream));
    return 0;
}
