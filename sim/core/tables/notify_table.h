// SPDX-License-Identifier: Apache-2.0
/// Notify flags: one record lets exactly one wait pass. Rules T-NTF-1 to T-NTF-5.
#ifndef TWINSIM_CORE_TABLES_NOTIFY_TABLE_H
#define TWINSIM_CORE_TABLES_NOTIFY_TABLE_H

#include <utility>

#include "core/base/rtl_port.h"
#include "core/tables/wait_lists.h"

namespace tsim
{

class NotifyTable
{
  public:
    /// `rtl_port` takes its place, if there is one.
    NotifyTable(uint32_t ids, uint32_t queues, std::unique_ptr<NotifyRtlPort> rtl_port = nullptr)
        : lists_(ids, queues), ids_(ids), rtl_port_(std::move(rtl_port))
    {
    }

    [[nodiscard]] uint32_t size() const { return ids_; }
    /// First state again. Needs no memory.
    void reset()
    {
        if (rtl_port_)
            rtl_port_->reset();
        lists_.clear();
    }
    [[nodiscard]] bool flag(uint32_t id) const
    {
        return has_rtl_port() ? rtl_port_->read(id).flag : lists_[id].flag;
    }
    [[nodiscard]] bool pending(uint32_t id) const
    {
        return has_rtl_port() ? rtl_port_->read(id).pending : lists_[id].first != 0;
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

  private:
    [[nodiscard]] bool has_rtl_port() const { return __builtin_expect(rtl_port_ != nullptr, 0); }

    WaitLists lists_;
    const uint32_t ids_;
    const std::unique_ptr<NotifyRtlPort> rtl_port_;
};

} // namespace tsim

#endif
