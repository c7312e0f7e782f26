/* SPDX-License-Identifier: Apache-2.0 */
/* Findings that a project knows of and leaves: a text file, one suppression a line.
 *
 *   # why it is left
 *   RACE-02 call=aclrtMemcpyAsync stream=3
 *
 * First the rule, then conditions KEY=PATTERN. The rule and the patterns are shell patterns (* ? []), as fnmatch(3) takes them.
 * A finding is suppressed if its rule matches and each condition holds for one of its two ops. Empty lines and what comes after
 * "#" at the begin of a word are left out. */
#ifndef TWINRT_CHECK_REPORT_SUPPRESSIONS_H
#define TWINRT_CHECK_REPORT_SUPPRESSIONS_H

#include <stddef.h>
#include <stdint.h>

#include "check/checker.h"

struct check_result;
struct check_suppressions;

struct check_suppression {
    const char *text; /* as in the file */
    uint32_t line;    /* from 1 */
    uint64_t used;    /* findings */
};

/* NULL: `error` says what is wrong, with file and line. */
struct check_suppressions *check_suppressions_read(const char *path, char *error,
                                                   size_t error_bytes);
void check_suppressions_free(struct check_suppressions *suppressions);

/* Line of the first one that matches the finding, which counts it; 0: none does. */
uint32_t check_suppressions_match(struct check_suppressions *suppressions,
                                  const struct check_result *result,
                                  const struct check_finding *finding);

/* The line that suppresses findings like this one: its rule and both call sites, by function where it is known. */
#define CHECK_SUPPRESSION_LINE 640u
const char *check_suppression_for(const struct check_result *result,
                                  const struct check_finding *finding,
                                  char out[CHECK_SUPPRESSION_LINE]);

const char *check_suppressions_path(const struct check_suppressions *suppressions);
size_t check_suppressions_count(const struct check_suppressions *suppressions);
const struct check_suppression *check_suppressions_at(const struct check_suppressions *suppressions,
                                                      size_t index);

#endif
