/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations: where work may go, and who still names what is freed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check/state.h"

/* What an allocation may be used for past what was asked: it is given in pages. */
#define PAGE UINT64_C(4096)

static void drop_uses(struct check_allocation *allocation)
{
    struct check_use *use = allocation->uses;
    HASH_CLEAR(hh, allocation->uses);
    while (use) {
        struct check_use *next = use->hh.next;
        free(use);
        use = next;
    }
}

static void free_allocation(struct check_allocation *allocation)
{
    drop_uses(allocation);
    free(allocation);
}

/* Graves lie where nothing lives. */
static void clear_graves(struct checker *checker, uint64_t begin, uint64_t end)
{
    for (;;) {
        struct range_node *node = range_tree_from(&checker->graves, begin);
        if (!node || node->begin >= end)
            return;
        range_tree_remove(&checker->graves, node->begin);
        free_allocation((struct check_allocation *)node);
    }
}

static uint64_t room_of(uint64_t begin, uint64_t bytes)
{
    uint64_t end = begin + bytes;
    uint64_t rounded = (end + PAGE - 1) & ~(PAGE - 1);
    return end < begin ? UINT64_MAX : rounded < end ? end : rounded;
}

void check_memory_alloc(struct checker *checker, uint32_t op)
{
    const check_op *made = &checker->ops.items[op];
    if (made->status != TWIN_OK || made->bytes == 0 || made->end_seq == 0)
        return;
    uint64_t end = room_of(made->dst, made->bytes);
    clear_graves(checker, made->dst, end);
    struct range_node *other = range_tree_from(&checker->allocations, made->dst);
    if (other && other->begin < end) {
        /* rounded up too far, or its end was not seen */
        struct check_allocation *before = (struct check_allocation *)other;
        if (other->begin < made->dst && other->begin + before->bytes <= made->dst) {
            other->end = made->dst;
            other = range_tree_from(&checker->allocations, made->dst);
        } else if (other->begin <= made->dst) {
            range_tree_remove(&checker->allocations, other->begin);
            free_allocation((struct check_allocation *)other);
            other = range_tree_from(&checker->allocations, made->dst);
        }
        if (other && other->begin < end)
            end = other->begin;
        if (end <= made->dst)
            return;
    }
    struct check_allocation *allocation = calloc(1, sizeof(*allocation));
    if (!allocation) {
        checker->short_of_memory = true;
        return;
    }
    allocation->range.begin = made->dst;
    allocation->range.end = end;
    allocation->bytes = made->bytes;
    allocation->op = op;
    allocation->device = made->device;
    allocation->freed_by = CHECK_NONE;
    allocation->host = made->kind == CHECK_HOST_ALLOC;
    allocation->image = made->kind == CHECK_IMAGE_LOAD ? made->object : 0;
    range_tree_add(&checker->allocations, &allocation->range);
}

void check_memory_image(struct checker *checker, uint32_t op)
{
    const check_op *made = &checker->ops.items[op];
    if (made->status != TWIN_OK || made->end_seq == 0 || made->dst == 0)
        return;
    if (made->bytes == 0)
        checker->hidden_memory = true;
    check_memory_alloc(checker, op);
}

/* The task was seen done, or it is not known; was that before the free on any run? */
static void judge_thread(struct checker *checker, const struct check_allocation *allocation,
                         const struct check_use *use, uint32_t op)
{
    const check_op *end = &checker->ops.items[op];
    if (!checker->threads_apart ||
        check_known_at(checker, use->place, end->begin_seq) < use->number)
        return;
    checker->judged[CHECK_RACE_05]++;
    if (!check_host_knew(checker, op, use->place, use->number))
        check_find(checker, CHECK_RACE_05, use->op, op,
                   "%s memory at 0x%" PRIx64 " was freed by a thread that did not know this task "
                   "complete and is not ordered after one that did",
                   allocation->host ? "host" : "device", allocation->range.begin);
}

static void judge_users(struct checker *checker, const struct check_allocation *allocation,
                        uint32_t op)
{
    const check_op *end = &checker->ops.items[op];
    for (const struct check_use *use = allocation->uses; use; use = use->hh.next) {
        const struct check_queue *queue = checker->places.items[use->place].queue;
        checker->judged[CHECK_LIFE_01]++;
        if (check_known_at(checker, use->place, end->begin_seq) >= use->number ||
            (use->number > queue->aborted_from && use->number <= queue->aborted_to) ||
            check_fog_between(checker, checker->ops.items[use->op].end_seq, end->begin_seq)) {
            judge_thread(checker, allocation, use, op);
            continue;
        }
        check_find(checker, CHECK_LIFE_01, use->op, op,
                   "%s memory at 0x%" PRIx64 " was freed before the host knew this task complete",
                   allocation->host ? "host" : "device", allocation->range.begin);
    }
}

static void bury(struct checker *checker, struct check_allocation *allocation, uint32_t op)
{
    struct range_node *node = &allocation->range;
    range_tree_remove(&checker->allocations, node->begin);
    check_access_forget(checker, node->begin, node->end);
    clear_graves(checker, node->begin, node->end);
    drop_uses(allocation);
    allocation->freed_by = op;
    range_tree_add(&checker->graves, node);
}

void check_memory_release(struct checker *checker, uint32_t op)
{
    const check_op *end = &checker->ops.items[op];
    uint64_t address = end->dst;
    checker->judged[CHECK_LIFE_04]++;
    struct range_node *node = range_tree_from(&checker->allocations, address);
    struct check_allocation *allocation = (struct check_allocation *)node;
    if (!node || node->begin != address) {
        struct range_node *grave = range_tree_from(&checker->graves, address);
        const struct check_allocation *gone = (struct check_allocation *)grave;
        bool twice = grave && grave->begin == address;
        if (end->end_seq != 0)
            check_find(checker, CHECK_LIFE_04, twice ? gone->freed_by : CHECK_NONE, op,
                       twice ? "0x%" PRIx64 " was freed before"
                             : "nothing was allocated at 0x%" PRIx64,
                       address);
        return;
    }
    if (end->status != TWIN_OK || end->end_seq == 0 ||
        allocation->host != (end->kind == CHECK_HOST_FREE))
        return;
    judge_users(checker, allocation, op);
    bury(checker, allocation, op);
}

/* Images are few. */
void check_memory_unload(struct checker *checker, uint32_t op)
{
    struct range_node *node = range_tree_from(&checker->allocations, 0);
    while (node && ((struct check_allocation *)node)->image != checker->ops.items[op].object)
        node = range_tree_from(&checker->allocations, node->end);
    if (!node || checker->ops.items[op].object == 0)
        return;
    judge_users(checker, (struct check_allocation *)node, op);
    bury(checker, (struct check_allocation *)node, op);
}

void check_memory_close(struct checker *checker, uint32_t op)
{
    struct range_node *node = range_tree_from(&checker->allocations, 0);
    while (node) {
        struct check_allocation *allocation = (struct check_allocation *)node;
        uint64_t next = node->end;
        if (!allocation->host && allocation->device == checker->ops.items[op].device)
            bury(checker, allocation, op);
        node = range_tree_from(&checker->allocations, next);
    }
}

static void note_use(struct checker *checker, struct check_allocation *allocation,
                     const struct check_queue *queue, uint32_t op)
{
    struct check_use *use = NULL;
    uint32_t place = queue->place;
    HASH_FIND(hh, allocation->uses, &place, sizeof(place), use);
    if (!use) {
        use = calloc(1, sizeof(*use));
        if (!use) {
            checker->short_of_memory = true;
            return;
        }
        use->place = place;
        HASH_ADD(hh, allocation->uses, place, sizeof(use->place), use);
        if (!use->hh.tbl)
            checker->short_of_memory = true;
    }
    use->number = queue->submitted + 1; /* this piece of work, which is about to be queued */
    use->op = op;
}

/* One side. `must`: it cannot be memory of the program's own. */
static void judge_side(struct checker *checker, const struct check_queue *queue, uint32_t op,
                       uint64_t begin, uint64_t bytes, bool must)
{
    uint64_t end = begin + bytes;
    struct range_node *node = range_tree_from(&checker->allocations, begin);
    checker->judged[CHECK_LIFE_02]++;
    checker->judged[CHECK_LIFE_03]++;
    if (node && node->begin <= begin) {
        struct check_allocation *allocation = (struct check_allocation *)node;
        if (end > node->end || end < begin)
            check_find(checker, CHECK_LIFE_02, allocation->op, op,
                       "0x%" PRIx64 " + %" PRIu64 " bytes leaves the allocation of %" PRIu64
                       " bytes at 0x%" PRIx64,
                       begin, bytes, allocation->bytes, node->begin);
        if (queue && !queue->deferred)
            note_use(checker, allocation, queue, op);
        return;
    }
    struct range_node *grave = range_tree_from(&checker->graves, begin);
    const struct check_allocation *gone = (struct check_allocation *)grave;
    if (grave && grave->begin <= begin && (must || !gone->host))
        check_find(checker, CHECK_LIFE_03, gone->freed_by, op,
                   "0x%" PRIx64 " is in memory that was freed", begin);
    else if (must && !checker->hidden_memory)
        check_find(checker, CHECK_LIFE_02, CHECK_NONE, op, "0x%" PRIx64 " is in no allocation",
                   begin);
}

static uint64_t span_of(const check_op *op, uint64_t pitch)
{
    return op->height == 0 ? 0 : (op->height - 1) * pitch + op->bytes;
}

void check_memory_use(struct checker *checker, const struct check_queue *queue, uint32_t op)
{
    const check_op *work = &checker->ops.items[op];
    bool must = queue != NULL;
    switch (work->kind) {
    case CHECK_COPY:
    case CHECK_NOW_COPY:
    case CHECK_REDUCE:
        judge_side(checker, queue, op, work->src, work->bytes, must);
        judge_side(checker, queue, op, work->dst, work->bytes, must);
        return;
    case CHECK_FILL:
    case CHECK_NOW_FILL:
        judge_side(checker, queue, op, work->dst, work->bytes, must);
        return;
    case CHECK_COPY_ROWS:
    case CHECK_NOW_ROWS:
        judge_side(checker, queue, op, work->src, span_of(work, work->src_pitch), must);
        judge_side(checker, queue, op, work->dst, span_of(work, work->dst_pitch), must);
        return;
    case CHECK_WRITE_VALUE:
    case CHECK_WAIT_VALUE:
        judge_side(checker, queue, op, work->word.address, 8, must);
        return;
    default:
        return;
    }
}

bool check_memory_gone(const struct checker *checker, uint64_t address, uint32_t op)
{
    const struct range_node *node = range_tree_from(&checker->allocations, address);
    if (!node || node->begin > address)
        return true;
    return ((const struct check_allocation *)node)->op > op;
}

static void free_tree(struct range_tree *tree)
{
    while (tree->root) {
        struct range_node *node = range_tree_remove(tree, tree->root->begin);
        free_allocation((struct check_allocation *)node);
    }
}

void check_memory_free(struct checker *checker)
{
    free_tree(&checker->allocations);
    free_tree(&checker->graves);
}
