/* SPDX-License-Identifier: Apache-2.0 */
#include "check/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "check/report/formats.h"
#include "output/layout.h"

static const struct {
    const char *name, *ending;
} formats[CHECK_REPORT_FORMATS] = {
    [CHECK_REPORT_TEXT] = {"text", ".txt"},
    [CHECK_REPORT_JSON] = {"json", ".json"},
    [CHECK_REPORT_JUNIT] = {"junit", ".xml"},
    [CHECK_REPORT_SARIF] = {"sarif", ".sarif"},
};

enum check_report_format check_report_format_named(const char *name)
{
    int format = 0;
    while (format < CHECK_REPORT_FORMATS && strcmp(name, formats[format].name) != 0)
        format++;
    return (enum check_report_format)format;
}

enum check_report_format check_report_format_of(const char *path)
{
    const size_t length = strlen(path);
    int format = 0;
    for (; format < CHECK_REPORT_FORMATS; format++) {
        const size_t ending = strlen(formats[format].ending);
        if (length > ending && strcmp(path + length - ending, formats[format].ending) == 0)
            break;
    }
    return (enum check_report_format)format;
}

void check_totals_add(struct check_totals *totals, const struct check_result *result)
{
    totals->processes++;
    totals->ops += result->ops.count;
    totals->errors += result->errors;
    totals->warnings += result->warnings;
    totals->suppressed += result->suppressed;
    totals->partial = totals->partial || check_result_partial(result);
    totals->unjudged = totals->unjudged || result->ops.refused > 0 ||
                       checker_unjudged_work(result->checker) > 0 ||
                       checker_failed(result->checker);
}

struct check_report *check_report_new(enum check_report_format format,
                                      const struct check_report_options *options)
{
    struct check_report *report = calloc(1, sizeof(*report));
    if (!report)
        return NULL;
    report->format = format;
    report->options = *options;
    if (format == CHECK_REPORT_JSON || format == CHECK_REPORT_SARIF)
        report->list = cJSON_CreateArray();
    else
        report->body = open_memstream(&report->text, &report->text_bytes);
    if (report->list || report->body)
        return report;
    check_report_free(report);
    return NULL;
}

bool check_report_add(struct check_report *report, const struct check_result *result)
{
    check_totals_add(&report->totals, result);
    switch (report->format) {
    case CHECK_REPORT_JSON:
        check_json_add(report, result);
        return true;
    case CHECK_REPORT_JUNIT:
        return check_junit_add(report, result);
    case CHECK_REPORT_SARIF:
        check_sarif_add(report, result);
        return true;
    default:
        check_text_result(&(struct check_text){.width = LAYOUT_PIPED, .all = true, .verbose = true},
                          result, report->body);
        return ferror(report->body) == 0;
    }
}

void check_report_incomplete(struct check_report *report)
{
    report->totals.partial = true;
    if (report->format == CHECK_REPORT_JUNIT)
        check_junit_incomplete(report);
}

bool check_report_write(struct check_report *report, FILE *out)
{
    if (report->format == CHECK_REPORT_JSON)
        return check_json_write(report, out);
    if (report->format == CHECK_REPORT_SARIF)
        return check_sarif_write(report, out);
    if (report->format == CHECK_REPORT_TEXT)
        check_text_end(&(struct check_text){.width = LAYOUT_PIPED, .verbose = true},
                       &report->totals, report->options.suppressions, report->options.name,
                       report->body);
    FILE *body = report->body;
    report->body = NULL;
    if (fclose(body) != 0)
        return false;
    if (report->format == CHECK_REPORT_JUNIT)
        check_junit_write(report, out);
    else
        fputs(report->text, out);
    return true;
}

void check_report_free(struct check_report *report)
{
    if (!report)
        return;
    if (report->body)
        (void)fclose(report->body);
    free(report->text);
    cJSON_Delete(report->list);
    free(report);
}
