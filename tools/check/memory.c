/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations: where work may go, and who still names what is freed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check/state.h"

/* What an allocation may be used for past what was asked: it is given in pages. */
#define PAGE UINT64_C(4096)

static void free_allocation(struct check_allocation *allocation)
{
    HASH_FREE_ALL(allocation->uses);
    free(allocation);
}

/* Graves are where nothing is allocated. */
static void clear_graves(struct checker *checker, uint64_t begin, uint64_t end)
{
    struct check_allocation *grave;
    while ((grave = interval_map_take(&checker->graves, begin, end)) != NULL)
        free_allocation(grave);
}

static uint64_t room_of(uint64_t begin, uint64_t bytes)
{
    uint64_t end = begin + bytes;
    uint64_t rounded = (end + PAGE - 1) & ~(PAGE - 1);
    return end < begin ? UINT64_MAX : rounded < end ? end : rounded;
}

/* What was freed in stream order has no end of its own: others are where it was. */
static void drop_returned(struct checker *checker, uint64_t begin, uint64_t end)
{
    struct check_allocation *one = interval_map_at(&checker->allocations, begin);
    if (!one)
        one = interval_map_from(&checker->allocations, begin);
    while (one && one->range.begin < end) {
        struct check_allocation *next = interval_map_from(&checker->allocations, one->range.end);
        if (one->returned_by != CHECK_NONE)
            free_allocation(interval_map_remove(&checker->allocations, one->range.begin));
        one = next;
    }
}

void check_memory_alloc(struct checker *checker, uint32_t op)
{
    const twin_op *made = &checker->ops.items[op];
    if (!twin_op_succeeded(made) || made->bytes == 0)
        return;
    uint64_t end = room_of(made->dst, made->bytes);
    clear_graves(checker, made->dst, end);
    drop_returned(checker, made->dst, end);
    struct check_allocation *other = interval_map_at(&checker->allocations, made->dst);
    /* rounded up too far, or its end was not seen */
    if (other && other->range.begin < made->dst && other->range.begin + other->bytes <= made->dst)
        other->range.end = made->dst;
    else if (other)
        free_allocation(interval_map_remove(&checker->allocations, other->range.begin));
    other = interval_map_from(&checker->allocations, made->dst);
    if (other && other->range.begin < end)
        end = other->range.begin;
    struct check_allocation *allocation = calloc(1, sizeof(*allocation));
    if (!allocation) {
        checker->short_of_memory = true;
        return;
    }
    *allocation =
        (struct check_allocation){.range = {.begin = made->dst, .end = end},
                                  .bytes = made->bytes,
                                  .op = op,
                                  .device = made->device,
                                  .freed_by = CHECK_NONE,
                                  .returned_by = CHECK_NONE,
                                  .host = made->kind == TWIN_OP_HOST_ALLOC,
                                  .image = made->kind == TWIN_OP_IMAGE_LOAD ? made->object : 0};
    interval_map_add(&checker->allocations, &allocation->range);
}

void check_memory_take(struct checker *checker, const struct check_queue *queue, uint32_t op)
{
    twin_op *made = &checker->ops.items[op];
    made->device = queue->device;
    /* What came before is the pool's to order. */
    check_access_forget(checker, made->dst, made->dst + made->bytes);
    check_memory_alloc(checker, op);
}

void check_memory_image(struct checker *checker, uint32_t op)
{
    const twin_op *made = &checker->ops.items[op];
    if (!twin_op_succeeded(made) || made->dst == 0)
        return;
    if (made->bytes == 0)
        checker->hidden_memory = true;
    check_memory_alloc(checker, op);
}

/* The task was seen done, or it is not known; was that before the free on any run? */
static void judge_thread(struct checker *checker, const struct check_allocation *allocation,
                         const struct check_use *use, uint32_t op)
{
    const twin_op *end = &checker->ops.items[op];
    if (!checker->facts.threads_apart ||
        check_known_at(checker, use->clock_index, end->begin_seq) < use->number)
        return;
    checker->judged[CHECK_RACE_05]++;
    if (!check_host_knew(checker, op, use->clock_index, use->number))
        check_find(checker, CHECK_RACE_05, use->op, op,
                   "%s memory at 0x%" PRIx64 " was freed by a thread that did not know this task "
                   "complete and is not ordered after one that did",
                   allocation->host ? "host" : "device", allocation->range.begin);
}

static void judge_users(struct checker *checker, const struct check_allocation *allocation,
                        uint32_t op)
{
    const twin_op *end = &checker->ops.items[op];
    for (const struct check_use *use = allocation->uses; use; use = use->hh.next) {
        const struct check_queue *queue = checker->clock_slots.items[use->clock_index].queue;
        checker->judged[CHECK_LIFE_01]++;
        if (check_known_at(checker, use->clock_index, end->begin_seq) >= use->number ||
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
    struct interval *range = &allocation->range;
    interval_map_remove(&checker->allocations, range->begin);
    check_access_forget(checker, range->begin, range->end);
    clear_graves(checker, range->begin, range->end);
    HASH_FREE_ALL(allocation->uses);
    allocation->freed_by = op;
    interval_map_add(&checker->graves, range);
}

void check_memory_release(struct checker *checker, uint32_t op)
{
    const twin_op *end = &checker->ops.items[op];
    uint64_t address = end->dst;
    checker->judged[CHECK_LIFE_04]++;
    struct check_allocation *allocation = interval_map_at(&checker->allocations, address);
    if (!allocation || allocation->range.begin != address) {
        const struct check_allocation *grave = interval_map_at(&checker->graves, address);
        bool twice = grave && grave->range.begin == address;
        if (end->end_seq != 0)
            check_find(checker, CHECK_LIFE_04, twice ? grave->freed_by : CHECK_NONE, op,
                       twice ? "0x%" PRIx64 " was freed before"
                             : "nothing was allocated at 0x%" PRIx64,
                       address);
        return;
    }
    if (!twin_op_succeeded(end) || allocation->host != (end->kind == TWIN_OP_HOST_FREE))
        return;
    judge_users(checker, allocation, op);
    bury(checker, allocation, op);
}

void check_memory_return(struct checker *checker, const struct check_queue *queue, uint32_t op)
{
    twin_op *end = &checker->ops.items[op];
    struct check_allocation *allocation = interval_map_at(&checker->allocations, end->dst);
    checker->judged[CHECK_LIFE_04]++;
    if (!allocation || allocation->range.begin != end->dst) {
        check_find(checker, CHECK_LIFE_04, CHECK_NONE, op, "nothing was allocated at 0x%" PRIx64,
                   end->dst);
        return;
    }
    end->bytes = allocation->bytes;
    allocation->returned_by = op;
    allocation->returned_clock_index = queue->clock_index;
    allocation->returned_number = queue->submitted + 1;
}

/* Whether work that is about to be queued, or without a queue a call of the host, comes after the
 * allocation was freed in stream order. */
static bool is_after_return(const struct checker *checker,
                            const struct check_allocation *allocation,
                            const struct check_queue *queue, uint32_t op)
{
    const uint32_t clock_index = allocation->returned_clock_index;
    const uint32_t number = allocation->returned_number;
    if (allocation->returned_by == CHECK_NONE || allocation->returned_by == op)
        return false;
    return (queue &&
            (queue->clock_index == clock_index || clock_at(queue->clock, clock_index) >= number)) ||
           check_known_at(checker, clock_index, checker->ops.items[op].begin_seq) >= number;
}

static struct check_allocation *next_allocation(const struct checker *checker,
                                                const struct check_allocation *allocation)
{
    return interval_map_from(&checker->allocations, allocation ? allocation->range.end : 0);
}

/* Images are few. */
void check_memory_unload(struct checker *checker, uint32_t op)
{
    struct check_allocation *image = next_allocation(checker, NULL);
    while (image && image->image != checker->ops.items[op].object)
        image = next_allocation(checker, image);
    if (!image || checker->ops.items[op].object == 0)
        return;
    judge_users(checker, image, op);
    bury(checker, image, op);
}

void check_memory_close(struct checker *checker, uint32_t op)
{
    struct check_allocation *allocation = next_allocation(checker, NULL);
    while (allocation) {
        struct check_allocation *next = next_allocation(checker, allocation);
        if (!allocation->host && allocation->device == checker->ops.items[op].device)
            bury(checker, allocation, op);
        allocation = next;
    }
}

static void note_use(struct checker *checker, struct check_allocation *allocation,
                     const struct check_queue *queue, uint32_t op)
{
    struct check_use *use = NULL;
    HASH_ENSURE(allocation->uses, clock_index, queue->clock_index, use);
    if (!use) {
        checker->short_of_memory = true;
        return;
    }
    use->number = queue->submitted + 1; /* this piece of work, which is about to be queued */
    use->op = op;
}

/* One side. `must`: it cannot be memory of the program's own. */
static void judge_side(struct checker *checker, const struct check_queue *queue, uint32_t op,
                       uint64_t begin, uint64_t bytes, bool must)
{
    uint64_t end = begin + bytes;
    struct check_allocation *allocation = interval_map_at(&checker->allocations, begin);
    checker->judged[CHECK_LIFE_02]++;
    checker->judged[CHECK_LIFE_03]++;
    if (allocation) {
        if (end > allocation->range.end || end < begin)
            check_find(checker, CHECK_LIFE_02, allocation->op, op,
                       "0x%" PRIx64 " + %" PRIu64 " bytes leaves the allocation of %" PRIu64
                       " bytes at 0x%" PRIx64,
                       begin, bytes, allocation->bytes, allocation->range.begin);
        if (is_after_return(checker, allocation, queue, op))
            check_find(checker, CHECK_LIFE_03, allocation->returned_by, op,
                       "0x%" PRIx64 " is in memory that was freed in stream order before", begin);
        if (queue && !queue->deferred)
            note_use(checker, allocation, queue, op);
        return;
    }
    const struct check_allocation *grave = interval_map_at(&checker->graves, begin);
    if (grave && (must || !grave->host))
        check_find(checker, CHECK_LIFE_03, grave->freed_by, op,
                   "0x%" PRIx64 " is in memory that was freed", begin);
    else if (must && !checker->hidden_memory)
        check_find(checker, CHECK_LIFE_02, CHECK_NONE, op, "0x%" PRIx64 " is not in an allocation",
                   begin);
}

static uint64_t span_of(const twin_op *op, uint64_t pitch)
{
    return op->height == 0 ? 0 : (op->height - 1) * pitch + op->bytes;
}

void check_memory_use(struct checker *checker, const struct check_queue *queue, uint32_t op)
{
    const twin_op *work = &checker->ops.items[op];
    bool must = queue != NULL;
    switch (work->kind) {
    case TWIN_OP_COPY:
    case TWIN_OP_NOW_COPY:
    case TWIN_OP_REDUCE:
        judge_side(checker, queue, op, work->src, work->bytes, must);
        judge_side(checker, queue, op, work->dst, work->bytes, must);
        return;
    case TWIN_OP_FILL:
    case TWIN_OP_MAINTAIN:
    case TWIN_OP_NOW_FILL:
    case TWIN_OP_RANDOM:
        judge_side(checker, queue, op, work->dst, work->bytes, must);
        return;
    case TWIN_OP_COPY_ROWS:
    case TWIN_OP_NOW_ROWS:
        judge_side(checker, queue, op, work->src, span_of(work, work->src_pitch), must);
        judge_side(checker, queue, op, work->dst, span_of(work, work->dst_pitch), must);
        return;
    case TWIN_OP_COPY_BASED:
        judge_side(checker, queue, op, work->src, 8, must);
        judge_side(checker, queue, op, work->dst, 8, must);
        return;
    case TWIN_OP_DESCRIBED:
        judge_side(checker, queue, op, work->dst, TWIN_DESCRIPTOR_BYTES, must);
        return;
    case TWIN_OP_WRITE_VALUE:
    case TWIN_OP_WAIT_VALUE:
        judge_side(checker, queue, op, work->word.address, 8, must);
        return;
    default:
        return;
    }
}

bool check_memory_gone(const struct checker *checker, uint64_t address, uint32_t op)
{
    const struct check_allocation *allocation = interval_map_at(&checker->allocations, address);
    return !allocation || allocation->op > op;
}

static void free_map(struct interval_map *map)
{
    while (map->root)
        free_allocation(interval_map_remove(map, map->root->begin));
}

void check_memory_free(struct checker *checker)
{
    free_map(&checker->allocations);
    free_map(&checker->graves);
}
