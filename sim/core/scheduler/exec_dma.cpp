// SPDX-License-Identifier: Apache-2.0
/// A DMA task of a queue on its engine: channel, set-up, bytes, effect. Rules T-DMA-1 to T-DMA-6, T-SQE-8.
#include <algorithm>

#include "core/scheduler/task_scheduler.h"

namespace tsim
{

// T-DMA-1: the class share is there; now a channel.
void TaskScheduler::want_channel(uint32_t sq)
{
    Queue &q = queues_[sq];
    q.mark = board_.now;
    const uint32_t channel = pool(sq).acquire();
    if (channel != kNone) {
        set_up(sq, channel);
        return;
    }
    q.state = State::kWaitChannel;
    pool(sq).wait(sq);
}

// T-DMA-2.
void TaskScheduler::set_up(uint32_t sq, uint32_t channel)
{
    Queue &q = queues_[sq];
    const Params &p = board_.params;
    const bool sdma = q.type == STARS_SQE_SDMA;
    q.channel = static_cast<uint8_t>(channel);
    q.has_channel = true;
    if (board_.trace.on() && q.mark != board_.now)
        note_engine(sq, TWINSIM_PHASE_ENGINE);
    q.state = State::kWork;
    q.mark = board_.now;
    Cycle time = latency(sq, sdma ? p.sdma_setup : p.pcie_setup);
    if (is_struck(sq))
        time = slowed(sq, time);
    at(sq, due(sq, SqeOp::kSetUp, SqeNext::kSetUp, board_.now + time), Step::kSetUp);
}

// T-DMA-3, T-DMA-4.
void TaskScheduler::start_transfer(uint32_t sq)
{
    Queue &q = queues_[sq];
    const Params &p = board_.params;
    const bool sdma = q.type == STARS_SQE_SDMA;
    DmaJob &job = jobs_[sq];
    if (board_.trace.on() && q.mark != board_.now)
        note_engine(sq, TWINSIM_PHASE_SETUP);
    q.mark = board_.now;
    if (is_struck(sq) && engine_silent(sq))
        return;
    if (job.kind == DmaJob::Kind::kList) {
        start_list(sq);
        return;
    }
    job.route = find_route(job, board_.bus, board_.links, device_, !sdma);
    if (job.route == kNone) {
        release_channel(sq);
        fail(sq, STARS_ERROR_EXCEPTION, STARS_STATUS_BUS_FAULT);
        return;
    }
    job.route = (sdma ? sdma_ceiling_ : pcie_ceiling_).of(job.route);
    q.state = State::kTransfer;
    q.transfer = board_.links.start(board_.now, job.route, job.bytes, uint64_t{device_} << 32 | sq);
    board_.links_changed();
    const uint32_t credit = (fronts_[sq].sqe().word[3] >> STARS_W3_CREDIT_SHIFT) & 0xffu;
    const bool limited = credit != 0 && credit != STARS_CREDIT_NEVER;
    job.limit = due(sq, SqeOp::kMove, SqeNext::kLimit,
                    limited ? board_.now + credit * p.credit_unit.value : kNever);
    if (job.limit != kNever)
        at(sq, job.limit, Step::kLimit);
    if (__builtin_expect(board_.seed != 0, 0) && !is_struck(sq))
        choose_effect(sq);
}

// T-DMA-30: any instant from now to twice the time that it would take with the share it has now. When it is complete
// before that, it has its effect then.
void TaskScheduler::choose_effect(uint32_t sq)
{
    const DmaJob &job = jobs_[sq];
    const uint64_t rate = std::max<uint64_t>(board_.links.rate_of(job.route), 1);
    const auto whole = static_cast<Cycle>(
        (static_cast<unsigned __int128>(job.bytes) << LinkNetwork::kFraction) / rate);
    const Cycle time = board_.now + chance(board_.seed, occasion(sq), kEffectUse) % (2 * whole + 1);
    if (time < job.limit)
        at(sq, time, Step::kEffect);
}

void TaskScheduler::make_effect(uint32_t sq)
{
    DmaJob &job = jobs_[sq];
    apply(job, board_, device_);
    job.made = true;
    if (job.limit != kNever)
        at(sq, job.limit, Step::kLimit);
}

// T-DMA-5: the effect is there at this instant.
void TaskScheduler::transfer_done(uint32_t sq)
{
    Queue &q = queues_[sq];
    DmaJob &job = jobs_[sq];
    q.transfer = kNone;
    if (is_struck(sq) && engine_differs(sq))
        return;
    board_.calendar.cancel(timer(sq));
    q.state = State::kWork;
    if (board_.trace.on())
        note_transfer(sq);
    if (!job.made)
        apply(job, board_, device_);
    const uint16_t status = job.status;
    release_channel(sq);
    if (status == 0)
        executed(sq);
    else
        fail(sq, STARS_ERROR_EXCEPTION, status);
}

// T-DMA-6: the channel goes to the queue that has waited longest.
void TaskScheduler::release_channel(uint32_t sq)
{
    Queue &q = queues_[sq];
    if (!q.has_channel)
        return;
    q.has_channel = false;
    DmaPool &engine = pool(sq);
    const uint32_t next = engine.release(q.channel);
    if (next != kNone)
        set_up(next, engine.acquire());
}

} // namespace tsim
