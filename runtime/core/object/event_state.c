/* SPDX-License-Identifier: Apache-2.0 */
/* What the host asks of a pinned event or notify: state, completion, times. */
#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/object/context.h"
#include "core/object/event.h"
#include "core/object/users.h"

static int32_t result(const twin_event *event, twin_status status)
{
    if (__builtin_expect(status == TWIN_OK, 1))
        return 0;
    return twin_fail_status(twin_device_note(event->device, status), TWIN_CODE_EVENT_TIMEOUT,
                            "%s %u of device %u", twin_event_noun(event), event->name,
                            event->device->id);
}

int32_t twin_event_query(const twin_event *event, twin_signal_state *state)
{
    return result(event, twin_ops()->signal.query(event->signal, state));
}

int32_t twin_event_id(const twin_event *event, uint32_t *out_id)
{
    twin_signal_state state = {.ask = TWIN_ASK_HARDWARE_ID};
    twin_status status = twin_ops()->signal.query(event->signal, &state);
    if (status == TWIN_OK && !state.has_hardware_id)
        status = TWIN_E_INTERNAL;
    *out_id = state.hardware_id;
    return result(event, status);
}

int32_t twin_event_clear(const twin_event *event)
{
    return result(event, twin_ops()->signal.clear(event->signal));
}

int32_t twin_event_wait(const twin_event *event, uint64_t timeout_ns)
{
    if (__builtin_expect(atomic_load_explicit(&event->in_instance, memory_order_relaxed), 0))
        return twin_fail(TWIN_ERR_PARAM,
                         "event %u of device %u is recorded by a persistent stream, each time its "
                         "model instance runs; wait for the stream that runs the instance",
                         event->name, event->device->id);
    twin_assert_unlocked("signal.wait with a lock held");
    twin_status status =
        __builtin_expect(atomic_load_explicit(&event->device->aborting, memory_order_relaxed), 0)
            ? TWIN_E_DEVICE_ABORTED
            : twin_ops()->signal.wait(event->signal, timeout_ns);
    if (status != TWIN_OK) {
        twin_device_note(event->device, status);
        twin_users.wait_failed();
    }
    return result(event, status);
}

int32_t twin_event_time(const twin_event *event, uint64_t *out_ns)
{
    if ((twin_event_form(event) & (TWIN_EVENT_PLAIN | TWIN_EVENT_TIMELINE)) != 0)
        return result(event, twin_ops()->signal.timestamp(event->signal, out_ns));
    /* One that was not made for timing has no time, whether it is complete or not; but a missing
     * record is reported first. */
    twin_signal_state state = {0};
    twin_status status = twin_ops()->signal.query(event->signal, &state);
    if (status == TWIN_OK && !state.recorded)
        status = TWIN_E_NEVER_RECORDED;
    if (status != TWIN_OK)
        return result(event, status);
    return twin_fail(TWIN_ERR_TIMESTAMP,
                     "event %u of device %u was made without ACL_EVENT_TIME_LINE and has no time",
                     event->name, event->device->id);
}

double twin_event_elapsed(const twin_event *begin, const twin_event *end, double difference_ns)
{
    double ns = difference_ns;
    return twin_ops()->signal.elapsed(begin->signal, end->signal, &ns) == TWIN_OK ? ns
                                                                                  : difference_ns;
}

int32_t twin_event_available(uint32_t *out_count)
{
    TWIN_PINNED(context, context);
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    twin_status status =
        twin_ops()->signal.available(context->device->hw, TWIN_SIGNAL_EVENT_LEVEL, out_count);
    return twin_fail_status(status, TWIN_CODE_EVENT_TIMEOUT, "device %u", context->device->id);
}
