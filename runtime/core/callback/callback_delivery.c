/* SPDX-License-Identifier: Apache-2.0 */
#include "core/callback/callback_delivery.h"

#include <pthread.h>
#include <utlist.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/base/alloc.h"

struct twin_subscriber {
    /* Fixed. */
    uint64_t thread;
    twin_device *device;
    twin_call_queue *call_queue;
    /* Guarded by subscribers_lock. */
    struct twin_subscriber *next, *previous; /* in the list while streams > 0 */
    uint32_t streams;
    uint32_t users; /* streams, and threads inside one of the functions below */
};

static twin_lock subscribers_lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_REPORTS);
static twin_subscriber *subscribers; /* this and the count: guarded by subscribers_lock */
static uint32_t subscriber_count;

twin_call_queue *twin_callback_call_queue(const twin_subscriber *subscriber)
{
    return subscriber->call_queue;
}

int32_t twin_fail_context_runs(uint32_t stream_id)
{
    return twin_fail(TWIN_ERR_SUBSCRIBED,
                     "stream %u uses aclrtLaunchHostFunc, whose functions its context's own thread "
                     "runs; use another stream for callbacks",
                     stream_id);
}

/* ---- subscribers ----------------------------------------------------------------------------- */

static twin_subscriber *find_locked(uint64_t thread)
{
    twin_subscriber *subscriber = subscribers;
    while (subscriber && subscriber->thread != thread)
        subscriber = subscriber->next;
    return subscriber;
}

static void drop_user(twin_subscriber *subscriber)
{
    twin_lock_take(&subscribers_lock);
    bool last = --subscriber->users == 0;
    twin_lock_drop(&subscribers_lock);
    if (!last)
        return;
    twin_ops()->call_queue.destroy(subscriber->call_queue);
    twin_free(subscriber);
}

/* One stream less. After the last one the subscriber is not found any more. */
static void drop_stream(twin_subscriber *subscriber)
{
    twin_lock_take(&subscribers_lock);
    bool last = --subscriber->streams == 0;
    if (last) {
        DL_DELETE2(subscribers, subscriber, previous, next);
        subscriber_count--;
    }
    twin_lock_drop(&subscribers_lock);
    if (last)
        twin_ops()->call_queue.close(subscriber->call_queue);
    drop_user(subscriber);
}

/* One stream more for a thread that has some, or for `made`, if that is not NULL, else
 * *out_subscriber is NULL. A refusal where the thread serves another device, or where there are too
 * many threads. */
static int32_t join(uint64_t thread, const twin_device *device, twin_subscriber *made,
                    twin_subscriber **out_subscriber)
{
    twin_lock_take(&subscribers_lock);
    twin_subscriber *subscriber = find_locked(thread);
    const twin_device *other =
        subscriber && subscriber->device != device ? subscriber->device : NULL;
    const bool full = !subscriber && subscriber_count >= TWIN_SUBSCRIBERS_MOST;
    if (!subscriber && made && !full) {
        subscriber = made;
        DL_PREPEND2(subscribers, made, previous, next);
        subscriber_count++;
    }
    if (subscriber && !other) {
        subscriber->streams++;
        subscriber->users++;
    }
    twin_lock_drop(&subscribers_lock);
    if (other)
        return twin_fail(TWIN_ERR_SUBSCRIBER,
                         "the thread runs callbacks of device %u; a thread serves one device only",
                         other->id);
    if (full)
        return twin_fail(TWIN_ERR_INTERNAL,
                         "%u threads are subscribed, which is the limit; let one thread serve "
                         "several streams",
                         TWIN_SUBSCRIBERS_MOST);
    *out_subscriber = subscriber;
    return 0;
}

/* The thread's subscriber on that device, with one stream more. */
static int32_t add_stream(uint64_t thread, twin_device *device, twin_subscriber **out_subscriber)
{
    int32_t code = join(thread, device, NULL, out_subscriber);
    if (code != 0 || *out_subscriber)
        return code;
    twin_subscriber *made = twin_zalloc(sizeof(*made));
    if (!made)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for a subscription");
    twin_status status = twin_device_note(
        device, twin_ops()->call_queue.create(device->hw, false, &made->call_queue));
    if (status != TWIN_OK) {
        twin_free(made);
        return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT,
                                "device %u cannot create a queue for callbacks", device->id);
    }
    made->thread = thread;
    made->device = device;
    code = join(thread, device, made, out_subscriber);
    if (code != 0 || *out_subscriber != made) { /* another thread was faster */
        twin_ops()->call_queue.destroy(made->call_queue);
        twin_free(made);
    }
    return code;
}

/* ---- streams --------------------------------------------------------------------------------- */

typedef enum subscription { NO_SUBSCRIBER, A_THREAD, THE_CONTEXT, GONE } subscription;

/* Sets the stream's subscriber if it has none and `subscriber` is one. Says how it was. */
static subscription look(twin_stream *stream, twin_subscriber *subscriber)
{
    TWIN_LOCKED(&stream->lock);
    if (stream->destroying)
        return GONE;
    if (stream->subscriber)
        return A_THREAD;
    if (stream->host_functions)
        return THE_CONTEXT;
    if (subscriber)
        stream->subscriber = subscriber;
    return NO_SUBSCRIBER;
}

static int32_t fail_found(const twin_stream *stream, subscription found)
{
    switch (found) {
    case A_THREAD:
        return twin_fail(TWIN_ERR_SUBSCRIBED,
                         "a thread is subscribed to stream %u already; a stream has one only",
                         stream->id);
    case THE_CONTEXT:
        return twin_fail_context_runs(stream->id);
    case GONE:
        return twin_fail(TWIN_ERR_HANDLE, "stream %u is being destroyed", stream->id);
    case NO_SUBSCRIBER:
        break;
    }
    return 0;
}

int32_t twin_callback_subscribe(uint64_t thread, uint64_t stream_handle)
{
    TWIN_PINNED(stream, stream);
    twin_subscriber *subscriber = NULL;
    int32_t code = twin_stream_pin_current(stream_handle, &stream);
    if (code == 0)
        code = fail_found(stream, look(stream, NULL));
    if (code == 0)
        code = add_stream(thread, stream->device, &subscriber);
    if (code != 0)
        return code;
    const subscription found = look(stream, subscriber);
    if (found != NO_SUBSCRIBER) /* another thread was faster */
        drop_stream(subscriber);
    return fail_found(stream, found);
}

int32_t twin_callback_unsubscribe(uint64_t thread, uint64_t stream_handle)
{
    TWIN_PINNED(stream, stream);
    int32_t code = twin_stream_pin(stream_handle, &stream);
    if (code != 0)
        return code;
    twin_lock_take(&stream->lock);
    twin_subscriber *subscriber = stream->subscriber;
    bool host_functions = stream->host_functions;
    bool own = subscriber && subscriber->thread == thread;
    if (own)
        stream->subscriber = NULL;
    twin_lock_drop(&stream->lock);
    if (own)
        drop_stream(subscriber);
    else if (host_functions)
        code = twin_fail_context_runs(stream->id);
    else if (subscriber)
        code =
            twin_fail(TWIN_ERR_SUBSCRIBER, "another thread is subscribed to stream %u", stream->id);
    else
        code = twin_fail(TWIN_ERR_SUBSCRIBED, "no thread is subscribed to stream %u", stream->id);
    return code;
}

void twin_callback_drop_stream(twin_stream *stream)
{
    twin_lock_take(&stream->lock);
    twin_subscriber *subscriber = stream->subscriber;
    stream->subscriber = NULL;
    twin_lock_drop(&stream->lock);
    if (subscriber)
        drop_stream(subscriber);
}

/* ---- running --------------------------------------------------------------------------------- */

struct outcall {
    const struct twin_backend *ops;
    twin_call_queue *call_queue;
    uint64_t ticket;
    const twin_call *call;
};

/* The function has returned, or its thread ends in it: the stream goes on either way. */
static void answer(void *argument)
{
    const struct outcall *outcall = argument;
    twin_outcall_end(outcall->call);
    outcall->ops->call_queue.answer(outcall->call_queue, outcall->ticket);
}

void twin_callback_run(const struct twin_backend *ops, twin_call_queue *call_queue,
                       const twin_taken_call *taken)
{
    struct outcall outcall = {ops, call_queue, taken->ticket, twin_outcall_begin()};
    pthread_cleanup_push(answer, &outcall);
    taken->call.fn(taken->call.argument);
    pthread_cleanup_pop(1);
}

static int32_t fail_not_subscribed(void)
{
    return twin_fail(
        TWIN_ERR_SUBSCRIBER,
        "this thread is not subscribed to a stream; call aclrtSubscribeReport with its "
        "pthread_self() first");
}

/* The thread ends in a function, and with it the call. */
static void leave_function(void *subscriber)
{
    twin_self.serves_device = NULL;
    drop_user(subscriber);
    twin_self.inside = false;
    atomic_store_explicit(&twin_self.in_call, false, memory_order_release);
}

/* A separate function: the cleanup keeps a jump buffer, which must not share a frame with what
 * changes beside it. */
__attribute__((noinline)) static void
run_call(const struct twin_backend *ops, twin_subscriber *subscriber, const twin_taken_call *taken)
{
    pthread_cleanup_push(leave_function, subscriber);
    twin_callback_run(ops, subscriber->call_queue, taken);
    pthread_cleanup_pop(0);
}

int32_t twin_callback_process(uint64_t timeout_ns)
{
    if (twin_self.serves_device)
        return twin_fail(TWIN_ERR_SUBSCRIBER,
                         "this thread runs a function that a stream called; it can take the next "
                         "one when that has returned");
    twin_lock_take(&subscribers_lock);
    twin_subscriber *subscriber = find_locked((uint64_t)pthread_self());
    if (subscriber)
        subscriber->users++;
    twin_lock_drop(&subscribers_lock);
    if (!subscriber)
        return fail_not_subscribed();

    const struct twin_backend *ops = twin_ops();
    twin_assert_unlocked("call_queue.take with a lock held");
    twin_taken_call taken;
    twin_status status = ops->call_queue.take(subscriber->call_queue, timeout_ns, &taken);
    bool any = status == TWIN_OK;
    while (status == TWIN_OK) {
        twin_self.serves_device = subscriber->device;
        run_call(ops, subscriber, &taken);
        twin_self.serves_device = NULL;
        status = ops->call_queue.take(subscriber->call_queue, 0, &taken);
    }
    uint32_t device_id = subscriber->device->id;
    drop_user(subscriber);
    if (any)
        return 0;
    if (status == TWIN_E_CLOSED)
        return fail_not_subscribed();
    return twin_fail_status(status, TWIN_CODE_REPORT_TIMEOUT,
                            "no callback of a stream of device %u came for this thread", device_id);
}
