// SPDX-License-Identifier: Apache-2.0
/// Counters: what the machine was used for and what its queues waited for, added up out of the
/// trace's entries as they come. Nothing here is touched while the model runs without counters.
#ifndef TWINSIM_CORE_TRACE_STATS_H
#define TWINSIM_CORE_TRACE_STATS_H

#include <array>
#include <cstddef>
#include <vector>

#include "core/base/histogram.h"
#include "core/link/link.h"
#include "core/profile/params.h"
#include "core/base/types.h"
#include "twinsim.h"

namespace tsim
{

class Stats
{
  public:
    /// The phase of an entry for take() about a queue that opens: `id` is its stream, `number`
    /// counts.
    static constexpr uint8_t kOpened = UINT8_MAX;

    Stats(const Params &params, const LinkNetwork &links, uint32_t devices);

    /// Entries in the order in which they were written. Throws std::bad_alloc.
    void take(const twinsim_trace_entry &entry);
    /// How many of `resource` a device has had in use at once, as the model counts them itself.
    void set_most(uint32_t device, twinsim_resource resource, uint32_t index, uint32_t most);

    /// Bytes of an access of an AI core that L2 had, and that it had not (T-CORE-22).
    void l2(uint32_t device, bool write, uint64_t hit, uint64_t miss);

    void device(uint32_t device, twinsim_device_counts &out) const;
    void wait(uint32_t device, twinsim_cause cause, twinsim_wait_counts &out) const;
    /// `index` kNone: all of that kind; false: the index is invalid.
    [[nodiscard]] bool use(uint32_t device, twinsim_resource resource, uint32_t index,
                           twinsim_use_counts &out) const;
    [[nodiscard]] size_t queue_count() const { return queues_.size(); }
    [[nodiscard]] const twinsim_queue_counts &queue(size_t index) const { return queues_[index]; }

  private:
    struct Device {
        twinsim_device_counts sums{};
        std::array<Histogram, TWINSIM_CAUSE_COUNT> waits;
        std::array<std::vector<twinsim_use_counts>, TWINSIM_RESOURCE_COUNT> uses;
        std::array<uint32_t, TWINSIM_RESOURCE_COUNT> most{};
    };

    [[nodiscard]] twinsim_queue_counts *queue_of(const twinsim_trace_entry &entry);
    [[nodiscard]] twinsim_use_counts &use_of(const twinsim_trace_entry &entry,
                                             twinsim_resource resource);
    void open(const twinsim_trace_entry &entry);
    void waited(const twinsim_trace_entry &entry, twinsim_cause cause);
    void used(const twinsim_trace_entry &entry, twinsim_resource resource);
    void moved(const twinsim_trace_entry &entry);
    [[nodiscard]] twinsim_cause slot_cause(const twinsim_trace_entry &entry) const;
    [[nodiscard]] twinsim_cause engine_cause(const twinsim_trace_entry &entry) const;

    const Params &params_;
    const LinkNetwork &links_;
    std::vector<Device> devices_;
    std::vector<twinsim_queue_counts> queues_; // every life of every queue, in the order of opening
    std::vector<uint32_t> present_;            // by device and SQ: the life that is there
};

} // namespace tsim

#endif
