// SPDX-License-Identifier: Apache-2.0
/// The context table of an FFTS+ task: which context starts when. Knows no time and does no work.
/// Rules T-FFT-3 to T-FFT-6.
#ifndef TWINSIM_CORE_QUEUE_FFTS_TABLE_H
#define TWINSIM_CORE_QUEUE_FFTS_TABLE_H

#include <deque>
#include <vector>

#include "core/base/types.h"
#include "twinsim/ffts.h"

namespace tsim
{

[[nodiscard]] inline uint32_t type_of(const stars_ffts_context &context)
{
    return context.word[0] & STARS_FFTS_W0_TYPE_MASK;
}

class FftsTable
{
  public:
    /// A context that starts, and the thread that it works for.
    struct Start {
        uint32_t context = 0;
        uint32_t thread = 0;
    };

    /// Copies so many contexts; the first `ready` of them start. False: the table is bad. Throws
    /// std::bad_alloc. Keeps its memory from one table to the next.
    [[nodiscard]] bool begin(const void *table, uint32_t contexts, uint32_t ready);
    /// The next context with work to do, in the order in which they became ready; false: none is
    /// ready, or the table is bad.
    [[nodiscard]] bool take(Start &out);
    /// The work of a context has ended. False: the table is bad.
    [[nodiscard]] bool done(const Start &which);
    /// take() or done() has found that it leads to what cannot be.
    [[nodiscard]] bool is_bad() const { return bad_; }
    /// Nothing is ready, and nothing that was taken is under way.
    [[nodiscard]] bool rests() const { return ready_.empty() && running_ == 0; }
    /// Each context has done its work at least once.
    [[nodiscard]] bool complete() const { return untouched_ == 0; }
    [[nodiscard]] const stars_ffts_context &context(uint32_t number) const
    {
        return table_[number];
    }
    /// Whether a context works for the last of its threads.
    [[nodiscard]] bool is_last(const Start &which) const;

  private:
    struct Row {
        uint8_t left = 0; // predecessors that have not ended
        bool queued = false;
        bool running = false;
        bool again = false; // an AT_START that an AT_END leads to
        bool touched = false;
        uint32_t thread = 0;
        uint32_t passed_for = 0; // thread
        uint64_t passed_in = 0;  // call of take()
    };

    [[nodiscard]] bool passes_once(Row &row) const;
    [[nodiscard]] bool pass(uint32_t to, uint32_t thread, bool again);
    [[nodiscard]] bool follow(const Start &which);
    [[nodiscard]] bool follow_end(const Start &which);
    void touch(uint32_t number);

    std::vector<stars_ffts_context> table_;
    std::vector<Row> rows_;
    std::deque<uint32_t> ready_;
    uint64_t takes_ = 0;
    uint32_t running_ = 0;
    uint32_t untouched_ = 0;
    bool bad_ = false;
};

} // namespace tsim

#endif
