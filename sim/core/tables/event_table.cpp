// SPDX-License-Identifier: Apache-2.0
#include "core/tables/event_table.h"

#include <algorithm>

namespace tsim
{

void EventTable::load(uint32_t id)
{
    if (has_rtl_port())
        return rtl_port_->load(id);
    if (lists_[id].place == kMemory)
        place(id);
}

// T-EVT-9: in the order of ids, going round. At least one line is taken, so the search ends.
void EventTable::displace(uint32_t part)
{
    const uint32_t first = isolated_ ? part * kPartIds : 0;
    const uint32_t count = isolated_ ? std::min(kPartIds, ids_ - first) : ids_;
    uint32_t at = hand_[part];
    while (lists_[first + at].place != kLine)
        at = (at + 1) % count;
    lists_[first + at].place = kMemory;
    hand_[part] = (at + 1) % count;
}

} // namespace tsim
