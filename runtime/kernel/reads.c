/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/reads.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/steps.h"

#define FIRST_READS 64u
#define READS_MOST  ((size_t)1 << 20) /* of a run */
#define KEPT_READS  65536u            /* room, for the next run */
#define PAIRS_MOST  ((uint64_t)1 << 22)
#define MANY        UINT32_MAX /* blocks */

/* ---- lists ----------------------------------------------------------------------------------- */

bool twin_native_reads_add(native_reads *reads, const native_read *read)
{
    native_read *last = reads->count > 0 ? &reads->list[reads->count - 1] : NULL;
    if (last && last->rows == 1 && read->rows == 1 &&
        last->address + last->bytes == read->address && last->pipe == read->pipe &&
        last->op == read->op && last->time == read->time && last->visible == read->visible &&
        last->bytes <= UINT32_MAX - read->bytes) {
        last->bytes += read->bytes;
        return true;
    }
    if (reads->count >= READS_MOST)
        return true;
    if ((!reads->list || reads->count == reads->room) &&
        !twin_native_grow(&reads->list, &reads->room, sizeof(*reads->list), FIRST_READS))
        return false;
    reads->list[reads->count++] = *read;
    return true;
}

bool twin_native_reads_join(native_reads *reads, const native_reads *other)
{
    const size_t left = READS_MOST - reads->count;
    const size_t count = other->count < left ? other->count : left;
    while (reads->room - reads->count < count)
        if (!twin_native_grow(&reads->list, &reads->room, sizeof(*reads->list), FIRST_READS))
            return false;
    if (count > 0)
        memcpy(reads->list + reads->count, other->list, count * sizeof(*reads->list));
    reads->count += count;
    return true;
}

void twin_native_reads_clear(native_reads *reads)
{
    reads->count = 0;
    if (reads->room <= KEPT_READS)
        return;
    free(reads->list);
    *reads = (native_reads){0};
}

/* ---- which reads are near writes of other blocks --------------------------------------------- */

/* Bytes that writes span, without gaps between them. */
typedef struct cluster {
    uint64_t begin, end;
    uint32_t block; /* that has all of them; MANY: several */
} cluster;

static uint64_t end_of(uint64_t address, uint64_t pitch, uint32_t rows, uint32_t bytes)
{
    return address + (rows - 1) * pitch + bytes;
}

static int by_begin(const void *left, const void *right)
{
    const cluster *a = left, *b = right;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* NULL: no host memory. */
static cluster *clusters_of(const native_overlay *writes, size_t *out_count)
{
    cluster *list = malloc(writes->count * sizeof(*list));
    if (!list)
        return NULL;
    bool rising = true;
    for (size_t i = 0; i < writes->count; i++) {
        const native_write *write = &writes->writes[i];
        list[i] = (cluster){.begin = write->address,
                            .end = end_of(write->address, write->pitch, write->rows, write->bytes),
                            .block = write->block};
        rising = rising && (i == 0 || list[i].begin >= list[i - 1].begin);
    }
    if (!rising)
        qsort(list, writes->count, sizeof(*list), by_begin);
    size_t count = 0;
    for (size_t i = 0; i < writes->count; i++) {
        cluster *last = count > 0 ? &list[count - 1] : NULL;
        const bool joins = last && (list[i].begin < last->end ||
                                    (list[i].begin == last->end && list[i].block == last->block));
        if (!joins) {
            list[count++] = list[i];
            continue;
        }
        last->end = list[i].end > last->end ? list[i].end : last->end;
        last->block = last->block == list[i].block ? last->block : MANY;
    }
    *out_count = count;
    return list;
}

static bool is_near(const cluster *list, size_t count, const native_read *read)
{
    const uint64_t end = end_of(read->address, read->pitch, read->rows, read->bytes);
    size_t low = 0, high = count; /* the first that ends after the read's begin */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list[middle].end <= read->address)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count && list[low].begin < end; low++)
        if (list[low].block != read->block)
            return true;
    return false;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* Whether a barrier of the launch comes between the two, or the read saw the write: whether it was
 * right to do so is judged where it reads. */
static bool ordered(const native_read *read, const native_write *write)
{
    return (write->barrier != 0 && write->barrier <= read->visible) ||
           (read->barrier != 0 && read->barrier <= write->seen);
}

/* Whether the write leaves other bytes than there were. */
static bool changes(native_memory *memory, const native_write *write, uint32_t row, uint64_t begin,
                    uint64_t end)
{
    if (write->atomic)
        return true;
    const unsigned char *before = twin_native_memory_find(memory, begin, end - begin, false);
    const uint64_t at = begin - (write->address + row * write->pitch);
    return !before ||
           memcmp(before, write->data + (size_t)row * write->bytes + at, end - begin) != 0;
}

/* The first row of the write that ends after `begin`. */
static uint32_t first_row(const native_write *write, uint64_t begin)
{
    if (write->rows == 1 || begin < write->address + write->bytes)
        return 0;
    const uint64_t row = (begin - write->address - write->bytes) / write->pitch + 1;
    return row < write->rows ? (uint32_t)row : write->rows;
}

/* Whether the block that reads writes these bytes, too. What the other one leaves is then judged
 * beside that. */
static bool is_own(const native_overlay *writes, uint32_t block, uint64_t begin, uint64_t end,
                   uint64_t *work)
{
    for (size_t i = 0; i < writes->count; i++) {
        const native_write *write = &writes->writes[i];
        ++*work;
        if (write->block != block || write->atomic)
            continue;
        const uint32_t row = first_row(write, begin);
        const uint64_t at = write->address + row * write->pitch;
        if (row < write->rows && at <= begin && at + write->bytes >= end)
            return true;
    }
    return false;
}

static bool meet(native_memory *memory, const native_read *read, const native_write *write,
                 uint64_t *work, native_read_conflict *out)
{
    for (uint32_t i = 0; i < read->rows; i++) {
        const uint64_t begin = read->address + i * read->pitch, end = begin + read->bytes;
        for (uint32_t row = first_row(write, begin); row < write->rows; row++) {
            const uint64_t at = write->address + row * write->pitch;
            const uint64_t from = at > begin ? at : begin;
            const uint64_t to = at + write->bytes < end ? at + write->bytes : end;
            if (from >= to)
                break;
            ++*work;
            if (!changes(memory, write, row, from, to) ||
                (!write->atomic && is_own(&memory->launch, read->block, from, to, work)))
                continue;
            *out = (native_read_conflict){.read = read, .write = write, .begin = from, .end = to};
            return true;
        }
        ++*work;
    }
    return false;
}

static bool find_for(const native_read *read, native_memory *memory, uint64_t *work,
                     native_read_conflict *out)
{
    const native_overlay *writes = &memory->launch;
    const uint64_t end = end_of(read->address, read->pitch, read->rows, read->bytes);
    for (size_t i = 0; i < writes->count && *work < PAIRS_MOST; i++, ++*work) {
        const native_write *write = &writes->writes[i];
        if (write->block == read->block || write->address >= end ||
            end_of(write->address, write->pitch, write->rows, write->bytes) <= read->address ||
            ordered(read, write))
            continue;
        if (meet(memory, read, write, work, out))
            return true;
    }
    return false;
}

bool twin_native_reads_find(const native_reads *reads, native_memory *memory,
                            native_read_conflict *out_conflict)
{
    size_t count = 0;
    if (reads->count == 0 || memory->launch.count == 0)
        return false;
    cluster *list = clusters_of(&memory->launch, &count);
    if (!list)
        return false;
    bool found = false;
    uint64_t work = 0;
    for (size_t i = 0; i < reads->count && work < PAIRS_MOST && !found; i++)
        if (is_near(list, count, &reads->list[i]))
            found = find_for(&reads->list[i], memory, &work, out_conflict);
    free(list);
    return found;
}
