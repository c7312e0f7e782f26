/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pipe2 */
#endif
#include "memory_scenario.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "acl/acl_rt_memory_soma.h"

/* Old functions must hold out as well. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define GRANULE       ((size_t)2 << 20)
#define BYTES         4096u
#define HOST_PAGE     4096u
#define KEY_BYTES     65
#define SHARED_HANDLE "MEMORY_SCENARIO_HANDLE"

static const memory_sweep *sweep;
static aclrtStream stream;

#define WENT(call) sweep->went((call), #call)
/* A release that fails is made again. */
#define RELEASE(call)                                                                              \
    do {                                                                                           \
        if (!WENT(call) && (call) != ACL_SUCCESS)                                                  \
            sweep->wrong(#call " fails twice");                                                    \
    } while (0)

static void check_bytes(const void *at, uint8_t value, const char *what)
{
    static uint8_t host[64];
    memset(host, (uint8_t)~value, sizeof(host));
    if (!WENT(aclrtMemcpy(host, sizeof(host), at, sizeof(host), ACL_MEMCPY_DEFAULT)))
        return;
    for (size_t i = 0; i < sizeof(host); i++)
        if (host[i] != value) {
            sweep->wrong(what);
            return;
        }
}

static const aclrtPhysicalMemProp device_memory = {
    .handleType = ACL_MEM_HANDLE_TYPE_NONE,
    .allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
    .memAttr = ACL_HBM_MEM_HUGE,
    .location = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE}};

/* ---- mappings -------------------------------------------------------------------------------- */

static bool map_and_use(aclrtDrvMemHandle memory, char *address)
{
    aclrtMemAccessDesc access = {.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE,
                                 .location = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE}};
    aclrtPhysicalMemProp found;
    aclrtPtrAttributes place;
    aclrtDrvMemHandle again = NULL;
    void *base = NULL;
    size_t bytes = 0;
    uint64_t flags = 0;
    const bool good = WENT(aclrtMemSetAccess(address, GRANULE, &access, 1)) &&
                      WENT(aclrtMemGetAccess(address, &access.location, &flags)) &&
                      WENT(aclrtMemGetAllocationPropertiesFromHandle(memory, &found)) &&
                      WENT(aclrtMemRetainAllocationHandle(address, &again)) &&
                      WENT(aclrtPointerGetAttributes(address, &place)) &&
                      WENT(aclrtMemGetAddressRange(address + 64, &base, &bytes)) &&
                      WENT(aclrtMemset(address, BYTES, 3, BYTES)) &&
                      WENT(aclrtMemsetAsync(address + BYTES, BYTES, 4, BYTES, stream)) &&
                      WENT(aclrtSynchronizeStream(stream));
    if (good) {
        check_bytes(address, 3, "a mapping has other bytes");
        check_bytes(address + BYTES, 4, "a mapping has other bytes");
    } else {
        sweep->releases();
    }
    if (again)
        RELEASE(aclrtFreePhysical(again));
    return good;
}

static void end_mapping(aclrtDrvMemHandle memory, void *address, bool mapped)
{
    if (mapped)
        RELEASE(aclrtUnmapMem(address));
    if (memory)
        RELEASE(aclrtFreePhysical(memory));
    if (address)
        RELEASE(aclrtReleaseMemAddress(address));
}

static void use_mappings(void)
{
    aclrtPhysicalMemProp prop = device_memory;
    aclrtDrvMemHandle memory = NULL;
    void *address = NULL;
    size_t granule = 0;
    uint64_t shared = 0;
    int32_t pid = (int32_t)getpid();
    bool mapped = false;
    bool second = false;
    const bool good =
        WENT(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM,
                                              &granule)) &&
        WENT(aclrtReserveMemAddress(&address, 4 * GRANULE, 0, NULL, 0)) &&
        WENT(aclrtMallocPhysical(&memory, GRANULE, &prop, 0)) &&
        (mapped = WENT(aclrtMapMem(address, GRANULE, 0, memory, 0))) &&
        (second =
             WENT(aclrtMemMapNoAccess((char *)address + 2 * GRANULE, GRANULE, 0, memory, 0))) &&
        map_and_use(memory, address) &&
        WENT(aclrtMemExportToShareableHandle(memory, ACL_MEM_HANDLE_TYPE_NONE, 0, &shared)) &&
        WENT(aclrtMemSetPidToShareableHandle(shared, &pid, 1));
    if (!good)
        sweep->releases();
    if (second)
        RELEASE(aclrtUnmapMem((char *)address + 2 * GRANULE));
    end_mapping(memory, address, mapped);
}

static void use_import(void)
{
    const uint64_t shared = strtoull(getenv(SHARED_HANDLE), NULL, 10);
    aclrtDrvMemHandle memory = NULL;
    void *address = NULL;
    bool mapped = false;
    const bool good = WENT(aclrtReserveMemAddress(&address, GRANULE, 0, NULL, 0)) &&
                      WENT(aclrtMemImportFromShareableHandle(shared, 0, &memory)) &&
                      (mapped = WENT(aclrtMapMem(address, GRANULE, 0, memory, 0))) &&
                      map_and_use(memory, address);
    if (!good)
        sweep->releases();
    end_mapping(memory, address, mapped);
}

/* ---- memory of the program ------------------------------------------------------------------- */

static void use_registered(void)
{
    aclrtHostMemMapCapability capability;
    void *memory = NULL;
    void *mapped = NULL;
    void *pointer = NULL;
    char *pinned = NULL;
    bool is_pinned = false;
    if (posix_memalign(&memory, HOST_PAGE, 4 * HOST_PAGE) != 0) {
        sweep->wrong("no memory for the test");
        return;
    }
    memset(memory, 7, 4 * HOST_PAGE);
    pinned = (char *)memory + 2 * HOST_PAGE;
    const bool good =
        WENT(aclrtHostMemMapCapabilities(0, ACL_RT_HAC_TYPE_STARS, &capability)) &&
        WENT(aclrtHostRegister(memory, HOST_PAGE, ACL_HOST_REGISTER_MAPPED, &mapped)) &&
        WENT(aclrtHostGetDevicePointer(memory, &pointer, 0)) &&
        (is_pinned = WENT(aclrtHostRegisterV2(pinned, HOST_PAGE, ACL_HOST_REG_PINNED))) &&
        WENT(aclrtMemsetAsync(memory, HOST_PAGE, 8, HOST_PAGE, stream)) &&
        WENT(aclrtSynchronizeStream(stream));
    if (good && *(char *)memory != 8)
        sweep->wrong("a fill of registered memory is not in it");
    if (!good)
        sweep->releases();
    if (is_pinned)
        RELEASE(aclrtHostUnregister(pinned));
    if (mapped)
        RELEASE(aclrtHostUnregister(memory));
    free(memory);
}

/* ---- managed memory -------------------------------------------------------------------------- */

static void use_managed(void)
{
    aclrtMemManagedLocation device = {ACL_MEM_LOCATIONTYPE_DEVICE, 0};
    aclrtMemManagedLocation host = {ACL_MEM_LOCATIONTYPE_HOST, 0};
    void *memory = NULL;
    size_t bytes = GRANULE;
    size_t first = 0;
    int32_t value = 0;
    bool good = WENT(aclrtMemAllocManaged(&memory, GRANULE, ACL_RT_MEM_ATTACH_GLOBAL));
    if (good) {
        good = WENT(aclrtMemManagedAdvise(memory, GRANULE, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION,
                                          device)) &&
               WENT(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, memory,
                                           GRANULE, &value, sizeof(value))) &&
               WENT(aclrtMemManagedPrefetchAsync(memory, GRANULE, device, 0, stream)) &&
               WENT(aclrtMemManagedPrefetchBatchAsync((const void **)&memory, &bytes, 1, &host,
                                                      &first, 1, 0, stream)) &&
               WENT(aclrtMemsetAsync(memory, BYTES, 2, BYTES, stream)) &&
               WENT(aclrtSynchronizeStream(stream));
    }
    if (!good)
        sweep->releases();
    RELEASE(aclrtSynchronizeStream(stream)); /* a prefetch may be under way */
    if (good && *(char *)memory != 2)
        sweep->wrong("a fill of managed memory is not in it");
    if (memory)
        RELEASE(aclrtFree(memory));
}

/* ---- pools ----------------------------------------------------------------------------------- */

static void use_pool(void)
{
    aclrtMemPoolProps props = {.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED,
                               .location = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE},
                               .maxSize = 8 * GRANULE};
    aclrtMemPool pool = NULL;
    void *first = NULL;
    void *second = NULL;
    uint64_t value = 4 * GRANULE;
    bool good = WENT(aclrtMemPoolCreate(&pool, &props)) &&
                WENT(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value)) &&
                WENT(aclrtMemPoolMallocAsync(&first, GRANULE, pool, stream)) &&
                WENT(aclrtMemPoolMallocAsync(&second, GRANULE, pool, stream)) &&
                WENT(aclrtMemsetAsync(first, BYTES, 5, BYTES, stream)) &&
                WENT(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &value)) &&
                WENT(aclrtSynchronizeStream(stream));
    if (good)
        check_bytes(first, 5, "memory of a pool has other bytes");
    else
        sweep->releases();
    if (first)
        RELEASE(aclrtMemPoolFreeAsync(first, stream));
    if (second)
        RELEASE(aclrtMemPoolFreeAsync(second, stream));
    RELEASE(aclrtSynchronizeStream(stream));
    if (!pool)
        return;
    RELEASE(aclrtMemPoolTrimTo(pool, 0));
    RELEASE(aclrtMemPoolDestroy(pool));
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void use_key(void)
{
    char key[KEY_BYTES] = "";
    int32_t pid = (int32_t)getpid();
    void *memory = NULL;
    void *imported = NULL;
    bool exported = false;
    bool good = WENT(aclrtMalloc(&memory, GRANULE, ACL_MEM_MALLOC_HUGE_ONLY)) &&
                WENT(aclrtMemset(memory, BYTES, 6, BYTES)) &&
                (exported = WENT(aclrtIpcMemGetExportKey(memory, GRANULE, key, sizeof(key), 0))) &&
                WENT(aclrtIpcMemSetImportPid(key, &pid, 1)) &&
                WENT(aclrtIpcMemImportByKey(&imported, key, 0));
    if (good)
        check_bytes(imported, 6, "imported memory has other bytes");
    else
        sweep->releases();
    if (imported)
        RELEASE(aclrtIpcMemClose(key));
    if (exported)
        RELEASE(aclrtIpcMemClose(key));
    if (memory)
        RELEASE(aclrtFree(memory));
}

/* ---- copies, fills, caches, random numbers --------------------------------------------------- */

static bool copy_blocks(char *memory, char *host)
{
    void *dsts[2] = {memory, memory + 512};
    void *srcs[2] = {host, host + 512};
    size_t sizes[2] = {64, 64};
    size_t failed = 0;
    size_t index = 0;
    aclrtMemcpyBatchAttr attr = {.dstLoc = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE},
                                 .srcLoc = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_HOST}};
    return WENT(aclrtMemsetD32(memory, BYTES, 0x01010101, BYTES / 4)) &&
           WENT(aclrtMemsetD32Async(memory, BYTES, 0x02020202, BYTES / 4, stream)) &&
           WENT(aclrtMemcpy2d(memory, 64, host, 64, 32, 4, ACL_MEMCPY_HOST_TO_DEVICE)) &&
           WENT(aclrtMemcpy2dAsync(memory, 64, host, 64, 32, 4, ACL_MEMCPY_HOST_TO_DEVICE,
                                   stream)) &&
           WENT(aclrtMemcpyBatch(dsts, sizes, srcs, sizes, 2, &attr, &index, 1, &failed)) &&
           WENT(aclrtMemcpyBatchAsync(dsts, sizes, srcs, sizes, 2, &attr, &index, 1, &failed,
                                      stream)) &&
           WENT(aclrtMemcpyAsyncWithCondition(memory, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE,
                                              stream)) &&
           WENT(aclrtReduceAsync(memory, memory + 1024, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
                                 ACL_INT32, stream, NULL)) &&
           WENT(aclrtValueWrite(memory, 7, 0, stream)) &&
           WENT(aclrtValueWait(memory, 7, 1, stream)) && WENT(aclrtSynchronizeStream(stream));
}

/* Copies whose addresses are in device memory: at `memory`, from its second half to its third
 * quarter. */
static bool copy_indirectly(char *memory, char *host)
{
    void *const bases[2] = {memory + 2048, memory + 3072};
    void **const table = (void **)(void *)memory;
    size_t bytes = 0;
    memcpy(host, bases, sizeof(bases));
    return WENT(aclrtMemset(memory + 3072, 1024, 9, 1024)) &&
           WENT(aclrtMemcpy(memory, sizeof(bases), host, sizeof(bases),
                            ACL_MEMCPY_HOST_TO_DEVICE)) &&
           WENT(aclrtMemcpyAsyncWithOffset(table, 64, 0, (const void **)&table[1], 64, 0,
                                           ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream)) &&
           WENT(aclrtGetMemcpyDescSize(ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, &bytes)) &&
           WENT(aclrtSetMemcpyDesc(memory + 128, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, memory + 3072,
                                   memory + 2560, 64, NULL)) &&
           WENT(
               aclrtMemcpyAsyncWithDesc(memory + 128, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream)) &&
           WENT(aclrtSynchronizeStream(stream));
}

static bool maintain_caches(char *memory)
{
    size_t bytes = 0;
    return WENT(aclrtMemFlush(memory, 64)) && WENT(aclrtMemInvalidate(memory, 64)) &&
           WENT(aclrtCmoAsync(memory, 64, ACL_RT_CMO_TYPE_PREFETCH, stream)) &&
           WENT(aclrtCmoGetDescSize(&bytes)) && WENT(aclrtCmoSetDesc(memory + 256, memory, 64)) &&
           WENT(aclrtCmoAsyncWithDesc(memory + 256, ACL_RT_CMO_TYPE_PREFETCH, stream, NULL)) &&
           WENT(aclrtSynchronizeStream(stream));
}

static aclrtRandomParaInfo number(uint64_t value, uint8_t size)
{
    aclrtRandomParaInfo info = {.size = size};
    memcpy(info.valueOrAddr, &value, size);
    return info;
}

static bool draw_numbers(char *memory)
{
    aclrtRandomNumTaskInfo task = {.dataType = ACL_UINT32,
                                   .randomResultAddr = memory + 1024,
                                   .randomCounterAddr = memory,
                                   .randomSeed = number(5, 8),
                                   .randomNum = number(16, 8)};
    task.randomNumFuncParaInfo.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS;
    task.randomNumFuncParaInfo.paramInfo.uniformDisInfo.min = number(0, 4);
    task.randomNumFuncParaInfo.paramInfo.uniformDisInfo.max = number(10, 4);
    return WENT(aclrtMemset(memory, BYTES, 0, BYTES)) &&
           WENT(aclrtRandomNumAsync(&task, stream, NULL)) && WENT(aclrtSynchronizeStream(stream));
}

static void use_copies(void)
{
    void *memory = NULL;
    void *host = NULL;
    const bool good = WENT(aclrtMalloc(&memory, BYTES, ACL_MEM_MALLOC_HUGE_FIRST)) &&
                      WENT(aclrtMallocHost(&host, BYTES)) && copy_blocks(memory, host) &&
                      copy_indirectly(memory, host);
    if (good) {
        check_bytes((char *)memory + 2048, 9, "a copy between bases is not there");
        check_bytes((char *)memory + 2560, 9, "a described copy is not there");
    }
    if (!good || !maintain_caches(memory) || !draw_numbers(memory))
        sweep->releases();
    if (host)
        RELEASE(aclrtFreeHost(host));
    if (memory)
        RELEASE(aclrtFree(memory));
}

/* ---- other allocations ----------------------------------------------------------------------- */

static void use_attributes(void)
{
    aclrtMallocAttribute attribute = {.attr = ACL_RT_MEM_ATTR_MODULE_ID, .value.moduleId = 3};
    aclrtMallocConfig config = {.attrs = &attribute, .numAttrs = 1};
    aclrtMemUsageInfo usage[4];
    void *plain = NULL;
    void *tasks = NULL;
    void *host = NULL;
    size_t count = 0;
    uint32_t fits = 0;
    const bool good =
        WENT(aclrtMallocWithCfg(&plain, BYTES, ACL_MEM_MALLOC_NORMAL_ONLY, &config)) &&
        WENT(aclrtMallocForTaskScheduler(&tasks, BYTES, ACL_MEM_MALLOC_HUGE_FIRST, NULL)) &&
        WENT(aclrtMallocHostWithCfg(&host, BYTES, &config)) &&
        WENT(aclrtGetMemUsageInfo(0, usage, 4, &count)) &&
        WENT(aclrtCheckMemType(&plain, 1, ACL_RT_MEM_TYPE_DEV, &fits, 0)) &&
        WENT(aclrtMemP2PMap(plain, BYTES, 0, 0));
    if (!good)
        sweep->releases();
    if (host)
        RELEASE(aclrtFreeHostWithDevSync(host));
    if (tasks)
        RELEASE(aclrtFreeWithDevSync(tasks));
    if (plain)
        RELEASE(aclrtFree(plain));
}

static void *allocate_block(aclrtAllocator allocator, size_t bytes)
{
    (void)bytes;
    return allocator;
}

static void free_block(aclrtAllocator allocator, aclrtAllocatorBlock block)
{
    (void)allocator;
    (void)block;
}

static void *address_of(aclrtAllocatorBlock block)
{
    return block;
}

static void use_allocator(void)
{
    static int object;
    aclrtAllocator found = NULL;
    aclrtAllocatorDesc first = NULL;
    aclrtAllocatorDesc desc = aclrtAllocatorCreateDesc();
    if (!WENT(desc ? ACL_SUCCESS : ACL_ERROR_RT_MEMORY_ALLOCATION))
        return;
    const bool good =
        WENT(aclrtAllocatorSetObjToDesc(desc, &object)) &&
        WENT(aclrtAllocatorSetAllocFuncToDesc(desc, allocate_block)) &&
        WENT(aclrtAllocatorSetFreeFuncToDesc(desc, free_block)) &&
        WENT(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, address_of)) &&
        WENT(aclrtAllocatorRegister(stream, desc)) &&
        WENT(aclrtAllocatorGetByStream(stream, &first, &found, NULL, NULL, NULL, NULL));
    if (good && found != &object)
        sweep->wrong("a stream has another allocator");
    if (!good)
        sweep->releases();
    RELEASE(aclrtAllocatorUnregister(stream));
    RELEASE(aclrtAllocatorDestroyDesc(desc));
}

/* ---- snapshots ------------------------------------------------------------------------------- */

static void use_snapshot(void)
{
    const int pid = (int)getpid();
    void *memory = NULL;
    bool locked = false;
    const bool good = WENT(aclrtMalloc(&memory, BYTES, ACL_MEM_MALLOC_HUGE_FIRST)) &&
                      WENT(aclrtMemset(memory, BYTES, 4, BYTES)) &&
                      (locked = WENT(aclrtSnapShotProcessLock(pid, NULL))) &&
                      WENT(aclrtSnapShotProcessBackup(pid, NULL)) &&
                      WENT(aclrtMemset(memory, BYTES, 5, BYTES)) &&
                      WENT(aclrtSnapShotProcessRestore(pid, NULL));
    if (!good)
        sweep->releases();
    if (locked)
        RELEASE(aclrtSnapShotProcessUnlock(pid, NULL));
    if (good)
        check_bytes(memory, 4, "a restore brings other bytes");
    if (memory)
        RELEASE(aclrtFree(memory));
}

/* ---- all of it ------------------------------------------------------------------------------- */

void memory_scenario(const memory_sweep *by)
{
    static void (*const groups[])(void) = {
        use_mappings, use_import, use_registered, use_managed,   use_pool,
        use_key,      use_copies, use_attributes, use_allocator, use_snapshot};
    size_t before = 0;
    size_t after = 0;
    size_t total = 0;
    sweep = by;
    stream = NULL;
    if (!WENT(aclrtCreateStream(&stream))) {
        sweep->releases();
        return;
    }
    /* What the stream needs at its first task is there before memory is counted. */
    RELEASE(aclrtSynchronizeStream(stream));
    const bool counted = WENT(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
        groups[i]();
    if (counted && WENT(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total)) && after != before)
        sweep->wrong("free memory is not what it was");
    RELEASE(aclrtDestroyStream(stream));
}

/* ---- the other process ----------------------------------------------------------------------- */

static pid_t exporter;
static int exporter_input = -1;

void memory_exporter_start(const char *self)
{
    int input[2];
    int output[2];
    char text[32] = "";
    if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0)
        exit(2);
    exporter = fork();
    if (exporter == 0) {
        (void)dup2(input[0], STDIN_FILENO);
        (void)dup2(output[1], STDOUT_FILENO);
        execl(self, self, "--export", (char *)NULL);
        _exit(127);
    }
    close(input[0]);
    close(output[1]);
    exporter_input = input[1];
    if (read(output[0], text, sizeof(text) - 1) <= 0) {
        fputs("the process that exports memory has failed\n", stderr);
        exit(2);
    }
    close(output[0]);
    (void)setenv(SHARED_HANDLE, text, 1);
}

void memory_exporter_stop(void)
{
    close(exporter_input);
    (void)waitpid(exporter, NULL, 0);
}

int memory_exporter(void)
{
    aclrtDrvMemHandle memory = NULL;
    uint64_t shared = 0;
    char byte;
    if (aclInit(NULL) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS ||
        aclrtMallocPhysical(&memory, GRANULE, &device_memory, 0) != ACL_SUCCESS ||
        aclrtMemExportToShareableHandle(memory, ACL_MEM_HANDLE_TYPE_NONE,
                                        ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION,
                                        &shared) != ACL_SUCCESS)
        return 1;
    printf("%llu", (unsigned long long)shared);
    fflush(stdout);
    (void)!read(STDIN_FILENO, &byte, 1); /* until the other process ends it */
    return aclrtFreePhysical(memory) != ACL_SUCCESS || aclFinalize() != ACL_SUCCESS;
}
