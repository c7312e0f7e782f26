/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_rows.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const cJSON *line, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(line, key));
}

static struct bench_row *find(const struct bench_rows *rows, const char *group, const char *run,
                              const char *name, const char *clock)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct bench_row *row = &rows->row[i];
        if (strcmp(row->name, name) == 0 && (!clock || strcmp(row->clock, clock) == 0) &&
            (!group || (strcmp(row->group, group) == 0 && strcmp(row->run, run) == 0)))
            return row;
    }
    return NULL;
}

static struct bench_row *add(struct bench_rows *rows, const char *group, const char *run,
                             const cJSON *line)
{
    struct bench_row *grown = realloc(rows->row, (rows->count + 1) * sizeof(*grown));
    if (!grown)
        return NULL;
    rows->row = grown;
    struct bench_row *row = &grown[rows->count];
    const cJSON *bytes = cJSON_GetObjectItemCaseSensitive(line, "bytes");
    const cJSON *parameters = cJSON_GetObjectItemCaseSensitive(line, "parameters");
    *row = (struct bench_row){.group = strdup(group),
                              .run = strdup(run),
                              .name = strdup(text_of(line, "name")),
                              .unit = strdup(text_of(line, "unit")),
                              .clock = strdup(text_of(line, "clock")),
                              .bytes = cJSON_IsNumber(bytes) ? bytes->valuedouble : 0,
                              .parameters = parameters ? cJSON_Duplicate(parameters, true) : NULL};
    rows->count++; /* from here on bench_rows_free() finds it */
    return row->group && row->run && row->name && row->unit && row->clock ? row : NULL;
}

int bench_rows_take(struct bench_rows *rows, const char *group, const char *run, const char *line)
{
    if (line[0] != '{')
        return 0;
    cJSON *object = cJSON_Parse(line);
    const cJSON *samples = cJSON_GetObjectItemCaseSensitive(object, "samples");
    int result = -1;
    if (!text_of(object, "name") || !text_of(object, "unit") || !text_of(object, "clock") ||
        !cJSON_IsArray(samples))
        goto out;
    struct bench_row *row =
        find(rows, group, run, text_of(object, "name"), text_of(object, "clock"));
    if (!row)
        row = add(rows, group, run, object);
    if (!row)
        goto out;
    size_t more = (size_t)cJSON_GetArraySize(samples);
    double *grown = realloc(row->samples, (row->count + more + 1) * sizeof(*grown));
    if (!grown)
        goto out;
    row->samples = grown;
    const cJSON *sample;
    cJSON_ArrayForEach(sample, samples) row->samples[row->count++] =
        cJSON_IsNumber(sample) ? sample->valuedouble : 0;
    result = 0;
out:
    cJSON_Delete(object);
    return result;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

void bench_rows_finish(struct bench_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->row[i].count > 0)
            qsort(rows->row[i].samples, rows->row[i].count, sizeof(double), compare);
}

const struct bench_row *bench_rows_find(const struct bench_rows *rows, const char *name,
                                        const char *clock)
{
    return find(rows, NULL, NULL, name, clock);
}

double bench_median(const struct bench_row *row)
{
    size_t half = row->count / 2;
    if (row->count == 0)
        return 0;
    return row->count % 2 ? row->samples[half] : (row->samples[half - 1] + row->samples[half]) / 2;
}

double bench_p90(const struct bench_row *row)
{
    return row->count == 0 ? 0 : row->samples[(row->count * 9 + 9) / 10 - 1];
}

void bench_rows_free(struct bench_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct bench_row *row = &rows->row[i];
        free(row->group);
        free(row->run);
        free(row->name);
        free(row->unit);
        free(row->clock);
        free(row->samples);
        cJSON_Delete(row->parameters);
    }
    free(rows->row);
    *rows = (struct bench_rows){0};
}
