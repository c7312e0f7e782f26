// SPDX-License-Identifier: Apache-2.0
#include "core/base/calendar.h"

#include <algorithm>
#include <cassert>

namespace tsim
{

Calendar::Calendar(uint32_t timers)
    : nodes_(timers), cycles_(kWheel, kNone), blocks_(kWheel, kNone), heap_(timers)
{
}

void Calendar::schedule(uint32_t id, Cycle time, Rank rank)
{
    assert(time / kBlock >= block_);
    cancel(id);
    nodes_[id].time = time;
    nodes_[id].rank = rank;
    if (__builtin_expect(time / kBlock - block_ < 2, 1)) {
        nodes_[id].sequence = kNear;
        link(id);
    } else {
        put_far(id);
    }
}

void Calendar::put_far(uint32_t id)
{
    Node &node = nodes_[id];
    node.sequence = sequence_++;
    if (node.time / kBlock - block_ >= kWheel)
        push(id);
    else if (lane_end_ == kNone || precedes(lane_end_, id))
        return join_lane(id);
    else
        append(id);
    if (far_next_ != kNone && precedes(id, far_next_))
        far_next_ = id;
}

void Calendar::take_out(uint32_t id)
{
    Node &node = nodes_[id];
    if (node.place == kInWheel) {
        unlink(id);
        return;
    }
    if (node.place == kInLane) {
        leave_lane(id);
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

// After all entries of the same cycle, except those whose rank comes later.
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
        return far_next_ = size_ == 0 ? kNone : heap_[0];
    const uint32_t first = blocks_[slot];
    uint32_t least = first;
    for (uint32_t id = nodes_[first].after; id != first; id = nodes_[id].after) {
        if (precedes(id, least))
            least = id;
    }
    return far_next_ = least;
}

// Nothing is pending before it. Lists and heap give their entries in the order of scheduling where
// time and rank are the same, and whatever is scheduled for these cycles from now on comes after.
void Calendar::begin_block(uint64_t block)
{
    block_ = block;
    while (size_ != 0 && nodes_[heap_[0]].time / kBlock - block_ < kWheel) {
        const uint32_t id = heap_[0];
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
    moved_ |= kBlockMoved;
    const uint32_t first = blocks_[slot];
    uint32_t id = first;
    do {
        const uint32_t after = nodes_[id].after;
        link(id);
        id = after;
    } while (id != first);
}

// ---- the heap ----------------------------------------------------------------------------------

void Calendar::remove(uint32_t slot)
{
    nodes_[heap_[slot]].place = kNowhere;
    const uint32_t last = heap_[--size_];
    if (slot == size_)
        return;
    if (slot > 0 && precedes(last, heap_[(slot - 1) / 4]))
        sift_up(slot, last);
    else
        sift_down(slot, last);
}

void Calendar::sift_up(uint32_t slot, uint32_t id)
{
    while (slot > 0) {
        const uint32_t parent = (slot - 1) / 4;
        if (!precedes(id, heap_[parent]))
            break;
        put(slot, heap_[parent]);
        slot = parent;
    }
    put(slot, id);
}

void Calendar::sift_down(uint32_t slot, uint32_t id)
{
    for (;;) {
        const uint32_t first = slot * 4 + 1;
        if (first >= size_)
            break;
        const uint32_t end = std::min(first + 4, size_);
        uint32_t least = first;
        for (uint32_t child = first + 1; child < end; ++child) {
            if (precedes(heap_[child], heap_[least]))
                least = child;
        }
        if (!precedes(heap_[least], id))
            break;
        put(slot, heap_[least]);
        slot = least;
    }
    put(slot, id);
}

} // namespace tsim
