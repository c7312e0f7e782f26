// SPDX-License-Identifier: Apache-2.0
#include "systemc/system_module.h"

#include <string>

namespace tsim
{

// SystemC counts in nanoseconds: its resolution is set to 1 ns before anything is made.
SystemModule::SystemModule(const sc_core::sc_module_name &name, System &system, uint64_t quantum_ns)
    : sc_core::sc_module(name), system_(system), quantum_(system.params().to_cycles(quantum_ns))
{
    for (uint32_t i = 0; i < system.device_count(); ++i) {
        const std::string label = "device" + std::to_string(i);
        devices_.push_back(std::make_unique<DeviceModule>(label.c_str(), system.device(i)));
    }
    SC_METHOD(run_calendar);
    sensitive << wake_;
    dont_initialize();
}

Cycle SystemModule::systemc_now() const
{
    return sc_core::sc_time_stamp().value() / system_.params().cycle_ns;
}

void SystemModule::run_calendar()
{
    const Cycle now = systemc_now();
    window_ = quantum_ > kNever - now ? kNever : now + quantum_;
    system_.advance(window_);
}

twinsim_stop SystemModule::run(uint64_t until_ns, uint32_t max_events, bool held)
{
    system_.begin_run(until_ns, max_events, held);
    while (system_.running()) {
        const Cycle next = system_.next_time();
        if (next <= window_) {
            system_.advance(window_);
            continue;
        }
        const Cycle now = systemc_now();
        const auto ahead =
            sc_core::sc_time::from_value(next > now ? system_.params().to_ns(next - now) : 0);
        wake_.notify(ahead);
        sc_core::sc_start(ahead);
    }
    return system_.end_run();
}

} // namespace tsim
