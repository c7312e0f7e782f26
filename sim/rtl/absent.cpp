// SPDX-License-Identifier: Apache-2.0
/// In place of everything else here where the build found no Verilator.
#include <stdexcept>

#include "rtl/factory.h"

namespace tsim::rtl
{

std::unique_ptr<RtlPortFactory> make_factory(twinsim_model model, const std::string &,
                                             const Reporter::Hook &, const Reporter::Last &)
{
    if (model == TWINSIM_MODEL_CPP)
        return nullptr;
    throw std::runtime_error(
        "this build has no RTL, because Verilator was missing when it was configured; install it "
        "(./dev setup) and build again, or run with TWINRT_MODEL=cpp");
}

} // namespace tsim::rtl
