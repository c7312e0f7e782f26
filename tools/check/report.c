/* SPDX-License-Identifier: Apache-2.0 */
#include "check/report.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>

#define FORMAT_VERSION 1
#define SHOWN          3u /* findings of one rule, unless all are wanted */

static const char *const class_words[] = {[CHECK_ORDER] = "order",
                                          [CHECK_RACE] = "race",
                                          [CHECK_LIFETIME] = "lifetime",
                                          [CHECK_WARNING] = "warning"};

static uint64_t findings_of(const struct checker *checker, check_rule rule)
{
    size_t count = 0;
    const struct check_finding *findings = checker_findings(checker, &count);
    uint64_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (findings[i].rule == rule)
            found += 1 + findings[i].repeats;
    return found;
}

size_t check_report_breaches(const struct check_report *report)
{
    size_t count = 0;
    size_t breaches = 0;
    const struct check_finding *findings = checker_findings(report->checker, &count);
    for (size_t i = 0; i < count; i++)
        breaches += check_rule_texts[findings[i].rule].of != CHECK_WARNING;
    return breaches;
}

/* ---- text ---- */

static void print_op(const struct check_report *report, const char *title, uint32_t index,
                     FILE *out)
{
    const check_op *op = checker_op(report->checker, index);
    if (!op)
        return;
    char name[CHECK_CALL_NAME];
    const char *call = check_call_name(report->recording, op, name);
    fprintf(out, "  %-7s %s", title, check_kind_word(op->kind));
    fprintf(out, *call ? ", %s of thread %" PRIu32 : ", %sthread %" PRIu32, call, op->thread);
    if (op->queue != 0)
        fprintf(out, ", stream %" PRIu32, checker_stream_id(report->checker, op->queue));
    if (op->task != CHECK_NONE)
        fprintf(out, " task %" PRIu32, op->task);
    if (op->timed && op->task_begin_ns != 0)
        fprintf(out, ", on the device %.3f to %.3f us", (double)op->task_begin_ns / 1000,
                (double)op->task_end_ns / 1000);
    else if (op->timed)
        fprintf(out, ", on the device until %.3f us", (double)op->task_end_ns / 1000);
    else if (op->end_ns != 0)
        fprintf(out, ", at %.3f us", (double)op->begin_ns / 1000);
    fprintf(out, " (seq %" PRIu64 ")\n", op->begin_seq);
}

static void print_finding(const struct check_report *report, const struct check_finding *finding,
                          FILE *out)
{
    const struct check_rule_text *rule = &check_rule_texts[finding->rule];
    fprintf(out, "%s%s: %s\n", rule->of == CHECK_WARNING ? "warning " : "", rule->number,
            rule->holds);
    print_op(report, "first:", finding->first, out);
    print_op(report, finding->first == CHECK_NONE ? "op:" : "second:", finding->second, out);
    fprintf(out, "  seen:   %s\n", finding->why ? finding->why : "");
    if (rule->mend[0])
        fprintf(out, "  mend:   %s\n", rule->mend);
    if (finding->repeats > 0)
        fprintf(out, "  and %" PRIu64 " more of the same streams and calls\n", finding->repeats);
    fputc('\n', out);
}

static void print_limits(const struct check_report *report, FILE *out)
{
    const struct twin_record_header *header = twin_recording_header(report->recording);
    size_t damage = twin_recording_damage_count(report->recording);
    if (damage > 0)
        fprintf(out, "the file is damaged in %zu places, findings may be wrong; the first: %s\n",
                damage, twin_recording_damage_at(report->recording, 0)->text);
    if (header->lost > 0 || header->state == TWIN_RECORD_CUT)
        fprintf(out, "%" PRIu64 " entries found no place in the file: findings may be wrong\n",
                header->lost);
    if (report->ops->unanswered > 0)
        fprintf(out, "%" PRIu64 " calls had not come back\n", report->ops->unanswered);
    if (report->ops->refused > 0)
        fprintf(out,
                "%" PRIu64
                " copies and fills answered 107000, for an address or another argument; the "
                "record does not tell which: not judged\n",
                report->ops->refused);
    uint64_t left = checker_unjudged_work(report->checker);
    if (left > 0)
        fprintf(out,
                "%" PRIu64 " pieces of work touch bytes that the record does not tell, or in an "
                "order that it does not tell: not judged\n",
                left);
    if (checker_failed(report->checker))
        fprintf(out, "a task failed, was aborted or met a planted fault: from there on nobody is "
                     "blamed for waiting\n");
}

void check_report_text(const struct check_report *report, FILE *out)
{
    size_t count = 0;
    const struct check_finding *findings = checker_findings(report->checker, &count);
    for (int rule = 0; rule < CHECK_RULE_COUNT; rule++) {
        uint64_t shown = 0;
        uint64_t left_out = 0;
        for (size_t i = 0; i < count; i++) {
            if (findings[i].rule != (check_rule)rule)
                continue;
            if (report->all || shown < SHOWN) {
                print_finding(report, &findings[i], out);
                shown++;
            } else {
                left_out++;
            }
        }
        if (left_out > 0)
            fprintf(out, "%s: %" PRIu64 " more, between other streams or calls (--all)\n\n",
                    check_rule_texts[rule].number, left_out);
    }
    fprintf(out, "rule      judged  found\n");
    for (int rule = 0; rule < CHECK_RULE_COUNT; rule++) {
        const struct check_rule_text *text = &check_rule_texts[rule];
        uint64_t judged = checker_judged(report->checker, (check_rule)rule);
        if (judged > 0)
            fprintf(out, "%-8s %7" PRIu64 " %6" PRIu64 "  %s\n", text->number, judged,
                    findings_of(report->checker, (check_rule)rule), text->holds);
    }
    bool first = true;
    for (int rule = 0; rule < CHECK_RULE_COUNT; rule++) {
        if (checker_judged(report->checker, (check_rule)rule) > 0)
            continue;
        if (first)
            fprintf(out, "not judged, as the record has not what it takes:\n");
        first = false;
        fprintf(out, "%-8s %s\n", check_rule_texts[rule].number, check_rule_texts[rule].needs);
    }
    print_limits(report, out);
    size_t breaches = check_report_breaches(report);
    size_t warnings = count - breaches;
    fprintf(out, "%s: %zu ops, %zu finding%s", report->path, report->ops->count, breaches,
            breaches == 1 ? "" : "s");
    if (warnings > 0)
        fprintf(out, " and %zu warning%s", warnings, warnings == 1 ? "" : "s");
    fprintf(out, "%s\n", report->ops->partial ? " in what is left of the record" : "");
}

/* ---- JSON ---- */

static cJSON *json_op(const struct check_report *report, uint32_t index)
{
    const check_op *op = checker_op(report->checker, index);
    if (!op)
        return cJSON_CreateNull();
    char name[CHECK_CALL_NAME];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "seq", (double)op->begin_seq);
    cJSON_AddStringToObject(object, "kind", check_kind_word(op->kind));
    cJSON_AddStringToObject(object, "call", check_call_name(report->recording, op, name));
    cJSON_AddNumberToObject(object, "thread", op->thread);
    if (op->queue != 0)
        cJSON_AddNumberToObject(object, "stream", checker_stream_id(report->checker, op->queue));
    if (op->task != CHECK_NONE)
        cJSON_AddNumberToObject(object, "task", op->task);
    if (op->timed) {
        if (op->task_begin_ns != 0)
            cJSON_AddNumberToObject(object, "begin_ns", (double)op->task_begin_ns);
        cJSON_AddNumberToObject(object, "end_ns", (double)op->task_end_ns);
    }
    if (op->end_ns != 0) {
        cJSON_AddNumberToObject(object, "host_begin_ns", (double)op->begin_ns);
        cJSON_AddNumberToObject(object, "host_end_ns", (double)op->end_ns);
    }
    return object;
}

static cJSON *json_findings(const struct check_report *report)
{
    size_t count = 0;
    const struct check_finding *findings = checker_findings(report->checker, &count);
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++) {
        const struct check_rule_text *rule = &check_rule_texts[findings[i].rule];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "rule", rule->number);
        cJSON_AddStringToObject(object, "class", class_words[rule->of]);
        cJSON_AddStringToObject(object, "holds", rule->holds);
        cJSON_AddStringToObject(object, "seen", findings[i].why ? findings[i].why : "");
        cJSON_AddStringToObject(object, "mend", rule->mend);
        cJSON_AddNumberToObject(object, "repeats", (double)findings[i].repeats);
        cJSON_AddItemToObject(object, "first", json_op(report, findings[i].first));
        cJSON_AddItemToObject(object, "second", json_op(report, findings[i].second));
        cJSON_AddItemToArray(list, object);
    }
    return list;
}

static cJSON *json_rules(const struct check_report *report)
{
    cJSON *list = cJSON_CreateArray();
    for (int rule = 0; rule < CHECK_RULE_COUNT; rule++) {
        uint64_t judged = checker_judged(report->checker, (check_rule)rule);
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "rule", check_rule_texts[rule].number);
        cJSON_AddNumberToObject(object, "judged", (double)judged);
        cJSON_AddNumberToObject(object, "found",
                                (double)findings_of(report->checker, (check_rule)rule));
        if (judged == 0)
            cJSON_AddStringToObject(object, "needs", check_rule_texts[rule].needs);
        cJSON_AddItemToArray(list, object);
    }
    return list;
}

bool check_report_json(const struct check_report *report, FILE *out)
{
    size_t count = 0;
    (void)checker_findings(report->checker, &count);
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "format", "twinrt-check");
    cJSON_AddNumberToObject(root, "version", FORMAT_VERSION);
    cJSON_AddStringToObject(root, "record", report->path);
    cJSON_AddNumberToObject(root, "ops", (double)report->ops->count);
    size_t breaches = check_report_breaches(report);
    cJSON_AddBoolToObject(root, "clean", breaches == 0);
    cJSON_AddNumberToObject(root, "warnings", (double)(count - breaches));
    cJSON_AddBoolToObject(root, "whole", !report->ops->partial);
    cJSON_AddItemToObject(root, "findings", json_findings(report));
    cJSON_AddItemToObject(root, "rules", json_rules(report));
    cJSON_AddNumberToObject(root, "unjudged_work", (double)checker_unjudged_work(report->checker));
    cJSON_AddNumberToObject(root, "unanswered", (double)report->ops->unanswered);
    cJSON_AddNumberToObject(root, "refused", (double)report->ops->refused);
    cJSON_AddNumberToObject(root, "lost", (double)twin_recording_header(report->recording)->lost);
    cJSON_AddNumberToObject(root, "damaged_places",
                            (double)twin_recording_damage_count(report->recording));
    cJSON_AddBoolToObject(root, "failed", checker_failed(report->checker));
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    if (!text)
        return false;
    fprintf(out, "%s\n", text);
    free(text);
    return true;
}
