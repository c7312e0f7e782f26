// SPDX-License-Identifier: Apache-2.0
/// The kernel driver's own PCIe DMA channels, which serve copies outside all queues. Rules T-DMA-10
/// to T-DMA-12.
#ifndef TWINSIM_CORE_ENGINE_HOST_DMA_H
#define TWINSIM_CORE_ENGINE_HOST_DMA_H

#include <vector>

#include "core/engine/system_state.h"
#include "core/engine/dma.h"

namespace tsim
{

class HostDma
{
  public:
    /// Marks a transfer's owner in the link network: not a queue.
    static constexpr uint32_t kOwner = 1u << 31;

    HostDma(SystemState &system, uint32_t device);

    /// The struct stays the caller's and valid until done. May throw std::bad_alloc.
    void post(twinsim_transfer *transfer);
    /// Drops everything; what was posted ends as failed.
    void reset();
    void fire();
    void transfer_done(uint32_t channel);

  private:
    struct Waiting {
        Cycle start;
        twinsim_transfer *transfer;
    };
    struct Channel {
        twinsim_transfer *transfer = nullptr;
        uint32_t moving = kNone; // number in the link network
        Cycle begun = 0;         // of set-up, then of the transfer
        DmaJob job;
    };
    struct SettingUp {
        Cycle ready;
        uint32_t channel;
    };

    void arm();
    void start(Channel &channel, uint32_t number);
    void finish(Channel &channel, uint32_t number, uint16_t status);
    void note(const Channel &channel, uint32_t number, twinsim_phase phase, uint32_t parameter);

    SystemState &system_;
    const uint32_t device_;
    std::vector<Waiting> waiting_;      // by start, then by order of posting
    std::vector<SettingUp> setting_up_; // first to be ready first
    std::vector<Channel> channels_;
    DmaCeiling ceiling_;
    uint64_t free_ = 0;
    uint64_t posted_ = 0; // transfers so far
};

} // namespace tsim

#endif
