// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/host_calls.h"

#include <algorithm>

#include "core/scheduler/sqe_fields.h"

namespace tsim
{

void HostCalls::reset()
{
    messages_.clear();
    messages_.reserve(64); // a run stops at each, so they never pile up
}

// T-CPU-1: the message takes its time.
void HostCalls::start(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    q.state = QueueState::kWork;
    q.phase_begin = system_.now;
    queues_.at(sq, system_.now + queues_.latency(sq, system_.params.topic_message),
               QueueStep::kMessage);
}

// T-CPU-2, T-CPU-3: with the block flag the queue waits, in its slot.
void HostCalls::post(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    const stars_sqe &sqe = queues_.sqe(sq);
    const Params &p = system_.params;
    trace_.note(sq, {TWINSIM_PHASE_MESSAGE, q.phase_begin, p.topic_message.index});
    twinsim_message message{};
    message.posted_ns = p.to_ns(system_.now);
    message.function = uint64_t{sqe.word[9]} << 32 | sqe.word[8];
    message.data = uint64_t{sqe.word[11]} << 32 | sqe.word[10];
    message.number = queues_.front(sq).number();
    message.sq = static_cast<uint16_t>(sq);
    message.task_id = task_of(sqe);
    message.group = static_cast<uint16_t>(sqe.word[4] >> STARS_CALLBACK_GROUP_SHIFT);
    message.block = (sqe.word[6] & STARS_CALLBACK_BLOCK) != 0;
    messages_.push_back(message);
    system_.stop |= SystemState::kStopCall; // T-CPU-6
    if (!message.block) {
        progress_.executed(sq);
        return;
    }
    q.state = QueueState::kAnswer;
    q.phase_begin = system_.now;
    const Cycle limit = progress_.due(sq, SqeOp::kMove, SqeNext::kLimit, // T-SQE-8
                                      limit_from(system_.now, credit_time(sqe, p)));
    if (limit != kNever)
        queues_.at(sq, limit, QueueStep::kLimit);
}

// T-CPU-4: a limit that passes first still counts. T-CPU-5: a task that no longer waits gets no
// answer.
void HostCalls::answer(uint32_t sq, uint64_t number, Cycle time)
{
    const QueueRow &q = queues_[sq];
    const bool pending = system_.calendar.pending(queues_.timer(sq));
    if (q.state != QueueState::kAnswer || queues_.front(sq).number() != number ||
        (q.step == QueueStep::kAnswered && pending))
        return;
    const Cycle seen = std::max(system_.now, time);
    const bool limited = q.step == QueueStep::kLimit && pending;
    if (limited && system_.calendar.time_of(queues_.timer(sq)) <= seen)
        return;
    queues_.at(sq, seen, QueueStep::kAnswered);
}

void HostCalls::answered(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    q.state = QueueState::kWork;
    trace_.note(sq, {TWINSIM_PHASE_HOST, q.phase_begin});
    progress_.executed(sq);
}

// T-SQE-8.
void HostCalls::limit_reached(uint32_t sq)
{
    trace_.note(sq,
                {TWINSIM_PHASE_HOST, queues_[sq].phase_begin, system_.params.credit_unit.index});
    progress_.fail(sq, STARS_ERROR_TIMEOUT, STARS_STATUS_TASK_TIMEOUT, SqeOp::kLimit);
}

bool HostCalls::take(twinsim_message &out)
{
    if (messages_.empty())
        return false;
    out = messages_.front();
    messages_.erase(messages_.begin());
    return true;
}

// T-CPU-5: the messages of a queue that closes go with it.
void HostCalls::forget(uint32_t sq)
{
    messages_.erase(std::remove_if(messages_.begin(), messages_.end(),
                                   [sq](const twinsim_message &m) { return m.sq == sq; }),
                    messages_.end());
}

} // namespace tsim
