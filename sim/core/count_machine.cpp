// SPDX-License-Identifier: Apache-2.0
/// Counting notifies in an SQE's life. Rules CTN-1 to CTN-6.
#include "core/task_scheduler.h"

namespace tsim
{

// CTN-1.
bool TaskScheduler::record_count(uint32_t sq, const stars_sqe &sqe)
{
    const uint32_t id = sqe.word[2] & STARS_W2_NOTIFY_MASK;
    const uint32_t mode = sqe.word[STARS_COUNT_MODE_WORD];
    if (id >= counts_.size() || mode > STARS_COUNT_AND)
        return false;
    note(sq, {TWINSIM_PHASE_TABLE, queues_[sq].mark, board_.params.notify_table.index, id});
    write_count(id, mode, sqe.word[STARS_COUNT_VALUE_WORD], sq);
    executed(sq);
    return true;
}

// CTN-2, CTN-3.
bool TaskScheduler::wait_count(uint32_t sq, const stars_sqe &sqe)
{
    Queue &q = queues_[sq];
    const uint32_t relation = sqe.word[STARS_COUNT_MODE_WORD];
    q.wait_id = sqe.word[2] & STARS_W2_NOTIFY_MASK;
    if (q.wait_id >= counts_.size() || relation > STARS_COUNT_MASK)
        return false;
    note(sq, {TWINSIM_PHASE_TABLE, q.mark, board_.params.notify_table.index, q.wait_id});
    const CountTable::Condition condition{sqe.word[STARS_COUNT_VALUE_WORD],
                                          static_cast<uint8_t>(relation),
                                          (sqe.word[2] & STARS_W2_COUNT_CLEAR) != 0};
    const uint32_t before = counts_.count(q.wait_id);
    if (!counts_.wait(q.wait_id, sq, condition, board_.now)) {
        park(sq, sqe, sqe.word[STARS_NOTIFY_TIMEOUT_WORD]);
        return true;
    }
    executed(sq);
    if (before != counts_.count(q.wait_id))
        release_count(q.wait_id, sq);
    return true;
}

// CTN-4.
void TaskScheduler::write_count(uint32_t id, uint32_t mode, uint32_t value, uint32_t waker)
{
    if (waker != kNone && is_struck(waker) && acts(waker, TWINSIM_FAULT_RECORD_LOST))
        return; // FLT-12
    counts_.change(id, mode, value);
    release_count(id, waker);
}

void TaskScheduler::release_count(uint32_t id, uint32_t waker)
{
    for (uint32_t sq = counts_.release(id); sq != kNone; sq = counts_.release(id))
        wake(sq, waker);
}

} // namespace tsim
