/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_device.h"

twin_status fake_map_peer(uint64_t address, uint64_t bytes, uint32_t device)
{
    (void)address;
    (void)bytes;
    (void)device;
    return fake_answer();
}

twin_status fake_managed_alloc(twin_hw_device *device, uint64_t bytes, uint64_t *out_address)
{
    (void)device;
    (void)bytes;
    *out_address = 0x200000;
    return fake_answer();
}
twin_status fake_managed_advise(uint64_t address, uint64_t bytes, twin_advice advice,
                                twin_place place)
{
    (void)address;
    (void)bytes;
    (void)advice;
    (void)place;
    return fake_answer();
}
twin_status fake_managed_query(uint64_t address, uint64_t bytes, twin_managed_fact fact,
                               twin_place *out, size_t room)
{
    (void)address;
    (void)bytes;
    (void)fact;
    (void)room;
    *out = (twin_place){TWIN_PLACE_DEVICE, 3};
    return fake_answer();
}
twin_status fake_managed_move(twin_hw_device *device, uint64_t address, uint64_t bytes,
                              twin_place place)
{
    (void)place;
    (void)address;
    (void)bytes;
    (void)device;
    return fake_answer();
}

static bool reach_move(const twin_reach *reach, uint64_t address, void *local, uint64_t bytes,
                       bool write)
{
    (void)reach;
    (void)local;
    (void)bytes;
    (void)write;
    return address != 0;
}
const twin_reach fake_reach = {.move = reach_move, .exact = true};
