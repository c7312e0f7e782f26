// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/ffts_tasks.h"

#include <algorithm>
#include <new>

#include "core/scheduler/sqe_fields.h"

namespace tsim
{

namespace
{

[[nodiscard]] uint32_t contexts_of(const stars_sqe &sqe)
{
    return sqe.word[6] & 0xffffu;
}

[[nodiscard]] uint32_t ready_of(const stars_sqe &sqe)
{
    return sqe.word[6] >> STARS_FFTS_READY_SHIFT;
}

[[nodiscard]] uint64_t table_of(const stars_sqe &sqe)
{
    return uint64_t{sqe.word[STARS_FFTS_ADDRESS_WORD]} |
           uint64_t{sqe.word[STARS_FFTS_ADDRESS_WORD + 1] & STARS_FFTS_ADDRESS_MASK} << 32;
}

} // namespace

void FftsTasks::reset()
{
    for (const std::unique_ptr<Run> &run : runs_)
        if (run && run->sq != kNone)
            stop(*run);
    runs_.clear();
}

bool FftsTasks::accepts(const stars_sqe &sqe) const
{
    const uint32_t contexts = contexts_of(sqe);
    const uint32_t ready = ready_of(sqe);
    return contexts != 0 && contexts <= system_.params.ffts_contexts.value && ready != 0 &&
           ready <= contexts && system_.bus.kernel;
}

FftsTasks::Run *FftsTasks::find(uint32_t sq) const
{
    const uint32_t slot = queues_[sq].slot;
    Run *const run = slot < runs_.size() ? runs_[slot].get() : nullptr;
    return run && run->sq == sq ? run : nullptr;
}

// T-FFT-1, T-FFT-2: the table is asked for.
void FftsTasks::start(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    q.state = QueueState::kKernel;
    q.phase_begin = system_.now;
    q.error = 0;
    try {
        if (runs_.size() <= q.slot)
            runs_.resize(q.slot + size_t{1});
        if (!runs_[q.slot])
            runs_[q.slot] = std::make_unique<Run>();
        else
            static_cast<RunState &>(*runs_[q.slot]) = {};
    } catch (const std::bad_alloc &) {
        owner_.ffts_ended(sq, STARS_ERROR_SOFTWARE, STARS_STATUS_NONE);
        return;
    }
    Run &run = *runs_[q.slot];
    run.sq = sq;
    run.paused = q.paused != 0;
    run.ready = system_.now + queues_.latency(sq, system_.params.ffts_read);
    queues_.at(sq, run.ready, QueueStep::kContexts);
}

// T-FFT-2, T-FFT-3. False: the task has ended.
bool FftsTasks::load(Run &run)
{
    const uint32_t sq = run.sq;
    const stars_sqe &sqe = queues_.sqe(sq);
    const Params &p = system_.params;
    trace_.note(sq, {TWINSIM_PHASE_SETUP, queues_[sq].phase_begin, p.ffts_read.index});
    queues_[sq].phase_begin = system_.now;
    const uint64_t bytes = uint64_t{contexts_of(sqe)} * sizeof(stars_ffts_context);
    twinsim_target target = TWINSIM_TARGET_NONE;
    uint32_t owner = queues_.device;
    const void *const from = system_.bus.translate(
        system_.bus.context, queues_.device, table_of(sqe), bytes, TWINSIM_READ, &target, &owner);
    if (!from || target == TWINSIM_TARGET_HOST_PAGES) {
        const uint16_t status = system_.refusal();
        end(run, STARS_ERROR_EXCEPTION, status);
        return false;
    }
    try {
        run.loaded = true;
        run.limit = limit_from(system_.now, credit_time(sqe, p));
        if (run.table.begin(from, contexts_of(sqe), ready_of(sqe)))
            return true;
    } catch (const std::bad_alloc &) {
        end(run, STARS_ERROR_SOFTWARE, STARS_STATUS_NONE);
        return false;
    }
    end(run, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE);
    return false;
}

void FftsTasks::turn(uint32_t sq)
{
    Run &run = *find(sq);
    if (!run.loaded && !load(run))
        return;
    if (run.hit_failed) { // T-FLT-15
        const FaultPlan::Effect &effect = faults_.effect(sq);
        stop(run);
        end(run, effect.error, effect.status);
        return;
    }
    const bool gave_up = system_.now >= give_up_time(run);
    if (run.fault == TWINSIM_KERNEL_GOOD && (gave_up || system_.now >= run.limit))
        run.fault = TWINSIM_KERNEL_TIMEOUT; // T-FFT-11
    if (run.fault == TWINSIM_KERNEL_GOOD) {
        go_on(run);
        return;
    }
    const twinsim_kernel_fault fault = run.fault;
    stop(run);
    if (fault == TWINSIM_KERNEL_TIMEOUT && gave_up) { // T-FLT-16
        const FaultPlan::Effect &effect = faults_.effect(sq);
        end(run, effect.error, effect.status);
        return;
    }
    run.sq = kNone;
    owner_.ffts_kernel_failed(sq, fault);
}

// All that is due, and what becomes ready by it; then the timer, or the end.
void FftsTasks::go_on(Run &run)
{
    for (;;) {
        if (!take_new(run))
            return;
        const uint32_t next = next_due(run);
        if (next == kUnits)
            break;
        if (!step(run, next))
            return;
        // T-CORE-2: nothing goes on before it is there; and nothing after a failure.
        if (run.wanted != kNone || run.has_failed()) {
            queues_.at(run.sq, system_.now, QueueStep::kContexts);
            return;
        }
    }
    if (!run.table.rests()) {
        arm(run);
        check_rest(run);
        return;
    }
    if (run.table.complete())
        end(run, 0, STARS_STATUS_NONE);
    else // T-FFT-12: contexts that nothing leads to
        end(run, STARS_ERROR_EXCEPTION, STARS_STATUS_FFTS_EXCEPTION);
}

// T-FFT-4. False: the task has ended.
bool FftsTasks::take_new(Run &run)
{
    FftsTable::Start start;
    for (Unit &unit : run.units) {
        if (unit.phase != Phase::kFree)
            continue;
        if (run.paused || !run.table.take(start))
            break;
        unit = {};
        unit.phase = Phase::kStarts;
        unit.due = system_.now + system_.params.ffts_start.value;
        unit.order = ++turns_;
        unit.start = start;
    }
    if (!run.table.is_bad())
        return true;
    stop(run);
    end(run, STARS_ERROR_EXCEPTION, STARS_STATUS_FFTS_EXCEPTION);
    return false;
}

// T-FFT-4: of those that are due, the one that became ready first; kUnits: none.
uint32_t FftsTasks::next_due(const Run &run) const
{
    uint32_t first = kUnits;
    for (uint32_t i = 0; i < kUnits; ++i) {
        const Unit &unit = run.units[i];
        if (unit.phase != Phase::kFree && unit.due <= system_.now &&
            (first == kUnits || unit.order < run.units[first].order))
            first = i;
    }
    return first;
}

void FftsTasks::arm(Run &run)
{
    Cycle next = std::min(run.limit, give_up_time(run));
    for (const Unit &unit : run.units)
        if (unit.phase != Phase::kFree)
            next = std::min(next, unit.due);
    if (next == kNever)
        queues_.cancel(run.sq);
    else
        queues_.at(run.sq, next, QueueStep::kContexts);
}

// ---- pause, stop, end ---------------------------------------------------------------------------

void FftsTasks::pause(uint32_t sq)
{
    Run &run = *find(sq);
    run.paused = true;
    for (Unit &unit : run.units)
        if (unit.phase == Phase::kBlocks)
            unit.rests = cores_.pause(BlockDispatcher::of_context(queues_[sq].slot, unit.kernel));
    check_rest(run);
}

// T-CORE-13: nothing goes on but waits.
void FftsTasks::check_rest(Run &run)
{
    if (!run.paused || !run.loaded)
        return;
    for (const Unit &unit : run.units) {
        const bool still = unit.phase == Phase::kFree || unit.phase == Phase::kWaits ||
                           (unit.phase == Phase::kStarts && unit.due == kNever) ||
                           (unit.phase == Phase::kBlocks && unit.rests);
        if (!still)
            return;
    }
    owner_.ffts_rests(run.sq);
}

void FftsTasks::resume(uint32_t sq)
{
    Run &run = *find(sq);
    run.paused = false;
    for (Unit &unit : run.units) {
        if (unit.phase == Phase::kBlocks) {
            unit.rests = false;
            cores_.resume(BlockDispatcher::of_context(queues_[sq].slot, unit.kernel));
        } else if (unit.phase == Phase::kStarts && unit.due == kNever) {
            unit.due = system_.now;
        }
    }
    queues_.at(sq, run.loaded ? system_.now : std::max(system_.now, run.ready),
               QueueStep::kContexts);
}

void FftsTasks::drop(uint32_t sq)
{
    Run &run = *find(sq);
    stop(run);
    run.sq = kNone;
}

void FftsTasks::stop(Run &run)
{
    bool moved = false;
    for (Unit &unit : run.units) {
        switch (unit.phase) {
        case Phase::kBlocks:
        case Phase::kSlow:
            cores_.stop(BlockDispatcher::of_context(queues_[run.sq].slot, unit.kernel));
            break;
        case Phase::kMoves: // T-TIM-3: it may be complete in this cycle
            if (system_.links.moves(unit.transfer, transfer_of(run, unit))) {
                system_.links.cancel(system_.now, unit.transfer);
                moved = true;
            }
            break;
        case Phase::kWaits:
            tables_.count_context_waits(-1);
            break;
        default:
            break;
        }
        unit.phase = Phase::kFree;
    }
    if (moved)
        system_.links_changed();
    queues_.cancel(run.sq);
}

void FftsTasks::end(Run &run, uint8_t error, uint16_t status)
{
    const uint32_t sq = run.sq;
    run.sq = kNone;
    queues_.cancel(sq);
    owner_.ffts_ended(sq, error, status);
}

} // namespace tsim
