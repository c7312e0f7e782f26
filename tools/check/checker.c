/* SPDX-License-Identifier: Apache-2.0 */
#include "check/checker.h"

#include <stdlib.h>

#include "check/state.h"

struct checker *checker_new(const struct checker_facts *facts)
{
    /* of records that are not known */
    const struct check_mark unknown = {.op = CHECK_NONE,
                                       .earliest_begin = {.op = CHECK_NONE},
                                       .done = true,
                                       .order_unknown = true,
                                       .unsure = true};
    struct checker *checker = calloc(1, sizeof(*checker));
    if (!checker)
        return NULL;
    checker->facts = *facts;
    checker->judged[CHECK_LIFE_09] = facts->calls;
    checker->devices = calloc(CHECK_DEVICES, sizeof(*checker->devices));
    if (checker->devices && LIST_ADD(&checker->marks, unknown))
        return checker;
    checker_free(checker);
    return NULL;
}

void checker_free(struct checker *checker)
{
    if (!checker)
        return;
    check_signals_free(checker);
    check_queues_free(checker);
    check_words_free(checker);
    check_objects_free(checker);
    check_memory_free(checker);
    check_access_free(checker);
    check_findings_free(checker);
    check_hosts_free(checker);
    free(checker->devices);
    free(checker->ops.items);
    free(checker->links.items);
    free(checker->fogs.items);
    free(checker->needs.items);
    free(checker);
}

uint64_t check_order_key(const twin_op *op)
{
    switch (op->kind) {
    case TWIN_OP_ALLOC:
    case TWIN_OP_CALL_ENDED:
    case TWIN_OP_CALL_QUEUE_CREATE:
    case TWIN_OP_DEVICE_ABORT:
    case TWIN_OP_DEVICE_OPEN:
    case TWIN_OP_DRAIN:
    case TWIN_OP_HOST_ALLOC:
    case TWIN_OP_IMAGE_LOAD:
    case TWIN_OP_MODEL_INSTANCE_ABORT:
    case TWIN_OP_MODEL_INSTANCE_CREATE:
    case TWIN_OP_MODEL_INSTANCE_DRAIN:
    case TWIN_OP_QUEUE_ABORT:
    case TWIN_OP_QUEUE_CREATE:
    case TWIN_OP_QUEUE_QUERY:
    case TWIN_OP_QUEUE_STOP:
    case TWIN_OP_SIGNAL_CREATE:
    case TWIN_OP_SIGNAL_OPEN:
    case TWIN_OP_SIGNAL_QUERY:
    case TWIN_OP_SIGNAL_WAIT:
    case TWIN_OP_TAKE:
    case TWIN_OP_TAKE_FAILURE:
    case TWIN_OP_TIMESTAMP:
        return op->end_seq != 0 ? op->end_seq : UINT64_MAX;
    default:
        return op->begin_seq;
    }
}

/* ---- devices ---- */

static void open_device(struct checker *checker, uint32_t op)
{
    const twin_op *made = &checker->ops.items[op];
    if (made->status == TWIN_OK && made->device < CHECK_DEVICES)
        checker->devices[made->device].opens++;
}

static void close_device(struct checker *checker, uint32_t op)
{
    const twin_op *end = &checker->ops.items[op];
    if (end->device >= CHECK_DEVICES)
        return;
    struct check_device *device = &checker->devices[end->device];
    checker->judged[CHECK_ORD_14]++;
    if (device->opens <= device->closes)
        check_find(checker, CHECK_ORD_14, CHECK_NONE, op, "device %u was not open",
                   (unsigned)end->device);
    else
        device->closes++;
    check_memory_close(checker, op);
    for (size_t i = 0; i < checker->all_queues.count; i++) {
        const struct check_queue *queue = checker->all_queues.items[i];
        if (queue->device != end->device || queue->gone)
            continue;
        check_find(checker, CHECK_ORD_14, queue->op, op,
                   "the device was closed while stream %u on it was alive", (unsigned)queue->id);
    }
}

static void use_device(struct checker *checker, uint32_t op)
{
    const twin_op *use = &checker->ops.items[op];
    if (use->device >= CHECK_DEVICES || use->status != TWIN_OK)
        return;
    const struct check_device *device = &checker->devices[use->device];
    checker->judged[CHECK_ORD_14]++;
    if (device->opens <= device->closes)
        check_find(checker, CHECK_ORD_14, CHECK_NONE, op,
                   "the object was created on device %u, which was not open",
                   (unsigned)use->device);
}

/* ---- public calls ---- */

#define BAD_ARGUMENT 107000 /* ACL_ERROR_RT_PARAM_INVALID */
#define DEAD_HANDLE  107017 /* ACL_ERROR_RT_INVALID_HANDLE */

static void call_ended(struct checker *checker, uint32_t op)
{
    const twin_op *call = &checker->ops.items[op];
    if (call->code == DEAD_HANDLE)
        check_find(checker, CHECK_LIFE_09, CHECK_NONE, op,
                   "the call returned 107017: its handle is not that of a live object");
    if (call->code == BAD_ARGUMENT && call->of_free)
        check_find(
            checker, CHECK_LIFE_04, CHECK_NONE, op,
            "the call returned 107000: no live allocation of its kind begins at its address, which "
            "the recording lacks");
}

/* ---- feeding ---- */

/* What is done with an op that is not work. The others are observations. */
static void (*const takers[TWIN_OP_KINDS])(struct checker *checker, uint32_t op) = {
    [TWIN_OP_DEVICE_OPEN] = open_device,
    [TWIN_OP_DEVICE_CLOSE] = close_device,
    [TWIN_OP_ALLOC] = check_memory_alloc,
    [TWIN_OP_HOST_ALLOC] = check_memory_alloc,
    [TWIN_OP_IMAGE_LOAD] = check_memory_image,
    [TWIN_OP_IMAGE_UNLOAD] = check_memory_unload,
    [TWIN_OP_FREE] = check_memory_release,
    [TWIN_OP_HOST_FREE] = check_memory_release,
    [TWIN_OP_NOW_COPY] = check_access_now,
    [TWIN_OP_NOW_FILL] = check_access_now,
    [TWIN_OP_NOW_ROWS] = check_access_now,
    [TWIN_OP_QUEUE_CREATE] = check_queue_create,
    [TWIN_OP_QUEUE_DESTROY] = check_queue_destroy,
    [TWIN_OP_SIGNAL_CREATE] = check_signal_create,
    [TWIN_OP_SIGNAL_OPEN] = check_signal_create,
    [TWIN_OP_SIGNAL_DESTROY] = check_signal_destroy,
    [TWIN_OP_SIGNAL_CLEAR] = check_signal_clear,
    [TWIN_OP_SIGNAL_SHARE] = check_signal_share,
    [TWIN_OP_CALL_QUEUE_CREATE] = check_object_create,
    [TWIN_OP_CALL_QUEUE_DESTROY] = check_object_destroy,
    [TWIN_OP_MODEL_INSTANCE_CREATE] = check_object_create,
    [TWIN_OP_MODEL_INSTANCE_DESTROY] = check_object_destroy,
    [TWIN_OP_MODEL_INSTANCE_BIND] = check_instance_bind,
    [TWIN_OP_MODEL_INSTANCE_UNBIND] = check_instance_unbind,
    [TWIN_OP_MODEL_INSTANCE_CLEAN] = check_instance_clean,
    [TWIN_OP_MODEL_INSTANCE_ABORT] = check_instance_abort,
    [TWIN_OP_MODEL_INSTANCE_DRAIN] = check_instance_drain,
    [TWIN_OP_TAKE] = check_call_taken,
    [TWIN_OP_ANSWER] = check_call_answered,
    [TWIN_OP_CALL_ENDED] = call_ended,
};

static void take(struct checker *checker, uint32_t op)
{
    const twin_op *taken = &checker->ops.items[op];
    const bool creates = taken->kind == TWIN_OP_QUEUE_CREATE ||
                         taken->kind == TWIN_OP_SIGNAL_CREATE || taken->kind == TWIN_OP_SIGNAL_OPEN;
    if (creates && !twin_op_succeeded(taken))
        return;
    if (creates || taken->kind == TWIN_OP_ALLOC || taken->kind == TWIN_OP_IMAGE_LOAD)
        use_device(checker, op);
    if (taken->kind < TWIN_OP_KINDS && takers[taken->kind])
        takers[taken->kind](checker, op);
    else
        check_observe(checker, op);
}

bool checker_feed(struct checker *checker, const twin_op *op)
{
    uint32_t index = (uint32_t)checker->ops.count;
    if (checker->short_of_memory || !LIST_ADD(&checker->links, CHECK_NONE) ||
        !LIST_ADD(&checker->ops, *op)) {
        checker->short_of_memory = true;
        return false;
    }
    if (op->thread != checker->ops.items[0].thread)
        checker->several_threads = true;
    check_host_begins(checker, index);
    if (checker->short_of_memory)
        return false;
    if (twin_op_is_work(op->kind))
        check_submit(checker, index);
    else
        take(checker, index);
    return !checker->short_of_memory;
}

bool checker_finish(struct checker *checker)
{
    check_counts_finish(checker);
    check_signals_finish(checker);
    check_times_finish(checker);
    return !checker->short_of_memory;
}

/* ---- results ---- */

const twin_op *checker_op(const struct checker *checker, uint32_t index)
{
    return index < checker->ops.count ? &checker->ops.items[index] : NULL;
}

uint32_t checker_stream_id(const struct checker *checker, uint32_t queue)
{
    const struct check_queue *found = check_queue_find((struct checker *)(uintptr_t)checker, queue);
    return found ? found->id : queue;
}

const struct check_finding *checker_findings(const struct checker *checker, size_t *out_count)
{
    *out_count = checker->findings.count;
    return checker->findings.items;
}

uint64_t checker_judged(const struct checker *checker, check_rule rule)
{
    return checker->judged[rule];
}

uint64_t checker_unjudged_work(const struct checker *checker)
{
    return checker->unjudged_work;
}

bool checker_failed(const struct checker *checker)
{
    return checker->troubled;
}
