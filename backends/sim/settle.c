/* SPDX-License-Identifier: Apache-2.0 */
#include "wait/hooks.h"

#include "hostcall/host_call_queue.h"
#include "device/device.h"
#include "queue/failure.h"
#include "process/nondeterminism.h"
#include "signal/ipc.h"

bool sim_settle_devices(void)
{
    twinsim *sim = sim_process.sim;
    uint32_t device;
    uint32_t sq;
    bool any = false;
    while (twinsim_interrupt(sim, &device, &sq)) {
        any = true;
        if (device < SIM_DEVICES_MOST && sim_process.devices[device])
            sim_queue_read_cq(sim_process.devices[device], sq);
    }
    if (sim_replay_step == SIM_REPLAY_NONE)
        sim_failure_stop_groups(UINT32_MAX);
    any = sim_call_queue_deliver_locked() || any;
    for (uint32_t i = 0; i < sim_process.device_count; i++)
        if (sim_process.devices[i])
            sim_ids_clean(&sim_process.devices[i]->events, sim, i);
    if (atomic_load_explicit(&sim_shared_count, memory_order_relaxed) != 0)
        any = sim_shared_settle() || any;
    return any;
}
