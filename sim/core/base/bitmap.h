// SPDX-License-Identifier: Apache-2.0
/// A set of small numbers that finds its next member in constant time: two levels of 64-bit words.
#ifndef TWINSIM_CORE_BASE_BITMAP_H
#define TWINSIM_CORE_BASE_BITMAP_H

#include <array>
#include <cassert>
#include <cstdint>

#include "core/base/types.h"

namespace tsim
{

class Bitmap
{
  public:
    static constexpr uint32_t kSize = 4096;

    void set(uint32_t i)
    {
        assert(i < kSize);
        words_[i >> 6] |= uint64_t{1} << (i & 63);
        summary_ |= uint64_t{1} << (i >> 6);
    }
    void clear(uint32_t i)
    {
        assert(i < kSize);
        words_[i >> 6] &= ~(uint64_t{1} << (i & 63));
        if (words_[i >> 6] == 0)
            summary_ &= ~(uint64_t{1} << (i >> 6));
    }
    [[nodiscard]] bool test(uint32_t i) const { return (words_[i >> 6] >> (i & 63)) & 1; }
    /// Members 64 * i to 64 * i + 63.
    [[nodiscard]] uint64_t word(uint32_t i) const { return words_[i]; }
    [[nodiscard]] bool empty() const { return summary_ == 0; }

    /// The first member at or after `from`, going round once; kNone when the set is empty.
    [[nodiscard]] uint32_t next(uint32_t from) const
    {
        if (summary_ == 0)
            return kNone;
        const uint32_t word = from >> 6;
        const uint64_t here = words_[word] & (~uint64_t{0} << (from & 63));
        if (here != 0)
            return word * 64 + static_cast<uint32_t>(__builtin_ctzll(here));
        const uint64_t after = word == 63 ? 0 : summary_ & (~uint64_t{0} << (word + 1));
        const auto w = static_cast<uint32_t>(__builtin_ctzll(after != 0 ? after : summary_));
        return w * 64 + static_cast<uint32_t>(__builtin_ctzll(words_[w]));
    }

    [[nodiscard]] uint32_t count() const
    {
        uint32_t members = 0;
        for (const uint64_t word : words_)
            members += static_cast<uint32_t>(__builtin_popcountll(word));
        return members;
    }

    /// Member number n, counted from 0 in rising order; n < count().
    [[nodiscard]] uint32_t nth(uint32_t n) const
    {
        uint32_t word = 0;
        for (; n >= static_cast<uint32_t>(__builtin_popcountll(words_[word])); ++word)
            n -= static_cast<uint32_t>(__builtin_popcountll(words_[word]));
        uint64_t rest = words_[word];
        for (; n > 0; --n)
            rest &= rest - 1;
        return word * 64 + static_cast<uint32_t>(__builtin_ctzll(rest));
    }

    void reset()
    {
        words_.fill(0);
        summary_ = 0;
    }

  private:
    std::array<uint64_t, kSize / 64> words_{};
    uint64_t summary_ = 0; // bit w: words_[w] is not zero
};

} // namespace tsim

#endif
