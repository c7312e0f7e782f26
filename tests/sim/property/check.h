// SPDX-License-Identifier: Apache-2.0
/// What must hold of every run, from the registers while it goes on and from the trace when it has
/// ended.
#ifndef TWINRT_TESTS_SIM_PROPERTY_CHECK_H
#define TWINRT_TESTS_SIM_PROPERTY_CHECK_H

#include <map>
#include <string>
#include <vector>

#include "lockstep/job_random.h"
#include "rig.h"

namespace property
{

using job::Kind;

/// Which side a copy reads and writes; which link it loads follows from that.
enum class Way { kNone, kToDevice, kToHost, kWithin, kHost, kFillDevice, kFillHost };

/// A task of a job, as the checker knows it.
struct Task {
    Task(const job::Step &step, uint64_t place, uint32_t in_round);
    uint32_t sq;
    uint64_t number; // on its queue, counted from 1
    uint32_t round;
    Kind kind;      // a write of an event is a record of it
    uint32_t id;    // event, notify, count or word
    uint64_t value; // of a count: what it adds, or needs
    uint64_t bytes = 0;
    bool pcie = false; // the engine of a copy
    Way way = Way::kNone;
};

/// What copies and fills must leave in memory.
class Contents
{
  public:
    /// Puts the patterns there.
    explicit Contents(Rig &rig);
    void apply(const job::Step &step);
    /// Empty: nothing is wrong.
    [[nodiscard]] std::string wrong_bytes() const;

  private:
    struct Range {
        uint64_t bytes;
        uint64_t pattern; // its address, or kFilled + the byte
    };
    static constexpr uint64_t kFilled = UINT64_MAX - 255;
    [[nodiscard]] const uint8_t *at(uint64_t address) const;

    Rig &rig_;
    std::map<uint64_t, Range> ranges_; // by address
};

/// Between two events: no slot belongs to two queues, and states agree with slots (T-SCH-3,
/// T-SCH-19, T-SCH-21).
class Watcher
{
  public:
    Watcher(Rig &rig, const std::vector<uint32_t> &queues) : rig_(rig), queues_(queues) {}
    /// Empty: nothing is wrong. `each`: no event went by since the last look.
    [[nodiscard]] std::string look(bool each);

  private:
    [[nodiscard]] uint32_t read(uint64_t offset);
    Rig &rig_;
    const std::vector<uint32_t> &queues_;
    std::map<uint32_t, uint32_t> slots_; // by queue: the one it had last
};

/// A notify that the host recorded.
struct HostRecord {
    uint32_t notify;
    uint64_t at;
};

/// A finished run. Each function gives what is wrong, empty when nothing is.
class Checker
{
  public:
    Checker(Rig &rig, const std::vector<Task> &tasks, const std::vector<HostRecord> &host_records);

    [[nodiscard]] std::string first_fault();

  private:
    using Key = std::pair<uint32_t, uint64_t>; // queue, number
    struct Span {
        uint64_t begin, end;
        uint32_t id = 0;
    };
    struct Seen { // of one SQE
        std::vector<Span> table, park, transfer, setup, program;
        std::vector<Span> work; // whatever needs a slot
        Span task{0, 0, 0};
        uint32_t tasks = 0;
        uint64_t ready = 0; // decoded, and released by pre_p
        uint64_t bytes = 0;
        uint32_t waker_sq = tsim::kNone;
        uint64_t waker_number = 0;
        bool message = false;
        uint64_t message_begin = 0;
    };

    [[nodiscard]] std::string order() const;
    [[nodiscard]] std::string events() const;
    [[nodiscard]] std::string notifies() const;
    [[nodiscard]] std::string counts() const;
    [[nodiscard]] std::string words() const;
    [[nodiscard]] std::string slots() const;
    [[nodiscard]] std::string classes() const;
    [[nodiscard]] std::string channels() const;
    [[nodiscard]] std::string links() const;

    [[nodiscard]] const Seen &seen(const Task &task) const
    {
        return seen_.at({task.sq, task.number});
    }
    /// When a record, a write or the like had its effect, and when a wait passed.
    [[nodiscard]] static uint64_t effect_at(const Seen &seen);
    [[nodiscard]] static uint64_t passed_at(const Seen &seen);
    [[nodiscard]] static std::string name(const Task &task);
    [[nodiscard]] static uint32_t most_at_once(const std::vector<Span> &spans);

    const tsim::Params &params_;
    const std::vector<Task> &tasks_;
    const std::vector<HostRecord> &host_records_;
    std::map<Key, Seen> seen_;
    std::map<uint32_t, std::vector<Span>> occupied_;                   // by queue; id: the slot
    std::map<uint32_t, std::vector<std::pair<Span, uint64_t>>> rates_; // by link: bytes per second
};

} // namespace property

#endif
