// SPDX-License-Identifier: Apache-2.0
/// Event flags: one record releases everybody, the flag stays. Rules EVT-1 to EVT-6.
#ifndef TWINSIM_CORE_EVENT_TABLE_H
#define TWINSIM_CORE_EVENT_TABLE_H

#include "core/wait_lists.h"

namespace tsim
{

class EventTable
{
  public:
    EventTable(uint32_t ids, uint32_t queues) : lists_(ids, queues), ids_(ids) {}

    [[nodiscard]] uint32_t size() const { return ids_; }
    /// First state again. Needs no memory.
    void reset() { lists_.clear(); }
    [[nodiscard]] bool flag(uint32_t id) const { return lists_[id].flag; }
    /// The pending bit: a wait came before its record.
    [[nodiscard]] bool pending(uint32_t id) const { return lists_[id].first != 0; }

    /// A wait of `queue`: true when it passes now (EVT-2); else the queue is on the list (EVT-3).
    [[nodiscard]] bool wait(uint32_t id, uint32_t queue, Cycle now)
    {
        if (lists_[id].flag)
            return true;
        lists_.add(id, queue, now);
        return false;
    }
    /// Sets the flag (EVT-1). The caller then takes every waiter with release() (EVT-4).
    void record(uint32_t id) { lists_[id].flag = true; }
    [[nodiscard]] uint32_t release(uint32_t id) { return lists_.take(id); }
    /// Clears the flag; those that wait go on waiting (EVT-5).
    void clear(uint32_t id) { lists_[id].flag = false; }
    /// The queue gives up: its time is over, or it is killed.
    void forget(uint32_t id, uint32_t queue) { lists_.remove(id, queue); }

  private:
    WaitLists lists_;
    const uint32_t ids_;
};

} // namespace tsim

#endif
