// SPDX-License-Identifier: Apache-2.0
#include "core/link/burst_links.h"

#include <algorithm>
#include <utility>

#include "core/link/burst_channels.h"

namespace tsim
{

BurstLinks::BurstLinks(const std::vector<uint64_t> &rates, unsigned fraction, uint64_t burst_bytes,
                       std::unique_ptr<LinkRtlPort> rtl_port)
    : fraction_(fraction), burst_(burst_bytes), rtl_port_(std::move(rtl_port))
{
    for (const uint64_t rate : rates)
        links_.push_back({std::max<uint64_t>(rate, 1), {}, false, {}});
}

void BurstLinks::open_here(uint32_t transfer, const Hop *hops, uint32_t count, uint64_t bytes)
{
    if (transfer >= transfers_.size())
        transfers_.resize(transfer + 1);
    Transfer &t = transfers_[transfer];
    const uint32_t generation = t.generation + 1;
    t = {};
    t.generation = generation;
    t.open = true;
    std::copy(hops, hops + count, t.hops.begin());
    t.count = count;
    t.total = (bytes + burst_ - 1) / burst_;
    t.last = bytes - (t.total - 1) * burst_;
}

BurstLinks::Grant BurstLinks::wait(Time now, uint32_t transfer, uint32_t hop)
{
    Transfer &t = transfers_[transfer];
    const uint32_t index = t.hops[hop].link;
    if (t.waiting[hop]++ == 0)
        links_[index].turn.push_back({transfer, hop, t.generation});
    return links_[index].busy ? Grant{} : serve(now, index);
}

// One burst at a time, transfers in turn.
BurstLinks::Grant BurstLinks::serve(Time now, uint32_t index)
{
    Link &link = links_[index];
    while (!link.turn.empty()) {
        const Place place = link.turn.front();
        link.turn.pop_front();
        Transfer &t = transfers_[place.transfer];
        if (!t.open || t.generation != place.generation)
            continue;
        // Bursts of a transfer keep their order: the short one comes last.
        const uint64_t bytes = ++t.begun[place.hop] == t.total ? t.last : burst_;
        if (--t.waiting[place.hop] > 0)
            link.turn.push_back(place);
        link.busy = true;
        link.served = place;
        const Time time =
            BurstChannels::duration(bytes * t.hops[place.hop].weight, link.rate, fraction_);
        return {index, place.transfer, bytes, now + time};
    }
    return {};
}

BurstLinks::Passage BurstLinks::passed_here(Time now, uint32_t index)
{
    const Place place = links_[index].served;
    links_[index].busy = false;
    Transfer &t = transfers_[place.transfer];
    if (!t.open || t.generation != place.generation)
        return {};
    if (place.hop + 1 < t.count)
        return {kNone, false, wait(now, place.transfer, place.hop + 1)};
    const bool last = t.begun[place.hop] == t.total;
    t.open = !last;
    return {place.transfer, last, {}};
}

} // namespace tsim
