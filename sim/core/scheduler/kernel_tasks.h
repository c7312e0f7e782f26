// SPDX-License-Identifier: Apache-2.0
/// AI-core tasks of queues: the description of a kernel, its blocks as the queue sees them, its
/// end. Rules T-CORE-1, T-CORE-2, T-CORE-8 to T-CORE-13.
#ifndef TWINSIM_CORE_SCHEDULER_KERNEL_TASKS_H
#define TWINSIM_CORE_SCHEDULER_KERNEL_TASKS_H

#include "core/engine/block_dispatcher.h"
#include "core/scheduler/ffts_tasks.h"
#include "core/scheduler/sqe_progress.h"

namespace tsim
{

class KernelTasks : private KernelOwner, private FftsOwner, private SqePart
{
  public:
    KernelTasks(const SqePart &part, SyncTables &tables, uint64_t seed)
        : SqePart(part), cores_(system_, queues_.device, *this, seed),
          ffts_(part, tables, cores_, *this)
    {
    }
    void reset();
    [[nodiscard]] BlockDispatcher &cores() { return cores_; }
    /// How many blocks of that kind can run at once; 0: no kernel of that kind runs.
    [[nodiscard]] uint32_t room(BlockDispatcher::Kind kind) const
    {
        return system_.bus.kernel ? cores_.room(kind) : 0;
    }

    /// The contexts of the queue's FFTS+ task go on.
    void contexts_turn(uint32_t sq) { ffts_.turn(sq); }
    void context_transfer_done(uint32_t who) { ffts_.transfer_done(who & ~FftsTasks::kOwner); }

    /// The class of an AI-core SQE; kNoClass: the SQE is bad.
    [[nodiscard]] TaskClass class_of(const stars_sqe &sqe) const;
    /// The class share is there; the driver says what the blocks do.
    void start(uint32_t sq);
    /// The description of a kernel that the driver had to find first; false: it is not needed any
    /// more.
    [[nodiscard]] bool give(uint32_t sq, uint64_t number, const twinsim_kernel &work);

    void limit_reached(uint32_t sq);
    void stretched(uint32_t sq);
    /// The report of its end is there.
    void reported(uint32_t sq);
    void pause(uint32_t sq);
    void resume(uint32_t sq);
    /// The queue's task ends without effect.
    void drop(uint32_t sq);

  private:
    void launch(uint32_t sq, const twinsim_kernel &work);
    void first_block(uint32_t kernel, uint32_t sq) override;
    [[nodiscard]] bool blocks_ended(uint32_t kernel, uint32_t sq) override;
    void kernel_failed(uint32_t kernel, uint32_t sq, twinsim_kernel_fault fault) override;
    void kernel_rests(uint32_t kernel, uint32_t sq) override;
    void ffts_ended(uint32_t sq, uint8_t error, uint16_t status) override;
    void ffts_kernel_failed(uint32_t sq, twinsim_kernel_fault fault) override { failed(sq, fault); }
    void ffts_rests(uint32_t sq) override { rest(sq); }
    void failed(uint32_t sq, twinsim_kernel_fault fault);
    void rest(uint32_t sq) const;
    void make_effect(uint32_t sq);
    void report(uint32_t sq, twinsim_kernel_fault fault);
    void report_error(uint32_t sq, uint8_t error, uint16_t status);
    [[nodiscard]] twinsim_kernel faulted(uint32_t sq, BlockDispatcher::Kind kind,
                                         const twinsim_kernel &work) const override;

    BlockDispatcher cores_;
    FftsTasks ffts_;
};

} // namespace tsim

#endif
