/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/device.h"

#include <stdio.h>
#include <string.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/backend/registry.h"
#include "core/base/alloc.h"
#include "core/base/config.h"
#include "core/base/log.h"
#include "core/base/phase.h"
#include "core/object/context.h"
#include "core/object/event.h"
#include "core/object/state_callback.h"
#include "core/object/stream.h"
#include "core/object/users.h"

static twin_device devices[TWIN_MAX_DEVICES];
static pthread_once_t devices_once = PTHREAD_ONCE_INIT;

static twin_lock count_lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_REGISTRY);
/* Guarded by count_lock: for which start of a backend the devices were counted, and the outcome. */
static uint32_t counted_for;
static uint32_t visible_count;

static void make_devices(void)
{
    for (uint32_t i = 0; i < TWIN_MAX_DEVICES; i++) {
        devices[i].id = i;
        twin_lock_init(&devices[i].lock, TWIN_RANK_DEVICE);
        twin_cond_init(&devices[i].changed);
    }
}

/* Applies the user's filter. */
static void count_locked(void)
{
    pthread_once(&devices_once, make_devices);
    counted_for = twin_backend_starts();
    visible_count = 0;
    uint32_t present = 0;
    twin_status status = twin_ops()->process.count(&present);
    if (status != TWIN_OK) {
        twin_log(TWIN_LOG_ERROR, "the devices cannot be counted: %s", twin_status_text(status));
        return;
    }
    if (present > TWIN_MAX_DEVICES)
        present = TWIN_MAX_DEVICES;

    uint32_t list[TWIN_MAX_DEVICES];
    uint32_t used = present;
    for (uint32_t i = 0; i < present; i++)
        list[i] = i;
    const char *text = twin_setting(TWIN_SETTING_VISIBLE_DEVICES);
    if ((twin_ops()->flags & TWIN_BACKEND_FILTERS) == 0 &&
        twin_setting_given(TWIN_SETTING_VISIBLE_DEVICES) &&
        !twin_device_list_parse(text, present, list, &used)) {
        twin_log(TWIN_LOG_ERROR,
                 "ASCEND_RT_VISIBLE_DEVICES is \"%s\", which is not a list of distinct numbers "
                 "below %u; no device is usable",
                 text, present);
        used = 0;
    }
    for (uint32_t i = 0; i < used; i++)
        devices[i].hw_index = list[i];
    visible_count = used;
}

static int32_t visible(uint32_t *out_count)
{
    int32_t code = twin_backend_need();
    if (code != 0)
        return code;
    TWIN_LOCKED(&count_lock);
    if (counted_for != twin_backend_starts())
        count_locked();
    *out_count = visible_count;
    return 0;
}

int32_t twin_device_count(uint32_t *out_count)
{
    uint32_t count = 0;
    int32_t code = visible(&count);
    if (code != 0)
        return code;
    if (count == 0)
        return twin_fail(TWIN_ERR_NO_DEVICE,
                         "no device is usable; check ASCEND_RT_VISIBLE_DEVICES (\"%s\")",
                         twin_setting(TWIN_SETTING_VISIBLE_DEVICES));
    *out_count = count;
    return 0;
}

static int32_t find(int32_t id, twin_error error, twin_device **out_device)
{
    uint32_t count = 0;
    int32_t code = visible(&count);
    if (code != 0)
        return code;
    if (id < 0 || (uint32_t)id >= count)
        return twin_fail(error, "device %d does not exist; %u device%s visible, numbered from 0",
                         id, count, count == 1 ? " is" : "s are");
    *out_device = &devices[id];
    return 0;
}

int32_t twin_device_find(int32_t id, twin_device **out_device)
{
    return find(id, TWIN_ERR_DEVICE_ID, out_device);
}

int32_t twin_device_find_argument(int32_t id, twin_device **out_device)
{
    return find(id, TWIN_ERR_PARAM, out_device);
}

twin_device *twin_device_of_hardware(uint32_t hw_index)
{
    TWIN_LOCKED(&count_lock);
    for (uint32_t i = 0; i < visible_count; i++)
        if (devices[i].hw_index == hw_index)
            return &devices[i];
    return NULL;
}

int32_t twin_device_machine_id(twin_device *device, int32_t *out_id)
{
    const twin_device_properties *properties = NULL;
    *out_id = (int32_t)device->hw_index;
    if ((twin_ops()->flags & TWIN_BACKEND_FILTERS) == 0)
        return 0;
    int32_t code = twin_device_properties_of(device, &properties);
    if (code == 0)
        *out_id = (int32_t)properties->machine_index;
    return code;
}

int32_t twin_device_user_id(int32_t machine_id, int32_t *out_id)
{
    uint32_t count = 0;
    int32_t code = visible(&count);
    for (uint32_t i = 0; i < count && code == 0; i++) {
        int32_t id = 0;
        code = twin_device_machine_id(&devices[i], &id);
        if (code == 0 && id == machine_id) {
            *out_id = (int32_t)devices[i].id;
            return 0;
        }
    }
    if (code != 0)
        return code;
    return twin_fail(TWIN_ERR_PARAM,
                     "device %d of the machine does not exist or is not visible to the process",
                     machine_id);
}

int32_t twin_device_properties_of(const twin_device *device,
                                  const twin_device_properties **out_properties)
{
    twin_status status = twin_ops()->process.describe(device->hw_index, out_properties);
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "device %u cannot be described",
                            device->id);
}

int32_t twin_device_find_properties(int32_t id, const twin_device_properties **out_properties)
{
    twin_device *device = NULL;
    int32_t code = twin_device_find(id, &device);
    return code != 0 ? code : twin_device_properties_of(device, out_properties);
}

/* Up ------------------------------------------------------------------------------------------- */

/* 507033: the thread itself opens or closes it, and asks from inside a callback. */
static int32_t wait_steady_locked(twin_device *device)
{
    while (device->state == TWIN_DEVICE_OPENING || device->state == TWIN_DEVICE_CLOSING ||
           device->changing) {
        if (device->changer == &twin_self)
            return twin_fail(TWIN_ERR_SETUP,
                             "device %u is being reset by the call that this callback runs in",
                             device->id);
        twin_cond_wait(&device->changed, &device->lock);
    }
    return 0;
}

/* The default context. No lock is held; the state is OPENING, or `changing` is set. */
static int32_t make_primary(twin_device *device)
{
    uint64_t primary = 0;
    int32_t code = twin_context_create(device, true, &primary);
    if (code != 0)
        return code;
    TWIN_LOCKED(&device->lock);
    device->primary = primary;
    return 0;
}

/* Opens the hardware and makes the default context. No lock is held; the state is OPENING. */
static int32_t open_device(twin_device *device)
{
    const struct twin_backend *ops = twin_ops();
    const twin_device_properties *properties = NULL;
    int32_t code = twin_device_properties_of(device, &properties);
    if (code != 0)
        return code;
    twin_hw_device *hw = NULL;
    twin_backend_opens();
    twin_status status = ops->device.open(device->hw_index, &hw);
    if (status != TWIN_OK)
        return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT,
                                "device %u does not initialize on the backend \"%s\"", device->id,
                                twin_backend_name());
    /* Its limits may be known only now. */
    uint64_t *stream_ids = twin_zalloc((properties->stream_limit / 64 + 1) * sizeof(uint64_t));
    if (!stream_ids) {
        code = twin_fail(TWIN_ERR_NOMEM, "out of host memory for device %u", device->id);
        goto close_device;
    }

    twin_lock_take(&device->lock);
    device->hw = hw;
    if (device->properties !=
        properties) /* the first time alone: submissions read it without the lock */
        device->properties = properties;
    device->core_memory = twin_core_memory_now();
    device->stream_ids = stream_ids;
    device->stream_count = 0;
    device->context_names = device->event_names = device->notify_names = 0;
    device->count_names = 0;
    twin_lock_drop(&device->lock);
    twin_core_share_reset(&device->share);
    atomic_store_explicit(&device->faulted, false, memory_order_relaxed);

    code = make_primary(device);
    if (code == 0)
        return 0;

close_device:
    ops->device.close(hw);
    twin_free(stream_ids);
    return code;
}

/* Brings the device up if it is not. Locked on return. `out_stream`: the default stream when it was
 * made here, for twin_announce_stream(); else 0. */
static int32_t raise_locked(twin_device *device, uint64_t *out_stream)
{
    *out_stream = 0;
    int32_t code = wait_steady_locked(device);
    if (code != 0 || (device->state == TWIN_DEVICE_UP && device->primary != 0))
        return code;
    const bool up = device->state == TWIN_DEVICE_UP;
    if (up)
        device->changing = true;
    else
        device->state = TWIN_DEVICE_OPENING;
    device->changer = &twin_self;
    twin_lock_drop(&device->lock);
    code = up ? make_primary(device) : open_device(device);
    twin_lock_take(&device->lock);
    device->changing = false;
    twin_context *primary = twin_handle_find(&twin_contexts, device->primary);
    if (code == 0 && primary)
        *out_stream = atomic_load_explicit(&primary->default_stream, memory_order_relaxed);
    device->state = code == 0 || up ? TWIN_DEVICE_UP : TWIN_DEVICE_DOWN;
    twin_cond_broadcast(&device->changed);
    return code;
}

int32_t twin_device_set(int32_t id)
{
    twin_device *device = NULL;
    int32_t code = twin_device_find(id, &device);
    if (code != 0)
        return code;
    twin_lock_take(&device->lock);
    const bool down = device->state == TWIN_DEVICE_DOWN;
    twin_lock_drop(&device->lock);
    if (down)
        twin_announce_device(device->id, TWIN_NEWS_SET_PRE);
    uint64_t stream = 0;
    uint64_t primary = 0;
    twin_lock_take(&device->lock);
    code = raise_locked(device, &stream);
    if (code == 0) {
        device->set_count++;
        primary = device->primary;
    }
    twin_lock_drop(&device->lock);
    /* Reported before the thread has the context (STR-66). */
    if (stream != 0)
        twin_announce_stream(stream, TWIN_NEWS_CREATE_POST);
    if (code == 0)
        twin_self.context = primary;
    if (code == 0)
        twin_announce_device(device->id, TWIN_NEWS_SET_POST);
    return code;
}

int32_t twin_device_retain(twin_device *device)
{
    uint64_t stream = 0;
    twin_lock_take(&device->lock);
    int32_t code = raise_locked(device, &stream);
    if (code == 0)
        device->hold_count++;
    twin_lock_drop(&device->lock);
    if (stream != 0)
        twin_announce_stream(stream, TWIN_NEWS_CREATE_POST);
    return code;
}

/* Down ----------------------------------------------------------------------------------------- */

/* Ends every context, event and notify, waiting for the device's work. Locked on entry and return;
 * the state is CLOSING. Returns why a wait was given up, else 0. */
static int32_t empty_device_locked(twin_device *device)
{
    int32_t first_code = 0;
    for (;;) {
        twin_context *context = device->contexts;
        twin_event *event = context ? NULL : device->events;
        if (!context && !event) {
            if (device->object_count == 0)
                return first_code;
            twin_cond_wait(&device->changed, &device->lock);
            continue;
        }

        /* Listed objects are alive: retiring takes them off under this lock. */
        bool pinned = context ? twin_handle_pin_object(context, context->object.handle)
                              : twin_handle_pin_object(event, event->object.handle);
        if (!pinned) {
            twin_cond_wait(&device->changed, &device->lock);
            continue;
        }
        if (context) {
            int32_t code = 0;
            twin_lock_drop(&device->lock);
            bool closed = twin_context_close(context, &code);
            twin_context_unpin(context);
            twin_lock_take(&device->lock);
            if (first_code == 0)
                first_code = code;
            if (!closed && device->contexts == context)
                twin_cond_wait(&device->changed, &device->lock);
        } else {
            twin_lock_drop(&device->lock);
            twin_event_retire(event);
            twin_event_unpin(event);
            twin_lock_take(&device->lock);
        }
    }
}

/* Takes the device down. Locked on entry and return. */
static int32_t lower_locked(twin_device *device)
{
    device->state = TWIN_DEVICE_CLOSING;
    device->changer = &twin_self;
    int32_t code = empty_device_locked(device);
    twin_hw_device *hw = device->hw;
    device->primary = 0;
    device->set_count = 0;
    atomic_store_explicit(&device->peers, 0, memory_order_relaxed);
    device->hw = NULL;
    twin_free(device->stream_ids);
    device->stream_ids = NULL;
    twin_lock_drop(&device->lock);

    twin_assert_unlocked("device.close with a lock held");
    twin_users.device_emptied(device, hw);
    twin_ops()->device.close(hw);

    twin_lock_take(&device->lock);
    device->state = TWIN_DEVICE_DOWN;
    twin_cond_broadcast(&device->changed);
    return code;
}

static int32_t settle_locked(twin_device *device)
{
    if (device->changing)
        return 0;
    bool unused =
        device->set_count == 0 && device->explicit_contexts == 0 && device->hold_count == 0;
    return unused && device->state == TWIN_DEVICE_UP ? lower_locked(device) : 0;
}

/* Ends the default context of a device that contexts of the program keep up (CTX-22). Locked on
 * entry and return. */
static int32_t drop_primary_locked(twin_device *device)
{
    int32_t code = 0;
    twin_context *context = twin_handle_pin(&twin_contexts, device->primary);
    device->primary = 0;
    if (!context)
        return 0;
    device->changing = true;
    device->changer = &twin_self;
    twin_lock_drop(&device->lock);
    (void)twin_context_close(context, &code);
    twin_context_unpin(context);
    twin_lock_take(&device->lock);
    device->changing = false;
    twin_cond_broadcast(&device->changed);
    /* The last of the contexts may have gone meanwhile. */
    const int32_t settled = settle_locked(device);
    return code != 0 ? code : settled;
}

static int32_t reset_locked(twin_device *device, bool force, bool *out_released)
{
    int32_t code = wait_steady_locked(device);
    if (code != 0)
        return code;
    if (device->set_count == 0)
        return twin_fail(TWIN_ERR_DEVICE_RELEASED,
                         "device %u is not set: it never was, or it has been reset already; call "
                         "aclrtSetDevice first",
                         device->id);
    if (twin_self.serves_device == device && (force || device->set_count == 1))
        return twin_fail(TWIN_ERR_SETUP,
                         "a function that a stream of device %u calls must not reset the device",
                         device->id);
    device->set_count = force ? 0 : device->set_count - 1;
    *out_released = device->set_count == 0;
    if (!*out_released)
        return 0;
    /* Callbacks in here find no context. */
    const uint64_t context = twin_self.context;
    twin_self.context = TWIN_CONTEXT_NONE;
    device->forced = force;
    code = force || device->explicit_contexts == 0 ? lower_locked(device)
                                                   : drop_primary_locked(device);
    device->forced = false;
    twin_self.context = context;
    return code;
}

int32_t twin_device_reset(int32_t id, bool force)
{
    twin_device *device = NULL;
    int32_t code = twin_device_find(id, &device);
    if (code != 0)
        return code;
    twin_lock_take(&device->lock);
    const bool releases = device->set_count == 1 || (force && device->set_count > 0);
    twin_lock_drop(&device->lock);
    if (releases)
        twin_announce_device(device->id, TWIN_NEWS_RESET_PRE);
    bool released = false;
    twin_lock_take(&device->lock);
    code = reset_locked(device, force, &released);
    twin_lock_drop(&device->lock);
    /* A wait that was given up does not keep the device up. */
    if (released)
        twin_announce_device(device->id, TWIN_NEWS_RESET_POST);
    return code;
}

uint64_t twin_device_patience(twin_device *device)
{
    TWIN_LOCKED(&device->lock);
    return device->forced && device->changer == &twin_self ? TWIN_UNAIDED : TWIN_FOREVER;
}

int32_t twin_device_release(twin_device *device)
{
    TWIN_LOCKED(&device->lock);
    device->hold_count--;
    return settle_locked(device);
}

int32_t twin_device_settle(twin_device *device)
{
    TWIN_LOCKED(&device->lock);
    return settle_locked(device);
}

int32_t twin_device_active(int32_t id, bool *out_active)
{
    twin_device *device = NULL;
    int32_t code = twin_device_find(id, &device);
    if (code != 0)
        return code;
    TWIN_LOCKED(&device->lock);
    *out_active = device->set_count > 0;
    return 0;
}

/* Objects -------------------------------------------------------------------------------------- */

static bool takes_objects_locked(const twin_device *device, bool primary)
{
    if (primary && device->changing)
        return true;
    return device->state == (primary ? TWIN_DEVICE_OPENING : TWIN_DEVICE_UP);
}

bool twin_device_add_object(twin_device *device, bool primary)
{
    TWIN_LOCKED(&device->lock);
    const bool taken = takes_objects_locked(device, primary);
    device->object_count += taken;
    return taken;
}

static void drop_object_locked(twin_device *device)
{
    device->object_count--;
    if (device->state == TWIN_DEVICE_CLOSING)
        twin_cond_broadcast(&device->changed);
}

void twin_device_drop_object(twin_device *device)
{
    TWIN_LOCKED(&device->lock);
    drop_object_locked(device);
}

static uint32_t lowest_free_id_locked(const twin_device *device)
{
    uint32_t word = 0;
    while (device->stream_ids[word] == UINT64_MAX)
        word++;
    return word * 64 + (uint32_t)__builtin_ctzll(~device->stream_ids[word]);
}

int32_t twin_device_refuse_aborting(const twin_device *device, const char *what)
{
    if (__builtin_expect(!atomic_load_explicit(&device->aborting, memory_order_relaxed), 1))
        return 0;
    return twin_refused(twin_fail_status(TWIN_E_DEVICE_ABORTED, TWIN_CODE_STREAM_TIMEOUT,
                                         "device %u %s now", device->id, what));
}

int32_t twin_device_check_software_queues(const twin_device *device, const char *what)
{
    return device->properties->software_queues
               ? 0
               : twin_fail(
                     TWIN_ERR_UNSUPPORTED,
                     "%s need software queues, which the driver or firmware of device %u, %s, "
                     "lacks",
                     what, device->id, device->properties->soc_name);
}

/* 0 also when all streams are in use: then *out_full. */
static int32_t take_stream_id_locked(twin_device *device, bool primary, uint32_t *out_id,
                                     bool *out_full)
{
    if (!takes_objects_locked(device, primary))
        return twin_fail(TWIN_ERR_CONTEXT_NULL, "device %u is being reset", device->id);
    int32_t code = twin_device_refuse_aborting(device, "cannot create a stream");
    if (code != 0)
        return code;
    *out_full = device->stream_count >= device->properties->stream_limit;
    if (*out_full)
        return 0;
    *out_id = lowest_free_id_locked(device);
    device->stream_ids[*out_id / 64] |= UINT64_C(1) << (*out_id % 64);
    device->stream_count++;
    device->object_count++;
    return 0;
}

int32_t twin_device_take_stream_id(twin_device *device, bool primary, uint32_t *out_id)
{
    bool full = false;
    twin_lock_take(&device->lock);
    int32_t code = take_stream_id_locked(device, primary, out_id, &full);
    const twin_device_properties *properties = device->properties;
    twin_lock_drop(&device->lock);
    if (!full)
        return code;
    char owners[256], instances[TWIN_INSTANCES_TEXT];
    twin_device_list_owners(device, owners, sizeof(owners));
    twin_device_list_instances(device, instances);
    return twin_fail(properties->stream_id_limit > properties->stream_limit
                         ? TWIN_ERR_NO_STREAM_QUEUE
                         : TWIN_ERR_NO_STREAM,
                     "device %u has all of its %u streams in use (%s); destroy some first%s",
                     device->id, properties->stream_limit, owners, instances);
}

void twin_device_drop_stream_id(twin_device *device, uint32_t id)
{
    TWIN_LOCKED(&device->lock);
    device->stream_ids[id / 64] &= ~(UINT64_C(1) << (id % 64));
    device->stream_count--;
    drop_object_locked(device);
}

int32_t twin_device_usage(const twin_device *device, twin_usage *out_usage)
{
    return twin_fail_status(twin_ops()->diag.usage(device->hw_index, out_usage),
                            TWIN_CODE_STREAM_TIMEOUT, "device %u", device->id);
}

uint32_t twin_device_streams_left(twin_device *device)
{
    TWIN_LOCKED(&device->lock);
    return device->properties ? device->properties->stream_limit - device->stream_count : 0;
}
