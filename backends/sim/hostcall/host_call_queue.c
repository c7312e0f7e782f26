/* SPDX-License-Identifier: Apache-2.0 */
#include "hostcall/host_call_queue.h"

#include <stdlib.h>
#include <utlist.h>

#include "device/device.h"
#include "queue/sqe.h"
#include "wait/clock.h"
#include "wait/idle.h"
#include "wait/hooks.h"
#include "wait/leader.h"
#include "wait/model_lock.h"
#include "wait/progress.h"
#include "wait/real_time.h"
#include "wait/wait.h"
#include "wait/wall.h"

/* Real time that a function may hold the model: at first, and at least. */
#define TIME_HOLD_NS       200000000ull
#define TIME_HOLD_LEAST_NS 1000000ull

/* Guarded by the model lock. */
static twin_call_queue *call_queues;
static unsigned service_count;
static uint16_t group_count;
static uint64_t time_hold_patience_ns = TIME_HOLD_NS;

/* The service host-call queue whose call this thread runs; NULL: none. */
static _Thread_local twin_call_queue *serving __attribute__((tls_model("initial-exec")));

/* ---- life ----------------------------------------------------------------------------------- */

static void drop_reference(twin_call_queue *call_queue)
{
    /* acq_rel: the thread that frees it sees what the others did before their release */
    if (atomic_fetch_sub_explicit(&call_queue->references, 1, memory_order_acq_rel) == 1)
        free(call_queue);
}

void sim_call_queue_release(struct sim_call *call)
{
    drop_reference(call->call_queue);
    free(call);
}

twin_status sim_call_queue_create(twin_hw_device *device, bool service,
                                  twin_call_queue **out_call_queue)
{
    twin_call_queue *call_queue = calloc(1, sizeof(*call_queue));
    if (!call_queue)
        return TWIN_E_NOMEM;
    call_queue->device = device;
    call_queue->service = service;
    call_queue->hold_ns = TWIN_FOREVER;
    atomic_init(&call_queue->references, 1);
    sim_model_lock();
    call_queue->group = group_count++;
    DL_PREPEND(call_queues, call_queue);
    service_count += service;
    sim_model_unlock();
    *out_call_queue = call_queue;
    return TWIN_OK;
}

/* The device sees the answer at at_ns; nothing happens when the queue was opened anew. */
static void answer_device(const struct sim_call *call, uint64_t at_ns)
{
    twin_queue *queue = call->queue;
    if (call->call.block && queue->open &&
        atomic_load_explicit(&queue->epoch, memory_order_relaxed) == call->epoch)
        twinsim_message_answer(sim_process.sim, queue->device->index, queue->sq, call->number,
                               at_ns);
}

/* The device receives the host-call queue's oldest answer. */
static void pass_answer(twin_call_queue *call_queue)
{
    struct sim_call *call = call_queue->answered;
    DL_DELETE(call_queue->answered, call);
    answer_device(call, call->answer_ns);
    sim_call_queue_release(call);
}

/* Calls that no thread will take count as answered. */
static void close_locked(twin_call_queue *call_queue)
{
    call_queue->closed = true;
    call_queue->hold_ns = TWIN_FOREVER;
    while (call_queue->answered)
        pass_answer(call_queue);
    while (call_queue->first) {
        struct sim_call *call = call_queue->first;
        DL_DELETE(call_queue->first, call);
        answer_device(call, twinsim_now(sim_process.sim));
        sim_log(2, "device %u, stream %u: a host function is skipped: no thread runs it any more",
                call_queue->device->index, call->queue->config.id);
        sim_call_queue_release(call);
    }
}

void sim_call_queue_close(twin_call_queue *call_queue)
{
    sim_model_lock();
    if (!call_queue->closed)
        close_locked(call_queue);
    sim_drive_check_locked();
    sim_model_unlock();
}

void sim_call_queue_destroy(twin_call_queue *call_queue)
{
    sim_model_lock();
    if (!call_queue->closed)
        close_locked(call_queue);
    DL_DELETE(call_queues, call_queue);
    service_count -= call_queue->service;
    sim_drive_check_locked();
    sim_model_unlock();
    drop_reference(call_queue);
}

/* ---- time holds ----------------------------------------------------------------------------- */

/* The clock of a thread that takes a call when its clock is `now_ns`. */
static uint64_t taken_at(const struct sim_call *call, uint64_t now_ns)
{
    return call->posted_ns > now_ns ? call->posted_ns + sim_process.limits.wake_ns[SIM_WAKE_CALL]
                                    : now_ns;
}

static void begin_time_hold(twin_call_queue *call_queue, uint64_t time_ns)
{
    call_queue->hold_ns = sim_wall() ? TWIN_FOREVER : time_ns;
    call_queue->hold_real_ns = sim_time_sum(sim_real_now(), time_hold_patience_ns);
}

/* The thread is free; the next call, if there is one, will run at once. */
static void time_hold_for_next(twin_call_queue *call_queue)
{
    call_queue->hold_ns = TWIN_FOREVER;
    if (call_queue->service && !call_queue->closed && call_queue->first)
        begin_time_hold(call_queue, taken_at(call_queue->first, call_queue->clock_ns));
}

/* The function that a thread runs itself does not hold it. */
static uint64_t time_hold_of(const twin_call_queue *call_queue)
{
    if (call_queue->answered)
        return call_queue->answered->hold_ns;
    return call_queue != serving ? call_queue->hold_ns : TWIN_FOREVER;
}

/* The host-call queue with the first hold; NULL: none holds. */
static twin_call_queue *first_held(void)
{
    twin_call_queue *first = NULL;
    for (twin_call_queue *call_queue = call_queues; call_queue; call_queue = call_queue->next)
        if (time_hold_of(call_queue) < (first ? time_hold_of(first) : TWIN_FOREVER))
            first = call_queue;
    return first;
}

uint64_t sim_call_queue_time_hold_locked(void)
{
    const twin_call_queue *first = service_count != 0 ? first_held() : NULL;
    return first ? time_hold_of(first) : TWIN_FOREVER;
}

bool sim_call_queue_pass_time_hold_locked(uint64_t hold_ns)
{
    twin_call_queue *first = first_held();
    if (!first || !first->answered || first->answered->hold_ns != hold_ns)
        return false;
    pass_answer(first);
    return true;
}

static twin_call_queue *first_answered(void)
{
    twin_call_queue *first = NULL;
    for (twin_call_queue *call_queue = call_queues; call_queue; call_queue = call_queue->next)
        if (call_queue->answered &&
            (!first || call_queue->answered->hold_ns < first->answered->hold_ns))
            first = call_queue;
    return first;
}

uint64_t sim_call_queue_answered_locked(void)
{
    const twin_call_queue *first = first_answered();
    return first ? first->answered->hold_ns : TWIN_FOREVER;
}

void sim_call_queue_pass_answered_locked(void)
{
    pass_answer(first_answered());
}

bool sim_call_queue_busy_locked(void)
{
    for (const twin_call_queue *call_queue = call_queues; call_queue;
         call_queue = call_queue->next) {
        bool waits = false;
        for (const struct sim_wait *wait = sim_waits.first; wait; wait = wait->next)
            waits = waits || wait->within == call_queue;
        if (call_queue->service && (call_queue->running || call_queue->first) && !waits)
            return true;
    }
    return false;
}

uint64_t sim_call_queue_time_hold_end_locked(void)
{
    uint64_t end = UINT64_MAX;
    for (const twin_call_queue *call_queue = call_queues; call_queue; call_queue = call_queue->next)
        if (call_queue->hold_ns != TWIN_FOREVER && call_queue->hold_real_ns < end)
            end = call_queue->hold_real_ns;
    return end;
}

void sim_call_queue_expire_time_holds_locked(uint64_t real_ns)
{
    bool any = false;
    for (twin_call_queue *call_queue = call_queues; call_queue; call_queue = call_queue->next) {
        if (call_queue->hold_ns == TWIN_FOREVER || call_queue->hold_real_ns > real_ns)
            continue;
        call_queue->hold_ns = TWIN_FOREVER;
        any = true;
    }
    if (!any)
        return;
    /* Functions of this program wait for something: the next one gets less time. */
    time_hold_patience_ns = time_hold_patience_ns / 2 > TIME_HOLD_LEAST_NS
                                ? time_hold_patience_ns / 2
                                : TIME_HOLD_LEAST_NS;
    if (!sim_drive_conducted())
        sim_progress_warn("a host function runs long and may wait for other work, so the model "
                          "continues before it returns");
}

twin_call_queue *sim_call_queue_suspend_locked(enum sim_wait_kind kind)
{
    if (!serving || kind == SIM_WAIT_CALL)
        return NULL;
    serving->hold_ns = TWIN_FOREVER;
    return serving;
}

void sim_call_queue_continue_locked(twin_call_queue *call_queue, uint64_t at_ns)
{
    if (call_queue->running)
        begin_time_hold(call_queue, at_ns);
}

void sim_call_queue_resume(void)
{
    if (__builtin_expect(!serving, 1))
        return;
    sim_model_lock();
    if (serving->running)
        begin_time_hold(serving, sim_clock.now_ns);
    sim_model_unlock();
}

/* ---- from the queue to the thread ----------------------------------------------------------- */

twin_status sim_work_call(twin_queue *queue, twin_call_queue *call_queue,
                          const twin_host_call *call)
{
    if (atomic_load_explicit(&queue->device->faulted, memory_order_relaxed))
        return TWIN_E_DEVICE;
    struct sim_call *carried = calloc(1, sizeof(*carried));
    if (!carried)
        return TWIN_E_NOMEM;
    carried->call_queue = call_queue;
    carried->queue = queue;
    carried->call = *call;
    struct sim_task_state *state;
    stars_sqe *sqe = sim_queue_begin(queue, &state);
    if (!sqe) {
        free(carried);
        return TWIN_E_BUSY;
    }
    atomic_fetch_add_explicit(&call_queue->references, 1, memory_order_relaxed);
    carried->epoch = atomic_load_explicit(&queue->epoch, memory_order_relaxed);
    carried->number = atomic_load_explicit(&queue->submitted, memory_order_relaxed) + 1;
    if (call_queue->service)
        atomic_store_explicit(&queue->visible, carried->number, memory_order_relaxed);
    state->kind = SIM_TASK_CALL;
    state->call = carried;
    state->expects_cqe = 1; /* the message replaces it */
    const struct sim_callback words = {
        .group = call_queue->group,
        .device = queue->device->index,
        .stream = queue->config.id,
        .block = call->block,
        .function = (uintptr_t)call->fn,
        .data = (uintptr_t)call->argument,
    };
    sim_sqe_callback(sqe, &words);
    sim_queue_commit(queue);
    if (call_queue->service)
        sim_progress_submitted();
    return TWIN_OK;
}

/* A call of a run: that of the deferred queue stays for the next one. NULL: no host memory. */
static struct sim_call *call_of_run(const struct sim_call *like)
{
    struct sim_call *call = malloc(sizeof(*call));
    if (!call)
        return NULL;
    *call = *like;
    atomic_fetch_add_explicit(&call->call_queue->references, 1, memory_order_relaxed);
    return call;
}

static void deliver(const struct twinsim_message *message, twin_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    struct sim_task_state *state = &queue->task_states[(message->number - 1) & queue->mask];
    struct sim_call *call = state->kind == SIM_TASK_CALL ? state->call : NULL;
    if (call && queue->config.deferred) {
        struct sim_call lost = *call;
        lost.number = message->number;
        call = call_of_run(&lost);
        if (!call) {
            sim_log(3, "device %u, stream %u: a host function is skipped: no host memory",
                    queue->device->index, queue->config.id);
            answer_device(&lost, message->posted_ns);
        }
    } else if (call) {
        state->call = NULL;
        state->cqe_read = 1;
        if (atomic_load_explicit(&queue->visible, memory_order_relaxed) == message->number)
            atomic_store_explicit(&queue->visible, 0, memory_order_relaxed);
    }
    pthread_mutex_unlock(&queue->lock);
    if (!call)
        return;
    twin_call_queue *call_queue = call->call_queue;
    call->posted_ns = message->posted_ns;
    if (call_queue->closed) {
        answer_device(call, message->posted_ns);
        sim_call_queue_release(call);
        return;
    }
    sim_progress_seen = sim_progress_seen || call_queue->service;
    bool waits = call_queue->first || call_queue->running;
    DL_APPEND(call_queue->first, call);
    if (!waits)
        time_hold_for_next(call_queue);
}

bool sim_call_queue_deliver_locked(void)
{
    struct twinsim_message message;
    uint32_t device;
    bool any = false;
    while (twinsim_message_take(sim_process.sim, &device, &message)) {
        any = true;
        twin_hw_device *owner = device < SIM_DEVICES_MOST ? sim_process.devices[device] : NULL;
        if (owner)
            deliver(&message, owner->queues[message.sq]);
    }
    return any;
}

struct sim_call *sim_call_queue_pop_locked(twin_call_queue *call_queue, uint64_t now_ns)
{
    struct sim_call *call = call_queue->first;
    if (!call || call_queue->running)
        return NULL;
    DL_DELETE(call_queue->first, call);
    call_queue->running = call;
    call_queue->clock_ns = taken_at(call, now_ns);
    if (call_queue->hold_ns != TWIN_FOREVER)
        begin_time_hold(call_queue, call_queue->clock_ns);
    return call;
}

twin_status sim_call_queue_take(twin_call_queue *call_queue, uint64_t timeout_ns,
                                twin_taken_call *out_call)
{
    struct sim_wait wait = {.kind = SIM_WAIT_CALL,
                            .wake = SIM_WAKE_CALL,
                            .timeout_ns = timeout_ns,
                            .call_queue = call_queue,
                            .serves = call_queue->service};
    twin_status status = TWIN_E_TIMEOUT;
    if (timeout_ns != 0) {
        status = sim_drive_wait(&wait);
    } else {
        sim_model_lock();
        if (call_queue->closed)
            status = TWIN_E_CLOSED;
        else if ((wait.call = sim_call_queue_pop_locked(call_queue, sim_clock.now_ns)) != NULL)
            status = TWIN_OK;
        sim_model_unlock();
        if (status == TWIN_OK)
            sim_clock_raise(taken_at(wait.call, sim_clock.now_ns));
    }
    if (status != TWIN_OK)
        return status;
    if (call_queue->service)
        serving = call_queue;
    out_call->call = wait.call->call;
    out_call->ticket = (uintptr_t)wait.call;
    return TWIN_OK;
}

void sim_call_queue_answer(twin_call_queue *call_queue, uint64_t ticket)
{
    struct sim_call *call = (struct sim_call *)(uintptr_t)ticket;
    serving = NULL;
    if (sim_wall())
        sim_clock_catch_up(); /* the time of the function has passed */
    sim_model_lock();
    call_queue->running = NULL;
    call_queue->clock_ns = sim_clock.now_ns;
    call->hold_ns = call_queue->hold_ns;
    call->answer_ns = sim_clock.now_ns + sim_process.limits.doorbell_ns;
    DL_APPEND(call_queue->answered, call);
    if (call->hold_ns == TWIN_FOREVER)
        while (call_queue->answered) /* the model may be anywhere */
            pass_answer(call_queue);
    time_hold_for_next(call_queue);
    sim_idle_wake();
    sim_model_unlock();
}

void sim_call_queue_forget_locked(const twin_queue *queue, bool all)
{
    for (twin_call_queue *call_queue = call_queues; call_queue; call_queue = call_queue->next) {
        bool any = false;
        struct sim_call *call, *next;
        DL_FOREACH_SAFE(call_queue->first, call, next) {
            if (call->queue != queue || !(all || call->call.block))
                continue;
            DL_DELETE(call_queue->first, call);
            sim_call_queue_release(call);
            any = true;
        }
        if (any && !call_queue->running)
            time_hold_for_next(call_queue);
    }
}

const char *sim_call_queue_state_locked(const twin_queue *queue)
{
    for (const twin_call_queue *call_queue = call_queues; call_queue; call_queue = call_queue->next)
        for (const struct sim_call *call = call_queue->first; call; call = call->next)
            if (call->queue == queue && call->call.block)
                return call_queue->running ? "that its thread runs after another one"
                                           : "that no thread takes (aclrtProcessReport)";
    return "that has not returned";
}

void sim_check_call(struct sim_wait *wait)
{
    if (wait->call_queue->closed)
        sim_wait_finish(wait, TWIN_E_CLOSED, twinsim_now(sim_process.sim));
    else if ((wait->call = sim_call_queue_pop_locked(wait->call_queue, wait->begin_ns)) != NULL)
        sim_wait_finish(wait, TWIN_OK, wait->call->posted_ns);
}
