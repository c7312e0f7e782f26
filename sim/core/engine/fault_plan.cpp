// SPDX-License-Identifier: Apache-2.0
#include "core/engine/fault_plan.h"

#include <algorithm>
#include <iterator>

namespace tsim
{

namespace
{

constexpr uint32_t bit(uint32_t kind)
{
    return 1u << kind;
}

constexpr uint32_t kEngineKinds = bit(TWINSIM_FAULT_ENGINE_ERROR) |
                                  bit(TWINSIM_FAULT_ENGINE_TIMEOUT) |
                                  bit(TWINSIM_FAULT_ENGINE_SLOW) | bit(TWINSIM_FAULT_ENGINE_HANG);

/// They hit CQEs, not the SQEs themselves.
constexpr uint32_t kCqeKinds = bit(TWINSIM_FAULT_CQE_LOST) | bit(TWINSIM_FAULT_CQ_FULL);

// Kinds that use a member of the fault which others have no use for.
constexpr uint32_t kTimedKinds = bit(TWINSIM_FAULT_ENGINE_TIMEOUT) |
                                 bit(TWINSIM_FAULT_COMPLETION_LOST) | bit(TWINSIM_FAULT_CQ_FULL);
constexpr uint32_t kErrorKinds =
    bit(TWINSIM_FAULT_ENGINE_ERROR) | bit(TWINSIM_FAULT_ENGINE_TIMEOUT);
constexpr uint32_t kStatusKinds = kErrorKinds | bit(TWINSIM_FAULT_MEMORY);

bool is(uint32_t kind, uint32_t kinds)
{
    return (bit(kind) & kinds) != 0;
}

/// SQE types whose engine can fail (T-FLT-6 to T-FLT-9, T-FLT-15 to T-FLT-17). A type that gets an
/// engine joins here.
bool has_engine(uint32_t type)
{
    return type == STARS_SQE_SDMA || type == STARS_SQE_DSA || type == STARS_SQE_PCIE_DMA ||
           type == STARS_SQE_AICORE;
}

/// SQE types that write into an event, notify or count table.
bool writes_table(uint32_t type)
{
    return type == STARS_SQE_EVENT_RECORD || type == STARS_SQE_NOTIFY_RECORD ||
           type == STARS_SQE_WRITE_VALUE;
}

uint32_t type_of(const stars_sqe &sqe)
{
    return sqe.word[0] & STARS_W0_TYPE_MASK;
}

uint16_t status_or(const twinsim_fault &fault, uint32_t usual)
{
    return static_cast<uint16_t>(fault.status != 0 ? fault.status : usual);
}

/// Says which member of a fault its kind has no use for; nullptr: none.
const char *without_effect(const twinsim_fault &fault)
{
    if (fault.duration_ns != 0 && !is(fault.kind, kTimedKinds))
        return "a fault of this kind has no duration: lost completions, full queues and engines "
               "that give up have one";
    if (fault.factor_permille != 0 && fault.kind != TWINSIM_FAULT_ENGINE_SLOW)
        return "a fault of this kind has no factor: slow engines have one";
    if ((fault.address != 0 || fault.bytes != 0 || fault.access > TWINSIM_FAULT_READ) &&
        fault.kind != TWINSIM_FAULT_MEMORY)
        return "a fault of this kind has no range of addresses: memory faults have one";
    if ((fault.status != 0 && !is(fault.kind, kStatusKinds)) ||
        (fault.error != 0 && !is(fault.kind, kErrorKinds)))
        return "a fault of this kind has no status: memory faults, errors of engines and engines "
               "that give up have one";
    if (fault.id != TWINSIM_ANY && fault.kind != TWINSIM_FAULT_RECORD_LOST)
        return "only a lost record names an event or notify";
    if (fault.stream != TWINSIM_ANY && fault.task == TWINSIM_FAULT_HOST_DMA)
        return "copies outside all queues are of no stream";
    return nullptr;
}

/// The table entry that an SQE writes; kNone: none.
uint32_t entry_of(const stars_sqe &sqe)
{
    switch (type_of(sqe)) {
    case STARS_SQE_EVENT_RECORD:
        return sqe.word[2] & STARS_W2_EVENT_MASK;
    case STARS_SQE_NOTIFY_RECORD:
        return sqe.word[2] & STARS_W2_NOTIFY_MASK;
    case STARS_SQE_WRITE_VALUE:
        return (sqe.word[5] & STARS_W5_VIRTUAL) != 0 ? kNone : (sqe.word[4] & 0xffffffu) / 4;
    default:
        return kNone;
    }
}

} // namespace

// T-FLT-1.
const char *FaultPlan::check(const twinsim_fault &fault)
{
    if (fault.kind >= TWINSIM_FAULT_KINDS)
        return "there is no such kind of fault";
    if (fault.first == 0)
        return "the first to be hit is counted from 1";
    if (fault.task != TWINSIM_ANY && fault.task > TWINSIM_FAULT_HOST_DMA)
        return "there is no such type of task";
    if (fault.duration_ns > TWINSIM_FAULT_DURATION_MOST)
        return "a duration is at most 2 * 10^13 ns, five hours and a half; 0 may mean for ever";
    if (fault.error > UINT8_MAX || fault.status > UINT16_MAX)
        return "error takes 8 bits and status 16";
    const bool host = fault.task == TWINSIM_FAULT_HOST_DMA;
    if (host && fault.kind != TWINSIM_FAULT_ENGINE_ERROR)
        return "copies outside all queues can only be hit by an engine error or a memory error";
    switch (fault.kind) {
    case TWINSIM_FAULT_MEMORY:
        if (fault.bytes == 0 || fault.address + fault.bytes < fault.address)
            return "a memory fault needs a range of addresses that is not empty";
        if ((fault.access & (TWINSIM_FAULT_READ | TWINSIM_FAULT_WRITE)) == 0 || fault.access > 3)
            return "a memory fault hits reads, writes, or both";
        if (fault.task != TWINSIM_ANY || fault.stream != TWINSIM_ANY)
            return "a memory fault hits all accesses to its range, not one task or stream";
        break;
    case TWINSIM_FAULT_ENGINE_SLOW:
        if (fault.factor_permille <= 1000 || fault.factor_permille > 1000000)
            return "a slow engine takes more than its time, up to 1000 times as long";
        break;
    case TWINSIM_FAULT_ENGINE_TIMEOUT:
        if (fault.duration_ns == 0)
            return "an engine that gives up does so after a time that is not 0";
        break;
    case TWINSIM_FAULT_RECORD_LOST:
        if (fault.task != TWINSIM_ANY && !writes_table(fault.task))
            return "only records and resets of events and notifies can be lost on their way";
        break;
    case TWINSIM_FAULT_DOORBELL_LOST:
        if (fault.task != TWINSIM_ANY)
            return "a doorbell is of a queue, not of a task";
        break;
    default:
        break;
    }
    if (is(fault.kind, kEngineKinds) && fault.task != TWINSIM_ANY && !host &&
        !has_engine(fault.task))
        return "tasks of that type have no engine that could fail";
    return without_effect(fault);
}

uint32_t FaultPlan::inject(const twinsim_fault &fault)
{
    lost_.resize(timers_);
    effects_.resize(timers_);
    injected_.push_back({++last_number_, fault});
    armed_ = true;
    set_bus();
    return last_number_;
}

bool FaultPlan::remove(uint32_t number)
{
    const auto gone = [number](const Injected &p) { return number == 0 || p.number == number; };
    const auto end = std::remove_if(injected_.begin(), injected_.end(), gone);
    if (end == injected_.end())
        return number == 0;
    injected_.erase(end, injected_.end());
    set_bus();
    return true;
}

bool FaultPlan::triggered(uint32_t number, uint64_t &out_times) const
{
    for (const Injected &injected : injected_) {
        if (injected.number == number) {
            out_times = injected.triggered;
            return true;
        }
    }
    return false;
}

// ---- tasks -------------------------------------------------------------------------------------

// T-FLT-2: one more that fits.
bool FaultPlan::triggers_now(Injected &injected)
{
    const uint64_t place = ++injected.matched;
    const twinsim_fault &fault = injected.fault;
    if (place < fault.first || (fault.times != 0 && place - fault.first >= fault.times))
        return false;
    ++injected.triggered;
    return true;
}

bool FaultPlan::fits(const twinsim_fault &fault, const Subject &subject)
{
    if ((fault.device != TWINSIM_ANY && fault.device != subject.device) ||
        (fault.stream != TWINSIM_ANY && fault.stream != subject.stream))
        return false;
    const uint32_t type = type_of(subject.sqe);
    if (fault.task != TWINSIM_ANY && fault.task != type)
        return false;
    switch (fault.kind) {
    case TWINSIM_FAULT_MEMORY:
    case TWINSIM_FAULT_DOORBELL_LOST:
        return false;
    case TWINSIM_FAULT_RECORD_LOST: {
        const uint32_t entry = entry_of(subject.sqe);
        return entry != kNone && (fault.id == TWINSIM_ANY || fault.id == entry);
    }
    default:
        return !is(fault.kind, kEngineKinds) || has_engine(type);
    }
}

// T-FLT-3: of several faults of one kind the one injected first says how.
void FaultPlan::note(const twinsim_fault &fault, uint32_t type, Effect &effect)
{
    if (is(fault.kind, effect.kinds))
        return;
    effect.kinds |= bit(fault.kind);
    switch (fault.kind) {
    case TWINSIM_FAULT_ENGINE_ERROR:
    case TWINSIM_FAULT_ENGINE_TIMEOUT: {
        const bool late = fault.kind == TWINSIM_FAULT_ENGINE_TIMEOUT;
        const uint32_t error = late ? STARS_ERROR_TIMEOUT : STARS_ERROR_EXCEPTION;
        const bool kernel = type == STARS_SQE_AICORE;
        const uint32_t status =
            late ? (kernel ? STARS_STATUS_AICORE_TIMEOUT : STARS_STATUS_DMA_TIMEOUT)
                 : (kernel ? STARS_STATUS_AICORE_EXCEPTION : STARS_STATUS_DMA_ERROR);
        if (late)
            effect.give_up_ns = fault.duration_ns;
        else if (is(TWINSIM_FAULT_ENGINE_TIMEOUT, effect.kinds))
            break; // it never gets so far as to end with an error
        effect.error = static_cast<uint8_t>(fault.error != 0 ? fault.error : error);
        effect.status = status_or(fault, status);
        break;
    }
    case TWINSIM_FAULT_ENGINE_SLOW:
        effect.slow_permille = fault.factor_permille;
        break;
    case TWINSIM_FAULT_COMPLETION_LOST:
        effect.lost_ns = fault.duration_ns;
        break;
    case TWINSIM_FAULT_CQ_FULL:
        effect.full_ns = fault.duration_ns;
        break;
    default:
        break;
    }
}

bool FaultPlan::begin(const Subject &subject)
{
    Effect effect;
    for (Injected &injected : injected_) {
        if (!is(injected.fault.kind, kCqeKinds) && fits(injected.fault, subject) &&
            triggers_now(injected))
            note(injected.fault, type_of(subject.sqe), effect);
    }
    effects_[subject.timer] = effect;
    armed_ = !injected_.empty();
    return effect.kinds != 0;
}

bool FaultPlan::begin_cqe(const Subject &subject, bool triggered)
{
    Effect effect;
    if (triggered)
        effect = effects_[subject.timer];
    for (Injected &injected : injected_) {
        if (is(injected.fault.kind, kCqeKinds) && fits(injected.fault, subject) &&
            triggers_now(injected))
            note(injected.fault, type_of(subject.sqe), effect);
    }
    const bool any = (effect.kinds & kCqeKinds) != 0;
    if (any)
        effects_[subject.timer] = effect;
    return any;
}

bool FaultPlan::loses_doorbell(uint32_t device, uint16_t stream)
{
    bool lost = false;
    for (Injected &injected : injected_) {
        const twinsim_fault &fault = injected.fault;
        if (fault.kind == TWINSIM_FAULT_DOORBELL_LOST &&
            (fault.device == TWINSIM_ANY || fault.device == device) &&
            (fault.stream == TWINSIM_ANY || fault.stream == stream) && triggers_now(injected))
            lost = true;
    }
    return lost;
}

// T-FLT-12. One for each entry, so that a fault that hits for ever needs no more memory than the
// tables have entries.
void FaultPlan::lose_record(const Subject &subject, uint64_t number)
{
    const uint64_t entry = uint64_t{subject.device} << 40 | uint64_t{type_of(subject.sqe)} << 32 |
                           entry_of(subject.sqe);
    losses_[entry] = {subject.timer, number};
}

bool FaultPlan::lost_record(uint32_t timer, uint64_t number) const
{
    return std::any_of(losses_.begin(), losses_.end(), [&](const auto &loss) {
        return loss.second.timer == timer && loss.second.number == number;
    });
}

void FaultPlan::forget(uint32_t timer)
{
    if (timer < lost_.size())
        lost_[timer] = 0;
    for (auto at = losses_.begin(); at != losses_.end();)
        at = at->second.timer == timer ? losses_.erase(at) : std::next(at);
}

uint16_t FaultPlan::fails_host_dma(uint32_t device)
{
    uint16_t status = 0;
    for (Injected &injected : injected_) {
        const twinsim_fault &fault = injected.fault;
        if (fault.kind == TWINSIM_FAULT_ENGINE_ERROR && fault.task == TWINSIM_FAULT_HOST_DMA &&
            (fault.device == TWINSIM_ANY || fault.device == device) && triggers_now(injected) &&
            status == 0)
            status = status_or(fault, STARS_STATUS_DMA_ERROR);
    }
    return status;
}

// ---- memory ------------------------------------------------------------------------------------

// T-FLT-4: the blocks see the plan in place of the bus only while a memory fault is injected.
void FaultPlan::set_bus()
{
    const bool wanted = std::any_of(injected_.begin(), injected_.end(), [](const Injected &p) {
        return p.fault.kind == TWINSIM_FAULT_MEMORY;
    });
    bus_ = inner_;
    watches_memory_ = wanted;
    status_ = 0;
    if (!wanted)
        return;
    bus_.context = this;
    bus_.translate = translate;
    // The rest passes through, with its own context.
    if (inner_.piece)
        bus_.piece = [](void *context, uint32_t device, uint64_t address, uint64_t *out_place) {
            const twinsim_bus &inner = static_cast<FaultPlan *>(context)->inner_;
            return inner.piece(inner.context, device, address, out_place);
        };
    if (inner_.host_move)
        bus_.host_move = [](void *context, void *to, const void *from, uint64_t bytes) {
            const twinsim_bus &inner = static_cast<FaultPlan *>(context)->inner_;
            return inner.host_move(inner.context, to, from, bytes);
        };
    if (inner_.kernel)
        bus_.kernel = [](void *context, const struct twinsim_kernel_task *task,
                         struct twinsim_kernel *out) {
            const twinsim_bus &inner = static_cast<FaultPlan *>(context)->inner_;
            return inner.kernel(inner.context, task, out);
        };
    if (inner_.kernel_effect)
        bus_.kernel_effect = [](void *context, uint32_t device, uint32_t sq, uint64_t number,
                                uint32_t of) {
            const twinsim_bus &inner = static_cast<FaultPlan *>(context)->inner_;
            return inner.kernel_effect(inner.context, device, sq, number, of);
        };
    if (inner_.kernel_end)
        bus_.kernel_end = [](void *context, uint32_t device, uint32_t sq, uint64_t number,
                             uint32_t of) {
            const twinsim_bus &inner = static_cast<FaultPlan *>(context)->inner_;
            inner.kernel_end(inner.context, device, sq, number, of);
        };
    if (inner_.failed)
        bus_.failed = [](void *context, uint32_t device, uint32_t sq) {
            const twinsim_bus &inner = static_cast<FaultPlan *>(context)->inner_;
            inner.failed(inner.context, device, sq);
        };
}

void *FaultPlan::translate(void *context, uint32_t device, uint64_t address, uint64_t bytes,
                           twinsim_access access, twinsim_target *out_target, uint32_t *out_device)
{
    auto *plan = static_cast<FaultPlan *>(context);
    plan->status_ = 0; // what fails from here on fails for its own reason
    void *place = plan->inner_.translate(plan->inner_.context, device, address, bytes, access,
                                         out_target, out_device);
    if (place && access != TWINSIM_ROUTE && plan->hit(*out_device, address, bytes, access))
        return nullptr;
    return place;
}

// An engine may look at its rows one by one: what is met in one instant counts once.
bool FaultPlan::triggers_on_access(Injected &injected) const
{
    if (injected.asked_at != now_)
        injected.answer = triggers_now(injected);
    injected.asked_at = now_;
    return injected.answer;
}

// `device` owns the memory.
bool FaultPlan::hit(uint32_t device, uint64_t address, uint64_t bytes, twinsim_access access)
{
    const uint32_t way = access == TWINSIM_WRITE ? TWINSIM_FAULT_WRITE : TWINSIM_FAULT_READ;
    bool any = false;
    for (Injected &injected : injected_) {
        const twinsim_fault &fault = injected.fault;
        if (fault.kind != TWINSIM_FAULT_MEMORY || (fault.access & way) == 0 ||
            (fault.device != TWINSIM_ANY && fault.device != device) ||
            address + bytes <= fault.address || fault.address + fault.bytes <= address ||
            !triggers_on_access(injected) || any)
            continue;
        any = true;
        status_ = status_or(fault, STARS_STATUS_POISON);
        const auto same = [&](const Met &met) {
            return met.device == device && met.error.address == fault.address &&
                   met.error.bytes == fault.bytes;
        };
        if (std::none_of(met_.begin(), met_.end(), same))
            met_.push_back({device, {fault.address, fault.bytes, status_}});
    }
    return any;
}

uint16_t FaultPlan::touch(uint32_t device, uint64_t address, uint64_t bytes, twinsim_access access)
{
    const bool triggered = watches_memory_ && hit(device, address, bytes, access);
    return triggered ? status_ : uint16_t{0};
}

size_t FaultPlan::errors(uint32_t device, twinsim_memory_error *out, size_t room) const
{
    size_t count = 0;
    for (const Met &met : met_)
        count += met.device == device ? 1 : 0;
    size_t skip = count > room ? count - room : 0;
    for (const Met &met : met_) {
        if (met.device != device)
            continue;
        if (skip > 0)
            --skip;
        else
            *out++ = met.error;
    }
    return count;
}

// T-FLT-4: both the fault and what was noted of it are gone.
bool FaultPlan::repair(uint32_t device, uint64_t address, uint64_t bytes)
{
    const auto within = [&](uint64_t begin, uint64_t length) {
        return begin >= address && begin - address <= bytes && length <= bytes - (begin - address);
    };
    const auto noted = [&](const Met &met) {
        return met.device == device && within(met.error.address, met.error.bytes);
    };
    const auto end = std::remove_if(met_.begin(), met_.end(), noted);
    if (end == met_.end())
        return false;
    met_.erase(end, met_.end());
    const auto healed = [&](const Injected &p) {
        return p.fault.kind == TWINSIM_FAULT_MEMORY &&
               (p.fault.device == TWINSIM_ANY || p.fault.device == device) &&
               within(p.fault.address, p.fault.bytes);
    };
    injected_.erase(std::remove_if(injected_.begin(), injected_.end(), healed), injected_.end());
    set_bus();
    return true;
}

} // namespace tsim
