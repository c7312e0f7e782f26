/* SPDX-License-Identifier: Apache-2.0 */
/* Plants breaches of the rules of order into records of real runs, at random places, one at a time, and looks whether each is
 * found, under its rule and with its ops. The places are looked for here, op by op, without the checker's books.
 *
 *   check_plants PLANTS SEED RECORD... */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/load.h"

#define NOWHERE SIZE_MAX
#define TRIES   20000u

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) % below;
}

/* ---- what is in a record ---- */

static check_op *ops; /* as planted */
static size_t count;
static size_t *bound;    /* of a wait: its record */
static size_t *previous; /* work before it in its queue */
static bool *is_default_queue;
static uint32_t *signal_kinds;
static uint32_t highest;

static bool accepted(const check_op *op)
{
    return check_is_work(op->kind) && op->status == TWIN_OK && op->end_seq != 0;
}

static bool timed(size_t at)
{
    return at != NOWHERE && ops[at].timed && ops[at].task_begin_ns != 0;
}

/* The host learns something. */
static bool observes(const check_op *op)
{
    switch (op->kind) {
    case CHECK_DRAIN:
    case CHECK_SIGNAL_WAIT:
        return op->status == TWIN_OK;
    case CHECK_QUEUE_QUERY:
    case CHECK_SIGNAL_QUERY:
        return op->status == TWIN_OK && op->positive;
    default:
        return false;
    }
}

/* By the order of submission: an event's wait to the newest record, a notify's n-th to the n-th, a flag's to the first since
 * the reset, or else to the next. */
static size_t binding(size_t wait)
{
    uint32_t signal = ops[wait].object;
    size_t found = NOWHERE;
    uint32_t kind = signal_kinds[signal];
    uint64_t turn = 0;
    for (size_t i = 0; i < wait; i++) {
        if (!accepted(&ops[i]) || ops[i].object != signal)
            continue;
        if (ops[i].kind == CHECK_RECORD && (kind == CHECK_REBIND || found == NOWHERE))
            found = i;
        if (ops[i].kind == CHECK_RESET)
            found = NOWHERE;
        turn += ops[i].kind == CHECK_WAIT;
    }
    if (kind == CHECK_REBIND)
        return found;
    if (kind == CHECK_LEVEL && found != NOWHERE)
        return found;
    for (size_t i = kind == CHECK_LEVEL ? wait : 0; i < count; i++) {
        if (!accepted(&ops[i]) || ops[i].object != signal || ops[i].kind != CHECK_RECORD)
            continue;
        if (kind == CHECK_LEVEL || turn-- == 0)
            return i;
    }
    return NOWHERE;
}

static void look_at(const struct check_ops *loaded)
{
    count = loaded->count;
    ops = realloc(ops, (count + 1) * sizeof(*ops));
    bound = realloc(bound, (count + 1) * sizeof(*bound));
    previous = realloc(previous, (count + 1) * sizeof(*previous));
    memcpy(ops, loaded->ops, count * sizeof(*ops));
    highest = 1;
    for (size_t i = 0; i < count; i++) {
        highest = ops[i].queue > highest ? ops[i].queue : highest;
        highest = ops[i].object > highest ? ops[i].object : highest;
    }
    free(is_default_queue);
    free(signal_kinds);
    is_default_queue = calloc(highest + 1, sizeof(*is_default_queue));
    signal_kinds = calloc(highest + 1, sizeof(*signal_kinds));
    size_t *last = malloc((highest + 1) * sizeof(*last));
    for (uint32_t i = 0; i <= highest; i++)
        last[i] = NOWHERE;
    for (size_t i = 0; i < count; i++) {
        bound[i] = previous[i] = NOWHERE;
        if (ops[i].kind == CHECK_QUEUE_CREATE)
            is_default_queue[ops[i].queue] = ops[i].config.is_default;
        if (ops[i].kind == CHECK_SIGNAL_CREATE)
            signal_kinds[ops[i].object] = ops[i].config.signal_kind;
        if (!accepted(&ops[i]))
            continue;
        previous[i] = last[ops[i].queue];
        last[ops[i].queue] = i;
        if (ops[i].kind == CHECK_WAIT)
            bound[i] = binding(i);
    }
    free(last);
}

static bool is_event_wait(size_t at)
{
    return accepted(&ops[at]) && ops[at].kind == CHECK_WAIT && bound[at] != NOWHERE &&
           signal_kinds[ops[at].object] == CHECK_REBIND && ops[bound[at]].queue != ops[at].queue;
}

/* The one wait for a notify that has no record yet when op `at` ends. NOWHERE: none, or several. */
static size_t blocked_at(size_t at)
{
    size_t found = NOWHERE;
    for (size_t i = 0; i < count && ops[i].begin_seq < ops[at].end_seq; i++) {
        if (!accepted(&ops[i]) || ops[i].kind != CHECK_WAIT ||
            signal_kinds[ops[i].object] != CHECK_NOTIFY ||
            (bound[i] != NOWHERE && ops[bound[i]].begin_seq < ops[at].end_seq))
            continue;
        if (found != NOWHERE)
            return NOWHERE;
        found = i;
    }
    return found;
}

/* Threads overlap: an op with a lower index has begun before another, and may end after it. */
static bool ended_before(size_t first, size_t second)
{
    return ops[first].end_seq != 0 && ops[first].end_seq < ops[second].begin_seq;
}

/* The newest work of the stream that op `at` is about. NOWHERE: none, or one that another thread submits meanwhile, so
 * that nobody can tell whether it is meant. */
static size_t last_work(size_t at)
{
    for (size_t i = at; i-- > 0;)
        if (accepted(&ops[i]) && ops[i].queue == ops[at].queue)
            return ended_before(i, at) ? i : NOWHERE;
    return NOWHERE;
}

/* A wait for the stream of `work` has shown the host that it is done, before op `at` began. */
static bool drained(size_t work, size_t at)
{
    for (size_t i = work + 1; i < at; i++)
        if (ops[i].kind == CHECK_DRAIN && ops[i].status == TWIN_OK &&
            ops[i].queue == ops[work].queue && ended_before(work, i) && ended_before(i, at))
            return true;
    return false;
}

static bool observed_between(size_t after, size_t before)
{
    for (size_t i = after + 1; i < before; i++)
        if (observes(&ops[i]))
            return true;
    return false;
}

/* Waits of streams that hold a record before op `at` ends. */
static unsigned waiters(size_t record, size_t at)
{
    unsigned found = 0;
    for (size_t i = record; i < count && ops[i].begin_seq < ops[at].end_seq; i++)
        found += accepted(&ops[i]) && ops[i].kind == CHECK_WAIT && bound[i] == record;
    return found;
}

/* ---- planting: each changes one thing at `at`, if it can there ---- */

static bool touched; /* ops were changed, though it cannot be done there */

struct plant {
    size_t first, second; /* NOWHERE: whichever */
};

static bool begin_early(size_t at, bool default_of_two)
{
    size_t before = previous[at];
    if (!accepted(&ops[at]) || !timed(at) || !timed(before))
        return false;
    bool two = is_default_queue[ops[at].queue] && ops[at].thread != ops[before].thread;
    uint64_t low =
        ops[before].task_begin_ns > ops[at].begin_ns ? ops[before].task_begin_ns : ops[at].begin_ns;
    if (two != default_of_two || low >= ops[before].task_end_ns)
        return false;
    ops[at].task_begin_ns = low + draw(ops[before].task_end_ns - low);
    return true;
}

static bool plant_01(size_t at, struct plant *plant)
{
    if (!begin_early(at, false))
        return false;
    *plant = (struct plant){.first = previous[at], .second = at};
    return true;
}

/* What a stream has pending when the host waits for it: its newest wait for another stream's event. */
static size_t pending_wait(size_t drain)
{
    for (size_t i = drain; i-- > 0 && !observes(&ops[i]);)
        if (accepted(&ops[i]) && ops[i].queue == ops[drain].queue && is_event_wait(i))
            return ended_before(i, drain) ? i : NOWHERE;
    return NOWHERE;
}

static bool innocent(size_t at, size_t *out_blocked)
{
    if (ops[at].kind != CHECK_DRAIN || ops[at].status != TWIN_OK)
        return false;
    *out_blocked = blocked_at(at);
    size_t last = last_work(at);
    return *out_blocked != NOWHERE && ops[*out_blocked].queue != ops[at].queue && last != NOWHERE &&
           last > *out_blocked && !observed_between(last, at);
}

static bool hold(size_t at, bool with_default, struct plant *plant)
{
    size_t blocked = NOWHERE;
    if (!innocent(at, &blocked))
        return false;
    bool has_default = is_default_queue[ops[at].queue] || is_default_queue[ops[blocked].queue];
    if (has_default != with_default)
        return false;
    /* no wait since what the host has seen last of that stream may lead elsewhere */
    for (size_t i = at; i-- > 0;)
        if (accepted(&ops[i]) && ops[i].queue == ops[at].queue && ops[i].kind == CHECK_WAIT &&
            !drained(i, at))
            return false;
    ops[at].status = TWIN_E_DEADLOCK;
    *plant = (struct plant){.first = blocked, .second = at};
    return true;
}

static bool plant_02(size_t at, struct plant *plant)
{
    return hold(at, false, plant);
}

static bool plant_03(size_t at, struct plant *plant)
{
    return hold(at, true, plant);
}

static bool plant_04(size_t at, struct plant *plant)
{
    if (!accepted(&ops[at]) || (ops[at].kind != CHECK_COPY && ops[at].kind != CHECK_FILL))
        return false;
    ops[at].status = TWIN_E_COPY;
    *plant = (struct plant){.first = at, .second = NOWHERE};
    return true;
}

static bool plant_05(size_t at, struct plant *plant)
{
    if (!is_event_wait(at) || !timed(at) || !timed(bound[at]) ||
        ops[at].task_begin_ns >= ops[bound[at]].task_begin_ns)
        return false;
    ops[at].task_end_ns =
        ops[at].task_begin_ns + draw(ops[bound[at]].task_begin_ns - ops[at].task_begin_ns);
    *plant = (struct plant){.first = bound[at], .second = at};
    return true;
}

static bool plant_06(size_t at, struct plant *plant)
{
    size_t blocked = NOWHERE;
    if (!innocent(at, &blocked))
        return false;
    size_t wait = pending_wait(at);
    if (wait == NOWHERE || ops[bound[wait]].queue != ops[blocked].queue || bound[wait] > blocked ||
        waiters(bound[wait], at) != 1)
        return false;
    ops[at].status = TWIN_E_DEADLOCK;
    *plant = (struct plant){.first = blocked, .second = at};
    return true;
}

static bool plant_07(size_t at, struct plant *plant)
{
    if (!accepted(&ops[at]) || ops[at].kind != CHECK_WAIT || bound[at] == NOWHERE ||
        !timed(bound[at]) || ops[bound[at]].task_end_ns <= ops[at].begin_ns + 20000)
        return false;
    ops[at].end_ns = ops[bound[at]].task_end_ns + draw(5000);
    *plant = (struct plant){.first = bound[at], .second = at};
    return true;
}

static bool plant_08(size_t at, struct plant *plant)
{
    if (ops[at].kind != CHECK_DRAIN || ops[at].status != TWIN_OK)
        return false;
    size_t wait = pending_wait(at);
    size_t blocked = blocked_at(at);
    if (wait == NOWHERE || waiters(bound[wait], at) < 2 ||
        (blocked != NOWHERE && ops[blocked].queue == ops[at].queue))
        return false;
    /* a notify's or flag's wait behind it is the newer one */
    for (size_t i = wait + 1; i < at; i++)
        if (accepted(&ops[i]) && ops[i].queue == ops[at].queue && ops[i].kind == CHECK_WAIT)
            return false;
    ops[at].status = TWIN_E_DEADLOCK;
    *plant = (struct plant){.first = wait, .second = at};
    return true;
}

/* By how many waits across streams each op with a time comes before op `from`; the one that ends last. */
static size_t latest_before(size_t from, unsigned *out_hops)
{
    unsigned *hops = malloc((count + 1) * sizeof(*hops));
    if (!hops)
        abort();
    memset(hops, 0xff, count * sizeof(*hops));
    hops[from] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < count; i++) {
            if (hops[i] == UINT32_MAX)
                continue;
            size_t before[2] = {previous[i], NOWHERE};
            if (ops[i].kind == CHECK_WAIT && accepted(&ops[i]) && bound[i] != NOWHERE && i != from)
                before[1] = previous[bound[i]]; /* work before the record */
            for (int way = 0; way < 2; way++) {
                if (before[way] == NOWHERE)
                    continue;
                unsigned far = hops[i] + (ops[before[way]].queue != ops[i].queue);
                if (hops[before[way]] <= far)
                    continue;
                hops[before[way]] = far;
                changed = true;
            }
        }
    }
    size_t latest = NOWHERE;
    for (size_t i = 0; i < count; i++)
        if (i != from && hops[i] != UINT32_MAX && timed(i) &&
            (latest == NOWHERE || ops[latest].task_end_ns < ops[i].task_end_ns))
            latest = i;
    *out_hops = latest != NOWHERE ? hops[latest] : 0;
    free(hops);
    return latest;
}

/* A chain over a stream whose times are not known. */
static bool plant_09(size_t at, struct plant *plant)
{
    if (!accepted(&ops[at]) || !timed(at) || previous[at] == NOWHERE ||
        !is_event_wait(previous[at]))
        return false;
    size_t wait = previous[at];
    uint32_t over = ops[bound[wait]].queue;
    unsigned hops = 0;
    touched = true;
    for (size_t i = 0; i < count; i++)
        if (i == wait || (accepted(&ops[i]) && ops[i].queue == over))
            ops[i].timed = false;
    size_t first = latest_before(at, &hops);
    if (first == NOWHERE || hops < 2 || ops[first].task_end_ns <= ops[at].begin_ns + 1)
        return false;
    uint64_t low = ops[at].begin_ns;
    ops[at].task_begin_ns = low + draw(ops[first].task_end_ns - low);
    /* not before its own stream's work: that would be another rule's */
    for (size_t i = at; i != NOWHERE; i = previous[i])
        if (i != at && timed(i) && ops[i].task_end_ns > ops[at].task_begin_ns)
            return false;
    *plant = (struct plant){.first = first, .second = at};
    return true;
}

static bool plant_10(size_t at, struct plant *plant)
{
    size_t last = last_work(at);
    if (ops[at].kind != CHECK_DRAIN || ops[at].status != TWIN_OK || !timed(last) ||
        ops[last].task_end_ns <= ops[at].begin_ns + 1)
        return false;
    uint64_t room = ops[last].task_end_ns - ops[at].begin_ns - 1;
    ops[at].end_ns = ops[at].begin_ns + 1 + draw(room);
    *plant = (struct plant){.first = last, .second = at};
    return true;
}

static bool plant_11(size_t at, struct plant *plant)
{
    if (ops[at].kind != CHECK_SIGNAL_WAIT || ops[at].status != TWIN_OK)
        return false;
    size_t blocked = blocked_at(at);
    size_t record = at;
    while (record-- > 0)
        if (accepted(&ops[record]) && ops[record].kind == CHECK_RECORD &&
            ops[record].object == ops[at].object)
            break;
    if (record == NOWHERE || !ended_before(record, at) || blocked == NOWHERE || blocked < record ||
        ops[blocked].queue != ops[record].queue || observed_between(record, at))
        return false;
    ops[at].status = TWIN_E_DEADLOCK;
    *plant = (struct plant){.first = blocked, .second = at};
    return true;
}

static bool plant_12(size_t at, struct plant *plant)
{
    if (draw(3) == 0) {
        if (!begin_early(at, true))
            return false;
        *plant = (struct plant){.first = previous[at], .second = at};
        return true;
    }
    if (!accepted(&ops[at]) || !timed(at) || ops[at].tasks == 0)
        return false;
    ops[at].told = draw(2) == 0 ? ops[at].tasks + 1 : ops[at].tasks - 1;
    ops[at].timed = ops[at].told > 0;
    *plant = (struct plant){.first = at, .second = NOWHERE};
    return true;
}

static bool plant_14(size_t at, struct plant *plant)
{
    if (ops[at].kind == CHECK_DEVICE_OPEN) {
        /* opened after the first stream was made on it */
        for (size_t i = at; i < count; i++)
            if (ops[i].kind == CHECK_QUEUE_CREATE && ops[i].device == ops[at].device) {
                ops[at].kind = CHECK_STOP;
                *plant = (struct plant){.first = NOWHERE, .second = NOWHERE};
                return true;
            }
    }
    if (ops[at].kind != CHECK_QUEUE_DESTROY)
        return false;
    size_t made = 0;
    while (ops[made].kind != CHECK_QUEUE_CREATE || ops[made].queue != ops[at].queue)
        made++;
    ops[at].kind = CHECK_STOP;
    *plant = (struct plant){.first = made, .second = NOWHERE};
    return true;
}

static const struct {
    check_rule rule;
    bool (*plant)(size_t at, struct plant *plant);
} planters[] = {
    {CHECK_ORD_01, plant_01}, {CHECK_ORD_02, plant_02}, {CHECK_ORD_03, plant_03},
    {CHECK_ORD_04, plant_04}, {CHECK_ORD_05, plant_05}, {CHECK_ORD_06, plant_06},
    {CHECK_ORD_07, plant_07}, {CHECK_ORD_08, plant_08}, {CHECK_ORD_09, plant_09},
    {CHECK_ORD_10, plant_10}, {CHECK_ORD_11, plant_11}, {CHECK_ORD_12, plant_12},
    {CHECK_ORD_14, plant_14},
};
#define PLANTERS (sizeof(planters) / sizeof(planters[0]))

/* ---- judging ---- */

static bool names(const struct checker *checker, uint32_t index, size_t op)
{
    const check_op *seen = checker_op(checker, index);
    return op == NOWHERE || (seen && seen->begin_seq == ops[op].begin_seq);
}

static struct checker *judge(const struct check_ops *loaded)
{
    struct check_ops planted = *loaded;
    struct checker *checker = checker_new();
    planted.ops = ops;
    if (!checker || !check_ops_feed(&planted, checker))
        abort();
    return checker;
}

static bool found(const struct check_ops *loaded, check_rule rule, const struct plant *plant,
                  const char *path)
{
    struct checker *checker = judge(loaded);
    size_t findings = 0;
    bool good = false;
    const struct check_finding *list = checker_findings(checker, &findings);
    for (size_t i = 0; i < findings; i++)
        good = good || (list[i].rule == rule && names(checker, list[i].first, plant->first) &&
                        names(checker, list[i].second, plant->second));
    if (!good) {
        printf("%s: %s planted, ops %" PRIu64 " and %" PRIu64 ", not found; instead:\n", path,
               check_rule_texts[rule].number,
               plant->first != NOWHERE ? ops[plant->first].begin_seq : 0,
               plant->second != NOWHERE ? ops[plant->second].begin_seq : 0);
        for (size_t i = 0; i < findings; i++)
            printf("  %s, ops %" PRIu64 " and %" PRIu64 ": %s\n",
                   check_rule_texts[list[i].rule].number,
                   list[i].first != CHECK_NONE ? checker_op(checker, list[i].first)->begin_seq : 0,
                   list[i].second != CHECK_NONE ? checker_op(checker, list[i].second)->begin_seq
                                                : 0,
                   list[i].why);
    }
    checker_free(checker);
    return good;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    size_t wanted = strtoull(argv[1], NULL, 10);
    int files = argc - 3;
    struct check_ops *loaded = calloc((size_t)files, sizeof(*loaded));
    twin_recording **recordings = calloc((size_t)files, sizeof(*recordings));
    char error[512];
    int missed = 0;
    state = strtoull(argv[2], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (int i = 0; i < files; i++) {
        if (twin_recording_read(argv[i + 3], &recordings[i], error, sizeof(error)) !=
                TWIN_RECORDING_OK ||
            !check_ops_load(recordings[i], &loaded[i])) {
            printf("%s: %s\n", argv[i + 3], error);
            free(recordings);
            free(loaded);
            return 2;
        }
    }
    for (size_t p = 0; p < PLANTERS; p++) {
        size_t planted = 0;
        size_t good = 0;
        struct plant plant = {.first = NOWHERE, .second = NOWHERE};
        for (unsigned tries = 0; tries < TRIES && planted < wanted;) {
            int file = (int)draw((uint64_t)files);
            look_at(&loaded[file]);
            /* from a random op on, the first where it can be */
            size_t from = draw(count);
            bool done = false;
            for (size_t i = 0; i < count && !done; i++) {
                done = planters[p].plant((from + i) % count, &plant);
                if (!done && touched)

                    memcpy(ops, loaded[file].ops, count * sizeof(*ops));
                touched = false;
            }
            tries += done ? 1 : 10;
            if (!done)
                continue;
            planted++;
            good += found(&loaded[file], planters[p].rule, &plant, argv[file + 3]);
        }
        printf("%s: %zu planted, %zu found\n", check_rule_texts[planters[p].rule].number, planted,
               good);
        missed += good != planted || planted < wanted;
    }
    for (int i = 0; i < files; i++) {
        check_ops_free(&loaded[i]);
        twin_recording_free(recordings[i]);
    }
    free(loaded);
    free(recordings);
    free(ops);
    free(bound);
    free(previous);
    free(is_default_queue);
    free(signal_kinds);
    return missed ? 1 : 0;
}
