/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "device/device.h"
#include "memory/vmm_lookup.h"
#include "queue/ring_users.h"
#include "queue/sqe.h"
#include "process/nondeterminism.h"
#include "wait/hooks.h"
#include "wait/model_lock.h"

/* More failures than a ring has tasks are not useful. */
#define NOTES_MOST 1024u

/* Some group is `stopping`. Guarded by the model lock. */
static bool groups_stopping;

/* ---- notes ---------------------------------------------------------------------------------- */

/* Drops the oldest notes. */
static void drop_notes(twin_queue *queue, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (queue->notes[i].kernel)
            queue->notes[i].kernel->release(queue->notes[i].kernel);
    queue->note_count -= count;
    if (queue->note_count > 0)
        memmove(queue->notes, queue->notes + count, queue->note_count * sizeof(*queue->notes));
}

/* Adds a note; the oldest is dropped when there is no room. */
static void add_note(twin_queue *queue, const twin_failure *note)
{
    if (queue->note_count == NOTES_MOST ||
        !sim_grow(&queue->notes, sizeof(*queue->notes), queue->note_count, &queue->note_room)) {
        if (queue->note_count == 0)
            return;
        drop_notes(queue, 1);
    }
    if (note->kernel)
        note->kernel->keep(note->kernel);
    queue->notes[queue->note_count++] = *note;
}

/* ---- groups --------------------------------------------------------------------------------- */

twin_status sim_failure_join_locked(twin_queue *queue)
{
    twin_hw_device *device = queue->device;
    struct sim_group *group;
    LL_SEARCH_SCALAR(device->groups, group, number, queue->config.group);
    if (!group) {
        group = calloc(1, sizeof(*group));
        if (!group)
            return TWIN_E_NOMEM;
        group->number = queue->config.group;
        LL_PREPEND(device->groups, group);
    }
    group->queues++;
    queue->group = group;
    if (group->failure != TWIN_OK) {
        memcpy(queue->failure_text, group->text, sizeof(group->text));
        atomic_store_explicit(&queue->refusal, group->failure, memory_order_relaxed);
        atomic_store_explicit(&queue->failed, true, memory_order_release);
    }
    return TWIN_OK;
}

void sim_failure_leave_locked(twin_queue *queue)
{
    struct sim_group *group = queue->group;
    queue->group = NULL;
    drop_notes(queue, queue->note_count);
    free(queue->notes);
    queue->notes = NULL;
    queue->note_room = 0;
    if (!group || --group->queues != 0)
        return;
    LL_DELETE(queue->device->groups, group);
    free(group);
}

void sim_failure_forget_locked(twin_queue *queue)
{
    atomic_store_explicit(&queue->failed, false, memory_order_relaxed);
    atomic_store_explicit(&queue->refusal, TWIN_OK, memory_order_relaxed);
    queue->failure = TWIN_OK;
    drop_notes(queue, queue->note_count);
}

twin_status sim_queue_stop_on_failure(twin_queue *queue)
{
    twin_status status = TWIN_E_UNSUPPORTED;
    sim_model_lock();
    if (queue->group && queue->group->failure == TWIN_OK) {
        queue->group->stops = true;
        status = TWIN_OK;
    }
    sim_model_unlock();
    return status == TWIN_OK
               ? TWIN_OK
               : sim_queue_refuse(queue, status, "a failure has already stopped its context");
}

struct stops {
    struct sim_group *group;
    uint32_t most; /* queues that may be stopped yet */
};

/* Work that a queue took before is dropped, what comes later is refused. A recording logs a move
 * of the model, by nothing, between the two; the replay of that move stops one queue. */
static void stop_queue(void *context, twin_queue *queue)
{
    struct stops *stops = context;
    const struct sim_group *group = stops->group;
    if (queue->group != group ||
        atomic_load_explicit(&queue->refusal, memory_order_relaxed) != TWIN_OK)
        return;
    if (stops->most == 0) {
        stops->group->stopping = groups_stopping = true;
        return;
    }
    stops->most--;
    pthread_mutex_lock(&queue->lock);
    if (sim_nd_logged() && !sim_replaying())
        sim_nd_moved(true);
    memcpy(queue->failure_text, group->text, sizeof(group->text));
    queue->failure = TWIN_OK; /* the failure that stopped the group replaces it */
    atomic_store_explicit(&queue->refusal, group->failure, memory_order_relaxed);
    atomic_store_explicit(&queue->failed, true, memory_order_release);
    if (!queue->config.deferred) /* its tasks stay; a run ends with the queue that asked for it */
        (void)sim_queue_restart_locked(queue, group->failure);
    pthread_mutex_unlock(&queue->lock);
}

void sim_failure_stop_groups(uint32_t most)
{
    if (!groups_stopping)
        return;
    groups_stopping = false;
    struct stops stops = {.most = most};
    for (uint32_t i = 0; i < sim_process.device_count; i++) {
        twin_hw_device *device = sim_process.devices[i];
        for (struct sim_group *group = device ? device->groups : NULL; group; group = group->next) {
            if (!group->stopping)
                continue;
            group->stopping = false;
            stops.group = group;
            sim_queue_each(device, stop_queue, &stops);
        }
    }
}

void sim_failure_clear_groups(twin_hw_device *device)
{
    for (struct sim_group *group = device->groups; group; group = group->next) {
        group->failure = TWIN_OK;
        group->stopping = false;
    }
}

/* ---- reports -------------------------------------------------------------------------------- */

/* Error numbers of the scheduler that determine the status in every class; sorted. */
static const struct {
    uint16_t number;
    twin_status status;
} numbers[] = {
    {STARS_STATUS_AICORE_TIMEOUT, TWIN_E_KERNEL_TIMEOUT},
    {STARS_STATUS_AICORE_TRAP, TWIN_E_KERNEL_TRAP},
    {STARS_STATUS_AICPU_TIMEOUT, TWIN_E_AICPU_TIMEOUT},
    {STARS_STATUS_AICPU_EXCEPTION, TWIN_E_AICPU_EXCEPTION},
    {STARS_STATUS_AICORE_OVERFLOW, TWIN_E_KERNEL_OVERFLOW},
    {STARS_STATUS_AIV_TIMEOUT, TWIN_E_VECTOR_TIMEOUT},
    {STARS_STATUS_AIV_EXCEPTION, TWIN_E_VECTOR_EXCEPTION},
    {STARS_STATUS_AIV_TRAP, TWIN_E_VECTOR_TRAP},
    {STARS_STATUS_AIV_OVERFLOW, TWIN_E_VECTOR_OVERFLOW},
    {STARS_STATUS_AICPU_OVERFLOW, TWIN_E_OVERFLOW},
    {STARS_STATUS_SDMA_OVERFLOW, TWIN_E_OVERFLOW},
    {STARS_STATUS_AICORE_MEMORY, TWIN_E_POISON},
    {STARS_STATUS_SUSPECT_MEMORY, TWIN_E_SUSPECT_MEMORY},
    {STARS_STATUS_NETWORK, TWIN_E_NETWORK},
    {STARS_STATUS_AICORE_TRAP_READ, TWIN_E_KERNEL_TRAP_READ},
    {STARS_STATUS_AICORE_TRAP_WRITE, TWIN_E_KERNEL_TRAP_WRITE},
    {STARS_STATUS_AIV_TRAP_READ, TWIN_E_VECTOR_TRAP_READ},
    {STARS_STATUS_AIV_TRAP_WRITE, TWIN_E_VECTOR_TRAP_WRITE},
    {STARS_STATUS_FFTS_EXCEPTION, TWIN_E_FFTS_EXCEPTION},
    {STARS_STATUS_FFTS_TRAP, TWIN_E_FFTS_TRAP},
    {STARS_STATUS_FFTS_TIMEOUT, TWIN_E_FFTS_TIMEOUT},
    {STARS_STATUS_BUS_FAULT, TWIN_E_ADDRESS},
    {STARS_STATUS_COPY_ERROR, TWIN_E_COPY},
    {STARS_STATUS_REDUCE_ERROR, TWIN_E_COPY},
    {STARS_STATUS_DDR_ERROR, TWIN_E_POISON},
    {STARS_STATUS_POISON, TWIN_E_POISON},
    {STARS_STATUS_LINK, TWIN_E_LINK},
    {STARS_STATUS_LOCAL_MEMORY, TWIN_E_POISON},
    {STARS_STATUS_REMOTE_MEMORY, TWIN_E_LINK},
};

twin_status sim_failure_status(unsigned error, unsigned status)
{
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (numbers[i].number == status)
            return numbers[i].status;
    if (error & STARS_ERROR_TIMEOUT)
        return TWIN_E_TASK_TIMEOUT;
    if (status == STARS_STATUS_AICORE_EXCEPTION)
        return error & STARS_ERROR_TRAP ? TWIN_E_KERNEL_TRAP : TWIN_E_KERNEL_EXCEPTION;
    return TWIN_E_TASK;
}

static const char *verb_of(const stars_cqe *cqe, twin_status status)
{
    const uint32_t type = cqe->u.error.type >> STARS_CQE_TYPE_SHIFT;
    if (cqe->u.error.code & STARS_ERROR_BAD_SQE)
        return type == STARS_SQE_SDMA || type == STARS_SQE_DSA
                   ? "is not a task that the scheduler knows, or its descriptor is invalid"
                   : "is not a task that the scheduler knows";
    switch (status) {
    case TWIN_E_KERNEL_TIMEOUT:
    case TWIN_E_VECTOR_TIMEOUT:
    case TWIN_E_AICPU_TIMEOUT:
    case TWIN_E_FFTS_TIMEOUT:
    case TWIN_E_TASK_TIMEOUT:
        return "exceeded its time limit";
    case TWIN_E_KERNEL_EXCEPTION:
    case TWIN_E_VECTOR_EXCEPTION:
    case TWIN_E_AICPU_EXCEPTION:
    case TWIN_E_FFTS_EXCEPTION:
        return "had an exception";
    case TWIN_E_KERNEL_TRAP:
    case TWIN_E_VECTOR_TRAP:
    case TWIN_E_FFTS_TRAP:
        return "was trapped";
    case TWIN_E_KERNEL_TRAP_READ:
    case TWIN_E_VECTOR_TRAP_READ:
        return "was trapped reading out of bounds";
    case TWIN_E_KERNEL_TRAP_WRITE:
    case TWIN_E_VECTOR_TRAP_WRITE:
        return "was trapped writing out of bounds";
    case TWIN_E_KERNEL_OVERFLOW:
    case TWIN_E_VECTOR_OVERFLOW:
    case TWIN_E_OVERFLOW:
        return "had an overflow";
    case TWIN_E_ADDRESS:
        return "used an address the device cannot reach";
    case TWIN_E_POISON:
        return "used memory that has failed";
    case TWIN_E_LINK:
        return "used memory of another device that has failed, or whose link has failed";
    default:
        return "failed";
    }
}

/* What sim_failure_because() was last given, and when; "": nothing since. Guarded by the model
 * lock. */
static char cause[SIM_CAUSE_TEXT];
static uint64_t cause_ns;
bool sim_silent;

void sim_failure_because(const char *format, ...)
{
    va_list arguments;
    if (sim_silent)
        return;
    va_start(arguments, format);
    (void)vsnprintf(cause, sizeof(cause), format, arguments);
    va_end(arguments);
    cause_ns = twinsim_now(sim_process.sim);
}

void sim_failure_drop_cause(void)
{
    cause[0] = '\0';
}

static void give_cause(twin_queue *queue)
{
    memcpy(queue->cause, cause, sizeof(cause));
    sim_failure_drop_cause();
}

static twin_queue *queue_at(uint32_t device, uint32_t sq)
{
    twin_hw_device *owner =
        atomic_load_explicit(&sim_process.devices[device], memory_order_acquire);
    return owner ? atomic_load_explicit(&owner->queues[sq], memory_order_acquire) : NULL;
}

void sim_failure_of_kernel(uint32_t device, uint32_t sq)
{
    twin_queue *queue = queue_at(device, sq);
    if (queue)
        give_cause(queue);
}

/* Kernels have theirs already; a list of descriptors fails when its other transfers have ended. */
void sim_failure_claim(void *context, uint32_t device, uint32_t sq)
{
    (void)context;
    twin_queue *queue = queue_at(device, sq);
    if (!queue)
        return;
    const struct sim_task_state *state =
        &queue->task_states[sim_queue_retired(queue) & queue->mask];
    if (state->kind == SIM_TASK_KERNEL)
        return;
    queue->cause[0] = '\0';
    if (state->kind == SIM_TASK_LIST || cause_ns == twinsim_now(sim_process.sim))
        give_cause(queue);
}

/* Adds the cause of the queue's failure. */
static void add_cause(twin_queue *queue, twin_status status, char *text)
{
    const size_t length = strlen(text);
    if (queue->cause[0] != '\0' && (status == TWIN_E_ADDRESS || status == TWIN_E_KERNEL_EXCEPTION ||
                                    status == TWIN_E_VECTOR_EXCEPTION))
        snprintf(text + length, SIM_FAILURE_TEXT - length, ": %s", queue->cause);
    queue->cause[0] = '\0';
}

/* The kernel of a task state, or NULL. */
static twin_launch *kernel_of(const struct sim_task_state *state)
{
    return state && state->kind == SIM_TASK_KERNEL ? state->kernel : NULL;
}

/* Kernels that run on vector cores alone have separate statuses. */
static twin_status status_of(const stars_cqe *cqe, const struct sim_task_state *state)
{
    const twin_launch *kernel = kernel_of(state);
    twin_status status = sim_failure_status(cqe->u.error.code, cqe->u.error.status);
    if (!kernel || kernel->cores != TWIN_CORES_VECTOR)
        return status;
    return status == TWIN_E_KERNEL_EXCEPTION ? TWIN_E_VECTOR_EXCEPTION
           : status == TWIN_E_KERNEL_TIMEOUT ? TWIN_E_VECTOR_TIMEOUT
           : status == TWIN_E_KERNEL_TRAP    ? TWIN_E_VECTOR_TRAP
                                             : status;
}

static void describe(twin_queue *queue, const stars_cqe *cqe, const struct sim_task_state *state,
                     char *text)
{
    const twin_launch *kernel = kernel_of(state);
    const twin_status status = status_of(cqe, state);
    const char *what = verb_of(cqe, status);
    char signal[48] = "";
    if (kernel && kernel->name)
        snprintf(signal, sizeof(signal), " \"%.40s\"", kernel->name);
    else if (state && state->kind != SIM_TASK_NONE && state->kind != SIM_TASK_RUN &&
             state->kind != SIM_TASK_CALL && state->kind != SIM_TASK_KERNEL &&
             state->kind != SIM_TASK_LIST)
        snprintf(signal, sizeof(signal), " for %s %u", sim_event_noun(state->signal),
                 sim_event_name(state->signal));
    snprintf(text, SIM_FAILURE_TEXT,
             "device %u, stream %u, task %u: %s%s %s (error 0x%x, status 0x%x)",
             queue->device->index, queue->config.id, cqe->task_id,
             sim_sqe_noun(cqe->u.error.type >> STARS_CQE_TYPE_SHIFT), signal, what,
             cqe->u.error.code, cqe->u.error.status);
    add_cause(queue, status, text);
}

/* Adds which address it was, where that is known. */
static void describe_address(const twin_queue *queue, const struct sim_task_state *state,
                             char *text)
{
    struct sim_dma_range ranges[2];
    const size_t length = strlen(text);
    sim_sqe_ranges(&queue->ring[state - queue->task_states], ranges);
    for (unsigned i = 0; i < 2; i++) {
        char why[224];
        if (ranges[i].bytes == 0 || !sim_vmm_explain(queue->device->index, ranges[i].address,
                                                     ranges[i].bytes, why, sizeof(why)))
            continue;
        (void)snprintf(text + length, SIM_FAILURE_TEXT - length, ": %s", why);
        return;
    }
}

void sim_queue_note_locked(twin_queue *queue, twin_status status, const char *text)
{
    if (atomic_load_explicit(&queue->failed, memory_order_relaxed))
        return;
    queue->failure = status;
    snprintf(queue->failure_text, sizeof(queue->failure_text), "%s", text);
    atomic_store_explicit(&queue->failed, true, memory_order_release);
}

/* A task of `queue`, or of a run that it launched, failed. False: nothing after it must run. */
static bool answer_locked(twin_queue *queue, const twin_failure *note, const char *text)
{
    struct sim_group *group = queue->group;
    add_note(queue, note);
    if (!group->stops) {
        sim_queue_note_locked(queue, note->status, text);
        return true;
    }
    if (group->failure == TWIN_OK) {
        group->failure = note->status;
        snprintf(group->text, sizeof(group->text), "%s", text);
        group->stopping = groups_stopping = true;
    }
    return false;
}

bool sim_failure_note_locked(twin_queue *queue, const stars_cqe *cqe,
                             const struct sim_task_state *state, uint32_t thread)
{
    const twin_failure note = {.status = status_of(cqe, state),
                               .task_id = cqe->task_id,
                               .thread = thread,
                               .kernel = kernel_of(state)};
    char text[SIM_FAILURE_TEXT];
    describe(queue, cqe, state, text);
    if (note.status == TWIN_E_ADDRESS && state)
        describe_address(queue, state, text);
    sim_log(3, "%s", text);
    if (!queue->config.deferred)
        return answer_locked(queue, &note, text);
    /* A task of a model instance fails in the queue that asked for the run. */
    twin_queue *launcher = sim_instance_launcher(queue);
    if (!launcher)
        return true;
    pthread_mutex_lock(&launcher->lock);
    bool go_on = answer_locked(launcher, &note, text);
    pthread_mutex_unlock(&launcher->lock);
    return go_on;
}

/* Work of other threads fails when the device executes it. In a replay: whether the recording had a
 * failure at this point; `there` without an entry. No lock is held. */
static bool found_then(bool there)
{
    uint64_t then = TWIN_OK;
    return sim_nd_then(TWIN_ND_FAILED, 0, &then) ? then != TWIN_OK : there;
}

twin_status sim_queue_take_failure(twin_queue *queue, twin_failure *out_failure)
{
    twin_status status = TWIN_E_NOT_READY;
    bool wanted = found_then(true);
    pthread_mutex_lock(&queue->lock);
    sim_nd_found(TWIN_ND_FAILED, 0,
                 wanted && queue->note_count > 0 ? queue->notes[0].status : TWIN_OK);
    if (wanted && queue->note_count > 0) {
        *out_failure = queue->notes[0];
        memmove(queue->notes, queue->notes + 1, --queue->note_count * sizeof(*queue->notes));
        status = TWIN_OK;
    }
    pthread_mutex_unlock(&queue->lock);
    return status;
}

twin_status sim_failure_report(twin_queue *queue)
{
    bool failed = atomic_load_explicit(&queue->failed, memory_order_acquire);
    if (__builtin_expect(sim_nd_logged(), 0)) {
        failed = found_then(failed);
        if (!failed)
            sim_nd_found(TWIN_ND_FAILED, 0, TWIN_OK);
    }
    if (!failed)
        return TWIN_OK;
    char text[SIM_FAILURE_TEXT] = "";
    pthread_mutex_lock(&queue->lock);
    twin_status status = atomic_load_explicit(&queue->refusal, memory_order_relaxed);
    sim_nd_found(TWIN_ND_FAILED, 0, status != TWIN_OK ? status : queue->failure);
    if (status == TWIN_OK) {
        status = queue->failure;
        queue->failure = TWIN_OK;
        atomic_store_explicit(&queue->failed, false, memory_order_relaxed);
    }
    memcpy(text, queue->failure_text, sizeof(text));
    pthread_mutex_unlock(&queue->lock);
    if (status != TWIN_OK)
        sim_explain("%s", text);
    return status;
}

twin_status sim_queue_refuse(const twin_queue *queue, twin_status status, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    sim_explain("device %u, stream %u: %s", queue->device->index, queue->config.id, text);
    return status;
}

twin_status sim_queue_explain_refusal(twin_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    twin_status status = atomic_load_explicit(&queue->refusal, memory_order_relaxed);
    char text[SIM_FAILURE_TEXT];
    memcpy(text, queue->failure_text, sizeof(text));
    uint64_t met = status; /* a replay begins the op there: after the stop */
    (void)sim_nd(TWIN_ND_REFUSED, 0, &met);
    pthread_mutex_unlock(&queue->lock);
    if (status != TWIN_OK)
        sim_explain("device %u, stream %u takes no work since its context was stopped by %s",
                    queue->device->index, queue->config.id, text);
    return status;
}
