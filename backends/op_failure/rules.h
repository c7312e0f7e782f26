/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of TWINRT_FAIL_OPS, "work.copy:3=TWIN_E_NOMEM,queue.*:2+=TWIN_E_DEVICE/after", which
 * the wrapper and `twinrt run --fail-ops` read. */
#ifndef TWINRT_OP_FAILURE_RULES_H
#define TWINRT_OP_FAILURE_RULES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "seam/status.h"

#define OP_FAILURE_RULES_MOST 32u

/* The ops that can fail: those that return a status. */
enum op_failure_op {
#define OP(...)
#define STATUS_OP(group, op, parameters, arguments) OP_FAILURE_OP_##group##_##op,
#include "seam/ops.def"
    OP_FAILURE_OPS
};
/* "work.copy" */
const char *op_failure_op_name(enum op_failure_op op);

struct op_failure_rule {
    bool ops[OP_FAILURE_OPS]; /* whether the op counts */
    uint64_t first, last;     /* calls that fail, from 1 */
    twin_status status;
    bool after; /* the call does its work, and its answer is replaced */
    _Atomic uint64_t calls;
};
struct op_failure_rules {
    struct op_failure_rule rule[OP_FAILURE_RULES_MOST];
    size_t count;
};

/* False: `why` says what is wrong, without the name of the setting. */
bool op_failure_rules_read(const char *text, struct op_failure_rules *out, char *why,
                           size_t why_bytes);
/* Counts a call of an op. The rule that hits it, or NULL; *out_call is its number among those that
 * count. Thread: any. */
const struct op_failure_rule *op_failure_rules_match(struct op_failure_rules *rules,
                                                     enum op_failure_op op, uint64_t *out_call);

#endif
