// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/sqe_progress.h"

#include <algorithm>
#include <cassert>

namespace tsim
{

namespace
{
constexpr stars_sqe kNoSqe{};
} // namespace

void SqeProgress::reset()
{
    if (rtl_port_)
        rtl_port_->reset();
}

// T-SQE-10: the head stays on the failed SQE.
void SqeProgress::fail(uint32_t sq, uint8_t error, uint16_t status, SqeOp op)
{
    QueueRow &q = queues_[sq];
    const Params &p = system_.params;
    q.state = QueueState::kWork;
    q.phase_begin = system_.now;
    q.error = error;
    q.status = status;
    if (system_.bus.failed)
        system_.bus.failed(system_.bus.context, queues_.device, sq);
    if (faults_.armed())
        faults_.ask_cqe(sq);
    if (__builtin_expect(firmware_ != nullptr, 0)) {
        firmware_->ask_report(sq, QueueStep::kReport);
        return;
    }
    advance(sq, op,
            {SqeNext::kReport, SqeHold::kNot, system_.now + p.retire.value + p.cq_write.value});
}

void SqeProgress::hold(uint32_t sq, HoldReason why)
{
    QueueRow &q = queues_[sq];
    queues_.cancel(sq);
    if (system_.trace.on())
        trace_.note_hold(sq, why);
    q.state = QueueState::kHeld;
    q.hold = why;
    q.phase_begin = system_.now;
    if (why == HoldReason::kCq || why == HoldReason::kCqError)
        system_.stop |= SystemState::kStopCq;
    else if (why == HoldReason::kBefore)
        hold_before(sq);
    else if (why == HoldReason::kAfter)
        interrupts_.raise(sq, post_p(queues_.sqe(sq)));
}

// T-SQE-13, T-SQE-14.
void SqeProgress::hold_before(uint32_t sq)
{
    const stars_sqe &sqe = queues_.sqe(sq);
    const Setting &answer = system_.params.ts_cpu;
    interrupts_.raise(sq, pre_p(sqe));
    if (is_ts_command(sqe) && answer.value != 0)
        queues_.at(sq, system_.now + queues_.latency(sq, answer), QueueStep::kRelease);
}

// ---- with an RTL port --------------------------------------------------------------------------

SqeAnswer SqeProgress::ask(uint32_t sq, SqeOp op, const SqeStep &plain, bool flag)
{
    const QueueRow &q = queues_[sq];
    const Params &p = system_.params;
    // At the end there may be no SQE at the head, or the host is writing one there; a skip is an
    // end, too.
    const bool ends = op == SqeOp::kEnd || op == SqeOp::kHandled;
    SqeRequest request{op, flag, sq, 0, ends ? &kNoSqe : &queues_.sqe(sq)};
    request.event = queues_.latency(sq, p.event_table);
    request.notify = queues_.latency(sq, p.notify_table);
    request.store = queues_.latency(sq, p.write_value);
    request.sdma_setup = queues_.latency(sq, p.sdma_setup);
    request.pcie_setup = queues_.latency(sq, p.pcie_setup);
    if (queues_.is_faulted(sq)) {
        request.sdma_setup = faults_.slowed(sq, request.sdma_setup);
        request.pcie_setup = faults_.slowed(sq, request.pcie_setup);
    }
    request.sdma_setup -= std::min(request.sdma_setup, early_);
    SqeAnswer answer;
    answer.step = plain;
    if (op == SqeOp::kBegin) {
        request.value =
            (plain.next == SqeNext::kDecoded ? plain.due : q.phase_begin) - p.decode.value;
        request.flag = q.type == STARS_SQE_INVALID;
        answer.type = q.type;
    } else if (op == SqeOp::kExecute) {
        answer.decoded = decoded_;
    } else if (op == SqeOp::kFail) {
        request.value = q.error | uint32_t{q.status} << 8;
    }
    if (plain.next == SqeNext::kReport) {
        answer.error = q.error;
        answer.status = q.status;
    }
    return rtl_port_->run(request, answer);
}

void SqeProgress::advance_rtl_port(uint32_t sq, SqeOp op, SqeNext next, SqeHold hold, Cycle due)
{
    follow(sq, ask(sq, op, {next, hold, due}));
}

void SqeProgress::follow(uint32_t sq, const SqeAnswer &answer)
{
    QueueRow &q = queues_[sq];
    switch (answer.step.next) {
    case SqeNext::kReport:
        q.error = answer.error;
        q.status = answer.status;
        [[fallthrough]];
    case SqeNext::kRetire:
        q.state = QueueState::kWork;
        q.phase_begin = system_.now;
        break;
    default:
        assert(answer.step.next != SqeNext::kEffect); // only of has_effect()
        break;
    }
    carry_out(sq, answer.step);
}

bool SqeProgress::has_effect(uint32_t sq, SqeDecoded &decoded)
{
    decoded_ = decoded;
    switch (decoded.effect) {
    case SqeEffect::kNothing:
    case SqeEffect::kNowhere:
    case SqeEffect::kBad: // what comes next is known, and reported with it
        return true;
    default:
        break;
    }
    const SqeAnswer answer = ask(sq, SqeOp::kExecute, {SqeNext::kEffect});
    if (answer.step.next != SqeNext::kEffect) {
        follow(sq, answer);
        return false;
    }
    decoded = answer.decoded;
    return true;
}

bool SqeProgress::ends_rtl_port(uint32_t sq, SqeOp op, bool full)
{
    const bool failed = op == SqeOp::kReport;
    const SqeNext end = failed ? SqeNext::kFailed : SqeNext::kRetired;
    const SqeStep plain =
        full ? SqeStep{SqeNext::kHold, failed ? SqeHold::kCqError : SqeHold::kCq} : SqeStep{end};
    const SqeAnswer answer = ask(sq, op, plain, full);
    if (answer.step.next != end)
        follow(sq, answer);
    return answer.step.next == end;
}

} // namespace tsim
