// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/class_shares.h"

namespace tsim
{

void ClassShares::reset()
{
    for (uint32_t i = 0; i < kClassCount; ++i)
        free_[i] = static_cast<uint32_t>(cap(static_cast<TaskClass>(i)).value);
}

const Setting &ClassShares::cap(TaskClass of) const
{
    const Params &p = system_.params;
    switch (of) {
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

// T-SCH-8.
bool ClassShares::take(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    q.phase_begin = system_.now;
    if (q.share == q.task_class) // T-SCH-23
        return true;
    release(sq); // of the class that the SQE was of when the slot was arbitrated
    if (take_free(sq))
        return true;
    q.use = SlotUse::kDispatch;
    slots_.leave(sq);
    return false;
}

// T-SCH-23.
bool ClassShares::admit(uint32_t sq, TaskClass of)
{
    QueueRow &q = queues_[sq];
    if (of == kNoClass || q.share != kNoClass)
        return true;
    q.task_class = of;
    return take_free(sq);
}

// Else the queue waits.
bool ClassShares::take_free(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    uint32_t &free = free_[q.task_class];
    if (free == 0) {
        arbitration_.add(q.task_class, sq);
        q.state = QueueState::kWaitClass;
        return false;
    }
    --free;
    q.share = q.task_class;
    if (system_.trace.on())
        note_taken(sq);
    return true;
}

// T-SCH-9: the share goes to the next queue that waits for the class, which then asks for a slot.
void ClassShares::return_share(uint32_t sq)
{
    QueueRow &q = queues_[sq];
    const TaskClass share = q.share;
    if (trace_.has_share(sq))
        trace_.note_given(sq, Trace::kShare, cap(share), share);
    q.share = kNoClass;
    if (arbitration_.empty(share)) {
        ++free_[share];
        return;
    }
    const uint32_t next = arbitration_.take(share);
    queues_[next].share = share;
    if (system_.trace.on())
        note_taken(next);
    trace_.note(next, {TWINSIM_PHASE_SLOT, queues_[next].phase_begin, cap(share).index});
    slots_.ask(next, queues_[next].use);
}

void ClassShares::note_taken(uint32_t sq) const
{
    const TaskClass share = queues_[sq].share;
    trace_.note_taken(sq, Trace::kShare, share, [this, share] {
        return static_cast<uint32_t>(cap(share).value - uint64_t{free_[share]});
    });
}

} // namespace tsim
