// SPDX-License-Identifier: Apache-2.0
/// Whose burst a link carries next, and for how long. Rule T-BST-3.
#ifndef TWINSIM_CORE_LINK_BURST_LINKS_H
#define TWINSIM_CORE_LINK_BURST_LINKS_H

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/base/rtl_port.h"
#include "core/base/types.h"

namespace tsim
{

/// Links that carry one burst at a time, in turn among the transfers that wait for them. When a
/// burst has passed is for the caller to say, at the time that the grant named.
class BurstLinks
{
  public:
    using Time = LinkRtlPort::Time;
    using Hop = LinkRtlPort::Hop;
    using Grant = LinkRtlPort::Grant;
    using Passage = LinkRtlPort::Passage;

    /// `rates`: by link, bytes per cycle with `fraction` binary digits after the point; 0 counts as
    /// the least there is. `rtl_port` takes its place, if there is one.
    BurstLinks(const std::vector<uint64_t> &rates, unsigned fraction, uint64_t burst_bytes,
               std::unique_ptr<LinkRtlPort> rtl_port = nullptr);

    /// A transfer of so many bytes, on its way over 1 to 4 links.
    void open(uint32_t transfer, const Hop *hops, uint32_t count, uint64_t bytes)
    {
        if (__builtin_expect(rtl_port_ != nullptr, 0))
            return rtl_port_->open(transfer, hops, count, bytes);
        open_here(transfer, hops, count, bytes);
    }
    /// Its next burst begins, of so many bytes; what its first link does then.
    [[nodiscard]] Grant arrive(Time now, uint32_t transfer, uint64_t bytes)
    {
        if (__builtin_expect(rtl_port_ != nullptr, 0))
            return rtl_port_->arrive(now, transfer, bytes);
        return wait(now, transfer, 0);
    }
    /// The burst on that link has passed it; what comes of it. Then next() of the same link.
    [[nodiscard]] Passage passed(Time now, uint32_t link)
    {
        if (__builtin_expect(rtl_port_ != nullptr, 0))
            return rtl_port_->passed(now, link);
        return passed_here(now, link);
    }
    /// What the link does now, if it carries nothing.
    [[nodiscard]] Grant next(Time now, uint32_t link)
    {
        if (__builtin_expect(rtl_port_ != nullptr, 0))
            return rtl_port_->next(now, link);
        return links_[link].busy ? Grant{} : serve(now, link);
    }
    /// No burst of it waits any more. One on a link takes its time there, without a transfer.
    void cancel(uint32_t transfer)
    {
        if (__builtin_expect(rtl_port_ != nullptr, 0))
            return rtl_port_->cancel(transfer);
        transfers_[transfer].open = false; // what is on its way is dropped where it is met
    }

  private:
    struct Transfer {
        std::array<Hop, 4> hops{};
        std::array<uint32_t, 4> waiting{}; // bursts before each link
        std::array<uint64_t, 4> begun{};   // that have begun to pass each link
        uint32_t count = 0;
        uint32_t generation = 0;
        bool open = false;
        uint64_t total = 0; // bursts
        uint64_t last = 0;  // bytes of the last burst
    };
    struct Place {
        uint32_t transfer;
        uint32_t hop;
        uint32_t generation;
    };
    struct Link {
        uint64_t rate;
        std::deque<Place> turn; // whose burst comes next
        bool busy = false;
        Place served{};
    };

    void open_here(uint32_t transfer, const Hop *hops, uint32_t count, uint64_t bytes);
    [[nodiscard]] Passage passed_here(Time now, uint32_t link);
    [[nodiscard]] Grant wait(Time now, uint32_t transfer, uint32_t hop);
    [[nodiscard]] Grant serve(Time now, uint32_t link);

    const unsigned fraction_;
    const uint64_t burst_;
    const std::unique_ptr<LinkRtlPort> rtl_port_;
    std::vector<Link> links_;
    std::vector<Transfer> transfers_;
};

} // namespace tsim

#endif
