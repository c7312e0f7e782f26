/* SPDX-License-Identifier: Apache-2.0 */
/* Who touched which bytes last, and whether the next one comes after. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check/state.h"

#define ROWS_MOST UINT64_C(65536) /* of one copy; more are left unjudged */

/* What touches bytes now. */
struct toucher {
    const struct check_queue *queue; /* NULL: the host */
    uint32_t number;
    uint32_t op;
    uint64_t seq; /* what the host had seen then comes before it */
    bool writes;
};

static struct check_access access_of(const struct toucher *now)
{
    return (struct check_access){.clock_index = now->queue ? now->queue->clock_index : CHECK_NONE,
                                 .number = now->number,
                                 .op = now->op,
                                 .seq = now->seq};
}

static bool ordered(const struct checker *checker, const struct check_access *before,
                    const struct toucher *now)
{
    return (now->queue && (before->clock_index == now->queue->clock_index ||
                           before->number <= clock_at(now->queue->clock, before->clock_index))) ||
           before->number <= check_known_at(checker, before->clock_index, now->seq);
}

/* Whether that holds on any run: what the one thread knew has reached the other. */
static bool ordered_by_threads(const struct checker *checker, const struct check_access *before,
                               const struct toucher *now)
{
    if (!checker->facts.threads_apart || before->op == CHECK_NONE)
        return true;
    if (!now->queue)
        return before->clock_index == CHECK_NONE
                   ? check_host_ordered(checker, before->op, now->op)
                   : check_host_knew(checker, now->op, before->clock_index, before->number);
    if (before->clock_index ==
        now->queue->clock_index) /* in the order of submission, whatever that is */
        return check_host_ordered(checker, before->op, now->op) ||
               check_host_knew(checker, now->op, before->clock_index, before->number);
    return check_host_is_earlier(checker, now->queue->earlier, before->clock_index, before->number,
                                 before->op);
}

/* Whether the host learned between the two what the recording does not have: then either may come
 * first. */
static bool unknown(const struct checker *checker, const struct check_access *before,
                    const struct toucher *now)
{
    return check_fog_between(checker, checker->ops.items[before->op].end_seq, now->seq) ||
           check_fog_between(checker, checker->ops.items[now->op].end_seq, before->seq);
}

/* Two that set a word to the same value: it does not matter which comes first. */
static bool same_value(const struct checker *checker, uint32_t first, uint32_t second)
{
    const twin_op *a = &checker->ops.items[first];
    const twin_op *b = &checker->ops.items[second];
    return a->kind == TWIN_OP_WRITE_VALUE && b->kind == TWIN_OP_WRITE_VALUE &&
           a->word.value == b->word.value;
}

static void find_race(struct checker *checker, check_rule rule, const struct check_access *before,
                      const struct toucher *now, const struct interval *bytes, bool wrote)
{
    check_find(checker, rule, before->op, now->op,
               "both touch the bytes 0x%" PRIx64 " to 0x%" PRIx64
               ", the first op %s and the second %s them, and %s",
               bytes->begin, bytes->end - 1, wrote ? "writes" : "reads",
               now->writes ? "writes" : "reads",
               rule == CHECK_RACE_05 ? "no synchronization that was seen orders the two threads"
                                     : "nothing orders the two");
}

static void judge_threads(struct checker *checker, const struct check_access *before,
                          const struct toucher *now, const struct interval *bytes, bool wrote)
{
    if (!checker->facts.threads_apart || unknown(checker, before, now))
        return;
    checker->judged[CHECK_RACE_05]++;
    if (!ordered_by_threads(checker, before, now))
        find_race(checker, CHECK_RACE_05, before, now, bytes, wrote);
}

static void judge(struct checker *checker, const struct check_access *before,
                  const struct toucher *now, const struct interval *bytes, bool wrote)
{
    if (before->op == CHECK_NONE || same_value(checker, before->op, now->op) ||
        check_runs_exclude(checker, before->op, now->op))
        return;
    const bool by_host = before->clock_index == CHECK_NONE;
    const bool known = by_host || ordered(checker, before, now);
    if (known)
        judge_threads(checker, before, now, bytes, wrote);
    if (by_host)
        return;
    check_rule rule = !now->queue            ? CHECK_RACE_04
                      : wrote && now->writes ? CHECK_RACE_01
                      : wrote                ? CHECK_RACE_02
                                             : CHECK_RACE_03;
    if (!known && unknown(checker, before, now)) {
        checker->unjudged_work++;
        return;
    }
    checker->judged[rule]++;
    if (!known)
        find_race(checker, rule, before, now, bytes, wrote);
}

/* ---- spans ---- */

static struct check_span *new_span(struct checker *checker, uint64_t begin, uint64_t end)
{
    struct check_span *span = checker->free_spans;
    if (span)
        checker->free_spans = (struct check_span *)span->range.left;
    else
        span = malloc(sizeof(*span));
    if (!span) {
        checker->short_of_memory = true;
        return NULL;
    }
    memset(span, 0, sizeof(*span));
    span->range.begin = begin;
    span->range.end = end;
    span->write.clock_index = span->write.op = CHECK_NONE;
    return span;
}

static void drop_span(struct checker *checker, struct check_span *span)
{
    free(span->reads);
    span->reads = NULL;
    span->range.left = (struct interval *)checker->free_spans;
    checker->free_spans = span;
}

static struct check_access *reads_of(struct check_span *span)
{
    return span->read_room > 0 ? span->reads : &span->one;
}

/* Cuts a span in two at `address`, which is inside. Returns the upper part. */
static struct check_span *split(struct checker *checker, struct check_span *span, uint64_t address)
{
    struct check_span *upper = new_span(checker, address, span->range.end);
    if (!upper)
        return NULL;
    upper->write = span->write;
    upper->one = span->one;
    upper->read_count = span->read_count;
    if (span->read_room > 0) {
        upper->reads = malloc(span->read_count * sizeof(*upper->reads));
        if (!upper->reads) {
            checker->short_of_memory = true;
            drop_span(checker, upper);
            return NULL;
        }
        memcpy(upper->reads, span->reads, span->read_count * sizeof(*upper->reads));
        upper->read_room = span->read_count;
    }
    span->range.end = address;
    interval_map_add(&checker->spans, &upper->range);
    return upper;
}

/* The part of a span between two addresses, cut out. */
static struct check_span *part_of(struct checker *checker, struct check_span *span, uint64_t begin,
                                  uint64_t end)
{
    if (span->range.begin < begin)
        span = split(checker, span, begin);
    if (span && span->range.end > end)
        (void)split(checker, span, end);
    return span;
}

/* Adds a read; those that come before it need not be kept. */
static void add_read(struct checker *checker, struct check_span *span, const struct toucher *now)
{
    struct check_access *reads = reads_of(span);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < span->read_count; i++)
        if ((!ordered(checker, &reads[i], now) || !ordered_by_threads(checker, &reads[i], now)) &&
            !unknown(checker, &reads[i], now))
            reads[kept++] = reads[i];
    span->read_count = kept;
    if (!now->queue && !checker->facts.threads_apart)
        return;
    if (span->read_room == 0 && kept == 0) {
        span->one = access_of(now);
        span->read_count = 1;
        return;
    }
    if (kept >= span->read_room) {
        uint32_t room = kept < 4 ? 4 : 2 * kept;
        struct check_access *grown = realloc(span->reads, room * sizeof(*grown));
        if (!grown) {
            checker->short_of_memory = true;
            return;
        }
        if (span->read_room == 0)
            grown[0] = span->one;
        span->reads = grown;
        span->read_room = room;
    }
    span->reads[span->read_count++] = access_of(now);
}

static void judge_span(struct checker *checker, struct check_span *span, const struct toucher *now)
{
    judge(checker, &span->write, now, &span->range, true);
    if (!now->writes)
        return;
    struct check_access *reads = reads_of(span);
    for (uint32_t i = 0; i < span->read_count; i++)
        judge(checker, &reads[i], now, &span->range, false);
}

static void set_write(struct check_span *span, const struct toucher *now)
{
    span->read_count = 0;
    span->write = access_of(now);
}

/* A span that was not touched before. */
static void fill_gap(struct checker *checker, uint64_t begin, uint64_t end,
                     const struct toucher *now)
{
    struct check_span *span = new_span(checker, begin, end);
    if (!span)
        return;
    if (now->writes)
        set_write(span, now);
    else
        add_read(checker, span, now);
    interval_map_add(&checker->spans, &span->range);
}

/* Puts one span in the place of all from begin to end: one writer has them now. */
static void unite(struct checker *checker, uint64_t begin, uint64_t end, const struct toucher *now)
{
    struct check_span *first = interval_map_from(&checker->spans, begin);
    if (!first)
        return;
    struct check_span *next;
    while ((next = interval_map_take(&checker->spans, first->range.end, end)) != NULL)
        drop_span(checker, next);
    first->range.end = end;
    set_write(first, now);
}

static void touch(struct checker *checker, uint64_t begin, uint64_t bytes,
                  const struct toucher *now)
{
    uint64_t end = begin + bytes;
    uint64_t at = begin;
    if (end <= begin)
        return;
    while (at < end && !checker->short_of_memory) {
        struct check_span *span = interval_map_from(&checker->spans, at);
        if (!span || span->range.begin >= end) {
            fill_gap(checker, at, end, now);
            break;
        }
        if (span->range.begin > at) {
            fill_gap(checker, at, span->range.begin, now);
            at = span->range.begin;
        }
        span = part_of(checker, span, at, end);
        if (!span)
            return;
        judge_span(checker, span, now);
        if (!now->writes)
            add_read(checker, span, now);
        at = span->range.end;
    }
    if (now->writes && !checker->short_of_memory)
        unite(checker, begin, end, now);
}

void check_access_forget(struct checker *checker, uint64_t begin, uint64_t end)
{
    for (;;) {
        struct check_span *span = interval_map_from(&checker->spans, begin);
        if (!span || span->range.begin >= end)
            return;
        span = part_of(checker, span, begin, end);
        if (!span || checker->short_of_memory)
            return;
        interval_map_remove(&checker->spans, span->range.begin);
        drop_span(checker, span);
    }
}

/* ---- work ---- */

static void touch_rows(struct checker *checker, const twin_op *op, uint64_t begin, uint64_t pitch,
                       const struct toucher *now)
{
    if (pitch == op->bytes) {
        touch(checker, begin, op->bytes * op->height, now);
        return;
    }
    for (uint64_t row = 0; row < op->height; row++)
        touch(checker, begin + row * pitch, op->bytes, now);
}

/* Before the bytes count as touched: words that a stream waits for. */
static void write_side(struct checker *checker, const twin_op *op, const struct toucher *now)
{
    bool rows = op->kind == TWIN_OP_COPY_ROWS || op->kind == TWIN_OP_NOW_ROWS;
    bool fills = op->kind == TWIN_OP_FILL || op->kind == TWIN_OP_NOW_FILL;
    uint64_t bytes = rows ? (op->height - 1) * op->dst_pitch + op->bytes : op->bytes;
    if (checker->words.root)
        check_words_touch(checker, now->queue, now->op, op->dst, op->dst + bytes,
                          fills ? op->fill : -1);
}

static void touch_all(struct checker *checker, const twin_op *op, struct toucher *now)
{
    switch (op->kind) {
    case TWIN_OP_COPY:
    case TWIN_OP_NOW_COPY:
    case TWIN_OP_REDUCE:
        now->writes = false;
        touch(checker, op->src, op->bytes, now);
        now->writes = true;
        touch(checker, op->dst, op->bytes, now);
        break;
    case TWIN_OP_WRITE_VALUE:
        now->writes = true;
        touch(checker, op->word.address, 8, now);
        break;
    case TWIN_OP_FILL:
    case TWIN_OP_NOW_FILL:
    case TWIN_OP_RANDOM:
    case TWIN_OP_POOL_FREE:
        now->writes = true;
        touch(checker, op->dst, op->bytes, now);
        break;
    case TWIN_OP_COPY_ROWS:
    case TWIN_OP_NOW_ROWS:
        if (op->height == 0 || op->height > ROWS_MOST || op->src_pitch < op->bytes ||
            op->dst_pitch < op->bytes) {
            checker->unjudged_work++;
            return;
        }
        now->writes = false;
        touch_rows(checker, op, op->src, op->src_pitch, now);
        now->writes = true;
        touch_rows(checker, op, op->dst, op->dst_pitch, now);
        break;
    default:
        break;
    }
}

void check_access_work(struct checker *checker, struct check_queue *queue, uint32_t op)
{
    const twin_op *work = &checker->ops.items[op];
    struct toucher now = {
        .queue = queue,
        .number = queue->carried + 1,
        .op = op,
        .seq = work->begin_seq > queue->host_seen_at ? work->begin_seq : queue->host_seen_at,
    };
    /* What they touch is in memory of the device. */
    if (work->kind == TWIN_OP_LAUNCH || work->kind == TWIN_OP_DESCRIBED ||
        work->kind == TWIN_OP_COPY_BASED) {
        checker->unjudged_work++;
        return;
    }
    const bool copies = work->kind == TWIN_OP_COPY || work->kind == TWIN_OP_COPY_ROWS;
    const bool reads = copies || work->kind == TWIN_OP_REDUCE;
    const bool frees = work->kind == TWIN_OP_POOL_FREE;
    if (!reads && !frees && work->kind != TWIN_OP_FILL && work->kind != TWIN_OP_RANDOM &&
        work->kind != TWIN_OP_WRITE_VALUE)
        return;
    if (work->kind != TWIN_OP_WRITE_VALUE && !frees)
        write_side(checker, work, &now);
    uint64_t written = work->kind == TWIN_OP_WRITE_VALUE ? work->word.address : work->dst;
    if (queue->order_unknown || check_memory_gone(checker, written, op) ||
        (reads && check_memory_gone(checker, work->src, op)) ||
        (work->timed && work->task_status != TWIN_OK)) {
        checker->unjudged_work++;
        return;
    }
    touch_all(checker, work, &now);
}

void check_access_now(struct checker *checker, uint32_t op)
{
    const twin_op *work = &checker->ops.items[op];
    struct toucher now = {.op = op, .seq = work->begin_seq};
    if (!twin_op_succeeded(work))
        return;
    check_memory_use(checker, NULL, op);
    write_side(checker, work, &now);
    touch_all(checker, work, &now);
    check_carry_on(checker);
}

void check_access_free(struct checker *checker)
{
    while (checker->spans.root) {
        struct check_span *span = interval_map_remove(&checker->spans, checker->spans.root->begin);
        drop_span(checker, span);
    }
    while (checker->free_spans) {
        struct check_span *span = checker->free_spans;
        checker->free_spans = (struct check_span *)span->range.left;
        free(span);
    }
}
