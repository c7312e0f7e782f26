/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/snapshot.h"

#include <pthread.h>

#include "core/backend/blocked.h"
#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/base/alloc.h"
#include "core/base/log.h"
#include "core/object/context.h"
#include "core/object/stream.h"

_Atomic uint64_t twin_snapshot_round;

typedef enum process_state { RUNNING, LOCKED, BACKED_UP } process_state;

static const char *const state_names[] = {"running", "locked", "backed up"};

typedef struct listener {
    struct listener *next; /* registered later */
    twin_snapshot_callback callback;
    void *user;
} listener;

static twin_lock state_lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_CALLBACKS);
static twin_cond unlocked = TWIN_COND_INITIALIZER;
/* All guarded by state_lock. */
static process_state state;
static bool changing; /* a thread locks, unlocks, backs up or restores now */
static uint64_t rounds;
static twin_host_moment unlocked_at;          /* of the thread that unlocked last */
static bool own_call_noted;                   /* of this lock */
static listener *listeners[TWIN_STAGE_COUNT]; /* in the order of registration */

/* ---- callbacks ------------------------------------------------------------------------------- */

static int32_t check_stage(uint32_t stage)
{
    return stage < TWIN_STAGE_COUNT ? 0
                                    : twin_fail(TWIN_ERR_PARAM, "stage is %u; expected at most %d",
                                                stage, TWIN_STAGE_COUNT - 1);
}

/* The place of a function in a list, or the list's end. */
static listener **find_locked(uint32_t stage, twin_snapshot_callback callback)
{
    listener **link = &listeners[stage];
    while (*link && (*link)->callback != callback)
        link = &(*link)->next;
    return link;
}

int32_t twin_snapshot_listen(uint32_t stage, twin_snapshot_callback callback, void *user)
{
    int32_t code = check_stage(stage);
    if (code != 0)
        return code;
    listener *item = twin_zalloc(sizeof(*item));
    if (!item)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for a callback");
    *item = (listener){.callback = callback, .user = user};
    twin_lock_take(&state_lock);
    listener **link = find_locked(stage, callback);
    const bool taken = *link != NULL;
    if (!taken)
        *link = item;
    twin_lock_drop(&state_lock);
    if (!taken)
        return 0;
    twin_free(item);
    return twin_fail(TWIN_ERR_SNAPSHOT_REGISTERED,
                     "callback is registered for stage %u already; unregister it first", stage);
}

int32_t twin_snapshot_ignore(uint32_t stage, twin_snapshot_callback callback)
{
    int32_t code = check_stage(stage);
    if (code != 0)
        return code;
    twin_lock_take(&state_lock);
    listener **link = find_locked(stage, callback);
    listener *item = *link;
    if (item)
        *link = item->next;
    twin_lock_drop(&state_lock);
    twin_free(item);
    return item ? 0 : twin_fail(TWIN_ERR_PARAM, "callback is not registered for stage %u", stage);
}

static bool is_up(twin_device *device)
{
    TWIN_LOCKED(&device->lock);
    return device->state == TWIN_DEVICE_UP;
}

/* The `index`-th function of a stage. */
static bool listener_at(uint32_t stage, unsigned index, listener *out_item)
{
    TWIN_LOCKED(&state_lock);
    const listener *item = listeners[stage];
    for (; item && index > 0; index--)
        item = item->next;
    if (item)
        *out_item = *item;
    return item != NULL;
}

/* Calls each function of the stage for each open device. Ends with the first that does not return
 * 0. */
static int32_t call_listeners(uint32_t stage)
{
    listener item;
    uint32_t devices = 0;
    int32_t code = listener_at(stage, 0, &item) ? twin_device_count(&devices) : 0;
    for (unsigned i = 0; code == 0 && listener_at(stage, i, &item); i++) {
        for (uint32_t id = 0; code == 0 && id < devices; id++) {
            twin_device *device = NULL;
            code = twin_device_find((int32_t)id, &device);
            if (code != 0 || !is_up(device))
                continue;
            const twin_call *call = twin_outcall_begin();
            const uint32_t answer = item.callback((int32_t)id, item.user);
            twin_outcall_end(call);
            if (answer != 0)
                code = twin_fail(TWIN_ERR_SNAPSHOT_CALLBACK,
                                 "callback %u of stage %u returned %u for device %u", i + 1, stage,
                                 answer, id);
        }
    }
    return code;
}

/* ---- states ---------------------------------------------------------------------------------- */

/* Begins a change that needs one of two states. */
static int32_t begin(process_state from, process_state or_from, twin_error refusal,
                     const char *remedy)
{
    twin_lock_take(&state_lock);
    const process_state now = state;
    const bool other = changing;
    const bool allowed = !other && (now == from || now == or_from);
    if (allowed)
        changing = true;
    twin_lock_drop(&state_lock);
    if (allowed)
        return 0;
    if (other)
        return twin_fail(refusal, "another call changes the state of the process now; call it "
                                  "after that has returned");
    return twin_fail(refusal, "the process is %s; %s", state_names[now], remedy);
}

/* Ends the change; without a code the state is `next`. Returns `code`. */
static int32_t end(int32_t code, process_state next)
{
    TWIN_LOCKED(&state_lock);
    if (code == 0)
        state = next;
    changing = false;
    return code;
}

static int32_t ask(twin_snapshot_step step)
{
    twin_assert_unlocked("process.snapshot with a lock held");
    return twin_fail_status(twin_ops()->process.snapshot(step), TWIN_CODE_STREAM_TIMEOUT,
                            "the devices of the process");
}

/* In a forked child no thread has locked the process. */
static void unlock_in_child(void)
{
    twin_lock_init(&state_lock, TWIN_RANK_CALLBACKS);
    twin_cond_init(&unlocked);
    state = RUNNING;
    changing = false;
    atomic_store(&twin_snapshot_round, 0);
}

static void listen_to_forks(void)
{
    (void)pthread_atfork(NULL, NULL, unlock_in_child);
}

int32_t twin_snapshot_lock(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, listen_to_forks);
    int32_t code = begin(RUNNING, RUNNING, TWIN_ERR_SNAPSHOT_LOCK,
                         "call aclrtSnapShotProcessUnlock before it is locked again");
    if (code != 0)
        return code;
    code = call_listeners(TWIN_STAGE_LOCK_PRE);
    if (code == 0)
        code = ask(TWIN_SNAPSHOT_LOCK);
    if (code != 0)
        return end(code, RUNNING);
    twin_lock_take(&state_lock);
    own_call_noted = false;
    twin_self.snapshot_round = ++rounds;
    atomic_store(&twin_snapshot_round, rounds);
    twin_lock_drop(&state_lock);
    return end(0, LOCKED);
}

int32_t twin_snapshot_unlock(void)
{
    int32_t code =
        begin(LOCKED, BACKED_UP, TWIN_ERR_SNAPSHOT_UNLOCK, "call aclrtSnapShotProcessLock first");
    if (code != 0)
        return code;
    code = ask(TWIN_SNAPSHOT_UNLOCK);
    if (code != 0)
        return end(code, RUNNING);
    twin_lock_take(&state_lock);
    const twin_host_moment *moment = twin_ops()->host.self();
    if (moment)
        unlocked_at = *moment;
    atomic_store(&twin_snapshot_round, 0);
    twin_cond_broadcast(&unlocked);
    twin_lock_drop(&state_lock);
    (void)end(0, RUNNING);
    return call_listeners(TWIN_STAGE_UNLOCK_POST);
}

void twin_snapshot_wait(void)
{
    int cancel = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    twin_lock_take(&state_lock);
    const uint64_t round = atomic_load(&twin_snapshot_round);
    const bool own = round != 0 && twin_self.snapshot_round == round;
    const bool note = own && !own_call_noted && !changing;
    bool waited = false;
    if (note)
        own_call_noted = true;
    while (!own && atomic_load(&twin_snapshot_round) != 0) {
        twin_cond_wait(&unlocked, &state_lock);
        waited = true;
    }
    const twin_host_moment moment = unlocked_at;
    twin_lock_drop(&state_lock);
    /* What the thread does now comes after what the other did before it unlocked. */
    if (waited)
        twin_ops()->host.follow(&moment);
    if (note)
        twin_log(
            TWIN_LOG_WARNING,
            "%s is called by the thread that has locked the process and goes on; on a board it "
            "can wait for aclrtSnapShotProcessUnlock",
            twin_self.call->name);
    pthread_setcancelstate(cancel, NULL);
}

/* ---- backup and restore ---------------------------------------------------------------------- */

/* Handles of the contexts of a device, in `*handles`, which has room for `*room`. False: out of
 * host memory. */
static bool list_contexts(twin_device *device, uint64_t **handles, uint32_t *room,
                          uint32_t *out_count)
{
    for (;;) {
        uint32_t count = 0;
        twin_lock_take(&device->lock);
        for (const twin_context *context = device->contexts; context; context = context->next) {
            if (count < *room)
                (*handles)[count] = context->object.handle;
            count++;
        }
        twin_lock_drop(&device->lock);
        *out_count = count;
        if (count <= *room)
            return true;
        uint64_t *more = twin_regrow(*handles, count, sizeof(**handles));
        if (!more)
            return false;
        *handles = more;
        *room = count;
    }
}

/* Waits for the work of all contexts of the process. 107002: there is none. */
static int32_t drain_contexts(void)
{
    uint64_t *handles = NULL;
    uint32_t room = 0, devices = 0, seen = 0;
    int32_t code = twin_device_count(&devices);
    for (uint32_t id = 0; code == 0 && id < devices; id++) {
        twin_device *device = NULL;
        uint32_t count = 0;
        code = twin_device_find((int32_t)id, &device);
        if (code == 0 && !list_contexts(device, &handles, &room, &count))
            code = twin_fail(TWIN_ERR_NOMEM, "no host memory for a list of contexts");
        for (uint32_t i = 0; code == 0 && i < count; i++) {
            TWIN_PINNED(context, context);
            context = twin_handle_pin(&twin_contexts, handles[i]);
            if (context)
                code = twin_stream_drain_context(context, TWIN_FOREVER);
            seen += context != NULL;
        }
    }
    twin_free(handles);
    if (code == 0 && seen == 0)
        code = twin_fail(TWIN_ERR_CONTEXT_NULL,
                         "the process has no context; call aclrtSetDevice first");
    return code;
}

/* The part of backup and restore that is the same: `step` between two stages. */
static int32_t change(twin_snapshot_step step, uint32_t before, uint32_t after)
{
    int32_t code = call_listeners(before);
    if (code == 0)
        code = drain_contexts();
    if (code == 0)
        code = ask(step);
    return code == 0 ? call_listeners(after) : code;
}

int32_t twin_snapshot_backup(void)
{
    const int32_t code = begin(LOCKED, LOCKED, TWIN_ERR_SNAPSHOT_BACKUP,
                               "call aclrtSnapShotProcessLock first, or restore an earlier backup");
    return code != 0
               ? code
               : end(change(TWIN_SNAPSHOT_BACKUP, TWIN_STAGE_BACKUP_PRE, TWIN_STAGE_BACKUP_POST),
                     BACKED_UP);
}

int32_t twin_snapshot_restore(void)
{
    const int32_t code = begin(BACKED_UP, BACKED_UP, TWIN_ERR_SNAPSHOT_RESTORE,
                               "call aclrtSnapShotProcessBackup first");
    return code != 0
               ? code
               : end(change(TWIN_SNAPSHOT_RESTORE, TWIN_STAGE_RESTORE_PRE, TWIN_STAGE_RESTORE_POST),
                     LOCKED);
}
