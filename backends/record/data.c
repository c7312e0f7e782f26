/* SPDX-License-Identifier: Apache-2.0 */
/* Contents of host memory that copies to a device read. */
#include <string.h>

#include "ops.h"

struct piece {
    const char *from; /* a copy has read it just now */
    uint64_t width, pitch, rows;
};

static void key_of(const struct piece *piece, struct record_key *out_key)
{
    record_key_start(out_key);
    for (uint64_t i = 0; i < piece->rows; i++)
        record_key_add(out_key, piece->from + i * piece->pitch, (size_t)piece->width);
}

/* Writes the bytes, and knows them again by the key of what was written: the program may have
 * changed them since. */
static uint32_t write_data(const struct piece *piece)
{
    struct record_call call;
    struct record_key key;
    const uint64_t bytes = piece->width * piece->rows;
    struct twin_record_DATA *data = RECORD_BEGIN_EVENT(&call, DATA, (size_t)bytes);
    struct piece written = *piece;
    if (record_kept(&call)) {
        char *to = (char *)(data + 1);
        for (uint64_t i = 0; i < piece->rows; i++)
            memcpy(to + i * piece->width, piece->from + i * piece->pitch, (size_t)piece->width);
        written.from = to;
        written.pitch = piece->width;
    }
    uint32_t number;
    key_of(&written, &key);
    if (!record_seen_new(&record_seen_data, &key, &record_numbers.data, &number))
        number =
            record_number(&record_numbers.data); /* another thread was faster: twice is right too */
    data->data = number;
    data->bytes = bytes;
    record_event(&call);
    return number;
}

/* The number of the bytes, which the recording has from now on. */
static uint32_t number_of(const struct piece *piece)
{
    struct record_key key;
    uint32_t number;
    key_of(piece, &key);
    return record_seen_find(&record_seen_data, &key, &number) ? number : write_data(piece);
}

uint32_t record_data(const void *from, uint64_t bytes)
{
    const struct piece piece = {from, bytes, bytes, 1};
    return number_of(&piece);
}

/* One piece, rows packed. */
static void note_piece(uint64_t seq, uint64_t address, uint64_t width, uint64_t pitch,
                       uint64_t rows)
{
    const struct piece piece = {(const char *)(uintptr_t)address, width, pitch, rows};
    const uint32_t number = number_of(&piece);
    struct record_call call;
    struct twin_record_CONTENT *f = RECORD_BEGIN_EVENT(&call, CONTENT, 0);
    f->data = number;
    f->of_seq = seq;
    f->address = address;
    f->bytes = width * rows;
    record_event(&call);
}

void record_contents(uint64_t seq, uint64_t address, uint64_t width, uint64_t pitch, uint64_t rows)
{
    twin_memory_info info;
    if (record_below.memory.info(address, &info) != TWIN_OK ||
        (info.kind != TWIN_MEMORY_UNKNOWN && info.kind != TWIN_MEMORY_HOST_PINNED &&
         info.kind != TWIN_MEMORY_REGISTERED))
        return;
    if (info.kind == TWIN_MEMORY_REGISTERED)
        record_touch_forget(); /* a replay may put them there now */
    if (rows == 1 || width > RECORD_DATA_MOST) {
        for (uint64_t row = 0; row < rows; row++)
            for (uint64_t at = 0; at < width; at += RECORD_DATA_MOST) {
                uint64_t piece = width - at < RECORD_DATA_MOST ? width - at : RECORD_DATA_MOST;
                note_piece(seq, address + row * pitch + at, piece, piece, 1);
            }
        return;
    }
    uint64_t most = RECORD_DATA_MOST / width;
    for (uint64_t row = 0; row < rows; row += most)
        note_piece(seq, address + row * pitch, width, pitch, rows - row < most ? rows - row : most);
}
