/* SPDX-License-Identifier: Apache-2.0 */
#include "core/callback/exception_callback.h"

#include <utlist.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/backend/thread_state.h"
#include "core/base/alloc.h"
#include "core/object/context.h"
#include "core/work/launch.h"

typedef struct listener {
    struct listener *next; /* registered later */
    uint64_t serial;       /* rises along the list */
    twin_failure_listener function;
} listener;

static twin_lock listeners_lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_CALLBACKS);
/* Guarded by listeners_lock. */
static listener *listeners;
static twin_failure_listener lone_listener;
static uint64_t last_serial;
static struct report *reports;

/* One call of a listener under way. */
struct report {
    struct rtExceptionInfo info; /* what it was given the address of */
    struct report *next;
};

static listener **find_locked(twin_failure_listener function)
{
    listener **link = &listeners;
    while (*link && (*link)->function != function)
        link = &(*link)->next;
    return link;
}

int32_t twin_failure_listen(twin_failure_listener function)
{
    listener *item = twin_zalloc(sizeof(*item));
    if (!item)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for a callback");
    item->function = function;
    twin_lock_take(&listeners_lock);
    listener **link = find_locked(function);
    if (!*link) {
        item->serial = ++last_serial;
        *link = item;
        item = NULL;
    }
    twin_lock_drop(&listeners_lock);
    twin_free(item);
    return 0;
}

void twin_failure_unlisten(twin_failure_listener function)
{
    twin_lock_take(&listeners_lock);
    listener **link = find_locked(function);
    listener *item = *link;
    if (item)
        *link = item->next;
    twin_lock_drop(&listeners_lock);
    twin_free(item);
}

void twin_failure_set_listener(twin_failure_listener function)
{
    TWIN_LOCKED(&listeners_lock);
    lone_listener = function;
}

/* The first function registered after `serial`, which becomes that one's, and not after `newest`;
 * NULL: there is none. */
static twin_failure_listener next_after(uint64_t *serial, uint64_t newest)
{
    TWIN_LOCKED(&listeners_lock);
    const listener *item = listeners;
    while (item && item->serial <= *serial)
        item = item->next;
    if (!item || item->serial > newest)
        return NULL;
    *serial = item->serial;
    return item->function;
}

/* The listener to call: with its argument if `own`. */
typedef struct target {
    twin_failure_listener function;
    twin_binary_listener own;
} target;

static void call(target to, const struct rtExceptionInfo *info)
{
    struct report report = {.info = *info};
    twin_lock_take(&listeners_lock);
    LL_PREPEND(reports, &report);
    twin_lock_drop(&listeners_lock);

    const twin_call *outer = twin_outcall_begin();
    if (to.own.function)
        to.own.function(&report.info, to.own.user);
    else
        to.function(&report.info);
    twin_outcall_end(outer);

    twin_lock_take(&listeners_lock);
    LL_DELETE(reports, &report);
    twin_lock_drop(&listeners_lock);
}

bool twin_failure_read(const struct rtExceptionInfo *info, struct rtExceptionInfo *out)
{
    TWIN_LOCKED(&listeners_lock);
    const struct report *report = reports;
    while (report && &report->info != info)
        report = report->next;
    if (report)
        *out = report->info;
    return report != NULL;
}

static void call_all(const struct rtExceptionInfo *info)
{
    twin_assert_unlocked("a callback with a lock held");
    twin_lock_take(&listeners_lock);
    twin_failure_listener lone = lone_listener;
    /* A listener registered from now on, also by a listener that runs, gets the next failure. */
    uint64_t newest = last_serial;
    twin_lock_drop(&listeners_lock);
    if (lone)
        call((target){.function = lone}, info);
    uint64_t serial = 0;
    twin_failure_listener function;
    while ((function = next_after(&serial, newest)) != NULL)
        call((target){.function = function}, info);
}

/* A failure that was taken from the backend. */
typedef struct taken {
    struct rtExceptionInfo info;
    twin_launch *kernel; /* kept; NULL: it was none */
    twin_device *device;
} taken;

static void notify(taken *failure)
{
    if (!failure->kernel) {
        call_all(&failure->info);
        return;
    }
    const twin_failed_launch launch = twin_launch_failed(failure->kernel, failure->device);
    failure->info.kernel = true;
    failure->info.function = launch.function;
    failure->info.args = launch.args;
    failure->info.args_bytes = launch.args_bytes;
    call_all(&failure->info);
    const twin_binary_listener own = twin_binary_listener_of(launch.binary, launch.binary_handle);
    if (own.function)
        call((target){.own = own}, &failure->info);
    failure->kernel->release(failure->kernel);
}

/* The stream is pinned, or listed and its context locked. */
static bool take(twin_stream *stream, taken *out)
{
    twin_failure failure;
    if (twin_ops()->queue.take_failure(stream->queue, &failure) != TWIN_OK)
        return false;
    *out = (taken){.info = {.task_id = failure.task_id,
                            .stream_id = stream->id,
                            .thread_id = failure.thread,
                            .device_id = stream->device->id,
                            .code = (uint32_t)twin_status_code(failure.status)},
                   .kernel = failure.kernel,
                   .device = stream->device};
    return true;
}

static bool take_any(twin_context *context, taken *out)
{
    TWIN_LOCKED(&context->lock);
    for (twin_stream *stream = context->streams; stream; stream = stream->next)
        if (take(stream, out))
            return true;
    return false;
}

void twin_failure_report(twin_stream *stream)
{
    taken failure;
    while (take(stream, &failure))
        notify(&failure);
    twin_context *context = twin_stream_pin_context(stream);
    if (!context) /* another thread has ended it, and took the failures of its streams */
        return;
    while (atomic_load_explicit(&context->stops, memory_order_relaxed) &&
           take_any(context, &failure))
        notify(&failure);
    twin_context_unpin(context);
}

void twin_failure_report_current(void)
{
    twin_context *context = twin_handle_pin(&twin_contexts, twin_self.context);
    if (!context)
        return;
    taken failure;
    while (take_any(context, &failure))
        notify(&failure);
    twin_context_unpin(context);
}
