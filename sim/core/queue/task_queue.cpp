// SPDX-License-Identifier: Apache-2.0
#include "core/queue/task_queue.h"

#include <algorithm>
#include <cstring>

namespace tsim
{

TaskQueue::~TaskQueue()
{
    if (times_)
        TimePool::release(times_, mapped_);
}

// Kept over close and open.
void TaskQueue::map_times(uint32_t depth)
{
    if (mapped_ == depth)
        return;
    SqeTimes *const times = TimePool::take(depth);
    if (times_)
        TimePool::release(times_, mapped_);
    times_ = times;
    mapped_ = depth;
}

void TaskQueue::open(const twinsim_queue &config, const void *ring, void *cq)
{
    map_times(config.depth);
    if (keeps_lines_ && !lines_)
        lines_.reset(new Line[kept_mask_ + 1u]); // not set to 0: each is written before use
    ring_ = static_cast<const stars_sqe *>(ring);
    cq_ = static_cast<stars_cqe *>(cq);
    rings_.store(times_, std::memory_order_relaxed);
    mask_ = static_cast<uint16_t>(config.depth - 1);
    ring_mask_.store(mask_, std::memory_order_relaxed);
    cq_mask_ = config.cq_depth - 1;
    head_ = seen_ = config.depth;
    laps_ = uint64_t{0} - config.depth;
    buffered_ = ahead_ = kept_ = 0;
    cq_head_ = cq_tail_ = 0;
    last_at_ = 0;
    retired_.store(0, std::memory_order_relaxed);
    if (has_rtl_port_)
        (void)act(FrontRequest::kOpen, uint64_t{cq_mask_} << 32 | mask_);
    rung_.store(config.depth, std::memory_order_release);
}

void TaskQueue::close()
{
    if (has_rtl_port_ && is_open())
        (void)act(FrontRequest::kClose);
    ring_ = nullptr;
    rings_.store(nullptr, std::memory_order_relaxed);
}

bool TaskQueue::doorbell(uint32_t tail, uint64_t at_ns)
{
    const uint64_t rung = rung_.load(std::memory_order_relaxed); // only this thread writes it
    SqeTimes *const rings = rings_.load(std::memory_order_relaxed);
    const uint32_t mask = ring_mask_.load(std::memory_order_relaxed);
    const uint32_t added = (tail - static_cast<uint32_t>(rung)) & mask;
    if (!rings || added == 0)
        return false;
    last_at_ = std::max(last_at_, at_ns); // one register: a later write is never seen earlier
    for (uint32_t i = 0; i < added; ++i)
        rings[(rung + i) & mask].arrival = last_at_;
    // Sequentially consistent: the store must be ordered before the caller's look at the pending
    // mask.
    rung_.store(rung + added, std::memory_order_seq_cst);
    return true;
}

void TaskQueue::take_in(uint64_t rung, Cycle now, uint64_t cycle_ns)
{
    if (cycle_ns == 1) {
        // Times never fall, so those in the past come first.
        for (uint64_t i = seen_; i != rung && times_[i & mask_].arrival < now; ++i)
            times_[i & mask_].arrival = now;
    } else {
        for (uint64_t i = seen_; i != rung; ++i) {
            Cycle &at = times_[i & mask_].arrival;
            at = std::max(now, at / cycle_ns + (at % cycle_ns != 0));
        }
    }
    if (__builtin_expect(has_rtl_port_, 0))
        return ring_rtl_port(rung);
    seen_ = rung;
}

void TaskQueue::arrive_with(uint64_t until, uint64_t rung)
{
    if (rung == until)
        return;
    for (uint64_t i = seen_; i < until; ++i)
        times_[i & mask_].arrival = times_[until & mask_].arrival;
}

uint8_t TaskQueue::count_visible(uint64_t from, Cycle now, uint32_t window) const
{
    const uint64_t end = std::min(seen_, from + window);
    uint64_t i = from;
    while (i < end && times_[i & mask_].arrival <= now)
        ++i;
    return static_cast<uint8_t>(i - from);
}

// T-FE-12.
void TaskQueue::keep_read(uint32_t before)
{
    if (!lines_)
        return;
    kept_ = static_cast<uint8_t>(buffered_ + ahead_);
    if (before == 0)
        kept_at_ = 0; // a queue that is read one by one needs one line of the cache
    for (uint32_t i = before; i < kept_; ++i)
        lines_[(kept_at_ + i) & kept_mask_].sqe = ring_[(head_ + i) & mask_];
}

TaskQueue::Fetch TaskQueue::fetch(Cycle now, Cycle read_time, uint32_t window)
{
    const uint32_t before = buffered_ + ahead_;
    Fetch result{now, false};
    if (__builtin_expect(has_rtl_port_, 0)) {
        result = fetch_rtl_port(now, read_time);
        keep_read(before);
        return result;
    }
    if (buffered_ != 0)
        return result;
    if (ahead_ != 0) {
        result = {std::max(now, ahead_at_), ahead_at_ > now};
        buffered_ = ahead_;
    } else {
        buffered_ = count_visible(head_, now, window);
        result = {now + read_time, read_time > 0};
    }
    ahead_ = count_visible(head_ + buffered_, now, window);
    ahead_at_ = now + read_time;
    keep_read(before);
    return result;
}

uint32_t TaskQueue::read_in(Cycle now, uint32_t most)
{
    if (__builtin_expect(has_rtl_port_, 0)) {
        (void)read_in_rtl_port(now, most);
    } else {
        buffered_ = count_visible(head_, now, most);
        ahead_ = 0;
    }
    keep_read(0);
    return buffered_;
}

void TaskQueue::publish(uint64_t number, Cycle now)
{
    uint64_t seen = retired_.load(std::memory_order_relaxed);
    for (number = std::min(number, done()); seen < number; ++seen)
        times_[seen & mask_].done = now;
    retired_.store(seen, std::memory_order_release);
}

void TaskQueue::retire(Cycle now, bool seen)
{
    times_[head_ & mask_].done = now;
    if (__builtin_expect(has_rtl_port_, 0)) {
        (void)act(FrontRequest::kRetire);
    } else {
        ++head_;
        if (buffered_ != 0)
            --buffered_;
        else if (ahead_ != 0)
            --ahead_;
    }
    if (kept_ != 0) {
        --kept_;
        kept_at_ = (kept_at_ + 1) & kept_mask_;
    }
    if (__builtin_expect(seen, 1))
        retired_.store(done(), std::memory_order_release);
}

void TaskQueue::drop_all(Cycle now)
{
    const uint64_t from = seen_ - head_ > mask_ ? seen_ - mask_ - 1 : head_;
    for (uint64_t i = from; i != seen_; ++i)
        times_[i & mask_].done = now;
    if (has_rtl_port_) {
        (void)act(FrontRequest::kDropAll);
    } else {
        head_ = seen_;
        drop_prefetched();
    }
    kept_ = 0;
    retired_.store(done(), std::memory_order_release);
}

void TaskQueue::set_head(uint32_t value, Cycle now, bool seen)
{
    const uint64_t forward = (value - static_cast<uint32_t>(head_)) & mask_;
    for (uint64_t i = 0; i < forward; ++i)
        times_[(head_ + i) & mask_].done = now;
    if (has_rtl_port_) {
        (void)act(FrontRequest::kSetHead, value);
    } else {
        const uint64_t retired = done() + forward;
        head_ = seen_ - ((tail() - value) & mask_);
        laps_ = retired - head_;
        drop_prefetched();
    }
    kept_ = 0;
    // Places of the lap before the first: no doorbell has given them a time, the tail has been past
    // them all along.
    for (uint64_t i = head_; i <= mask_; ++i)
        times_[i].arrival = now;
    if (seen)
        retired_.store(done(), std::memory_order_release);
}

bool TaskQueue::complete(stars_cqe cqe)
{
    if (__builtin_expect(has_rtl_port_, 0))
        return complete_rtl_port(cqe);
    if (cq_tail_ - cq_head_ >= cq_mask_)
        return false;
    const bool first_lap = ((cq_tail_ / (uint64_t{cq_mask_} + 1)) & 1) == 0;
    if (first_lap)
        cqe.flags |= STARS_CQE_PHASE;
    else
        cqe.flags = static_cast<uint16_t>(cqe.flags & ~STARS_CQE_PHASE);
    store(cq_tail(), cqe);
    ++cq_tail_;
    return true;
}

bool TaskQueue::set_cq_head(uint32_t head)
{
    if (has_rtl_port_)
        return act(FrontRequest::kSetCqHead, head);
    const uint64_t taken = (head - static_cast<uint32_t>(cq_head_)) & cq_mask_;
    if (head > cq_mask_ || taken > cq_tail_ - cq_head_)
        return false;
    cq_head_ += taken;
    return true;
}

} // namespace tsim
