// SPDX-License-Identifier: Apache-2.0
/// The trace as the model writes it: a stream of packed entries, a few words per SQE. The public records are made from
/// it when somebody asks. Fresh memory is what tracing costs most, so what can be worked out later is not written.
#ifndef TWINSIM_CORE_TRACE_H
#define TWINSIM_CORE_TRACE_H

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

#include "core/link.h"
#include "core/params.h"
#include "core/stats.h"
#include "core/types.h"
#include "twinsim.h"

namespace tsim
{

/// Entries are told with the model's time `now`, which never falls. A source is a queue of a device. Calls that write
/// throw std::bad_alloc when the host has no memory left; what was written before stays.
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
        uint32_t waker = kNone;
        uint64_t waker_number = 0;
        uint32_t route = kNone; ///< only of a transfer
    };
    /// What a queue may have one of at a time.
    enum Holding : uint8_t { kSlot, kShare, kHoldings };

    /// Without `keep` the records are for the counters alone and gone once those have seen them.
    Trace(bool keep, Stats *stats, const Params &params)
        : on_(keep || stats), keep_(keep), stats_(stats), params_(params)
    {
    }
    Trace(const Trace &) = delete;
    Trace &operator=(const Trace &) = delete;

    [[nodiscard]] bool on() const { return __builtin_expect(on_, 0) != 0; }
    [[nodiscard]] static uint32_t source(uint32_t device, uint32_t sq)
    {
        return device * kMaxQueues + sq;
    }

    // ---- written while the model runs ----

    /// `source`, for the first entry about the SQE that follows the last one: number and task id are one higher, the
    /// type is the same.
    [[nodiscard]] uint32_t next(uint32_t source)
    {
        reserve();
        return source | kNext;
    }

    /// From now on entries of `source` are about this SQE. Not needed when the next entry is told with next().
    void head(uint32_t source, uint64_t number, uint16_t task_id, uint8_t sqe_type);
    /// A swap-in that was asked for at `asked` and is complete now: SLOT and the SWAP_IN records.
    void swapped_in(uint32_t source, Cycle now, Cycle asked, bool was_short);
    /// The SQE is turned to now: DOORBELL, FETCH until `ready`, DECODE after that.
    void begun(uint32_t source, Cycle now, Cycle arrival, Cycle ready);
    void phase(uint32_t source, Cycle now, const Phase &what);
    /// The SQE ends now: RETIRE since `mark` in its two parts, TASK since `begun`.
    void retired(uint32_t source, Cycle now, Cycle mark, Cycle begun, uint64_t bytes);
    /// The SQE stands still on its way out (CQ-3): RETIRE since `mark`.
    void retiring(uint32_t source, Cycle now, Cycle mark);
    /// A record about no queue, as it is.
    void whole(const twinsim_trace_record &record);
    /// The queue serves this stream from now on.
    void opened(uint32_t source, Cycle now, uint32_t stream_id);
    /// The queue has a slot or a share of class `id` from now on.
    void take(uint32_t source, Holding what, Cycle now, uint32_t id);
    /// And no more: OCCUPY or SHARE, unless it was no time at all.
    void give(uint32_t source, Holding what, Cycle now, uint32_t parameter, uint32_t id);
    /// The rates of the links may have changed.
    [[gnu::cold]] void links(const LinkNetwork &links, Cycle now);

    // ---- read ----

    /// Tells the counters what they have not seen. Throws std::bad_alloc.
    void count_up();
    /// How many records there are; looks only at what came since the last call.
    [[nodiscard]] size_t count() const;
    /// All records, oldest first; stays valid until the next entry. Throws std::bad_alloc.
    [[nodiscard]] const twinsim_trace_record *records() const;

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
    };
    /// A place in the stream and what was learnt on the way there.
    struct Reader {
        size_t chunk = 0;
        size_t word = 0;
        Cycle now = 0;
        std::vector<Head> heads; ///< by source
    };

    void put(uint32_t kind, uint32_t source, Cycle now);
    void put_word(uint64_t word) { *end_++ = word; }
    void reserve()
    {
        if (static_cast<size_t>(limit_ - end_) < kLongest)
            grow();
    }
    void grow();
    template <typename Take>
    void read(Reader &reader, Take &&take) const;
    template <typename Take>
    const uint64_t *unpack(Reader &reader, const uint64_t *at, Take &&take) const;
    [[nodiscard]] static twinsim_trace_record blank(const Reader &reader, uint32_t source);

    static constexpr uint32_t kNext = kMaxDevices * kMaxQueues;
    static constexpr size_t kLongest =
        12; ///< words of one entry at most, a change of time before it included

    /// Slots, then the classes, of which so many are in use.
    struct InUse {
        uint32_t now = 0;
        uint32_t most = 0;
    };
    [[nodiscard]] InUse &in_use(uint32_t source, Holding what, uint32_t id)
    {
        const size_t index =
            size_t{source / kMaxQueues} * (1 + TWINSIM_CLASS_COUNT) + (what == kSlot ? 0 : 1 + id);
        if (index >= in_use_.size())
            in_use_.resize(index + 1);
        return in_use_[index];
    }

    const bool on_;
    const bool keep_;
    Stats *const stats_;
    const Params &params_;
    uint64_t *end_ = nullptr;
    uint64_t *limit_ = nullptr;
    Cycle now_ = 0;
    std::vector<Chunk> chunks_;
    std::vector<Cycle> since_[kHoldings]; ///< by source: when it was taken
    std::vector<InUse> in_use_;           ///< by device, then as there
    Reader drained_;                      ///< what the counters have seen
    struct LinkNow {
        uint64_t rate = 0;
        Cycle since = 0;
    };
    std::vector<LinkNow> link_now_;
    std::vector<uint64_t> loads_; ///< scratch of links()
    // What readers have found so far.
    mutable Reader counter_, expander_;
    mutable size_t count_ = 0;
    mutable std::vector<twinsim_trace_record> records_;
};

} // namespace tsim

#endif
