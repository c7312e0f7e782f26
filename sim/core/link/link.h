// SPDX-License-Identifier: Apache-2.0
/// Shared bandwidth: HBM, L2, PCIe each way, HCCS pairs. Rules T-LNK-1 to T-LNK-11.
#ifndef TWINSIM_CORE_LINK_LINK_H
#define TWINSIM_CORE_LINK_LINK_H

#include <array>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "core/link/burst.h"
#include "core/profile/params.h"
#include "core/base/types.h"
#include "twinsim.h"

namespace tsim
{

/// Transfers on links, each served at its max-min fair share. Transfers with the same route always
/// have the same share, so the work per change grows with the number of routes in use, not with
/// transfers or bytes.
class LinkNetwork
{
    using Fixed = unsigned __int128; // bytes, kFraction bits after the point

  public:
    /// What a transfer is of; the caller's own key, returned when it completes.
    using Owner = uint64_t;

    /// `bursts`: completion is when the last burst has passed, not when fair shares say so
    /// (T-BST-1).
    LinkNetwork(const Params &params, uint32_t devices, bool bursts = false,
                RtlPortFactory *rtl_ports = nullptr);

    // Routes (T-LNK-3).
    [[nodiscard]] uint32_t host_to_device(uint32_t device) const { return device * kRoutes; }
    [[nodiscard]] uint32_t device_to_host(uint32_t device) const { return device * kRoutes + 1; }
    [[nodiscard]] uint32_t within_device(uint32_t device) const { return device * kRoutes + 2; }
    [[nodiscard]] uint32_t loop_back(uint32_t device) const { return device * kRoutes + 3; }
    [[nodiscard]] uint32_t fill_device(uint32_t device) const { return device * kRoutes + 4; }
    [[nodiscard]] uint32_t fill_host(uint32_t device) const { return device * kRoutes + 5; }
    /// Between an AI core and global memory, what L2 serves and what it does not (T-LNK-9,
    /// T-LNK-10).
    [[nodiscard]] uint32_t core_hit(uint32_t device, bool write) const
    {
        return device * kRoutes + (write ? 7 : 6);
    }
    [[nodiscard]] uint32_t core_miss(uint32_t device) const { return device * kRoutes + 8; }
    /// Between an AI core and memory of the host (T-LNK-11).
    [[nodiscard]] uint32_t core_host(uint32_t device, bool write) const
    {
        return device * kRoutes + (write ? 12 : 11);
    }
    /// Into memory that is read too (T-DMA-23).
    [[nodiscard]] uint32_t reduce_within(uint32_t device) const { return device * kRoutes + 9; }
    [[nodiscard]] uint32_t reduce_from_host(uint32_t device) const { return device * kRoutes + 10; }
    [[nodiscard]] uint32_t reduce_peer(uint32_t from, uint32_t to) const
    {
        return peer(from, to, false) + 2;
    }
    /// Whether devices have links to each other (T-LNK-1): else there is no reduce_peer(), and
    /// peer() over PCIe alone.
    [[nodiscard]] bool peers_linked() const { return peers_linked_; }
    /// Between two devices: over HCCS, or over PCIe when `pcie`.
    [[nodiscard]] uint32_t peer(uint32_t from, uint32_t to, bool pcie) const
    {
        return devices_ * kRoutes + ((from * devices_ + to) * kPairRoutes + (pcie ? 1 : 0));
    }

    /// How many routes there are but for those that capped() has made.
    [[nodiscard]] uint32_t plain_route_count() const
    {
        return devices_ * kRoutes + devices_ * devices_ * kPairRoutes;
    }
    /// A route as `route`, each transfer on which has a ceiling of `mb_s` (T-LNK-8). Asked for once
    /// and kept; throws std::bad_alloc.
    [[nodiscard]] uint32_t capped(uint32_t route, uint64_t mb_s, uint32_t parameter);

    /// The profile parameter of the route's rate: its ceiling, or the link that is not HBM, if it
    /// has one.
    [[nodiscard]] uint32_t parameter(uint32_t route) const { return routes_[route].parameter; }

    // What links are, for the trace.
    [[nodiscard]] uint32_t link_count() const { return static_cast<uint32_t>(capacity_.size()); }
    [[nodiscard]] uint32_t route_count() const { return static_cast<uint32_t>(routes_.size()); }
    void describe_link(uint32_t link, twinsim_link &out) const;
    void describe_route(uint32_t route, twinsim_route &out) const;
    [[nodiscard]] uint32_t link_device(uint32_t link) const;
    [[nodiscard]] uint32_t link_parameter(uint32_t link) const { return link_parameter_[link]; }
    /// Calls take(link, load) for each link of each route that carries something now; the sum of
    /// the loads of a link is what per_second() takes.
    template <typename Take>
    void each_load(Take &&take) const
    {
        for (const uint32_t index : listed_) {
            const Route &r = routes_[index];
            for (uint32_t i = 0; i < r.count; ++i)
                take(uint32_t{r.links[i]}, r.rate * r.weight[i] * r.queue.size());
        }
    }
    /// What each_load() would give if that is at most one link, once: kNone, none. Else false.
    [[nodiscard]] bool only_load(uint32_t &link, uint64_t &load) const
    {
        if (listed_.empty())
            return true;
        const Route &r = routes_[listed_[0]];
        if (listed_.size() != 1 || r.count != 1)
            return false;
        link = r.links[0];
        load = r.rate * r.weight[0] * r.queue.size();
        return true;
    }
    /// Bytes per second, rounded down.
    [[nodiscard]] uint64_t per_second(uint64_t rate) const
    {
        return static_cast<uint64_t>(static_cast<Fixed>(rate) * cycles_per_s_ >> kFraction);
    }
    /// How long a transfer takes that is alone (T-LNK-7).
    [[nodiscard]] Cycle alone(uint32_t route, uint64_t bytes) const;

    /// Bytes begin to move; bytes > 0. Gives the transfer's number.
    uint32_t start(Cycle now, uint32_t route, uint64_t bytes, Owner owner);
    /// The transfer ends without completing.
    void cancel(Cycle now, uint32_t transfer);
    /// Whether that number is still a transfer of this owner; it may have completed in this cycle.
    [[nodiscard]] bool moves(uint32_t transfer, Owner owner) const
    {
        return transfers_[transfer].route != kNone && transfers_[transfer].owner == owner;
    }
    /// When the next transfer completes if nothing changes; kNever when none is under way.
    [[nodiscard]] Cycle next() const { return next_; }
    /// Ends what is complete at `now` and gives the owners, by route, then by order of completion.
    const std::vector<Owner> &complete(Cycle now);
    [[nodiscard]] uint32_t active() const { return active_; }
    /// What each transfer on the route gets now, in bytes per cycle with kFraction binary digits
    /// after the point.
    [[nodiscard]] uint64_t rate_of(uint32_t route) const
    {
        return routes_[route].listed ? routes_[route].rate : 0;
    }

    static constexpr unsigned kFraction = 48;

  private:
    static constexpr uint32_t kRoutes = 13;    // of a device
    static constexpr uint32_t kPairRoutes = 3; // of an ordered pair of devices
    // Links of a device, then one per ordered pair of devices.
    static constexpr uint32_t kToDevice = 0, kToHost = 1, kHbm = 2, kL2 = 3, kPerDevice = 4;
    [[nodiscard]] static uint32_t link_of(uint32_t device, uint32_t which)
    {
        return device * kPerDevice + which;
    }
    static constexpr Fixed kSlack = Fixed{1} << (kFraction - 12); // T-LNK-5

    struct Route {
        std::array<uint16_t, 4> links{};
        std::array<uint8_t, 4> weight{};
        uint8_t count = 0;
        bool listed = false;
        uint32_t parameter = kNone;
        uint64_t cap = UINT64_MAX;   // of each transfer, fixed point bytes per cycle
        uint64_t rate = 0;           // of each transfer, fixed point bytes per cycle
        Fixed served = 0;            // of each transfer since the route was last empty
        std::vector<uint32_t> queue; // heap of transfers, the least goal first
    };
    struct Transfer {
        Fixed goal; // complete once the route has served this much
        Owner owner;
        uint64_t sequence;
        uint32_t route;
        uint32_t next_free;
    };

    void add_route(uint32_t route, uint32_t parameter,
                   std::initializer_list<std::pair<uint32_t, uint32_t>> parts);
    [[nodiscard]] uint64_t to_rate(uint64_t mb_s) const;
    void advance(Cycle now);
    void start_bursts(Cycle now, uint32_t number, const Route &route, uint64_t bytes);
    void complete_bursts(Cycle now);
    void take_off(uint32_t transfer);
    void share();
    void share_among();
    [[nodiscard]] uint64_t rate_of_only(const Route &route) const;
    void find_next(const Route &route);
    [[nodiscard]] bool before(uint32_t a, uint32_t b) const;
    void pop_front(Route &route);

    const uint32_t devices_;
    const uint64_t cycle_ns_;
    const uint32_t cycles_per_s_;
    const bool peers_linked_;
    std::vector<uint32_t> link_parameter_;
    std::vector<uint64_t> capacity_; // by link, fixed point bytes per cycle
    std::vector<Route> routes_;
    std::vector<uint32_t> listed_; // routes in use, sorted
    std::vector<Transfer> transfers_;
    std::vector<Owner> done_;
    std::vector<uint64_t> room_;   // by link, scratch of share()
    std::vector<uint64_t> demand_; // by link, scratch of share()
    std::vector<uint32_t> bound_;  // routes fixed in one round of share()
    uint32_t free_ = kNone;
    uint32_t active_ = 0;
    uint64_t sequence_ = 0;
    Cycle last_ = 0;
    Cycle next_ = kNever;
    std::unique_ptr<BurstNetwork> bursts_; // none: fair shares decide
};

} // namespace tsim

#endif
