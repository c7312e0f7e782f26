// SPDX-License-Identifier: Apache-2.0
/// Random programs of SQEs that end on every part: a wait comes after its record in one order that
/// all queues keep.
#ifndef TWINRT_TESTS_SIM_PROPERTY_PROGRAM_H
#define TWINRT_TESTS_SIM_PROPERTY_PROGRAM_H

#include <map>
#include <string>
#include <vector>

#include "sim/rig.h"

namespace property
{

class Dice
{
  public:
    explicit Dice(uint64_t seed) : state_(seed) {}
    /// 0 .. below - 1.
    uint32_t draw(uint64_t below) { return static_cast<uint32_t>(tsim::mix(state_) % below); }
    bool one_in(uint32_t n) { return draw(n) == 0; }

  private:
    uint64_t state_;
};

enum class Kind {
    kPlaceholder,
    kEventRecord,
    kEventWait,
    kNotifyRecord,
    kNotifyWait,
    kCountRecord,
    kCountWait,
    kWrite, // of a word that a kPoll waits for
    kPoll,
    kCopy,
    kFill,
    kCallback
};

/// Which side a copy reads and writes; what loads which link follows from it.
enum class Way { kNone, kToDevice, kToHost, kWithin, kHost, kFillDevice, kFillHost };

/// One SQE as the checker knows it.
struct Task {
    uint32_t sq;
    uint64_t number; // on its queue, counted from 1
    uint32_t round;
    Kind kind;
    uint32_t id = 0;    // event, notify, count or word
    uint64_t value = 0; // of a count: what it adds, or needs
    uint64_t bytes = 0;
    bool pcie = false; // the engine of a copy
    Way way = Way::kNone;
};

/// A buffer that some copy filled, and what must lie there at the end.
struct Buffer {
    uint64_t address;
    uint64_t bytes;
    bool host;
    uint32_t pattern; // source buffer with the same bytes, or kFilled + the byte
    uint32_t event;   // recorded after the copy; kNone
    uint32_t sq;
    uint32_t round;
};

/// Writes SQEs into the rings of a rig, a round at a time; between rounds everything has retired.
class Program
{
  public:
    static constexpr uint32_t kPatterns = 4;
    static constexpr uint64_t kPatternBytes = 128 << 10;
    static constexpr uint32_t kFilled = 1000;
    static constexpr uint32_t kDepth = 64;

    Program(Rig &rig, Dice &dice, std::vector<uint32_t> queues);

    /// SQEs of a round and their doorbells.
    void put_round();
    [[nodiscard]] const std::vector<Task> &tasks() const { return tasks_; }
    [[nodiscard]] const std::vector<uint32_t> &queues() const { return queues_; }
    /// Waits of this round for one notify that has one record: those that lose wait for more.
    struct Contest {
        uint32_t notify = tsim::kNone;
        std::vector<Task> waits;
    };
    [[nodiscard]] const Contest &contest() const { return contest_; }
    /// Clears tables between rounds; everything has retired.
    void end_round();
    /// What is wrong in memory; empty: nothing.
    [[nodiscard]] std::string wrong_bytes() const;

  private:
    Task &put(uint32_t sq, stars_sqe sqe, Kind kind);
    uint32_t some_queue() { return queues_[dice_.draw(queues_.size())]; }
    bool fits(uint32_t sq, uint32_t more) const;
    void put_event(uint32_t sq);
    void put_notify(uint32_t sq);
    void put_count(uint32_t sq);
    void put_copy(uint32_t sq);
    void put_word(uint32_t sq);
    void put_contest();
    uint64_t place(uint64_t bytes, bool host);
    uint32_t record(uint32_t sq);

    Rig &rig_;
    Dice &dice_;
    const std::vector<uint32_t> queues_;
    uint32_t round_ = 0;
    std::vector<Task> tasks_;
    std::map<uint32_t, uint32_t> in_ring_; // of this round, by queue
    std::vector<uint32_t> events_;         // recorded in this round
    std::map<uint32_t, uint64_t> counts_;  // added in this round
    std::vector<Buffer> buffers_;
    uint32_t next_notify_ = 0;
    uint32_t next_word_ = 0;
    uint64_t next_[2] = {0, 0}; // free memory of each side
    Contest contest_;
};

} // namespace property

#endif
