// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/task_scheduler.h"

#include "core/scheduler/sqe_fields.h"

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
} // namespace

TaskScheduler::TaskScheduler(SystemState &system, uint32_t device)
    : system_(system), fronts_(system.params.queues.value), rows_(system.params.queues.value),
      queues_(system, device, rows_.data(), fronts_.data(), static_cast<uint32_t>(rows_.size())),
      faults_(queues_), trace_(queues_, faults_),
      firmware_(system.params.fw_loop.value != 0
                    ? std::make_unique<FirmwareFrontEnd>(part_, interrupts_)
                    : nullptr),
      arbitration_(queues_, derive(system.seed, device, kSchedulerSeed)),
      slots_(part_, arbitration_, firmware_.get()), shares_(part_, arbitration_, slots_),
      progress_(part_, interrupts_, firmware_.get()), tables_(sqe_part_, slots_),
      front_end_(sqe_part_, slots_, firmware_.get()),
      dma_(sqe_part_, derive(system.seed, device, kSdmaSeed),
           derive(system.seed, device, kPcieSeed)),
      conds_(sqe_part_, front_end_, shares_, slots_), calls_(sqe_part_),
      kernels_(sqe_part_, tables_, derive(system.seed, device, kCoreSeed)), peers_(sqe_part_),
      executor_(sqe_part_, shares_, tables_, {dma_, conds_, calls_, kernels_, peers_}),
      retirement_(sqe_part_, interrupts_, slots_, shares_, {dma_, conds_}, firmware_.get())
{
    if (system.rtl_ports && !firmware_)
        progress_.attach(system.rtl_ports->sqes(sqe_shape(), {device, ""}));
    reset();
}

SqeShape TaskScheduler::sqe_shape() const
{
    const Params &p = system_.params;
    return {events().size(),
            notifies().size(),
            counts().size(),
            static_cast<uint32_t>(p.list_most.value),
            kernels_.room(BlockDispatcher::Kind::kAic),
            kernels_.room(BlockDispatcher::Kind::kAiv),
            kernels_.room(BlockDispatcher::Kind::kMixed),
            system_.bus.kernel ? static_cast<uint32_t>(p.ffts_contexts.value) : 0,
            p.decode.value,
            p.event_miss.value,
            p.retire.value,
            p.cq_write.value,
            p.credit_unit.value,
            p.to_cycles(STARS_TIMEOUT_UNIT_NS)};
}

// ---- queues ------------------------------------------------------------------------------------

void TaskScheduler::reset()
{
    kernels_.reset();
    for (uint32_t sq = 0; sq < queue_count(); ++sq) {
        QueueRow &q = queues_[sq];
        if (q.state == QueueState::kClosed)
            continue;
        queues_.cancel(sq);
        if (q.state == QueueState::kParked && q.type == STARS_SQE_COND)
            conds_.forget(sq);
        dma_.stop(sq);
        // The queue does not release these by itself.
        if (system_.trace.on() && q.slot != QueueRow::kNoSlot)
            trace_.note_given(sq, Trace::kSlot, system_.params.slots, q.slot);
        if (system_.trace.on() && q.share != kNoClass)
            trace_.note_given(sq, Trace::kShare, shares_.cap(q.share), q.share);
        fronts_[sq].close();
        faults_.forget(sq);
        q = {};
    }
    system_.links_changed();
    tables_.reset();
    front_end_.reset();
    progress_.reset();
    dma_.reset();
    calls_.reset();
    arbitration_.reset();
    slots_.reset();
    shares_.reset();
    interrupts_.reset();
    selected_ = 0;
    wait_limits_.fill(STARS_WAIT_LIMIT_RESET);
    if (firmware_)
        firmware_->reset();
}

void TaskScheduler::open(uint32_t sq, const twinsim_queue &config, const void *ring, void *cq)
{
    arbitration_.prepare(config.priority, config.group);
    fronts_[sq].open(config, ring, cq);
    QueueRow &q = queues_[sq];
    q = {};
    slots_.clear_counts(sq);
    q.state = QueueState::kIdle;
    q.enabled = !config.disabled;
    q.priority = config.priority;
    q.group = config.group;
    q.stream_id = config.stream_id;
    if (system_.trace.on())
        trace_.note_opened(sq);
}

void TaskScheduler::close(uint32_t sq)
{
    abandon(sq);
    calls_.forget(sq);
    if (firmware_)
        firmware_->forget_reports(sq);
    fronts_[sq].close();
    faults_.forget(sq);
    queues_[sq] = {};
    interrupts_.forget(sq);
}

// ---- the calendar ------------------------------------------------------------------------------

void TaskScheduler::fire_queue(uint32_t sq)
{
    switch (queues_[sq].step) {
    case QueueStep::kArrive:
        slots_.ask(sq, SlotUse::kBegin);
        break;
    case QueueStep::kSwapOut:
        slots_.swapped_out(sq);
        break;
    case QueueStep::kSwapDone:
        swap_done(sq);
        break;
    case QueueStep::kDecoded:
        front_end_.hold_before(sq);
        break;
    case QueueStep::kLoaded:
        tables_.loaded(sq);
        executor_.execute(sq);
        break;
    case QueueStep::kExecute:
        executor_.execute(sq);
        break;
    case QueueStep::kRemote:
        peers_.arrived(sq);
        break;
    case QueueStep::kRemoteDone:
        peers_.done(sq);
        break;
    case QueueStep::kRetire:
        retire(sq);
        break;
    case QueueStep::kReport:
        retirement_.report(sq);
        break;
    case QueueStep::kSetUp:
        dma_.start_transfer(sq);
        break;
    case QueueStep::kList:
        dma_.list_turn(sq);
        break;
    case QueueStep::kContexts:
        kernels_.contexts_turn(sq);
        break;
    case QueueStep::kEffect:
        dma_.make_effect(sq);
        break;
    case QueueStep::kProgram:
        conds_.done(sq);
        break;
    case QueueStep::kPoll:
        conds_.poll(sq);
        break;
    case QueueStep::kLimit:
        limit_reached(sq);
        break;
    case QueueStep::kMessage:
        calls_.post(sq);
        break;
    case QueueStep::kAnswered:
        calls_.answered(sq);
        break;
    case QueueStep::kStretched:
        stretched(sq);
        break;
    case QueueStep::kRelease:
        end_hold(sq);
        break;
    case QueueStep::kReported:
        kernels_.reported(sq);
        break;
    }
}

// T-SCH-5: the static record is there and the slot is enabled.
void TaskScheduler::swap_done(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    if (system_.trace.on())
        trace_.note_swapped(sq);
    q.state = QueueState::kWork;
    q.phase_begin = system_.now;
    switch (q.use) {
    case SlotUse::kBegin:
        go_on(sq);
        break;
    case SlotUse::kRetire:
        progress_.executed(sq);
        break;
    case SlotUse::kDispatch:
        executor_.admitted(sq);
        break;
    case SlotUse::kAgain:
        executor_.dispatch(sq);
        break;
    }
}

// T-SQE-8.
void TaskScheduler::limit_reached(uint32_t sq)
{
    const QueueRow &q = queues_[sq];
    if (q.state == QueueState::kParked)
        tables_.limit_reached(sq);
    else if (q.type == STARS_SQE_AICORE)
        kernels_.limit_reached(sq);
    else if (q.state == QueueState::kAnswer)
        calls_.limit_reached(sq);
    else
        dma_.limit_reached(sq);
}

// T-FLT-8, T-FLT-17: the time of a slow engine is over.
void TaskScheduler::stretched(uint32_t sq)
{
    if (queues_[sq].type == STARS_SQE_AICORE)
        kernels_.stretched(sq);
    else
        dma_.stretched(sq);
}

// T-SCH-4, T-SCH-23.
void TaskScheduler::fire_arbiter()
{
    uint32_t sq = slots_.winner();
    if (__builtin_expect(system_.params.limits_at_slot.value != 0, 0))
        while (sq != kNone && !shares_.admit(sq, executor_.class_of_next(sq)))
            sq = slots_.winner();
    if (sq != kNone)
        slots_.grant(sq);
}

void TaskScheduler::fire_firmware()
{
    FirmwareLoop::Job done;
    if (!firmware_->fire(done))
        return;
    switch (done.work) {
    case FirmwareLoop::Work::kActivate:
        swap_done(done.sq);
        break;
    case FirmwareLoop::Work::kCommand:
        front_end_.command_decoded(done.sq);
        break;
    default: // the end of a command is seen
        fire_queue(done.sq);
        break;
    }
    firmware_->arm();
}

// ---- the driver's questions --------------------------------------------------------------------

bool TaskScheduler::watch(uint32_t sq, uint64_t retired)
{
    queues_[sq].watch = retired;
    queues_.check_watch(sq);
    if (firmware_)
        firmware_->hurry_report(sq);
    return firmware_ != nullptr;
}

bool TaskScheduler::set_cq_head(uint32_t sq, uint32_t head)
{
    if (!fronts_[sq].set_cq_head(head))
        return false;
    const QueueRow &q = queues_[sq];
    if (q.state == QueueState::kHeld &&
        (q.hold == HoldReason::kCq || q.hold == HoldReason::kCqError))
        end_hold(sq);
    return true;
}

void TaskScheduler::inspect(uint32_t sq, twinsim_queue_info &out) const
{
    const QueueRow &q = queues_[sq];
    out = {};
    out.wait_id = kNone;
    out.wait_address = TWINSIM_NEVER;
    switch (q.state) {
    case QueueState::kClosed:
        out.state = TWINSIM_QUEUE_CLOSED;
        return;
    case QueueState::kIdle:
        out.state = TWINSIM_QUEUE_IDLE;
        break;
    case QueueState::kParked:
        out.state = TWINSIM_QUEUE_PARKED;
        out.wait_id = q.wait_id;
        if (q.type == STARS_SQE_COND)
            out.wait_address = system_.polls.address(queues_.timer(sq));
        break;
    case QueueState::kHeld:
    case QueueState::kKilled:
        out.state = TWINSIM_QUEUE_HELD;
        break;
    case QueueState::kException:
        out.state = TWINSIM_QUEUE_EXCEPTION;
        break;
    case QueueState::kAnswer:
        out.state = TWINSIM_QUEUE_HOST;
        break;
    case QueueState::kKernel:
        out.state = TWINSIM_QUEUE_KERNEL;
        break;
    default:
        out.state = TWINSIM_QUEUE_RUNNING;
        break;
    }
    out.done = (q.state == QueueState::kWork &&
                (q.step == QueueStep::kRetire || q.step == QueueStep::kReport ||
                 q.step == QueueStep::kReported)) ||
               ((q.state == QueueState::kSwapOut || q.state == QueueState::kWaitSlot ||
                 q.state == QueueState::kSwapIn) &&
                q.use == SlotUse::kRetire);
    if (fronts_[sq].has_more()) {
        const stars_sqe &sqe = fronts_[sq].sqe();
        out.faulted = q.faulted && q.state != QueueState::kIdle;
        out.sqe_type = type_of(sqe);
        out.task_id = task_of(sqe);
    }
}

} // namespace tsim
