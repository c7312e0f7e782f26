// SPDX-License-Identifier: Apache-2.0
/// COND tasks of queues: their programs, what these do to queues, and polling. Rules T-COND-1 to
/// T-COND-11.
#ifndef TWINSIM_CORE_SCHEDULER_COND_TASKS_H
#define TWINSIM_CORE_SCHEDULER_COND_TASKS_H

#include <vector>

#include "core/queue/cond.h"
#include "core/scheduler/class_shares.h"
#include "core/scheduler/front_end.h"
#include "core/scheduler/slot_scheduler.h"
#include "core/scheduler/sqe_progress.h"

namespace tsim
{

class CondTasks : private SqePart
{
  public:
    CondTasks(const SqePart &part, FrontEnd &front_end, ClassShares &shares, SlotScheduler &slots)
        : SqePart(part), front_end_(front_end), shares_(shares), slots_(slots),
          programs_(queues_.size())
    {
    }

    /// The class share is there: the program runs.
    void start(uint32_t sq);
    /// It has taken its time.
    void done(uint32_t sq);
    /// A turn of a queue that polls, or the end of its patience.
    void poll(uint32_t sq);
    /// A queue that polls looks at its next turn if there is something to see.
    void look_again(uint32_t sq);
    [[nodiscard]] bool will_look(uint32_t sq) const
    {
        return system_.polls.will_look(queues_.timer(sq));
    }
    /// The queue polls no longer.
    void forget(uint32_t sq) { system_.polls.remove(queues_.timer(sq)); }

    /// Head that the program of the SQE at the head sends its own queue to (T-COND-6); kNone: to
    /// the next one.
    [[nodiscard]] uint32_t jump(uint32_t sq) const { return programs_[sq].jump; }

  private:
    class Port;
    struct Program {
        uint32_t jump = kNone;
        bool again = false; // it does nothing but look and go back to itself
        CondResult result;
    };
    [[nodiscard]] Program interpret(uint32_t sq, bool dry);
    void park(uint32_t sq);

    FrontEnd &front_end_;
    ClassShares &shares_;
    SlotScheduler &slots_;
    std::vector<Program> programs_; // by queue
};

} // namespace tsim

#endif
