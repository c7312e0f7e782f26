// SPDX-License-Identifier: Apache-2.0
/// Write-value SQEs that store into the tables of another device. Rules T-RMT-1 to T-RMT-4.
#ifndef TWINSIM_CORE_SCHEDULER_PEER_WRITES_H
#define TWINSIM_CORE_SCHEDULER_PEER_WRITES_H

#include "core/scheduler/queue_table.h"
#include "core/scheduler/sqe_progress.h"
#include "core/scheduler/sync_tables.h"
#include "core/scheduler/task_faults.h"
#include "core/scheduler/task_trace.h"

namespace tsim
{

class PeerWrites
{
  public:
    PeerWrites(const QueueTable &queues, const TaskFaults &faults, const TaskTrace &trace,
               SqeProgress &progress)
        : queues_(queues), faults_(faults), trace_(trace), progress_(progress),
          system_(queues.system)
    {
    }

    /// The store leaves the device.
    void start(uint32_t sq);
    /// It is there.
    void arrived(uint32_t sq);
    /// The acknowledgement is back.
    void done(uint32_t sq);

  private:
    /// An entry in the window of some device.
    struct Entry {
        SyncTables *peer = nullptr;
        bool event = false;
        uint32_t id = 0;
    };
    [[nodiscard]] Entry entry_of(uint32_t sq) const;

    const QueueTable queues_;
    const TaskFaults &faults_;
    const TaskTrace &trace_;
    SqeProgress &progress_;
    SystemState &system_;
};

} // namespace tsim

#endif
