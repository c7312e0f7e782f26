// SPDX-License-Identifier: Apache-2.0
/// Plays a plan through the public interface, on whatever device the environment names.
#ifndef TWINRT_TESTS_LOCKSTEP_JOB_ACL_H
#define TWINRT_TESTS_LOCKSTEP_JOB_ACL_H

#include <map>

#include "job_order.h"

namespace job
{

/// The outcome of a plan.
struct Result {
    std::vector<std::string> lines;      ///< streams and memory, the same on each run with one seed
    std::vector<std::string> wrong;      ///< against the rules, or a call that failed
    std::map<uint32_t, int32_t> streams; ///< ids, by the queue's number in Order
};

/// From aclInit to aclFinalize.
[[nodiscard]] Result play(const Plan &plan, const Order &order);

} // namespace job

#endif
