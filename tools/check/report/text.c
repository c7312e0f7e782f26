/* SPDX-License-Identifier: Apache-2.0 */
/* What was found, for people. */
#include <inttypes.h>
#include <stdio.h>

#include "output/layout.h"
#include "check/report/report.h"

#define SHOWN  3u  /* findings of one rule, unless all are wanted */
#define INDENT 10u /* of what a finding says */

static void print_op(const struct check_text *how, const struct check_result *result,
                     const char *label, uint32_t index, FILE *out)
{
    char line[CHECK_OP_LINE];
    struct check_site site;
    struct check_site frames[TWIN_RECORD_STACK_MOST];
    char place[CHECK_SITE_LINE];
    char number[16];
    if (*check_describe_op(result, index, line))
        layout_print(out, how->width, INDENT, label, line);
    const size_t count = check_result_stack(result, index, frames);
    for (size_t i = 0; i < count; i++) {
        const int used = snprintf(number, sizeof(number), "%*s#%zu ", (int)INDENT, "", i);
        layout_print(out, how->width, (unsigned)used, number, check_site_text(&frames[i], place));
    }
    if (count == 0 && check_result_site(result, index, &site))
        layout_print(out, how->width, INDENT + 3, "          at", check_site_text(&site, place));
}

/* The two ops of a finding, and the runs of model instances that they are tasks of. */
static void print_ops(const struct check_text *how, const struct check_result *result,
                      const struct check_finding *finding, FILE *out)
{
    const bool alone = finding->first == CHECK_NONE || finding->second == CHECK_NONE;
    const uint32_t first = checker_run_of(result->checker, finding->first);
    const uint32_t second = checker_run_of(result->checker, finding->second);
    const bool both = first == second;
    print_op(how, result, alone ? "  op:" : "  first:", finding->first, out);
    print_op(how, result, "  in:", both ? CHECK_NONE : first, out);
    print_op(how, result, alone ? "  op:" : "  second:", finding->second, out);
    print_op(how, result, both ? "  both:" : "  in:", second, out);
}

void check_text_finding(const struct check_text *how, const struct check_result *result,
                        const struct check_finding *finding, FILE *out)
{
    const struct check_rule_text *rule = &check_rule_texts[finding->rule];
    char label[32];
    const int used =
        snprintf(label, sizeof(label), "%s[%s]: ", check_level_word(rule->of), rule->number);
    layout_print(out, how->width, (unsigned)used, label, rule->breach);
    print_ops(how, result, finding, out);
    layout_print(out, how->width, INDENT, "  seen:", finding->why ? finding->why : "");
    const char *fix = checker_fix(result->checker, finding);
    if (fix[0])
        layout_print(out, how->width, INDENT, "  fix:", fix);
    char line[CHECK_SUPPRESSION_LINE];
    if (how->verbose)
        fprintf(out, "  suppress: %s\n", check_suppression_for(result, finding, line));
    if (finding->repeats > 0)
        fprintf(out, "  and %" PRIu64 " more of the same streams and call sites\n",
                finding->repeats);
    fputc('\n', out);
}

static void print_findings(const struct check_text *how, const struct check_result *result,
                           FILE *out)
{
    for (int rule = 0; rule < CHECK_RULE_COUNT; rule++) {
        uint64_t shown = 0;
        uint64_t left_out = 0;
        for (size_t i = 0; i < result->finding_count; i++) {
            if (result->findings[i].rule != (check_rule)rule || result->suppressed_by[i] != 0)
                continue;
            if (how->all || shown < SHOWN) {
                check_text_finding(how, result, &result->findings[i], out);
                shown++;
            } else {
                left_out++;
            }
        }
        if (left_out > 0)
            fprintf(out, "%s: %" PRIu64 " more, between other streams or calls (--all)\n\n",
                    check_rule_texts[rule].number, left_out);
    }
}

static void print_rules(const struct check_text *how, const struct check_result *result, FILE *out)
{
    char label[64];
    bool first = true;
    fprintf(out, "rule     checked  found  holds\n");
    for (int rule = 0; rule < CHECK_RULE_COUNT; rule++) {
        const struct check_rule_text *text = &check_rule_texts[rule];
        uint64_t judged = checker_judged(result->checker, (check_rule)rule);
        if (judged == 0)
            continue;
        (void)snprintf(label, sizeof(label), "%-8s %7" PRIu64 " %6" PRIu64 "  ", text->number,
                       judged, check_result_found(result, (check_rule)rule));
        layout_print(out, how->width, 25, label, text->holds);
    }
    for (int rule = 0; rule < CHECK_RULE_COUNT; rule++) {
        if (checker_judged(result->checker, (check_rule)rule) > 0)
            continue;
        if (first)
            fprintf(out, "not checked: the recording lacks\n");
        first = false;
        layout_print(out, how->width, 9, check_rule_texts[rule].number,
                     check_rule_texts[rule].needs);
    }
}

static void print_limits(const struct check_result *result, FILE *out)
{
    if (result->ops.unanswered > 0)
        fprintf(out, "%" PRIu64 " call%s did not return\n", result->ops.unanswered,
                layout_plural(result->ops.unanswered));
    if (result->ops.refused > 0)
        fprintf(out,
                "not checked: %" PRIu64 " %s that returned 107000 (the recording lacks the "
                "argument)\n",
                result->ops.refused,
                result->ops.refused == 1 ? "copy or fill" : "copies and fills");
    uint64_t left = checker_unjudged_work(result->checker);
    if (left > 0)
        fprintf(out, "not checked: %" PRIu64 " task%s whose bytes or order the recording lacks\n",
                left, layout_plural(left));
    if (checker_failed(result->checker))
        fprintf(out, "not checked: waits after a task failed, was aborted or met an injected "
                     "fault\n");
}

static void print_damage(const struct check_text *how, const struct check_result *result, FILE *out)
{
    const struct twin_record_header *header = twin_recording_header(result->recording);
    size_t damage = twin_recording_damage_count(result->recording);
    char text[320];
    if (damage > 0) {
        (void)snprintf(text, sizeof(text),
                       "the recording is damaged in %zu place%s, findings may be wrong; the first: "
                       "%s",
                       damage, layout_plural(damage),
                       twin_recording_damage_at(result->recording, 0)->text);
        layout_print(out, how->width, 9, "warning:", text);
    }
    if (header->lost > 0 || header->state == TWIN_RECORD_CUT) {
        (void)snprintf(text, sizeof(text),
                       "%" PRIu64 " %s had no room in the recording: findings may be wrong",
                       header->lost, header->lost == 1 ? "entry" : "entries");
        layout_print(out, how->width, 9, "warning:", text);
    }
}

void check_text_result(const struct check_text *how, const struct check_result *result, FILE *out)
{
    print_findings(how, result, out);
    if (how->verbose) {
        print_rules(how, result, out);
        print_limits(result, out);
    }
    print_damage(how, result, out);
}

static void print_unused(const struct check_suppressions *suppressions, FILE *out)
{
    for (size_t i = 0; i < suppressions->count; i++) {
        const struct check_suppression *item = &suppressions->items[i];
        if (item->used == 0)
            fprintf(out, "unused suppression: %s:%" PRIu32 ": %s\n", suppressions->path, item->line,
                    item->text);
    }
}

void check_text_end(const struct check_text *how, const struct check_totals *totals,
                    const struct check_suppressions *suppressions, const char *name, FILE *out)
{
    if (how->verbose && suppressions)
        print_unused(suppressions, out);
    fprintf(out, "twinrt check: %s: ", name);
    if (totals->processes > 1)
        fprintf(out, "%zu processes, ", totals->processes);
    fprintf(out, "%zu op%s, %zu error%s", totals->ops, layout_plural(totals->ops), totals->errors,
            layout_plural(totals->errors));
    if (totals->warnings > 0)
        fprintf(out, ", %zu warning%s", totals->warnings, layout_plural(totals->warnings));
    if (totals->suppressed > 0)
        fprintf(out, ", %zu suppressed", totals->suppressed);
    if (totals->partial)
        fprintf(out, ", in the rest of the recording");
    if (totals->unjudged && !how->verbose)
        fprintf(out, "; some work not checked (--verbose)");
    fputc('\n', out);
}
