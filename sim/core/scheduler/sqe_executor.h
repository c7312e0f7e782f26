// SPDX-License-Identifier: Apache-2.0
/// What a decoded SQE asks for, and that it happens: an access to a table, a store, or a task on an
/// engine. Rules T-SQE-3, T-SQE-9, T-SQE-10, T-SQE-12, T-SCH-8.
#ifndef TWINSIM_CORE_SCHEDULER_SQE_EXECUTOR_H
#define TWINSIM_CORE_SCHEDULER_SQE_EXECUTOR_H

#include "core/base/rtl_port.h"
#include "core/scheduler/class_shares.h"
#include "core/scheduler/cond_tasks.h"
#include "core/scheduler/dma_tasks.h"
#include "core/scheduler/host_calls.h"
#include "core/scheduler/kernel_tasks.h"
#include "core/scheduler/peer_writes.h"
#include "core/scheduler/sqe_progress.h"
#include "core/scheduler/sync_tables.h"

namespace tsim
{

class SqeExecutor : private SqePart
{
  public:
    /// What the tasks of a device run on.
    struct Engines {
        DmaTasks &dma;
        CondTasks &conds;
        HostCalls &calls;
        KernelTasks &kernels;
        PeerWrites &peers;
    };

    SqeExecutor(const SqePart &part, ClassShares &shares, SyncTables &tables,
                const Engines &engines)
        : SqePart(part), shares_(shares), tables_(tables), engines_(engines)
    {
    }

    /// The time to the effect of the SQE is over.
    void execute(uint32_t sq);
    /// It needs a share of its class.
    void dispatch(uint32_t sq)
    {
        if (shares_.take(sq))
            admitted(sq);
    }
    /// The class of the SQE that the queue needs a slot for, as the ring has it now; kNoClass also
    /// if that has had its effect.
    [[nodiscard]] TaskClass class_of_next(uint32_t sq) const;
    /// It has the share: on to the engine.
    void admitted(uint32_t sq);

  private:
    [[nodiscard]] SqeDecoded decode(uint32_t sq);
    void have_effect(uint32_t sq, SqeDecoded decoded);
    void access_event(uint32_t sq, const SqeDecoded &decoded);
    void write_memory(uint32_t sq);

    ClassShares &shares_;
    SyncTables &tables_;
    const Engines engines_;
};

} // namespace tsim

#endif
