/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/replace.h"

#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "queue/kernel.h"
#include "queue/ring_users.h"
#include "queue/sqe.h"
#include "wait/leader.h"
#include "wait/model_lock.h"
#include "wait/wait.h"

/* Of a copy that is about to be queued. */
#define EPOCH_TO_COME     UINT32_MAX
#define ENTRY_DESCRIPTORS (sizeof(stars_sqe) / sizeof(stars_dma_descriptor))

/* ---- kernels of deferred queues ------------------------------------------------------------- */

struct sim_kept *sim_kept_add(twin_queue *queue, uint32_t slot, twin_launch *kernel)
{
    struct sim_deferred *deferred = &queue->deferred;
    if (!deferred->kept)
        deferred->kept = calloc((size_t)queue->mask + 1, sizeof(struct sim_kept *));
    struct sim_kept *kept = deferred->kept ? calloc(1, sizeof(*kept)) : NULL;
    if (!kept)
        return NULL;
    kept->kernel = kernel;
    kept->older = deferred->kept[slot];
    deferred->kept[slot] = kept;
    return kept;
}

static void free_kept(twin_queue *queue, struct sim_kept *kept)
{
    sim_contexts_release(&queue->device->lists, &kept->context);
    free(kept);
}

static void release_from(twin_queue *queue, struct sim_kept **first)
{
    while (*first) {
        struct sim_kept *kept = *first;
        *first = kept->older;
        sim_kernel_release(kept->kernel);
        free_kept(queue, kept);
    }
}

/* Whether a copy may still change the entry. The model lock is held. */
static bool is_to_come(const struct sim_kept *kept)
{
    return kept->since.queue && (kept->since.epoch == EPOCH_TO_COME ||
                                 sim_point_completion_locked(&kept->since) == SIM_PENDING);
}

/* Whether the copy, the next task of its queue, is under way. The model lock is held. */
static bool has_begun(const struct sim_kept *kept)
{
    const twin_queue *queue = kept->since.queue;
    struct twinsim_queue_info info;
    return kept->since.number == sim_queue_retired(queue) + 1 &&
           twinsim_queue_inspect(sim_process.sim, queue->device->index, queue->sq, &info) ==
               TWINSIM_OK &&
           info.state == TWINSIM_QUEUE_RUNNING && !info.done;
}

/* A copy to the ring that has not begun does nothing from now on. Returns false if it has. The
 * model lock is held. */
static bool cancel_copy(const struct sim_kept *kept)
{
    if (!is_to_come(kept))
        return true;
    if (has_begun(kept))
        return false;
    const twin_queue *queue = kept->since.queue;
    sim_sqe_placeholder(&queue->ring[(kept->since.number - 1) & queue->mask], false);
    sim_queue_entries_changed(queue);
    return true;
}

void sim_kept_release(twin_queue *queue, uint32_t slot)
{
    if (queue->deferred.kept)
        release_from(queue, &queue->deferred.kept[slot]);
}

/* Cancels all copies to the ring; false: *out_begun is under way. Model lock and queue lock are
 * held. */
static bool cancel_copies(const twin_queue *queue, struct sim_queue_point *out_begun)
{
    bool all = true;
    for (uint32_t slot = 0; slot <= queue->mask; slot++)
        for (const struct sim_kept *kept = queue->deferred.kept[slot]; kept; kept = kept->older)
            if (!cancel_copy(kept)) {
                *out_begun = kept->since;
                all = false;
            }
    return all;
}

/* A copy needs nothing else to end; of one that cannot end the device does nothing any more. */
void sim_kept_settle(twin_queue *queue)
{
    bool settled = !queue->deferred.kept;
    twin_status status = TWIN_OK;
    while (!settled && status == TWIN_OK) {
        struct sim_wait wait = {
            .kind = SIM_WAIT_QUEUE_POINT, .wake = SIM_WAKE_STREAM, .timeout_ns = TWIN_FOREVER};
        sim_model_lock();
        pthread_mutex_lock(&queue->lock);
        settled = cancel_copies(queue, &wait.point);
        pthread_mutex_unlock(&queue->lock);
        sim_model_unlock();
        if (!settled)
            status = sim_drive_wait(&wait);
    }
    if (!settled)
        sim_log(1, "device %u, stream %u: an update of its tasks could not end (status %d)",
                queue->device->index, queue->config.id, (int)status);
}

void sim_queue_destroy(twin_queue *queue)
{
    sim_kept_settle(queue);
    sim_queue_close(queue);
}

/* Releases those that the entry does not name and will not name. No run is under way. Model lock
 * and queue lock are held. */
static void drop_old_locked(twin_queue *queue, uint32_t slot)
{
    if (!queue->deferred.kept)
        return;
    const twin_launch *named = sim_kernel_named(&queue->ring[slot]);
    struct sim_kept **at = &queue->deferred.kept[slot];
    while (*at) {
        struct sim_kept *kept = *at;
        if (kept->kernel == named || is_to_come(kept)) {
            at = &kept->older;
            continue;
        }
        *at = kept->older;
        sim_kernel_release(kept->kernel);
        free_kept(queue, kept);
    }
}

/* Whether a deferred queue has such an entry. */
static bool has_place_locked(const twin_queue *queue, uint64_t place)
{
    return queue->config.deferred && place >= 1 &&
           place <= atomic_load_explicit(&queue->submitted, memory_order_relaxed);
}

/* Makes room for the kernel that comes: an entry has few that it was. */
static void drop_old(twin_queue *queue, uint64_t place, uint32_t slot)
{
    if (sim_instance_runs(queue))
        return;
    sim_model_lock();
    pthread_mutex_lock(&queue->lock);
    if (has_place_locked(queue, place))
        drop_old_locked(queue, slot);
    pthread_mutex_unlock(&queue->lock);
    sim_model_unlock();
}

void sim_kept_take_back_locked(twin_queue *queue, uint32_t slot, struct sim_kept *kept)
{
    struct sim_kept **at = &queue->deferred.kept[slot];
    while (*at && *at != kept)
        at = &(*at)->older;
    if (*at)
        *at = kept->older;
    free_kept(queue, kept);
}

twin_launch *sim_kernel_named(const stars_sqe *sqe)
{
    return (twin_launch *)(uintptr_t)(sqe->word[SIM_KERNEL_NAME_WORD] |
                                      (uint64_t)sqe->word[SIM_KERNEL_NAME_WORD + 1] << 32);
}

/* ---- replacing ------------------------------------------------------------------------------ */

static twin_status refuse_place(const twin_queue *queue, uint64_t place)
{
    return sim_queue_refuse(queue, TWIN_E_INVALID, "there is no task %llu that can be replaced",
                            (unsigned long long)place);
}

/* An empty entry with the header of the one at the place, which an earlier copy may be writing: the
 * model lock is held. */
static stars_sqe header_of(const twin_queue *queue, uint32_t slot)
{
    stars_sqe sqe = {{0}};
    sqe.word[1] = queue->ring[slot].word[1];
    return sqe;
}

/* Queues a copy of an entry to the ring of `target`. */
static twin_status send_copy(twin_queue *queue, twin_queue *target, uint32_t slot,
                             const stars_sqe *sqe, struct sim_queue_point *out_point)
{
    struct sim_lists *lists = &queue->device->lists;
    struct sim_list list;
    if (!sim_lists_take(lists, ENTRY_DESCRIPTORS, &list))
        return TWIN_E_NOMEM;
    void *staged = sim_lists_at(lists, list);
    memcpy(staged, sqe, sizeof(*sqe));
    struct sim_task_state *state;
    stars_sqe *copy = sim_queue_begin(queue, &state);
    if (!copy) {
        sim_lists_release(lists, list);
        return TWIN_E_BUSY;
    }
    state->kind = SIM_TASK_LIST;
    state->list = list;
    atomic_store_explicit(&queue->holds_memory, true, memory_order_relaxed);
    sim_sqe_sdma_copy(copy, (uintptr_t)&target->ring[slot], (uintptr_t)staged, sizeof(*sqe));
    *out_point = (struct sim_queue_point){
        .queue = queue,
        .epoch = atomic_load_explicit(&queue->epoch, memory_order_relaxed),
        .number = atomic_load_explicit(&queue->submitted, memory_order_relaxed) + 1,
    };
    sim_queue_commit(queue);
    return TWIN_OK;
}

twin_status sim_work_replace(twin_queue *queue, twin_launch *kernel)
{
    twin_queue *target = kernel->replaces->queue;
    const uint64_t place = kernel->replaces->place;
    if (target->device != queue->device || queue->config.deferred)
        return refuse_place(target, place);
    const uint32_t slot = (uint32_t)((place - 1) & target->mask);
    drop_old(target, place, slot);
    sim_model_lock();
    pthread_mutex_lock(&target->lock);
    stars_sqe sqe = header_of(target, slot);
    sim_model_unlock();
    if (!has_place_locked(target, place) || target->task_states[slot].kind != SIM_TASK_KERNEL) {
        pthread_mutex_unlock(&target->lock);
        return refuse_place(target, place);
    }
    struct sim_kept *kept = sim_kept_add(target, slot, kernel);
    if (kept)
        kept->since = (struct sim_queue_point){.queue = queue, .epoch = EPOCH_TO_COME};
    uint64_t context = 0;
    const bool there = kept && sim_kernel_context(target, slot, kept, kernel, &context);
    if (there)
        sim_kernel_entry(&sqe, target, kernel, context);
    else if (kept)
        sim_kept_take_back_locked(target, slot, kept);
    pthread_mutex_unlock(&target->lock);
    if (!there)
        return TWIN_E_NOMEM;
    struct sim_queue_point since;
    const twin_status status = send_copy(queue, target, slot, &sqe, &since);
    if (status != TWIN_OK) {
        pthread_mutex_lock(&target->lock);
        sim_kept_take_back_locked(target, slot, kept);
        pthread_mutex_unlock(&target->lock);
        return status;
    }
    pthread_mutex_lock(&target->lock);
    kept->since = since;
    pthread_mutex_unlock(&target->lock);
    return TWIN_OK;
}
