// SPDX-License-Identifier: Apache-2.0
/// Where a write-value SQE writes. Rule T-SQE-9.
#ifndef TWINSIM_CORE_SCHEDULER_SQE_STORE_H
#define TWINSIM_CORE_SCHEDULER_SQE_STORE_H

#include "core/base/rtl_port.h"
#include "core/scheduler/sqe_fields.h"
#include "core/scheduler/table_entry.h"

namespace tsim
{

struct Store {
    enum { kMemory, kEvent, kNotify, kNowhere } where;
    uint64_t address;
    uint32_t id;
    uint32_t bytes;
};

/// On a device with tables of these sizes.
[[nodiscard]] inline Store store_of(const stars_sqe &sqe, uint32_t events, uint32_t notifies)
{
    Store store{Store::kNowhere, uint64_t{sqe.word[4]} | uint64_t{sqe.word[5] & 0x1ffffu} << 32, 0,
                1u << sqe_field(sqe, 5, STARS_W5_SIZE_SHIFT, 3)};
    if ((sqe.word[5] & STARS_W5_VIRTUAL) != 0) {
        store.where = Store::kMemory;
        return store;
    }
    const uint32_t event = event_at(store.address, events);
    const uint32_t notify = notify_at(store.address, notifies);
    if (event != kNone) {
        store.where = Store::kEvent;
        store.id = event;
    } else if (notify != kNone) {
        store.where = Store::kNotify;
        store.id = notify;
    }
    return store;
}

/// What the SQE asks for.
[[nodiscard]] inline SqeDecoded decode_store(const stars_sqe &sqe, uint32_t events,
                                             uint32_t notifies)
{
    const Store store = store_of(sqe, events, notifies);
    const uint32_t subtype = sqe.word[7];
    const bool reset = subtype == STARS_WRITE_VALUE_EVENT_RESET;
    const bool remote = store.address >= STARS_PEER_BASE;
    if (subtype >= STARS_WRITE_VALUE_END || store.bytes > 32 ||
        (reset && store.where != Store::kEvent && !remote))
        return {};
    const bool flag = (sqe.word[8] & 1u) != 0;
    switch (store.where) {
    case Store::kEvent:
        return {flag ? SqeEffect::kEventRecord : SqeEffect::kEventClear, 0, store.id};
    case Store::kNotify:
        return {flag ? SqeEffect::kNotifyRecord : SqeEffect::kNotifyClear, 0, store.id};
    case Store::kMemory:
        return {SqeEffect::kStore};
    default:
        return {remote ? SqeEffect::kRemote : SqeEffect::kNowhere};
    }
}

} // namespace tsim

#endif
