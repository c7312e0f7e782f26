/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is shared with a second process. */
#include "partner.h"
#include "virtual_tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEY_BYTES  65
#define ANY_MEMORY ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION
#define ANY_HANDLE ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION
#define BYTES      ((size_t)1 << 16)

/* ---- the second process --------------------------------------------------------------------- */

static void child_begin(void)
{
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclrtSetDevice(0));
}

static void child_end(void)
{
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclFinalize());
}

/* Reads 1 from the start of the key's memory and writes 2 to the next bytes. */
static void use_memory(char *at)
{
    virtual_check(at, 1, BYTES / 2);
    virtual_fill(at + BYTES / 2, 2, BYTES / 2);
}

static void child_key(void)
{
    char key[TWIN_LINE];
    void *memory = NULL;
    void *again = NULL;
    child_begin();
    twin_partner_listen(key);
    CHECK_OK(aclrtIpcMemImportByKey(&memory, key, 0));
    use_memory(memory);
    CHECK_FAILS(aclrtFree(memory));
    CHECK_FAILS(aclrtUnmapMem(memory));
    CHECK_FAILS(aclrtReleaseMemAddress(memory));
    CHECK_OK(aclrtIpcMemImportByKey(&again, key, ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS));
    CHECK_OK(aclrtIpcMemClose(key));
    twin_partner_ask("used");
    virtual_check((char *)again + BYTES / 2, 3, BYTES / 2);
    CHECK_OK(aclrtIpcMemClose(key));
    CHECK_CODE(aclrtIpcMemClose(key), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_FAILS(aclrtMemset(again, 8, 0, 8));
    twin_partner_ask("closed");
    /* the exporter has closed it too */
    CHECK_CODE(aclrtIpcMemImportByKey(&again, key, 0), ACL_ERROR_RT_PARAM_INVALID);
    child_end();
}

/* Is not allowed to import, and then is. */
static void child_pids(void)
{
    char key[TWIN_LINE], text[TWIN_LINE];
    void *memory = NULL;
    aclrtDrvMemHandle handle = NULL;
    child_begin();
    twin_partner_listen(key);
    const bool by_handle = strncmp(key, "0x", 2) == 0;
    const uint64_t shared = by_handle ? strtoull(key, NULL, 16) : 0;
    if (by_handle)
        CHECK_FAILS(aclrtMemImportFromShareableHandle(shared, 0, &handle));
    else
        CHECK_FAILS(aclrtIpcMemImportByKey(&memory, key, 0));
    snprintf(text, sizeof(text), "%d", (int)getpid());
    twin_partner_ask(text);
    if (by_handle) {
        CHECK_OK(aclrtMemImportFromShareableHandle(shared, 0, &handle));
        CHECK_OK(aclrtFreePhysical(handle));
    } else {
        CHECK_OK(aclrtIpcMemImportByKey(&memory, key, 0));
        CHECK_OK(aclrtIpcMemClose(key));
    }
    twin_partner_say("imported");
    child_end();
}

static void child_handle(void)
{
    char line[TWIN_LINE];
    aclrtDrvMemHandle handle = NULL, again = NULL;
    child_begin();
    twin_partner_listen(line);
    uint64_t shared = strtoull(line, NULL, 16);
    CHECK_CODE(aclrtMemImportFromShareableHandle(shared, (int32_t)twin_device_count(), &handle),
               ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_OK(aclrtMemImportFromShareableHandle(shared, 0, &handle));
    CHECK_OK(
        aclrtMemImportFromShareableHandleV2(&shared, ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, 0, &again));
    CHECK(again == handle); /* one use more of it */
    CHECK_OK(aclrtFreePhysical(again));
    char *address = virtual_addresses(2);
    aclrtDrvMemHandle own = virtual_memory(1);
    CHECK_OK(aclrtMapMem(address, GRANULE, 0, handle, 0));
    CHECK_FAILS(aclrtMapMem(address + GRANULE, GRANULE, 0, own, 0)); /* VMM-14 */
    use_memory(address);
    twin_partner_ask("used");
    /* the exporter has freed it */
    virtual_check(address, 1, BYTES / 2);
    CHECK_OK(aclrtUnmapMem(address));
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_OK(aclrtFreePhysical(own));
    CHECK_OK(aclrtReleaseMemAddress(address));
    CHECK_FAILS(aclrtMemImportFromShareableHandle(shared, 0, &handle));
    child_end();
}

/* Imports and waits to be killed. */
static void child_killed(void)
{
    char key[TWIN_LINE];
    void *memory = NULL;
    child_begin();
    twin_partner_listen(key);
    CHECK_OK(aclrtIpcMemImportByKey(&memory, key, 0));
    use_memory(memory);
    twin_partner_ask("imported");
}

/* Exports and waits to be killed. */
static void child_exports(void)
{
    char key[KEY_BYTES] = "";
    void *memory = NULL;
    child_begin();
    CHECK_OK(aclrtMalloc(&memory, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    virtual_fill(memory, 1, BYTES);
    CHECK_OK(aclrtIpcMemGetExportKey(memory, BYTES, key, sizeof(key), ANY_MEMORY));
    twin_partner_ask(key);
}

/* The first reservation of the process takes an address that a later one would get. */
static void child_first_place(void)
{
    char *const wanted = (char *)((uintptr_t)25 << 40);
    void *first = NULL;
    child_begin();
    CHECK_OK(aclrtReserveMemAddress(&first, GRANULE, 0, wanted, 0));
    CHECK(first == wanted);
    char *second = virtual_addresses(1);
    char *third = virtual_addresses(1);
    CHECK(second == wanted + GRANULE && third == second + GRANULE);
    CHECK_OK(aclrtReleaseMemAddress(third));
    CHECK_OK(aclrtReleaseMemAddress(second));
    CHECK_OK(aclrtReleaseMemAddress(first));
    child_end();
}

void test_reserve_first(void)
{
#ifdef TWIN_SANITIZED
    TWIN_SKIP("the sanitizer has these addresses for itself");
#endif
    twin_run_child("first_place", NULL);
}

/* On a part that has handles for several servers. */
static void child_fabric(void)
{
    aclrtMemFabricHandle shared;
    int32_t pid = (int32_t)getpid();
    child_begin();
    aclrtDrvMemHandle handle = virtual_memory(1);
    memset(&shared, 0x55, sizeof(shared));
    CHECK_OK(
        aclrtMemExportToShareableHandleV2(handle, 0, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, &shared));
    CHECK(shared.data[127] == 0);
    CHECK_OK(aclrtMemSetPidToShareableHandleV2(&shared, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, &pid, 1));
    CHECK_OK(aclrtFreePhysical(handle));
    child_end();
}

const twin_child virtual_children[] = {
    {"key", child_key},
    {"pids", child_pids},
    {"handle", child_handle},
    {"killed", child_killed},
    {"exports", child_exports},
    {"fabric", child_fabric},
    {"first_place", child_first_place},
    {"hccs", virtual_child_hccs},
    {"sio", virtual_child_sio},
};
const size_t virtual_child_count = TWIN_COUNT(virtual_children);

/* ---- keys ----------------------------------------------------------------------------------- */

static void *shared_memory(void)
{
    void *memory = NULL;
    CHECK_OK(aclrtMalloc(&memory, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    virtual_fill(memory, 1, BYTES);
    return memory;
}

void test_key_arguments(void)
{
    char key[KEY_BYTES + 7] = "";
    char again[KEY_BYTES] = "";
    void *imported = NULL;
    int32_t pid = (int32_t)getpid();
    CHECK_OK(aclrtSetDevice(0));
    char *memory = shared_memory();
    CHECK_CODE(aclrtIpcMemGetExportKey(NULL, BYTES, key, 65, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtIpcMemGetExportKey(memory, BYTES, NULL, 65, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtIpcMemGetExportKey(memory, 0, key, 65, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtIpcMemGetExportKey(memory, BYTES, key, 0, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtIpcMemGetExportKey(memory, BYTES, key, 64, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtIpcMemGetExportKey(memory, BYTES, key, 65, 2), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_FAILS(aclrtIpcMemGetExportKey(memory + 64, 64, key, 65, 0)); /* between pages */
    CHECK_FAILS(aclrtIpcMemGetExportKey(memory, BYTES + 4096, key, 65, 0));
    CHECK_FAILS(aclrtIpcMemGetExportKey(key, 8, key, 65, 0));
    memset(key, 'x', sizeof(key));
    CHECK_OK(aclrtIpcMemGetExportKey(memory, BYTES, key, KEY_BYTES, 0));
    CHECK_EQUAL(strlen(key), KEY_BYTES - 1);
    CHECK_BYTES(key + KEY_BYTES, 'x', sizeof(key) - KEY_BYTES);
    CHECK_OK(aclrtIpcMemGetExportKey(memory, BYTES, again, KEY_BYTES, 0));
    CHECK(strcmp(key, again) == 0);
    CHECK_OK(aclrtIpcMemGetExportKey(memory + 4096, 4096, again, KEY_BYTES, 0));
    CHECK(strcmp(key, again) != 0);

    CHECK_CODE(aclrtIpcMemImportByKey(NULL, key, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtIpcMemImportByKey(&imported, NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtIpcMemImportByKey(&imported, key, 2), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_FAILS(aclrtIpcMemImportByKey(&imported, "made up", 0));
    CHECK_FAILS(aclrtIpcMemImportByKey(&imported, key, 0)); /* not in the list */
    CHECK(imported == NULL);
    CHECK_CODE(aclrtIpcMemSetImportPid(NULL, &pid, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtIpcMemSetImportPid(key, NULL, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtIpcMemSetImportPid(key, &pid, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_FAILS(aclrtIpcMemSetImportPid("made up", &pid, 1));
    CHECK_CODE(aclrtIpcMemClose(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_FAILS(aclrtIpcMemClose("made up"));
    CHECK_OK(aclrtIpcMemClose(again));
    CHECK_OK(aclrtIpcMemClose(key));
    CHECK_FAILS(aclrtIpcMemClose(key));
    virtual_check(memory, 1, BYTES);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtResetDevice(0));
}

void test_key_unsupported(void)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtIpcMemSetAttr("key", ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, 0),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    int32_t pid = 1;
    aclrtServerPid server = {.sdid = 0, .pid = &pid, .num = 1};
    CHECK_CODE(aclrtIpcMemImportPidInterServer("key", &server, 1),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtResetDevice(0));
}

void test_key_partner(void)
{
    twin_partner partner;
    char key[KEY_BYTES];
    CHECK_OK(aclrtSetDevice(0));
    char *memory = shared_memory();
    const size_t before = virtual_free_bytes();
    CHECK_OK(aclrtIpcMemGetExportKey(memory, BYTES, key, sizeof(key), ANY_MEMORY));
    twin_partner_start(&partner, "key");
    twin_partner_send(&partner, key);
    twin_partner_expect(&partner, "used");
    virtual_check(memory + BYTES / 2, 2, BYTES / 2);
    virtual_fill(memory + BYTES / 2, 3, BYTES / 2);
    twin_partner_send(&partner, "again");
    twin_partner_expect(&partner, "closed");
    CHECK_OK(aclrtIpcMemClose(key));
    CHECK_EQUAL(virtual_free_bytes(), before);
    twin_partner_send(&partner, "end");
    twin_partner_end(&partner);
    virtual_check(memory + BYTES / 2, 3, BYTES / 2);
    CHECK_OK(aclrtFree(memory));
    /* its place is as good as any other */
    void *other = NULL;
    CHECK_OK(aclrtMalloc(&other, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    virtual_fill(other, 9, BYTES);
    virtual_check(other, 9, BYTES);
    CHECK_OK(aclrtFree(other));
    CHECK_OK(aclrtResetDevice(0));
}

/* What allocators map piece by piece is shared like other memory. */
void test_key_mapped(void)
{
    twin_partner partner;
    char key[KEY_BYTES];
    CHECK_OK(aclrtSetDevice(0));
    char *address = virtual_addresses(2);
    aclrtDrvMemHandle handle = virtual_memory(2);
    CHECK_FAILS(aclrtIpcMemGetExportKey(address, GRANULE, key, sizeof(key), ANY_MEMORY));
    CHECK_OK(aclrtMapMem(address, 2 * GRANULE, 0, handle, 0));
    virtual_fill(address, 1, 2 * GRANULE);
    CHECK_FAILS(aclrtIpcMemGetExportKey(address + 4096, 4096, key, sizeof(key), ANY_MEMORY));
    CHECK_FAILS(aclrtIpcMemGetExportKey(address, 3 * GRANULE, key, sizeof(key), ANY_MEMORY));
    CHECK_OK(aclrtIpcMemGetExportKey(address + GRANULE, BYTES, key, sizeof(key), ANY_MEMORY));
    twin_partner_start(&partner, "key");
    twin_partner_send(&partner, key);
    twin_partner_expect(&partner, "used");
    virtual_check(address, 1, GRANULE);
    virtual_check(address + GRANULE + BYTES / 2, 2, BYTES / 2);
    virtual_fill(address + GRANULE + BYTES / 2, 3, BYTES / 2);
    twin_partner_send(&partner, "again");
    twin_partner_expect(&partner, "closed");
    CHECK_OK(aclrtIpcMemClose(key));
    twin_partner_send(&partner, "end");
    twin_partner_end(&partner);
    CHECK_OK(aclrtUnmapMem(address));
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_OK(aclrtReleaseMemAddress(address));
    CHECK_OK(aclrtResetDevice(0));
}

void test_key_pids(void)
{
    twin_partner partner;
    char key[KEY_BYTES], text[TWIN_LINE];
    int32_t pid = (int32_t)getpid();
    CHECK_OK(aclrtSetDevice(0));
    char *memory = shared_memory();
    CHECK_OK(aclrtIpcMemGetExportKey(memory, BYTES, key, sizeof(key), 0));
    CHECK_OK(aclrtIpcMemSetImportPid(key, &pid, 1));
    twin_partner_start(&partner, "pids");
    twin_partner_send(&partner, key);
    pid = (int32_t)partner.pid;
    snprintf(text, sizeof(text), "%d", (int)pid);
    twin_partner_expect(&partner, text);
    CHECK_OK(aclrtIpcMemSetImportPid(key, &pid, 1));
    twin_partner_send(&partner, "again");
    twin_partner_expect(&partner, "imported");
    twin_partner_end(&partner);
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtResetDevice(0));
}

/* Within one process the memory has two addresses. */
void test_key_own(void)
{
    char key[KEY_BYTES];
    void *imported = NULL;
    CHECK_OK(aclrtSetDevice(0));
    char *memory = shared_memory();
    CHECK_OK(aclrtIpcMemGetExportKey(memory, BYTES, key, sizeof(key), ANY_MEMORY));
    CHECK_OK(aclrtIpcMemImportByKey(&imported, key, 0));
    CHECK(imported != memory);
    virtual_fill(imported, 5, BYTES / 2);
    virtual_check(memory, 5, BYTES / 2);
    virtual_check(memory + BYTES / 2, 1, BYTES / 2);
    CHECK_OK(aclrtIpcMemClose(key)); /* the import */
    CHECK_OK(aclrtIpcMemClose(key));
    CHECK_FAILS(aclrtIpcMemClose(key));
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtResetDevice(0));
}

/* Memory of device 0 in a process that uses it on device 1. */
void test_key_other_device(void)
{
    char key[KEY_BYTES];
    char host[64] = "";
    void *imported = NULL, *near = NULL;
    if (twin_device_count() < 2)
        return;
    CHECK_OK(aclrtSetDevice(0));
    char *memory = shared_memory();
    CHECK_OK(aclrtIpcMemGetExportKey(memory, BYTES, key, sizeof(key), ANY_MEMORY));
    CHECK_OK(aclrtSetDevice(1));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtMalloc(&near, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtIpcMemImportByKey(&imported, key, 0));
    CHECK_FAILS(aclrtMemcpyAsync(near, 64, imported, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    CHECK_OK(aclrtIpcMemClose(key));
    CHECK_OK(aclrtIpcMemImportByKey(&imported, key, ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS));
    CHECK_OK(aclrtMemcpyAsync(near, 64, imported, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    virtual_check(near, 1, 64);
    CHECK_FAILS(aclrtMemcpyAsync(near, 64, imported, 64, ACL_MEMCPY_DEFAULT, stream));
    CHECK_FAILS(aclrtMemcpyAsync(host, 64, imported, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK_FAILS(aclrtMemcpy(host, 64, imported, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_FAILS(aclrtMemcpy(imported, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_FAILS(aclrtMemcpy(near, 64, imported, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
    CHECK_OK(aclrtIpcMemClose(key));
    CHECK_OK(aclrtFree(near));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(1));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclrtResetDevice(0));
}

void test_importer_killed(void)
{
    twin_partner partner;
    char key[KEY_BYTES];
    CHECK_OK(aclrtSetDevice(0));
    char *memory = shared_memory();
    CHECK_OK(aclrtIpcMemGetExportKey(memory, BYTES, key, sizeof(key), ANY_MEMORY));
    twin_partner_start(&partner, "killed");
    twin_partner_send(&partner, key);
    twin_partner_expect(&partner, "imported");
    twin_partner_kill(&partner);
    virtual_check(memory + BYTES / 2, 2, BYTES / 2);
    CHECK_OK(aclrtIpcMemClose(key));
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtResetDevice(0));
}

/* What was imported stays; nothing more can be. */
void test_exporter_killed(void)
{
    twin_partner partner;
    char key[TWIN_LINE];
    void *memory = NULL;
    CHECK_OK(aclrtSetDevice(0));
    twin_partner_start(&partner, "exports");
    twin_partner_take(&partner, key);
    CHECK_OK(aclrtIpcMemImportByKey(&memory, key, 0));
    twin_partner_kill(&partner);
    virtual_check(memory, 1, BYTES);
    virtual_fill(memory, 4, BYTES);
    virtual_check(memory, 4, BYTES);
    CHECK_OK(aclrtIpcMemClose(key));
    CHECK_CODE(aclrtIpcMemImportByKey(&memory, key, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- shareable handles ---------------------------------------------------------------------- */

void test_handle_arguments(void)
{
    const aclrtMemHandleType none = ACL_MEM_HANDLE_TYPE_NONE;
    const aclrtMemSharedHandleType type = ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT;
    uint64_t shared = 0, again = 0;
    aclrtDrvMemHandle imported = NULL;
    int32_t pid = (int32_t)getpid();
    CHECK_OK(aclrtSetDevice(0));
    aclrtDrvMemHandle handle = virtual_memory(1);
    CHECK_CODE(aclrtMemExportToShareableHandle(NULL, none, 0, &shared), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemExportToShareableHandle(handle, none, 0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_POSIX, 0, &shared),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemExportToShareableHandle(handle, none, 2, &shared),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemExportToShareableHandleV2(NULL, 0, type, &shared), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemExportToShareableHandleV2(handle, 0, type, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemExportToShareableHandleV2(handle, 0, (aclrtMemSharedHandleType)0, &shared),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemExportToShareableHandleV2(handle, 2, type, &shared),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtMemExportToShareableHandle(handle, none, 0, &shared));
    CHECK_FAILS(aclrtMemExportToShareableHandle(handle, none, 0, &again));
    CHECK_FAILS(aclrtMemExportToShareableHandleV2(handle, 0, type, &again));

    CHECK_CODE(aclrtMemSetPidToShareableHandle(shared, NULL, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemSetPidToShareableHandle(shared, &pid, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemSetPidToShareableHandleV2(&shared, type, NULL, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemSetPidToShareableHandleV2(&shared, type, &pid, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemSetPidToShareableHandleV2(&shared, (aclrtMemSharedHandleType)3, &pid, 1),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtMemSetPidToShareableHandle(shared, &pid, 1));

    CHECK_CODE(aclrtMemImportFromShareableHandle(shared, 0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_FAILS(aclrtMemImportFromShareableHandle(shared, 0, &imported)); /* its own */
    CHECK_CODE(aclrtMemImportFromShareableHandleV2(NULL, type, 0, &imported),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemImportFromShareableHandleV2(&shared, type, 0, NULL),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemImportFromShareableHandleV2(&shared, type, 1, &imported),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(
        aclrtMemImportFromShareableHandleV2(&shared, (aclrtMemSharedHandleType)7, 0, &imported),
        ACL_ERROR_RT_PARAM_INVALID);
    CHECK(imported == NULL);
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_CODE(aclrtMemImportFromShareableHandleV2(&shared, type, 0, &imported),
               ACL_ERROR_RT_CONTEXT_NULL);
}

void test_handle_partner(void)
{
    twin_partner partner;
    char line[TWIN_LINE];
    uint64_t shared = 0;
    CHECK_OK(aclrtSetDevice(0));
    char *address = virtual_addresses(1);
    aclrtDrvMemHandle handle = virtual_memory(1);
    CHECK_OK(aclrtMapMem(address, GRANULE, 0, handle, 0));
    virtual_fill(address, 1, BYTES);
    CHECK_OK(aclrtMemExportToShareableHandleV2(handle, ANY_HANDLE,
                                               ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, &shared));
    virtual_check(address, 1, BYTES);
    twin_partner_start(&partner, "handle");
    snprintf(line, sizeof(line), "0x%llx", (unsigned long long)shared);
    twin_partner_send(&partner, line);
    twin_partner_expect(&partner, "used");
    virtual_check(address + BYTES / 2, 2, BYTES / 2);
    CHECK_OK(aclrtUnmapMem(address));
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_OK(aclrtReleaseMemAddress(address));
    twin_partner_send(&partner, "freed");
    twin_partner_end(&partner);
    CHECK_OK(aclrtResetDevice(0));
}

void test_handle_fabric(void)
{
    twin_run_child("fabric", (const char *const[]){"TWINRT_PROFILE=910_9391", NULL});
}

void test_handle_pids(void)
{
    twin_partner partner;
    char line[TWIN_LINE], text[TWIN_LINE];
    uint64_t shared = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtDrvMemHandle handle = virtual_memory(1);
    CHECK_OK(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &shared));
    twin_partner_start(&partner, "pids");
    snprintf(line, sizeof(line), "0x%llx", (unsigned long long)shared);
    twin_partner_send(&partner, line);
    int32_t pid = (int32_t)partner.pid;
    snprintf(text, sizeof(text), "%d", (int)pid);
    twin_partner_expect(&partner, text);
    CHECK_OK(aclrtMemSetPidToShareableHandle(shared, &pid, 1));
    twin_partner_send(&partner, "again");
    twin_partner_expect(&partner, "imported");
    twin_partner_end(&partner);
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_OK(aclrtResetDevice(0));
}
