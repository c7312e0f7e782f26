// SPDX-License-Identifier: Apache-2.0
/// Queues, slots, classes. What one SQE does is in exec_sqe.cpp, what registers do in queue_control.cpp.
#include "core/scheduler/task_scheduler.h"

#include <algorithm>
#include <cassert>

namespace tsim
{

namespace
{
constexpr uint64_t kSdmaSeed = 1, kPcieSeed = 2, kSchedulerSeed = 3, kCoreSeed = 4;

// Each choice draws its own numbers; seed 0 stays 0, the plain machine (T-TIM-6).
uint64_t derive(uint64_t seed, uint64_t device, uint64_t use)
{
    if (seed == 0)
        return 0;
    uint64_t state = seed ^ (device << 32) ^ (use << 56);
    return mix(state) | 1;
}

SlotRules slot_rules(const Params &p)
{
    return {static_cast<uint32_t>(p.slots.value), p.arbitration.value,
            p.record_read.value + p.slot_enable.value, p.drain.value + p.slot_disable.value};
}

std::unique_ptr<ArbiterRtlPort> arbiter_rtl_port(const BoardState &board, const ArbiterRules &rules,
                                                 uint32_t device, const char *name)
{
    return board.rtl_ports ? board.rtl_ports->arbiter(rules, {device, name}) : nullptr;
}

EventTable event_table(const BoardState &board, uint32_t device, uint32_t queues)
{
    const Params &p = board.params;
    const EventShape shape = {static_cast<uint32_t>(p.events.value), queues,
                              static_cast<uint32_t>(p.event_cached.value),
                              p.event_isolation.value != 0};
    return {shape.ids, shape.queues, shape.lines, shape.isolated,
            board.rtl_ports ? board.rtl_ports->events(shape, {device, ""}) : nullptr};
}

NotifyTable notify_table(const BoardState &board, uint32_t device, uint32_t queues)
{
    const auto ids = static_cast<uint32_t>(board.params.notifies.value);
    return {ids, queues,
            board.rtl_ports ? board.rtl_ports->notifies(ids, queues, {device, ""}) : nullptr};
}

DmaPool dma_pool(const BoardState &board, uint32_t device, uint32_t queues, const Setting &channels,
                 uint64_t seed, const char *name)
{
    const auto count = static_cast<uint32_t>(channels.value);
    return {count, queues, seed,
            board.rtl_ports ? board.rtl_ports->dma_pool(count, queues, seed, {device, name})
                            : nullptr};
}

std::unique_ptr<FrontRtlPort> front_rtl_port(const BoardState &board, uint32_t device)
{
    const Params &p = board.params;
    return board.rtl_ports ? board.rtl_ports->front_end(static_cast<uint32_t>(p.queues.value),
                                                        static_cast<uint32_t>(p.fetch_window.value),
                                                        {device, ""})
                           : nullptr;
}

std::unique_ptr<SlotsRtlPort> slots_rtl_port(const BoardState &board, uint32_t device)
{
    return board.rtl_ports
               ? board.rtl_ports->slots(static_cast<uint32_t>(board.params.queues.value),
                                        slot_rules(board.params), {device, ""})
               : nullptr;
}
} // namespace

TaskScheduler::TaskScheduler(BoardState &board, uint32_t device)
    : board_(board), device_(device), front_rtl_port_(front_rtl_port(board, device)),
      fronts_(board.params.queues.value), queues_(board.params.queues.value),
      jobs_(board.params.queues.value), programs_(board.params.queues.value),
      events_(event_table(board, device, queue_count())),
      notifies_(notify_table(board, device, queue_count())),
      counts_(static_cast<uint32_t>(board.params.count_notifies.value), queue_count()),
      sdma_(dma_pool(board, device, queue_count(), board.params.sdma_channels,
                     derive(board.seed, device, kSdmaSeed), "sdma")),
      pcie_(dma_pool(board, device, queue_count(), board.params.pcie_channels,
                     derive(board.seed, device, kPcieSeed), "pcie")),
      sdma_ceiling_(board.links, board.params.sdma_ceiling),
      pcie_ceiling_(board.links, board.params.pcie_ceiling),
      lists_(board.params.pcie_channels.value),
      cores_(board, device, *this, derive(board.seed, device, kCoreSeed)),
      asking_(rules_, arbiter_rtl_port(board, rules_, device, "slots")),
      slots_(queue_count(), slot_rules(board.params), slots_rtl_port(board, device)),
      seed_(derive(board.seed, device, kSchedulerSeed))
{
    static constexpr std::array<const char *, kClassCount> kClassNames = {
        "sdma", "pcie_dma", "cond", "cpu_topic", "aic", "aiv", "mixed"};
    classes_.reserve(kClassCount);
    for (const char *const name : kClassNames)
        classes_.emplace_back(rules_, arbiter_rtl_port(board, rules_, device, name));
    for (uint32_t sq = 0; front_rtl_port_ && sq < queue_count(); ++sq)
        fronts_[sq].attach(*front_rtl_port_, sq);
    if (board.rtl_ports && board.params.fw_loop.value == 0)
        sqe_rtl_port_ = board.rtl_ports->sqes(sqe_shape(), {device, ""});
    if (board.params.fw_loop.value != 0)
        firmware_ = std::make_unique<Firmware>(board.params, queue_count());
    reset();
}

SqeShape TaskScheduler::sqe_shape() const
{
    const Params &p = board_.params;
    const auto room = [this](BlockDispatcher::Kind kind) {
        return board_.bus.kernel ? cores_.room(kind) : 0;
    };
    return {events_.size(),
            notifies_.size(),
            counts_.size(),
            static_cast<uint32_t>(p.list_most.value),
            room(BlockDispatcher::Kind::kAic),
            room(BlockDispatcher::Kind::kAiv),
            room(BlockDispatcher::Kind::kMixed),
            p.decode.value,
            p.event_miss.value,
            p.retire.value,
            p.cq_write.value,
            p.credit_unit.value,
            p.to_cycles(STARS_TIMEOUT_UNIT_NS)};
}

void TaskScheduler::reset()
{
    cores_.reset();
    if (board_.kernel_wanted != kNone &&
        board_.kernel_wanted >> BoardState::kDeviceShift == device_)
        board_.kernel_wanted = kNone;
    for (uint32_t sq = 0; sq < queue_count(); ++sq) {
        Queue &q = queues_[sq];
        if (q.state == State::kClosed)
            continue;
        board_.calendar.cancel(timer(sq));
        if (q.state == State::kParked && q.type == STARS_SQE_COND)
            board_.polls.remove(timer(sq));
        stop_moving(sq);
        if (board_.trace.on())
            note_dropped(sq);
        fronts_[sq].close();
        board_.faults.forget(timer(sq));
        q = {};
    }
    board_.calendar.cancel((device_ << BoardState::kDeviceShift) + BoardState::kArbiterTimer);
    board_.links_changed();
    reset_forwards();
    if (front_rtl_port_)
        front_rtl_port_->reset();
    if (sqe_rtl_port_)
        sqe_rtl_port_->reset();
    events_.reset();
    notifies_.reset();
    counts_.reset();
    sdma_.reset();
    pcie_.reset();
    messages_.clear();
    messages_.reserve(64); // a run stops at each, so they never pile up
    rules_ = {};
    rules_.strict_level = static_cast<uint32_t>(board_.params.strict_level.value);
    asking_.reset();
    slots_.reset();
    selected_ = 0;
    for (Waiting &waiting : classes_)
        waiting.who.reset();
    classes_[kSdma].free = static_cast<uint32_t>(board_.params.sdma_cap.value);
    classes_[kPcieDma].free = static_cast<uint32_t>(board_.params.pcie_dma_cap.value);
    classes_[kCond].free = static_cast<uint32_t>(board_.params.cond_cap.value);
    classes_[kCpuTopic].free = static_cast<uint32_t>(board_.params.cpu_topic_cap.value);
    classes_[kAic].free = static_cast<uint32_t>(board_.params.aic_cap.value);
    classes_[kAiv].free = static_cast<uint32_t>(board_.params.aiv_cap.value);
    classes_[kMixed].free = static_cast<uint32_t>(board_.params.mixed_cap.value);
    for (Bitmap &interrupts : interrupts_)
        interrupts.reset();
    interrupt_mask_ = 0;
    if (firmware_)
        reset_firmware();
}

void TaskScheduler::open(uint32_t sq, const twinsim_queue &config, const void *ring, void *cq)
{
    prepare_arbiters(config.priority, config.group);
    fronts_[sq].open(config, ring, cq);
    Queue &q = queues_[sq];
    q = {};
    slots_.clear_counts(sq);
    q.state = State::kIdle;
    q.enabled = !config.disabled;
    q.priority = config.priority;
    q.group = config.group;
    q.stream_id = config.stream_id;
    if (board_.trace.on())
        note_opened(sq);
}

void TaskScheduler::close(uint32_t sq)
{
    abandon(sq);
    forget_messages(sq);
    if (firmware_)
        firmware_->reports.forget(sq);
    fronts_[sq].close();
    board_.faults.forget(timer(sq));
    queues_[sq] = {};
    for (Bitmap &interrupts : interrupts_)
        interrupts.clear(sq);
}

void TaskScheduler::at(uint32_t sq, Cycle time, Step step)
{
    queues_[sq].step = step;
    board_.calendar.schedule(timer(sq), time, Rank::kQueue);
}

void TaskScheduler::take_in(uint32_t sq, uint64_t rung)
{
    Queue &q = queues_[sq];
    if (q.state == State::kClosed ||
        (__builtin_expect(board_.faults.armed(), 0) && doorbell_lost(sq, rung)))
        return;
    fronts_[sq].take_in(rung, board_.now, board_.params.cycle_ns);
    if (q.state == State::kIdle && !board_.calendar.pending(timer(sq)))
        idle(sq);
}

// T-SCH-1: a queue at rest needs one calendar entry, for the arrival of its next SQE, and none without.
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
    case Step::kSwapOut: // T-SCH-20
        note(sq, {TWINSIM_PHASE_SLOT, queues_[sq].mark, board_.params.slot_disable.index});
        ask_for_slot(sq, queues_[sq].resume);
        break;
    case Step::kSwapDone:
        swap_done(sq);
        break;
    case Step::kDecoded:
        hold_before(sq);
        break;
    case Step::kExecute:
        execute(sq);
        break;
    case Step::kRemote:
        remote_written(sq);
        break;
    case Step::kRemoteDone:
        remote_done(sq);
        break;
    case Step::kLoaded:
        event_loaded(sq);
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
    case Step::kList:
        list_turn(sq);
        break;
    case Step::kEffect:
        make_effect(sq);
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
    case Step::kStretched:
        stretched(sq);
        break;
    case Step::kRelease:
        end_hold(sq);
        break;
    case Step::kReported:
        kernel_reported(sq);
        break;
    }
}

// ---- slots -------------------------------------------------------------------------------------

// T-SCH-2: the queue joins those that want to be swapped in; T-SCH-20: not before it is swapped out.
void TaskScheduler::ask_for_slot(uint32_t sq, Resume resume)
{
    Queue &q = queues_[sq];
    q.resume = resume;
    q.mark = board_.now;
    const Cycle out = slots_.leaving_until(sq, board_.now);
    if (__builtin_expect(out != 0, 0)) {
        q.state = State::kSwapOut;
        at(sq, out, Step::kSwapOut);
        return;
    }
    q.state = State::kWaitSlot;
    asking_.add(sq, q.priority, q.group);
    arm_arbiter();
}

// T-SCH-3: one grant per arbitration time, while there is a free slot and somebody asks.
void TaskScheduler::arm_arbiter()
{
    const uint32_t id = (device_ << BoardState::kDeviceShift) + BoardState::kArbiterTimer;
    if (asking_.empty() || board_.calendar.pending(id))
        return;
    const Cycle next = slots_.next_grant(board_.now);
    if (next != kNever)
        board_.calendar.schedule(id, next, Rank::kArbiter);
}

// T-SCH-4.
void TaskScheduler::fire_arbiter()
{
    if (asking_.empty() || !slots_.free_now(board_.now)) {
        arm_arbiter();
        return;
    }
    const uint32_t sq = asking_.take(seed_);
    Queue &q = queues_[sq];
    const SlotGrant grant = slots_.grant(sq, q.mark, board_.now);
    q.slot = grant.slot;
    q.state = State::kSwapIn;
    q.was_short = grant.was_short;
    if (board_.trace.on())
        note_taken(sq, Trace::kSlot);
    if (has_firmware())
        activate(sq);
    else
        at(sq, grant.ready, Step::kSwapDone);
    arm_arbiter();
}

// T-SCH-5: the static record is there and the slot is enabled.
void TaskScheduler::swap_done(uint32_t sq)
{
    Queue &q = queues_[sq];
    if (board_.trace.on() && !firmware_)
        note_swapped(sq);
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

// T-SCH-6: the slot is free for others once the queue is swapped out (T-SCH-19).
void TaskScheduler::leave_slot(uint32_t sq)
{
    Queue &q = queues_[sq];
    if (q.slot == kNoSlot)
        return;
    if (board_.trace.on())
        note_leaving(sq);
    slots_.leave(sq, q.slot, board_.now);
    q.slot = kNoSlot;
    if (has_firmware())
        release_commands(sq);
    arm_arbiter();
}

// T-SCH-7: between two SQEs: the next one if it can be seen, else out of the slot.
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

// T-SCH-9: the share goes to the next queue that waits for the class, which then asks for a slot.
void TaskScheduler::release_token(uint32_t sq)
{
    Queue &q = queues_[sq];
    if (q.token == kNoClass)
        return;
    const Class token = q.token;
    if (board_.trace.on() &&
        board_.trace.has(Trace::source(device_, sq), Trace::kShare, board_.now))
        note_given(sq, Trace::kShare);
    q.token = kNoClass;
    Waiting &waiting = classes_[token];
    if (waiting.who.empty()) {
        ++waiting.free;
        return;
    }
    const uint32_t next = waiting.who.take(seed_);
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
    case kAic:
        return p.aic_cap;
    case kAiv:
        return p.aiv_cap;
    case kMixed:
        return p.mixed_cap;
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
    else if (type == STARS_SQE_AICORE)
        kick_start(sq);
    else
        want_channel(sq);
}

// T-SCH-8: a DMA, COND, callback or AI-core SQE needs a share of its class; without one the queue leaves its slot and waits.
void TaskScheduler::dispatch(uint32_t sq)
{
    Queue &q = queues_[sq];
    const Class token = q.share;
    Waiting &waiting = classes_[token];
    q.mark = board_.now;
    if (waiting.free == 0) {
        waiting.who.add(sq, q.priority, q.group);
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

// ---- the driver's questions --------------------------------------------------------------------

bool TaskScheduler::watch(uint32_t sq, uint64_t retired)
{
    queues_[sq].watch = retired;
    check_watch(sq);
    if (has_firmware())
        hurry_report(sq);
    return has_firmware();
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
        end_hold(sq);
    return true;
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
    case State::kKernel:
        out.state = TWINSIM_QUEUE_KERNEL;
        break;
    default:
        out.state = TWINSIM_QUEUE_RUNNING;
        break;
    }
    out.done =
        (q.state == State::kWork &&
         (q.step == Step::kRetire || q.step == Step::kReport || q.step == Step::kReported)) ||
        ((q.state == State::kSwapOut || q.state == State::kWaitSlot || q.state == State::kSwapIn) &&
         q.resume == Resume::kRetire);
    if (fronts_[sq].has_more()) {
        const stars_sqe &sqe = fronts_[sq].sqe();
        out.struck = q.struck && q.state != State::kIdle;
        out.sqe_type = static_cast<uint8_t>(sqe.word[0] & STARS_W0_TYPE_MASK);
        out.task_id = static_cast<uint16_t>(sqe.word[1] >> STARS_W1_TASK_SHIFT);
    }
}

} // namespace tsim
