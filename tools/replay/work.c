/* SPDX-License-Identifier: Apache-2.0 */
/* Work that is queued. */
#include "replay/state.h"

/* A queue for the op at hand, or NULL when it is not asked for. What was not queued the core has asked for again; another device may
 * have room, and would do it twice. */
static struct replay_object *work_queue(struct replay_call *call)
{
    struct replay *replay = call->replay;
    struct replay_object *queue =
        replay_object(call, TWIN_RECORD_ROLE_QUEUE, call->then.WORK_END.queue);
    if (queue && !replay->report.same && replay_status_of(call) == TWIN_E_BUSY &&
        !queue->deferred) {
        call->skipped = true;
        return NULL;
    }
    if (queue)
        queue->busy = true;
    return queue;
}

/* Asks until the queue has room, as the core does; a device that is paced has it where it had it. `op` is the asking. */
#define ASK(queue, op)                                                                             \
    ({                                                                                             \
        twin_status asked;                                                                         \
        while ((asked = (op)) == TWIN_E_BUSY && call->succeeded && !(queue)->deferred &&           \
               !call->replay->pacing && call->replay->ops->queue.room((queue)->handle) == TWIN_OK) \
            call->replay->report.waited++;                                                         \
        asked;                                                                                     \
    })

static twin_status work_copy(struct replay_call *call)
{
    const struct twin_record_WORK_COPY *f = &call->then.WORK_COPY;
    struct replay_object *queue = work_queue(call);
    twin_copy copy = {.dst = f->dst, .src = f->src, .bytes = f->bytes};
    return queue && replay_copy(call, &copy)
               ? ASK(queue, call->replay->ops->work.copy(queue->handle, &copy))
               : TWIN_OK;
}

static twin_status work_copy_rows(struct replay_call *call)
{
    struct replay_object *queue = work_queue(call);
    twin_rows rows = REPLAY_ROWS(&call->then.WORK_COPY_ROWS);
    return queue && replay_rows(call, &rows)
               ? ASK(queue, call->replay->ops->work.copy_rows(queue->handle, &rows))
               : TWIN_OK;
}

static twin_status work_fill(struct replay_call *call)
{
    const struct twin_record_WORK_FILL *f = &call->then.WORK_FILL;
    struct replay_object *queue = work_queue(call);
    twin_fill fill = {.bytes = f->bytes, .value = (uint8_t)f->value};
    if (!queue || !replay_address(call, f->dst, f->bytes, REPLAY_TO, &fill.dst))
        return TWIN_OK;
    return ASK(queue, call->replay->ops->work.fill(queue->handle, &fill));
}

/* ---- signals ---- */

/* The signal when the op fits its kind. */
static struct replay_object *fitting(struct replay_call *call, uint32_t number, bool count,
                                     bool level_only)
{
    struct replay_object *signal = replay_object(call, TWIN_RECORD_ROLE_SIGNAL, number);
    if (!signal)
        return NULL;
    bool fits = level_only ? signal->kind == TWIN_SIGNAL_EVENT_LEVEL
                           : (signal->kind == TWIN_SIGNAL_COUNT) == count;
    if (fits)
        return signal;
    replay_leave_out(call, "signal %u is of another kind", number);
    return NULL;
}

static twin_status work_record(struct replay_call *call)
{
    struct replay_object *queue = work_queue(call);
    struct replay_object *signal =
        queue ? fitting(call, call->then.WORK_RECORD.signal, false, false) : NULL;
    return signal ? ASK(queue, call->replay->ops->work.record(queue->handle, signal->handle))
                  : TWIN_OK;
}

static twin_status work_wait(struct replay_call *call)
{
    const struct twin_record_WORK_WAIT *f = &call->then.WORK_WAIT;
    struct replay_object *queue = work_queue(call);
    struct replay_object *signal = queue ? fitting(call, f->signal, false, false) : NULL;
    if (signal && !signal->waitable)
        replay_leave_out(call, "no queue can wait for signal %u", f->signal);
    return signal && !call->left_out
               ? ASK(queue,
                     call->replay->ops->work.wait(queue->handle, signal->handle, f->timeout_ns))
               : TWIN_OK;
}

static twin_status work_reset(struct replay_call *call)
{
    struct replay_object *queue = work_queue(call);
    struct replay_object *signal =
        queue ? fitting(call, call->then.WORK_RESET.signal, false, true) : NULL;
    return signal ? ASK(queue, call->replay->ops->work.reset(queue->handle, signal->handle))
                  : TWIN_OK;
}

static twin_status work_count(struct replay_call *call)
{
    const struct twin_record_WORK_COUNT *f = &call->then.WORK_COUNT;
    struct replay_object *queue = work_queue(call);
    struct replay_object *signal = queue ? fitting(call, f->signal, true, false) : NULL;
    const twin_count_change change = {.mode = (twin_count_mode)f->mode, .value = f->value};
    return signal
               ? ASK(queue, call->replay->ops->work.count(queue->handle, signal->handle, &change))
               : TWIN_OK;
}

static twin_status work_wait_count(struct replay_call *call)
{
    const struct twin_record_WORK_WAIT_COUNT *f = &call->then.WORK_WAIT_COUNT;
    struct replay_object *queue = work_queue(call);
    struct replay_object *signal = queue ? fitting(call, f->signal, true, false) : NULL;
    const twin_count_wait wait = {.relation = (twin_count_relation)f->relation,
                                  .value = f->value,
                                  .clear = f->clear != 0,
                                  .timeout_ns = f->timeout_ns};
    return signal ? ASK(queue,
                        call->replay->ops->work.wait_count(queue->handle, signal->handle, &wait))
                  : TWIN_OK;
}

/* ---- words of device memory ---- */

static bool word_at(struct replay_call *call, uint64_t recorded, uint64_t bytes, uint64_t *out_now)
{
    if (recorded % bytes != 0)
        replay_leave_out(call, "0x%llx is no address of a word", (unsigned long long)recorded);
    return !call->left_out && replay_address(call, recorded, bytes, REPLAY_DEVICE, out_now);
}

static twin_status work_write_value(struct replay_call *call)
{
    const struct twin_record_WORK_WRITE_VALUE *f = &call->then.WORK_WRITE_VALUE;
    struct replay_object *queue = work_queue(call);
    uint64_t address;
    if (!queue || !word_at(call, f->address, sizeof(uint64_t), &address))
        return TWIN_OK;
    return ASK(queue, call->replay->ops->work.write_value(queue->handle, address, f->value));
}

static twin_status work_wait_value(struct replay_call *call)
{
    const struct twin_record_WORK_WAIT_VALUE *f = &call->then.WORK_WAIT_VALUE;
    struct replay_object *queue = work_queue(call);
    twin_value_wait wait = {.value = f->value, .relation = (twin_relation)f->relation};
    if (!queue || !word_at(call, f->address, sizeof(uint64_t), &wait.address))
        return TWIN_OK;
    call->replay->report.values++;
    return ASK(queue, call->replay->ops->work.wait_value(queue->handle, &wait));
}

static twin_status work_reduce(struct replay_call *call)
{
    static const uint64_t sizes[] = {
        [TWIN_ELEMENT_INT8] = 1,  [TWIN_ELEMENT_INT16] = 2,  [TWIN_ELEMENT_INT32] = 4,
        [TWIN_ELEMENT_UINT8] = 1, [TWIN_ELEMENT_UINT16] = 2, [TWIN_ELEMENT_UINT32] = 4,
        [TWIN_ELEMENT_FP16] = 2,  [TWIN_ELEMENT_FP32] = 4,   [TWIN_ELEMENT_BF16] = 2};
    const struct twin_record_WORK_REDUCE *f = &call->then.WORK_REDUCE;
    struct replay_object *queue = work_queue(call);
    twin_reduce reduce = {
        .bytes = f->bytes, .op = (twin_reduce_op)f->op, .element = (twin_element)f->element};
    if (!queue)
        return TWIN_OK;
    uint64_t size = sizes[f->element];
    if (f->bytes % size != 0 || f->dst % size != 0 || f->src % size != 0)
        replay_leave_out(call, "it is of no whole number of elements");
    if (call->left_out || !replay_address(call, f->dst, f->bytes, REPLAY_DEVICE, &reduce.dst) ||
        !replay_address(call, f->src, f->bytes, REPLAY_DEVICE, &reduce.src))
        return TWIN_OK;
    return ASK(queue, call->replay->ops->work.reduce(queue->handle, &reduce));
}

/* ---- host functions, programs ---- */

/* The function is the recorded program's: it goes to the device and comes back, and nobody calls it. */
static twin_status work_call(struct replay_call *call)
{
    const struct twin_record_WORK_CALL *f = &call->then.WORK_CALL;
    struct replay_object *queue = work_queue(call);
    struct replay_object *channel =
        queue ? replay_object(call, TWIN_RECORD_ROLE_CHANNEL, f->channel) : NULL;
    twin_host_call host = {.argument = (void *)(uintptr_t)f->argument, .block = f->block != 0};
    uintptr_t function = (uintptr_t)f->function;
    _Static_assert(sizeof(host.fn) == sizeof(function), "functions have addresses");
    __builtin_memcpy(&host.fn, &function, sizeof(function));
    return channel ? ASK(queue, call->replay->ops->work.call(queue->handle, channel->handle, &host))
                   : TWIN_OK;
}

static twin_status work_run(struct replay_call *call)
{
    const struct twin_record_WORK_RUN *f = &call->then.WORK_RUN;
    struct replay_object *queue = work_queue(call);
    struct replay_object *program =
        queue ? replay_object(call, TWIN_RECORD_ROLE_PROGRAM, f->program) : NULL;
    if (program && (queue->deferred || queue->device != program->device))
        replay_leave_out(call, "queue %u runs no program %u", f->queue, f->program);
    if (!program || call->left_out)
        return TWIN_OK;
    program->busy = true;
    return ASK(queue, call->replay->ops->work.run(queue->handle, program->handle));
}

/* A queue of a program. */
static struct replay_object *bound_queue(struct replay_call *call)
{
    struct replay_object *queue = work_queue(call);
    if (queue && !queue->bound)
        replay_leave_out(call, "queue %u is of no program", call->then.WORK_END.queue);
    return queue && !call->left_out ? queue : NULL;
}

/* Another queue of the same program. */
static struct replay_object *other_queue(struct replay_call *call, const struct replay_object *self,
                                         uint32_t number)
{
    struct replay_object *other = replay_object(call, TWIN_RECORD_ROLE_QUEUE, number);
    if (other && other->bound != self->bound)
        replay_leave_out(call, "queue %u is not of the program", number);
    return call->left_out ? NULL : other;
}

static twin_status work_end(struct replay_call *call)
{
    struct replay_object *queue = bound_queue(call);
    return queue ? call->replay->ops->work.end(queue->handle) : TWIN_OK;
}

static twin_status work_activate(struct replay_call *call)
{
    struct replay_object *queue = bound_queue(call);
    struct replay_object *other =
        queue ? other_queue(call, queue, call->then.WORK_ACTIVATE.other) : NULL;
    return other ? call->replay->ops->work.activate(queue->handle, other->handle) : TWIN_OK;
}

static twin_status work_branch(struct replay_call *call)
{
    const struct twin_record_WORK_BRANCH *f = &call->then.WORK_BRANCH;
    struct replay_object *queue = bound_queue(call);
    struct replay_object *to = queue ? other_queue(call, queue, f->to) : NULL;
    uint64_t bytes = f->wide ? sizeof(uint64_t) : sizeof(uint32_t);
    twin_branch branch = {.condition = (twin_condition)f->condition, .wide = f->wide != 0};
    if (!to || !word_at(call, f->left, bytes, &branch.left) ||
        !word_at(call, f->right, bytes, &branch.right))
        return TWIN_OK;
    branch.to = to->handle;
    call->replay->report.values++;
    return call->replay->ops->work.branch(queue->handle, &branch);
}

static twin_status work_label(struct replay_call *call)
{
    const struct twin_record_WORK_LABEL *f = &call->then.WORK_LABEL;
    struct replay_object *queue = bound_queue(call);
    uint64_t table;
    if (!queue || !replay_address(call, f->table, ((uint64_t)f->index + 1) * sizeof(uint64_t),
                                  REPLAY_DEVICE, &table))
        return TWIN_OK;
    return call->replay->ops->work.label(queue->handle, table, f->index);
}

static twin_status work_jump(struct replay_call *call)
{
    const struct twin_record_WORK_JUMP *f = &call->then.WORK_JUMP;
    struct replay_object *queue = bound_queue(call);
    uint64_t address;
    uint64_t table;
    if (!queue || !word_at(call, f->address, sizeof(uint32_t), &address) ||
        !replay_address(call, f->table, (uint64_t)f->count * sizeof(uint64_t), REPLAY_DEVICE,
                        &table))
        return TWIN_OK;
    call->replay->report.values++;
    return call->replay->ops->work.jump(queue->handle, address, table, f->count);
}

static twin_status work_launch(struct replay_call *call)
{
    struct replay_object *queue = work_queue(call);
    return queue ? ASK(queue, replay_issue_launch(call, queue)) : TWIN_OK;
}

const replay_issue replay_work_ops[TWIN_RECORD_KINDS_END] = {
    [TWIN_RECORD_WORK_COPY] = work_copy,
    [TWIN_RECORD_WORK_FILL] = work_fill,
    [TWIN_RECORD_WORK_RECORD] = work_record,
    [TWIN_RECORD_WORK_WAIT] = work_wait,
    [TWIN_RECORD_WORK_RESET] = work_reset,
    [TWIN_RECORD_WORK_WRITE_VALUE] = work_write_value,
    [TWIN_RECORD_WORK_WAIT_VALUE] = work_wait_value,
    [TWIN_RECORD_WORK_CALL] = work_call,
    [TWIN_RECORD_WORK_RUN] = work_run,
    [TWIN_RECORD_WORK_END] = work_end,
    [TWIN_RECORD_WORK_ACTIVATE] = work_activate,
    [TWIN_RECORD_WORK_BRANCH] = work_branch,
    [TWIN_RECORD_WORK_LABEL] = work_label,
    [TWIN_RECORD_WORK_JUMP] = work_jump,
    [TWIN_RECORD_WORK_COUNT] = work_count,
    [TWIN_RECORD_WORK_WAIT_COUNT] = work_wait_count,
    [TWIN_RECORD_WORK_REDUCE] = work_reduce,
    [TWIN_RECORD_WORK_COPY_ROWS] = work_copy_rows,
    [TWIN_RECORD_WORK_LAUNCH] = work_launch,
};
