/* SPDX-License-Identifier: Apache-2.0 */
/* What the host has seen done, and since when. Host threads are taken as one: what one of them
 * knows, all that begins later comes after, for the program's own locks need not be in a recording;
 * hosts.c looks at each. */
#include "check/state.h"

uint32_t check_known_at(const struct checker *checker, uint32_t clock_index, uint64_t seq)
{
    if (clock_index >= checker->clock_slots.count)
        return 0;
    const struct check_clock_slot *at = &checker->clock_slots.items[clock_index];
    size_t count = at->known.count;
    if (count > 0 && at->known.items[count - 1].seq < seq)
        return at->known.items[count - 1].count;
    size_t low = PARTITION_POINT(count, i, at->known.items[i].seq < seq);
    return low > 0 ? at->known.items[low - 1].count : 0;
}

uint32_t check_submitted_by(const struct checker *checker, const struct check_queue *queue,
                            uint64_t seq)
{
    const twin_op *ops = checker->ops.items;
    const uint32_t *work = queue->work.items;
    const uint32_t count = queue->submitted - queue->first;
    /* mostly all of it */
    if (count > 0 && ops[work[count - 1]].end_seq < seq)
        return queue->submitted;
    return queue->first + (uint32_t)PARTITION_POINT(count, i, ops[work[i]].end_seq < seq);
}

static void raise_known(struct checker *checker, uint32_t clock_index, uint32_t count, uint32_t op)
{
    struct check_clock_slot *at = &checker->clock_slots.items[clock_index];
    if (at->known.count > 0 && at->known.items[at->known.count - 1].count >= count)
        return;
    if (count > 0)
        CHECK_ADD(checker, &at->known,
                  (struct check_known){
                      .seq = check_order_key(&checker->ops.items[op]), .count = count, .op = op});
}

static void raise_all(struct checker *checker, const struct check_clock *clock, uint32_t op)
{
    for (uint32_t clock_index = 0; clock && clock_index < clock->size; clock_index++)
        if (clock->count[clock_index] > 0)
            raise_known(checker, clock_index, clock->count[clock_index], op);
}

void check_fog(struct checker *checker, uint32_t op)
{
    CHECK_ADD(checker, &checker->fogs, check_order_key(&checker->ops.items[op]));
}

bool check_fog_between(const struct checker *checker, uint64_t after, uint64_t before)
{
    size_t low = PARTITION_POINT(checker->fogs.count, i, checker->fogs.items[i] < before);
    return low > 0 && checker->fogs.items[low - 1] > after;
}

void check_queue_seen(struct checker *checker, struct check_queue *queue, uint32_t number,
                      uint32_t op)
{
    if (number <= queue->first)
        return;
    if (number > queue->carried)
        check_force(checker, queue, number, op);
    raise_known(checker, queue->clock_index, number, op);
    check_host_saw_queue(checker, queue, number, op);
    if (number < queue->carried) {
        /* what lay before exactly that many is not kept; the host learned no more than all of it */
        check_fog(checker, op);
        return;
    }
    raise_all(checker, queue->clock, op);
    if (queue->order_unknown)
        check_fog(checker, op);
    queue->order_unknown = queue->unsure = false;
}

void check_mark_seen(struct checker *checker, uint32_t number, uint32_t op)
{
    if (checker->marks.items[number].op == CHECK_NONE)
        return;
    if (!checker->marks.items[number].done)
        check_force(checker, checker->marks.items[number].queue,
                    checker->marks.items[number].number, op);
    const struct check_mark *mark = &checker->marks.items[number];
    raise_known(checker, mark->clock_index, mark->number, op);
    check_host_saw_mark(checker, mark, op);
    raise_all(checker, mark->clock, op);
    if (mark->order_unknown)
        check_fog(checker, op);
}
