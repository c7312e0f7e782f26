// SPDX-License-Identifier: Apache-2.0
/// AI-core tasks of queues: the description of a kernel, its blocks as the queue sees them, its
/// end. Rules T-CORE-1, T-CORE-2, T-CORE-8 to T-CORE-13.
#ifndef TWINSIM_CORE_SCHEDULER_KERNEL_TASKS_H
#define TWINSIM_CORE_SCHEDULER_KERNEL_TASKS_H

#include "core/engine/block_dispatcher.h"
#include "core/scheduler/sqe_progress.h"

namespace tsim
{

class KernelTasks : private KernelOwner, private SqePart
{
  public:
    KernelTasks(const SqePart &part, uint64_t seed)
        : SqePart(part), cores_(system_, queues_.device, *this, seed)
    {
    }
    void reset();
    [[nodiscard]] BlockDispatcher &cores() { return cores_; }
    /// How many blocks of that kind can run at once; 0: no kernel of that kind runs.
    [[nodiscard]] uint32_t room(BlockDispatcher::Kind kind) const
    {
        return system_.bus.kernel ? cores_.room(kind) : 0;
    }

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
    void end_launch(uint32_t sq) const;
    void first_block(uint32_t sq) override;
    [[nodiscard]] bool blocks_ended(uint32_t sq) override;
    void kernel_failed(uint32_t sq, twinsim_kernel_fault fault) override;
    void kernel_rests(uint32_t sq) override;
    void make_effect(uint32_t sq);
    void report(uint32_t sq, twinsim_kernel_fault fault);
    void report_error(uint32_t sq, uint8_t error, uint16_t status);
    [[nodiscard, gnu::cold]] twinsim_kernel faulted(uint32_t sq, const twinsim_kernel &work) const;

    BlockDispatcher cores_;
};

} // namespace tsim

#endif
