// SPDX-License-Identifier: Apache-2.0
/// What one SQE goes through, from fetch to retirement or failure. Rules T-SQE-1 to T-SQE-12, EVT, NTF, CQ. What it does is in
/// sqe_effect.cpp.
#include <algorithm>
#include <cstring>

#include "core/scheduler/task_scheduler.h"

namespace tsim
{

namespace
{

[[nodiscard]] uint32_t field(const stars_sqe &sqe, unsigned word, uint32_t shift, uint32_t bits)
{
    return (sqe.word[word] >> shift) & ((1u << bits) - 1);
}

[[nodiscard]] uint32_t pre_p(const stars_sqe &sqe)
{
    return field(sqe, 0, STARS_W0_PRE_P_SHIFT, 2);
}

[[nodiscard]] uint32_t post_p(const stars_sqe &sqe)
{
    return field(sqe, 0, STARS_W0_POST_P_SHIFT, 2);
}

[[nodiscard]] bool wants_cqe(const stars_sqe &sqe)
{
    return (sqe.word[0] & STARS_W0_WR_CQE) != 0;
}

[[nodiscard]] uint16_t task_of(const stars_sqe &sqe)
{
    return static_cast<uint16_t>(sqe.word[1] >> STARS_W1_TASK_SHIFT);
}

} // namespace

// ---- from fetch to execution -------------------------------------------------------------------

// T-SQE-1, T-SQE-2: fetched when it is not in the buffer yet, then decoded.
void TaskScheduler::begin(uint32_t sq)
{
    if (has_firmware()) {
        begin_command(sq);
        return;
    }
    Queue &q = queues_[sq];
    TaskQueue &front = fronts_[sq];
    const Params &p = board_.params;
    const stars_sqe &sqe = front.sqe();
    const TaskQueue::Fetch fetch = front.fetch(board_.now, latency(sq, p.fetch_read),
                                               static_cast<uint32_t>(p.fetch_window.value));
    const Cycle decoded = fetch.ready + p.decode.value;
    q.type = static_cast<uint8_t>(sqe.word[0] & STARS_W0_TYPE_MASK);
    q.begun = board_.now;
    if (__builtin_expect(board_.faults.armed(), 0) || is_struck(sq))
        ask_faults(sq);
    if (board_.trace.on())
        note_begun(sq, fetch.ready);
    if (pre_p(sqe) != 0)
        advance(sq, SqeOp::kBegin, {SqeNext::kDecoded, SqeHold::kNot, decoded});
    else
        after_decode(sq, decoded, SqeOp::kBegin);
}

// T-SQE-4.
void TaskScheduler::hold_before(uint32_t sq)
{
    advance(sq, SqeOp::kDecoded, {SqeNext::kHold, SqeHold::kBefore});
}

// ---- tables ------------------------------------------------------------------------------------

// T-EVT-8: the access found the entry in memory.
void TaskScheduler::load_event(uint32_t sq, uint32_t id)
{
    Queue &q = queues_[sq];
    const Params &p = board_.params;
    note_access(sq, p.event_table.index, id, TWINSIM_TABLE_VAIN);
    q.mark = board_.now;
    q.wait_id = id;
    at(sq, due(sq, SqeOp::kMiss, SqeNext::kLoaded, board_.now + p.event_miss.value), Step::kLoaded);
}

void TaskScheduler::event_loaded(uint32_t sq)
{
    events_.load(queues_[sq].wait_id);
    execute(sq);
}

// T-EVT-1, T-EVT-4, T-EVT-5.
void TaskScheduler::write_event(uint32_t id, bool flag, uint32_t waker)
{
    if (waker != kNone && is_struck(waker) && acts(waker, TWINSIM_FAULT_RECORD_LOST))
        return; // T-FLT-12
    if (!flag) {
        events_.clear(id);
        if (waker == kNone && (events_.sends(id) || events_.receives(id)))
            end_forwards(id);
        return;
    }
    events_.record(id);
    for (uint32_t sq = events_.release(id); sq != kNone; sq = events_.release(id))
        wake(sq, waker);
    if (__builtin_expect(events_.sends(id), 0))
        send_forwards(id, origin_of(waker));
}

// T-NTF-1, T-NTF-3.
void TaskScheduler::write_notify(uint32_t id, bool flag, uint32_t waker)
{
    if (waker != kNone && is_struck(waker) && acts(waker, TWINSIM_FAULT_RECORD_LOST))
        return; // T-FLT-12
    if (!flag) {
        notifies_.clear(id);
        return;
    }
    const uint32_t sq = notifies_.record(id);
    if (sq != kNone)
        wake(sq, waker);
}

// T-SCH-10: the queue gives up its slot; T-SQE-8: its time limit is the shorter of time-out word and credit.
void TaskScheduler::park(uint32_t sq, const stars_sqe &sqe, uint32_t timeout)
{
    Queue &q = queues_[sq];
    const Params &p = board_.params;
    q.state = State::kParked;
    q.mark = board_.now;
    leave_slot(sq);
    Cycle limit = kNever;
    if (timeout != 0)
        limit = p.to_cycles(uint64_t{timeout} * STARS_TIMEOUT_UNIT_NS);
    const uint32_t credit = field(sqe, 3, STARS_W3_CREDIT_SHIFT, 8);
    if (credit != 0 && credit != STARS_CREDIT_NEVER)
        limit = std::min(limit, credit * p.credit_unit.value);
    if (limit != kNever)
        limit += board_.now;
    limit = due(sq, SqeOp::kPark, SqeNext::kLimit, limit);
    if (limit != kNever)
        at(sq, limit, Step::kLimit);
}

// T-SCH-11: a released queue asks for a slot again; its wait has passed.
void TaskScheduler::wake(uint32_t sq, uint32_t waker)
{
    wake_from(sq, origin_of(waker), kNone);
}

void TaskScheduler::wake_from(uint32_t sq, const Origin &origin, uint32_t parameter)
{
    Queue &q = queues_[sq];
    board_.calendar.cancel(timer(sq));
    note(sq, {TWINSIM_PHASE_PARK, q.mark, parameter, q.wait_id, 0, origin.source, origin.number});
    ask_for_slot(sq, Resume::kRetire);
}

// T-SQE-8: nothing came in time.
void TaskScheduler::limit_reached(uint32_t sq)
{
    Queue &q = queues_[sq];
    const Params &p = board_.params;
    if (q.state == State::kParked) {
        forget_wait(sq);
        note(sq, {TWINSIM_PHASE_PARK, q.mark, kNone, q.wait_id});
    } else if (q.type == STARS_SQE_AICORE) {
        kernel_limit(sq);
        return;
    } else if (q.state == State::kAnswer) {
        note(sq, {TWINSIM_PHASE_HOST, q.mark, p.credit_unit.index});
    } else {
        stop_moving(sq);
        note(sq, {TWINSIM_PHASE_TRANSFER, q.mark, p.credit_unit.index, q.channel});
        release_channel(sq);
        if (is_struck(sq) && gave_up(sq))
            return;
    }
    fail(sq, STARS_ERROR_TIMEOUT, STARS_STATUS_TASK_TIMEOUT, SqeOp::kLimit);
}

// ---- retirement, failure, holds ----------------------------------------------------------------

void TaskScheduler::executed(uint32_t sq, SqeOp op)
{
    if (post_p(fronts_[sq].sqe()) != 0)
        advance(sq, op, {SqeNext::kHold, SqeHold::kAfter});
    else
        start_retire(sq, op);
}

// T-SQE-5.
void TaskScheduler::start_retire(uint32_t sq, SqeOp op)
{
    const Params &p = board_.params;
    queues_[sq].state = State::kWork;
    queues_[sq].mark = board_.now;
    const bool reports = wants_cqe(fronts_[sq].sqe());
    if (reports && __builtin_expect(board_.faults.armed(), 0))
        ask_cqe_faults(sq);
    if (has_firmware()) {
        ask_report(sq, Step::kRetire);
        return;
    }
    const Cycle cqe = reports ? p.cq_write.value : 0;
    advance(sq, op, {SqeNext::kRetire, SqeHold::kNot, board_.now + p.retire.value + cqe});
}

// T-SQE-6, T-FE-3, T-CQ-2, T-CQ-3.
void TaskScheduler::retire(uint32_t sq)
{
    Queue &q = queues_[sq];
    TaskQueue &front = fronts_[sq];
    const stars_sqe &sqe = front.sqe();
    if (is_struck(sq) && completion_held(sq))
        return;
    bool full = false;
    const bool reports = wants_cqe(sqe) && !(is_struck(sq) && acts(sq, TWINSIM_FAULT_CQE_LOST));
    if (reports) {
        stars_cqe cqe{};
        cqe.flags =
            static_cast<uint16_t>(((sq & STARS_CQE_SQ_MASK) << STARS_CQE_SQ_SHIFT) |
                                  (q.type == STARS_SQE_EVENT_RECORD ? STARS_CQE_EVENT : 0u) |
                                  (q.type == STARS_SQE_PLACEHOLDER ? STARS_CQE_PLACEHOLDER : 0u));
        cqe.sq_head = static_cast<uint16_t>((front.head() + 1) & (front.depth() - 1));
        cqe.stream_id = q.stream_id;
        cqe.task_id = task_of(sqe);
        cqe.u.timestamp = board_.params.to_ticks(board_.now);
        full = !front.complete(cqe);
    }
    if (__builtin_expect(sqe_rtl_port_ != nullptr, 0)) {
        if (!retires(sq, SqeOp::kRetire, full))
            return;
    } else if (full) {
        hold(sq, Hold::kCq);
        return;
    }
    if (reports && !firmware_)
        interrupts_.back().set(sq);
    const uint32_t target = field(sqe, 0, STARS_W0_IE_SHIFT, 2);
    const bool tells = wants_cqe(sqe) || target == interrupts_.size();
    if (!firmware_ || target != interrupts_.size())
        interrupt(sq, target);
    if (__builtin_expect(board_.notes_ends, 0))
        note_retire(sq, false);
    release_token(sq);
    front.retire(board_.now, firmware_ == nullptr);
    if (q.type == STARS_SQE_COND && programs_[sq].jump != kNone)
        front.set_head(programs_[sq].jump, board_.now, firmware_ == nullptr); // T-COND-6
    if (has_firmware())
        post_report(sq, sqe, tells, false);
    check_watch(sq);
    go_on(sq);
}

// T-SQE-10: an error CQE, then the queue stands still. The head stays on the failed SQE.
void TaskScheduler::fail(uint32_t sq, uint8_t error, uint16_t status, SqeOp op)
{
    Queue &q = queues_[sq];
    const Params &p = board_.params;
    q.state = State::kWork;
    q.mark = board_.now;
    q.error = error;
    q.status = status;
    if (__builtin_expect(board_.faults.armed(), 0))
        ask_cqe_faults(sq);
    if (has_firmware()) {
        ask_report(sq, Step::kReport);
        return;
    }
    advance(sq, op,
            {SqeNext::kReport, SqeHold::kNot, board_.now + p.retire.value + p.cq_write.value});
}

void TaskScheduler::report(uint32_t sq)
{
    Queue &q = queues_[sq];
    TaskQueue &front = fronts_[sq];
    if (is_struck(sq) && report_held(sq))
        return;
    stars_cqe cqe{};
    cqe.flags =
        static_cast<uint16_t>(((sq & STARS_CQE_SQ_MASK) << STARS_CQE_SQ_SHIFT) | STARS_CQE_ERROR);
    cqe.sq_head = static_cast<uint16_t>((front.head() + 1) & (front.depth() - 1));
    cqe.stream_id = q.stream_id;
    cqe.task_id = task_of(front.sqe());
    cqe.u.error.code = q.error;
    cqe.u.error.sqe_type = q.type;
    cqe.u.error.sqe_index = static_cast<uint16_t>(front.head());
    cqe.u.error.status = q.status;
    const bool full = !front.complete(cqe);
    if (__builtin_expect(sqe_rtl_port_ != nullptr, 0)) {
        if (!retires(sq, SqeOp::kReport, full))
            return;
    } else if (full) {
        hold(sq, Hold::kCqError);
        return;
    }
    if (__builtin_expect(board_.notes_ends, 0))
        note_retire(sq, true);
    release_token(sq);
    leave_slot(sq);
    q.state = State::kException;
    if (has_firmware()) {
        post_report(sq, front.sqe(), true, true);
        return;
    }
    interrupts_.back().set(sq);
    board_.stop |= BoardState::kStopCq;
}

// T-SQE-11: the failed SQE is skipped, the queue goes on.
void TaskScheduler::handled(uint32_t sq)
{
    if (__builtin_expect(sqe_rtl_port_ != nullptr, 0) && !is_skipped(sq))
        return;
    fronts_[sq].retire(board_.now);
    check_watch(sq);
    go_on(sq);
}

void TaskScheduler::hold(uint32_t sq, Hold why)
{
    Queue &q = queues_[sq];
    board_.calendar.cancel(timer(sq));
    if (board_.trace.on())
        note_hold(sq, why);
    q.state = State::kHeld;
    q.hold = why;
    q.mark = board_.now;
    if (why == Hold::kCq || why == Hold::kCqError)
        board_.stop |= BoardState::kStopCq;
    else if (why == Hold::kBefore)
        interrupt(sq, pre_p(fronts_[sq].sqe()));
    else if (why == Hold::kAfter)
        interrupt(sq, post_p(fronts_[sq].sqe()));
}

} // namespace tsim
