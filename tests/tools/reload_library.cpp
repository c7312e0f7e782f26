// SPDX-License-Identifier: Apache-2.0
// A plug-in of reload_program. Its second build has the same code, in other lines.
#include "acl/acl.h"

#ifdef SECOND_BUILD
#line 1007
#endif
extern "C" __attribute__((visibility("default"))) aclError upload(void *memory, size_t bytes,
                                                                  aclrtStream stream)
{
    aclError error = aclrtMemsetAsync(memory, bytes, 1, bytes, stream); // SITE
    __asm__ volatile("" : "+r"(error)); // no tail call, which would have the caller's place
    return error;
}
