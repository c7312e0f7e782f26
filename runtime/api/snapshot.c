/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/snapshot.h"

#include <unistd.h>

#include "acl/acl_rt.h"
#include "api/entry.h"

_Static_assert((int)TWIN_STAGE_LOCK_PRE == ACL_RT_SNAPSHOT_LOCK_PRE &&
                   (int)TWIN_STAGE_BACKUP_PRE == ACL_RT_SNAPSHOT_BACKUP_PRE &&
                   (int)TWIN_STAGE_BACKUP_POST == ACL_RT_SNAPSHOT_BACKUP_POST &&
                   (int)TWIN_STAGE_RESTORE_PRE == ACL_RT_SNAPSHOT_RESTORE_PRE &&
                   (int)TWIN_STAGE_RESTORE_POST == ACL_RT_SNAPSHOT_RESTORE_POST &&
                   (int)TWIN_STAGE_UNLOCK_POST == ACL_RT_SNAPSHOT_UNLOCK_POST,
               "the core has the public numbers");

/* `name`: of the parameter that must be NULL. */
static int32_t check_process(int pid, const void *reserved, const char *name)
{
    if (pid != getpid())
        return twin_fail(TWIN_ERR_ARG_VALUE, "pid is %d; expected %d, that of this process", pid,
                         (int)getpid());
    return reserved ? twin_fail(TWIN_ERR_ARG_VALUE, "%s must be NULL", name) : 0;
}

aclError aclrtSnapShotProcessLock(int pid, void *reserve)
{
    TWIN_ENTER_BY_PART(WAIT, aclrtSnapShotProcessLock);
    const int32_t code = check_process(pid, reserve, "reserve");
    return TWIN_LEAVE(code != 0 ? code : twin_snapshot_lock());
}

aclError aclrtSnapShotProcessUnlock(int pid, void *reserve)
{
    TWIN_ENTER_BY_PART(WAIT, aclrtSnapShotProcessUnlock);
    const int32_t code = check_process(pid, reserve, "reserve");
    return TWIN_LEAVE(code != 0 ? code : twin_snapshot_unlock());
}

aclError aclrtSnapShotProcessBackup(int pid, aclrtSnapShotBackupArgs *args)
{
    TWIN_ENTER_BY_PART(WAIT, aclrtSnapShotProcessBackup);
    const int32_t code = check_process(pid, args, "args");
    return TWIN_LEAVE(code != 0 ? code : twin_snapshot_backup());
}

aclError aclrtSnapShotProcessRestore(int pid, aclrtSnapShotRestoreArgs *args)
{
    TWIN_ENTER_BY_PART(WAIT, aclrtSnapShotProcessRestore);
    const int32_t code = check_process(pid, args, "args");
    return TWIN_LEAVE(code != 0 ? code : twin_snapshot_restore());
}

aclError aclrtSnapShotCallbackRegister(aclrtSnapShotStage stage, aclrtSnapShotCallBack callback,
                                       void *args)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtSnapShotCallbackRegister);
    TWIN_NOT_NULL_BELOW(callback);
    return TWIN_LEAVE(twin_snapshot_listen((uint32_t)stage, callback, args));
}

aclError aclrtSnapShotCallbackUnregister(aclrtSnapShotStage stage, aclrtSnapShotCallBack callback)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtSnapShotCallbackUnregister);
    TWIN_NOT_NULL_BELOW(callback);
    return TWIN_LEAVE(twin_snapshot_ignore((uint32_t)stage, callback));
}
