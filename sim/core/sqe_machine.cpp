// SPDX-License-Identifier: Apache-2.0
/// What one SQE does, from fetch to retirement or failure. Rules SQE-1 to SQE-12, EVT, NTF, CQ.
#include <algorithm>
#include <cstring>

#include "core/task_scheduler.h"

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

/// Where a write-value SQE writes.
struct Store {
    enum { kMemory, kEvent, kNotify, kNowhere } where;
    uint64_t address;
    uint32_t id;
    uint32_t bytes;
};

[[nodiscard]] Store store_of(const stars_sqe &sqe, uint32_t events, uint32_t notifies)
{
    Store store{Store::kNowhere, uint64_t{sqe.word[4]} | uint64_t{sqe.word[5] & 0x1ffffu} << 32, 0,
                1u << field(sqe, 5, STARS_W5_SIZE_SHIFT, 3)};
    if ((sqe.word[5] & STARS_W5_VIRTUAL) != 0) {
        store.where = Store::kMemory;
        return store;
    }
    if (store.address % 4 != 0)
        return store;
    const uint64_t event = (store.address - STARS_EVENT_TABLE_BASE) / 4;
    const uint64_t notify = (store.address - STARS_NOTIFY_TABLE_BASE) / 4;
    if (store.address >= STARS_EVENT_TABLE_BASE && event < events) {
        store.where = Store::kEvent;
        store.id = static_cast<uint32_t>(event);
    } else if (store.address >= STARS_NOTIFY_TABLE_BASE && notify < notifies) {
        store.where = Store::kNotify;
        store.id = static_cast<uint32_t>(notify);
    }
    return store;
}

/// What the time of an access to an event rests on.
[[nodiscard]] uint32_t event_parameter(const Params &p, bool loaded)
{
    return loaded ? p.event_miss.index : p.event_table.index;
}

} // namespace

// ---- from fetch to execution -------------------------------------------------------------------

// SQE-1, SQE-2: fetched when it is not in the buffer yet, then decoded.
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
        at(sq, decoded, Step::kDecoded);
    else
        after_decode(sq, decoded);
}

// SQE-3: how long the SQE takes until it has its effect.
void TaskScheduler::after_decode(uint32_t sq, Cycle decoded)
{
    Queue &q = queues_[sq];
    const Params &p = board_.params;
    const stars_sqe &sqe = fronts_[sq].sqe();
    q.state = State::kWork;
    q.mark = decoded;
    switch (q.type) {
    case STARS_SQE_EVENT_RECORD:
    case STARS_SQE_EVENT_WAIT:
        at(sq, decoded + latency(sq, p.event_table), Step::kExecute);
        break;
    case STARS_SQE_NOTIFY_RECORD:
    case STARS_SQE_NOTIFY_WAIT:
        at(sq, decoded + latency(sq, p.notify_table), Step::kExecute);
        break;
    case STARS_SQE_WRITE_VALUE: {
        const auto where = store_of(sqe, events_.size(), notifies_.size()).where;
        const Cycle time = where == Store::kEvent    ? latency(sq, p.event_table)
                           : where == Store::kNotify ? latency(sq, p.notify_table)
                                                     : latency(sq, p.write_value);
        at(sq, decoded + time, Step::kExecute);
        break;
    }
    default:
        at(sq, decoded, Step::kExecute);
        break;
    }
}

void TaskScheduler::execute(uint32_t sq, bool loaded)
{
    Queue &q = queues_[sq];
    const stars_sqe &sqe = fronts_[sq].sqe();
    const Params &p = board_.params;
    switch (q.type) {
    case STARS_SQE_PLACEHOLDER:
        if (field(sqe, 0, STARS_W0_BLOCK_DIM_SHIFT, 16) == STARS_PLACEHOLDER_NOP) {
            executed(sq);
            return;
        }
        break;
    case STARS_SQE_EVENT_RECORD: {
        const uint32_t id = sqe.word[2] & STARS_W2_EVENT_MASK;
        if (id >= events_.size())
            break;
        if (__builtin_expect(events_.in_memory(id), 0) && !loaded) {
            load_event(sq, id);
            return;
        }
        note(sq, {TWINSIM_PHASE_TABLE, q.mark, event_parameter(p, loaded), id});
        write_event(id, true, sq);
        executed(sq);
        return;
    }
    case STARS_SQE_EVENT_WAIT:
        q.wait_id = sqe.word[2] & STARS_W2_EVENT_MASK;
        if (q.wait_id >= events_.size())
            break;
        if (__builtin_expect(events_.in_memory(q.wait_id), 0) && !loaded) {
            load_event(sq, q.wait_id);
            return;
        }
        note(sq, {TWINSIM_PHASE_TABLE, q.mark, event_parameter(p, loaded), q.wait_id});
        if (events_.wait(q.wait_id, sq, board_.now))
            executed(sq);
        else
            park(sq, sqe, sqe.word[STARS_EVENT_TIMEOUT_WORD]);
        return;
    case STARS_SQE_NOTIFY_RECORD: {
        if ((sqe.word[2] & STARS_W2_COUNT) != 0) {
            if (record_count(sq, sqe))
                return;
            break;
        }
        const uint32_t id = sqe.word[2] & STARS_W2_NOTIFY_MASK;
        if (id >= notifies_.size())
            break;
        note(sq, {TWINSIM_PHASE_TABLE, q.mark, p.notify_table.index, id});
        write_notify(id, true, sq);
        executed(sq);
        return;
    }
    case STARS_SQE_NOTIFY_WAIT:
        if ((sqe.word[2] & STARS_W2_COUNT) != 0) {
            if (wait_count(sq, sqe))
                return;
            break;
        }
        q.wait_id = sqe.word[2] & STARS_W2_NOTIFY_MASK;
        if (q.wait_id >= notifies_.size())
            break;
        note(sq, {TWINSIM_PHASE_TABLE, q.mark, p.notify_table.index, q.wait_id});
        if (notifies_.wait(q.wait_id, sq, board_.now))
            executed(sq);
        else
            park(sq, sqe, sqe.word[STARS_NOTIFY_TIMEOUT_WORD]);
        return;
    case STARS_SQE_WRITE_VALUE:
        write_value(sq, sqe, loaded);
        return;
    case STARS_SQE_COND:
        dispatch(sq);
        return;
    case STARS_SQE_AICORE:
        if (kernel_is_good(sqe)) {
            dispatch(sq);
            return;
        }
        break;
    case STARS_SQE_SDMA:
    case STARS_SQE_PCIE_DMA:
        if (decode_job(sqe, p.list_most.value, jobs_[sq])) {
            dispatch(sq);
            return;
        }
        break;
    case STARS_SQE_AICPU:
        if (field(sqe, 2, STARS_W2_TOPIC_SHIFT, 4) == STARS_TOPIC_HOST) {
            dispatch(sq);
            return;
        }
        break;
    default:
        break;
    }
    fail(sq, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE); // SQE-10
}

void TaskScheduler::write_value(uint32_t sq, const stars_sqe &sqe, bool loaded)
{
    Queue &q = queues_[sq];
    const Params &p = board_.params;
    const Store store = store_of(sqe, events_.size(), notifies_.size());
    const uint32_t subtype = sqe.word[7];
    const bool reset = subtype == STARS_WRITE_VALUE_SUBTYPE_EVENT_RESET;
    if ((subtype != STARS_WRITE_VALUE_SUBTYPE_GENERIC && !reset) || store.bytes > 32 ||
        (reset && store.where != Store::kEvent && store.address < STARS_PEER_BASE)) {
        fail(sq, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE);
        return;
    }
    const bool flag = (sqe.word[8] & 1u) != 0;
    if (store.where == Store::kEvent) {
        if (__builtin_expect(events_.in_memory(store.id), 0) && !loaded) {
            load_event(sq, store.id);
            return;
        }
        note(sq, {TWINSIM_PHASE_TABLE, q.mark, event_parameter(p, loaded), store.id});
        write_event(store.id, flag, sq);
    } else if (store.where == Store::kNotify) {
        note(sq, {TWINSIM_PHASE_TABLE, q.mark, p.notify_table.index, store.id});
        write_notify(store.id, flag, sq);
    } else if (store.where == Store::kNowhere && store.address >= STARS_PEER_BASE) {
        write_remote(sq, sqe);
        return;
    } else {
        note(sq, {TWINSIM_PHASE_TABLE, q.mark, p.write_value.index, kNone, store.bytes});
        twinsim_target target = TWINSIM_TARGET_NONE;
        uint32_t owner = device_;
        void *to = store.where == Store::kNowhere
                       ? nullptr
                       : board_.bus.translate(board_.bus.context, device_, store.address,
                                              store.bytes, TWINSIM_WRITE, &target, &owner);
        if (!to) {
            fail(sq, STARS_ERROR_EXCEPTION, STARS_STATUS_BUS_FAULT);
            return;
        }
        std::memcpy(to, &sqe.word[8], store.bytes);
        board_.stored(store.address, store.bytes);
    }
    executed(sq);
}

// ---- tables ------------------------------------------------------------------------------------

// EVT-8: the access found the entry in memory.
void TaskScheduler::load_event(uint32_t sq, uint32_t id)
{
    Queue &q = queues_[sq];
    const Params &p = board_.params;
    note(sq, {TWINSIM_PHASE_TABLE, q.mark, p.event_table.index, id});
    q.mark = board_.now;
    q.wait_id = id;
    at(sq, board_.now + p.event_miss.value, Step::kLoaded);
}

void TaskScheduler::event_loaded(uint32_t sq)
{
    events_.load(queues_[sq].wait_id);
    execute(sq, true);
}

// EVT-1, EVT-4, EVT-5.
void TaskScheduler::write_event(uint32_t id, bool flag, uint32_t waker)
{
    if (waker != kNone && is_struck(waker) && acts(waker, TWINSIM_FAULT_RECORD_LOST))
        return; // FLT-12
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

// NTF-1, NTF-3.
void TaskScheduler::write_notify(uint32_t id, bool flag, uint32_t waker)
{
    if (waker != kNone && is_struck(waker) && acts(waker, TWINSIM_FAULT_RECORD_LOST))
        return; // FLT-12
    if (!flag) {
        notifies_.clear(id);
        return;
    }
    const uint32_t sq = notifies_.record(id);
    if (sq != kNone)
        wake(sq, waker);
}

// SCH-10: the queue gives up its slot; SQE-8: its time limit is the shorter of time-out word and credit.
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
        at(sq, board_.now + limit, Step::kLimit);
}

// SCH-11: a released queue asks for a slot again; its wait has passed.
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

// SQE-8: nothing came in time.
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
    fail(sq, STARS_ERROR_TIMEOUT, STARS_STATUS_TASK_TIMEOUT);
}

// ---- retirement, failure, holds ----------------------------------------------------------------

void TaskScheduler::executed(uint32_t sq)
{
    if (post_p(fronts_[sq].sqe()) != 0)
        hold(sq, Hold::kAfter);
    else
        start_retire(sq);
}

// SQE-5.
void TaskScheduler::start_retire(uint32_t sq)
{
    const Params &p = board_.params;
    queues_[sq].state = State::kWork;
    queues_[sq].mark = board_.now;
    if (has_firmware()) {
        ask_report(sq, Step::kRetire);
        return;
    }
    const Cycle cqe = wants_cqe(fronts_[sq].sqe()) ? p.cq_write.value : 0;
    at(sq, board_.now + p.retire.value + cqe, Step::kRetire);
}

// SQE-6, FE-3, CQ-2, CQ-3.
void TaskScheduler::retire(uint32_t sq)
{
    Queue &q = queues_[sq];
    TaskQueue &front = fronts_[sq];
    const stars_sqe &sqe = front.sqe();
    if (is_struck(sq) && completion_held(sq))
        return;
    if (wants_cqe(sqe) && !(is_struck(sq) && acts(sq, TWINSIM_FAULT_CQE_LOST))) {
        stars_cqe cqe{};
        cqe.flags =
            static_cast<uint16_t>(((sq & STARS_CQE_SQ_MASK) << STARS_CQE_SQ_SHIFT) |
                                  (q.type == STARS_SQE_EVENT_RECORD ? STARS_CQE_EVENT : 0u) |
                                  (q.type == STARS_SQE_PLACEHOLDER ? STARS_CQE_PLACEHOLDER : 0u));
        cqe.sq_head = static_cast<uint16_t>((front.head() + 1) & (front.depth() - 1));
        cqe.stream_id = q.stream_id;
        cqe.task_id = task_of(sqe);
        cqe.u.timestamp = board_.params.to_ticks(board_.now);
        if (!front.complete(cqe)) {
            hold(sq, Hold::kCq);
            return;
        }
        if (!firmware_)
            interrupts_.back().set(sq);
    }
    const uint32_t target = field(sqe, 0, STARS_W0_IE_SHIFT, 2);
    const bool tells = wants_cqe(sqe) || target == interrupts_.size();
    if (!firmware_ || target != interrupts_.size())
        interrupt(sq, target);
    if (__builtin_expect(board_.notes_ends, 0))
        note_retire(sq, false);
    release_token(sq);
    front.retire(board_.now, firmware_ == nullptr);
    if (q.type == STARS_SQE_COND && programs_[sq].jump != kNone)
        front.set_head(programs_[sq].jump, board_.now, firmware_ == nullptr); // COND-6
    if (has_firmware())
        post_report(sq, tells, false);
    check_watch(sq);
    go_on(sq);
}

// SQE-10: an error CQE, then the queue stands still. The head stays on the failed SQE.
void TaskScheduler::fail(uint32_t sq, uint8_t error, uint16_t status)
{
    Queue &q = queues_[sq];
    const Params &p = board_.params;
    q.state = State::kWork;
    q.mark = board_.now;
    q.error = error;
    q.status = status;
    if (__builtin_expect(board_.faults.armed(), 0) && status == STARS_STATUS_BUS_FAULT)
        q.status = board_.faults.take_status(status); // FLT-4
    if (has_firmware())
        ask_report(sq, Step::kReport);
    else
        at(sq, board_.now + p.retire.value + p.cq_write.value, Step::kReport);
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
    if (!front.complete(cqe)) {
        hold(sq, Hold::kCqError);
        return;
    }
    if (__builtin_expect(board_.notes_ends, 0))
        note_retire(sq, true);
    release_token(sq);
    leave_slot(sq);
    q.state = State::kException;
    if (has_firmware()) {
        post_report(sq, true, true);
        return;
    }
    interrupts_.back().set(sq);
    board_.stop |= BoardState::kStopCq;
}

// SQE-11: the failed SQE is skipped, the queue goes on.
void TaskScheduler::handled(uint32_t sq)
{
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
