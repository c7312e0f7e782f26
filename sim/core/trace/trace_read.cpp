// SPDX-License-Identifier: Apache-2.0
/// The reader of the trace: from packed words to entries, on request.
#include <algorithm>
#include <cstring>

#include "core/trace/trace.h"
#include "core/trace/trace_words.h"
#include "twinsim/stars.h"

namespace tsim
{

using namespace words;

namespace
{

[[nodiscard]] twinsim_engine engine_of(uint8_t sqe_type)
{
    return sqe_type == STARS_SQE_SDMA || sqe_type == STARS_SQE_DSA ? TWINSIM_ENGINE_SDMA
           : sqe_type == STARS_SQE_PCIE_DMA                        ? TWINSIM_ENGINE_PCIE_DMA
                                                                   : TWINSIM_ENGINE_NONE;
}

} // namespace

twinsim_trace_entry Trace::blank(const Reader &reader, uint32_t source)
{
    const Head &head = reader.heads[source];
    twinsim_trace_entry out{};
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
        reader.now = (first & kWide) != 0 ? *at++ : reader.now + (first >> kTimeShift);
        return at;
    }
    if (kind == kWhole) {
        twinsim_trace_entry entry;
        std::memcpy(&entry, at, sizeof(entry));
        take(entry);
        return at + kTraceEntryWords;
    }
    if (kind == kHead) {
        if (reader.heads.size() <= source)
            reader.heads.resize(source + 1);
        Head &head = reader.heads[source];
        head.number = first >> kTimeShift << 40 | *at >> 24;
        head.task_id = static_cast<uint16_t>(*at >> 8);
        head.sqe_type = static_cast<uint8_t>(*at);
        return at + 1;
    }

    const bool is_short = kind >= kShortSwap;
    const uint64_t rest = first >> kShortShift; // of a short one
    reader.now += first >> kTimeShift & (is_short ? (1u << kShortTimeBits) - 1 : kTimeLimit - 1);
    const Cycle now = reader.now;
    const auto take_link = [&](uint32_t link, Cycle length) {
        const LinkRead &known = reader.links[link];
        twinsim_trace_entry out{};
        out.begin_ns = params_.to_ns(now - length);
        out.end_ns = params_.to_ns(now);
        out.bytes = known.rate;
        out.parameter = static_cast<uint32_t>(known.what);
        out.id = link;
        out.sq = UINT16_MAX;
        out.device = static_cast<uint8_t>(known.what >> 32);
        out.phase = TWINSIM_PHASE_LINK;
        out.waker_sq = kNone;
        out.route = kNone;
        take(out);
    };
    if (kind == kLink || kind == kShortLink) {
        if (reader.links.size() <= source)
            reader.links.resize(source + 1);
        LinkRead &known = reader.links[source];
        const Cycle length = is_short ? rest : *at++;
        if (!is_short) {
            known.what = *at++;
            known.rate = *at++;
        }
        take_link(source, length);
        return at;
    }
    if (reader.heads.size() <= source)
        reader.heads.resize(source + 1);
    if (kind == kOpen) {
        twinsim_trace_entry out = blank(reader, source);
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
    Head &head = reader.heads[source];
    twinsim_trace_entry out = blank(reader, source);
    // A phase without length has no entry, except those that are instants by nature.
    const auto emit = [&](twinsim_phase phase, Cycle begin, Cycle end, uint32_t parameter) {
        if (begin == end && phase != TWINSIM_PHASE_DOORBELL && phase != TWINSIM_PHASE_TASK &&
            phase != TWINSIM_PHASE_TABLE)
            return;
        out.begin_ns = params_.to_ns(begin);
        out.end_ns = params_.to_ns(end);
        out.parameter = parameter;
        out.phase = static_cast<uint8_t>(phase);
        take(out);
    };
    const auto begin = [&](Cycle age, Cycle fetch) {
        const Cycle ready = now + fetch;
        head.decoded = ready + params_.decode.value;
        emit(TWINSIM_PHASE_DOORBELL, now - age, now - age, kNone);
        emit(TWINSIM_PHASE_FETCH, now, ready, params_.fetch_read.index);
        emit(TWINSIM_PHASE_DECODE, ready, head.decoded, params_.decode.index);
    };
    if (kind == kSwap || kind == kShortSwap) {
        const Cycle waited = is_short ? rest & ((1u << kStayBits) - 1) : *at++;
        const Cycle enable = now - params_.slot_enable.value;
        const Cycle read = enable - params_.record_read.value;
        const Cycle grant = read - params_.arbitration.value;
        emit(TWINSIM_PHASE_SLOT, now - waited, grant,
             flag ? params_.slots.index : params_.arbitration.index);
        emit(TWINSIM_PHASE_SWAP_IN, grant, read, params_.arbitration.index);
        emit(TWINSIM_PHASE_SWAP_IN, read, enable, params_.record_read.index);
        emit(TWINSIM_PHASE_SWAP_IN, enable, now, params_.slot_enable.index);
        if (!is_short)
            return at;
        head.granted = grant;
        head.slot = static_cast<uint32_t>(rest >> kStayBits);
        if ((first & kBytes) != 0)
            begin(waited, (first & kWide) != 0 ? params_.fetch_read.value : 0);
        return at;
    }

    // What an occupied slot or a share is about is the queue: it has no type and engine of one SQE.
    const auto of_queue = [&out] {
        out.sqe_type = 0;
        out.engine = TWINSIM_ENGINE_NONE;
        out.bytes = 0;
    };
    const auto leave = [&](Cycle since, uint32_t slot) {
        of_queue();
        out.id = slot;
        emit(TWINSIM_PHASE_OCCUPY, since, now + params_.drain.value + params_.slot_disable.value,
             params_.slots.index);
    };
    const bool sdma = head.sqe_type != STARS_SQE_PCIE_DMA;
    const Cycle length = rest & ((1u << kLengthBits) - 1);
    if (kind == kShortEngine || kind == kShortTransfer)
        out.id = static_cast<uint32_t>(rest >> kLengthBits);
    switch (kind) {
    case kShortBegin:
        begin(rest, flag ? params_.fetch_read.value : 0);
        return at;
    case kShortEngine:
        if (flag)
            emit(TWINSIM_PHASE_ENGINE, now - length, now,
                 sdma ? params_.sdma_channels.index : params_.pcie_channels.index);
        else
            emit(TWINSIM_PHASE_SETUP, now - length, now,
                 sdma ? params_.sdma_setup.index : params_.pcie_setup.index);
        return at;
    case kShortTransfer:
        if ((first & kBytes) != 0)
            head.moved = *at++;
        if (flag)
            take_link(moved_link(head.moved), length);
        out.bytes = moved_bytes(head.moved);
        out.route = moved_route(head.moved);
        emit(TWINSIM_PHASE_TRANSFER, now - length, now, moved_parameter(head.moved));
        return at;
    case kShortRetire: {
        const Cycle cqe = (first & kWide) != 0 ? params_.cq_write.value : 0;
        emit(TWINSIM_PHASE_RETIRE, now - cqe - params_.retire.value, now - cqe,
             params_.retire.index);
        emit(TWINSIM_PHASE_RETIRE, now - cqe, now, params_.cq_write.index);
        if ((first & kBytes) != 0)
            out.bytes = moved_bytes(head.moved);
        emit(TWINSIM_PHASE_TASK, now - (rest & (kLeft - 1)), now, kNone);
        if (flag) {
            of_queue();
            out.id = sdma ? TWINSIM_CLASS_SDMA : TWINSIM_CLASS_PCIE_DMA;
            emit(TWINSIM_PHASE_SHARE, head.decoded, now,
                 sdma ? params_.sdma_cap.index : params_.pcie_dma_cap.index);
        }
        if ((rest & kLeft) != 0)
            leave(head.granted, head.slot);
        return at;
    }
    case kShortLeave:
        leave(now - (rest & ((1u << kStayBits) - 1)), static_cast<uint32_t>(rest >> kStayBits));
        return at;
    case kTable:
        out.id = head.table = (head.table + static_cast<uint32_t>(*at >> kIdShift)) & kIdMask;
        emit(TWINSIM_PHASE_TABLE, now - (*at & UINT32_MAX), now,
             widen(*at >> kParameterShift, kParameterMask));
        return at + 1;
    default:
        break;
    }

    const bool wide = (first & kWide) != 0;
    if (kind == TWINSIM_PHASE_OCCUPY || kind == TWINSIM_PHASE_SHARE)
        of_queue();
    const uint64_t low = wide ? *at++ : *at & UINT32_MAX;
    if (kind == kBegin || kind == kRetire) {
        const uint64_t high = wide ? *at++ : *at++ >> 32;
        if (kind == kBegin) {
            begin(low, high);
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
    Cycle after = 0;
    if (flag && kind == TWINSIM_PHASE_TRANSFER) {
        out.route = static_cast<uint32_t>(*at++);
    } else if (flag && kind == TWINSIM_PHASE_OCCUPY) {
        after = params_.drain.value + params_.slot_disable.value;
    } else if (flag) {
        const auto waker = static_cast<uint32_t>(*at++);
        out.waker_sq = waker == kNone ? kNone : waker % kMaxQueues;
        out.waker_device = waker == kNone ? kNone : waker / kMaxQueues;
        out.waker_number = *at++;
    }
    emit(static_cast<twinsim_phase>(kind), now - low, now + after, parameter);
    return at;
}

// The words between are new.
void Trace::learn(Reader &reader, const uint64_t *first, const uint64_t *end)
{
    Pattern &pattern = reader.patterns[place_of(*first)];
    pattern.count = static_cast<size_t>(end - first);
    std::copy(first, end, pattern.words);
    pattern.words[pattern.count - 1] &= ~((kLeft | kPattern) << kShortShift);
}

template <typename Take>
void Trace::repeat(Reader &reader, uint64_t word, Take &&take) const
{
    const Pattern &pattern = reader.patterns[place_of(word)];
    uint64_t words[Pattern::kMost];
    std::copy_n(pattern.words, pattern.count, words);
    words[0] &= kStartMask;
    if ((word & kWide) != 0) {
        words[0] |= word & ~kStartMask;
    } else {
        reader.now += word >> kTimeShift;
        words[0] |= (word & kNextBit) | pattern.words[0] >> kShortShift << kShortShift;
    }
    if ((word & kFlag) != 0)
        words[pattern.count - 1] |= kLeft << kShortShift;
    for (const uint64_t *at = words; at != words + pattern.count;)
        at = unpack(reader, at, take);
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
            const uint64_t first = *at;
            const uint32_t kind = kind_of(first);
            if (kind == kShortSwap || kind == kShortBegin)
                reader.run = static_cast<size_t>(at - chunk.words.get());
            if (kind == kRepeat)
                repeat(reader, *at++, take);
            else
                at = unpack(reader, at, take);
            if (kind == kShortRetire && (first >> kShortShift & kPattern) != 0)
                learn(reader, chunk.words.get() + reader.run, at);
            reader.word = static_cast<size_t>(at - chunk.words.get());
        }
        if (newest)
            return;
    }
}

void Trace::count_up()
{
    joint_ = run_first_ = nullptr;
    if (!stats_)
        return;
    read(drained_, [this](const twinsim_trace_entry &entry) { stats_->take(entry); });
    for (size_t i = 0; i < most_.size(); ++i) {
        const auto device = static_cast<uint32_t>(i / (1 + TWINSIM_CLASS_COUNT));
        const auto which = static_cast<uint32_t>(i % (1 + TWINSIM_CLASS_COUNT));
        if (which == 0)
            stats_->set_most(device, TWINSIM_RESOURCE_SLOT, kNone, most_[i]);
        else
            stats_->set_most(device, TWINSIM_RESOURCE_CLASS, which - 1, most_[i]);
    }
    if (!keep_ && !chunks_.empty()) {
        end_ = chunks_.back().words.get();
        drained_.word = 0;
    }
}

size_t Trace::words_written() const
{
    size_t words = 0;
    for (const Chunk &chunk : chunks_)
        words +=
            static_cast<size_t>((&chunk == &chunks_.back() ? end_ : chunk.end) - chunk.words.get());
    return words;
}

size_t Trace::count() const
{
    joint_ = run_first_ = nullptr;
    if (keep_)
        read(counter_,
             [&](const twinsim_trace_entry &entry) { count_ += entry.phase != Stats::kOpened; });
    return count_;
}

const twinsim_trace_entry *Trace::entries() const
{
    if (count() > entries_.capacity())
        entries_.reserve(std::max(count_, entries_.capacity() / 2 * 3));
    if (keep_)
        read(expander_, [&](const twinsim_trace_entry &entry) {
            if (entry.phase != Stats::kOpened)
                entries_.push_back(entry);
        });
    return entries_.data();
}

} // namespace tsim
