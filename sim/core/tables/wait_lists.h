// SPDX-License-Identifier: Apache-2.0
/// The queues that wait for each id of a table, in the order in which a record meets them (T-EVT-4,
/// T-NTF-3), and what tables of flags have in common.
#ifndef TWINSIM_CORE_TABLES_WAIT_LISTS_H
#define TWINSIM_CORE_TABLES_WAIT_LISTS_H

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "core/base/types.h"

namespace tsim
{

/// A zeroed array whose pages cost nothing before they are touched.
template <typename T>
class LazyArray
{
  public:
    explicit LazyArray(size_t count)
        : data_(static_cast<T *>(std::calloc(count == 0 ? 1 : count, sizeof(T))), &std::free),
          count_(count)
    {
        if (!data_)
            throw std::bad_alloc();
    }
    [[nodiscard]] T &operator[](size_t i) { return data_.get()[i]; }
    [[nodiscard]] const T &operator[](size_t i) const { return data_.get()[i]; }
    [[nodiscard]] size_t size() const { return count_; }
    /// All zero again. A fresh block is the cheap way; without memory for one the old block will
    /// do.
    void clear()
    {
        if (void *fresh = std::calloc(count_ == 0 ? 1 : count_, sizeof(T)))
            data_.reset(static_cast<T *>(fresh));
        else
            std::memset(static_cast<void *>(data_.get()), 0, count_ * sizeof(T));
    }

  private:
    std::unique_ptr<T, decltype(&std::free)> data_;
    size_t count_;
};

/// One entry of the event or the notify table, and the list of those that wait for it.
struct TableEntry {
    uint16_t first; ///< queue + 1, 0: none
    uint16_t last;
    bool flag;
    // Of an event's entry, see event_table.h:
    uint8_t place : 2; ///< where it is kept
    bool sends : 1;    ///< its record may be forwarded
    bool receives : 1; ///< a record is forwarded to it
};
static_assert(sizeof(TableEntry) == 6);

/// First come, first served; those that came in the same cycle by queue number. A queue waits for
/// one id at most.
class WaitLists
{
  public:
    WaitLists(uint32_t ids, uint32_t queues) : entries_(ids), links_(queues) {}

    [[nodiscard]] TableEntry &operator[](uint32_t id) { return entries_[id]; }
    [[nodiscard]] const TableEntry &operator[](uint32_t id) const { return entries_[id]; }

    void add(uint32_t id, uint32_t queue, Cycle now)
    {
        TableEntry &entry = entries_[id];
        uint16_t after = entry.last;
        while (after != 0 && links_[after - 1u].since == now && after - 1u > queue)
            after = links_[after - 1u].previous;
        Link &link = links_[queue];
        link = {now, after == 0 ? entry.first : links_[after - 1u].next, after};
        const auto self = static_cast<uint16_t>(queue + 1);
        (after == 0 ? entry.first : links_[after - 1u].next) = self;
        (link.next == 0 ? entry.last : links_[link.next - 1u].previous) = self;
    }

    void remove(uint32_t id, uint32_t queue)
    {
        TableEntry &entry = entries_[id];
        const Link &link = links_[queue];
        (link.previous == 0 ? entry.first : links_[link.previous - 1u].next) = link.next;
        (link.next == 0 ? entry.last : links_[link.next - 1u].previous) = link.previous;
    }

    /// The first queue on the list, and the one after another; kNone at the end.
    [[nodiscard]] uint32_t head(uint32_t id) const
    {
        return entries_[id].first == 0 ? kNone : entries_[id].first - 1u;
    }
    [[nodiscard]] uint32_t after(uint32_t queue) const
    {
        return links_[queue].next == 0 ? kNone : links_[queue].next - 1u;
    }

    /// First state again: no flag, no queue waits.
    void clear() { entries_.clear(); }

    /// Takes the first queue off the list; kNone when none waits.
    [[nodiscard]] uint32_t take(uint32_t id)
    {
        const uint16_t first = entries_[id].first;
        if (first == 0)
            return kNone;
        remove(id, first - 1u);
        return first - 1u;
    }

  private:
    struct Link {
        Cycle since = 0;
        uint16_t next = 0; // queue + 1
        uint16_t previous = 0;
    };
    LazyArray<TableEntry> entries_;
    std::vector<Link> links_; // by queue
};

/// What the tables of events and of notifies have in common: a flag for each id and those that wait
/// for it, or the RTL port that has them instead.
template <typename RtlPort>
class FlagTable
{
  public:
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
    /// The pending bit: a wait came before its record.
    [[nodiscard]] bool pending(uint32_t id) const
    {
        return has_rtl_port() ? rtl_port_->read(id).pending : lists_[id].first != 0;
    }

  protected:
    FlagTable(uint32_t ids, uint32_t queues, std::unique_ptr<RtlPort> rtl_port)
        : lists_(ids, queues), ids_(ids), rtl_port_(std::move(rtl_port))
    {
    }
    [[nodiscard]] bool has_rtl_port() const { return __builtin_expect(rtl_port_ != nullptr, 0); }

    WaitLists lists_;
    const uint32_t ids_;
    const std::unique_ptr<RtlPort> rtl_port_;
};

} // namespace tsim

#endif
