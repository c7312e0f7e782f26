/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/event.h"

#include <utlist.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/object/context.h"

#define NS_PER_S UINT64_C(1000000000)

static void construct(void *object)
{
    twin_event *event = object;
    twin_lock_init(&event->lock, TWIN_RANK_SIGNAL);
}

static twin_handle_table *table_of_form(uint32_t form)
{
    return (form & TWIN_EVENT_NOTIFY) != 0  ? &twin_notifies
           : (form & TWIN_EVENT_COUNT) != 0 ? &twin_counts
                                            : &twin_events;
}

static twin_handle_table *table_of(const twin_event *event)
{
    return table_of_form(twin_event_form(event));
}

static void release(void *object)
{
    twin_event *event = object;
    twin_device *device = event->device;
    /* A thread that found the event alive and holds its lock finishes first; later ones see it
     * dead. */
    twin_lock_take(&event->lock);
    twin_lock_drop(&event->lock);
    twin_ops()->signal.destroy(event->signal);
    twin_handle_free(table_of(event), event);
    twin_device_drop_object(device);
}

twin_handle_table twin_events =
    TWIN_HANDLE_TABLE_INITIALIZER("event", TWIN_HANDLE_EVENT, twin_event, construct, release);
twin_handle_table twin_notifies =
    TWIN_HANDLE_TABLE_INITIALIZER("notify", TWIN_HANDLE_NOTIFY, twin_event, construct, release);
twin_handle_table twin_counts = TWIN_HANDLE_TABLE_INITIALIZER("counting notify", TWIN_HANDLE_COUNT,
                                                              twin_event, construct, release);

/* Relaxed: a plain number. */
static _Atomic uint64_t wait_limit_ns = TWIN_FOREVER;

void twin_event_set_wait_limit(uint32_t seconds)
{
    atomic_store_explicit(&wait_limit_ns, seconds == 0 ? TWIN_FOREVER : seconds * NS_PER_S,
                          memory_order_relaxed);
}

uint64_t twin_event_wait_limit(void)
{
    return atomic_load_explicit(&wait_limit_ns, memory_order_relaxed);
}

const char *twin_event_noun(const twin_event *event)
{
    return table_of(event)->kind_name;
}

void twin_event_mark(twin_event *event, uint64_t handle, uint32_t mark)
{
    twin_lock_take(&event->lock);
    if (twin_handle_is(event, handle))
        atomic_fetch_or_explicit(&event->form, mark, memory_order_relaxed);
    twin_lock_drop(&event->lock);
}

void twin_event_unmark(twin_event *event, uint64_t handle, uint32_t mark)
{
    twin_lock_take(&event->lock);
    if (twin_handle_is(event, handle))
        atomic_fetch_and_explicit(&event->form, ~mark, memory_order_relaxed);
    twin_lock_drop(&event->lock);
}

/* What the seam is asked for. */
static twin_signal_config config_of(uint32_t form, uint32_t name)
{
    twin_signal_config config = {.kind = TWIN_SIGNAL_EVENT_REBIND,
                                 .name = name,
                                 .shared = (form & TWIN_EVENT_IPC) != 0,
                                 .counted = (form & (TWIN_EVENT_PLAIN | TWIN_EVENT_FLAG)) != 0};
    if ((form & TWIN_EVENT_NOTIFY) != 0) {
        config.kind = TWIN_SIGNAL_NOTIFY;
        config.waitable = true;
    } else if ((form & TWIN_EVENT_COUNT) != 0) {
        config.kind = TWIN_SIGNAL_COUNT;
        config.waitable = true;
    } else if ((form & TWIN_EVENT_PLAIN) != 0) {
        config.timed = true;
        config.waitable = true;
    } else {
        if ((form & TWIN_EVENT_FLAG) != 0 && (form & (TWIN_EVENT_SYNC | TWIN_EVENT_EXTERNAL)) != 0)
            config.kind = TWIN_SIGNAL_EVENT_LEVEL;
        config.timed = (form & TWIN_EVENT_TIMELINE) != 0;
        config.waitable = (form & (TWIN_EVENT_SYNC | TWIN_EVENT_EXTERNAL | TWIN_EVENT_IPC)) != 0;
    }
    return config;
}

/* Puts the event on its device's list. False: the device is going down. */
static bool list_event(twin_event *event)
{
    twin_device *device = event->device;
    TWIN_LOCKED(&device->lock);
    if (device->state != TWIN_DEVICE_UP)
        return false;
    DL_PREPEND2(device->events, event, previous, next);
    return true;
}

bool twin_event_retire(twin_event *event)
{
    twin_device *device = event->device;
    TWIN_LOCKED(&device->lock);
    /* Under the lock, so that the list has live events only. */
    if (!twin_handle_retire(event))
        return false;
    DL_DELETE2(device->events, event, previous, next);
    if (device->state == TWIN_DEVICE_CLOSING)
        twin_cond_broadcast(&device->changed);
    return true;
}

void twin_event_unpin(twin_event *event)
{
    twin_handle_unpin(table_of(event), event);
}

static uint32_t next_name(twin_device *device, uint32_t form)
{
    TWIN_LOCKED(&device->lock);
    return (form & TWIN_EVENT_NOTIFY) != 0  ? device->notify_names++
           : (form & TWIN_EVENT_COUNT) != 0 ? device->count_names++
                                            : device->event_names++;
}

/* A new one, or with a name that which goes by it. */
static int32_t create_on(twin_device *device, uint32_t form, const char *name, uint64_t *out_handle)
{
    twin_handle_table *table = table_of_form(form);
    const char *noun = table->kind_name;
    if (!twin_device_add_object(device, false))
        return twin_fail(TWIN_ERR_CONTEXT_NULL, "device %u is being reset", device->id);
    int32_t code = 0;
    twin_event *event = twin_handle_alloc(table);
    if (!event) {
        code = twin_fail(TWIN_ERR_NOMEM, "no host memory for the %s", noun);
        goto drop_object;
    }
    event->device = device;
    event->recorded_on = 0;
    event->edge = NULL;
    atomic_store_explicit(&event->in_instance, false, memory_order_relaxed);
    event->name = next_name(device, form);
    atomic_store_explicit(&event->form, form, memory_order_relaxed);
    const twin_signal_config config = config_of(form, event->name);
    const struct twin_backend *ops = twin_ops();
    twin_status status =
        twin_device_note(device, name ? ops->signal.open(device->hw, name, &config, &event->signal)
                                      : ops->signal.create(device->hw, &config, &event->signal));
    if (status != TWIN_OK) {
        bool taken = status == TWIN_E_NO_EVENT || status == TWIN_E_NO_NOTIFY;
        char instances[TWIN_INSTANCES_TEXT];
        twin_device_list_instances(device, instances);
        code = twin_fail_status(status, TWIN_CODE_EVENT_TIMEOUT,
                                "device %u cannot create the %s%s%s", device->id, noun,
                                taken ? "; destroy some first" : "", taken ? instances : "");
        goto free_event;
    }
    uint64_t handle = twin_handle_publish_pinned(event);
    if (!list_event(event)) {
        twin_handle_retire(event);
        twin_event_unpin(event);
        return twin_fail(TWIN_ERR_CONTEXT_NULL, "device %u is being reset", device->id);
    }
    twin_event_unpin(event);
    *out_handle = handle;
    return 0;

free_event:
    twin_handle_free(table, event);
drop_object:
    twin_device_drop_object(device);
    return code;
}

int32_t twin_event_create(uint32_t form, uint64_t *out_handle)
{
    return twin_event_open(form, NULL, out_handle);
}

int32_t twin_event_open(uint32_t form, const char *name, uint64_t *out_handle)
{
    TWIN_PINNED(context, context);
    int32_t code = twin_context_pin_current(&context);
    return code != 0 ? code : create_on(context->device, form, name, out_handle);
}

int32_t twin_event_share(twin_event *event, bool check_pid, char out_name[TWIN_SHARE_NAME])
{
    twin_lock_take(&event->lock);
    twin_status status = twin_ops()->signal.share(event->signal, check_pid, out_name);
    twin_lock_drop(&event->lock);
    return twin_fail_status(status, TWIN_CODE_EVENT_TIMEOUT, "%s %u of device %u cannot be shared",
                            twin_event_noun(event), event->name, event->device->id);
}

int32_t twin_event_allow(twin_event *event, const int32_t *pids, size_t count)
{
    twin_status status = twin_ops()->signal.allow(event->signal, pids, count);
    return twin_fail_status(status, TWIN_CODE_EVENT_TIMEOUT, "%s %u of device %u",
                            twin_event_noun(event), event->name, event->device->id);
}

int32_t twin_event_find(twin_handle_table *table, uint64_t handle, twin_event **out_event)
{
    *out_event = twin_handle_find(table, handle);
    return __builtin_expect(*out_event != NULL, 1) ? 0 : twin_fail_handle(table->kind_name, handle);
}

int32_t twin_event_pin(twin_handle_table *table, uint64_t handle, twin_event **out_event)
{
    *out_event = twin_handle_pin(table, handle);
    return __builtin_expect(*out_event != NULL, 1) ? 0 : twin_fail_handle(table->kind_name, handle);
}

int32_t twin_event_destroy(twin_handle_table *table, uint64_t handle)
{
    TWIN_PINNED(event, event);
    int32_t code = twin_event_pin(table, handle, &event);
    if (code == 0 && !twin_event_retire(event))
        code = twin_fail_handle(table->kind_name, handle);
    return code;
}
