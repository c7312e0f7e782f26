// SPDX-License-Identifier: Apache-2.0
/// In the place of model-rtl.so: the real one, but for a difference in the DMA channels after some copies.
#include "rtl/factory.h"

#include <memory>
#include <utility>

namespace
{

using namespace tsim;

class Planted final : public DmaPoolTwin
{
  public:
    Planted(std::unique_ptr<DmaPoolTwin> real, const rtl::Reporter &reporter)
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
            difference.signal = "planted";
            reporter_.tell(difference);
            reporter_.end(difference);
        }
        return real_->acquire();
    }
    uint32_t release(uint32_t channel) override { return real_->release(channel); }
    void wait(uint32_t queue) override { real_->wait(queue); }
    void forget(uint32_t queue) override { real_->forget(queue); }

  private:
    const std::unique_ptr<DmaPoolTwin> real_;
    const rtl::Reporter &reporter_;
};

class Factory final : public TwinFactory
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
    std::unique_ptr<ArbiterTwin> arbiter(const ArbiterRules &rules, TwinPlace place) override
    {
        return real_->arbiter(rules, place);
    }
    std::unique_ptr<BurstTwin> bursts(uint64_t burst_bytes, uint64_t outstanding,
                                      TwinPlace place) override
    {
        return real_->bursts(burst_bytes, outstanding, place);
    }
    std::unique_ptr<DmaPoolTwin> dma_pool(uint32_t channels, uint32_t queues, uint64_t seed,
                                          TwinPlace place) override
    {
        return std::make_unique<Planted>(real_->dma_pool(channels, queues, seed, place), reporter_);
    }
    std::unique_ptr<EventTwin> events(const EventShape &shape, TwinPlace place) override
    {
        return real_->events(shape, place);
    }
    std::unique_ptr<FrontTwin> front_end(uint32_t queues, uint32_t window, TwinPlace place) override
    {
        return real_->front_end(queues, window, place);
    }
    std::unique_ptr<LinkTwin> links(const std::vector<uint64_t> &rates, uint64_t burst_bytes,
                                    TwinPlace place) override
    {
        return real_->links(rates, burst_bytes, place);
    }
    std::unique_ptr<NotifyTwin> notifies(uint32_t ids, uint32_t queues, TwinPlace place) override
    {
        return real_->notifies(ids, queues, place);
    }
    std::unique_ptr<SlotsTwin> slots(uint32_t queues, const SlotRules &rules,
                                     TwinPlace place) override
    {
        return real_->slots(queues, rules, place);
    }
    std::unique_ptr<SqeTwin> sqes(const SqeShape &shape, TwinPlace place) override
    {
        return real_->sqes(shape, place);
    }

  private:
    const std::unique_ptr<TwinFactory> real_;
    rtl::Reporter reporter_;
};

} // namespace

extern "C" __attribute__((visibility("default"))) tsim::TwinFactory *
twinsim_rtl_make(uint32_t, twinsim_model model, const char *, void (*before_end)())
{
    return new Factory(model, before_end); // the board's from then on
}
