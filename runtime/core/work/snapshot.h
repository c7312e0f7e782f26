/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots of the process: one thread locks it, backs up what the devices hold, restores that, and
 * unlocks it. While it is locked, calls of other threads that change something on a device wait. */
#ifndef TWINRT_CORE_WORK_SNAPSHOT_H
#define TWINRT_CORE_WORK_SNAPSHOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/backend/thread_state.h"
#include "seam/types.h"

/* When a callback is called, with the public values. */
typedef enum twin_snapshot_stage {
    TWIN_STAGE_LOCK_PRE,
    TWIN_STAGE_BACKUP_PRE,
    TWIN_STAGE_BACKUP_POST,
    TWIN_STAGE_RESTORE_PRE,
    TWIN_STAGE_RESTORE_POST,
    TWIN_STAGE_UNLOCK_POST,
    TWIN_STAGE_COUNT
} twin_snapshot_stage;

typedef uint32_t (*twin_snapshot_callback)(int32_t device, void *user);

/* 507906: the process is locked already. 507912: a callback returned a number other than 0. */
int32_t twin_snapshot_lock(void);
/* Any thread may unlock. 507907: the process is not locked. 507912, and it is unlocked all the
 * same. */
int32_t twin_snapshot_unlock(void);
/* Waits for the work of all streams first; the code of a wait that fails. Keeps the contents of
 * device memory in the place of an earlier backup. Blocks. 107002: there is no context. 507908: the
 * process is not locked, or backed up since. 507912. 207001. */
int32_t twin_snapshot_backup(void);
/* Puts the contents back. Blocks. 107002. 507909: the process is not backed up. 507912. */
int32_t twin_snapshot_restore(void);

/* 107000: `stage`. 207001. 507913: the function is registered for the stage already. */
int32_t twin_snapshot_listen(uint32_t stage, twin_snapshot_callback callback, void *user);
/* 107000: `stage`, or the function is not registered for it. */
int32_t twin_snapshot_ignore(uint32_t stage, twin_snapshot_callback callback);

/* ---- the lock as public functions see it ---- */

/* Number of the lock in force, 0: the process is not locked. Relaxed: a call that begins at the
 * same moment as the lock may come before it. */
extern _Atomic uint64_t twin_snapshot_round;

/* Waits until the process is unlocked, unless the calling thread has locked it. No lock is held. */
void twin_snapshot_wait(void);

/* Whether a call of that cost waits while another thread has locked the process: it makes or ends
 * something, queues work, or copies. Questions and waits go on. */
static inline bool twin_snapshot_stops(twin_cost cost)
{
    return cost != TWIN_COST_LOCAL && cost != TWIN_COST_POLL && cost != TWIN_COST_WAIT;
}

static inline void twin_snapshot_pass(twin_cost cost)
{
    if (twin_snapshot_stops(cost) &&
        __builtin_expect(atomic_load_explicit(&twin_snapshot_round, memory_order_relaxed) != 0, 0))
        twin_snapshot_wait();
}

#endif
