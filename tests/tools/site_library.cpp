// SPDX-License-Identifier: Apache-2.0
// A library that calls: half of the race of site_program.
#include "acl/acl.h"

namespace staging
{

__attribute__((visibility("default"), noinline)) aclError upload(void *memory, size_t bytes,
                                                                 aclrtStream stream)
{
    // SITE: upload
    aclError error = aclrtMemsetAsync(memory, bytes, 1, bytes, stream);
    __asm__ volatile("" : "+r"(error)); // no tail call, which would have the caller's place
    return error;
}

} // namespace staging
