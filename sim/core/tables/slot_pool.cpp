// SPDX-License-Identifier: Apache-2.0
#include "core/tables/slot_pool.h"

namespace tsim
{

void SlotPool::reset()
{
    if (rtl_port_)
        rtl_port_->reset();
    const uint32_t slots = rules_.slots;
    free_[0] = slots >= 64 ? ~uint64_t{0} : (uint64_t{1} << slots) - 1;
    free_[1] = slots >= 128 ? ~uint64_t{0} : slots > 64 ? (uint64_t{1} << (slots - 64)) - 1 : 0;
    next_grant_ = full_until_ = 0;
    leaving_first_ = leaving_count_ = 0;
    std::fill(queues_.begin(), queues_.end(), Queue{});
}

// Slots whose queues are swapped out by now. All swap-outs take the same time, so they end in the
// order of their begin.
void SlotPool::free_left(Cycle now)
{
    do {
        const uint8_t slot = leaving_[leaving_first_].slot;
        free_[slot / 64] |= uint64_t{1} << (slot % 64);
        leaving_first_ = (leaving_first_ + 1) % kSlotsMost;
        --leaving_count_;
    } while (leaving_count_ != 0 && leaving_[leaving_first_].free_at <= now);
}

} // namespace tsim
