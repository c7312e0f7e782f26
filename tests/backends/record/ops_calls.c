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
    t->vmm.unmap(address, &physical);
    CU_ASSERT_EQUAL(physical, 0x77);
    t->vmm.share(0x77, true, &shared);
    t->vmm.allow(shared, pids, 2);
    t->vmm.open(device, shared, 0x78, &opened);
    t->vmm.destroy(0x77);
    t->vmm.release(address);
    t->memory.share(0x10000, 32, true, name);
    t->memory.allow(name, pids, 2);
    t->memory.open(device, name, &address);
    t->memory.close(name, 0);
    t->memory.close(NULL, address);
}
