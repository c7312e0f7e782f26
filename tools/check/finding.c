/* SPDX-License-Identifier: Apache-2.0 */
/* Breaches found: one of each kind is reported, the others are counted. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/state.h"

/* What makes two findings the same: the rule, and of both ops the kind, the public call and where
 * it is made, with the stack if that is known, the thread and the stream. */
struct finding_part {
    uint64_t site;
    uint32_t kind, name, thread, queue, stack;
    uint32_t spare; /* 0: keys are compared as bytes */
};
struct finding_key {
    uint64_t rule;
    struct finding_part part[2];
};

struct finding_seen {
    UT_hash_handle hh;
    struct finding_key key;
    size_t number; /* of the finding, from 1 */
};

static struct finding_part part_of(const struct checker *checker, uint32_t op)
{
    static const twin_op nothing = {
        .kind = UINT16_MAX, .name = CHECK_NONE, .thread = CHECK_NONE, .queue = CHECK_NONE};
    const twin_op *seen = checker_op(checker, op);
    seen = seen ? seen : &nothing;
    return (struct finding_part){.site = seen->site,
                                 .kind = seen->kind,
                                 .name = seen->name,
                                 .thread = seen->thread,
                                 .queue = seen->queue,
                                 .stack = seen->stack};
}

/* Counts a finding like one before. False: there was none, and there is room for it. */
static bool is_repeated(struct checker *checker, check_rule rule, uint32_t first, uint32_t second)
{
    const struct finding_key key = {.rule = (uint64_t)rule,
                                    .part = {part_of(checker, first), part_of(checker, second)}};
    struct finding_seen *list = checker->finding_keys;
    struct finding_seen *seen = NULL;
    if (LIST_ROOM(&checker->findings))
        HASH_ENSURE(list, key, key, seen);
    checker->finding_keys = list;
    if (!seen) {
        checker->short_of_memory = true;
        return true;
    }
    if (seen->number != 0) {
        checker->findings.items[seen->number - 1].repeats++;
        return true;
    }
    seen->number = checker->findings.count + 1;
    return false;
}

void check_find(struct checker *checker, check_rule rule, uint32_t first, uint32_t second,
                const char *why, ...)
{
    char text[512];
    if (checker->judged[rule] == 0)
        checker->judged[rule] = 1;
    if (is_repeated(checker, rule, first, second))
        return;
    va_list values;
    va_start(values, why);
    (void)vsnprintf(text, sizeof(text), why, values);
    va_end(values);
    char *kept = strdup(text);
    checker->short_of_memory |= !kept;
    /* is_repeated() has made room */
    checker->findings.items[checker->findings.count++] =
        (struct check_finding){.rule = rule, .first = first, .second = second, .why = kept};
}

const char *checker_fix(const struct checker *checker, const struct check_finding *finding)
{
    const uint32_t first = checker_run_of(checker, finding->first);
    const uint32_t second = checker_run_of(checker, finding->second);
    const struct check_rule_text *rule = &check_rule_texts[finding->rule];
    const bool of_streams = finding->rule == CHECK_RACE_01 || finding->rule == CHECK_RACE_02 ||
                            finding->rule == CHECK_RACE_03;
    if (finding->rule == CHECK_LIFE_03 && second != CHECK_NONE)
        return "free the memory after the last run of the model instance that names it";
    if (!of_streams || (first == CHECK_NONE && second == CHECK_NONE))
        return rule->fix;
    if (first == second)
        return "in the model instance, record an event after the first op and make the second's "
               "stream wait on it";
    if (first == CHECK_NONE)
        return "record an event after the first op and make the stream that runs the model "
               "instance wait on it before the run";
    return second == CHECK_NONE
               ? "record an event on the stream that runs the model instance, after the run, and "
                 "make the second's stream wait on it"
               : "record an event on the stream of the first run, after it, and make the stream of "
                 "the second run wait on it before that";
}

void check_findings_free(struct checker *checker)
{
    struct finding_seen *list = checker->finding_keys;
    HASH_FREE_ALL(list);
    for (size_t i = 0; i < checker->findings.count; i++)
        free(checker->findings.items[i].why);
    free(checker->findings.items);
}
