// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/retirement.h"

#include "core/scheduler/sqe_fields.h"

namespace tsim
{

inline stars_cqe Retirement::cqe_of(uint32_t sq) const
{
    const TaskQueue &front = queues_.front(sq);
    stars_cqe cqe{};
    cqe.flags = static_cast<uint16_t>((sq & STARS_CQE_SQ_MASK) << STARS_CQE_SQ_SHIFT);
    cqe.sq_head = static_cast<uint16_t>((front.head() + 1) & (front.depth() - 1));
    cqe.stream_id = queues_[sq].stream_id;
    cqe.task_id = task_of(front.sqe());
    return cqe;
}

bool Retirement::retire(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    TaskQueue &front = queues_.front(sq);
    const stars_sqe &sqe = front.sqe();
    if (queues_.is_faulted(sq) && completion_held(sq))
        return false;
    bool full = false;
    const bool reports =
        wants_cqe(sqe) && !(queues_.is_faulted(sq) && faults_.acts(sq, TWINSIM_FAULT_CQE_LOST));
    if (reports) {
        stars_cqe cqe = cqe_of(sq);
        cqe.flags = static_cast<uint16_t>(
            cqe.flags | (q.type == STARS_SQE_EVENT_RECORD ? STARS_CQE_EVENT : 0u) |
            (q.type == STARS_SQE_PLACEHOLDER ? STARS_CQE_PLACEHOLDER : 0u));
        cqe.u.timestamp = system_.params.to_ticks(system_.now);
        full = !front.complete(cqe);
    }
    if (!progress_.retires(sq, full))
        return false;
    const bool plain = __builtin_expect(firmware_ == nullptr, 1) != 0;
    if (reports && plain)
        interrupts_.raise(sq, Interrupts::kHost);
    const uint32_t target = sqe_field(sqe, 0, STARS_W0_IE_SHIFT, 2);
    const bool notifies = wants_cqe(sqe) || target == Interrupts::kHost;
    if (plain || target != Interrupts::kHost)
        interrupts_.raise(sq, target);
    note_end(sq, false);
    shares_.release(sq);
    front.retire(system_.now, plain);
    if (q.type == STARS_SQE_COND && tasks_.conds.jump(sq) != kNone)
        front.set_head(tasks_.conds.jump(sq), system_.now, plain); // T-COND-6
    if (!plain)
        firmware_->post_report(sq, sqe, notifies, false);
    queues_.check_watch(sq);
    return true;
}

void Retirement::report(uint32_t sq)
{
    const QueueRow &q = queues_[sq];
    TaskQueue &front = queues_.front(sq);
    if (queues_.is_faulted(sq) && report_held(sq))
        return;
    stars_cqe cqe = cqe_of(sq);
    cqe.flags |= STARS_CQE_ERROR;
    cqe.u.error.code = q.error;
    cqe.u.error.type = static_cast<uint8_t>(q.type << STARS_CQE_TYPE_SHIFT);
    cqe.u.error.sqe_index = static_cast<uint16_t>(front.head());
    cqe.u.error.status = q.status;
    const bool full = !front.complete(cqe);
    if (!progress_.stands_still(sq, full))
        return;
    stand_still(sq);
    if (__builtin_expect(firmware_ != nullptr, 0)) {
        firmware_->post_report(sq, front.sqe(), true, true);
        return;
    }
    interrupts_.raise(sq, Interrupts::kHost);
    system_.stop |= SystemState::kStopCq;
}

void Retirement::stand_still(uint32_t sq)
{
    note_end(sq, true);
    shares_.release(sq);
    slots_.leave(sq);
    queues_[sq].state = QueueState::kException;
}

// ---- injected faults ----------------------------------------------------------------------------

// T-FLT-13.
bool Retirement::cq_held(uint32_t sq, HoldReason why)
{
    FaultPlan::Effect &effect = faults_.effect(sq);
    if (!faults_.will_act(sq, TWINSIM_FAULT_CQ_FULL))
        return false;
    if (!effect.holding) {
        effect.holding = true;
        effect.until =
            effect.full_ns != 0 ? system_.now + system_.params.to_cycles(effect.full_ns) : kNever;
    }
    if (system_.now >= effect.until) {
        effect.kinds &= ~(1u << TWINSIM_FAULT_CQ_FULL);
        return false;
    }
    progress_.hold(sq, why);
    if (effect.until != kNever)
        queues_.at(sq, effect.until, QueueStep::kRelease);
    return true;
}

// T-FLT-10: the SQE has had its effect, and is not reported.
bool Retirement::completion_held(uint32_t sq)
{
    if (!faults_.acts(sq, TWINSIM_FAULT_COMPLETION_LOST))
        return cq_held(sq, HoldReason::kCq);
    const uint64_t lost_ns = faults_.effect(sq).lost_ns;
    progress_.hold(sq, HoldReason::kLost);
    if (lost_ns != 0)
        queues_.at(sq, system_.now + system_.params.to_cycles(lost_ns), QueueStep::kRelease);
    return true;
}

// T-FLT-10, T-FLT-11: of an SQE that failed: the queue stops as always, and the CQE is missing.
bool Retirement::report_held(uint32_t sq)
{
    if (!faults_.acts(sq, TWINSIM_FAULT_COMPLETION_LOST) &&
        !faults_.acts(sq, TWINSIM_FAULT_CQE_LOST))
        return cq_held(sq, HoldReason::kCqError);
    if (progress_.stands_still(sq, false))
        stand_still(sq);
    return true;
}

} // namespace tsim
