// SPDX-License-Identifier: Apache-2.0
/// FFTS+ tasks of queues: the table of contexts, the contexts that are under way, and the end of
/// the task. Rules T-FFT-1 to T-FFT-12.
#ifndef TWINSIM_CORE_SCHEDULER_FFTS_TASKS_H
#define TWINSIM_CORE_SCHEDULER_FFTS_TASKS_H

#include <array>
#include <memory>
#include <vector>

#include "core/engine/block_dispatcher.h"
#include "core/engine/dma.h"
#include "core/queue/ffts_table.h"
#include "core/scheduler/sync_tables.h"
#include "core/scheduler/sqe_progress.h"

namespace tsim
{

/// Who asked for an FFTS+ task.
class FftsOwner
{
  public:
    /// Nothing of the task is under way any more; error 0: it has ended well.
    virtual void ffts_ended(uint32_t sq, uint8_t error, uint16_t status) = 0;
    /// The same because of a kernel.
    virtual void ffts_kernel_failed(uint32_t sq, twinsim_kernel_fault fault) = 0;
    /// What the blocks of a kernel do that a fault hits.
    [[nodiscard]] virtual twinsim_kernel faulted(uint32_t sq, BlockDispatcher::Kind kind,
                                                 const twinsim_kernel &work) const = 0;
    /// Paused, and nothing of it goes on.
    virtual void ffts_rests(uint32_t sq) = 0;

  protected:
    ~FftsOwner() = default;
};

class FftsTasks : private SqePart, private ContextWaits
{
  public:
    FftsTasks(const SqePart &part, SyncTables &tables, BlockDispatcher &cores, FftsOwner &owner)
        : SqePart(part), tables_(tables), cores_(cores), owner_(owner)
    {
        tables.attach(*this);
    }
    void reset();

    /// Whether an SQE names a table that the part can work on.
    [[nodiscard]] bool accepts(const stars_sqe &sqe) const;
    /// The class share is there.
    void start(uint32_t sq);
    /// The queue's timer has gone off.
    void turn(uint32_t sq);
    /// Whether the queue's task is one.
    [[nodiscard]] bool has(uint32_t sq) const { return find(sq) != nullptr; }
    /// The description of a kernel that the driver had to find first.
    void give(uint32_t sq, const twinsim_kernel &work);
    void pause(uint32_t sq);
    void resume(uint32_t sq);
    /// The task ends without a report.
    void drop(uint32_t sq);
    /// A transfer has ended; `who` without kOwner.
    void transfer_done(uint32_t who);

    // What the cores say of the kernels of contexts, as in KernelOwner.
    void first_block(uint32_t kernel);
    [[nodiscard]] bool blocks_ended(uint32_t kernel);
    void kernel_failed(uint32_t kernel, twinsim_kernel_fault fault);
    void kernel_rests(uint32_t kernel);

    static constexpr uint32_t kOwner = 1u << 28; ///< marks transfers of contexts

  private:
    static constexpr uint32_t kUnits = 64; ///< contexts of a task that are under way at once
    static constexpr uint32_t kUnitShift = 8;
    static constexpr uint32_t kHitEnded = kNone - 1;

    enum class Phase : uint8_t {
        kFree,
        kStarts, ///< its time to start runs
        kBlocks, ///< a kernel: its blocks wait or run
        kSlow,   ///< its blocks have ended; it takes more time (T-FLT-17)
        kSetUp,
        kMoves,
        kStores, ///< a value, or it comes to a notify
        kWaits,  ///< for a notify
        kPassed  ///< ends with the next turn
    };
    struct Unit {
        Phase phase = Phase::kFree;
        bool rests = false;  // of a paused kernel
        Cycle due = kNever;  // of kStarts, kSetUp, kStores
        Cycle begun = 0;     // its transfer
        uint32_t kernel = 0; // of the task's, for the dispatcher
        uint32_t transfer = kNone;
        uint32_t notify = 0;
        uint64_t order = 0; // in which they became ready
        uint64_t turn = 0;  // order of waits for a notify
        FftsTable::Start start;
        DmaJob job;
    };
    struct RunState {
        uint32_t sq = kNone;
        bool loaded = false;
        bool paused = false;
        uint32_t wanted = kNone; // unit whose kernel the driver has yet to describe
        uint32_t kernels = 0;    // bit set: that one of BlockDispatcher::kContexts is in use
        twinsim_kernel_fault fault = TWINSIM_KERNEL_GOOD; // of one that ended
        uint32_t hit = kNone;     // the first kernel of a task that a fault hits: its unit
        Cycle hit_begun = kNever; // its first block
        bool hit_failed = false;  // T-FLT-15
        Cycle ready = 0;          // when the table is there
        Cycle limit = kNever;
        std::array<Unit, kUnits> units;
        /// The next turn ends the task.
        [[nodiscard]] bool has_failed() const { return hit_failed || fault != TWINSIM_KERNEL_GOOD; }
    };
    struct Run : RunState {
        FftsTable table; // its memory serves the next task of the slot
    };

    [[nodiscard]] Run *find(uint32_t sq) const;
    [[nodiscard]] Run &of_kernel(uint32_t kernel, uint32_t &unit) const;
    [[nodiscard]] LinkNetwork::Owner transfer_of(const Run &run, const Unit &unit) const;
    [[nodiscard]] uint32_t next_due(const Run &run) const;
    [[nodiscard]] static BlockDispatcher::Kind kind_of(const Run &run, const Unit &unit);
    [[nodiscard]] static uint32_t blocks_of(const Run &run, const Unit &unit);
    // False from here on: the task has ended.
    [[nodiscard]] bool load(Run &run);
    [[nodiscard]] bool take_new(Run &run);
    [[nodiscard]] bool step(Run &run, uint32_t number);
    [[nodiscard]] bool begin(Run &run, uint32_t number);
    [[nodiscard]] bool begin_kernel(Run &run, uint32_t number);
    [[nodiscard]] bool launch(Run &run, uint32_t number, const twinsim_kernel &work);
    [[nodiscard]] bool begin_copy(Run &run, Unit &unit);
    [[nodiscard]] bool move(Run &run, uint32_t number);
    [[nodiscard]] bool begin_notify(Run &run, uint32_t number);
    [[nodiscard]] bool store(Run &run, uint32_t number);
    [[nodiscard]] bool store_value(Run &run, const Unit &unit);
    [[nodiscard]] bool done(Run &run, uint32_t number);
    [[nodiscard]] bool is_hit(const Run &run, uint32_t unit) const;
    [[nodiscard]] Cycle give_up_time(const Run &run) const;
    [[nodiscard]] bool fail(Run &run, uint8_t error, uint16_t status);
    [[nodiscard]] bool bad(Run &run);

    void go_on(Run &run);
    void end_kernel(Run &run, uint32_t number);
    void arm(Run &run);
    void stop(Run &run);
    void end(Run &run, uint8_t error, uint16_t status);
    void check_rest(Run &run);
    [[nodiscard]] bool notified(uint32_t id) override;

    SyncTables &tables_;
    BlockDispatcher &cores_;
    FftsOwner &owner_;
    uint64_t turns_ = 0;
    std::vector<std::unique_ptr<Run>> runs_; // by slot
};

} // namespace tsim

#endif
