// SPDX-License-Identifier: Apache-2.0
#include "core/trace.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "twinsim/stars.h"

namespace tsim
{

namespace
{

// An entry's first word: kind, flags, source, whether the next SQE is meant, and the cycles since the entry before it.
// Other words by kind:
//   head   number << 24 | task id << 8 | SQE type; bits of the number that this drops stand in the place of the time
//   time   the time itself
//   swap   time since it was asked for; flag: the slots were short
//   begin  time since the arrival | time until it is fetched << 32
//   phases length | parameter << 32 | id << 47;     bytes, if any;     with the flag: waker, its SQE's number; of a
//          transfer: the route
//   retire time since the phase began | time since the SQE began << 32;     bytes, if any;     flag: it goes on
//   link   of that number, in place of the source: length; parameter | device << 32; bytes per second
//   open   the stream
//   whole  the record
// A wide entry has, in place of that one word, one per value.
constexpr uint32_t kHead = 48; // below: a twinsim_phase
constexpr uint32_t kTime = 49;
constexpr uint32_t kSwap = 50;
constexpr uint32_t kBegin = 51;
constexpr uint32_t kRetire = 52;
constexpr uint32_t kWhole = 53;
constexpr uint32_t kLink = 54;
constexpr uint32_t kOpen = 55;
constexpr uint32_t kKindMask = 63;
constexpr uint32_t kWide = 64;
constexpr uint32_t kBytes = 128;
constexpr uint32_t kFlag = 256;

constexpr unsigned kSourceShift = 9;
constexpr unsigned kNextShift = 26;
constexpr unsigned kTimeShift = 27;
constexpr uint32_t kSourceMask = (1u << (kNextShift - kSourceShift)) - 1;
constexpr Cycle kTimeLimit = uint64_t{1} << (64 - kTimeShift);
static_assert(kMaxDevices * kMaxQueues == kSourceMask + 1);
static_assert(TWINSIM_PHASE_COUNT <= kHead);

constexpr unsigned kParameterShift = 32;
constexpr unsigned kIdShift = 47;
constexpr uint32_t kParameterMask = (1u << (kIdShift - kParameterShift)) - 1; // all bits: none
constexpr uint32_t kIdMask = (1u << (64 - kIdShift)) - 1;                     // all bits: none

constexpr size_t kRecordWords = sizeof(twinsim_trace_record) / sizeof(uint64_t);
static_assert(kRecordWords * sizeof(uint64_t) == sizeof(twinsim_trace_record));

// The first chunk is small, for short programs; each other one is a huge page.
constexpr size_t kSmallBytes = size_t{64} << 10;
constexpr size_t kHugePage = size_t{2} << 20;

[[nodiscard]] constexpr bool fits32(uint64_t value)
{
    return value >> 32 == 0;
}

// As a field of the width of `mask`, where all bits stand for kNone.
[[nodiscard]] constexpr bool fits(uint32_t value, uint32_t mask)
{
    return value < mask || value == kNone;
}

[[nodiscard]] constexpr uint32_t widen(uint64_t field, uint32_t mask)
{
    const uint32_t value = static_cast<uint32_t>(field) & mask;
    return value == mask ? kNone : value;
}

[[nodiscard]] twinsim_engine engine_of(uint8_t sqe_type)
{
    return sqe_type == STARS_SQE_SDMA       ? TWINSIM_ENGINE_SDMA
           : sqe_type == STARS_SQE_PCIE_DMA ? TWINSIM_ENGINE_PCIE_DMA
                                            : TWINSIM_ENGINE_NONE;
}

} // namespace

// ---- writing -----------------------------------------------------------------------------------

void Trace::grow()
{
    if (!keep_ && !chunks_.empty()) {
        count_up();
        return;
    }
    const bool huge = !chunks_.empty();
    const size_t bytes = huge ? kHugePage : kSmallBytes;
    chunks_.reserve(chunks_.size() + 1);
    void *at = std::aligned_alloc(huge ? kHugePage : 4096, bytes);
    if (!at)
        throw std::bad_alloc();
    // Huge pages save most of the page faults. A kernel without them says no.
    if (huge)
        (void)madvise(at, bytes, MADV_HUGEPAGE);
    if (!chunks_.empty())
        chunks_.back().end = end_;
    auto *words = static_cast<uint64_t *>(at);
    chunks_.push_back({std::unique_ptr<uint64_t[], Free>(words), words});
    end_ = words;
    limit_ = words + bytes / sizeof(uint64_t);
}

inline void Trace::put(uint32_t kind, uint32_t source, Cycle now)
{
    reserve();
    Cycle passed = now - now_;
    if (passed >= kTimeLimit) {
        put_word(kTime);
        put_word(now);
        passed = 0;
    }
    now_ = now;
    put_word(kind | uint64_t{source} << kSourceShift | passed << kTimeShift);
}

void Trace::head(uint32_t source, uint64_t number, uint16_t task_id, uint8_t sqe_type)
{
    reserve();
    put_word(kHead | uint64_t{source} << kSourceShift | number >> 40 << kTimeShift);
    put_word(number << 24 | uint64_t{task_id} << 8 | sqe_type);
}

void Trace::swapped_in(uint32_t source, Cycle now, Cycle asked, bool was_short)
{
    put(kSwap | (was_short ? kFlag : 0), source, now);
    put_word(now - asked);
}

void Trace::begun(uint32_t source, Cycle now, Cycle arrival, Cycle ready)
{
    const Cycle age = now - arrival;
    const Cycle fetch = ready - now;
    if (fits32(age | fetch)) {
        put(kBegin, source, now);
        put_word(age | fetch << 32);
    } else {
        put(kBegin | kWide, source, now);
        put_word(age);
        put_word(fetch);
    }
}

void Trace::phase(uint32_t source, Cycle now, const Phase &what)
{
    const bool woken = what.waker != kNone || what.waker_number != 0;
    const uint32_t kind =
        what.phase | (what.bytes != 0 ? kBytes : 0u) | (woken || what.route != kNone ? kFlag : 0u);
    const Cycle length = now - what.begin;
    if (fits32(length) && fits(what.parameter, kParameterMask) && fits(what.id, kIdMask)) {
        put(kind, source, now);
        put_word(length | uint64_t{what.parameter & kParameterMask} << kParameterShift |
                 uint64_t{what.id} << kIdShift);
    } else {
        put(kind | kWide, source, now);
        put_word(length);
        put_word(what.parameter);
        put_word(what.id);
    }
    if (what.bytes != 0)
        put_word(what.bytes);
    if (what.route != kNone) {
        put_word(what.route);
    } else if (woken) {
        put_word(what.waker);
        put_word(what.waker_number);
    }
}

void Trace::retired(uint32_t source, Cycle now, Cycle mark, Cycle begun, uint64_t bytes)
{
    const uint32_t kind = kRetire | (bytes != 0 ? kBytes : 0u);
    const Cycle end = now - mark;
    const Cycle task = now - begun;
    if (fits32(end | task)) {
        put(kind, source, now);
        put_word(end | task << 32);
    } else {
        put(kind | kWide, source, now);
        put_word(end);
        put_word(task);
    }
    if (bytes != 0)
        put_word(bytes);
}

void Trace::retiring(uint32_t source, Cycle now, Cycle mark)
{
    put(kRetire | kWide | kFlag, source, now);
    put_word(now - mark);
    put_word(0);
}

void Trace::opened(uint32_t source, Cycle now, uint32_t stream_id)
{
    put(kOpen, source, now);
    put_word(stream_id);
}

void Trace::take(uint32_t source, Holding what, Cycle now, uint32_t id)
{
    InUse &used = in_use(source, what, id);
    used.most = std::max(used.most, ++used.now);
    if (since_[what].size() <= source)
        since_[what].resize(source + 1);
    since_[what][source] = now;
}

void Trace::give(uint32_t source, Holding what, Cycle now, uint32_t parameter, uint32_t id)
{
    --in_use(source, what, id).now;
    if (since_[what].size() <= source || since_[what][source] == now)
        return;
    phase(source, now,
          {what == kSlot ? TWINSIM_PHASE_OCCUPY : TWINSIM_PHASE_SHARE, since_[what][source],
           parameter, id});
}

void Trace::links(const LinkNetwork &links, Cycle now)
{
    links.loads(loads_);
    link_now_.resize(loads_.size());
    for (uint32_t link = 0; link < loads_.size(); ++link) {
        LinkNow &was = link_now_[link];
        if (was.rate == loads_[link])
            continue;
        if (was.rate != 0 && was.since != now) {
            put(kLink, link, now);
            put_word(now - was.since);
            put_word(links.link_parameter(link) | uint64_t{links.link_device(link)} << 32);
            put_word(was.rate);
        }
        was = {loads_[link], now};
    }
}

void Trace::whole(const twinsim_trace_record &record)
{
    reserve();
    put_word(kWhole);
    std::memcpy(end_, &record, sizeof(record));
    end_ += kRecordWords;
}

// ---- reading -----------------------------------------------------------------------------------

twinsim_trace_record Trace::blank(const Reader &reader, uint32_t source)
{
    const Head &head = reader.heads[source];
    twinsim_trace_record out{};
    out.number = head.number;
    out.parameter = kNone;
    out.id = kNone;
    out.sq = static_cast<uint16_t>(source % kMaxQueues);
    out.task_id = head.task_id;
    out.device = static_cast<uint8_t>(source / kMaxQueues);
    out.sqe_type = head.sqe_type;
    out.engine = static_cast<uint8_t>(engine_of(head.sqe_type));
    out.waker_sq = kNone;
    out.route = kNone;
    return out;
}

template <typename Take>
const uint64_t *Trace::unpack(Reader &reader, const uint64_t *at, Take &&take) const
{
    const uint64_t first = *at++;
    const uint32_t kind = first & kKindMask;
    const uint32_t source = static_cast<uint32_t>(first >> kSourceShift) & kSourceMask;
    const bool flag = (first & kFlag) != 0;
    if (kind == kTime) {
        reader.now = *at++;
        return at;
    }
    if (kind == kWhole) {
        twinsim_trace_record record;
        std::memcpy(&record, at, sizeof(record));
        take(record);
        return at + kRecordWords;
    }
    if (kind == kHead) {
        if (reader.heads.size() <= source)
            reader.heads.resize(source + 1);
        reader.heads[source] = {first >> kTimeShift << 40 | *at >> 24,
                                static_cast<uint16_t>(*at >> 8), static_cast<uint8_t>(*at)};
        return at + 1;
    }

    reader.now += first >> kTimeShift;
    const Cycle now = reader.now;
    if (kind == kLink) {
        twinsim_trace_record out{};
        out.begin_ns = params_.to_ns(now - at[0]);
        out.end_ns = params_.to_ns(now);
        out.bytes = at[2];
        out.parameter = static_cast<uint32_t>(at[1]);
        out.id = source;
        out.sq = UINT16_MAX;
        out.device = static_cast<uint8_t>(at[1] >> 32);
        out.phase = TWINSIM_PHASE_LINK;
        out.waker_sq = kNone;
        out.route = kNone;
        take(out);
        return at + 3;
    }
    if (reader.heads.size() <= source)
        reader.heads.resize(source + 1);
    if (kind == kOpen) {
        twinsim_trace_record out = blank(reader, source);
        out.begin_ns = out.end_ns = params_.to_ns(now);
        out.id = static_cast<uint32_t>(*at++);
        out.phase = Stats::kOpened;
        take(out);
        return at;
    }
    if ((first >> kNextShift & 1) != 0) {
        ++reader.heads[source].number;
        ++reader.heads[source].task_id;
    }
    twinsim_trace_record out = blank(reader, source);
    // A phase without length is no record, but for those that are instants by nature.
    const auto emit = [&](twinsim_phase phase, Cycle begin, Cycle end, uint32_t parameter) {
        if (begin == end && phase != TWINSIM_PHASE_DOORBELL && phase != TWINSIM_PHASE_TASK)
            return;
        out.begin_ns = params_.to_ns(begin);
        out.end_ns = params_.to_ns(end);
        out.parameter = parameter;
        out.phase = static_cast<uint8_t>(phase);
        take(out);
    };
    if (kind == kSwap) {
        const Cycle enable = now - params_.slot_enable.value;
        const Cycle read = enable - params_.record_read.value;
        const Cycle grant = read - params_.arbitration.value;
        emit(TWINSIM_PHASE_SLOT, now - *at++, grant,
             flag ? params_.slots.index : params_.arbitration.index);
        emit(TWINSIM_PHASE_SWAP_IN, grant, read, params_.arbitration.index);
        emit(TWINSIM_PHASE_SWAP_IN, read, enable, params_.record_read.index);
        emit(TWINSIM_PHASE_SWAP_IN, enable, now, params_.slot_enable.index);
        return at;
    }

    const bool wide = (first & kWide) != 0;
    // What an occupied slot or a share is about is the queue: it has no type and engine of one SQE.
    if (kind == TWINSIM_PHASE_OCCUPY || kind == TWINSIM_PHASE_SHARE) {
        out.sqe_type = 0;
        out.engine = TWINSIM_ENGINE_NONE;
    }
    const uint64_t low = wide ? *at++ : *at & UINT32_MAX;
    if (kind == kBegin || kind == kRetire) {
        const uint64_t high = wide ? *at++ : *at++ >> 32;
        if (kind == kBegin) {
            const Cycle ready = now + high;
            emit(TWINSIM_PHASE_DOORBELL, now - low, now - low, kNone);
            emit(TWINSIM_PHASE_FETCH, now, ready, params_.fetch_read.index);
            emit(TWINSIM_PHASE_DECODE, ready, ready + params_.decode.value, params_.decode.index);
            return at;
        }
        const Cycle mark = now - low;
        const Cycle done = std::min(now, mark + params_.retire.value);
        emit(TWINSIM_PHASE_RETIRE, mark, done, params_.retire.index);
        emit(TWINSIM_PHASE_RETIRE, done, now, params_.cq_write.index);
        if (flag)
            return at;
        if ((first & kBytes) != 0)
            out.bytes = *at++;
        emit(TWINSIM_PHASE_TASK, now - high, now, kNone);
        return at;
    }

    uint32_t parameter = 0;
    if (wide) {
        parameter = static_cast<uint32_t>(*at++);
        out.id = static_cast<uint32_t>(*at++);
    } else {
        parameter = widen(*at >> kParameterShift, kParameterMask);
        out.id = widen(*at++ >> kIdShift, kIdMask);
    }
    if ((first & kBytes) != 0)
        out.bytes = *at++;
    if (flag && kind == TWINSIM_PHASE_TRANSFER) {
        out.route = static_cast<uint32_t>(*at++);
    } else if (flag) {
        out.waker_sq = static_cast<uint32_t>(*at++);
        out.waker_number = *at++;
    }
    emit(static_cast<twinsim_phase>(kind), now - low, now, parameter);
    return at;
}

template <typename Take>
void Trace::read(Reader &reader, Take &&take) const
{
    for (; reader.chunk < chunks_.size(); ++reader.chunk, reader.word = 0) {
        const Chunk &chunk = chunks_[reader.chunk];
        const bool newest = reader.chunk + 1 == chunks_.size();
        const uint64_t *const end = newest ? end_ : chunk.end;
        const uint64_t *at = chunk.words.get() + reader.word;
        while (at != end) {
            at = unpack(reader, at, take);
            reader.word = static_cast<size_t>(at - chunk.words.get());
        }
        if (newest)
            return;
    }
}

void Trace::count_up()
{
    if (!stats_)
        return;
    read(drained_, [this](const twinsim_trace_record &record) { stats_->take(record); });
    for (size_t i = 0; i < in_use_.size(); ++i) {
        const auto device = static_cast<uint32_t>(i / (1 + TWINSIM_CLASS_COUNT));
        const auto which = static_cast<uint32_t>(i % (1 + TWINSIM_CLASS_COUNT));
        if (which == 0)
            stats_->set_most(device, TWINSIM_RESOURCE_SLOT, kNone, in_use_[i].most);
        else
            stats_->set_most(device, TWINSIM_RESOURCE_CLASS, which - 1, in_use_[i].most);
    }
    if (!keep_ && !chunks_.empty()) {
        end_ = chunks_.back().words.get();
        drained_.word = 0;
    }
}

size_t Trace::count() const
{
    if (keep_)
        read(counter_,
             [&](const twinsim_trace_record &record) { count_ += record.phase != Stats::kOpened; });
    return count_;
}

const twinsim_trace_record *Trace::records() const
{
    if (count() > records_.capacity())
        records_.reserve(std::max(count_, records_.capacity() / 2 * 3));
    if (keep_)
        read(expander_, [&](const twinsim_trace_record &record) {
            if (record.phase != Stats::kOpened)
                records_.push_back(record);
        });
    return records_.data();
}

} // namespace tsim
