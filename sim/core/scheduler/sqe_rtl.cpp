// SPDX-License-Identifier: Apache-2.0
/// A scheduler whose SQE execution has an RTL port: reports each decision to the port and follows its answer.
#include "core/scheduler/task_scheduler.h"

namespace tsim
{

namespace
{
constexpr stars_sqe kNoSqe{};
} // namespace

SqeAnswer TaskScheduler::ask(uint32_t sq, SqeOp op, const SqeStep &plain, bool flag)
{
    const Queue &q = queues_[sq];
    const Params &p = board_.params;
    // The end may find no SQE at the head, and somebody about to write one there; to skip it is an end, too.
    const bool ends = op == SqeOp::kEnd || op == SqeOp::kHandled;
    SqeRequest request{op, flag, sq, 0, ends ? &kNoSqe : &fronts_[sq].sqe()};
    request.event = latency(sq, p.event_table);
    request.notify = latency(sq, p.notify_table);
    request.store = latency(sq, p.write_value);
    request.sdma_setup = latency(sq, p.sdma_setup);
    request.pcie_setup = latency(sq, p.pcie_setup);
    if (is_struck(sq)) {
        request.sdma_setup = slowed(sq, request.sdma_setup);
        request.pcie_setup = slowed(sq, request.pcie_setup);
    }
    SqeAnswer answer;
    answer.step = plain;
    if (op == SqeOp::kBegin) {
        request.value = (plain.next == SqeNext::kDecoded ? plain.due : q.mark) - p.decode.value;
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
    return sqe_rtl_port_->run(request, answer);
}

void TaskScheduler::advance_rtl_port(uint32_t sq, SqeOp op, SqeNext next, SqeHold hold, Cycle due)
{
    follow(sq, ask(sq, op, {next, hold, due}));
}

Cycle TaskScheduler::ask_due(uint32_t sq, SqeOp op, SqeNext next, Cycle plain)
{
    return ask(sq, op, {next, SqeHold::kNot, plain}).step.due;
}

void TaskScheduler::follow(uint32_t sq, const SqeAnswer &answer)
{
    Queue &q = queues_[sq];
    switch (answer.step.next) {
    case SqeNext::kEffect:
        have_effect(sq, answer.decoded);
        return;
    case SqeNext::kReport:
        q.error = answer.error;
        q.status = answer.status;
        [[fallthrough]];
    case SqeNext::kRetire:
        q.state = State::kWork;
        q.mark = board_.now;
        break;
    default:
        break;
    }
    carry_out(sq, answer.step);
}

bool TaskScheduler::is_skipped(uint32_t sq)
{
    return ask(sq, SqeOp::kHandled, {SqeNext::kRetired}).step.next == SqeNext::kRetired;
}

bool TaskScheduler::retires(uint32_t sq, SqeOp op, bool full)
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
