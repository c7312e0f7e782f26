// SPDX-License-Identifier: Apache-2.0
/// Memory for the times of SQEs, one block per queue. Not a rule of the model: its address decides
/// what a task costs the host when many queues take turns.
#ifndef TWINSIM_CORE_BASE_TIME_POOL_H
#define TWINSIM_CORE_BASE_TIME_POOL_H

#include <cstddef>
#include <cstdint>

#include "core/base/types.h"

namespace tsim
{

/// When an SQE becomes visible and when it retired: side by side, as one task touches both.
struct SqeTimes {
    Cycle arrival; ///< ns until taken in, then cycles
    Cycle done;
};

/// Blocks are close together and each begins one line further into its page than the one before, so
/// that queues which stand at the same place of their rings do not compete for the same sets of the
/// caches. The first chunk, which serves programs with few queues, costs the pages that are
/// touched; later ones are huge pages, one entry of the TLB for some 60 queues. What a block holds
/// at first is not defined. Any thread.
class TimePool
{
  public:
    static constexpr size_t kChunk = size_t{2} << 20;

    /// A block of `entries`, a power of two. Throws std::bad_alloc.
    [[nodiscard]] static SqeTimes *take(uint32_t entries);
    static void release(SqeTimes *block, uint32_t entries);
};

} // namespace tsim

#endif
