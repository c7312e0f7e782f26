// SPDX-License-Identifier: Apache-2.0
/// From decode to effect: what an SQE asks for, and that. Rules T-SQE-3, T-SQE-9, T-SQE-10, T-SQE-12, T-SCH-8, EVT, NTF, T-CTN-1, T-CTN-2.
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

// T-SQE-9.
[[nodiscard]] SqeDecoded decode_store(const stars_sqe &sqe, uint32_t events, uint32_t notifies)
{
    const Store store = store_of(sqe, events, notifies);
    const uint32_t subtype = sqe.word[7];
    const bool reset = subtype == STARS_WRITE_VALUE_SUBTYPE_EVENT_RESET;
    const bool remote = store.address >= STARS_PEER_BASE;
    if ((subtype != STARS_WRITE_VALUE_SUBTYPE_GENERIC && !reset) || store.bytes > 32 ||
        (reset && store.where != Store::kEvent && !remote))
        return {};
    const bool flag = (sqe.word[8] & 1u) != 0;
    switch (store.where) {
    case Store::kEvent:
        return {flag ? SqeEffect::kEventRecord : SqeEffect::kEventClear, 0, store.id};
    case Store::kNotify:
        return {flag ? SqeEffect::kNotifyRecord : SqeEffect::kNotifyClear, 0, store.id};
    case Store::kMemory:
        return {SqeEffect::kStore};
    default:
        return {remote ? SqeEffect::kRemote : SqeEffect::kNowhere};
    }
}

/// What the time of an access to an event rests on.
[[nodiscard]] uint32_t event_parameter(const Params &p, bool loaded)
{
    return loaded ? p.event_miss.index : p.event_table.index;
}

} // namespace

// T-SQE-3.
inline Cycle TaskScheduler::access_time(uint32_t sq, const stars_sqe &sqe) const
{
    const Params &p = board_.params;
    switch (queues_[sq].type) {
    case STARS_SQE_EVENT_RECORD:
    case STARS_SQE_EVENT_WAIT:
        return latency(sq, p.event_table);
    case STARS_SQE_NOTIFY_RECORD:
    case STARS_SQE_NOTIFY_WAIT:
        return latency(sq, p.notify_table);
    case STARS_SQE_WRITE_VALUE: {
        const auto where = store_of(sqe, events_.size(), notifies_.size()).where;
        return where == Store::kEvent    ? latency(sq, p.event_table)
               : where == Store::kNotify ? latency(sq, p.notify_table)
                                         : latency(sq, p.write_value);
    }
    default:
        return 0;
    }
}

// T-SQE-3: how long the SQE takes until it has its effect.
void TaskScheduler::after_decode(uint32_t sq, Cycle decoded, SqeOp op)
{
    Queue &q = queues_[sq];
    q.state = State::kWork;
    q.mark = decoded;
    advance(sq, op,
            {SqeNext::kExecute, SqeHold::kNot, decoded + access_time(sq, fronts_[sq].sqe())});
}

// T-SQE-10: what is not understood is bad. Of a DMA the job is read, too.
[[gnu::always_inline]] inline SqeDecoded TaskScheduler::decode(uint32_t sq, const stars_sqe &sqe)
{
    const uint8_t type = queues_[sq].type;
    switch (type) {
    case STARS_SQE_PLACEHOLDER: // T-SQE-12
        if (field(sqe, 0, STARS_W0_BLOCK_DIM_SHIFT, 16) == STARS_PLACEHOLDER_NOP)
            return {SqeEffect::kNothing};
        break;
    case STARS_SQE_EVENT_RECORD:
    case STARS_SQE_EVENT_WAIT: {
        const uint32_t id = sqe.word[2] & STARS_W2_EVENT_MASK;
        if (id < events_.size())
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
            if (id < notifies_.size())
                return {record ? SqeEffect::kNotifyRecord : SqeEffect::kNotifyWait, 0, id};
        } else if (id < counts_.size() && // T-CTN-1, T-CTN-2
                   sqe.word[STARS_COUNT_MODE_WORD] <=
                       (record ? uint32_t{STARS_COUNT_AND} : uint32_t{STARS_COUNT_MASK})) {
            return {record ? SqeEffect::kCountRecord : SqeEffect::kCountWait, 0, id};
        }
        break;
    }
    case STARS_SQE_WRITE_VALUE:
        return decode_store(sqe, events_.size(), notifies_.size());
    case STARS_SQE_COND:
        return {SqeEffect::kDispatch, kCond};
    case STARS_SQE_AICORE:
        if (kernel_is_good(sqe))
            return {SqeEffect::kDispatch, kernel_class(sqe)};
        break;
    case STARS_SQE_SDMA:
    case STARS_SQE_PCIE_DMA:
        if (decode_job(sqe, board_.params.list_most.value, jobs_[sq]))
            return {SqeEffect::kDispatch, type == STARS_SQE_SDMA ? kSdma : kPcieDma};
        break;
    case STARS_SQE_AICPU: // T-CPU-7
        if (field(sqe, 2, STARS_W2_TOPIC_SHIFT, 4) == STARS_TOPIC_HOST)
            return {SqeEffect::kDispatch, kCpuTopic};
        break;
    default:
        break;
    }
    return {};
}

inline void TaskScheduler::wait_event(uint32_t sq, uint32_t id, const stars_sqe &sqe)
{
    queues_[sq].wait_id = id;
    if (events_.wait(id, sq, board_.now))
        executed(sq);
    else
        park(sq, sqe, sqe.word[STARS_EVENT_TIMEOUT_WORD]);
}

inline void TaskScheduler::wait_notify(uint32_t sq, uint32_t id, const stars_sqe &sqe)
{
    queues_[sq].wait_id = id;
    if (notifies_.wait(id, sq, board_.now))
        executed(sq);
    else
        park(sq, sqe, sqe.word[STARS_NOTIFY_TIMEOUT_WORD]);
}

[[gnu::always_inline]] inline void TaskScheduler::effect_of(uint32_t sq, SqeDecoded decoded)
{
    Queue &q = queues_[sq];
    const Params &p = board_.params;
    const stars_sqe &sqe = fronts_[sq].sqe();
    const uint32_t id = decoded.id;
    const bool is_store = q.type == STARS_SQE_WRITE_VALUE;
    switch (decoded.effect) {
    case SqeEffect::kNothing:
        executed(sq, SqeOp::kExecute);
        break;
    case SqeEffect::kEventRecord:
    case SqeEffect::kEventWait:
    case SqeEffect::kEventClear: {
        const bool loaded = q.step == Step::kLoaded;
        if (__builtin_expect(events_.in_memory(id), 0) && !loaded) {
            load_event(sq, id);
            break;
        }
        note_access(sq, event_parameter(p, loaded), id,
                    is_store && decoded.effect == SqeEffect::kEventRecord ? TWINSIM_TABLE_SETS : 0);
        if (decoded.effect == SqeEffect::kEventWait) {
            wait_event(sq, id, sqe);
            break;
        }
        write_event(id, decoded.effect == SqeEffect::kEventRecord, sq);
        executed(sq);
        break;
    }
    case SqeEffect::kNotifyRecord:
    case SqeEffect::kNotifyClear:
        note_access(sq, p.notify_table.index, id, is_store ? TWINSIM_TABLE_NOTIFY : 0);
        write_notify(id, decoded.effect == SqeEffect::kNotifyRecord, sq);
        executed(sq);
        break;
    case SqeEffect::kNotifyWait:
        note_access(sq, p.notify_table.index, id, 0);
        wait_notify(sq, id, sqe);
        break;
    case SqeEffect::kCountRecord:
        record_count(sq, id, sqe);
        break;
    case SqeEffect::kCountWait:
        wait_count(sq, id, sqe);
        break;
    case SqeEffect::kStore:
        write_memory(sq, sqe);
        break;
    case SqeEffect::kRemote:
        write_remote(sq, sqe);
        break;
    case SqeEffect::kNowhere:
        note(sq, {TWINSIM_PHASE_TABLE, q.mark, p.write_value.index, kNone,
                  1u << field(sqe, 5, STARS_W5_SIZE_SHIFT, 3)});
        fail(sq, STARS_ERROR_EXCEPTION, STARS_STATUS_BUS_FAULT, SqeOp::kExecute);
        break;
    case SqeEffect::kDispatch:
        q.share = static_cast<Class>(decoded.share);
        dispatch(sq);
        break;
    case SqeEffect::kBad: // T-SQE-10
        fail(sq, STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE, SqeOp::kExecute);
        break;
    }
}

void TaskScheduler::write_memory(uint32_t sq, const stars_sqe &sqe)
{
    const Store store = store_of(sqe, events_.size(), notifies_.size());
    note(sq, {TWINSIM_PHASE_TABLE, queues_[sq].mark, board_.params.write_value.index, kNone,
              store.bytes});
    twinsim_target target = TWINSIM_TARGET_NONE;
    uint32_t owner = device_;
    void *const to = board_.bus.translate(board_.bus.context, device_, store.address, store.bytes,
                                          TWINSIM_WRITE, &target, &owner);
    if (!to) {
        fail(sq, STARS_ERROR_EXCEPTION, board_.refusal());
        return;
    }
    std::memcpy(to, &sqe.word[8], store.bytes);
    board_.stored(store.address, store.bytes);
    executed(sq);
}

// Both at once, so that a plain SQE is looked at once.
void TaskScheduler::execute(uint32_t sq)
{
    if (__builtin_expect(sqe_rtl_port_ != nullptr, 0))
        execute_rtl_port(sq);
    else
        effect_of(sq, decode(sq, fronts_[sq].sqe()));
}

void TaskScheduler::have_effect(uint32_t sq, SqeDecoded decoded)
{
    effect_of(sq, decoded);
}

void TaskScheduler::execute_rtl_port(uint32_t sq)
{
    decoded_ = decode(sq, fronts_[sq].sqe());
    switch (decoded_.effect) {
    case SqeEffect::kNothing:
    case SqeEffect::kNowhere:
    case SqeEffect::kBad: // what comes next is known, and told with it
        have_effect(sq, decoded_);
        break;
    default:
        advance_rtl_port(sq, SqeOp::kExecute, SqeNext::kEffect, SqeHold::kNot, kNever);
        break;
    }
}

} // namespace tsim
