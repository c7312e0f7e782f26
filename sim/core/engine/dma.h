// SPDX-License-Identifier: Apache-2.0
/// Channels of a DMA engine, and what a transfer does to memory. Rules T-DMA-1 to T-DMA-8, T-DMA-20
/// to T-DMA-27.
#ifndef TWINSIM_CORE_ENGINE_DMA_H
#define TWINSIM_CORE_ENGINE_DMA_H

#include <vector>

#include "core/link/link.h"
#include "core/engine/random.h"
#include "core/engine/reduce.h"
#include "core/base/rtl_port.h"
#include "core/base/types.h"
#include "twinsim.h"
#include "twinsim/stars.h"

namespace tsim
{

struct SystemState;

/// The channels that queues have, and the queues that wait for one, first come, first served
/// (T-DMA-1).
class DmaPool
{
  public:
    /// `rtl_port` takes its place, if there is one.
    DmaPool(uint32_t channels, uint32_t queues, uint64_t seed,
            std::unique_ptr<DmaPoolRtlPort> rtl_port = nullptr);

    /// A free channel, the lowest with seed 0; kNone when all are busy.
    [[nodiscard]] uint32_t acquire();
    /// Gives a channel back; returns the queue that gets it next, taken off the list, or kNone.
    uint32_t release(uint32_t channel);
    void wait(uint32_t queue);
    void forget(uint32_t queue);
    void reset();

  private:
    struct Link {
        uint16_t next = 0; // queue + 1
        uint16_t previous = 0;
    };
    const uint32_t channels_;
    uint64_t free_ = 0; // bit set: free
    uint64_t seed_;
    uint16_t first_ = 0;
    uint16_t last_ = 0;
    std::vector<Link> links_;
    std::unique_ptr<DmaPoolRtlPort> rtl_port_;
};

/// A fill with the lowest byte of `value`, as a word.
[[nodiscard]] constexpr uint32_t fill_pattern(uint32_t value)
{
    return (value & 0xff) * 0x01010101u;
}

/// One transfer, as an engine has it programmed: `planes` times `rows` rows of `row` bytes. A plain
/// one is one row, and all of it is in one line of the host's cache.
struct alignas(64) DmaJob {
    /// From kPointer on: its addresses are in memory, read when its bytes would begin to move.
    enum class Kind : uint8_t {
        kCopy,
        kFill,
        kReduce,
        kMaintain,
        kRandom,
        kList,
        kPointer,
        kOffsets,
        kDsa ///< kRandom before its parameters were read
    };

    uint64_t dst = 0;
    uint64_t src = 0;   ///< of a list or a descriptor: its address
    uint64_t bytes = 0; ///< all rows; of a list: what it has moved
    Kind kind = Kind::kCopy;
    ReduceOp op = ReduceOp::kAdd;
    ReduceType type = ReduceType::kInt8;
    uint32_t route = kNone; ///< once its bytes move
    uint32_t row = 0;       ///< of a list: the descriptor at which it failed, or kNone
    uint32_t rows =
        /// of a list: descriptors; else 0: a plain transfer, the fields around this one do not
        /// matter
        0;
    uint32_t planes = 0;
    uint32_t value = 0;   ///< of a fill: the word that is repeated; of a descriptor: the opcode;
                          /// of random numbers: word 2
    bool made = false;    ///< its effect, before its end (T-DMA-30)
    uint16_t status = 0;  ///< why its effect failed; 0: it did not
    Cycle limit = kNever; ///< of the SQE
    // From one row or plane to the next; of kOffsets: the offsets.
    alignas(64) uint64_t src_row = 0;
    uint64_t dst_row = 0;
    uint64_t src_plane = 0, dst_plane = 0;
    uint64_t seed = 0, count = 0; ///< of random numbers

    /// From the first to the last byte, gaps included.
    [[nodiscard]] uint64_t src_span() const { return is_plain() ? bytes : rows_span(false); }
    [[nodiscard]] uint64_t dst_span() const { return is_plain() ? bytes : rows_span(true); }
    [[nodiscard]] bool is_plain() const { return __builtin_expect(rows == 0, 1); }

  private:
    // Separate: a compiler would read strides for plain jobs too, and these are in another line.
    [[nodiscard, gnu::noinline]] uint64_t rows_span(bool of_dst) const;
};
static_assert(sizeof(DmaJob) == 128);

/// Reads a job out of an SDMA or PCIe DMA SQE; false when the SQE is bad (T-DMA-8). A list has at
/// most `list_most` descriptors.
[[nodiscard]] bool decode_job(const stars_sqe &sqe, uint64_t list_most, DmaJob &out);

/// Whether all of a range is mapped, in one piece or several, and where its first byte leads.
[[nodiscard]] bool leads_to(const twinsim_bus &bus, uint32_t device, uint64_t address,
                            uint64_t bytes, twinsim_target *target, uint32_t *owner);

/// Reads what a job of kPointer or after names, which makes it one that moves bytes; answers 0,
/// or why the SQE fails (T-DMA-51, T-DMA-53, T-RND-1).
[[nodiscard]] uint16_t resolve(DmaJob &job, SystemState &system, uint32_t device);

/// The task of a job of kRandom.
[[nodiscard]] RandomTask random_task(const DmaJob &job);

/// Finds the route of a job from where its addresses lead (T-LNK-3); kNone when one of them is a
/// fault (T-DMA-4). `device` is where the engine sits; `pcie`: a PCIe engine, else SDMA.
[[nodiscard]] uint32_t find_route(const DmaJob &job, const twinsim_bus &bus,
                                  const LinkNetwork &links, uint32_t device, bool pcie);

/// Makes the job's effect, at its instant (T-DMA-5); false when an address is a fault.
[[nodiscard]] bool apply(const DmaJob &job, const twinsim_bus &bus, uint32_t device);
/// The same on a system: the job keeps why an access was refused.
void apply(DmaJob &job, SystemState &system, uint32_t device);

/// Where jobs of an engine go when its channels have a ceiling (T-DMA-28): the route that is theirs
/// alone.
class DmaCeiling
{
  public:
    /// `mb_s` 0: none, and routes stay as they are. Throws std::bad_alloc.
    DmaCeiling(LinkNetwork &links, const Setting &mb_s);
    [[nodiscard]] uint32_t of(uint32_t route) const
    {
        return route < routes_.size() ? routes_[route] : route;
    }

  private:
    std::vector<uint32_t> routes_;
};

} // namespace tsim

#endif
