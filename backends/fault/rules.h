/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of TWINRT_FAIL, "work.copy:3=TWIN_E_NOMEM,queue.*:2+=TWIN_E_DEVICE/after", which the wrapper and `twinrt run --fail`
 * read. */
#ifndef TWINRT_FAULT_RULES_H
#define TWINRT_FAULT_RULES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "seam/status.h"

#define FAULT_RULES_MOST 32u

/* The ops that can fail: those that return a status. */
enum fault_op {
#define OP(...)
#define STATUS_OP(group, op, parameters, arguments) FAULT_OP_##group##_##op,
#include "seam/ops.def"
    FAULT_OPS
};
/* "work.copy" */
const char *fault_op_name(enum fault_op op);

struct fault_rule {
    bool ops[FAULT_OPS];  /* whether the op counts */
    uint64_t first, last; /* calls that fail, from 1 */
    twin_status status;
    bool after; /* the call does its work, and its answer is replaced */
    _Atomic uint64_t calls;
};
struct fault_rules {
    struct fault_rule rule[FAULT_RULES_MOST];
    size_t count;
};

/* False: `why` says what is wrong, without the name of the setting. */
bool fault_rules_read(const char *text, struct fault_rules *out, char *why, size_t why_bytes);
/* Counts a call of an op. The rule that hits it, or NULL; *out_call is its number among those that count. Thread: any. */
const struct fault_rule *fault_rules_match(struct fault_rules *rules, enum fault_op op,
                                           uint64_t *out_call);

#endif
