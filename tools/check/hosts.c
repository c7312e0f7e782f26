/* SPDX-License-Identifier: Apache-2.0 */
/* Host threads one by one, where the recording has what orders them: what each of them knows, and
 * which calls come before which.
 *
 * A clock here has two numbers for each clock index and thread: at 2 * clock index the pieces of
 * work known done there, at 2 * thread + 1 the ops of that thread that come before. */
#include <stdlib.h>

#include "check/state.h"

static struct check_host *host_of(struct checker *checker, uint32_t thread)
{
    struct check_host *host = NULL;
    HASH_ENSURE(checker->hosts, thread, thread, host);
    if (!host)
        checker->short_of_memory = true;
    else if (host->index == 0)
        host->index = ++checker->host_count;
    return host;
}

void check_raise_clock(struct checker *checker, struct check_clock **clock, uint32_t clock_index,
                       uint32_t count)
{
    if (!clock_raise(clock, clock_index, count))
        checker->short_of_memory = true;
}

void check_join_clock(struct checker *checker, struct check_clock **clock,
                      const struct check_clock *other)
{
    if (!clock_join(clock, other))
        checker->short_of_memory = true;
}

void check_host_begins(struct checker *checker, uint32_t op)
{
    struct check_host *host =
        checker->facts.threads_apart ? host_of(checker, checker->ops.items[op].thread) : NULL;
    if (host)
        CHECK_ADD(checker, &checker->host_ops,
                  (struct check_host_op){
                      .host = host, .number = ++host->ops, .before = clock_retain(host->clock)});
}

bool check_host_ordered(const struct checker *checker, uint32_t first, uint32_t second)
{
    if (!checker->facts.threads_apart || first == CHECK_NONE)
        return true;
    const struct check_host_op *a = &checker->host_ops.items[first];
    const struct check_host_op *b = &checker->host_ops.items[second];
    return a->host == b->host || clock_at(b->before, 2 * a->host->index + 1) >= a->number;
}

bool check_host_knew(const struct checker *checker, uint32_t op, uint32_t clock_index,
                     uint32_t number)
{
    return !checker->facts.threads_apart ||
           clock_at(checker->host_ops.items[op].before, 2 * clock_index) >= number;
}

bool check_host_is_earlier(const struct checker *checker, const struct check_clock *earlier,
                           uint32_t clock_index, uint32_t number, uint32_t op)
{
    if (!checker->facts.threads_apart)
        return true;
    if (clock_index != CHECK_NONE)
        return clock_at(earlier, 2 * clock_index) >= number;
    const struct check_host_op *at = &checker->host_ops.items[op];
    return clock_at(earlier, 2 * at->host->index + 1) >= at->number;
}

void check_host_carries(struct checker *checker, struct check_clock **earlier, uint32_t op)
{
    if (!checker->facts.threads_apart)
        return;
    const struct check_host_op *at = &checker->host_ops.items[op];
    check_join_clock(checker, earlier, at->before);
    check_raise_clock(checker, earlier, 2 * at->host->index + 1, at->number);
}

void check_host_passes(struct checker *checker, struct check_clock **earlier,
                       const struct check_clock *other, uint32_t clock_index, uint32_t number)
{
    if (!checker->facts.threads_apart)
        return;
    check_join_clock(checker, earlier, other);
    check_raise_clock(checker, earlier, 2 * clock_index, number);
}

/* Of the first `number` pieces, those that are known done or that the op comes after the submission
 * of. */
static uint32_t covered(const struct checker *checker, const struct check_queue *queue,
                        uint32_t number, uint32_t op)
{
    const struct check_host *host = checker->host_ops.items[op].host;
    uint32_t count = clock_at(host->clock, 2 * queue->clock_index);
    count = count < queue->first ? queue->first : count;
    while (count < number &&
           check_host_ordered(checker, check_work_at(checker, queue->clock_index, count + 1), op))
        count++;
    return count < number ? count : number;
}

void check_host_saw_queue(struct checker *checker, const struct check_queue *queue, uint32_t number,
                          uint32_t op)
{
    if (!checker->facts.threads_apart)
        return;
    struct check_host *host = checker->host_ops.items[op].host;
    uint32_t count = covered(checker, queue, number, op);
    check_join_clock(checker, &host->clock,
                     queue->earlier); /* of a part it may be less, which is not reported */
    check_raise_clock(checker, &host->clock, 2 * queue->clock_index, count);
}

void check_host_saw_mark(struct checker *checker, const struct check_mark *mark, uint32_t op)
{
    if (!checker->facts.threads_apart || mark->op == CHECK_NONE ||
        !check_host_ordered(checker, mark->op, op))
        return;
    struct check_host *host = checker->host_ops.items[op].host;
    check_join_clock(checker, &host->clock, mark->earlier);
    check_raise_clock(checker, &host->clock, 2 * mark->clock_index, mark->number);
}

void check_host_took(struct checker *checker, uint32_t call, uint32_t op)
{
    if (checker->facts.threads_apart)
        check_host_carries(checker, &checker->host_ops.items[op].host->clock, call);
}

/* ---- what one thread follows of another ---- */

void checker_release(struct checker *checker, uint32_t thread, uint64_t seq)
{
    struct check_release *release = NULL;
    HASH_FIND(hh, checker->releases, &seq, sizeof(seq), release);
    struct check_host *host = release ? NULL : host_of(checker, thread);
    if (!host)
        return;
    HASH_ENSURE(checker->releases, seq, seq, release);
    if (!release) {
        checker->short_of_memory = true;
        return;
    }
    release->host = host;
    release->number = host->ops;
    release->clock = clock_retain(host->clock);
}

void checker_follow(struct checker *checker, uint32_t thread, uint64_t seq)
{
    struct check_release *release = NULL;
    HASH_FIND(hh, checker->releases, &seq, sizeof(seq), release);
    struct check_host *host = release ? host_of(checker, thread) : NULL;
    if (!host)
        return;
    check_join_clock(checker, &host->clock, release->clock);
    check_raise_clock(checker, &host->clock, 2 * release->host->index + 1, release->number);
}

void check_hosts_free(struct checker *checker)
{
    for (struct check_host *host = checker->hosts; host; host = host->hh.next)
        clock_drop(host->clock);
    HASH_FREE_ALL(checker->hosts);
    for (struct check_release *r = checker->releases; r; r = r->hh.next)
        clock_drop(r->clock);
    HASH_FREE_ALL(checker->releases);
    for (size_t i = 0; i < checker->host_ops.count; i++)
        clock_drop(checker->host_ops.items[i].before);
    free(checker->host_ops.items);
}
