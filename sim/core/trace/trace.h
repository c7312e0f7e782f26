// SPDX-License-Identifier: Apache-2.0
/// The trace as the model writes it: a stream of packed entries, a few words per SQE. The public
/// entries (twinsim_trace_entry) are made from it on request. Fresh memory is what tracing costs
/// most, so what can be worked out later is not written.
#ifndef TWINSIM_CORE_TRACE_TRACE_H
#define TWINSIM_CORE_TRACE_TRACE_H

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

#include "core/link/link.h"
#include "core/profile/params.h"
#include "core/trace/stats.h"
#include "core/trace/trace_words.h"
#include "core/base/types.h"
#include "twinsim.h"

namespace tsim
{

/// Entries have the model's time `now`, which never decreases. A source is a queue of a device.
/// Calls that write throw std::bad_alloc when the host has no memory left; what was written before
/// stays.
class Trace
{
  public:
    /// A phase that ends now.
    struct Phase {
        twinsim_phase phase;
        Cycle begin;
        uint32_t parameter = kNone;
        uint32_t id = kNone;
        uint64_t bytes = 0;
        uint32_t waker = kNone; ///< its source
        uint64_t waker_number = 0;
        uint32_t route = kNone; ///< only of a transfer
    };
    /// What a queue may have one of at a time.
    enum Holding : uint8_t { kSlot, kShare, kHoldings };

    /// Without `keep` the entries are for the counters alone and gone once those have seen them.
    Trace(bool keep, Stats *stats, const Params &params)
        : on_(keep || stats), keep_(keep), stats_(stats), params_(params),
          swap_time_(params.arbitration.value + params.record_read.value + params.slot_enable.value)
    {
        if (on_)
            add_sources();
    }
    Trace(const Trace &) = delete;
    Trace &operator=(const Trace &) = delete;

    [[nodiscard]] bool on() const { return __builtin_expect(on_, 0) != 0; }
    /// Whether it matters how many slots and shares are in use.
    [[nodiscard]] bool counts() const { return stats_ != nullptr; }
    [[nodiscard]] static uint32_t source(uint32_t device, uint32_t sq)
    {
        return device * kMaxQueues + sq;
    }

    // ---- written while the model runs ----

    /// `source`, for the first entry about the SQE that follows the last one: number and task id
    /// are one higher, the type is the same.
    [[nodiscard]] uint32_t next(uint32_t source)
    {
        reserve();
        return source | kNext;
    }

    /// From now on entries of `source` are about this SQE. Not needed when the next entry uses
    /// next().
    void head(uint32_t source, uint64_t number, uint16_t task_id, uint8_t sqe_type);
    /// A swap-in that was asked for at `asked` and is complete now: SLOT and the SWAP_IN entries.
    void swapped_in(uint32_t source, Cycle now, Cycle asked, bool was_short, uint32_t slot)
    {
        reserve();
        const Cycle wait = now - asked;
        const uint64_t rest = wait | uint64_t{slot} << words::kStayBits;
        if ((wait >> words::kStayBits | rest >> words::kShortBits) != 0) {
            put_swapped_in(source, now, asked, was_short);
            return;
        }
        put_first(words::kShortSwap | (was_short ? words::kFlag : 0), source, now, rest);
        joint_ = end_ - 1;
        Source &known = of(source & ~kNext);
        known.granted = now - swap_time_;
        known.slot = slot;
    }
    /// As begun(), if the entry of the swap-in just written can hold it: then the SQE is known.
    /// Else false.
    [[nodiscard]] bool begun_at_swap(uint32_t source, Cycle now, Cycle arrival, Cycle ready)
    {
        const bool read = ready != now;
        if (!joins(words::kShortSwap, now) || words::source_of(*joint_) != source ||
            (*joint_ >> words::kShortShift & ((1u << words::kStayBits) - 1)) != now - arrival ||
            (read && ready - now != params_.fetch_read.value))
            return false;
        of(source).decoded = ready + params_.decode.value;
        *joint_ |= words::kBytes | (read ? words::kWide : 0);
        joint_ = nullptr;
        return true;
    }
    /// The SQE is turned to now: DOORBELL, FETCH until `ready`, DECODE after that.
    void begun(uint32_t source, Cycle now, Cycle arrival, Cycle ready)
    {
        reserve();
        of(source & ~kNext).decoded = ready + params_.decode.value;
        const bool read = ready != now;
        const Cycle age = now - arrival;
        if ((read && ready - now != params_.fetch_read.value) || age >> words::kShortBits != 0) {
            put_begun(source, now, arrival, ready);
            return;
        }
        put_first(words::kShortBegin | (read ? words::kFlag : 0), source, now, age);
    }
    void phase(uint32_t source, Cycle now, const Phase &what);
    /// The same, without more details.
    void phase(uint32_t source, Cycle now, twinsim_phase what, Cycle begin, uint32_t parameter,
               uint32_t id)
    {
        reserve();
        put_length(what, source, now, now - begin, parameter, id);
    }
    /// An access to entry `id` of a table since `begin`: TABLE.
    void table(uint32_t source, Cycle now, Cycle begin, uint32_t parameter, uint32_t id)
    {
        reserve();
        if (__builtin_expect(id < words::kIdMask, 1))
            put_table(source, now, now - begin, parameter, id);
        else
            put_length(TWINSIM_PHASE_TABLE, source, now, now - begin, parameter, id);
    }
    /// A DMA task has waited for its channel, or was set up there, since `begin`. False: write it
    /// as a phase.
    [[nodiscard]] bool engine(uint32_t source, Cycle now, twinsim_phase what, Cycle begin,
                              uint32_t channel)
    {
        reserve();
        const Cycle length = now - begin;
        const uint32_t kind =
            words::kShortEngine | (what == TWINSIM_PHASE_ENGINE ? words::kFlag : 0);
        return length >> words::kLengthBits == 0 &&
               put_short(kind, source, now, length | uint64_t{channel} << words::kLengthBits);
    }
    /// Its bytes have moved since `begin`.
    void transfer(uint32_t source, Cycle now, Cycle begin, uint32_t parameter, uint32_t channel,
                  uint64_t bytes, uint32_t route);
    /// The SQE ends now: RETIRE since `mark` in its two parts, TASK since `begun`. `frees`: so does
    /// its share of the engine's class, SHARE.
    void retired(uint32_t source, Cycle now, Cycle mark, Cycle begun, uint64_t bytes, bool frees);
    /// The SQE is held in retirement (T-CQ-3): RETIRE since `mark`.
    void retiring(uint32_t source, Cycle now, Cycle mark);
    /// An entry about no queue, as it is.
    void whole(const twinsim_trace_entry &entry);
    /// The queue serves this stream from now on.
    void opened(uint32_t source, Cycle now, uint32_t stream_id);
    /// The queue has a slot or a share from now on.
    void take(uint32_t source, Holding what, Cycle now) { of(source).since[what] = now; }
    /// So many slots, or shares of class `id`, are in use then.
    void counted(uint32_t source, Holding what, uint32_t id, uint32_t in_use);
    /// Whether it has been since before `now`, and that is not written yet.
    [[nodiscard]] bool has(uint32_t source, Holding what, Cycle now) const
    {
        return known_[source].since[what] != now;
    }
    /// And no more: OCCUPY or SHARE, unless it was no time at all.
    void give(uint32_t source, Holding what, Cycle now, uint32_t parameter, uint32_t id);
    /// The queue leaves its slot; OCCUPY ends when it is swapped out (T-SCH-19).
    void leave(uint32_t source, Cycle now, uint32_t slot)
    {
        const Source &known = of(source);
        if (joint_ == end_ - 1 && now == now_ && words::source_of(*joint_) == source &&
            known.granted == known.since[kSlot] && known.slot == slot) {
            const uint32_t kind = words::kind_of(*joint_);
            if (kind == words::kRepeat || kind == words::kShortRetire) {
                *joint_ |=
                    kind == words::kRepeat ? words::kFlag : words::kLeft << words::kShortShift;
                joint_ = nullptr;
                return;
            }
        }
        reserve();
        const Cycle stay = now - known.since[kSlot];
        if (stay >> words::kStayBits != 0 ||
            !put_short(words::kShortLeave, source, now, stay | uint64_t{slot} << words::kStayBits))
            put_leave(source, now, slot);
    }
    /// The rates of the links may have changed.
    void links(const LinkNetwork &links, Cycle now);

    // ---- read ----

    /// Gives the counters what they have not seen. Throws std::bad_alloc.
    void count_up();
    /// How many words are written.
    [[nodiscard]] size_t words_written() const;
    /// How many entries there are; looks only at what came since the last call.
    [[nodiscard]] size_t count() const;
    /// All entries, oldest first; valid until the next one is written. Throws std::bad_alloc.
    [[nodiscard]] const twinsim_trace_entry *entries() const;

  private:
    struct Free {
        void operator()(uint64_t *words) const { std::free(words); }
    };
    struct Chunk {
        std::unique_ptr<uint64_t[], Free> words;
        uint64_t *end; ///< of what is written; of the newest chunk: end_
    };
    struct Head {
        uint64_t number = 0;
        uint16_t task_id = 0;
        uint8_t sqe_type = 0;
        Cycle decoded = 0;
        uint64_t moved = 0;
        Cycle granted = 0;
        uint32_t slot = 0;
        uint32_t table = 0;
    };
    /// What was last written of a queue, so that it need not be written again: one line of memory,
    /// which begins as zeros.
    struct alignas(64) Source {
        Cycle since[kHoldings] = {}; ///< when it was taken
        Cycle decoded = 0;           ///< when the SQE that it has turned to is
        uint64_t moved = 0;          ///< of its last transfer, as words::moved() makes it
        Cycle granted = 0;           ///< the slot of its last swap-in
        uint32_t slot = 0;
        uint32_t table = 0; ///< what its last kTable was about
    };
    struct Unmap {
        void operator()(Source *sources) const;
    };
    struct LinkNow {
        uint64_t load = 0;    ///< as the links count it
        uint64_t rate = 0;    ///< bytes per second
        uint64_t written = 0; ///< the rate of the last entry that has one
        Cycle since = 0;
        bool busy = false; ///< it is in busy_
    };
    struct LinkRead {
        uint64_t what = 0; ///< parameter and device
        uint64_t rate = 0;
    };
    /// A place in the stream and what was learnt on the way there.
    struct Reader {
        size_t chunk = 0;
        size_t word = 0;
        Cycle now = 0;
        std::vector<Head> heads;     ///< by source
        std::vector<LinkRead> links; ///< by link
        size_t run = 0;              ///< where the last short swap or begin is
        words::Pattern patterns[words::Pattern::kPlaces];
    };

    void put(uint32_t kind, uint32_t source, Cycle now)
    {
        if (__builtin_expect(now - now_ >= words::kTimeLimit, 0))
            pass(now);
        const Cycle passed = now - now_;
        now_ = now;
        put_word(kind | uint64_t{source} << words::kSourceShift | passed << words::kTimeShift);
    }
    [[gnu::cold, gnu::noinline]] void put_rate(const LinkNetwork &links, uint32_t link,
                                               LinkNow &was, Cycle now);
    void put_length(uint32_t kind, uint32_t source, Cycle now, Cycle length, uint32_t parameter,
                    uint32_t id)
    {
        using namespace words;
        if (fits32(length) && fits(parameter, kParameterMask) && fits(id, kIdMask)) {
            put(kind, source, now);
            put_word(length | uint64_t{parameter & kParameterMask} << kParameterShift |
                     uint64_t{id} << kIdShift);
        } else {
            put_wide(kind | kWide, source, now, length, parameter, id);
        }
    }
    void put_table(uint32_t source, Cycle now, Cycle length, uint32_t parameter, uint32_t id)
    {
        using namespace words;
        if (!fits32(length) || !fits(parameter, kParameterMask)) {
            put_wide(TWINSIM_PHASE_TABLE | kWide, source, now, length, parameter, id);
            return;
        }
        Source &known = of(source & ~kNext);
        put(kTable, source, now);
        put_word(length | uint64_t{parameter & kParameterMask} << kParameterShift |
                 uint64_t{id - known.table} << kIdShift);
        known.table = id;
    }
    [[gnu::cold]] void put_wide(uint32_t kind, uint32_t source, Cycle now, Cycle length,
                                uint32_t parameter, uint32_t id);
    [[gnu::cold]] void put_swapped_in(uint32_t source, Cycle now, Cycle asked, bool was_short);
    [[gnu::cold]] void put_begun(uint32_t source, Cycle now, Cycle arrival, Cycle ready);
    [[gnu::cold]] void put_retired(uint32_t source, Cycle now, Cycle mark, Cycle begun,
                                   uint64_t bytes);
    [[gnu::cold]] void put_leave(uint32_t source, Cycle now, uint32_t slot);
    [[nodiscard]] bool only_link(const LinkNetwork &links, Cycle now);
    [[gnu::noinline]] void all_links(const LinkNetwork &links, Cycle now);
    void put_link(const LinkNetwork &links, uint32_t link, LinkNow &was, Cycle now);
    /// An entry of one word, for which there is room; false: it does not fit.
    [[nodiscard]] bool put_short(uint32_t kind, uint32_t source, Cycle now, uint64_t rest)
    {
        const Cycle passed = now - now_;
        if ((passed >> words::kShortTimeBits | rest >> words::kShortBits) != 0)
            return false;
        now_ = now;
        put_word(kind | uint64_t{source} << words::kSourceShift | passed << words::kTimeShift |
                 rest << words::kShortShift);
        return true;
    }
    /// The same, and what comes next may be put into it.
    [[nodiscard]] bool put_joint(uint32_t kind, uint32_t source, Cycle now, uint64_t rest)
    {
        if (!put_short(kind, source, now, rest))
            return false;
        joint_ = end_ - 1;
        return true;
    }
    /// The last entry is such a one of that kind, at the time `now`.
    [[nodiscard]] bool joins(uint32_t kind, Cycle now) const
    {
        return joint_ == end_ - 1 && now == now_ && words::kind_of(*joint_) == kind;
    }
    /// As put_short(), for the first word of a pattern; the rest fits. A long time goes into an
    /// entry before it.
    void put_first(uint32_t kind, uint32_t source, Cycle now, uint64_t rest)
    {
        Cycle passed = now - now_;
        run_ = end_;
        run_passed_ = passed;
        if (passed >> words::kShortTimeBits != 0) {
            pass(now);
            passed = 0;
        }
        now_ = now;
        run_first_ = end_;
        put_word(kind | uint64_t{source} << words::kSourceShift | passed << words::kTimeShift |
                 rest << words::kShortShift);
    }
    void pass(Cycle now);
    void end_run();
    [[gnu::cold, gnu::noinline]] void set_pattern(words::Pattern &pattern, const uint64_t *first,
                                                  size_t count);
    void put_word(uint64_t word) { *end_++ = word; }
    void reserve()
    {
        if (__builtin_expect(static_cast<size_t>(limit_ - end_) < kLongest, 0))
            grow();
    }
    [[gnu::cold, gnu::noinline]] void grow();
    void step();
    void add_sources();
    [[nodiscard]] Source &of(uint32_t source) { return known_[source]; }
    template <typename Take>
    void read(Reader &reader, Take &&take) const;
    static void learn(Reader &reader, const uint64_t *first, const uint64_t *end);
    template <typename Take>
    void repeat(Reader &reader, uint64_t word, Take &&take) const;
    template <typename Take>
    const uint64_t *unpack(Reader &reader, const uint64_t *at, Take &&take) const;
    [[nodiscard]] static twinsim_trace_entry blank(const Reader &reader, uint32_t source);

    static constexpr uint32_t kNext = kMaxDevices * kMaxQueues;
    static constexpr size_t kSources = kNext;
    static constexpr size_t kLongest =
        12; ///< words of one entry at most, a change of time before it included

    const bool on_;
    const bool keep_;
    Stats *const stats_;
    const Params &params_;
    uint64_t *end_ = nullptr;
    uint64_t *limit_ = nullptr;         ///< of what can be written now
    uint64_t *chunk_limit_ = nullptr;   ///< of the newest chunk
    mutable uint64_t *joint_ = nullptr; ///< an entry as put_joint() makes it, not read yet
    /// Where the last short swap or begin is, and where the time before it; nullptr: no pattern
    /// begins there.
    mutable uint64_t *run_first_ = nullptr;
    uint64_t *run_ = nullptr;
    Cycle run_passed_ = 0; ///< until then
    Cycle now_ = 0;
    const Cycle swap_time_;                  ///< from grant to the end of a swap-in
    std::unique_ptr<Source[], Unmap> known_; ///< by source
    words::Pattern patterns_[words::Pattern::kPlaces];
    std::vector<Chunk> chunks_;
    std::vector<uint32_t> most_; ///< by device: slots, then shares of each class, in use at once
    Reader drained_;             ///< what the counters have seen
    std::vector<LinkNow> link_now_;
    std::vector<uint32_t> busy_; ///< links that carried something last time, sorted
    // What readers have found so far.
    mutable Reader counter_, expander_;
    mutable size_t count_ = 0;
    mutable std::vector<twinsim_trace_entry> entries_;
};

[[gnu::always_inline]] inline void Trace::transfer(uint32_t source, Cycle now, Cycle begin,
                                                   uint32_t parameter, uint32_t channel,
                                                   uint64_t bytes, uint32_t route)
{
    constexpr uint32_t kNoLink = 0xff;
    reserve();
    const Cycle length = now - begin;
    const bool linked = joins(words::kShortLink, now) && *joint_ >> words::kShortShift == length &&
                        words::source_of(*joint_) < kNoLink;
    const uint64_t moved =
        words::moved(bytes, parameter, route, linked ? words::source_of(*joint_) : kNoLink);
    const uint64_t rest = length | uint64_t{channel} << words::kLengthBits;
    Source &known = of(source);
    const bool same = moved == known.moved;
    const uint32_t kind = words::kShortTransfer | (same ? 0 : words::kBytes);
    if (__builtin_expect(moved == 0 || length >> words::kLengthBits != 0 ||
                             (!linked && !put_short(kind, source, now, rest)),
                         0)) {
        phase(source, now,
              {TWINSIM_PHASE_TRANSFER, begin, parameter, channel, bytes, kNone, 0, route});
        return;
    }
    if (linked) {
        constexpr uint64_t kPassed = ((uint64_t{1} << words::kShortTimeBits) - 1)
                                     << words::kTimeShift;
        *joint_ = (*joint_ & kPassed) | kind | words::kFlag |
                  uint64_t{source} << words::kSourceShift | rest << words::kShortShift;
        joint_ = nullptr;
    }
    if (!same) {
        put_word(moved);
        known.moved = moved;
    }
}

inline void Trace::retired(uint32_t source, Cycle now, Cycle mark, Cycle begun, uint64_t bytes,
                           bool frees)
{
    reserve();
    Source &known = of(source);
    const Cycle end = now - mark;
    const bool cqe = end != params_.retire.value;
    const bool share = frees && known.since[kShare] == known.decoded && known.decoded != now;
    if ((cqe && end != params_.retire.value + params_.cq_write.value) ||
        (bytes != 0 && bytes != words::moved_bytes(known.moved)) ||
        (now - begun) >> words::kTaskBits != 0 ||
        !put_joint(words::kShortRetire | (cqe ? words::kWide : 0) |
                       (bytes != 0 ? words::kBytes : 0) | (share ? words::kFlag : 0),
                   source, now, now - begun)) {
        put_retired(source, now, mark, begun, bytes);
        return;
    }
    if (share)
        known.since[kShare] = now; // it is written
    if (run_first_ && words::source_of(*run_first_) == source)
        end_run();
}

} // namespace tsim

#endif
