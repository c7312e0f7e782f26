// SPDX-License-Identifier: Apache-2.0
/// Makes the RTL port of each block; each block's file defines its function.
#ifndef TWINSIM_RTL_PORT_FACTORY_H
#define TWINSIM_RTL_PORT_FACTORY_H

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/rtl_port.h"
#include "rtl/difference.h"

namespace tsim::rtl
{

class PortFactory final : public RtlPortFactory
{
  public:
    /// `lockstep`: beside the plain C++, else the RTL alone.
    PortFactory(bool lockstep, const std::string &trace, Reporter::Hook hook,
                const Reporter::Last &last)
        : lockstep_(lockstep), reporter_(trace)
    {
        reporter_.set_hook(std::move(hook));
        reporter_.set_last(last);
    }
    void attach(const Cycle &now, uint64_t seed) override { reporter_.attach(now, seed); }
    std::unique_ptr<ArbiterRtlPort> arbiter(const ArbiterRules &rules, RtlPortPlace place) override;
    std::unique_ptr<BurstRtlPort> bursts(uint64_t burst_bytes, uint64_t outstanding,
                                         RtlPortPlace place) override;
    std::unique_ptr<DmaPoolRtlPort> dma_pool(uint32_t channels, uint32_t queues, uint64_t seed,
                                             RtlPortPlace place) override;
    std::unique_ptr<EventRtlPort> events(const EventShape &shape, RtlPortPlace place) override;
    std::unique_ptr<FrontRtlPort> front_end(uint32_t queues, uint32_t window,
                                            RtlPortPlace place) override;
    std::unique_ptr<LinkRtlPort> links(const std::vector<uint64_t> &rates, uint64_t burst_bytes,
                                       RtlPortPlace place) override;
    std::unique_ptr<NotifyRtlPort> notifies(uint32_t ids, uint32_t queues,
                                            RtlPortPlace place) override;
    std::unique_ptr<SlotsRtlPort> slots(uint32_t queues, const SlotRules &rules,
                                        RtlPortPlace place) override;
    std::unique_ptr<SqeRtlPort> sqes(const SqeShape &shape, RtlPortPlace place) override;

  private:
    const bool lockstep_;
    Reporter reporter_;
};

} // namespace tsim::rtl

#endif
