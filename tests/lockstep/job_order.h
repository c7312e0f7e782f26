// SPDX-License-Identifier: Apache-2.0
/// What must hold of a plan on any device, derived from the rules of order alone (ORD-01, ORD-02,
/// ORD-05, ORD-08, ORD-09) and the meaning of flags: an event stays set until a reset, a notify
/// releases one wait. States which streams end, and the final content of memory, except what the
/// rules leave to the device.
#ifndef TWINRT_TESTS_LOCKSTEP_JOB_ORDER_H
#define TWINRT_TESTS_LOCKSTEP_JOB_ORDER_H

#include <optional>

#include "job_plan.h"

namespace job
{

class Order
{
  public:
    enum class End : uint8_t { kSurely, kNever, kOpen };
    struct Byte {
        uint8_t value = 0;
        bool certain = true;
    };

    explicit Order(const Plan &plan);

    /// Whether all tasks of the stream end.
    [[nodiscard]] End end_of(uint32_t queue) const;
    /// The same of the stream with the steps of software.
    [[nodiscard]] End end_of_software() const { return end_of(kSoftware); }
    /// Tasks are counted as the host submits them, over all streams. `a` has ended before `b`
    /// begins; a wait begins where it passes.
    [[nodiscard]] bool comes_before(size_t a, size_t b) const { return nodes_[b].before[a]; }
    struct Task {
        uint32_t queue;
        uint64_t number; // on its stream, from 1
        bool is_wait;
    };
    /// No value for calls that are not tasks.
    [[nodiscard]] std::vector<std::optional<Task>> tasks() const;
    /// Flags of which the rules do not say which record a wait passes by.
    [[nodiscard]] size_t open_flags() const { return open_flags_; }
    /// When all that can end has ended; side 0 is the host.
    [[nodiscard]] const Byte &byte(uint32_t side, uint64_t at) const
    {
        return memory_[side * kMemory + at];
    }
    /// Bytes that a task may have written, and how many of them are certain.
    [[nodiscard]] size_t written() const { return written_; }
    [[nodiscard]] size_t certain() const { return certain_; }

  private:
    static constexpr uint32_t kSoftware = kQueues; // the stream with the steps of software
    static constexpr uint32_t kHost =
        kQueues + 1; // not a stream: a call that returns when it is done
    static constexpr size_t kNone = SIZE_MAX;
    using Set = std::vector<bool>;

    struct Node {
        Step step;
        uint32_t lane;
        size_t previous; // of its lane
        Set before;      // all steps that have surely ended when it begins
        bool may_begin = false, may_end = false, must_end = false;
        std::vector<Byte> output = {}; // what it writes
    };
    struct Range {
        size_t begin = 0, end = 0; // of memory_
    };

    [[nodiscard]] static bool is_wait(const Step &step);
    [[nodiscard]] static bool has_limit(const Step &step);
    /// Of a record, reset or wait: events and notifies are apart.
    [[nodiscard]] static bool same_flag(const Step &a, const Step &b);
    [[nodiscard]] static bool sets(const Step &step);
    [[nodiscard]] static bool clears(const Step &step);
    [[nodiscard]] static Range range(uint64_t address, uint64_t bytes);
    [[nodiscard]] static Range writes(const Step &step);
    [[nodiscard]] static Range reads(const Step &step);

    void find_reachable();
    [[nodiscard]] bool may_pass(size_t wait) const;
    void find_order();
    [[nodiscard]] bool learn(size_t node, const Set &more);
    [[nodiscard]] std::vector<size_t> records_of(size_t wait) const;
    [[nodiscard]] Set after_some_record(size_t wait) const;
    void count_open_flags();
    void find_certain();
    [[nodiscard]] bool must_pass(size_t wait) const;
    void run_tasks();
    [[nodiscard]] Byte found(size_t node, size_t at) const;
    void write(size_t node);

    std::vector<Node> nodes_;
    std::vector<std::vector<size_t>> writers_; // of each byte, in an order that the rules allow
    std::vector<Byte> initial_, memory_;
    size_t written_ = 0, certain_ = 0, open_flags_ = 0;
};

} // namespace job

#endif
