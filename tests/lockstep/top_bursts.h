// SPDX-License-Identifier: Apache-2.0
/// The bursts that npu_top says it begins: those of each transfer have each of its bytes once, in
/// order (T-BST-1).
#ifndef TWINRT_TESTS_LOCKSTEP_TOP_BURSTS_H
#define TWINRT_TESTS_LOCKSTEP_TOP_BURSTS_H

#include <algorithm>
#include <array>
#include <string>

#include "core/engine/dma.h"
#include "job.h"

namespace job
{

class TopBursts
{
  public:
    explicit TopBursts(uint64_t burst_bytes) : burst_bytes_(burst_bytes) {}

    /// A transfer of that queue: the next burst is its first one.
    void starts(uint32_t queue, const tsim::DmaJob &dma)
    {
        left_[queue] = {dma.src, dma.dst, dma.bytes};
        starts_ = queue;
    }

    /// Throws a std::string when the burst is not the next one of its transfer.
    template <class Model>
    void begins(const Model &top)
    {
        if (starts_ != kNoQueue)
            queue_of_[top.ax_id_o] = starts_;
        starts_ = kNoQueue;
        const uint32_t queue = queue_of_[top.ax_id_o];
        Left none, &left = queue == kNoQueue ? none : left_[queue];
        const uint64_t bytes = std::min(burst_bytes_, left.bytes);
        if (bytes == 0 || top.ax_src_o != left.src || top.ax_dst_o != left.dst ||
            top.ax_bytes_o != bytes || top.ax_last_o != (bytes == left.bytes))
            throw "a burst of channel " + std::to_string(top.ax_id_o) + " with " +
                std::to_string(top.ax_bytes_o) + " bytes is not the next one of its transfer";
        left.src += bytes;
        left.dst += bytes;
        left.bytes -= bytes;
    }

    /// Throws a std::string when bytes of the queue's transfer are left.
    void complete(uint32_t queue) const
    {
        if (left_[queue].bytes != 0 || starts_ != kNoQueue)
            throw "the transfer of queue " + std::to_string(queue) + " is complete, but " +
                std::to_string(left_[queue].bytes) + " bytes have not begun";
    }

  private:
    static constexpr uint32_t kNoQueue = UINT32_MAX;
    struct Left {
        uint64_t src = 0, dst = 0, bytes = 0;
    };
    [[nodiscard]] static std::array<uint32_t, 128> no_queues()
    {
        std::array<uint32_t, 128> out{};
        out.fill(kNoQueue);
        return out;
    }

    const uint64_t burst_bytes_;
    uint32_t starts_ = kNoQueue;
    std::array<uint32_t, 128> queue_of_ = no_queues(); // by the id of bursts
    std::array<Left, kQueues> left_{};
};

} // namespace job

#endif
