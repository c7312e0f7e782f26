// SPDX-License-Identifier: Apache-2.0
/// What a device has instead of a hardware scheduler's front end.
#ifndef TWINSIM_CORE_QUEUE_FIRMWARE_H
#define TWINSIM_CORE_QUEUE_FIRMWARE_H

#include "core/queue/firmware_loop.h"
#include "core/queue/report_queue.h"

namespace tsim
{

struct Firmware {
    Firmware(const Params &params, uint32_t queues) : loop(params, queues), reports(params) {}
    FirmwareLoop loop;
    ReportQueue reports;
    Cycle rested = kNever; ///< when the loop ended its last work
};

} // namespace tsim

#endif
