/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of profilers, with anything in them: the first byte says whether the kernel of a table
 * without names is known, the rest is the file. What is read of one is found in it again, and a
 * table that is refused has a message of one line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "msprof/csv.h"
#include "msprof/times.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "not so: %s\n", what);
    abort();
}

static void check_cells(const char *text, size_t bytes)
{
    struct csv csv;
    char error[256] = "";
    if (!csv_parse(&csv, text, bytes, error, sizeof(error))) {
        must(error[0] != '\0' && !strchr(error, '\n'), "an error is one line");
        must(!csv.text && !csv.cells && csv.rows == 0, "nothing is left of a refused table");
        return;
    }
    size_t length = 0;
    for (size_t row = 0; row < csv.rows; row++) {
        must(row == 0 || csv.lines[row] > csv.lines[row - 1], "lines grow");
        for (size_t column = 0; column < csv.columns; column++)
            length += strlen(csv_cell(&csv, row, column));
    }
    must(length <= bytes, "cells are parts of the text");
    must(*csv_cell(&csv, csv.rows, CSV_NONE) == '\0', "a column that is missing is empty");
    csv_free(&csv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const struct msprof_rename renames[] = {{"a", 1, "vector_rate"}};
    struct msprof_times times = {.rows = 0};
    char error[1024] = "";
    if (bytes == 0)
        return 0;
    const char *text = (const char *)data + 1;
    const char *op = data[0] % 2 == 0 ? "kernel" : NULL;
    bytes--;
    check_cells(text, bytes);
    if (!msprof_times_parse(&times, "file", text, bytes, op, error, sizeof(error)))
        must(strncmp(error, "file: ", 6) == 0, "an error names the file");
    must(msprof_times_sort(&times, renames, 1), "there is memory");
    for (size_t i = 0; i < times.count; i++) {
        const struct msprof_time *found = msprof_find(&times, &times.items[i]);
        must(found && strcmp(found->op, times.items[i].op) == 0, "a time is found again");
        must(times.items[i].us >= 0 && times.items[i].us <= 1e12, "times are in their range");
    }
    error[0] = '\0';
    must(msprof_is_comparable(&times, &times, error, sizeof(error)) == (error[0] == '\0'),
         "tables that cannot be compared have a reason");
    msprof_times_free(&times);
    return 0;
}
