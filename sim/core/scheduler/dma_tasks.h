// SPDX-License-Identifier: Apache-2.0
/// DMA tasks of queues on their engines: channel, set-up, bytes, effect. Rules T-DMA-1 to T-DMA-6,
/// T-DMA-30, T-SQE-8.
#ifndef TWINSIM_CORE_SCHEDULER_DMA_TASKS_H
#define TWINSIM_CORE_SCHEDULER_DMA_TASKS_H

#include <vector>

#include "core/base/staggered_vector.h"
#include "core/engine/dma.h"
#include "core/scheduler/dma_lists.h"
#include "core/scheduler/sqe_progress.h"

namespace tsim
{

class DmaTasks : private SqePart
{
  public:
    DmaTasks(const SqePart &part, uint64_t sdma_seed, uint64_t pcie_seed);
    void reset();
    /// Hint that the queue turns to its task soon.
    void prefetch(uint32_t sq) const { prefetch_line(&jobs_[sq]); }

    /// Reads the queue's job out of its SQE; false: the SQE is bad (T-DMA-8).
    [[nodiscard]] bool decode(uint32_t sq)
    {
        return decode_job(queues_.sqe(sq), system_.params.list_most.value, jobs_[sq]);
    }
    /// The class share is there; now a channel.
    void start(uint32_t sq);

    // ---- steps ----

    void start_transfer(uint32_t sq);
    void list_turn(uint32_t sq);
    void make_effect(uint32_t sq);
    void stretched(uint32_t sq);
    void limit_reached(uint32_t sq);

    /// The bytes of a plain task have moved.
    void transfer_done(uint32_t sq);
    /// An entry of a list has; `who` without DmaList::kOwner.
    void list_transfer_done(uint32_t who);

    /// Whatever moves for the queue ends without effect; its channel is still its own.
    void stop(uint32_t sq);
    /// It needs no channel any more.
    void abandon(uint32_t sq);

    /// What the SQE at the head has moved.
    [[nodiscard]] uint64_t moved(uint32_t sq) const
    {
        const uint8_t type = queues_[sq].type;
        return type == STARS_SQE_SDMA || type == STARS_SQE_DSA || type == STARS_SQE_PCIE_DMA
                   ? jobs_[sq].bytes
                   : 0;
    }
    /// The descriptor at which the list under way failed; kNone: none.
    [[nodiscard]] uint32_t list_error(uint32_t sq) const
    {
        return jobs_[sq].kind == DmaJob::Kind::kList ? jobs_[sq].row : kNone;
    }

  private:
    [[nodiscard]] DmaPool &pool(uint32_t sq)
    {
        return queues_[sq].type != STARS_SQE_PCIE_DMA ? sdma_ : pcie_; // T-RND-1
    }
    void set_up(uint32_t sq, uint32_t channel);
    [[nodiscard]] Cycle early(uint32_t sq) const;
    void set_next_up(uint32_t sq);
    void forget_next(uint32_t sq);
    void choose_effect(uint32_t sq);
    void release_channel(uint32_t sq);
    void end(uint32_t sq, const TaskEnd &how);
    /// Each: true when the fault has taken over.
    [[nodiscard, gnu::cold]] bool is_silent(uint32_t sq);
    [[nodiscard, gnu::cold]] bool ends_otherwise(uint32_t sq);

    /// The task that a queue sets up before its turn (T-DMA-14).
    struct Ahead {
        uint64_t number = 0; ///< 0: none
        Cycle since = 0;
    };

    ApartVector<DmaJob, 3072> jobs_; // by queue
    std::vector<Ahead> ahead_;       // by queue; empty if a set-up begins at its turn
    DmaPool sdma_, pcie_;
    DmaCeiling sdma_ceiling_, pcie_ceiling_;
    DmaLists lists_;
};

} // namespace tsim

#endif
