/* SPDX-License-Identifier: Apache-2.0 */
#include "msprof/times.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "msprof/csv.h"

#define US_MOST 1e12

struct reading {
    struct msprof_times *times;
    const struct csv *csv;
    const char *path;
    const char *op; /* of a table that does not name its kernel; NULL: it must */
    size_t name, blocks, block, unit;
    uint8_t kind;
    char *error;
    size_t error_bytes;
};

/* Columns that say which launch a row of BLOCKS is of; a profiler has one launch in a file. */
static const char *const launch_columns[] = {"Device_id", "Stream ID", "Task ID",
                                             "Task Start Time(us)"};
#define LAUNCH_COLUMNS (sizeof(launch_columns) / sizeof(launch_columns[0]))

static const char *const pipes[][2] = {
    {"vec", "vec"},   {"mac", "cube"},  {"cube", "cube"}, {"scalar", "scalar"},
    {"mte1", "mte1"}, {"mte2", "mte2"}, {"mte3", "mte3"}, {"fixpipe", "fix"},
};

/* ---- columns --------------------------------------------------------------------------------- */

/* The name that a column of times has here; false: it is another column. */
static bool name_column(const char *name, char out[16])
{
    static const char end[] = "_time(us)";
    const size_t length = strlen(name);
    if (strcmp(name, "Task Duration(us)") == 0 || strcmp(name, "task_time(us)") == 0) {
        (void)snprintf(out, 16, "task");
        return true;
    }
    if (length < sizeof(end) || strcmp(name + length - (sizeof(end) - 1), end) != 0)
        return false;
    const size_t stem = length - (sizeof(end) - 1);
    const bool vector = strncmp(name, "aiv", 3) == 0;
    if ((stem == 3 && (vector || strncmp(name, "aic", 3) == 0)) ||
        (stem == 6 && strncmp(name, "aicore", 6) == 0)) {
        (void)snprintf(out, 16, vector ? "aiv" : "aic");
        return true;
    }
    const size_t prefix = strncmp(name, "aiv_", 4) == 0 || strncmp(name, "aic_", 4) == 0 ? 4 : 0;
    for (size_t i = 0; i < sizeof(pipes) / sizeof(pipes[0]); i++) {
        const size_t bytes = strlen(pipes[i][0]);
        if (stem != prefix + bytes || strncmp(name + prefix, pipes[i][0], bytes) != 0)
            continue;
        (void)snprintf(out, 16, "%s_%s", prefix && vector ? "aiv" : "aic", pipes[i][1]);
        return true;
    }
    return false;
}

static bool fail(const struct reading *reading, size_t line, const char *column, const char *what)
{
    (void)snprintf(reading->error, reading->error_bytes, "%s: line %zu, column %s: %s",
                   reading->path, line, column, what);
    return false;
}

static bool fail_file(const struct reading *reading, const char *what)
{
    (void)snprintf(reading->error, reading->error_bytes, "%s: %s", reading->path, what);
    return false;
}

static bool is_missing(const char *cell)
{
    return *cell == '\0' || strcmp(cell, "N/A") == 0 || strcmp(cell, "NA") == 0;
}

/* A number of a cell that has one. */
static bool read_number(const struct reading *reading, size_t row, size_t column, double *out)
{
    const char *cell = csv_cell(reading->csv, row, column);
    char *end = NULL;
    char what[128];
    *out = strtod(cell, &end);
    if (end != cell && *end == '\0' && isfinite(*out) && *out >= 0 && *out <= US_MOST)
        return true;
    (void)snprintf(what, sizeof(what), "\"%.40s\" is not a number from 0 to 1e12, nor N/A", cell);
    return fail(reading, reading->csv->lines[row], reading->csv->cells[column], what);
}

/* Finds out what the table is. */
static bool recognize(struct reading *reading)
{
    const struct csv *csv = reading->csv;
    char column[16];
    bool any_pipe = false;
    bool task = false;
    for (size_t i = 0; i < csv->columns; i++) {
        for (size_t k = 0; k < i; k++)
            if (csv->cells[i][0] != '\0' && strcmp(csv->cells[i], csv->cells[k]) == 0)
                return fail(reading, 1, csv->cells[i], "is there twice");
        if (!name_column(csv->cells[i], column))
            continue;
        task = task || strcmp(column, "task") == 0;
        any_pipe = any_pipe || strchr(column, '_');
    }
    const size_t kernel_name = csv_column(csv, "kernel_name");
    reading->name = csv_column(csv, "Op Name");
    if (reading->name == CSV_NONE)
        reading->name = kernel_name;
    reading->blocks = csv_column(csv, "Block Dim");
    if (reading->blocks == CSV_NONE)
        reading->blocks = csv_column(csv, "Block Num");
    reading->block = csv_column(csv, "block_id");
    reading->unit = csv_column(csv, "sub_block_id");
    reading->kind = reading->block != CSV_NONE ? MSPROF_BLOCKS : MSPROF_KERNELS;
    if (reading->kind == MSPROF_KERNELS && reading->name != CSV_NONE && task)
        return true;
    if (reading->kind == MSPROF_BLOCKS && reading->unit != CSV_NONE && any_pipe)
        return reading->name != CSV_NONE || reading->op ||
               fail_file(reading, "the table does not name its kernel; expected OpBasicInfo.csv "
                                  "of the same run in the same folder");
    if (reading->kind == MSPROF_BLOCKS)
        return fail_file(reading, "no times of pipes (as aiv_vec_time(us)); Memory.csv, "
                                  "L2Cache.csv and their like have rates and counts, from which "
                                  "nothing is fitted; expected PipeUtilization.csv");
    return fail_file(reading, "not a table of a profiler; expected the columns of op_summary, "
                              "task_time, OpBasicInfo or PipeUtilization");
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Whether a row is of the same launch as the one before. */
static bool same_launch(const struct reading *reading, size_t row)
{
    const struct csv *csv = reading->csv;
    if (reading->kind != MSPROF_BLOCKS || row == 0)
        return false;
    if (strcmp(csv_cell(csv, row, reading->name), csv_cell(csv, row - 1, reading->name)) != 0)
        return false;
    for (size_t i = 0; i < LAUNCH_COLUMNS; i++) {
        const size_t column = csv_column(csv, launch_columns[i]);
        if (strcmp(csv_cell(csv, row, column), csv_cell(csv, row - 1, column)) != 0)
            return false;
    }
    return true;
}

static bool read_whole(const struct reading *reading, size_t row, size_t column, uint32_t *out)
{
    double number = 0;
    *out = 0;
    if (column == CSV_NONE || is_missing(csv_cell(reading->csv, row, column)))
        return true;
    if (!read_number(reading, row, column, &number))
        return false;
    if (number > UINT32_MAX || number != floor(number))
        return fail(reading, reading->csv->lines[row], reading->csv->cells[column],
                    "not a whole number below 2^32");
    *out = (uint32_t)number;
    return true;
}

static bool add_cells(const struct reading *reading, size_t row, struct msprof_time *time)
{
    const struct csv *csv = reading->csv;
    const char *op = reading->name != CSV_NONE ? csv_cell(csv, row, reading->name) : reading->op;
    for (size_t i = 0; i < csv->columns; i++) {
        if (!name_column(csv->cells[i], time->column) || is_missing(csv_cell(csv, row, i)))
            continue;
        if (!read_number(reading, row, i, &time->us))
            return false;
        if (reading->times->count == MSPROF_TIMES_MOST)
            return fail(reading, csv->lines[row], csv->cells[i],
                        "more than 4194304 times; name fewer or shorter files");
        time->op = strdup(op);
        if (!time->op || !LIST_ADD(reading->times, *time)) {
            free(time->op);
            return fail_file(reading, "out of memory");
        }
    }
    return true;
}

static bool read_row(const struct reading *reading, size_t row)
{
    const struct csv *csv = reading->csv;
    const char *unit = csv_cell(csv, row, reading->unit);
    struct msprof_time time = {
        .path = reading->path, .line = csv->lines[row], .kind = reading->kind};
    reading->times->rows += !same_launch(reading, row);
    time.row = reading->times->rows;
    if (reading->name != CSV_NONE && is_missing(csv_cell(csv, row, reading->name)))
        return true;
    if (strlen(unit) >= sizeof(time.unit))
        return fail(reading, time.line, "sub_block_id", "longer than 15 characters");
    memcpy(time.unit, unit, strlen(unit) + 1);
    return read_whole(reading, row, reading->blocks, &time.blocks) &&
           read_whole(reading, row, reading->block, &time.block) && add_cells(reading, row, &time);
}

/* The clock that OpBasicInfo.csv reports. */
static bool read_clock(const struct reading *reading, size_t row)
{
    const size_t column = csv_column(reading->csv, "Current Freq");
    double mhz = 0;
    if (column == CSV_NONE || is_missing(csv_cell(reading->csv, row, column)))
        return true;
    if (!read_number(reading, row, column, &mhz))
        return false;
    if (reading->times->mhz > 0 && mhz != reading->times->mhz)
        return fail(reading, reading->csv->lines[row], "Current Freq",
                    "another clock than in rows before; kernels of one clock alone can be "
                    "compared");
    reading->times->mhz = mhz;
    return true;
}

static bool read_table(struct reading *reading)
{
    if (!recognize(reading))
        return false;
    for (size_t row = 0; row < reading->csv->rows; row++)
        if (!read_row(reading, row) || !read_clock(reading, row))
            return false;
    return true;
}

bool msprof_times_parse(struct msprof_times *times, const char *path, const char *text,
                        size_t text_bytes, const char *op, char *error, size_t bytes)
{
    char why[128];
    struct csv csv;
    struct reading reading = {
        .times = times, .csv = &csv, .path = path, .op = op, .error = error, .error_bytes = bytes};
    if (!csv_parse(&csv, text, text_bytes, why, sizeof(why)))
        return fail_file(&reading, why);
    const bool good = read_table(&reading);
    csv_free(&csv);
    return good;
}

/* ---- files ----------------------------------------------------------------------------------- */

bool msprof_is_table(const char *path)
{
    unsigned char bytes[256];
    FILE *file = fopen(path, "rbe");
    if (!file)
        return false;
    const size_t got = fread(bytes, 1, sizeof(bytes), file);
    (void)fclose(file);
    const size_t length = strlen(path);
    return got > 0 && !memchr(bytes, '\0', got) &&
           (memchr(bytes, ',', got) || (length > 4 && strcmp(path + length - 4, ".csv") == 0));
}

/* The kernel that OpBasicInfo.csv beside a file names; NULL: there is none, or it names none or
 * several. */
static char *op_beside(const char *path)
{
    char basic[PATH_MAX];
    char why[256];
    struct csv csv;
    const char *slash = strrchr(path, '/');
    const int used = snprintf(basic, sizeof(basic), "%.*sOpBasicInfo.csv",
                              slash ? (int)(slash - path + 1) : 0, path);
    if (used < 0 || (size_t)used >= sizeof(basic) || !csv_read(&csv, basic, why, sizeof(why)))
        return NULL;
    const char *op = csv_cell(&csv, 0, csv_column(&csv, "Op Name"));
    char *copy = csv.rows == 1 && !is_missing(op) ? strdup(op) : NULL;
    csv_free(&csv);
    return copy;
}

bool msprof_times_add(struct msprof_times *times, const char *path, char *error, size_t bytes)
{
    struct csv csv;
    if (!csv_read(&csv, path, error, bytes))
        return false;
    char *op = op_beside(path);
    struct reading reading = {
        .times = times, .csv = &csv, .path = path, .op = op, .error = error, .error_bytes = bytes};
    const bool good = read_table(&reading);
    free(op);
    csv_free(&csv);
    return good;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* By what identifies a time, but not by its launch. */
static int by_kernel(const struct msprof_time *a, const struct msprof_time *b)
{
    const int order = strcmp(a->op, b->op);
    return order ? order : ORDER(a->kind, b->kind);
}

static int by_place(const struct msprof_time *a, const struct msprof_time *b)
{
    int order = ORDER(a->block, b->block);
    order = order ? order : strcmp(a->unit, b->unit);
    return order ? order : strcmp(a->column, b->column);
}

static int by_row(const void *left, const void *right)
{
    const struct msprof_time *a = left;
    const struct msprof_time *b = right;
    int order = by_kernel(a, b);
    order = order ? order : ORDER(a->row, b->row);
    order = order ? order : by_place(a, b);
    return order ? order : ORDER(a->line, b->line);
}

static int by_launch(const struct msprof_time *a, const struct msprof_time *b)
{
    int order = by_kernel(a, b);
    order = order ? order : ORDER(a->launch, b->launch);
    return order ? order : by_place(a, b);
}

static bool rename_op(struct msprof_time *time, const struct msprof_rename *renames, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(time->op) != renames[i].from_bytes ||
            strncmp(time->op, renames[i].from, renames[i].from_bytes) != 0)
            continue;
        char *copy = strdup(renames[i].to);
        if (!copy)
            return false;
        free(time->op);
        time->op = copy;
        return true;
    }
    return true;
}

bool msprof_times_sort(struct msprof_times *times, const struct msprof_rename *renames,
                       size_t count)
{
    for (size_t i = 0; i < times->count; i++)
        if (!rename_op(&times->items[i], renames, count))
            return false;
    if (times->count > 0)
        qsort(times->items, times->count, sizeof(times->items[0]), by_row);
    for (size_t i = 1; i < times->count; i++) {
        const struct msprof_time *before = &times->items[i - 1];
        struct msprof_time *time = &times->items[i];
        if (by_kernel(before, time) == 0)
            time->launch = before->launch + (before->row != time->row);
    }
    return true;
}

void msprof_times_free(struct msprof_times *times)
{
    for (size_t i = 0; i < times->count; i++)
        free(times->items[i].op);
    free(times->items);
    *times = (struct msprof_times){0};
}

const struct msprof_time *msprof_find(const struct msprof_times *times,
                                      const struct msprof_time *like)
{
    const size_t at = PARTITION_POINT(times->count, i, by_launch(&times->items[i], like) < 0);
    return at < times->count && by_launch(&times->items[at], like) == 0 ? &times->items[at] : NULL;
}

/* The end of the times of a kernel that begin at `first`. */
static size_t end_of(const struct msprof_times *times, size_t first)
{
    size_t end = first;
    while (end < times->count && by_kernel(&times->items[end], &times->items[first]) == 0)
        end++;
    return end;
}

/* The last time of the same kernel and kind; NULL: there is none. */
static const struct msprof_time *last_of(const struct msprof_times *times,
                                         const struct msprof_time *like)
{
    const size_t end = PARTITION_POINT(times->count, i, by_kernel(&times->items[i], like) <= 0);
    return end > 0 && by_kernel(&times->items[end - 1], like) == 0 ? &times->items[end - 1] : NULL;
}

bool msprof_has_kernel(const struct msprof_times *times, const struct msprof_time *like)
{
    return last_of(times, like) != NULL;
}

/* Blocks of each launch of a kernel in both, where both report them. */
static bool has_same_blocks(const struct msprof_times *a, size_t first, size_t end,
                            const struct msprof_times *b, char *error, size_t bytes)
{
    for (size_t i = first; i < end; i++) {
        const struct msprof_time *one = &a->items[i];
        const struct msprof_time *other = msprof_find(b, one);
        if (!other || one->blocks == 0 || other->blocks == 0 || one->blocks == other->blocks)
            continue;
        (void)snprintf(error, bytes,
                       "%s: line %zu: kernel %s has %u blocks, but %u in %s, line %zu: not the "
                       "same work",
                       one->path, one->line, one->op, one->blocks, other->blocks, other->path,
                       other->line);
        return false;
    }
    return true;
}

/* Each time of a launch is there once. */
static bool is_unique(const struct msprof_times *times, char *error, size_t bytes)
{
    for (size_t i = 1; i < times->count; i++) {
        const struct msprof_time *before = &times->items[i - 1];
        const struct msprof_time *time = &times->items[i];
        if (by_launch(before, time) != 0)
            continue;
        (void)snprintf(error, bytes,
                       "%s: line %zu: time %s of block %u on \"%s\" is in line %zu already",
                       time->path, time->line, time->column, time->block, time->unit, before->line);
        return false;
    }
    return true;
}

bool msprof_is_comparable(const struct msprof_times *a, const struct msprof_times *b, char *error,
                          size_t bytes)
{
    bool any = false;
    if (!is_unique(a, error, bytes) || !is_unique(b, error, bytes))
        return false;
    for (size_t first = 0; first < a->count;) {
        const size_t end = end_of(a, first);
        const struct msprof_time *mine = &a->items[end - 1];
        const struct msprof_time *other = last_of(b, mine);
        any = any || other;
        if (other && other->launch != mine->launch) {
            (void)snprintf(error, bytes,
                           "kernel %s: %u launches in %s, but %u in %s: it is not known which is "
                           "which; measure the same program with the same arguments",
                           mine->op, mine->launch + 1, mine->path, other->launch + 1, other->path);
            return false;
        }
        if (other && !has_same_blocks(a, first, end, b, error, bytes))
            return false;
        first = end;
    }
    if (!any && a->count > 0 && b->count > 0)
        (void)snprintf(error, bytes,
                       "no kernel is in both: %s is in %s, %s in %s; --op BOARD=KERNEL gives a "
                       "kernel the name that the program has for it",
                       a->items[0].op, a->items[0].path, b->items[0].op, b->items[0].path);
    else if (!any)
        (void)snprintf(error, bytes, "no times of kernels%s%s",
                       a->count > 0 ? " in what is compared with " : "",
                       a->count > 0 ? a->items[0].path : "");
    return any;
}
