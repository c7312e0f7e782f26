/* SPDX-License-Identifier: Apache-2.0 */
/* What TWINRT_FAIL says: a list of rules, "work.copy:3=TWIN_E_NOMEM,queue.*:2+=TWIN_E_DEVICE/after". */
#ifndef TWINRT_FAULT_RULES_H
#define TWINRT_FAULT_RULES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "seam/status.h"

#define FAULT_RULES_MOST 32u
#define FAULT_OPS_MOST   96u

struct fault_rule {
    bool ops[FAULT_OPS_MOST]; /* by number of the op: whether it counts */
    uint64_t first, last;     /* calls that fail, from 1 */
    twin_status status;
    bool after; /* the call does its work, and its answer is replaced */
    _Atomic uint64_t calls;
};
struct fault_rules {
    struct fault_rule rule[FAULT_RULES_MOST];
    size_t count;
};

/* An op that can fail; `makes`: it gives something that would be lost with its answer. */
struct fault_op {
    const char *name; /* "work.copy" */
    bool makes;
};

/* False: `why` says what is wrong. Numbers of ops are their places in the list. */
bool fault_rules_read(const char *text, const struct fault_op *ops, size_t op_count,
                      struct fault_rules *out, char *why, size_t why_bytes);
/* Counts a call of an op. The rule that hits it, or NULL; *out_call is its number among those that count. Thread: any. */
const struct fault_rule *fault_rules_match(struct fault_rules *rules, size_t op,
                                           uint64_t *out_call);

#endif
