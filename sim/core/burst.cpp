// SPDX-License-Identifier: Apache-2.0
#include "core/burst.h"

#include <algorithm>

namespace tsim
{

BurstNetwork::BurstNetwork(const std::vector<uint64_t> &capacity, unsigned fraction,
                           uint64_t burst_bytes, uint64_t outstanding)
    : fraction_(fraction), burst_(burst_bytes), outstanding_(outstanding)
{
    for (const uint64_t rate : capacity)
        links_.push_back({std::max<uint64_t>(rate, 1), {}, false, {}});
}

BurstNetwork::Time BurstNetwork::duration(uint64_t bytes, uint64_t rate) const
{
    return static_cast<Time>((static_cast<unsigned __int128>(bytes) << (fraction_ + kParts)) /
                             std::max<uint64_t>(rate, 1));
}

void BurstNetwork::start(Cycle now, uint32_t transfer, const Hop *hops, uint32_t count,
                         uint64_t bytes, uint64_t ceiling)
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
    t.left = bytes;
    t.bursts = t.total = (bytes + burst_ - 1) / burst_;
    t.last = bytes - (t.bursts - 1) * burst_;
    t.ceiling = ceiling;
    t.free_at = now << kParts;
    issue(now << kParts, transfer);
}

void BurstNetwork::cancel(uint32_t transfer)
{
    transfers_[transfer].open = false;
    ++transfers_[transfer].generation; // what is on its way is dropped where it is met
}

// BST-2, BST-4: as many as may be under way, no earlier than the ceiling allows.
void BurstNetwork::issue(Time now, uint32_t number)
{
    while (transfers_[number].left > 0 && transfers_[number].under_way < outstanding_) {
        Transfer &t = transfers_[number];
        if (t.free_at > now) {
            if (!t.held)
                events_.push({t.free_at, sequence_++, kNone, {number, 0, t.generation}});
            t.held = true;
            return;
        }
        const uint64_t bytes = std::min(t.left, burst_);
        t.left -= bytes;
        ++t.under_way;
        if (t.ceiling != UINT64_MAX)
            t.free_at = std::max(now, t.free_at) + duration(bytes, t.ceiling);
        arrive(now, number, 0);
    }
}

void BurstNetwork::arrive(Time now, uint32_t number, uint32_t hop)
{
    Transfer &t = transfers_[number];
    Link &link = links_[t.hops[hop].link];
    if (t.waiting[hop]++ == 0)
        link.turn.push_back({number, hop, t.generation});
    if (!link.busy)
        serve(now, t.hops[hop].link);
}

// BST-3: one burst at a time, transfers in turn.
void BurstNetwork::serve(Time now, uint32_t index)
{
    Link &link = links_[index];
    while (!link.turn.empty()) {
        const Place place = link.turn.front();
        link.turn.pop_front();
        Transfer &t = transfers_[place.transfer];
        if (!t.open || t.generation != place.generation)
            continue;
        // Bursts of a transfer keep their order: the short one comes last.
        const uint64_t bytes = ++t.passed[place.hop] == t.total ? t.last : burst_;
        if (--t.waiting[place.hop] > 0)
            link.turn.push_back(place);
        link.busy = true;
        link.served = place;
        events_.push({now + duration(bytes * t.hops[place.hop].weight, link.capacity), sequence_++,
                      index, place});
        return;
    }
}

void BurstNetwork::served(Time now, uint32_t index)
{
    const Place place = links_[index].served;
    links_[index].busy = false;
    Transfer &t = transfers_[place.transfer];
    if (t.open && t.generation == place.generation) {
        if (place.hop + 1 < t.count) {
            arrive(now, place.transfer, place.hop + 1);
        } else {
            --t.under_way;
            if (--t.bursts == 0) {
                t.open = false;
                done_.push_back(place.transfer);
            } else {
                issue(now, place.transfer);
            }
        }
    }
    if (!links_[index].busy)
        serve(now, index);
}

const std::vector<uint32_t> &BurstNetwork::run(Cycle now)
{
    done_.clear();
    while (!events_.empty() && events_.top().time <= now << kParts) {
        const Event event = events_.top();
        events_.pop();
        if (event.link != kNone) {
            served(event.time, event.link);
            continue;
        }
        Transfer &t = transfers_[event.place.transfer];
        if (t.open && t.generation == event.place.generation) {
            t.held = false;
            issue(event.time, event.place.transfer);
        }
    }
    return done_;
}

Cycle BurstNetwork::next() const
{
    constexpr Time kRest = (Time{1} << kParts) - 1;
    return events_.empty() ? kNever : (events_.top().time + kRest) >> kParts;
}

} // namespace tsim
