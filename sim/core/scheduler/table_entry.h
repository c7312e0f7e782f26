// SPDX-License-Identifier: Apache-2.0
/// Addresses of entries of the event and notify tables (twinsim/stars.h).
#ifndef TWINSIM_CORE_SCHEDULER_TABLE_ENTRY_H
#define TWINSIM_CORE_SCHEDULER_TABLE_ENTRY_H

#include "core/base/types.h"
#include "twinsim/stars.h"

namespace tsim
{

/// The id of the entry at `address`, of `ids` in tables of `of_table` from `base` on; kNone: there
/// is none.
[[nodiscard]] inline uint32_t entry_at(uint64_t address, uint64_t base, uint32_t of_table,
                                       uint32_t ids)
{
    if (address < base || address % 4 != 0)
        return kNone;
    const uint64_t table = (address - base) / STARS_TABLE_STEP;
    const uint64_t place = (address - base) % STARS_TABLE_STEP / 4;
    if (place >= of_table || table > ids / of_table)
        return kNone;
    const auto id = static_cast<uint32_t>(table * of_table + place);
    return id < ids ? id : kNone;
}

[[nodiscard]] inline uint32_t event_at(uint64_t address, uint32_t events)
{
    return entry_at(address, STARS_EVENT_TABLE_BASE, STARS_EVENTS_OF_TABLE, events);
}

[[nodiscard]] inline uint32_t notify_at(uint64_t address, uint32_t notifies)
{
    return entry_at(address, STARS_NOTIFY_TABLE_BASE, STARS_NOTIFIES_OF_TABLE, notifies);
}

} // namespace tsim

#endif
