/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/model_instance.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "queue/cond_program.h"
#include "memory/memory.h"
#include "device/device.h"
#include "queue/replace.h"
#include "queue/sqe.h"
#include "wait/clock.h"
#include "wait/leader.h"
#include "wait/model_lock.h"
#include "wait/progress.h"
#include "wait/wait.h"

#define HEADS_PER_ENTRY (STARS_COND_WORDS / 3u) /* go to: two words, enable: one */

struct sim_run {
    twin_queue *launcher;
    uint32_t epoch;
    uint64_t first; /* number of the wait for `idle` */
    uint64_t end;   /* number of the wait for `end`; the record of `idle` follows */
};

struct twin_hw_instance {
    twin_hw_device *device;
    twin_hw_instance *next; /* of the device; guarded by the model lock */
    uint32_t idle_id, end_id;
    pthread_mutex_t lock;
    /* Guarded by lock. */
    bool sealed;
    twin_queue *end_queue;
    uint64_t end_place;
    twin_queue **queues;
    uint32_t queue_count, run_count;
    size_t queue_room, run_room;
    struct sim_run *runs; /* oldest first; complete ones are dropped when a thread looks */
};

static void write_notify(const twin_hw_instance *instance, uint32_t id, uint32_t value)
{
    (void)twinsim_write(sim_process.sim, instance->device->index, STARS_NOTIFY_ENTRY(id), value);
}

/* ---- runs ----------------------------------------------------------------------------------- */

/* Drops the runs that have ended; whether some are left. Takes instance->lock, and perhaps the
 * model lock. */
static bool runs_left(twin_hw_instance *instance, struct sim_queue_point *out_newest)
{
    for (;;) {
        pthread_mutex_lock(&instance->lock);
        if (instance->run_count == 0) {
            pthread_mutex_unlock(&instance->lock);
            return false;
        }
        const struct sim_run oldest = instance->runs[0];
        pthread_mutex_unlock(&instance->lock);
        const struct sim_queue_point point = {
            .queue = oldest.launcher, .epoch = oldest.epoch, .number = oldest.end + 1};
        if (sim_point_completion_cached(&point) == SIM_PENDING) {
            *out_newest = point;
            return true;
        }
        pthread_mutex_lock(&instance->lock);
        if (instance->run_count > 0 && instance->runs[0].launcher == oldest.launcher &&
            instance->runs[0].end == oldest.end && instance->runs[0].epoch == oldest.epoch) {
            instance->run_count--;
            memmove(&instance->runs[0], &instance->runs[1],
                    instance->run_count * sizeof(instance->runs[0]));
        }
        pthread_mutex_unlock(&instance->lock);
    }
}

/* Entries of the launching queue that have had their effect; the last one may be about to retire.
 * Model lock. */
static uint64_t done_of(const twin_queue *queue)
{
    struct twinsim_queue_info info;
    bool one_more = twinsim_queue_inspect(sim_process.sim, queue->device->index, queue->sq,
                                          &info) == TWINSIM_OK &&
                    info.done;
    return sim_queue_retired(queue) + one_more;
}

static bool is_stale(const struct sim_run *run)
{
    return run->epoch != atomic_load_explicit(&run->launcher->epoch, memory_order_relaxed);
}

/* The run that holds the instance now. Model lock and instance->lock are held. */
static struct sim_run *current_run_locked(twin_hw_instance *instance)
{
    for (uint32_t i = 0; i < instance->run_count; i++) {
        struct sim_run *run = &instance->runs[i];
        if (is_stale(run))
            continue;
        uint64_t done = done_of(run->launcher);
        if (done >= run->first && done < run->end)
            return run;
    }
    return NULL;
}

/* Stops every queue of the instance at its current task. Model lock and instance->lock are held. */
static void stop_queues_locked(twin_hw_instance *instance)
{
    for (uint32_t i = 0; i < instance->queue_count; i++) {
        const twin_queue *queue = instance->queues[i];
        if (!queue->open)
            continue;
        (void)sim_queue_write(queue, STARS_SQ_ENABLE, 0);
        (void)sim_queue_write(queue, STARS_SQ_CONTROL, STARS_SQ_CONTROL_TASK_KILL);
        (void)sim_queue_write(queue, STARS_SQ_CONTROL, STARS_SQ_CONTROL_TASK_TERMINATE);
    }
}

/* Ends the current run: the launching queue continues after it. Model lock and instance->lock are
 * held. */
static void end_run_locked(twin_hw_instance *instance, const struct sim_run *run)
{
    twin_queue *launcher = run->launcher;
    uint64_t retired = sim_queue_retired(launcher);
    /* COND entries that have not begun become empty. */
    for (uint64_t number = retired + 1; number < run->end; number++) {
        stars_sqe *sqe = &launcher->ring[(number - 1) & launcher->mask];
        if ((sqe->word[0] & STARS_W0_TYPE_MASK) == STARS_SQE_COND) {
            struct sim_cond cond;
            sim_cond_begin(&cond, &sqe->word[STARS_COND_WORD], STARS_COND_WORDS);
            sim_cond_end(&cond);
        }
    }
    /* One that is under way must not start the queues after this. */
    struct twinsim_queue_info now;
    const bool starts = twinsim_queue_inspect(sim_process.sim, launcher->device->index,
                                              launcher->sq, &now) == TWINSIM_OK &&
                        now.sqe_type == STARS_SQE_COND && now.state == TWINSIM_QUEUE_RUNNING &&
                        !now.done;
    stop_queues_locked(instance);
    /* An end that is recorded before the run has cleared the notify would be lost: then no task
     * waits for it. */
    if (retired + 1 < run->end)
        sim_sqe_placeholder(&launcher->ring[(run->end - 1) & launcher->mask], false);
    else
        write_notify(instance, instance->end_id, 1);
    sim_queue_entries_changed(launcher);
    if (starts) /* the resume skips it */
        (void)sim_queue_write(launcher, STARS_SQ_CONTROL,
                              STARS_SQ_CONTROL_TASK_KILL | STARS_SQ_CONTROL_TASK_RESUME);
}

twin_status sim_model_instance_abort(twin_hw_instance *instance)
{
    sim_drive_poll(); /* what was due by the caller's time begins first */
    sim_model_lock();
    pthread_mutex_lock(&instance->lock);
    struct sim_run *run = current_run_locked(instance);
    twin_queue *launcher = run ? run->launcher : NULL;
    if (run)
        end_run_locked(instance, run);
    pthread_mutex_unlock(&instance->lock);
    if (launcher) {
        pthread_mutex_lock(&launcher->lock);
        sim_queue_note_locked(launcher, TWIN_E_RUN_ABORTED,
                              "the run of a model instance was aborted");
        pthread_mutex_unlock(&launcher->lock);
    }
    sim_drive_check_locked();
    sim_model_unlock();
    return TWIN_OK;
}

twin_status sim_model_instance_drain(twin_hw_instance *instance, uint64_t timeout_ns)
{
    uint64_t begin = sim_clock.now_ns;
    struct sim_queue_point point;
    while (runs_left(instance, &point)) {
        uint64_t spent = sim_clock.now_ns - begin;
        struct sim_wait wait = {
            .kind = SIM_WAIT_QUEUE_POINT,
            .wake = SIM_WAKE_STREAM,
            .timeout_ns = timeout_ns == TWIN_FOREVER ? TWIN_FOREVER
                          : spent < timeout_ns       ? timeout_ns - spent
                                                     : 0,
            .point = point,
        };
        twin_status status = sim_drive_wait(&wait);
        if (status == TWIN_E_TIMEOUT || twin_wait_given_up(status))
            return status;
    }
    return TWIN_OK;
}

void sim_instance_run_failed(twin_queue *launcher, twin_hw_instance *instance)
{
    pthread_mutex_lock(&instance->lock);
    struct sim_run *run = current_run_locked(instance);
    if (run && run->launcher == launcher)
        end_run_locked(instance, run);
    pthread_mutex_unlock(&instance->lock);
}

twin_queue *sim_instance_launcher(twin_queue *queue)
{
    twin_hw_instance *instance = queue->deferred.instance;
    if (!instance)
        return NULL;
    pthread_mutex_lock(&instance->lock);
    struct sim_run *run = current_run_locked(instance);
    twin_queue *launcher = run ? run->launcher : NULL;
    pthread_mutex_unlock(&instance->lock);
    return launcher;
}

static struct sim_run *find_run_locked(twin_hw_instance *instance, const twin_queue *launcher,
                                       uint64_t number)
{
    for (uint32_t i = 0; i < instance->run_count; i++) {
        struct sim_run *run = &instance->runs[i];
        if (run->launcher == launcher && !is_stale(run) && number >= run->first &&
            number <= run->end + 1)
            return run;
    }
    return NULL;
}

bool sim_instance_leave_run(twin_queue *queue)
{
    uint64_t head = sim_queue_retired(queue) + 1;
    const struct sim_task_state *state = &queue->task_states[(head - 1) & queue->mask];
    if (head > atomic_load_explicit(&queue->submitted, memory_order_relaxed) ||
        state->kind != SIM_TASK_RUN)
        return true;
    twin_hw_instance *instance = state->instance;
    pthread_mutex_lock(&instance->lock);
    struct sim_run *run = find_run_locked(instance, queue, head);
    bool begun = run && done_of(queue) >= run->first;
    if (begun && run == current_run_locked(instance))
        end_run_locked(instance, run);
    else if (run && !begun)
        for (uint64_t number = run->first + 1; number <= run->end + 1; number++)
            sim_sqe_placeholder(&queue->ring[(number - 1) & queue->mask], false);
    if (run && !begun)
        sim_queue_entries_changed(queue);
    pthread_mutex_unlock(&instance->lock);
    return !begun;
}

/* The launching queue drops its work: a run of it ends, and the instance is idle for the next. */
static void drop_runs_of(twin_hw_instance *instance, twin_queue *launcher)
{
    pthread_mutex_lock(&instance->lock);
    uint64_t done = done_of(launcher);
    bool held = false;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < instance->run_count; i++) {
        struct sim_run run = instance->runs[i];
        if (run.launcher != launcher || is_stale(&run)) {
            instance->runs[kept++] = run;
            continue;
        }
        if (done >= run.first && done < run.end)
            stop_queues_locked(instance);
        held = held || (done >= run.first && done < run.end + 1);
    }
    instance->run_count = kept;
    if (held)
        write_notify(instance, instance->idle_id, 1);
    pthread_mutex_unlock(&instance->lock);
}

void sim_instance_ring_closes(twin_queue *queue)
{
    if (!queue->config.deferred) {
        for (twin_hw_instance *one = queue->device->instances; one; one = one->next)
            drop_runs_of(one, queue);
        return;
    }
    struct sim_deferred *deferred = &queue->deferred;
    deferred->lead_count = deferred->label_count = 0;
    twin_hw_instance *instance = deferred->instance;
    if (!instance)
        return;
    pthread_mutex_lock(&instance->lock);
    instance->sealed = false;
    if (instance->end_queue == queue)
        instance->end_queue = NULL;
    pthread_mutex_unlock(&instance->lock);
}

/* ---- life ----------------------------------------------------------------------------------- */

static bool take_notify(twin_hw_device *device, uint32_t *out_id)
{
    uint32_t cursor = 0;
    uint32_t generation;
    sim_ids_clean(&device->notifies, sim_process.sim, device->index);
    return sim_ids_take(&device->notifies, &cursor, out_id, &generation);
}

twin_status sim_model_instance_create(twin_hw_device *device, twin_hw_instance **out_instance)
{
    twin_hw_instance *instance = calloc(1, sizeof(*instance));
    if (!instance)
        return TWIN_E_NOMEM;
    instance->device = device;
    pthread_mutex_init(&instance->lock, NULL);
    sim_model_lock();
    bool idle = take_notify(device, &instance->idle_id);
    bool end = idle && take_notify(device, &instance->end_id);
    if (end) {
        write_notify(instance, instance->idle_id, 1);
        LL_PREPEND(device->instances, instance);
    } else if (idle) {
        sim_ids_drop(&device->notifies, instance->idle_id);
    }
    sim_model_unlock();
    if (end) {
        *out_instance = instance;
        return TWIN_OK;
    }
    sim_fail("device %u: a model instance needs two hardware notifies, and all %u are taken",
             device->index, device->notifies.count);
    pthread_mutex_destroy(&instance->lock);
    free(instance);
    return TWIN_E_NO_NOTIFY;
}

void sim_model_instance_destroy(twin_hw_instance *instance)
{
    twin_hw_device *device = instance->device;
    while (instance->queue_count > 0)
        (void)sim_model_instance_unbind(instance, instance->queues[0]);
    sim_model_lock();
    LL_DELETE(device->instances, instance);
    sim_ids_drop(&device->notifies, instance->idle_id);
    sim_ids_drop(&device->notifies, instance->end_id);
    sim_ids_clean(&device->notifies, sim_process.sim, device->index);
    sim_model_unlock();
    pthread_mutex_destroy(&instance->lock);
    free((void *)instance->queues);
    free(instance->runs);
    free(instance);
}

twin_status sim_model_instance_bind(twin_hw_instance *instance, twin_queue *queue, bool head)
{
    struct sim_queue_point point;
    if (!queue->config.deferred || queue->device != instance->device)
        return TWIN_E_INVALID;
    if (runs_left(instance, &point))
        return TWIN_E_BUSY;
    pthread_mutex_lock(&queue->lock);
    pthread_mutex_lock(&instance->lock);
    bool room = sim_grow(&instance->queues, sizeof(*instance->queues), instance->queue_count,
                         &instance->queue_room);
    if (room) {
        instance->queues[instance->queue_count++] = queue;
        instance->sealed = false;
        queue->deferred.instance = instance;
        queue->deferred.head = head;
    }
    pthread_mutex_unlock(&instance->lock);
    pthread_mutex_unlock(&queue->lock);
    return room ? TWIN_OK : TWIN_E_NOMEM;
}

twin_status sim_model_instance_unbind(twin_hw_instance *instance, twin_queue *queue)
{
    struct sim_queue_point point;
    if (runs_left(instance, &point))
        return TWIN_E_BUSY;
    pthread_mutex_lock(&queue->lock);
    pthread_mutex_lock(&instance->lock);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < instance->queue_count; i++)
        if (instance->queues[i] != queue)
            instance->queues[kept++] = instance->queues[i];
    instance->queue_count = kept;
    instance->sealed = false;
    if (instance->end_queue == queue) {
        /* Another instance must not end this one. */
        stars_sqe *sqe = &queue->ring[instance->end_place & queue->mask];
        sim_sqe_placeholder(sqe, false);
        instance->end_queue = NULL;
    }
    queue->deferred.instance = NULL;
    pthread_mutex_unlock(&instance->lock);
    pthread_mutex_unlock(&queue->lock);
    return TWIN_OK;
}

bool sim_instance_runs(twin_queue *queue)
{
    struct sim_queue_point point;
    pthread_mutex_lock(&queue->lock);
    twin_hw_instance *instance = queue->deferred.instance;
    pthread_mutex_unlock(&queue->lock);
    return instance && runs_left(instance, &point);
}

twin_status sim_model_instance_clean(twin_queue *queue)
{
    if (sim_instance_runs(queue))
        return TWIN_E_BUSY;
    sim_kept_settle(queue);
    return sim_queue_abort(queue);
}

/* Whether every queue that the queue's tasks name is of the instance. Both locks are held. */
static bool leads_inside(const twin_hw_instance *instance, const twin_queue *queue)
{
    for (uint32_t i = 0; i < queue->deferred.lead_count; i++) {
        bool found = false;
        for (uint32_t j = 0; j < instance->queue_count && !found; j++)
            found = instance->queues[j] == queue->deferred.leads[i];
        if (!found)
            return false;
    }
    return true;
}

/* Writes the places of labels to their tables. Model lock and queue->lock are held. */
static void write_labels(twin_queue *queue)
{
    for (uint32_t i = 0; i < queue->deferred.label_count; i++) {
        struct sim_label *label = &queue->deferred.labels[i];
        if (label->written)
            continue;
        enum twinsim_target target;
        uint32_t owner;
        uint32_t *entry = sim_memory_translate(NULL, queue->device->index, label->entry, 8,
                                               TWINSIM_WRITE, &target, &owner);
        if (entry) {
            entry[0] = queue->sq | label->place << STARS_COND_GOTO_HEAD_SHIFT;
            entry[1] = queue->sq;
        }
        label->written = true;
    }
}

twin_status sim_model_instance_seal(twin_hw_instance *instance)
{
    sim_model_lock();
    pthread_mutex_lock(&instance->lock);
    uint32_t count = instance->queue_count;
    bool good = instance->end_queue != NULL;
    pthread_mutex_unlock(&instance->lock);
    bool head = false;
    /* The list stays as it is: the core seals, binds and unbinds one at a time. */
    for (uint32_t i = 0; good && i < count; i++) {
        twin_queue *queue = instance->queues[i];
        pthread_mutex_lock(&queue->lock);
        head = head || queue->deferred.head;
        good = leads_inside(instance, queue);
        pthread_mutex_unlock(&queue->lock);
    }
    good = good && head;
    for (uint32_t i = 0; good && i < count; i++) {
        twin_queue *queue = instance->queues[i];
        pthread_mutex_lock(&queue->lock);
        (void)sim_queue_write(queue, STARS_SQ_ENABLE, 0);
        write_labels(queue);
        uint64_t submitted = atomic_load_explicit(&queue->submitted, memory_order_relaxed);
        twinsim_doorbell(sim_process.sim, queue->device->index, queue->sq,
                         (uint32_t)(submitted & queue->mask),
                         sim_clock.now_ns + sim_process.limits.doorbell_ns);
        pthread_mutex_unlock(&queue->lock);
    }
    pthread_mutex_lock(&instance->lock);
    instance->sealed = good;
    pthread_mutex_unlock(&instance->lock);
    sim_model_unlock();
    return good ? TWIN_OK : TWIN_E_INVALID;
}

/* ---- work ----------------------------------------------------------------------------------- */

static stars_sqe *run_entry(twin_queue *queue, twin_hw_instance *instance, uint32_t ahead)
{
    struct sim_task_state *state;
    stars_sqe *sqe = sim_queue_slot_locked(queue, ahead, &state);
    state->kind = SIM_TASK_RUN;
    state->instance = instance;
    return sqe;
}

/* Whether a run of the instance does what the host can see without a call. instance->lock is
 * held. */
static bool is_visible(const twin_hw_instance *instance)
{
    for (uint32_t i = 0; i < instance->queue_count; i++)
        if (atomic_load_explicit(&instance->queues[i]->visible, memory_order_relaxed) != 0)
            return true;
    return false;
}

/* Fills in the entries of a run; how many. Both locks are held and they fit. */
static uint32_t fill_run(twin_queue *queue, twin_hw_instance *instance)
{
    uint32_t count = 0;
    sim_sqe_notify_wait(run_entry(queue, instance, count++), instance->idle_id, TWIN_FOREVER);
    sim_sqe_notify_clear(run_entry(queue, instance, count++), instance->end_id);
    struct sim_cond cond;
    uint32_t heads = 0;
    for (uint32_t i = 0; i < instance->queue_count; i++) {
        const twin_queue *member = instance->queues[i];
        if (!member->deferred.head)
            continue;
        if (heads % HEADS_PER_ENTRY == 0)
            sim_cond_begin(&cond, sim_sqe_cond(run_entry(queue, instance, count++)),
                           STARS_COND_WORDS);
        sim_cond_goto(&cond, member->sq, 0);
        sim_cond_enable(&cond, member->sq);
        if (++heads % HEADS_PER_ENTRY == 0)
            sim_cond_end(&cond);
    }
    if (heads % HEADS_PER_ENTRY != 0)
        sim_cond_end(&cond);
    sim_sqe_notify_wait(run_entry(queue, instance, count++), instance->end_id, TWIN_FOREVER);
    sim_sqe_notify_record(run_entry(queue, instance, count++), instance->idle_id, false);
    return count;
}

twin_status sim_work_run(twin_queue *queue, twin_hw_instance *instance)
{
    twin_status refusal = sim_queue_refusal(queue);
    if (refusal != TWIN_OK)
        return refusal;
    struct sim_queue_point point;
    bool visible = false;
    (void)runs_left(instance, &point);
    pthread_mutex_lock(&queue->lock);
    pthread_mutex_lock(&instance->lock);
    twin_status status = instance->sealed ? TWIN_OK : TWIN_E_INVALID;
    uint32_t most = 4 + (instance->queue_count + HEADS_PER_ENTRY - 1) / HEADS_PER_ENTRY;
    if (status == TWIN_OK && !sim_queue_fits_locked(queue, most))
        status = TWIN_E_BUSY;
    if (status == TWIN_OK && !sim_grow(&instance->runs, sizeof(*instance->runs),
                                       instance->run_count, &instance->run_room))
        status = TWIN_E_NOMEM;
    if (status == TWIN_OK) {
        uint64_t submitted = atomic_load_explicit(&queue->submitted, memory_order_relaxed);
        uint32_t count = fill_run(queue, instance);
        instance->runs[instance->run_count++] = (struct sim_run){
            .launcher = queue,
            .epoch = atomic_load_explicit(&queue->epoch, memory_order_relaxed),
            .first = submitted + 1,
            .end = submitted + count - 1,
        };
        visible = is_visible(instance);
        if (visible)
            atomic_store_explicit(&queue->visible, submitted + count, memory_order_relaxed);
        sim_queue_send_locked(queue, count);
    }
    pthread_mutex_unlock(&instance->lock);
    pthread_mutex_unlock(&queue->lock);
    if (visible)
        sim_progress_submitted();
    return status;
}

uint32_t sim_instance_end_at(twin_hw_instance *instance, twin_queue *queue, uint64_t place)
{
    pthread_mutex_lock(&instance->lock);
    instance->end_queue = queue;
    instance->end_place = place;
    pthread_mutex_unlock(&instance->lock);
    return instance->end_id;
}
