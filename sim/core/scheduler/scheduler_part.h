// SPDX-License-Identifier: Apache-2.0
/// What every part of the scheduler of a device works on.
#ifndef TWINSIM_CORE_SCHEDULER_SCHEDULER_PART_H
#define TWINSIM_CORE_SCHEDULER_SCHEDULER_PART_H

#include "core/scheduler/queue_table.h"
#include "core/scheduler/task_faults.h"
#include "core/scheduler/task_trace.h"

namespace tsim
{

class SchedulerPart
{
  public:
    SchedulerPart(const QueueTable &queues, const TaskFaults &faults, const TaskTrace &trace)
        : queues_(queues), faults_(faults), trace_(trace), system_(queues.system)
    {
    }

  protected:
    const QueueTable queues_;
    const TaskFaults &faults_;
    const TaskTrace &trace_;
    SystemState &system_;
};

} // namespace tsim

#endif
