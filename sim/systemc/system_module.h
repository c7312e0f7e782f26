// SPDX-License-Identifier: Apache-2.0
/// The SystemC shell of a system: one process that runs the calendar, and a module per device below
/// it.
#ifndef TWINSIM_SYSTEMC_SYSTEM_MODULE_H
#define TWINSIM_SYSTEMC_SYSTEM_MODULE_H

#include <memory>
#include <systemc>
#include <vector>

#include "core/system.h"

namespace tsim
{

/// Names one device in the module tree. It has no process: the system's calendar moves it.
class DeviceModule : public sc_core::sc_module
{
  public:
    DeviceModule(const sc_core::sc_module_name &name, Device &device)
        : sc_core::sc_module(name), device_(device)
    {
    }
    [[nodiscard]] Device &device() { return device_; }

  private:
    Device &device_;
};

/// One SC_METHOD, woken at the time of the calendar's next entry. From there the model runs ahead
/// of SystemC's time by the quantum at most, in this run and those that follow: SystemC is woken
/// again for what comes later. A run stops at the very entry that ends it (T-TIM-7). SystemC's time
/// never passes the model's.
class SystemModule : public sc_core::sc_module
{
  public:
    SystemModule(const sc_core::sc_module_name &name, System &system, uint64_t quantum_ns);

    /// twinsim_run(): steps SystemC from the calling thread.
    twinsim_stop run(uint64_t until_ns, uint32_t max_events, bool held = false);

    SC_HAS_PROCESS(SystemModule);

  private:
    void run_calendar();
    [[nodiscard]] Cycle systemc_now() const;

    System &system_;
    const uint64_t quantum_; // cycles
    Cycle window_ = 0;       // up to where the model may go before SystemC's time moves
    sc_core::sc_event wake_;
    std::vector<std::unique_ptr<DeviceModule>> devices_;
};

} // namespace tsim

#endif
