// SPDX-License-Identifier: Apache-2.0
#include "tlm/board_module.h"

#include <string>

namespace tsim
{

// SystemC counts in nanoseconds: its resolution is set to 1 ns before anything is made.
BoardModule::BoardModule(const sc_core::sc_module_name &name, Board &board, uint64_t quantum_ns)
    : sc_core::sc_module(name), board_(board), quantum_(board.params().to_cycles(quantum_ns))
{
    for (uint32_t i = 0; i < board.device_count(); ++i) {
        const std::string label = "device" + std::to_string(i);
        devices_.push_back(std::make_unique<DeviceModule>(label.c_str(), board.device(i)));
    }
    SC_METHOD(run_calendar);
    sensitive << wake_;
    dont_initialize();
}

Cycle BoardModule::systemc_now() const
{
    return sc_core::sc_time_stamp().value() / board_.params().cycle_ns;
}

void BoardModule::run_calendar()
{
    const Cycle now = systemc_now();
    window_ = quantum_ > kNever - now ? kNever : now + quantum_;
    board_.advance(window_);
}

twinsim_stop BoardModule::run(uint64_t until_ns, uint32_t max_events, bool held)
{
    board_.begin_run(until_ns, max_events, held);
    while (board_.running()) {
        const Cycle next = board_.next_time();
        if (next <= window_) {
            board_.advance(window_);
            continue;
        }
        const Cycle now = systemc_now();
        const auto ahead =
            sc_core::sc_time::from_value(next > now ? board_.params().to_ns(next - now) : 0);
        wake_.notify(ahead);
        sc_core::sc_start(ahead);
    }
    return board_.end_run();
}

} // namespace tsim
