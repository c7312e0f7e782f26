// SPDX-License-Identifier: Apache-2.0
#include "capi/rtl_library.h"

#include <stdexcept>
#include <string>

#include <dlfcn.h>
#include <unistd.h>

namespace tsim
{

std::unique_ptr<RtlPortFactory> load_rtl_ports(const twinsim_config &config, const Params &params)
{
    if (config.model == TWINSIM_MODEL_CPP)
        return nullptr;
    if (params.limits_at_slot.value != 0)
        throw std::runtime_error("the RTL of the model checks class limits after decode; expected "
                                 "swap_in.limits_at_slot 0 in the profile, or TWINRT_MODEL=cpp");
    const std::string path = config.rtl_library ? config.rtl_library : "";
    if (path.empty() || access(path.c_str(), R_OK) != 0)
        throw std::runtime_error(
            "the RTL of the model is not there: " + (path.empty() ? "no library is named" : path) +
            " cannot be read. A build has it when Verilator was found while it was configured "
            "(./dev setup installs "
            "it); TWINRT_MODEL=cpp needs none");
    void *const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
        throw std::runtime_error(std::string("the RTL of the model does not load: ") + dlerror());
    using Make = RtlPortFactory *(*)(uint32_t version, twinsim_model model, const char *trace,
                                     void (*before_end)());
    const auto make = reinterpret_cast<Make>(dlsym(library, "twinsim_rtl_make"));
    RtlPortFactory *const rtl_ports =
        make ? make(kRtlPortVersion, config.model, config.rtl_trace ? config.rtl_trace : "",
                    config.before_end)
             : nullptr;
    if (!rtl_ports)
        throw std::runtime_error("the RTL of the model does not fit: " + path +
                                 " belongs to another build; build or install both together");
    return std::unique_ptr<RtlPortFactory>(rtl_ports);
}

} // namespace tsim
