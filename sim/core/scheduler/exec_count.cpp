// SPDX-License-Identifier: Apache-2.0
/// Counting notifies in an SQE's life. Rules T-CTN-1 to T-CTN-6.
#include "core/scheduler/task_scheduler.h"

namespace tsim
{

// T-CTN-1.
void TaskScheduler::record_count(uint32_t sq, uint32_t id, const stars_sqe &sqe)
{
    note_access(sq, board_.params.notify_table.index, id, TWINSIM_TABLE_COUNT);
    write_count(id, sqe.word[STARS_COUNT_MODE_WORD], sqe.word[STARS_COUNT_VALUE_WORD], sq);
    executed(sq);
}

// T-CTN-2, T-CTN-3.
void TaskScheduler::wait_count(uint32_t sq, uint32_t id, const stars_sqe &sqe)
{
    Queue &q = queues_[sq];
    q.wait_id = id;
    note_access(sq, board_.params.notify_table.index, id, TWINSIM_TABLE_COUNT);
    const CountTable::Condition condition{sqe.word[STARS_COUNT_VALUE_WORD],
                                          static_cast<uint8_t>(sqe.word[STARS_COUNT_MODE_WORD]),
                                          (sqe.word[2] & STARS_W2_COUNT_CLEAR) != 0};
    const uint32_t before = counts_.count(id);
    if (!counts_.wait(id, sq, condition, board_.now)) {
        park(sq, sqe, sqe.word[STARS_NOTIFY_TIMEOUT_WORD]);
        return;
    }
    executed(sq);
    if (before != counts_.count(id))
        release_count(id, sq);
}

// T-CTN-4.
void TaskScheduler::write_count(uint32_t id, uint32_t mode, uint32_t value, uint32_t waker)
{
    if (waker != kNone && is_struck(waker) && acts(waker, TWINSIM_FAULT_RECORD_LOST))
        return; // T-FLT-12
    counts_.change(id, mode, value);
    release_count(id, waker);
}

void TaskScheduler::release_count(uint32_t id, uint32_t waker)
{
    for (uint32_t sq = counts_.release(id); sq != kNone; sq = counts_.release(id))
        wake(sq, waker);
}

} // namespace tsim
