// SPDX-License-Identifier: Apache-2.0
#include "core/queue/ffts_table.h"

#include <cstddef>
#include <cstring>

namespace tsim
{

namespace
{

[[nodiscard]] uint32_t count_of(const stars_ffts_context &context)
{
    return (context.word[0] >> STARS_FFTS_W0_SUCCESSORS_SHIFT) & 0xffu;
}

[[nodiscard]] uint32_t labels_of(const stars_ffts_context &context)
{
    return (context.word[0] >> STARS_FFTS_W0_LABELS_SHIFT) & 0x7fu;
}

/// The 16-bit numbers from STARS_FFTS_LIST_WORD on.
[[nodiscard]] uint32_t listed(const stars_ffts_context &context, uint32_t place)
{
    const uint32_t word = context.word[STARS_FFTS_LIST_WORD + place / 2];
    return place % 2 == 0 ? word & 0xffffu : word >> 16;
}

[[nodiscard]] uint32_t threads_of(const stars_ffts_context &context)
{
    return context.word[18] >> STARS_FFTS_W18_THREADS_SHIFT;
}

[[nodiscard]] bool is_known(uint32_t type)
{
    switch (type) {
    case STARS_FFTS_AIC:
    case STARS_FFTS_AIV:
    case STARS_FFTS_NOTIFY_WAIT:
    case STARS_FFTS_NOTIFY_RECORD:
    case STARS_FFTS_WRITE_VALUE:
    case STARS_FFTS_MIX_AIC:
    case STARS_FFTS_MIX_AIV:
    case STARS_FFTS_SDMA:
    case STARS_FFTS_AT_START:
    case STARS_FFTS_AT_END:
    case STARS_FFTS_LABEL:
        return true;
    default:
        return false;
    }
}

/// Whether its lists fit, and name contexts of the table.
[[nodiscard]] bool lists_fit(const stars_ffts_context &context, std::size_t contexts)
{
    if (type_of(context) != STARS_FFTS_AT_END) {
        const uint32_t count = count_of(context);
        for (uint32_t i = 0; i < count && count <= STARS_FFTS_SUCCESSORS; ++i)
            if (listed(context, i) >= contexts)
                return false;
        return count <= STARS_FFTS_SUCCESSORS;
    }
    const uint32_t starts = count_of(context);
    const uint32_t labels = labels_of(context);
    if (starts > STARS_FFTS_END_SLOTS || labels > STARS_FFTS_END_SLOTS)
        return false;
    for (uint32_t i = 0; i < starts; ++i)
        if (listed(context, i) >= contexts)
            return false;
    for (uint32_t i = 0; i < labels; ++i)
        if (listed(context, STARS_FFTS_END_SLOTS + i) >= contexts)
            return false;
    return true;
}

} // namespace

// T-FFT-3.
bool FftsTable::begin(const void *table, uint32_t contexts, uint32_t ready)
{
    table_.resize(contexts);
    if (contexts != 0)
        std::memcpy(table_.data(), table, contexts * sizeof(table_[0]));
    rows_.assign(table_.size(), {});
    ready_.clear();
    running_ = 0;
    untouched_ = static_cast<uint32_t>(table_.size());
    bad_ = table_.empty() || ready == 0 || ready > table_.size();
    for (std::size_t i = 0; i < table_.size() && !bad_; ++i) {
        const stars_ffts_context &context = table_[i];
        rows_[i].left = static_cast<uint8_t>(context.word[1] >> STARS_FFTS_W1_LEFT_SHIFT);
        rows_[i].thread = context.word[18] & 0xffffu;
        bad_ = !is_known(type_of(context)) || !lists_fit(context, table_.size()) ||
               (i < ready && rows_[i].left != 0);
    }
    for (uint32_t i = 0; i < ready && !bad_; ++i) {
        rows_[i].queued = true;
        ready_.push_back(i);
    }
    return !bad_;
}

bool FftsTable::is_last(const Start &which) const
{
    return which.thread + 1 >= threads_of(table_[which.context]);
}

// T-FFT-4: contexts without work pass at once.
bool FftsTable::take(Start &out)
{
    ++takes_;
    while (!ready_.empty() && !bad_) {
        const uint32_t number = ready_.front();
        ready_.pop_front();
        Row &row = rows_[number];
        row.queued = false;
        const stars_ffts_context &context = table_[number];
        Start start{number, row.thread};
        switch (type_of(context)) {
        case STARS_FFTS_AT_START:
            if (!row.again)
                start.thread = row.thread = context.word[19] & 0xffffu;
            row.again = false;
            bad_ = start.thread >= threads_of(context);
            break;
        case STARS_FFTS_AT_END:
        case STARS_FFTS_LABEL:
            break;
        default:
            row.running = true;
            ++running_;
            out = start;
            return true;
        }
        touch(number);
        bad_ = bad_ || !passes_once(row) || !follow(start);
    }
    return false;
}

// A circle: it comes again without work in between, and for no later thread.
bool FftsTable::passes_once(Row &row) const
{
    const bool circle = row.passed_in == takes_ && row.thread <= row.passed_for;
    row.passed_in = takes_;
    row.passed_for = row.thread;
    return !circle;
}

bool FftsTable::done(const Start &which)
{
    Row &row = rows_[which.context];
    row.running = false;
    --running_;
    touch(which.context);
    bad_ = bad_ || !follow(which);
    return !bad_;
}

void FftsTable::touch(uint32_t number)
{
    if (rows_[number].touched)
        return;
    rows_[number].touched = true;
    --untouched_;
}

bool FftsTable::follow(const Start &which)
{
    const stars_ffts_context &context = table_[which.context];
    if (type_of(context) == STARS_FFTS_AT_END)
        return follow_end(which);
    for (uint32_t i = 0; i < count_of(context); ++i)
        if (!pass(listed(context, i), which.thread, false))
            return false;
    return true;
}

// T-FFT-6: the place in the window goes on with its next thread, or is done with all.
bool FftsTable::follow_end(const Start &which)
{
    const stars_ffts_context &end = table_[which.context];
    bool more = false;
    for (uint32_t i = 0; i < count_of(end); ++i) {
        const uint32_t to = listed(end, i);
        const stars_ffts_context &start = table_[to];
        const uint32_t window = start.word[19] >> STARS_FFTS_W19_WINDOW_SHIFT;
        if (type_of(start) != STARS_FFTS_AT_START || window == 0)
            return false;
        const uint32_t next = which.thread + window;
        if (next >= threads_of(start))
            continue;
        if (!pass(to, next, true))
            return false;
        more = true;
    }
    for (uint32_t i = 0; i < labels_of(end) && !more; ++i)
        if (!pass(listed(end, STARS_FFTS_END_SLOTS + i), 0, false))
            return false;
    return true;
}

// T-FFT-5. The start of threads does not wait when it is led to again.
bool FftsTable::pass(uint32_t to, uint32_t thread, bool again)
{
    Row &row = rows_[to];
    if (row.queued || row.running || (!again && row.left == 0))
        return false;
    row.thread = thread;
    row.again = again;
    if (!again && --row.left != 0)
        return true;
    row.left = static_cast<uint8_t>(table_[to].word[1] >> STARS_FFTS_W1_INITIAL_SHIFT & 0xffu);
    row.queued = true;
    ready_.push_back(to);
    return true;
}

} // namespace tsim
