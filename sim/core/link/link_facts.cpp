// SPDX-License-Identifier: Apache-2.0
/// What links and routes are, for the trace.
#include <algorithm>
#include <cstdio>

#include "core/link/link.h"

namespace tsim
{

uint32_t LinkNetwork::link_device(uint32_t link) const
{
    const uint32_t pairs = devices_ * kPerDevice;
    return link < pairs ? link / kPerDevice : (link - pairs) / devices_;
}

void LinkNetwork::describe_link(uint32_t link, twinsim_link &out) const
{
    static constexpr const char *kNames[kPerDevice] = {"PCIe to device", "PCIe to host", "HBM",
                                                       "L2"};
    const uint32_t pairs = devices_ * kPerDevice;
    out = {};
    out.device = link_device(link);
    out.parameter = link_parameter_[link];
    out.bytes_per_s = per_second(capacity_[link]);
    if (link < pairs)
        (void)std::snprintf(out.name, sizeof(out.name), "%s", kNames[link % kPerDevice]);
    else
        (void)std::snprintf(out.name, sizeof(out.name), "HCCS to device %u",
                            (link - pairs) % devices_);
}

void LinkNetwork::describe_route(uint32_t route, twinsim_route &out) const
{
    const Route &r = routes_[route];
    out = {};
    out.count = r.count;
    for (uint32_t i = 0; i < r.count; ++i) {
        out.link[i] = r.links[i];
        out.weight[i] = r.weight[i];
    }
}

Cycle LinkNetwork::alone(uint32_t route, uint64_t bytes) const
{
    const Route &r = routes_[route];
    uint64_t rate = r.cap;
    for (uint32_t i = 0; i < r.count; ++i)
        rate = std::min(rate, capacity_[r.links[i]] / r.weight[i]);
    const Fixed left = static_cast<Fixed>(bytes) << kFraction;
    return left > kSlack ? static_cast<Cycle>((left - kSlack + rate - 1) / rate) : 0;
}

} // namespace tsim
