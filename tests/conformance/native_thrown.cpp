/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that throws: an exception that it catches has no effect, another one fails it. */
#include <twinrt/kernel.h>

#include <exception>
#include <stdexcept>
#include <vector>

#include "native_args.h"

static uint32_t element(const std::vector<uint32_t> &list, uint32_t at)
{
    try {
        return list.at(at);
    } catch (const std::out_of_range &) {
        return 1;
    }
}

TWK_VECTOR_KERNEL(thrown, struct native_wrong, args)
{
    const std::vector<uint32_t> list(3, 1);
    twk_gm_put(TWK_UINT32, args->memory + 4096 + twk_block() * 4u, element(list, 3));
    /* An exception of an earlier block would still be the current one. */
    twk_assert(!std::current_exception());
    if (twk_block() == args->block)
        (void)list.at(args->what);
}
