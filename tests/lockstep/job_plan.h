// SPDX-License-Identifier: Apache-2.0
/// What of a job the public interface can say. Nothing is left out in silence: each line is played,
/// played with less than it says, or refused.
#ifndef TWINRT_TESTS_LOCKSTEP_JOB_PLAN_H
#define TWINRT_TESTS_LOCKSTEP_JOB_PLAN_H

#include "job.h"

namespace job
{

struct Plan {
    std::array<uint64_t, kNumbers> machine;
    /// What is played, in the order in which the host does it: queues, tasks (at their doorbell),
    /// kHostRecord, kHostClear, kHostNotify, kHostNotifyClear.
    std::vector<Step> steps;
    std::vector<std::string> changed; ///< "line: how"
    std::vector<std::string> refused; ///< "line: why"
    size_t rings = 0;                 ///< lines that say when the tasks before them are submitted

    explicit Plan(const Job &job);
};

} // namespace job

#endif
