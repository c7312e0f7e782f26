// SPDX-License-Identifier: Apache-2.0
/// Random jobs. Those for lock step (Job::random) may do anything; those for the model alone end.
#ifndef TWINRT_TESTS_LOCKSTEP_JOB_RANDOM_H
#define TWINRT_TESTS_LOCKSTEP_JOB_RANDOM_H

#include <random>

#include "job.h"

namespace job
{

class Dice
{
  public:
    explicit Dice(uint64_t seed) : random_(seed) {}
    uint64_t below(uint64_t end) { return random_() % end; }
    bool one_in(uint64_t n) { return below(n) == 0; }
    uint64_t between(uint64_t least, uint64_t most) { return least + below(most - least + 1); }

  private:
    std::mt19937_64 random_;
};

/// What a job that ends may use of a device.
struct Room {
    uint32_t queues, events, notifies, counts;
};

/// Both sides begin with the same patterns, which copies read. Then come words of the device that
/// are written and polled, then what copies and fills write, each range once.
inline constexpr uint64_t kPatterns = 4, kPatternBytes = 128 << 10;
inline constexpr uint64_t kWords = 1 << 20, kBuffers = 4 << 20, kBuffersEnd = 52 << 20;

/// A job in which every task ends on every device: a wait comes after its record in one order that
/// all queues keep. `run` ends a round: everything retires, then events and counts are cleared. The
/// last task of several queues may wait for one notify that is recorded once in the round.
[[nodiscard]] Job random_ending(Dice &dice, const Room &room);

} // namespace job

#endif
