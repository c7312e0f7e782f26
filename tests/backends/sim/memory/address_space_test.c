/* SPDX-License-Identifier: Apache-2.0 */
/* A process that may not reserve much address space (ulimit -v): it has less memory, a message says
 * so, and it works. */
#include "seam.h"

#include <stdlib.h>

/* Over what the program has at its start. The profile's device alone would take five times 64
 * GiB. */
#define ROOM (3ull << 30)

static void test_less_memory(void)
{
    twin_hw_device *device = seam_up();
    CU_ASSERT(seam_logged("page-locked") && seam_logged("ulimit -v"));
    CU_ASSERT(seam_logged("limit.memory_mib"));
    const twin_device_properties *properties = NULL;
    uint64_t left = 0;
    uint64_t total = 0;
    SEAM_OK(seam->process.describe(0, &properties));
    SEAM_OK(seam->memory.space(device, 0, &left, &total));
    CU_ASSERT(total == properties->memory_bytes && left >= 32 << 20 && left < total);

    /* All of what it says is free, and no more; page-locked memory too. */
    uint64_t device_memory = 0;
    uint64_t more = 0;
    void *host = NULL;
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = left}, &device_memory));
    SEAM_STATUS(seam->memory.alloc(device, &(twin_allocation){.bytes = 1}, &more),
                TWIN_E_DEVICE_MEMORY);
    SEAM_OK(seam->memory.host_alloc(&(twin_allocation){.bytes = 1 << 20}, &host));
    twin_queue *queue = seam_queue(device, 1);
    const uint64_t last = device_memory + left - (1 << 20);
    SEAM_OK(seam->work.fill(queue, &(twin_fill){.dst = last, .bytes = 1 << 20, .value = 7}));
    SEAM_OK(seam->work.copy(queue,
                            &(twin_copy){.dst = (uintptr_t)host, .src = last, .bytes = 1 << 20}));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    const unsigned char *bytes = host;
    CU_ASSERT(bytes && bytes[0] == 7 && bytes[(1 << 20) - 1] == 7);
    void *own = malloc(256 << 20); /* the program still has room */
    CU_ASSERT_PTR_NOT_NULL(own);
    free(own);
    SEAM_OK(seam->memory.host_free(host));
    SEAM_OK(seam->memory.free(device_memory));
    seam_drop_queue(queue);
    seam_down(device);
}

static void test_less_open_memory(void)
{
    seam_set("TWINRT_DEVMEM", "open");
    twin_hw_device *device = seam_up();
    uint64_t address = 0;
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = 4096}, &address));
    CU_ASSERT(*(const unsigned char *)(uintptr_t)address == 0xa5);
    SEAM_OK(seam->memory.free(address));
    seam_down(device);
    seam_set("TWINRT_DEVMEM", NULL);
}

static const twin_test tests[] = {
    {"with little address space the device has less memory, and says so", test_less_memory},
    {"and so with memory that the host may touch", test_less_open_memory},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    if (!seam_limit_address_space(ROOM)) {
        fprintf(stderr, "the address space cannot be limited\n");
        return TWIN_EXIT_FAILED;
    }
    return twin_run_suite("backend.sim_address_space", tests, TWIN_COUNT(tests), argc, argv);
}
