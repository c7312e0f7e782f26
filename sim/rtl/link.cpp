// SPDX-License-Identifier: Apache-2.0
/// npu_link behind the ports of BurstLinks.
#include "core/link/burst_links.h"

#include <Tnpu_link.h>
#include <Vnpu_link.h>

#include "rtl/makers.h"
#include "rtl/unit.h"

namespace tsim::rtl
{

namespace
{

using Time = LinkRtlPort::Time;
using Hop = LinkRtlPort::Hop;
using Grant = LinkRtlPort::Grant;
using Passage = LinkRtlPort::Passage;

constexpr unsigned kRateFraction = 48;
constexpr unsigned kLinkWidth = 13; // of the RTL as it is built
constexpr unsigned kWeightWidth = 8;
static_assert(kMaxDevices * 4 + kMaxDevices * kMaxDevices <= 1u << kLinkWidth,
              "a link for each pair of devices, and four of its own for each");

enum Op : uint8_t { kRate, kOpen, kArrive, kPassed, kNext, kCancel };

struct LinkPorts {
    static constexpr const char *kBlock = "npu_link";
    enum : uint8_t {
        kOp,
        kNow,
        kTransfer,
        kLink,
        kLinkRate,
        kCount,
        kLinks,
        kWeights,
        kBytes,
        kLast,
        kBurst
    };
    static constexpr std::array<Signal, 11> kRequest = {{{"op"},
                                                         {"now"},
                                                         {"transfer"},
                                                         {"link"},
                                                         {"rate"},
                                                         {"count"},
                                                         {"links"},
                                                         {"weights"},
                                                         {"bytes"},
                                                         {"last"},
                                                         {"burst_bytes"}}};
    enum : uint8_t { kError, kLeft, kFinal, kGrant, kGrantLink, kWhose, kGrantBytes, kUntil };
    static constexpr std::array<Signal, 8> kResponse = {{{"error", "T-BST-3"},
                                                         {"left", "T-BST-3"},
                                                         {"final", "T-BST-1"},
                                                         {"grant", "T-BST-3"},
                                                         {"link", "T-BST-3"},
                                                         {"transfer", "T-BST-3"},
                                                         {"bytes", "T-BST-1"},
                                                         {"until", "T-BST-3"}}};

    static const char *op_name(uint64_t op)
    {
        static const char *const names[] = {"rate", "open",   "arrive", "passed",
                                            "next", "cancel", "6",      "7"};
        return names[op & 7];
    }
    template <class Top>
    static void drive(Top &top, Cycle, const std::array<uint64_t, 11> &r)
    {
        top.req_op_i = static_cast<uint8_t>(r[kOp]);
        top.req_now_i = r[kNow];
        top.req_transfer_i = static_cast<uint16_t>(r[kTransfer]);
        top.req_link_i = static_cast<uint16_t>(r[kLink]);
        top.req_rate_i = r[kLinkRate];
        top.req_count_i = static_cast<uint8_t>(r[kCount]);
        top.req_links_i = r[kLinks];
        top.req_weights_i = static_cast<uint32_t>(r[kWeights]);
        top.req_bytes_i = static_cast<uint32_t>(r[kBytes]);
        top.req_last_i = r[kLast] != 0;
        top.cfg_burst_bytes_i = static_cast<uint32_t>(r[kBurst]);
    }
    template <class Top>
    static void read(const Top &top, std::array<uint64_t, 8> &out)
    {
        const bool left = top.rsp_left_o != 0;
        const bool grant = top.rsp_grant_o != 0;
        out = {top.rsp_error_o, left, top.rsp_final_o, grant, 0, 0, 0, 0};
        if (left || grant)
            out[kWhose] = top.rsp_transfer_o;
        if (grant) {
            out[kGrantLink] = top.rsp_link_o;
            out[kGrantBytes] = top.rsp_bytes_o;
            out[kUntil] = top.rsp_until_o;
        }
    }
};

Response<LinkPorts> response_of(const Passage &passage)
{
    const Grant &grant = passage.grant;
    const bool left = passage.transfer != kNone;
    Response<LinkPorts> out = {0, left, passage.last, grant.link != kNone, 0, 0, 0, 0};
    if (left)
        out[LinkPorts::kWhose] = passage.transfer;
    if (grant.link != kNone) {
        out[LinkPorts::kGrantLink] = grant.link;
        out[LinkPorts::kWhose] = grant.transfer;
        out[LinkPorts::kGrantBytes] = grant.bytes;
        out[LinkPorts::kUntil] = grant.until;
    }
    return out;
}

Passage passage_of(const Response<LinkPorts> &r)
{
    const auto whose = static_cast<uint32_t>(r[LinkPorts::kWhose]);
    if (r[LinkPorts::kLeft] != 0)
        return {whose, r[LinkPorts::kFinal] != 0, {}};
    if (r[LinkPorts::kGrant] == 0)
        return {};
    return {kNone,
            false,
            {static_cast<uint32_t>(r[LinkPorts::kGrantLink]), whose, r[LinkPorts::kGrantBytes],
             r[LinkPorts::kUntil]}};
}

/// Operations; the RTL is told which burst is a transfer's last.
class Requests
{
  public:
    explicit Requests(uint64_t burst_bytes) : burst_(burst_bytes) {}

    [[nodiscard]] Request<LinkPorts> rate(uint32_t link, uint64_t rate) const
    {
        return {kRate, 0, 0, link, rate, 0, 0, 0, 0, 0, burst_};
    }
    [[nodiscard]] Request<LinkPorts> open(uint32_t transfer, const Hop *hops, uint32_t count,
                                          uint64_t bytes)
    {
        if (transfer >= left_.size())
            left_.resize(transfer + 1);
        left_[transfer] = bytes;
        uint64_t links = 0;
        uint64_t weights = 0;
        for (uint32_t i = 0; i < count; ++i) {
            links |= uint64_t{hops[i].link} << (i * kLinkWidth);
            weights |= uint64_t{hops[i].weight} << (i * kWeightWidth);
        }
        return {kOpen, 0, transfer, 0, 0, count, links, weights, 0, 0, burst_};
    }
    [[nodiscard]] Request<LinkPorts> arrive(Time now, uint32_t transfer, uint64_t bytes)
    {
        left_[transfer] -= bytes;
        return {kArrive, now, transfer, 0, 0, 0, 0, 0, bytes, left_[transfer] == 0, burst_};
    }
    [[nodiscard]] Request<LinkPorts> of_link(Op op, Time now, uint32_t link) const
    {
        return {op, now, 0, link, 0, 0, 0, 0, 0, 0, burst_};
    }
    [[nodiscard]] Request<LinkPorts> cancel(uint32_t transfer) const
    {
        return {kCancel, 0, transfer, 0, 0, 0, 0, 0, 0, 0, burst_};
    }

  private:
    const uint64_t burst_;
    std::vector<uint64_t> left_; // by transfer: bytes whose burst has not begun
};

class RtlLinks final : public LinkRtlPort
{
  public:
    RtlLinks(const Reporter &reporter, const std::vector<uint64_t> &rates, uint64_t burst_bytes,
             RtlPortPlace place)
        : unit_(reporter, place), requests_(burst_bytes)
    {
        for (uint32_t link = 0; link < rates.size(); ++link)
            (void)unit_.run(requests_.rate(link, rates[link]));
    }
    void open(uint32_t transfer, const Hop *hops, uint32_t count, uint64_t bytes) override
    {
        (void)unit_.run(requests_.open(transfer, hops, count, bytes));
    }
    [[nodiscard]] Grant arrive(Time now, uint32_t transfer, uint64_t bytes) override
    {
        return run(requests_.arrive(now, transfer, bytes)).grant;
    }
    [[nodiscard]] Passage passed(Time now, uint32_t link) override
    {
        return run(requests_.of_link(kPassed, now, link));
    }
    [[nodiscard]] Grant next(Time now, uint32_t link) override
    {
        return run(requests_.of_link(kNext, now, link)).grant;
    }
    void cancel(uint32_t transfer) override { (void)unit_.run(requests_.cancel(transfer)); }

  private:
    Passage run(const Request<LinkPorts> &request) { return passage_of(unit_.run_one(request)); }

    Unit<LinkPorts> unit_;
    Requests requests_;
};

class LockstepLinks final : public LinkRtlPort
{
  public:
    LockstepLinks(const Reporter &reporter, const std::vector<uint64_t> &rates,
                  uint64_t burst_bytes, RtlPortPlace place)
        : unit_(reporter, place), requests_(burst_bytes), model_(rates, kRateFraction, burst_bytes)
    {
        for (uint32_t link = 0; link < rates.size(); ++link)
            unit_.expect(requests_.rate(link, rates[link]), response_of({}));
    }
    void open(uint32_t transfer, const Hop *hops, uint32_t count, uint64_t bytes) override
    {
        model_.open(transfer, hops, count, bytes);
        unit_.expect(requests_.open(transfer, hops, count, bytes), response_of({}));
    }
    [[nodiscard]] Grant arrive(Time now, uint32_t transfer, uint64_t bytes) override
    {
        const Grant grant = model_.arrive(now, transfer, bytes);
        unit_.expect(requests_.arrive(now, transfer, bytes), response_of({kNone, false, grant}));
        return grant;
    }
    [[nodiscard]] Passage passed(Time now, uint32_t link) override
    {
        const Passage passage = model_.passed(now, link);
        unit_.expect(requests_.of_link(kPassed, now, link), response_of(passage));
        return passage;
    }
    [[nodiscard]] Grant next(Time now, uint32_t link) override
    {
        const Grant grant = model_.next(now, link);
        unit_.expect(requests_.of_link(kNext, now, link), response_of({kNone, false, grant}));
        return grant;
    }
    void cancel(uint32_t transfer) override
    {
        model_.cancel(transfer);
        unit_.expect(requests_.cancel(transfer), response_of({}));
    }

  private:
    Unit<LinkPorts> unit_;
    Requests requests_;
    BurstLinks model_;
};

} // namespace

template <>
std::unique_ptr<Machine<LinkPorts>> make_machine<LinkPorts>(const std::string &trace)
{
    if (trace.empty())
        return std::make_unique<VerilatedMachine<LinkPorts, Vnpu_link, false>>(trace);
    return std::make_unique<VerilatedMachine<LinkPorts, Tnpu_link, true>>(trace);
}

std::unique_ptr<LinkRtlPort> make_links(const Reporter &reporter, bool lockstep,
                                        const std::vector<uint64_t> &rates, uint64_t burst_bytes,
                                        RtlPortPlace place)
{
    if (lockstep)
        return std::make_unique<LockstepLinks>(reporter, rates, burst_bytes, place);
    return std::make_unique<RtlLinks>(reporter, rates, burst_bytes, place);
}

} // namespace tsim::rtl
