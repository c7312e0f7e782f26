/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/options.h"

static _Atomic int64_t process_values[TWIN_OPTION_PROCESS_COUNT];

void twin_options_reset(twin_options *options)
{
    atomic_store_explicit(&options->given, 0, memory_order_relaxed);
}

void twin_option_set_process(uint32_t option, int64_t value)
{
    atomic_store_explicit(&process_values[option], value, memory_order_relaxed);
}

int64_t twin_option_of_process(uint32_t option)
{
    return atomic_load_explicit(&process_values[option], memory_order_relaxed);
}

void twin_options_set(twin_options *options, uint32_t option, int64_t value)
{
    atomic_store_explicit(&options->values[option], value, memory_order_relaxed);
    /* Release: who sees the bit sees a value. */
    atomic_fetch_or_explicit(&options->given, 1u << option, memory_order_release);
}

bool twin_options_get(const twin_options *options, uint32_t option, int64_t *out_value)
{
    const uint32_t given = atomic_load_explicit(&options->given, memory_order_acquire);
    if ((given & (1u << option)) == 0)
        return false;
    *out_value = atomic_load_explicit(&options->values[option], memory_order_relaxed);
    return true;
}
