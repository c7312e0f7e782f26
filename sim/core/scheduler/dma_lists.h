// SPDX-License-Identifier: Apache-2.0
/// PCIe DMA channels that work through lists of descriptors. Rules T-DMA-40 to T-DMA-46.
#ifndef TWINSIM_CORE_SCHEDULER_DMA_LISTS_H
#define TWINSIM_CORE_SCHEDULER_DMA_LISTS_H

#include <vector>

#include "core/engine/dma_list.h"
#include "core/scheduler/sqe_progress.h"

namespace tsim
{

/// Whether a task on an engine is over, and how it ended.
struct TaskEnd {
    bool over = false;
    uint8_t error = 0; ///< 0: good
    uint16_t status = STARS_STATUS_NONE;
};

/// A list is named by its queue, which has a channel; the caller keeps the queue's job.
class DmaLists : private SqePart
{
  public:
    DmaLists(const SqePart &part, const DmaCeiling &ceiling)
        : SqePart(part), ceiling_(ceiling), lists_(system_.params.pcie_channels.value)
    {
    }

    [[nodiscard]] TaskEnd start(uint32_t sq, DmaJob &job);
    /// Goes on until something has to be waited for: a line, the next turn, an earlier entry, or
    /// the end.
    [[nodiscard]] TaskEnd turn(uint32_t sq, DmaJob &job);
    /// The queue of a transfer, as the links name its owner without DmaList::kOwner.
    [[nodiscard]] uint32_t queue_of(uint32_t who) const { return list_of(who).sq; }
    /// An entry of the list has moved.
    [[nodiscard]] TaskEnd transfer_done(uint32_t who, DmaJob &job);
    /// Nothing of it moves any more, unless a fault says otherwise (T-FLT-6, T-FLT-8).
    [[nodiscard]] TaskEnd finish(uint32_t sq, DmaJob &job);
    /// Whatever moves ends without effect.
    void stop(uint32_t sq, DmaJob &job);

  private:
    [[nodiscard]] const DmaList &list_of(uint32_t who) const
    {
        return lists_[who >> DmaList::kChannelShift];
    }
    [[nodiscard]] bool read_line(uint32_t sq, DmaJob &job);
    void begin_entry(uint32_t sq, DmaJob &job, const stars_dma_descriptor &entry);
    void give_kept(DmaJob &job, DmaList &list);

    const DmaCeiling &ceiling_;
    std::vector<DmaList> lists_; // by channel
};

} // namespace tsim

#endif
