/* SPDX-License-Identifier: Apache-2.0 */
/* What was found, as JUnit XML: a suite for each process, a test case for each rule that was
 * judged, and one for the recording. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "check/report/formats.h"
#include "output/layout.h"
#include "output/xml.h"
#include "recording/utf8.h"

/* Begins a test case. Services keep one of each class and name, and may not show the suite: the
 * class has the name of the report, which for CTest is that of the test, and from the second
 * process on a number. */
static void put_case(const struct check_report *report, const char *subject, FILE *out)
{
    const char *slash = strrchr(report->options.path, '/');
    const char *name = slash ? slash + 1 : report->options.path;
    const char *end = strrchr(name, '.');
    char stem[NAME_MAX + 1];
    (void)snprintf(stem, sizeof(stem), "%.*s", (int)(end && end != name ? end - name : NAME_MAX),
                   name);
    utf8_clean(stem);
    fputs("    <testcase classname=\"", out);
    xml_put(stem, out);
    if (report->suites > 1)
        fprintf(out, ".%zu", report->suites);
    fprintf(out, ".%s\" name=\"", subject);
}

/* Findings of one rule, by what they count as. */
struct tally {
    uint64_t failures, noted;
};

static bool fails(const struct check_report *report, const struct check_result *result,
                  size_t index)
{
    const check_class of = check_rule_texts[result->findings[index].rule].of;
    return result->suppressed_by[index] == 0 && (report->options.strict || of != CHECK_WARNING);
}

static struct tally tally_of(const struct check_report *report, const struct check_result *result,
                             check_rule rule)
{
    struct tally tally = {0};
    for (size_t i = 0; i < result->finding_count; i++) {
        if (result->findings[i].rule != rule)
            continue;
        if (fails(report, result, i))
            tally.failures++;
        else
            tally.noted++;
    }
    return tally;
}

/* The findings of a rule that fail, or those that do not. False: out of memory. */
static bool put_findings(const struct check_report *report, const struct check_result *result,
                         check_rule rule, bool failing)
{
    const struct check_text how = {.width = LAYOUT_PIPED};
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory)
        return false;
    for (size_t i = 0; i < result->finding_count; i++) {
        if (result->findings[i].rule != rule || fails(report, result, i) != failing)
            continue;
        if (result->suppressed_by[i] != 0)
            fprintf(memory, "suppressed by %s:%" PRIu32 "\n", report->options.suppressions->path,
                    result->suppressed_by[i]);
        check_text_finding(&how, result, &result->findings[i], memory);
    }
    const bool good = fclose(memory) == 0;
    if (good)
        xml_put(text, report->body);
    free(text);
    return good;
}

static bool put_rule(const struct check_report *report, const struct check_result *result,
                     check_rule rule, const struct tally *tally)
{
    FILE *out = report->body;
    const struct check_rule_text *text = &check_rule_texts[rule];
    bool good = true;
    put_case(report, check_class_word(text->of), out);
    fprintf(out, "%s ", text->number);
    xml_put(text->holds, out);
    fputs("\" time=\"0\"", out);
    if (tally->failures == 0 && tally->noted == 0) {
        fputs("/>\n", out);
        return true;
    }
    fputs(">\n", out);
    if (tally->failures > 0) {
        fprintf(out, "      <failure type=\"%s\" message=\"", text->number);
        xml_put(text->breach, out);
        if (tally->failures > 1)
            fprintf(out, " (%" PRIu64 " findings)", tally->failures);
        fputs("\">", out);
        good = put_findings(report, result, rule, true);
        fputs("</failure>\n", out);
    }
    if (tally->noted > 0) {
        fputs("      <system-out>", out);
        good = put_findings(report, result, rule, false) && good;
        fputs("</system-out>\n", out);
    }
    fputs("    </testcase>\n", out);
    return good;
}

static void begin_suite(struct check_report *report, const char *name, size_t tests,
                        size_t failures, bool partial)
{
    FILE *out = report->body;
    fputs("  <testsuite name=\"", out);
    xml_put(name, out);
    fprintf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%d\" skipped=\"0\" time=\"0\">\n",
            tests, failures, partial);
    report->suites++;
    report->tests += tests;
    report->failures += failures;
    report->partial += partial;
}

bool check_junit_add(struct check_report *report, const struct check_result *result)
{
    FILE *out = report->body;
    struct tally tallies[CHECK_RULE_COUNT];
    size_t tests = 1;
    size_t failures = 0;
    const bool partial = check_result_partial(result);
    bool good = true;
    for (int rule = 0; rule < CHECK_RULE_COUNT; rule++) {
        tallies[rule] = tally_of(report, result, (check_rule)rule);
        tests += checker_judged(result->checker, (check_rule)rule) > 0;
        failures += tallies[rule].failures > 0;
    }
    begin_suite(report, result->name, tests, failures, partial);
    for (int rule = 0; rule < CHECK_RULE_COUNT; rule++)
        if (checker_judged(result->checker, (check_rule)rule) > 0)
            good = put_rule(report, result, (check_rule)rule, &tallies[rule]) && good;
    put_case(report, "recording", out);
    fputs("the recording is whole\" time=\"0\"", out);
    fputs(partial ? ">\n      <error type=\"recording\" message=\"the recording is damaged, or "
                    "stopped before the program did\"/>\n    </testcase>\n"
                  : "/>\n",
          out);
    fputs("  </testsuite>\n", out);
    return good && ferror(out) == 0;
}

void check_junit_incomplete(struct check_report *report)
{
    FILE *out = report->body;
    begin_suite(report, report->options.name, 1, 0, true);
    put_case(report, "recording", out);
    fputs(
        "the recording is there\" time=\"0\">\n"
        "      <error type=\"recording\" message=\"a recording is missing, or cannot be read\"/>\n"
        "    </testcase>\n  </testsuite>\n",
        out);
}

void check_junit_write(const struct check_report *report, FILE *out)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"twinrt check\"", out);
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"0\">\n", report->tests,
            report->failures, report->partial);
    fputs(report->text, out);
    fputs("</testsuites>\n", out);
}
