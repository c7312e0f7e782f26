/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate/rows.h"

#include <math.h>
#include <stdlib.h>

/* Deviation in proportion to the length, in addition to the step of the clock: links and engines
 * are not clocks. */
#define RELATIVE_SIGMA 0.01
/* Clocks stray when so many tasks begin before the one before them has ended; that is half of them
 * where they stray far. */
#define STRAYED_LEAST 16
#define STRAYED_HALF  0.6745 /* of the usual deviation: half of all deviate less */

struct place {
    uint32_t op;
    uint8_t instant;
};
static const struct place nowhere = {CALIBRATE_NONE, 0};

/* A task that set a signal. */
struct setting {
    uint32_t signal;
    uint32_t op;
    uint64_t end_ns;
};

struct maker {
    const struct calibrate_work *work;
    struct calibrate_rows *out;
    double tick_ns;
    uint32_t *newest_of_queue;  /* op */
    uint32_t *newest_of_signal; /* op that sets it */
    uint32_t *calls_of_queue;   /* op that has not been taken */
    uint32_t *next_call;        /* by op: the next on its host-call queue */
    struct setting *settings;
    size_t setting_count;
};

static uint64_t at(const struct maker *maker, struct place place)
{
    return place.op == CALIBRATE_NONE ? REPLAY_UNKNOWN
                                      : maker->work->ops[place.op].times.at[place.instant];
}

/* The later of two, among those no later than `limit`. */
static struct place later(const struct maker *maker, struct place a, struct place b, uint64_t limit)
{
    uint64_t of_a = at(maker, a);
    uint64_t of_b = at(maker, b);
    if (of_b == REPLAY_UNKNOWN || of_b > limit)
        return a;
    return of_a == REPLAY_UNKNOWN || of_b > of_a ? b : a;
}

static double difference(uint64_t begin, uint64_t end)
{
    return end >= begin ? (double)(end - begin) : -(double)(begin - end);
}

/* Square of the length of the task that ends there. */
static double ended(const struct maker *maker, struct place place)
{
    uint64_t begin = at(maker, (struct place){place.op, REPLAY_TASK_BEGIN});
    uint64_t end = at(maker, place);
    if (place.instant != REPLAY_TASK_END || begin == REPLAY_UNKNOWN)
        return 0;
    double length = difference(begin, end);
    return length * length;
}

/* Noise may have moved an end after the beginning that follows it. Such lengths count as all do:
 * without them the others would be too long in the mean. */
static bool add_length(struct maker *maker, struct place from, struct place to)
{
    uint64_t begin = at(maker, from);
    uint64_t end = at(maker, to);
    if (begin == REPLAY_UNKNOWN || end == REPLAY_UNKNOWN)
        return true;
    bool stamped = maker->work->ops[from.op].stamped || maker->work->ops[to.op].stamped;
    return LIST_ADD(maker->out,
                    (struct calibrate_row){.from_op = from.op,
                                           .from = from.instant,
                                           .to_op = to.op,
                                           .to = to.instant,
                                           .measured = difference(begin, end),
                                           .ended_ns = sqrt(ended(maker, from) + ended(maker, to)),
                                           .sigma = stamped ? maker->tick_ns : 1.0});
}

static bool sets_signal(unsigned kind)
{
    return kind == TWIN_RECORD_WORK_RECORD || kind == TWIN_RECORD_WORK_COUNT;
}

static bool waits_for_signal(unsigned kind)
{
    return kind == TWIN_RECORD_WORK_WAIT || kind == TWIN_RECORD_WORK_WAIT_COUNT;
}

static int by_signal_and_end(const void *left, const void *right)
{
    const struct setting *a = left;
    const struct setting *b = right;
    return ORDER_2(a->signal, b->signal, a->end_ns, b->end_ns);
}

/* A signal may be set after the wait for it: all are noted first. */
static bool note_settings(struct maker *maker)
{
    const struct calibrate_work *work = maker->work;
    maker->settings = malloc((work->count + 1) * sizeof(*maker->settings));
    if (!maker->settings)
        return false;
    for (uint32_t i = 0; i < work->count; i++) {
        const struct calibrate_op *op = &work->ops[i];
        uint64_t end_ns = op->times.at[REPLAY_TASK_END];
        if (op->work && sets_signal(op->entry->kind) && end_ns != REPLAY_UNKNOWN)
            maker->settings[maker->setting_count++] =
                (struct setting){.signal = op->object, .op = i, .end_ns = end_ns};
    }
    qsort(maker->settings, maker->setting_count, sizeof(*maker->settings), by_signal_and_end);
    return true;
}

/* The op that had set the signal last at `limit`. */
static struct place setter(const struct maker *maker, uint32_t signal, uint64_t limit)
{
    const struct setting *settings = maker->settings;
    size_t low = PARTITION_POINT(maker->setting_count, i,
                                 settings[i].signal < signal ||
                                     (settings[i].signal == signal && settings[i].end_ns <= limit));
    if (low == 0 || settings[low - 1].signal != signal)
        return nowhere;
    return (struct place){settings[low - 1].op, REPLAY_TASK_END};
}

static bool add_task(struct maker *maker, uint32_t index)
{
    const struct calibrate_op *op = &maker->work->ops[index];
    const struct place begin = {index, REPLAY_TASK_BEGIN};
    const struct place end = {index, REPLAY_TASK_END};
    uint64_t begin_ns = at(maker, begin);
    uint64_t end_ns = at(maker, end);
    if (end_ns == REPLAY_UNKNOWN)
        return true;
    uint64_t first_ns = begin_ns == REPLAY_UNKNOWN ? end_ns : begin_ns;
    struct place from = {maker->newest_of_queue[op->queue], REPLAY_TASK_END};
    if (maker->work->one_clock)
        from = later(maker, from, (struct place){index, REPLAY_CALL_BEGIN}, first_ns);
    if (begin_ns != REPLAY_UNKNOWN) {
        if (!add_length(maker, from, begin))
            return false;
        from = begin;
    }
    if (waits_for_signal(op->entry->kind))
        from = later(maker, from, setter(maker, op->object, end_ns), end_ns);
    return add_length(maker, from, end);
}

/* What a sleeping caller waited for. */
static struct place awaited(struct maker *maker, const struct calibrate_op *op)
{
    uint32_t task = CALIBRATE_NONE;
    switch (op->entry->kind) {
    case TWIN_RECORD_QUEUE_DRAIN:
        task = maker->newest_of_queue[op->queue];
        break;
    case TWIN_RECORD_SIGNAL_WAIT:
        task = maker->newest_of_signal[op->object];
        break;
    case TWIN_RECORD_CALL_QUEUE_TAKE:
        task = maker->calls_of_queue[op->object];
        if (task != CALIBRATE_NONE)
            maker->calls_of_queue[op->object] = maker->next_call[task];
        return (struct place){task, REPLAY_TASK_BEGIN};
    default:
        break;
    }
    return (struct place){task, REPLAY_TASK_END};
}

static bool add_sleep(struct maker *maker, uint32_t index)
{
    const struct calibrate_op *op = &maker->work->ops[index];
    const struct place begin = {index, REPLAY_CALL_BEGIN};
    const struct place end = {index, REPLAY_CALL_END};
    struct place from = awaited(maker, op);
    if (op->entry->kind >= TWIN_RECORD_MEMORY_COPY &&
        op->entry->kind <= TWIN_RECORD_MEMORY_COPY_ROWS)
        return add_length(maker, begin, end);
    /* a task that was over before is seen without sleeping */
    if (!maker->work->one_clock || at(maker, from) == REPLAY_UNKNOWN ||
        (op->entry->kind != TWIN_RECORD_CALL_QUEUE_TAKE && at(maker, from) <= at(maker, begin)))
        return true;
    return add_length(maker, later(maker, from, begin, at(maker, end)), end);
}

static void note(struct maker *maker, uint32_t index)
{
    const struct calibrate_op *op = &maker->work->ops[index];
    if (!op->work)
        return;
    maker->newest_of_queue[op->queue] = index;
    if (sets_signal(op->entry->kind))
        maker->newest_of_signal[op->object] = index;
    if (op->entry->kind == TWIN_RECORD_WORK_CALL) {
        uint32_t *last = &maker->calls_of_queue[op->object];
        while (*last != CALIBRATE_NONE)
            last = &maker->next_call[*last];
        *last = index;
    }
}

static bool fill(struct maker *maker)
{
    const struct calibrate_work *work = maker->work;
    for (uint32_t i = 0; i < work->count; i++) {
        const struct calibrate_op *op = &work->ops[i];
        if (op->work && !add_task(maker, i))
            return false;
        if (op->blocks && !add_sleep(maker, i))
            return false;
        note(maker, i);
    }
    for (size_t i = 0; i < work->cost_count; i++) {
        const struct calibrate_cost *cost = &work->costs[i];
        const struct calibrate_row row = {.from_op = CALIBRATE_NONE,
                                          .to_op = CALIBRATE_NONE,
                                          .cost = (uint8_t)cost->cost,
                                          .measured = (double)cost->ns,
                                          .sigma = 1.0};
        if (cost->cost < TWIN_COST_COUNT && !LIST_ADD(maker->out, row))
            return false;
    }
    return true;
}

/* ---- what was under way at once -------------------------------------------------------------- */

struct span {
    uint64_t begin, end;
    uint32_t queue;
    struct calibrate_row *row;
};

static int by_begin(const void *left, const void *right)
{
    const struct span *a = left;
    const struct span *b = right;
    return ORDER(a->begin, b->begin);
}

/* The last two ends (or first two beginnings) seen so far, of different queues. */
struct edges {
    uint64_t at[2];
    uint32_t queue[2];
};

static void keep_edge(struct edges *edges, uint32_t queue, uint64_t at, bool last)
{
    size_t worse = queue == edges->queue[0] ? 0 : 1;
    if (last ? at <= edges->at[worse] : at >= edges->at[worse])
        return;
    edges->at[worse] = at;
    edges->queue[worse] = queue;
    if (worse == 1 && (last ? at > edges->at[0] : at < edges->at[0]))
        *edges = (struct edges){{at, edges->at[0]}, {queue, edges->queue[0]}};
}

static uint64_t edge_of_others(const struct edges *edges, uint32_t queue)
{
    return edges->at[edges->queue[0] == queue ? 1 : 0];
}

/* Lengths of tasks beside which no other queue had anything under way: nothing competes, so they
 * are plain sums of steps. What a caller sleeps counts as alone. */
static bool find_alone(const struct calibrate_work *work, struct calibrate_rows *rows)
{
    struct span *spans = malloc((rows->count + 1) * sizeof(*spans));
    if (!spans)
        return false;
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        struct calibrate_row *row = &rows->items[i];
        row->alone = true;
        if (row->from_op == CALIBRATE_NONE || !work->ops[row->to_op].work)
            continue;
        spans[count++] = (struct span){.begin = work->ops[row->from_op].times.at[row->from],
                                       .end = work->ops[row->to_op].times.at[row->to],
                                       .queue = work->ops[row->to_op].queue,
                                       .row = row};
    }
    qsort(spans, count, sizeof(*spans), by_begin);
    struct edges ends = {{0, 0}, {0, 0}}; /* no queue has number 0 */
    for (size_t i = 0; i < count; i++) {
        if (edge_of_others(&ends, spans[i].queue) > spans[i].begin)
            spans[i].row->alone = false;
        keep_edge(&ends, spans[i].queue, spans[i].end, true);
    }
    struct edges begins = {{UINT64_MAX, UINT64_MAX}, {0, 0}};
    for (size_t i = count; i-- > 0;) {
        if (edge_of_others(&begins, spans[i].queue) < spans[i].end)
            spans[i].row->alone = false;
        keep_edge(&begins, spans[i].queue, spans[i].begin, false);
    }
    free(spans);
    return true;
}

/* A device may report ends in coarser steps than its counter has. */
static double tick_of(const struct calibrate_work *work, double tick_ns)
{
    bool any = false;
    for (size_t i = 0; i < work->count; i++) {
        const struct calibrate_op *op = &work->ops[i];
        uint64_t end_ns = op->times.at[REPLAY_TASK_END];
        if (!op->stamped || end_ns == REPLAY_UNKNOWN)
            continue;
        any = true;
        if (end_ns % 1000 != 0)
            return tick_ns;
    }
    return any && tick_ns < 1000 ? 1000 : tick_ns;
}

static int by_size(const void *left, const void *right)
{
    const double *a = left;
    const double *b = right;
    return ORDER(*a, *b);
}

double calibrate_median(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), by_size);
    return count > 0 ? values[count / 2] : 0;
}

/* How far clocks stray, as a part of what they measure. No task begins before the one before it has
 * ended: where a recording says so, clocks have strayed as far at least, and next to no farther
 * where that one was long. */
static bool find_stray(const struct calibrate_rows *rows, double *out)
{
    double *parts = malloc((rows->count + 1) * sizeof(*parts));
    size_t count = 0;
    if (!parts)
        return false;
    for (size_t i = 0; i < rows->count; i++)
        if (rows->items[i].measured < 0 && rows->items[i].ended_ns > 0)
            parts[count++] = -rows->items[i].measured / rows->items[i].ended_ns;
    *out = count >= STRAYED_LEAST ? calibrate_median(parts, count) / STRAYED_HALF : 0;
    free(parts);
    return true;
}

/* An instant that a clock shows after a long task is off by a part of that, however short the
 * length is that begins there. */
static void set_sigmas(struct calibrate_rows *rows, double stray)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct calibrate_row *row = &rows->items[i];
        row->sigma =
            hypot(hypot(row->sigma, RELATIVE_SIGMA * row->measured), stray * row->ended_ns);
    }
}

static uint32_t *none_of(size_t count)
{
    uint32_t *items = malloc(count * sizeof(*items));
    for (size_t i = 0; items && i < count; i++)
        items[i] = CALIBRATE_NONE;
    return items;
}

bool calibrate_rows_make(const struct calibrate_work *work, double tick_ns,
                         struct calibrate_rows *out)
{
    struct maker maker = {.work = work,
                          .out = out,
                          .tick_ns = tick_of(work, tick_ns),
                          .newest_of_queue = none_of((size_t)work->queues + 1),
                          .newest_of_signal = none_of((size_t)work->signals + 1),
                          .calls_of_queue = none_of((size_t)work->call_queues + 1),
                          .next_call = none_of(work->count + 1)};
    double stray = 0;
    bool good = maker.newest_of_queue && maker.newest_of_signal && maker.calls_of_queue &&
                maker.next_call && note_settings(&maker) && fill(&maker) && find_alone(work, out) &&
                find_stray(out, &stray);
    if (good)
        set_sigmas(out, stray);
    free(maker.newest_of_queue);
    free(maker.newest_of_signal);
    free(maker.calls_of_queue);
    free(maker.next_call);
    free(maker.settings);
    return good;
}

void calibrate_rows_free(struct calibrate_rows *rows)
{
    free(rows->items);
    *rows = (struct calibrate_rows){0};
}

double calibrate_row_value(const struct calibrate_row *row, const struct replay_times *times,
                           const double cost_ns[TWIN_COST_COUNT])
{
    if (row->from_op == CALIBRATE_NONE)
        return cost_ns[row->cost];
    uint64_t begin = times[row->from_op].at[row->from];
    uint64_t end = times[row->to_op].at[row->to];
    if (begin == REPLAY_UNKNOWN || end == REPLAY_UNKNOWN)
        return NAN;
    return difference(begin, end);
}
