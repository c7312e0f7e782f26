/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings of physical memory to reserved addresses. */
#include "virtual_tests.h"

#include <stdlib.h>
#include <string.h>

void test_map_arguments(void)
{
    char *none = (char *)(uintptr_t)GRANULE;
    aclError (*const maps[])(void *, size_t, size_t, aclrtDrvMemHandle,
                             uint64_t) = {aclrtMapMem, aclrtMemMapNoAccess};
    for (size_t i = 0; i < TWIN_COUNT(maps); i++) {
        CHECK_CODE(maps[i](NULL, GRANULE, 0, none, 0), ACL_ERROR_INVALID_PARAM);
        CHECK_CODE(maps[i](none, GRANULE, 0, NULL, 0), ACL_ERROR_INVALID_PARAM);
        CHECK_CODE(maps[i](none, 0, 0, none, 0), ACL_ERROR_INVALID_PARAM);
        CHECK_CODE(maps[i](none, GRANULE, 0, none, 1), ACL_ERROR_INVALID_PARAM);
    }
    CHECK_CODE(aclrtUnmapMem(NULL), ACL_ERROR_INVALID_PARAM);
}

void test_map_refusals(void)
{
    CHECK_OK(aclrtSetDevice(0));
    char *address = virtual_addresses(4);
    aclrtDrvMemHandle handle = virtual_memory(2);
    aclrtDrvMemHandle other = virtual_memory(1);
    CHECK_CODE(aclrtMapMem(address, 2 * GRANULE, GRANULE, handle, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMapMem(address, GRANULE, 0, handle, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMapMem(address + 4096, 2 * GRANULE, 0, handle, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMapMem(address + 3 * GRANULE, 2 * GRANULE, 0, handle, 0),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMapMem((void *)(uintptr_t)(GRANULE * 5), 2 * GRANULE, 0, handle, 0),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtMapMem(address + GRANULE, 2 * GRANULE, 0, handle, 0));
    CHECK_CODE(aclrtMapMem(address + GRANULE, 2 * GRANULE, 0, handle, 0),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMapMem(address + 2 * GRANULE, GRANULE, 0, other, 0),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtMapMem(address + 3 * GRANULE, GRANULE, 0, other, 0));
    CHECK_FAILS(aclrtUnmapMem(address));
    CHECK_FAILS(aclrtUnmapMem(address + 2 * GRANULE));
    CHECK_FAILS(aclrtFree(address + GRANULE));
    CHECK_OK(aclrtUnmapMem(address + GRANULE));
    CHECK_OK(aclrtUnmapMem(address + 3 * GRANULE));
    CHECK_FAILS(aclrtUnmapMem(address + 3 * GRANULE));
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_CODE(aclrtMapMem(address, 2 * GRANULE, 0, handle, 0), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtFreePhysical(other));
    CHECK_OK(aclrtReleaseMemAddress(address));
    CHECK_OK(aclrtResetDevice(0));
}

/* Neighbours in the reservation are not neighbours in memory. */
void test_map_tiles(void)
{
    enum { TILES = 4 };
    aclrtDrvMemHandle handles[TILES];
    static const unsigned order[TILES] = {2, 0, 3, 1};
    unsigned char *host = NULL;
    const size_t bytes = TILES * GRANULE;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtMallocHost((void **)&host, bytes));
    char *address = virtual_addresses(TILES);
    for (unsigned i = 0; i < TILES; i++)
        handles[i] = virtual_memory(1);
    for (unsigned i = 0; i < TILES; i++)
        CHECK_OK(aclrtMapMem(address + i * GRANULE, GRANULE, 0, handles[order[i]], 0));
    for (size_t i = 0; i < bytes; i++)
        host[i] = (unsigned char)(i * 31 >> 7);
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtMemcpyAsync(address, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    /* within the device, across all borders, and off by some bytes */
    void *copy = NULL;
    CHECK_OK(aclrtMalloc(&copy, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemcpyAsync(copy, bytes, address + 100, bytes - 100, ACL_MEMCPY_DEVICE_TO_DEVICE,
                              stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    memset(host, 0, bytes);
    CHECK_OK(aclrtMemcpy(host, bytes, copy, bytes - 100, ACL_MEMCPY_DEVICE_TO_HOST));
    size_t wrong = 0;
    for (size_t i = 0; i < bytes - 100; i++)
        wrong += host[i] != (unsigned char)((i + 100) * 31 >> 7);
    CHECK_EQUAL(wrong, 0);
    CHECK_OK(aclrtMemset(address + GRANULE - 10, 20, 6, 20));
    virtual_check(address + GRANULE - 10, 6, 20);
    /* a hole in it */
    CHECK_OK(aclrtUnmapMem(address + GRANULE));
    CHECK_FAILS(aclrtMemcpy(host, bytes, address, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_OK(aclrtMemcpy(host, GRANULE, address, GRANULE, ACL_MEMCPY_DEVICE_TO_HOST));
    for (unsigned i = 0; i < TILES; i++) {
        if (i != 1)
            CHECK_OK(aclrtUnmapMem(address + i * GRANULE));
        CHECK_OK(aclrtFreePhysical(handles[i]));
    }
    CHECK_OK(aclrtReleaseMemAddress(address));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtFree(copy));
    CHECK_OK(aclrtFreeHost(host));
    CHECK_OK(aclrtResetDevice(0));
}

void test_map_two_devices(void)
{
    if (twin_device_count() < 2)
        return;
    aclrtPhysicalMemProp prop = virtual_prop();
    aclrtDrvMemHandle far = NULL;
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtSetDevice(0));
    prop.location.id = 1;
    CHECK_OK(aclrtMallocPhysical(&far, GRANULE, &prop, 0));
    aclrtDrvMemHandle near = virtual_memory(1);
    char *address = virtual_addresses(2);
    CHECK_OK(aclrtMapMem(address, GRANULE, 0, near, 0));
    CHECK_FAILS(aclrtMapMem(address + GRANULE, GRANULE, 0, far, 0));
    CHECK_OK(aclrtUnmapMem(address));
    CHECK_OK(aclrtMapMem(address + GRANULE, GRANULE, 0, far, 0));
    CHECK_OK(aclrtUnmapMem(address + GRANULE));
    CHECK_OK(aclrtReleaseMemAddress(address));
    CHECK_OK(aclrtFreePhysical(near));
    CHECK_OK(aclrtFreePhysical(far));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclrtResetDevice(1));
}

void test_no_access(void)
{
    char host[64] = "";
    aclrtMemAccessDesc desc = {.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE,
                               .location = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE}};
    uint64_t flag = 9;
    CHECK_OK(aclrtSetDevice(0));
    char *address = virtual_addresses(1);
    aclrtDrvMemHandle handle = virtual_memory(1);
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtMemMapNoAccess(address, GRANULE, 0, handle, 0));
    CHECK_OK(aclrtMemGetAccess(address, &desc.location, &flag));
    CHECK_EQUAL(flag, ACL_RT_MEM_ACCESS_FLAGS_NONE);
    CHECK_FAILS(aclrtMemcpy(address, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_OK(aclrtMemsetAsync(address, 64, 1, 64, stream));
    CHECK_FAILS(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtMemSetAccess(address, GRANULE, &desc, 1));
    CHECK_OK(aclrtMemGetAccess(address, &desc.location, &flag));
    CHECK_EQUAL(flag, ACL_RT_MEM_ACCESS_FLAGS_READWRITE);
    CHECK_OK(aclrtMemsetAsync(address, 64, 1, 64, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    virtual_check(address, 1, 64);
    CHECK_OK(aclrtUnmapMem(address));
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_OK(aclrtReleaseMemAddress(address));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_unmap(void)
{
    CHECK_OK(aclrtSetDevice(0));
    char *address = virtual_addresses(4);
    aclrtDrvMemHandle handle = virtual_memory(1);
    CHECK_OK(aclrtMapMem(address, GRANULE, 0, handle, 0));
    CHECK_OK(aclrtMapMem(address + 2 * GRANULE, GRANULE, 0, handle, 0));
    virtual_fill(address, 7, GRANULE);
    virtual_check(address + 2 * GRANULE, 7, GRANULE); /* an alias */
    CHECK_OK(aclrtUnmapMem(address));
    CHECK_OK(aclrtUnmapMem(address + 2 * GRANULE));
    CHECK_OK(aclrtMapMem(address + 3 * GRANULE, GRANULE, 0, handle, 0));
    virtual_check(address + 3 * GRANULE, 7, GRANULE);
    CHECK_OK(aclrtUnmapMem(address + 3 * GRANULE));
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_OK(aclrtReleaseMemAddress(address));
    CHECK_OK(aclrtResetDevice(0));
}

void test_free_while_mapped(void)
{
    CHECK_OK(aclrtSetDevice(0));
    const size_t before = virtual_free_bytes();
    char *address = virtual_addresses(1);
    aclrtDrvMemHandle handle = virtual_memory(1);
    CHECK_OK(aclrtMapMem(address, GRANULE, 0, handle, 0));
    virtual_fill(address, 8, 64);
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_EQUAL(virtual_free_bytes(), before - GRANULE);
    virtual_check(address, 8, 64);
    CHECK_CODE(aclrtFreePhysical(handle), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtUnmapMem(address));
    CHECK_EQUAL(virtual_free_bytes(), before);
    CHECK_OK(aclrtReleaseMemAddress(address));
    CHECK_OK(aclrtResetDevice(0));
}

void test_set_access_arguments(void)
{
    aclrtMemAccessDesc desc = {.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE,
                               .location = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE}};
    CHECK_OK(aclrtSetDevice(0));
    char *address = virtual_addresses(2);
    aclrtDrvMemHandle handle = virtual_memory(1);
    CHECK_OK(aclrtMapMem(address, GRANULE, 0, handle, 0));
    CHECK_CODE(aclrtMemSetAccess(NULL, GRANULE, &desc, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemSetAccess(address, GRANULE, NULL, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemSetAccess(address, GRANULE / 2, &desc, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemSetAccess(address + GRANULE, GRANULE, &desc, 1), ACL_ERROR_RT_PARAM_INVALID);
    desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READ;
    CHECK_CODE(aclrtMemSetAccess(address, GRANULE, &desc, 1), ACL_ERROR_RT_PARAM_INVALID);
    desc.flags = ACL_RT_MEM_ACCESS_FLAGS_NONE;
    CHECK_CODE(aclrtMemSetAccess(address, GRANULE, &desc, 1), ACL_ERROR_RT_PARAM_INVALID);
    desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
    CHECK_OK(aclrtMemSetAccess(address, GRANULE, &desc, 1));
    CHECK_OK(aclrtUnmapMem(address));
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_OK(aclrtReleaseMemAddress(address));
    CHECK_OK(aclrtResetDevice(0));
}

void test_get_access(void)
{
    aclrtMemLocation location = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE};
    uint64_t flag = 9;
    CHECK_CODE(aclrtMemGetAccess(NULL, &location, &flag), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemGetAccess(&flag, NULL, &flag), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemGetAccess(&flag, &location, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtSetDevice(0));
    char *address = virtual_addresses(1);
    aclrtDrvMemHandle handle = virtual_memory(1);
    CHECK_FAILS(aclrtMemGetAccess(address, &location, &flag));
    CHECK_OK(aclrtMapMem(address, GRANULE, 0, handle, 0));
    CHECK_OK(aclrtMemGetAccess(address, &location, &flag));
    CHECK_EQUAL(flag, ACL_RT_MEM_ACCESS_FLAGS_READWRITE);
    CHECK_OK(aclrtUnmapMem(address));
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_OK(aclrtReleaseMemAddress(address));
    CHECK_OK(aclrtResetDevice(0));
}

void test_retain(void)
{
    aclrtDrvMemHandle again = NULL;
    CHECK_CODE(aclrtMemRetainAllocationHandle(NULL, &again), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemRetainAllocationHandle(&again, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtSetDevice(0));
    const size_t before = virtual_free_bytes();
    char *address = virtual_addresses(2);
    aclrtDrvMemHandle handle = virtual_memory(1);
    CHECK_FAILS(aclrtMemRetainAllocationHandle(address, &again));
    CHECK_OK(aclrtMapMem(address, GRANULE, 0, handle, 0));
    virtual_fill(address, 4, 64);
    CHECK_OK(aclrtMemRetainAllocationHandle(address, &again));
    CHECK(again == handle);
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_OK(aclrtMapMem(address + GRANULE, GRANULE, 0, again, 0));
    CHECK_OK(aclrtFreePhysical(again));
    CHECK_CODE(aclrtFreePhysical(again), ACL_ERROR_RT_INVALID_HANDLE);
    /* of memory that only mappings keep */
    CHECK_OK(aclrtMemRetainAllocationHandle(address + GRANULE, &again));
    CHECK_OK(aclrtUnmapMem(address));
    CHECK_OK(aclrtUnmapMem(address + GRANULE));
    CHECK_EQUAL(virtual_free_bytes(), before - GRANULE);
    CHECK_OK(aclrtMapMem(address, GRANULE, 0, again, 0));
    virtual_check(address, 4, 64);
    CHECK_OK(aclrtUnmapMem(address));
    CHECK_OK(aclrtFreePhysical(again));
    CHECK_EQUAL(virtual_free_bytes(), before);
    CHECK_OK(aclrtReleaseMemAddress(address));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- order with tasks ------------------------------------------------------------------------ */

void test_unmapped_fails_the_task(void)
{
    twin_hold hold;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtStream opener = twin_stream();
    char *address = virtual_addresses(1);
    aclrtDrvMemHandle handle = virtual_memory(1);
    CHECK_OK(aclrtMapMem(address, GRANULE, 0, handle, 0));
    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtMemsetAsync(address, 64, 1, 64, stream));
    CHECK_OK(aclrtUnmapMem(address));
    twin_hold_release(&hold, opener);
    CHECK_FAILS(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK_OK(aclrtSynchronizeStream(opener));
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_OK(aclrtReleaseMemAddress(address));
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_unmap_after_the_work(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    char *address = virtual_addresses(1);
    aclrtDrvMemHandle handle = virtual_memory(1);
    aclrtEvent event = twin_event(EVENT_PLAIN);
    CHECK_OK(aclrtMapMem(address, GRANULE, 0, handle, 0));
    CHECK_OK(aclrtMemsetAsync(address, 64, 1, 64, stream));
    CHECK_OK(aclrtRecordEvent(event, stream));
    CHECK_OK(aclrtSynchronizeEvent(event));
    CHECK_OK(aclrtUnmapMem(address));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_OK(aclrtReleaseMemAddress(address));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_reset_ends_mappings(void)
{
    char host[64];
    CHECK_OK(aclrtSetDevice(0));
    char *address = virtual_addresses(2);
    aclrtDrvMemHandle handle = virtual_memory(1);
    CHECK_OK(aclrtMapMem(address, GRANULE, 0, handle, 0));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_CODE(aclrtFreePhysical(handle), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_FAILS(aclrtUnmapMem(address));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_FAILS(aclrtMemcpy(host, 64, address, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    handle = virtual_memory(1);
    CHECK_OK(aclrtMapMem(address, GRANULE, 0, handle, 0));
    virtual_fill(address, 2, 64);
    virtual_check(address, 2, 64);
    CHECK_OK(aclrtUnmapMem(address));
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_OK(aclrtReleaseMemAddress(address));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- many ------------------------------------------------------------------------------------ */

#define ROUNDS 60

static void map_and_unmap(void *argument, unsigned index)
{
    (void)argument;
    CHECK_OK(aclrtSetDevice(0));
    char *address = virtual_addresses(4);
    aclrtDrvMemHandle handle = virtual_memory(1);
    for (int i = 0; i < ROUNDS; i++) {
        char *at = address + (size_t)(i % 4) * GRANULE;
        CHECK_OK(aclrtMapMem(at, GRANULE, 0, handle, 0));
        if (i == 0)
            virtual_fill(at, (int)index + 1, 4096);
        uint8_t host[16];
        CHECK_OK(aclrtMemcpy(host, 16, at + 4080, 16, ACL_MEMCPY_DEVICE_TO_HOST));
        CHECK_BYTES(host, index + 1, 16);
        CHECK_OK(aclrtUnmapMem(at));
    }
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_OK(aclrtReleaseMemAddress(address));
    CHECK_OK(aclrtResetDevice(0));
}

void test_map_threads(void)
{
    CHECK_OK(aclrtSetDevice(0));
    const size_t before = virtual_free_bytes();
    twin_threads_run(8, map_and_unmap, NULL);
    CHECK_EQUAL(virtual_free_bytes(), before);
    CHECK_OK(aclrtResetDevice(0));
}

/* Eight pieces of memory at random places, against what each should hold. */
void test_map_random(void)
{
    enum { PIECES = 8, PLACES = 24, STEPS = 400 };
    aclrtDrvMemHandle handles[PIECES];
    uint8_t held[PIECES] = {0}; /* 0: not written yet */
    int mapped[PLACES];         /* piece; -1 */
    unsigned seed = 12345;
    CHECK_OK(aclrtSetDevice(0));
    char *address = virtual_addresses(PLACES);
    for (int i = 0; i < PIECES; i++)
        handles[i] = virtual_memory(1);
    for (int i = 0; i < PLACES; i++)
        mapped[i] = -1;
    for (int step = 0; step < STEPS; step++) {
        seed = seed * 1103515245u + 12345u;
        const unsigned place = (seed >> 16) % PLACES;
        char *at = address + place * GRANULE;
        uint8_t host[32];
        if (mapped[place] < 0) {
            mapped[place] = (int)((seed >> 8) % PIECES);
            CHECK_OK(aclrtMapMem(at, GRANULE, 0, handles[mapped[place]], 0));
        } else if ((seed >> 24) % 3 == 0) {
            CHECK_OK(aclrtUnmapMem(at));
            mapped[place] = -1;
        } else if ((seed >> 24) % 3 == 1) {
            held[mapped[place]] = (uint8_t)(step % 255 + 1);
            virtual_fill(at + 4096, held[mapped[place]], 32);
        } else if (held[mapped[place]] != 0) {
            CHECK_OK(aclrtMemcpy(host, 32, at + 4096, 32, ACL_MEMCPY_DEVICE_TO_HOST));
            CHECK_BYTES(host, held[mapped[place]], 32);
        }
    }
    for (int i = 0; i < PLACES; i++)
        if (mapped[i] >= 0)
            CHECK_OK(aclrtUnmapMem(address + (size_t)i * GRANULE));
    for (int i = 0; i < PIECES; i++)
        CHECK_OK(aclrtFreePhysical(handles[i]));
    CHECK_OK(aclrtReleaseMemAddress(address));
    CHECK_OK(aclrtResetDevice(0));
}
