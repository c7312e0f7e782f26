/* SPDX-License-Identifier: Apache-2.0 */
#include "msprof/pairs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/layout.h"

struct column {
    const struct msprof_time *first;
    uint64_t rows;
    double board, model;          /* us, sums */
    double off_before, off_model; /* relative, sums of sizes */
    double worst;
    const struct msprof_time *worst_row;
};

struct msprof_pair *msprof_pairs_make(const struct msprof_times *board,
                                      const struct msprof_times *model, size_t *out_count,
                                      size_t *out_left_out)
{
    struct msprof_pair *pairs = calloc(board->count + 1, sizeof(*pairs));
    *out_count = *out_left_out = 0;
    for (size_t i = 0; pairs && i < board->count; i++) {
        const struct msprof_time *time = &board->items[i];
        const struct msprof_time *same = msprof_find(model, time);
        if (time->us <= 0)
            continue;
        if (same && same->us > 0)
            pairs[(*out_count)++] =
                (struct msprof_pair){.time = time, .before_us = NAN, .model_us = same->us};
        else
            (*out_left_out)++;
    }
    return pairs;
}

static double off_of(double us, const struct msprof_time *time)
{
    return us / time->us - 1;
}

/* Times come by kernel: its columns are the last ones. */
static struct column *column_of(struct column *columns, size_t *count,
                                const struct msprof_time *time)
{
    for (size_t i = *count; i-- > 0 && columns[i].first->kind == time->kind &&
                            strcmp(columns[i].first->op, time->op) == 0;)
        if (strcmp(columns[i].first->column, time->column) == 0)
            return &columns[i];
    columns[*count] = (struct column){.first = time};
    return &columns[(*count)++];
}

static void add_pair(struct column *column, const struct msprof_pair *pair)
{
    const double off = off_of(pair->model_us, pair->time);
    column->rows++;
    column->board += pair->time->us;
    column->model += pair->model_us;
    column->off_before += fabs(off_of(pair->before_us, pair->time));
    column->off_model += fabs(off);
    if (column->worst_row && fabs(off) <= fabs(column->worst))
        return;
    column->worst = off;
    column->worst_row = pair->time;
}

static void print_column(const struct column *column, FILE *out)
{
    const double rows = (double)column->rows;
    fprintf(out, "  %-10s %6" PRIu64 " %11.3f %11.3f", column->first->column, column->rows,
            column->board / rows, column->model / rows);
    if (!isnan(column->off_before))
        fprintf(out, " %7.2f %%", 100 * column->off_before / rows);
    fprintf(out, " %7.2f %%  %zu: %+.2f %%\n", 100 * column->off_model / rows,
            column->worst_row->line, 100 * column->worst);
}

void msprof_pairs_print(const struct msprof_pair *pairs, size_t count, FILE *out)
{
    static const char *const titles[MSPROF_KINDS] = {
        [MSPROF_KERNELS] = "kernel", [MSPROF_BLOCKS] = "blocks"};
    size_t used = 0;
    struct column *columns = calloc(count + 1, sizeof(*columns));
    if (!columns)
        return;
    for (size_t i = 0; i < count; i++)
        add_pair(column_of(columns, &used, pairs[i].time), &pairs[i]);
    for (int kind = 0; kind < MSPROF_KINDS; kind++) {
        const char *op = NULL;
        for (size_t i = 0; i < used; i++) {
            const struct column *column = &columns[i];
            if (column->first->kind != kind)
                continue;
            if (!op)
                fprintf(out, "\n%-12s %6s %11s %11s%s %9s  %s\n", titles[kind], "rows", "board us",
                        "model us", isnan(column->off_before) ? "" : "    before", "off",
                        "worst line");
            if (!op || strcmp(op, column->first->op) != 0)
                fprintf(out, "%s\n", column->first->op);
            op = column->first->op;
            print_column(column, out);
        }
    }
    free(columns);
}

/* ---- what is not compared -------------------------------------------------------------------- */

#define NAMES_SHOWN 10

/* "hcom_send (1), Cast (3) and 4 others": kernels, or their times too. */
static char *list_columns(const struct column *columns, size_t count, bool times)
{
    size_t bytes = 0;
    size_t names = 0;
    char *text = NULL;
    FILE *list = open_memstream(&text, &bytes);
    for (size_t i = 0; list && i < count; names++) {
        const struct msprof_time *first = columns[i].first;
        uint64_t rows = columns[i++].rows;
        for (; !times && i < count && strcmp(columns[i].first->op, first->op) == 0; i++)
            rows += columns[i].rows;
        if (names < NAMES_SHOWN)
            fprintf(list, "%s%s%s%s (%" PRIu64 ")", names > 0 ? ", " : "", first->op,
                    times ? " " : "", times ? first->column : "", rows);
    }
    if (list && names > NAMES_SHOWN)
        fprintf(list, " and %zu more", names - NAMES_SHOWN);
    if (list && fclose(list) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

void msprof_left_out_print(const struct msprof_times *board, const struct msprof_times *model,
                           FILE *out)
{
    static const char *const reasons[] = {"not used, the model has no kernel of the name (--op): ",
                                          "not used, 0 or missing in the model: "};
    struct column *columns = calloc(board->count + 1, sizeof(*columns));
    bool any = false;
    for (int has_kernel = 0; columns && has_kernel < 2; has_kernel++) {
        size_t used = 0;
        for (size_t i = 0; i < board->count; i++) {
            const struct msprof_time *time = &board->items[i];
            const struct msprof_time *same = msprof_find(model, time);
            if (time->us > 0 && (!same || same->us <= 0) &&
                msprof_has_kernel(model, time) == has_kernel)
                column_of(columns, &used, time)->rows++;
        }
        char *text = used > 0 ? list_columns(columns, used, has_kernel) : NULL;
        if (text && !any)
            fputc('\n', out);
        if (text)
            layout_print(out, layout_width(out), 4, reasons[has_kernel], text);
        any = any || text;
        free(text);
    }
    free(columns);
}

cJSON *msprof_pairs_json(const struct msprof_pair *pairs, size_t count)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++) {
        const struct msprof_time *time = pairs[i].time;
        cJSON *item =
            json_object(JSON_TEXT("kernel", time->op), JSON_NUMBER("launch", time->launch),
                        JSON_TEXT("time", time->column), JSON_TEXT("path", time->path),
                        JSON_NUMBER("line", (double)time->line), JSON_NUMBER("board_us", time->us),
                        JSON_NUMBER("model_us", pairs[i].model_us),
                        JSON_NUMBER("off", off_of(pairs[i].model_us, time)));
        if (!isnan(pairs[i].before_us))
            json_add(item, JSON_NUMBER("before_us", pairs[i].before_us));
        if (time->kind == MSPROF_BLOCKS)
            json_add(item, JSON_NUMBER("block", time->block), JSON_TEXT("unit", time->unit));
        json_append(list, item);
    }
    return list;
}
