// SPDX-License-Identifier: Apache-2.0
/// A firmware in place of the hardware scheduler: what queues need of its loop, and the reports by
/// which the host learns of the ends of commands. Rules T-HW-1 to T-HW-11.
#ifndef TWINSIM_CORE_SCHEDULER_FIRMWARE_FRONT_END_H
#define TWINSIM_CORE_SCHEDULER_FIRMWARE_FRONT_END_H

#include "core/queue/firmware_loop.h"
#include "core/queue/firmware_cq.h"
#include "core/scheduler/interrupts.h"
#include "core/scheduler/scheduler_part.h"

namespace tsim
{

class FirmwareFrontEnd : private SchedulerPart
{
  public:
    FirmwareFrontEnd(const SchedulerPart &part, Interrupts &interrupts);
    void reset();

    /// A queue that got an active place is to be taken into it.
    void activate(uint32_t sq);
    /// The queue turns to the command at its head.
    void begin_command(uint32_t sq);
    /// The command is over; `step` says how it ends.
    void ask_report(uint32_t sq, QueueStep step);
    /// A queue that needs something needs it at the level of this priority.
    void set_level(uint32_t sq, uint32_t priority) { loop_.move(sq, priority); }
    /// It needs nothing any more.
    void forget_work(uint32_t sq) { loop_.forget(sq); }
    /// It is closed.
    void forget_reports(uint32_t sq) { reports_.forget(sq); }
    /// What the queue has of the firmware is free: it leaves its active place, or is closed.
    void release_commands(uint32_t sq);

    /// The timer of the loop. True: it has ended `done`, and the queue goes on; then arm().
    [[nodiscard]] bool fire(FirmwareLoop::Job &done);
    /// Work begins after all queues of the instant, so that those of one instant are chosen among
    /// by their levels.
    void arm();

    /// The report of a command that retired, or failed.
    void post_report(uint32_t sq, const stars_sqe &sqe, bool interrupts, bool failed);
    /// The host waits for a command that has ended and is not reported yet.
    void hurry_report(uint32_t sq);
    /// The timer of the reports.
    void fire_reports();

  private:
    void ask(uint32_t sq, FirmwareLoop::Work work);
    [[nodiscard]] bool serve(const FirmwareLoop::Job &done);
    void read_commands(uint32_t sq);
    [[nodiscard]] const Setting &kept_by(FirmwareLoop::Work wanted) const;
    void note_reported(const FirmwareCq::Report &report) const;
    void arm_reports();
    [[nodiscard]] uint32_t timer(uint32_t which) const
    {
        return (queues_.device << SystemState::kDeviceShift) + which;
    }

    Interrupts &interrupts_;
    FirmwareLoop loop_;
    FirmwareCq reports_;
    Cycle rested_ = kNever; // when the loop ended its last work
};

} // namespace tsim

#endif
