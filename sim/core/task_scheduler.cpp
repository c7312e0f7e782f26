// SPDX-License-Identifier: Apache-2.0
/// Queues, slots, arbitration, classes, registers. What one SQE does is in sqe_machine.cpp.
#include "core/task_scheduler.h"

#include <algorithm>
#include <cassert>

namespace tsim
{

namespace
{
constexpr uint64_t kSdmaSeed = 1, kPcieSeed = 2, kSchedulerSeed = 3;

// Each choice draws its own numbers; seed 0 stays 0, the plain machine (TIM-6).
uint64_t derive(uint64_t seed, uint64_t device, uint64_t use)
{
    if (seed == 0)
        return 0;
    uint64_t state = seed ^ (device << 32) ^ (use << 56);
    return mix(state) | 1;
}
} // namespace

TaskScheduler::TaskScheduler(BoardState &board, uint32_t device)
    : board_(board), device_(device), fronts_(board.params.queues.value),
      queues_(board.params.queues.value), jobs_(board.params.queues.value),
      programs_(board.params.queues.value),
      events_(static_cast<uint32_t>(board.params.events.value), queue_count()),
      notifies_(static_cast<uint32_t>(board.params.notifies.value), queue_count()),
      counts_(static_cast<uint32_t>(board.params.count_notifies.value), queue_count()),
      sdma_(static_cast<uint32_t>(board.params.sdma_channels.value), queue_count(),
            derive(board.seed, device, kSdmaSeed)),
      pcie_(static_cast<uint32_t>(board.params.pcie_channels.value), queue_count(),
            derive(board.seed, device, kPcieSeed)),
      seed_(derive(board.seed, device, kSchedulerSeed))
{
    reset();
}

void TaskScheduler::reset()
{
    for (uint32_t sq = 0; sq < queue_count(); ++sq) {
        Queue &q = queues_[sq];
        if (q.state == State::kClosed)
            continue;
        board_.calendar.cancel(timer(sq));
        if (q.state == State::kParked && q.type == STARS_SQE_COND)
            board_.polls.remove(timer(sq));
        if (q.transfer != kNone)
            board_.links.cancel(board_.now, q.transfer);
        if (board_.trace.on())
            note_dropped(sq);
        fronts_[sq].close();
        q = {};
    }
    board_.calendar.cancel((device_ << BoardState::kDeviceShift) + BoardState::kArbiterTimer);
    board_.links_changed();
    events_.reset();
    notifies_.reset();
    counts_.reset();
    sdma_.reset();
    pcie_.reset();
    messages_.clear();
    messages_.reserve(64); // a run stops at each, so they never pile up
    for (Bitmap &asking : asking_)
        asking.reset();
    last_.fill(Bitmap::kSize - 1);
    asking_count_ = 0;
    const uint64_t slots = board_.params.slots.value;
    free_slots_[0] = slots >= 64 ? ~uint64_t{0} : (uint64_t{1} << slots) - 1;
    free_slots_[1] = slots >= 128 ? ~uint64_t{0}
                     : slots > 64 ? (uint64_t{1} << (slots - 64)) - 1
                                  : 0;
    next_grant_ = full_until_ = 0;
    for (Waiting &waiting : classes_)
        waiting = {};
    for (Waiting &waiting : classes_)
        waiting.last.fill(Bitmap::kSize - 1);
    classes_[kSdma].free = static_cast<uint32_t>(board_.params.sdma_cap.value);
    classes_[kPcieDma].free = static_cast<uint32_t>(board_.params.pcie_dma_cap.value);
    classes_[kCond].free = static_cast<uint32_t>(board_.params.cond_cap.value);
    classes_[kCpuTopic].free = static_cast<uint32_t>(board_.params.cpu_topic_cap.value);
    interrupts_.reset();
}

void TaskScheduler::open(uint32_t sq, const twinsim_queue &config, const void *ring, void *cq)
{
    fronts_[sq].open(config, ring, cq);
    Queue &q = queues_[sq];
    q = {};
    q.state = State::kIdle;
    q.enabled = !config.disabled;
    q.priority = config.priority;
    q.group = config.group;
    q.stream_id = config.stream_id;
}

void TaskScheduler::close(uint32_t sq)
{
    abandon(sq);
    forget_messages(sq);
    fronts_[sq].close();
    queues_[sq] = {};
    interrupts_.clear(sq);
}

void TaskScheduler::at(uint32_t sq, Cycle time, Step step)
{
    queues_[sq].step = step;
    board_.calendar.schedule(timer(sq), time, Rank::kQueue);
}

void TaskScheduler::take_in(uint32_t sq)
{
    Queue &q = queues_[sq];
    if (q.state == State::kClosed)
        return;
    fronts_[sq].take_in(board_.now, board_.params.cycle_ns);
    if (q.state == State::kIdle && !board_.calendar.pending(timer(sq)))
        idle(sq);
}

// SCH-1: a queue at rest needs one calendar entry, for the arrival of its next SQE, and none without.
void TaskScheduler::idle(uint32_t sq)
{
    Queue &q = queues_[sq];
    q.state = State::kIdle;
    if (q.enabled && fronts_[sq].has_more())
        at(sq, std::max(board_.now, fronts_[sq].next_arrival()), Step::kArrive);
}

void TaskScheduler::fire_queue(uint32_t sq)
{
    switch (queues_[sq].step) {
    case Step::kArrive:
        ask_for_slot(sq, Resume::kBegin);
        break;
    case Step::kSwapDone:
        swap_done(sq);
        break;
    case Step::kDecoded: // SQE-4
        hold(sq, Hold::kBefore);
        break;
    case Step::kExecute:
        execute(sq);
        break;
    case Step::kRetire:
        retire(sq);
        break;
    case Step::kReport:
        report(sq);
        break;
    case Step::kSetUp:
        start_transfer(sq);
        break;
    case Step::kProgram:
        program_done(sq);
        break;
    case Step::kPoll:
        poll(sq);
        break;
    case Step::kLimit:
        limit_reached(sq);
        break;
    case Step::kMessage:
        post_message(sq);
        break;
    case Step::kAnswered:
        answered(sq);
        break;
    }
}

// ---- slots -------------------------------------------------------------------------------------

// SCH-2: the queue joins those that want to be swapped in.
void TaskScheduler::ask_for_slot(uint32_t sq, Resume resume)
{
    Queue &q = queues_[sq];
    q.state = State::kWaitSlot;
    q.resume = resume;
    q.mark = board_.now;
    asking_[q.priority].set(sq);
    ++asking_count_;
    arm_arbiter();
}

// SCH-3: one grant per arbitration time, while there is a free slot and somebody asks.
void TaskScheduler::arm_arbiter()
{
    const uint32_t id = (device_ << BoardState::kDeviceShift) + BoardState::kArbiterTimer;
    if (asking_count_ == 0 || (free_slots_[0] | free_slots_[1]) == 0 || board_.calendar.pending(id))
        return;
    board_.calendar.schedule(id, std::max(board_.now, next_grant_), Rank::kArbiter);
}

// Round-robin from the one after the last; with a seed any of them (TIM-6).
uint32_t TaskScheduler::choose(const Bitmap &among, uint32_t &last)
{
    assert(!among.empty());
    if (seed_ != 0) {
        const uint32_t count = std::max(among.count(), 1u);
        last = among.nth(static_cast<uint32_t>(mix(seed_) % count));
    } else {
        last = among.next((last + 1) % Bitmap::kSize);
    }
    assert(last != kNone);
    return last;
}

// SCH-4: highest priority first; among equals round-robin by queue number, from the last one on.
void TaskScheduler::fire_arbiter()
{
    if (asking_count_ == 0 || (free_slots_[0] | free_slots_[1]) == 0)
        return;
    uint32_t priority = 0;
    while (asking_[priority].empty())
        ++priority;
    const uint32_t sq = choose(asking_[priority], last_[priority]);
    asking_[priority].clear(sq);
    --asking_count_;

    Queue &q = queues_[sq];
    const uint32_t word = free_slots_[0] != 0 ? 0 : 1;
    const auto bit = static_cast<uint32_t>(__builtin_ctzll(free_slots_[word]));
    free_slots_[word] &= free_slots_[word] - 1;
    q.slot = static_cast<uint8_t>(word * 64 + bit);
    q.state = State::kSwapIn;
    q.was_short = q.mark < full_until_;
    if (board_.trace.on())
        note_taken(sq, Trace::kSlot);
    const Params &p = board_.params;
    next_grant_ = board_.now + p.arbitration.value;
    at(sq, board_.now + p.arbitration.value + p.record_read.value + p.slot_enable.value,
       Step::kSwapDone);
    arm_arbiter();
}

// SCH-5: the static record is there and the slot is enabled.
void TaskScheduler::swap_done(uint32_t sq)
{
    Queue &q = queues_[sq];
    if (board_.trace.on())
        board_.trace.swapped_in(traced(sq), board_.now, q.mark, q.was_short);
    q.state = State::kWork;
    q.mark = board_.now;
    switch (q.resume) {
    case Resume::kBegin:
        go_on(sq);
        break;
    case Resume::kRetire:
        executed(sq);
        break;
    case Resume::kDispatch:
        admitted(sq);
        break;
    case Resume::kAgain:
        dispatch(sq);
        break;
    }
}

// SCH-6: the slot is free for others in the same cycle.
void TaskScheduler::leave_slot(uint32_t sq)
{
    Queue &q = queues_[sq];
    if (q.slot == kNoSlot)
        return;
    if ((free_slots_[0] | free_slots_[1]) == 0)
        full_until_ = board_.now;
    free_slots_[q.slot / 64] |= uint64_t{1} << (q.slot % 64);
    if (board_.trace.on())
        note_given(sq, Trace::kSlot);
    q.slot = kNoSlot;
    arm_arbiter();
}

// SCH-7: between two SQEs: the next one if it can be seen, else out of the slot.
void TaskScheduler::go_on(uint32_t sq)
{
    Queue &q = queues_[sq];
    if (q.paused) {
        hold(sq, Hold::kPause);
        return;
    }
    const bool more = q.enabled && fronts_[sq].visible(board_.now);
    if (more && q.slot != kNoSlot) {
        begin(sq);
    } else if (more) {
        ask_for_slot(sq, Resume::kBegin);
    } else {
        leave_slot(sq);
        idle(sq);
    }
}

// ---- classes -----------------------------------------------------------------------------------

// SCH-9: the share goes to the next queue that waits for the class, which then asks for a slot.
void TaskScheduler::release_token(uint32_t sq)
{
    Queue &q = queues_[sq];
    if (q.token == kNoClass)
        return;
    const Class token = q.token;
    if (board_.trace.on())
        note_given(sq, Trace::kShare);
    q.token = kNoClass;
    Waiting &waiting = classes_[token];
    if (waiting.count == 0) {
        ++waiting.free;
        return;
    }
    uint32_t priority = 0;
    while (waiting.who[priority].empty())
        ++priority;
    const uint32_t next = choose(waiting.who[priority], waiting.last[priority]);
    waiting.who[priority].clear(next);
    --waiting.count;
    queues_[next].token = token;
    if (board_.trace.on())
        note_taken(next, Trace::kShare);
    note(next, {TWINSIM_PHASE_SLOT, queues_[next].mark, cap(token).index});
    ask_for_slot(next, Resume::kDispatch);
}

const Setting &TaskScheduler::cap(Class token) const
{
    const Params &p = board_.params;
    switch (token) {
    case kSdma:
        return p.sdma_cap;
    case kPcieDma:
        return p.pcie_dma_cap;
    case kCond:
        return p.cond_cap;
    default:
        return p.cpu_topic_cap;
    }
}

// The share of the class is there: on to the engine.
void TaskScheduler::admitted(uint32_t sq)
{
    const uint8_t type = queues_[sq].type;
    if (type == STARS_SQE_AICPU)
        send_message(sq);
    else if (type == STARS_SQE_COND)
        run_program(sq);
    else
        want_channel(sq);
}

// SCH-8: a DMA, COND or callback SQE needs a share of its class; without one the queue leaves its slot and waits.
void TaskScheduler::dispatch(uint32_t sq)
{
    Queue &q = queues_[sq];
    const Class token = class_of(q.type);
    Waiting &waiting = classes_[token];
    q.mark = board_.now;
    if (waiting.free == 0) {
        waiting.who[q.priority].set(sq);
        ++waiting.count;
        q.state = State::kWaitClass;
        leave_slot(sq);
        return;
    }
    --waiting.free;
    q.token = token;
    if (board_.trace.on())
        note_taken(sq, Trace::kShare);
    admitted(sq);
}

// ---- registers ---------------------------------------------------------------------------------

// FE-8: a disabled queue ends the SQE under way and begins no other.
void TaskScheduler::set_enabled(uint32_t sq, bool on)
{
    Queue &q = queues_[sq];
    q.enabled = on;
    if (q.state != State::kIdle)
        return;
    board_.calendar.cancel(timer(sq));
    idle(sq);
}

bool TaskScheduler::set_head(uint32_t sq, uint32_t head)
{
    Queue &q = queues_[sq];
    if (q.enabled || q.state != State::kIdle || head >= fronts_[sq].depth())
        return false;
    fronts_[sq].take_in(board_.now, board_.params.cycle_ns);
    fronts_[sq].set_head(head, board_.now);
    check_watch(sq);
    return true;
}

// FE-10: a queue that waits for a slot or a share of its class goes on waiting among those of the new priority.
bool TaskScheduler::set_priority(uint32_t sq, uint8_t priority, uint8_t group)
{
    Queue &q = queues_[sq];
    if (priority >= kPriorities)
        return false;
    if (q.state == State::kWaitSlot) {
        asking_[q.priority].clear(sq);
        asking_[priority].set(sq);
    } else if (q.state == State::kWaitClass) {
        Waiting &waiting = classes_[class_of(q.type)];
        waiting.who[q.priority].clear(sq);
        waiting.who[priority].set(sq);
    }
    q.priority = priority;
    q.group = group;
    return true;
}

// SCH-13 to SCH-15, SCH-17. Pulses that make no sense now are refused, before any takes effect.
bool TaskScheduler::control(uint32_t sq, uint32_t pulses)
{
    Queue &q = queues_[sq];
    const bool killed = q.state == State::kKilled || (pulses & STARS_SQ_CONTROL_TASK_KILL) != 0;
    if ((pulses & STARS_SQ_CONTROL_TASK_TERMINATE) != 0 && !killed)
        return false;
    if ((pulses & STARS_SQ_CONTROL_EXCEPTION_HANDLED) != 0 && q.state != State::kException)
        return false;
    if ((pulses & STARS_SQ_CONTROL_TASK_PAUSE) != 0) {
        q.paused = true;
        if (q.state == State::kIdle)
            hold(sq, Hold::kPause);
    }
    if ((pulses & STARS_SQ_CONTROL_TASK_KILL) != 0)
        kill(sq);
    if ((pulses & STARS_SQ_CONTROL_TASK_RESUME) != 0)
        resume(sq);
    if ((pulses & STARS_SQ_CONTROL_EXCEPTION_HANDLED) != 0)
        handled(sq);
    if ((pulses & STARS_SQ_CONTROL_TASK_TERMINATE) != 0) {
        TaskQueue &front = fronts_[sq];
        front.take_in(board_.now, board_.params.cycle_ns);
        front.drop_all(board_.now);
        check_watch(sq);
        idle(sq);
    }
    return true;
}

void TaskScheduler::kill(uint32_t sq)
{
    Queue &q = queues_[sq];
    const bool between =
        q.state == State::kIdle || (q.state == State::kHeld && q.hold == Hold::kPause);
    if (q.state != State::kKilled)
        q.skips = !between;
    abandon(sq);
    q.state = State::kKilled;
}

// The SQE under way ends without effect; everything it held is free again.
void TaskScheduler::abandon(uint32_t sq)
{
    Queue &q = queues_[sq];
    board_.calendar.cancel(timer(sq));
    switch (q.state) {
    case State::kWaitSlot:
        asking_[q.priority].clear(sq);
        --asking_count_;
        break;
    case State::kWaitClass: {
        Waiting &waiting = classes_[class_of(q.type)];
        waiting.who[q.priority].clear(sq);
        --waiting.count;
        break;
    }
    case State::kWaitChannel:
        pool(sq).forget(sq);
        break;
    case State::kParked:
        forget_wait(sq);
        break;
    default:
        break;
    }
    if (q.transfer != kNone) {
        board_.links.cancel(board_.now, q.transfer);
        board_.links_changed();
        q.transfer = kNone;
    }
    q.paused = false;
    release_channel(sq);
    release_token(sq);
    leave_slot(sq);
}

// ---- the driver's questions --------------------------------------------------------------------

void TaskScheduler::watch(uint32_t sq, uint64_t retired)
{
    queues_[sq].watch = retired;
    check_watch(sq);
}

// A watch is gone once it has stopped a run.
void TaskScheduler::check_watch(uint32_t sq)
{
    Queue &q = queues_[sq];
    if (q.watch == 0 || fronts_[sq].retired() < q.watch)
        return;
    q.watch = 0;
    board_.stop |= BoardState::kStopWatch;
}

bool TaskScheduler::set_cq_head(uint32_t sq, uint32_t head)
{
    if (!fronts_[sq].set_cq_head(head))
        return false;
    const Queue &q = queues_[sq];
    if (q.state == State::kHeld && (q.hold == Hold::kCq || q.hold == Hold::kCqError))
        resume(sq);
    return true;
}

uint32_t TaskScheduler::take_interrupt()
{
    const uint32_t sq = interrupts_.next(0);
    if (sq != kNone)
        interrupts_.clear(sq);
    return sq;
}

void TaskScheduler::interrupt(uint32_t sq, uint32_t target)
{
    constexpr uint32_t kHost = 3;
    if (target == kHost)
        interrupts_.set(sq);
}

void TaskScheduler::inspect(uint32_t sq, twinsim_queue_info &out) const
{
    const Queue &q = queues_[sq];
    out = {};
    out.wait_id = kNone;
    out.wait_address = TWINSIM_NEVER;
    switch (q.state) {
    case State::kClosed:
        out.state = TWINSIM_QUEUE_CLOSED;
        return;
    case State::kIdle:
        out.state = TWINSIM_QUEUE_IDLE;
        break;
    case State::kParked:
        out.state = TWINSIM_QUEUE_PARKED;
        out.wait_id = q.wait_id;
        if (q.type == STARS_SQE_COND)
            out.wait_address = board_.polls.address(timer(sq));
        break;
    case State::kHeld:
    case State::kKilled:
        out.state = TWINSIM_QUEUE_HELD;
        break;
    case State::kException:
        out.state = TWINSIM_QUEUE_EXCEPTION;
        break;
    case State::kAnswer:
        out.state = TWINSIM_QUEUE_HOST;
        break;
    default:
        out.state = TWINSIM_QUEUE_RUNNING;
        break;
    }
    out.done =
        (q.state == State::kWork && (q.step == Step::kRetire || q.step == Step::kReport)) ||
        ((q.state == State::kWaitSlot || q.state == State::kSwapIn) && q.resume == Resume::kRetire);
    if (fronts_[sq].has_more()) {
        const stars_sqe &sqe = fronts_[sq].sqe();
        out.sqe_type = static_cast<uint8_t>(sqe.word[0] & STARS_W0_TYPE_MASK);
        out.task_id = static_cast<uint16_t>(sqe.word[1] >> STARS_W1_TASK_SHIFT);
    }
}

} // namespace tsim
