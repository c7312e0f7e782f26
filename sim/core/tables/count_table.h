// SPDX-License-Identifier: Apache-2.0
/// Counting notifies: 32-bit counts, and waits for a relation to hold. Rules T-CTN-1 to T-CTN-6.
#ifndef TWINSIM_CORE_TABLES_COUNT_TABLE_H
#define TWINSIM_CORE_TABLES_COUNT_TABLE_H

#include "core/tables/wait_lists.h"
#include "twinsim/stars.h"

namespace tsim
{

class CountTable
{
  public:
    /// What a queue waits for.
    struct Condition {
        uint32_t value = 0;
        uint8_t relation = STARS_COUNT_EQUAL;
        bool clear = false; ///< the passing wait zeroes the count
    };

    CountTable(uint32_t ids, uint32_t queues)
        : lists_(ids, queues), counts_(ids), conditions_(queues), ids_(ids)
    {
    }

    [[nodiscard]] uint32_t size() const { return ids_; }
    /// First state again. Needs no memory.
    void reset()
    {
        lists_.clear();
        counts_.clear();
    }
    [[nodiscard]] uint32_t count(uint32_t id) const { return counts_[id]; }
    [[nodiscard]] bool pending(uint32_t id) const { return lists_[id].first != 0; }

    /// A wait of `queue`: true when it passes now (T-CTN-3); else the queue is on the list.
    [[nodiscard]] bool wait(uint32_t id, uint32_t queue, const Condition &condition, Cycle now)
    {
        if (passes(id, condition))
            return true;
        conditions_[queue] = condition;
        lists_.add(id, queue, now);
        return false;
    }
    /// Changes the count (T-CTN-1). The caller then takes everyone with release() (T-CTN-4).
    void change(uint32_t id, uint32_t mode, uint32_t value)
    {
        uint32_t &count = counts_[id];
        switch (mode) {
        case STARS_COUNT_ADD:
            count += value;
            break;
        case STARS_COUNT_OR:
            count |= value;
            break;
        case STARS_COUNT_AND:
            count &= value;
            break;
        default:
            count = value;
            break;
        }
    }
    /// The first queue on the list whose relation holds; kNone when there is none.
    [[nodiscard]] uint32_t release(uint32_t id)
    {
        for (uint32_t queue = lists_.head(id); queue != kNone; queue = lists_.after(queue))
            if (passes(id, conditions_[queue])) {
                lists_.remove(id, queue);
                return queue;
            }
        return kNone;
    }
    void forget(uint32_t id, uint32_t queue) { lists_.remove(id, queue); }

  private:
    /// T-CTN-2, T-CTN-5.
    bool passes(uint32_t id, const Condition &condition)
    {
        uint32_t &count = counts_[id];
        if (!holds(count, condition))
            return false;
        if (condition.clear)
            count = 0;
        return true;
    }
    static bool holds(uint32_t count, const Condition &condition)
    {
        switch (condition.relation) {
        case STARS_COUNT_LESS:
            return count < condition.value;
        case STARS_COUNT_EQUAL:
            return count == condition.value;
        case STARS_COUNT_GREATER:
            return count > condition.value;
        case STARS_COUNT_GREATER_OR_EQUAL:
            return count >= condition.value;
        default:
            return (count & condition.value) == condition.value;
        }
    }

    WaitLists lists_;
    LazyArray<uint32_t> counts_;
    std::vector<Condition> conditions_; // by queue
    const uint32_t ids_;
};

} // namespace tsim

#endif
