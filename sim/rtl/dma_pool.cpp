// SPDX-License-Identifier: Apache-2.0
/// npu_dma_pool behind the ports of DmaPool.
#include "core/engine/dma.h"

#include <Tnpu_dma_pool.h>
#include <Vnpu_dma_pool.h>

#include "rtl/makers.h"
#include "rtl/unit.h"

namespace tsim::rtl
{

namespace
{

enum Op : uint8_t { kAcquire, kRelease, kWait, kForget };

struct DmaPoolPorts {
    static constexpr const char *kBlock = "npu_dma_pool";
    enum : uint8_t { kOp, kChannel, kQueue, kSeeded, kDraw, kChannels };
    static constexpr std::array<Signal, 6> kRequest = {
        {{"op"}, {"channel"}, {"queue"}, {"seeded"}, {"draw"}, {"channels"}}};
    enum : uint8_t { kFound, kChosen, kNext };
    static constexpr std::array<Signal, 3> kResponse = {
        {{"found", "T-DMA-1, T-DMA-6"}, {"channel", "T-DMA-1, T-TIM-6"}, {"queue", "T-DMA-1"}}};

    static const char *op_name(uint64_t op)
    {
        static const char *const names[] = {"acquire", "release", "wait", "forget"};
        return names[op & 3];
    }
    static const char *rule_of(const std::array<uint64_t, 6> &request,
                               const std::array<uint64_t, 3> &, size_t signal)
    {
        return signal == kFound    ? request[kOp] == Op::kRelease ? "T-DMA-6" : "T-DMA-1"
               : signal == kChosen ? request[kSeeded] != 0 ? "T-TIM-6" : "T-DMA-1"
                                   : nullptr;
    }
    template <class Top>
    static void drive(Top &top, Cycle, const std::array<uint64_t, 6> &r)
    {
        top.req_op_i = static_cast<uint8_t>(r[kOp]);
        top.req_channel_i = static_cast<uint8_t>(r[kChannel]);
        top.req_queue_i = static_cast<uint16_t>(r[kQueue]);
        top.req_seeded_i = r[kSeeded] != 0;
        top.req_draw_i = r[kDraw];
        top.cfg_channels_i = static_cast<uint8_t>(r[kChannels]);
    }
    template <class Top>
    static void read(const Top &top, std::array<uint64_t, 3> &out)
    {
        const bool found = top.rsp_found_o != 0;
        out = {found, found && top.req_op_i == kAcquire ? top.rsp_channel_o : uint64_t{0},
               found && top.req_op_i == kRelease ? top.rsp_queue_o : uint64_t{0}};
    }
};

/// Operations, and the numbers drawn for them as the model draws its own (T-TIM-6).
class Requests
{
  public:
    Requests(uint32_t channels, uint64_t seed) : channels_(channels), seed_(seed) {}
    [[nodiscard]] Request<DmaPoolPorts> of(Op op, uint32_t channel, uint32_t queue) const
    {
        return {op, channel, queue, 0, 0, channels_};
    }
    [[nodiscard]] Request<DmaPoolPorts> acquire() const
    {
        uint64_t seed = seed_;
        return {kAcquire, 0, 0, seed_ != 0, seed_ != 0 ? mix(seed) : 0, channels_};
    }
    /// A channel was free: the number is used up.
    void drawn()
    {
        if (seed_ != 0)
            (void)mix(seed_);
    }

  private:
    const uint32_t channels_;
    uint64_t seed_;
};

class RtlDmaPool final : public DmaPoolRtlPort
{
  public:
    RtlDmaPool(const Reporter &reporter, uint32_t channels, uint64_t seed, RtlPortPlace place)
        : unit_(reporter, place), requests_(channels, seed)
    {
    }
    void reset() override { unit_.reset(); }
    [[nodiscard]] uint32_t acquire() override
    {
        const auto &r = unit_.run_one(requests_.acquire());
        if (r[DmaPoolPorts::kFound] == 0)
            return kNone;
        requests_.drawn();
        return static_cast<uint32_t>(r[DmaPoolPorts::kChosen]);
    }
    uint32_t release(uint32_t channel) override
    {
        const auto &r = unit_.run_one(requests_.of(kRelease, channel, 0));
        return r[DmaPoolPorts::kFound] != 0 ? static_cast<uint32_t>(r[DmaPoolPorts::kNext]) : kNone;
    }
    void wait(uint32_t queue) override { (void)unit_.run(requests_.of(kWait, 0, queue)); }
    void forget(uint32_t queue) override { (void)unit_.run(requests_.of(kForget, 0, queue)); }

  private:
    Unit<DmaPoolPorts> unit_;
    Requests requests_;
};

class LockstepDmaPool final : public DmaPoolRtlPort
{
  public:
    LockstepDmaPool(const Reporter &reporter, uint32_t channels, uint32_t queues, uint64_t seed,
                    RtlPortPlace place)
        : unit_(reporter, place), requests_(channels, seed), model_(channels, queues, seed)
    {
    }
    void reset() override
    {
        model_.reset();
        unit_.reset();
    }
    [[nodiscard]] uint32_t acquire() override
    {
        const uint32_t channel = model_.acquire();
        const bool found = channel != kNone;
        unit_.expect(requests_.acquire(), {found, found ? channel : 0, 0});
        if (found)
            requests_.drawn();
        return channel;
    }
    uint32_t release(uint32_t channel) override
    {
        const uint32_t queue = model_.release(channel);
        const bool found = queue != kNone;
        unit_.expect(requests_.of(kRelease, channel, 0), {found, 0, found ? queue : 0});
        return queue;
    }
    void wait(uint32_t queue) override
    {
        model_.wait(queue);
        unit_.expect(requests_.of(kWait, 0, queue), Response<DmaPoolPorts>{});
    }
    void forget(uint32_t queue) override
    {
        model_.forget(queue);
        unit_.expect(requests_.of(kForget, 0, queue), Response<DmaPoolPorts>{});
    }

  private:
    Unit<DmaPoolPorts> unit_;
    Requests requests_;
    DmaPool model_;
};

} // namespace

template <>
std::unique_ptr<Machine<DmaPoolPorts>> make_machine<DmaPoolPorts>(const std::string &trace)
{
    if (trace.empty())
        return std::make_unique<VerilatedMachine<DmaPoolPorts, Vnpu_dma_pool, false>>(trace);
    return std::make_unique<VerilatedMachine<DmaPoolPorts, Tnpu_dma_pool, true>>(trace);
}

std::unique_ptr<DmaPoolRtlPort> make_dma_pool(const Reporter &reporter, bool lockstep,
                                              uint32_t channels, uint32_t queues, uint64_t seed,
                                              RtlPortPlace place)
{
    if (lockstep)
        return std::make_unique<LockstepDmaPool>(reporter, channels, queues, seed, place);
    return std::make_unique<RtlDmaPool>(reporter, channels, seed, place);
}

} // namespace tsim::rtl
