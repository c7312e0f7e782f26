// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/task_faults.h"

#include "core/scheduler/sqe_fields.h"

namespace tsim
{

// T-FLT-2, T-FLT-5: what was read is not a task.
void TaskFaults::ask(uint32_t sq) const
{
    QueueRow &q = queues_[sq];
    q.faulted = plan_.armed() &&
                plan_.begin({queues_.device, queues_.timer(sq), q.stream_id, queues_.sqe(sq)});
    if (q.faulted && acts(sq, TWINSIM_FAULT_BAD_SQE))
        q.type = STARS_SQE_INVALID;
}

// T-FLT-11, T-FLT-13.
void TaskFaults::ask_cqe(uint32_t sq) const
{
    QueueRow &q = queues_[sq];
    if (plan_.begin_cqe({queues_.device, queues_.timer(sq), q.stream_id, queues_.sqe(sq)},
                        q.faulted))
        q.faulted = true;
}

// T-FLT-12: what was lost arrives with what the next doorbell brings.
bool TaskFaults::doorbell_lost(uint32_t sq, uint64_t rung) const
{
    uint64_t &lost = plan_.lost_doorbell(queues_.timer(sq));
    if (plan_.loses_doorbell(queues_.device, queues_[sq].stream_id)) {
        lost = rung;
        return true;
    }
    if (lost != 0)
        queues_.front(sq).arrive_with(lost, rung);
    lost = 0;
    return false;
}

bool TaskFaults::acts(uint32_t sq, uint32_t kind) const
{
    const bool does = will_act(sq, kind);
    effect(sq).kinds &= ~(1u << kind);
    if (does && kind == TWINSIM_FAULT_RECORD_LOST)
        plan_.lose_record(
            {queues_.device, queues_.timer(sq), queues_[sq].stream_id, queues_.sqe(sq)},
            queues_.front(sq).number());
    return does;
}

// T-FLT-8.
Cycle TaskFaults::slowed(uint32_t sq, Cycle time) const
{
    const SystemState &system = queues_.system;
    const uint64_t permille = effect(sq).slow_permille;
    // Beyond what time can count nothing happens any more, but it is still a time.
    const Cycle most = UINT64_MAX / system.params.cycle_ns - 1 - system.now;
    if (time / 1000 >= most / permille)
        return most;
    return time / 1000 * permille + (time % 1000 * permille + 999) / 1000;
}

Cycle TaskFaults::give_up_time(uint32_t sq) const
{
    const uint64_t ns = effect(sq).give_up_ns;
    return ns != 0 ? queues_.system.params.to_cycles(ns) : kNever;
}

// T-FLT-8, T-FLT-17.
bool TaskFaults::stretches(uint32_t sq) const
{
    const QueueRow &q = queues_[sq];
    FaultPlan::Effect &slow = effect(sq);
    if (slow.slow_permille == 1000 || slow.stretched)
        return false;
    slow.stretched = true;
    const Cycle end = q.phase_begin + slowed(sq, queues_.system.now - q.phase_begin);
    if (end < limit_from(q.phase_begin, credit_time(queues_.sqe(sq), queues_.system.params)))
        queues_.at(sq, end, QueueStep::kStretched);
    return true;
}

} // namespace tsim
