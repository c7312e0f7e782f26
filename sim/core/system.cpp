// SPDX-License-Identifier: Apache-2.0
#include "core/system.h"

#include <algorithm>

namespace tsim
{

namespace
{
constexpr uint32_t kTimerMask = (1u << SystemState::kDeviceShift) - 1;
}

System::System(const Params &params, const twinsim_config &config, RtlPortFactory *rtl_ports)
    : state_(params, config, rtl_ports)
{
    for (uint32_t i = 0; i < config.devices; ++i)
        devices_.push_back(std::make_unique<Device>(state_, i));
    for (const auto &device : devices_)
        state_.peers.push_back(&device->scheduler().tables());
}

void System::begin_run(uint64_t until_ns, uint32_t max_events, bool held)
{
    held_ = held;
    if (__builtin_expect(state_.kernel_wanted != kNone, 0)) // T-CORE-2
        state_.stop |= SystemState::kStopKernel;
    if (!apart_)
        take_in(nullptr, nullptr);
    if (!state_.polls.empty()) { // T-COND-10: the host may have stored meanwhile
        looks_ = true;
        for (const uint32_t timer : state_.polls.timers())
            devices_[timer >> SystemState::kDeviceShift]->scheduler().look_again(
                timer & ((1u << SystemState::kDeviceShift) - 1));
        looks_ = false;
    }
    until_ns_ = until_ns;
    const Cycle until = until_ns == UINT64_MAX ? kNever : until_ns / state_.params.cycle_ns;
    limit_ = std::max(state_.now, until);
    budget_ = max_events;
}

void System::take_in(void (*seen)(void *context, const twinsim_seen *what), void *context)
{
    for (const auto &device : devices_)
        device->take_in(seen, context);
}

bool System::running() const
{
    return state_.stop == 0 && budget_ != 0 && !state_.calendar.empty() && next_time() <= limit_;
}

// With many queues in turn what one of them needs is far away: it comes while others are served.
// First the state of those that come after the next, then what that state leads to.
inline void System::prefetch_next()
{
    state_.calendar.look_ahead([this](uint32_t timer, uint32_t later) {
        if (timer >= state_.link_timer)
            return;
        const Device &device = *devices_[timer >> SystemState::kDeviceShift];
        if (later == 0)
            device.prefetch_work(timer & kTimerMask);
        else
            device.prefetch(timer & kTimerMask);
    });
}

void System::advance(Cycle horizon)
{
    const Cycle end = std::min(horizon, limit_);
    Calendar &calendar = state_.calendar;
    while (state_.stop == 0 && budget_ != 0) {
        const uint32_t timer = calendar.next_timer();
        if (timer == kNone || calendar.time_of(timer) > end)
            break;
        if (held_ && is_limit(timer)) {
            state_.stop |= SystemState::kStopHeld;
            break;
        }
        --budget_;
        const Cycle time = calendar.time_of(timer);
        events_now_ = time == state_.now ? events_now_ + 1 : 1;
        state_.now = time;
        calendar.pop(timer);
        prefetch_next();
        if (__builtin_expect(timer != state_.link_timer, 1))
            devices_[timer >> SystemState::kDeviceShift]->fire(timer & kTimerMask);
        else
            complete_transfers();
    }
}

bool System::is_limit(uint32_t timer) const
{
    return timer < state_.link_timer &&
           devices_[timer >> SystemState::kDeviceShift]->is_limit_of_wait(timer & kTimerMask);
}

bool System::wanted(twinsim_kernel_wanted &out) const
{
    if (state_.kernel_wanted == kNone)
        return false;
    out.device = state_.kernel_wanted >> SystemState::kDeviceShift;
    out.sq = state_.kernel_wanted & ((1u << SystemState::kDeviceShift) - 1);
    const TaskQueue &front = devices_[out.device]->scheduler().front(out.sq);
    out.number = front.number();
    out.sqe = front.sqe();
    return true;
}

void System::complete_transfers()
{
    const auto &owners = state_.links.complete(state_.now);
    state_.links_changed();
    for (const LinkNetwork::Owner owner : owners)
        devices_[owner >> 32]->transfer_done(static_cast<uint32_t>(owner));
}

twinsim_stop System::end_run()
{
    now_ns_ = std::max(now_ns_, state_.params.to_ns(state_.now));
    const bool before_limit = (state_.stop & SystemState::kStopHeld) != 0;
    state_.stop &= ~(SystemState::kStopHeld | SystemState::kStopKernel);
    if ((state_.stop & SystemState::kStopWatch) != 0) {
        state_.stop &= ~SystemState::kStopWatch;
        return TWINSIM_STOP_WATCH;
    }
    if ((state_.stop & SystemState::kStopCq) != 0) {
        state_.stop &= ~SystemState::kStopCq;
        return TWINSIM_STOP_CQ;
    }
    if ((state_.stop & SystemState::kStopCall) != 0) {
        state_.stop &= ~SystemState::kStopCall;
        return TWINSIM_STOP_CALL;
    }
    if (state_.kernel_wanted != kNone)
        return TWINSIM_STOP_KERNEL;
    if (state_.calendar.empty())
        return TWINSIM_STOP_IDLE;
    // T-TIM-9: time stays where it is.
    if (before_limit || (held_ && next_time() > limit_))
        return TWINSIM_STOP_HELD;
    if (next_time() <= limit_)
        return TWINSIM_STOP_CHUNK;
    // T-TIM-8: the limit is reached. With cycles longer than 1 ns it may be between two edges.
    now_ns_ = std::max(now_ns_, until_ns_);
    const Cycle reached = state_.params.to_cycles(now_ns_);
    if (reached > state_.now) {
        state_.now = reached;
        events_now_ = 0;
    }
    return TWINSIM_STOP_LIMIT;
}

twinsim_stop System::run(uint64_t until_ns, uint32_t max_events, bool held)
{
    begin_run(until_ns, max_events, held);
    if (running())
        advance(kNever);
    return end_run();
}

} // namespace tsim
