// SPDX-License-Identifier: Apache-2.0
/// How often a bench met what it must meet. A run that never met one of them proves nothing, and
/// fails.
#ifndef RTL_STUBS_COMMON_BENCH_TALLY_H
#define RTL_STUBS_COMMON_BENCH_TALLY_H

#include <cstdint>
#include <cstdio>

namespace bench
{

/// One of them, in all settings of a run together: a global variable of the bench.
class Met
{
  public:
    Met(const char *name) : name_(name)
    {
        *end_ = this;
        end_ = &next_;
    }
    Met(const Met &) = delete;
    Met &operator=(const Met &) = delete;

    /// Once more, if it is so.
    void operator()(bool so = true) { count_ += so; }
    /// Prints how often each was met; false, and says which, when one never was.
    [[nodiscard]] static bool complete()
    {
        bool all = true;
        for (const Met *met = first_; met; met = met->next_) {
            std::printf("%12llu  %s\n", static_cast<unsigned long long>(met->count_), met->name_);
            if (met->count_ == 0) {
                std::printf("FAIL: never met: %s: the run proves nothing\n", met->name_);
                all = false;
            }
        }
        return all;
    }

  private:
    static inline Met *first_ = nullptr;
    static inline Met **end_ = &first_;

    const char *const name_;
    uint64_t count_ = 0;
    Met *next_ = nullptr;
};

} // namespace bench

#endif
