/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/queue.h"

#include <stdlib.h>
#include <string.h>

#include "observe/observe.h"
#include "observe/timeline.h"
#include "device/device.h"
#include "queue/ring_users.h"
#include "queue/failure.h"
#include "process/nondeterminism.h"
#include "process/pool_hooks.h"
#include "seam/sanitizer.h"
#include "wait/clock.h"
#include "wait/leader.h"
#include "wait/model_lock.h"
#include "wait/repeated_polls.h"
#include "wait/wait.h"

/* Task states are released after so many submissions, so that ids become free without a wait. */
#define RECLAIM_EVERY 64u

/* ---- queue points --------------------------------------------------------------------------- */

/* What was dropped in the epoch of a queue point; NULL: nothing. The newest come first: points are
 * mostly young. */
static const struct sim_dropped *find_dropped(const struct sim_queue_point *point)
{
    const twin_hw_device *device = point->queue->device;
    for (size_t i = device->dropped_count; i > 0; i--) {
        const struct sim_dropped *dropped = &device->dropped[i - 1];
        if (dropped->queue == point->queue && dropped->epoch == point->epoch)
            return dropped;
    }
    return NULL;
}

enum sim_completion sim_point_completion_locked(const struct sim_queue_point *point)
{
    const twin_queue *queue = point->queue;
    if (point->epoch == atomic_load_explicit(&queue->epoch, memory_order_relaxed))
        return !queue->open || sim_queue_retired(queue) >= point->number ? SIM_DONE : SIM_PENDING;
    const struct sim_dropped *dropped = find_dropped(point);
    return dropped && point->number > dropped->retired ? SIM_DROPPED : SIM_DONE;
}

twin_status sim_point_reason_locked(const struct sim_queue_point *point)
{
    const struct sim_dropped *dropped = find_dropped(point);
    return dropped ? dropped->reason : TWIN_E_ABORTED;
}

twin_status sim_point_reason(const struct sim_queue_point *point)
{
    sim_model_lock();
    twin_status reason = sim_point_reason_locked(point);
    sim_model_unlock();
    return reason;
}

/* Another thread may have driven the model past the caller's time: results of work are seen at the
 * model's time. */
static enum sim_completion catch_up(enum sim_completion completion)
{
    if (completion != SIM_PENDING)
        sim_clock_catch_up();
    return completion;
}

/* What the counters said of the point, and of the queue when the newest task is asked for, depends
 * on the order of threads. So does that they were asked: the queue may have been closed
 * meanwhile. */
static enum sim_completion completion_cached(struct sim_queue_point *point)
{
    twin_queue *queue = point->queue;
    uint64_t then = 0;
    if (sim_nd_then(TWIN_ND_COMPLETION, 0, &then)) {
        point->number = then / 2;
        return catch_up((then & 1) != 0 ? SIM_DONE : SIM_PENDING);
    }
    if (point->epoch == atomic_load_explicit(&queue->epoch, memory_order_acquire)) {
        uint64_t retired = sim_queue_retired(queue);
        /* The counter restarts with the epoch: it is valid only if the epoch is still the same. */
        atomic_thread_fence(memory_order_acquire);
        if (point->epoch == atomic_load_explicit(&queue->epoch, memory_order_relaxed)) {
            bool done = retired >= point->number && sim_drive_settled();
            sim_nd_found(TWIN_ND_COMPLETION, 0, point->number * 2 + done);
            return catch_up(done ? SIM_DONE : SIM_PENDING);
        }
    }
    sim_model_lock();
    enum sim_completion completion = sim_point_completion_locked(point);
    sim_model_unlock();
    return catch_up(completion);
}

enum sim_completion sim_point_completion_cached(const struct sim_queue_point *point)
{
    struct sim_queue_point asked = *point;
    return point->number == 0 ? SIM_DONE : completion_cached(&asked);
}

enum sim_completion sim_point_completion_exact(const struct sim_queue_point *point)
{
    if (point->number == 0)
        return SIM_DONE;
    sim_model_lock();
    enum sim_completion completion = sim_point_completion_locked(point);
    sim_model_unlock();
    return catch_up(completion);
}

struct sim_fence {
    size_t count;
    struct sim_queue_point points[];
};

static bool in_flight(twin_queue *queue, struct sim_queue_point *out)
{
    out->queue = queue;
    out->epoch = atomic_load_explicit(&queue->epoch, memory_order_acquire);
    out->number = atomic_load_explicit(&queue->submitted, memory_order_acquire);
    /* Runs are in flight in the queue that asked for them. */
    return out->number != 0 && !atomic_load_explicit(&queue->is_deferred, memory_order_relaxed) &&
           sim_queue_retired(queue) < out->number;
}

/* Visits what is in flight on every device. A device that closes meanwhile only has less of it. */
static size_t gather(struct sim_queue_point *points, size_t room)
{
    size_t count = 0;
    twin_queue *queue;
    for (uint32_t i = 0; i < sim_process.device_count; i++)
        for (unsigned sq = 0; (queue = sim_device_queue(sim_process.devices[i], sq)); sq++) {
            struct sim_queue_point point;
            if (!in_flight(queue, &point))
                continue;
            if (count < room)
                points[count] = point;
            count++;
        }
    return count;
}

bool sim_fence_take(struct sim_fence **out)
{
    *out = NULL;
    size_t count = gather(NULL, 0);
    if (count == 0)
        return false;
    for (;;) {
        /* Other threads submit meanwhile, on queues that come first too: as often as it takes, for
         * what was in flight at the call must not be the part that finds no room. There are only so
         * many queues. */
        size_t room = count + 8;
        struct sim_fence *fence = malloc(sizeof(*fence) + room * sizeof(fence->points[0]));
        if (!fence)
            return true;
        count = gather(fence->points, room);
        if (count <= room) {
            fence->count = count;
            *out = fence;
            return true;
        }
        free(fence);
    }
}

bool sim_fence_passed(const struct sim_fence *fence)
{
    for (size_t i = 0; i < fence->count; i++) {
        const struct sim_queue_point *point = &fence->points[i];
        if (atomic_load_explicit(&point->queue->epoch, memory_order_acquire) == point->epoch &&
            sim_queue_retired(point->queue) < point->number)
            return false;
    }
    return true;
}

void sim_fence_free(struct sim_fence *fence)
{
    free(fence);
}

/* ---- slots ---------------------------------------------------------------------------------- */

/* Entries before `submitted`, of the first lap. */
static void note_use(twin_queue *queue, uint32_t submitted)
{
    if (submitted <= queue->used)
        return;
    sim_rings_use(&queue->device->rings, queue->sq, queue->used, submitted);
    queue->used = submitted;
}

/* It stopped after the call had begun: other ops of the recording came before. */
__attribute__((noinline)) static bool log_refusal(const twin_queue *queue)
{
    uint64_t met = atomic_load_explicit(&queue->refusal, memory_order_relaxed);
    (void)sim_nd(TWIN_ND_REFUSED, 0, &met);
    return false;
}

bool sim_queue_fits_locked(twin_queue *queue, uint32_t count)
{
    if (__builtin_expect(atomic_load_explicit(&queue->refusal, memory_order_relaxed) != TWIN_OK, 0))
        return log_refusal(queue); /* sim_queue_room() says why */
    uint64_t submitted = atomic_load_explicit(&queue->submitted, memory_order_relaxed);
    uint64_t reclaimed = atomic_load_explicit(&queue->reclaimed, memory_order_relaxed);
    uint32_t limit = sim_process.limits.in_flight;
    if (__builtin_expect(queue->config.deferred, 0))
        return submitted + count <= queue->mask;
    if (submitted % RECLAIM_EVERY == 0 || submitted - reclaimed + count > limit) {
        if (submitted <= queue->mask + 1u)
            note_use(queue, (uint32_t)submitted);
        sim_queue_reclaim_locked(queue);
        reclaimed = atomic_load_explicit(&queue->reclaimed, memory_order_relaxed);
    }
    if (submitted - reclaimed + count <= limit)
        return true;
    queue->room_wanted = count;
    queue->id_wanted = false;
    return false;
}

stars_sqe *sim_queue_slot_locked(twin_queue *queue, uint32_t ahead,
                                 struct sim_task_state **out_state)
{
    uint64_t place = atomic_load_explicit(&queue->submitted, memory_order_relaxed) + ahead;
    stars_sqe *sqe = &queue->ring[place & queue->mask];
    struct sim_task_state *state = &queue->task_states[place & queue->mask];
    memset(sqe, 0, sizeof(*sqe));
    memset(state, 0, sizeof(*state));
    sqe->word[1] = (queue->config.id & 0xffffu) << STARS_W1_STREAM_SHIFT |
                   (uint32_t)queue->task_id << STARS_W1_TASK_SHIFT;
    state->thread = sim_clock.system_id;
    if (!queue->config.is_default)
        sim_clock.last_task = queue->task_id;
    /* 65535 is not a valid task id */
    queue->task_id = queue->task_id == 65534 ? 0 : (uint16_t)(queue->task_id + 1);
    if (out_state) {
        *out_state = state;
        queue->held = place + 1;
    }
    return sqe;
}

/* The thread submits to the queues in their order: the memory of the next ones is not in the caches
 * any more. Their structures are at regular distances, which the processor prefetches; the memory
 * that they point to is not. */
__attribute__((noinline)) static void expect_next(const twin_queue *queue)
{
    const unsigned ahead = 4;
    const twin_queue *next = sim_device_queue(queue->device, queue->sq + ahead);
    if (!next)
        return;
    uint64_t place = atomic_load_explicit(&next->submitted, memory_order_relaxed);
    __builtin_prefetch(&next->ring[place & next->mask], 1);
    __builtin_prefetch(&next->task_states[place & next->mask], 1);
    twinsim_queue_expect(sim_process.sim, queue->device->index, queue->sq + ahead);
}

void sim_queue_send_locked(twin_queue *queue, uint32_t count)
{
    uint64_t before = atomic_load_explicit(&queue->submitted, memory_order_relaxed);
    if (__builtin_expect(queue->config.deferred,
                         0)) { /* rung for when the model instance is sealed */
        atomic_store_explicit(&queue->submitted, before + count, memory_order_release);
        return;
    }
    uint64_t arrival = sim_clock.now_ns + sim_process.limits.doorbell_ns;
    if (arrival < queue->last_arrival_ns)
        arrival = queue->last_arrival_ns;
    queue->last_arrival_ns = arrival;
    atomic_store_explicit(&queue->submitted, before + count, memory_order_release);
    twinsim_doorbell(sim_process.sim, queue->device->index, queue->sq,
                     (uint32_t)((before + count) & queue->mask), arrival);
    if (sim_process.trace_path[0] != '\0')
        sim_timeline_submit(sim_clock.number, queue->track, before + 1, sim_clock.now_ns);
    sim_drive_submitted();
    if (__builtin_expect(queue->sq == sim_clock.last_sq + 1, 0))
        expect_next(queue);
    sim_clock.last_sq = queue->sq;
    sim_clock.work++;
}

stars_sqe *sim_queue_begin(twin_queue *queue, struct sim_task_state **out_state)
{
    pthread_mutex_lock(&queue->lock);
    if (sim_queue_fits_locked(queue, 1))
        return sim_queue_slot_locked(queue, 0, out_state);
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

void sim_queue_commit(twin_queue *queue)
{
    sim_queue_send_locked(queue, 1);
    pthread_mutex_unlock(&queue->lock);
}

/* ---- life ----------------------------------------------------------------------------------- */

/* Opens the queue's SQ, empty. Both locks are held. */
static twin_status open_ring(twin_queue *queue)
{
    uint32_t cq_depth = sim_process.limits.cq_depth;
    size_t used = queue->cq_read < cq_depth ? (size_t)queue->cq_read : cq_depth;
    memset(queue->cq, 0, used * sizeof(*queue->cq));
    queue->cq_read = 0;
    queue->watched = false;
    queue->held = queue->guarded_to = 0;
    atomic_store_explicit(&queue->visible, 0, memory_order_relaxed);
    atomic_store_explicit(&queue->submitted, 0, memory_order_relaxed);
    atomic_store_explicit(&queue->reclaimed, 0, memory_order_relaxed);
    const struct twinsim_queue description = {
        .ring_address = (uintptr_t)queue->ring,
        .cq_address = (uintptr_t)queue->cq,
        .depth = queue->mask + 1,
        .cq_depth = cq_depth,
        .stream_id = (uint16_t)queue->config.id,
        .priority = (uint8_t)queue->config.priority,
        .group = 0,
        .disabled = queue->config.deferred,
    };
    uint32_t device = queue->device->index;
    if (twinsim_queue_open(sim_process.sim, device, queue->sq, &description) != TWINSIM_OK) {
        sim_fail("device %u: the scheduler cannot open queue %u", device, queue->sq);
        return TWIN_E_DEVICE;
    }
    queue->open = true;
    if (sim_process.trace_path[0] != '\0' || sim_observe_wants_trace())
        queue->track =
            sim_timeline_name_queue(sim_process.sim, device, queue->sq, queue->config.id);
    return TWIN_OK;
}

/* Stops the SQ and releases all it held, with `calls_too` also of calls that retired and were not
 * taken; what was pending is remembered as dropped, for `reason`. Both locks are held. */
static void close_ring(twin_queue *queue, twin_status reason, bool calls_too)
{
    twin_hw_device *device = queue->device;
    sim_call_queue_forget_locked(queue, calls_too);
    uint64_t retired = sim_queue_retired(queue);
    uint64_t submitted = atomic_load_explicit(&queue->submitted, memory_order_relaxed);
    sim_instance_ring_closes(queue);
    queue->ended_ns = twinsim_now(sim_process.sim);
    queue->ended_done_ns =
        retired > 0 ? twinsim_queue_retired_at(sim_process.sim, device->index, queue->sq, retired)
                    : queue->ended_ns;
    twinsim_queue_close(sim_process.sim, device->index, queue->sq);
    queue->open = false;
    uint32_t epoch = atomic_load_explicit(&queue->epoch, memory_order_relaxed);
    if (submitted > retired && !queue->config.deferred) {
        if (sim_grow(&device->dropped, sizeof(*device->dropped), device->dropped_count,
                     &device->dropped_room))
            device->dropped[device->dropped_count++] = (struct sim_dropped){
                .queue = queue, .epoch = epoch, .retired = retired, .reason = reason};
        else
            sim_log(3, "device %u, stream %u: out of host memory; dropped work counts as done",
                    device->index, queue->config.id);
    }
    for (uint64_t i = atomic_load_explicit(&queue->reclaimed, memory_order_relaxed); i < submitted;
         i++)
        sim_queue_release_task_state(queue, &queue->task_states[i & queue->mask]);
    sim_contexts_release(&device->lists, &queue->contexts);
    if (!queue->config.deferred)
        queue->task_base += submitted;
    atomic_store_explicit(&queue->epoch, epoch + 1, memory_order_release);
    atomic_store_explicit(&queue->visible, 0, memory_order_relaxed);
    atomic_store_explicit(&queue->submitted, 0, memory_order_release);
    atomic_store_explicit(&queue->reclaimed, 0, memory_order_release);
}

/* Task states have pointers to signals, kernels and lists, and are not in memory of malloc(). */
static void leak_check_states(const twin_queue *queue, bool look)
{
    const size_t bytes = ((size_t)queue->mask + 1) * sizeof(*queue->task_states);
    twin_leak_check_range(queue->task_states, bytes, look);
}

/* The lowest SQ that is not open. Model lock held. */
static twin_queue *find_queue(twin_hw_device *device)
{
    unsigned slots = 0;
    twin_queue *queue;
    for (; (queue = sim_device_queue(device, slots)); slots++)
        if (!queue->open)
            return queue;
    queue = aligned_alloc(64, (sizeof(*queue) + 63) / 64 * 64);
    if (!queue)
        return NULL;
    memset(queue, 0, sizeof(*queue));
    struct sim_slice slice = sim_rings_slice(&device->rings, slots);
    pthread_mutex_init(&queue->lock, NULL);
    queue->device = device;
    queue->sq = (uint16_t)slots;
    queue->ring = slice.ring;
    queue->cq = slice.cq;
    queue->task_states = slice.task_states;
    queue->mask = sim_process.limits.sq_depth - 1;
    atomic_store_explicit(&device->queues[slots], queue, memory_order_release);
    atomic_store_explicit(&device->queue_slots, slots + 1, memory_order_release);
    return queue;
}

twin_status sim_queue_create(twin_hw_device *device, const twin_queue_config *config,
                             twin_queue **out_queue)
{
    sim_model_lock();
    twin_status status = TWIN_E_NO_QUEUE;
    if (device->queues_open == sim_process.limits.streams) {
        sim_fail("device %u: all %u queues are taken; destroy streams that are no longer used",
                 device->index, sim_process.limits.streams);
        goto unlock;
    }
    status = TWIN_E_NOMEM;
    twin_queue *queue = find_queue(device);
    if (!queue)
        goto unlock;
    pthread_mutex_lock(&queue->lock);
    queue->config = *config;
    atomic_store_explicit(&queue->is_deferred, config->deferred, memory_order_relaxed);
    queue->task_id = 0;
    queue->task_base = 0;
    queue->last_arrival_ns = 0;
    queue->id_cursor = queue->sq * 64u;
    sim_failure_forget_locked(queue);
    status = sim_failure_join_locked(queue);
    if (status == TWIN_OK) {
        status = open_ring(queue);
        if (status != TWIN_OK)
            sim_failure_leave_locked(queue);
    }
    pthread_mutex_unlock(&queue->lock);
    if (status == TWIN_OK) {
        device->queues_open++;
        leak_check_states(queue, true);
        *out_queue = queue;
    }
unlock:
    sim_model_unlock();
    return status;
}

void sim_queue_close(twin_queue *queue)
{
    sim_model_lock();
    pthread_mutex_lock(&queue->lock);
    if (queue->failure != TWIN_OK)
        sim_log(1, "device %u, stream %u was destroyed with a failure that was not reported: %s",
                queue->device->index, queue->config.id, queue->failure_text);
    close_ring(queue, TWIN_E_ABORTED, false);
    queue->task_take = NULL;
    sim_failure_leave_locked(queue);
    pthread_mutex_unlock(&queue->lock);
    queue->device->queues_open--;
    leak_check_states(queue, false);
    sim_drive_check_locked();
    sim_model_unlock();
}

twin_status sim_queue_restart_locked(twin_queue *queue, twin_status reason)
{
    close_ring(queue, reason, true);
    return open_ring(queue);
}

/* ---- waiting -------------------------------------------------------------------------------- */

static struct sim_queue_point newest(twin_queue *queue)
{
    struct sim_queue_point point = {.queue = queue};
    point.epoch = atomic_load_explicit(&queue->epoch, memory_order_acquire);
    point.number = atomic_load_explicit(&queue->submitted, memory_order_acquire);
    return point;
}

/* Others may submit to the queue just now. */
static enum sim_completion completion_of_newest(struct sim_queue_point *point)
{
    return point->number == 0 && !sim_nd_logged() ? SIM_DONE : completion_cached(point);
}

static twin_status drain(twin_queue *queue, uint64_t timeout_ns)
{
    struct sim_queue_point point = newest(queue);
    if (completion_of_newest(&point) == SIM_DONE) {
        sim_queue_release_memory(queue);
        return sim_failure_report(queue);
    }
    struct sim_wait wait = {
        .kind = SIM_WAIT_QUEUE_POINT,
        .wake = queue->config.fast_sync ? SIM_WAKE_POLL : SIM_WAKE_STREAM,
        .timeout_ns = timeout_ns,
        .point = point,
    };
    twin_status status = sim_drive_wait(&wait);
    if (status != TWIN_OK && !sim_failure_is(status))
        return status;
    sim_queue_release_memory(queue);
    twin_status reported = sim_failure_report(queue);
    return reported != TWIN_OK ? reported : status;
}

twin_status sim_queue_drain(twin_queue *queue, uint64_t timeout_ns)
{
    if (queue->config.deferred)
        return TWIN_OK;
    const twin_status status = drain(queue, timeout_ns);
    if (sim_pool_exists())
        sim_pool_drained(queue);
    return status;
}

twin_status sim_queue_query(twin_queue *queue, bool *out_idle)
{
    struct sim_queue_point point = newest(queue);
    *out_idle = true;
    if (queue->config.deferred)
        return TWIN_OK;
    bool idle = completion_of_newest(&point) != SIM_PENDING;
    if (!idle) {
        sim_drive_poll();
        idle = sim_point_completion_exact(&point) != SIM_PENDING;
        if (!idle && sim_poll_repeated(queue, &point, true))
            idle = sim_point_completion_exact(&point) != SIM_PENDING;
    }
    *out_idle = idle;
    return TWIN_OK;
}

twin_status sim_queue_room(twin_queue *queue)
{
    struct sim_wait wait = {.kind = SIM_WAIT_QUEUE_POINT,
                            .wake = SIM_WAKE_POLL,
                            .timeout_ns = TWIN_FOREVER,
                            .for_room = true};
    twin_status refusal = sim_queue_refusal(queue);
    if (refusal != TWIN_OK)
        return refusal;
    pthread_mutex_lock(&queue->lock);
    sim_queue_reclaim_locked(queue);
    uint64_t submitted = atomic_load_explicit(&queue->submitted, memory_order_relaxed);
    uint64_t reclaimed = atomic_load_explicit(&queue->reclaimed, memory_order_relaxed);
    uint32_t limit = sim_process.limits.in_flight;
    uint64_t after = submitted + queue->room_wanted;
    bool fits = after - reclaimed <= limit;
    wait.point.queue = queue;
    wait.point.epoch = atomic_load_explicit(&queue->epoch, memory_order_relaxed);
    if (queue->id_wanted) {
        uint64_t outlook = 0; /* one that waited then had found none */
        fits = sim_replaying() ? !sim_process.services->outlook(&outlook)
                               : atomic_load_explicit(&queue->device->events.free_count,
                                                      memory_order_relaxed) > 0;
        wait.kind = SIM_WAIT_EVENT_ID;
        wait.device = queue->device;
    } else if (!fits) {
        wait.point.number = after - limit;
    }
    pthread_mutex_unlock(&queue->lock);
    return fits ? TWIN_OK : sim_drive_wait(&wait);
}

/* ---- all queues of a device ------------------------------------------------------------------ */

void sim_queue_drop_all(twin_hw_device *device)
{
    twin_queue *queue;
    for (unsigned sq = 0; (queue = sim_device_queue(device, sq)); sq++) {
        pthread_mutex_lock(&queue->lock);
        if (queue->open) {
            close_ring(queue, TWIN_E_ABORTED, true);
            sim_failure_leave_locked(queue);
        }
        pthread_mutex_unlock(&queue->lock);
    }
    device->queues_open = 0;
}

void sim_queue_each(twin_hw_device *device, void (*visit)(void *context, twin_queue *queue),
                    void *context)
{
    twin_queue *queue;
    for (unsigned sq = 0; (queue = sim_device_queue(device, sq)); sq++)
        if (queue->open)
            visit(context, queue);
}
