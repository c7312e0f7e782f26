/* SPDX-License-Identifier: Apache-2.0 */
/* Events and notifies that several processes use. */
#include <string.h>

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/object/event.h"

#define KEY_BYTES (TWIN_SHARE_NAME + 1) /* with its end */

_Static_assert(sizeof(aclrtIpcEventHandle) >= TWIN_SHARE_NAME, "a handle holds a name");

static int32_t share(twin_handle_table *table, void *handle, bool check_pid,
                     char name[TWIN_SHARE_NAME])
{
    TWIN_PINNED(event, event);
    int32_t code = twin_event_pin(table, twin_api_handle(handle), &event);
    if (code == 0 && table == &twin_events && (twin_event_form(event) & TWIN_EVENT_IPC) == 0)
        code = twin_fail(TWIN_ERR_PARAM, "event %u of device %u was made without ACL_EVENT_IPC",
                         event->name, event->device->id);
    return code != 0 ? code : twin_event_share(event, check_pid, name);
}

/* Notifies ------------------------------------------------------------------------------------- */

aclError aclrtNotifyGetExportKey(aclrtNotify notify, char *key, size_t len, uint64_t flags)
{
    TWIN_ENTER_BY_PART(CREATE, aclrtNotifyGetExportKey);
    TWIN_NOT_NULL(notify, key);
    if (len < KEY_BYTES)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM, "len is %zu; a key needs %u bytes", len,
                                    (unsigned)KEY_BYTES));
    if (flags != ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT &&
        flags != ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM,
                                    "flags is %#llx; it must be 0, or 2 (any process may import)",
                                    (unsigned long long)flags));
    char name[TWIN_SHARE_NAME];
    int32_t code = share(&twin_notifies, notify, flags == ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT, name);
    if (code == 0) {
        memcpy(key, name, sizeof(name));
        key[sizeof(name)] = '\0';
    }
    return TWIN_LEAVE(code);
}

aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t *pid, size_t num)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtNotifySetImportPid);
    TWIN_NOT_NULL(notify, pid);
    if (num == 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM, "num is 0; it must be the number of pids"));
    for (size_t i = 0; i < num; i++)
        if (pid[i] <= 0)
            return TWIN_LEAVE(
                twin_fail(TWIN_ERR_PARAM, "pid[%zu] is %d, which no process has", i, pid[i]));
    twin_event *pinned = NULL;
    int32_t code = twin_event_pin(&twin_notifies, twin_api_handle(notify), &pinned);
    if (code != 0)
        return TWIN_LEAVE(code);
    code = twin_event_allow(pinned, pid, num);
    twin_event_unpin(pinned);
    return TWIN_LEAVE(code);
}

/* Device memory of the model is in reach of every device: enabling peer access has nothing left to
 * do. */
aclError aclrtNotifyImportByKey(aclrtNotify *notify, const char *key, uint64_t flags)
{
    TWIN_ENTER_BY_PART(CREATE, aclrtNotifyImportByKey);
    TWIN_NOT_NULL(notify, key);
    if (flags != ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT &&
        flags != ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM,
                                    "flags is %#llx; it must be 0, or 2 (enable peer access)",
                                    (unsigned long long)flags));
    uint64_t handle = 0;
    return TWIN_LEAVE(
        twin_api_give(twin_event_open(TWIN_EVENT_NOTIFY, key, &handle), &handle, notify));
}

/* Events --------------------------------------------------------------------------------------- */

aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle *handle)
{
    TWIN_ENTER_BY_PART(CREATE, aclrtIpcGetEventHandle);
    TWIN_NOT_NULL(event, handle);
    char name[TWIN_SHARE_NAME];
    int32_t code = share(&twin_events, event, false, name);
    if (code == 0) {
        memset(handle, 0, sizeof(*handle));
        memcpy(handle->reserved, name, sizeof(name));
    }
    return TWIN_LEAVE(code);
}

aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent *event)
{
    TWIN_ENTER_BY_PART(CREATE, aclrtIpcOpenEventHandle);
    TWIN_NOT_NULL(event);
    char name[KEY_BYTES] = "";
    memcpy(name, handle.reserved, TWIN_SHARE_NAME);
    uint64_t object = 0;
    return TWIN_LEAVE(twin_api_give(twin_event_open(TWIN_EVENT_EX | TWIN_EVENT_IPC, name, &object),
                                    &object, event));
}
