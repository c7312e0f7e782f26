/* SPDX-License-Identifier: Apache-2.0 */
/* Work that is queued. */
#include "replay/state.h"

bool replay_begin_work(struct replay_call *call)
{
    /* What was not queued the core has asked for again; another device may have room, and would do
     * it twice. */
    call->skipped = !call->replay->report.same && replay_status_of(call) == TWIN_E_BUSY &&
                    !call->object->deferred;
    if (!call->skipped)
        call->object->busy = true;
    return !call->skipped;
}

/* Asks until the queue has room, as the core does; a device that is paced has it where it had it.
 * `op` is the asking. */
#define UNTIL_ROOM(op)                                                                             \
    ({                                                                                             \
        twin_status asked;                                                                         \
        while ((asked = (op)) == TWIN_E_BUSY && call->succeeded && !call->object->deferred &&      \
               !call->replay->pacing && call->ops->queue.room(call->object->handle) == TWIN_OK)    \
            call->replay->report.waited++;                                                         \
        asked;                                                                                     \
    })
#define ASK(op, ...) UNTIL_ROOM(call->ops->work.op(call->object->handle, __VA_ARGS__))

static twin_status work_copy(struct replay_call *call)
{
    const struct twin_record_WORK_COPY *f = &call->then.WORK_COPY;
    twin_copy copy = {.dst = f->dst, .src = f->src, .bytes = f->bytes};
    return replay_copy(call, &copy) ? ASK(copy, &copy) : TWIN_OK;
}

static twin_status work_copy_rows(struct replay_call *call)
{
    twin_rows rows = REPLAY_ROWS(&call->then.WORK_COPY_ROWS);
    return replay_rows(call, &rows) ? ASK(copy_rows, &rows) : TWIN_OK;
}

static twin_status work_fill(struct replay_call *call)
{
    const struct twin_record_WORK_FILL *f = &call->then.WORK_FILL;
    twin_fill fill = {.bytes = f->bytes, .value = (uint32_t)f->value, .words = f->words != 0};
    return replay_address(call, f->dst, f->bytes, REPLAY_TO, &fill.dst) ? ASK(fill, &fill)
                                                                        : TWIN_OK;
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
    (void)replay_leave_out(call, "signal %u is of another kind", number);
    return NULL;
}

static twin_status work_record(struct replay_call *call)
{
    struct replay_object *signal = fitting(call, call->then.WORK_RECORD.signal, false, false);
    return signal ? ASK(record, signal->handle) : TWIN_OK;
}

static twin_status work_wait(struct replay_call *call)
{
    const struct twin_record_WORK_WAIT *f = &call->then.WORK_WAIT;
    struct replay_object *signal = fitting(call, f->signal, false, false);
    if (signal && !signal->waitable)
        return replay_leave_out(call, "no queue can wait for signal %u", f->signal);
    return signal ? ASK(wait, signal->handle, f->timeout_ns) : TWIN_OK;
}

static twin_status work_reset(struct replay_call *call)
{
    struct replay_object *signal = fitting(call, call->then.WORK_RESET.signal, false, true);
    return signal ? ASK(reset, signal->handle) : TWIN_OK;
}

static twin_status work_count(struct replay_call *call)
{
    const struct twin_record_WORK_COUNT *f = &call->then.WORK_COUNT;
    struct replay_object *signal = fitting(call, f->signal, true, false);
    const twin_count_change change = {.mode = (twin_count_mode)f->mode, .value = f->value};
    return signal ? ASK(count, signal->handle, &change) : TWIN_OK;
}

static twin_status work_wait_count(struct replay_call *call)
{
    const struct twin_record_WORK_WAIT_COUNT *f = &call->then.WORK_WAIT_COUNT;
    struct replay_object *signal = fitting(call, f->signal, true, false);
    const twin_count_wait wait = {.relation = (twin_count_relation)f->relation,
                                  .value = f->value,
                                  .clear = f->clear != 0,
                                  .timeout_ns = f->timeout_ns};
    return signal ? ASK(wait_count, signal->handle, &wait) : TWIN_OK;
}

/* ---- words of device memory ---- */

static bool word_at(struct replay_call *call, uint64_t recorded, uint64_t bytes, uint64_t *out_now)
{
    if (recorded % bytes != 0)
        (void)replay_leave_out(call, "0x%llx is not the address of a word",
                               (unsigned long long)recorded);
    return !call->left_out && replay_address(call, recorded, bytes, REPLAY_DEVICE, out_now);
}

static twin_status work_write_value(struct replay_call *call)
{
    const struct twin_record_WORK_WRITE_VALUE *f = &call->then.WORK_WRITE_VALUE;
    uint64_t address;
    return word_at(call, f->address, sizeof(uint64_t), &address)
               ? ASK(write_value, address, f->value, (twin_side){.kind = TWIN_MEMORY_UNKNOWN})
               : TWIN_OK;
}

static twin_status work_wait_value(struct replay_call *call)
{
    const struct twin_record_WORK_WAIT_VALUE *f = &call->then.WORK_WAIT_VALUE;
    twin_value_wait wait = {.value = f->value, .relation = (twin_relation)f->relation};
    if (!word_at(call, f->address, sizeof(uint64_t), &wait.address))
        return TWIN_OK;
    call->replay->report.values++;
    return ASK(wait_value, &wait);
}

static twin_status work_reduce(struct replay_call *call)
{
    static const uint64_t sizes[] = {
        [TWIN_ELEMENT_INT8] = 1,  [TWIN_ELEMENT_INT16] = 2,  [TWIN_ELEMENT_INT32] = 4,
        [TWIN_ELEMENT_UINT8] = 1, [TWIN_ELEMENT_UINT16] = 2, [TWIN_ELEMENT_UINT32] = 4,
        [TWIN_ELEMENT_FP16] = 2,  [TWIN_ELEMENT_FP32] = 4,   [TWIN_ELEMENT_BF16] = 2};
    const struct twin_record_WORK_REDUCE *f = &call->then.WORK_REDUCE;
    twin_reduce reduce = {
        .bytes = f->bytes, .op = (twin_reduce_op)f->op, .element = (twin_element)f->element};
    uint64_t size = sizes[f->element];
    if (f->bytes % size != 0 || f->dst % size != 0 || f->src % size != 0)
        return replay_leave_out(call, "it is not of a whole number of elements");
    if (!replay_address(call, f->dst, f->bytes, REPLAY_DEVICE, &reduce.dst) ||
        !replay_address(call, f->src, f->bytes, REPLAY_DEVICE, &reduce.src))
        return TWIN_OK;
    return ASK(reduce, &reduce);
}

static twin_status work_described(struct replay_call *call)
{
    const struct twin_record_WORK_DESCRIBED *f = &call->then.WORK_DESCRIBED;
    uint64_t at;
    if (f->op > TWIN_RANGE_FLUSH)
        return replay_leave_out(call, "%u is not an operation of a descriptor", f->op);
    return replay_address(call, f->at, TWIN_DESCRIPTOR_BYTES, REPLAY_DEVICE, &at)
               ? ASK(described, at, (twin_range_op)f->op)
               : TWIN_OK;
}

static twin_status work_maintain(struct replay_call *call)
{
    const struct twin_record_WORK_MAINTAIN *f = &call->then.WORK_MAINTAIN;
    twin_maintenance maintenance = {.bytes = f->bytes, .op = (twin_range_op)f->op};
    if (f->op < TWIN_RANGE_PREFETCH || f->op > TWIN_RANGE_FLUSH)
        return replay_leave_out(call, "%u is not a kind of cache maintenance", f->op);
    return replay_address(call, f->address, f->bytes, REPLAY_DEVICE, &maintenance.address)
               ? ASK(maintain, &maintenance)
               : TWIN_OK;
}

static twin_status work_copy_based(struct replay_call *call)
{
    const struct twin_record_WORK_COPY_BASED *f = &call->then.WORK_COPY_BASED;
    twin_based_copy copy = {
        .dst_offset = f->dst_offset, .src_offset = f->src_offset, .bytes = f->bytes};
    if (!word_at(call, f->dst, sizeof(uint64_t), &copy.dst) ||
        !word_at(call, f->src, sizeof(uint64_t), &copy.src))
        return TWIN_OK;
    return ASK(copy_based, &copy);
}

/* The value, or where it is now. */
static bool random_value(struct replay_call *call, uint64_t recorded, uint32_t address,
                         twin_random_value *out)
{
    *out = (twin_random_value){.value = recorded, .is_address = address != 0};
    return address == 0 || replay_address(call, recorded, 1, REPLAY_DEVICE, &out->value);
}

static twin_status work_random(struct replay_call *call)
{
    const struct twin_record_WORK_RANDOM *f = &call->then.WORK_RANDOM;
    twin_random random = {.function = (twin_random_function)f->function,
                          .type = (twin_random_type)f->type};
    if (f->function > TWIN_RANDOM_TRUNCATED_NORMAL || f->type > TWIN_RANDOM_FP32)
        return replay_leave_out(call, "there are no such random numbers");
    const uint64_t bytes =
        (f->addresses & 8u) != 0 ? 1 : twin_random_bytes(random.function, random.type, f->count);
    if (!replay_address(call, f->dst, bytes, REPLAY_DEVICE, &random.dst) ||
        !replay_address(call, f->counter, 16, REPLAY_DEVICE, &random.counter) ||
        (f->params != 0 && !replay_address(call, f->params, 16, REPLAY_DEVICE, &random.params)) ||
        !random_value(call, f->first, f->addresses & 1u, &random.first) ||
        !random_value(call, f->second, f->addresses & 2u, &random.second) ||
        !random_value(call, f->seed, f->addresses & 4u, &random.seed) ||
        !random_value(call, f->count, f->addresses & 8u, &random.count))
        return TWIN_OK;
    return ASK(random, &random);
}

/* ---- host functions, model instances ---- */

/* The function is the recorded program's: it goes to the device and comes back, and is never
 * called. */
static twin_status work_call(struct replay_call *call)
{
    const struct twin_record_WORK_CALL *f = &call->then.WORK_CALL;
    struct replay_object *call_queue =
        replay_object(call, TWIN_RECORD_ROLE_CALL_QUEUE, f->call_queue);
    twin_host_call host = {.argument = (void *)(uintptr_t)f->argument, .block = f->block != 0};
    uintptr_t function = (uintptr_t)f->function;
    _Static_assert(sizeof(host.fn) == sizeof(function), "functions have addresses");
    __builtin_memcpy(&host.fn, &function, sizeof(function));
    return call_queue ? ASK(call, call_queue->handle, &host) : TWIN_OK;
}

static twin_status work_run(struct replay_call *call)
{
    const struct twin_record_WORK_RUN *f = &call->then.WORK_RUN;
    struct replay_object *instance =
        replay_object(call, TWIN_RECORD_ROLE_MODEL_INSTANCE, f->model_instance);
    if (!instance)
        return TWIN_OK;
    if (call->object->deferred || call->object->device != instance->device)
        return replay_leave_out(call, "queue %u does not run program %u", f->queue,
                                f->model_instance);
    instance->busy = true;
    return ASK(run, instance->handle);
}

/* ---- pools ---- */

static twin_status work_alloc(struct replay_call *call)
{
    const struct twin_record_WORK_ALLOC *f = &call->then.WORK_ALLOC;
    struct replay_object *pool = replay_object(call, TWIN_RECORD_ROLE_POOL, f->pool);
    uint64_t address = 0;
    if (!pool)
        return TWIN_OK;
    if (pool->device != call->object->device || f->bytes == 0 || f->bytes % TWIN_POOL_GRANULE != 0)
        return replay_leave_out(call, "pool %u does not give %llu bytes to queue %u", f->pool,
                                (unsigned long long)f->bytes, f->queue);
    const twin_status status = ASK(alloc, pool->handle, f->bytes, &address);
    if (status == TWIN_OK && !call->succeeded)
        (void)call->ops->work.free(call->object->handle, address);
    else if (call->succeeded &&
             !replay_memory_add(call->replay, f->out_address, f->bytes,
                                status == TWIN_OK ? address : 0, pool->device, false))
        return TWIN_E_NOMEM;
    return status;
}

/* What was freed stays in its place until an allocation gets it again: tasks of other queues may
 * come before the free. */
static twin_status work_free(struct replay_call *call)
{
    return ASK(free, replay_address_any(call->replay, call->then.WORK_FREE.address));
}

/* Whether the queue is one of a program. */
static bool is_bound(struct replay_call *call)
{
    if (!call->object->bound)
        (void)replay_leave_out(call, "queue %u is not of a program", call->object->number);
    return call->object->bound != 0;
}

/* Another queue of the same model instance. */
static struct replay_object *other_queue(struct replay_call *call, uint32_t number)
{
    struct replay_object *other =
        is_bound(call) ? replay_object(call, TWIN_RECORD_ROLE_QUEUE, number) : NULL;
    if (other && other->bound != call->object->bound)
        (void)replay_leave_out(call, "queue %u is not of the model instance", number);
    return call->left_out ? NULL : other;
}

static twin_status work_end(struct replay_call *call)
{
    return is_bound(call) ? call->ops->work.end(call->object->handle) : TWIN_OK;
}

static twin_status work_activate(struct replay_call *call)
{
    struct replay_object *other = other_queue(call, call->then.WORK_ACTIVATE.other);
    return other ? call->ops->work.activate(call->object->handle, other->handle) : TWIN_OK;
}

static twin_status work_branch(struct replay_call *call)
{
    const struct twin_record_WORK_BRANCH *f = &call->then.WORK_BRANCH;
    struct replay_object *to = other_queue(call, f->to);
    uint64_t bytes = f->wide ? sizeof(uint64_t) : sizeof(uint32_t);
    twin_branch branch = {.condition = (twin_condition)f->condition, .wide = f->wide != 0};
    if (!to || !word_at(call, f->left, bytes, &branch.left) ||
        !word_at(call, f->right, bytes, &branch.right))
        return TWIN_OK;
    branch.to = to->handle;
    call->replay->report.values++;
    return call->ops->work.branch(call->object->handle, &branch);
}

static twin_status work_label(struct replay_call *call)
{
    const struct twin_record_WORK_LABEL *f = &call->then.WORK_LABEL;
    uint64_t table;
    if (!is_bound(call) ||
        !replay_address(call, f->table, ((uint64_t)f->index + 1) * sizeof(uint64_t), REPLAY_DEVICE,
                        &table))
        return TWIN_OK;
    return call->ops->work.label(call->object->handle, table, f->index);
}

static twin_status work_jump(struct replay_call *call)
{
    const struct twin_record_WORK_JUMP *f = &call->then.WORK_JUMP;
    uint64_t address;
    uint64_t table;
    if (!is_bound(call) || !word_at(call, f->address, sizeof(uint32_t), &address) ||
        !replay_address(call, f->table, (uint64_t)f->count * sizeof(uint64_t), REPLAY_DEVICE,
                        &table))
        return TWIN_OK;
    call->replay->report.values++;
    return call->ops->work.jump(call->object->handle, address, table, f->count);
}

static twin_status work_launch(struct replay_call *call)
{
    return UNTIL_ROOM(replay_issue_launch(call));
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
    [TWIN_RECORD_WORK_ALLOC] = work_alloc,
    [TWIN_RECORD_WORK_FREE] = work_free,
    [TWIN_RECORD_WORK_DESCRIBED] = work_described,
    [TWIN_RECORD_WORK_MAINTAIN] = work_maintain,
    [TWIN_RECORD_WORK_COPY_BASED] = work_copy_based,
    [TWIN_RECORD_WORK_RANDOM] = work_random,
};
