/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "output/json.h"
#include "output/layout.h"

#define FORMAT_VERSION 2
#define SHOWN          10u

static const char *const sides[2] = {"A", "B"};

void compare_device_name(const struct compare_side *side, char *text, size_t bytes)
{
    const char *backend = "";
    const char *part = "";
    size_t count = twin_recording_count(side->recording);
    for (size_t i = 0; i < count; i++) {
        const struct twin_record_entry *entry = twin_recording_at(side->recording, i);
        if (entry->kind == TWIN_RECORD_PROCESS_START)
            backend = twin_recording_text(entry, 0);
        if (entry->kind == TWIN_RECORD_PROCESS_DESCRIBE && twin_recording_succeeded(entry)) {
            part = twin_recording_text(entry, 0);
            break;
        }
    }
    (void)snprintf(text, bytes, "%s%s%s", backend, *backend && *part ? " " : "", part);
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

static const char *call_of(const struct compare_side *side, const twin_op *op,
                           char text[TWIN_OP_NAME])
{
    const char *call = twin_op_name(side->recording, op, text);
    return *call ? call : "no public call";
}

/* ---- groups of ops that one side has alone ---- */

struct group {
    const twin_op *first;
    uint64_t count;
};

static size_t group_only(const struct compare_result *result, int which, struct group *groups,
                         size_t room)
{
    size_t count = 0;
    const struct compare_list *only = &result->only[which];
    for (size_t i = 0; i < only->count; i++) {
        const twin_op *op = &result->side[which].ops.list[only->items[i]];
        size_t at = 0;
        while (at < count &&
               (groups[at].first->kind != op->kind || groups[at].first->name != op->name))
            at++;
        if (at == room)
            continue;
        if (at == count)
            groups[count++] = (struct group){.first = op};
        groups[at].count++;
    }
    return count;
}

/* ---- text ---- */

/* Prints a line about an op: `label`, in `indent` columns, the op and what is said of it. */
__attribute__((format(printf, 6, 7))) static void print_op(const struct compare_result *result,
                                                           int which, const twin_op *op,
                                                           const char *label, FILE *out,
                                                           const char *format, ...)
{
    char name[TWIN_OP_NAME];
    char queue[24] = "";
    char task[24] = "";
    char instance[40] = "";
    char said[128];
    char text[sizeof(name) + sizeof(said) + 200];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(said, sizeof(said), format, values);
    va_end(values);
    if (op->queue != 0)
        (void)snprintf(queue, sizeof(queue), ", queue %" PRIu32, op->queue);
    if (op->task != TWIN_OP_NONE)
        (void)snprintf(task, sizeof(task), " task %" PRIu32, op->task);
    const uint32_t bound = compare_instance_of(&result->side[which], op->queue);
    if (bound != 0)
        (void)snprintf(instance, sizeof(instance), " of model instance %" PRIu32, bound);
    (void)snprintf(text, sizeof(text), "%s, %s of thread %" PRIu32 "%s%s%s (seq %" PRIu64 ")%s",
                   twin_op_word(op->kind), call_of(&result->side[which], op, name), op->thread,
                   queue, task, instance, op->begin_seq, said);
    layout_print(out, layout_width(out), (unsigned)strlen(label), label, text);
}

static void print_only(const struct compare_result *result, FILE *out)
{
    struct group groups[64];
    for (int which = 0; which < 2; which++) {
        size_t count = group_only(result, which, groups, sizeof(groups) / sizeof(groups[0]));
        if (count == 0)
            continue;
        fprintf(out, "\nonly in %s: %zu op%s\n", sides[which], result->only[which].count,
                layout_plural(result->only[which].count));
        for (size_t i = 0; i < count; i++) {
            char label[32];
            (void)snprintf(label, sizeof(label), "  %8" PRIu64 "  ", groups[i].count);
            print_op(result, which, groups[i].first, label, out, "%s",
                     groups[i].count > 1 ? " first" : "");
        }
    }
}

/* What the call of a pair returned. */
static const char *status_of(const struct compare_result *result, int which, size_t pair)
{
    const twin_recording *recording = result->side[which].recording;
    const twin_op *op = compare_op(result, which, pair);
    return twin_recording_status(recording, twin_recording_at(recording, op->entry)->status);
}

static void print_answers(const struct compare_result *result, FILE *out)
{
    if (result->answers.count == 0)
        return;
    fprintf(out, "\ndifferent answers: %zu op%s\n", result->answers.count,
            layout_plural(result->answers.count));
    for (size_t i = 0; i < result->answers.count && i < SHOWN; i++) {
        const size_t pair = result->answers.items[i];
        char label[128];
        (void)snprintf(label, sizeof(label), "  %s and %s: ", status_of(result, 0, pair),
                       status_of(result, 1, pair));
        print_op(result, 0, compare_op(result, 0, pair), label, out, "%s", "");
    }
}

static double begin_us(const twin_op *op)
{
    return (double)op->task_begin_ns / 1000;
}

static void print_swaps(const struct compare_result *result, FILE *out)
{
    if (result->swapped == 0)
        return;
    fprintf(out,
            "\ndifferent order: %" PRIu64
            " pair%s of tasks; in A the first comes before the second\n",
            result->swapped, layout_plural(result->swapped));
    for (size_t i = 0; i < result->swap_count; i++) {
        const size_t x = result->swaps[i].a;
        const size_t y = result->swaps[i].b;
        print_op(result, 0, compare_op(result, 0, x), "  ", out, "%s", "");
        print_op(result, 0, compare_op(result, 0, y), "  and ", out,
                 ": A %.3f, %.3f us; B %.3f, %.3f us", begin_us(compare_op(result, 0, x)),
                 begin_us(compare_op(result, 0, y)), begin_us(compare_op(result, 1, x)),
                 begin_us(compare_op(result, 1, y)));
    }
}

static void print_kinds(const struct compare_result *result, FILE *out)
{
    if (result->kind_count == 0) {
        fprintf(out, "\nno task has a duration in both recordings: no ratios\n");
        return;
    }
    fprintf(out, "\ndevice time ratio B/A\n");
    fprintf(out, "  %-18s %8s %9s %9s %9s %9s %9s\n", "", "tasks", "median", "p5", "p95", "min",
            "max");
    for (size_t i = 0; i < result->kind_count; i++) {
        const struct compare_kind *kind = &result->kinds[i];
        fprintf(out, "  %-18s %8" PRIu64 " %9.4g %9.4g %9.4g %9.4g %9.4g\n",
                twin_op_word(kind->kind), kind->count, kind->median, kind->p5, kind->p95, kind->min,
                kind->max);
    }
}

static void print_instances(const struct compare_result *result, FILE *out)
{
    if (result->instances.count == 0)
        return;
    fprintf(out, "\nruns of model instances, medians\n  %8s %12s %12s %9s\n", "runs", "A us",
            "B us", "B/A");
    for (size_t i = 0; i < result->instances.count; i++) {
        const struct compare_instance *instance = &result->instances.items[i];
        char name[TWIN_OP_NAME];
        fprintf(out, "  %8" PRIu64 " %12.3f %12.3f %9.4g  instance %" PRIu32, instance->runs,
                instance->median_ns[0] / 1000, instance->median_ns[1] / 1000, instance->ratio,
                instance->number);
        if (instance->made)
            fprintf(out, ", %s (seq %" PRIu64 ")", call_of(&result->side[0], instance->made, name),
                    instance->made->begin_seq);
        fputc('\n', out);
    }
}

static void print_worst(const struct compare_result *result, FILE *out)
{
    if (result->worst.count == 0)
        return;
    fprintf(out, "\nlargest differences (waits left out)\n  %12s %12s\n", "A us", "B us");
    for (size_t i = 0; i < result->worst.count; i++) {
        const twin_op *a = compare_op(result, 0, result->worst.items[i]);
        const twin_op *b = compare_op(result, 1, result->worst.items[i]);
        char label[80];
        (void)snprintf(label, sizeof(label), "  %12.3f %12.3f  ", (double)compare_length(a) / 1000,
                       (double)compare_length(b) / 1000);
        print_op(result, 0, a, label, out, "%s", "");
    }
}

void compare_report_text(const struct compare_result *result, FILE *out)
{
    char device[128];
    for (int which = 0; which < 2; which++) {
        compare_device_name(&result->side[which], device, sizeof(device));
        fprintf(out, "%s: %s (%s), %zu op%s, tasks over %.3f us%s\n", sides[which],
                result->side[which].path, device, result->side[which].ops.count,
                layout_plural(result->side[which].ops.count), (double)result->span_ns[which] / 1000,
                result->side[which].ops.partial ? "; the recording is incomplete" : "");
    }
    fprintf(out, "%zu pair%s; polling iterations: %" PRIu64 " in A, %" PRIu64 " in B\n",
            result->pairs.count, layout_plural(result->pairs.count), result->polls[0],
            result->polls[1]);
    print_only(result, out);
    print_answers(result, out);
    print_swaps(result, out);
    print_kinds(result, out);
    print_instances(result, out);
    print_worst(result, out);
    fprintf(out, "\n%s%s\n",
            compare_is_same(result) ? "the same ops, in the same order, with the same answers"
                                    : "the two differ",
            compare_is_whole(result) ? "" : ", in the readable part of the recordings");
}

/* ---- JSON ---- */

static cJSON *json_op(const struct compare_result *result, int which, const twin_op *op)
{
    char name[TWIN_OP_NAME];
    cJSON *object =
        json_object(JSON_NUMBER("seq", op->begin_seq), JSON_TEXT("kind", twin_op_word(op->kind)),
                    JSON_TEXT("call", call_of(&result->side[which], op, name)),
                    JSON_NUMBER("thread", op->thread));
    const uint32_t instance = compare_instance_of(&result->side[which], op->queue);
    if (op->queue != 0)
        json_add(object, JSON_NUMBER("queue", op->queue));
    if (instance != 0)
        json_add(object, JSON_NUMBER("model_instance", instance));
    if (op->task != TWIN_OP_NONE)
        json_add(object, JSON_NUMBER("task", op->task));
    if (op->timed)
        json_add(object, JSON_NUMBER("begin_ns", op->task_begin_ns),
                 JSON_NUMBER("end_ns", op->task_end_ns));
    return object;
}

static cJSON *json_pair(const struct compare_result *result, size_t index)
{
    return json_object(JSON_ITEM("a", json_op(result, 0, compare_op(result, 0, index))),
                       JSON_ITEM("b", json_op(result, 1, compare_op(result, 1, index))));
}

/* The first of them. */
static cJSON *json_pairs(const struct compare_result *result, const struct compare_list *pairs)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < pairs->count && i < SHOWN; i++)
        json_append(list, json_pair(result, pairs->items[i]));
    return list;
}

static cJSON *json_side(const struct compare_result *result, int which)
{
    const struct compare_side *side = &result->side[which];
    char device[128];
    struct group groups[64];
    cJSON *list = cJSON_CreateArray();
    compare_device_name(side, device, sizeof(device));
    size_t count = group_only(result, which, groups, sizeof(groups) / sizeof(groups[0]));
    for (size_t i = 0; i < count; i++)
        json_append(list, json_add(json_op(result, which, groups[i].first),
                                   JSON_NUMBER("count", groups[i].count)));
    return json_object(
        JSON_TEXT("recording", side->path), JSON_TEXT("device", device),
        JSON_BOOL("whole", !side->ops.partial),
        JSON_NUMBER("damaged_places", twin_recording_damage_count(side->recording)),
        JSON_NUMBER("lost", twin_recording_header(side->recording)->lost),
        JSON_NUMBER("ops", side->ops.count), JSON_NUMBER("span_ns", result->span_ns[which]),
        JSON_NUMBER("polls", result->polls[which]),
        JSON_NUMBER("polls_alone", result->stray_polls[which]),
        JSON_NUMBER("alone", result->only[which].count), JSON_ITEM("alone_by_call", list));
}

static cJSON *json_kinds(const struct compare_result *result)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < result->kind_count; i++) {
        const struct compare_kind *kind = &result->kinds[i];
        json_append(list,
                    json_object(JSON_TEXT("kind", twin_op_word(kind->kind)),
                                JSON_NUMBER("tasks", kind->count),
                                JSON_NUMBER("median", kind->median), JSON_NUMBER("p5", kind->p5),
                                JSON_NUMBER("p95", kind->p95), JSON_NUMBER("min", kind->min),
                                JSON_NUMBER("max", kind->max)));
    }
    return list;
}

static cJSON *json_instances(const struct compare_result *result)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < result->instances.count; i++) {
        const struct compare_instance *instance = &result->instances.items[i];
        cJSON *object = json_object(JSON_NUMBER("model_instance", instance->number),
                                    JSON_NUMBER("runs", instance->runs),
                                    JSON_NUMBER("a_median_ns", instance->median_ns[0]),
                                    JSON_NUMBER("b_median_ns", instance->median_ns[1]),
                                    JSON_NUMBER("median_ratio", instance->ratio));
        if (instance->made)
            json_add(object, JSON_ITEM("made", json_op(result, 0, instance->made)));
        json_append(list, object);
    }
    return list;
}

bool compare_report_json(const struct compare_result *result, FILE *out)
{
    cJSON *swaps = cJSON_CreateArray();
    for (size_t i = 0; i < result->swap_count; i++)
        json_append(swaps, json_object(JSON_ITEM("first", json_pair(result, result->swaps[i].a)),
                                       JSON_ITEM("second", json_pair(result, result->swaps[i].b))));
    return json_print(
        json_object(JSON_TEXT("format", "twinrt-compare"), JSON_NUMBER("version", FORMAT_VERSION),
                    JSON_BOOL("same", compare_is_same(result)),
                    JSON_BOOL("whole", compare_is_whole(result)),
                    JSON_ITEM("a", json_side(result, 0)), JSON_ITEM("b", json_side(result, 1)),
                    JSON_NUMBER("pairs", result->pairs.count),
                    JSON_NUMBER("untimed_pairs", result->untimed),
                    JSON_NUMBER("other_answers", result->answers.count),
                    JSON_ITEM("answers", json_pairs(result, &result->answers)),
                    JSON_NUMBER("swapped", result->swapped), JSON_ITEM("swaps", swaps),
                    JSON_ITEM("kinds", json_kinds(result)),
                    JSON_ITEM("model_instances", json_instances(result)),
                    JSON_ITEM("worst", json_pairs(result, &result->worst))),
        out);
}
