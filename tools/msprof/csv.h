/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of text with commas between cells and a line for each row (RFC 4180), as profilers write
 * them: with or without quotes, with either end of line, with a byte order mark, with blanks and
 * tabs around cells, with a comma after the last cell.
 *
 * libcsv, the library of Debian for this, leaves limits, headers and positions of errors to its
 * user, and is under the LGPL. */
#ifndef TWINRT_MSPROF_CSV_H
#define TWINRT_MSPROF_CSV_H

#include <stdbool.h>
#include <stddef.h>

#define CSV_BYTES_MOST   ((size_t)256 << 20)
#define CSV_COLUMNS_MOST 1024u
#define CSV_CELLS_MOST   ((size_t)1 << 24) /* short rows count as long ones */
#define CSV_NONE         ((size_t)-1)

struct csv {
    char *text;           /* that cells are in */
    char **cells;         /* of the header, then row by row, `columns` each; none is NULL */
    size_t *lines;        /* of each row: where it begins, from 1 */
    size_t columns, rows; /* rows without the header */
};

/* Reads a table; `error` says what is wrong, and in which line. A row with fewer cells than the
 * header has empty ones at its end. False: csv is empty. */
bool csv_parse(struct csv *csv, const char *text, size_t bytes, char *error, size_t error_bytes);
/* The same of a file; the message begins with its name. */
bool csv_read(struct csv *csv, const char *path, char *error, size_t error_bytes);
void csv_free(struct csv *csv);

/* The column of that name; CSV_NONE: there is none. */
size_t csv_column(const struct csv *csv, const char *name);
/* A cell of a row; an empty one if there is no such row, or for CSV_NONE. */
const char *csv_cell(const struct csv *csv, size_t row, size_t column);

#endif
