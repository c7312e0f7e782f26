/* SPDX-License-Identifier: Apache-2.0 */
#include "signal/ipc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "device/device.h"
#include "process/nondeterminism.h"
#include "signal/ipc_lists.h"
#include "queue/sqe.h"
#include "wait/hooks.h"
#include "wait/leader.h"
#include "wait/progress.h"
#include "wait/wait.h"

/* A record of this process that is to be published to others. Retains the signal. */
struct sim_publication {
    struct sim_publication *next, *prev;
    twin_signal *signal;
    struct sim_queue_point point;
    uint64_t number;
};

atomic_uint sim_shared_count;

struct sim_shared_lists sim_shared_lists = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct sim_publication *publications; /* guarded by the same lock */

/* ---- life ----------------------------------------------------------------------------------- */

static void enlist(struct sim_shared *shared)
{
    static uint32_t numbers; /* guarded by sim_shared_lists.lock */
    pthread_mutex_lock(&sim_shared_lists.lock);
    shared->number = ++numbers;
    shared->seen = shared->file;
    struct sim_share_page *copy = NULL;
    if (sim_nd_logged() && !sim_drive_conducted())
        copy = calloc(1, sizeof(*copy));
    if (copy)
        shared->seen.page = copy;
    shared->holders = 1;
    shared->delivered = sim_share_newest(&shared->file);
    DL_PREPEND(sim_shared_lists.first, shared);
    atomic_fetch_add(&sim_shared_count, 1);
    pthread_mutex_unlock(&sim_shared_lists.lock);
}

/* What was recorded before is the first record of the file. */
static twin_status carry_over(struct sim_shared *shared)
{
    twin_signal *signal = shared->signal;
    struct sim_publication *publication = NULL;
    if (!sim_shared_is_notify(signal)) {
        twin_status status = sim_shared_prepare(signal, &publication);
        if (status != TWIN_OK)
            return status;
    }
    pthread_mutex_lock(&signal->lock);
    atomic_store_explicit(&signal->shared, shared, memory_order_release);
    if (publication && signal->source != COMPLETION_NONE) {
        sim_shared_publish_locked(signal, publication, &signal->point);
        publication = NULL;
    }
    pthread_mutex_unlock(&signal->lock);
    free(publication);
    return TWIN_OK;
}

twin_status sim_signal_share(twin_signal *signal, bool check_pid, char out_name[TWIN_SHARE_NAME])
{
    if (signal->config.kind != TWIN_SIGNAL_EVENT_REBIND && !sim_shared_is_notify(signal))
        return TWIN_E_UNSUPPORTED;
    if (signal->remote && sim_shared_is_notify(signal)) {
        sim_explain("only the process that created a notify exports it");
        return TWIN_E_INVALID;
    }
    struct sim_shared *shared = sim_event_shared(signal);
    if (!shared) {
        shared = calloc(1, sizeof(*shared));
        if (!shared)
            return TWIN_E_NOMEM;
        shared->signal = signal;
        twin_status status = sim_share_make(&shared->file, signal->config.kind,
                                            sim_shared_is_notify(signal) ? signal->id : 0);
        if (status != TWIN_OK) {
            free(shared);
            return status;
        }
        atomic_store(&shared->file.page->checks_pid, check_pid);
        enlist(shared);
        status = carry_over(shared);
        if (status != TWIN_OK) {
            sim_shared_end(shared);
            return status;
        }
        sim_drive_poll();       /* what was recorded and is complete is published now */
        sim_drive_reconsider(); /* a driver that waits for it continues in steps */
    }
    if (!signal->remote)
        atomic_store(&shared->file.page->checks_pid, check_pid);
    memcpy(out_name, shared->file.name, TWIN_SHARE_NAME);
    return TWIN_OK;
}

twin_status sim_signal_allow(twin_signal *signal, const int32_t *pids, size_t count)
{
    struct sim_shared *shared = sim_event_shared(signal);
    if (!shared || signal->remote) {
        sim_explain("%s %u of device %u was not exported by this process", sim_event_noun(signal),
                    signal->config.name, signal->device->index);
        return TWIN_E_INVALID;
    }
    pthread_mutex_lock(&sim_shared_lists.lock);
    twin_status status = sim_share_allow(&shared->file, pids, count);
    pthread_mutex_unlock(&sim_shared_lists.lock);
    return status;
}

/* A signal of this device that goes by that name. It has one handle more then. */
static twin_status find_own(twin_hw_device *device, const char *name, twin_signal_kind kind,
                            twin_signal **out_signal)
{
    twin_status status = TWIN_OK;
    *out_signal = NULL;
    pthread_mutex_lock(&sim_shared_lists.lock);
    for (struct sim_shared *shared = sim_shared_lists.first; shared; shared = shared->next) {
        if (shared->signal->device != device || shared->holders == 0 ||
            strncmp(name, shared->file.name, TWIN_SHARE_NAME) != 0)
            continue;
        bool fits = shared->signal->config.kind == kind;
        if (!fits || !sim_share_may_import(&shared->file)) {
            sim_explain("the key cannot be used: %s",
                        fits ? "this process is not allowed to import it"
                             : "it belongs to another kind of object");
            status = TWIN_E_INVALID;
            break;
        }
        shared->holders++;
        *out_signal = shared->signal;
        break;
    }
    pthread_mutex_unlock(&sim_shared_lists.lock);
    return status;
}

/* The notify of that name that another device of this process has made, with a reference on it;
 * NULL: there is none. */
static twin_signal *find_origin(const char *name)
{
    twin_signal *origin = NULL;
    pthread_mutex_lock(&sim_shared_lists.lock);
    for (struct sim_shared *shared = sim_shared_lists.first; shared && !origin;
         shared = shared->next)
        if (sim_shared_is_notify(shared->signal) && !shared->signal->remote &&
            shared->holders != 0 && strncmp(name, shared->file.name, TWIN_SHARE_NAME) == 0 &&
            sim_event_retain_live(shared->signal))
            origin = shared->signal;
    pthread_mutex_unlock(&sim_shared_lists.lock);
    return origin;
}

twin_status sim_signal_open(twin_hw_device *device, const char *name,
                            const twin_signal_config *config, twin_signal **out_signal)
{
    if (config->kind != TWIN_SIGNAL_EVENT_REBIND && config->kind != TWIN_SIGNAL_NOTIFY)
        return TWIN_E_UNSUPPORTED;
    twin_status status = find_own(device, name, config->kind, out_signal);
    if (status != TWIN_OK || *out_signal)
        return status;
    struct sim_shared *shared = calloc(1, sizeof(*shared));
    if (!shared)
        return TWIN_E_NOMEM;
    /* a replay has no other process */
    status = name[0] == '\0' && sim_drive_conducted()
                 ? sim_share_make(&shared->file, config->kind, 0)
                 : sim_share_find(&shared->file, name, config->kind);
    if (status != TWIN_OK) {
        free(shared);
        return status;
    }
    uint64_t id = shared->file.page->hardware_id;
    (void)sim_nd(TWIN_ND_ID, 0, &id);
    twin_signal *signal = sim_event_create_remote(device, config, (uint32_t)id);
    if (!signal) {
        sim_share_drop(&shared->file);
        free(shared);
        return TWIN_E_NOMEM;
    }
    if (sim_shared_is_notify(signal))
        signal->origin = find_origin(name);
    shared->signal = signal;
    enlist(shared);
    atomic_store_explicit(&signal->shared, shared, memory_order_release);
    *out_signal = signal;
    return TWIN_OK;
}

bool sim_shared_leave(struct sim_shared *shared)
{
    pthread_mutex_lock(&sim_shared_lists.lock);
    bool last = --shared->holders == 0;
    if (last && !shared->signal->remote)
        atomic_store(&shared->file.page->closed, 1);
    pthread_mutex_unlock(&sim_shared_lists.lock);
    return last;
}

void sim_shared_end(struct sim_shared *shared)
{
    pthread_mutex_lock(&sim_shared_lists.lock);
    DL_DELETE(sim_shared_lists.first, shared);
    atomic_fetch_sub(&sim_shared_count, 1);
    pthread_mutex_unlock(&sim_shared_lists.lock);
    if (shared->seen.page != shared->file.page)
        free(shared->seen.page);
    sim_share_drop(&shared->file);
    free(shared);
}

/* ---- records -------------------------------------------------------------------------------- */

twin_status sim_shared_prepare(twin_signal *signal, struct sim_publication **out)
{
    const struct sim_shared *shared = sim_event_shared(signal);
    if (sim_shared_is_notify(signal) && (!signal->remote || signal->origin))
        return TWIN_OK; /* the table of its device is all there is */
    if (shared)
        sim_shared_look(signal);
    if (shared && !sim_shared_is_notify(signal) && sim_share_full(&shared->file)) {
        sim_explain("event %u is shared and has %u records pending; wait for one first",
                    signal->config.name, SIM_SHARE_RECORDS);
        return TWIN_E_NO_EVENT;
    }
    struct sim_publication *publication = calloc(1, sizeof(*publication));
    if (!publication)
        return TWIN_E_NOMEM;
    *out = publication;
    return TWIN_OK;
}

void sim_shared_submitted(struct sim_publication *publication, bool good)
{
    if (good)
        sim_progress_submitted();
    else
        free(publication);
}

void sim_shared_publish_locked(twin_signal *signal, struct sim_publication *publication,
                               const struct sim_queue_point *point)
{
    struct sim_shared *shared = sim_event_shared(signal);
    sim_event_retain(signal);
    publication->signal = signal;
    publication->point = *point;
    if (point->number > atomic_load_explicit(&point->queue->visible, memory_order_relaxed))
        atomic_store_explicit(&point->queue->visible, point->number, memory_order_relaxed);
    pthread_mutex_lock(&sim_shared_lists.lock);
    if (!sim_shared_is_notify(signal)) {
        publication->number = sim_share_begin(&shared->file);
        shared->own_number = publication->number;
        sim_shared_see_own_locked(shared, publication->number);
    }
    DL_PREPEND(publications, publication);
    pthread_mutex_unlock(&sim_shared_lists.lock);
}

static void publish(const struct sim_publication *publication, enum sim_completion completion)
{
    struct sim_shared *shared = sim_event_shared(publication->signal);
    if (!sim_shared_is_notify(publication->signal))
        sim_share_end(&shared->file, publication->number,
                      completion == SIM_DONE ? SIM_SHARE_DONE : SIM_SHARE_DROPPED);
    else if (completion == SIM_DONE)
        atomic_fetch_add(&shared->file.page->newest, 1);
    if (!sim_shared_is_notify(publication->signal) || completion == SIM_DONE)
        sim_shared_see_own_locked(shared, publication->number);
}

/* ---- waits ---------------------------------------------------------------------------------- */

twin_signal *sim_shared_maker(twin_signal *signal)
{
    const struct sim_shared *self = sim_event_shared(signal);
    twin_signal *maker = NULL;
    if (sim_shared_is_notify(signal))
        return NULL;
    sim_shared_look(signal);
    pthread_mutex_lock(&sim_shared_lists.lock);
    const uint64_t newest = sim_share_newest(&self->seen);
    for (struct sim_shared *shared = sim_shared_lists.first; shared && !maker && newest != 0;
         shared = shared->next)
        if (shared != self && shared->own_number == newest &&
            strcmp(shared->file.name, self->file.name) == 0 &&
            sim_event_retain_live(shared->signal))
            maker = shared->signal;
    pthread_mutex_unlock(&sim_shared_lists.lock);
    return maker;
}

uint64_t sim_shared_elsewhere_locked(const twin_signal *signal)
{
    const struct sim_shared *shared = sim_event_shared(signal);
    uint64_t newest = sim_share_newest(&shared->seen);
    return sim_shared_is_notify(signal) || newest == shared->own_number ? 0 : newest;
}

enum sim_completion sim_shared_completion(const twin_signal *signal, uint64_t number)
{
    switch (sim_share_state(&sim_event_shared(signal)->seen, number)) {
    case SIM_SHARE_DONE:
        return SIM_DONE;
    case SIM_SHARE_DROPPED:
        return SIM_DROPPED;
    case SIM_SHARE_PENDING:
        break;
    }
    return SIM_PENDING;
}

/* A wait on an event id that the driver sets. The queue's lock is held and the SQE fits. */
static twin_status park_locked(twin_queue *queue, struct sim_foreign_wait *wait,
                               uint64_t timeout_ns)
{
    twin_signal *signal = wait->signal;
    struct sim_ids *ids = &queue->device->events;
    if (!sim_ids_take(ids, &queue->id_cursor, &wait->id, &wait->generation)) {
        queue->id_wanted = true;
        return TWIN_E_BUSY;
    }
    (void)sim_ids_retain(ids, wait->id,
                         wait->generation); /* one for the task state, one for the entry */
    struct sim_task_state *state;
    sim_sqe_event_wait(sim_queue_slot_locked(queue, 0, &state), wait->id, timeout_ns);
    sim_event_retain(signal); /* the entry's */
    atomic_fetch_add_explicit(&signal->waits_open, 1, memory_order_relaxed);
    sim_event_use(state, SIM_TASK_WAIT, signal, (uint32_t)wait->number, wait->id);
    state->bound = 1;
    pthread_mutex_lock(&sim_shared_lists.lock);
    DL_PREPEND(sim_shared_lists.waits, wait);
    pthread_mutex_unlock(&sim_shared_lists.lock);
    sim_queue_send_locked(queue, 1);
    return TWIN_OK;
}

twin_status sim_shared_wait(twin_queue *queue, twin_signal *signal, uint64_t timeout_ns,
                            bool *out_done)
{
    *out_done = true;
    if (sim_shared_is_notify(signal) && signal->remote) {
        sim_explain("notify %u was imported: only on the device where it was created a stream may "
                    "wait for it",
                    signal->config.name);
        return TWIN_E_INVALID;
    }
    pthread_mutex_lock(&signal->lock);
    uint64_t number = sim_shared_elsewhere_locked(signal);
    pthread_mutex_unlock(&signal->lock);
    *out_done = number != 0;
    if (number == 0 || sim_shared_completion(signal, number) == SIM_DONE)
        return TWIN_OK;
    if (queue->device != signal->device) {
        sim_explain("device %u, stream %u cannot wait for event %u, which was opened on device %u: "
                    "open it there too",
                    queue->device->index, queue->config.id, signal->config.name,
                    signal->device->index);
        return TWIN_E_UNSUPPORTED;
    }
    struct sim_foreign_wait *wait = calloc(1, sizeof(*wait));
    if (!wait)
        return TWIN_E_NOMEM;
    *wait = (struct sim_foreign_wait){.signal = signal, .number = number, .device = queue->device};
    pthread_mutex_lock(&queue->lock);
    twin_status status = TWIN_E_BUSY;
    if (sim_queue_fits_locked(queue, 1))
        status = park_locked(queue, wait, timeout_ns);
    pthread_mutex_unlock(&queue->lock);
    if (status != TWIN_OK)
        free(wait);
    return status;
}

void sim_shared_clear(struct sim_shared *shared)
{
    pthread_mutex_lock(&sim_shared_lists.lock);
    shared->delivered = sim_share_newest(&shared->file);
    pthread_mutex_unlock(&sim_shared_lists.lock);
}

/* ---- the driver ----------------------------------------------------------------------------- */

/* Records from elsewhere of a notify of ours act like any other. */
static bool deliver(struct sim_shared *shared)
{
    twin_signal *signal = shared->signal;
    if (!sim_shared_is_notify(signal) || signal->remote)
        return false;
    uint64_t count = sim_share_newest(&shared->seen) - shared->delivered;
    if (count == 0 || sim_replaying())
        return false;
    shared->delivered += count;
    /* More than there are waits, and one to be remembered, change nothing. */
    uint64_t most = atomic_load_explicit(&signal->waits_open, memory_order_relaxed) + UINT64_C(1);
    if (count > most)
        count = most;
    sim_shared_log(TWIN_SEEN_NOTIFY, signal->device, signal->id, count);
    sim_shared_write_notify(signal->device, signal->id, count);
    return true;
}

/* Takes finished publications off the list. */
static struct sim_publication *take_published(void)
{
    struct sim_publication *taken = NULL, *publication, *next;
    DL_FOREACH_SAFE(publications, publication, next) {
        enum sim_completion completion = sim_point_completion_locked(&publication->point);
        if (completion == SIM_PENDING)
            continue;
        publish(publication, completion);
        sim_progress_seen = true;
        DL_DELETE(publications, publication);
        DL_PREPEND(taken, publication);
    }
    return taken;
}

/* Whether only the list retains the id: its wait has ended. */
static bool abandoned(const struct sim_foreign_wait *wait)
{
    return !sim_ids_shared(&wait->device->events, wait->id, wait->generation);
}

/* Takes waits off the list that have ended, after setting the ids of those that may pass. */
static struct sim_foreign_wait *take_passed(bool *out_any)
{
    struct sim_foreign_wait *taken = NULL, *wait, *next;
    DL_FOREACH_SAFE(sim_shared_lists.waits, wait, next) {
        bool passes =
            !sim_replaying() && sim_shared_completion(wait->signal, wait->number) == SIM_DONE;
        if (!passes && !abandoned(wait))
            continue;
        if (passes) {
            sim_shared_log(TWIN_SEEN_EVENT, wait->device, wait->id, 1);
            twinsim_write(sim_process.sim, wait->device->index,
                          sim_ids_entry(&wait->device->events, wait->id), 1);
            *out_any = true;
        }
        DL_DELETE(sim_shared_lists.waits, wait);
        DL_PREPEND(taken, wait);
    }
    return taken;
}

bool sim_shared_settle(void)
{
    bool any = false;
    pthread_mutex_lock(&sim_shared_lists.lock);
    for (struct sim_shared *shared = sim_shared_lists.first; shared; shared = shared->next)
        sim_shared_look_locked(shared);
    struct sim_publication *published = take_published();
    struct sim_foreign_wait *passed = take_passed(&any);
    for (struct sim_shared *shared = sim_shared_lists.first; shared; shared = shared->next)
        any = deliver(shared) || any;
    pthread_mutex_unlock(&sim_shared_lists.lock);
    struct sim_publication *publication, *next_publication;
    LL_FOREACH_SAFE(published, publication, next_publication) {
        sim_event_drop(publication->signal);
        free(publication);
    }
    struct sim_foreign_wait *wait, *next_wait;
    LL_FOREACH_SAFE(passed, wait, next_wait) {
        sim_ids_drop(&wait->device->events, wait->id);
        sim_event_drop(wait->signal);
        free(wait);
    }
    return any;
}

/* Whether what was recorded elsewhere waits to be passed on: it came after the newest look. */
static bool has_come(const twin_signal *signal, uint64_t number)
{
    const struct sim_shared *shared = sim_event_shared(signal);
    return sim_shared_is_notify(signal) ? sim_share_newest(&shared->file) != shared->delivered
                                        : sim_shared_completion(signal, number) != SIM_PENDING;
}

static enum sim_outlook better(enum sim_outlook so_far, const twin_signal *signal, uint64_t number)
{
    if (so_far == SIM_OUTLOOK_GOOD)
        return so_far;
    uint64_t pid;
    enum sim_outlook outlook = SIM_OUTLOOK_GOOD;
    if (sim_share_company(&sim_event_shared(signal)->file, &pid) == SIM_COMPANY_GONE &&
        !has_come(signal, number)) /* in this order: what it recorded before it went has come */
        outlook = pid != 0 ? SIM_OUTLOOK_BROKEN : SIM_OUTLOOK_CLOSED;
    return outlook > so_far ? outlook : so_far;
}

enum sim_outlook sim_shared_outlook(void)
{
    enum sim_outlook outlook = SIM_OUTLOOK_NONE;
    if (atomic_load_explicit(&sim_shared_count, memory_order_relaxed) == 0)
        return outlook;
    for (uint32_t i = 0; i < sim_process.device_count; i++)
        if (sim_process.devices[i])
            sim_queue_reclaim_all(sim_process.devices[i],
                                  true); /* counts of waits are exact then */
    pthread_mutex_lock(&sim_shared_lists.lock);
    for (const struct sim_foreign_wait *wait = sim_shared_lists.waits; wait; wait = wait->next)
        if (!abandoned(wait) && sim_shared_completion(wait->signal, wait->number) != SIM_DROPPED)
            outlook = better(outlook, wait->signal, wait->number);
    for (const struct sim_shared *shared = sim_shared_lists.first; shared; shared = shared->next)
        if (sim_shared_is_notify(shared->signal) && !shared->signal->remote &&
            atomic_load_explicit(&shared->signal->waits_open, memory_order_relaxed) != 0)
            outlook = better(outlook, shared->signal, 0);
    pthread_mutex_unlock(&sim_shared_lists.lock);
    for (const struct sim_wait *wait = sim_waits.first; wait; wait = wait->next)
        if (wait->kind == SIM_WAIT_SHARED)
            outlook = better(outlook, wait->shared, wait->number);
    return outlook;
}

void sim_shared_describe(const twin_signal *signal, char *text, size_t bytes)
{
    uint64_t pid = 0;
    switch (sim_share_company(&sim_event_shared(signal)->file, &pid)) {
    case SIM_COMPANY_PRESENT:
        snprintf(text, bytes, "; process %llu may record it", (unsigned long long)pid);
        return;
    case SIM_COMPANY_AWAITED:
        snprintf(text, bytes, "; no other process has imported it yet");
        return;
    case SIM_COMPANY_GONE:
        break;
    }
    if (pid != 0)
        snprintf(text, bytes, "; process %llu, which could record it, has ended",
                 (unsigned long long)pid);
    else
        snprintf(text, bytes, "; no other process uses it any more");
}

void sim_check_shared(struct sim_wait *wait)
{
    switch (sim_shared_completion(wait->shared, wait->number)) {
    case SIM_PENDING:
        return;
    case SIM_DROPPED:
        sim_wait_finish(wait, TWIN_E_ABORTED, twinsim_now(sim_process.sim));
        return;
    case SIM_DONE:
        sim_wait_finish(wait, TWIN_OK, twinsim_now(sim_process.sim));
        return;
    }
}
