/* SPDX-License-Identifier: Apache-2.0 */
#include "msprof/csv.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct reader {
    struct csv *csv;
    char *at, *end;
    size_t line, room, line_room;
    size_t count; /* of cells */
    char *error;
    size_t error_bytes;
};

static bool fail(const struct reader *reader, size_t line, const char *what)
{
    (void)snprintf(reader->error, reader->error_bytes, "line %zu: %s", line, what);
    return false;
}

/* Room for one more element; false: no memory. */
static bool grow(void *array, size_t *room, size_t count, size_t bytes)
{
    void *moved;
    if (count < *room)
        return true;
    memcpy(&moved, array, sizeof(moved));
    moved = realloc(moved, 2 * (*room + 32) * bytes);
    if (!moved)
        return false;
    memcpy(array, &moved, sizeof(moved));
    *room = 2 * (*room + 32);
    return true;
}

static bool add_cell(struct reader *reader, char *cell)
{
    if (reader->count == CSV_CELLS_MOST)
        return fail(reader, reader->line, "more than 16777216 cells");
    if (!grow(&reader->csv->cells, &reader->room, reader->count, sizeof(char *)))
        return fail(reader, reader->line, "out of memory");
    reader->csv->cells[reader->count++] = cell;
    return true;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static bool at_end_of_line(const struct reader *reader)
{
    return reader->at == reader->end || *reader->at == '\n' || *reader->at == '\r';
}

/* A cell in quotes, of which the first is at `at`; *out_end: after its last byte. */
static bool read_quoted(struct reader *reader, char **out_end)
{
    const size_t begin = reader->line;
    char *to = reader->at;
    for (reader->at++; reader->at < reader->end; reader->at++) {
        if (*reader->at == '\n')
            reader->line++;
        if (*reader->at != '"') {
            *to++ = *reader->at;
        } else if (reader->at + 1 < reader->end && reader->at[1] == '"') {
            *to++ = '"';
            reader->at++;
        } else {
            reader->at++;
            *out_end = to;
            while (reader->at < reader->end && is_blank(*reader->at))
                reader->at++;
            return at_end_of_line(reader) || *reader->at == ',' ||
                   fail(reader, reader->line, "text after a quoted cell; expected a comma");
        }
    }
    return fail(reader, begin, "the quoted cell that begins here does not end");
}

/* Leaves `at` at the comma or the end of the line after the cell. */
static bool read_cell(struct reader *reader)
{
    while (reader->at < reader->end && is_blank(*reader->at))
        reader->at++;
    char *cell = reader->at;
    char *end = reader->at;
    if (reader->at < reader->end && *reader->at == '"') {
        if (!read_quoted(reader, &end))
            return false;
    } else {
        for (; !at_end_of_line(reader) && *reader->at != ','; reader->at++)
            if (!is_blank(*reader->at))
                end = reader->at + 1;
    }
    if (!add_cell(reader, cell))
        return false;
    /* the end is at most where the comma is, which read_row() has yet to see */
    if (end < reader->at)
        *end = '\0';
    return true;
}

static void skip_end_of_line(struct reader *reader)
{
    if (reader->at < reader->end && *reader->at == '\r')
        reader->at++;
    if (reader->at < reader->end && *reader->at == '\n')
        reader->at++;
}

/* The cells of a line; *out_cells: how many. */
static bool read_row(struct reader *reader, size_t *out_cells)
{
    const size_t first = reader->count;
    for (;;) {
        if (!read_cell(reader))
            return false;
        if (reader->count - first > CSV_COLUMNS_MOST)
            return fail(reader, reader->line, "more than 1024 cells");
        const bool more = reader->at < reader->end && *reader->at == ',';
        char *end = reader->at;
        if (more)
            reader->at++;
        else
            skip_end_of_line(reader);
        *end = '\0'; /* of the text there is one more byte than `end` */
        if (!more)
            break;
    }
    reader->line++;
    *out_cells = reader->count - first;
    return true;
}

/* Makes a row as long as the header. */
static bool settle_row(struct reader *reader, size_t line, size_t cells)
{
    struct csv *csv = reader->csv;
    for (; cells < csv->columns; cells++)
        if (!add_cell(reader, reader->end))
            return false;
    for (; cells > csv->columns; cells--) {
        if (csv->cells[reader->count - 1][0] != '\0')
            return fail(reader, line, "more cells than the header has");
        reader->count--;
    }
    return true;
}

static bool read_rows(struct reader *reader)
{
    struct csv *csv = reader->csv;
    while (reader->at < reader->end) {
        const size_t line = reader->line;
        const size_t first = reader->count;
        size_t cells = 0;
        if (!read_row(reader, &cells))
            return false;
        if (cells == 1 && csv->cells[first][0] == '\0') { /* an empty line */
            reader->count--;
            continue;
        }
        if (csv->columns == 0) {
            csv->columns = cells;
            continue;
        }
        if (!settle_row(reader, line, cells))
            return false;
        if (!grow(&csv->lines, &reader->line_room, csv->rows, sizeof(*csv->lines)))
            return fail(reader, line, "out of memory");
        csv->lines[csv->rows++] = line;
    }
    return csv->columns > 0 || fail(reader, 1, "no header; expected names of columns");
}

bool csv_parse(struct csv *csv, const char *text, size_t bytes, char *error, size_t error_bytes)
{
    struct reader reader = {.csv = csv, .line = 1, .error = error, .error_bytes = error_bytes};
    *csv = (struct csv){0};
    if (bytes > CSV_BYTES_MOST)
        return fail(&reader, 1, "the file has more than 256 MiB");
    if (bytes > 0 && memchr(text, '\0', bytes))
        return fail(&reader, 1, "a byte of value 0; expected text in UTF-8");
    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        bytes -= 3;
    }
    csv->text = malloc(bytes + 1);
    if (!csv->text)
        return fail(&reader, 1, "out of memory");
    if (bytes > 0)
        memcpy(csv->text, text, bytes);
    csv->text[bytes] = '\0';
    reader.at = csv->text;
    reader.end = csv->text + bytes;
    if (read_rows(&reader))
        return true;
    csv_free(csv);
    return false;
}

bool csv_read(struct csv *csv, const char *path, char *error, size_t error_bytes)
{
    char why[128] = "";
    *csv = (struct csv){0};
    struct stat status;
    FILE *file = fopen(path, "rbe");
    if (!file || fstat(fileno(file), &status) != 0) {
        (void)snprintf(error, error_bytes, "%s: %s", path, strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        (void)snprintf(error, error_bytes, "%s: not a regular file", path);
    } else if ((uintmax_t)status.st_size > CSV_BYTES_MOST) {
        (void)snprintf(error, error_bytes, "%s: the file has more than 256 MiB", path);
    } else {
        const size_t bytes = (size_t)status.st_size;
        char *text = malloc(bytes + 1);
        const size_t got = text ? fread(text, 1, bytes, file) : 0;
        const bool good = text && !ferror(file) && csv_parse(csv, text, got, why, sizeof(why));
        if (!good)
            (void)snprintf(error, error_bytes, "%s: %s", path,
                           !text          ? "out of memory"
                           : ferror(file) ? "cannot be read"
                                          : why);
        free(text);
        (void)fclose(file);
        return good;
    }
    if (file)
        (void)fclose(file);
    return false;
}

void csv_free(struct csv *csv)
{
    free(csv->text);
    free(csv->cells);
    free(csv->lines);
    *csv = (struct csv){0};
}

size_t csv_column(const struct csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->columns; i++)
        if (strcmp(csv->cells[i], name) == 0)
            return i;
    return CSV_NONE;
}

const char *csv_cell(const struct csv *csv, size_t row, size_t column)
{
    return row < csv->rows && column < csv->columns ? csv->cells[(row + 1) * csv->columns + column]
                                                    : "";
}
