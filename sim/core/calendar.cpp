// SPDX-License-Identifier: Apache-2.0
#include "core/calendar.h"

#include <algorithm>
#include <cassert>

namespace tsim
{

Calendar::Calendar(uint32_t timers) : heap_(timers), place_(timers, 0)
{
    assert(timers < (1u << kIdBits));
}

void Calendar::schedule(uint32_t id, Cycle time, Rank rank)
{
    if (sequence_ == kSequenceEnd)
        renumber();
    const Entry entry{time, (uint64_t{static_cast<uint8_t>(rank)} << (kSequenceBits + kIdBits)) |
                                (sequence_++ << kIdBits) | id};
    const uint32_t place = place_[id];
    if (place == 0) {
        sift_up(size_++, entry);
        return;
    }
    const uint32_t slot = place - 1;
    if (before(entry, heap_[slot]))
        sift_up(slot, entry);
    else
        sift_down(slot, entry);
}

void Calendar::cancel(uint32_t id)
{
    if (place_[id] != 0)
        remove(place_[id] - 1);
}

uint32_t Calendar::pop()
{
    const uint32_t id = id_of(heap_[0]);
    remove(0);
    return id;
}

void Calendar::remove(uint32_t slot)
{
    place_[id_of(heap_[slot])] = 0;
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
