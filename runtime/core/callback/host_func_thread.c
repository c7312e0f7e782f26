/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/backend/blocked.h"
#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/base/alloc.h"
#include "core/base/log.h"
#include "core/callback/callback_delivery.h"

/* Real time. */
#define WARN_AFTER_S 5

/* How often in a row a call cannot be taken before the thread ends. */
#define TAKES_MOST 3

typedef struct twin_service {
    /* Fixed once the thread runs. */
    const struct twin_backend *ops;
    twin_call_queue *call_queue;
    const twin_device *device;
    uint64_t context; /* handle */
    pid_t process;    /* that has the thread */
    pthread_t thread;
    sem_t attached;
    bool abandoned; /* set and read on the thread itself: no one waits for its end */
    atomic_int end; /* enum service_end */
} twin_service;

/* Of the end of the thread: who comes second knows the other. */
enum service_end { RUNS, AWAITED, ENDED };

static void free_service(twin_service *service)
{
    service->ops->call_queue.destroy(service->call_queue);
    sem_destroy(&service->attached);
    twin_free(service);
}

/* The host-call queue is closed, or the thread ends in a function of the program. */
static void end_thread(void *argument)
{
    twin_service *service = argument;
    /* No public call of this thread is under way. */
    atomic_store_explicit(&twin_self.in_call, false, memory_order_release);
    if (service->abandoned)
        free_service(service);
    else if (atomic_exchange(&service->end, ENDED) == AWAITED)
        twin_blocked_end();
    twin_threads_of_runtime(-1);
}

/* Waits for the next call. False: the host-call queue is closed, or fails again and again. */
static bool take(const twin_service *service, twin_taken_call *out)
{
    twin_status status = TWIN_OK;
    for (unsigned i = 0; i < TAKES_MOST; i++) {
        status = service->ops->call_queue.take(service->call_queue, TWIN_FOREVER, out);
        if (status == TWIN_OK || status == TWIN_E_CLOSED)
            return status == TWIN_OK;
    }
    twin_log(TWIN_LOG_ERROR,
             "device %u: host functions of a context are not run any more: %s; destroy the context",
             service->device->id, twin_status_text(status));
    return false;
}

/* A separate function: the cleanup keeps a jump buffer. */
__attribute__((noinline)) static void serve_calls(twin_service *service)
{
    const struct twin_backend *ops = service->ops;
    pthread_cleanup_push(end_thread, service);
    twin_taken_call taken;
    while (take(service, &taken)) {
        twin_self.serves_device = service->device;
        twin_self.serves_context = service->context;
        twin_callback_run(ops, service->call_queue, &taken);
        twin_self.serves_device = NULL;
        twin_self.serves_context = 0;
        /* No public call of this thread is under way. */
        atomic_store_explicit(&twin_self.in_call, false, memory_order_release);
    }
    pthread_cleanup_pop(1);
}

static void *serve(void *argument)
{
    twin_service *service = argument;
    pthread_setname_np(pthread_self(), "twinrt-function");
    twin_thread_own();
    (void)twin_thread_attach();
    sem_post(&service->attached);
    serve_calls(service);
    return NULL;
}

/* The program's signals are for the program's threads; faults stay where they happen. */
static int start_thread(twin_service *service)
{
    sigset_t all;
    sigset_t before;
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigfillset(&all);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    twin_threads_of_runtime(1);
    int error = pthread_create(&service->thread, NULL, serve, service);
    if (error != 0)
        twin_threads_of_runtime(-1);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static int32_t make_service(twin_context *context, twin_service **out_service)
{
    twin_device *device = context->device;
    twin_service *service = twin_zalloc(sizeof(*service));
    if (!service)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for host functions");
    service->ops = twin_ops();
    service->device = device;
    service->context = context->object.handle;
    service->process = getpid();
    sem_init(&service->attached, 0, 0);
    twin_status status = twin_device_note(
        device, service->ops->call_queue.create(device->hw, true, &service->call_queue));
    if (status != TWIN_OK) {
        sem_destroy(&service->attached);
        twin_free(service);
        return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT,
                                "device %u cannot create a queue for host functions", device->id);
    }
    if (start_thread(service) != 0) {
        free_service(service);
        return twin_fail(TWIN_ERR_NOMEM, "cannot create a thread that runs host functions");
    }
    /* Threads are numbered in the order in which they come. */
    while (sem_wait(&service->attached) != 0 && errno == EINTR)
        continue;
    *out_service = service;
    return 0;
}

int32_t twin_service_need(twin_context *context, twin_call_queue **out_call_queue)
{
    twin_lock_take(&context->lock);
    while (context->service_starts)
        twin_cond_wait(&context->changed, &context->lock);
    int32_t code = 0;
    bool closing = context->closing;
    if (!context->service && !closing) {
        context->service_starts = true;
        twin_lock_drop(&context->lock);
        twin_service *made = NULL;
        code = make_service(context, &made);
        twin_lock_take(&context->lock);
        context->service = made;
        context->service_starts = false;
        twin_cond_broadcast(&context->changed);
    }
    if (context->service)
        *out_call_queue = context->service->call_queue;
    twin_lock_drop(&context->lock);
    if (closing)
        return twin_fail(TWIN_ERR_CONTEXT_NULL, "the current context is being destroyed");
    return code;
}

/* Waits for the thread; says what it waits for when a function does not return for long. */
static void join(const twin_service *service, const twin_context *context)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WARN_AFTER_S;
    if (pthread_timedjoin_np(service->thread, NULL, &until) == 0)
        return;
    twin_log(TWIN_LOG_WARNING,
             "context %u of device %u waits for a host function that has been running for %d s",
             context->name, context->device->id, WARN_AFTER_S);
    pthread_join(service->thread, NULL);
}

void twin_service_end(twin_context *context)
{
    const struct twin_backend *ops = twin_ops();
    twin_lock_take(&context->lock);
    while (context->service_starts)
        twin_cond_wait(&context->changed, &context->lock);
    twin_service *service = context->service;
    context->service = NULL;
    twin_lock_drop(&context->lock);
    if (!service || service->process != getpid())
        return; /* in a forked child the thread does not exist */
    service->ops->call_queue.close(service->call_queue);
    if (pthread_equal(service->thread, pthread_self())) {
        service->abandoned = true;
        pthread_detach(service->thread);
        return;
    }
    twin_assert_unlocked("the end of a thread with a lock held");
    if (atomic_exchange(&service->end, AWAITED) == RUNS)
        twin_blocked_begin();
    ops->host.detach();
    join(service, context);
    ops->host.attach();
    free_service(service);
}
