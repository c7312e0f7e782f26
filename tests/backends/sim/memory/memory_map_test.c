/* SPDX-License-Identifier: Apache-2.0 */
/* The reports that name memory: each kind has a row with its owner, the place in the program, the
 * stream and the device. */
#include "seam.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB   (UINT64_C(1) << 20)
#define PAGES 4096u
#define MANY  12 /* more than a report names */

static twin_hw_device *device;
static twin_call calls[MANY + 1];
static _Thread_local twin_call_place here;

static const twin_call_place *place(void)
{
    return &here;
}

/* The calling thread is in the public call `name`, which returns to `site`. */
static void enter(const char *name, uintptr_t site)
{
    static unsigned used;
    twin_call *call = &calls[used++ % TWIN_COUNT(calls)];
    call->name = name;
    here = (twin_call_place){.call = call, .site = (const void *)site};
    seam_call(TWIN_COST_CREATE);
}

static uint64_t allocate(uint64_t bytes)
{
    uint64_t address = 0;
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = bytes, .module = 33}, &address));
    return address;
}

/* One of each kind, none of which is released. */
static char *own; /* the program's memory */
/* Addresses are elsewhere than usual under a sanitizer that has those. */
static uint64_t first, managed, pinned;
static void take_all(twin_queue *queue)
{
    static const twin_physical_config physical = {.memory = {.bytes = 4 * MIB, .module = 33}};
    uint64_t address = 0;
    void *host = NULL;
    twin_hw_pool *pool = NULL;
    enter("ofDevice", 0);
    first = allocate(3 * MIB);
    enter("ofHost", 0);
    SEAM_OK(seam->memory.host_alloc(&(twin_allocation){.bytes = PAGES, .module = 33}, &host));
    enter("ofPool", 0);
    SEAM_OK(seam->pool.create(device, 8 * MIB, &pool));
    SEAM_OK(seam->work.alloc(queue, pool, 6 * MIB, &address));
    enter("ofPhysical", 0);
    SEAM_OK(seam->vmm.create(device, &physical, 1));
    SEAM_OK(seam->vmm.create(device, &physical, 2));
    enter("ofReserve", 0);
    SEAM_OK(seam->vmm.reserve(64 * MIB, 0, &address));
    SEAM_OK(seam->vmm.map(address, 4 * MIB, 2, true));
    enter("ofManaged", 0);
    SEAM_OK(seam->managed.alloc(device, 10 * MIB, &managed));
    enter("ofPin", 0);
    own = aligned_alloc(PAGES, PAGES);
    SEAM_OK(seam->memory.pin(device, &(twin_pin){.pointer = own, .bytes = PAGES, .mapped = true},
                             &pinned));
}

/* Whether a row begins with, or has, the address and then the text. */
static bool logged_at(const char *before, uint64_t address, const char *after)
{
    char row[200];
    snprintf(row, sizeof(row), "%s%#" PRIx64 "%s", before, address, after);
    return seam_logged(row);
}

static void up(void)
{
    seam_services.place = place;
    device = seam_up();
    seam_forget();
}

static void test_deadlock(void)
{
    up();
    twin_queue *queue = seam_queue(device, 7);
    twin_signal *never = seam_signal(device, TWIN_SIGNAL_NOTIFY, 1);
    take_all(queue);
    SEAM_OK(seam->work.wait(queue, never, TWIN_FOREVER));
    SEAM_STATUS(seam->queue.drain(queue, TWIN_FOREVER), TWIN_E_DEADLOCK);
    CU_ASSERT(logged_at("", first, ": 4194304 bytes, pages of 2 MiB, APP, allocated by ofDev"));
    CU_ASSERT(seam_logged("page-locked memory: 4096 of "));
    CU_ASSERT(seam_logged("APP, allocated by ofHost"));
    CU_ASSERT(seam_logged(": 6291456 bytes, pages of 2 MiB, APP (memory pool), stream 7, allocated "
                          "by ofPool"));
    CU_ASSERT(seam_logged("8388608 bytes in 2 allocations of up to 4194304, pages of 2 MiB, APP "
                          "(physical memory "));
    CU_ASSERT(seam_logged(": 67108864 bytes, APP (reserved, 1 mapping), reserved by ofReserve"));
    CU_ASSERT(logged_at("", managed,
                        ": 10485760 bytes, pages of 2 MiB, APP (managed, device 0), allocated by "
                        "ofManaged"));
    CU_ASSERT(logged_at(": 4096 bytes, pages of 4 KiB, APP (registered, ", pinned,
                        " for device 0), registered by ofPin"));
    seam_forget();

    /* What is left of them is reported row by row. */
    seam_drop_queue(queue);
    seam->signal.destroy(never);
    seam_down(device);
    CU_ASSERT(logged_at("memory was not freed: allocation 1, 3145728 bytes with padding, at ",
                        first, ", pages of 2 MiB, APP, allocated by ofDevice"));
    CU_ASSERT(seam_logged("APP (memory pool), stream 7, allocated by ofPool"));
    CU_ASSERT(seam_logged_times("device 0: physical memory was not freed: 4194304 bytes") == 2);
    CU_ASSERT(seam_logged("not mapped), allocated by ofPhysical"));
    CU_ASSERT(logged_at("managed memory was not freed: 10485760 bytes at ", managed, ""));
    CU_ASSERT(seam_logged("host memory was not unregistered: 4096 bytes at 0x"));
    free(own);
}

/* The pool keeps what was freed: it is of no owner, and not free either. */
static void test_exhaustion(void)
{
    uint64_t address = 0;
    twin_hw_pool *pool = NULL;
    up();
    twin_queue *queue = seam_queue(device, 3);
    SEAM_OK(seam->pool.create(device, 64 * MIB, &pool));
    enter("ofPool", 0);
    SEAM_OK(seam->work.alloc(queue, pool, 6 * MIB, &address));
    SEAM_OK(seam->work.free(queue, address));
    enter("again", 0);
    SEAM_OK(seam->work.alloc(queue, pool, 6 * MIB, &address)); /* the same block */
    SEAM_OK(seam->work.alloc(queue, pool, 2 * MIB, &address));
    SEAM_OK(seam->work.free(queue, address));
    SEAM_STATUS(
        seam->memory.alloc(device, &(twin_allocation){.bytes = UINT64_C(1) << 50}, &address),
        TWIN_E_DEVICE_MEMORY);
    CU_ASSERT(seam_explained("APP (memory pool), stream 3, allocated by again"));
    CU_ASSERT(!seam_explained("allocated by ofPool"));
    CU_ASSERT(seam_explained("2097152 bytes were freed and are kept by memory pools"));
    seam->pool.destroy(pool);
    seam_drop_queue(queue);
    seam_down(device);
}

/* A report of any length is whole, and names the ten largest owners. */
static void test_largest(void)
{
    static const char *const names[MANY] = {"call1", "call2",  "call3",  "call4",
                                            "call5", "call6",  "call7",  "call8",
                                            "call9", "call10", "call11", "call12"};
    uint64_t address = 0;
    uint64_t taken[MANY];
    up();
    for (unsigned i = 0; i < MANY; i++) {
        enter(names[i], 0);
        taken[i] = allocate((i + 1) * 2 * MIB);
    }
    SEAM_STATUS(
        seam->memory.alloc(device, &(twin_allocation){.bytes = UINT64_C(1) << 50}, &address),
        TWIN_E_DEVICE_MEMORY);
    CU_ASSERT(seam_explained("allocated by call12\n") && seam_explained("allocated by call3\n"));
    CU_ASSERT(!seam_explained("allocated by call2\n") && !seam_explained("allocated by call1\n"));
    for (unsigned i = 0; i < MANY; i++)
        SEAM_OK(seam->memory.free(taken[i]));
    seam_down(device);
}

static const twin_test tests[] = {
    {"a deadlock report and the report at a device's end name all kinds of memory", test_deadlock},
    {"an exhausted device names the last owner of a pool's memory, and what the pool keeps",
     test_exhaustion},
    {"a report names the ten largest owners", test_largest},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    return twin_run_suite("backend.sim_memory_map", tests, TWIN_COUNT(tests), argc, argv);
}
