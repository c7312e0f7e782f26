/* SPDX-License-Identifier: Apache-2.0 */
/* Breaches found: one of each kind is told, the others are counted. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/state.h"

/* What makes two findings the same: the rule, and of both ops the kind, the public call and where it is made, with the stack if that is known,
 * the thread and the stream. */
struct finding_part {
    uint64_t site;
    uint32_t kind, name, thread, queue, stack;
};
struct finding_key {
    uint64_t rule;
    struct finding_part part[2];
};

struct finding_seen {
    UT_hash_handle hh;
    struct finding_key key;
    size_t index;
};

static void fill_part(const struct checker *checker, uint32_t op, struct finding_part *part)
{
    const twin_op *seen = checker_op(checker, op);
    part->site = seen ? seen->site : 0;
    part->stack = seen ? seen->stack : 0;
    part->kind = seen ? seen->kind : CHECK_NONE;
    part->name = seen ? seen->name : CHECK_NONE;
    part->thread = seen ? seen->thread : CHECK_NONE;
    part->queue = seen ? seen->queue : CHECK_NONE;
}

static bool is_new(struct checker *checker, check_rule rule, uint32_t first, uint32_t second)
{
    struct finding_key key;
    memset(&key, 0, sizeof(key));
    key.rule = (uint64_t)rule;
    fill_part(checker, first, &key.part[0]);
    fill_part(checker, second, &key.part[1]);
    struct finding_seen *list = checker->finding_keys;
    struct finding_seen *seen = NULL;
    HASH_FIND(hh, list, &key, sizeof(key), seen);
    if (seen) {
        checker->findings.items[seen->index].repeats++;
        return false;
    }
    seen = calloc(1, sizeof(*seen));
    if (!seen || !LIST_ROOM(&checker->findings)) {
        free(seen);
        checker->short_of_memory = true;
        return false;
    }
    seen->key = key;
    seen->index = checker->findings.count;
    HASH_ADD(hh, list, key, sizeof(seen->key), seen);
    checker->finding_keys = list;
    return true;
}

void check_find(struct checker *checker, check_rule rule, uint32_t first, uint32_t second,
                const char *why, ...)
{
    char text[512];
    if (checker->judged[rule] == 0)
        checker->judged[rule] = 1;
    if (!is_new(checker, rule, first, second))
        return;
    va_list values;
    va_start(values, why);
    (void)vsnprintf(text, sizeof(text), why, values);
    va_end(values);
    char *kept = strdup(text);
    if (!kept)
        checker->short_of_memory = true;
    checker->findings.items[checker->findings.count++] =
        (struct check_finding){.rule = rule, .first = first, .second = second, .why = kept};
}

void check_findings_free(struct checker *checker)
{
    struct finding_seen *list = checker->finding_keys;
    HASH_FREE_ALL(list);
    for (size_t i = 0; i < checker->findings.count; i++)
        free(checker->findings.items[i].why);
    free(checker->findings.items);
}
