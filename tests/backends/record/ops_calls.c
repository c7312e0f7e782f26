/* SPDX-License-Identifier: Apache-2.0 */
#include "ops_calls.h"

#include "support/cunit_main.h"

void call_vmm(const struct twin_backend *t, twin_hw_device *device)
{
    static const int32_t pids[] = {94, 95};
    const twin_physical_config config = {.memory = {.bytes = 64,
                                                    .pages = TWIN_PAGES_HUGE_1G,
                                                    .module = TWIN_MODULE_APP,
                                                    .flags = TWIN_ALLOC_PEER},
                                         .node = UINT32_MAX};
    const twin_accessor accessor = {.device = 3};
    twin_physical_config opened;
    uint64_t address = 0, physical = 0, shared = 0;
    char name[TWIN_SHARE_NAME];
    t->vmm.reserve(4096, 0x40000, &address);
    t->vmm.create(device, &config, 0x77);
    t->vmm.map(address, 64, 0x77, true);
    t->vmm.set_access(address, 64, &accessor);
    t->vmm.set_link(0x77, TWIN_MEMORY_LINK_HCCS);
    t->vmm.map_link(address + 64, 32, 0x77, address, TWIN_MEMORY_LINK_UB_ONE_PORT);
    t->vmm.unmap(address, &physical);
    CU_ASSERT_EQUAL(physical, 0x77);
    t->vmm.share(0x77, true, &shared);
    t->vmm.allow(shared, pids, 2);
    t->vmm.open(device, shared, 0x78, &opened);
    t->vmm.destroy(0x77);
    t->vmm.release(address);
    t->memory.share(0x10000, 32, true, name);
    t->memory.allow(name, pids, 2);
    t->memory.set_link(name, TWIN_MEMORY_LINK_UB_MULTI_PORT);
    t->memory.open(device, name, &address);
    t->memory.close(name, 0);
    t->memory.close(NULL, address);
}

void call_indirect(const struct twin_backend *t, twin_hw_device *device, twin_queue *q)
{
    t->memory.describe(device, 0x10008, &(twin_copy){.dst = 0x10001, .src = 0x10002, .bytes = 61});
    t->memory.maintain(device, 0x10003, 2, true);
    t->work.described(q, 0x10009, TWIN_RANGE_COPY);
    t->work.maintain(q,
                     &(twin_maintenance){.address = 0x10001, .bytes = 6, .op = TWIN_RANGE_FLUSH});
    t->work.copy_based(
        q, &(twin_based_copy){
               .dst = 0x10008, .src = 0x10000, .dst_offset = 51, .src_offset = 52, .bytes = 53});
    t->work.random(q, &(twin_random){.function = TWIN_RANDOM_UNIFORM,
                                     .type = TWIN_RANDOM_INT32,
                                     .dst = 0x10000,
                                     .counter = 0x10001,
                                     .params = 0x10002,
                                     .first = {71, false},
                                     .second = {0x10003, true},
                                     .seed = {73, false},
                                     .count = {1, false}});
}
