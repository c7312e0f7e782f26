// SPDX-License-Identifier: Apache-2.0
/// Event flags: one record releases all waiters, the flag stays. Rules T-EVT-1 to T-EVT-11.
#ifndef TWINSIM_CORE_TABLES_EVENT_TABLE_H
#define TWINSIM_CORE_TABLES_EVENT_TABLE_H

#include <array>

#include "core/base/rtl_port.h"
#include "core/tables/wait_lists.h"

namespace tsim
{

class EventTable : public FlagTable<EventRtlPort>
{
  public:
    static constexpr uint32_t kParts =
        16; ///< of an isolated cache, and tables that the ids are divided into
    static constexpr uint32_t kPartIds = 4096;

    /// `lines` entries fit on the chip, or a 16th of them of each table of 4096 ids when it is
    /// isolated. `rtl_port` takes its place, if there is one, but for forwarding.
    EventTable(uint32_t ids, uint32_t queues, uint32_t lines, bool isolated,
               std::unique_ptr<EventRtlPort> rtl_port = nullptr)
        : FlagTable(ids, queues, std::move(rtl_port)), lines_(isolated ? lines / kParts : lines),
          isolated_(isolated)
    {
    }

    /// First state again. Needs no memory.
    void reset()
    {
        FlagTable::reset();
        used_.fill(0);
        hand_.fill(0);
    }
    /// A wait of `queue`: true when it passes now (T-EVT-2); else the queue is on the list
    /// (T-EVT-3).
    [[nodiscard]] bool wait(uint32_t id, uint32_t queue, Cycle now)
    {
        if (has_rtl_port())
            return rtl_port_->wait(id, queue, now);
        if (lists_[id].flag)
            return true;
        lists_.add(id, queue, now);
        settle(id);
        return false;
    }
    /// Sets the flag (T-EVT-1). The caller then takes every waiter with release() (T-EVT-4).
    void record(uint32_t id)
    {
        if (has_rtl_port())
            return rtl_port_->record(id);
        lists_[id].flag = true;
        settle(id);
    }
    [[nodiscard]] uint32_t release(uint32_t id)
    {
        return has_rtl_port() ? rtl_port_->release(id) : lists_.take(id);
    }
    /// Clears the flag; those that wait go on waiting (T-EVT-5).
    void clear(uint32_t id)
    {
        if (has_rtl_port())
            return rtl_port_->clear(id);
        lists_[id].flag = false;
        settle(id);
    }
    /// The queue gives up: its time is over, or it is killed.
    void forget(uint32_t id, uint32_t queue)
    {
        if (has_rtl_port())
            return rtl_port_->forget(id, queue);
        lists_.remove(id, queue);
        settle(id);
    }

    // ---- forwarding, which the scheduler does (T-RMT-6) ----

    [[nodiscard]] bool sends(uint32_t id) const { return lists_[id].sends; }
    [[nodiscard]] bool receives(uint32_t id) const { return lists_[id].receives; }
    void set_sends(uint32_t id, bool on) { lists_[id].sends = on; }
    void set_receives(uint32_t id, bool on) { lists_[id].receives = on; }

    // ---- the cache ----

    /// Whether an access must bring the entry from memory first (T-EVT-8).
    [[nodiscard]] bool in_memory(uint32_t id) const
    {
        return has_rtl_port() ? rtl_port_->read(id).in_memory : lists_[id].place == kMemory;
    }
    /// It is there now, and another one has gone if all lines were taken (T-EVT-9).
    void load(uint32_t id);

  private:
    enum Place : uint8_t {
        kNowhere, // clear: it needs no line
        kLine,
        kMemory
    };

    [[nodiscard]] uint32_t part(uint32_t id) const { return isolated_ ? id / kPartIds : 0; }
    /// T-EVT-7: an entry that is not clear any more takes a line, one that has become clear gives
    /// it back.
    void settle(uint32_t id)
    {
        TableEntry &entry = lists_[id];
        const bool clear = !entry.flag && entry.first == 0;
        if (clear != (entry.place == kNowhere))
            move(id, clear);
    }
    void move(uint32_t id, bool clear)
    {
        TableEntry &entry = lists_[id];
        if (!clear)
            place(id);
        else if (entry.place == kLine)
            --used_[part(id)];
        if (clear)
            entry.place = kNowhere;
    }
    void place(uint32_t id)
    {
        if (__builtin_expect(used_[part(id)] == lines_, 0))
            displace(part(id));
        else
            ++used_[part(id)];
        lists_[id].place = kLine;
    }
    void displace(uint32_t part);

    const uint32_t lines_; // of one part
    const bool isolated_;
    std::array<uint32_t, kParts> used_{}; // lines, by part
    std::array<uint32_t, kParts> hand_{}; // by part: the id after the one displaced last
};

} // namespace tsim

#endif
