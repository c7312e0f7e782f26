/* SPDX-License-Identifier: Apache-2.0 */
#include "core/failure.h"

#include "core/alloc.h"
#include "core/context.h"
#include "core/error.h"
#include "core/registry.h"
#include "core/thread_state.h"

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
static struct telling *tellings;

/* One function that is being told. */
struct telling {
    struct rtExceptionInfo info; /* what it was given the address of */
    struct telling *next;
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
    twin_lock_take(&listeners_lock);
    lone_listener = function;
    twin_lock_drop(&listeners_lock);
}

/* The first function registered after `serial`, which becomes that one's, and not after `newest`; NULL: there is none. */
static twin_failure_listener next_after(uint64_t *serial, uint64_t newest)
{
    twin_lock_take(&listeners_lock);
    const listener *item = listeners;
    while (item && item->serial <= *serial)
        item = item->next;
    if (item && item->serial > newest)
        item = NULL;
    twin_failure_listener function = item ? item->function : NULL;
    if (item)
        *serial = item->serial;
    twin_lock_drop(&listeners_lock);
    return function;
}

static void call(twin_failure_listener function, const struct rtExceptionInfo *info)
{
    struct telling telling = {.info = *info};
    twin_lock_take(&listeners_lock);
    telling.next = tellings;
    tellings = &telling;
    twin_lock_drop(&listeners_lock);

    const twin_call *outer = twin_outcall_begin();
    function(&telling.info);
    twin_outcall_end(outer);

    twin_lock_take(&listeners_lock);
    struct telling **link = &tellings;
    while (*link != &telling)
        link = &(*link)->next;
    *link = telling.next;
    twin_lock_drop(&listeners_lock);
}

bool twin_failure_read(const struct rtExceptionInfo *info, struct rtExceptionInfo *out)
{
    twin_lock_take(&listeners_lock);
    const struct telling *telling = tellings;
    while (telling && &telling->info != info)
        telling = telling->next;
    if (telling)
        *out = telling->info;
    twin_lock_drop(&listeners_lock);
    return telling != NULL;
}

static void call_all(const struct rtExceptionInfo *info)
{
    twin_assert_unlocked("a callback with a lock held");
    twin_lock_take(&listeners_lock);
    twin_failure_listener lone = lone_listener;
    /* Who registers from now on is told of the next failure: a function may do so while it is told. */
    uint64_t newest = last_serial;
    twin_lock_drop(&listeners_lock);
    if (lone)
        call(lone, info);
    uint64_t serial = 0;
    twin_failure_listener function;
    while ((function = next_after(&serial, newest)) != NULL)
        call(function, info);
}

/* The stream is pinned, or listed and its context locked. */
static bool take(twin_stream *stream, struct rtExceptionInfo *out_info)
{
    twin_failure failure;
    if (twin_ops()->queue.take_failure(stream->queue, &failure) != TWIN_OK)
        return false;
    *out_info = (struct rtExceptionInfo){.task_id = failure.task_id,
                                         .stream_id = stream->id,
                                         .thread_id = failure.thread,
                                         .device_id = stream->device->id,
                                         .code = (uint32_t)twin_status_code(failure.status)};
    return true;
}

static bool take_any(twin_context *context, struct rtExceptionInfo *out_info)
{
    bool taken = false;
    twin_lock_take(&context->lock);
    for (twin_stream *stream = context->streams; stream && !taken; stream = stream->next)
        taken = take(stream, out_info);
    twin_lock_drop(&context->lock);
    return taken;
}

void twin_failure_tell(twin_stream *stream)
{
    struct rtExceptionInfo info;
    while (take(stream, &info))
        call_all(&info);
    if (!atomic_load_explicit(&stream->context->stops, memory_order_relaxed))
        return;
    while (take_any(stream->context, &info))
        call_all(&info);
}

void twin_failure_tell_current(void)
{
    twin_context *context = twin_handle_pin(&twin_contexts, twin_self.context);
    if (!context)
        return;
    struct rtExceptionInfo info;
    while (take_any(context, &info))
        call_all(&info);
    twin_context_unpin(context);
}
