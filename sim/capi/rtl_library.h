// SPDX-License-Identifier: Apache-2.0
/// The RTL of the blocks is in a separate library, which a run of the plain model does not load.
#ifndef TWINSIM_CAPI_RTL_LIBRARY_H
#define TWINSIM_CAPI_RTL_LIBRARY_H

#include <memory>

#include "core/base/rtl_port.h"
#include "core/profile/params.h"
#include "twinsim.h"

namespace tsim
{

/// The factory of the RTL ports that the configuration selects; null for the plain model. Throws
/// std::runtime_error with a text for the user when the library is missing or is not ours, or has
/// not a rule that the parameters select. It stays loaded.
[[nodiscard]] std::unique_ptr<RtlPortFactory> load_rtl_ports(const twinsim_config &config,
                                                             const Params &params);

} // namespace tsim

#endif
