// SPDX-License-Identifier: Apache-2.0
/// The one symbol of model-rtl.so, which is loaded only when a system with RTL is made.
#include <new>

#include "rtl/factory.h"

extern "C" __attribute__((visibility("default"))) tsim::RtlPortFactory *
twinsim_rtl_make(uint32_t version, twinsim_model model, const char *trace,
                 void (*before_end)()) noexcept
{
    if (version != tsim::kRtlPortVersion)
        return nullptr;
    try {
        return tsim::rtl::make_factory(model, trace, {}, {before_end}).release();
    } catch (...) {
        return nullptr;
    }
}
