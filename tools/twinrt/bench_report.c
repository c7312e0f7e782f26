/* SPDX-License-Identifier: Apache-2.0 */
/* The table and the JSON of `twinrt bench`. Host time, simulated time and counts are never in one
 * column. */
#include <stdlib.h>
#include <string.h>

#include "bench_rows.h"
#include "output/json.h"
#include "output/layout.h"
#include "marks.h"

/* A filter that is the name of a group means that group, whatever else has it in its name. */
static bool is_group(const char *filter)
{
    static const char *const groups[] = {"sync", "copy", "submit", "model"};
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
        if (strcmp(filter, groups[i]) == 0)
            return true;
    return false;
}

bool bench_wanted(const char *filter, const char *group, const char *run, const char *name)
{
    char label[256];
    if (*filter == '\0' || is_group(filter))
        return *filter == '\0' || strcmp(group, filter) == 0;
    (void)snprintf(label, sizeof(label), "%s/%s", group, run);
    if (strstr(label, filter))
        return true;
    (void)snprintf(label, sizeof(label), "%s/%s", group, name);
    return strstr(label, filter) != NULL;
}

/* ---- targets ---- */

struct verdict {
    const char *id;
    const char *what;
    const char *unit;
    double value;
    bool judged;
    double must;
    double aim;
    const char *word;
};

static bool median_of(const struct bench_rows *rows, const char *name, double *out)
{
    const struct bench_row *row = name ? bench_rows_find(rows, name, NULL) : NULL;
    *out = row ? bench_median(row) : 0;
    return row && row->count > 0;
}

static bool value_of(const struct bench_rows *rows, const cJSON *target, double *out)
{
    const cJSON *ratio = cJSON_GetObjectItemCaseSensitive(target, "ratio");
    double below = 0;
    if (ratio) {
        if (!median_of(rows, cJSON_GetStringValue(cJSON_GetArrayItem(ratio, 0)), out) ||
            !median_of(rows, cJSON_GetStringValue(cJSON_GetArrayItem(ratio, 1)), &below) ||
            below == 0)
            return false;
        *out /= below;
        return true;
    }
    const cJSON *rate = cJSON_GetObjectItemCaseSensitive(target, "rate");
    if (rate) {
        if (!median_of(rows, cJSON_GetStringValue(rate), out) || *out == 0)
            return false;
        *out = 1e6 / *out;
        return true;
    }
    return median_of(rows, cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(target, "value")),
                     out);
}

/* False: what the target is about was not measured. */
static bool judge(const struct bench_rows *rows, const cJSON *target, struct verdict *out)
{
    const cJSON *must = cJSON_GetObjectItemCaseSensitive(target, "must");
    const cJSON *aim = cJSON_GetObjectItemCaseSensitive(target, "aim");
    bool higher = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(target, "higher"));
    *out = (struct verdict){.id = json_text(target, "id"),
                            .what = json_text(target, "what"),
                            .unit = json_text(target, "unit"),
                            .judged = cJSON_IsNumber(must) && cJSON_IsNumber(aim),
                            .word = "no target"};
    if (!value_of(rows, target, &out->value))
        return false;
    if (!out->judged)
        return true;
    out->must = must->valuedouble;
    out->aim = aim->valuedouble;
    double sign = higher ? -1 : 1;
    out->word = sign * out->value <= sign * out->aim    ? "aim"
                : sign * out->value <= sign * out->must ? "met"
                                                        : "MISSED";
    return true;
}

/* ---- table ---- */

static void print_figures(const struct bench_row *row, FILE *to)
{
    char spread[32];
    (void)snprintf(spread, sizeof(spread), "%.4g..%.4g", row->samples[0],
                   row->samples[row->count - 1]);
    fprintf(to, " %10.5g %10.5g %16s", bench_median(row), bench_p90(row), spread);
}

static void print_rate(const struct bench_row *row, FILE *to)
{
    /* bytes per us are MB/s */
    if (row->bytes > 0 && bench_median(row) > 0)
        fprintf(to, " %8.3g", row->bytes / bench_median(row) / 1e3);
    else
        fprintf(to, " %8s", "-");
}

static void print_marks(const struct bench_row *row, FILE *to)
{
    unsigned counts[MARK_COUNT + 1] = {0};
    const cJSON *parameter;
    cJSON_ArrayForEach(parameter, row->parameters)
        counts[mark_of(cJSON_GetStringValue(parameter))]++;
    for (size_t i = 0; i < MARK_COUNT; i++)
        if (counts[i] != 0)
            fprintf(to, " %u%c", counts[i], mark_names[i][0]);
}

static bool has_rates(const struct bench_rows *rows, const struct bench_row *first)
{
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(rows->row[i].group, first->group) == 0 && rows->row[i].bytes > 0)
            return true;
    return false;
}

static void print_group(const struct bench_rows *rows, const struct bench_about *about,
                        const struct bench_row *first, FILE *to)
{
    bool rates = has_rates(rows, first);
    fprintf(to, "\n%s\n%-34s %-5s %7s %10s %10s %16s", first->group, "  what", "unit", "repeats",
            "median", "p90", "low..high");
    if (rates)
        fprintf(to, " %8s", "GB/s");
    fputc('\n', to);
    static const struct {
        const char *clock;
        const char *title;
    } clocks[] = {{"virtual", " simulated time (exact)"},
                  {"host", " host time"},
                  {"count", " counts and sizes"}};
    for (size_t c = 0; c < sizeof(clocks) / sizeof(clocks[0]); c++) {
        bool titled = false;
        for (size_t i = 0; i < rows->count; i++) {
            const struct bench_row *row = &rows->row[i];
            if (strcmp(row->group, first->group) != 0 || strcmp(row->clock, clocks[c].clock) != 0 ||
                row->count == 0 || !bench_wanted(about->filter, row->group, row->run, row->name))
                continue;
            if (!titled)
                fprintf(to, "%s\n", clocks[c].title);
            titled = true;
            fprintf(to, "  %-32s %-5s %7zu", row->name, row->unit, row->count);
            print_figures(row, to);
            if (rates)
                print_rate(row, to);
            if (row->parameters)
                print_marks(row, to);
            fputc('\n', to);
        }
    }
}

void bench_print_table(const struct bench_rows *rows, const struct bench_about *about, FILE *to)
{
    fprintf(to, "backend %s, profile %s, %u repeat%s\n", about->backend, about->profile,
            about->repeats, layout_plural(about->repeats));
    for (size_t i = 0; i < rows->count; i++) {
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen = seen || strcmp(rows->row[k].group, rows->row[i].group) == 0;
        if (!seen)
            print_group(rows, about, &rows->row[i], to);
    }
    bool titled = false;
    const cJSON *target;
    cJSON_ArrayForEach(target, about->targets)
    {
        struct verdict verdict;
        if (!judge(rows, target, &verdict) || !verdict.judged)
            continue;
        if (!titled)
            fprintf(to, "\ntargets\n  %-4s %-46s %10s %-4s %8s %8s  verdict\n", "", "what", "value",
                    "", "must", "aim");
        titled = true;
        fprintf(to, "  %-4s %-46s %10.3g %-4s %8g %8g  %s\n", verdict.id, verdict.what,
                verdict.value, verdict.unit, verdict.must, verdict.aim, verdict.word);
    }
    bool marked = false;
    for (size_t i = 0; i < rows->count; i++)
        marked = marked || rows->row[i].parameters;
    if (strcmp(about->backend, "ascend") == 0)
        fprintf(to, "\nDevice time is what the vendor's runtime reports for events.\n");
    else if (marked)
        fprintf(
            to,
            "\nLast column: the parameters of the profile that a simulated time depends on, by "
            "mark "
            "(k known,\ni inferred, a assumed, m measured); `twinrt info --all` lists them with "
            "their sources.\nNo board was measured.\n");
}

/* ---- JSON ---- */

static cJSON *row_json(const struct bench_row *row)
{
    cJSON *out = json_object(JSON_TEXT("group", row->group), JSON_TEXT("run", row->run),
                             JSON_TEXT("name", row->name), JSON_TEXT("clock", row->clock),
                             JSON_TEXT("unit", row->unit));
    if (row->bytes > 0)
        json_add(out, JSON_NUMBER("bytes", row->bytes));
    json_add(out, JSON_NUMBER("repeats", row->count), JSON_NUMBER("median", bench_median(row)),
             JSON_NUMBER("p90", bench_p90(row)), JSON_NUMBER("low", row->samples[0]),
             JSON_NUMBER("high", row->samples[row->count - 1]),
             JSON_ITEM("samples", cJSON_CreateDoubleArray(row->samples, (int)row->count)));
    if (row->parameters)
        json_add(out, JSON_ITEM("parameters", cJSON_Duplicate(row->parameters, true)));
    return out;
}

int bench_print_json(const struct bench_rows *rows, const struct bench_about *about, FILE *to)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < rows->count; i++) {
        const struct bench_row *row = &rows->row[i];
        if (row->count > 0 && bench_wanted(about->filter, row->group, row->run, row->name))
            json_append(list, row_json(row));
    }
    cJSON *judged = cJSON_CreateArray();
    const cJSON *target;
    cJSON_ArrayForEach(target, about->targets)
    {
        struct verdict verdict;
        if (judge(rows, target, &verdict) && verdict.judged)
            json_append(
                judged,
                json_object(JSON_TEXT("id", verdict.id), JSON_TEXT("what", verdict.what),
                            JSON_NUMBER("value", verdict.value), JSON_TEXT("unit", verdict.unit),
                            JSON_NUMBER("must", verdict.must), JSON_NUMBER("aim", verdict.aim),
                            JSON_TEXT("verdict", verdict.word)));
    }
    cJSON *all =
        json_object(JSON_TEXT("backend", about->backend), JSON_TEXT("profile", about->profile),
                    JSON_NUMBER("repeats", about->repeats), JSON_ITEM("rows", list),
                    JSON_ITEM("targets", judged));
    return json_print(all, to) ? 0 : -1;
}
