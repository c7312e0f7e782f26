// SPDX-License-Identifier: Apache-2.0
/// SQEs that call the host: a message to its topic queue, and the wait for the answer. Rules T-CPU-1 to T-CPU-6.
#include <algorithm>

#include "core/scheduler/task_scheduler.h"

namespace tsim
{

// T-CPU-1: the class share is there; the message takes its time.
void TaskScheduler::send_message(uint32_t sq)
{
    Queue &q = queues_[sq];
    q.state = State::kWork;
    q.mark = board_.now;
    at(sq, board_.now + latency(sq, board_.params.topic_message), Step::kMessage);
}

// T-CPU-2, T-CPU-3: the message is there. With the block flag the queue waits, in its slot.
void TaskScheduler::post_message(uint32_t sq)
{
    Queue &q = queues_[sq];
    const stars_sqe &sqe = fronts_[sq].sqe();
    const Params &p = board_.params;
    note(sq, {TWINSIM_PHASE_MESSAGE, q.mark, p.topic_message.index});
    twinsim_message message{};
    message.posted_ns = p.to_ns(board_.now);
    message.function = uint64_t{sqe.word[9]} << 32 | sqe.word[8];
    message.data = uint64_t{sqe.word[11]} << 32 | sqe.word[10];
    message.number = fronts_[sq].number();
    message.sq = static_cast<uint16_t>(sq);
    message.task_id = static_cast<uint16_t>(sqe.word[1] >> STARS_W1_TASK_SHIFT);
    message.group = static_cast<uint16_t>(sqe.word[4] >> STARS_CALLBACK_GROUP_SHIFT);
    message.block = (sqe.word[6] & STARS_CALLBACK_BLOCK) != 0;
    messages_.push_back(message);
    board_.stop |= BoardState::kStopCall; // T-CPU-6
    if (!message.block) {
        executed(sq);
        return;
    }
    q.state = State::kAnswer;
    q.mark = board_.now;
    const uint32_t credit = (sqe.word[3] >> STARS_W3_CREDIT_SHIFT) & 0xffu;
    const bool limited = credit != 0 && credit != STARS_CREDIT_NEVER;
    const Cycle limit = due(sq, SqeOp::kMove, SqeNext::kLimit, // T-SQE-8
                            limited ? board_.now + credit * p.credit_unit.value : kNever);
    if (limit != kNever)
        at(sq, limit, Step::kLimit);
}

// T-CPU-4: a limit that passes first still counts. T-CPU-5: who waits no more is not answered.
void TaskScheduler::answer(uint32_t sq, uint64_t number, Cycle time)
{
    const Queue &q = queues_[sq];
    if (q.state != State::kAnswer || fronts_[sq].number() != number ||
        (q.step == Step::kAnswered && board_.calendar.pending(timer(sq))))
        return;
    const Cycle seen = std::max(board_.now, time);
    const bool limited = q.step == Step::kLimit && board_.calendar.pending(timer(sq));
    if (limited && board_.calendar.time_of(timer(sq)) <= seen)
        return;
    at(sq, seen, Step::kAnswered);
}

void TaskScheduler::answered(uint32_t sq)
{
    Queue &q = queues_[sq];
    q.state = State::kWork;
    note(sq, {TWINSIM_PHASE_HOST, q.mark});
    executed(sq);
}

bool TaskScheduler::take_message(twinsim_message &out)
{
    if (messages_.empty())
        return false;
    out = messages_.front();
    messages_.erase(messages_.begin());
    return true;
}

// T-CPU-5: the messages of a queue that closes go with it.
void TaskScheduler::forget_messages(uint32_t sq)
{
    messages_.erase(std::remove_if(messages_.begin(), messages_.end(),
                                   [sq](const twinsim_message &m) { return m.sq == sq; }),
                    messages_.end());
}

} // namespace tsim
