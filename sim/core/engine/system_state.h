// SPDX-License-Identifier: Apache-2.0
/// What all blocks of a system share: time, calendar, links, trace, and the reasons to stop a run.
#ifndef TWINSIM_CORE_ENGINE_SYSTEM_STATE_H
#define TWINSIM_CORE_ENGINE_SYSTEM_STATE_H

#include <algorithm>
#include <memory>

#include <vector>

#include "core/base/calendar.h"
#include "core/engine/fault_plan.h"
#include "core/engine/l2_cache.h"
#include "core/link/link.h"
#include "core/profile/params.h"
#include "core/queue/poll.h"
#include "core/trace/stats.h"
#include "core/trace/trace.h"
#include "core/base/rtl_port.h"
#include "core/base/types.h"
#include "twinsim.h"

namespace tsim
{

class SyncTables;

struct SystemState {
    // Timers: 4096 per device, queues first, then cores; after all of them one for the links.
    static constexpr uint32_t kDeviceShift = 12;
    static constexpr uint32_t kCoreTimer = kMaxQueues;
    static constexpr uint32_t kForwardTimer = 4090;
    static constexpr uint32_t kDispatchTimer = 4091;
    static constexpr uint32_t kFirmwareTimer = 4092;
    static constexpr uint32_t kReportTimer = 4093;
    static constexpr uint32_t kArbiterTimer = 4094;
    static constexpr uint32_t kHostDmaTimer = 4095;

    // Reasons to stop.
    static constexpr uint32_t kStopWatch = 1;
    static constexpr uint32_t kStopCq = 2;
    static constexpr uint32_t kStopHeld = 4;
    static constexpr uint32_t kStopCall = 8;
    static constexpr uint32_t kStopKernel = 16;

    SystemState(const Params &profile_params, const twinsim_config &config,
                RtlPortFactory *rtl_port_factory)
        : params(config.seed == 0 ? without_jitter(profile_params) : profile_params),
          bus(config.bus), seed(config.seed), calendar((config.devices << kDeviceShift) + 1),
          links(profile_params, config.devices, config.bursts, rtl_port_factory),
          l2(config.devices,
             L2Cache(profile_params.l2_mib.value << 20, profile_params.l2_sector.value)),
          link_timer(config.devices << kDeviceShift), faults(bus, now, link_timer),
          polls(calendar, now, profile_params.cond_poll.value),
          counters(config.stats ? std::make_unique<Stats>(params, links, config.devices) : nullptr),
          trace(config.trace, counters.get(), params), rtl_ports(rtl_port_factory)
    {
        if (rtl_ports)
            rtl_ports->attach(now, seed);
    }

    const Params params;
    std::vector<SyncTables *> peers; // by device
    twinsim_bus bus;                 // the caller's, or the plan of faults in front of it
    const uint64_t seed;
    Calendar calendar;
    LinkNetwork links;
    std::vector<L2Cache> l2; // by device; without content unless L2 is by address
    const uint32_t link_timer;
    Cycle now = 0;
    uint32_t stop = 0;
    FaultPlan faults;
    uint32_t kernel_wanted =
        kNone; // timer of the queue whose kernel the driver has yet to describe (T-CORE-2)
    PollList polls;
    const std::unique_ptr<Stats> counters; // none unless asked for
    Trace trace;                           // after what every event touches
    RtlPortFactory
        *const rtl_ports; // null: all blocks are plain C++; needed while devices are made
    void (*task_take)(void *context, const twinsim_task_end *task) = nullptr;
    void *task_context = nullptr;

    /// A time out of its range, for one occasion (T-TIM-10).
    [[nodiscard, gnu::noinline, gnu::cold]] Cycle vary(const Setting &setting,
                                                       uint64_t occasion) const
    {
        const Cycle most = setting.value * setting.jitter / 1000;
        return setting.value - most +
               random_number(seed, occasion, kLatencyUse + setting.index) % (2 * most + 1);
    }

    /// The status of an access that has just been refused (T-FLT-4).
    [[nodiscard]] uint16_t refusal() const { return faults.refusal(STARS_STATUS_BUS_FAULT); }

    /// The model or its own DMA has changed memory.
    void stored(uint32_t device, uint64_t address, uint64_t bytes)
    {
        if (__builtin_expect(!polls.empty(), 0))
            stored_where_polled(device, address, bytes);
    }
    /// The same, where in memory is not known.
    void stored_somewhere() { polls.stored(0, UINT64_MAX); }
    /// Where a byte is, whichever of its addresses is used.
    [[nodiscard]] uint64_t place_of(uint32_t device, uint64_t address) const
    {
        uint64_t place = address;
        if (bus.piece && bus.piece(bus.context, device, address, &place) == 0)
            place = address;
        return place;
    }

    /// A transfer began or ended: the next completion may be at another time.
    void links_changed()
    {
        if (trace.on())
            trace.links(links, now);
        if (links.next() == kNever)
            calendar.cancel(link_timer);
        else
            calendar.schedule(link_timer, links.next(), Rank::kLink);
    }

  private:
    [[gnu::noinline]] void stored_where_polled(uint32_t device, uint64_t address, uint64_t bytes)
    {
        if (!bus.piece) {
            polls.stored(address, bytes);
            return;
        }
        for (uint64_t done = 0; done < bytes;) {
            uint64_t place = 0;
            const uint64_t left = bytes - done;
            const uint64_t piece = bus.piece(bus.context, device, address + done, &place);
            if (piece == 0)
                return;
            polls.stored(place, std::min(piece, left));
            done += std::min(piece, left);
        }
    }
};

} // namespace tsim

#endif
