// SPDX-License-Identifier: Apache-2.0
/// How often a bench met what it must meet. A run that never met one of them proves nothing, and
/// fails.
#ifndef RTL_STUBS_COMMON_BENCH_TALLY_H
#define RTL_STUBS_COMMON_BENCH_TALLY_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace bench
{

template <size_t Size>
class Tally
{
  public:
    explicit Tally(const std::array<const char *, Size> &names) : names_(names) {}

    /// One more of number `which`, if it is so.
    void met(size_t which, bool so = true) { counts_[which] += so; }
    void add(const Tally &other)
    {
        for (size_t i = 0; i < Size; ++i)
            counts_[i] += other.counts_[i];
    }
    /// Prints how often each was met; false, and says which, when one never was.
    [[nodiscard]] bool complete() const
    {
        bool all = true;
        for (size_t i = 0; i < Size; ++i) {
            std::printf("%12llu  %s\n", static_cast<unsigned long long>(counts_[i]), names_[i]);
            if (counts_[i] == 0) {
                std::printf("FAIL: never met: %s: the run proves nothing\n", names_[i]);
                all = false;
            }
        }
        return all;
    }

  private:
    std::array<const char *, Size> names_;
    std::array<uint64_t, Size> counts_{};
};

} // namespace bench

#endif
