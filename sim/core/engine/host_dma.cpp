// SPDX-License-Identifier: Apache-2.0
#include "core/engine/host_dma.h"

#include <algorithm>

namespace tsim
{

HostDma::HostDma(SystemState &system, uint32_t device)
    : system_(system), device_(device), channels_(system.params.host_channels.value),
      ceiling_(system.links, system.params.host_ceiling)
{
    reset();
}

void HostDma::reset()
{
    const auto drop = [this](twinsim_transfer *transfer) {
        transfer->failed = true;
        transfer->done_ns = system_.params.to_ns(system_.now);
        transfer->done = true;
    };
    for (const Waiting &waiting : waiting_)
        drop(waiting.transfer);
    for (Channel &channel : channels_) {
        if (channel.moving != kNone)
            system_.links.cancel(system_.now, channel.moving);
        if (channel.transfer)
            drop(channel.transfer);
        channel = {};
    }
    system_.links_changed();
    waiting_.clear();
    setting_up_.clear();
    const size_t count = channels_.size();
    free_ = count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
    system_.calendar.cancel((device_ << SystemState::kDeviceShift) + SystemState::kHostDmaTimer);
}

void HostDma::post(twinsim_transfer *transfer)
{
    transfer->done = false;
    transfer->failed = false;
    transfer->status = STARS_STATUS_NONE;
    transfer->done_ns = 0;
    transfer->number = ++posted_;
    const Cycle start = std::max(system_.now, system_.params.to_cycles(transfer->start_ns));
    const auto later = [](Cycle value, const Waiting &w) { return value < w.start; };
    setting_up_.reserve(channels_.size());
    waiting_.insert(std::upper_bound(waiting_.begin(), waiting_.end(), start, later),
                    {start, transfer});
    arm();
}

void HostDma::arm()
{
    Cycle next = setting_up_.empty() ? kNever : setting_up_.front().ready;
    if (free_ != 0 && !waiting_.empty())
        next = std::min(next, std::max(system_.now, waiting_.front().start));
    const uint32_t id = (device_ << SystemState::kDeviceShift) + SystemState::kHostDmaTimer;
    if (next == kNever)
        system_.calendar.cancel(id);
    else
        system_.calendar.schedule(id, next, Rank::kHostDma);
}

void HostDma::fire()
{
    const Params &p = system_.params;
    while (!setting_up_.empty() && setting_up_.front().ready <= system_.now) {
        const uint32_t number = setting_up_.front().channel;
        setting_up_.erase(setting_up_.begin());
        start(channels_[number], number);
    }
    while (free_ != 0 && !waiting_.empty() && waiting_.front().start <= system_.now) {
        const auto number = static_cast<uint32_t>(__builtin_ctzll(free_));
        free_ &= free_ - 1;
        Channel &channel = channels_[number];
        channel.transfer = waiting_.front().transfer;
        channel.begun = waiting_.front().start;
        note(channel, number, TWINSIM_PHASE_ENGINE, p.host_channels.index);
        channel.begun = system_.now;
        waiting_.erase(waiting_.begin());
        const uint64_t occasion = uint64_t{device_} << 58 | channel.transfer->number;
        const Cycle ready =
            system_.now +
            (p.host_setup.jitter == 0 ? p.host_setup.value : system_.vary(p.host_setup, occasion));
        const auto later = [](Cycle value, const SettingUp &s) { return value < s.ready; };
        setting_up_.insert(std::upper_bound(setting_up_.begin(), setting_up_.end(), ready, later),
                           {ready, number});
    }
    arm();
}

void HostDma::start(Channel &channel, uint32_t number)
{
    const twinsim_transfer &t = *channel.transfer;
    note(channel, number, TWINSIM_PHASE_SETUP, system_.params.host_setup.index);
    channel.begun = system_.now;
    channel.job = {};
    channel.job.dst = t.dst;
    channel.job.src = t.src;
    channel.job.bytes = t.bytes;
    channel.job.kind = t.src == TWINSIM_NEVER ? DmaJob::Kind::kFill : DmaJob::Kind::kCopy;
    channel.job.value = t.words ? t.value : fill_pattern(t.value);
    if (t.rows != 0) { // T-DMA-13
        channel.job.rows = t.rows;
        channel.job.planes = 1;
        channel.job.row = static_cast<uint32_t>(t.bytes / t.rows);
        channel.job.dst_row = t.dst_row;
        channel.job.src_row = t.src_row;
    }
    channel.job.route =
        t.bytes == 0 ? kNone : find_route(channel.job, system_.bus, system_.links, device_, true);
    if (channel.job.route == kNone) {
        finish(channel, number, STARS_STATUS_BUS_FAULT);
        return;
    }
    channel.job.route = ceiling_.of(channel.job.route);
    channel.moving = system_.links.start(system_.now, channel.job.route, t.bytes,
                                         uint64_t{device_} << 32 | kOwner | number);
    system_.links_changed();
    DmaJob &job = channel.job;
    const uint64_t occasion = uint64_t{device_} << 58 | t.number;
    if (__builtin_expect(system_.seed != 0, 0) && !system_.faults.armed() &&
        (random_number(system_.seed, occasion, kHostEffectUse) & 1) != 0) {
        apply(job, system_, device_); // T-DMA-30
        job.made = true;
    }
}

void HostDma::transfer_done(uint32_t number)
{
    Channel &channel = channels_[number];
    channel.moving = kNone;
    note(channel, number, TWINSIM_PHASE_TRANSFER, system_.links.parameter(channel.job.route));
    uint16_t status = STARS_STATUS_NONE;
    if (__builtin_expect(system_.faults.armed(), 0))
        status = system_.faults.fails_host_dma(device_); // T-FLT-14
    if (status == STARS_STATUS_NONE) {
        if (!channel.job.made)
            apply(channel.job, system_, device_);
        status = channel.job.status;
    }
    finish(channel, number, status);
    arm();
}

void HostDma::finish(Channel &channel, uint32_t number, uint16_t status)
{
    twinsim_transfer *transfer = channel.transfer;
    channel.transfer = nullptr;
    free_ |= uint64_t{1} << number;
    transfer->failed = status != STARS_STATUS_NONE;
    transfer->status = status;
    transfer->done_ns = system_.params.to_ns(system_.now);
    transfer->done = true;
    system_.stop |= SystemState::kStopWatch;
}

void HostDma::note(const Channel &channel, uint32_t number, twinsim_phase phase, uint32_t parameter)
{
    if (!system_.trace.on() || channel.begun == system_.now)
        return;
    twinsim_trace_entry out{};
    out.begin_ns = system_.params.to_ns(channel.begun);
    out.end_ns = system_.params.to_ns(system_.now);
    out.bytes = channel.transfer->bytes;
    out.number = channel.transfer->number;
    out.parameter = parameter;
    out.id = number;
    out.sq = UINT16_MAX;
    out.device = static_cast<uint8_t>(device_);
    out.phase = static_cast<uint8_t>(phase);
    out.engine = TWINSIM_ENGINE_HOST_DMA;
    out.waker_sq = kNone;
    out.route = phase == TWINSIM_PHASE_TRANSFER ? channel.job.route : kNone;
    system_.trace.whole(out);
}

} // namespace tsim
