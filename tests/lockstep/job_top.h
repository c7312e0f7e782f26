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
    /// Throws a std::string when the RTL hangs.
    Outcome run(const Job &job);

  private:
    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<Vnpu_top> top_;
};

} // namespace job

#endif
