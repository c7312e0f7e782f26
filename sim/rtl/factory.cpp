// SPDX-License-Identifier: Apache-2.0
#include "rtl/factory.h"

#include "rtl/makers.h"

namespace tsim::rtl
{

namespace
{

class Factory final : public RtlPortFactory
{
  public:
    Factory(bool lockstep, const std::string &trace, Reporter::Hook hook,
            const Reporter::Last &last)
        : lockstep_(lockstep), reporter_(trace)
    {
        reporter_.set_hook(std::move(hook));
        reporter_.set_last(last);
    }
    void attach(const Cycle &now, uint64_t seed) override { reporter_.attach(now, seed); }
    std::unique_ptr<ArbiterRtlPort> arbiter(const ArbiterRules &rules, RtlPortPlace place) override
    {
        return make_arbiter(reporter_, lockstep_, rules, place);
    }
    std::unique_ptr<BurstRtlPort> bursts(uint64_t burst_bytes, uint64_t outstanding,
                                         RtlPortPlace place) override
    {
        return make_bursts(reporter_, lockstep_, burst_bytes, outstanding, place);
    }
    std::unique_ptr<DmaPoolRtlPort> dma_pool(uint32_t channels, uint32_t queues, uint64_t seed,
                                             RtlPortPlace place) override
    {
        return make_dma_pool(reporter_, lockstep_, channels, queues, seed, place);
    }
    std::unique_ptr<EventRtlPort> events(const EventShape &shape, RtlPortPlace place) override
    {
        return make_events(reporter_, lockstep_, shape, place);
    }
    std::unique_ptr<FrontRtlPort> front_end(uint32_t queues, uint32_t window,
                                            RtlPortPlace place) override
    {
        return make_front_end(reporter_, lockstep_, queues, window, place);
    }
    std::unique_ptr<LinkRtlPort> links(const std::vector<uint64_t> &rates, uint64_t burst_bytes,
                                       RtlPortPlace place) override
    {
        return make_links(reporter_, lockstep_, rates, burst_bytes, place);
    }
    std::unique_ptr<NotifyRtlPort> notifies(uint32_t ids, uint32_t queues,
                                            RtlPortPlace place) override
    {
        return make_notifies(reporter_, lockstep_, ids, queues, place);
    }
    std::unique_ptr<SlotsRtlPort> slots(uint32_t queues, const SlotRules &rules,
                                        RtlPortPlace place) override
    {
        return make_slots(reporter_, lockstep_, queues, rules, place);
    }
    std::unique_ptr<SqeRtlPort> sqes(const SqeShape &shape, RtlPortPlace place) override
    {
        return make_sqes(reporter_, lockstep_, shape, place);
    }

  private:
    const bool lockstep_;
    Reporter reporter_;
};

} // namespace

std::unique_ptr<RtlPortFactory> make_factory(twinsim_model model, const std::string &trace,
                                             const Reporter::Hook &hook, const Reporter::Last &last)
{
    if (model == TWINSIM_MODEL_TLM)
        return nullptr;
    return std::make_unique<Factory>(model == TWINSIM_MODEL_LOCKSTEP, trace, hook, last);
}

} // namespace tsim::rtl
