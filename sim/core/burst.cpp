// SPDX-License-Identifier: Apache-2.0
#include "core/burst.h"

#include <algorithm>

namespace tsim
{

BurstNetwork::BurstNetwork(const std::vector<uint64_t> &capacity, unsigned fraction,
                           uint64_t burst_bytes, uint64_t outstanding,
                           std::unique_ptr<BurstTwin> twin)
    : fraction_(fraction), burst_(burst_bytes),
      channels_(fraction, burst_bytes, outstanding, std::move(twin))
{
    for (const uint64_t rate : capacity)
        links_.push_back({std::max<uint64_t>(rate, 1), {}, false, {}});
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
    t.total = (bytes + burst_ - 1) / burst_;
    t.last = bytes - (t.total - 1) * burst_;
    channels_.start(now << kParts, transfer, bytes, ceiling);
    issue(now << kParts, transfer);
}

void BurstNetwork::cancel(uint32_t transfer)
{
    channels_.cancel(transfer);
    transfers_[transfer].open = false;
    ++transfers_[transfer].generation; // what is on its way is dropped where it is met
}

// BST-2, BST-4: as many as may be under way, no earlier than the ceiling allows.
void BurstNetwork::issue(Time now, uint32_t number)
{
    for (;;) {
        const BurstChannels::Step step = channels_.next(now, number);
        if (step.bytes != 0) {
            arrive(now, number, 0);
            continue;
        }
        if (step.hold != kNever)
            events_.push(
                {step.hold, sequence_++, kNone, {number, 0, transfers_[number].generation}});
        return;
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
        events_.push({now + BurstChannels::duration(bytes * t.hops[place.hop].weight, link.capacity,
                                                    fraction_),
                      sequence_++, index, place});
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
        } else if (channels_.passed(now, place.transfer)) {
            t.open = false;
            done_.push_back(place.transfer);
        } else {
            issue(now, place.transfer);
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
        const Transfer &t = transfers_[event.place.transfer];
        if (t.open && t.generation == event.place.generation) {
            channels_.resume(event.time, event.place.transfer);
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
