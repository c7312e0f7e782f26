/* SPDX-License-Identifier: Apache-2.0 */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

#include "calibrate/calibrate.h"

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

static void print_parameter(const struct calibrate_parameter *parameter, FILE *out)
{
    char error[16] = "-";
    if (parameter->verdict != CALIBRATE_INFLUENCE_0 && isfinite(parameter->error) &&
        parameter->error < 10)
        (void)snprintf(error, sizeof(error), "%.2f %%", 100 * parameter->error);
    fprintf(out, "%-28s %10.0f %10.0f %9s %9" PRIu64 "  %s", parameter->name, parameter->start,
            parameter->value, error, parameter->rows, words[parameter->verdict]);
    if (parameter->verdict == CALIBRATE_TOGETHER)
        fprintf(out, " with %s: %s = %.0f, from %.0f to %.0f", parameter->with,
                parameter->combination, parameter->sum, parameter->sum_low, parameter->sum_high);
    else if (parameter->verdict == CALIBRATE_WEAK && !isnan(parameter->low))
        fprintf(out, ": between %.0f and %.0f", parameter->low, parameter->high);
    fputc('\n', out);
}

void calibrate_report_text(const struct calibrate_result *result, FILE *out)
{
    static const enum calibrate_verdict order[] = {CALIBRATE_FITTED, CALIBRATE_TOGETHER,
                                                   CALIBRATE_WEAK, CALIBRATE_INFLUENCE_0};
    size_t free_count = 0;
    for (size_t i = 0; i < result->record_count; i++) {
        const struct calibrate_record_sum *record = &result->records[i];
        fprintf(out, "%s: %" PRIu64 " ops, %" PRIu64 " durations", record->path, record->ops,
                record->rows);
        if (record->left_out > 0)
            fprintf(out, ", %" PRIu64 " ops left out", record->left_out);
        if (!record->one_clock)
            fputs(", host and device have different clocks", out);
        fputc('\n', out);
    }
    fprintf(out, "\n%-28s %10s %10s %9s %9s  %s\n", "parameter", "before", "fitted", "error",
            "durations", "verdict");
    for (size_t o = 0; o < sizeof(order) / sizeof(order[0]); o++) {
        for (size_t i = 0; i < result->parameters.count; i++) {
            const struct calibrate_parameter *parameter = &result->parameters.items[i];
            if (!parameter->is_free || parameter->verdict != order[o])
                continue;
            print_parameter(parameter, out);
            free_count++;
        }
    }
    fprintf(out, "\n%zu parameters free, %zu fixed; %u step%s%s, %" PRIu64 " runs of the model\n",
            free_count, result->parameters.count - free_count, result->iterations,
            result->iterations == 1 ? "" : "s",
            result->settled ? "" : " (not converged: raise --steps)", result->trials);
    fprintf(out, "deviation, median: %.1f ns before, %.1f ns after; worst: %.0f and %.0f ns\n",
            result->median_before, result->median_after, result->worst_before, result->worst_after);
    if (result->poor)
        fputs("the fit is poor: some deviations are far larger than the others; no value is used\n",
              out);
    if (result->outliers > 0)
        fprintf(out, "%" PRIu64 " durations do not fit any values of the parameters\n",
                result->outliers);
}

static bool add_parameter(cJSON *list, const struct calibrate_parameter *parameter)
{
    cJSON *item = cJSON_CreateObject();
    if (!item || !cJSON_AddItemToArray(list, item))
        return false;
    bool good = cJSON_AddStringToObject(item, "name", parameter->name) &&
                cJSON_AddStringToObject(item, "unit", parameter->unit) &&
                cJSON_AddStringToObject(item, "mark", parameter->mark) &&
                cJSON_AddNumberToObject(item, "before", parameter->start) &&
                cJSON_AddNumberToObject(item, "fitted", parameter->value) &&
                cJSON_AddNumberToObject(item, "times", (double)parameter->rows) &&
                cJSON_AddStringToObject(item, "verdict", words[parameter->verdict]);
    if (good && isfinite(parameter->error))
        good = cJSON_AddNumberToObject(item, "relative_error", parameter->error) != NULL;
    if (good && !isnan(parameter->low))
        good = cJSON_AddNumberToObject(item, "low", parameter->low) &&
               cJSON_AddNumberToObject(item, "high", parameter->high);
    if (good && parameter->verdict == CALIBRATE_TOGETHER)
        good = cJSON_AddStringToObject(item, "with", parameter->with) &&
               cJSON_AddStringToObject(item, "combination", parameter->combination) &&
               cJSON_AddNumberToObject(item, "sum", parameter->sum) &&
               cJSON_AddNumberToObject(item, "sum_low", parameter->sum_low) &&
               cJSON_AddNumberToObject(item, "sum_high", parameter->sum_high);
    return good;
}

static bool add_records(cJSON *root, const struct calibrate_result *result)
{
    cJSON *records = cJSON_AddArrayToObject(root, "records");
    bool good = records != NULL;
    for (size_t i = 0; good && i < result->record_count; i++) {
        const struct calibrate_record_sum *record = &result->records[i];
        cJSON *item = cJSON_CreateObject();
        good = item && cJSON_AddItemToArray(records, item) &&
               cJSON_AddStringToObject(item, "path", record->path) &&
               cJSON_AddNumberToObject(item, "ops", (double)record->ops) &&
               cJSON_AddNumberToObject(item, "times", (double)record->rows) &&
               cJSON_AddNumberToObject(item, "left_out", (double)record->left_out) &&
               cJSON_AddBoolToObject(item, "one_clock", record->one_clock);
    }
    return good;
}

bool calibrate_report_json(const struct calibrate_result *result, FILE *out)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *list = root ? cJSON_AddArrayToObject(root, "parameters") : NULL;
    bool good = list && add_records(root, result);
    for (size_t i = 0; good && i < result->parameters.count; i++)
        if (result->parameters.items[i].is_free)
            good = add_parameter(list, &result->parameters.items[i]);
    good = good && cJSON_AddNumberToObject(root, "steps", result->iterations) &&
           cJSON_AddBoolToObject(root, "settled", result->settled) &&
           cJSON_AddBoolToObject(root, "poor", result->poor) &&
           cJSON_AddNumberToObject(root, "runs", (double)result->trials) &&
           cJSON_AddNumberToObject(root, "outliers", (double)result->outliers) &&
           cJSON_AddNumberToObject(root, "deviation_before", result->before) &&
           cJSON_AddNumberToObject(root, "deviation_after", result->after) &&
           cJSON_AddNumberToObject(root, "median_ns_before", result->median_before) &&
           cJSON_AddNumberToObject(root, "median_ns_after", result->median_after) &&
           cJSON_AddNumberToObject(root, "worst_ns_before", result->worst_before) &&
           cJSON_AddNumberToObject(root, "worst_ns_after", result->worst_after);
    char *text = good ? cJSON_Print(root) : NULL;
    if (text)
        fprintf(out, "%s\n", text);
    cJSON_free(text);
    cJSON_Delete(root);
    return text != NULL;
}
