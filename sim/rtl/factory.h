// SPDX-License-Identifier: Apache-2.0
/// RTL ports of the model's blocks: their RTL, alone or in lock step with the C++.
#ifndef TWINSIM_RTL_FACTORY_H
#define TWINSIM_RTL_FACTORY_H

#include <memory>
#include <string>

#include "core/base/rtl_port.h"
#include "rtl/difference.h"
#include "twinsim.h"

namespace tsim::rtl
{

/// `trace`: how names of waveform files begin; empty: none are written. Null for TWINSIM_MODEL_CPP.
/// Throws std::runtime_error with a text for the user when this build has no RTL. `hook` and `last`
/// as in Reporter.
[[nodiscard]] std::unique_ptr<RtlPortFactory> make_factory(twinsim_model model,
                                                           const std::string &trace,
                                                           const Reporter::Hook &hook = {},
                                                           const Reporter::Last &last = {});

} // namespace tsim::rtl

#endif
