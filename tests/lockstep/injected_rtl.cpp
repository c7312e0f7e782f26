// SPDX-License-Identifier: Apache-2.0
/// In the place of model-rtl.so: the real one, but for a difference in the DMA channels after some
/// copies.
#include "rtl/factory.h"

#include <memory>
#include <utility>

namespace
{

using namespace tsim;

class Injected final : public DmaPoolRtlPort
{
  public:
    Injected(std::unique_ptr<DmaPoolRtlPort> real, const rtl::Reporter &reporter)
        : real_(std::move(real)), reporter_(reporter)
    {
    }
    void reset() override { real_->reset(); }
    [[nodiscard]] uint32_t acquire() override
    {
        static uint32_t left = 4;
        if (--left == 0) {
            rtl::Difference difference;
            difference.block = "npu_dma_pool";
            difference.signal = "injected";
            reporter_.print_text(difference);
            reporter_.end(difference);
        }
        return real_->acquire();
    }
    uint32_t release(uint32_t channel) override { return real_->release(channel); }
    void wait(uint32_t queue) override { real_->wait(queue); }
    void forget(uint32_t queue) override { real_->forget(queue); }

  private:
    const std::unique_ptr<DmaPoolRtlPort> real_;
    const rtl::Reporter &reporter_;
};

class Factory final : public RtlPortFactory
{
  public:
    Factory(twinsim_model model, void (*before_end)())
        : real_(rtl::make_factory(model, "")), reporter_("")
    {
        reporter_.set_last({before_end});
    }
    void attach(const Cycle &now, uint64_t seed) override
    {
        real_->attach(now, seed);
        reporter_.attach(now, seed);
    }
    std::unique_ptr<ArbiterRtlPort> arbiter(const ArbiterRules &rules, RtlPortPlace place) override
    {
        return real_->arbiter(rules, place);
    }
    std::unique_ptr<BurstRtlPort> bursts(uint64_t burst_bytes, uint64_t outstanding,
                                         RtlPortPlace place) override
    {
        return real_->bursts(burst_bytes, outstanding, place);
    }
    std::unique_ptr<DmaPoolRtlPort> dma_pool(uint32_t channels, uint32_t queues, uint64_t seed,
                                             RtlPortPlace place) override
    {
        return std::make_unique<Injected>(real_->dma_pool(channels, queues, seed, place),
                                          reporter_);
    }
    std::unique_ptr<EventRtlPort> events(const EventShape &shape, RtlPortPlace place) override
    {
        return real_->events(shape, place);
    }
    std::unique_ptr<FrontRtlPort> front_end(uint32_t queues, uint32_t window,
                                            RtlPortPlace place) override
    {
        return real_->front_end(queues, window, place);
    }
    std::unique_ptr<LinkRtlPort> links(const std::vector<uint64_t> &rates, uint64_t burst_bytes,
                                       RtlPortPlace place) override
    {
        return real_->links(rates, burst_bytes, place);
    }
    std::unique_ptr<NotifyRtlPort> notifies(uint32_t ids, uint32_t queues,
                                            RtlPortPlace place) override
    {
        return real_->notifies(ids, queues, place);
    }
    std::unique_ptr<SlotsRtlPort> slots(uint32_t queues, const SlotRules &rules,
                                        RtlPortPlace place) override
    {
        return real_->slots(queues, rules, place);
    }
    std::unique_ptr<SqeRtlPort> sqes(const SqeShape &shape, RtlPortPlace place) override
    {
        return real_->sqes(shape, place);
    }

  private:
    const std::unique_ptr<RtlPortFactory> real_;
    rtl::Reporter reporter_;
};

} // namespace

extern "C" __attribute__((visibility("default"))) tsim::RtlPortFactory *
twinsim_rtl_make(uint32_t, twinsim_model model, const char *, void (*before_end)())
{
    return new Factory(model, before_end); // the system's from then on
}
