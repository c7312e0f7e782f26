// SPDX-License-Identifier: Apache-2.0
#include "core/link/link.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace tsim
{

namespace
{

// HCCS links are there between all or none (T-LNK-1).
uint32_t pair_count(const Params &params, uint32_t devices)
{
    return params.peers_at_host ? 0 : devices * devices;
}

} // namespace

LinkNetwork::LinkNetwork(const Params &params, uint32_t devices, bool bursts,
                         RtlPortFactory *rtl_ports)
    : devices_(devices), cycle_ns_(params.cycle_ns),
      cycles_per_s_(static_cast<uint32_t>(1000000000u / params.cycle_ns)),
      peers_linked_(!params.peers_at_host),
      link_parameter_(devices * kPerDevice + pair_count(params, devices), kNone),
      capacity_(link_parameter_.size()),
      routes_(devices * kRoutes + devices * devices * kPairRoutes), room_(capacity_.size()),
      demand_(capacity_.size())
{
    const auto rate = [this](uint64_t mb_s) { return to_rate(mb_s); };
    for (uint32_t d = 0; d < devices; ++d) {
        capacity_[link_of(d, kToDevice)] = rate(params.pcie_to_device.value);
        capacity_[link_of(d, kToHost)] = rate(params.pcie_to_host.value);
        capacity_[link_of(d, kHbm)] = rate(params.hbm_mb_s());
        link_parameter_[link_of(d, kToDevice)] = params.pcie_to_device.index;
        link_parameter_[link_of(d, kToHost)] = params.pcie_to_host.index;
        link_parameter_[link_of(d, kHbm)] = params.hbm_effective.index;
        add_route(host_to_device(d), params.pcie_to_device.index,
                  {{link_of(d, kToDevice), 1}, {link_of(d, kHbm), 1}});
        add_route(device_to_host(d), params.pcie_to_host.index,
                  {{link_of(d, kToHost), 1}, {link_of(d, kHbm), 1}});
        // T-LNK-2: of the two numbers of HBM, the less certain one names the rate
        add_route(within_device(d), params.hbm_effective.index, {{link_of(d, kHbm), 2}});
        add_route(loop_back(d), params.pcie_to_host.index,
                  {{link_of(d, kToDevice), 1}, {link_of(d, kToHost), 1}});
        add_route(fill_device(d), params.hbm_effective.index, {{link_of(d, kHbm), 1}});
        add_route(fill_host(d), params.pcie_to_host.index, {{link_of(d, kToHost), 1}});
        capacity_[link_of(d, kL2)] = rate(params.l2_peak.value);
        link_parameter_[link_of(d, kL2)] = params.l2_peak.index;
        // T-LNK-10: bytes per cycle times MHz are MB/s
        const uint64_t mhz = params.core_mhz.value;
        const auto cap = [&](uint32_t route, const Setting &bytes) {
            routes_[route].cap = std::max<uint64_t>(rate(bytes.value * mhz), 1);
        };
        add_route(core_hit(d, false), params.core_l2_read.index, {{link_of(d, kL2), 1}});
        cap(core_hit(d, false), params.core_l2_read);
        add_route(core_hit(d, true), params.core_l2_write.index, {{link_of(d, kL2), 1}});
        cap(core_hit(d, true), params.core_l2_write);
        add_route(core_miss(d), params.core_gm.index,
                  {{link_of(d, kL2), 1}, {link_of(d, kHbm), 1}});
        cap(core_miss(d), params.core_gm);
        add_route(core_host(d, false), params.pcie_to_device.index, {{link_of(d, kToDevice), 1}});
        cap(core_host(d, false), params.core_gm);
        add_route(core_host(d, true), params.pcie_to_host.index, {{link_of(d, kToHost), 1}});
        cap(core_host(d, true), params.core_gm);
        add_route(reduce_within(d), params.hbm_effective.index, {{link_of(d, kHbm), 3}});
        add_route(reduce_from_host(d), params.pcie_to_device.index,
                  {{link_of(d, kToDevice), 1}, {link_of(d, kHbm), 2}});
    }
    for (uint32_t a = 0; a < devices; ++a) {
        for (uint32_t b = 0; b < devices; ++b) {
            if (a == b)
                continue;
            add_route(peer(a, b, true), params.pcie_to_host.index,
                      {{link_of(a, kHbm), 1},
                       {link_of(a, kToHost), 1},
                       {link_of(b, kToDevice), 1},
                       {link_of(b, kHbm), 1}});
            if (params.peers_at_host)
                continue;
            const uint32_t hccs = devices * kPerDevice + a * devices + b;
            capacity_[hccs] = rate(params.hccs_pair.value);
            link_parameter_[hccs] = params.hccs_pair.index;
            add_route(peer(a, b, false), params.hccs_pair.index,
                      {{link_of(a, kHbm), 1}, {hccs, 1}, {link_of(b, kHbm), 1}});
            add_route(reduce_peer(a, b), params.hccs_pair.index,
                      {{link_of(a, kHbm), 1}, {hccs, 1}, {link_of(b, kHbm), 2}});
        }
    }
    if (bursts) {
        const uint64_t bytes = params.burst_bytes.value;
        const uint64_t outstanding = params.burst_outstanding.value;
        bursts_ = std::make_unique<BurstNetwork>(
            capacity_, kFraction, bytes, outstanding,
            rtl_ports ? rtl_ports->bursts(bytes, outstanding, {}) : nullptr,
            rtl_ports ? rtl_ports->links(capacity_, bytes, {}) : nullptr);
    }
}

void LinkNetwork::add_route(uint32_t route, uint32_t parameter,
                            std::initializer_list<std::pair<uint32_t, uint32_t>> parts)
{
    Route &r = routes_[route];
    r.parameter = parameter;
    for (const auto &[link, weight] : parts) {
        r.links[r.count] = static_cast<uint16_t>(link);
        r.weight[r.count++] = static_cast<uint8_t>(weight);
    }
}

// MB/s are bytes per microsecond; a cycle has cycle_ns nanoseconds (T-LNK-4).
uint64_t LinkNetwork::to_rate(uint64_t mb_s) const
{
    return static_cast<uint64_t>((static_cast<Fixed>(mb_s) * cycle_ns_ << kFraction) / 1000);
}

uint32_t LinkNetwork::capped(uint32_t route, uint64_t mb_s, uint32_t parameter)
{
    const uint64_t cap = std::max<uint64_t>(to_rate(mb_s), 1);
    const Route &like = routes_[route];
    for (uint32_t i = 0; i < routes_.size(); ++i) {
        const Route &r = routes_[i];
        if (r.cap == cap && r.parameter == parameter && r.count == like.count &&
            r.links == like.links && r.weight == like.weight)
            return i;
    }
    Route copy;
    copy.links = like.links;
    copy.weight = like.weight;
    copy.count = like.count;
    copy.parameter = parameter;
    copy.cap = cap;
    routes_.push_back(std::move(copy));
    return static_cast<uint32_t>(routes_.size() - 1);
}

bool LinkNetwork::before(uint32_t a, uint32_t b) const
{
    const Transfer &x = transfers_[a];
    const Transfer &y = transfers_[b];
    return x.goal != y.goal ? x.goal < y.goal : x.sequence < y.sequence;
}

uint32_t LinkNetwork::start(Cycle now, uint32_t route, uint64_t bytes, Owner owner)
{
    advance(now);
    uint32_t number = free_;
    if (number == kNone) {
        number = static_cast<uint32_t>(transfers_.size());
        transfers_.push_back({});
    } else {
        free_ = transfers_[number].next_free;
    }
    Route &r = routes_[route];
    transfers_[number] = {r.served + (static_cast<Fixed>(bytes) << kFraction), owner, sequence_++,
                          route, kNone};
    r.queue.push_back(number);
    std::push_heap(r.queue.begin(), r.queue.end(),
                   [this](uint32_t a, uint32_t b) { return before(b, a); });
    if (!r.listed) {
        r.listed = true;
        listed_.insert(std::lower_bound(listed_.begin(), listed_.end(), route), route);
    }
    ++active_;
    if (__builtin_expect(bursts_ != nullptr, 0))
        start_bursts(now, number, r, bytes);
    share();
    if (bursts_)
        next_ = bursts_->next();
    return number;
}

void LinkNetwork::cancel(Cycle now, uint32_t transfer)
{
    advance(now);
    take_off(transfer);
    if (bursts_)
        bursts_->cancel(transfer);
    share();
    if (bursts_)
        next_ = bursts_->next();
}

// No longer counted on its route.
void LinkNetwork::take_off(uint32_t transfer)
{
    Route &r = routes_[transfers_[transfer].route];
    r.queue.erase(std::find(r.queue.begin(), r.queue.end(), transfer));
    std::make_heap(r.queue.begin(), r.queue.end(),
                   [this](uint32_t a, uint32_t b) { return before(b, a); });
    transfers_[transfer].route = kNone;
    transfers_[transfer].next_free = free_;
    free_ = transfer;
    --active_;
}

void LinkNetwork::start_bursts(Cycle now, uint32_t number, const Route &route, uint64_t bytes)
{
    std::array<BurstNetwork::Hop, 4> hops{};
    for (uint32_t i = 0; i < route.count; ++i)
        hops[i] = {route.links[i], route.weight[i]};
    bursts_->start(now, number, hops.data(), route.count, bytes, route.cap);
}

// T-BST-1: fair shares still give what the links carry; the bursts decide which transfer is
// complete.
void LinkNetwork::complete_bursts(Cycle now)
{
    const std::vector<uint32_t> &complete = bursts_->run(now);
    for (const uint32_t number : complete) {
        done_.push_back(transfers_[number].owner);
        take_off(number);
    }
    if (!complete.empty())
        share();
    next_ = bursts_->next();
}

void LinkNetwork::pop_front(Route &route)
{
    const uint32_t number = route.queue.front();
    std::pop_heap(route.queue.begin(), route.queue.end(),
                  [this](uint32_t a, uint32_t b) { return before(b, a); });
    route.queue.pop_back();
    transfers_[number].route = kNone;
    transfers_[number].next_free = free_;
    free_ = number;
    --active_;
}

const std::vector<LinkNetwork::Owner> &LinkNetwork::complete(Cycle now)
{
    advance(now);
    done_.clear();
    if (__builtin_expect(bursts_ != nullptr, 0)) {
        complete_bursts(now);
        return done_;
    }
    for (const uint32_t index : listed_) {
        Route &r = routes_[index];
        while (!r.queue.empty() && transfers_[r.queue.front()].goal <= r.served + kSlack) {
            done_.push_back(transfers_[r.queue.front()].owner);
            pop_front(r);
        }
    }
    share();
    return done_;
}

void LinkNetwork::advance(Cycle now)
{
    const Cycle passed = now - last_;
    last_ = now;
    if (passed == 0)
        return;
    for (const uint32_t index : listed_) {
        Route &r = routes_[index];
        r.served += static_cast<Fixed>(r.rate) * passed;
    }
}

// Max-min fair shares (T-LNK-4, T-LNK-8) by filling: the link that leaves its users least, or a
// ceiling below that, fixes a rate, until every route has one. Then the next completion (T-LNK-5).
void LinkNetwork::share()
{
    size_t kept = 0;
    for (const uint32_t index : listed_) {
        Route &r = routes_[index];
        if (r.queue.empty()) {
            r.listed = false;
            r.served = 0;
            continue;
        }
        listed_[kept++] = index;
    }
    listed_.resize(kept);
    next_ = kNever;
    if (kept == 0)
        return;
    if (kept == 1) {
        Route &only = routes_[listed_[0]];
        only.rate = rate_of_only(only);
        find_next(only);
        return;
    }
    share_among();
    for (const uint32_t index : listed_)
        find_next(routes_[index]);
}

// What share_among() comes to when all that moves moves along one route.
uint64_t LinkNetwork::rate_of_only(const Route &route) const
{
    uint64_t least = route.cap;
    for (uint32_t i = 0; i < route.count; ++i)
        least = std::min(least, capacity_[route.links[i]] / (route.weight[i] * route.queue.size()));
    return std::max<uint64_t>(least, 1);
}

void LinkNetwork::find_next(const Route &route)
{
    const Fixed goal = transfers_[route.queue.front()].goal;
    const Fixed have = route.served + kSlack;
    const Fixed left = goal > have ? goal - have : 0;
    const Fixed up = left + route.rate - 1;
    // Most of the time one word will do, and its division is a single instruction.
    const auto cycles = static_cast<Cycle>(up >> 64 == 0 ? static_cast<uint64_t>(up) / route.rate
                                                         : up / route.rate);
    next_ = std::min(next_, last_ + cycles);
}

void LinkNetwork::share_among()
{
    for (const uint32_t index : listed_) {
        Route &r = routes_[index];
        r.rate = 0;
        for (uint32_t i = 0; i < r.count; ++i) {
            room_[r.links[i]] = capacity_[r.links[i]];
            demand_[r.links[i]] = 0;
        }
    }
    for (const uint32_t index : listed_) {
        const Route &r = routes_[index];
        for (uint32_t i = 0; i < r.count; ++i)
            demand_[r.links[i]] += r.weight[i] * r.queue.size();
    }
    for (size_t open = listed_.size(); open > 0;) {
        uint64_t least = UINT64_MAX;
        for (const uint32_t index : listed_) {
            const Route &r = routes_[index];
            if (r.rate != 0)
                continue;
            least = std::min(least, r.cap);
            for (uint32_t i = 0; i < r.count; ++i)
                least = std::min(least, room_[r.links[i]] / demand_[r.links[i]]);
        }
        // Which routes are bound is decided before any is fixed, so that equals get equal shares.
        bound_.clear();
        for (const uint32_t index : listed_) {
            const Route &r = routes_[index];
            if (r.rate == 0 && r.cap == least) {
                bound_.push_back(index);
                continue;
            }
            for (uint32_t i = 0; r.rate == 0 && i < r.count; ++i) {
                if (room_[r.links[i]] / demand_[r.links[i]] == least) {
                    bound_.push_back(index);
                    break;
                }
            }
        }
        for (const uint32_t index : bound_) {
            Route &r = routes_[index];
            r.rate = std::max<uint64_t>(least, 1);
            --open;
            for (uint32_t i = 0; i < r.count; ++i) {
                const uint64_t users = r.weight[i] * r.queue.size();
                room_[r.links[i]] -= std::min(room_[r.links[i]], least * users);
                demand_[r.links[i]] -= users;
            }
        }
    }
}

} // namespace tsim
