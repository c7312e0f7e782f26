/* SPDX-License-Identifier: Apache-2.0 */
#include "check_session.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "output/layout.h"
#include "check/report/report.h"
#include "recording/utf8.h"
#include "output.h"
#include "report_file.h"
#include "tool.h"

/* ---- options ---- */

struct check_options check_options = {.error_status = -1};

static void add_report(struct argp_state *state, const struct tool_option *option, char *path)
{
    (void)option;
    if (check_options.report_count == CHECK_REPORTS)
        argp_error(state, "--report is given more than %u times", CHECK_REPORTS);
    if (!*path)
        argp_error(state, "--report is missing the name of a file");
    check_options.reports[check_options.report_count++] = path;
}

/* The format of a report, or of all. */
static enum check_report_format format_of(const struct check_options *options, const char *path)
{
    return options->format ? check_report_format_named(options->format)
                           : check_report_format_of(path);
}

void check_options_verify(struct argp_state *state)
{
    const struct check_options *options = &check_options;
    if (options->format && check_report_format_named(options->format) == CHECK_REPORT_FORMATS)
        argp_error(state, "--report-format is \"%s\"; expected text, json, junit or sarif",
                   options->format);
    for (unsigned i = 0; i < options->report_count; i++)
        if (format_of(options, options->reports[i]) == CHECK_REPORT_FORMATS)
            argp_error(state,
                       "--report %s: the format is missing; end the name with .txt, .json, .xml "
                       "(JUnit) or .sarif, or give --report-format",
                       options->reports[i]);
}

bool check_options_given(void)
{
    const struct check_options *options = &check_options;
    return options->all || options->strict || options->verbose || options->error_status >= 0 ||
           options->suppressions || options->format || options->report_count > 0;
}

const struct tool_option check_option_table[] = {
    {"all", NULL, "Print every finding, not the first three of each rule", option_flag,
     .to = &check_options.all},
    {"error-exitcode", "N",
     "Exit status when something was found; 0: findings do not change the status", option_number,
     .to = &check_options.error_status, .most = 255},
    {"report", "FILE",
     "Also write the findings to FILE: text (.txt), JSON (.json), JUnit XML (.xml), SARIF "
     "(.sarif); may be given several times. An earlier FILE is removed at the start",
     .take = add_report},
    {"report-format", "F", "Format of the reports, whatever their names: text, json, junit, sarif",
     option_text, .to = &check_options.format},
    {"strict", NULL, "Warnings count as errors", option_flag, .to = &check_options.strict},
    {"suppressions", "FILE",
     "Leave out the findings that FILE describes, one \"RULE KEY=PATTERN...\" a line", option_text,
     .to = &check_options.suppressions},
    {"verbose", NULL,
     "Also print the suppression for each finding, how often each rule was checked, what was not "
     "checked, and suppressions that were not used",
     option_flag, .to = &check_options.verbose},
    {0},
};

bool check_options_spare(const struct check_options *options, const char *path, const char *what)
{
    for (unsigned i = 0; i < options->report_count; i++)
        if (output_is_same_file(options->reports[i], path))
            return twin_tool_error(false, "%s cannot take both %s and report: give each a file",
                                   path, what);
    return true;
}

/* ---- a session ---- */

struct check_session {
    const struct check_options *options;
    char *name;
    FILE *text;
    struct symbolizer *symbolizer;
    struct check_suppressions *suppressions;
    struct check_report *reports[CHECK_REPORTS];
    struct report_file files[CHECK_REPORTS];
    struct check_totals totals;
};

static bool open_reports(struct check_session *session)
{
    const struct check_options *options = session->options;
    struct check_report_options how = {
        .strict = options->strict,
        .suppressions = session->suppressions,
        .name = session->name,
    };
    for (unsigned i = 0; i < options->report_count; i++) {
        const char *path = options->reports[i];
        for (unsigned before = 0; before < i; before++)
            if (output_is_same_file(options->reports[before], path))
                return twin_tool_error(false, "%s cannot take two reports: give each a file", path);
        if (!report_file_prepare(&session->files[i], path))
            return twin_tool_error(false, "cannot write the report %s: %s", path, strerror(errno));
        how.path = path;
        session->reports[i] = check_report_new(format_of(options, path), &how);
        if (!session->reports[i])
            return twin_tool_error(false, "out of memory");
    }
    return true;
}

struct check_session *check_session_open(const struct check_options *options, const char *name,
                                         FILE *text)
{
    char error[512] = "out of memory";
    struct check_session *session = calloc(1, sizeof(*session));
    bool good = session && (session->name = strdup(name)) != NULL &&
                (session->symbolizer = symbolizer_new()) != NULL;
    if (good) {
        utf8_clean(session->name);
        session->options = options;
        session->text = text;
    }
    if (good && options->suppressions) {
        session->suppressions =
            check_suppressions_read(options->suppressions, error, sizeof(error));
        good = session->suppressions != NULL;
    }
    if (!good)
        fprintf(stderr, "twinrt: %s\n", error);
    good = good && (!options->suppressions ||
                    check_options_spare(options, options->suppressions, "suppressions"));
    if (good && open_reports(session))
        return session;
    check_session_free(session);
    return NULL;
}

static struct check_text text_of(const struct check_session *session)
{
    return (struct check_text){.width = layout_width(session->text),
                               .all = session->options->all,
                               .verbose = session->options->verbose};
}

static bool print(const struct check_session *session, const struct check_result *result)
{
    if (!session->text) {
        cJSON *object = check_json_result(result, session->options->strict);
        return json_print(object, stdout);
    }
    const struct check_text how = text_of(session);
    const bool silent =
        result->errors + result->warnings == 0 && !check_result_partial(result) && !how.verbose;
    if (!silent && strcmp(session->name, result->name) != 0)
        fprintf(session->text, "%s:\n", result->name);
    check_text_result(&how, result, session->text);
    return true;
}

void check_session_incomplete(struct check_session *session)
{
    session->totals.partial = true;
    for (unsigned i = 0; i < session->options->report_count; i++)
        check_report_incomplete(session->reports[i]);
}

bool check_session_add(struct check_session *session, const char *path, const char *name)
{
    struct check_result result;
    char error[1024];
    if (check_result_load(path, name, session->symbolizer, session->suppressions, &result, error,
                          sizeof(error)) != CHECK_RESULT_OK) {
        fprintf(stderr, "twinrt: %s\n", error);
        check_session_incomplete(session);
        return false;
    }
    check_totals_add(&session->totals, &result);
    bool good = print(session, &result);
    for (unsigned i = 0; i < session->options->report_count; i++)
        good = check_report_add(session->reports[i], &result) && good;
    if (!good)
        fprintf(stderr, "twinrt: %s: out of memory\n", path);
    check_result_free(&result);
    return good;
}

static bool write_report(struct check_report *report, struct report_file *file)
{
    FILE *out = report_file_open(file);
    const bool written =
        out && check_report_write(report, out) && fflush(out) == 0 && ferror(out) == 0;
    const bool good = report_file_close(file, written);
    if (!good)
        fprintf(stderr, "twinrt: the report %s cannot be written: %s\n", file->path,
                strerror(errno));
    return good;
}

bool check_session_close(struct check_session *session)
{
    bool good = true;
    if (session->text && session->totals.processes > 0) {
        const struct check_text how = text_of(session);
        check_text_end(&how, &session->totals, session->suppressions, session->name, session->text);
    }
    fflush(stdout); /* a report may go there too */
    /* a process that takes a report may end before it has read all */
    void (*const before)(int) = signal(SIGPIPE, SIG_IGN);
    for (unsigned i = 0; i < session->options->report_count; i++)
        good = write_report(session->reports[i], &session->files[i]) && good;
    (void)signal(SIGPIPE, before);
    return good;
}

bool check_session_found(const struct check_session *session)
{
    return session->totals.errors > 0 || (session->options->strict && session->totals.warnings > 0);
}

bool check_session_partial(const struct check_session *session)
{
    return session->totals.partial;
}

void check_session_free(struct check_session *session)
{
    if (!session)
        return;
    for (unsigned i = 0; i < CHECK_REPORTS; i++) {
        check_report_free(session->reports[i]);
        report_file_free(&session->files[i]);
    }
    check_suppressions_free(session->suppressions);
    symbolizer_free(session->symbolizer);
    free(session->name);
    free(session);
}
