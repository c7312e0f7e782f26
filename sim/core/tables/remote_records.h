// SPDX-License-Identifier: Apache-2.0
/// Stores that records of one device's events send to other devices: those that are wanted, by
/// event, and those on their way, in the order in which they arrive. Rules T-RMT-6 to T-RMT-9.
#ifndef TWINSIM_CORE_TABLES_REMOTE_RECORDS_H
#define TWINSIM_CORE_TABLES_REMOTE_RECORDS_H

#include <unordered_map>
#include <vector>

#include "core/base/types.h"

namespace tsim
{

/// The maker of a record: a queue of a device as the trace counts sources, and the number of its
/// SQE.
struct Origin {
    uint32_t source = kNone; ///< kNone: the host
    uint64_t number = 0;
};

class RemoteRecords
{
  public:
    struct Forward {
        uint32_t event;  ///< of this device
        uint32_t device; ///< where it goes
        uint32_t entry;  ///< of that device's event table
        uint32_t next = kNone;
        Cycle arrival = 0; ///< once it is on its way
        Origin origin;     ///< likewise
    };

    /// After those of the event that were added before. Throws std::bad_alloc, and has changed
    /// nothing then.
    void add(uint32_t event, uint32_t device, uint32_t entry);
    /// All that the event has leave. Needs no memory.
    void send(uint32_t event, Cycle arrival, const Origin &origin);

    /// When the first of those on their way arrives; kNever: none is.
    [[nodiscard]] Cycle next_arrival() const
    {
        return first_ == kNone ? kNever : pool_[first_].arrival;
    }
    /// Takes it.
    [[nodiscard]] Forward arrived();

    /// Takes one that the event has and that has not left; false: there is none.
    [[nodiscard]] bool take(uint32_t event, Forward &out);
    /// Takes one that has not left, of any event.
    [[nodiscard]] bool take_any(Forward &out)
    {
        return !wanted_.empty() && take(wanted_.begin()->first, out);
    }
    /// Ends those that go to the entry, also on their way; with kNone to any entry of the device.
    void drop_to(uint32_t device, uint32_t entry);

  private:
    void release(uint32_t at);

    std::vector<Forward> pool_;
    std::unordered_map<uint32_t, uint32_t> wanted_; // by event: the first
    uint32_t free_ = kNone;
    uint32_t first_ = kNone; // on their way
    uint32_t last_ = kNone;
};

} // namespace tsim

#endif
