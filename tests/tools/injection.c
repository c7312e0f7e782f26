/* SPDX-License-Identifier: Apache-2.0 */
#include "injection.h"

#include <stdlib.h>
#include <string.h>

twin_op *ops;
size_t count;
size_t *bound;
size_t *previous;
bool *is_default_queue;
uint32_t *signal_kinds;
uint32_t *signals;
static uint32_t highest;

bool accepted(const twin_op *op)
{
    return twin_op_is_work(op->kind) && op->status == TWIN_OK && op->end_seq != 0;
}

bool timed(size_t at)
{
    return at != NOWHERE && ops[at].timed && ops[at].task_begin_ns != 0;
}

bool observes(const twin_op *op)
{
    switch (op->kind) {
    case TWIN_OP_DRAIN:
    case TWIN_OP_SIGNAL_WAIT:
        return op->status == TWIN_OK;
    case TWIN_OP_QUEUE_QUERY:
    case TWIN_OP_SIGNAL_QUERY:
        return op->status == TWIN_OK && op->positive;
    default:
        return false;
    }
}

/* By the order of submission: an event's wait to the newest record, a notify's n-th to the n-th, a
 * flag's to the first since the reset, or else to the next. */
static size_t binding(size_t wait)
{
    uint32_t signal = signals[ops[wait].object];
    size_t found = NOWHERE;
    uint32_t kind = signal_kinds[signal];
    uint64_t turn = 0;
    for (size_t i = 0; i < wait; i++) {
        if (!accepted(&ops[i]) || signals[ops[i].object] != signal)
            continue;
        if (ops[i].kind == TWIN_OP_RECORD && (kind == TWIN_SIGNAL_EVENT_REBIND || found == NOWHERE))
            found = i;
        if (ops[i].kind == TWIN_OP_RESET)
            found = NOWHERE;
        turn += ops[i].kind == TWIN_OP_WAIT;
    }
    if (kind == TWIN_SIGNAL_EVENT_REBIND)
        return found;
    if (kind == TWIN_SIGNAL_EVENT_LEVEL && found != NOWHERE)
        return found;
    for (size_t i = kind == TWIN_SIGNAL_EVENT_LEVEL ? wait : 0; i < count; i++) {
        if (!accepted(&ops[i]) || signals[ops[i].object] != signal || ops[i].kind != TWIN_OP_RECORD)
            continue;
        if (kind == TWIN_SIGNAL_EVENT_LEVEL || turn-- == 0)
            return i;
    }
    return NOWHERE;
}

/* Numbers of signals that were opened under a name of this program's own. */
static void find_signals(void)
{
    signal_kinds = calloc(highest + 1, sizeof(*signal_kinds));
    signals = calloc(highest + 1, sizeof(*signals));
    for (uint32_t i = 0; i <= highest; i++)
        signals[i] = i;
    for (size_t i = 0; i < count; i++) {
        bool opened = ops[i].kind == TWIN_OP_SIGNAL_OPEN;
        if (ops[i].kind == TWIN_OP_SIGNAL_CREATE || opened)
            signal_kinds[ops[i].object] = ops[i].config.signal_kind;
        for (size_t k = 0; opened && k < i; k++)
            if (ops[k].kind == TWIN_OP_SIGNAL_SHARE && ops[k].config.share == ops[i].config.share)
                signals[ops[i].object] = ops[k].object;
    }
}

void look_at(const struct twin_ops *loaded)
{
    count = loaded->count;
    ops = realloc(ops, (count + 1) * sizeof(*ops));
    bound = realloc(bound, (count + 1) * sizeof(*bound));
    previous = realloc(previous, (count + 1) * sizeof(*previous));
    memcpy(ops, loaded->list, count * sizeof(*ops));
    highest = 1;
    for (size_t i = 0; i < count; i++) {
        highest = ops[i].queue > highest ? ops[i].queue : highest;
        highest = ops[i].object > highest ? ops[i].object : highest;
    }
    free(is_default_queue);
    free(signal_kinds);
    free(signals);
    is_default_queue = calloc(highest + 1, sizeof(*is_default_queue));
    find_signals();
    size_t *last = malloc((highest + 1) * sizeof(*last));
    for (uint32_t i = 0; i <= highest; i++)
        last[i] = NOWHERE;
    for (size_t i = 0; i < count; i++) {
        bound[i] = previous[i] = NOWHERE;
        if (ops[i].kind == TWIN_OP_QUEUE_CREATE)
            is_default_queue[ops[i].queue] = ops[i].config.is_default;
        if (!accepted(&ops[i]))
            continue;
        previous[i] = last[ops[i].queue];
        last[ops[i].queue] = i;
        if (ops[i].kind == TWIN_OP_WAIT)
            bound[i] = binding(i);
    }
    free(last);
}

bool is_event_wait(size_t at)
{
    return accepted(&ops[at]) && ops[at].kind == TWIN_OP_WAIT && bound[at] != NOWHERE &&
           signal_kinds[ops[at].object] == TWIN_SIGNAL_EVENT_REBIND &&
           ops[bound[at]].queue != ops[at].queue;
}

size_t blocked_at(size_t at)
{
    size_t found = NOWHERE;
    for (size_t i = 0; i < count && ops[i].begin_seq < ops[at].end_seq; i++) {
        if (!accepted(&ops[i]) || ops[i].kind != TWIN_OP_WAIT ||
            signal_kinds[ops[i].object] != TWIN_SIGNAL_NOTIFY ||
            (bound[i] != NOWHERE && ops[bound[i]].begin_seq < ops[at].end_seq))
            continue;
        if (found != NOWHERE)
            return NOWHERE;
        found = i;
    }
    return found;
}

bool ended_before(size_t first, size_t second)
{
    return ops[first].end_seq != 0 && ops[first].end_seq < ops[second].begin_seq;
}

size_t last_work(size_t at)
{
    for (size_t i = at; i-- > 0;)
        if (accepted(&ops[i]) && ops[i].queue == ops[at].queue)
            return ended_before(i, at) ? i : NOWHERE;
    return NOWHERE;
}

bool drained(size_t work, size_t at)
{
    for (size_t i = work + 1; i < at; i++)
        if (ops[i].kind == TWIN_OP_DRAIN && ops[i].status == TWIN_OK &&
            ops[i].queue == ops[work].queue && ended_before(work, i) && ended_before(i, at))
            return true;
    return false;
}

bool observed_between(size_t after, size_t before)
{
    for (size_t i = after + 1; i < before; i++)
        if (observes(&ops[i]))
            return true;
    return false;
}

bool count_open(size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (accepted(&ops[i]) && ops[i].kind == TWIN_OP_WAIT_COUNT && !drained(i, at))
            return true;
    return false;
}

unsigned waiters(size_t record, size_t at)
{
    unsigned found = 0;
    for (size_t i = record; i < count && ops[i].begin_seq < ops[at].end_seq; i++)
        found += accepted(&ops[i]) && ops[i].kind == TWIN_OP_WAIT && bound[i] == record;
    return found;
}

void look_no_more(void)
{
    free(ops);
    free(bound);
    free(previous);
    free(is_default_queue);
    free(signal_kinds);
    free(signals);
}
