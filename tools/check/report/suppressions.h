/* SPDX-License-Identifier: Apache-2.0 */
/* Findings that a project knows of and leaves: a text file, one suppression a line.
 *
 *   # why it is left
 *   RACE-02 call=aclrtMemcpyAsync stream=3
 *
 * First the rule, then conditions KEY=PATTERN. The rule and the patterns are shell patterns (* ?
 * []), as fnmatch(3) takes them. A finding is suppressed if its rule matches and each condition
 * holds for one of its two ops. Empty lines and what comes after "#" at the begin of a word are
 * left out. */
#ifndef TWINRT_CHECK_REPORT_SUPPRESSIONS_H
#define TWINRT_CHECK_REPORT_SUPPRESSIONS_H

#include <stddef.h>
#include <stdint.h>

#include "check/checker.h"
#include "recording/containers.h"

struct check_result;

struct check_condition {
    int key;             /* of suppressions.c */
    const char *pattern; /* into `words` */
};

struct check_suppression {
    char *text;       /* as in the file */
    uint32_t line;    /* from 1 */
    uint64_t used;    /* findings */
    char *words;      /* the line, cut into words */
    const char *rule; /* one of them; NULL: the line is empty */
    LIST_OF(struct check_condition) conditions;
};

struct check_suppressions {
    char *path;
    LIST_OF(struct check_suppression);
};

/* NULL: `error` says what is wrong, with file and line. */
struct check_suppressions *check_suppressions_read(const char *path, char *error,
                                                   size_t error_bytes);
void check_suppressions_free(struct check_suppressions *suppressions);

/* Line of the first one that matches the finding, which counts it; 0: none does. */
uint32_t check_suppressions_match(struct check_suppressions *suppressions,
                                  const struct check_result *result,
                                  const struct check_finding *finding);

/* The line that suppresses findings like this one: its rule and both call sites, by function where
 * it is known. */
#define CHECK_SUPPRESSION_LINE 640u
const char *check_suppression_for(const struct check_result *result,
                                  const struct check_finding *finding,
                                  char out[CHECK_SUPPRESSION_LINE]);

#endif
