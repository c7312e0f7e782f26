/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/replace.h"

#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "queue/kernel.h"
#include "queue/ring_users.h"
#include "queue/sqe.h"

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

static void release_from(struct sim_kept **first)
{
    while (*first) {
        struct sim_kept *kept = *first;
        *first = kept->older;
        sim_kernel_release(kept->kernel);
        free(kept);
    }
}

/* The memory of the ring may be another's soon: a copy to it that has not begun does nothing. The
 * model lock is held. */
static void cancel_copy(const struct sim_kept *kept)
{
    const twin_queue *queue = kept->since.queue;
    if (!queue || kept->since.epoch != atomic_load_explicit(&queue->epoch, memory_order_relaxed) ||
        kept->since.number <= sim_queue_retired(queue) + 1)
        return;
    stars_sqe *sqe = &queue->ring[(kept->since.number - 1) & queue->mask];
    sim_sqe_placeholder(sqe, false);
}

void sim_kept_release(twin_queue *queue, uint32_t slot)
{
    struct sim_kept **kept = queue->deferred.kept;
    if (!kept)
        return;
    for (const struct sim_kept *one = kept[slot]; one; one = one->older)
        cancel_copy(one);
    release_from(&kept[slot]);
}

/* Releases those that the entry was before it became what it is; no run is under way. */
static void drop_old_locked(twin_queue *queue, uint32_t slot)
{
    struct sim_kept *kept = queue->deferred.kept ? queue->deferred.kept[slot] : NULL;
    while (kept && kept->since.queue && sim_point_completion_cached(&kept->since) != SIM_DONE)
        kept = kept->older;
    if (kept)
        release_from(&kept->older);
}

/* The kernel stays the caller's. */
static void take_back(twin_queue *queue, uint32_t slot, struct sim_kept *kept)
{
    pthread_mutex_lock(&queue->lock);
    struct sim_kept **at = &queue->deferred.kept[slot];
    while (*at && *at != kept)
        at = &(*at)->older;
    if (*at)
        *at = kept->older;
    pthread_mutex_unlock(&queue->lock);
    free(kept);
}

twin_launch *sim_kernel_named(const stars_sqe *sqe)
{
    return (twin_launch *)(uintptr_t)(sqe->word[8] | (uint64_t)sqe->word[9] << 32);
}

/* ---- replacing ------------------------------------------------------------------------------ */

/* Whether a deferred queue has such an entry. */
static bool has_place_locked(const twin_queue *queue, uint64_t place)
{
    return queue->config.deferred && place >= 1 &&
           place <= atomic_load_explicit(&queue->submitted, memory_order_relaxed);
}

static twin_status refuse_place(const twin_queue *queue, uint64_t place)
{
    return sim_queue_refuse(queue, TWIN_E_INVALID, "there is no task %llu that can be replaced",
                            (unsigned long long)place);
}

/* An empty entry with the header of the one at the place. */
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
    const bool runs = sim_instance_runs(target);
    const uint32_t slot = (uint32_t)((place - 1) & target->mask);
    pthread_mutex_lock(&target->lock);
    if (!has_place_locked(target, place) || target->task_states[slot].kind != SIM_TASK_KERNEL) {
        pthread_mutex_unlock(&target->lock);
        return refuse_place(target, place);
    }
    if (!runs)
        drop_old_locked(target, slot);
    struct sim_kept *kept = sim_kept_add(target, slot, kernel);
    stars_sqe sqe = header_of(target, slot);
    if (kept)
        kept->since = (struct sim_queue_point){.queue = queue, .epoch = UINT32_MAX}; /* to come */
    sim_kernel_entry(&sqe, target, kernel);
    pthread_mutex_unlock(&target->lock);
    if (!kept)
        return TWIN_E_NOMEM;
    struct sim_queue_point since;
    const twin_status status = send_copy(queue, target, slot, &sqe, &since);
    if (status != TWIN_OK) {
        take_back(target, slot, kept);
        return status;
    }
    pthread_mutex_lock(&target->lock);
    kept->since = since;
    pthread_mutex_unlock(&target->lock);
    return TWIN_OK;
}
