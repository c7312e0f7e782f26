// SPDX-License-Identifier: Apache-2.0
/// Lengths of time, many of them, in bounded memory: sums are exact, percentiles to 1 part in 32.
#ifndef TWINSIM_CORE_BASE_HISTOGRAM_H
#define TWINSIM_CORE_BASE_HISTOGRAM_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tsim
{

/// Values below 32 have a bucket each, every doubling from there on has 32.
class Histogram
{
  public:
    void add(uint64_t value)
    {
        ++count_;
        total_ += value;
        most_ = std::max(most_, value);
        const uint32_t bucket = bucket_of(value);
        if (bucket >= buckets_.size())
            buckets_.resize(bucket + 1);
        ++buckets_[bucket];
    }
    [[nodiscard]] uint64_t count() const { return count_; }
    [[nodiscard]] uint64_t total() const { return total_; }
    [[nodiscard]] uint64_t most() const { return most_; }
    /// The least value that `percent` of a hundred values do not exceed (nearest rank), or up to
    /// 1/32 more; 0 without values.
    [[nodiscard]] uint64_t percentile(uint32_t percent) const
    {
        const uint64_t rank = std::max<uint64_t>((count_ * percent + 99) / 100, 1);
        uint64_t seen = 0;
        for (uint32_t i = 0; i < buckets_.size(); ++i) {
            seen += buckets_[i];
            if (seen >= rank)
                return std::min(last_of(i), most_);
        }
        return 0;
    }

  private:
    static constexpr unsigned kBits = 5;
    static constexpr uint64_t kPart = uint64_t{1} << kBits;

    [[nodiscard]] static uint32_t bucket_of(uint64_t value)
    {
        if (value < kPart)
            return static_cast<uint32_t>(value);
        const unsigned shift = 63u - static_cast<unsigned>(__builtin_clzll(value)) - kBits;
        return static_cast<uint32_t>((shift + 1) * kPart + ((value >> shift) - kPart));
    }
    /// The greatest value in the bucket.
    [[nodiscard]] static uint64_t last_of(uint32_t bucket)
    {
        if (bucket < kPart)
            return bucket;
        const unsigned shift = bucket / static_cast<uint32_t>(kPart) - 1;
        return ((bucket % kPart + kPart + 1) << shift) - 1;
    }

    std::vector<uint64_t> buckets_;
    uint64_t count_ = 0;
    uint64_t total_ = 0;
    uint64_t most_ = 0;
};

} // namespace tsim

#endif
