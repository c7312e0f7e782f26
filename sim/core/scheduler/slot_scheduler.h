// SPDX-License-Identifier: Apache-2.0
/// The active slots of one device: queues ask for one, the arbiter grants it, they are swapped in,
/// and leave it. Rules T-SCH-2 to T-SCH-6, T-SCH-19, T-SCH-20.
#ifndef TWINSIM_CORE_SCHEDULER_SLOT_SCHEDULER_H
#define TWINSIM_CORE_SCHEDULER_SLOT_SCHEDULER_H

#include "core/scheduler/arbitration.h"
#include "core/scheduler/firmware_front_end.h"
#include "core/scheduler/scheduler_part.h"
#include "core/tables/slot_pool.h"

namespace tsim
{

class SlotScheduler : private SchedulerPart
{
  public:
    /// `firmware`: takes queues into their slots; null: the hardware does.
    SlotScheduler(const SchedulerPart &part, Arbitration &arbitration, FirmwareFrontEnd *firmware);
    void reset();

    /// The queue needs a slot.
    void ask(uint32_t sq, SlotUse use);
    /// It is swapped out, and still needs one.
    void swapped_out(uint32_t sq);
    /// It has none, if it had one.
    void leave(uint32_t sq)
    {
        if (queues_[sq].slot != QueueRow::kNoSlot)
            give_up(sq);
    }
    /// At the timer of grants: the queue that wins a slot now; kNone: there is none.
    [[nodiscard]] uint32_t winner();
    /// It gets the slot.
    void grant(uint32_t sq);

    [[nodiscard]] SlotCounts counts(uint32_t sq) const { return slots_.counts(sq); }
    void clear_counts(uint32_t sq) { slots_.clear_counts(sq); }
    /// The state as the scheduler's own state machine counts it (T-SCH-21).
    [[nodiscard]] stars_rtsq_state state(uint32_t sq) const;

  private:
    void arm();
    void give_up(uint32_t sq);

    Arbitration &arbitration_;
    FirmwareFrontEnd *const firmware_;
    const uint32_t timer_;
    SlotPool slots_;
};

} // namespace tsim

#endif
