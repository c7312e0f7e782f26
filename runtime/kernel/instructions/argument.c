/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/instructions/argument.h"

void twin_native_bad_argument(native_core *core, const char *name, uint64_t value, uint64_t least,
                              uint64_t most)
{
    twin_native_refuse(core, TWIN_NATIVE_OPERATION, "%s is %llu; expected %llu to %llu", name,
                       (unsigned long long)value, (unsigned long long)least,
                       (unsigned long long)most);
}
