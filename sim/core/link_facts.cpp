// SPDX-License-Identifier: Apache-2.0
/// What links and routes are, and what they carry now: for the trace.
#include <algorithm>
#include <cstdio>

#include "core/link.h"

namespace tsim
{

uint32_t LinkNetwork::link_device(uint32_t link) const
{
    const uint32_t pairs = devices_ * kPerDevice;
    return link < pairs ? link / kPerDevice : (link - pairs) / devices_;
}

uint64_t LinkNetwork::per_second(uint64_t rate) const
{
    return static_cast<uint64_t>(static_cast<Fixed>(rate) * (1000000000u / cycle_ns_) >> kFraction);
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

void LinkNetwork::loads(std::vector<uint64_t> &out) const
{
    out.assign(capacity_.size(), 0);
    for (const uint32_t index : listed_) {
        const Route &r = routes_[index];
        for (uint32_t i = 0; i < r.count; ++i)
            out[r.links[i]] += r.rate * r.weight[i] * r.queue.size();
    }
    for (uint64_t &load : out)
        load = load != 0 ? per_second(load) : 0;
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
