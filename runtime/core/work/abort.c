/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/object/context.h"
#include "core/object/state_callback.h"
#include "core/work/stream_control.h"

#define NS_PER_MS UINT64_C(1000000)

typedef struct abort_run {
    twin_device *device;
    uint64_t begin_ns;
    uint32_t timeout_ms; /* 0: no limit */
} abort_run;

/* What is left of the time, rounded up to ms; 107019 when nothing is. */
static int32_t time_left(const abort_run *run, uint32_t *out_ms)
{
    *out_ms = 0;
    if (run->timeout_ms == 0)
        return 0;
    uint64_t limit = run->timeout_ms * NS_PER_MS;
    uint64_t spent = twin_ops()->host.now() - run->begin_ns;
    if (spent >= limit)
        return twin_fail(TWIN_ERR_WAIT_TIMEOUT,
                         "the abort of device %u did not end within its limit of %u ms",
                         run->device->id, run->timeout_ms);
    *out_ms = (uint32_t)((limit - spent + NS_PER_MS - 1) / NS_PER_MS);
    return 0;
}

static int32_t notify(const abort_run *run, twin_abort_news news)
{
    uint32_t left_ms = 0;
    int32_t code = time_left(run, &left_ms);
    if (code != 0)
        return code;
    int32_t answer = twin_announce_abort(run->device->id, news, left_ms);
    if (answer == 0)
        return 0;
    char text[128];
    snprintf(text, sizeof(text), "a callback returned %d %s the abort of device %u", answer,
             news == TWIN_NEWS_ABORT_PRE ? "before" : "after", run->device->id);
    return twin_fail_code(answer, "EE1018", text);
}

static int32_t abort_halted(const abort_run *run)
{
    uint32_t left_ms = 0;
    int32_t code = notify(run, TWIN_NEWS_ABORT_PRE);
    if (code == 0)
        code = time_left(run, &left_ms);
    if (code != 0)
        return code;
    twin_assert_unlocked("device.abort with a lock held");
    twin_status status = twin_device_note(run->device, twin_ops()->device.abort(run->device->hw));
    code = twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "the work of device %u",
                            run->device->id);
    if (code == 0)
        code = notify(run, TWIN_NEWS_ABORT_POST);
    return code != 0 ? code : time_left(run, &left_ms);
}

/* The default context, pinned: it keeps the device up. */
static int32_t begin(twin_device *device, twin_context **out_context)
{
    twin_lock_take(&device->lock);
    bool other = atomic_load_explicit(&device->aborting, memory_order_relaxed);
    twin_context *context = other ? NULL : twin_handle_pin(&twin_contexts, device->primary);
    if (context)
        atomic_store_explicit(&device->aborting, true, memory_order_relaxed);
    twin_lock_drop(&device->lock);
    *out_context = context;
    if (context)
        return 0;
    if (other)
        return twin_fail_status(TWIN_E_DEVICE_ABORTED, TWIN_CODE_STREAM_TIMEOUT,
                                "another thread aborts the work of device %u", device->id);
    return twin_fail(TWIN_ERR_CONTEXT_NULL,
                     "device %u has no context: it was not set, or it has been reset", device->id);
}

int32_t twin_device_abort(int32_t id, uint32_t timeout_ms)
{
    if (timeout_ms > TWIN_ABORT_MS_MOST)
        return twin_fail(TWIN_ERR_PARAM, "timeout is %u ms; it must be %u (36 minutes) at most",
                         timeout_ms, TWIN_ABORT_MS_MOST);
    abort_run run = {.timeout_ms = timeout_ms};
    int32_t code = twin_device_find(id, &run.device);
    if (code != 0)
        return code;
    twin_context *context = NULL;
    code = begin(run.device, &context);
    if (code != 0)
        return code;
    run.begin_ns = twin_ops()->host.now();
    twin_stream_halt_all(run.device, true);
    code = abort_halted(&run);

    twin_lock_take(&run.device->lock);
    atomic_store_explicit(&run.device->aborting, false, memory_order_relaxed);
    twin_lock_drop(&run.device->lock);
    twin_stream_halt_all(run.device, false);
    twin_context_unpin(context);
    return code;
}
