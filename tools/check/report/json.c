/* SPDX-License-Identifier: Apache-2.0 */
/* What was found, as JSON of our own. */
#include <inttypes.h>

#include "check/report/formats.h"

#define RESULT_VERSION 3
#define REPORT_VERSION 1

static cJSON *json_site(const struct check_site *site)
{
    char offset[24];
    (void)snprintf(offset, sizeof(offset), "0x%" PRIx64,
                   site->module[0] ? site->offset : site->address);
    return json_object(JSON_TEXT("function", site->symbol.function),
                       JSON_TEXT("file", site->symbol.file), JSON_NUMBER("line", site->symbol.line),
                       JSON_TEXT("module", site->module), JSON_TEXT("offset", offset),
                       JSON_BOOL("wrapper", site->is_wrapper));
}

static cJSON *json_op(const struct check_result *result, uint32_t index)
{
    const twin_op *op = checker_op(result->checker, index);
    if (!op)
        return cJSON_CreateNull();
    char name[TWIN_OP_NAME];
    const uint64_t seq = twin_recording_at(result->recording, op->entry)->begin_seq;
    cJSON *object = json_object(JSON_NUMBER("seq", seq), JSON_TEXT("kind", twin_op_word(op->kind)),
                                JSON_TEXT("call", twin_op_name(result->recording, op, name)),
                                JSON_NUMBER("thread", op->thread));
    if (op->queue != 0)
        json_add(object, JSON_NUMBER("stream", checker_stream_id(result->checker, op->queue)));
    if (op->task != CHECK_NONE)
        json_add(object, JSON_NUMBER("task", op->task));
    if (op->timed && op->task_begin_ns != 0)
        json_add(object, JSON_NUMBER("begin_ns", op->task_begin_ns));
    if (op->timed)
        json_add(object, JSON_NUMBER("end_ns", op->task_end_ns));
    if (op->end_ns != 0)
        json_add(object, JSON_NUMBER("host_begin_ns", op->begin_ns),
                 JSON_NUMBER("host_end_ns", op->end_ns));
    struct check_site site;
    if (check_result_site(result, index, &site))
        json_add(object, JSON_ITEM("site", json_site(&site)));
    struct check_site frames[TWIN_RECORD_STACK_MOST];
    const size_t count = check_result_stack(result, index, frames);
    cJSON *stack = count > 0 ? cJSON_AddArrayToObject(object, "stack") : NULL;
    for (size_t i = 0; i < count; i++)
        json_append(stack, json_site(&frames[i]));
    const uint32_t run = checker_run_of(result->checker, index);
    if (run != CHECK_NONE)
        json_add(object, JSON_NUMBER("model_instance", checker_op(result->checker, run)->object),
                 JSON_ITEM("run", json_op(result, run)));
    return object;
}

static cJSON *json_findings(const struct check_result *result)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct check_finding *finding = &result->findings[i];
        const struct check_rule_text *rule = &check_rule_texts[finding->rule];
        cJSON *object = json_object(
            JSON_TEXT("rule", rule->number), JSON_TEXT("class", check_class_word(rule->of)),
            JSON_TEXT("level", check_level_word(rule->of)), JSON_TEXT("message", rule->breach),
            JSON_TEXT("seen", finding->why ? finding->why : ""),
            JSON_TEXT("fix", checker_fix(result->checker, finding)),
            JSON_NUMBER("repeats", finding->repeats));
        if (result->suppressed_by[i] != 0)
            json_add(object, JSON_NUMBER("suppressed_by_line", result->suppressed_by[i]));
        json_add(object, JSON_ITEM("first", json_op(result, finding->first)),
                 JSON_ITEM("second", json_op(result, finding->second)));
        json_append(list, object);
    }
    return list;
}

static cJSON *json_rules(const struct check_result *result)
{
    cJSON *list = cJSON_CreateArray();
    for (int rule = 0; rule < CHECK_RULE_COUNT; rule++) {
        uint64_t judged = checker_judged(result->checker, (check_rule)rule);
        cJSON *object = json_object(
            JSON_TEXT("rule", check_rule_texts[rule].number),
            JSON_TEXT("holds", check_rule_texts[rule].holds), JSON_NUMBER("judged", judged),
            JSON_NUMBER("found", check_result_found(result, (check_rule)rule)));
        if (judged == 0)
            json_add(object, JSON_TEXT("needs", check_rule_texts[rule].needs));
        json_append(list, object);
    }
    return list;
}

cJSON *check_json_result(const struct check_result *result, bool strict)
{
    return json_object(
        JSON_TEXT("format", "twinrt-check"), JSON_NUMBER("version", RESULT_VERSION),
        JSON_TEXT("recording", result->name), JSON_NUMBER("ops", result->ops.count),
        JSON_BOOL("clean", result->errors == 0 && !(strict && result->warnings > 0)),
        JSON_NUMBER("errors", result->errors), JSON_NUMBER("warnings", result->warnings),
        JSON_NUMBER("suppressed", result->suppressed),
        JSON_BOOL("whole", !check_result_partial(result)),
        JSON_ITEM("findings", json_findings(result)), JSON_ITEM("rules", json_rules(result)),
        JSON_NUMBER("unjudged_work", checker_unjudged_work(result->checker)),
        JSON_NUMBER("unanswered", result->ops.unanswered),
        JSON_NUMBER("refused", result->ops.refused),
        JSON_NUMBER("lost", twin_recording_header(result->recording)->lost),
        JSON_NUMBER("damaged_places", twin_recording_damage_count(result->recording)),
        JSON_BOOL("failed", checker_failed(result->checker)));
}

void check_json_add(struct check_report *report, const struct check_result *result)
{
    json_append(report->list, check_json_result(result, report->options.strict));
}

static cJSON *json_suppressions(const struct check_suppressions *suppressions)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; suppressions && i < suppressions->count; i++) {
        const struct check_suppression *item = &suppressions->items[i];
        json_append(list,
                    json_object(JSON_NUMBER("line", item->line), JSON_TEXT("text", item->text),
                                JSON_NUMBER("used", item->used)));
    }
    return list;
}

bool check_json_write(struct check_report *report, FILE *out)
{
    const struct check_totals *totals = &report->totals;
    const bool found = totals->errors > 0 || (report->options.strict && totals->warnings > 0);
    cJSON *root = json_object(
        JSON_TEXT("format", "twinrt-check-report"), JSON_NUMBER("version", REPORT_VERSION),
        JSON_TEXT("program", report->options.name), JSON_BOOL("clean", !found && !totals->partial),
        JSON_BOOL("whole", !totals->partial), JSON_NUMBER("errors", totals->errors),
        JSON_NUMBER("warnings", totals->warnings), JSON_NUMBER("suppressed", totals->suppressed),
        JSON_ITEM("suppressions", json_suppressions(report->options.suppressions)),
        JSON_ITEM("processes", report->list));
    report->list = NULL;
    return json_print(root, out);
}
