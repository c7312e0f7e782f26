// SPDX-License-Identifier: Apache-2.0
/// A PCIe DMA channel that works through a list of descriptors. Rules T-DMA-40 to T-DMA-46.
#ifndef TWINSIM_CORE_ENGINE_DMA_LIST_H
#define TWINSIM_CORE_ENGINE_DMA_LIST_H

#include <array>
#include <vector>

#include "core/engine/dma.h"

namespace tsim
{

/// What the channel knows of its list; the queue's job names list and length.
struct DmaList {
    /// Marks a transfer's owner in the link network: channel << kChannelShift | place in `moves`.
    static constexpr uint32_t kOwner = 1u << 29;
    static constexpr uint32_t kChannelShift = 8;
    static constexpr uint32_t kMost = 16; // of the parameters for window and moving

    struct Move {
        DmaJob job;
        uint32_t transfer = kNone; // number in the link network; kNone: this place is free
        uint32_t entry = 0;
        uint32_t operation = 0;
        Cycle begun = 0;
    };

    uint32_t sq = kNone;
    uint32_t next = 0;       // entry that begins next
    uint32_t line_end = 0;   // entries before it have been read
    uint32_t line_begin = 0; // entry of line[0]
    Cycle ready = 0;         // when the line after line_end has come
    Cycle turn = 0;          // when the next entry may begin
    Cycle begun = 0;         // when the first line was asked for
    Cycle limit = kNever;    // of the SQE
    uint32_t moving = 0;
    uint16_t status = 0; // why it failed
    bool small = false;  // the entry before `next` heads a small packet
    uint32_t small_bytes = 0;
    uint64_t small_dst = 0;
    std::array<uint32_t, STARS_DMA_LOOP + 1> open{}; // moving, by operation
    std::array<stars_dma_descriptor, kMost> line{};
    std::array<Move, kMost> moves{};
    std::vector<Move> kept; // complete, and their effect is kept back (T-FLT-19)
};

} // namespace tsim

#endif
