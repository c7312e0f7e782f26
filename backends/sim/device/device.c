/* SPDX-License-Identifier: Apache-2.0 */
#include "device/device.h"

#include "memory/reserve.h"

/* Written under the model lock. */
static _Atomic(twin_hw_device *) made[SIM_DEVICES_MOST];

twin_hw_device *sim_device_made(uint32_t index)
{
    return atomic_load_explicit(&made[index], memory_order_acquire);
}

void sim_device_set_made(uint32_t index, twin_hw_device *device)
{
    atomic_store_explicit(&made[index], device, memory_order_release);
}

static size_t align_page(size_t bytes)
{
    return (bytes + SIM_PAGE - 1) / SIM_PAGE * SIM_PAGE;
}

static size_t code_bytes(void)
{
    return align_page(sim_process.limits.sq_depth * SIM_CODE_WORDS * sizeof(uint32_t));
}

uint32_t *sim_device_code(twin_hw_device *device, uint32_t sq)
{
    size_t bytes = code_bytes() * sim_process.limits.streams;
    pthread_mutex_lock(&device->signals_lock);
    if (!device->code) {
        void *code = sim_reserve(bytes);
        if (code) {
            device->code_bytes = bytes;
            /* Release: the model reads it without the lock. */
            atomic_store_explicit(&device->code, (char *)code, memory_order_release);
        }
    }
    char *code = device->code;
    pthread_mutex_unlock(&device->signals_lock);
    return code ? (uint32_t *)(void *)(code + sq * code_bytes()) : NULL;
}
