/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/calibrate.h"
#include "output/json.h"
#include "output/layout.h"

bool calibrate_fail(const struct calibrate_job *job, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)vsnprintf(job->error->text, sizeof(job->error->text), format, values);
    va_end(values);
    return false;
}

static const char *const words[] = {
    [CALIBRATE_FIXED] = "fixed",
    [CALIBRATE_FITTED] = "identifiable",
    [CALIBRATE_TOGETHER] = "only in sum",
    [CALIBRATE_WEAK] = "too weak",
    [CALIBRATE_INFLUENCE_0] = "no influence",
};

#define PARAMETER_FORMAT "%-29s %8s %8s %8s %9s  %s\n" /* 80 columns */

/* `sum`: what is known of it and of others was printed with one of these. */
static void print_parameter(const struct calibrate_parameter *parameter, bool sum, FILE *out)
{
    char error[16] = "-";
    if (parameter->verdict != CALIBRATE_INFLUENCE_0 && isfinite(parameter->error) &&
        parameter->error < 10)
        (void)snprintf(error, sizeof(error), "%.2f %%", 100 * parameter->error);
    char before[32], fitted[32], rows[32], detail[1024];
    (void)snprintf(before, sizeof(before), "%.0f", parameter->start);
    (void)snprintf(fitted, sizeof(fitted), "%.0f", parameter->value);
    (void)snprintf(rows, sizeof(rows), "%" PRIu64, parameter->rows);
    fprintf(out, PARAMETER_FORMAT, parameter->name, before, fitted, error, rows,
            words[parameter->verdict]);
    if (parameter->verdict == CALIBRATE_TOGETHER && sum)
        return;
    if (parameter->verdict == CALIBRATE_TOGETHER)
        (void)snprintf(detail, sizeof(detail), "%s = %.0f, from %.0f to %.0f",
                       parameter->combination, parameter->sum, parameter->sum_low,
                       parameter->sum_high);
    else if (parameter->verdict == CALIBRATE_WEAK && !isnan(parameter->low))
        (void)snprintf(detail, sizeof(detail), "between %.0f and %.0f", parameter->low,
                       parameter->high);
    else
        return;
    layout_item(out, 4, detail);
}

static void print_recording(const struct calibrate_recording_sum *record, FILE *out)
{
    char label[PATH_MAX + 2], left_out[80] = "", text[256];
    (void)snprintf(label, sizeof(label), "%s: ", record->path);
    if (record->left_out > 0 && record->table)
        (void)snprintf(left_out, sizeof(left_out), ", %" PRIu64 " not in the model",
                       record->left_out);
    else if (record->left_out > 0)
        (void)snprintf(left_out, sizeof(left_out),
                       ", %" PRIu64 " op%s left out (other processes, deferred streams)",
                       record->left_out, layout_plural(record->left_out));
    (void)snprintf(text, sizeof(text), "%" PRIu64 " %s%s, %" PRIu64 " duration%s%s%s", record->ops,
                   record->table ? "time" : "op", layout_plural(record->ops), record->rows,
                   layout_plural(record->rows), left_out,
                   record->one_clock ? "" : ", host and device have different clocks");
    layout_print(out, layout_width(out), 2, label, text);
}

/* Returns how many parameters are free. */
static size_t print_parameters(const struct calibrate_parameters *parameters, FILE *out)
{
    static const enum calibrate_verdict order[] = {CALIBRATE_FITTED, CALIBRATE_TOGETHER,
                                                   CALIBRATE_WEAK};
    const struct calibrate_parameter *last = NULL;
    size_t count = 0;
    for (size_t o = 0; o < sizeof(order) / sizeof(order[0]); o++) {
        for (size_t i = 0; i < parameters->count; i++) {
            const struct calibrate_parameter *parameter = &parameters->items[i];
            if (!parameter->is_free || parameter->verdict != order[o])
                continue;
            if (!last)
                fprintf(out, "\n" PARAMETER_FORMAT, "parameter", "before", "fitted", "error",
                        "durations", "verdict");
            print_parameter(parameter,
                            last && strcmp(last->combination, parameter->combination) == 0, out);
            last = parameter;
            count++;
        }
    }
    return count;
}

/* Names alone, as there is nothing else to say of them. */
static size_t print_without_influence(const struct calibrate_parameters *parameters, FILE *out)
{
    size_t count = 0;
    size_t bytes = 0;
    char *text = NULL;
    FILE *list = open_memstream(&text, &bytes);
    for (size_t i = 0; list && i < parameters->count; i++) {
        const struct calibrate_parameter *parameter = &parameters->items[i];
        if (parameter->is_free && parameter->verdict == CALIBRATE_INFLUENCE_0)
            fprintf(list, "%s%s", count++ > 0 ? ", " : "", parameter->name);
    }
    if (list && fclose(list) == 0 && count > 0) {
        fputc('\n', out);
        layout_print(out, layout_width(out), 4, "no influence, unchanged: ", text);
    }
    free(text);
    return count;
}

void calibrate_report_text(const struct calibrate_result *result, FILE *out)
{
    for (size_t i = 0; i < result->recording_count; i++)
        print_recording(&result->recordings[i], out);
    const size_t felt = print_parameters(&result->parameters, out);
    const size_t free_count = felt + print_without_influence(&result->parameters, out);
    if (result->pair_count > 0)
        msprof_pairs_print(result->pairs, result->pair_count, out);
    msprof_left_out_print(&result->board, &result->model, out);
    fprintf(out, "\n%zu parameter%s free, %zu fixed; %u step%s%s, %" PRIu64 " run%s of the model\n",
            free_count, layout_plural(free_count), result->parameters.count - free_count,
            result->iterations, layout_plural(result->iterations),
            result->settled ? "" : " (not converged: raise --steps)", result->trials,
            layout_plural(result->trials));
    fprintf(out, "deviation, median: %.1f ns before, %.1f ns after; worst: %.0f and %.0f ns\n",
            result->before.median, result->after.median, result->before.worst, result->after.worst);
    if (result->partial)
        fprintf(out,
                "with the values of the fit that are not used: median %.1f ns, worst %.0f ns\n",
                result->fitted.median, result->fitted.worst);
    if (result->poor)
        fputs("the fit is poor: some deviations are far larger than the others; no value is used\n",
              out);
    if (result->outliers > 0)
        fprintf(out, "durations that do not fit any values of the parameters: %" PRIu64 "\n",
                result->outliers);
}

void calibrate_report_written(const struct calibrate_result *result, const char *profile,
                              const char *path, FILE *out)
{
    size_t alone = 0;
    size_t sums = 0;
    char text[2 * PATH_MAX + 160];
    for (size_t i = 0; i < result->parameters.count; i++) {
        const struct calibrate_parameter *parameter = &result->parameters.items[i];
        alone += parameter->verdict == CALIBRATE_FITTED;
        sums += parameter->verdict == CALIBRATE_TOGETHER && parameter->value != parameter->start;
    }
    if (!path) {
        fputs("no profile was written; -o FILE writes one\n", out);
        return;
    }
    if (alone + sums == 0)
        (void)snprintf(text, sizeof(text),
                       "%s: no value was determined, so it has the times of profile %s", path,
                       profile);
    else
        (void)snprintf(
            text, sizeof(text),
            "%s: %zu value%s measured, %zu only in sums; use it with TWINRT_PROFILE=%s%s", path,
            alone, layout_plural(alone), sums, strchr(path, '/') ? "" : "./", path);
    layout_print(out, layout_width(out), 4, "wrote ", text);
}

static cJSON *json_parameter(const struct calibrate_parameter *parameter)
{
    cJSON *item =
        json_object(JSON_TEXT("name", parameter->name), JSON_TEXT("unit", parameter->unit),
                    JSON_TEXT("mark", parameter->mark), JSON_NUMBER("before", parameter->start),
                    JSON_NUMBER("fitted", parameter->value), JSON_NUMBER("times", parameter->rows),
                    JSON_TEXT("verdict", words[parameter->verdict]));
    if (isfinite(parameter->error))
        json_add(item, JSON_NUMBER("relative_error", parameter->error));
    if (!isnan(parameter->low))
        json_add(item, JSON_NUMBER("low", parameter->low), JSON_NUMBER("high", parameter->high));
    if (parameter->verdict == CALIBRATE_TOGETHER)
        json_add(item, JSON_TEXT("with", parameter->with),
                 JSON_TEXT("combination", parameter->combination),
                 JSON_NUMBER("sum", parameter->sum), JSON_NUMBER("sum_low", parameter->sum_low),
                 JSON_NUMBER("sum_high", parameter->sum_high));
    return item;
}

bool calibrate_report_json(const struct calibrate_result *result, FILE *out)
{
    cJSON *parameters = cJSON_CreateArray();
    cJSON *recordings = cJSON_CreateArray();
    for (size_t i = 0; i < result->parameters.count; i++)
        if (result->parameters.items[i].is_free)
            json_append(parameters, json_parameter(&result->parameters.items[i]));
    for (size_t i = 0; i < result->recording_count; i++) {
        const struct calibrate_recording_sum *record = &result->recordings[i];
        json_append(recordings,
                    json_object(JSON_TEXT("path", record->path), JSON_NUMBER("ops", record->ops),
                                JSON_NUMBER("times", record->rows),
                                JSON_NUMBER("left_out", record->left_out),
                                JSON_BOOL("one_clock", record->one_clock)));
    }
    return json_print(
        json_object(JSON_ITEM("parameters", parameters), JSON_ITEM("recordings", recordings),
                    JSON_ITEM("rows", msprof_pairs_json(result->pairs, result->pair_count)),
                    JSON_NUMBER("steps", result->iterations), JSON_BOOL("settled", result->settled),
                    JSON_BOOL("poor", result->poor), JSON_NUMBER("runs", result->trials),
                    JSON_NUMBER("outliers", result->outliers),
                    JSON_NUMBER("deviation_before", result->before.relative),
                    JSON_NUMBER("deviation_fitted", result->fitted.relative),
                    JSON_NUMBER("deviation_after", result->after.relative),
                    JSON_NUMBER("median_ns_before", result->before.median),
                    JSON_NUMBER("median_ns_fitted", result->fitted.median),
                    JSON_NUMBER("median_ns_after", result->after.median),
                    JSON_NUMBER("worst_ns_before", result->before.worst),
                    JSON_NUMBER("worst_ns_fitted", result->fitted.worst),
                    JSON_NUMBER("worst_ns_after", result->after.worst)),
        out);
}
