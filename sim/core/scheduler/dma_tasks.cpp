// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/dma_tasks.h"

#include <algorithm>

namespace tsim
{

namespace
{
DmaPool dma_pool(const QueueTable &queues, const Setting &channels, uint64_t seed, const char *name)
{
    const auto count = static_cast<uint32_t>(channels.value);
    RtlPortFactory *const ports = queues.system.rtl_ports;
    return {count, queues.size(), seed,
            ports ? ports->dma_pool(count, queues.size(), seed, {queues.device, name}) : nullptr};
}
} // namespace

DmaTasks::DmaTasks(const SqePart &part, uint64_t sdma_seed, uint64_t pcie_seed)
    : SqePart(part), jobs_(queues_.size()),
      ahead_(system_.params.sdma_ahead.value != 0 ? queues_.size() : 0),
      sdma_(dma_pool(queues_, system_.params.sdma_channels, sdma_seed, "sdma")),
      pcie_(dma_pool(queues_, system_.params.pcie_channels, pcie_seed, "pcie")),
      sdma_ceiling_(system_.links, system_.params.sdma_ceiling),
      pcie_ceiling_(system_.links, system_.params.pcie_ceiling), lists_(part, pcie_ceiling_)
{
}

void DmaTasks::reset()
{
    sdma_.reset();
    pcie_.reset();
    ahead_.assign(ahead_.size(), {});
}

// T-DMA-1.
void DmaTasks::start(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    q.phase_begin = system_.now;
    const uint32_t channel = pool(sq).acquire();
    if (channel != kNone) {
        set_up(sq, channel);
        return;
    }
    q.state = QueueState::kWaitChannel;
    pool(sq).wait(sq);
}

// T-DMA-2.
void DmaTasks::set_up(uint32_t sq, uint32_t channel)
{
    QueueRow &q = queues_[sq];
    const Params &p = system_.params;
    const bool sdma = q.type != STARS_SQE_PCIE_DMA;
    q.channel = static_cast<uint8_t>(channel);
    q.has_channel = true;
    if (system_.trace.on() && q.phase_begin != system_.now)
        trace_.note_engine(sq, TWINSIM_PHASE_ENGINE);
    q.state = QueueState::kWork;
    q.phase_begin = system_.now;
    Cycle time = queues_.latency(sq, sdma ? p.sdma_setup : p.pcie_setup);
    if (queues_.is_faulted(sq))
        time = faults_.slowed(sq, time);
    queues_.at(sq, progress_.set_up_at(sq, time, early(sq)), QueueStep::kSetUp);
}

// ---- T-DMA-14: the set-up of the next task ------------------------------------------------------

void DmaTasks::set_next_up(uint32_t sq)
{
    if (ahead_.empty() || queues_[sq].type != STARS_SQE_SDMA)
        return;
    const TaskQueue &front = queues_.front(sq);
    ahead_[sq] = front.next_visible(system_.now) ? Ahead{front.number() + 1, system_.now} : Ahead{};
}

void DmaTasks::forget_next(uint32_t sq)
{
    if (!ahead_.empty())
        ahead_[sq] = {};
}

/// For how long the task at the head has been set up.
Cycle DmaTasks::early(uint32_t sq) const
{
    return !ahead_.empty() && queues_[sq].type == STARS_SQE_SDMA &&
                   ahead_[sq].number == queues_.front(sq).number()
               ? system_.now - ahead_[sq].since
               : 0;
}

// T-DMA-3, T-DMA-4.
void DmaTasks::start_transfer(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    const bool sdma = q.type != STARS_SQE_PCIE_DMA;
    DmaJob &job = jobs_[sq];
    if (system_.trace.on() && q.phase_begin != system_.now)
        trace_.note_engine(sq, TWINSIM_PHASE_SETUP);
    q.phase_begin = system_.now;
    if (queues_.is_faulted(sq) && is_silent(sq))
        return;
    if (job.kind == DmaJob::Kind::kList) {
        end(sq, lists_.start(sq, job));
        return;
    }
    if (__builtin_expect(job.kind >= DmaJob::Kind::kPointer, 0)) { // T-DMA-51, T-DMA-53
        const uint16_t status = resolve(job, system_, queues_.device);
        const bool bad = status == STARS_STATUS_BAD_SQE;
        if (status != 0) {
            end(sq, {true, static_cast<uint8_t>(bad ? STARS_ERROR_BAD_SQE : STARS_ERROR_EXCEPTION),
                     status});
            return;
        }
    }
    job.route = find_route(job, system_.bus, system_.links, queues_.device, !sdma);
    if (job.route == kNone) {
        release_channel(sq);
        progress_.fail(sq, STARS_ERROR_EXCEPTION, STARS_STATUS_BUS_FAULT);
        return;
    }
    job.route = (sdma ? sdma_ceiling_ : pcie_ceiling_).of(job.route);
    set_next_up(sq);
    q.state = QueueState::kTransfer;
    q.transfer =
        system_.links.start(system_.now, job.route, job.bytes, uint64_t{queues_.device} << 32 | sq);
    system_.links_changed();
    job.limit =
        progress_.due(sq, SqeOp::kMove, SqeNext::kLimit,
                      limit_from(system_.now, credit_time(queues_.sqe(sq), system_.params)));
    if (job.limit != kNever)
        queues_.at(sq, job.limit, QueueStep::kLimit);
    if (__builtin_expect(system_.seed != 0, 0) && !queues_.is_faulted(sq))
        choose_effect(sq);
}

// T-DMA-30: any instant from now to twice the time that it would take with the share it has now.
// When it is complete before that, it has its effect then.
void DmaTasks::choose_effect(uint32_t sq)
{
    const DmaJob &job = jobs_[sq];
    const uint64_t rate = std::max<uint64_t>(system_.links.rate_of(job.route), 1);
    const auto whole = static_cast<Cycle>(
        (static_cast<unsigned __int128>(job.bytes) << LinkNetwork::kFraction) / rate);
    const Cycle time = system_.now + random_number(system_.seed, queues_.occasion(sq), kEffectUse) %
                                         (2 * whole + 1);
    if (time < job.limit)
        queues_.at(sq, time, QueueStep::kEffect);
}

void DmaTasks::make_effect(uint32_t sq)
{
    DmaJob &job = jobs_[sq];
    apply(job, system_, queues_.device);
    job.made = true;
    if (job.limit != kNever)
        queues_.at(sq, job.limit, QueueStep::kLimit);
}

// T-DMA-5: the effect is there at this instant.
void DmaTasks::transfer_done(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    DmaJob &job = jobs_[sq];
    q.transfer = kNone;
    if (queues_.is_faulted(sq) && ends_otherwise(sq))
        return;
    queues_.cancel(sq);
    q.state = QueueState::kWork;
    if (system_.trace.on())
        trace_.note_transfer(sq, job);
    if (!job.made)
        apply(job, system_, queues_.device);
    const uint16_t status = job.status;
    release_channel(sq);
    if (status == 0) {
        progress_.executed(sq);
    } else {
        forget_next(sq);
        progress_.fail(sq, STARS_ERROR_EXCEPTION, status);
    }
}

void DmaTasks::list_turn(uint32_t sq)
{
    end(sq, lists_.turn(sq, jobs_[sq]));
}

void DmaTasks::list_transfer_done(uint32_t who)
{
    const uint32_t sq = lists_.queue_of(who);
    end(sq, lists_.transfer_done(who, jobs_[sq]));
}

// A list is over, or an engine is that a fault has hit.
void DmaTasks::end(uint32_t sq, const TaskEnd &how)
{
    if (!how.over)
        return;
    queues_.cancel(sq);
    queues_[sq].state = QueueState::kWork;
    release_channel(sq);
    if (how.error == 0) {
        progress_.executed(sq);
    } else {
        forget_next(sq);
        progress_.fail(sq, how.error, how.status);
    }
}

// T-DMA-6: the channel goes to the queue that has waited longest.
void DmaTasks::release_channel(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    if (!q.has_channel)
        return;
    q.has_channel = false;
    DmaPool &engine = pool(sq);
    const uint32_t next = engine.release(q.channel);
    if (next != kNone)
        set_up(next, engine.acquire());
}

// T-SQE-8. T-FLT-7: the time that is over may be the engine's own.
void DmaTasks::limit_reached(uint32_t sq)
{
    const QueueRow &q = queues_[sq];
    stop(sq);
    forget_next(sq);
    trace_.note(
        sq, {TWINSIM_PHASE_TRANSFER, q.phase_begin, system_.params.credit_unit.index, q.channel});
    release_channel(sq);
    if (queues_.is_faulted(sq) && faults_.gave_up(sq))
        progress_.fail(sq, faults_.effect(sq).error, faults_.effect(sq).status);
    else
        progress_.fail(sq, STARS_ERROR_TIMEOUT, STARS_STATUS_TASK_TIMEOUT, SqeOp::kLimit);
}

void DmaTasks::stop(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    if (q.transfer != kNone) {
        system_.links.cancel(system_.now, q.transfer);
        q.transfer = kNone;
        system_.links_changed();
    } else if (q.state == QueueState::kTransfer && jobs_[sq].kind == DmaJob::Kind::kList) {
        lists_.stop(sq, jobs_[sq]);
    }
}

void DmaTasks::abandon(uint32_t sq)
{
    if (queues_[sq].state == QueueState::kWaitChannel)
        pool(sq).forget(sq);
    stop(sq);
    forget_next(sq);
    release_channel(sq);
}

// ---- injected faults ----------------------------------------------------------------------------

// T-FLT-7, T-FLT-9: its bytes do not begin to move; only a time limit, or a kill, ends it.
bool DmaTasks::is_silent(uint32_t sq)
{
    if (!faults_.is_silent(sq))
        return false;
    queues_[sq].state = QueueState::kTransfer;
    const Cycle limit =
        std::min(faults_.give_up_time(sq), credit_time(queues_.sqe(sq), system_.params));
    if (limit != kNever)
        queues_.at(sq, system_.now + limit, QueueStep::kLimit);
    return true;
}

// T-FLT-8: a slow engine completes later than the bytes; T-FLT-6: or ends with an error, without
// effect.
bool DmaTasks::ends_otherwise(uint32_t sq)
{
    if (faults_.stretches(sq))
        return true;
    if (!faults_.acts(sq, TWINSIM_FAULT_ENGINE_ERROR))
        return false;
    const QueueRow &q = queues_[sq];
    const DmaJob &job = jobs_[sq];
    trace_.note(sq, {TWINSIM_PHASE_TRANSFER, q.phase_begin, system_.links.parameter(job.route),
                     q.channel, job.bytes});
    end(sq, {true, faults_.effect(sq).error, faults_.effect(sq).status});
    return true;
}

// T-FLT-8: the time of a slow engine is over.
void DmaTasks::stretched(uint32_t sq)
{
    if (jobs_[sq].kind == DmaJob::Kind::kList)
        end(sq, lists_.finish(sq, jobs_[sq]));
    else
        transfer_done(sq);
}

} // namespace tsim
