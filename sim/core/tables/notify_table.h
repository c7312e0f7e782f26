// SPDX-License-Identifier: Apache-2.0
/// Notify flags: one record lets exactly one wait pass. Rules T-NTF-1 to T-NTF-5.
#ifndef TWINSIM_CORE_TABLES_NOTIFY_TABLE_H
#define TWINSIM_CORE_TABLES_NOTIFY_TABLE_H

#include "core/base/rtl_port.h"
#include "core/tables/wait_lists.h"

namespace tsim
{

class NotifyTable : public FlagTable<NotifyRtlPort>
{
  public:
    /// `rtl_port` takes its place, if there is one.
    NotifyTable(uint32_t ids, uint32_t queues, std::unique_ptr<NotifyRtlPort> rtl_port = nullptr)
        : FlagTable(ids, queues, std::move(rtl_port))
    {
    }

    /// A wait of `queue`: true when it passes now, and the flag is gone (T-NTF-2); else the queue
    /// is on the list.
    [[nodiscard]] bool wait(uint32_t id, uint32_t queue, Cycle now)
    {
        if (has_rtl_port())
            return rtl_port_->wait(id, queue, now);
        if (lists_[id].flag) {
            lists_[id].flag = false;
            return true;
        }
        lists_.add(id, queue, now);
        return false;
    }
    /// Gives the one queue that this record lets pass (T-NTF-3); kNone: no queue waits, the flag is
    /// set (T-NTF-1).
    [[nodiscard]] uint32_t record(uint32_t id)
    {
        if (has_rtl_port())
            return rtl_port_->record(id);
        const uint32_t queue = lists_.take(id);
        if (queue == kNone)
            lists_[id].flag = true;
        return queue;
    }
    void clear(uint32_t id)
    {
        if (has_rtl_port())
            return rtl_port_->clear(id);
        lists_[id].flag = false;
    }
    void forget(uint32_t id, uint32_t queue)
    {
        if (has_rtl_port())
            return rtl_port_->forget(id, queue);
        lists_.remove(id, queue);
    }
};

} // namespace tsim

#endif
