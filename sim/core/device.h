// SPDX-License-Identifier: Apache-2.0
/// One device: its scheduler, the driver's DMA channels, the doorbell mask and the register window.
#ifndef TWINSIM_CORE_DEVICE_H
#define TWINSIM_CORE_DEVICE_H

#include <array>
#include <atomic>

#include "core/engine/host_dma.h"
#include "core/scheduler/task_scheduler.h"

namespace tsim
{

class Device
{
  public:
    Device(SystemState &system, uint32_t index);

    [[nodiscard]] TaskScheduler &scheduler() { return scheduler_; }
    [[nodiscard]] const TaskScheduler &scheduler() const { return scheduler_; }
    [[nodiscard]] HostDma &host_dma() { return host_dma_; }
    void reset();

    /// Any thread (T-FE-1).
    void doorbell(uint32_t sq, uint32_t tail, uint64_t at_ns);
    /// Looks at the queues whose doorbells were rung since last time (T-FE-2); `seen`, if any, is
    /// called for each.
    void take_in(void (*seen)(void *context, const twinsim_seen *what), void *context);
    /// The same for one queue, as if nothing had been rung beyond `newest`. False: so much has not
    /// been rung.
    [[nodiscard]] bool take_in(uint32_t sq, uint64_t newest);

    void fire(uint32_t timer)
    {
        if (__builtin_expect(timer < scheduler_.queue_count(), 1))
            scheduler_.fire_queue(timer);
        else
            fire_other(timer);
    }
    /// Hint that this timer comes soon: its state, and then what that leads to.
    void prefetch(uint32_t timer) const
    {
        if (timer < scheduler_.queue_count())
            scheduler_.prefetch(timer);
    }
    void prefetch_work(uint32_t timer) const
    {
        if (timer < scheduler_.queue_count())
            scheduler_.prefetch_work(timer);
    }
    /// Whether this timer, which is pending, is the time limit of a parked wait.
    [[nodiscard]] bool is_limit_of_wait(uint32_t timer) const
    {
        return timer < scheduler_.queue_count() && scheduler_.limit_is_next(timer);
    }
    void transfer_done(uint32_t who);

    /// The register window: a negative twinsim_error, or 0.
    [[nodiscard]] int read(uint64_t offset, uint32_t &out_value) const;
    [[nodiscard]] int write(uint64_t offset, uint32_t value);

  private:
    void fire_other(uint32_t timer);
    [[nodiscard]] int read_page(uint32_t sq, uint32_t offset, uint32_t &out_value) const;
    [[nodiscard]] int write_page(uint32_t sq, uint32_t offset, uint32_t value);

    SystemState &system_;
    const uint32_t index_;
    TaskScheduler scheduler_;
    HostDma host_dma_;
    // The doorbell mask in two levels. Written by any thread; the model takes it with exchanges.
    alignas(64) std::atomic<uint64_t> rung_words_{0};
    std::array<std::atomic<uint64_t>, kMaxQueues / 64> rung_{};
};

} // namespace tsim

#endif
