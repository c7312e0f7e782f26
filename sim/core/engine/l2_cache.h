// SPDX-License-Identifier: Apache-2.0
/// Which bytes of global memory L2 holds, and who has them in hand: rules T-L2-1 to T-L2-6.
#ifndef TWINSIM_CORE_ENGINE_L2_CACHE_H
#define TWINSIM_CORE_ENGINE_L2_CACHE_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/types.h"

namespace tsim
{

/// Sectors in blocks of 64; the block that was used longest ago leaves as a whole. A block costs
/// the host as much time and memory as a sector, so long accesses are cheap.
class L2Cache
{
  public:
    /// What an access, or several, came to; in bytes.
    struct Outcome {
        uint64_t hit = 0;      ///< that were there
        uint64_t miss = 0;     ///< that were not
        uint64_t rest = 0;     ///< that a sector has beside those that were read, and missed
        uint64_t returned = 0; ///< that left for others and had been written
        uint64_t rows = 0;     ///< rows, not bytes, of which a part was not there
        /// When the last sector is served for which it waited; 0: it waited for none.
        uint64_t served = 0;
    };
    /// Who comes when; kFraction binary digits after the cycle.
    struct Visit {
        uint64_t now = 0;
        uint64_t each = 0; ///< that a sector is in hand; 0: it never is
        uint32_t core = 0;
    };
    struct Rows {
        uint64_t address;
        uint64_t bytes; ///< of a row
        uint64_t rows;
        uint64_t pitch;
    };

    /// `sector` is a power of two. Takes no memory before the first access.
    L2Cache(uint64_t bytes, uint64_t sector);

    /// `once`: what is not there does not come. Throws std::bad_alloc.
    void access(const Rows &rows, bool write, bool once, const Visit &visit, Outcome &out);
    /// Empty, and nothing is written back.
    void reset();
    [[nodiscard]] uint64_t held_bytes() const { return held_ * sector_; }
    [[nodiscard]] size_t block_count() const { return blocks_.size(); }

    static constexpr unsigned kFraction = 10;
    static constexpr uint32_t kSectors = 64;       ///< of a block
    static constexpr uint32_t kBlocksMost = 65536; ///< at once: what bounds the host's memory

  private:
    struct Block {
        uint64_t number = 0;
        uint64_t present = 0; // a bit per sector
        uint64_t written = 0;
        uint64_t in_hand = 0; // of the newest access, and of those that it waited for,
        uint64_t until = 0;   // until then,
        uint32_t user = 0;    // by this core
        uint32_t older = kNone;
        uint32_t newer = kNone;
        uint32_t next = kNone; // of its chain in table_
    };

    void touch(uint64_t number, uint64_t first, uint64_t last, bool write, bool once,
               const Visit &visit, Outcome &out);
    /// `wanted` has `sectors` bits.
    static void queue(Block &block, uint64_t wanted, uint64_t sectors, const Visit &visit,
                      Outcome &out);
    [[nodiscard]] uint32_t find(uint64_t number) const;
    [[nodiscard]] uint32_t &chain_of(uint64_t number);
    uint32_t add(uint64_t number, Outcome &out);
    void take_out(uint32_t block);
    void put_newest(uint32_t block);
    void drop_oldest(Outcome &out);

    const uint64_t most_; // sectors
    const uint64_t sector_;
    const unsigned sector_shift_;
    const unsigned block_shift_;
    uint64_t held_ = 0; // sectors
    std::vector<Block> blocks_;
    std::vector<uint32_t> table_; // heads of chains
    std::vector<uint32_t> free_;
    uint32_t oldest_ = kNone;
    uint32_t newest_ = kNone;
};

} // namespace tsim

#endif
