// SPDX-License-Identifier: Apache-2.0
/// How transfers are cut into bursts, and when each burst may begin. Rules T-BST-1, T-BST-2,
/// T-BST-4.
#ifndef TWINSIM_CORE_LINK_BURST_CHANNELS_H
#define TWINSIM_CORE_LINK_BURST_CHANNELS_H

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/rtl_port.h"
#include "core/base/types.h"

namespace tsim
{

/// One channel for each transfer, by the transfer's number. The time of a burst on the links
/// is decided in BurstLinks.
class BurstChannels
{
  public:
    using Time = BurstRtlPort::Time;
    using Step = BurstRtlPort::Step;
    static constexpr unsigned kParts = 20;

    /// `fraction`: binary digits after the point of a ceiling, in bytes per cycle. `rtl_port` takes
    /// its place, if there is one.
    BurstChannels(unsigned fraction, uint64_t burst_bytes, uint64_t outstanding,
                  std::unique_ptr<BurstRtlPort> rtl_port = nullptr)
        : fraction_(fraction), burst_(burst_bytes), outstanding_(outstanding),
          rtl_port_(std::move(rtl_port))
    {
    }

    /// `bytes` is not 0. `ceiling` UINT64_MAX: none. next() returns what begins at once.
    void start(Time now, uint32_t channel, uint64_t bytes, uint64_t ceiling)
    {
        if (__builtin_expect(rtl_port_ != nullptr, 0))
            return rtl_port_->start(now, channel, bytes, ceiling);
        if (channel >= channels_.size())
            channels_.resize(channel + 1);
        const Time pace = ceiling == UINT64_MAX ? 0 : duration(burst_, ceiling, fraction_);
        channels_[channel] = {bytes, 0, pace, now, false};
    }

    /// As many as may be under way (T-BST-2), no earlier than the ceiling allows (T-BST-4).
    [[nodiscard]] Step next(Time now, uint32_t channel)
    {
        if (__builtin_expect(rtl_port_ != nullptr, 0))
            return rtl_port_->next(now, channel);
        Channel &c = channels_[channel];
        if (c.left == 0 || c.under_way >= outstanding_)
            return {};
        // Without a ceiling its time is not kept up to date.
        if (c.pace != 0 && BurstRtlPort::is_after(c.free_at, now)) {
            const Step step = {0, !c.held, c.free_at};
            c.held = true;
            return step;
        }
        const uint64_t bytes = std::min(c.left, burst_);
        c.left -= bytes;
        ++c.under_way;
        c.free_at = now + c.pace;
        return {bytes, false, 0};
    }

    /// A burst has passed its last link; true when it was the transfer's last (T-BST-1).
    [[nodiscard]] bool passed(Time now, uint32_t channel)
    {
        if (__builtin_expect(rtl_port_ != nullptr, 0))
            return rtl_port_->passed(now, channel);
        Channel &c = channels_[channel];
        return --c.under_way == 0 && c.left == 0;
    }
    void resume(Time now, uint32_t channel)
    {
        if (__builtin_expect(rtl_port_ != nullptr, 0))
            return rtl_port_->resume(now, channel);
        channels_[channel].held = false;
    }
    /// No burst of it begins or passes any more.
    void cancel(uint32_t channel)
    {
        if (__builtin_expect(rtl_port_ != nullptr, 0))
            return rtl_port_->cancel(channel);
        channels_[channel] = {};
    }

    /// How long `bytes` take at a rate, rounded down to parts of a cycle.
    [[nodiscard]] static Time duration(uint64_t bytes, uint64_t rate, unsigned fraction)
    {
        return static_cast<Time>((static_cast<unsigned __int128>(bytes) << (fraction + kParts)) /
                                 std::max<uint64_t>(rate, 1));
    }

  private:
    struct Channel {
        uint64_t left = 0;      // bytes whose burst has not begun
        uint64_t under_way = 0; // bursts
        Time pace = 0;          // of a burst at the ceiling
        Time free_at = 0;       // no burst begins before
        bool held = false;      // resume() is to come
    };

    const unsigned fraction_;
    const uint64_t burst_;
    const uint64_t outstanding_;
    const std::unique_ptr<BurstRtlPort> rtl_port_;
    std::vector<Channel> channels_;
};

} // namespace tsim

#endif
