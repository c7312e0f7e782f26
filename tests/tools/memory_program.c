/* SPDX-License-Identifier: Apache-2.0 */
/* Has memory of each kind at one moment, and releases all but a part of it, which the reset of the
 * device ends. */
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "acl/acl_rt_memory_soma.h"

#define MIB ((size_t)1 << 20)

#define CHECK(call)                                                                                \
    do {                                                                                           \
        if ((call) != ACL_SUCCESS) {                                                               \
            (void)fprintf(stderr, "%s: %s\n", #call, aclGetRecentErrMsg());                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static aclrtMemPool pool_of_device(void)
{
    const aclrtMemPoolProps properties = {
        .allocType = ACL_MEM_ALLOCATION_TYPE_PINNED,
        .location = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE},
        .maxSize = 8 * MIB};
    aclrtMemPool pool = NULL;
    CHECK(aclrtMemPoolCreate(&pool, &properties));
    return pool;
}

int main(void)
{
    const aclrtPhysicalMemProp physical = {
        .handleType = ACL_MEM_HANDLE_TYPE_NONE,
        .allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
        .memAttr = ACL_HBM_MEM_HUGE,
        .location = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE}};
    void *small = NULL, *left = NULL, *host = NULL, *managed = NULL, *scratch = NULL;
    void *address = NULL, *for_device = NULL;
    aclrtDrvMemHandle handle = NULL;
    aclrtStream stream = NULL, other = NULL;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtCreateStream(&other));
    CHECK(aclrtMallocHost(&host, 3 * MIB));
    CHECK(aclrtMemAllocManaged(&managed, 4 * MIB, 1));
    void *own = aligned_alloc(4096, 8192);
    CHECK(aclrtHostRegister(own, 8192, ACL_HOST_REGISTER_MAPPED, &for_device));
    CHECK(aclrtMallocAlign32(&small, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMallocAlign32(&left, 6 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
    aclrtMemPool pool = pool_of_device();
    CHECK(aclrtMemPoolMallocAsync(&scratch, 2 * MIB, pool, other));
    CHECK(aclrtMallocPhysical(&handle, 10 * MIB, &physical, 0));
    CHECK(aclrtReserveMemAddress(&address, 64 * MIB, 0, NULL, 0));
    CHECK(aclrtMapMem(address, 10 * MIB, 0, handle, 0));

    CHECK(aclrtUnmapMem(address));
    CHECK(aclrtReleaseMemAddress(address));
    CHECK(aclrtFreePhysical(handle));
    CHECK(aclrtMemPoolFreeAsync(scratch, other));
    CHECK(aclrtFree(small));
    CHECK(aclrtHostUnregister(own));
    CHECK(aclrtFree(managed));
    CHECK(aclrtFreeHost(host));
    void *late = NULL; /* a moment after the largest one, before the reset */
    CHECK(aclrtMallocHost(&late, 4096));
    CHECK(aclrtFreeHost(late));
    CHECK(aclrtMemPoolDestroy(pool));
    CHECK(aclrtDestroyStream(other));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    free(own);
    return 0;
}
