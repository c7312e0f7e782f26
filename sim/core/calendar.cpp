// SPDX-License-Identifier: Apache-2.0
#include "core/calendar.h"

#include <algorithm>
#include <cassert>

namespace tsim
{

Calendar::Calendar(uint32_t timers)
    : nodes_(timers), cycles_(kWheel, kNone), blocks_(kWheel, kNone), heap_(timers)
{
    assert(timers < (1u << kIdBits));
}

void Calendar::schedule(uint32_t id, Cycle time, Rank rank)
{
    assert(time / kBlock >= block_);
    cancel(id);
    nodes_[id].time = time;
    nodes_[id].rank = rank;
    if (__builtin_expect(time / kBlock - block_ < 2, 1))
        link(id);
    else
        put_far(id);
}

void Calendar::take_out(uint32_t id)
{
    Node &node = nodes_[id];
    if (node.place == kInWheel) {
        unlink(id);
        return;
    }
    if (far_next_ == id)
        far_next_ = kNone;
    if (node.place != kInBlock) {
        remove(node.place);
        return;
    }
    node.place = kNowhere;
    const uint32_t slot = slot_of_block(node.time / kBlock);
    if (node.after == id) {
        far_.clear(slot);
        return;
    }
    nodes_[node.before].after = node.after;
    nodes_[node.after].before = node.before;
    if (blocks_[slot] == id)
        blocks_[slot] = node.after;
}

// ---- the wheel of cycles -----------------------------------------------------------------------

// Behind all entries of the same cycle, but for those whose rank comes later.
void Calendar::join(uint32_t id, uint32_t slot)
{
    Node &node = nodes_[id];
    const uint32_t first = cycles_[slot];
    uint32_t after = first; // once round the ring: at the end
    while (nodes_[nodes_[after].before].rank > node.rank) {
        after = nodes_[after].before;
        if (after == first) { // before all others
            cycles_[slot] = id;
            if (next_ == first)
                next_ = id;
            break;
        }
    }
    node.after = after;
    node.before = nodes_[after].before;
    nodes_[node.before].after = id;
    nodes_[after].before = id;
}

void Calendar::part(uint32_t id, uint32_t slot)
{
    Node &node = nodes_[id];
    nodes_[node.before].after = node.after;
    nodes_[node.after].before = node.before;
    if (cycles_[slot] == id)
        cycles_[slot] = node.after;
    if (next_ == id)
        next_ = node.after;
}

// ---- the wheel of blocks -----------------------------------------------------------------------

void Calendar::put_far(uint32_t id)
{
    if (nodes_[id].time / kBlock - block_ < kWheel)
        append(id);
    else
        push(id);
    if (far_next_ != kNone && sooner(id, far_next_))
        far_next_ = id;
}

void Calendar::append(uint32_t id)
{
    Node &node = nodes_[id];
    const uint32_t slot = slot_of_block(node.time / kBlock);
    node.place = kInBlock;
    if (!far_.test(slot)) {
        node.before = node.after = blocks_[slot] = id;
        far_.set(slot);
        return;
    }
    node.after = blocks_[slot];
    node.before = nodes_[node.after].before;
    nodes_[node.before].after = nodes_[node.after].before = id;
}

// Each block is looked through once, unless its earliest entry is taken back.
uint32_t Calendar::find_far() const
{
    const uint32_t slot = far_.next(slot_of_block(block_));
    if (slot == kNone)
        return far_next_ = size_ == 0 ? kNone : id_of(heap_[0]);
    const uint32_t first = blocks_[slot];
    uint32_t least = first;
    for (uint32_t id = nodes_[first].after; id != first; id = nodes_[id].after) {
        if (sooner(id, least)) // of equals the first scheduled
            least = id;
    }
    return far_next_ = least;
}

// Nothing is pending before it. Lists and heap give their entries in the order of scheduling where time and rank are the
// same, and whatever is scheduled for these cycles from now on comes behind.
void Calendar::begin_block(uint64_t block)
{
    block_ = block;
    while (size_ != 0 && heap_[0].time / kBlock - block_ < kWheel) {
        const uint32_t id = id_of(heap_[0]);
        remove(0);
        append(id);
    }
    deal_out(block);
    deal_out(block + 1);
}

void Calendar::deal_out(uint64_t block)
{
    const uint32_t slot = slot_of_block(block);
    if (!far_.test(slot))
        return;
    far_.clear(slot);
    far_next_ = kNone;
    moved_ = true;
    const uint32_t first = blocks_[slot];
    uint32_t id = first;
    do {
        const uint32_t after = nodes_[id].after;
        link(id);
        id = after;
    } while (id != first);
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
