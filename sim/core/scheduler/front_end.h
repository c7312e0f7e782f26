// SPDX-License-Identifier: Apache-2.0
/// From doorbell to decoded SQE: what a queue does between two SQEs, and how the next one is
/// fetched and decoded. Rules T-FE-2 to T-FE-11, T-SCH-1, T-SCH-7, T-SQE-1 to T-SQE-4.
#ifndef TWINSIM_CORE_SCHEDULER_FRONT_END_H
#define TWINSIM_CORE_SCHEDULER_FRONT_END_H

#include <memory>

#include "core/base/rtl_port.h"
#include "core/scheduler/firmware_front_end.h"
#include "core/scheduler/slot_scheduler.h"
#include "core/scheduler/sqe_progress.h"

namespace tsim
{

class FrontEnd : private SqePart
{
  public:
    /// `firmware`: fetches and decodes; null: the hardware does.
    FrontEnd(const SqePart &part, SlotScheduler &slots, FirmwareFrontEnd *firmware);
    void reset();

    /// Looks at a queue whose doorbell was rung.
    void take_in(uint32_t sq, uint64_t rung);
    /// The queue is at rest.
    void idle(uint32_t sq);
    /// Between two SQEs: the next one if it can be seen, else out of the slot.
    void go_on(uint32_t sq);
    /// The SQE is decoded, and is to be held before it executes.
    void hold_before(uint32_t sq);
    /// A firmware has decoded it.
    void command_decoded(uint32_t sq);
    /// Nothing holds it: on to its effect.
    void after_decode(uint32_t sq, Cycle decoded, SqeOp op);

    // ---- registers; false: not allowed in this state ----

    void set_enabled(uint32_t sq, bool on);
    [[nodiscard]] bool set_head(uint32_t sq, uint32_t head);
    /// The head of a queue at rest is moved.
    void move_head(uint32_t sq, uint32_t head);
    /// Everything rung so far is dropped.
    void drop_all(uint32_t sq);

  private:
    void begin(uint32_t sq);
    void begin_command(uint32_t sq);
    /// SQEs that are read at once (T-FE-4; T-HW-4).
    [[nodiscard]] uint32_t line() const
    {
        const auto window = static_cast<uint32_t>(system_.params.fetch_window.value);
        return firmware_ ? window : window / 2;
    }
    [[nodiscard]] Cycle access_time(uint32_t sq) const;

    SlotScheduler &slots_;
    FirmwareFrontEnd *const firmware_;
    std::unique_ptr<FrontRtlPort> rtl_port_; // null: the plain model
};

} // namespace tsim

#endif
