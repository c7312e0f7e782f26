// SPDX-License-Identifier: Apache-2.0
/// The end of an SQE: its CQE, its interrupts, and what it held. One that failed stays at the head
/// of a stopped queue. Rules T-SQE-6, T-SQE-10, T-FE-3, T-CQ-2, T-CQ-3.
#ifndef TWINSIM_CORE_SCHEDULER_RETIREMENT_H
#define TWINSIM_CORE_SCHEDULER_RETIREMENT_H

#include "core/scheduler/class_shares.h"
#include "core/scheduler/cond_tasks.h"
#include "core/scheduler/dma_tasks.h"
#include "core/scheduler/firmware_front_end.h"
#include "core/scheduler/interrupts.h"
#include "core/scheduler/slot_scheduler.h"
#include "core/scheduler/sqe_progress.h"

namespace tsim
{

class Retirement : private SqePart
{
  public:
    /// What it asks of the tasks that end.
    struct Tasks {
        const DmaTasks &dma;
        const CondTasks &conds;
    };

    /// `firmware`: reports ends to the host; null: CQEs do.
    Retirement(const SqePart &part, Interrupts &interrupts, SlotScheduler &slots,
               ClassShares &shares, const Tasks &tasks, FirmwareFrontEnd *firmware)
        : SqePart(part), interrupts_(interrupts), slots_(slots), shares_(shares), tasks_(tasks),
          firmware_(firmware)
    {
    }

    /// True: the SQE has retired, and the queue goes on; false: it is held.
    [[nodiscard]] bool retire(uint32_t sq);
    /// An SQE that failed is reported, or held.
    void report(uint32_t sq);

  private:
    [[nodiscard]] stars_cqe cqe_of(uint32_t sq) const;
    void note_end(uint32_t sq, bool failed) const
    {
        if (system_.trace.on())
            trace_.note_end(sq, tasks_.dma.moved(sq));
        if (__builtin_expect(system_.task_take != nullptr, 0))
            trace_.notify_end(sq, failed);
    }
    void stand_still(uint32_t sq);
    /// Each: true when the fault has taken over.
    [[nodiscard, gnu::cold]] bool completion_held(uint32_t sq);
    [[nodiscard, gnu::cold]] bool report_held(uint32_t sq);
    [[nodiscard, gnu::cold]] bool cq_held(uint32_t sq, HoldReason why);

    Interrupts &interrupts_;
    SlotScheduler &slots_;
    ClassShares &shares_;
    const Tasks tasks_;
    FirmwareFrontEnd *const firmware_;
};

} // namespace tsim

#endif
