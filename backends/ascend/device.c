/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, and which of the vendor's contexts a thread uses. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <utlist.h>

#include "process.h"

#define NS_PER_MS  UINT64_C(1000000)
#define NS_PER_S   UINT64_C(1000000000)
#define ABORT_MS   30000u
#define TEXT_BYTES 256

static pthread_mutex_t opened_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER; /* a device has no user any more */
static twin_hw_device *opened[ASCEND_DEVICES_MOST];        /* guarded by opened_lock */

/* Rises before one of the vendor's contexts goes: its address may be another's next. Relaxed: a
 * thread uses a context only while something keeps it, the core or a held device. */
static _Atomic uint64_t generation = 1;
static _Thread_local struct {
    aclrtContext context;
    uint64_t generation;
    uint32_t index; /* of the device that the context is of */
} current;

static bool is_current(uint64_t now)
{
    return current.context && current.generation == now;
}

twin_status ascend_use(const twin_hw_device *device, aclrtContext context)
{
    uint64_t now = atomic_load_explicit(&generation, memory_order_relaxed);
    if (__builtin_expect(current.context == context && current.generation == now, 1))
        return TWIN_OK;
    twin_status status = ascend_status(vendor.set_context(context));
    if (status == TWIN_OK)
        ascend_used(device, context);
    return status;
}

void ascend_used(const twin_hw_device *device, aclrtContext context)
{
    current.context = context;
    current.generation = atomic_load_explicit(&generation, memory_order_relaxed);
    current.index = device->index;
}

void ascend_unuse(void)
{
    atomic_fetch_add_explicit(&generation, 1, memory_order_relaxed);
}

/* The device has one user more; NULL: there is none, which is that status. */
static twin_status use_retained(twin_hw_device *device, twin_status none,
                                twin_hw_device **out_device)
{
    twin_status status = device ? ascend_use_device(device) : none;
    if (status == TWIN_OK)
        *out_device = device;
    else if (device)
        ascend_release_device(device);
    return status;
}

twin_status ascend_retain_device(uint32_t index, twin_hw_device **out_device)
{
    pthread_mutex_lock(&opened_lock);
    twin_hw_device *device = index < ASCEND_DEVICES_MOST ? opened[index] : NULL;
    if (device)
        device->holds++;
    pthread_mutex_unlock(&opened_lock);
    return use_retained(device, TWIN_E_INVALID, out_device);
}

twin_status ascend_retain_any(twin_hw_device **out_device)
{
    /* Rather the device that the thread uses anyway. */
    const uint32_t first =
        is_current(atomic_load_explicit(&generation, memory_order_relaxed)) ? current.index : 0;
    pthread_mutex_lock(&opened_lock);
    twin_hw_device *device = opened[first];
    for (uint32_t i = 0; i < ASCEND_DEVICES_MOST && !device; i++)
        device = opened[i];
    if (device)
        device->holds++;
    pthread_mutex_unlock(&opened_lock);
    return use_retained(device, TWIN_E_UNSUPPORTED, out_device);
}

void ascend_release_device(twin_hw_device *device)
{
    pthread_mutex_lock(&opened_lock);
    if (--device->holds == 0)
        pthread_cond_broadcast(&released);
    pthread_mutex_unlock(&opened_lock);
}

/* No other thread finds the device from here on, and none uses it. */
static void hide(twin_hw_device *device)
{
    pthread_mutex_lock(&opened_lock);
    opened[device->index] = NULL;
    while (device->holds > 0)
        pthread_cond_wait(&released, &opened_lock);
    pthread_mutex_unlock(&opened_lock);
    ascend_unuse();
}

bool ascend_any_open(void)
{
    bool any = false;
    pthread_mutex_lock(&opened_lock);
    for (uint32_t i = 0; i < ASCEND_DEVICES_MOST && !any; i++)
        any = opened[i] != NULL;
    pthread_mutex_unlock(&opened_lock);
    return any;
}

uint32_t ascend_seconds(uint64_t ns)
{
    uint64_t seconds = ns / NS_PER_S + (ns % NS_PER_S != 0);
    return seconds == 0 ? 1 : seconds > INT32_MAX ? (uint32_t)INT32_MAX : (uint32_t)seconds;
}

int32_t ascend_milliseconds(uint64_t ns)
{
    uint64_t ms = ns / NS_PER_MS + (ns % NS_PER_MS != 0);
    /* the vendor refuses waits of 0 ms (DEV-61) */
    return ms > INT32_MAX ? INT32_MAX : ms == 0 ? 1 : (int32_t)ms;
}

/* ---- the ops --------------------------------------------------------------------------------- */

twin_status ascend_device_open(uint32_t index, twin_hw_device **out_device)
{
    if (index >= ASCEND_DEVICES_MOST)
        return TWIN_E_DEVICE_ID;
    twin_hw_device *device = calloc(1, sizeof(*device));
    if (!device)
        return TWIN_E_NOMEM;
    device->index = index;
    pthread_mutex_init(&device->lock, NULL);
    twin_status status = ascend_status(vendor.set_device((int32_t)index));
    if (status != TWIN_OK)
        goto free_device;
    status = ascend_status(vendor.get_context(&device->context));
    if (status != TWIN_OK)
        goto reset;
    ascend_used(device, device->context);
    ascend_device_properties_complete(index);
    if (!vendor.event_time && vendor.create_event(&device->origin) == 0 &&
        vendor.record_event(device->origin, NULL) != 0) {
        vendor.destroy_event(device->origin);
        device->origin = NULL;
    }
    pthread_mutex_lock(&opened_lock);
    opened[index] = device;
    pthread_mutex_unlock(&opened_lock);
    ascend_end_later();
    *out_device = device;
    return TWIN_OK;

reset:
    vendor.reset_device((int32_t)index);
free_device:
    ascend_end_later();
    pthread_mutex_destroy(&device->lock);
    free(device);
    return status;
}

void ascend_device_close(twin_hw_device *device)
{
    char text[TEXT_BYTES];
    uint64_t bytes = 0;
    ascend_use_device(device);
    ascend_pinned_close_device(device);
    if (device->origin)
        vendor.destroy_event(device->origin);
    ascend_vmm_forget(device->index);
    uint32_t left = ascend_ranges_forget(device->index, &bytes);
    if (left > 0) {
        snprintf(text, sizeof(text),
                 "device %u is closed with %llu bytes of device memory that were not freed: %u "
                 "allocations in all",
                 device->index, (unsigned long long)bytes, left);
        ascend.services->log(2, text);
    }
    hide(device);
    int32_t code = vendor.reset_device((int32_t)device->index);
    if (code != 0) {
        snprintf(text, sizeof(text), "device %u cannot be closed: the vendor's runtime returned %d",
                 device->index, (int)code);
        ascend.services->log(2, text);
    }
    ascend_group *group, *next;
    LL_FOREACH_SAFE(device->groups, group, next)
        free(group);
    pthread_mutex_destroy(&device->lock);
    free(device);
    if (!ascend_any_open())
        ascend_end_later();
}

twin_status ascend_device_abort(twin_hw_device *device)
{
    twin_status status = ASCEND_CALL(ascend_use_device_for(device, vendor.abort_device != NULL),
                                     vendor.abort_device((int32_t)device->index, ABORT_MS));
    if (status == TWIN_OK)
        ascend_failures_forget_device(device);
    return status;
}

twin_status ascend_device_peer(twin_hw_device *device, uint32_t other, bool enable)
{
    if (!vendor.enable_peer || (!enable && !vendor.disable_peer))
        return TWIN_E_UNSUPPORTED;
    return ASCEND_CALL(ascend_use_device(device), enable ? vendor.enable_peer((int32_t)other, 0)
                                                         : vendor.disable_peer((int32_t)other));
}

/* ---- the end of the vendor's runtime ---- */

/* The core stops a backend when the process ends, when objects of the vendor's may be gone already:
 * those that it made last go first. So the end comes before, in a handler that is registered when
 * all of them are there: after the last device closes. A program that leaves devices open has its
 * process end as it would without us: nothing is asked of the vendor's any more. */
#define HANDLERS_MOST 16u /* of a program that opens and closes for ever */

static _Atomic uint32_t handlers;

void ascend_end(void)
{
    if (atomic_exchange(&ascend.over, true))
        return;
    ascend_failures_listen(false);
    ascend_pinned_clear();
    if (ascend.is_ours)
        vendor.finalize();
}

static void end_with_process(void)
{
    if (!ascend.started || getpid() != ascend.process)
        return;
    if (ascend_any_open())
        atomic_store(&ascend.over, true);
    else
        ascend_end();
}

void ascend_end_later(void)
{
    if (atomic_fetch_add_explicit(&handlers, 1, memory_order_relaxed) < HANDLERS_MOST)
        (void)atexit(end_with_process);
    else
        atomic_fetch_sub_explicit(&handlers, 1, memory_order_relaxed);
}
