/* SPDX-License-Identifier: Apache-2.0 */
/* Signals are the vendor's events, notifies and counting notifies. */
#include <stdlib.h>
#include <string.h>

#include "process.h"

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS 1e6
#define US_PER_MS 1e3

_Static_assert(ACL_IPC_EVENT_HANDLE_SIZE == TWIN_SHARE_NAME, "a handle of an event is a name");

static twin_status make_event(const twin_signal_config *config, aclrtEvent *out_event)
{
    const uint32_t flags =
        (config->waitable ? ACL_EVENT_SYNC : 0) | (config->timed ? ACL_EVENT_TIME_LINE : 0);
    const uint32_t some = flags != 0 ? flags : ACL_EVENT_CAPTURE_STREAM_PROGRESS;
    if (config->kind == TWIN_SIGNAL_EVENT_LEVEL)
        return ascend_status(vendor.create_event_flag(out_event, some));
    if (config->counted && config->timed && config->waitable)
        return ascend_status(vendor.create_event(out_event));
    if (config->counted &&
        !config->waitable) /* a flag that nothing waits for is one that is bound anew */
        return ascend_status(vendor.create_event_flag(out_event, some));
    if (!vendor.create_event_ex)
        return TWIN_E_UNSUPPORTED;
    return ascend_status(vendor.create_event_ex(out_event, config->shared ? ACL_EVENT_IPC : some));
}

static twin_status make(const twin_signal_config *config, void **out_object)
{
    switch (config->kind) {
    case TWIN_SIGNAL_NOTIFY:
        if (!vendor.create_notify || !vendor.destroy_notify)
            return TWIN_E_UNSUPPORTED;
        return ascend_status(vendor.create_notify(out_object, ACL_NOTIFY_DEFAULT));
    case TWIN_SIGNAL_COUNT:
        if (!vendor.count_create || !vendor.count_destroy)
            return TWIN_E_UNSUPPORTED;
        return ascend_status(vendor.count_create(out_object, 0));
    default:
        return make_event(config, out_object);
    }
}

static twin_signal *wrap(twin_hw_device *device, const twin_signal_config *config)
{
    twin_signal *signal = calloc(1, sizeof(*signal));
    if (!signal)
        return NULL;
    signal->device = device;
    signal->kind = config->kind;
    signal->timed = config->timed;
    signal->shared = config->shared;
    signal->counted = config->counted;
    return signal;
}

twin_status ascend_signal_create(twin_hw_device *device, const twin_signal_config *config,
                                 twin_signal **out_signal)
{
    twin_signal *signal = wrap(device, config);
    if (!signal)
        return TWIN_E_NOMEM;
    twin_status status = ascend_use_device(device);
    if (status == TWIN_OK)
        status = make(config, &signal->object);
    if (status != TWIN_OK) {
        free(signal);
        return status;
    }
    *out_signal = signal;
    return TWIN_OK;
}

void ascend_signal_destroy(twin_signal *signal)
{
    int32_t code = ascend_use_device(signal->device) == TWIN_OK ? 0 : 1;
    if (code == 0)
        code = signal->kind == TWIN_SIGNAL_NOTIFY  ? vendor.destroy_notify(signal->object)
               : signal->kind == TWIN_SIGNAL_COUNT ? vendor.count_destroy(signal->object)
                                                   : vendor.destroy_event(signal->object);
    if (code != 0)
        ascend.services->log(2, "the vendor's runtime cannot destroy an event or notify");
    free(signal);
}

static bool is_event(const twin_signal *signal)
{
    return signal->kind == TWIN_SIGNAL_EVENT_LEVEL || signal->kind == TWIN_SIGNAL_EVENT_REBIND;
}

static twin_status read_id(const twin_signal *signal, twin_signal_state *state)
{
    int32_t code = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    uint32_t id = 0;
    if (is_event(signal))
        code = vendor.event_id ? vendor.event_id(signal->object, &id) : code;
    else if (signal->kind == TWIN_SIGNAL_NOTIFY)
        code = vendor.notify_id ? vendor.notify_id(signal->object, &id) : code;
    else
        code = vendor.count_id ? vendor.count_id(signal->object, &id) : code;
    state->has_hardware_id = code == 0;
    state->hardware_id = id;
    /* An event between two records has none, which is not a failure. */
    return code == 0 || (is_event(signal) && code != ACL_ERROR_RT_FEATURE_NOT_SUPPORT)
               ? TWIN_OK
               : ascend_status(code);
}

twin_status ascend_signal_query(twin_signal *signal, twin_signal_state *out_state)
{
    const uint32_t ask = out_state->ask;
    twin_signal_state state = {.ask = ask, .complete = true};
    twin_status status = ascend_use_device(signal->device);
    state.recorded =
        signal->shared || atomic_load_explicit(&signal->recorded, memory_order_relaxed);
    if (status == TWIN_OK && is_event(signal) && state.recorded) {
        aclrtEventRecordedStatus answer = ACL_EVENT_RECORDED_STATUS_NOT_READY;
        status = ascend_status(vendor.query_event(signal->object, &answer));
        state.complete = answer == ACL_EVENT_RECORDED_STATUS_COMPLETE;
    }
    if (status == TWIN_OK && (ask & TWIN_ASK_WAITS) != 0) {
        aclrtEventWaitStatus waits = ACL_EVENT_WAIT_STATUS_COMPLETE;
        status = vendor.query_event_waits
                     ? ascend_status(vendor.query_event_waits(signal->object, &waits))
                     : TWIN_E_UNSUPPORTED;
        state.waits_open = waits == ACL_EVENT_WAIT_STATUS_COMPLETE ? 0 : 1;
    }
    if (status == TWIN_OK && (ask & TWIN_ASK_HARDWARE_ID) != 0)
        status = read_id(signal, &state);
    if (status == TWIN_OK)
        *out_state = state;
    return status;
}

twin_status ascend_signal_wait(twin_signal *signal, uint64_t timeout_ns)
{
    twin_status status = ascend_use_device(signal->device);
    if (status != TWIN_OK)
        return status;
    bool forever = timeout_ns == TWIN_FOREVER;
    return ascend_wait_status(
        vendor.sync_event(signal->object, forever ? -1 : ascend_milliseconds(timeout_ns)), forever);
}

/* Whether it has a time now. */
static twin_status check_time(const twin_signal *signal)
{
    aclrtEventRecordedStatus answer = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    if (!atomic_load_explicit(&signal->recorded, memory_order_relaxed))
        return TWIN_E_NEVER_RECORDED;
    twin_status status =
        ASCEND_CALL(ascend_use_device(signal->device), vendor.query_event(signal->object, &answer));
    if (status == TWIN_OK && answer != ACL_EVENT_RECORDED_STATUS_COMPLETE)
        status = TWIN_E_NOT_READY;
    return status;
}

twin_status ascend_signal_timestamp(twin_signal *signal, uint64_t *out_ns)
{
    uint64_t us = 0;
    float ms = 0;
    twin_status status = check_time(signal);
    if (status == TWIN_OK && signal->timed && vendor.event_time) {
        status = ascend_status(vendor.event_time(signal->object, &us));
    } else if (status == TWIN_OK && signal->timed) {
        const aclrtEvent origin = signal->device->origin;
        status = origin ? ascend_status(vendor.elapsed(&ms, origin, signal->object))
                        : TWIN_E_UNSUPPORTED;
        us = ms > 0 ? (uint64_t)((double)ms * US_PER_MS) : 0;
    }
    if (status == TWIN_OK)
        *out_ns = us * NS_PER_US;
    return status;
}

twin_status ascend_signal_elapsed(twin_signal *begin, twin_signal *end, double *out_ns)
{
    float ms = 0;
    twin_status status = ASCEND_CALL(ascend_use_device(end->device),
                                     vendor.elapsed(&ms, begin->object, end->object));
    if (status == TWIN_OK)
        *out_ns = (double)ms * NS_PER_MS;
    return status;
}

twin_status ascend_signal_available(twin_hw_device *device, twin_signal_kind kind,
                                    uint32_t *out_count)
{
    if (!vendor.events_left ||
        (kind != TWIN_SIGNAL_EVENT_LEVEL && kind != TWIN_SIGNAL_EVENT_REBIND))
        return TWIN_E_UNSUPPORTED;
    return ASCEND_CALL(ascend_use_device(device), vendor.events_left(out_count));
}

twin_status ascend_signal_clear(twin_signal *signal)
{
    aclrtNotify notify = signal->object;
    return ASCEND_CALL(ascend_use_device_for(signal->device, vendor.batch_reset_notify != NULL),
                       vendor.batch_reset_notify(&notify, 1));
}

/* ---- between processes ----------------------------------------------------------------------- */

twin_status ascend_signal_share(twin_signal *signal, bool check_pid, char out_name[TWIN_SHARE_NAME])
{
    twin_status status = ascend_use_device(signal->device);
    if (status != TWIN_OK)
        return status;
    if (signal->kind == TWIN_SIGNAL_NOTIFY) {
        char key[TWIN_SHARE_NAME + 1] = "";
        if (!vendor.export_notify)
            return TWIN_E_UNSUPPORTED;
        const uint64_t flags = check_pid ? ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT
                                         : ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION;
        status = ascend_status(vendor.export_notify(signal->object, key, sizeof(key), flags));
        if (status == TWIN_OK)
            memcpy(out_name, key, TWIN_SHARE_NAME);
        return status;
    }
    aclrtIpcEventHandle handle = {{0}};
    if (!vendor.export_event)
        return TWIN_E_UNSUPPORTED;
    status = ascend_status(vendor.export_event(signal->object, &handle));
    if (status == TWIN_OK)
        memcpy(out_name, handle.reserved, TWIN_SHARE_NAME);
    return status;
}

twin_status ascend_signal_allow(twin_signal *signal, const int32_t *pids, size_t count)
{
    if (signal->kind != TWIN_SIGNAL_NOTIFY || !vendor.export_notify_to)
        return TWIN_E_UNSUPPORTED;
    twin_status status = ascend_use_device(signal->device);
    if (status != TWIN_OK)
        return status;
    int32_t *copy = malloc(count * sizeof(*copy)); /* the vendor's parameter is not const */
    if (!copy)
        return TWIN_E_NOMEM;
    memcpy(copy, pids, count * sizeof(*copy));
    status = ascend_status(vendor.export_notify_to(signal->object, copy, count));
    free(copy);
    return status;
}

twin_status ascend_signal_open(twin_hw_device *device, const char *name,
                               const twin_signal_config *config, twin_signal **out_signal)
{
    twin_signal *signal = wrap(device, config);
    if (!signal)
        return TWIN_E_NOMEM;
    signal->shared = true;
    twin_status status = ascend_use_device(device);
    if (status == TWIN_OK && config->kind == TWIN_SIGNAL_NOTIFY) {
        status = vendor.import_notify
                     ? ascend_status(vendor.import_notify(&signal->object, name, 0))
                     : TWIN_E_UNSUPPORTED;
    } else if (status == TWIN_OK) {
        aclrtIpcEventHandle handle = {{0}};
        memcpy(handle.reserved, name, strnlen(name, TWIN_SHARE_NAME));
        status = vendor.import_event ? ascend_status(vendor.import_event(handle, &signal->object))
                                     : TWIN_E_UNSUPPORTED;
    }
    if (status != TWIN_OK) {
        free(signal);
        return status;
    }
    *out_signal = signal;
    return TWIN_OK;
}
