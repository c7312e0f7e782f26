// SPDX-License-Identifier: Apache-2.0
/// The part of a job that the public interface can express. Nothing is left out silently: each line
/// is played, played in part, or refused.
#ifndef TWINRT_TESTS_LOCKSTEP_JOB_PLAN_H
#define TWINRT_TESTS_LOCKSTEP_JOB_PLAN_H

#include "job.h"

namespace job
{

struct Plan {
    std::array<uint64_t, kNumbers> machine;
    /// The played steps, in the order of the host's calls: queues, tasks (at their doorbell),
    /// kHostRecord, kHostClear, kHostNotify, kHostNotifyClear.
    std::vector<Step> steps;
    std::vector<std::string> changed; ///< "line: how"
    std::vector<std::string> refused; ///< "line: why"
    size_t rings = 0;                 ///< lines that say when the tasks before them are submitted

    explicit Plan(const Job &job);
};

} // namespace job

#endif
