// SPDX-License-Identifier: Apache-2.0
/// The shares of task classes of one device: a DMA, COND, callback or AI-core SQE needs one while
/// it runs. Rules T-SCH-8, T-SCH-9.
#ifndef TWINSIM_CORE_SCHEDULER_CLASS_SHARES_H
#define TWINSIM_CORE_SCHEDULER_CLASS_SHARES_H

#include <array>

#include "core/scheduler/arbitration.h"
#include "core/scheduler/slot_scheduler.h"

namespace tsim
{

class ClassShares : private SchedulerPart
{
  public:
    ClassShares(const SchedulerPart &part, Arbitration &arbitration, SlotScheduler &slots)
        : SchedulerPart(part), arbitration_(arbitration), slots_(slots)
    {
    }
    void reset();

    /// The queue takes a share of the class of its SQE; false: the class is full, and the queue has
    /// left its slot and waits.
    [[nodiscard]] bool take(uint32_t sq);
    /// The queue has won a slot for an SQE of that class and takes a share of it first; false: the
    /// class is full, and the queue waits for it instead (T-SCH-23).
    [[nodiscard]] bool admit(uint32_t sq, TaskClass of);
    /// It returns the share that it has, if any.
    void release(uint32_t sq)
    {
        if (queues_[sq].share != kNoClass)
            return_share(sq);
    }
    /// How many shares a class has.
    [[nodiscard]] const Setting &cap(TaskClass of) const;

  private:
    void return_share(uint32_t sq);
    [[nodiscard]] bool take_free(uint32_t sq);
    void note_taken(uint32_t sq) const;

    Arbitration &arbitration_;
    SlotScheduler &slots_;
    std::array<uint32_t, kClassCount> free_{};
};

} // namespace tsim

#endif
