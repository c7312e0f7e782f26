/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of host functions, and other objects that come and go. */
#include <stdlib.h>

#include "check/state.h"

static bool of_instance(uint32_t kind)
{
    return kind == TWIN_OP_MODEL_INSTANCE_CREATE || kind == TWIN_OP_MODEL_INSTANCE_DESTROY ||
           kind == TWIN_OP_MODEL_INSTANCE_DRAIN || kind == TWIN_OP_RUN;
}

static struct check_object *find(struct checker *checker, uint32_t kind, uint32_t number)
{
    struct check_object *object = NULL;
    struct check_object *list = of_instance(kind) ? checker->instances : checker->call_queues;
    HASH_FIND(hh, list, &number, sizeof(number), object);
    return object;
}

void check_object_create(struct checker *checker, uint32_t op)
{
    const twin_op *made = &checker->ops.items[op];
    struct check_object **list =
        of_instance(made->kind) ? &checker->instances : &checker->call_queues;
    struct check_object *object = NULL;
    if (made->status != TWIN_OK || find(checker, made->kind, made->object))
        return;
    HASH_ENSURE(*list, number, made->object, object);
    if (object)
        object->op = op;
    else
        checker->short_of_memory = true;
}

static void set_answered(struct checker *checker, uint32_t call, uint32_t by)
{
    checker->links.items[call] = 0;
    struct check_queue *queue = check_queue_find(checker, checker->ops.items[call].queue);
    if (!queue || queue->parking != CHECK_ON_ANSWER || queue->parked_on != call)
        return;
    if (queue->host_seen_at < checker->ops.items[by].begin_seq)
        queue->host_seen_at = checker->ops.items[by].begin_seq;
    check_host_carries(checker, &queue->earlier, by);
    check_wake_one(checker, queue);
}

void check_object_destroy(struct checker *checker, uint32_t op)
{
    const twin_op *end = &checker->ops.items[op];
    struct check_object *object = find(checker, end->kind, end->object);
    if (!object)
        return;
    if (object->gone) {
        check_find(checker, CHECK_LIFE_06, object->op, op, "it was destroyed twice");
        return;
    }
    check_runs_ended(checker, object, op);
    object->gone = true;
    for (size_t i = object->taken; i < object->calls.count; i++)
        set_answered(checker, object->calls.items[i], op);
    for (size_t i = 0; i < object->tickets.count; i++)
        set_answered(checker, object->tickets.items[i].call, op);
    object->taken = object->calls.count;
    object->tickets.count = 0;
    check_carry_on(checker);
}

void check_object_use(struct checker *checker, uint32_t op)
{
    const twin_op *use = &checker->ops.items[op];
    const struct check_object *object = find(checker, use->kind, use->object);
    if (object && object->gone)
        check_find(checker, CHECK_LIFE_06, object->op, op, "it had been destroyed");
}

void check_call_queued(struct checker *checker, uint32_t op)
{
    struct check_object *call_queue = find(checker, TWIN_OP_TAKE, checker->ops.items[op].object);
    if (!call_queue || call_queue->gone) {
        checker->links.items[op] = 0;
        return;
    }
    CHECK_ADD(checker, &call_queue->calls, op);
}

/* Pieces of work that were queued before the call. Runs of one model instance may come on its lanes
 * in another order than they were queued. */
static uint32_t place_of(const struct check_queue *queue, uint32_t call)
{
    size_t place = queue->deferred ? queue->work.count : 0;
    while (place > 0)
        if (queue->work.items[--place] == call)
            return (uint32_t)place;
    return (uint32_t)PARTITION_POINT(queue->work.count, i, queue->work.items[i] < call);
}

/* The first that fits: calls of several streams may be made in another order than they were
 * queued. */
void check_call_taken(struct checker *checker, uint32_t op)
{
    const twin_op *take = &checker->ops.items[op];
    struct check_object *call_queue = find(checker, TWIN_OP_TAKE, take->object);
    if (!call_queue || take->status != TWIN_OK)
        return;
    for (size_t i = call_queue->taken; i < call_queue->calls.count; i++) {
        uint32_t call = call_queue->calls.items[i];
        const twin_op *queued = &checker->ops.items[call];
        if (queued->call.function != take->call.function ||
            queued->call.argument != take->call.argument || queued->blocks != take->blocks)
            continue;
        call_queue->calls.items[i] = call_queue->calls.items[call_queue->taken];
        call_queue->calls.items[call_queue->taken++] = call;
        if (take->blocks)
            CHECK_ADD(checker, &call_queue->tickets,
                      (struct check_ticket){.ticket = take->call.ticket, .call = call});
        check_host_took(checker, call, op);
        /* the host sees that what comes before the call is done */
        struct check_queue *queue = check_queue_find(checker, queued->queue);
        if (queue)
            check_queue_seen(checker, queue, queue->first + place_of(queue, call), op);
        return;
    }
    check_fog(checker, op); /* a task of a model instance, mostly */
}

void check_call_answered(struct checker *checker, uint32_t op)
{
    const twin_op *answer = &checker->ops.items[op];
    struct check_object *call_queue = find(checker, TWIN_OP_TAKE, answer->object);
    if (!call_queue)
        return;
    for (size_t i = 0; i < call_queue->tickets.count; i++) {
        if (call_queue->tickets.items[i].ticket != answer->call.ticket)
            continue;
        uint32_t call = call_queue->tickets.items[i].call;
        call_queue->tickets.items[i] = call_queue->tickets.items[--call_queue->tickets.count];
        set_answered(checker, call, op);
        check_carry_on(checker);
        return;
    }
}

static void free_objects(struct check_object **list)
{
    for (struct check_object *object = *list; object; object = object->hh.next) {
        free(object->calls.items);
        free(object->tickets.items);
        free(object->lanes.items);
        free(object->runs.items);
    }
    HASH_FREE_ALL(*list);
}

void check_objects_free(struct checker *checker)
{
    free_objects(&checker->call_queues);
    free_objects(&checker->instances);
}
