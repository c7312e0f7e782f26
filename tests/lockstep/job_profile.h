// SPDX-License-Identifier: Apache-2.0
/// The machine of a job as a profile of the model.
#ifndef TWINRT_TESTS_LOCKSTEP_JOB_PROFILE_H
#define TWINRT_TESTS_LOCKSTEP_JOB_PROFILE_H

#include "job.h"

namespace job
{

/// JSON. A value that a profile cannot hold becomes the nearest valid one, and `changed` says so
/// ("line: how").
[[nodiscard]] std::string profile_of(const std::array<uint64_t, kNumbers> &machine,
                                     std::vector<std::string> &changed);

} // namespace job

#endif
