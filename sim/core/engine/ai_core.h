// SPDX-License-Identifier: Apache-2.0
/// One AI core with a block on it: the scalar unit that walks the block's step list, and the pipes.
/// Rules T-CORE-14 to T-CORE-23, T-CORE-26, T-CORE-27.
/// block_dispatcher.h chooses the core of a block.
#ifndef TWINSIM_CORE_ENGINE_AI_CORE_H
#define TWINSIM_CORE_ENGINE_AI_CORE_H

#include <array>
#include <vector>

#include "core/engine/gm_routes.h"
#include "core/engine/system_state.h"
#include "core/base/types.h"
#include "twinsim/kernel.h"

namespace tsim
{

/// Flags that the cores of one block have and set for each other (T-CORE-18).
struct CoreTalk {
    static constexpr uint32_t kParts = 4; ///< the AIC and up to three AIVs
    struct Word {
        uint32_t count = 0;
        Cycle newest = 0; ///< edge at which the newest was set
    };
    using Counts = std::array<std::array<uint32_t, TWIN_STEP_CROSS_CORE_FLAGS>, kParts>;
    std::array<std::array<Word, TWIN_STEP_CROSS_CORE_FLAGS>, kParts> flags; ///< of each core
    Counts set{};        ///< by this AIV for the AIC, which has not all of them yet
    Counts vector_set{}; ///< by this AIV for all of them, likewise
    uint32_t parts = 1;
    bool used = false;    ///< one of these is not 0
    bool changed = false; ///< since the others last looked
    bool passing = false; ///< they are looking

    /// A block of so many cores begins.
    void begin(uint32_t cores)
    {
        if (used)
            *this = {};
        parts = cores;
        changed = passing = false;
    }
    void raise(uint32_t part, uint32_t flag, Cycle now)
    {
        ++flags[part][flag].count;
        flags[part][flag].newest = now;
        used = changed = true;
    }
    /// An AIV has set the flag. True: each of them has, and that is used up.
    [[nodiscard]] bool meet(Counts &counts, uint32_t part, uint32_t flag);
};

/// Flags that all cores of one kind in a launch set together (T-CORE-26).
class LaunchTalk
{
  public:
    struct Raised {
        bool aiv;
        uint32_t flag;
    };
    /// A kernel begins, with so many cores of each kind in all of its blocks.
    void begin(uint64_t aics, uint64_t aivs);
    /// A core has set the flag: its number is that among those of its kind in the launch.
    void set(bool aiv, uint64_t core, uint32_t flag);
    /// What has been raised since, to be done to all cores.
    std::vector<Raised> raised;
    bool passing = false; ///< the cores are looking

  private:
    struct Row {
        std::vector<uint32_t> counts; ///< of each core
        uint64_t present = 0;         ///< cores that have set it and not used it up
    };
    std::array<std::array<Row, TWIN_STEP_CROSS_CORE_FLAGS>, 2> rows_;
    std::array<uint64_t, 2> cores_{};
    bool used_ = false;
};

class AiCore
{
  public:
    enum class Outcome { kRunning, kEnded, kFault };
    /// Whose block it is, for the trace.
    struct Task {
        uint64_t number;
        uint16_t sq;
        uint16_t task_id;
        uint8_t engine; ///< enum twinsim_engine
        uint32_t core;  ///< number among those of its kind
        uint32_t block;
        uint32_t part; ///< of a mixed block: 0 the AIC
    };

    /// `timer` is the core's own; its transfers carry `owner` with pipe and part in the low five
    /// bits. `routes`: of accesses with an address; none with L2 by address off.
    AiCore(SystemState &system, uint32_t device, uint32_t timer, uint64_t owner,
           const GmRoutes *routes);

    /// The core is a block's from now on.
    void assign(const Task &task) { task_ = task; }
    /// The block's step list begins now. `talk` is of the block, `launch` of its kernel.
    [[nodiscard]] Outcome begin(const twin_steps &list, CoreTalk &talk, LaunchTalk &launch);
    /// The core's timer has gone off.
    [[nodiscard]] Outcome advance();
    /// Another core has set a flag.
    [[nodiscard]] Outcome listen();
    /// A part of a read or write is there; `low` are the low bits of its owner.
    [[nodiscard]] Outcome part_done(uint32_t low);
    /// Stops in its tracks.
    void stop();
    [[nodiscard]] const Task &task() const { return task_; }
    [[nodiscard]] twinsim_kernel_fault fault() const { return fault_; }

    static constexpr unsigned kPartBits = 5;

  private:
    using Fine = unsigned __int128; // cycles, kFine binary digits after the point (T-CORE-15)
    static constexpr unsigned kFine = 20;
    static constexpr uint32_t kParts = 3; // transfers of a read or write
    enum class Step : uint8_t { kBlocked, kPassed, kStarted };

    // A flag that its pipe has set and that waits for what the pipe has read (T-CORE-22).
    struct LateFlag {
        Fine at;
        twin_step op;
    };

    struct Pipe {
        uint64_t next = 0;    // where the search for its next operation goes on
        uint64_t waiting = 0; // operations in its queue, the one under way included
        Fine since = 0;       // when the one under way, or blocked, came to the front
        Fine until = 0;       // of one that takes a given time
        Fine landed = 0;      // when all it has read is there (T-CORE-22)
        Fine latency = 0;     // of the read under way
        Fine served = 0;      // when sectors that others have in hand are free for it
        std::array<uint32_t, kParts> transfers{kNone, kNone, kNone};
        uint64_t hit = 0; // bytes that L2 serves, of the newest read or write
        uint32_t parameter = kNone;
        uint8_t parts = 0;  // of its read or write that are still moving
        bool front = false; // the operation at `next` has come to the front
        bool busy = false;
    };

    [[nodiscard]] Outcome settle();
    void progress();
    void run_until_now();
    [[nodiscard]] bool walk();
    [[nodiscard]] bool serve(uint32_t pipe);
    [[nodiscard]] bool step(uint32_t pipe);
    [[nodiscard]] Step attempt(uint32_t pipe, const twin_step &op);
    [[nodiscard]] Step move(uint32_t pipe, const twin_step &op);
    [[nodiscard]] Step move_placed(uint32_t pipe, const twin_step &op);
    void start(uint32_t pipe, uint32_t part, uint32_t route, uint64_t bytes);
    [[nodiscard]] Step set(uint32_t pipe, const twin_step &op);
    [[nodiscard]] Step raise(const twin_step &op);
    [[nodiscard]] Fine next_landing(uint32_t &late, uint32_t &pipe) const;
    [[nodiscard]] bool land(Fine limit);
    [[nodiscard]] Fine core_cycles(uint64_t cycles) const;
    [[nodiscard]] Step set_cross_core(const twin_step &op);
    [[nodiscard]] Step wait_cross_core(uint32_t pipe, const twin_step &op);
    [[nodiscard]] bool drained() const;
    void finish(uint32_t pipe);
    Step fail(twinsim_kernel_fault fault);
    void trace(uint32_t pipe, const twin_step &op);
    void arm();

    [[nodiscard]] uint64_t owner_of(uint32_t pipe, uint32_t part) const
    {
        return owner_ | uint64_t{pipe} << 2 | part;
    }
    [[nodiscard]] Fine now() const { return static_cast<Fine>(system_.now) << kFine; }
    [[nodiscard]] static Cycle edge(Fine time)
    {
        return static_cast<Cycle>((time + ((Fine{1} << kFine) - 1)) >> kFine);
    }

    SystemState &system_;
    const uint32_t device_;
    const uint32_t timer_;
    const uint64_t owner_;
    const GmRoutes *const routes_;
    Task task_{};
    twin_steps list_{};
    CoreTalk *talk_ = nullptr;
    LaunchTalk *launch_ = nullptr;
    twinsim_kernel_fault fault_ = TWINSIM_KERNEL_GOOD;
    Fine time_ = 0;       // how far its events have been looked at
    uint64_t walked_ = 0; // operations that the scalar unit has passed
    std::array<Pipe, TWIN_PIPE_COUNT> pipes_;
    std::array<uint32_t, TWIN_STEP_FLAGS> flags_{};
    bool flagged_ = false; // one has been set since all were 0
    bool flew_ = false;    // something of this block has landed later than its pipe went on
    std::vector<LateFlag> late_;
};

} // namespace tsim

#endif
