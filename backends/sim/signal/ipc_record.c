/* SPDX-License-Identifier: Apache-2.0 */
/* What other processes did with shared signals, in recordings and replays. */
#include "signal/ipc_lists.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "device/device.h"
#include "process/nondeterminism.h"
#include "wait/hooks.h"
#include "wait/leader.h"
#include "wait/wait.h"

/* ---- recordings ----------------------------------------------------------------------------- */

void sim_shared_log(twin_seen what, const twin_hw_device *device, uint32_t which, uint64_t number)
{
    if (sim_nd_logged() && !sim_drive_conducted() && sim_process.services->seen)
        sim_process.services->seen(what, device->index, which, number);
}

void sim_shared_look_locked(struct sim_shared *shared)
{
    struct sim_share_page *to = shared->seen.page;
    const struct sim_share_page *from = shared->file.page;
    const twin_hw_device *device = shared->signal->device;
    if (to == from)
        return;
    const uint64_t newest = sim_share_newest(&shared->file);
    if (newest != sim_share_newest(&shared->seen))
        sim_shared_log(TWIN_SEEN_NEWEST, device, shared->number, newest);
    atomic_store(&to->newest, newest);
    for (unsigned i = 0; !sim_shared_is_notify(shared->signal) && i < SIM_SHARE_RECORDS; i++) {
        const uint64_t state = atomic_load_explicit(&from->records[i], memory_order_acquire);
        if (state == atomic_load_explicit(&to->records[i], memory_order_relaxed))
            continue;
        sim_shared_log(TWIN_SEEN_STATE, device, shared->number, state);
        atomic_store(&to->records[i], state);
    }
}

void sim_shared_see_own_locked(const struct sim_shared *self, uint64_t number)
{
    struct sim_shared *shared;
    DL_FOREACH(sim_shared_lists.first, shared)
    {
        struct sim_share_page *to = shared->seen.page;
        if (to == shared->file.page || strcmp(shared->file.name, self->file.name) != 0)
            continue;
        if (sim_shared_is_notify(shared->signal)) {
            atomic_fetch_add(&to->newest, 1);
            continue;
        }
        if (atomic_load(&to->newest) < number)
            atomic_store(&to->newest, number);
        const size_t slot = number % SIM_SHARE_RECORDS;
        atomic_store(&to->records[slot], atomic_load(&self->file.page->records[slot]));
    }
}

void sim_shared_look(const twin_signal *signal)
{
    uint64_t nothing = 0;
    if (!sim_nd_logged() || sim_nd_then(TWIN_ND_SIGNAL, 1, &nothing))
        return;
    pthread_mutex_lock(&sim_shared_lists.lock);
    sim_shared_look_locked(sim_event_shared(signal));
    pthread_mutex_unlock(&sim_shared_lists.lock);
    sim_nd_found(TWIN_ND_SIGNAL, 1, nothing);
}

/* ---- replays -------------------------------------------------------------------------------- */

void sim_shared_write_notify(const twin_hw_device *device, uint32_t id, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        twinsim_write(sim_process.sim, device->index, sim_ids_entry(&device->notifies, id), 1);
}

static bool see_event(uint32_t device, uint32_t id)
{
    struct sim_foreign_wait *wait;
    pthread_mutex_lock(&sim_shared_lists.lock);
    DL_FOREACH(sim_shared_lists.waits, wait)
    {
        if (wait->device->index == device && wait->id == id)
            break;
    }
    if (wait)
        DL_DELETE(sim_shared_lists.waits, wait);
    pthread_mutex_unlock(&sim_shared_lists.lock);
    if (!wait)
        return false;
    twinsim_write(sim_process.sim, device, sim_ids_entry(&wait->device->events, id), 1);
    sim_ids_drop(&wait->device->events, id);
    sim_event_drop(wait->signal);
    free(wait);
    return true;
}

static bool see_notify(uint32_t device, uint32_t id, uint64_t count)
{
    const twin_hw_device *owner =
        device < sim_process.device_count ? sim_process.devices[device] : NULL;
    if (!owner || id >= sim_process.limits.notifies || count > UINT16_MAX)
        return false;
    sim_shared_write_notify(owner, id, count);
    return true;
}

static bool see_file(twin_seen what, uint32_t number, uint64_t value)
{
    struct sim_shared *shared;
    pthread_mutex_lock(&sim_shared_lists.lock);
    DL_SEARCH_SCALAR(sim_shared_lists.first, shared, number, number);
    if (shared && what == TWIN_SEEN_NEWEST)
        atomic_store(&shared->seen.page->newest, value);
    else if (shared)
        atomic_store(&shared->seen.page->records[value / 4 % SIM_SHARE_RECORDS], value);
    pthread_mutex_unlock(&sim_shared_lists.lock);
    struct sim_wait *wait, *next;
    DL_FOREACH_SAFE(sim_waits.first, wait, next) {
        if (wait->kind == SIM_WAIT_SHARED)
            sim_check_shared(wait);
    }
    return shared != NULL;
}

bool sim_shared_see(twin_seen what, uint32_t device, uint32_t which, uint64_t number)
{
    switch (what) {
    case TWIN_SEEN_EVENT:
        return see_event(device, which);
    case TWIN_SEEN_NOTIFY:
        return see_notify(device, which, number);
    case TWIN_SEEN_NEWEST:
    case TWIN_SEEN_STATE:
        return see_file(what, which, number);
    case TWIN_SEEN_WORK:
    case TWIN_SEEN_WATCH:
        break;
    }
    return false;
}
