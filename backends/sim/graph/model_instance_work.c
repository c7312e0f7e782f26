/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of deferred queues that lead from one to another: ends, activations, switches, labels. */
#include "queue/cond_program.h"
#include "graph/model_instance.h"
#include "device/device.h"
#include "queue/sqe.h"

/* The next entry of a deferred queue, which is locked on success. */
static twin_status take_entry(twin_queue *queue, stars_sqe **out_sqe)
{
    twin_status refusal = sim_queue_refusal(queue);
    if (refusal != TWIN_OK)
        return refusal;
    if (!queue->config.deferred)
        return TWIN_E_UNSUPPORTED;
    *out_sqe = sim_queue_begin(queue, NULL);
    return *out_sqe ? TWIN_OK : TWIN_E_BUSY;
}

static twin_status send_entry(twin_queue *queue, bool good)
{
    if (good)
        sim_queue_send_locked(queue, 1);
    pthread_mutex_unlock(&queue->lock);
    return good ? TWIN_OK : TWIN_E_NOMEM;
}

static bool note_lead(twin_queue *queue, twin_queue *other)
{
    struct sim_deferred *deferred = &queue->deferred;
    if (!sim_grow(&deferred->leads, sizeof(*deferred->leads), deferred->lead_count,
                  &deferred->lead_room))
        return false;
    deferred->leads[deferred->lead_count++] = other;
    return true;
}

twin_status sim_work_end(twin_queue *queue)
{
    stars_sqe *sqe;
    twin_status status = take_entry(queue, &sqe);
    if (status != TWIN_OK)
        return status;
    twin_hw_instance *instance = queue->deferred.instance;
    uint32_t id = sim_instance_end_at(
        instance, queue, atomic_load_explicit(&queue->submitted, memory_order_relaxed));
    sim_sqe_notify_record(sqe, id, false);
    return send_entry(queue, true);
}

twin_status sim_work_activate(twin_queue *queue, twin_queue *other)
{
    if (queue == other)
        return TWIN_E_INVALID;
    stars_sqe *sqe;
    twin_status status = take_entry(queue, &sqe);
    if (status != TWIN_OK)
        return status;
    struct sim_cond cond;
    sim_cond_begin(&cond, sim_sqe_cond(sqe), STARS_COND_WORDS);
    sim_cond_goto(&cond, other->sq, 0);
    sim_cond_enable(&cond, other->sq);
    sim_cond_end(&cond);
    return send_entry(queue, note_lead(queue, other));
}

/* The branch that skips the following instructions unless R1 (condition) R2. */
static const struct {
    unsigned relation, left, right;
} skips[] = {
    [TWIN_IF_EQUAL] = {STARS_COND_NOT_EQUAL, SIM_R1, SIM_R2},
    [TWIN_IF_NOT_EQUAL] = {STARS_COND_EQUAL, SIM_R1, SIM_R2},
    [TWIN_IF_GREATER] = {STARS_COND_NOT_BELOW, SIM_R2, SIM_R1},
    [TWIN_IF_GREATER_OR_EQUAL] = {STARS_COND_BELOW, SIM_R1, SIM_R2},
    [TWIN_IF_LESS] = {STARS_COND_NOT_BELOW, SIM_R1, SIM_R2},
    [TWIN_IF_LESS_OR_EQUAL] = {STARS_COND_BELOW, SIM_R2, SIM_R1},
};

twin_status sim_work_branch(twin_queue *queue, const twin_branch *branch)
{
    stars_sqe *sqe;
    twin_status status = take_entry(queue, &sqe);
    if (status != TWIN_OK)
        return status;
    unsigned width = branch->wide ? STARS_COND_DOUBLE : STARS_COND_WORD4;
    struct sim_cond cond;
    sim_cond_begin(&cond, sim_sqe_cond(sqe), STARS_COND_WORDS);
    sim_cond_load_address(&cond, SIM_R1, branch->left, width);
    sim_cond_load_address(&cond, SIM_R2, branch->right, width);
    sim_cond_branch(&cond, skips[branch->condition].relation, skips[branch->condition].left,
                    skips[branch->condition].right, 0);
    sim_cond_goto(&cond, branch->to->sq, 0);
    if (branch->to != queue) {
        sim_cond_enable(&cond, branch->to->sq);
        sim_cond_disable(&cond, queue->sq);
    }
    sim_cond_label(&cond, 0);
    sim_cond_end(&cond);
    return send_entry(queue, note_lead(queue, branch->to));
}

twin_status sim_work_label(twin_queue *queue, uint64_t table, uint32_t index)
{
    stars_sqe *sqe;
    twin_status status = take_entry(queue, &sqe);
    if (status != TWIN_OK)
        return status;
    sim_sqe_placeholder(sqe, false);
    struct sim_deferred *deferred = &queue->deferred;
    bool room = sim_grow(&deferred->labels, sizeof(*deferred->labels), deferred->label_count,
                         &deferred->label_room);
    if (room)
        deferred->labels[deferred->label_count++] = (struct sim_label){
            .entry = table + 8ull * index,
            .place = (uint32_t)(atomic_load_explicit(&queue->submitted, memory_order_relaxed) &
                                queue->mask),
        };
    return send_entry(queue, room);
}

twin_status sim_work_jump(twin_queue *queue, uint64_t address, uint64_t table, uint32_t count)
{
    stars_sqe *sqe;
    twin_status status = take_entry(queue, &sqe);
    if (status != TWIN_OK)
        return status;
    uint64_t place = atomic_load_explicit(&queue->submitted, memory_order_relaxed) & queue->mask;
    uint32_t *code = sim_device_code(queue->device, queue->sq);
    if (!code)
        return send_entry(queue, false);
    code += place * SIM_CODE_WORDS;
    struct sim_cond cond;
    sim_cond_begin(&cond, code, SIM_CODE_WORDS);
    /* R1: the index, at most count - 1. */
    sim_cond_load_address(&cond, SIM_R1, address, STARS_COND_WORD4 | STARS_COND_UNSIGNED);
    sim_cond_constant(&cond, SIM_R2, count - 1);
    sim_cond_branch(&cond, STARS_COND_BELOW_UNSIGNED, SIM_R1, SIM_R2, 0);
    sim_cond_compute_constant(&cond, STARS_COND_ADD, SIM_R1, SIM_R2, 0);
    sim_cond_label(&cond, 0);
    /* R4: where to go, R3: in which queue. */
    sim_cond_compute_constant(&cond, STARS_COND_SHIFT_LEFT, SIM_R1, SIM_R1, 3);
    sim_cond_constant(&cond, SIM_R3, table);
    sim_cond_compute(&cond, STARS_COND_ADD, 0, SIM_R1, SIM_R1, SIM_R3);
    sim_cond_load(&cond, SIM_R4, SIM_R1, 0);
    sim_cond_goto_register(&cond, SIM_R4);
    sim_cond_compute_constant(&cond, STARS_COND_SHIFT_RIGHT, SIM_R3, SIM_R4, 32);
    sim_cond_compute_constant(&cond, STARS_COND_ADD, SIM_R2, SIM_R0, queue->sq);
    sim_cond_branch(&cond, STARS_COND_EQUAL, SIM_R3, SIM_R2, 1);
    sim_cond_enable_register(&cond, SIM_R3);
    sim_cond_disable(&cond, queue->sq);
    sim_cond_label(&cond, 1);
    uint32_t words = cond.length;
    bool fits = sim_cond_end(&cond);
    sim_cond_begin(&cond, sim_sqe_cond(sqe), STARS_COND_WORDS);
    sim_cond_call(&cond, (uintptr_t)code, words);
    fits = sim_cond_end(&cond) && fits;
    return send_entry(queue, fits);
}
