// SPDX-License-Identifier: Apache-2.0
/// Arbitration of one device: the lines in which queues wait for an active slot or for a share of a
/// class, and the registers that say in which order they are served. Rules T-ARB-1 to T-ARB-4,
/// T-FE-10.
#ifndef TWINSIM_CORE_SCHEDULER_ARBITRATION_H
#define TWINSIM_CORE_SCHEDULER_ARBITRATION_H

#include <vector>

#include "core/scheduler/queue_table.h"
#include "core/tables/arbiter.h"

namespace tsim
{

class Arbitration
{
  public:
    /// A line per class, and one for slots.
    static constexpr uint32_t kSlots = kClassCount;

    Arbitration(const QueueTable &queues, uint64_t seed);
    Arbitration(const Arbitration &) = delete;
    Arbitration &operator=(const Arbitration &) = delete;
    /// First state: no queue waits.
    void reset();

    /// Makes the places that queues of this priority and model group need. Throws std::bad_alloc.
    void prepare(uint32_t priority, uint32_t group);
    void add(uint32_t line, uint32_t sq)
    {
        lines_[line].add(sq, queues_[sq].priority, queues_[sq].group);
    }
    [[nodiscard]] bool empty(uint32_t line) const { return lines_[line].empty(); }
    /// The queue that is served next, which waits no longer. Not when empty.
    [[nodiscard]] uint32_t take(uint32_t line) { return lines_[line].take(seed_); }
    /// The queue leaves the line that its state says it waits in, if any.
    void remove(uint32_t sq);

    /// A queue that waits goes on waiting among those of the new priority. Throws std::bad_alloc.
    void set_priority(uint32_t sq, uint8_t priority, uint8_t group);
    /// A register, by offset from STARS_BLOCK_BASE. False: it is not one of these.
    [[nodiscard]] bool read(uint32_t offset, uint32_t &out_value) const;
    [[nodiscard]] bool write(uint32_t offset, uint32_t value);

  private:
    [[nodiscard]] Arbiter *line_of(const QueueRow &q);
    void join(uint32_t sq);
    void set_strict_level(uint32_t level);

    const QueueTable queues_;
    ArbiterRules rules_;
    std::vector<Arbiter> lines_;
    uint64_t seed_;
};

} // namespace tsim

#endif
