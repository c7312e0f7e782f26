// SPDX-License-Identifier: Apache-2.0
/// Where the SQE at the head of a queue goes next: on to its retirement, its failure, or a hold,
/// and when. With an RTL port each decision is reported to that, and what it answers is done. Rules
/// T-SQE-4 to T-SQE-7, T-SQE-10, T-CQ-3.
#ifndef TWINSIM_CORE_SCHEDULER_SQE_PROGRESS_H
#define TWINSIM_CORE_SCHEDULER_SQE_PROGRESS_H

#include <memory>

#include "core/base/rtl_port.h"
#include "core/scheduler/firmware_front_end.h"
#include "core/scheduler/interrupts.h"
#include "core/scheduler/scheduler_part.h"
#include "core/scheduler/sqe_fields.h"

namespace tsim
{

class SqeProgress : private SchedulerPart
{
  public:
    /// `firmware`: what ends is reported by it; null: the hardware does.
    SqeProgress(const SchedulerPart &part, Interrupts &interrupts, FirmwareFrontEnd *firmware)
        : SchedulerPart(part), interrupts_(interrupts), firmware_(firmware)
    {
    }
    /// From now on the port decides. While all queues are closed.
    void attach(std::unique_ptr<SqeRtlPort> rtl_port) { rtl_port_ = std::move(rtl_port); }
    void reset();

    // ---- steps ----

    /// The SQE goes on with `plain`, unless an RTL port says otherwise.
    void advance(uint32_t sq, SqeOp op, SqeStep plain)
    {
        if (has_rtl_port())
            advance_rtl_port(sq, op, plain.next, plain.hold, plain.due);
        else
            carry_out(sq, plain);
    }
    /// When: where only that is in question.
    [[nodiscard]] Cycle due(uint32_t sq, SqeOp op, SqeNext next, Cycle plain)
    {
        return has_rtl_port() ? ask(sq, op, {next, SqeHold::kNot, plain}).step.due : plain;
    }
    /// When the set-up of an SDMA task ends that takes `plain` and began `early` before its turn
    /// (T-DMA-14).
    [[nodiscard]] Cycle set_up_at(uint32_t sq, Cycle plain, Cycle early)
    {
        early_ = early;
        const Cycle at = due(sq, SqeOp::kSetUp, SqeNext::kSetUp,
                             system_.now + (plain > early ? plain - early : 0));
        early_ = 0;
        return at;
    }
    /// The SQE has had its effect, or its wait has passed.
    void executed(uint32_t sq, SqeOp op = SqeOp::kDone)
    {
        if (post_p(queues_.sqe(sq)) != 0)
            advance(sq, op, {SqeNext::kHold, SqeHold::kAfter});
        else
            start_retire(sq, op);
    }
    void start_retire(uint32_t sq, SqeOp op);
    /// It fails: an error CQE, then the queue stops.
    void fail(uint32_t sq, uint8_t error, uint16_t status, SqeOp op = SqeOp::kFail);
    void hold(uint32_t sq, HoldReason why);
    /// The SQE under way is killed, or its queue closed.
    void end(uint32_t sq)
    {
        if (has_rtl_port())
            advance_rtl_port(sq, SqeOp::kEnd, SqeNext::kNothing, SqeHold::kNot, kNever);
    }

    // ---- decisions that others carry out ----

    /// Whether an SQE that has written its CQE, if it could, is over; else it is held.
    [[nodiscard]] bool retires(uint32_t sq, bool full) { return ends(sq, SqeOp::kRetire, full); }
    /// The same of one that failed.
    [[nodiscard]] bool stands_still(uint32_t sq, bool full)
    {
        return ends(sq, SqeOp::kReport, full);
    }
    /// Whether an SQE that failed is skipped now.
    [[nodiscard]] bool is_skipped(uint32_t sq)
    {
        return !has_rtl_port() ||
               ask(sq, SqeOp::kHandled, {SqeNext::kRetired}).step.next == SqeNext::kRetired;
    }
    [[nodiscard]] bool has_rtl_port() const
    {
        return __builtin_expect(rtl_port_ != nullptr, 0) != 0;
    }
    /// With an RTL port: whether the SQE, which asks for `decoded`, has an effect now, and then
    /// which.
    [[nodiscard, gnu::cold]] bool has_effect(uint32_t sq, SqeDecoded &decoded);

  private:
    void carry_out(uint32_t sq, SqeStep step);
    void hold_before(uint32_t sq);
    [[nodiscard]] bool ends(uint32_t sq, SqeOp op, bool full)
    {
        if (has_rtl_port())
            return ends_rtl_port(sq, op, full);
        if (full)
            hold(sq, op == SqeOp::kReport ? HoldReason::kCqError : HoldReason::kCq);
        return !full;
    }
    [[nodiscard, gnu::cold]] bool ends_rtl_port(uint32_t sq, SqeOp op, bool full);
    [[gnu::cold]] void advance_rtl_port(uint32_t sq, SqeOp op, SqeNext next, SqeHold hold,
                                        Cycle due);
    [[nodiscard, gnu::cold]] SqeAnswer ask(uint32_t sq, SqeOp op, const SqeStep &plain,
                                           bool flag = false);
    [[gnu::cold]] void follow(uint32_t sq, const SqeAnswer &answer);

    Interrupts &interrupts_;
    FirmwareFrontEnd *const firmware_;
    std::unique_ptr<SqeRtlPort> rtl_port_; // null: the plain model
    SqeDecoded decoded_;                   // for that: what the SQE that executes asks for
    Cycle early_ = 0;                      // for that: what of a set-up is over at its turn
};

/// A part of the scheduler that leads SQEs on.
class SqePart : protected SchedulerPart
{
  public:
    SqePart(const SchedulerPart &part, SqeProgress &progress)
        : SchedulerPart(part), progress_(progress)
    {
    }

  protected:
    SqeProgress &progress_;
};

/// Inline: what comes next is mostly known where it is called from.
[[gnu::always_inline]] inline void SqeProgress::carry_out(uint32_t sq, SqeStep step)
{
    switch (step.next) {
    case SqeNext::kDecoded:
        queues_.at(sq, step.due, QueueStep::kDecoded);
        break;
    case SqeNext::kExecute:
        queues_.at(sq, step.due, QueueStep::kExecute);
        break;
    case SqeNext::kRetire:
        queues_.at(sq, step.due, QueueStep::kRetire);
        break;
    case SqeNext::kReport:
        queues_.at(sq, step.due, QueueStep::kReport);
        break;
    case SqeNext::kHold:
        hold(sq, step.hold == SqeHold::kBefore  ? HoldReason::kBefore
                 : step.hold == SqeHold::kAfter ? HoldReason::kAfter
                 : step.hold == SqeHold::kCq    ? HoldReason::kCq
                                                : HoldReason::kCqError);
        break;
    default:
        break;
    }
}

// T-SQE-5.
inline void SqeProgress::start_retire(uint32_t sq, SqeOp op)
{
    const Params &p = system_.params;
    QueueRow &q = queues_[sq];
    q.state = QueueState::kWork;
    q.phase_begin = system_.now;
    const bool reports = wants_cqe(queues_.sqe(sq));
    if (reports && faults_.armed())
        faults_.ask_cqe(sq);
    if (__builtin_expect(firmware_ != nullptr, 0)) {
        firmware_->ask_report(sq, QueueStep::kRetire);
        return;
    }
    const Cycle cqe = reports ? p.cq_write.value : 0;
    advance(sq, op, {SqeNext::kRetire, SqeHold::kNot, system_.now + p.retire.value + cqe});
}

} // namespace tsim

#endif
