/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/number.h"
#include "kernel/steps.h"
#include "twinrt/kernel.h"

#define PAGE_SHIFT   13u
#define FIRST_PAGES  256u
#define FIRST_WRITES 64u
#define FIRST_NOTES  256u
#define FIRST_IMAGES 4u
#define CHUNK_BYTES  ((size_t)4 << 20)
#define KEPT_BYTES   ((size_t)16 << 20) /* of chunks, for the next run */
#define KEPT_WRITES  65536u
#define NONE         UINT32_MAX
#define NOTES_MOST   64u /* of a page; then it has an image */
#define PAGE_BYTES   ((uint64_t)1 << PAGE_SHIFT)

static atomic_bool marked; /* twin_native_memory_marked */

typedef struct native_page {
    uint64_t number;
    uint32_t generation;  /* of another block: free */
    uint32_t first, last; /* notes */
    uint32_t notes;
    uint32_t image; /* NONE: it has none */
} native_page;

typedef struct native_image {
    unsigned char data[PAGE_BYTES];
    unsigned char written[PAGE_BYTES]; /* 1: by this block */
} native_image;

typedef struct native_note {
    uint32_t write; /* counted from block_first */
    uint32_t next;
} native_note;

/* ---- the memory below ------------------------------------------------------------------------ */

static const unsigned char *ask(const twin_reach *reach, uint64_t address, uint64_t bytes,
                                bool write)
{
    if (bytes == 0 || address > UINT64_MAX - bytes)
        return NULL;
    return reach->at(reach, address, bytes, write);
}

static const native_window *window_of(const native_windows *windows, uint64_t address,
                                      uint64_t bytes)
{
    const uint32_t count = windows->next < NATIVE_WINDOWS ? windows->next : NATIVE_WINDOWS;
    for (uint32_t i = 0; i < count; i++) {
        const native_window *one = &windows->list[i];
        if (address >= one->begin && address < one->end && bytes <= one->end - address)
            return one;
    }
    return NULL;
}

static bool ask_in_host(const twin_reach *reach, uint64_t address)
{
    return reach->in_host && reach->in_host(reach, address);
}

/* Asking costs; so more than is needed is asked for at once, as far as it is there. */
static const unsigned char *look(native_windows *windows, const twin_reach *reach, uint64_t address,
                                 uint64_t bytes, bool write)
{
    const native_window *known = window_of(windows, address, bytes);
    if (known)
        return known->at + (address - known->begin);
    const unsigned char *at = ask(reach, address, bytes, write);
    if (!at || reach->exact)
        return at;
    native_window window = {
        .begin = address, .end = address + bytes, .in_host = ask_in_host(reach, address)};
    for (uint64_t size = (uint64_t)1 << 16; size <= (uint64_t)1 << 30; size <<= 4) {
        const uint64_t begin = address & ~(size - 1);
        const uint64_t end = begin + size;
        if (end < address + bytes)
            continue;
        if (!ask(reach, begin, size, write))
            break;
        window.begin = begin;
        window.end = end;
    }
    window.at =
        (unsigned char *)(uintptr_t)ask(reach, window.begin, window.end - window.begin, write);
    if (window.at)
        windows->list[windows->next++ % NATIVE_WINDOWS] = window;
    return at;
}

/* A copy of what is there, or, to write, any pointer. */
static const unsigned char *find_moved(native_memory *memory, uint64_t address, uint64_t bytes,
                                       bool write)
{
    static const unsigned char there;
    const twin_reach *reach = memory->reach;
    if (!reach->move || bytes == 0 || address > UINT64_MAX - bytes)
        return NULL;
    if (write)
        return reach->move(reach, address, NULL, bytes, true) ? &there : NULL;
    if (bytes > memory->moved_room) {
        unsigned char *larger = realloc(memory->moved, bytes);
        if (!larger)
            return NULL;
        memory->moved = larger;
        memory->moved_room = bytes;
    }
    return reach->move(reach, address, memory->moved, bytes, false) ? memory->moved : NULL;
}

const unsigned char *twin_native_memory_find(native_memory *memory, uint64_t address,
                                             uint64_t bytes, bool write)
{
    const unsigned char *at =
        look(write ? &memory->writing : &memory->reading, memory->reach, address, bytes, write);
    return __builtin_expect(at != NULL, 1) ? at : find_moved(memory, address, bytes, write);
}

bool twin_native_memory_in_host(const native_memory *memory, uint64_t address, bool write)
{
    const native_window *known = window_of(write ? &memory->writing : &memory->reading, address, 1);
    return known ? known->in_host : ask_in_host(memory->reach, address);
}

/* ---- pages of the block ---------------------------------------------------------------------- */

static uint32_t slot_of(uint64_t number, uint32_t room)
{
    return (uint32_t)((number * 0x9e3779b97f4a7c15ull) >> 40) & (room - 1);
}

/* The page's entry, or the free one where it would go. */
static native_page *page_at(const native_memory *memory, uint64_t number)
{
    uint32_t at = slot_of(number, memory->page_room);
    while (memory->pages[at].generation == memory->generation && memory->pages[at].number != number)
        at = (at + 1) & (memory->page_room - 1);
    return &memory->pages[at];
}

static bool grow_pages(native_memory *memory)
{
    const uint32_t room = memory->page_room ? memory->page_room * 2 : FIRST_PAGES;
    native_page *old = memory->pages;
    const uint32_t old_room = memory->page_room;
    native_page *pages = calloc(room, sizeof(*pages));
    if (!pages)
        return false;
    memory->pages = pages;
    memory->page_room = room;
    for (uint32_t i = 0; i < old_room; i++)
        if (old[i].generation == memory->generation)
            *page_at(memory, old[i].number) = old[i];
    free(old);
    return true;
}

static bool note_page(native_memory *memory, uint64_t number, uint32_t write)
{
    if (memory->page_count >= memory->page_room / 2 && !grow_pages(memory))
        return false;
    native_page *page = page_at(memory, number);
    if (page->generation != memory->generation) {
        *page = (native_page){.number = number,
                              .generation = memory->generation,
                              .first = NONE,
                              .last = NONE,
                              .image = NONE};
        memory->page_count++;
    }
    if (page->image != NONE || (page->last != NONE && memory->notes[page->last].write == write))
        return true;
    if (memory->note_count == memory->note_room &&
        !twin_native_grow(&memory->notes, &memory->note_room, sizeof(*memory->notes), FIRST_NOTES))
        return false;
    const uint32_t note = memory->note_count++;
    memory->notes[note] = (native_note){.write = write, .next = NONE};
    if (page->last == NONE)
        page->first = note;
    else
        memory->notes[page->last].next = note;
    page->last = note;
    page->notes++;
    return true;
}

static bool note_write(native_memory *memory, const native_write *write, uint32_t number)
{
    for (uint32_t row = 0; row < write->rows; row++) {
        const uint64_t begin = write->address + row * write->pitch;
        for (uint64_t page = begin >> PAGE_SHIFT; page <= (begin + write->bytes - 1) >> PAGE_SHIFT;
             page++)
            if (!note_page(memory, page, number))
                return false;
    }
    return true;
}

/* ---- reading what the block wrote ------------------------------------------------------------ */

static void lay_marks(unsigned char *at, uint64_t address, uint64_t bytes)
{
    uint64_t done = 0;
    for (; done < bytes && done < 4; done++)
        at[done] = native_mark(address + done);
    /* What is there is a whole number of words: it is copied after itself. */
    for (; done < bytes; done *= 2)
        memcpy(at + done, at, done < bytes - done ? done : bytes - done);
}

/* One row's share of what is read: [begin, end) of memory, `out` is of `address`. */
static void lay_over(const native_memory *memory, const native_write *write, uint32_t row,
                     uint64_t begin, uint64_t end, uint64_t address, unsigned char *out)
{
    native_overflow seen = memory->overflow; /* it happens when the write is applied */
    const uint64_t at = write->address + row * write->pitch;
    const uint64_t from = begin > at ? begin : at;
    const uint64_t to = end < at + write->bytes ? end : at + write->bytes;
    if (from >= to)
        return;
    if (write->uncomputed) {
        lay_marks(out + (from - address), from, to - from);
        return;
    }
    const unsigned char *data = write->data + (uint64_t)row * write->bytes + (from - at);
    if (write->atomic == TWK_ATOMIC_NONE)
        memcpy(out + (from - address), data, to - from);
    else
        twin_native_combine(write->atomic, write->type, out + (from - address), data, to - from,
                            &seen);
}

static bool meets(const native_write *write, uint64_t begin, uint64_t end, uint32_t *out_first,
                  uint32_t *out_last)
{
    const uint64_t span = (write->rows - 1) * write->pitch + write->bytes;
    if (end <= write->address || begin >= write->address + span)
        return false;
    *out_first = 0;
    *out_last = 0;
    if (write->rows > 1) {
        if (begin > write->address)
            *out_first = (uint32_t)((begin - write->address) / write->pitch);
        const uint64_t last = (end - 1 - write->address) / write->pitch;
        *out_last = last < write->rows ? (uint32_t)last : write->rows - 1;
    }
    for (uint32_t row = *out_first; row <= *out_last; row++) {
        const uint64_t at = write->address + row * write->pitch;
        if (begin < at + write->bytes && end > at)
            return true;
    }
    return false;
}

/* ---- pages with many writes ------------------------------------------------------------------ */

/* What a write leaves in the page, laid over what was there. */
static void lay_into(native_memory *memory, native_image *image, uint64_t page,
                     const native_write *write)
{
    const uint64_t begin = page << PAGE_SHIFT, end = begin + PAGE_BYTES;
    uint32_t first, last;
    if (!meets(write, begin, end, &first, &last))
        return;
    for (uint32_t row = first; row <= last; row++) {
        const uint64_t at = write->address + row * write->pitch;
        const uint64_t from = at > begin ? at : begin;
        const uint64_t to = at + write->bytes < end ? at + write->bytes : end;
        if (from >= to)
            continue;
        const unsigned char *below =
            write->atomic ? twin_native_memory_find(memory, from, to - from, false) : NULL;
        for (uint64_t i = from - begin; below && i < to - begin; i++)
            if (!image->written[i])
                image->data[i] = below[i - (from - begin)];
        lay_over(memory, write, row, begin, end, begin, image->data);
        memset(image->written + (from - begin), 1, to - from);
    }
}

static bool make_image(native_memory *memory, native_page *page)
{
    if (memory->image_count == memory->image_room &&
        !twin_native_grow(&memory->images, &memory->image_room, sizeof(*memory->images),
                          FIRST_IMAGES))
        return false;
    native_image *image = &memory->images[memory->image_count];
    memset(image->written, 0, sizeof(image->written));
    for (uint32_t note = page->first; note != NONE; note = memory->notes[note].next)
        lay_into(memory, image, page->number,
                 &memory->writes[memory->block_first + memory->notes[note].write]);
    page->image = memory->image_count++;
    return true;
}

/* The newest write has its data now: pages that have images get it, pages with many notes become
 * such. */
static bool settle(native_memory *memory)
{
    if (!memory->unsettled)
        return true;
    memory->unsettled = false;
    const native_write *write = &memory->writes[memory->write_count - 1];
    uint64_t done = UINT64_MAX; /* the last page, which rows may share */
    for (uint32_t row = 0; row < write->rows; row++) {
        const uint64_t begin = write->address + row * write->pitch;
        for (uint64_t number = begin >> PAGE_SHIFT;
             number <= (begin + write->bytes - 1) >> PAGE_SHIFT; number++) {
            native_page *page = page_at(memory, number);
            if (number == done)
                continue;
            done = number;
            if (page->image != NONE)
                lay_into(memory, &memory->images[page->image], number, write);
            else if (page->notes > NOTES_MOST && !make_image(memory, page))
                return false;
        }
    }
    return true;
}

static void lay_image(const native_image *image, uint64_t page, uint64_t from, uint64_t to,
                      uint64_t address, unsigned char *out)
{
    const uint64_t begin = page << PAGE_SHIFT;
    for (uint64_t at = from; at < to; at++)
        if (image->written[at - begin])
            out[at - address] = image->data[at - begin];
}

bool twin_native_memory_near_writes(const native_memory *memory, uint64_t address, uint64_t bytes)
{
    return address < memory->high && address + bytes > memory->low;
}

/* The writes of the block that [address, address + bytes) meets, page by page; into `out` unless
 * that is NULL. */
static void visit(native_memory *memory, uint64_t address, uint64_t bytes, unsigned char *out,
                  native_meet *meet, void *user)
{
    const uint64_t end = address + bytes;
    for (uint64_t number = address >> PAGE_SHIFT; number <= (end - 1) >> PAGE_SHIFT; number++) {
        const native_page *page = page_at(memory, number);
        if (page->generation != memory->generation)
            continue;
        const uint64_t page_begin = number << PAGE_SHIFT;
        const uint64_t page_end = page_begin + ((uint64_t)1 << PAGE_SHIFT);
        const uint64_t from = address > page_begin ? address : page_begin;
        const uint64_t to = end < page_end ? end : page_end;
        if (page->image != NONE) {
            if (out)
                lay_image(&memory->images[page->image], number, from, to, address, out);
            continue;
        }
        for (uint32_t note = page->first; note != NONE; note = memory->notes[note].next) {
            const native_write *write =
                &memory->writes[memory->block_first + memory->notes[note].write];
            uint32_t first, last;
            if (!meets(write, from, to, &first, &last))
                continue;
            meet(user, write);
            for (uint32_t row = first; out && row <= last; row++)
                lay_over(memory, write, row, from, to, address, out);
        }
    }
}

bool twin_native_memory_read(native_memory *memory, uint64_t address, uint32_t bytes,
                             unsigned char *out, native_meet *meet, void *user)
{
    const unsigned char *at = twin_native_memory_find(memory, address, bytes, false);
    memory->gone = !at;
    if (!at)
        return false;
    memcpy(out, at, bytes);
    if (!twin_native_memory_near_writes(memory, address, bytes))
        return true;
    if (!settle(memory))
        return false;
    /* Elements that were combined are not cut in two: they are of 4 bytes at most, and aligned. */
    const uint64_t begin = address & ~(uint64_t)3;
    const uint64_t end = (address + bytes + 3) & ~(uint64_t)3;
    const unsigned char *wide = begin == address && end == address + bytes
                                    ? NULL
                                    : twin_native_memory_find(memory, begin, end - begin, false);
    if (!wide) {
        visit(memory, address, bytes, out, meet, user);
        return true;
    }
    unsigned char *copy = malloc(end - begin);
    if (!copy)
        return false;
    memcpy(copy, wide, end - begin);
    visit(memory, begin, end - begin, copy, meet, user);
    memcpy(out, copy + (address - begin), bytes);
    free(copy);
    return true;
}

void twin_native_memory_touch(native_memory *memory, uint64_t address, uint32_t bytes,
                              native_meet *meet, void *user)
{
    if (twin_native_memory_near_writes(memory, address, bytes))
        visit(memory, address, bytes, NULL, meet, user);
}

/* ---- writing --------------------------------------------------------------------------------- */

static unsigned char *room_for(native_memory *memory, size_t bytes)
{
    const size_t wanted = (bytes + 31) & ~(size_t)31;
    native_chunk *chunk = memory->chunks;
    if (!chunk || chunk->bytes - chunk->used < wanted) {
        if (memory->spare && memory->spare->bytes >= wanted) {
            chunk = memory->spare;
            memory->spare = NULL;
        } else {
            const size_t size = wanted > CHUNK_BYTES ? wanted : CHUNK_BYTES;
            chunk = aligned_alloc(32, sizeof(*chunk) + size);
            if (!chunk)
                return NULL;
            chunk->bytes = size;
        }
        chunk->used = 0;
        chunk->next = memory->chunks;
        memory->chunks = chunk;
    }
    unsigned char *room = chunk->data + chunk->used;
    chunk->used += wanted;
    return room;
}

unsigned char *twin_native_memory_write(native_memory *memory, const native_write *write,
                                        native_meet *meet, void *user)
{
    const size_t number = memory->write_count - memory->block_first;
    if (!settle(memory))
        return NULL;
    if (memory->write_count == memory->write_room &&
        !twin_native_grow(&memory->writes, &memory->write_room, sizeof(*memory->writes),
                          FIRST_WRITES))
        return NULL;
    static unsigned char none;
    unsigned char *data =
        write->uncomputed ? &none : room_for(memory, (size_t)write->rows * write->bytes);
    if (!data || number >= NONE)
        return NULL;
    const uint64_t span = (write->rows - 1) * write->pitch + write->bytes;
    if (twin_native_memory_near_writes(memory, write->address, span))
        for (uint32_t row = 0; row < write->rows; row++)
            visit(memory, write->address + row * write->pitch, write->bytes, NULL, meet, user);
    const uint64_t end = write->address + span;
    memory->low = write->address < memory->low ? write->address : memory->low;
    memory->high = end > memory->high ? end : memory->high;
    memory->writes[memory->write_count] = *write;
    memory->writes[memory->write_count].data = data;
    if (!note_write(memory, write, (uint32_t)number))
        return NULL;
    memory->write_count++;
    memory->unsettled = true;
    return data;
}

static bool mark_moved(const twin_reach *reach, uint64_t address, uint64_t bytes)
{
    unsigned char marks[4096];
    lay_marks(marks, address, sizeof(marks));
    for (uint64_t done = 0; done < bytes; done += sizeof(marks))
        if (!reach->move(reach, address + done, marks,
                         bytes - done < sizeof(marks) ? bytes - done : sizeof(marks), true))
            return false;
    return true;
}

/* One row to memory for which there is no pointer. */
static bool apply_moved(native_memory *memory, const twin_reach *reach, const native_write *write,
                        uint64_t address, const unsigned char *data)
{
    if (!reach->move)
        return false;
    if (write->uncomputed)
        return mark_moved(reach, address, write->bytes);
    if (write->atomic == TWK_ATOMIC_NONE)
        return reach->move(reach, address, (void *)(uintptr_t)data, write->bytes, true);
    unsigned char *sum = malloc(write->bytes);
    bool done = sum && reach->move(reach, address, sum, write->bytes, false);
    if (done) {
        twin_native_combine(write->atomic, write->type, sum, data, write->bytes, &memory->overflow);
        done = reach->move(reach, address, sum, write->bytes, true);
    }
    free(sum);
    return done;
}

bool twin_native_memory_marked(void)
{
    return atomic_load_explicit(&marked, memory_order_relaxed);
}

bool twin_native_memory_apply(native_memory *memory, const twin_reach *reach, uint64_t *out_address)
{
    native_windows windows;
    windows.next = 0;
    for (size_t i = 0; i < memory->write_count; i++) {
        const native_write *write = &memory->writes[i];
        if (write->uncomputed)
            atomic_store_explicit(&marked, true, memory_order_relaxed);
        for (uint32_t row = 0; row < write->rows; row++) {
            const uint64_t address = write->address + row * write->pitch;
            const unsigned char *data =
                write->uncomputed ? write->data : write->data + (size_t)row * write->bytes;
            unsigned char *at =
                (unsigned char *)(uintptr_t)look(&windows, reach, address, write->bytes, true);
            if (!at) {
                if (apply_moved(memory, reach, write, address, data))
                    continue;
                *out_address = address;
                return false;
            }
            if (write->uncomputed)
                lay_marks(at, address, write->bytes);
            else if (write->atomic == TWK_ATOMIC_NONE)
                memcpy(at, data, write->bytes);
            else
                twin_native_combine(write->atomic, write->type, at, data, write->bytes,
                                    &memory->overflow);
        }
    }
    return true;
}

/* ---- life ------------------------------------------------------------------------------------ */

void twin_native_memory_begin(native_memory *memory, const twin_reach *reach, bool saturate)
{
    memory->overflow = (native_overflow){.saturate = saturate};
    memory->reach = reach;
    memory->reading.next = 0;
    memory->writing.next = 0;
    memory->write_count = 0;
    twin_native_memory_block(memory);
}

void twin_native_memory_block(native_memory *memory)
{
    memory->block_first = memory->write_count;
    memory->low = UINT64_MAX;
    memory->high = 0;
    memory->page_count = 0;
    memory->note_count = 0;
    memory->image_count = 0;
    memory->unsettled = false;
    if (++memory->generation == 0) { /* 0 is that of pages never used */
        if (memory->pages)
            memset(memory->pages, 0, memory->page_room * sizeof(*memory->pages));
        memory->generation = 1;
    }
}

void twin_native_memory_clear(native_memory *memory)
{
    while (memory->chunks) {
        native_chunk *chunk = memory->chunks;
        memory->chunks = chunk->next;
        if (!memory->spare && chunk->bytes <= KEPT_BYTES)
            memory->spare = chunk;
        else
            free(chunk);
    }
    memory->write_count = 0;
    memory->page_count = 0;
    if (memory->write_room > KEPT_WRITES) {
        free(memory->writes);
        memory->writes = NULL;
        memory->write_room = 0;
    }
}

void twin_native_memory_free(native_memory *memory)
{
    free(memory->moved);
    twin_native_memory_clear(memory);
    free(memory->spare);
    free(memory->writes);
    free(memory->pages);
    free(memory->notes);
    free(memory->images);
    *memory = (native_memory){0};
}
