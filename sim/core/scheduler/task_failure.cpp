// SPDX-License-Identifier: Apache-2.0
/// What planted faults do to an SQE and its engine. Rules T-FLT-2 to T-FLT-17. Nothing in here runs for an SQE that none has struck.
#include <algorithm>
#include <array>

#include "core/scheduler/task_scheduler.h"

namespace tsim
{

// T-FLT-2, T-FLT-5: what was read is no task.
void TaskScheduler::ask_faults(uint32_t sq)
{
    Queue &q = queues_[sq];
    q.struck = board_.faults.armed() &&
               board_.faults.begin({device_, timer(sq), q.stream_id, fronts_[sq].sqe()});
    if (q.struck && acts(sq, TWINSIM_FAULT_BAD_SQE))
        q.type = STARS_SQE_INVALID;
}

// T-FLT-11, T-FLT-13: a CQE about the SQE is due.
void TaskScheduler::ask_cqe_faults(uint32_t sq)
{
    Queue &q = queues_[sq];
    if (board_.faults.tell({device_, timer(sq), q.stream_id, fronts_[sq].sqe()}, q.struck))
        q.struck = true;
}

// T-FLT-12: what was lost arrives with what the next doorbell brings.
bool TaskScheduler::doorbell_lost(uint32_t sq, uint64_t rung)
{
    TaskQueue &front = fronts_[sq];
    uint64_t &lost = board_.faults.lost_doorbell(timer(sq));
    if (board_.faults.loses_doorbell(device_, queues_[sq].stream_id)) {
        lost = rung;
        return true;
    }
    if (lost != 0)
        front.arrive_with(lost, rung);
    lost = 0;
    return false;
}

bool TaskScheduler::acts(uint32_t sq, uint32_t kind)
{
    FaultPlan::Strike &strike = board_.faults.strike(timer(sq));
    const uint32_t bit = 1u << kind;
    const bool does = (strike.kinds & bit) != 0;
    strike.kinds &= ~bit;
    if (does && kind == TWINSIM_FAULT_RECORD_LOST)
        board_.faults.lose_record({device_, timer(sq), queues_[sq].stream_id, fronts_[sq].sqe()},
                                  fronts_[sq].number());
    return does;
}

// T-FLT-12: not yet, when it is asked.
bool TaskScheduler::loses_record(uint32_t sq) const
{
    return (board_.faults.strike(timer(sq)).kinds & 1u << TWINSIM_FAULT_RECORD_LOST) != 0;
}

// T-FLT-8.
Cycle TaskScheduler::slowed(uint32_t sq, Cycle time)
{
    const uint64_t permille = board_.faults.strike(timer(sq)).slow_permille;
    // Beyond what time can count nothing happens any more, but it is still a time.
    const Cycle most = UINT64_MAX / board_.params.cycle_ns - 1 - board_.now;
    if (time / 1000 >= most / permille)
        return most;
    return time / 1000 * permille + (time % 1000 * permille + 999) / 1000;
}

// T-FLT-7, T-FLT-9: its bytes do not begin to move; only a time limit, or a kill, ends it.
bool TaskScheduler::engine_silent(uint32_t sq)
{
    Queue &q = queues_[sq];
    const FaultPlan::Strike &strike = board_.faults.strike(timer(sq));
    const bool gives_up = strike.give_up_ns != 0;
    if (!gives_up && (strike.kinds & 1u << TWINSIM_FAULT_ENGINE_HANG) == 0)
        return false;
    q.state = State::kTransfer;
    Cycle limit = gives_up ? board_.params.to_cycles(strike.give_up_ns) : kNever;
    const uint32_t credit = (fronts_[sq].sqe().word[3] >> STARS_W3_CREDIT_SHIFT) & 0xffu;
    if (credit != 0 && credit != STARS_CREDIT_NEVER)
        limit = std::min(limit, credit * board_.params.credit_unit.value);
    if (limit != kNever)
        at(sq, board_.now + limit, Step::kLimit);
    return true;
}

// T-FLT-7: the time that is over was the engine's own.
bool TaskScheduler::gave_up(uint32_t sq)
{
    const Queue &q = queues_[sq];
    const FaultPlan::Strike &strike = board_.faults.strike(timer(sq));
    if (strike.give_up_ns == 0 || board_.now - q.mark < board_.params.to_cycles(strike.give_up_ns))
        return false;
    fail(sq, strike.error, strike.status);
    return true;
}

// T-FLT-8: a slow engine completes later than the bytes; T-FLT-6: or ends with an error, without effect.
bool TaskScheduler::engine_differs(uint32_t sq)
{
    Queue &q = queues_[sq];
    FaultPlan::Strike &strike = board_.faults.strike(timer(sq));
    const Cycle end = q.mark + slowed(sq, board_.now - q.mark);
    if (strike.slow_permille > 1000 && !strike.stretched) {
        strike.stretched = true;
        const uint32_t credit = (fronts_[sq].sqe().word[3] >> STARS_W3_CREDIT_SHIFT) & 0xffu;
        const bool limited = credit != 0 && credit != STARS_CREDIT_NEVER;
        if (!limited || end < q.mark + credit * board_.params.credit_unit.value)
            at(sq, end, Step::kStretched);
        return true;
    }
    if (!acts(sq, TWINSIM_FAULT_ENGINE_ERROR))
        return false;
    board_.calendar.cancel(timer(sq));
    q.state = State::kWork;
    note(sq, {TWINSIM_PHASE_TRANSFER, q.mark, board_.links.parameter(jobs_[sq].route), q.channel,
              jobs_[sq].bytes});
    release_channel(sq);
    fail(sq, strike.error, strike.status);
    return true;
}

// ---- kernels -----------------------------------------------------------------------------------

// T-FLT-16: each core waits at a flag that nobody sets.
twinsim_kernel TaskScheduler::struck_kernel(uint32_t sq, const twinsim_kernel &work)
{
    static const twinsim_op wait = {
        TWINSIM_PIPE_SCALAR, TWINSIM_OP_WAIT, 0, TWINSIM_HIT_DEFAULT, 0, 0};
    static const std::array<twinsim_program, CoreTalk::kParts> silent = {
        {{&wait, 1}, {&wait, 1}, {&wait, 1}, {&wait, 1}}};
    const FaultPlan::Strike &strike = board_.faults.strike(timer(sq));
    if (strike.give_up_ns == 0 && (strike.kinds & 1u << TWINSIM_FAULT_ENGINE_HANG) == 0)
        return work;
    const BlockDispatcher::Kind kind =
        queues_[sq].token == kMixed ? BlockDispatcher::Kind::kMixed : BlockDispatcher::Kind::kAic;
    return {silent.data(), cores_.parts(kind), work.fault, work.exception};
}

Cycle TaskScheduler::give_up_time(uint32_t sq) const
{
    const uint64_t ns = board_.faults.strike(timer(sq)).give_up_ns;
    return ns != 0 ? board_.params.to_cycles(ns) : kNever;
}

// T-FLT-16: the time that is over was the fault's own.
bool TaskScheduler::kernel_gave_up(uint32_t sq)
{
    if (board_.now - queues_[sq].mark < give_up_time(sq))
        return false;
    const FaultPlan::Strike &strike = board_.faults.strike(timer(sq));
    report_kernel_error(sq, strike.error, strike.status);
    return true;
}

// T-FLT-17: its blocks have ended, and nobody is told yet.
bool TaskScheduler::kernel_differs(uint32_t sq)
{
    const Queue &q = queues_[sq];
    FaultPlan::Strike &strike = board_.faults.strike(timer(sq));
    if (strike.slow_permille == 1000 || strike.stretched)
        return false;
    strike.stretched = true;
    const Cycle end = q.mark + slowed(sq, board_.now - q.mark);
    const uint32_t credit = (fronts_[sq].sqe().word[3] >> STARS_W3_CREDIT_SHIFT) & 0xffu;
    const bool limited = credit != 0 && credit != STARS_CREDIT_NEVER;
    if (!limited || end < q.mark + credit * board_.params.credit_unit.value)
        at(sq, end, Step::kStretched);
    return true;
}

// T-FLT-8, T-FLT-17: the time of a slow engine is over.
void TaskScheduler::stretched(uint32_t sq)
{
    if (queues_[sq].type != STARS_SQE_AICORE) {
        if (jobs_[sq].kind == DmaJob::Kind::kList)
            list_done(sq);
        else
            transfer_done(sq);
        return;
    }
    kernel_effect(sq);
    cores_.stop(queues_[sq].slot);
}

// ---- completions -------------------------------------------------------------------------------

// T-FLT-13.
bool TaskScheduler::cq_held(uint32_t sq, Hold why)
{
    FaultPlan::Strike &strike = board_.faults.strike(timer(sq));
    if ((strike.kinds & 1u << TWINSIM_FAULT_CQ_FULL) == 0)
        return false;
    if (!strike.holding) {
        strike.holding = true;
        strike.until =
            strike.full_ns != 0 ? board_.now + board_.params.to_cycles(strike.full_ns) : kNever;
    }
    if (board_.now >= strike.until) {
        strike.kinds &= ~(1u << TWINSIM_FAULT_CQ_FULL);
        return false;
    }
    hold(sq, why);
    if (strike.until != kNever)
        at(sq, strike.until, Step::kRelease);
    return true;
}

// T-FLT-10: the SQE has had its effect, and nobody is told.
bool TaskScheduler::completion_held(uint32_t sq)
{
    if (!acts(sq, TWINSIM_FAULT_COMPLETION_LOST))
        return cq_held(sq, Hold::kCq);
    const uint64_t lost_ns = board_.faults.strike(timer(sq)).lost_ns;
    hold(sq, Hold::kLost);
    if (lost_ns != 0)
        at(sq, board_.now + board_.params.to_cycles(lost_ns), Step::kRelease);
    return true;
}

// T-FLT-10, T-FLT-11: of an SQE that failed: it stands still as ever, and the CQE is missing.
bool TaskScheduler::report_held(uint32_t sq)
{
    if (!acts(sq, TWINSIM_FAULT_COMPLETION_LOST) && !acts(sq, TWINSIM_FAULT_CQE_LOST))
        return cq_held(sq, Hold::kCqError);
    if (__builtin_expect(sqe_rtl_port_ != nullptr, 0) && !retires(sq, SqeOp::kReport, false))
        return true;
    if (board_.notes_ends)
        note_retire(sq, true);
    release_token(sq);
    leave_slot(sq);
    queues_[sq].state = State::kException;
    return true;
}

} // namespace tsim
