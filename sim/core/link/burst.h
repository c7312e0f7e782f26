// SPDX-License-Identifier: Apache-2.0
/// Every burst of every transfer through the links that it passes, for designers of DMA engines.
/// Rules T-BST-1 to T-BST-5.
#ifndef TWINSIM_CORE_LINK_BURST_H
#define TWINSIM_CORE_LINK_BURST_H

#include <memory>
#include <queue>
#include <vector>

#include "core/link/burst_channels.h"
#include "core/link/burst_links.h"
#include "core/base/types.h"

namespace tsim
{

/// Channels that cut transfers into bursts, links that carry them, and the time between. Transfers
/// are named by the numbers that the link network gives them.
class BurstNetwork
{
  public:
    /// A link on the way of a transfer: how many bytes it carries for one.
    using Hop = BurstLinks::Hop;

    /// `capacity`: by link, bytes per cycle with `fraction` binary digits after the point. The RTL
    /// ports take the places of channels and links, if there are any.
    BurstNetwork(const std::vector<uint64_t> &capacity, unsigned fraction, uint64_t burst_bytes,
                 uint64_t outstanding, std::unique_ptr<BurstRtlPort> channels = nullptr,
                 std::unique_ptr<LinkRtlPort> links = nullptr);

    /// `ceiling`: of the transfer, as capacities; UINT64_MAX: none.
    void start(Cycle now, uint32_t transfer, const Hop *hops, uint32_t count, uint64_t bytes,
               uint64_t ceiling);
    void cancel(uint32_t transfer);
    /// Moves bursts until `now`; gives the transfers that are complete, in order.
    const std::vector<uint32_t> &run(Cycle now);
    /// When something happens next; kNever: nothing moves.
    [[nodiscard]] Cycle next() const;

  private:
    using Time = BurstChannels::Time;
    static constexpr unsigned kParts = BurstChannels::kParts;

    struct Event {
        Time time;
        uint64_t sequence;
        uint32_t link;     // a burst has passed it; kNone: a transfer may begin its next one
        uint32_t transfer; // the one that may
        uint32_t generation;
        bool operator<(const Event &other) const
        {
            return time != other.time ? BurstRtlPort::is_after(time, other.time)
                                      : sequence > other.sequence;
        }
    };

    void issue(Time now, uint32_t number);
    void expect(const BurstLinks::Grant &grant);
    void passed(Time now, uint32_t link);
    void close(uint32_t number) { ++generations_[number]; }
    void drop_stale(); // what comes first is something that happens

    BurstChannels channels_;
    BurstLinks links_;
    std::vector<uint32_t> generations_; // of transfers: an event of an older one is of no account
    std::priority_queue<Event> events_;
    std::vector<uint32_t> done_;
    uint64_t sequence_ = 0;
    Cycle now_ = 0; // of the last call that had a time: which of the cycles an event's time means
};

} // namespace tsim

#endif
