// SPDX-License-Identifier: Apache-2.0
/// The queues of one device as all parts of its scheduler know them: a row of plain state and a
/// front end for each.
#ifndef TWINSIM_CORE_SCHEDULER_QUEUE_TABLE_H
#define TWINSIM_CORE_SCHEDULER_QUEUE_TABLE_H

#include "core/base/types.h"
#include "core/engine/system_state.h"
#include "core/queue/task_queue.h"
#include "core/tables/remote_records.h"
#include "twinsim.h"
#include "twinsim/stars.h"

namespace tsim
{

enum class QueueState : uint8_t {
    kClosed,
    kIdle,        // nothing visible; the timer is the next arrival
    kSwapOut,     // needs a slot, and is still being swapped out
    kWaitSlot,    // needs a slot
    kSwapIn,      // static record read, slot enable
    kWork,        // an SQE is in fetch, decode, execution, set-up or retirement
    kTransfer,    // its bytes move; the timer is its time limit
    kWaitClass,   // its class is full; holds no slot
    kWaitChannel, // every channel of its engine is busy
    // waits for an event, a notify or memory; holds no slot; the timer is its time limit or a turn
    kParked,
    kAnswer, // has called the host and waits; the timer is its time limit, or the answer
    // blocks of its kernel run or wait for cores, or it waits for a description; the timer is its
    // time limit
    kKernel,
    kHeld,
    kException,
    kKilled
};

/// What the timer of a queue means.
enum class QueueStep : uint8_t {
    kArrive,
    kSwapOut,
    kSwapDone,
    kDecoded,
    kExecute,
    kLoaded,
    kRemote,
    kRemoteDone,
    kRetire,
    kReport,
    kSetUp,
    kList,
    kContexts,
    kEffect,
    kProgram,
    kPoll,
    kLimit,
    kMessage,
    kAnswered,
    kStretched,
    kRelease,
    kReported
};

/// What a queue needs its slot for.
enum class SlotUse : uint8_t { kBegin, kRetire, kDispatch, kAgain };

enum class HoldReason : uint8_t { kBefore, kAfter, kPause, kCq, kCqError, kLost, kBlocks };

/// Classes of tasks, each with a number of shares; in the order of twinsim_class.
enum TaskClass : uint8_t {
    kSdma,
    kPcieDma,
    kCond,
    kCpuTopic,
    kAic,
    kAiv,
    kMixed,
    kClassCount,
    kNoClass
};
static_assert(static_cast<uint32_t>(kClassCount) == TWINSIM_CLASS_COUNT);

struct alignas(64) QueueRow { // one line of the host's cache
    static constexpr uint8_t kNoSlot = 255;
    static constexpr uint8_t kTaskPause = 1, kDebugPause = 2;

    QueueState state = QueueState::kClosed;
    QueueStep step = QueueStep::kArrive;
    SlotUse use = SlotUse::kBegin;
    HoldReason hold = HoldReason::kPause;
    uint8_t type = 0; // of the SQE at the head
    uint8_t slot = kNoSlot;
    uint8_t priority = 0;
    uint8_t group = 0;
    TaskClass share = kNoClass; // class that it has a share of
    uint8_t channel = 0;
    bool has_channel = false;
    bool enabled = false;
    uint8_t paused = 0;     // kTaskPause, kDebugPause
    bool was_short = false; // it waited because every slot was taken
    bool skips = false;     // killed while an SQE was under way
    uint8_t error = 0;
    uint16_t status = 0;
    uint16_t stream_id = 0;
    uint32_t wait_id = 0;
    uint32_t transfer = kNone;
    bool faulted = false;            // an injected fault has hit the SQE at the head
    TaskClass task_class = kNoClass; // of the SQE at the head, once it is decoded
    Cycle begun = 0;                 // of the SQE
    Cycle phase_begin = 0;           // of the phase under way
    uint64_t watch = 0;
    uint64_t traced = 0; // what the trace last got about the SQE at the head
};
static_assert(sizeof(QueueRow) == 64);

/// What each part of the scheduler works on. A handle: rows and front ends are the scheduler's, and
/// stay where they are.
class QueueTable
{
  public:
    QueueTable(SystemState &of, uint32_t index, QueueRow *rows, TaskQueue *fronts, uint32_t count)
        : system(of), device(index), rows_(rows), fronts_(fronts), count_(count)
    {
    }

    SystemState &system;
    const uint32_t device;

    [[nodiscard]] uint32_t size() const { return count_; }
    [[nodiscard]] QueueRow &operator[](uint32_t sq) const { return rows_[sq]; }
    [[nodiscard]] TaskQueue &front(uint32_t sq) const { return fronts_[sq]; }
    [[nodiscard]] const stars_sqe &sqe(uint32_t sq) const { return fronts_[sq].sqe(); }

    [[nodiscard]] uint32_t timer(uint32_t sq) const
    {
        return (device << SystemState::kDeviceShift) + sq;
    }
    /// Sets the queue's timer.
    void at(uint32_t sq, Cycle time, QueueStep step) const
    {
        rows_[sq].step = step;
        system.calendar.schedule(timer(sq), time, Rank::kQueue);
    }
    void cancel(uint32_t sq) const { system.calendar.cancel(timer(sq)); }
    /// An injected fault has hit the SQE at the head.
    [[nodiscard]] bool is_faulted(uint32_t sq) const
    {
        return __builtin_expect(rows_[sq].faulted, 0) != 0;
    }
    /// Names the SQE at the head of a queue among all that ever are (T-TIM-10).
    [[nodiscard]] uint64_t occasion(uint32_t sq) const
    {
        return uint64_t{device} << 58 ^ uint64_t { sq } << 46 ^ fronts_[sq].number();
    }
    /// The maker of a record, as the trace names it: the SQE at the head of a queue, or the host
    /// for kNone.
    [[nodiscard]] Origin origin(uint32_t sq) const
    {
        return sq == kNone ? Origin{} : Origin{Trace::source(device, sq), fronts_[sq].number()};
    }
    /// How long something takes for the SQE at the head.
    [[nodiscard]] Cycle latency(uint32_t sq, const Setting &setting) const
    {
        return __builtin_expect(setting.jitter == 0, 1) ? setting.value
                                                        : system.vary(setting, occasion(sq));
    }
    /// A watch is gone once it has stopped a run.
    void check_watch(uint32_t sq) const
    {
        QueueRow &q = rows_[sq];
        if (q.watch == 0 || fronts_[sq].retired() < q.watch)
            return;
        q.watch = 0;
        system.stop |= SystemState::kStopWatch;
    }

  private:
    QueueRow *const rows_;
    TaskQueue *const fronts_;
    const uint32_t count_;
};

} // namespace tsim

#endif
