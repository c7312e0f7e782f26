// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/kernel_tasks.h"

#include <algorithm>
#include <array>
#include <new>

#include "core/scheduler/sqe_fields.h"

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

void KernelTasks::reset()
{
    ffts_.reset();
    cores_.reset();
    if (system_.kernel_wanted != kNone &&
        system_.kernel_wanted >> SystemState::kDeviceShift == queues_.device)
        system_.kernel_wanted = kNone;
}

// T-CORE-1, T-CORE-4.
TaskClass KernelTasks::class_of(const stars_sqe &sqe) const
{
    const uint32_t subtype = subtype_of(sqe);
    if (subtype == STARS_KERNEL_FFTS)
        return ffts_.accepts(sqe) ? kMixed : kNoClass;
    if (subtype != STARS_KERNEL_AIC && subtype != STARS_KERNEL_AIV && subtype != STARS_KERNEL_MIXED)
        return kNoClass;
    const BlockDispatcher::Kind kind = kind_of(sqe);
    const uint32_t blocks = blocks_of(sqe);
    const uint32_t most = room(kind);
    const uint32_t schem = schem_of(sqe);
    if (blocks == 0 || most == 0 ||
        (schem != STARS_SCHEM_NORMAL && (schem != STARS_SCHEM_BATCH || blocks > most)))
        return kNoClass;
    return kind == BlockDispatcher::Kind::kAic   ? kAic
           : kind == BlockDispatcher::Kind::kAiv ? kAiv
                                                 : kMixed;
}

// T-CORE-2.
void KernelTasks::start(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    const twinsim_bus &bus = system_.bus;
    if (subtype_of(queues_.sqe(sq)) == STARS_KERNEL_FFTS) {
        ffts_.start(sq);
        return;
    }
    q.state = QueueState::kKernel;
    q.phase_begin = system_.now;
    q.error = 0;
    twinsim_kernel work{};
    const twinsim_kernel_task task = {
        queues_.device, sq, queues_.front(sq).number(), &queues_.sqe(sq), nullptr, 0, 0};
    if (bus.kernel(bus.context, &task, &work) == TWINSIM_KERNEL_READY) {
        launch(sq, work);
        return;
    }
    system_.kernel_wanted = queues_.timer(sq);
    system_.stop |= SystemState::kStopKernel;
}

bool KernelTasks::give(uint32_t sq, uint64_t number, const twinsim_kernel &work)
{
    if (system_.kernel_wanted != queues_.timer(sq) || queues_.front(sq).number() != number)
        return false;
    system_.kernel_wanted = kNone;
    if (ffts_.has(sq))
        ffts_.give(sq, work);
    else
        launch(sq, work);
    return true;
}

void KernelTasks::launch(uint32_t sq, const twinsim_kernel &work)
{
    QueueRow &q = queues_[sq];
    const stars_sqe &sqe = queues_.sqe(sq);
    const BlockDispatcher::Order order = {
        queues_.front(sq).number(),
        sq,
        blocks_of(sqe),
        task_of(sqe),
        static_cast<uint8_t>((sqe.word[2] >> STARS_W2_WRR_SHIFT) & 0xfu),
        kind_of(sqe),
        schem_of(sqe) == STARS_SCHEM_BATCH,
        0};
    twinsim_kernel_fault fault = work.fault;
    try {
        if (fault == TWINSIM_KERNEL_GOOD &&
            !cores_.start(q.slot, order,
                          queues_.is_faulted(sq) ? faulted(sq, order.kind, work) : work))
            fault = TWINSIM_KERNEL_BAD;
    } catch (const std::bad_alloc &) {
        cores_.end_description(order);
        progress_.fail(sq, STARS_ERROR_SOFTWARE, STARS_STATUS_NONE);
        return;
    }
    if (fault != TWINSIM_KERNEL_GOOD) {
        cores_.end_description(order);
        failed(sq, fault);
        return;
    }
    if (q.paused)
        pause(sq);
}

// T-CORE-10: the time limit begins here.
void KernelTasks::first_block(uint32_t kernel, uint32_t sq)
{
    if (BlockDispatcher::is_of_context(kernel)) {
        ffts_.first_block(kernel);
        return;
    }
    QueueRow &q = queues_[sq];
    const Params &p = system_.params;
    trace_.note(sq, {TWINSIM_PHASE_ENGINE, q.phase_begin,
                     q.share == kAiv ? p.aiv_cores.index : p.aic_cores.index});
    q.phase_begin = system_.now;
    Cycle limit = credit_time(queues_.sqe(sq), p);
    if (queues_.is_faulted(sq))
        limit = std::min(limit, faults_.give_up_time(sq));
    if (limit != kNever)
        queues_.at(sq, system_.now + limit, QueueStep::kLimit);
}

// T-FLT-17: the blocks of a slow kernel have ended; it is not reported yet.
bool KernelTasks::blocks_ended(uint32_t kernel, uint32_t sq)
{
    if (BlockDispatcher::is_of_context(kernel))
        return ffts_.blocks_ended(kernel);
    if (queues_.is_faulted(sq) && faults_.stretches(sq))
        return false;
    make_effect(sq);
    return true;
}

// T-CORE-8: the effect is there at this instant, the report later.
void KernelTasks::make_effect(uint32_t sq)
{
    if (queues_.is_faulted(sq) && faults_.acts(sq, TWINSIM_FAULT_ENGINE_ERROR)) { // T-FLT-15
        const FaultPlan::Effect &effect = faults_.effect(sq);
        report_error(sq, effect.error, effect.status);
        return;
    }
    const twinsim_bus &bus = system_.bus;
    twinsim_kernel_fault fault = TWINSIM_KERNEL_GOOD;
    if (bus.kernel_effect) {
        fault = bus.kernel_effect(bus.context, queues_.device, sq, queues_.front(sq).number(), 0);
        system_.stored_somewhere(); // the driver alone knows where
    }
    report(sq, fault);
}

// T-CORE-11, T-CORE-12: nothing of it runs any more.
void KernelTasks::kernel_failed(uint32_t kernel, uint32_t sq, twinsim_kernel_fault fault)
{
    if (BlockDispatcher::is_of_context(kernel))
        ffts_.kernel_failed(kernel, fault);
    else
        failed(sq, fault);
}

void KernelTasks::failed(uint32_t sq, twinsim_kernel_fault fault)
{
    if (fault == TWINSIM_KERNEL_BAD) {
        queues_.cancel(sq);
        progress_.fail(sq, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE);
        return;
    }
    report(sq, fault);
}

void KernelTasks::report(uint32_t sq, twinsim_kernel_fault fault)
{
    switch (fault) {
    case TWINSIM_KERNEL_GOOD:
        report_error(sq, 0, STARS_STATUS_NONE);
        break;
    case TWINSIM_KERNEL_TRAP:
        report_error(sq, STARS_ERROR_TRAP, STARS_STATUS_AICORE_EXCEPTION);
        break;
    case TWINSIM_KERNEL_TIMEOUT:
        report_error(sq, STARS_ERROR_TIMEOUT, STARS_STATUS_AICORE_TIMEOUT);
        break;
    case TWINSIM_KERNEL_POISON: // T-FLT-18
        report_error(sq, STARS_ERROR_EXCEPTION, STARS_STATUS_POISON);
        break;
    case TWINSIM_KERNEL_LINK:
        report_error(sq, STARS_ERROR_EXCEPTION, STARS_STATUS_LINK);
        break;
    default:
        report_error(sq, STARS_ERROR_EXCEPTION, STARS_STATUS_AICORE_EXCEPTION);
        break;
    }
}

void KernelTasks::report_error(uint32_t sq, uint8_t error, uint16_t status)
{
    QueueRow &q = queues_[sq];
    q.state = QueueState::kWork;
    trace_.note(sq, {TWINSIM_PHASE_KERNEL, q.phase_begin});
    q.phase_begin = system_.now;
    q.error = error;
    q.status = status;
    queues_.at(sq, system_.now + system_.params.core_report.value, QueueStep::kReported);
}

void KernelTasks::reported(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    trace_.note(sq, {TWINSIM_PHASE_REPORT, q.phase_begin, system_.params.core_report.index});
    if (q.error == 0)
        progress_.executed(sq);
    else
        progress_.fail(sq, q.error, q.status);
}

// T-CORE-10.
void KernelTasks::limit_reached(uint32_t sq)
{
    cores_.stop(queues_[sq].slot);
    if (queues_.is_faulted(sq) && faults_.gave_up(sq)) // T-FLT-16
        report_error(sq, faults_.effect(sq).error, faults_.effect(sq).status);
    else
        report(sq, TWINSIM_KERNEL_TIMEOUT);
}

// T-CORE-13.
void KernelTasks::pause(uint32_t sq)
{
    if (ffts_.has(sq))
        ffts_.pause(sq);
    else if (cores_.has(queues_[sq].slot) && cores_.pause(queues_[sq].slot))
        rest(sq);
}

void KernelTasks::kernel_rests(uint32_t kernel, uint32_t sq)
{
    if (BlockDispatcher::is_of_context(kernel))
        ffts_.kernel_rests(kernel);
    else
        rest(sq);
}

// The time limit goes on, so this does not call hold(), which cancels it.
void KernelTasks::rest(uint32_t sq) const
{
    queues_[sq].state = QueueState::kHeld;
    queues_[sq].hold = HoldReason::kBlocks;
}

void KernelTasks::resume(uint32_t sq)
{
    queues_[sq].state = QueueState::kKernel;
    if (ffts_.has(sq))
        ffts_.resume(sq);
    else if (cores_.has(queues_[sq].slot))
        cores_.resume(queues_[sq].slot);
}

void KernelTasks::drop(uint32_t sq)
{
    if (system_.kernel_wanted == queues_.timer(sq))
        system_.kernel_wanted = kNone;
    if (ffts_.has(sq))
        ffts_.drop(sq);
    else if (cores_.has(queues_[sq].slot))
        cores_.stop(queues_[sq].slot);
}

// T-FFT-11, T-FFT-12.
void KernelTasks::ffts_ended(uint32_t sq, uint8_t error, uint16_t status)
{
    if (error == STARS_ERROR_BAD_SQE || error == STARS_ERROR_SOFTWARE)
        progress_.fail(sq, error, status);
    else
        report_error(sq, error, status);
}

// ---- injected faults ----------------------------------------------------------------------------

// T-FLT-16: each core waits for a flag that is never set.
twinsim_kernel KernelTasks::faulted(uint32_t sq, BlockDispatcher::Kind kind,
                                    const twinsim_kernel &work) const
{
    static const twin_step wait = {
        TWIN_PIPE_SCALAR, TWIN_STEP_WAIT, 0, TWIN_HIT_DEFAULT, 0, 0, 0, 0, 0};
    static const std::array<twin_steps, CoreTalk::kParts> silent = {
        {{&wait, 1}, {&wait, 1}, {&wait, 1}, {&wait, 1}}};
    if (!faults_.is_silent(sq))
        return work;
    return {silent.data(), cores_.parts(kind), work.fault, work.exception};
}

// T-FLT-17: the time of a slow kernel is over.
void KernelTasks::stretched(uint32_t sq)
{
    make_effect(sq);
    cores_.stop(queues_[sq].slot);
}

} // namespace tsim
