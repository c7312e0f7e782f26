/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that several processes use: physical memory by shareable handle, parts of allocations by
 * key. */
#include <string.h>

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "api/rt_names.h"
#include "core/object/context.h"
#include "core/object/physical.h"
#include "core/work/shared_memory.h"

#define KEY_BYTES (TWIN_SHARE_NAME + 1) /* with its end */

/* Physical memory ------------------------------------------------------------------------------ */

/* Handles of the second form. Those for several servers are valid within the one there is. */
static int32_t check_type(aclrtMemSharedHandleType type)
{
    const uint32_t present = atomic_load_explicit(&twin_parts_present, memory_order_relaxed);
    if (type == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC) {
        if ((present & (TWIN_PART_A3 | TWIN_PART_950)) != 0)
            return 0;
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "shareType is ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, which Atlas A3 and 950 "
                         "have; use ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT (1)");
    }
    if (type != ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT)
        return twin_fail(TWIN_ERR_PARAM,
                         "shareType is %d; it must be 1 (within the server) or 2 (between servers)",
                         (int)type);
    return 0;
}

static int32_t export_handle(aclrtDrvMemHandle handle, uint64_t flags, uint64_t *out)
{
    if (flags > ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION)
        return twin_fail(TWIN_ERR_PARAM,
                         "flags is %#llx; it must be 0, or 1 (any process may import)",
                         (unsigned long long)flags);
    return twin_physical_share(twin_api_handle(handle), flags == ACL_RT_VMM_EXPORT_FLAG_DEFAULT,
                               out);
}

aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType,
                                         uint64_t flags, uint64_t *shareableHandle)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(handle);
    if (handleType != ACL_MEM_HANDLE_TYPE_NONE)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_ARG_VALUE, "handleType is %d; it must be 0", (int)handleType));
    TWIN_NOT_NULL(shareableHandle);
    return TWIN_LEAVE(export_handle(handle, flags, shareableHandle));
}

aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle, uint64_t flags,
                                           aclrtMemSharedHandleType shareType,
                                           void *shareableHandle)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(handle, shareableHandle);
    uint64_t shared = 0;
    int32_t code = check_type(shareType);
    if (code == 0)
        code = export_handle(handle, flags, &shared);
    if (code == 0 && shareType == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC)
        memset(shareableHandle, 0, sizeof(aclrtMemFabricHandle));
    if (code == 0)
        memcpy(shareableHandle, &shared, sizeof(shared));
    return TWIN_LEAVE(code);
}

static int32_t allow(uint64_t shared, const int32_t *pids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pids[i] <= 0)
            return twin_fail(TWIN_ERR_PARAM, "pid[%zu] is %d, which no process has", i, pids[i]);
    return twin_physical_allow(shared, pids, count);
}

aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid, size_t pidNum)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(pid);
    if (pidNum == 0)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_ARG_VALUE, "pidNum is 0; it must be the number of pids"));
    return TWIN_LEAVE(allow(shareableHandle, pid, pidNum));
}

aclError aclrtMemSetPidToShareableHandleV2(void *shareableHandle,
                                           aclrtMemSharedHandleType shareType, int32_t *pid,
                                           size_t pidNum)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(shareableHandle, pid);
    if (pidNum == 0)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_ARG_VALUE, "pidNum is 0; it must be the number of pids"));
    uint64_t shared = 0;
    int32_t code = check_type(shareType);
    if (code == 0) {
        memcpy(&shared, shareableHandle, sizeof(shared));
        code = allow(shared, pid, pidNum);
    }
    return TWIN_LEAVE(code);
}

/* As a program sees memory that another process made. */
static int32_t attribute_of_import(twin_page_policy pages)
{
    return (int32_t)(pages == TWIN_PAGES_HUGE_1G       ? ACL_HBM_MEM_HUGE1G
                     : pages == TWIN_PAGES_NORMAL_ONLY ? ACL_HBM_MEM_NORMAL
                                                       : ACL_HBM_MEM_HUGE);
}

aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,
                                           aclrtDrvMemHandle *handle)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(handle);
    uint64_t made = 0;
    int32_t code = twin_physical_open(deviceId, shareableHandle, attribute_of_import, &made);
    return TWIN_LEAVE(twin_api_give(code, &made, handle));
}

aclError aclrtMemImportFromShareableHandleV2(void *shareableHandle,
                                             aclrtMemSharedHandleType shareType, uint64_t flags,
                                             aclrtDrvMemHandle *handle)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(shareableHandle, handle);
    if (flags != 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE, "flags is %#llx; it must be 0",
                                    (unsigned long long)flags));
    TWIN_PINNED(context, context);
    uint64_t shared = 0, made = 0;
    int32_t code = twin_context_pin_current(&context);
    if (code == 0)
        code = check_type(shareType);
    if (code == 0) {
        memcpy(&shared, shareableHandle, sizeof(shared));
        code = twin_physical_open((int32_t)context->device->id, shared, attribute_of_import, &made);
    }
    return TWIN_LEAVE(twin_api_give(code, &made, handle));
}

/* Keys ----------------------------------------------------------------------------------------- */

static int32_t export_key(const void *pointer, uint64_t bytes, char *key, uint64_t room,
                          bool check_pid)
{
    if (bytes == 0)
        return twin_fail(TWIN_ERR_PARAM, "size is 0; share one byte at least");
    if (room < KEY_BYTES)
        return twin_fail(TWIN_ERR_PARAM, "len is %llu; a key needs %u bytes",
                         (unsigned long long)room, (unsigned)KEY_BYTES);
    char name[TWIN_SHARE_NAME];
    int32_t code = twin_shared_export(pointer, bytes, check_pid, name);
    if (code == 0) {
        memcpy(key, name, sizeof(name));
        key[sizeof(name)] = '\0';
    }
    return code;
}

aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size, char *key, size_t len, uint64_t flags)
{
    TWIN_ENTER_BY_PART(CREATE, aclrtIpcMemGetExportKey);
    TWIN_NOT_NULL(devPtr, key);
    if (flags > ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM,
                                    "flags is %#llx; it must be 0, or 1 (any process may import)",
                                    (unsigned long long)flags));
    return TWIN_LEAVE(
        export_key(devPtr, size, key, len, flags == ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT));
}

aclError aclrtIpcMemSetImportPid(const char *key, int32_t *pid, size_t num)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtIpcMemSetImportPid);
    TWIN_NOT_NULL(key, pid);
    if (num == 0 || num > INT32_MAX)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_PARAM, "num is %zu; it must be the number of pids", num));
    for (size_t i = 0; i < num; i++)
        if (pid[i] <= 0)
            return TWIN_LEAVE(
                twin_fail(TWIN_ERR_PARAM, "pid[%zu] is %d, which no process has", i, pid[i]));
    return TWIN_LEAVE(twin_shared_allow(key, pid, num));
}

aclError aclrtIpcMemImportByKey(void **devPtr, const char *key, uint64_t flags)
{
    TWIN_ENTER_BY_PART(CREATE, aclrtIpcMemImportByKey);
    TWIN_NOT_NULL(devPtr, key);
    if (flags > ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM,
                                    "flags is %#llx; it must be 0, or 1 (enable peer access)",
                                    (unsigned long long)flags));
    return TWIN_LEAVE(
        twin_shared_import(key, flags == ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS, devPtr));
}

aclError aclrtIpcMemClose(const char *key)
{
    TWIN_ENTER_BY_PART(CREATE, aclrtIpcMemClose);
    TWIN_NOT_NULL(key);
    return TWIN_LEAVE(twin_shared_close(key, NULL));
}

aclError aclrtIpcMemSetAttr(const char *key, aclrtIpcMemAttrType type, uint64_t attr)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL_BELOW(key);
    if (type != ACL_RT_IPC_MEM_ATTR_ACCESS_LINK ||
        attr > ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM,
                                    "type is %d and attr %llu; type must be 0 (link), attr 0 to 3",
                                    (int)type, (unsigned long long)attr));
    TWIN_PINNED(context, context);
    int32_t code = twin_context_pin_current(&context);
    if (code == 0)
        code = twin_api_refuse_by_part(TWIN_PARTS_aclrtIpcMemSetAttr);
    return TWIN_LEAVE(code != 0 ? code : twin_shared_set_link(key, (twin_memory_link)attr));
}

aclError aclrtIpcMemImportPidInterServer(const char *key, aclrtServerPid *serverPids, size_t num)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL_BELOW(key, serverPids);
    if (num == 0)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_PARAM, "num is 0; it must be the number of entries of serverPids"));
    int32_t code = twin_api_refuse_by_part(TWIN_PARTS_aclrtIpcMemImportPidInterServer);
    return TWIN_LEAVE(code != 0 ? code : twin_fail(TWIN_ERR_UNSUPPORTED, "%s", TWIN_WHY_SERVERS));
}

/* Names of the runtime layer ------------------------------------------------------------------- */

aclError rtIpcSetMemoryName(const void *ptr, uint64_t byteCount, char *name, uint32_t len)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL_BELOW(ptr, name);
    return TWIN_LEAVE(export_key(ptr, byteCount, name, len, true));
}

aclError rtIpcDestroyMemoryName(const char *name)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL_BELOW(name);
    return TWIN_LEAVE(twin_shared_close(name, NULL));
}

aclError rtIpcOpenMemory(void **ptr, const char *name)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL_BELOW(ptr, name);
    return TWIN_LEAVE(twin_shared_import(name, false, ptr));
}

aclError rtIpcCloseMemory(const void *ptr)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL_BELOW(ptr);
    return TWIN_LEAVE(twin_shared_close(NULL, ptr));
}

aclError rtSetIpcMemorySuperPodPid(const char *name, uint32_t sdid, int32_t pid[], int32_t num)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL_BELOW(name, pid);
    (void)sdid;
    if (num <= 0)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_PARAM, "num is %d; it must be the number of pids", num));
    return TWIN_LEAVE(twin_fail(TWIN_ERR_UNSUPPORTED, "%s", TWIN_WHY_SERVERS));
}
