// SPDX-License-Identifier: Apache-2.0
#include "core/calendar.h"

#include <algorithm>
#include <cassert>

namespace tsim
{

Calendar::Calendar(uint32_t timers) : nodes_(timers), lists_(kWheel), heap_(timers)
{
    assert(timers < (1u << kIdBits));
}

void Calendar::schedule(uint32_t id, Cycle time, Rank rank)
{
    assert(time >= base_);
    cancel(id);
    nodes_[id].time = time;
    nodes_[id].rank = rank;
    if (time - base_ < kWheel)
        link(id);
    else
        push(id);
}

uint32_t Calendar::pop()
{
    if (next_ == kNone)
        turn_to(heap_[0].time);
    const uint32_t id = next_;
    if (nodes_[id].time != base_)
        turn_to(nodes_[id].time);
    unlink(id);
    return id;
}

// ---- the wheel ---------------------------------------------------------------------------------

// Behind all entries of the same cycle, but for those whose rank comes later.
void Calendar::link(uint32_t id)
{
    Node &node = nodes_[id];
    const auto index = static_cast<uint32_t>(node.time % kWheel);
    List &list = lists_[index];
    uint32_t before = list.last;
    while (before != kNone && nodes_[before].rank > node.rank)
        before = nodes_[before].before;
    node.place = kInWheel;
    node.before = before;
    node.after = before == kNone ? list.first : nodes_[before].after;
    (before == kNone ? list.first : nodes_[before].after) = id;
    (node.after == kNone ? list.last : nodes_[node.after].before) = id;
    used_.set(index);
    if (next_ == kNone || node.time < nodes_[next_].time ||
        (node.time == nodes_[next_].time && before == kNone))
        next_ = id;
}

void Calendar::unlink(uint32_t id)
{
    Node &node = nodes_[id];
    const auto index = static_cast<uint32_t>(node.time % kWheel);
    List &list = lists_[index];
    node.place = kNowhere;
    (node.before == kNone ? list.first : nodes_[node.before].after) = node.after;
    (node.after == kNone ? list.last : nodes_[node.after].before) = node.before;
    if (list.first == kNone)
        used_.clear(index);
    if (next_ != id)
        return;
    const uint32_t found = used_.next(static_cast<uint32_t>(base_ % kWheel));
    next_ = found == kNone ? kNone : lists_[found].first;
}

// The wheel stands at `time` from now on; what the heap holds for the cycles that come into reach moves over. Whatever
// is scheduled there later comes behind it, as it must.
void Calendar::turn_to(Cycle time)
{
    base_ = time;
    while (size_ != 0 && heap_[0].time - base_ < kWheel) {
        const uint32_t id = id_of(heap_[0]);
        remove(0);
        link(id);
        moved_ = true;
    }
}

// ---- the heap ----------------------------------------------------------------------------------

void Calendar::push(uint32_t id)
{
    if (sequence_ == kSequenceEnd)
        renumber();
    const Node &node = nodes_[id];
    const uint64_t rank = static_cast<uint8_t>(node.rank);
    sift_up(size_++,
            {node.time, (rank << (kSequenceBits + kIdBits)) | (sequence_++ << kIdBits) | id});
}

void Calendar::remove(uint32_t slot)
{
    nodes_[id_of(heap_[slot])].place = kNowhere;
    const Entry last = heap_[--size_];
    if (slot == size_)
        return;
    if (slot > 0 && before(last, heap_[(slot - 1) / 4]))
        sift_up(slot, last);
    else
        sift_down(slot, last);
}

void Calendar::sift_up(uint32_t slot, const Entry &entry)
{
    while (slot > 0) {
        const uint32_t parent = (slot - 1) / 4;
        if (!before(entry, heap_[parent]))
            break;
        put(slot, heap_[parent]);
        slot = parent;
    }
    put(slot, entry);
}

void Calendar::sift_down(uint32_t slot, const Entry &entry)
{
    for (;;) {
        const uint32_t first = slot * 4 + 1;
        if (first >= size_)
            break;
        const uint32_t end = std::min(first + 4, size_);
        uint32_t least = first;
        for (uint32_t child = first + 1; child < end; ++child) {
            if (before(heap_[child], heap_[least]))
                least = child;
        }
        if (!before(heap_[least], entry))
            break;
        put(slot, heap_[least]);
        slot = least;
    }
    put(slot, entry);
}

// The sequence numbers have run out (after some 10^12 entries): deal them out afresh in the order of
// the entries. A sorted array is a heap.
void Calendar::renumber()
{
    std::sort(heap_.begin(), heap_.begin() + size_, before);
    constexpr uint64_t kRankMask = ~uint64_t{0} << (kSequenceBits + kIdBits);
    for (uint32_t slot = 0; slot < size_; ++slot) {
        Entry entry = heap_[slot];
        entry.order =
            (entry.order & kRankMask) | (uint64_t{slot} << kIdBits) | uint64_t{id_of(entry)};
        put(slot, entry);
    }
    sequence_ = size_;
}

} // namespace tsim
