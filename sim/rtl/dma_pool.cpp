// SPDX-License-Identifier: Apache-2.0
/// RTL port of DmaPool: npu_dma_pool.
#include "core/engine/dma.h"

#include <Tnpu_dma_pool.h>
#include <Vnpu_dma_pool.h>

#include "rtl/port_factory.h"
#include "rtl/unit.h"

namespace tsim::rtl
{

namespace
{

enum Op : uint8_t { kAcquire, kRelease, kWait, kForget };

struct DmaPoolPorts {
    static constexpr const char *kBlock = "npu_dma_pool";
    using Plain = Vnpu_dma_pool;
    using Traced = Tnpu_dma_pool;
    enum : uint8_t { kOp, kChannel, kQueue, kSeeded, kDraw, kChannels };
    static constexpr std::array<const char *, 6> kRequest = {"op",     "channel", "queue",
                                                             "seeded", "draw",    "channels"};
    enum : uint8_t { kFound, kChosen, kNext };
    static constexpr std::array<Signal, 3> kResponse = {
        {{"found", "T-DMA-1, T-DMA-6"}, {"channel", "T-DMA-1, T-TIM-6"}, {"queue", "T-DMA-1"}}};

    static constexpr const char *kOps[] = {"acquire", "release", "wait", "forget"};

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

/// Draws numbers for the RTL as the model draws its own (T-TIM-6).
class Port final : public DmaPoolRtlPort
{
  public:
    Port(const Reporter &reporter, bool lockstep, uint32_t channels, uint32_t queues, uint64_t seed,
         RtlPortPlace place)
        : channels_(channels), seed_(seed),
          block_(reporter, place, lockstep, channels, queues, seed)
    {
    }
    void reset() override { block_.reset(); }
    [[nodiscard]] uint32_t acquire() override
    {
        uint64_t after = seed_;
        const uint64_t draw = seed_ != 0 ? mix(after) : 0;
        const Answer r =
            block_.run({kAcquire, 0, 0, seed_ != 0, draw, channels_}, [](DmaPool &model) -> Answer {
                const uint32_t channel = model.acquire();
                const bool found = channel != kNone;
                return {found, found ? channel : 0, 0};
            });
        if (r[DmaPoolPorts::kFound] == 0)
            return kNone;
        seed_ = after;
        return static_cast<uint32_t>(r[DmaPoolPorts::kChosen]);
    }
    uint32_t release(uint32_t channel) override
    {
        const Answer r = block_.run({kRelease, channel, 0, 0, 0, channels_},
                                    [channel](DmaPool &model) -> Answer {
                                        const uint32_t queue = model.release(channel);
                                        const bool found = queue != kNone;
                                        return {found, 0, found ? queue : 0};
                                    });
        return r[DmaPoolPorts::kFound] != 0 ? static_cast<uint32_t>(r[DmaPoolPorts::kNext]) : kNone;
    }
    void wait(uint32_t queue) override
    {
        (void)block_.run({kWait, 0, queue, 0, 0, channels_}, [queue](DmaPool &model) {
            model.wait(queue);
            return Answer{};
        });
    }
    void forget(uint32_t queue) override
    {
        (void)block_.run({kForget, 0, queue, 0, 0, channels_}, [queue](DmaPool &model) {
            model.forget(queue);
            return Answer{};
        });
    }

  private:
    using Answer = Response<DmaPoolPorts>;

    const uint32_t channels_;
    uint64_t seed_;
    RtlBlock<DmaPoolPorts, DmaPool> block_;
};

} // namespace

std::unique_ptr<DmaPoolRtlPort> PortFactory::dma_pool(uint32_t channels, uint32_t queues,
                                                      uint64_t seed, RtlPortPlace place)
{
    return std::make_unique<Port>(reporter_, lockstep_, channels, queues, seed, place);
}

} // namespace tsim::rtl
