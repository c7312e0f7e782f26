/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/cache_barrier.h"

#include <utlist.h>

#include "core/backend/error.h"
#include "core/base/alloc.h"
#include "core/object/event.h"
#include "core/object/stream.h"
#include "core/work/indirect.h"

/* One number on one device. Stays for the life of the process: programs use few. */
typedef struct barrier {
    struct barrier *next;
    const twin_device *device;
    uint32_t id;
    uint64_t event; /* handle; dead once the device was reset */
} barrier;

static twin_lock barriers_lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_INIT);
static barrier *barriers; /* guarded by barriers_lock */

static int32_t current_device(const twin_device **out_device)
{
    TWIN_PINNED(context, context);
    const int32_t code = twin_context_pin_current(&context);
    if (code == 0)
        *out_device = context->device;
    return code;
}

/* The event of the number, made if `make`; 0: there is none. With the lock. */
static int32_t find_locked(const twin_device *device, uint32_t id, bool make, uint64_t *out_event)
{
    barrier *found = barriers;
    while (found && (found->device != device || found->id != id))
        found = found->next;
    const bool live = found && twin_handle_find(&twin_events, found->event);
    *out_event = live ? found->event : 0;
    if (live || !make)
        return 0;
    if (!found) {
        found = twin_zalloc(sizeof(*found));
        if (!found)
            return twin_fail(TWIN_ERR_NOMEM, "no host memory for barrier %u", id);
        found->device = device;
        found->id = id;
        LL_PREPEND(barriers, found);
    }
    const int32_t code = twin_event_create(TWIN_EVENT_EX | TWIN_EVENT_SYNC, &found->event);
    *out_event = code == 0 ? found->event : 0;
    return code;
}

static int32_t find(uint32_t id, bool make, uint64_t *out_event)
{
    const twin_device *device = NULL;
    const int32_t code = current_device(&device);
    if (code != 0)
        return code;
    TWIN_LOCKED(&barriers_lock);
    return find_locked(device, id, make, out_event);
}

static int32_t submit(twin_task_kind kind, uint64_t event, uint64_t stream)
{
    twin_task task = {.kind = kind, .event_handle = event, .timeout_ns = TWIN_FOREVER};
    const int32_t code = twin_event_find(&twin_events, event, &task.event);
    return code != 0 ? code : twin_stream_submit(stream, &task);
}

int32_t twin_cache_barrier_set(const twin_maintenance *maintenance, uint32_t id, uint64_t stream)
{
    uint64_t event = 0;
    int32_t code = find(id, true, &event);
    if (code == 0)
        code = twin_maintain_async(maintenance, stream);
    return code != 0 ? code : submit(TWIN_TASK_RECORD, event, stream);
}

int32_t twin_cache_barrier_wait(uint32_t id, uint64_t stream)
{
    uint64_t event = 0;
    const int32_t code = find(id, false, &event);
    if (code != 0)
        return code;
    if (event == 0)
        return twin_fail(TWIN_ERR_PARAM,
                         "no task with barrier %u was queued on this device; call "
                         "aclrtCmoAsyncWithBarrier first",
                         id);
    return submit(TWIN_TASK_WAIT, event, stream);
}
