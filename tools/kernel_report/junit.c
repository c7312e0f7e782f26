/* SPDX-License-Identifier: Apache-2.0 */
/* Hints as JUnit XML: a suite for each kernel, a test case for each rule. */
#include "kernel_report/kernel_report.h"
#include "output/xml.h"

static size_t failures_of(const struct kernel *kernel)
{
    bool found[HINT_KINDS] = {false};
    size_t count = 0;
    for (size_t i = 0; i < kernel->hint_count; i++) {
        count += !found[kernel->hints[i].kind];
        found[kernel->hints[i].kind] = true;
    }
    return count;
}

static void put_case(const struct kernel *kernel, int kind, FILE *out)
{
    bool open = false;
    fprintf(out, "    <testcase classname=\"");
    xml_put(kernel->name, out);
    fprintf(out, "\" name=\"%s: %s\" time=\"0\"", kernel_hint_names[kind], kernel_hint_rules[kind]);
    for (size_t i = 0; i < kernel->hint_count; i++) {
        if ((int)kernel->hints[i].kind != kind)
            continue;
        fputs(open ? "\n" : ">\n      <failure type=\"hint\" message=\"", out);
        if (!open) {
            xml_put(kernel->hints[i].text, out);
            fputs("\">", out);
        }
        xml_put(kernel->hints[i].text, out);
        open = true;
    }
    fputs(open ? "</failure>\n    </testcase>\n" : "/>\n", out);
}

void kernel_report_junit(const struct kernel_report *report, FILE *out)
{
    size_t failures = 0;
    for (size_t i = 0; i < report->count; i++)
        failures += failures_of(&report->kernels[i]);
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"twinrt kernel-report\" "
            "tests=\"%zu\" failures=\"%zu\" errors=\"0\" time=\"0\">\n",
            report->count * HINT_KINDS, failures);
    for (size_t i = 0; i < report->count; i++) {
        const struct kernel *kernel = &report->kernels[i];
        fputs("  <testsuite name=\"", out);
        xml_put(kernel->name, out);
        fprintf(out, ", %.0f blocks\" tests=\"%d\" failures=\"%zu\" errors=\"0\" time=\"%.9f\">\n",
                kernel->blocks, HINT_KINDS, failures_of(kernel), kernel->task_ns / 1e9);
        for (int kind = 0; kind < HINT_KINDS; kind++)
            put_case(kernel, kind, out);
        fputs("  </testsuite>\n", out);
    }
    fputs("</testsuites>\n", out);
}
