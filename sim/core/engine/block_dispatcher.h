// SPDX-License-Identifier: Apache-2.0
/// Blocks of kernels on the AI cores of one device: which kernel issues next, which core it gets,
/// when it ends. Rules T-CORE-3 to T-CORE-7, T-CORE-12, T-CORE-13, T-CORE-26.
#ifndef TWINSIM_CORE_ENGINE_BLOCK_DISPATCHER_H
#define TWINSIM_CORE_ENGINE_BLOCK_DISPATCHER_H

#include <array>
#include <memory>
#include <vector>

#include "core/engine/ai_core.h"
#include "core/base/bitmap.h"

namespace tsim
{

/// What the dispatcher has to say about a kernel of a queue, which `kernel` names. Its calls come
/// from inside the dispatcher's own; nothing of that kernel is in there any more after
/// kernel_failed() and a blocks_ended() that said so.
class KernelOwner
{
  public:
    /// The first block has been issued.
    virtual void first_block(uint32_t kernel, uint32_t sq) = 0;
    /// True: the kernel is over. False: it stays until stop(), without a block that runs.
    [[nodiscard]] virtual bool blocks_ended(uint32_t kernel, uint32_t sq) = 0;
    virtual void kernel_failed(uint32_t kernel, uint32_t sq, twinsim_kernel_fault fault) = 0;
    /// Paused, and its last running block has ended.
    virtual void kernel_rests(uint32_t kernel, uint32_t sq) = 0;

  protected:
    ~KernelOwner() = default;
};

class BlockDispatcher
{
  public:
    enum class Kind : uint8_t { kAic, kAiv, kMixed };
    struct Order {
        uint64_t number;
        uint32_t sq;
        uint32_t blocks;
        uint16_t task_id;
        uint8_t weight;
        Kind kind;
        bool batch;
        uint32_t context; ///< of an FFTS+ task; else 0
    };

    BlockDispatcher(SystemState &system, uint32_t device, KernelOwner &owner, uint64_t seed);
    /// Stops everything; timers and transfers too.
    void reset();

    /// How many blocks of that kind can run at once; 0: the part has no such cores.
    [[nodiscard]] uint32_t room(Kind kind) const;
    /// The step lists that one block has.
    [[nodiscard]] uint32_t parts(Kind kind) const { return kind == Kind::kMixed ? 1 + ratio_ : 1; }

    // Kernels are named by the active slot of their queue, those of contexts by that and a number.
    static constexpr uint32_t kSlots = 128;
    static constexpr uint32_t kContexts = 4; ///< kernels of an FFTS+ task at once
    [[nodiscard]] static constexpr uint32_t of_context(uint32_t slot, uint32_t number)
    {
        return kSlots + slot * kContexts + number;
    }
    [[nodiscard]] static constexpr bool is_of_context(uint32_t kernel) { return kernel >= kSlots; }

    /// The kernel's blocks are to run. False: the description does not fit. Throws std::bad_alloc.
    [[nodiscard]] bool start(uint32_t slot, const Order &order, const twinsim_kernel &work);
    [[nodiscard]] bool has(uint32_t slot) const
    {
        return slot < kernels_.size() && kernels_[slot].used;
    }
    /// The driver's description of a kernel that does not start, or has ended.
    void end_description(const Order &order) const;
    /// No further block until resume(). True: none is running now and some are left, so the kernel
    /// rests.
    [[nodiscard]] bool pause(uint32_t slot);
    void resume(uint32_t slot);
    /// The kernel is gone in this cycle, its blocks stop.
    void stop(uint32_t slot);

    // The calendar's and the links' side.
    void fire();
    void fire_core(uint32_t core);
    void transfer_done(uint32_t who);

    static constexpr uint32_t kOwner = 1u << 30; ///< marks transfers of cores

  private:
    struct Kernel {
        Order order{};
        twinsim_kernel work{};
        std::unique_ptr<LaunchTalk> talk; // none before the first start
        uint32_t issued = 0;
        uint32_t running = 0;
        uint8_t left = 0; // of its turn
        bool used = false;
        bool paused = false;
    };
    struct Core {
        AiCore unit;
        uint32_t kernel = kNone; // slot
        uint32_t leader = 0;     // of its block; itself unless it is an AIV of a mixed one
        uint32_t unfinished = 0; // of the leader: step lists that have not ended
        Cycle issued = 0;
        Cycle decision = 0; // the scheduler's, of this block
        Cycle crowd = 0;    // T-CORE-24
        bool warm = false;  // it has had a block before
        bool started = false;
        bool ended = false;
    };

    void make();
    [[nodiscard]] uint32_t first_aiv() const { return aics_; }
    [[nodiscard]] uint32_t timer_of(uint32_t core) const
    {
        return (device_ << SystemState::kDeviceShift) + SystemState::kCoreTimer + core;
    }
    void take(uint32_t core);
    void give(uint32_t core);
    [[nodiscard]] uint32_t cluster_of(uint32_t core) const
    {
        return ratio_ == 0 ? kNone : core < aics_ ? core : (core - aics_) / ratio_;
    }
    [[nodiscard]] bool can_issue(uint32_t slot) const;
    [[nodiscard]] uint32_t next_kernel() const;
    void arm();
    void issue(uint32_t place);
    [[nodiscard]] uint32_t pick(const Bitmap &among);
    [[nodiscard]] Cycle decision_of(Core &core, uint32_t index) const;
    [[nodiscard]] Cycle crowd_of(const Kernel &kernel, uint32_t block) const;
    void seat(uint32_t core, uint32_t leader, uint32_t slot, uint32_t block, uint32_t part);
    void begin(uint32_t core);
    void outcome(uint32_t core, AiCore::Outcome what);
    void pass_on(uint32_t leader);
    void pass_on_launch(uint32_t slot);
    void block_ended(uint32_t leader);
    void clear(uint32_t slot);
    void leave_turns(uint32_t slot);
    void trace(const Core &core, twinsim_phase phase, Cycle begin, Cycle end, uint32_t parameter);

    SystemState &system_;
    const uint32_t device_;
    KernelOwner &owner_;
    const uint32_t aics_, aivs_;
    const uint32_t ratio_; // AIVs of an AIC; 0: no mixed kernels
    uint64_t seed_;
    uint32_t free_count_[2] = {0, 0};
    uint32_t free_clusters_count_ = 0;
    uint32_t exclusive_ = kNone; // a batch kernel in the middle of its issue
    Cycle next_issue_ = 0;
    std::unique_ptr<const GmRoutes> routes_;
    std::vector<Kernel> kernels_; // by slot; empty until the first kernel comes
    std::vector<Core> cores_;     // AICs, then AIVs
    std::vector<uint16_t> turns_; // kernels with blocks to issue; the first has the turn
    std::vector<uint8_t> busy_in_cluster_;
    std::vector<CoreTalk> talks_; // by leader
    std::array<Bitmap, 2> free_;  // AICs, AIVs; each from 0
    Bitmap free_clusters_;
};

} // namespace tsim

#endif
