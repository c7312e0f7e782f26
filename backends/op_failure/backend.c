/* SPDX-License-Identifier: Apache-2.0 */
/* The op_failure wrapper: makes chosen calls of ops fail (README.md). Handles are the backend's
 * own. */
#include <stdio.h>
#include <string.h>

#include "rules.h"
#include "seam/wrapper.h"

static struct twin_backend below;
static struct twin_backend outer;
static const twin_services *services;
static struct op_failure_rules rules;

static const char *status_name(twin_status status)
{
    static const char *const names[] = {
#define STATUS_NAME(name, code, text) [name] = #name,
        TWIN_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
    };
    return names[status];
}

static void report(enum op_failure_op op, const struct op_failure_rule *rule, uint64_t call)
{
    char text[160];
    (void)snprintf(text, sizeof(text), "TWINRT_FAIL_OPS: call %llu, which is %s, answers %s%s",
                   (unsigned long long)call, op_failure_op_name(op), status_name(rule->status),
                   rule->after ? " after its work" : "");
    services->log(2, text);
}

#define OP(...)
#define STATUS_OP(group, op, parameters, arguments)                                                \
    static twin_status group##_##op parameters                                                     \
    {                                                                                              \
        uint64_t which_call = 0;                                                                   \
        const struct op_failure_rule *rule =                                                       \
            op_failure_rules_match(&rules, OP_FAILURE_OP_##group##_##op, &which_call);             \
        if (!rule)                                                                                 \
            return below.group.op arguments;                                                       \
        if (rule->after)                                                                           \
            (void)below.group.op arguments;                                                        \
        report(OP_FAILURE_OP_##group##_##op, rule, which_call);                                    \
        return rule->status;                                                                       \
    }
#include "seam/ops.def"

static twin_status process_start(const twin_services *given)
{
    char why[512] = "TWINRT_FAIL_OPS: ";
    const size_t used = strlen(why);
    services = given;
    if (!op_failure_rules_read(given->setting("TWINRT_FAIL_OPS"), &rules, why + used,
                               sizeof(why) - used)) {
        given->because(why);
        return TWIN_E_INVALID;
    }
    return below.process.start(given);
}

__attribute__((visibility("default"))) const struct twin_backend *
twin_wrapper_entry(const struct twin_backend *inner);

const struct twin_backend *twin_wrapper_entry(const struct twin_backend *inner)
{
    below = *inner;
    outer = below; /* operations that cannot fail are called directly */
    outer.process.start = process_start;
#define OP(...)
#define STATUS_OP(group, op, parameters, arguments) outer.group.op = group##_##op;
#include "seam/ops.def"
    return &outer;
}
