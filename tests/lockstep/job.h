// SPDX-License-Identifier: Apache-2.0
/// A job: a small machine and the steps of its software, as plain text. The model and npu_top run
/// the same ones. tests/jobs/README.md describes the format.
#ifndef TWINRT_TESTS_LOCKSTEP_JOB_H
#define TWINRT_TESTS_LOCKSTEP_JOB_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "twinsim/stars.h"

namespace job
{

/// Numbers of the machine, each with a name in the text; times in cycles.
enum Number : uint8_t {
    kArbitration,
    kBurst, ///< bytes; 0: links are never full, and there are no bursts
    kCqWrite,
    kCreditUnit,
    kDecode,
    kDrain,
    kEnable,
    kEvent,
    kEventCached,
    kEventMiss,
    kEvents,
    kHbm, ///< with bursts: MB/s, as of the next two
    kNotifies,
    kNotify,
    kOutstanding, ///< with bursts
    kPcieCap,
    kPcieChannels,
    kPcieSetup,
    kPcieShift,
    kRead,
    kRecord,
    kRetire,
    kSdmaCap,
    kSdmaChannels,
    kSdmaSetup,
    kSdmaShift,
    kSlotDisable,
    kSlots,
    kStore,
    kStrictLevel,
    kToDevice, ///< over PCIe
    kToHost,
    kWindow,
    kNumbers
};

enum class Kind : uint8_t {
    // software
    kQueue,  ///< opens it: priority, group, depth, CQ depth, enabled
    kRing,   ///< for all tasks so far, seen after that time
    kRun,    ///< until that time
    kCqTake, ///< takes so many entries
    kResume,
    kHandled,
    kEnable,     ///< on or off
    kHostRecord, ///< an event
    kHostClear,
    kHostNotify,
    kHostNotifyClear,
    kPause,
    kDebugPause,
    kDebugResume,
    kKill,
    kTerminate,
    kSetHead,  ///< of a disabled queue at rest
    kPriority, ///< priority, group
    // tasks, written into the ring
    kPlaceholder, ///< command
    kEventRecord,
    kEventWait, ///< id, ms
    kNotifyRecord,
    kNotifyWait, ///< id, ms
    kWriteEvent, ///< id, value
    kWriteNotify,
    kWriteMemory,  ///< address, size code, value
    kWriteNowhere, ///< physical address that is not in a table
    kSdma,         ///< destination, source, bytes
    kFill,         ///< destination, value, bytes
    kPcie,         ///< destination, source, bytes
    kType,         ///< an SQE of that type and else zeros
    kTextKinds,    ///< those that follow are for the model alone, and not read from text
    kCountRecord = kTextKinds, ///< id, mode, value
    kCountWait,                ///< id, relation, value, clear, ms
    kCallback,                 ///< group, whether it blocks
    kPoll,                     ///< address of a word, its least value, place in the ring
    kKinds
};

struct Step {
    Kind kind;
    uint32_t queue = 0;
    std::array<uint64_t, 5> args = {};
    // of tasks
    bool cqe = false;
    uint32_t credit = 0, pre = 0, post = 0, ie = 0;

    [[nodiscard]] bool is_task() const { return kind >= Kind::kPlaceholder; }
    /// The 64 bytes, but for stream and task id.
    [[nodiscard]] stars_sqe sqe() const;
    /// Its line.
    [[nodiscard]] std::string text() const;
};

struct Job {
    std::array<uint64_t, kNumbers> machine;
    std::vector<Step> steps;

    Job();
    [[nodiscard]] bool bursts() const { return machine[kBurst] != 0; }
    [[nodiscard]] std::string text() const;
    [[nodiscard]] static const char *number_name(Number number);
    /// False: `error` says which line is wrong and why.
    [[nodiscard]] static bool parse(const std::string &text, Job &out, std::string &error);
    [[nodiscard]] static Job random(uint64_t seed);
};

/// The outcome of a job on a machine: one line for each event, sorted by time, and the final state.
struct Outcome {
    std::vector<std::string> ends;  ///< of tasks, in the order in which they came
    std::vector<std::string> spans; ///< what each queue held or did from when to when, sorted
    std::vector<std::string> state; ///< queues, CQs, memory
    uint64_t steps = 0;             ///< clocks of the RTL
};

/// Memory that jobs use: so many bytes of each side, and where they are.
inline constexpr uint64_t kMemory = 4096;
inline constexpr uint64_t kHostMemory = 0x10000000;
inline constexpr uint64_t kDeviceMemory = 0x1000000000;
/// The initial content; side 0 is the host.
[[nodiscard]] inline uint8_t first_byte(uint64_t side, uint64_t at)
{
    return static_cast<uint8_t>((at * 2654435761u + side * 40503u) >> 5);
}
inline constexpr uint32_t kQueues = 32; ///< of the Verilated top

[[nodiscard]] Outcome run_model(const Job &job);

} // namespace job

#endif
