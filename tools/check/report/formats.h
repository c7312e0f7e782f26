/* SPDX-License-Identifier: Apache-2.0 */
/* What report.c asks of each format. */
#ifndef TWINRT_CHECK_REPORT_FORMATS_H
#define TWINRT_CHECK_REPORT_FORMATS_H

#include "check/report/report.h"

struct check_report {
    enum check_report_format format;
    struct check_report_options options;
    struct check_totals totals;
    size_t suites, tests, failures, partial; /* JUnit, of all suites */
    FILE *body;                              /* text and JUnit: what was added, in memory */
    char *text;                              /* valid once `body` is closed */
    size_t text_bytes;
    cJSON *list; /* JSON and SARIF: what was added */
};

void check_json_add(struct check_report *report, const struct check_result *result);
/* False: out of memory, now or when a result was added. */
bool check_json_write(struct check_report *report, FILE *out);
/* A suite with an error: a recording is missing. */
void check_junit_incomplete(struct check_report *report);
bool check_junit_add(struct check_report *report, const struct check_result *result);
/* Once `body` is closed. */
void check_junit_write(const struct check_report *report, FILE *out);
void check_sarif_add(struct check_report *report, const struct check_result *result);
bool check_sarif_write(struct check_report *report, FILE *out);

#endif
