// SPDX-License-Identifier: Apache-2.0
/// npu_dma behind the ports of BurstChannels.
#include "core/link/burst_channels.h"

#include <stdexcept>

#include <Tnpu_dma_ops.h>
#include <Vnpu_dma_ops.h>

#include "rtl/makers.h"
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
    enum : uint8_t { kOp, kChannel, kNow, kLength, kCeiling, kBurst, kOutstanding };
    static constexpr std::array<Signal, 7> kRequest = {
        {{"op"}, {"channel"}, {"now"}, {"bytes"}, {"ceiling"}, {"burst_bytes"}, {"outstanding"}}};
    enum : uint8_t { kBytes, kOffset, kFinal, kError, kDone, kHold, kHoldAt };
    static constexpr std::array<Signal, 7> kResponse = {{{"burst_bytes", "T-BST-1, T-BST-2"},
                                                         {"burst_offset", "T-BST-1"},
                                                         {"burst_final", "T-BST-1"},
                                                         {"error", "T-DMA-8"},
                                                         {"done", "T-BST-1"},
                                                         {"hold", "T-BST-4"},
                                                         {"hold_at", "T-BST-4"}}};

    static const char *op_name(uint64_t op)
    {
        static const char *const names[] = {"start", "cancel", "resume", "passed"};
        return names[op & 3];
    }
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

/// Operations with the settings of the engine.
class Requests
{
  public:
    Requests(uint64_t burst_bytes, uint64_t outstanding)
        : burst_(burst_bytes), outstanding_(outstanding)
    {
    }
    [[nodiscard]] Request<DmaPorts> of(Op op, uint32_t channel, Time now, uint64_t bytes = 0,
                                       uint64_t ceiling = 0) const
    {
        return {op, channel, now, bytes, ceiling, burst_, outstanding_};
    }

  private:
    const uint64_t burst_;
    const uint64_t outstanding_;
};

void check_room(uint32_t channel)
{
    if (channel >= kChannels)
        throw std::length_error("more than " + std::to_string(kChannels) +
                                " transfers at once: npu_dma has no channel left; run with "
                                "TWINRT_MODEL=cpp or TWINRT_DMA=flow");
}

/// What an operation lets begin, handed out step by step.
class Steps
{
  public:
    void set(std::vector<Step> &&steps)
    {
        steps_ = std::move(steps);
        next_ = 0;
    }
    [[nodiscard]] Step next() { return next_ < steps_.size() ? steps_[next_++] : Step{}; }

  private:
    std::vector<Step> steps_;
    size_t next_ = 0;
};

class RtlBurstChannels final : public BurstRtlPort
{
  public:
    RtlBurstChannels(const Reporter &reporter, const Requests &requests, RtlPortPlace place)
        : unit_(reporter, place), requests_(requests)
    {
    }
    void start(Time now, uint32_t channel, uint64_t bytes, uint64_t ceiling) override
    {
        check_room(channel);
        (void)run(requests_.of(kStart, channel, now, bytes, ceiling));
    }
    [[nodiscard]] Step next(Time, uint32_t) override { return steps_.next(); }
    [[nodiscard]] bool passed(Time now, uint32_t channel) override
    {
        return run(requests_.of(kPassed, channel, now));
    }
    void resume(Time now, uint32_t channel) override
    {
        (void)run(requests_.of(kResume, channel, now));
    }
    void cancel(uint32_t channel) override { (void)run(requests_.of(kCancel, channel, 0)); }

  private:
    // True: the transfer is complete.
    bool run(const Request<DmaPorts> &request)
    {
        std::vector<Step> steps;
        bool done = false;
        for (const auto &r : unit_.run(request)) {
            const bool hold = r[DmaPorts::kHold] != 0;
            steps.push_back({r[DmaPorts::kBytes], hold, hold ? r[DmaPorts::kHoldAt] : 0});
            done = r[DmaPorts::kDone] != 0;
        }
        steps_.set(std::move(steps));
        return done;
    }

    Unit<DmaPorts> unit_;
    const Requests requests_;
    Steps steps_;
};

class LockstepBurstChannels final : public BurstRtlPort
{
  public:
    LockstepBurstChannels(const Reporter &reporter, const Requests &requests, uint64_t burst_bytes,
                          uint64_t outstanding, RtlPortPlace place)
        : unit_(reporter, place), requests_(requests),
          model_(kCeilingFraction, burst_bytes, outstanding)
    {
    }
    void start(Time now, uint32_t channel, uint64_t bytes, uint64_t ceiling) override
    {
        check_room(channel);
        if (channel >= transfers_.size())
            transfers_.resize(channel + 1);
        transfers_[channel] = {bytes, 0};
        model_.start(now, channel, bytes, ceiling);
        compare(requests_.of(kStart, channel, now, bytes, ceiling), false);
    }
    [[nodiscard]] Step next(Time, uint32_t) override { return steps_.next(); }
    [[nodiscard]] bool passed(Time now, uint32_t channel) override
    {
        const bool done = model_.passed(now, channel);
        compare(requests_.of(kPassed, channel, now), done);
        return done;
    }
    void resume(Time now, uint32_t channel) override
    {
        model_.resume(now, channel);
        compare(requests_.of(kResume, channel, now), false);
    }
    void cancel(uint32_t channel) override
    {
        model_.cancel(channel);
        compare(requests_.of(kCancel, channel, 0), false);
    }

  private:
    struct Transfer {
        uint64_t bytes = 0;
        uint64_t begun = 0; // bytes
    };

    void compare(const Request<DmaPorts> &request, bool done)
    {
        const auto channel = static_cast<uint32_t>(request[DmaPorts::kChannel]);
        Transfer &t = transfers_[channel];
        std::vector<Step> steps;
        answers_.clear();
        for (;;) {
            steps.push_back(model_.next(request[DmaPorts::kNow], channel));
            const Step &step = steps.back();
            if (step.bytes == 0)
                break;
            answers_.push_back({step.bytes, t.begun, t.begun + step.bytes == t.bytes, 0, 0, 0, 0});
            t.begun += step.bytes;
        }
        const Step &last = steps.back();
        answers_.push_back({0, 0, 0, 0, done, last.hold, last.hold ? last.hold_at : 0});
        unit_.expect(request, answers_);
        steps_.set(std::move(steps));
    }

    Unit<DmaPorts> unit_;
    const Requests requests_;
    BurstChannels model_;
    std::vector<Transfer> transfers_; // by channel
    std::vector<Response<DmaPorts>> answers_;
    Steps steps_;
};

} // namespace

template <>
std::unique_ptr<Machine<DmaPorts>> make_machine<DmaPorts>(const std::string &trace)
{
    if (trace.empty())
        return std::make_unique<VerilatedMachine<DmaPorts, Vnpu_dma_ops, false>>(trace);
    return std::make_unique<VerilatedMachine<DmaPorts, Tnpu_dma_ops, true>>(trace);
}

std::unique_ptr<BurstRtlPort> make_bursts(const Reporter &reporter, bool lockstep,
                                          uint64_t burst_bytes, uint64_t outstanding,
                                          RtlPortPlace place)
{
    const Requests requests(burst_bytes, outstanding);
    if (lockstep)
        return std::make_unique<LockstepBurstChannels>(reporter, requests, burst_bytes, outstanding,
                                                       place);
    return std::make_unique<RtlBurstChannels>(reporter, requests, place);
}

} // namespace tsim::rtl
