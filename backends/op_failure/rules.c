/* SPDX-License-Identifier: Apache-2.0 */
#include "rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct status_name {
    const char *name;
    twin_status status;
};
static const struct status_name statuses[] = {
#define STATUS_NAME(name, code, text) {#name, name},
    TWIN_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
};

/* `creates`: it gives an object that would be lost with the result. */
static const struct {
    const char *name;
    bool creates;
} ops[OP_FAILURE_OPS] = {
#define OP(...)
#define STATUS_OP(group, op, parameters, arguments) {#group "." #op, false},
#define CREATE_OP(group, op, parameters, arguments) {#group "." #op, true},
#include "seam/ops.def"
};

const char *op_failure_op_name(enum op_failure_op op)
{
    return ops[op].name;
}

/* "work.copy" by "work.copy", "work.*" and "*". */
static bool fits(const char *pattern, size_t length, const char *name)
{
    if (length > 0 && pattern[length - 1] == '*')
        return (length == 1 || pattern[length - 2] == '.') &&
               strncmp(pattern, name, length - 1) == 0;
    return strncmp(pattern, name, length) == 0 && name[length] == '\0';
}

/* A number, or a number and "+". False: it is neither. */
static bool read_calls(const char *text, size_t length, struct op_failure_rule *rule)
{
    char *end = NULL;
    errno = 0;
    rule->first = strtoull(text, &end, 10);
    if (length == 0 || *text < '0' || *text > '9' || errno != 0 || rule->first == 0)
        return false;
    rule->last = rule->first;
    if (*end == '+') {
        rule->last = UINT64_MAX;
        end++;
    }
    return end == text + length;
}

static bool read_status(const char *text, size_t length, struct op_failure_rule *rule)
{
    static const char after[] = "/after";
    const size_t suffix = sizeof(after) - 1;
    if (length > suffix && strncmp(text + length - suffix, after, suffix) == 0) {
        rule->after = true;
        length -= suffix;
    }
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
        if (strncmp(statuses[i].name, text, length) == 0 && statuses[i].name[length] == '\0') {
            rule->status = statuses[i].status;
            /* the second is for a code that only a backend knows */
            return rule->status != TWIN_OK && rule->status != TWIN_E_VENDOR;
        }
    return false;
}

/* One rule, without the comma. NULL, or what is wrong. */
static const char *read_rule(const char *text, size_t length, struct op_failure_rule *rule)
{
    const char *colon = memchr(text, ':', length);
    if (!colon)
        return "has no \":\" after the op; expected OP:CALL=STATUS";
    const char *equal = memchr(colon, '=', length - (size_t)(colon - text));
    if (!equal)
        return "has no \"=\" in front of the status";
    if (!read_calls(colon + 1, (size_t)(equal - colon - 1), rule))
        return "has no number of a call between \":\" and \"=\"; expected 1 or more, \"+\" after "
               "it includes all later calls";
    if (!read_status(equal + 1, length - (size_t)(equal + 1 - text), rule))
        return "has no status after \"=\", such as TWIN_E_NOMEM";
    bool any = false;
    for (size_t i = 0; i < OP_FAILURE_OPS; i++) {
        rule->ops[i] = fits(text, (size_t)(colon - text), ops[i].name) &&
                       !(rule->after && ops[i].creates && memchr(text, '*', length));
        any = any || rule->ops[i];
        if (rule->ops[i] && rule->after && ops[i].creates)
            return "creates an object that would be lost with the result: \"/after\" is not "
                   "allowed";
    }
    return any ? NULL : "does not name an op that can fail";
}

bool op_failure_rules_read(const char *text, struct op_failure_rules *out, char *why,
                           size_t why_bytes)
{
    memset(out, 0, sizeof(*out));
    while (*text) {
        size_t length = strcspn(text, ",");
        if (length > 0) {
            if (out->count == OP_FAILURE_RULES_MOST) {
                (void)snprintf(why, why_bytes, "more than %u rules", OP_FAILURE_RULES_MOST);
                return false;
            }
            const char *wrong = read_rule(text, length, &out->rule[out->count]);
            if (wrong) {
                (void)snprintf(why, why_bytes, "\"%.*s\" %s", (int)(length < 200 ? length : 200),
                               text, wrong);
                return false;
            }
            out->count++;
        }
        text += length;
        text += *text == ',';
    }
    return true;
}

const struct op_failure_rule *op_failure_rules_match(struct op_failure_rules *rules,
                                                     enum op_failure_op op, uint64_t *out_call)
{
    const struct op_failure_rule *hit = NULL;
    for (size_t i = 0; i < rules->count; i++) {
        struct op_failure_rule *rule = &rules->rule[i];
        if (!rule->ops[op])
            continue;
        uint64_t call = atomic_fetch_add_explicit(&rule->calls, 1, memory_order_relaxed) + 1;
        if (hit || call < rule->first || call > rule->last)
            continue;
        hit = rule;
        *out_call = call;
    }
    return hit;
}
