// SPDX-License-Identifier: Apache-2.0
/// Queues that poll memory, at no cost while nothing is stored. Rules T-COND-8 to T-COND-11.
#ifndef TWINSIM_CORE_QUEUE_POLL_H
#define TWINSIM_CORE_QUEUE_POLL_H

#include <array>
#include <vector>

#include "core/base/calendar.h"
#include "core/queue/cond.h"

namespace tsim
{

/// One entry per queue that polls, in no order. A queue is named by its timer; the timer is set to
/// the next instant at which the queue has to look, or to the time limit of its wait.
class PollList
{
  public:
    PollList(Calendar &calendar, const Cycle &now, Cycle period)
        : calendar_(calendar), now_(now), period_(period)
    {
    }

    [[nodiscard]] bool empty() const { return watches_.empty(); }
    /// Where the bytes are that a program read, by the numbers of twinsim_bus::piece.
    using Places = std::array<uint64_t, CondResult::kMostReads>;
    /// The queue polls from now on, until `limit` at most, what `result` has read. Throws
    /// std::bad_alloc.
    void add(uint32_t timer, Cycle limit, const CondResult &result, const Places &places);
    void remove(uint32_t timer);
    /// Bytes at a place have changed: queues that read them look at their next turn.
    void stored(uint64_t place, uint64_t bytes);
    /// The queue looks at its next turn.
    void look(uint32_t timer);
    /// A turn has come and changed nothing: the queue looks after look().
    void rest(uint32_t timer);
    /// Whether the queue will look at its next turn.
    [[nodiscard]] bool will_look(uint32_t timer) const
    {
        return watches_[index(timer)].due != kNever;
    }
    [[nodiscard]] Cycle limit(uint32_t timer) const { return watches_[index(timer)].limit; }
    /// Address that the queue read first; UINT64_MAX when it read none.
    [[nodiscard]] uint64_t address(uint32_t timer) const
    {
        return watches_[index(timer)].read[0].address;
    }
    /// Timers of all queues that poll, of all devices.
    [[nodiscard]] std::vector<uint32_t> timers() const;

  private:
    struct Watch {
        uint32_t timer;
        uint32_t reads;
        Cycle since;
        Cycle limit;
        Cycle due; // the turn at which it looks; kNever: it does not
        std::array<CondRead, CondResult::kMostReads> read;
        Places place;
    };
    [[nodiscard]] size_t index(uint32_t timer) const;
    void arm(Watch &watch);

    Calendar &calendar_;
    const Cycle &now_;
    const Cycle period_;
    std::vector<Watch> watches_;
};

} // namespace tsim

#endif
