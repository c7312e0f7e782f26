/* SPDX-License-Identifier: Apache-2.0 */
/* Devices come and go: the board at the first open, a device at each, and what was left behind at a close. */
#ifndef TWINRT_SIM_DEVICE_LIFE_H
#define TWINRT_SIM_DEVICE_LIFE_H

#include "process/device.h"

twin_status sim_device_open(uint32_t index, twin_hw_device **out_device);
void sim_device_close(twin_hw_device *device);

#endif
