/* SPDX-License-Identifier: Apache-2.0 */
/* What one recording was found to have. A report is made of one or more of these, one for each
 * process. */
#ifndef TWINRT_CHECK_REPORT_RESULT_H
#define TWINRT_CHECK_REPORT_RESULT_H

#include "check/checker.h"
#include "check/report/site.h"
#include "check/report/suppressions.h"

struct check_result {
    char *name; /* of the recording or of its process, UTF-8 */
    twin_recording *recording;
    struct twin_ops ops;
    struct checker *checker;
    const struct check_finding *findings; /* the checker's */
    size_t finding_count;
    struct check_sites *sites;
    uint32_t *suppressed_by; /* of each finding: line of the file of suppressions; 0: none */
    size_t errors;           /* neither warnings nor suppressed */
    size_t warnings;         /* not suppressed */
    size_t suppressed;
};

enum check_result_state { CHECK_RESULT_OK, CHECK_RESULT_E_RECORDING, CHECK_RESULT_E_MEMORY };

/* Reads and judges a recording. `symbolizer` outlives the result. `suppressions` may be NULL; else
 * it counts how often each is used. On failure `error` says what is wrong, and there is nothing to
 * free. */
enum check_result_state check_result_load(const char *path, const char *name,
                                          struct symbolizer *symbolizer,
                                          struct check_suppressions *suppressions,
                                          struct check_result *out, char *error,
                                          size_t error_bytes);
void check_result_free(struct check_result *result);

/* Something of the recording is damaged or missing. */
bool check_result_partial(const struct check_result *result);
/* Findings of a rule, those that look alike among them. */
uint64_t check_result_found(const struct check_result *result, check_rule rule);

/* One line about an op: "copy, aclrtMemcpyAsync, thread 1, stream 1 task 2, …"; "" for
 * CHECK_NONE. */
#define CHECK_OP_LINE 512u
const char *check_describe_op(const struct check_result *result, uint32_t op,
                              char out[CHECK_OP_LINE]);

/* Where the program made the call that an op is part of. False: it is not known. */
bool check_result_site(const struct check_result *result, uint32_t op, struct check_site *out);
/* The stack of that call, as of check_sites_stack(). */
size_t check_result_stack(const struct check_result *result, uint32_t op,
                          struct check_site out[TWIN_RECORD_STACK_MOST]);

/* "order", "race", "lifetime", "warning" */
const char *check_class_word(check_class of);
/* "error" or "warning" */
const char *check_level_word(check_class of);

#endif
