// SPDX-License-Identifier: Apache-2.0
/// Trace records in one growing array. Growing moves pages, not bytes.
#ifndef TWINSIM_CORE_TRACE_H
#define TWINSIM_CORE_TRACE_H

#include <cstddef>

#include "twinsim.h"

namespace tsim
{

class Trace
{
  public:
    explicit Trace(bool on) : on_(on) {}
    ~Trace();
    Trace(const Trace &) = delete;
    Trace &operator=(const Trace &) = delete;

    [[nodiscard]] bool on() const { return on_; }
    /// Room for one more record. Throws std::bad_alloc when the host has no memory left.
    twinsim_trace_record &add()
    {
        if (count_ == capacity_)
            grow();
        return records_[count_++];
    }
    [[nodiscard]] const twinsim_trace_record *data() const { return records_; }
    [[nodiscard]] size_t size() const { return count_; }

  private:
    void grow();

    const bool on_;
    twinsim_trace_record *records_ = nullptr;
    size_t count_ = 0;
    size_t capacity_ = 0;
};

} // namespace tsim

#endif
