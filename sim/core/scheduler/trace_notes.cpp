// SPDX-License-Identifier: Apache-2.0
/// What the scheduler tells the trace. Only called while it is on.
#include "core/scheduler/task_scheduler.h"

namespace tsim
{

namespace
{

[[nodiscard]] uint16_t task_of(const stars_sqe &sqe)
{
    return static_cast<uint16_t>(sqe.word[1] >> STARS_W1_TASK_SHIFT);
}

} // namespace

uint32_t TaskScheduler::traced(uint32_t sq)
{
    const stars_sqe &sqe = fronts_[sq].sqe();
    const auto type = static_cast<uint8_t>(sqe.word[0] & STARS_W0_TYPE_MASK);
    const uint16_t task = task_of(sqe);
    const uint64_t about = fronts_[sq].number() << 24 | uint64_t{task} << 8 | type;
    const uint64_t before = queues_[sq].traced;
    const uint32_t told = Trace::source(device_, sq);
    if (before == about)
        return told;
    constexpr uint64_t kOneOn = uint64_t{1} << 24 | uint64_t{1} << 8;
    if (__builtin_expect(before == 0 || task == 0 || about != before + kOneOn, 0)) {
        turn_to(sq, about);
        return told;
    }
    queues_[sq].traced = about;
    return board_.trace.next(told);
}

void TaskScheduler::turn_to(uint32_t sq, uint64_t about)
{
    board_.trace.head(Trace::source(device_, sq), fronts_[sq].number(), task_of(fronts_[sq].sqe()),
                      static_cast<uint8_t>(about));
    queues_[sq].traced = about;
}

void TaskScheduler::write_part(uint32_t sq, twinsim_phase phase, Cycle begin, uint32_t parameter,
                               uint32_t id)
{
    if (begin != board_.now)
        board_.trace.phase(traced(sq), board_.now, phase, begin, parameter, id);
}

// A firmware does not report the beginning.
void TaskScheduler::note_table(uint32_t sq, uint32_t parameter, uint32_t id)
{
    const uint32_t source = firmware_ ? traced(sq) : Trace::source(device_, sq);
    board_.trace.table(source, board_.now, queues_[sq].mark, parameter, id);
}

void TaskScheduler::write_note(uint32_t sq, twinsim_phase phase, Cycle begin, uint32_t parameter,
                               uint32_t id, uint64_t bytes, uint32_t waker, uint64_t waker_number,
                               uint32_t route)
{
    if (begin != board_.now || phase == TWINSIM_PHASE_TABLE)
        board_.trace.phase(traced(sq), board_.now,
                           {phase, begin, parameter, id, bytes, waker, waker_number, route});
}

void TaskScheduler::note_opened(uint32_t sq)
{
    board_.trace.opened(Trace::source(device_, sq), board_.now, queues_[sq].stream_id);
}

void TaskScheduler::note_swapped(uint32_t sq)
{
    board_.trace.swapped_in(traced(sq), board_.now, queues_[sq].mark, queues_[sq].was_short,
                            queues_[sq].slot);
}

void TaskScheduler::note_begun(uint32_t sq, Cycle ready)
{
    const Cycle arrival = fronts_[sq].next_arrival();
    if (!board_.trace.begun_at_swap(Trace::source(device_, sq), board_.now, arrival, ready))
        board_.trace.begun(traced(sq), board_.now, arrival, ready);
}

// From here on to its end an SQE that has begun is the one that the trace was last told of.

void TaskScheduler::note_engine(uint32_t sq, twinsim_phase what)
{
    const Queue &q = queues_[sq];
    const uint32_t source = Trace::source(device_, sq);
    if (board_.trace.engine(source, board_.now, what, q.mark, q.channel))
        return;
    const Params &p = board_.params;
    const bool sdma = q.type == STARS_SQE_SDMA;
    const Setting &of = what == TWINSIM_PHASE_SETUP ? (sdma ? p.sdma_setup : p.pcie_setup)
                                                    : (sdma ? p.sdma_channels : p.pcie_channels);
    board_.trace.phase(source, board_.now, {what, q.mark, of.index, q.channel});
}

void TaskScheduler::note_transfer(uint32_t sq)
{
    const Queue &q = queues_[sq];
    const DmaJob &job = jobs_[sq];
    if (q.mark != board_.now)
        board_.trace.transfer(Trace::source(device_, sq), board_.now, q.mark,
                              board_.links.parameter(job.route), q.channel, job.bytes, job.route);
}

void TaskScheduler::note_retire(uint32_t sq, bool failed)
{
    const Queue &q = queues_[sq];
    if (board_.trace.on()) {
        const bool dma = is_dma(q.type);
        const bool frees = dma && q.token == (q.type == STARS_SQE_SDMA ? kSdma : kPcieDma);
        board_.trace.retired(Trace::source(device_, sq), board_.now, q.mark, q.begun,
                             dma ? jobs_[sq].bytes : 0, frees);
    }
    if (board_.task_take)
        tell_end(sq, failed);
}

void TaskScheduler::tell_end(uint32_t sq, bool failed)
{
    const Queue &q = queues_[sq];
    const twinsim_task_end end = {.device = device_,
                                  .sq = sq,
                                  .number = fronts_[sq].number(),
                                  .begin_ns = board_.params.to_ns(q.begun),
                                  .end_ns = board_.params.to_ns(board_.now),
                                  .error = failed ? q.error : uint8_t{0},
                                  .status = failed ? q.status : uint16_t{STARS_STATUS_NONE}};
    board_.task_take(board_.task_context, &end);
}

void TaskScheduler::note_taken(uint32_t sq, Trace::Holding what)
{
    board_.trace.take(Trace::source(device_, sq), what, board_.now);
    if (board_.trace.counts())
        note_use(sq, what);
}

void TaskScheduler::note_use(uint32_t sq, Trace::Holding what)
{
    const Queue &q = queues_[sq];
    const uint32_t source = Trace::source(device_, sq);
    if (what == Trace::kSlot) {
        board_.trace.counted(source, what, q.slot, slots_.taken());
    } else {
        board_.trace.counted(
            source, what, q.token,
            static_cast<uint32_t>(cap(q.token).value - uint64_t{classes_[q.token].free}));
    }
}

void TaskScheduler::note_given(uint32_t sq, Trace::Holding what)
{
    const Queue &q = queues_[sq];
    const uint32_t source = Trace::source(device_, sq);
    if (what == Trace::kSlot)
        board_.trace.give(source, what, board_.now, board_.params.slots.index, q.slot);
    else
        board_.trace.give(source, what, board_.now, cap(q.token).index, q.token);
}

void TaskScheduler::note_leaving(uint32_t sq)
{
    board_.trace.leave(Trace::source(device_, sq), board_.now, queues_[sq].slot);
}

// A device is reset: nobody asks the queue to release what it has.
void TaskScheduler::note_dropped(uint32_t sq)
{
    if (queues_[sq].slot != kNoSlot)
        note_given(sq, Trace::kSlot);
    if (queues_[sq].token != kNoClass)
        note_given(sq, Trace::kShare);
}

// T-CQ-3: the time until now was that of retirement; what follows is not.
void TaskScheduler::note_hold(uint32_t sq, Hold why)
{
    if (why == Hold::kCq || why == Hold::kCqError || why == Hold::kLost)
        board_.trace.retiring(traced(sq), board_.now, queues_[sq].mark);
}

void TaskScheduler::note_resumed(uint32_t sq)
{
    const Queue &q = queues_[sq];
    const twinsim_hold why = q.hold == Hold::kBefore  ? TWINSIM_HOLD_BEFORE
                             : q.hold == Hold::kAfter ? TWINSIM_HOLD_AFTER
                             : q.hold == Hold::kPause ? TWINSIM_HOLD_PAUSE
                             : q.hold == Hold::kLost  ? TWINSIM_HOLD_LOST
                                                      : TWINSIM_HOLD_CQ;
    if (q.mark == board_.now)
        return;
    // Between two SQEs there may be none at the head.
    board_.trace.phase(q.hold == Hold::kPause ? Trace::source(device_, sq) : traced(sq), board_.now,
                       {TWINSIM_PHASE_HOLD, q.mark, kNone, why});
}

} // namespace tsim
