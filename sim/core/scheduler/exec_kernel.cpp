// SPDX-License-Identifier: Apache-2.0
/// An AI-core task of a queue: its description, its blocks as the queue sees them, its end. Rules T-CORE-1, T-CORE-2, T-CORE-8
/// to T-CORE-13.
#include <algorithm>
#include <new>

#include "core/scheduler/task_scheduler.h"

namespace tsim
{

namespace
{

[[nodiscard]] uint32_t subtype_of(const stars_sqe &sqe)
{
    return sqe.word[2] & STARS_W2_SUBTYPE_MASK;
}

[[nodiscard]] BlockDispatcher::Kind kind_of(const stars_sqe &sqe)
{
    const uint32_t subtype = subtype_of(sqe);
    return subtype == STARS_KERNEL_AIC   ? BlockDispatcher::Kind::kAic
           : subtype == STARS_KERNEL_AIV ? BlockDispatcher::Kind::kAiv
                                         : BlockDispatcher::Kind::kMixed;
}

[[nodiscard]] uint32_t blocks_of(const stars_sqe &sqe)
{
    return sqe.word[0] >> STARS_W0_BLOCK_DIM_SHIFT;
}

[[nodiscard]] uint32_t schem_of(const stars_sqe &sqe)
{
    return (sqe.word[3] >> STARS_W3_SCHEM_SHIFT) & 0x3u;
}

} // namespace

TaskScheduler::Class TaskScheduler::kernel_class(const stars_sqe &sqe)
{
    const BlockDispatcher::Kind kind = kind_of(sqe);
    return kind == BlockDispatcher::Kind::kAic   ? kAic
           : kind == BlockDispatcher::Kind::kAiv ? kAiv
                                                 : kMixed;
}

// T-CORE-1, T-CORE-4.
bool TaskScheduler::kernel_is_good(const stars_sqe &sqe) const
{
    const uint32_t subtype = subtype_of(sqe);
    if (!board_.bus.kernel || (subtype != STARS_KERNEL_AIC && subtype != STARS_KERNEL_AIV &&
                               subtype != STARS_KERNEL_MIXED))
        return false;
    const uint32_t blocks = blocks_of(sqe);
    const uint32_t room = cores_.room(kind_of(sqe));
    const uint32_t schem = schem_of(sqe);
    return blocks != 0 && room != 0 &&
           (schem == STARS_SCHEM_NORMAL || (schem == STARS_SCHEM_BATCH && blocks <= room));
}

// T-CORE-2: the class share is there; the driver says what the blocks do.
void TaskScheduler::kick_start(uint32_t sq)
{
    Queue &q = queues_[sq];
    const twinsim_bus &bus = board_.bus;
    q.state = State::kKernel;
    q.mark = board_.now;
    q.error = 0;
    twinsim_kernel work{};
    if (bus.kernel(bus.context, device_, sq, fronts_[sq].number(), &fronts_[sq].sqe(), &work) ==
        TWINSIM_KERNEL_READY) {
        launch(sq, work);
        return;
    }
    board_.kernel_wanted = timer(sq);
    board_.stop |= BoardState::kStopKernel;
}

bool TaskScheduler::give_kernel(uint32_t sq, uint64_t number, const twinsim_kernel &work)
{
    if (board_.kernel_wanted != timer(sq) || fronts_[sq].number() != number)
        return false;
    board_.kernel_wanted = kNone;
    launch(sq, work);
    return true;
}

void TaskScheduler::launch(uint32_t sq, const twinsim_kernel &work)
{
    Queue &q = queues_[sq];
    const stars_sqe &sqe = fronts_[sq].sqe();
    const BlockDispatcher::Order order = {
        fronts_[sq].number(),
        sq,
        blocks_of(sqe),
        static_cast<uint16_t>(sqe.word[1] >> STARS_W1_TASK_SHIFT),
        static_cast<uint8_t>((sqe.word[2] >> STARS_W2_WRR_SHIFT) & 0xfu),
        kind_of(sqe),
        schem_of(sqe) == STARS_SCHEM_BATCH};
    twinsim_kernel_fault fault = work.fault;
    try {
        if (fault == TWINSIM_KERNEL_GOOD &&
            !cores_.start(q.slot, order, is_struck(sq) ? struck_kernel(sq, work) : work))
            fault = TWINSIM_KERNEL_BAD;
    } catch (const std::bad_alloc &) {
        end_kernel(sq);
        fail(sq, STARS_ERROR_SOFTWARE, STARS_STATUS_NONE);
        return;
    }
    if (fault != TWINSIM_KERNEL_GOOD) {
        end_kernel(sq);
        kernel_failed(sq, fault);
        return;
    }
    if (q.paused)
        pause_kernel(sq);
}

void TaskScheduler::end_kernel(uint32_t sq)
{
    const twinsim_bus &bus = board_.bus;
    if (bus.kernel_end)
        bus.kernel_end(bus.context, device_, sq, fronts_[sq].number());
}

// T-CORE-10: the time limit begins here.
void TaskScheduler::first_block(uint32_t sq)
{
    Queue &q = queues_[sq];
    const Params &p = board_.params;
    const Class token = q.token;
    note(sq, {TWINSIM_PHASE_ENGINE, q.mark, token == kAiv ? p.aiv_cores.index : p.aic_cores.index});
    q.mark = board_.now;
    const uint32_t credit = (fronts_[sq].sqe().word[3] >> STARS_W3_CREDIT_SHIFT) & 0xffu;
    Cycle limit =
        credit != 0 && credit != STARS_CREDIT_NEVER ? credit * p.credit_unit.value : kNever;
    if (is_struck(sq))
        limit = std::min(limit, give_up_time(sq));
    if (limit != kNever)
        at(sq, board_.now + limit, Step::kLimit);
}

bool TaskScheduler::blocks_ended(uint32_t sq)
{
    if (is_struck(sq) && kernel_differs(sq))
        return false;
    kernel_effect(sq);
    return true;
}

// T-CORE-8: the effect is there at this instant, the report later.
void TaskScheduler::kernel_effect(uint32_t sq)
{
    if (is_struck(sq) && acts(sq, TWINSIM_FAULT_ENGINE_ERROR)) { // T-FLT-15
        const FaultPlan::Strike &strike = board_.faults.strike(timer(sq));
        report_kernel_error(sq, strike.error, strike.status);
        return;
    }
    const twinsim_bus &bus = board_.bus;
    twinsim_kernel_fault fault = TWINSIM_KERNEL_GOOD;
    if (bus.kernel_effect) {
        fault = bus.kernel_effect(bus.context, device_, sq, fronts_[sq].number());
        board_.stored(0, UINT64_MAX); // the driver alone knows where
    }
    report_kernel(sq, fault);
}

// T-CORE-11, T-CORE-12: nothing of it runs any more.
void TaskScheduler::kernel_failed(uint32_t sq, twinsim_kernel_fault fault)
{
    if (fault == TWINSIM_KERNEL_BAD) {
        board_.calendar.cancel(timer(sq));
        fail(sq, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE);
        return;
    }
    report_kernel(sq, fault);
}

void TaskScheduler::report_kernel(uint32_t sq, twinsim_kernel_fault fault)
{
    switch (fault) {
    case TWINSIM_KERNEL_GOOD:
        report_kernel_error(sq, 0, STARS_STATUS_NONE);
        break;
    case TWINSIM_KERNEL_TRAP:
        report_kernel_error(sq, STARS_ERROR_TRAP, STARS_STATUS_AICORE_EXCEPTION);
        break;
    case TWINSIM_KERNEL_TIMEOUT:
        report_kernel_error(sq, STARS_ERROR_TIMEOUT, STARS_STATUS_AICORE_TIMEOUT);
        break;
    case TWINSIM_KERNEL_POISON: // T-FLT-18
        report_kernel_error(sq, STARS_ERROR_EXCEPTION, STARS_STATUS_POISON);
        break;
    case TWINSIM_KERNEL_LINK:
        report_kernel_error(sq, STARS_ERROR_EXCEPTION, STARS_STATUS_LINK);
        break;
    default:
        report_kernel_error(sq, STARS_ERROR_EXCEPTION, STARS_STATUS_AICORE_EXCEPTION);
        break;
    }
}

void TaskScheduler::report_kernel_error(uint32_t sq, uint8_t error, uint16_t status)
{
    Queue &q = queues_[sq];
    q.state = State::kWork;
    note(sq, {TWINSIM_PHASE_KERNEL, q.mark});
    q.mark = board_.now;
    q.error = error;
    q.status = status;
    at(sq, board_.now + board_.params.core_report.value, Step::kReported);
}

void TaskScheduler::kernel_reported(uint32_t sq)
{
    Queue &q = queues_[sq];
    note(sq, {TWINSIM_PHASE_REPORT, q.mark, board_.params.core_report.index});
    if (q.error == 0)
        executed(sq);
    else
        fail(sq, q.error, q.status);
}

// T-CORE-10.
void TaskScheduler::kernel_limit(uint32_t sq)
{
    cores_.stop(queues_[sq].slot);
    if (is_struck(sq) && kernel_gave_up(sq))
        return;
    report_kernel(sq, TWINSIM_KERNEL_TIMEOUT);
}

// T-CORE-13.
void TaskScheduler::pause_kernel(uint32_t sq)
{
    if (cores_.has(queues_[sq].slot) && cores_.pause(queues_[sq].slot))
        kernel_rests(sq);
}

// The time limit goes on, so this is no hold() that cancels it.
void TaskScheduler::kernel_rests(uint32_t sq)
{
    queues_[sq].state = State::kHeld;
    queues_[sq].hold = Hold::kBlocks;
}

void TaskScheduler::resume_kernel(uint32_t sq)
{
    queues_[sq].state = State::kKernel;
    if (cores_.has(queues_[sq].slot))
        cores_.resume(queues_[sq].slot);
}

// The queue's task ends without effect.
void TaskScheduler::drop_kernel(uint32_t sq)
{
    if (board_.kernel_wanted == timer(sq))
        board_.kernel_wanted = kNone;
    else if (cores_.has(queues_[sq].slot))
        cores_.stop(queues_[sq].slot);
}

} // namespace tsim
