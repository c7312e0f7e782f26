/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of host functions. A thread of each host-call queue runs the vendor's callbacks; a callback
 * passes its call to the thread that takes from the host-call queue, and returns when the stream
 * may continue. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <utlist.h>

#include "process.h"

#define NS_PER_S  1000000000
#define REPORT_MS 500 /* how long the thread of a host-call queue that ends may take to notice */
#define PAUSE_NS  10000000
#define ASK_NS    UINT64_C(100000000)

/* One time that a callback was called. */
typedef struct call_run {
    struct call_run *next, *prev;
    twin_taken_call taken;
    bool done;
} call_run;

/* A call that the vendor will make: until it was made, or for a deferred queue until its tasks are
 * dropped. The vendor has only its number: a late call finds nothing. */
typedef struct call_task {
    struct call_task *next;
    uint64_t number;
    twin_call_queue *call_queue;
    const twin_queue *queue;
    twin_host_call call;
    bool stays;
} call_task;

struct twin_call_queue {
    twin_hw_device *device;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Guarded by lock. */
    uint32_t users; /* its creator, its thread, tasks */
    uint32_t streams;
    bool has_thread;
    bool closed;
    pthread_t thread;
    uint64_t next_ticket;
    call_run *waiting; /* not taken, oldest first */
    call_run *taken;   /* not answered */
};

static pthread_mutex_t tasks_lock = PTHREAD_MUTEX_INITIALIZER;
/* Guarded by tasks_lock. */
static call_task *tasks;
static uint64_t last_number;

static void free_runs(call_run *runs)
{
    call_run *run, *next;
    DL_FOREACH_SAFE(runs, run, next)
        free(run);
}

static void drop_locked(twin_call_queue *call_queue)
{
    bool last = --call_queue->users == 0;
    pthread_mutex_unlock(&call_queue->lock);
    if (!last)
        return;
    free_runs(call_queue->waiting);
    free_runs(call_queue->taken);
    pthread_cond_destroy(&call_queue->changed);
    pthread_mutex_destroy(&call_queue->lock);
    free(call_queue);
}

static void drop(twin_call_queue *call_queue)
{
    pthread_mutex_lock(&call_queue->lock);
    drop_locked(call_queue);
}

static struct timespec from_now(uint64_t ns)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    uint64_t sum = (uint64_t)at.tv_nsec + ns % NS_PER_S;
    at.tv_sec += (time_t)(ns / NS_PER_S + sum / NS_PER_S);
    at.tv_nsec = (long)(sum % NS_PER_S);
    return at;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static void end_task(call_task *task)
{
    twin_call_queue *call_queue = task->call_queue;
    free(task);
    drop(call_queue);
}

/* Takes one task out of the list: the one of that number, or any of a queue's. */
static call_task *take_task_locked(uint64_t number, const twin_queue *queue)
{
    call_task *found = tasks;
    while (found && (queue ? found->queue != queue : found->number != number))
        found = found->next;
    if (found)
        LL_DELETE(tasks, found);
    return found;
}

static call_task *take_task(uint64_t number, const twin_queue *queue)
{
    pthread_mutex_lock(&tasks_lock);
    call_task *found = take_task_locked(number, queue);
    pthread_mutex_unlock(&tasks_lock);
    return found;
}

/* The queue's stream is gone, or its tasks are: none of them is called any more. */
void ascend_calls_forget(const twin_queue *queue)
{
    call_task *task;
    while ((task = take_task(0, queue)) != NULL)
        end_task(task);
}

/* What is to be called, and the host-call queue, which the caller drops. False: the queue has
 * forgotten it. */
static bool claim(uint64_t number, twin_host_call *out_call, twin_call_queue **out_call_queue)
{
    pthread_mutex_lock(&tasks_lock);
    call_task *task = take_task_locked(number, NULL);
    bool found = task != NULL, stays = found && task->stays;
    if (found) {
        *out_call = task->call;
        *out_call_queue = task->call_queue;
    }
    if (stays) {
        pthread_mutex_lock(&task->call_queue->lock);
        task->call_queue->users++;
        pthread_mutex_unlock(&task->call_queue->lock);
        LL_PREPEND(tasks, task);
    }
    pthread_mutex_unlock(&tasks_lock);
    if (!stays)
        free(task);
    return found;
}

/* The stream has reached the call. Runs on the host-call queue's thread. */
static void called(void *argument)
{
    twin_call_queue *call_queue = NULL;
    twin_host_call call;
    if (!claim((uint64_t)(uintptr_t)argument, &call, &call_queue))
        return;
    call_run *run = calloc(1, sizeof(*run));
    pthread_mutex_lock(&call_queue->lock);
    if (!run)
        ascend.services->log(3, "out of host memory: a host function of a stream is skipped");
    bool handed = run && !call_queue->closed;
    if (handed) {
        run->taken = (twin_taken_call){.call = call, .ticket = ++call_queue->next_ticket};
        DL_APPEND(call_queue->waiting, run);
        pthread_cond_broadcast(&call_queue->changed);
    }
    while (handed && call.block && !run->done && !call_queue->closed)
        pthread_cond_wait(&call_queue->changed, &call_queue->lock);
    if (!handed || (call.block && run->done))
        free(run);
    else
        run->taken.call.block = false; /* the answer, or the end of the host-call queue, frees it */
    drop_locked(call_queue);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void *serve(void *argument)
{
    twin_call_queue *call_queue = argument;
    /* A second copy of this runtime has simulated time: a limit would make it pass. */
    const int32_t limit_ms = ascend_library_found.inner ? -1 : REPORT_MS;
    pthread_mutex_lock(&call_queue->lock);
    /* Streams must not wait for callbacks that no thread takes. */
    while ((!call_queue->closed || call_queue->streams > 0) && !atomic_load(&ascend.over)) {
        if (call_queue->streams == 0) {
            pthread_cond_wait(&call_queue->changed, &call_queue->lock);
            continue;
        }
        pthread_mutex_unlock(&call_queue->lock);
        int32_t code = vendor.process_report(limit_ms);
        pthread_mutex_lock(&call_queue->lock);
        if (code == 0 || (code == ACL_ERROR_RT_REPORT_TIMEOUT && limit_ms > 0))
            continue;
        /* All wait, or streams come and go just now. */
        const struct timespec until = from_now(PAUSE_NS);
        pthread_cond_timedwait(&call_queue->changed, &call_queue->lock, &until);
    }
    drop_locked(call_queue);
    return NULL;
}

static twin_status start_thread(twin_call_queue *call_queue)
{
    twin_status status = TWIN_OK;
    pthread_mutex_lock(&call_queue->lock);
    if (!call_queue->has_thread && !call_queue->closed) {
        call_queue->users++;
        if (pthread_create(&call_queue->thread, NULL, serve, call_queue) == 0) {
            pthread_detach(call_queue->thread);
            call_queue->has_thread = true;
        } else {
            call_queue->users--;
            status = TWIN_E_NOMEM;
        }
    }
    pthread_mutex_unlock(&call_queue->lock);
    return status;
}

/* The stream's callbacks are the host-call queue's from now on. */
static twin_status join(twin_queue *queue, twin_call_queue *call_queue)
{
    if (queue->call_queue == call_queue)
        return TWIN_OK;
    ascend_call_queue_leave(queue);
    twin_status status = start_thread(call_queue);
    if (status == TWIN_OK)
        status = ascend_status(vendor.subscribe((uint64_t)call_queue->thread, queue->stream));
    if (status != TWIN_OK)
        return status;
    pthread_mutex_lock(&call_queue->lock);
    call_queue->users++;
    call_queue->streams++;
    pthread_cond_broadcast(&call_queue->changed);
    pthread_mutex_unlock(&call_queue->lock);
    queue->call_queue = call_queue;
    return TWIN_OK;
}

void ascend_call_queue_leave(twin_queue *queue)
{
    twin_call_queue *call_queue = queue->call_queue;
    if (!call_queue)
        return;
    queue->call_queue = NULL;
    if (ascend_use_queue(queue) == TWIN_OK)
        vendor.unsubscribe((uint64_t)call_queue->thread, queue->stream);
    pthread_mutex_lock(&call_queue->lock);
    call_queue->streams--;
    drop_locked(call_queue);
}

twin_status ascend_work_call(twin_queue *queue, twin_call_queue *call_queue,
                             const twin_host_call *call)
{
    if (!vendor.launch_callback || !vendor.process_report || !vendor.subscribe ||
        !vendor.unsubscribe)
        return TWIN_E_UNSUPPORTED;
    twin_status status = ascend_use_queue(queue);
    if (status == TWIN_OK)
        status = join(queue, call_queue);
    if (status != TWIN_OK)
        return status;
    call_task *task = calloc(1, sizeof(*task));
    if (!task)
        return TWIN_E_NOMEM;
    task->call_queue = call_queue;
    task->queue = queue;
    task->call = *call;
    task->stays = queue->deferred;
    pthread_mutex_lock(&call_queue->lock);
    call_queue->users++;
    pthread_mutex_unlock(&call_queue->lock);
    pthread_mutex_lock(&tasks_lock);
    const uint64_t number = ++last_number;
    task->number = number;
    LL_PREPEND(tasks, task);
    pthread_mutex_unlock(&tasks_lock);
    status = ascend_status(vendor.launch_callback(
        called, ascend_pointer(number), call->block ? ACL_CALLBACK_BLOCK : ACL_CALLBACK_NO_BLOCK,
        queue->stream));
    if (status != TWIN_OK && (task = take_task(number, NULL)) != NULL)
        end_task(task);
    return status;
}

/* ---- the ops --------------------------------------------------------------------------------- */

twin_status ascend_call_queue_create(twin_hw_device *device, bool service,
                                     twin_call_queue **out_call_queue)
{
    (void)service; /* each has its own thread */
    twin_call_queue *call_queue = calloc(1, sizeof(*call_queue));
    if (!call_queue)
        return TWIN_E_NOMEM;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&call_queue->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&call_queue->lock, NULL);
    call_queue->device = device;
    call_queue->users = 1;
    *out_call_queue = call_queue;
    return TWIN_OK;
}

void ascend_call_queue_close(twin_call_queue *call_queue)
{
    pthread_mutex_lock(&call_queue->lock);
    call_queue->closed = true;
    pthread_cond_broadcast(&call_queue->changed);
    pthread_mutex_unlock(&call_queue->lock);
}

void ascend_call_queue_destroy(twin_call_queue *call_queue)
{
    ascend_call_queue_close(call_queue);
    drop(call_queue);
}

/* Waits for a change, at most until `until` when that is given. False: it is past. */
static bool wait_locked(twin_call_queue *call_queue, const struct timespec *until,
                        bool *out_interrupted)
{
    const twin_services *services = ascend.services;
    if (!services->interruptible()) {
        if (!until)
            return pthread_cond_wait(&call_queue->changed, &call_queue->lock) == 0;
        return pthread_cond_timedwait(&call_queue->changed, &call_queue->lock, until) != ETIMEDOUT;
    }
    struct timespec ask = from_now(ASK_NS);
    bool last = until && (until->tv_sec < ask.tv_sec ||
                          (until->tv_sec == ask.tv_sec && until->tv_nsec <= ask.tv_nsec));
    if (pthread_cond_timedwait(&call_queue->changed, &call_queue->lock, last ? until : &ask) !=
        ETIMEDOUT)
        return true;
    pthread_mutex_unlock(&call_queue->lock);
    *out_interrupted = services->interrupted();
    pthread_mutex_lock(&call_queue->lock);
    return !last;
}

twin_status ascend_call_queue_take(twin_call_queue *call_queue, uint64_t timeout_ns,
                                   twin_taken_call *out_call)
{
    bool forever = timeout_ns == TWIN_FOREVER, interrupted = false;
    const struct timespec until = from_now(forever ? 0 : timeout_ns);
    twin_status status = TWIN_OK;
    pthread_mutex_lock(&call_queue->lock);
    while (!call_queue->waiting && status == TWIN_OK) {
        if (call_queue->closed)
            status = TWIN_E_CLOSED;
        else if (!wait_locked(call_queue, forever ? NULL : &until, &interrupted) &&
                 !call_queue->waiting)
            status = TWIN_E_TIMEOUT;
        if (interrupted)
            status = TWIN_E_INTERRUPTED;
    }
    call_run *run = call_queue->waiting;
    if (call_queue->closed)
        status = TWIN_E_CLOSED;
    else if (status == TWIN_OK) {
        DL_DELETE(call_queue->waiting, run);
        DL_PREPEND(call_queue->taken, run);
        *out_call = run->taken;
    }
    pthread_mutex_unlock(&call_queue->lock);
    return status;
}

void ascend_call_queue_answer(twin_call_queue *call_queue, uint64_t ticket)
{
    pthread_mutex_lock(&call_queue->lock);
    call_run *run;
    DL_SEARCH_SCALAR(call_queue->taken, run, taken.ticket, ticket);
    if (run) {
        DL_DELETE(call_queue->taken, run);
        if (run->taken.call.block) {
            run->done = true; /* the callback that waits frees it */
            pthread_cond_broadcast(&call_queue->changed);
        } else {
            free(run);
        }
    }
    pthread_mutex_unlock(&call_queue->lock);
}
