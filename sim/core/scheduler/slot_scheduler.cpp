// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/slot_scheduler.h"

namespace tsim
{

namespace
{
SlotRules slot_rules(const Params &p)
{
    return {static_cast<uint32_t>(p.slots.value), p.arbitration.value,
            p.record_read.value + p.slot_enable.value, p.drain.value + p.slot_disable.value};
}

std::unique_ptr<SlotsRtlPort> slots_rtl_port(const SystemState &system, uint32_t device)
{
    return system.rtl_ports
               ? system.rtl_ports->slots(static_cast<uint32_t>(system.params.queues.value),
                                         slot_rules(system.params), {device, ""})
               : nullptr;
}
} // namespace

SlotScheduler::SlotScheduler(const SchedulerPart &part, Arbitration &arbitration,
                             FirmwareFrontEnd *firmware)
    : SchedulerPart(part), arbitration_(arbitration), firmware_(firmware),
      timer_((queues_.device << SystemState::kDeviceShift) + SystemState::kArbiterTimer),
      slots_(queues_.size(), slot_rules(system_.params), slots_rtl_port(system_, queues_.device))
{
}

void SlotScheduler::reset()
{
    system_.calendar.cancel(timer_);
    slots_.reset();
}

// T-SCH-2: the queue joins those that need a slot; T-SCH-20: not before it is swapped out.
void SlotScheduler::ask(uint32_t sq, SlotUse use)
{
    QueueRow &q = queues_[sq];
    q.use = use;
    q.phase_begin = system_.now;
    const Cycle out = slots_.leaving_until(sq, system_.now);
    if (__builtin_expect(out != 0, 0)) {
        q.state = QueueState::kSwapOut;
        queues_.at(sq, out, QueueStep::kSwapOut);
        return;
    }
    q.state = QueueState::kWaitSlot;
    arbitration_.add(Arbitration::kSlots, sq);
    arm();
}

// T-SCH-20.
void SlotScheduler::swapped_out(uint32_t sq)
{
    const QueueRow &q = queues_[sq];
    trace_.note(sq, {TWINSIM_PHASE_SLOT, q.phase_begin, system_.params.slot_disable.index});
    ask(sq, q.use);
}

// T-SCH-3: one grant per arbitration time, while there is a free slot and a queue asks.
void SlotScheduler::arm()
{
    if (arbitration_.empty(Arbitration::kSlots) || system_.calendar.pending(timer_))
        return;
    const Cycle next = slots_.next_grant(system_.now);
    if (next != kNever)
        system_.calendar.schedule(timer_, next, Rank::kArbiter);
}

// T-SCH-4.
uint32_t SlotScheduler::winner()
{
    if (!arbitration_.empty(Arbitration::kSlots) && slots_.free_now(system_.now))
        return arbitration_.take(Arbitration::kSlots);
    arm();
    return kNone;
}

void SlotScheduler::grant(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    const SlotGrant granted = slots_.grant(sq, q.phase_begin, system_.now);
    q.slot = granted.slot;
    q.state = QueueState::kSwapIn;
    q.was_short = granted.was_short;
    if (system_.trace.on())
        trace_.note_taken(sq, Trace::kSlot, q.slot, [this] { return slots_.taken(); });
    if (__builtin_expect(firmware_ != nullptr, 0))
        firmware_->activate(sq);
    else
        queues_.at(sq, granted.ready, QueueStep::kSwapDone);
    arm();
}

// T-SCH-6: the slot is free for others once the queue is swapped out (T-SCH-19).
void SlotScheduler::give_up(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    if (system_.trace.on())
        trace_.note_leaving(sq);
    slots_.leave(sq, q.slot, system_.now);
    q.slot = QueueRow::kNoSlot;
    if (__builtin_expect(firmware_ != nullptr, 0))
        firmware_->release_commands(sq);
    arm();
}

// T-SCH-21. A queue that is being swapped out has nothing else to show.
stars_rtsq_state SlotScheduler::state(uint32_t sq) const
{
    const QueueRow &q = queues_[sq];
    const Params &p = system_.params;
    const Cycle out = slots_.leaving_until(sq, system_.now);
    if (out != 0)
        return out - system_.now > p.slot_disable.value ? STARS_RTSQ_WAIT_SWAP_OUT
                                                        : STARS_RTSQ_SLOT_DISABLE;
    switch (q.state) {
    case QueueState::kClosed:
    case QueueState::kIdle:
        return STARS_RTSQ_IDLE;
    case QueueState::kSwapOut:
    case QueueState::kWaitSlot:
    case QueueState::kWaitClass:
        return STARS_RTSQ_WAIT_SWAP_IN;
    case QueueState::kSwapIn: {
        if (!system_.calendar.pending(queues_.timer(sq))) // a firmware has yet to take it in
            return STARS_RTSQ_WAIT_SWAP_IN;
        const Cycle left = system_.calendar.time_of(queues_.timer(sq)) - system_.now;
        const Cycle enable = p.slot_enable.value, record = enable + p.record_read.value;
        return left > record   ? STARS_RTSQ_WAIT_SWAP_IN
               : left > enable ? (left == record ? STARS_RTSQ_READ_SENT : STARS_RTSQ_WAIT_RECORD)
                               : STARS_RTSQ_SLOT_ENABLE;
    }
    case QueueState::kParked:
        return STARS_RTSQ_POLL_FLAG;
    case QueueState::kHeld:
    case QueueState::kException:
    case QueueState::kKilled:
        return STARS_RTSQ_WAIT_SOFTWARE;
    default:
        return q.paused    ? STARS_RTSQ_OPERATION
               : q.enabled ? STARS_RTSQ_WORKING
                           : STARS_RTSQ_WAIT_SLOT_IDLE;
    }
}

} // namespace tsim
