/* SPDX-License-Identifier: Apache-2.0 */
/* What was found, for people and for programs. */
#ifndef TWINRT_CHECK_REPORT_REPORT_H
#define TWINRT_CHECK_REPORT_REPORT_H

#include "output/json.h"
#include <stdio.h>

#include "check/report/result.h"

/* What all results of one report come to. */
struct check_totals {
    size_t processes, ops, errors, warnings, suppressed;
    bool partial;  /* a recording is missing or damaged, or has parts missing */
    bool unjudged; /* parts of what was recorded could not be judged */
};
void check_totals_add(struct check_totals *totals, const struct check_result *result);

/* ---- text (text.c) ---- */

struct check_text {
    unsigned width; /* columns */
    bool all;       /* each finding, however many there are of a rule */
    bool verbose;   /* also rules without findings, and what was not judged */
};
void check_text_finding(const struct check_text *how, const struct check_result *result,
                        const struct check_finding *finding, FILE *out);
/* Findings of one process, and what is wrong with its recording. Nothing for one that is clean,
 * unless it is verbose. */
void check_text_result(const struct check_text *how, const struct check_result *result, FILE *out);
/* With `verbose`: the suppressions that nothing was found for. Then the closing line; `name` is of
 * the program or recording. */
void check_text_end(const struct check_text *how, const struct check_totals *totals,
                    const struct check_suppressions *suppressions, const char *name, FILE *out);

/* ---- JSON (json.c) ---- */

/* One result as an object. `strict`: with warnings it is not clean. NULL: out of memory. */
cJSON *check_json_result(const struct check_result *result, bool strict);

/* ---- files ---- */

enum check_report_format {
    CHECK_REPORT_TEXT,
    CHECK_REPORT_JSON,
    CHECK_REPORT_JUNIT,
    CHECK_REPORT_SARIF,
    CHECK_REPORT_FORMATS
};
/* By name: "text", "json", "junit", "sarif". CHECK_REPORT_FORMATS: none has it. */
enum check_report_format check_report_format_named(const char *name);
/* By the ending of a file's name: .txt, .json, .xml, .sarif. CHECK_REPORT_FORMATS: none has it. */
enum check_report_format check_report_format_of(const char *path);

struct check_report;

struct check_report_options {
    bool strict;                                   /* warnings are failures */
    const struct check_suppressions *suppressions; /* may be NULL; outlives the report */
    const char *name;                              /* of the program or recording */
    const char *path;                              /* of the report; outlives it */
};
/* NULL: out of memory. */
struct check_report *check_report_new(enum check_report_format format,
                                      const struct check_report_options *options);
/* Adds a result, which is not needed afterwards. False: out of memory. */
bool check_report_add(struct check_report *report, const struct check_result *result);
/* Something that the report should be about is missing: a recording that is not there, or cannot be
 * read. */
void check_report_incomplete(struct check_report *report);
/* Writes all that was added. False: out of memory; whether `out` took it, ferror() says. */
bool check_report_write(struct check_report *report, FILE *out);
void check_report_free(struct check_report *report);

#endif
