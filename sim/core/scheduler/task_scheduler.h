// SPDX-License-Identifier: Apache-2.0
/// The two-level scheduler of one device: queues that have work win an active slot, run their SQEs
/// in order, and leave it. It is made of parts that share a table of queues; this is where they
/// meet: it hands the timers of queues to the part that each is about, leads queues from one part
/// to the next, opens and closes them, and obeys the registers. Rules T-SCH-1 to T-SCH-22.
#ifndef TWINSIM_CORE_SCHEDULER_TASK_SCHEDULER_H
#define TWINSIM_CORE_SCHEDULER_TASK_SCHEDULER_H

#include <memory>

#include <array>

#include "core/base/staggered_vector.h"
#include "core/scheduler/arbitration.h"
#include "core/scheduler/class_shares.h"
#include "core/scheduler/cond_tasks.h"
#include "core/scheduler/dma_tasks.h"
#include "core/scheduler/firmware_front_end.h"
#include "core/scheduler/front_end.h"
#include "core/scheduler/host_calls.h"
#include "core/scheduler/interrupts.h"
#include "core/scheduler/kernel_tasks.h"
#include "core/scheduler/peer_writes.h"
#include "core/scheduler/queue_table.h"
#include "core/scheduler/retirement.h"
#include "core/scheduler/slot_scheduler.h"
#include "core/scheduler/sqe_executor.h"
#include "core/scheduler/sqe_progress.h"
#include "core/scheduler/sync_tables.h"
#include "core/scheduler/task_faults.h"
#include "core/scheduler/task_trace.h"

namespace tsim
{

class TaskScheduler
{
  public:
    TaskScheduler(SystemState &system, uint32_t device);
    TaskScheduler(const TaskScheduler &) = delete;
    TaskScheduler &operator=(const TaskScheduler &) = delete;

    // ---- queues ----

    /// Opens a closed queue. Throws std::bad_alloc.
    void open(uint32_t sq, const twinsim_queue &config, const void *ring, void *cq);
    void close(uint32_t sq);
    /// First state: everything closed, tables clear.
    void reset();
    [[nodiscard]] uint32_t queue_count() const { return queues_.size(); }
    [[nodiscard]] TaskQueue &front(uint32_t sq) { return fronts_[sq]; }
    [[nodiscard]] const TaskQueue &front(uint32_t sq) const { return fronts_[sq]; }
    /// Whether SQE `number` of the queue is a record that an injected fault kept from its entry
    /// (T-FLT-12).
    [[nodiscard]] bool lost_record(uint32_t sq, uint64_t number) const
    {
        return faults_.lost_record(sq, number);
    }
    /// Looks at a queue whose doorbell was rung.
    void take_in(uint32_t sq, uint64_t rung) { front_end_.take_in(sq, rung); }
    // True: the firmware acts on it.
    bool watch(uint32_t sq, uint64_t retired);
    /// The host took CQEs (T-CQ-4); false for a head outside what was written.
    [[nodiscard]] bool set_cq_head(uint32_t sq, uint32_t head);
    /// The next queue that has something for the host; kNone when there is none.
    [[nodiscard]] uint32_t take_interrupt() { return interrupts_.take(); }
    void inspect(uint32_t sq, twinsim_queue_info &out) const;

    // ---- registers (T-FE-8, T-SCH-13 to T-SCH-15); false: not allowed in this state ----

    [[nodiscard]] bool enabled(uint32_t sq) const { return queues_[sq].enabled; }
    void set_enabled(uint32_t sq, bool on) { front_end_.set_enabled(sq, on); }
    [[nodiscard]] bool set_head(uint32_t sq, uint32_t head)
    {
        return front_end_.set_head(sq, head);
    }
    [[nodiscard]] bool set_priority(uint32_t sq, uint8_t priority, uint8_t group);
    [[nodiscard]] bool control(uint32_t sq, uint32_t pulses);
    [[nodiscard]] uint32_t priority(uint32_t sq) const { return queues_[sq].priority; }
    [[nodiscard]] uint32_t group(uint32_t sq) const { return queues_[sq].group; }
    [[nodiscard]] uint32_t slot(uint32_t sq) const { return queues_[sq].slot; }
    /// "Drop prefetched SQEs" (T-FE-11).
    [[nodiscard]] bool drop_prefetched(uint32_t sq);
    /// The registers that are about no single queue, by offset from STARS_BLOCK_BASE: a
    /// twinsim_error, or 0.
    [[nodiscard]] int read_block(uint32_t offset, uint32_t &out_value) const;
    [[nodiscard]] int write_block(uint32_t offset, uint32_t value);
    /// The descriptor at which the list under way failed; kNone: none.
    [[nodiscard]] uint32_t list_error(uint32_t sq) const { return dma_.list_error(sq); }

    // ---- tables ----

    /// What other devices see of it.
    [[nodiscard]] SyncTables &tables() { return tables_; }
    [[nodiscard]] const EventTable &events() const { return tables_.events(); }
    [[nodiscard]] const NotifyTable &notifies() const { return tables_.notifies(); }
    [[nodiscard]] const CountTable &counts() const { return tables_.counts(); }
    /// The host writes to an entry.
    void write_event(uint32_t id, bool flag) { tables_.write_event(id, flag, kNone); }
    void write_notify(uint32_t id, bool flag) { tables_.write_notify(id, flag, kNone); }
    void write_count(uint32_t id, uint32_t value)
    {
        tables_.write_count(id, STARS_COUNT_SET, value, kNone);
    }
    /// The next record of an event is to set an entry of a device's table too (T-RMT-6): a
    /// twinsim_error, or 0. Throws std::bad_alloc.
    [[nodiscard]] int forward(uint32_t id, uint32_t device, uint32_t entry)
    {
        return tables_.forward(id, device, entry);
    }

    // ---- calls of the host, kernels ----

    /// Takes the oldest message; false: there is none.
    [[nodiscard]] bool take_message(twinsim_message &out) { return calls_.take(out); }
    /// The host's answer to the call of that SQE, seen at `time` (T-CPU-4).
    void answer(uint32_t sq, uint64_t number, Cycle time) { calls_.answer(sq, number, time); }
    [[nodiscard]] BlockDispatcher &cores() { return kernels_.cores(); }
    /// The description of a kernel that was wanted (T-CORE-2); false: it is not wanted any more.
    [[nodiscard]] bool give_kernel(uint32_t sq, uint64_t number, const twinsim_kernel &work)
    {
        return kernels_.give(sq, number, work);
    }

    // ---- calendar ----

    void fire_queue(uint32_t sq);
    void prefetch(uint32_t sq) const
    {
        prefetch_line(&queues_[sq]);
        fronts_[sq].prefetch();
    }
    void prefetch_work(uint32_t sq) const
    {
        dma_.prefetch(sq);
        fronts_[sq].prefetch_head();
    }
    /// The queue waits for an event, a notify, memory or the host, and its timer is the time limit
    /// of that.
    [[nodiscard]] bool limit_is_next(uint32_t sq) const
    {
        const QueueRow &q = queues_[sq];
        if (q.state == QueueState::kAnswer)
            return q.step == QueueStep::kLimit;
        return q.state == QueueState::kParked &&
               (q.type != STARS_SQE_COND || !conds_.will_look(sq));
    }
    /// A queue that polls looks at its next turn if there is something to see.
    void look_again(uint32_t sq) { conds_.look_again(sq); }
    void fire_arbiter();
    void fire_firmware();
    void fire_reports() { firmware_->fire_reports(); }
    void fire_forwards() { tables_.fire_forwards(); }
    void transfer_done(uint32_t sq) { dma_.transfer_done(sq); }
    /// An entry of a list has moved; `who` without DmaList::kOwner.
    void list_transfer_done(uint32_t who) { dma_.list_transfer_done(who); }

    void context_transfer_done(uint32_t who) { kernels_.context_transfer_done(who); }

    static constexpr uint32_t kNoSlot = QueueRow::kNoSlot;

  private:
    [[nodiscard]] SqeShape sqe_shape() const;
    void swap_done(uint32_t sq);
    void limit_reached(uint32_t sq);
    void retire(uint32_t sq)
    {
        if (retirement_.retire(sq))
            front_end_.go_on(sq);
    }
    void stretched(uint32_t sq);
    /// A queue between two SQEs; one that is disabled returns a share taken with its slot.
    void go_on(uint32_t sq)
    {
        front_end_.go_on(sq);
        if (queues_[sq].state == QueueState::kIdle)
            shares_.release(sq);
    }

    // pulses
    void resume(uint32_t sq, uint8_t what);
    void end_hold(uint32_t sq);
    void handled(uint32_t sq);
    void kill(uint32_t sq);
    void abandon(uint32_t sq);

    SystemState &system_;
    ApartVector<TaskQueue, 2048> fronts_;
    ApartVector<QueueRow, 1024> rows_;
    const QueueTable queues_;

    TaskFaults faults_;
    TaskTrace trace_;
    const SchedulerPart part_{queues_, faults_, trace_};
    Interrupts interrupts_;
    const std::unique_ptr<FirmwareFrontEnd> firmware_; // null: a hardware scheduler
    Arbitration arbitration_;
    SlotScheduler slots_;
    ClassShares shares_;
    SqeProgress progress_;
    const SqePart sqe_part_{part_, progress_};
    SyncTables tables_;
    FrontEnd front_end_;
    DmaTasks dma_;
    CondTasks conds_;
    HostCalls calls_;
    KernelTasks kernels_;
    PeerWrites peers_;
    SqeExecutor executor_;
    Retirement retirement_;
    std::array<uint64_t, STARS_WAIT_LIMITS> wait_limits_; // registers without effect
    uint32_t selected_ = 0; // the register that selects the queue to observe
};

} // namespace tsim

#endif
