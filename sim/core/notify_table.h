// SPDX-License-Identifier: Apache-2.0
/// Notify flags: one record lets exactly one wait pass. Rules NTF-1 to NTF-5.
#ifndef TWINSIM_CORE_NOTIFY_TABLE_H
#define TWINSIM_CORE_NOTIFY_TABLE_H

#include "core/wait_lists.h"

namespace tsim
{

class NotifyTable
{
  public:
    NotifyTable(uint32_t ids, uint32_t queues) : lists_(ids, queues), ids_(ids) {}

    [[nodiscard]] uint32_t size() const { return ids_; }
    /// First state again. Needs no memory.
    void reset() { lists_.clear(); }
    [[nodiscard]] bool flag(uint32_t id) const { return lists_[id].flag; }
    [[nodiscard]] bool pending(uint32_t id) const { return lists_[id].first != 0; }

    /// A wait of `queue`: true when it passes now, and the flag is gone (NTF-2); else the queue is on the list.
    [[nodiscard]] bool wait(uint32_t id, uint32_t queue, Cycle now)
    {
        if (lists_[id].flag) {
            lists_[id].flag = false;
            return true;
        }
        lists_.add(id, queue, now);
        return false;
    }
    /// Gives the one queue that this record lets pass (NTF-3); kNone: nobody waits, the flag is set (NTF-1).
    [[nodiscard]] uint32_t record(uint32_t id)
    {
        const uint32_t queue = lists_.take(id);
        if (queue == kNone)
            lists_[id].flag = true;
        return queue;
    }
    void clear(uint32_t id) { lists_[id].flag = false; }
    void forget(uint32_t id, uint32_t queue) { lists_.remove(id, queue); }

  private:
    WaitLists lists_;
    const uint32_t ids_;
};

} // namespace tsim

#endif
