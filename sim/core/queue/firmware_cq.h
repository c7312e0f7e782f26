// SPDX-License-Identifier: Apache-2.0
/// The one queue in which a firmware reports the ends of commands: batches, interrupts, and the
/// host that takes the reports. Rules T-HW-8 to T-HW-11.
#ifndef TWINSIM_CORE_QUEUE_FIRMWARE_CQ_H
#define TWINSIM_CORE_QUEUE_FIRMWARE_CQ_H

#include <vector>

#include "core/profile/params.h"
#include "core/base/types.h"

namespace tsim
{

class FirmwareCq
{
  public:
    struct Report {
        uint32_t sq = kNone;
        bool interrupts = false; ///< the host gets an interrupt of this queue
        bool failed = false;     ///< of a command that failed
        uint64_t number = 0;     ///< the SQE that retired; 0: none has
        uint64_t about = 0;      ///< the SQE that it reports
        uint16_t task_id = 0;    ///< of that one
        uint8_t sqe_type = 0;    ///< likewise
        Cycle added = 0;
    };

    explicit FirmwareCq(const Params &params);
    void reset();

    /// Not when full. `asked`: the host waits for it.
    void add(Cycle now, const Report &report, bool asked);
    /// The host waits for a report that is here.
    void hurry(Cycle now);
    /// Reports of a closed queue are empty.
    void forget(uint32_t sq);

    [[nodiscard]] bool full() const { return count_ == reports_.size(); }
    /// The firmware begins no command (T-HW-10).
    [[nodiscard]] bool stopped() const { return stopped_; }
    [[nodiscard]] uint32_t count() const { return count_; }
    /// When the interrupt was raised after which reports are taken, or were last.
    [[nodiscard]] Cycle interrupted() const { return interrupted_; }
    /// When it last came to be no longer full, or stopped.
    [[nodiscard]] Cycle made_room() const { return made_room_; }

    /// When something happens here next; kNever: not before something is added.
    [[nodiscard]] Cycle next() const { return state_ == State::kQuiet ? kNever : due_; }
    /// It is next(). True: the host has taken `out`.
    [[nodiscard]] bool fire(Cycle now, Report &out);

  private:
    enum class State : uint8_t {
        kQuiet,   // no report
        kWaiting, // some, until the batch is full or the time is over
        kTaking   // the host has its interrupt, or takes reports
    };
    void interrupt(Cycle now);

    const Params &params_;
    std::vector<Report> reports_; // a ring
    uint32_t first_ = 0;
    uint32_t count_ = 0;
    State state_ = State::kQuiet;
    bool stopped_ = false;
    Cycle due_ = kNever;
    Cycle interrupted_ = 0;
    Cycle made_room_ = kNever;
};

} // namespace tsim

#endif
