// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/task_trace.h"

#include "core/engine/dma.h"
#include "core/scheduler/sqe_fields.h"

namespace tsim
{

uint32_t TaskTrace::traced(uint32_t sq) const
{
    const stars_sqe &sqe = queues_.sqe(sq);
    const uint16_t task = task_of(sqe);
    const uint64_t about =
        queues_.front(sq).number() << 24 | uint64_t{task} << 8 | uint64_t{type_of(sqe)};
    const uint64_t before = queues_[sq].traced;
    if (before == about)
        return source(sq);
    constexpr uint64_t kOneOn = uint64_t{1} << 24 | uint64_t{1} << 8;
    if (__builtin_expect(before == 0 || task == 0 || about != before + kOneOn, 0)) {
        turn_to(sq, about);
        return source(sq);
    }
    queues_[sq].traced = about;
    return system_.trace.next(source(sq));
}

void TaskTrace::turn_to(uint32_t sq, uint64_t about) const
{
    system_.trace.head(source(sq), queues_.front(sq).number(), task_of(queues_.sqe(sq)),
                       static_cast<uint8_t>(about));
    queues_[sq].traced = about;
}

void TaskTrace::write_part(uint32_t sq, twinsim_phase phase, Cycle begin, uint32_t parameter,
                           uint32_t id) const
{
    if (begin != system_.now)
        system_.trace.phase(traced(sq), system_.now, phase, begin, parameter, id);
}

// A firmware does not report the beginning.
void TaskTrace::note_table(uint32_t sq, uint32_t parameter, uint32_t id) const
{
    system_.trace.table(firmware_ ? traced(sq) : source(sq), system_.now, queues_[sq].phase_begin,
                        parameter, id);
}

void TaskTrace::write_note(uint32_t sq, twinsim_phase phase, Cycle begin, uint32_t parameter,
                           uint32_t id, uint64_t bytes, uint32_t waker, uint64_t waker_number,
                           uint32_t route) const
{
    if (begin != system_.now || phase == TWINSIM_PHASE_TABLE)
        system_.trace.phase(traced(sq), system_.now,
                            {phase, begin, parameter, id, bytes, waker, waker_number, route});
}

void TaskTrace::note_opened(uint32_t sq) const
{
    system_.trace.opened(source(sq), system_.now, queues_[sq].stream_id);
}

void TaskTrace::note_swapped(uint32_t sq) const
{
    const QueueRow &q = queues_[sq];
    if (!firmware_)
        system_.trace.swapped_in(traced(sq), system_.now, q.phase_begin, q.was_short, q.slot);
}

void TaskTrace::note_begun(uint32_t sq, Cycle ready) const
{
    const Cycle arrival = queues_.front(sq).next_arrival();
    if (!system_.trace.begun_at_swap(source(sq), system_.now, arrival, ready))
        system_.trace.begun(traced(sq), system_.now, arrival, ready);
}

void TaskTrace::note_command(uint32_t sq) const
{
    system_.trace.begun(traced(sq), system_.now, queues_.front(sq).next_arrival(), system_.now);
}

// From here on to its end an SQE that has begun is the last one that the trace knows.

void TaskTrace::note_engine(uint32_t sq, twinsim_phase what) const
{
    const QueueRow &q = queues_[sq];
    if (system_.trace.engine(source(sq), system_.now, what, q.phase_begin, q.channel))
        return;
    const Params &p = system_.params;
    const bool sdma = q.type != STARS_SQE_PCIE_DMA;
    const Setting &of = what == TWINSIM_PHASE_SETUP ? (sdma ? p.sdma_setup : p.pcie_setup)
                                                    : (sdma ? p.sdma_channels : p.pcie_channels);
    system_.trace.phase(source(sq), system_.now, {what, q.phase_begin, of.index, q.channel});
}

void TaskTrace::note_transfer(uint32_t sq, const DmaJob &job) const
{
    const QueueRow &q = queues_[sq];
    if (q.phase_begin != system_.now)
        system_.trace.transfer(source(sq), system_.now, q.phase_begin,
                               system_.links.parameter(job.route), q.channel, job.bytes, job.route);
}

void TaskTrace::note_end(uint32_t sq, uint64_t bytes) const
{
    const QueueRow &q = queues_[sq];
    const bool frees =
        ((q.type == STARS_SQE_SDMA || q.type == STARS_SQE_DSA) && q.share == kSdma) ||
        (q.type == STARS_SQE_PCIE_DMA && q.share == kPcieDma);
    system_.trace.retired(source(sq), system_.now, q.phase_begin, q.begun, bytes, frees);
}

void TaskTrace::notify_end(uint32_t sq, bool failed) const
{
    const QueueRow &q = queues_[sq];
    const twinsim_task_end end = {.device = queues_.device,
                                  .sq = sq,
                                  .number = queues_.front(sq).number(),
                                  .begin_ns = system_.params.to_ns(q.begun),
                                  .end_ns = system_.params.to_ns(system_.now),
                                  .error = failed ? q.error : uint8_t{0},
                                  .status = failed ? q.status : uint16_t{STARS_STATUS_NONE}};
    system_.task_take(system_.task_context, &end);
}

void TaskTrace::note_leaving(uint32_t sq) const
{
    system_.trace.leave(source(sq), system_.now, queues_[sq].slot);
}

// T-CQ-3: the time until now was that of retirement; what follows is not.
void TaskTrace::note_hold(uint32_t sq, HoldReason why) const
{
    if (why == HoldReason::kCq || why == HoldReason::kCqError || why == HoldReason::kLost)
        system_.trace.retiring(traced(sq), system_.now, queues_[sq].phase_begin);
}

void TaskTrace::note_resumed(uint32_t sq) const
{
    const QueueRow &q = queues_[sq];
    const twinsim_hold why = q.hold == HoldReason::kBefore  ? TWINSIM_HOLD_BEFORE
                             : q.hold == HoldReason::kAfter ? TWINSIM_HOLD_AFTER
                             : q.hold == HoldReason::kPause ? TWINSIM_HOLD_PAUSE
                             : q.hold == HoldReason::kLost  ? TWINSIM_HOLD_LOST
                                                            : TWINSIM_HOLD_CQ;
    if (q.phase_begin == system_.now)
        return;
    // Between two SQEs there may be none at the head.
    system_.trace.phase(q.hold == HoldReason::kPause ? source(sq) : traced(sq), system_.now,
                        {TWINSIM_PHASE_HOLD, q.phase_begin, kNone, why});
}

} // namespace tsim
