// SPDX-License-Identifier: Apache-2.0
/// What does not fit in a word, or is rare; the rest is in trace.h.
#include "core/trace/trace.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace tsim
{

using namespace words;

namespace
{

// The first chunk is small, for short programs. Pages are asked for some at a time, ahead of what
// is written: that costs less than to find out one by one. Not huge ones: where the host is a guest
// itself, they may have to be fetched from outside, which takes ten times as long as to clear them.
constexpr size_t kStep = size_t{64} << 10;
constexpr size_t kSmallBytes = kStep;
constexpr size_t kLargeBytes = size_t{2} << 20;

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 // Linux 5.14
#endif

} // namespace

void Trace::grow()
{
    if (!keep_ && !chunks_.empty()) {
        count_up();
        return;
    }
    if (limit_ != chunk_limit_) {
        step();
        return;
    }
    const size_t bytes = chunks_.empty() ? kSmallBytes : kLargeBytes;
    chunks_.reserve(chunks_.size() + 1);
    void *at = std::aligned_alloc(4096, bytes);
    if (!at)
        throw std::bad_alloc();
    if (!chunks_.empty())
        chunks_.back().end = end_;
    auto *first = static_cast<uint64_t *>(at);
    chunks_.push_back({std::unique_ptr<uint64_t[], Free>(first), first});
    end_ = limit_ = first;
    joint_ = run_first_ = nullptr;
    chunk_limit_ = first + bytes / sizeof(uint64_t);
    step();
}

// The next pages of the newest chunk. A kernel that does not know the way gives them one by one.
void Trace::step()
{
    if (chunks_.size() > 1)
        (void)madvise(limit_, kStep, MADV_POPULATE_WRITE);
    limit_ += kStep / sizeof(uint64_t);
}

// For all queues that there can be: the host gives pages for those that something is written of,
// and all are zeros.
void Trace::add_sources()
{
    void *at = mmap(nullptr, kSources * sizeof(Source), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        throw std::bad_alloc();
    known_.reset(static_cast<Source *>(at));
}

void Trace::Unmap::operator()(Source *sources) const
{
    (void)munmap(sources, kSources * sizeof(Source));
}

// More time passes than the next entry can hold.
void Trace::pass(Cycle now)
{
    const Cycle passed = now - now_;
    if (passed < kTimeLimit) {
        put_word(kTime | passed << kTimeShift);
    } else {
        put_word(kTime | kWide);
        put_word(now);
    }
    now_ = now;
}

// The words since `first` stay as they are, and are the pattern from now on.
void Trace::set_pattern(Pattern &pattern, const uint64_t *first, size_t count)
{
    if (count > Pattern::kMost)
        return;
    pattern.count = count;
    std::copy(first, first + count, pattern.words);
    end_[-1] |= kPattern << kShortShift;
}

// The last entry is a short retire, of the queue that the run is of. What is the same as the
// pattern becomes one word; else it is the pattern.
void Trace::end_run()
{
    uint64_t *const first = run_first_;
    run_first_ = nullptr;
    const auto count = static_cast<size_t>(end_ - first);
    Pattern &pattern = patterns_[place_of(*first)];
    uint64_t other = (*first ^ pattern.words[0]) & kStartMask;
    for (size_t i = 1; i < std::min(count, pattern.count); ++i)
        other |= first[i] ^ pattern.words[i];
    if (count != pattern.count || other != 0) {
        set_pattern(pattern, first, count);
        return;
    }
    uint64_t word = kRepeat | (*first & kQueueMask);
    if (*first >> kShortShift == pattern.words[0] >> kShortShift && run_passed_ < kTimeLimit)
        word |= run_passed_ << kTimeShift;
    else if (run_ == first)
        word |= kWide | *first >> kTimeShift << kTimeShift;
    else
        return;
    *run_ = word;
    joint_ = run_;
    end_ = run_ + 1;
}

void Trace::head(uint32_t source, uint64_t number, uint16_t task_id, uint8_t sqe_type)
{
    reserve();
    put_word(kHead | uint64_t{source} << kSourceShift | number >> 40 << kTimeShift);
    put_word(number << 24 | uint64_t{task_id} << 8 | sqe_type);
}

void Trace::put_swapped_in(uint32_t source, Cycle now, Cycle asked, bool was_short)
{
    run_first_ = nullptr;
    put(kSwap | (was_short ? kFlag : 0), source, now);
    put_word(now - asked);
}

void Trace::put_begun(uint32_t source, Cycle now, Cycle arrival, Cycle ready)
{
    run_first_ = nullptr;
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

void Trace::put_wide(uint32_t kind, uint32_t source, Cycle now, Cycle length, uint32_t parameter,
                     uint32_t id)
{
    put(kind, source, now);
    put_word(length);
    put_word(parameter);
    put_word(id);
}

void Trace::phase(uint32_t source, Cycle now, const Phase &what)
{
    reserve();
    const bool woken = what.waker != kNone || what.waker_number != 0;
    const uint32_t kind =
        what.phase | (what.bytes != 0 ? kBytes : 0u) | (woken || what.route != kNone ? kFlag : 0u);
    put_length(kind, source, now, now - what.begin, what.parameter, what.id);
    if (what.bytes != 0)
        put_word(what.bytes);
    if (what.route != kNone) {
        put_word(what.route);
    } else if (woken) {
        put_word(what.waker);
        put_word(what.waker_number);
    }
}

void Trace::put_retired(uint32_t source, Cycle now, Cycle mark, Cycle begun, uint64_t bytes)
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
    reserve();
    put(kRetire | kWide | kFlag, source, now);
    put_word(now - mark);
    put_word(0);
}

void Trace::opened(uint32_t source, Cycle now, uint32_t stream_id)
{
    reserve();
    put(kOpen, source, now);
    put_word(stream_id);
}

void Trace::give(uint32_t source, Holding what, Cycle now, uint32_t parameter, uint32_t id)
{
    const Cycle since = of(source).since[what];
    if (since == now)
        return;
    phase(source, now,
          {what == kSlot ? TWINSIM_PHASE_OCCUPY : TWINSIM_PHASE_SHARE, since, parameter, id});
}

void Trace::put_leave(uint32_t source, Cycle now, uint32_t slot)
{
    put_length(TWINSIM_PHASE_OCCUPY | kFlag, source, now, now - of(source).since[kSlot],
               params_.slots.index, slot);
}

void Trace::counted(uint32_t source, Holding what, uint32_t id, uint32_t in_use)
{
    const size_t index =
        size_t{source / kMaxQueues} * (1 + TWINSIM_CLASS_COUNT) + (what == kSlot ? 0 : 1 + id);
    if (index >= most_.size())
        most_.resize(index + 1);
    most_[index] = std::max(most_[index], in_use);
}

inline void Trace::put_link(const LinkNetwork &links, uint32_t link, LinkNow &was, Cycle now)
{
    reserve();
    const Cycle length = now - was.since;
    if (was.rate == was.written && put_joint(kShortLink, link, now, length))
        return;
    put_rate(links, link, was, now);
}

void Trace::put_rate(const LinkNetwork &links, uint32_t link, LinkNow &was, Cycle now)
{
    put(kLink, link, now);
    put_word(now - was.since);
    put_word(links.link_parameter(link) | uint64_t{links.link_device(link)} << 32);
    put_word(was.rate);
    was.written = was.rate;
}

// As links(), if at most one link carries something now or did at the last call. Else false.
inline bool Trace::only_link(const LinkNetwork &links, Cycle now)
{
    uint64_t load = 0;
    uint32_t link = kNone;
    if (busy_.size() > 1 || link_now_.empty() || !links.only_load(link, load))
        return false;
    if (busy_.empty()) {
        if (link == kNone)
            return true;
        busy_.push_back(link);
        link_now_[link].busy = true;
    } else if (link == kNone) {
        link = busy_[0];
    } else if (link != busy_[0]) {
        return false;
    }
    LinkNow &is = link_now_[link];
    const uint64_t rate = load != 0 ? links.per_second(load) : 0;
    if (is.rate != rate) {
        if (is.rate != 0 && is.since != now)
            put_link(links, link, is, now);
        is.rate = rate;
        is.since = now;
    }
    if (load == 0) {
        is.load = 0;
        is.busy = false;
        busy_.clear();
    }
    return true;
}

void Trace::links(const LinkNetwork &links, Cycle now)
{
    if (__builtin_expect(!only_link(links, now), 0))
        all_links(links, now);
}

// Only links that carry something, or did at the last call, can have changed.
void Trace::all_links(const LinkNetwork &links, Cycle now)
{
    if (link_now_.empty()) {
        busy_.reserve(links.link_count());
        link_now_.resize(links.link_count());
    }
    for (const uint32_t link : busy_)
        link_now_[link].load = 0;
    links.each_load([this](uint32_t link, uint64_t load) {
        LinkNow &carries = link_now_[link];
        if (!carries.busy) {
            carries.busy = true;
            busy_.insert(std::lower_bound(busy_.begin(), busy_.end(), link), link);
        }
        carries.load += load;
    });
    bool rests = false;
    for (const uint32_t link : busy_) {
        LinkNow &is = link_now_[link];
        const uint64_t rate = is.load != 0 ? links.per_second(is.load) : 0;
        rests = rests || is.load == 0;
        if (is.rate == rate)
            continue;
        if (is.rate != 0 && is.since != now)
            put_link(links, link, is, now);
        is.rate = rate;
        is.since = now;
    }
    if (!rests)
        return;
    size_t kept = 0;
    for (const uint32_t link : busy_) {
        if (link_now_[link].load != 0)
            busy_[kept++] = link;
        else
            link_now_[link].busy = false;
    }
    busy_.resize(kept);
}

void Trace::whole(const twinsim_trace_entry &entry)
{
    reserve();
    put_word(kWhole);
    std::memcpy(end_, &entry, sizeof(entry));
    end_ += kTraceEntryWords;
}

} // namespace tsim
