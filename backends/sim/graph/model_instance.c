/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/model_instance.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "graph/cond_program.h"
#include "memory/memory.h"
#include "process/device.h"
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

struct twin_program {
    twin_hw_device *device;
    twin_program *next; /* of the device; guarded by the model lock */
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

static void write_notify(const twin_program *program, uint32_t id, uint32_t value)
{
    (void)twinsim_write(sim_process.sim, program->device->index,
                        STARS_NOTIFY_TABLE_BASE + 4ull * id, value);
}

/* ---- runs ----------------------------------------------------------------------------------- */

/* Drops the runs that have ended; whether some are left. Takes program->lock, and perhaps the model lock. */
static bool runs_left(twin_program *program, struct sim_queue_point *out_newest)
{
    for (;;) {
        pthread_mutex_lock(&program->lock);
        if (program->run_count == 0) {
            pthread_mutex_unlock(&program->lock);
            return false;
        }
        const struct sim_run oldest = program->runs[0];
        pthread_mutex_unlock(&program->lock);
        const struct sim_queue_point point = {
            .queue = oldest.launcher, .epoch = oldest.epoch, .number = oldest.end + 1};
        if (sim_point_completion_cached(&point) == SIM_PENDING) {
            *out_newest = point;
            return true;
        }
        pthread_mutex_lock(&program->lock);
        if (program->run_count > 0 && program->runs[0].launcher == oldest.launcher &&
            program->runs[0].end == oldest.end && program->runs[0].epoch == oldest.epoch) {
            program->run_count--;
            memmove(&program->runs[0], &program->runs[1],
                    program->run_count * sizeof(program->runs[0]));
        }
        pthread_mutex_unlock(&program->lock);
    }
}

/* Entries of the launching queue that have had their effect; the last one may be about to retire. Model lock. */
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

/* The run that holds the program now. Model lock and program->lock are held. */
static struct sim_run *current_run_locked(twin_program *program)
{
    for (uint32_t i = 0; i < program->run_count; i++) {
        struct sim_run *run = &program->runs[i];
        if (is_stale(run))
            continue;
        uint64_t done = done_of(run->launcher);
        if (done >= run->first && done < run->end)
            return run;
    }
    return NULL;
}

/* Stops every queue of the program at its current task. Model lock and program->lock are held. */
static void stop_queues_locked(twin_program *program)
{
    for (uint32_t i = 0; i < program->queue_count; i++) {
        const twin_queue *queue = program->queues[i];
        if (!queue->open)
            continue;
        (void)sim_queue_write(queue, STARS_SQ_ENABLE, 0);
        (void)sim_queue_write(queue, STARS_SQ_CONTROL, STARS_SQ_CONTROL_TASK_KILL);
        (void)sim_queue_write(queue, STARS_SQ_CONTROL, STARS_SQ_CONTROL_TASK_TERMINATE);
    }
}

/* Ends the current run: the launching queue continues after it. Model lock and program->lock are held. */
static void end_run_locked(twin_program *program, const struct sim_run *run)
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
    stop_queues_locked(program);
    /* An end that is recorded before the run has cleared the notify would be lost: then no task waits for it. */
    if (retired + 1 < run->end)
        sim_sqe_placeholder(&launcher->ring[(run->end - 1) & launcher->mask], false);
    else
        write_notify(program, program->end_id, 1);
}

twin_status sim_program_abort(twin_program *program)
{
    sim_drive_poll(); /* what was due by the caller's time begins first */
    sim_model_lock();
    pthread_mutex_lock(&program->lock);
    struct sim_run *run = current_run_locked(program);
    twin_queue *launcher = run ? run->launcher : NULL;
    if (run)
        end_run_locked(program, run);
    pthread_mutex_unlock(&program->lock);
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

twin_status sim_program_drain(twin_program *program, uint64_t timeout_ns)
{
    uint64_t begin = sim_clock.now_ns;
    struct sim_queue_point point;
    while (runs_left(program, &point)) {
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

void sim_program_run_failed(twin_queue *launcher, twin_program *program)
{
    pthread_mutex_lock(&program->lock);
    struct sim_run *run = current_run_locked(program);
    if (run && run->launcher == launcher)
        end_run_locked(program, run);
    pthread_mutex_unlock(&program->lock);
}

twin_queue *sim_program_launcher(twin_queue *queue)
{
    twin_program *program = queue->deferred.program;
    if (!program)
        return NULL;
    pthread_mutex_lock(&program->lock);
    struct sim_run *run = current_run_locked(program);
    twin_queue *launcher = run ? run->launcher : NULL;
    pthread_mutex_unlock(&program->lock);
    return launcher;
}

static struct sim_run *find_run_locked(twin_program *program, const twin_queue *launcher,
                                       uint64_t number)
{
    for (uint32_t i = 0; i < program->run_count; i++) {
        struct sim_run *run = &program->runs[i];
        if (run->launcher == launcher && !is_stale(run) && number >= run->first &&
            number <= run->end + 1)
            return run;
    }
    return NULL;
}

bool sim_program_leave_run(twin_queue *queue)
{
    uint64_t head = sim_queue_retired(queue) + 1;
    const struct sim_task_state *state = &queue->task_states[(head - 1) & queue->mask];
    if (head > atomic_load_explicit(&queue->submitted, memory_order_relaxed) ||
        state->kind != SIM_TASK_RUN)
        return true;
    twin_program *program = state->program;
    pthread_mutex_lock(&program->lock);
    struct sim_run *run = find_run_locked(program, queue, head);
    bool begun = run && done_of(queue) >= run->first;
    if (begun && run == current_run_locked(program))
        end_run_locked(program, run);
    else if (run && !begun)
        for (uint64_t number = run->first + 1; number <= run->end + 1; number++)
            sim_sqe_placeholder(&queue->ring[(number - 1) & queue->mask], false);
    pthread_mutex_unlock(&program->lock);
    return !begun;
}

/* The launching queue drops its work: a run of it ends, and the program is idle for the next. */
static void drop_runs_of(twin_program *program, twin_queue *launcher)
{
    pthread_mutex_lock(&program->lock);
    uint64_t done = done_of(launcher);
    bool held = false;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < program->run_count; i++) {
        struct sim_run run = program->runs[i];
        if (run.launcher != launcher || is_stale(&run)) {
            program->runs[kept++] = run;
            continue;
        }
        if (done >= run.first && done < run.end)
            stop_queues_locked(program);
        held = held || (done >= run.first && done < run.end + 1);
    }
    program->run_count = kept;
    if (held)
        write_notify(program, program->idle_id, 1);
    pthread_mutex_unlock(&program->lock);
}

void sim_program_ring_closes(twin_queue *queue)
{
    if (!queue->config.deferred) {
        for (twin_program *one = queue->device->programs; one; one = one->next)
            drop_runs_of(one, queue);
        return;
    }
    struct sim_deferred *deferred = &queue->deferred;
    deferred->lead_count = deferred->label_count = 0;
    twin_program *program = deferred->program;
    if (!program)
        return;
    pthread_mutex_lock(&program->lock);
    program->sealed = false;
    if (program->end_queue == queue)
        program->end_queue = NULL;
    pthread_mutex_unlock(&program->lock);
}

/* ---- life ----------------------------------------------------------------------------------- */

static bool take_notify(twin_hw_device *device, uint32_t *out_id)
{
    uint32_t cursor = 0;
    uint32_t generation;
    sim_ids_clean(&device->notifies, sim_process.sim, device->index);
    return sim_ids_take(&device->notifies, &cursor, out_id, &generation);
}

twin_status sim_program_create(twin_hw_device *device, twin_program **out_program)
{
    twin_program *program = calloc(1, sizeof(*program));
    if (!program)
        return TWIN_E_NOMEM;
    program->device = device;
    pthread_mutex_init(&program->lock, NULL);
    sim_model_lock();
    bool idle = take_notify(device, &program->idle_id);
    bool end = idle && take_notify(device, &program->end_id);
    if (end) {
        write_notify(program, program->idle_id, 1);
        LL_PREPEND(device->programs, program);
    } else if (idle) {
        sim_ids_drop(&device->notifies, program->idle_id);
    }
    sim_model_unlock();
    if (end) {
        *out_program = program;
        return TWIN_OK;
    }
    sim_fail("device %u: a model instance needs two hardware notifies, and all %u are taken",
             device->index, device->notifies.count);
    pthread_mutex_destroy(&program->lock);
    free(program);
    return TWIN_E_NO_NOTIFY;
}

void sim_program_destroy(twin_program *program)
{
    twin_hw_device *device = program->device;
    while (program->queue_count > 0)
        (void)sim_program_unbind(program, program->queues[0]);
    sim_model_lock();
    LL_DELETE(device->programs, program);
    sim_ids_drop(&device->notifies, program->idle_id);
    sim_ids_drop(&device->notifies, program->end_id);
    sim_ids_clean(&device->notifies, sim_process.sim, device->index);
    sim_model_unlock();
    pthread_mutex_destroy(&program->lock);
    free((void *)program->queues);
    free(program->runs);
    free(program);
}

twin_status sim_program_bind(twin_program *program, twin_queue *queue, bool head)
{
    struct sim_queue_point point;
    if (!queue->config.deferred || queue->device != program->device)
        return TWIN_E_INVALID;
    if (runs_left(program, &point))
        return TWIN_E_BUSY;
    pthread_mutex_lock(&queue->lock);
    pthread_mutex_lock(&program->lock);
    bool room = sim_grow(&program->queues, sizeof(*program->queues), program->queue_count,
                         &program->queue_room);
    if (room) {
        program->queues[program->queue_count++] = queue;
        program->sealed = false;
        queue->deferred.program = program;
        queue->deferred.head = head;
    }
    pthread_mutex_unlock(&program->lock);
    pthread_mutex_unlock(&queue->lock);
    return room ? TWIN_OK : TWIN_E_NOMEM;
}

twin_status sim_program_unbind(twin_program *program, twin_queue *queue)
{
    struct sim_queue_point point;
    if (runs_left(program, &point))
        return TWIN_E_BUSY;
    pthread_mutex_lock(&queue->lock);
    pthread_mutex_lock(&program->lock);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < program->queue_count; i++)
        if (program->queues[i] != queue)
            program->queues[kept++] = program->queues[i];
    program->queue_count = kept;
    program->sealed = false;
    if (program->end_queue == queue) {
        /* Another program must not end this one. */
        stars_sqe *sqe = &queue->ring[program->end_place & queue->mask];
        sim_sqe_placeholder(sqe, false);
        program->end_queue = NULL;
    }
    queue->deferred.program = NULL;
    pthread_mutex_unlock(&program->lock);
    pthread_mutex_unlock(&queue->lock);
    return TWIN_OK;
}

twin_status sim_program_clean(twin_queue *queue)
{
    struct sim_queue_point point;
    pthread_mutex_lock(&queue->lock);
    twin_program *program = queue->deferred.program;
    pthread_mutex_unlock(&queue->lock);
    if (program && runs_left(program, &point))
        return TWIN_E_BUSY;
    return sim_control_abort(queue);
}

/* Whether every queue that the queue's tasks name is of the program. Both locks are held. */
static bool leads_inside(const twin_program *program, const twin_queue *queue)
{
    for (uint32_t i = 0; i < queue->deferred.lead_count; i++) {
        bool found = false;
        for (uint32_t j = 0; j < program->queue_count && !found; j++)
            found = program->queues[j] == queue->deferred.leads[i];
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

twin_status sim_program_seal(twin_program *program)
{
    sim_model_lock();
    pthread_mutex_lock(&program->lock);
    uint32_t count = program->queue_count;
    bool good = program->end_queue != NULL;
    pthread_mutex_unlock(&program->lock);
    bool head = false;
    /* The list stays as it is: the core seals, binds and unbinds one at a time. */
    for (uint32_t i = 0; good && i < count; i++) {
        twin_queue *queue = program->queues[i];
        pthread_mutex_lock(&queue->lock);
        head = head || queue->deferred.head;
        good = leads_inside(program, queue);
        pthread_mutex_unlock(&queue->lock);
    }
    good = good && head;
    for (uint32_t i = 0; good && i < count; i++) {
        twin_queue *queue = program->queues[i];
        pthread_mutex_lock(&queue->lock);
        (void)sim_queue_write(queue, STARS_SQ_ENABLE, 0);
        write_labels(queue);
        uint64_t submitted = atomic_load_explicit(&queue->submitted, memory_order_relaxed);
        twinsim_doorbell(sim_process.sim, queue->device->index, queue->sq,
                         (uint32_t)(submitted & queue->mask),
                         sim_clock.now_ns + sim_process.limits.doorbell_ns);
        pthread_mutex_unlock(&queue->lock);
    }
    pthread_mutex_lock(&program->lock);
    program->sealed = good;
    pthread_mutex_unlock(&program->lock);
    sim_model_unlock();
    return good ? TWIN_OK : TWIN_E_INVALID;
}

/* ---- work ----------------------------------------------------------------------------------- */

static stars_sqe *run_entry(twin_queue *queue, twin_program *program, uint32_t ahead)
{
    struct sim_task_state *state;
    stars_sqe *sqe = sim_queue_slot_locked(queue, ahead, &state);
    state->kind = SIM_TASK_RUN;
    state->program = program;
    return sqe;
}

/* Whether a run of the program does what the host can see without a call. program->lock is held. */
static bool is_visible(const twin_program *program)
{
    for (uint32_t i = 0; i < program->queue_count; i++)
        if (atomic_load_explicit(&program->queues[i]->visible, memory_order_relaxed) != 0)
            return true;
    return false;
}

/* Fills in the entries of a run; how many. Both locks are held and they fit. */
static uint32_t fill_run(twin_queue *queue, twin_program *program)
{
    uint32_t count = 0;
    sim_sqe_notify_wait(run_entry(queue, program, count++), program->idle_id, TWIN_FOREVER);
    sim_sqe_notify_clear(run_entry(queue, program, count++), program->end_id);
    struct sim_cond cond;
    uint32_t heads = 0;
    for (uint32_t i = 0; i < program->queue_count; i++) {
        const twin_queue *member = program->queues[i];
        if (!member->deferred.head)
            continue;
        if (heads % HEADS_PER_ENTRY == 0)
            sim_cond_begin(&cond, sim_sqe_cond(run_entry(queue, program, count++)),
                           STARS_COND_WORDS);
        sim_cond_goto(&cond, member->sq, 0);
        sim_cond_enable(&cond, member->sq);
        if (++heads % HEADS_PER_ENTRY == 0)
            sim_cond_end(&cond);
    }
    if (heads % HEADS_PER_ENTRY != 0)
        sim_cond_end(&cond);
    sim_sqe_notify_wait(run_entry(queue, program, count++), program->end_id, TWIN_FOREVER);
    sim_sqe_notify_record(run_entry(queue, program, count++), program->idle_id, false);
    return count;
}

twin_status sim_work_run(twin_queue *queue, twin_program *program)
{
    twin_status refusal = sim_queue_refusal(queue);
    if (refusal != TWIN_OK)
        return refusal;
    struct sim_queue_point point;
    bool visible = false;
    (void)runs_left(program, &point);
    pthread_mutex_lock(&queue->lock);
    pthread_mutex_lock(&program->lock);
    twin_status status = program->sealed ? TWIN_OK : TWIN_E_INVALID;
    uint32_t most = 4 + (program->queue_count + HEADS_PER_ENTRY - 1) / HEADS_PER_ENTRY;
    if (status == TWIN_OK && !sim_queue_fits_locked(queue, most))
        status = TWIN_E_BUSY;
    if (status == TWIN_OK &&
        !sim_grow(&program->runs, sizeof(*program->runs), program->run_count, &program->run_room))
        status = TWIN_E_NOMEM;
    if (status == TWIN_OK) {
        uint64_t submitted = atomic_load_explicit(&queue->submitted, memory_order_relaxed);
        uint32_t count = fill_run(queue, program);
        program->runs[program->run_count++] = (struct sim_run){
            .launcher = queue,
            .epoch = atomic_load_explicit(&queue->epoch, memory_order_relaxed),
            .first = submitted + 1,
            .end = submitted + count - 1,
        };
        visible = is_visible(program);
        if (visible)
            atomic_store_explicit(&queue->visible, submitted + count, memory_order_relaxed);
        sim_queue_send_locked(queue, count);
    }
    pthread_mutex_unlock(&program->lock);
    pthread_mutex_unlock(&queue->lock);
    if (visible)
        sim_progress_submitted();
    return status;
}

uint32_t sim_program_end_at(twin_program *program, twin_queue *queue, uint64_t place)
{
    pthread_mutex_lock(&program->lock);
    program->end_queue = queue;
    program->end_place = place;
    pthread_mutex_unlock(&program->lock);
    return program->end_id;
}
