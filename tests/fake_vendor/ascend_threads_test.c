/* SPDX-License-Identifier: Apache-2.0 */
/* The backend `ascend` on several threads, over a vendor made by hand that knows which of its
 * contexts live: no call may come with one that is gone. ctest builds it with ThreadSanitizer
 * too. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "backends/ascend/process.h"
#include "support/cunit_main.h"

#define CONTEXTS 8
#define GRACE_NS 50000000 /* how long an end is given to come too early */
#define ROUNDS   400
#define BYTES    4096

struct ascend_vendor vendor;
struct ascend_process ascend;
ascend_library ascend_library_found;

/* ---- the vendor ------------------------------------------------------------------------------ */

typedef struct callback {
    struct callback *next;
    aclrtCallback fn;
    void *argument;
} callback;

/* A context is an index: one that is made after another has gone takes its place, as with
 * addresses. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Guarded by lock. */
    bool alive[CONTEXTS];
    aclrtContext of_device[2];
    callback *waiting;
    bool inside; /* a call waits for the end of a context, which should not come */
    bool ended;
    bool hold_next;
} below = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
static _Atomic unsigned dead_uses;
static _Thread_local aclrtContext now;
static void (*at_end)(void); /* runs while a context ends */

static aclrtContext made_locked(void)
{
    for (uintptr_t i = 0; i < CONTEXTS; i++)
        if (!below.alive[i]) {
            below.alive[i] = true;
            return (aclrtContext)(i + 1);
        }
    return NULL;
}

static void check_context_locked(aclrtContext context)
{
    if (!context || !below.alive[(uintptr_t)context - 1])
        dead_uses++;
}

/* Every call needs a context that lives, from its begin to its end. */
static aclError in_context(void)
{
    pthread_mutex_lock(&below.lock);
    check_context_locked(now);
    if (below.hold_next) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += GRACE_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        below.hold_next = false;
        below.inside = true;
        pthread_cond_broadcast(&below.changed);
        while (!below.ended && pthread_cond_timedwait(&below.changed, &below.lock, &until) == 0)
            continue;
        check_context_locked(now);
    }
    pthread_mutex_unlock(&below.lock);
    return ACL_SUCCESS;
}

static void end_context(aclrtContext context)
{
    pthread_mutex_lock(&below.lock);
    below.alive[(uintptr_t)context - 1] = false;
    below.ended = true;
    pthread_cond_broadcast(&below.changed);
    pthread_mutex_unlock(&below.lock);
    if (at_end)
        at_end();
}

static aclError set_device(int32_t index)
{
    pthread_mutex_lock(&below.lock);
    now = below.of_device[index] = made_locked();
    pthread_mutex_unlock(&below.lock);
    return ACL_SUCCESS;
}
static aclError reset_device(int32_t index)
{
    end_context(below.of_device[index]);
    return ACL_SUCCESS;
}
static aclError get_context(aclrtContext *context)
{
    *context = now;
    return ACL_SUCCESS;
}
static aclError set_context(aclrtContext context)
{
    now = context;
    return in_context();
}
static aclError create_context(aclrtContext *context, int32_t index)
{
    (void)index;
    pthread_mutex_lock(&below.lock);
    now = *context = made_locked();
    pthread_mutex_unlock(&below.lock);
    return ACL_SUCCESS;
}
static aclError destroy_context(aclrtContext context)
{
    end_context(context);
    return ACL_SUCCESS;
}
static aclError malloc_host(void **pointer, size_t bytes)
{
    *pointer = malloc(bytes);
    return in_context();
}
static aclError free_host(void *pointer)
{
    free(pointer);
    return in_context();
}
static aclError malloc_device(void **pointer, size_t bytes, aclrtMemMallocPolicy policy)
{
    (void)policy;
    return malloc_host(pointer, bytes);
}
static aclError create_stream(aclrtStream *stream, uint32_t priority, uint32_t flags)
{
    (void)priority;
    (void)flags;
    *stream = &below;
    return in_context();
}
static aclError with_stream(aclrtStream stream)
{
    (void)stream;
    return in_context();
}
static aclError query_stream(aclrtStream stream, aclrtStreamStatus *status)
{
    *status = ACL_STREAM_STATUS_NOT_READY;
    return with_stream(stream);
}
static aclError create_event_flag(aclrtEvent *event, uint32_t flag)
{
    (void)flag;
    *event = malloc(1);
    return in_context();
}
static aclError create_event(aclrtEvent *event)
{
    return create_event_flag(event, 0);
}
static aclError record_event(aclrtEvent event, aclrtStream stream)
{
    *(char *)event = 0;
    return with_stream(stream);
}
static aclError query_event(aclrtEvent event, aclrtEventRecordedStatus *status)
{
    *status = *(char *)event == 0 ? ACL_EVENT_RECORDED_STATUS_NOT_READY
                                  : ACL_EVENT_RECORDED_STATUS_COMPLETE;
    return in_context();
}
static aclError destroy_event(aclrtEvent event)
{
    free(event);
    return in_context();
}
static aclError subscribe(uint64_t thread, aclrtStream stream)
{
    (void)thread;
    return with_stream(stream);
}
static aclError launch_callback(aclrtCallback fn, void *argument, aclrtCallbackBlockType block,
                                aclrtStream stream)
{
    (void)block;
    callback *one = calloc(1, sizeof(*one));
    *one = (callback){.fn = fn, .argument = argument};
    pthread_mutex_lock(&below.lock);
    callback **last = &below.waiting;
    while (*last)
        last = &(*last)->next;
    *last = one;
    pthread_mutex_unlock(&below.lock);
    return with_stream(stream);
}
/* Makes the oldest call. */
static bool make_call(void)
{
    pthread_mutex_lock(&below.lock);
    callback *one = below.waiting;
    if (one)
        below.waiting = one->next;
    pthread_mutex_unlock(&below.lock);
    if (!one)
        return false;
    one->fn(one->argument);
    free(one);
    return true;
}
static aclError process_report(int32_t timeout)
{
    (void)timeout;
    return ACL_ERROR_RT_REPORT_TIMEOUT; /* the tests make the calls */
}
static const char *soc_name(void)
{
    return "Ascend910B1";
}
static aclError device_count(uint32_t *count)
{
    *count = 2;
    return ACL_SUCCESS;
}
static aclError memory_info(aclrtMemAttr attribute, size_t *unused, size_t *total)
{
    (void)attribute;
    *unused = *total = 1 << 30;
    return ACL_SUCCESS;
}

static void log_line(int level, const char *text)
{
    (void)level;
    (void)text;
}
static bool no(void)
{
    return false;
}
static const twin_services services = {
    .log = log_line, .explain = NULL, .interruptible = no, .interrupted = no};

static void fresh(void)
{
    below.inside = below.ended = below.hold_next = false;
    at_end = NULL;
    dead_uses = 0;
}

static twin_hw_device *opened(uint32_t index)
{
    twin_hw_device *device = NULL;
    CU_ASSERT(ascend_device_open(index, &device) == TWIN_OK);
    return device;
}

static twin_queue *queue_in(twin_hw_device *device, uint32_t group)
{
    const twin_queue_config config = {.group = group};
    twin_queue *queue = NULL;
    CU_ASSERT(ascend_queue_create(device, &config, &queue) == TWIN_OK);
    return queue;
}

/* ---- one more thread ------------------------------------------------------------------------- */

/* Allocates and frees page-locked memory; a status other than OK or UNSUPPORTED counts as a use. */
static void host_memory(void)
{
    void *pointer = NULL;
    twin_status status = ascend_memory_host_alloc(&(twin_allocation){.bytes = BYTES}, &pointer);
    if (status == TWIN_OK && (status = ascend_memory_host_free(pointer)) != TWIN_OK)
        free(pointer); /* the last device has closed since */
    if (status != TWIN_OK && status != TWIN_E_UNSUPPORTED)
        dead_uses++;
}

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void (*work)(void *); /* guarded by lock, as the rest */
    void *argument;
    bool quit;
} helper = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void *help(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&helper.lock);
    while (!helper.quit) {
        if (!helper.work) {
            pthread_cond_wait(&helper.changed, &helper.lock);
            continue;
        }
        void (*work)(void *) = helper.work;
        pthread_mutex_unlock(&helper.lock);
        work(helper.argument);
        pthread_mutex_lock(&helper.lock);
        helper.work = NULL;
        pthread_cond_broadcast(&helper.changed);
    }
    pthread_mutex_unlock(&helper.lock);
    return NULL;
}

static void let_help(void (*work)(void *), void *argument)
{
    pthread_mutex_lock(&helper.lock);
    helper.work = work;
    helper.argument = argument;
    pthread_cond_broadcast(&helper.changed);
    pthread_mutex_unlock(&helper.lock);
}

static void helped(void)
{
    pthread_mutex_lock(&helper.lock);
    while (helper.work)
        pthread_cond_wait(&helper.changed, &helper.lock);
    pthread_mutex_unlock(&helper.lock);
}

static void help_host_memory(void *unused)
{
    (void)unused;
    host_memory();
}

static void help_query(void *queue)
{
    bool idle;
    if (ascend_queue_query(queue, &idle) != TWIN_OK)
        dead_uses++;
}

static void help_at_end(void)
{
    let_help(help_host_memory, NULL);
    helped();
}

static pthread_t start_helper(void)
{
    pthread_t thread;
    helper.quit = false;
    pthread_create(&thread, NULL, help, NULL);
    return thread;
}

static void stop_helper(pthread_t thread)
{
    helped();
    pthread_mutex_lock(&helper.lock);
    helper.quit = true;
    pthread_cond_broadcast(&helper.changed);
    pthread_mutex_unlock(&helper.lock);
    pthread_join(thread, NULL);
}

/* ---- contexts -------------------------------------------------------------------------------- */

static void test_close_waits(void)
{
    fresh();
    pthread_t thread = start_helper();
    twin_hw_device *device = opened(0);
    below.hold_next = true;
    let_help(help_host_memory, NULL);
    pthread_mutex_lock(&below.lock);
    while (!below.inside)
        pthread_cond_wait(&below.changed, &below.lock);
    pthread_mutex_unlock(&below.lock);
    ascend_device_close(device);
    stop_helper(thread);
    CU_ASSERT(dead_uses == 0);
}

static void test_closed_is_not_used(void)
{
    fresh();
    pthread_t thread = start_helper();
    twin_hw_device *device = opened(0);
    let_help(help_host_memory, NULL); /* the helper uses device 0 from here on */
    helped();
    twin_hw_device *other = opened(1);
    at_end = help_at_end;
    ascend_device_close(device);
    at_end = NULL;
    CU_ASSERT(dead_uses == 0);
    device = opened(0); /* its context takes the place of the first one */
    help_at_end();
    CU_ASSERT(dead_uses == 0);
    ascend_device_close(device);
    ascend_device_close(other);
    stop_helper(thread);
}

static void test_gone_context_is_not_used(void)
{
    fresh();
    pthread_t thread = start_helper();
    twin_hw_device *device = opened(0);
    twin_queue *queue = queue_in(device, 1);
    let_help(help_query, queue); /* the helper uses the queue's context from here on */
    helped();
    at_end = help_at_end;
    ascend_queue_destroy(queue);
    at_end = NULL;
    CU_ASSERT(dead_uses == 0);
    ascend_device_close(device);
    stop_helper(thread);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void count_up(void *argument)
{
    ++*(unsigned *)argument;
}

static void test_forgotten_call(void)
{
    unsigned called = 0;
    twin_call_queue *call_queue = NULL;
    twin_taken_call taken;
    fresh();
    twin_hw_device *device = opened(0);
    twin_queue *queue = queue_in(device, 0);
    const twin_host_call call = {.fn = count_up, .argument = &called};
    CU_ASSERT(ascend_call_queue_create(device, true, &call_queue) == TWIN_OK);
    CU_ASSERT(ascend_work_call(queue, call_queue, &call) == TWIN_OK);
    CU_ASSERT(ascend_work_call(queue, call_queue, &call) == TWIN_OK);
    CU_ASSERT(make_call());
    CU_ASSERT(ascend_call_queue_take(call_queue, 0, &taken) == TWIN_OK);
    CU_ASSERT(taken.call.fn == count_up && taken.call.argument == &called);
    ascend_call_queue_answer(call_queue, taken.ticket);
    ascend_calls_forget(queue);
    CU_ASSERT(make_call()); /* the vendor is late */
    CU_ASSERT(ascend_call_queue_take(call_queue, 0, &taken) == TWIN_E_TIMEOUT);
    ascend_queue_destroy(queue);
    ascend_call_queue_destroy(call_queue);
    ascend_device_close(device);
}

/* ---- all at once ----------------------------------------------------------------------------- */

static _Atomic bool over;

static void *host_all_the_time(void *unused)
{
    (void)unused;
    while (!over)
        host_memory();
    return NULL;
}

static void *device_all_the_time(void *device)
{
    while (!over) {
        uint64_t address = 0;
        if (ascend_memory_alloc(device, &(twin_allocation){.bytes = BYTES}, &address) != TWIN_OK ||
            ascend_memory_free(address) != TWIN_OK)
            dead_uses++;
    }
    return NULL;
}

static void *call_all_the_time(void *unused)
{
    (void)unused;
    while (!over)
        make_call();
    return NULL;
}

/* The next round uses what one round leaves: a queue with calls, used memory that another thread
 * frees. */
static void one_round(twin_call_queue *call_queue, uint32_t round)
{
    static unsigned called;
    const twin_host_call call = {.fn = count_up, .argument = &called};
    twin_taken_call taken;
    void *used = NULL;
    twin_hw_device *device = opened(0);
    twin_queue *queue = queue_in(device, round % 2);
    CU_ASSERT(ascend_work_call(queue, call_queue, &call) == TWIN_OK);
    CU_ASSERT(ascend_work_call(queue, call_queue, &call) == TWIN_OK);
    CU_ASSERT(ascend_memory_host_alloc(&(twin_allocation){.bytes = BYTES}, &used) == TWIN_OK);
    ascend_pinned_use((uint64_t)(uintptr_t)used, queue);
    let_help((void (*)(void *))(uintptr_t)ascend_memory_host_free, used);
    while (ascend_call_queue_take(call_queue, 0, &taken) == TWIN_OK)
        ascend_call_queue_answer(call_queue, taken.ticket);
    ascend_queue_destroy(queue);
    helped();
    ascend_device_close(device);
}

static void test_all_at_once(void)
{
    twin_call_queue *call_queue = NULL;
    pthread_t host, memory, calls;
    fresh();
    over = false;
    twin_hw_device *stays = opened(1);
    CU_ASSERT(ascend_call_queue_create(stays, true, &call_queue) == TWIN_OK);
    pthread_t thread = start_helper();
    pthread_create(&host, NULL, host_all_the_time, NULL);
    pthread_create(&memory, NULL, device_all_the_time, stays);
    pthread_create(&calls, NULL, call_all_the_time, NULL);
    for (uint32_t round = 0; round < ROUNDS; round++)
        one_round(call_queue, round);
    over = true;
    pthread_join(host, NULL);
    pthread_join(memory, NULL);
    pthread_join(calls, NULL);
    while (make_call())
        continue;
    stop_helper(thread);
    ascend_call_queue_destroy(call_queue);
    ascend_device_close(stays);
    CU_ASSERT(dead_uses == 0);
}

static const twin_test tests[] = {
    {"a device that closes waits for calls that use it unseen", test_close_waits},
    {"a closed device is not used by threads that used it before", test_closed_is_not_used},
    {"a destroyed context is not used by threads that used it", test_gone_context_is_not_used},
    {"a call that its queue has forgotten is not handed over", test_forgotten_call},
    {"devices, queues, calls and memory come and go on five threads", test_all_at_once},
};

int main(int argc, char **argv)
{
    ascend.services = &services;
    vendor = (struct ascend_vendor){.set_device = set_device,
                                    .reset_device = reset_device,
                                    .get_context = get_context,
                                    .set_context = set_context,
                                    .create_context = create_context,
                                    .destroy_context = destroy_context,
                                    .malloc_host = malloc_host,
                                    .free_host = free_host,
                                    .malloc_device = malloc_device,
                                    .free_device = free_host,
                                    .create_stream = create_stream,
                                    .destroy_stream = with_stream,
                                    .query_stream = query_stream,
                                    .create_event = create_event,
                                    .create_event_flag = create_event_flag,
                                    .record_event = record_event,
                                    .query_event = query_event,
                                    .destroy_event = destroy_event,
                                    .subscribe = subscribe,
                                    .unsubscribe = subscribe,
                                    .launch_callback = launch_callback,
                                    .process_report = process_report,
                                    .soc_name = soc_name,
                                    .device_count = device_count,
                                    .memory_info = memory_info};
    int status = twin_run_suite("ascend_threads", tests, TWIN_COUNT(tests), argc, argv);
    ascend_pinned_clear();
    ascend_ranges_clear();
    return status;
}
