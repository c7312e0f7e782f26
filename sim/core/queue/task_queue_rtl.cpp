// SPDX-License-Identifier: Apache-2.0
/// A queue with an RTL port: it asks the port, and keeps a copy of its state for those that only
/// read it.
#include "core/queue/task_queue.h"

namespace tsim
{

namespace
{
constexpr uint32_t kLinesMost = 2 * 64; // SQEs of two lines

// The count nearest to `before` with these lower digits.
uint64_t nearest(uint64_t before, uint32_t low)
{
    const auto step = static_cast<int32_t>(low - static_cast<uint32_t>(before));
    return before + static_cast<uint64_t>(int64_t{step});
}
} // namespace

FrontState TaskQueue::state() const
{
    return {static_cast<uint32_t>(head_),
            static_cast<uint32_t>(seen_),
            static_cast<uint32_t>(done()),
            buffered_,
            ahead_,
            ahead_ != 0 ? ahead_at_ : 0,
            static_cast<uint32_t>(cq_head_),
            static_cast<uint32_t>(cq_tail_)};
}

void TaskQueue::keep(const FrontState &state)
{
    const uint64_t done_now = nearest(done(), state.retired);
    head_ = nearest(head_, state.head);
    laps_ = done_now - head_;
    seen_ = nearest(seen_, state.tail);
    buffered_ = static_cast<uint8_t>(state.buffered);
    ahead_ = static_cast<uint8_t>(state.ahead);
    ahead_at_ = state.ahead_at;
    cq_head_ = nearest(cq_head_, state.cq_head);
    cq_tail_ = nearest(cq_tail_, state.cq_tail);
}

FrontAnswer TaskQueue::decide(const FrontRequest &request)
{
    const FrontAnswer answer = rtl_port_->run(request);
    keep(answer.queue);
    return answer;
}

// With what the doorbells have brought (T-FE-1).
FrontRequest TaskQueue::seen_at(Cycle now, FrontRequest::Op op, uint64_t value) const
{
    FrontRequest request{op, sq_, value};
    if (has_more()) {
        request.visible = count_visible(head_, now, kLinesMost);
        request.arrival = next_arrival();
    }
    return request;
}

bool TaskQueue::act(FrontRequest::Op op, uint64_t value)
{
    return decide({op, sq_, value}).ok;
}

void TaskQueue::ring_rtl_port(uint64_t rung)
{
    FrontRequest request{FrontRequest::kRing, sq_, rung - seen_};
    request.times = times_;
    if (rung != seen_)
        (void)decide(request);
}

TaskQueue::Fetch TaskQueue::fetch_rtl_port(Cycle now, Cycle read_time)
{
    const FrontAnswer answer = decide(seen_at(now, FrontRequest::kFetch, read_time));
    return {answer.time, answer.ok};
}

uint32_t TaskQueue::read_in_rtl_port(Cycle now, uint32_t most)
{
    return decide(seen_at(now, FrontRequest::kReadIn, most)).queue.buffered;
}

bool TaskQueue::complete_rtl_port(stars_cqe cqe)
{
    FrontRequest request{FrontRequest::kComplete, sq_};
    request.cqe = cqe;
    const FrontAnswer answer = decide(request);
    if (answer.ok)
        store(answer.place, answer.cqe);
    return answer.ok;
}

bool TaskQueue::look(Cycle now) const
{
    return rtl_port_->run(seen_at(now, FrontRequest::kLook, 0)).ok;
}

} // namespace tsim
