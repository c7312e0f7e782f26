// SPDX-License-Identifier: Apache-2.0
#include "core/scheduler/sqe_executor.h"

#include <cstring>

#include "core/scheduler/sqe_fields.h"
#include "core/scheduler/sqe_store.h"

namespace tsim
{

namespace
{
SqeDecoded dispatched(TaskClass to)
{
    return {SqeEffect::kDispatch, to};
}
} // namespace

// Both at once, so that a plain SQE is looked at once.
[[gnu::always_inline]] inline SqeDecoded SqeExecutor::decode(uint32_t sq)
{
    const stars_sqe &sqe = queues_.sqe(sq);
    const uint8_t type = queues_[sq].type;
    switch (type) {
    case STARS_SQE_PLACEHOLDER: // T-SQE-12, T-SQE-14
        if (sqe_field(sqe, 0, STARS_W0_BLOCK_DIM_SHIFT, 16) == STARS_PLACEHOLDER_NOP ||
            is_ts_command(sqe))
            return {SqeEffect::kNothing};
        break;
    case STARS_SQE_EVENT_RECORD:
    case STARS_SQE_EVENT_WAIT: {
        const uint32_t id = sqe.word[2] & STARS_W2_EVENT_MASK;
        if (id < tables_.events().size())
            return {type == STARS_SQE_EVENT_RECORD ? SqeEffect::kEventRecord
                                                   : SqeEffect::kEventWait,
                    0, id};
        break;
    }
    case STARS_SQE_NOTIFY_RECORD:
    case STARS_SQE_NOTIFY_WAIT: {
        const bool record = type == STARS_SQE_NOTIFY_RECORD;
        const uint32_t id = sqe.word[2] & STARS_W2_NOTIFY_MASK;
        if ((sqe.word[2] & STARS_W2_COUNT) == 0) {
            if (id < tables_.notifies().size())
                return {record ? SqeEffect::kNotifyRecord : SqeEffect::kNotifyWait, 0, id};
        } else if (id < tables_.counts().size() && // T-CTN-1, T-CTN-2
                   sqe.word[STARS_COUNT_MODE_WORD] <=
                       (record ? uint32_t{STARS_COUNT_AND} : uint32_t{STARS_COUNT_MASK})) {
            return {record ? SqeEffect::kCountRecord : SqeEffect::kCountWait, 0, id};
        }
        break;
    }
    case STARS_SQE_WRITE_VALUE:
        return decode_store(sqe, tables_.events().size(), tables_.notifies().size());
    case STARS_SQE_COND:
        return dispatched(kCond);
    case STARS_SQE_AICORE: {
        const TaskClass of = engines_.kernels.class_of(sqe);
        if (of != kNoClass)
            return dispatched(of);
        break;
    }
    case STARS_SQE_DSA:
    case STARS_SQE_SDMA:
    case STARS_SQE_PCIE_DMA:
        if (engines_.dma.decode(sq))
            return dispatched(type == STARS_SQE_PCIE_DMA ? kPcieDma : kSdma);
        break;
    case STARS_SQE_AICPU: // T-CPU-7
        if (sqe_field(sqe, 2, STARS_W2_TOPIC_SHIFT, 4) == STARS_TOPIC_HOST_CONTROL)
            return dispatched(kCpuTopic);
        break;
    default:
        break;
    }
    return {};
}

[[gnu::always_inline]] inline void SqeExecutor::access_event(uint32_t sq, const SqeDecoded &decoded)
{
    const QueueRow &q = queues_[sq];
    const Params &p = system_.params;
    const bool loaded = q.step == QueueStep::kLoaded;
    if (!loaded && tables_.loads_event(sq, decoded.id))
        return;
    const bool record = decoded.effect == SqeEffect::kEventRecord;
    trace_.note_access(sq, loaded ? p.event_miss.index : p.event_table.index, decoded.id,
                       record && q.type == STARS_SQE_WRITE_VALUE ? TWINSIM_TABLE_SETS : 0);
    if (decoded.effect == SqeEffect::kEventWait) {
        tables_.wait_event(sq, decoded.id);
        return;
    }
    tables_.write_event(decoded.id, record, sq);
    progress_.executed(sq);
}

[[gnu::always_inline]] inline void SqeExecutor::have_effect(uint32_t sq, SqeDecoded decoded)
{
    QueueRow &q = queues_[sq];
    const Params &p = system_.params;
    const stars_sqe &sqe = queues_.sqe(sq);
    const uint32_t id = decoded.id;
    switch (decoded.effect) {
    case SqeEffect::kNothing:
        progress_.executed(sq, SqeOp::kExecute);
        break;
    case SqeEffect::kEventRecord:
    case SqeEffect::kEventWait:
    case SqeEffect::kEventClear:
        access_event(sq, decoded);
        break;
    case SqeEffect::kNotifyRecord:
    case SqeEffect::kNotifyClear:
        trace_.note_access(sq, p.notify_table.index, id,
                           q.type == STARS_SQE_WRITE_VALUE ? TWINSIM_TABLE_NOTIFY : 0);
        tables_.write_notify(id, decoded.effect == SqeEffect::kNotifyRecord, sq);
        progress_.executed(sq);
        break;
    case SqeEffect::kNotifyWait:
        trace_.note_access(sq, p.notify_table.index, id, 0);
        tables_.wait_notify(sq, id);
        break;
    case SqeEffect::kCountRecord:
        trace_.note_access(sq, p.notify_table.index, id, TWINSIM_TABLE_COUNT);
        tables_.write_count(id, sqe.word[STARS_COUNT_MODE_WORD], sqe.word[STARS_COUNT_VALUE_WORD],
                            sq);
        progress_.executed(sq);
        break;
    case SqeEffect::kCountWait:
        q.wait_id = id;
        trace_.note_access(sq, p.notify_table.index, id, TWINSIM_TABLE_COUNT);
        tables_.wait_count(sq, id);
        break;
    case SqeEffect::kStore:
        write_memory(sq);
        break;
    case SqeEffect::kRemote:
        engines_.peers.start(sq);
        break;
    case SqeEffect::kNowhere:
        trace_.note(sq, {TWINSIM_PHASE_TABLE, q.phase_begin, p.write_value.index, kNone,
                         1u << sqe_field(sqe, 5, STARS_W5_SIZE_SHIFT, 3)});
        progress_.fail(sq, STARS_ERROR_EXCEPTION, STARS_STATUS_BUS_FAULT, SqeOp::kExecute);
        break;
    case SqeEffect::kDispatch:
        q.task_class = static_cast<TaskClass>(decoded.share);
        dispatch(sq);
        break;
    case SqeEffect::kBad: // T-SQE-10
        progress_.fail(sq, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE, SqeOp::kExecute);
        break;
    }
}

TaskClass SqeExecutor::class_of_next(uint32_t sq) const
{
    if (queues_[sq].use == SlotUse::kRetire)
        return kNoClass;
    const stars_sqe &sqe = queues_.sqe(sq);
    switch (type_of(sqe)) {
    case STARS_SQE_COND:
        return kCond;
    case STARS_SQE_AICORE:
        return engines_.kernels.class_of(sqe);
    case STARS_SQE_DSA:
    case STARS_SQE_SDMA:
        return kSdma;
    case STARS_SQE_PCIE_DMA:
        return kPcieDma;
    case STARS_SQE_AICPU:
        return kCpuTopic;
    default:
        return kNoClass;
    }
}

void SqeExecutor::execute(uint32_t sq)
{
    SqeDecoded decoded = decode(sq);
    if (__builtin_expect(queues_[sq].share != kNoClass, 0) &&
        decoded.effect != SqeEffect::kDispatch) // changed since its slot was arbitrated (T-SCH-23)
        shares_.release(sq);
    if (progress_.has_rtl_port() && !progress_.has_effect(sq, decoded))
        return;
    have_effect(sq, decoded);
}

void SqeExecutor::write_memory(uint32_t sq)
{
    const stars_sqe &sqe = queues_.sqe(sq);
    const Store store = store_of(sqe, tables_.events().size(), tables_.notifies().size());
    trace_.note(sq, {TWINSIM_PHASE_TABLE, queues_[sq].phase_begin, system_.params.write_value.index,
                     kNone, store.bytes});
    twinsim_target target = TWINSIM_TARGET_NONE;
    uint32_t owner = queues_.device;
    void *const to = system_.bus.translate(system_.bus.context, queues_.device, store.address,
                                           store.bytes, TWINSIM_WRITE, &target, &owner);
    const bool pages = target == TWINSIM_TARGET_HOST_PAGES;
    if (!to ||
        (pages && !system_.bus.host_move(system_.bus.context, to, &sqe.word[8], store.bytes))) {
        progress_.fail(sq, STARS_ERROR_EXCEPTION, system_.refusal());
        return;
    }
    if (!pages)
        std::memcpy(to, &sqe.word[8], store.bytes);
    system_.stored(queues_.device, store.address, store.bytes);
    progress_.executed(sq);
}

void SqeExecutor::admitted(uint32_t sq)
{
    switch (queues_[sq].type) {
    case STARS_SQE_AICPU:
        engines_.calls.start(sq);
        break;
    case STARS_SQE_COND:
        engines_.conds.start(sq);
        break;
    case STARS_SQE_AICORE:
        engines_.kernels.start(sq);
        break;
    default:
        engines_.dma.start(sq);
        break;
    }
}

} // namespace tsim
