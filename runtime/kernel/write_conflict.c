/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/write_conflict.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_MOST ((size_t)1 << 20) /* that are looked at */

typedef struct row {
    uint64_t begin, end;
    const native_write *write;
    const unsigned char *data;
} row;

static row row_of(const native_write *write, uint32_t number)
{
    const uint64_t begin = write->address + number * write->pitch;
    return (row){.begin = begin,
                 .end = begin + write->bytes,
                 .write = write,
                 .data = write->data + (size_t)number * write->bytes};
}

/* Rows of all writes; 0: they rise from one to the next, as they do when each block has its own
 * share. */
static size_t rows_to_sort(const native_memory *memory)
{
    uint64_t highest = 0;
    size_t rows = 0;
    bool rising = true;
    for (size_t i = 0; i < memory->launch.count; i++) {
        const native_write *write = &memory->launch.writes[i];
        rising = rising && write->address >= highest;
        highest = write->address + (write->rows - 1) * write->pitch + write->bytes;
        rows += write->rows;
    }
    return rising || rows > ROWS_MOST ? 0 : rows;
}

/* By place, then in the order of blocks. */
static int compare(const void *left, const void *right)
{
    const row *a = left, *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->write < b->write ? -1 : a->write > b->write;
}

/* Whether one comes after the other, by a barrier of the launch. */
static bool ordered(const native_write *earlier, const native_write *later)
{
    return earlier->released && earlier->barrier != 0 && earlier->barrier <= later->seen;
}

static bool differ(const row *a, const row *b, native_write_conflict *out)
{
    const uint64_t begin = a->begin > b->begin ? a->begin : b->begin;
    const uint64_t end = a->end < b->end ? a->end : b->end;
    if (begin >= end || a->write->block == b->write->block || ordered(a->write, b->write) ||
        ordered(b->write, a->write))
        return false;
    const native_write *one = a->write, *other = b->write;
    const bool atomic = one->atomic != 0;
    if (one->atomic == other->atomic &&
        (atomic ? one->type == other->type
                : memcmp(a->data + (begin - a->begin), b->data + (begin - b->begin), end - begin) ==
                      0))
        return false;
    const bool in_order = a->write->block < b->write->block;
    *out = (native_write_conflict){.first = in_order ? a->write : b->write,
                                   .second = in_order ? b->write : a->write,
                                   .begin = begin,
                                   .end = end};
    return true;
}

bool twin_native_write_conflict_find(const native_memory *memory,
                                     native_write_conflict *out_conflict)
{
    const size_t count = rows_to_sort(memory);
    row *rows = count > 0 ? malloc(count * sizeof(*rows)) : NULL;
    if (!rows)
        return false;
    size_t filled = 0;
    for (size_t i = 0; i < memory->launch.count; i++)
        for (uint32_t j = 0; j < memory->launch.writes[i].rows; j++)
            rows[filled++] = row_of(&memory->launch.writes[i], j);
    qsort(rows, count, sizeof(*rows), compare);
    /* Each with the one before it that reaches farthest. */
    bool found = false;
    const row *farthest = &rows[0];
    for (size_t i = 1; i < count && !found; i++) {
        found = differ(farthest, &rows[i], out_conflict) ||
                differ(&rows[i - 1], &rows[i], out_conflict);
        if (rows[i].end > farthest->end)
            farthest = &rows[i];
    }
    free(rows);
    return found;
}
