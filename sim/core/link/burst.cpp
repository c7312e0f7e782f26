// SPDX-License-Identifier: Apache-2.0
#include "core/link/burst.h"

#include <utility>

namespace tsim
{

BurstNetwork::BurstNetwork(const std::vector<uint64_t> &capacity, unsigned fraction,
                           uint64_t burst_bytes, uint64_t outstanding,
                           std::unique_ptr<BurstRtlPort> channels,
                           std::unique_ptr<LinkRtlPort> links)
    : channels_(fraction, burst_bytes, outstanding, std::move(channels)),
      links_(capacity, fraction, burst_bytes, std::move(links))
{
}

void BurstNetwork::start(Cycle now, uint32_t transfer, const Hop *hops, uint32_t count,
                         uint64_t bytes, uint64_t ceiling)
{
    if (transfer >= generations_.size())
        generations_.resize(transfer + 1);
    now_ = now;
    // The channel comes first: it is the one that may have no room (BurstRtlPort).
    channels_.start(now << kParts, transfer, bytes, ceiling);
    links_.open(transfer, hops, count, bytes);
    issue(now << kParts, transfer);
}

void BurstNetwork::cancel(uint32_t transfer)
{
    channels_.cancel(transfer);
    links_.cancel(transfer);
    close(transfer);
    drop_stale();
}

// T-BST-2, T-BST-4: as many as may be under way, no earlier than the ceiling allows.
void BurstNetwork::issue(Time now, uint32_t number)
{
    for (;;) {
        const BurstChannels::Step step = channels_.next(now, number);
        if (step.bytes != 0) {
            expect(links_.arrive(now, number, step.bytes));
            continue;
        }
        if (step.hold)
            events_.push({step.hold_at, sequence_++, kNone, number, generations_[number]});
        return;
    }
}

void BurstNetwork::expect(const BurstLinks::Grant &grant)
{
    if (grant.link != kNone)
        events_.push({grant.until, sequence_++, grant.link, kNone, 0});
}

// T-BST-3: to the next link, or back to the channel; then the link turns to the next one that
// waits.
void BurstNetwork::passed(Time now, uint32_t link)
{
    const BurstLinks::Passage passage = links_.passed(now, link);
    expect(passage.grant);
    if (passage.transfer != kNone) {
        if (channels_.passed(now, passage.transfer)) {
            close(passage.transfer);
            done_.push_back(passage.transfer);
        } else {
            issue(now, passage.transfer);
        }
    }
    expect(links_.next(now, link));
}

const std::vector<uint32_t> &BurstNetwork::run(Cycle now)
{
    done_.clear();
    now_ = now;
    while (!events_.empty() && !BurstRtlPort::is_after(events_.top().time, now << kParts)) {
        const Event event = events_.top();
        events_.pop();
        if (event.link != kNone) {
            passed(event.time, event.link);
        } else {
            channels_.resume(event.time, event.transfer);
            issue(event.time, event.transfer);
        }
        drop_stale();
    }
    return done_;
}

void BurstNetwork::drop_stale()
{
    while (!events_.empty() && events_.top().link == kNone &&
           events_.top().generation != generations_[events_.top().transfer])
        events_.pop();
}

Cycle BurstNetwork::next() const
{
    constexpr Time kRest = (Time{1} << kParts) - 1;
    if (events_.empty())
        return kNever;
    const Time ahead = events_.top().time - (now_ << kParts);
    const Cycle cycles = BurstRtlPort::is_after(ahead, 0) ? (ahead + kRest) >> kParts : 0;
    return cycles > kNever - now_ ? kNever : now_ + cycles; // beyond the end of time
}

} // namespace tsim
