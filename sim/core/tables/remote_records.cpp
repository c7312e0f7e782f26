// SPDX-License-Identifier: Apache-2.0
#include "core/tables/remote_records.h"

namespace tsim
{

void RemoteRecords::release(uint32_t at)
{
    pool_[at].next = free_;
    free_ = at;
}

void RemoteRecords::add(uint32_t event, uint32_t device, uint32_t entry)
{
    if (free_ == kNone) {
        pool_.push_back({});
        release(static_cast<uint32_t>(pool_.size() - 1));
    }
    const auto [first, fresh] = wanted_.try_emplace(event, free_);
    const uint32_t self = free_;
    free_ = pool_[self].next;
    pool_[self] = {event, device, entry, kNone, 0, {}};
    if (fresh)
        return;
    uint32_t last = first->second;
    while (pool_[last].next != kNone)
        last = pool_[last].next;
    pool_[last].next = self;
}

void RemoteRecords::send(uint32_t event, Cycle arrival, const Origin &origin)
{
    const auto found = wanted_.find(event);
    if (found == wanted_.end())
        return;
    const uint32_t first = found->second;
    wanted_.erase(found);
    uint32_t last = first;
    for (uint32_t at = first; at != kNone; at = pool_[at].next) {
        pool_[at].arrival = arrival;
        pool_[at].origin = origin;
        last = at;
    }
    (first_ == kNone ? first_ : pool_[last_].next) = first;
    last_ = last;
}

RemoteRecords::Forward RemoteRecords::arrived()
{
    const uint32_t at = first_;
    const Forward out = pool_[at];
    first_ = out.next;
    if (first_ == kNone)
        last_ = kNone;
    release(at);
    return out;
}

bool RemoteRecords::take(uint32_t event, Forward &out)
{
    const auto found = wanted_.find(event);
    if (found == wanted_.end())
        return false;
    const uint32_t at = found->second;
    out = pool_[at];
    if (out.next == kNone)
        wanted_.erase(found);
    else
        found->second = out.next;
    release(at);
    return true;
}

void RemoteRecords::drop_to(uint32_t device, uint32_t entry)
{
    // Links them anew without those that go there; gives the last that stays.
    const auto without = [&](uint32_t &first) {
        uint32_t last = kNone;
        for (uint32_t at = first; at != kNone;) {
            const uint32_t next = pool_[at].next;
            if (pool_[at].device == device && (entry == kNone || pool_[at].entry == entry)) {
                (last == kNone ? first : pool_[last].next) = next;
                release(at);
            } else {
                last = at;
            }
            at = next;
        }
        return last;
    };
    last_ = without(first_);
    for (auto event = wanted_.begin(); event != wanted_.end();)
        event = without(event->second) == kNone ? wanted_.erase(event) : std::next(event);
}

} // namespace tsim
