// SPDX-License-Identifier: Apache-2.0
/// The first difference between model and RTL: what is known of it, and what becomes of the
/// process.
#ifndef TWINSIM_RTL_DIFFERENCE_H
#define TWINSIM_RTL_DIFFERENCE_H

#include <functional>
#include <string>
#include <vector>

#include "core/base/types.h"

namespace tsim::rtl
{

/// Status of a process that ends at a difference.
inline constexpr int kDifferenceStatus = 98;

struct Difference {
    uint32_t device = 0;
    Cycle cycle = 0;
    std::string block;    ///< "npu_arbiter"
    std::string instance; ///< "slots"
    std::string
        signal; ///< of the response; "assertion" and "response" are failures of the RTL by itself
    uint64_t model = 0;
    uint64_t rtl = 0;
    std::string rule; ///< "T-ARB-5"
    uint64_t seed = 0;
    std::vector<std::string>
        operations;                 ///< of this instance, oldest first; the last one is the culprit
    std::vector<std::string> files; ///< waveforms
    std::string note;               ///< why there are none, or not both; may be empty
};

/// Where and what, and the last operations, as text in lines.
[[nodiscard]] std::string to_text(const Difference &difference);
/// Which waveforms there are.
[[nodiscard]] std::string to_text_of_files(const Difference &difference);

/// What all units of a system share.
class Reporter
{
  public:
    /// Receives a difference in place of standard error; after it returns, that unit stops
    /// comparing.
    using Hook = std::function<void(const Difference &)>;
    /// What is done before the process ends, and how long it may take.
    struct Last {
        void (*call)() = nullptr;
        unsigned seconds = 30;
    };

    /// Waveforms of everything go to files that begin with `trace`; empty: none.
    explicit Reporter(std::string trace) : trace_(std::move(trace)) {}

    void attach(const Cycle &now, uint64_t seed)
    {
        now_ = &now;
        seed_ = seed;
    }
    void set_hook(Hook hook) { hook_ = std::move(hook); }
    void set_last(const Last &last) { last_ = last; }
    [[nodiscard]] Cycle now() const { return now_ ? *now_ : 0; }
    [[nodiscard]] uint64_t seed() const { return seed_; }
    [[nodiscard]] const std::string &trace() const { return trace_; }
    /// How names of files with the waveforms around a difference begin.
    [[nodiscard]] std::string wave_prefix() const;

    /// Prints all but the waveforms, which may take long or fail; with a hook nothing.
    void print_text(const Difference &difference) const;
    /// Prints the waveforms, does what is to be done last and ends the process with
    /// kDifferenceStatus, however that went; or calls the hook.
    void end(const Difference &difference) const;

  private:
    const Cycle *now_ = nullptr;
    uint64_t seed_ = 0;
    std::string trace_;
    Hook hook_;
    Last last_;
};

} // namespace tsim::rtl

#endif
