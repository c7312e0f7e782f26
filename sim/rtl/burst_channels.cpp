// SPDX-License-Identifier: Apache-2.0
/// RTL port of BurstChannels: npu_dma.
#include "core/link/burst_channels.h"

#include <stdexcept>

#include <Tnpu_dma_ops.h>
#include <Vnpu_dma_ops.h>

#include "rtl/port_factory.h"
#include "rtl/unit.h"

namespace tsim::rtl
{

namespace
{

using Time = BurstRtlPort::Time;
using Step = BurstRtlPort::Step;

constexpr uint32_t kChannels = 4096; // of the RTL as it is built
constexpr unsigned kCeilingFraction = 48;

enum Op : uint8_t { kStart, kCancel, kResume, kPassed };

struct DmaPorts {
    static constexpr const char *kBlock = "npu_dma";
    using Plain = Vnpu_dma_ops;
    using Traced = Tnpu_dma_ops;
    enum : uint8_t { kOp, kChannel, kNow, kLength, kCeiling, kBurst, kOutstanding };
    static constexpr std::array<const char *, 7> kRequest = {
        "op", "channel", "now", "bytes", "ceiling", "burst_bytes", "outstanding"};
    enum : uint8_t { kBytes, kOffset, kFinal, kError, kDone, kHold, kHoldAt };
    static constexpr std::array<Signal, 7> kResponse = {{{"burst_bytes", "T-BST-1, T-BST-2"},
                                                         {"burst_offset", "T-BST-1"},
                                                         {"burst_final", "T-BST-1"},
                                                         {"error", "T-DMA-8"},
                                                         {"done", "T-BST-1"},
                                                         {"hold", "T-BST-4"},
                                                         {"hold_at", "T-BST-4"}}};

    static constexpr const char *kOps[] = {"start", "cancel", "resume", "passed"};

    // The model's bursts have no addresses: a transfer begins at 0.
    template <class Top>
    static void drive(Top &top, Cycle, const std::array<uint64_t, 7> &r)
    {
        top.req_op_i = static_cast<uint8_t>(r[kOp]);
        top.req_channel_i = static_cast<uint16_t>(r[kChannel]);
        top.req_now_i = r[kNow];
        top.req_src_i = 0;
        top.req_dst_i = 0;
        top.req_bytes_i = r[kLength];
        top.req_ceiling_i = r[kCeiling];
        top.cfg_burst_bytes_i = static_cast<uint32_t>(r[kBurst]);
        top.cfg_outstanding_i = static_cast<uint32_t>(r[kOutstanding]);
    }
    template <class Top>
    static void read(const Top &top, std::array<uint64_t, 7> &out)
    {
        out = {top.rsp_bytes_o, top.rsp_dst_o,  top.rsp_final_o,  top.rsp_error_o,
               top.rsp_done_o,  top.rsp_hold_o, top.rsp_hold_at_o};
    }
};

void check_room(uint32_t channel)
{
    if (channel >= kChannels)
        throw std::length_error("more than " + std::to_string(kChannels) +
                                " transfers at once: npu_dma has no channel left; run with "
                                "TWINRT_MODEL=cpp or TWINRT_DMA=flow");
}

class Port final : public BurstRtlPort
{
  public:
    Port(const Reporter &reporter, bool lockstep, uint64_t burst_bytes, uint64_t outstanding,
         RtlPortPlace place)
        : burst_(burst_bytes), outstanding_(outstanding),
          block_(reporter, place, lockstep, kCeilingFraction, burst_bytes, outstanding)
    {
    }
    void start(Time now, uint32_t channel, uint64_t bytes, uint64_t ceiling) override
    {
        check_room(channel);
        if (channel >= transfers_.size())
            transfers_.resize(channel + 1);
        transfers_[channel] = {bytes, 0};
        (void)run(of(kStart, channel, now, bytes, ceiling), [=](BurstChannels &model) {
            model.start(now, channel, bytes, ceiling);
            return false;
        });
    }
    [[nodiscard]] Step next(Time, uint32_t) override
    {
        return next_ < steps_.size() ? steps_[next_++] : Step{};
    }
    [[nodiscard]] bool passed(Time now, uint32_t channel) override
    {
        return run(of(kPassed, channel, now),
                   [=](BurstChannels &model) { return model.passed(now, channel); });
    }
    void resume(Time now, uint32_t channel) override
    {
        (void)run(of(kResume, channel, now), [=](BurstChannels &model) {
            model.resume(now, channel);
            return false;
        });
    }
    void cancel(uint32_t channel) override
    {
        (void)run(of(kCancel, channel, 0), [=](BurstChannels &model) {
            model.cancel(channel);
            return false;
        });
    }

  private:
    struct Transfer {
        uint64_t bytes = 0;
        uint64_t begun = 0; // bytes
    };

    [[nodiscard]] Request<DmaPorts> of(Op op, uint32_t channel, Time now, uint64_t bytes = 0,
                                       uint64_t ceiling = 0) const
    {
        return {op, channel, now, bytes, ceiling, burst_, outstanding_};
    }
    // True: the transfer is complete. `plain` says the same of the model.
    template <class Plain>
    bool run(const Request<DmaPorts> &request, Plain plain)
    {
        const auto &answers = block_.run_all(request, [&](BurstChannels &model, auto &out) {
            const bool done = plain(model);
            const auto channel = static_cast<uint32_t>(request[DmaPorts::kChannel]);
            Transfer &t = transfers_[channel];
            for (;;) {
                const Step step = model.next(request[DmaPorts::kNow], channel);
                if (step.bytes == 0) {
                    out.push_back({0, 0, 0, 0, done, step.hold, step.hold ? step.hold_at : 0});
                    return;
                }
                out.push_back({step.bytes, t.begun, t.begun + step.bytes == t.bytes, 0, 0, 0, 0});
                t.begun += step.bytes;
            }
        });
        steps_.clear();
        next_ = 0;
        bool done = false;
        for (const auto &r : answers) {
            const bool hold = r[DmaPorts::kHold] != 0;
            steps_.push_back({r[DmaPorts::kBytes], hold, hold ? r[DmaPorts::kHoldAt] : 0});
            done = r[DmaPorts::kDone] != 0;
        }
        return done;
    }

    const uint64_t burst_;
    const uint64_t outstanding_;
    RtlBlock<DmaPorts, BurstChannels> block_;
    std::vector<Transfer> transfers_; // by channel
    std::vector<Step> steps_;         // what the last operation lets begin, step by step
    size_t next_ = 0;
};

} // namespace

std::unique_ptr<BurstRtlPort> PortFactory::bursts(uint64_t burst_bytes, uint64_t outstanding,
                                                  RtlPortPlace place)
{
    return std::make_unique<Port>(reporter_, lockstep_, burst_bytes, outstanding, place);
}

} // namespace tsim::rtl
