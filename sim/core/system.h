// SPDX-License-Identifier: Apache-2.0
/// The system without SystemC: devices, links and the calendar that moves them. Rules T-TIM-1 to
/// T-TIM-8.
#ifndef TWINSIM_CORE_SYSTEM_H
#define TWINSIM_CORE_SYSTEM_H

#include <memory>
#include <vector>

#include "core/engine/system_state.h"
#include "core/device.h"

namespace tsim
{

class System
{
  public:
    /// Of `config` profile and model are not looked at: the parameters come apart, and so does what
    /// makes RTL ports of blocks, null for none, which lives as long as the system. Throws
    /// std::bad_alloc.
    System(const Params &params, const twinsim_config &config, RtlPortFactory *rtl_ports = nullptr);

    [[nodiscard]] uint32_t device_count() const { return static_cast<uint32_t>(devices_.size()); }
    [[nodiscard]] Device &device(uint32_t index) { return *devices_[index]; }
    [[nodiscard]] const Device &device(uint32_t index) const { return *devices_[index]; }
    [[nodiscard]] const Params &params() const { return state_.params; }
    void report_tasks(void (*take)(void *, const twinsim_task_end *), void *context)
    {
        state_.task_take = take;
        state_.task_context = context;
    }
    [[nodiscard]] const Trace &trace() const { return state_.trace; }
    /// Counters up to now; null when they were not asked for. Throws std::bad_alloc.
    [[nodiscard]] const Stats *stats()
    {
        state_.trace.count_up();
        return state_.counters.get();
    }
    [[nodiscard]] const LinkNetwork &links() const { return state_.links; }
    [[nodiscard]] const twinsim_bus &bus() const { return state_.bus; }
    [[nodiscard]] FaultPlan &faults() { return state_.faults; }
    [[nodiscard]] const FaultPlan &faults() const { return state_.faults; }
    [[nodiscard]] uint64_t now_ns() const { return now_ns_; }
    /// The kernel whose description is wanted; false: there is none (T-CORE-2).
    [[nodiscard]] bool wanted(twinsim_kernel_wanted &out) const;

    // Doorbells are looked at when a run begins, or apart from runs, from the first of these calls
    // on.

    void take_in_apart() { apart_ = true; }
    void take_in(void (*seen)(void *context, const twinsim_seen *what), void *context);

    /// Events that have come to pass at the present instant.
    [[nodiscard]] uint64_t events_now() const { return events_now_; }
    /// The instant of the present event, also within a run, and a number that grows at this instant
    /// with each event, and once more when a run begins after it.
    [[nodiscard]] uint64_t step(uint64_t &number) const
    {
        number = 2 * events_now_ + (looks_ ? 1 : 0);
        return state_.params.to_ns(state_.now);
    }

    // One run in parts, so that a shell may put its own clock between them.

    /// Takes in doorbells and sets the limits of a run; `held` as T-TIM-9 has it.
    void begin_run(uint64_t until_ns, uint32_t max_events, bool held = false);
    /// Whether the run goes on: with the event at next_time().
    [[nodiscard]] bool running() const;
    [[nodiscard]] Cycle next_time() const { return state_.calendar.next_time(); }
    /// Runs events up to `horizon`, the run's limits, or the first reason to stop (T-TIM-7).
    void advance(Cycle horizon);
    /// Ends the run and says why it ended.
    twinsim_stop end_run();

    /// All of it, in one piece.
    twinsim_stop run(uint64_t until_ns, uint32_t max_events, bool held = false);

  private:
    void complete_transfers();
    void prefetch_next();
    [[nodiscard]] bool is_limit(uint32_t timer) const;

    SystemState state_;
    std::vector<std::unique_ptr<Device>> devices_;
    uint64_t now_ns_ = 0;
    uint64_t until_ns_ = 0;
    Cycle limit_ = 0;
    uint32_t budget_ = 0;
    bool held_ = false;
    bool apart_ = false;
    uint64_t events_now_ = 0;
    bool looks_ = false; // a run begins, and queues that poll look at memory
};

} // namespace tsim

#endif
