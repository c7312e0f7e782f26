/* SPDX-License-Identifier: Apache-2.0 */
/* Which op of one recording is which of the other. */
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"

#define BEGINNING 64u  /* ops by which threads are distinguished */
#define WINDOW    256u /* how far ahead the two are looked for in step */
#define NARROW    16u  /* after many failures */

struct identity {
    UT_hash_handle hh;
    uint64_t key;     /* kind of object and number */
    uint64_t name;    /* what it is on both sides */
    uint32_t records; /* on a queue, of events of the runtime */
    bool hidden;      /* the program did not make it */
};

/* An op, or a row of the same question. */
struct item {
    uint64_t label;
    size_t op;
    uint64_t turns;
    bool poll;
};

struct thread {
    UT_hash_handle hh;
    uint32_t number;
    uint64_t name; /* the same as its like's */
    uint64_t beginning;
    uint32_t begun; /* ops that went into it */
    uint32_t made[3];
    uint64_t instance;  /* name of the newest model instance */
    uint32_t hidden[3]; /* made by the runtime since */
    LIST_OF(struct item);
    struct thread *like;
};

struct side {
    const struct compare_side *from;
    struct thread *threads;
    struct identity *identities;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash ^= value + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
    hash *= UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 32;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return mix(hash, 1);
}

bool compare_is_poll(const twin_op *op)
{
    switch (op->kind) {
    case TWIN_OP_QUEUE_QUERY:
    case TWIN_OP_SIGNAL_QUERY:
    case TWIN_OP_TAKE_FAILURE:
    case TWIN_OP_TIMESTAMP:
        return true;
    case TWIN_OP_DRAIN:
    case TWIN_OP_SIGNAL_WAIT:
    case TWIN_OP_TAKE:
        return op->status == TWIN_E_TIMEOUT;
    default:
        return false;
    }
}

/* ---- names that hold on both sides ---- */

static const char *call_of(const struct side *side, const twin_op *op)
{
    return op->name != TWIN_OP_NONE ? twin_recording_string(side->from->recording, op->name) : "";
}

enum role { ROLE_QUEUE, ROLE_SIGNAL, ROLE_OTHER };

static uint64_t key_of(enum role role, uint32_t number)
{
    return (uint64_t)role << 32 | number;
}

static struct identity *identity_of(const struct side *side, enum role role, uint32_t number)
{
    struct identity *identity = NULL;
    uint64_t key = key_of(role, number);
    HASH_FIND(hh, side->identities, &key, sizeof(key), identity);
    return identity;
}

static uint64_t name_of(const struct side *side, enum role role, uint32_t number)
{
    const struct identity *identity = number != 0 ? identity_of(side, role, number) : NULL;
    return identity ? identity->name : number;
}

/* Of the object that an op names. */
static enum role role_of(const twin_op *op)
{
    switch (op->kind) {
    case TWIN_OP_ANSWER:
    case TWIN_OP_CALL:
    case TWIN_OP_CALL_QUEUE_CREATE:
    case TWIN_OP_CALL_QUEUE_DESTROY:
    case TWIN_OP_MODEL_INSTANCE_ABORT:
    case TWIN_OP_MODEL_INSTANCE_BIND:
    case TWIN_OP_MODEL_INSTANCE_CREATE:
    case TWIN_OP_MODEL_INSTANCE_DESTROY:
    case TWIN_OP_MODEL_INSTANCE_DRAIN:
    case TWIN_OP_MODEL_INSTANCE_UNBIND:
    case TWIN_OP_RUN:
    case TWIN_OP_TAKE:
        return ROLE_OTHER;
    default:
        return ROLE_SIGNAL;
    }
}

static bool makes_object(const twin_op *op)
{
    return op->kind == TWIN_OP_CALL_QUEUE_CREATE || op->kind == TWIN_OP_MODEL_INSTANCE_CREATE ||
           op->kind == TWIN_OP_SIGNAL_CREATE || op->kind == TWIN_OP_SIGNAL_OPEN;
}

/* Streams and events that a capture makes are numbered by themselves, in their instance: one that
 * has more of them does not change the numbers of those that come after it. */
static bool add_identity(struct side *side, struct thread *thread, enum role role,
                         const twin_op *made)
{
    struct identity *identity = NULL;
    const char *call = call_of(side, made);
    HASH_ENSURE(side->identities, key,
                key_of(role, role == ROLE_QUEUE ? made->queue : made->object), identity);
    if (!identity)
        return false;
    const bool may_hide =
        role == ROLE_QUEUE ? made->config.deferred : made->kind == TWIN_OP_SIGNAL_CREATE;
    identity->hidden = may_hide && *call && strstr(call, "Create") == NULL;
    identity->name = identity->hidden
                         ? mix(mix(thread->instance, (uint64_t)role), thread->hidden[role]++)
                         : mix(mix(thread->name, (uint64_t)role), thread->made[role]++);
    if (made->kind == TWIN_OP_MODEL_INSTANCE_CREATE) {
        thread->instance = identity->name;
        memset(thread->hidden, 0, sizeof(thread->hidden));
    }
    return true;
}

/* An event of a capture is the record that it is made for. */
static void name_edge(struct side *side, const twin_op *record)
{
    struct identity *edge = identity_of(side, ROLE_SIGNAL, record->object);
    struct identity *queue = identity_of(side, ROLE_QUEUE, record->queue);
    if (edge && queue && edge->hidden)
        edge->name = mix(mix(queue->name, ROLE_SIGNAL), queue->records++);
}

/* ---- threads ---- */

static struct thread *thread_of(struct side *side, uint32_t number)
{
    struct thread *thread = NULL;
    HASH_ENSURE(side->threads, number, number, thread);
    return thread;
}

static bool is_compared(const twin_op *op)
{
    return op->kind != TWIN_OP_CALL_ENDED && op->kind != TWIN_OP_STOP;
}

static bool find_threads(struct side *side)
{
    for (size_t i = 0; i < side->from->ops.count; i++) {
        const twin_op *op = &side->from->ops.list[i];
        struct thread *thread = thread_of(side, op->thread);
        if (!thread)
            return false;
        if (!is_compared(op) || compare_is_poll(op) || thread->begun >= BEGINNING)
            continue;
        thread->begun++;
        thread->beginning = mix_text(mix(thread->beginning, op->kind), call_of(side, op));
    }
    return true;
}

static void pair_threads(struct side sides[2])
{
    for (int by_number = 0; by_number < 2; by_number++) {
        for (struct thread *a = sides[0].threads; a; a = a->hh.next) {
            struct thread *b = sides[1].threads;
            while (b && !a->like &&
                   (b->like || (by_number ? b->number != a->number : b->beginning != a->beginning)))
                b = b->hh.next;
            if (!b || a->like)
                continue;
            a->like = b;
            b->like = a;
            a->name = b->name = mix(1, a->number);
        }
    }
    for (int which = 0; which < 2; which++)
        for (struct thread *thread = sides[which].threads; thread; thread = thread->hh.next)
            if (!thread->like)
                thread->name = mix(2 + (uint64_t)which, thread->number);
}

/* ---- items ---- */

static uint64_t label_of(const struct side *side, const twin_op *op)
{
    uint64_t label = mix_text(mix(7, op->kind), call_of(side, op));
    label = mix(label, name_of(side, ROLE_QUEUE, op->queue));
    label = mix(label, name_of(side, role_of(op), op->object));
    switch (op->kind) {
    case TWIN_OP_ALLOC:
    case TWIN_OP_COPY:
    case TWIN_OP_COPY_BASED:
    case TWIN_OP_FILL:
    case TWIN_OP_HOST_ALLOC:
    case TWIN_OP_MAINTAIN:
    case TWIN_OP_NOW_COPY:
    case TWIN_OP_NOW_FILL:
    case TWIN_OP_RANDOM:
    case TWIN_OP_REDUCE:
        return mix(label, op->bytes);
    case TWIN_OP_ACTIVATE:
        return mix(label, name_of(side, ROLE_QUEUE, op->other));
    case TWIN_OP_COUNT:
        return mix(mix(label, op->count.mode), op->count.value);
    case TWIN_OP_WAIT_COUNT:
        return mix(mix(mix(label, op->count.relation), op->count.value), op->count.clear);
    case TWIN_OP_COPY_ROWS:
    case TWIN_OP_NOW_ROWS:
        return mix(mix(label, op->bytes), op->height);
    default:
        return label;
    }
}

static bool add_item(struct thread *thread, const struct item *item)
{
    if (item->poll && thread->count > 0) {
        struct item *last = &thread->items[thread->count - 1];
        if (last->poll && last->label == item->label) {
            last->turns++;
            last->op = item->op; /* the one that ends the row */
            return true;
        }
    }
    return LIST_ADD(thread, *item);
}

static bool find_items(struct side *side, uint64_t *polls)
{
    for (size_t i = 0; i < side->from->ops.count; i++) {
        const twin_op *op = &side->from->ops.list[i];
        const bool queue = op->kind == TWIN_OP_QUEUE_CREATE;
        if ((queue || makes_object(op)) && op->status == TWIN_OK &&
            !add_identity(side, thread_of(side, op->thread), queue ? ROLE_QUEUE : role_of(op), op))
            return false;
        if (op->kind == TWIN_OP_RECORD && op->status == TWIN_OK)
            name_edge(side, op);
    }
    for (size_t i = 0; i < side->from->ops.count; i++) {
        const twin_op *op = &side->from->ops.list[i];
        if (!is_compared(op))
            continue;
        struct item item = {
            .label = label_of(side, op), .op = i, .turns = 1, .poll = compare_is_poll(op)};
        *polls += item.poll;
        if (!add_item(thread_of(side, op->thread), &item))
            return false;
    }
    return true;
}

/* ---- side by side ---- */

static bool add_only(struct compare_result *result, int which, const struct item *item)
{
    if (!item->poll)
        return LIST_ADD(&result->only[which], item->op);
    result->stray_polls[which] += item->turns;
    return true;
}

/* The items of a thread from `from` on. */
static bool lay_alone(struct compare_result *result, int which, const struct thread *thread,
                      size_t from)
{
    for (size_t i = from; i < thread->count; i++)
        if (!add_only(result, which, &thread->items[i]))
            return false;
    return true;
}

/* Whether two rows are in step: these two and the next, if there is one on both sides. */
static bool in_step(const struct thread *a, size_t i, const struct thread *b, size_t j)
{
    if (a->items[i].label != b->items[j].label)
        return false;
    return i + 1 == a->count || j + 1 == b->count ||
           a->items[i + 1].label == b->items[j + 1].label || a->items[i + 1].poll ||
           b->items[j + 1].poll;
}

/* How many to leave out of each to be in step again, as few as can be. False: not within reach. */
static bool find_step(const struct thread *a, size_t i, const struct thread *b, size_t j,
                      size_t window, size_t *out_a, size_t *out_b)
{
    for (size_t away = 1; away <= window; away++)
        for (size_t k = 0; k <= away; k++) {
            if (i + k >= a->count || j + away - k >= b->count)
                continue;
            if (!in_step(a, i + k, b, j + away - k))
                continue;
            *out_a = k;
            *out_b = away - k;
            return true;
        }
    return false;
}

static bool lay_side_by_side(struct compare_result *result, const struct thread *a,
                             const struct thread *b)
{
    size_t i = 0;
    size_t j = 0;
    unsigned failures = 0;
    bool good = true;
    while (good && i < a->count && j < b->count) {
        if (a->items[i].label == b->items[j].label) {
            const struct compare_pair pair = {a->items[i++].op, b->items[j++].op};
            good = LIST_ADD(&result->pairs, pair);
            continue;
        }
        size_t skip_a = 1;
        size_t skip_b = 1;
        if (!find_step(a, i, b, j, failures < 64 ? WINDOW : NARROW, &skip_a, &skip_b))
            failures++;
        while (good && skip_a-- > 0)
            good = add_only(result, 0, &a->items[i++]);
        while (good && skip_b-- > 0)
            good = add_only(result, 1, &b->items[j++]);
    }
    return good && lay_alone(result, 0, a, i) && lay_alone(result, 1, b, j);
}

static bool lay_out(struct compare_result *result, struct side sides[2])
{
    bool good = true;
    for (struct thread *a = sides[0].threads; good && a; a = a->hh.next)
        good = a->like ? lay_side_by_side(result, a, a->like) : lay_alone(result, 0, a, 0);
    for (struct thread *b = sides[1].threads; good && b; b = b->hh.next)
        good = b->like || lay_alone(result, 1, b, 0);
    return good;
}

static void free_side(struct side *side)
{
    for (struct thread *thread = side->threads; thread; thread = thread->hh.next)
        free(thread->items);
    HASH_FREE_ALL(side->threads);
    HASH_FREE_ALL(side->identities);
}

static int by_a(const void *left, const void *right)
{
    const struct compare_pair *x = left;
    const struct compare_pair *y = right;
    return ORDER(x->a, y->a);
}

bool compare_pair_ops(struct compare_result *result)
{
    struct side sides[2] = {{.from = &result->side[0]}, {.from = &result->side[1]}};
    bool good = find_threads(&sides[0]) && find_threads(&sides[1]);
    if (good)
        pair_threads(sides);
    good = good && find_items(&sides[0], &result->polls[0]) &&
           find_items(&sides[1], &result->polls[1]) && lay_out(result, sides);
    free_side(&sides[0]);
    free_side(&sides[1]);
    if (good && result->pairs.count > 0)
        qsort(result->pairs.items, result->pairs.count, sizeof(struct compare_pair), by_a);
    return good;
}
