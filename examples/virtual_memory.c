/* SPDX-License-Identifier: Apache-2.0 */
/* A buffer that grows and never moves: addresses are reserved once, physical memory is mapped as it
 * is needed. At the end a second mapping shows the same memory at another address. */
#include "check.h"

#define RESERVED ((size_t)1 << 40) /* addresses cost nothing */
#define GROWTHS  3

static char *buffer;  /* where the reservation begins */
static size_t mapped; /* bytes of it that have memory */
static aclrtDrvMemHandle handles[GROWTHS];
static size_t granularity;

static size_t free_bytes(void)
{
    size_t free_now = 0;
    size_t total = 0;
    CHECK(aclrtGetMemInfo(ACL_HBM_MEM, &free_now, &total));
    return free_now;
}

/* Maps one more piece of physical memory behind the last. */
static void grow(int growth)
{
    aclrtPhysicalMemProp prop = {.handleType = ACL_MEM_HANDLE_TYPE_NONE,
                                 .allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
                                 .memAttr = ACL_HBM_MEM_HUGE,
                                 .location = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE}};
    if (granularity == 0)
        CHECK(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM,
                                               &granularity));
    const size_t bytes = granularity * (size_t)(growth + 1);
    CHECK(aclrtMallocPhysical(&handles[growth], bytes, &prop, 0));
    CHECK(aclrtMapMem(buffer + mapped, bytes, 0, handles[growth], 0));
    mapped += bytes;
    printf("mapped %3zu MiB at the same address, %zu MiB in all\n", bytes >> 20, mapped >> 20);
}

int main(void)
{
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    const size_t free_before = free_bytes();
    void *start = NULL;
    CHECK(aclrtReserveMemAddress(&start, RESERVED, 0, NULL, 0));
    buffer = start;
    REQUIRE(free_bytes() == free_before);
    printf("reserved %zu GiB of addresses: no memory is taken\n", RESERVED >> 30);

    for (int growth = 0; growth < GROWTHS; growth++) {
        const size_t old = mapped;
        grow(growth);
        /* What was there stays; the new part is filled. */
        CHECK(aclrtMemset(buffer + old, mapped - old, growth + 1, mapped - old));
    }
    REQUIRE(free_before - free_bytes() == mapped);

    /* One copy over all pieces. */
    unsigned char *host = malloc(mapped);
    REQUIRE(host != NULL);
    CHECK(aclrtMemcpy(host, mapped, buffer, mapped, ACL_MEMCPY_DEVICE_TO_HOST));
    REQUIRE(host[0] == 1 && host[granularity] == 2 && host[3 * granularity] == 3);
    REQUIRE(host[mapped - 1] == GROWTHS);
    printf("one copy reads all %d pieces\n", GROWTHS);

    /* The first piece once more, at an address of its own. */
    void *alias = NULL;
    CHECK(aclrtReserveMemAddress(&alias, granularity, 0, NULL, 0));
    CHECK(aclrtMapMem(alias, granularity, 0, handles[0], 0));
    CHECK(aclrtMemset(alias, granularity, 9, granularity));
    CHECK(aclrtMemcpy(host, granularity, buffer, granularity, ACL_MEMCPY_DEVICE_TO_HOST));
    REQUIRE(host[0] == 9 && host[granularity - 1] == 9);
    printf("what is written at one address is read at the other\n");

    /* Unmapped addresses have no memory. */
    CHECK(aclrtUnmapMem(alias));
    const aclError code = aclrtMemset(alias, granularity, 0, granularity);
    REQUIRE(code != ACL_SUCCESS);
    printf("after the unmap it is refused: %d\n", (int)code);
    CHECK(aclrtReleaseMemAddress(alias));

    size_t at = 0;
    for (int i = 0; i < GROWTHS; i++) {
        CHECK(aclrtUnmapMem(buffer + at));
        CHECK(aclrtFreePhysical(handles[i]));
        at += granularity * (size_t)(i + 1);
    }
    REQUIRE(free_bytes() == free_before);
    CHECK(aclrtReleaseMemAddress(buffer));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    free(host);
    printf("virtual_memory: ok\n");
    return 0;
}
