// SPDX-License-Identifier: Apache-2.0
/// Interrupts about queues of one device, by target: what is pending, and the registers that show
/// it. Rules T-CQ-7, T-SQE-13.
#ifndef TWINSIM_CORE_SCHEDULER_INTERRUPTS_H
#define TWINSIM_CORE_SCHEDULER_INTERRUPTS_H

#include <array>

#include "core/base/bitmap.h"
#include "core/base/types.h"

namespace tsim
{

class Interrupts
{
  public:
    static constexpr uint32_t kHost = 3; ///< the target that is the host's

    void reset();
    /// The queue is closed.
    void forget(uint32_t sq);
    /// Target 0 is none (T-SQE-13).
    void raise(uint32_t sq, uint32_t target)
    {
        if (target != 0)
            pending_[target - 1].set(sq);
    }
    /// The next queue that has something for the host; kNone when there is none.
    [[nodiscard]] uint32_t take();

    /// A register, by offset from STARS_BLOCK_BASE. False: it is not one of these, or not for that.
    [[nodiscard]] bool read(uint32_t offset, uint32_t &out_value) const;
    [[nodiscard]] bool write(uint32_t offset, uint32_t value);

  private:
    std::array<Bitmap, kHost> pending_; // by target - 1: queues
    uint32_t mask_ = 0;
};

} // namespace tsim

#endif
