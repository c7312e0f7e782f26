// SPDX-License-Identifier: Apache-2.0
#include "rtl/factory.h"

#include "rtl/port_factory.h"

namespace tsim::rtl
{

std::unique_ptr<RtlPortFactory> make_factory(twinsim_model model, const std::string &trace,
                                             const Reporter::Hook &hook, const Reporter::Last &last)
{
    if (model == TWINSIM_MODEL_CPP)
        return nullptr;
    return std::make_unique<PortFactory>(model == TWINSIM_MODEL_LOCKSTEP, trace, hook, last);
}

} // namespace tsim::rtl
