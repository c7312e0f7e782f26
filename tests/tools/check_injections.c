/* SPDX-License-Identifier: Apache-2.0 */
/* Injects breaches of the rules of order into records of real runs, at random places, one at a
 * time, and looks whether each is found, under its rule and with its ops. The places are looked for
 * here, op by op, without the checker's tables.
 *
 *   check_injections PLANTS SEED RECORD... */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_needs.h"
#include "injection.h"

#define TRIES 20000u

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) % below;
}

/* Which record a notify's wait is bound to is uncertain after a wait for a count, which one of
 * several changes may have released. */
static bool is_bound_surely(size_t at)
{
    if (ops[at].kind != TWIN_OP_WAIT || signal_kinds[ops[at].object] == TWIN_SIGNAL_EVENT_REBIND)
        return true;
    for (size_t i = 0; i < at; i++)
        if (ops[i].kind == TWIN_OP_WAIT_COUNT)
            return false;
    return true;
}

/* ---- injecting: each changes one thing at `at`, if it can there ---- */

static bool touched; /* ops were changed, though it cannot be done there */

struct inject {
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

static bool inject_01(size_t at, struct inject *inject)
{
    if (!begin_early(at, false))
        return false;
    *inject = (struct inject){.first = previous[at], .second = at};
    return true;
}

/* The newest wait for another stream's event that a stream has pending when the host waits for
 * it. */
static size_t pending_wait(size_t drain)
{
    for (size_t i = drain; i-- > 0 && !observes(&ops[i]);)
        if (accepted(&ops[i]) && ops[i].queue == ops[drain].queue && is_event_wait(i))
            return ended_before(i, drain) ? i : NOWHERE;
    return NOWHERE;
}

static bool innocent(size_t at, size_t *out_blocked)
{
    if (ops[at].kind != TWIN_OP_DRAIN || ops[at].status != TWIN_OK)
        return false;
    if (count_open(at))
        return false;
    *out_blocked = blocked_at(at);
    size_t last = last_work(at);
    return *out_blocked != NOWHERE && ops[*out_blocked].queue != ops[at].queue && last != NOWHERE &&
           last > *out_blocked && !observed_between(last, at);
}

static bool hold(size_t at, bool with_default, struct inject *inject)
{
    size_t blocked = NOWHERE;
    if (!innocent(at, &blocked))
        return false;
    bool has_default = is_default_queue[ops[at].queue] || is_default_queue[ops[blocked].queue];
    if (has_default != with_default)
        return false;
    /* waits that the host has not seen complete could be ordered after other streams */
    for (size_t i = at; i-- > 0;)
        if (accepted(&ops[i]) && ops[i].queue == ops[at].queue && ops[i].kind == TWIN_OP_WAIT &&
            !drained(i, at))
            return false;
    /* nor may another thread queue work after the wait: that work could be the blocked one */
    for (size_t i = at + 1; i < count && ops[i].begin_seq < ops[at].end_seq; i++)
        if (accepted(&ops[i]) && ops[i].queue == ops[at].queue)
            return false;
    ops[at].status = TWIN_E_DEADLOCK;
    *inject = (struct inject){.first = blocked, .second = at};
    return true;
}

static bool inject_02(size_t at, struct inject *inject)
{
    return hold(at, false, inject);
}

static bool inject_03(size_t at, struct inject *inject)
{
    return hold(at, true, inject);
}

static bool inject_04(size_t at, struct inject *inject)
{
    if (!accepted(&ops[at]) || (ops[at].kind != TWIN_OP_COPY && ops[at].kind != TWIN_OP_FILL))
        return false;
    ops[at].status = TWIN_E_COPY;
    *inject = (struct inject){.first = at, .second = NOWHERE};
    return true;
}

/* Of the changes that a wait for a count needs, the one that began last. */
static size_t needed_last(size_t at)
{
    size_t needs[NEEDS_MOST];
    size_t last = NOWHERE;
    if (!accepted(&ops[at]) || ops[at].kind != TWIN_OP_WAIT_COUNT)
        return NOWHERE;
    size_t found = check_needs(ops, at, needs);
    for (size_t i = 0; i < found; i++)
        if (timed(needs[i]) && !drained(needs[i], at) &&
            (last == NOWHERE || ops[last].task_begin_ns < ops[needs[i]].task_begin_ns))
            last = needs[i];
    return last;
}

/* A wait for a count ends before the last change that it needs. */
static bool inject_count(size_t at, struct inject *inject)
{
    size_t last = needed_last(at);
    if (last == NOWHERE || !timed(at) || ops[at].task_begin_ns >= ops[last].task_begin_ns)
        return false;
    uint64_t low = ops[at].task_begin_ns;
    for (size_t i = 0; i < count; i++)
        if (accepted(&ops[i]) && ops[i].kind == TWIN_OP_COUNT && ops[i].object == ops[at].object &&
            timed(i) && ops[i].task_begin_ns < ops[last].task_begin_ns &&
            ops[i].task_begin_ns > low)
            low = ops[i].task_begin_ns;
    ops[at].task_end_ns = low + draw(ops[last].task_begin_ns - low);
    *inject = (struct inject){.first = last, .second = at};
    return true;
}

/* A wait for a count holds the thread that asks for it. */
static bool inject_prompt(size_t at, struct inject *inject)
{
    size_t last = needed_last(at);
    if (last == NOWHERE || ops[last].task_end_ns <= ops[at].begin_ns + 20000)
        return false;
    ops[at].end_ns = ops[last].task_end_ns + draw(5000);
    *inject = (struct inject){.first = last, .second = at};
    return true;
}

/* The record and the wait of a shared event or notify name two objects. */
static bool is_shared(size_t at)
{
    return bound[at] != NOWHERE && ops[bound[at]].object != ops[at].object;
}

static bool inject_shared(size_t at, struct inject *inject)
{
    if (!accepted(&ops[at]) || ops[at].kind != TWIN_OP_WAIT || !is_shared(at) || !timed(at) ||
        !timed(bound[at]) || ops[at].task_begin_ns >= ops[bound[at]].task_begin_ns)
        return false;
    ops[at].task_end_ns =
        ops[at].task_begin_ns + draw(ops[bound[at]].task_begin_ns - ops[at].task_begin_ns);
    *inject = (struct inject){.first = bound[at], .second = at};
    return true;
}

static bool inject_05(size_t at, struct inject *inject)
{
    if (!is_event_wait(at) || !timed(at) || !timed(bound[at]) ||
        ops[at].task_begin_ns >= ops[bound[at]].task_begin_ns)
        return false;
    ops[at].task_end_ns =
        ops[at].task_begin_ns + draw(ops[bound[at]].task_begin_ns - ops[at].task_begin_ns);
    *inject = (struct inject){.first = bound[at], .second = at};
    return true;
}

static bool inject_06(size_t at, struct inject *inject)
{
    size_t blocked = NOWHERE;
    if (!innocent(at, &blocked))
        return false;
    size_t wait = pending_wait(at);
    if (wait == NOWHERE || ops[bound[wait]].queue != ops[blocked].queue || bound[wait] > blocked ||
        waiters(bound[wait], at) != 1)
        return false;
    ops[at].status = TWIN_E_DEADLOCK;
    *inject = (struct inject){.first = blocked, .second = at};
    return true;
}

static bool inject_07(size_t at, struct inject *inject)
{
    if (!accepted(&ops[at]) || ops[at].kind != TWIN_OP_WAIT || bound[at] == NOWHERE ||
        !is_bound_surely(at) || !timed(bound[at]) ||
        ops[bound[at]].task_end_ns <= ops[at].begin_ns + 20000)
        return false;
    ops[at].end_ns = ops[bound[at]].task_end_ns + draw(5000);
    *inject = (struct inject){.first = bound[at], .second = at};
    return true;
}

static bool inject_08(size_t at, struct inject *inject)
{
    if (ops[at].kind != TWIN_OP_DRAIN || ops[at].status != TWIN_OK)
        return false;
    size_t wait = pending_wait(at);
    size_t blocked = blocked_at(at);
    if (wait == NOWHERE || count_open(at) || waiters(bound[wait], at) < 2 ||
        (blocked != NOWHERE && ops[blocked].queue == ops[at].queue))
        return false;
    /* a later wait for a notify or flag is the newer one */
    for (size_t i = wait + 1; i < at; i++)
        if (accepted(&ops[i]) && ops[i].queue == ops[at].queue && ops[i].kind == TWIN_OP_WAIT)
            return false;
    ops[at].status = TWIN_E_DEADLOCK;
    *inject = (struct inject){.first = wait, .second = at};
    return true;
}

/* Work before the changes that a wait for a count needs. */
static size_t find_before(size_t wait, size_t out[NEEDS_MOST])
{
    size_t found = check_needs(ops, wait, out);
    for (size_t i = 0; i < found; i++)
        out[i] = drained(out[i], wait) ? NOWHERE : previous[out[i]];
    return found;
}

/* By how many waits across streams each op with a time comes before op `from`; the one that ends
 * last. */
static size_t latest_before(size_t from, unsigned *out_hops)
{
    unsigned *hops = malloc((count + 1) * sizeof(*hops));
    if (!hops)
        abort();
    memset(hops, 0xff, count * sizeof(*hops));
    hops[from] = 0;
    bool sure = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < count; i++) {
            if (hops[i] == UINT32_MAX)
                continue;
            sure = sure && is_bound_surely(i);
            size_t before[NEEDS_MOST + 1] = {previous[i]};
            size_t ways = 1;
            if (ops[i].kind == TWIN_OP_WAIT && accepted(&ops[i]) && bound[i] != NOWHERE &&
                i != from)
                before[ways++] = previous[bound[i]]; /* work before the record */
            if (ops[i].kind == TWIN_OP_WAIT_COUNT && accepted(&ops[i]) && i != from)
                ways += find_before(i, before + 1);
            for (size_t way = 0; way < ways; way++) {
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
    for (size_t i = 0; sure && i < count; i++)
        if (i != from && hops[i] != UINT32_MAX && timed(i) &&
            (latest == NOWHERE || ops[latest].task_end_ns < ops[i].task_end_ns))
            latest = i;
    *out_hops = latest != NOWHERE ? hops[latest] : 0;
    free(hops);
    return latest;
}

/* A chain over a stream whose times are not known. */
static bool inject_09(size_t at, struct inject *inject)
{
    if (!accepted(&ops[at]) || !timed(at) || previous[at] == NOWHERE)
        return false;
    size_t wait = previous[at];
    size_t record = is_event_wait(wait) ? bound[wait] : needed_last(wait);
    if (record == NOWHERE)
        return false;
    uint32_t over = ops[record].queue;
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
    *inject = (struct inject){.first = first, .second = at};
    return true;
}

static bool inject_10(size_t at, struct inject *inject)
{
    size_t last = last_work(at);
    if (ops[at].kind != TWIN_OP_DRAIN || ops[at].status != TWIN_OK || !timed(last) ||
        ops[last].task_end_ns <= ops[at].begin_ns + 1)
        return false;
    uint64_t room = ops[last].task_end_ns - ops[at].begin_ns - 1;
    ops[at].end_ns = ops[at].begin_ns + 1 + draw(room);
    *inject = (struct inject){.first = last, .second = at};
    return true;
}

static bool inject_11(size_t at, struct inject *inject)
{
    if (ops[at].kind != TWIN_OP_SIGNAL_WAIT || ops[at].status != TWIN_OK || count_open(at))
        return false;
    size_t blocked = blocked_at(at);
    size_t record = at;
    while (record-- > 0)
        if (accepted(&ops[record]) && ops[record].kind == TWIN_OP_RECORD &&
            signals[ops[record].object] == signals[ops[at].object])
            break;
    if (record == NOWHERE || !ended_before(record, at) || blocked == NOWHERE || blocked < record ||
        ops[blocked].queue != ops[record].queue || observed_between(record, at))
        return false;
    ops[at].status = TWIN_E_DEADLOCK;
    *inject = (struct inject){.first = blocked, .second = at};
    return true;
}

static bool inject_12(size_t at, struct inject *inject)
{
    if (draw(3) == 0) {
        if (!begin_early(at, true))
            return false;
        *inject = (struct inject){.first = previous[at], .second = at};
        return true;
    }
    if (!accepted(&ops[at]) || !timed(at) || ops[at].tasks == 0)
        return false;
    ops[at].reported = draw(2) == 0 ? ops[at].tasks + 1 : ops[at].tasks - 1;
    ops[at].timed = ops[at].reported > 0;
    *inject = (struct inject){.first = at, .second = NOWHERE};
    return true;
}

static bool inject_14(size_t at, struct inject *inject)
{
    if (ops[at].kind == TWIN_OP_DEVICE_OPEN) {
        /* opened after the first stream was made on it */
        for (size_t i = at; i < count; i++)
            if (ops[i].kind == TWIN_OP_QUEUE_CREATE && ops[i].device == ops[at].device) {
                ops[at].kind = TWIN_OP_STOP;
                *inject = (struct inject){.first = NOWHERE, .second = NOWHERE};
                return true;
            }
    }
    if (ops[at].kind != TWIN_OP_QUEUE_DESTROY)
        return false;
    size_t made = 0;
    while (ops[made].kind != TWIN_OP_QUEUE_CREATE || ops[made].queue != ops[at].queue)
        made++;
    ops[at].kind = TWIN_OP_STOP;
    *inject = (struct inject){.first = made, .second = NOWHERE};
    return true;
}

/* The host learned something between the two, in whichever thread. */
static bool heard_between(size_t first, size_t second)
{
    for (size_t i = 0; i < second; i++)
        if (observes(&ops[i]) && ops[i].end_seq > ops[first].begin_seq &&
            ops[i].end_seq < ops[second].begin_seq)
            return true;
    return false;
}

/* The same where the stream stands at a count. A change that the host had seen already is not a
 * chain. */
static bool inject_chain(size_t at, struct inject *inject)
{
    if (previous[at] == NOWHERE || ops[previous[at]].kind != TWIN_OP_WAIT_COUNT)
        return false;
    size_t last = needed_last(previous[at]);
    return last != NOWHERE && !heard_between(last, at) && inject_09(at, inject);
}

static const struct {
    check_rule rule;
    bool (*inject)(size_t at, struct inject *inject);
    const char *what;
    bool rare; /* few recordings have a place for it: any injection must be found */
} injectors[] = {
    {CHECK_ORD_01, inject_01, "", false},
    {CHECK_ORD_02, inject_02, "", false},
    {CHECK_ORD_03, inject_03, "", false},
    {CHECK_ORD_04, inject_04, "", false},
    {CHECK_ORD_05, inject_05, "", false},
    {CHECK_ORD_05, inject_count, ", counts", false},
    {CHECK_ORD_05, inject_shared, ", shared signals", false},
    {CHECK_ORD_06, inject_06, "", false},
    {CHECK_ORD_07, inject_07, "", false},
    {CHECK_ORD_07, inject_prompt, ", counts", false},
    {CHECK_ORD_08, inject_08, "", false},
    {CHECK_ORD_09, inject_09, "", false},
    {CHECK_ORD_09, inject_chain, ", counts", true},
    {CHECK_ORD_10, inject_10, "", false},
    {CHECK_ORD_11, inject_11, "", false},
    {CHECK_ORD_12, inject_12, "", false},
    {CHECK_ORD_14, inject_14, "", false},
};
#define PLANTERS (sizeof(injectors) / sizeof(injectors[0]))

/* ---- judging ---- */

static bool names(const struct checker *checker, uint32_t index, size_t op)
{
    const twin_op *seen = checker_op(checker, index);
    return op == NOWHERE || (seen && seen->begin_seq == ops[op].begin_seq);
}

static struct checker *judge(const struct twin_ops *loaded)
{
    struct twin_ops injected = *loaded;
    injected.list = ops;
    struct checker *checker = check_ops(&injected);
    if (!checker)
        abort();
    return checker;
}

static bool found(const struct twin_ops *loaded, check_rule rule, const struct inject *inject,
                  const char *path)
{
    struct checker *checker = judge(loaded);
    size_t findings = 0;
    bool good = false;
    const struct check_finding *list = checker_findings(checker, &findings);
    for (size_t i = 0; i < findings; i++)
        good = good || (list[i].rule == rule && names(checker, list[i].first, inject->first) &&
                        names(checker, list[i].second, inject->second));
    if (!good) {
        printf("%s: %s injected, ops %" PRIu64 " and %" PRIu64 ", not found; instead:\n", path,
               check_rule_texts[rule].number,
               inject->first != NOWHERE ? ops[inject->first].begin_seq : 0,
               inject->second != NOWHERE ? ops[inject->second].begin_seq : 0);
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
    struct twin_ops *loaded = calloc((size_t)files, sizeof(*loaded));
    twin_recording **recordings = calloc((size_t)files, sizeof(*recordings));
    char error[512];
    int missed = 0;
    state = strtoull(argv[2], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (int i = 0; i < files; i++) {
        if (twin_recording_read(argv[i + 3], &recordings[i], error, sizeof(error)) !=
                TWIN_RECORDING_OK ||
            !twin_ops_load(recordings[i], &loaded[i])) {
            printf("%s: %s\n", argv[i + 3], error);
            free(recordings);
            free(loaded);
            return 2;
        }
    }
    for (size_t p = 0; p < PLANTERS; p++) {
        size_t injected = 0;
        size_t good = 0;
        struct inject inject = {.first = NOWHERE, .second = NOWHERE};
        for (unsigned tries = 0; tries < TRIES && injected < wanted;) {
            int file = (int)draw((uint64_t)files);
            look_at(&loaded[file]);
            /* from a random op on, the first where it can be */
            size_t from = draw(count);
            bool done = false;
            for (size_t i = 0; i < count && !done; i++) {
                done = injectors[p].inject((from + i) % count, &inject);
                if (!done && touched)

                    memcpy(ops, loaded[file].list, count * sizeof(*ops));
                touched = false;
            }
            tries += done ? 1 : 10;
            if (!done)
                continue;
            injected++;
            good += found(&loaded[file], injectors[p].rule, &inject, argv[file + 3]);
        }
        printf("%s%s: %zu injected, %zu found\n", check_rule_texts[injectors[p].rule].number,
               injectors[p].what, injected, good);
        missed += good != injected || (injected < wanted && !injectors[p].rare);
    }
    for (int i = 0; i < files; i++) {
        twin_ops_free(&loaded[i]);
        twin_recording_free(recordings[i]);
    }
    free(loaded);
    free(recordings);
    look_no_more();
    return missed ? 1 : 0;
}
