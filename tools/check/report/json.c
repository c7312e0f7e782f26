/* SPDX-License-Identifier: Apache-2.0 */
/* What was found, as JSON of our own. */
#include <cjson/cJSON.h>
#include <inttypes.h>

#include "check/report/formats.h"

#define RESULT_VERSION 2
#define REPORT_VERSION 1

static cJSON *json_site(const struct check_site *site)
{
    char offset[24];
    cJSON *object = cJSON_CreateObject();
    (void)snprintf(offset, sizeof(offset), "0x%" PRIx64,
                   site->module[0] ? site->offset : site->address);
    cJSON_AddStringToObject(object, "function", site->symbol.function);
    cJSON_AddStringToObject(object, "file", site->symbol.file);
    cJSON_AddNumberToObject(object, "line", site->symbol.line);
    cJSON_AddStringToObject(object, "module", site->module);
    cJSON_AddStringToObject(object, "offset", offset);
    cJSON_AddBoolToObject(object, "wrapper", site->is_wrapper);
    return object;
}

static cJSON *json_op(const struct check_result *result, uint32_t index)
{
    const twin_op *op = checker_op(result->checker, index);
    if (!op)
        return cJSON_CreateNull();
    char name[TWIN_OP_NAME];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "seq", (double)op->begin_seq);
    cJSON_AddStringToObject(object, "kind", twin_op_word(op->kind));
    cJSON_AddStringToObject(object, "call", twin_op_name(result->recording, op, name));
    cJSON_AddNumberToObject(object, "thread", op->thread);
    if (op->queue != 0)
        cJSON_AddNumberToObject(object, "stream", checker_stream_id(result->checker, op->queue));
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
    struct check_site site;
    if (check_result_site(result, index, &site))
        cJSON_AddItemToObject(object, "site", json_site(&site));
    struct check_site frames[TWIN_RECORD_STACK_MOST];
    const size_t count = check_result_stack(result, index, frames);
    cJSON *stack = count > 0 ? cJSON_AddArrayToObject(object, "stack") : NULL;
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(stack, json_site(&frames[i]));
    return object;
}

static cJSON *json_findings(const struct check_result *result)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct check_finding *finding = &result->findings[i];
        const struct check_rule_text *rule = &check_rule_texts[finding->rule];
        cJSON *object = check_json_append(list);
        cJSON_AddStringToObject(object, "rule", rule->number);
        cJSON_AddStringToObject(object, "class", check_class_word(rule->of));
        cJSON_AddStringToObject(object, "level", check_level_word(rule->of));
        cJSON_AddStringToObject(object, "message", rule->breach);
        cJSON_AddStringToObject(object, "seen", finding->why ? finding->why : "");
        cJSON_AddStringToObject(object, "fix", rule->fix);
        cJSON_AddNumberToObject(object, "repeats", (double)finding->repeats);
        if (result->suppressed_by[i] != 0)
            cJSON_AddNumberToObject(object, "suppressed_by_line", result->suppressed_by[i]);
        cJSON_AddItemToObject(object, "first", json_op(result, finding->first));
        cJSON_AddItemToObject(object, "second", json_op(result, finding->second));
    }
    return list;
}

static cJSON *json_rules(const struct check_result *result)
{
    cJSON *list = cJSON_CreateArray();
    for (int rule = 0; rule < CHECK_RULE_COUNT; rule++) {
        uint64_t judged = checker_judged(result->checker, (check_rule)rule);
        cJSON *object = check_json_append(list);
        cJSON_AddStringToObject(object, "rule", check_rule_texts[rule].number);
        cJSON_AddStringToObject(object, "holds", check_rule_texts[rule].holds);
        cJSON_AddNumberToObject(object, "judged", (double)judged);
        cJSON_AddNumberToObject(object, "found",
                                (double)check_result_found(result, (check_rule)rule));
        if (judged == 0)
            cJSON_AddStringToObject(object, "needs", check_rule_texts[rule].needs);
    }
    return list;
}

cJSON *check_json_result(const struct check_result *result, bool strict)
{
    const struct twin_record_header *header = twin_recording_header(result->recording);
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "format", "twinrt-check");
    cJSON_AddNumberToObject(root, "version", RESULT_VERSION);
    cJSON_AddStringToObject(root, "record", result->name);
    cJSON_AddNumberToObject(root, "ops", (double)result->ops.count);
    cJSON_AddBoolToObject(root, "clean", result->errors == 0 && !(strict && result->warnings > 0));
    cJSON_AddNumberToObject(root, "errors", (double)result->errors);
    cJSON_AddNumberToObject(root, "warnings", (double)result->warnings);
    cJSON_AddNumberToObject(root, "suppressed", (double)result->suppressed);
    cJSON_AddBoolToObject(root, "whole", !check_result_partial(result));
    cJSON_AddItemToObject(root, "findings", json_findings(result));
    cJSON_AddItemToObject(root, "rules", json_rules(result));
    cJSON_AddNumberToObject(root, "unjudged_work", (double)checker_unjudged_work(result->checker));
    cJSON_AddNumberToObject(root, "unanswered", (double)result->ops.unanswered);
    cJSON_AddNumberToObject(root, "refused", (double)result->ops.refused);
    cJSON_AddNumberToObject(root, "lost", (double)header->lost);
    cJSON_AddNumberToObject(root, "damaged_places",
                            (double)twin_recording_damage_count(result->recording));
    cJSON_AddBoolToObject(root, "failed", checker_failed(result->checker));
    return root;
}

bool check_json_add(struct check_report *report, const struct check_result *result)
{
    cJSON *object = check_json_result(result, report->options.strict);
    return object && cJSON_AddItemToArray(report->list, object);
}

static cJSON *json_suppressions(const struct check_suppressions *suppressions)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; suppressions && i < suppressions->count; i++) {
        const struct check_suppression *item = &suppressions->items[i];
        cJSON *object = check_json_append(list);
        cJSON_AddNumberToObject(object, "line", item->line);
        cJSON_AddStringToObject(object, "text", item->text);
        cJSON_AddNumberToObject(object, "used", (double)item->used);
    }
    return list;
}

bool check_json_write(struct check_report *report, FILE *out)
{
    const struct check_totals *totals = &report->totals;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "format", "twinrt-check-report");
    cJSON_AddNumberToObject(root, "version", REPORT_VERSION);
    cJSON_AddStringToObject(root, "program", report->options.name);
    const bool found = totals->errors > 0 || (report->options.strict && totals->warnings > 0);
    cJSON_AddBoolToObject(root, "clean", !found && !totals->partial);
    cJSON_AddBoolToObject(root, "whole", !totals->partial);
    cJSON_AddNumberToObject(root, "errors", (double)totals->errors);
    cJSON_AddNumberToObject(root, "warnings", (double)totals->warnings);
    cJSON_AddNumberToObject(root, "suppressed", (double)totals->suppressed);
    cJSON_AddItemToObject(root, "suppressions", json_suppressions(report->options.suppressions));
    cJSON_AddItemToObject(root, "processes", report->list);
    report->list = NULL;
    return check_print_json(root, out);
}
