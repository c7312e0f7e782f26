/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/options.h"

#include "core/object/context.h"
#include "core/backend/error.h"

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

int32_t twin_option_set_context(uint32_t option, int64_t value)
{
    twin_context *context = NULL;
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    twin_options *options = &context->options;
    atomic_store_explicit(&options->values[option], value, memory_order_relaxed);
    /* Release: who sees the bit sees a value. */
    atomic_fetch_or_explicit(&options->given, 1u << option, memory_order_release);
    twin_context_unpin(context);
    return 0;
}

int32_t twin_option_of_context(uint32_t option, int64_t *out_value)
{
    twin_context *context = NULL;
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    const twin_options *options = &context->options;
    uint32_t given = atomic_load_explicit(&options->given, memory_order_acquire);
    if ((given & (1u << option)) != 0)
        *out_value = atomic_load_explicit(&options->values[option], memory_order_relaxed);
    else
        code = twin_fail(TWIN_ERR_OPTION,
                         "option %u was never set in the current context; call "
                         "aclrtCtxSetSysParamOpt first",
                         option);
    twin_context_unpin(context);
    return code;
}
