// SPDX-License-Identifier: Apache-2.0
/// Tasks that call the host: a message to its topic queue, and the wait for the answer. Rules
/// T-CPU-1 to T-CPU-6.
#ifndef TWINSIM_CORE_SCHEDULER_HOST_CALLS_H
#define TWINSIM_CORE_SCHEDULER_HOST_CALLS_H

#include <vector>

#include "core/scheduler/sqe_progress.h"

namespace tsim
{

class HostCalls : private SqePart
{
  public:
    explicit HostCalls(const SqePart &part) : SqePart(part) {}
    void reset();

    /// The class share is there: the message is sent.
    void start(uint32_t sq);
    /// It is there.
    void post(uint32_t sq);
    /// The answer is.
    void answered(uint32_t sq);
    void limit_reached(uint32_t sq);
    /// The queue is closed.
    void forget(uint32_t sq);

    // ---- the host ----

    /// Takes the oldest message; false: there is none.
    [[nodiscard]] bool take(twinsim_message &out);
    /// The host's answer to the call of that SQE, seen at `time`.
    void answer(uint32_t sq, uint64_t number, Cycle time);

  private:
    std::vector<twinsim_message> messages_; // for the host, oldest first
};

} // namespace tsim

#endif
