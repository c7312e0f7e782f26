// SPDX-License-Identifier: Apache-2.0
/// RTL port of BurstLinks: npu_link.
#include "core/link/burst_links.h"

#include <Tnpu_link.h>
#include <Vnpu_link.h>

#include "rtl/port_factory.h"
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
              "a link for each pair of devices, and four more for each");

enum Op : uint8_t { kRate, kOpen, kArrive, kPassed, kNext, kCancel };

struct LinkPorts {
    static constexpr const char *kBlock = "npu_link";
    using Plain = Vnpu_link;
    using Traced = Tnpu_link;
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
    static constexpr std::array<const char *, 11> kRequest = {
        "op",    "now",     "transfer", "link", "rate",       "count",
        "links", "weights", "bytes",    "last", "burst_bytes"};
    enum : uint8_t { kError, kLeft, kFinal, kGrant, kGrantLink, kWhose, kGrantBytes, kUntil };
    static constexpr std::array<Signal, 8> kResponse = {{{"error", "T-BST-3"},
                                                         {"left", "T-BST-3"},
                                                         {"final", "T-BST-1"},
                                                         {"grant", "T-BST-3"},
                                                         {"link", "T-BST-3"},
                                                         {"transfer", "T-BST-3"},
                                                         {"bytes", "T-BST-1"},
                                                         {"until", "T-BST-3"}}};

    static constexpr const char *kOps[] = {"rate", "open", "arrive", "passed", "next", "cancel"};

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

/// Marks for the RTL which burst is a transfer's last.
class Port final : public LinkRtlPort
{
  public:
    Port(const Reporter &reporter, bool lockstep, const std::vector<uint64_t> &rates,
         uint64_t burst_bytes, RtlPortPlace place)
        : burst_(burst_bytes), block_(reporter, place, lockstep, rates, kRateFraction, burst_bytes)
    {
        for (uint32_t link = 0; link < rates.size(); ++link)
            (void)run({kRate, 0, 0, link, rates[link], 0, 0, 0, 0, 0, burst_},
                      [](BurstLinks &) { return Passage{}; });
    }
    void open(uint32_t transfer, const Hop *hops, uint32_t count, uint64_t bytes) override
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
        (void)run({kOpen, 0, transfer, 0, 0, count, links, weights, 0, 0, burst_},
                  [=](BurstLinks &model) {
                      model.open(transfer, hops, count, bytes);
                      return Passage{};
                  });
    }
    [[nodiscard]] Grant arrive(Time now, uint32_t transfer, uint64_t bytes) override
    {
        left_[transfer] -= bytes;
        const bool last = left_[transfer] == 0;
        return run({kArrive, now, transfer, 0, 0, 0, 0, 0, bytes, last, burst_},
                   [=](BurstLinks &model) {
                       return Passage{kNone, false, model.arrive(now, transfer, bytes)};
                   })
            .grant;
    }
    [[nodiscard]] Passage passed(Time now, uint32_t link) override
    {
        return run({kPassed, now, 0, link, 0, 0, 0, 0, 0, 0, burst_},
                   [=](BurstLinks &model) { return model.passed(now, link); });
    }
    [[nodiscard]] Grant next(Time now, uint32_t link) override
    {
        return run({kNext, now, 0, link, 0, 0, 0, 0, 0, 0, burst_},
                   [=](BurstLinks &model) {
                       return Passage{kNone, false, model.next(now, link)};
                   })
            .grant;
    }
    void cancel(uint32_t transfer) override
    {
        (void)run({kCancel, 0, transfer, 0, 0, 0, 0, 0, 0, 0, burst_}, [=](BurstLinks &model) {
            model.cancel(transfer);
            return Passage{};
        });
    }

  private:
    template <class Plain>
    Passage run(const Request<LinkPorts> &request, Plain plain)
    {
        return passage_of(
            block_.run(request, [&plain](BurstLinks &model) { return response_of(plain(model)); }));
    }

    const uint64_t burst_;
    RtlBlock<LinkPorts, BurstLinks> block_;
    std::vector<uint64_t> left_; // by transfer: bytes whose burst has not begun
};

} // namespace

std::unique_ptr<LinkRtlPort> PortFactory::links(const std::vector<uint64_t> &rates,
                                                uint64_t burst_bytes, RtlPortPlace place)
{
    return std::make_unique<Port>(reporter_, lockstep_, rates, burst_bytes, place);
}

} // namespace tsim::rtl
