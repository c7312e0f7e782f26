// SPDX-License-Identifier: Apache-2.0
#include "core/queue/poll.h"

#include <algorithm>
#include <cassert>

namespace tsim
{

size_t PollList::index(uint32_t timer) const
{
    const auto at = std::find_if(watches_.begin(), watches_.end(),
                                 [timer](const Watch &watch) { return watch.timer == timer; });
    assert(at != watches_.end());
    return static_cast<size_t>(at - watches_.begin());
}

void PollList::add(uint32_t timer, Cycle limit, const CondResult &result, const Places &places)
{
    Watch watch{timer, result.reads, now_, limit, kNever, result.read, places};
    if (result.reads == 0)
        watch.read[0].address = UINT64_MAX;
    watches_.push_back(watch);
    rest(timer);
}

void PollList::remove(uint32_t timer)
{
    watches_[index(timer)] = watches_.back();
    watches_.pop_back();
    calendar_.cancel(timer);
}

void PollList::stored(uint64_t place, uint64_t bytes)
{
    for (Watch &watch : watches_) {
        bool touched = watch.reads > CondResult::kMostReads;
        for (uint32_t i = 0; i < watch.reads && i < CondResult::kMostReads; ++i)
            touched = touched || (watch.place[i] < place + bytes &&
                                  place < watch.place[i] + watch.read[i].bytes);
        if (touched)
            arm(watch);
    }
}

// The first turn after this instant.
void PollList::arm(Watch &watch)
{
    if (watch.due != kNever)
        return;
    watch.due = watch.since + ((now_ - watch.since) / period_ + 1) * period_;
    calendar_.schedule(watch.timer, std::min(watch.due, watch.limit), Rank::kQueue);
}

void PollList::look(uint32_t timer)
{
    arm(watches_[index(timer)]);
}

void PollList::rest(uint32_t timer)
{
    Watch &watch = watches_[index(timer)];
    watch.due = kNever;
    if (watch.limit == kNever)
        calendar_.cancel(timer);
    else
        calendar_.schedule(timer, watch.limit, Rank::kQueue);
}

std::vector<uint32_t> PollList::timers() const
{
    std::vector<uint32_t> timers;
    timers.reserve(watches_.size());
    for (const Watch &watch : watches_)
        timers.push_back(watch.timer);
    return timers;
}

} // namespace tsim
