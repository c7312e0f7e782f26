// SPDX-License-Identifier: Apache-2.0
/// Every burst of every transfer through the links that it passes, for those who design DMA engines. Rules BST-1 to BST-5.
#ifndef TWINSIM_CORE_BURST_H
#define TWINSIM_CORE_BURST_H

#include <array>
#include <deque>
#include <memory>
#include <queue>
#include <vector>

#include "core/burst_channels.h"
#include "core/types.h"

namespace tsim
{

/// Links serve one burst at a time, in turn among the transfers that wait for them. Transfers are named by the numbers
/// that the link network gives them.
class BurstNetwork
{
  public:
    /// A link on the way of a transfer: how many bytes it carries for one.
    struct Hop {
        uint32_t link;
        uint32_t weight;
    };

    /// `capacity`: by link, bytes per cycle with `fraction` binary digits after the point.
    BurstNetwork(const std::vector<uint64_t> &capacity, unsigned fraction, uint64_t burst_bytes,
                 uint64_t outstanding, std::unique_ptr<BurstTwin> twin = nullptr);

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

    struct Transfer {
        std::array<Hop, 4> hops{};
        std::array<uint32_t, 4> waiting{}; // bursts before each link
        std::array<uint64_t, 4> passed{};  // that have begun to pass each link
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
        uint64_t capacity;
        std::deque<Place> turn; // whose burst comes next
        bool busy = false;
        Place served{};
    };
    struct Event {
        Time time;
        uint64_t sequence;
        uint32_t link; // kNone: a transfer may begin its next burst
        Place place;
        bool operator<(const Event &other) const
        {
            return time != other.time ? time > other.time : sequence > other.sequence;
        }
    };

    void issue(Time now, uint32_t number);
    void arrive(Time now, uint32_t number, uint32_t hop);
    void serve(Time now, uint32_t link);
    void served(Time now, uint32_t link);

    const unsigned fraction_;
    const uint64_t burst_;
    BurstChannels channels_;
    std::vector<Link> links_;
    std::vector<Transfer> transfers_;
    std::priority_queue<Event> events_;
    std::vector<uint32_t> done_;
    uint64_t sequence_ = 0;
};

} // namespace tsim

#endif
