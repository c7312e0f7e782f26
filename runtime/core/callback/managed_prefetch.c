/* SPDX-License-Identifier: Apache-2.0 */
#include "core/callback/managed_prefetch.h"

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/base/alloc.h"
#include "core/base/lock.h"
#include "core/base/log.h"
#include "core/callback/callback_delivery.h"
#include "core/object/context.h"
#include "core/work/managed.h"

/* One that is queued; in the list, until it runs, or its device is closed. */
typedef struct prefetch {
    struct prefetch *next, *previous;
    twin_device *device;
    size_t count;
    twin_prefetch list[]; /* with the backend's devices */
} prefetch;

static twin_lock lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_REGISTRATIONS);
static prefetch *queued; /* guarded by lock */

static void enqueue(prefetch *one)
{
    TWIN_LOCKED(&lock);
    one->next = queued;
    if (queued)
        queued->previous = one;
    queued = one;
}

static void dequeue_locked(prefetch *one)
{
    if (one->previous)
        one->previous->next = one->next;
    else
        queued = one->next;
    if (one->next)
        one->next->previous = one->previous;
}

static void drop(prefetch *one)
{
    twin_lock_take(&lock);
    dequeue_locked(one);
    twin_lock_drop(&lock);
    twin_free(one);
}

static void run(void *argument)
{
    prefetch *one = argument;
    twin_device *device = one->device;
    for (size_t i = 0; i < one->count; i++) {
        const twin_prefetch *range = &one->list[i];
        const twin_status status = twin_device_note(
            device, twin_ops()->managed.move(device->hw, (uint64_t)(uintptr_t)range->pointer,
                                             range->bytes, range->place));
        if (status != TWIN_OK)
            twin_log(TWIN_LOG_ERROR, "device %u: a prefetch of %llu bytes at %p failed: %s",
                     device->id, (unsigned long long)range->bytes, range->pointer,
                     twin_status_text(status));
    }
    drop(one);
}

void twin_managed_prefetch_forget(const twin_device *device)
{
    TWIN_LOCKED(&lock);
    prefetch *next = NULL;
    for (prefetch *one = queued; one; one = next) {
        next = one->next;
        if (one->device != device)
            continue;
        dequeue_locked(one);
        twin_free(one);
    }
}

static int32_t check(prefetch *one, const twin_prefetch *list)
{
    for (size_t i = 0; i < one->count; i++) {
        one->list[i] = list[i];
        int32_t code = twin_managed_check(list[i].pointer, list[i].bytes);
        if (code == 0)
            code = twin_managed_place(list[i].place, &one->list[i].place);
        if (code == 0 && list[i].place.kind == TWIN_PLACE_NONE)
            code = twin_fail(TWIN_ERR_PARAM, "location.type is 0; a prefetch needs a location");
        if (code != 0)
            return code;
    }
    return 0;
}

static int32_t submit(prefetch *one, const twin_prefetch *list, uint64_t stream)
{
    twin_stream *found = NULL;
    twin_context *current = NULL;
    TWIN_PINNED(context, context);
    const twin_host_call call = {.fn = run, .argument = one, .block = true};
    twin_task task = {.kind = TWIN_TASK_CALL, .call = &call, .once = true};
    int32_t code = twin_stream_find(stream, &found);
    if (code == 0)
        code = twin_stream_check_found(found, stream, &current);
    if (code == 0)
        code = twin_context_pin_current(&context);
    if (code == 0)
        code = check(one, list);
    if (code == 0)
        code = twin_service_need(context, &task.call_queue);
    if (code != 0)
        return code;
    task.stream = found;
    one->device = context->device;
    enqueue(one);
    code = twin_stream_submit(stream, &task);
    if (code != 0) {
        TWIN_LOCKED(&lock);
        dequeue_locked(one);
    }
    return code;
}

int32_t twin_managed_prefetch(const twin_prefetch *list, size_t count, uint64_t stream)
{
    prefetch *one = count > SIZE_MAX / 2 / sizeof(*list)
                        ? NULL
                        : twin_zalloc(sizeof(*one) + count * sizeof(*list));
    if (!one)
        return twin_fail(TWIN_ERR_NOMEM, "no memory for %zu ranges to prefetch", count);
    one->count = count;
    const int32_t code = submit(one, list, stream);
    if (code != 0)
        twin_free(one);
    return code;
}
