// SPDX-License-Identifier: Apache-2.0
#ifndef TWINRT_TESTS_LOCKSTEP_JOB_TOP_H
#define TWINRT_TESTS_LOCKSTEP_JOB_TOP_H

#include <memory>

#include "job.h"

class VerilatedContext;
class Vnpu_top;

namespace job
{

/// The Verilated npu_top; each run resets it.
class Top
{
  public:
    Top();
    ~Top();
    Top(const Top &) = delete;
    Top &operator=(const Top &) = delete;
    /// Throws a std::string when the RTL hangs or an assertion of it fails. Of jobs that are made
    /// smaller there are many: `brief` gives up sooner.
    Outcome run(const Job &job, bool brief = false);

  private:
    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<Vnpu_top> top_;
};

} // namespace job

#endif
