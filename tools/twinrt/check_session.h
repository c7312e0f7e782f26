/* SPDX-License-Identifier: Apache-2.0 */
/* What `check` and `run --check` share: options, checks of one recording after the other,
 * reports. */
#ifndef TWINRT_TOOLS_CHECK_SESSION_H
#define TWINRT_TOOLS_CHECK_SESSION_H

#include <stdbool.h>
#include <stdio.h>

#include "options.h"

#define CHECK_REPORTS 8u

struct check_options {
    bool all, strict, verbose;
    int error_status; /* --error-exitcode; -1: the command's own */
    const char *suppressions;
    const char *format; /* of all reports; NULL: by the ending of each name */
    const char *reports[CHECK_REPORTS];
    unsigned report_count;
};
/* What the options of this table have set. */
extern struct check_options check_options;
extern const struct tool_option check_option_table[];

/* Whether any of them is given. */
bool check_options_given(void);
/* Ends with a message if the format of a report is invalid or unknown. */
void check_options_verify(struct argp_state *state);

struct check_session;

/* Whether no report goes to `path`, which holds `what` ("recording"). False, with a message. */
bool check_options_spare(const struct check_options *options, const char *path, const char *what);
/* Reads the suppressions, removes earlier reports of the same names and checks that new ones can be
 * written. `name` is of the program or recording. Findings and the closing line go to `text`; NULL:
 * as JSON to standard output. Returns NULL, with a message, on failure. */
struct check_session *check_session_open(const struct check_options *options, const char *name,
                                         FILE *text);
/* A recording is missing: no report may pass. */
void check_session_incomplete(struct check_session *session);
/* Checks a recording. False, with a message: it cannot be read, and it counts as missing. */
bool check_session_add(struct check_session *session, const char *path, const char *name);
/* Prints the closing line, writes the reports. False, with a message: one cannot be written. */
bool check_session_close(struct check_session *session);
/* Whether there are errors, or with --strict warnings, that nothing suppresses. */
bool check_session_found(const struct check_session *session);
/* Whether a recording is damaged or stopped early. */
bool check_session_partial(const struct check_session *session);
void check_session_free(struct check_session *session);

#endif
