// SPDX-License-Identifier: Apache-2.0
/// The work of the contexts of FFTS+ tasks.
#include <cstring>
#include <new>
#include <utility>

#include "core/scheduler/ffts_tasks.h"
#include "core/scheduler/sqe_fields.h"

namespace tsim
{

namespace
{

[[nodiscard]] uint64_t wide(const stars_ffts_context &context, unsigned word)
{
    return uint64_t{context.word[word]} | uint64_t{context.word[word + 1]} << 32;
}

/// Vector cores of a block of a mixed one; else 0.
[[nodiscard]] uint32_t ratio_of(const stars_ffts_context &context, bool last)
{
    const uint32_t type = type_of(context);
    const uint32_t shift = last ? STARS_FFTS_W17_LAST_SHIFT : STARS_FFTS_W17_RATIO_SHIFT;
    return type == STARS_FFTS_AIC || type == STARS_FFTS_AIV ? 0 : context.word[17] >> shift & 0xffu;
}

} // namespace

// The time of the unit's phase is over. False: the task has ended.
bool FftsTasks::step(Run &run, uint32_t number)
{
    Unit &unit = run.units[number];
    switch (unit.phase) {
    case Phase::kStarts:
        return begin(run, number);
    case Phase::kSetUp:
        return move(run, number);
    case Phase::kStores:
        return store(run, number);
    case Phase::kSlow:
        end_kernel(run, number);
        cores_.stop(BlockDispatcher::of_context(queues_[run.sq].slot, unit.kernel));
        return true;
    case Phase::kPassed:
        return done(run, number);
    default:
        unit.due = kNever;
        return true;
    }
}

bool FftsTasks::fail(Run &run, uint8_t error, uint16_t status)
{
    stop(run);
    end(run, error, status);
    return false;
}

bool FftsTasks::bad(Run &run)
{
    return fail(run, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE);
}

bool FftsTasks::begin(Run &run, uint32_t number)
{
    Unit &unit = run.units[number];
    const Params &p = system_.params;
    unit.due = kNever;
    if (run.paused) // T-CORE-13; resume() sets it
        return true;
    unit.begun = system_.now;
    switch (type_of(run.table.context(unit.start.context))) {
    case STARS_FFTS_NOTIFY_WAIT:
    case STARS_FFTS_NOTIFY_RECORD:
        return begin_notify(run, number);
    case STARS_FFTS_WRITE_VALUE:
        unit.phase = Phase::kStores;
        unit.due = system_.now + queues_.latency(run.sq, p.write_value);
        return true;
    case STARS_FFTS_SDMA:
        return begin_copy(run, unit);
    default:
        return begin_kernel(run, number);
    }
}

bool FftsTasks::done(Run &run, uint32_t number)
{
    Unit &unit = run.units[number];
    unit.phase = Phase::kFree;
    unit.due = kNever;
    return run.table.done(unit.start) ||
           fail(run, STARS_ERROR_EXCEPTION, STARS_STATUS_FFTS_EXCEPTION);
}

// T-FFT-8.
bool FftsTasks::begin_kernel(Run &run, uint32_t number)
{
    Unit &unit = run.units[number];
    const stars_ffts_context &context = run.table.context(unit.start.context);
    const BlockDispatcher::Kind kind = kind_of(run, unit);
    const uint32_t room = cores_.room(kind);
    const uint32_t blocks = blocks_of(run, unit);
    const uint32_t schem = context.word[16] >> STARS_FFTS_SCHEM_SHIFT & 0x3u;
    if (blocks == 0 || room == 0 ||
        ratio_of(context, run.table.is_last(unit.start)) >=
            cores_.parts(BlockDispatcher::Kind::kMixed) ||
        (schem != STARS_SCHEM_NORMAL && (schem != STARS_SCHEM_BATCH || blocks > room)))
        return bad(run);
    if (run.kernels == (1u << BlockDispatcher::kContexts) - 1) // until one ends
        return true;
    const twinsim_bus &bus = system_.bus;
    const twinsim_kernel_task task = {
        queues_.device,       run.sq,   queues_.front(run.sq).number(),
        &queues_.sqe(run.sq), &context, unit.start.context,
        unit.start.thread};
    twinsim_kernel work{};
    if (bus.kernel(bus.context, &task, &work) == TWINSIM_KERNEL_READY)
        return launch(run, number, work);
    run.wanted = number;
    system_.kernel_wanted = queues_.timer(run.sq);
    system_.stop |= SystemState::kStopKernel;
    return true;
}

// T-FFT-7.
BlockDispatcher::Kind FftsTasks::kind_of(const Run &run, const Unit &unit)
{
    const stars_ffts_context &context = run.table.context(unit.start.context);
    if (ratio_of(context, run.table.is_last(unit.start)) != 0)
        return BlockDispatcher::Kind::kMixed;
    const uint32_t type = type_of(context);
    return type == STARS_FFTS_AIC || type == STARS_FFTS_MIX_AIC ? BlockDispatcher::Kind::kAic
                                                                : BlockDispatcher::Kind::kAiv;
}

uint32_t FftsTasks::blocks_of(const Run &run, const Unit &unit)
{
    const uint32_t word = run.table.context(unit.start.context).word[STARS_FFTS_BLOCKS_WORD];
    return run.table.is_last(unit.start) ? word >> STARS_FFTS_W19_LAST_SHIFT : word & 0xffffu;
}

void FftsTasks::give(uint32_t sq, const twinsim_kernel &work)
{
    Run &run = *find(sq);
    const uint32_t number = std::exchange(run.wanted, kNone);
    (void)launch(run, number, work);
}

bool FftsTasks::launch(Run &run, uint32_t number, const twinsim_kernel &work)
{
    Unit &unit = run.units[number];
    const uint32_t sq = run.sq;
    const stars_sqe &sqe = queues_.sqe(sq);
    const stars_ffts_context &context = run.table.context(unit.start.context);
    const auto kernel = static_cast<uint32_t>(__builtin_ctz(~run.kernels));
    const BlockDispatcher::Order order = {
        queues_.front(sq).number(),
        sq,
        blocks_of(run, unit),
        task_of(sqe),
        static_cast<uint8_t>(sqe.word[2] >> STARS_W2_WRR_SHIFT & 0xfu),
        kind_of(run, unit),
        (context.word[16] >> STARS_FFTS_SCHEM_SHIFT & 0x3u) == STARS_SCHEM_BATCH,
        unit.start.context};
    if (run.hit == kNone && queues_.is_faulted(sq))
        run.hit = number;
    const uint32_t name = BlockDispatcher::of_context(queues_[sq].slot, kernel);
    twinsim_kernel_fault fault = work.fault;
    try {
        if (fault == TWINSIM_KERNEL_GOOD &&
            !cores_.start(name, order,
                          is_hit(run, number) ? owner_.faulted(sq, order.kind, work) : work))
            fault = TWINSIM_KERNEL_BAD;
    } catch (const std::bad_alloc &) {
        cores_.end_description(order);
        return fail(run, STARS_ERROR_SOFTWARE, STARS_STATUS_NONE);
    }
    if (fault != TWINSIM_KERNEL_GOOD) {
        cores_.end_description(order);
        stop(run);
        run.sq = kNone;
        owner_.ffts_kernel_failed(sq, fault);
        return false;
    }
    run.kernels |= 1u << kernel;
    unit.kernel = kernel;
    unit.phase = Phase::kBlocks;
    if (run.paused) {
        unit.rests = cores_.pause(name);
        check_rest(run);
    }
    return true;
}

// T-FFT-9.
bool FftsTasks::begin_copy(Run &run, Unit &unit)
{
    const stars_ffts_context &context = run.table.context(unit.start.context);
    const uint64_t thread = unit.start.thread;
    unit.job = {};
    unit.job.src = wide(context, 22) + thread * context.word[24];
    unit.job.dst = wide(context, 25) + thread * context.word[27];
    unit.job.bytes = context.word[run.table.is_last(unit.start) ? 29 : 28];
    if ((context.word[19] & STARS_FFTS_W19_OPERATION) != 0 || unit.job.bytes == 0)
        return bad(run);
    unit.phase = Phase::kSetUp;
    unit.due = system_.now + queues_.latency(run.sq, system_.params.sdma_setup);
    return true;
}

bool FftsTasks::move(Run &run, uint32_t number)
{
    Unit &unit = run.units[number];
    unit.due = kNever;
    unit.job.route = find_route(unit.job, system_.bus, system_.links, queues_.device, false);
    if (unit.job.route == kNone)
        return fail(run, STARS_ERROR_EXCEPTION, system_.refusal());
    unit.phase = Phase::kMoves;
    unit.begun = system_.now;
    unit.transfer =
        system_.links.start(system_.now, unit.job.route, unit.job.bytes, transfer_of(run, unit));
    system_.links_changed();
    return true;
}

LinkNetwork::Owner FftsTasks::transfer_of(const Run &run, const Unit &unit) const
{
    return uint64_t{queues_.device} << 32 | kOwner | uint32_t{queues_[run.sq].slot} << kUnitShift |
           static_cast<uint32_t>(&unit - run.units.data());
}

void FftsTasks::transfer_done(uint32_t who)
{
    Run &run = *runs_[who >> kUnitShift];
    const uint32_t number = who & ((1u << kUnitShift) - 1);
    Unit &unit = run.units[number];
    if (unit.phase != Phase::kMoves) // the task has ended in this cycle
        return;
    trace_.note(run.sq, {TWINSIM_PHASE_TRANSFER, unit.begun,
                         system_.links.parameter(unit.job.route), kNone, unit.job.bytes});
    unit.phase = Phase::kFree;
    if (run.has_failed()) // T-FFT-11
        return;
    apply(unit.job, system_, queues_.device);
    if (unit.job.status != 0) {
        (void)fail(run, STARS_ERROR_EXCEPTION, unit.job.status);
        return;
    }
    if (done(run, number))
        queues_.at(run.sq, system_.now, QueueStep::kContexts);
}

// T-FFT-10. The ids of threads are taken in turn.
bool FftsTasks::begin_notify(Run &run, uint32_t number)
{
    Unit &unit = run.units[number];
    const stars_ffts_context &context = run.table.context(unit.start.context);
    const uint32_t turns = context.word[19] >> STARS_FFTS_W19_TURNS_SHIFT & 0xffu;
    unit.notify = context.word[19] & 0xffffu;
    if ((context.word[0] & STARS_FFTS_W0_AUTOMATIC) != 0) {
        if (turns == 0 || turns > 2 * (32 - STARS_FFTS_NOTIFY_WORD))
            return bad(run);
        const uint32_t place = unit.start.thread % turns;
        const uint32_t word = context.word[STARS_FFTS_NOTIFY_WORD + place / 2];
        unit.notify = place % 2 == 0 ? word & 0xffffu : word >> 16;
    }
    if (unit.notify >= tables_.notifies().size())
        return bad(run);
    unit.phase = Phase::kStores;
    unit.due = system_.now + queues_.latency(run.sq, system_.params.notify_table);
    return true;
}

// T-FFT-10.
bool FftsTasks::store(Run &run, uint32_t number)
{
    Unit &unit = run.units[number];
    unit.due = kNever;
    switch (type_of(run.table.context(unit.start.context))) {
    case STARS_FFTS_NOTIFY_RECORD:
        tables_.write_notify(unit.notify, true, run.sq);
        return done(run, number);
    case STARS_FFTS_NOTIFY_WAIT:
        if (tables_.take_notify(unit.notify))
            return done(run, number);
        unit.phase = Phase::kWaits;
        unit.turn = ++turns_;
        tables_.count_context_waits(1);
        return true;
    default:
        return store_value(run, unit) && done(run, number);
    }
}

bool FftsTasks::store_value(Run &run, const Unit &unit)
{
    const stars_ffts_context &context = run.table.context(unit.start.context);
    const uint32_t bytes = 1u << (context.word[19] & 0x7u);
    const uint64_t address =
        (uint64_t{context.word[20]} | uint64_t{context.word[21] & 0x1ffffu} << 32) +
        uint64_t{unit.start.thread} * context.word[22];
    if (bytes > 16 || (context.word[19] & STARS_FFTS_W19_VIRTUAL) == 0)
        return bad(run);
    twinsim_target target = TWINSIM_TARGET_NONE;
    uint32_t owner = queues_.device;
    const twinsim_bus &bus = system_.bus;
    void *const to =
        bus.translate(bus.context, queues_.device, address, bytes, TWINSIM_WRITE, &target, &owner);
    const void *const value = &context.word[STARS_FFTS_VALUE_WORD];
    const bool pages = target == TWINSIM_TARGET_HOST_PAGES;
    if (!to || (pages && !bus.host_move(bus.context, to, value, bytes)))
        return fail(run, STARS_ERROR_EXCEPTION, system_.refusal());
    if (!pages)
        std::memcpy(to, value, bytes);
    system_.stored(queues_.device, address, bytes);
    return true;
}

// T-FFT-10: the wait that began first.
bool FftsTasks::notified(uint32_t id)
{
    Run *first_run = nullptr;
    uint32_t first = 0;
    for (const std::unique_ptr<Run> &run : runs_) {
        if (!run || run->sq == kNone)
            continue;
        for (uint32_t i = 0; i < kUnits; ++i) {
            const Unit &unit = run->units[i];
            if (unit.phase == Phase::kWaits && unit.notify == id &&
                (!first_run || unit.turn < first_run->units[first].turn)) {
                first_run = run.get();
                first = i;
            }
        }
    }
    if (!first_run)
        return false;
    tables_.count_context_waits(-1);
    // Its task may be the one that records: nothing of it changes before its turn.
    Unit &unit = first_run->units[first];
    unit.phase = Phase::kPassed;
    unit.due = system_.now;
    queues_.at(first_run->sq, system_.now, QueueStep::kContexts);
    return true;
}

// ---- what the cores say -------------------------------------------------------------------------

FftsTasks::Run &FftsTasks::of_kernel(uint32_t kernel, uint32_t &unit) const
{
    const uint32_t number = kernel - BlockDispatcher::of_context(0, 0);
    Run &run = *runs_[number / BlockDispatcher::kContexts];
    for (unit = 0; run.units[unit].phase != Phase::kBlocks ||
                   run.units[unit].kernel != number % BlockDispatcher::kContexts;)
        ++unit;
    return run;
}

bool FftsTasks::is_hit(const Run &run, uint32_t unit) const
{
    return run.hit == unit && queues_.is_faulted(run.sq);
}

// T-FLT-16.
Cycle FftsTasks::give_up_time(const Run &run) const
{
    const bool runs = run.hit < kUnits && run.hit_begun != kNever && queues_.is_faulted(run.sq);
    return runs ? limit_from(run.hit_begun, faults_.give_up_time(run.sq)) : kNever;
}

void FftsTasks::first_block(uint32_t kernel)
{
    uint32_t number = 0;
    Run &run = of_kernel(kernel, number);
    if (!is_hit(run, number))
        return;
    run.hit_begun = system_.now;
    queues_.at(run.sq, system_.now, QueueStep::kContexts);
}

// The dispatcher is in the middle of its work: the task goes on with the next turn.
bool FftsTasks::blocks_ended(uint32_t kernel)
{
    uint32_t number = 0;
    Run &run = of_kernel(kernel, number);
    Unit &unit = run.units[number];
    queues_.at(run.sq, system_.now, QueueStep::kContexts);
    unit.due = system_.now;
    if (is_hit(run, number) && faults_.is_slow(run.sq)) { // T-FLT-17
        unit.phase = Phase::kSlow;
        unit.due = run.hit_begun + faults_.slowed(run.sq, system_.now - run.hit_begun);
        return false;
    }
    unit.phase = Phase::kPassed;
    end_kernel(run, number);
    return true;
}

// T-FFT-8: the effect, unless T-FLT-15 keeps it away.
void FftsTasks::end_kernel(Run &run, uint32_t number)
{
    Unit &unit = run.units[number];
    const twinsim_bus &bus = system_.bus;
    if (is_hit(run, number) && faults_.acts(run.sq, TWINSIM_FAULT_ENGINE_ERROR)) {
        run.hit_failed = true;
    } else if (!run.has_failed() && bus.kernel_effect) {
        run.fault = bus.kernel_effect(bus.context, queues_.device, run.sq,
                                      queues_.front(run.sq).number(), unit.start.context);
        system_.stored_somewhere();
    }
    run.kernels &= ~(1u << unit.kernel);
    unit.phase = Phase::kPassed;
    unit.due = system_.now;
    for (Unit &other : run.units) // those that wait for a place of a kernel
        if (other.phase == Phase::kStarts && other.due == kNever && !run.paused)
            other.due = system_.now;
    if (run.hit == number)
        run.hit = kHitEnded;
}

void FftsTasks::kernel_failed(uint32_t kernel, twinsim_kernel_fault fault)
{
    uint32_t number = 0;
    Run &run = of_kernel(kernel, number);
    run.kernels &= ~(1u << run.units[number].kernel);
    run.units[number].phase = Phase::kFree;
    if (!run.has_failed())
        run.fault = fault;
    queues_.at(run.sq, system_.now, QueueStep::kContexts);
}

void FftsTasks::kernel_rests(uint32_t kernel)
{
    uint32_t number = 0;
    Run &run = of_kernel(kernel, number);
    run.units[number].rests = true;
    check_rest(run);
}

} // namespace tsim
