/* SPDX-License-Identifier: Apache-2.0 */
/* What a check has found, for people and for programs. */
#ifndef TWINRT_CHECK_REPORT_H
#define TWINRT_CHECK_REPORT_H

#include <stdio.h>

#include "check/load.h"

struct check_report {
    const char *path;
    const twin_recording *recording;
    const struct check_ops *ops;
    const struct checker *checker;
    bool all; /* print each finding, however many there are of a rule */
};

/* Findings without the warnings. */
size_t check_report_breaches(const struct check_report *report);
void check_report_text(const struct check_report *report, FILE *out);
/* False: memory is short. */
bool check_report_json(const struct check_report *report, FILE *out);

#endif
