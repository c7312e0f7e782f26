// SPDX-License-Identifier: Apache-2.0
/// Faults injected into tasks: which have hit the SQE at the head of a queue, and what is left of
/// them to act. Rules T-FLT-2 to T-FLT-17. Nothing in here runs for an SQE that none has hit. What
/// they do is up to the part that the SQE is in.
#ifndef TWINSIM_CORE_SCHEDULER_TASK_FAULTS_H
#define TWINSIM_CORE_SCHEDULER_TASK_FAULTS_H

#include "core/scheduler/queue_table.h"

namespace tsim
{

class TaskFaults
{
  public:
    explicit TaskFaults(const QueueTable &queues) : queues_(queues), plan_(queues.system.faults) {}

    [[nodiscard]] bool armed() const { return __builtin_expect(plan_.armed(), 0) != 0; }
    /// The queue turns to an SQE.
    [[gnu::cold]] void ask(uint32_t sq) const;
    /// A CQE about the SQE is due.
    [[gnu::cold]] void ask_cqe(uint32_t sq) const;
    [[nodiscard, gnu::cold]] bool doorbell_lost(uint32_t sq, uint64_t rung) const;
    /// SQE `number` of the queue is a record that was kept from its entry (T-FLT-12).
    [[nodiscard]] bool lost_record(uint32_t sq, uint64_t number) const
    {
        return plan_.lost_record(queues_.timer(sq), number);
    }
    /// The queue has closed.
    void forget(uint32_t sq) const { plan_.forget(queues_.timer(sq)); }

    // ---- for an SQE that is hit ----

    [[nodiscard]] FaultPlan::Effect &effect(uint32_t sq) const
    {
        return plan_.effect(queues_.timer(sq));
    }
    /// Whether a fault of that kind has yet to act.
    [[nodiscard]] bool will_act(uint32_t sq, uint32_t kind) const
    {
        return (effect(sq).kinds & 1u << kind) != 0;
    }
    /// The same; then it has.
    [[nodiscard]] bool acts(uint32_t sq, uint32_t kind) const;
    /// T-FLT-12: a record of the queue, kNone for the host, does not reach its entry.
    [[nodiscard]] bool loses_record(uint32_t sq) const
    {
        return sq != kNone && queues_.is_faulted(sq) && acts(sq, TWINSIM_FAULT_RECORD_LOST);
    }
    [[nodiscard]] bool is_slow(uint32_t sq) const { return effect(sq).slow_permille != 1000; }
    [[nodiscard, gnu::cold]] Cycle slowed(uint32_t sq, Cycle time) const;
    /// Only a time limit, or a kill, ends the task.
    [[nodiscard]] bool is_silent(uint32_t sq) const
    {
        return effect(sq).give_up_ns != 0 || will_act(sq, TWINSIM_FAULT_ENGINE_HANG);
    }
    /// After which time the engine gives up; kNever: it does not.
    [[nodiscard, gnu::cold]] Cycle give_up_time(uint32_t sq) const;
    /// The time since the phase began was the engine's own.
    [[nodiscard]] bool gave_up(uint32_t sq) const
    {
        return queues_.system.now - queues_[sq].phase_begin >= give_up_time(sq);
    }
    /// A slow engine takes more time; false: it is not slow, or has taken that.
    [[nodiscard, gnu::cold]] bool stretches(uint32_t sq) const;

  private:
    const QueueTable queues_;
    FaultPlan &plan_;
};

} // namespace tsim

#endif
