/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/overlay.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/memory.h"
#include "kernel/steps.h"
#include "twinrt/kernel.h"

#define PAGE_SHIFT   13u
#define PAGE_BYTES   ((uint64_t)1 << PAGE_SHIFT)
#define FIRST_PAGES  256u
#define FIRST_WRITES 64u
#define FIRST_NOTES  256u
#define FIRST_IMAGES 4u
#define KEPT_WRITES  65536u
#define KEPT_IMAGES  64u
#define NONE         UINT32_MAX
#define NOTES_MOST   64u /* of a page; then it has an image */

typedef struct native_page {
    uint64_t number;
    uint32_t generation;  /* another than the overlay's: free */
    uint32_t first, last; /* notes */
    uint32_t notes;
    uint32_t image; /* NONE: it has none */
} native_page;

typedef struct native_image {
    unsigned char data[PAGE_BYTES];
    unsigned char written[PAGE_BYTES]; /* 1: by a write */
} native_image;

typedef struct native_note {
    uint32_t write; /* its number */
    uint32_t next;
} native_note;

/* ---- pages of the writes --------------------------------------------------------------------- */

static uint32_t slot_of(uint64_t number, uint32_t room)
{
    return (uint32_t)((number * 0x9e3779b97f4a7c15ull) >> 40) & (room - 1);
}

/* The page's entry, or the free one where it would go. */
static native_page *page_at(const native_overlay *overlay, uint64_t number)
{
    uint32_t at = slot_of(number, overlay->page_room);
    while (overlay->pages[at].generation == overlay->generation &&
           overlay->pages[at].number != number)
        at = (at + 1) & (overlay->page_room - 1);
    return &overlay->pages[at];
}

static bool grow_pages(native_overlay *overlay)
{
    const uint32_t room = overlay->page_room ? overlay->page_room * 2 : FIRST_PAGES;
    native_page *old = overlay->pages;
    const uint32_t old_room = overlay->page_room;
    native_page *pages = calloc(room, sizeof(*pages));
    if (!pages)
        return false;
    overlay->pages = pages;
    overlay->page_room = room;
    for (uint32_t i = 0; i < old_room; i++)
        if (old[i].generation == overlay->generation)
            *page_at(overlay, old[i].number) = old[i];
    free(old);
    return true;
}

static bool note_page(native_overlay *overlay, uint64_t number, uint32_t write)
{
    if (overlay->page_count >= overlay->page_room / 2 && !grow_pages(overlay))
        return false;
    native_page *page = page_at(overlay, number);
    if (page->generation != overlay->generation) {
        *page = (native_page){.number = number,
                              .generation = overlay->generation,
                              .first = NONE,
                              .last = NONE,
                              .image = NONE};
        overlay->page_count++;
    }
    if (page->image != NONE || (page->last != NONE && overlay->notes[page->last].write == write))
        return true;
    if (overlay->note_count == overlay->note_room &&
        !twin_native_grow(&overlay->notes, &overlay->note_room, sizeof(*overlay->notes),
                          FIRST_NOTES))
        return false;
    const uint32_t note = overlay->note_count++;
    overlay->notes[note] = (native_note){.write = write, .next = NONE};
    if (page->last == NONE)
        page->first = note;
    else
        overlay->notes[page->last].next = note;
    page->last = note;
    page->notes++;
    return true;
}

static bool note_write(native_overlay *overlay, const native_write *write, uint32_t number)
{
    for (uint32_t row = 0; row < write->rows; row++) {
        const uint64_t begin = write->address + row * write->pitch;
        for (uint64_t page = begin >> PAGE_SHIFT; page <= (begin + write->bytes - 1) >> PAGE_SHIFT;
             page++)
            if (!note_page(overlay, page, number))
                return false;
    }
    return true;
}

/* ---- reading what was written ---------------------------------------------------------------- */

void twin_native_lay_marks(unsigned char *at, uint64_t address, uint64_t bytes)
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
        twin_native_lay_marks(out + (from - address), from, to - from);
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

/* ---- which writes a range meets -------------------------------------------------------------- */

static void lay_image(const native_image *image, uint64_t page, uint64_t from, uint64_t to,
                      uint64_t address, unsigned char *out)
{
    const uint64_t begin = page << PAGE_SHIFT;
    for (uint64_t at = from; at < to; at++)
        if (image->written[at - begin])
            out[at - address] = image->data[at - begin];
}

/* The writes that [address, address + bytes) meets, page by page; into `out` unless that is NULL.
 * `meet` may be NULL. */
static void visit(const native_memory *memory, const native_overlay *overlay, uint64_t address,
                  uint64_t bytes, unsigned char *out, native_meet *meet, void *user)
{
    const uint64_t end = address + bytes;
    for (uint64_t number = address >> PAGE_SHIFT; number <= (end - 1) >> PAGE_SHIFT; number++) {
        const native_page *page = page_at(overlay, number);
        if (page->generation != overlay->generation)
            continue;
        const uint64_t page_begin = number << PAGE_SHIFT;
        const uint64_t page_end = page_begin + PAGE_BYTES;
        const uint64_t from = address > page_begin ? address : page_begin;
        const uint64_t to = end < page_end ? end : page_end;
        if (page->image != NONE) {
            if (out)
                lay_image(&overlay->images[page->image], number, from, to, address, out);
            continue;
        }
        for (uint32_t note = page->first; note != NONE; note = overlay->notes[note].next) {
            const native_write *write = &overlay->writes[overlay->notes[note].write];
            uint32_t first, last;
            if (!meets(write, from, to, &first, &last))
                continue;
            if (meet)
                meet(user, write);
            for (uint32_t row = first; out && row <= last; row++)
                lay_over(memory, write, row, from, to, address, out);
        }
    }
}

static bool near(const native_overlay *overlay, uint64_t address, uint64_t bytes)
{
    return address < overlay->high && address + bytes > overlay->low;
}

/* ---- pages with many writes ------------------------------------------------------------------ */

/* What is under bytes of a page that a write combines with, where no write of the overlay is. */
static void copy_below(native_memory *memory, const native_overlay *overlay, native_image *image,
                       uint64_t begin, uint64_t from, uint64_t to)
{
    unsigned char part[256];
    const uint64_t stop = (to + 3) & ~(uint64_t)3;
    for (uint64_t at = from & ~(uint64_t)3, end; at < stop; at = end) {
        end = stop - at < sizeof(part) ? stop : at + sizeof(part);
        const unsigned char *below = twin_native_memory_find(memory, at, end - at, false);
        if (!below)
            continue;
        memcpy(part, below, end - at);
        if (overlay != &memory->launch && near(&memory->launch, at, end - at))
            visit(memory, &memory->launch, at, end - at, part, NULL, NULL);
        for (uint64_t i = at; i < end; i++)
            if (i >= from && i < to && !image->written[i - begin])
                image->data[i - begin] = part[i - at];
    }
}

/* What a write leaves in the page, laid over what was there. */
static void lay_into(native_memory *memory, const native_overlay *overlay, native_image *image,
                     uint64_t page, const native_write *write)
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
        if (write->atomic)
            copy_below(memory, overlay, image, begin, from, to);
        lay_over(memory, write, row, begin, end, begin, image->data);
        memset(image->written + (from - begin), 1, to - from);
    }
}

static bool make_image(native_memory *memory, native_overlay *overlay, native_page *page)
{
    if (overlay->image_count == overlay->image_room &&
        !twin_native_grow(&overlay->images, &overlay->image_room, sizeof(*overlay->images),
                          FIRST_IMAGES))
        return false;
    native_image *image = &overlay->images[overlay->image_count];
    memset(image->written, 0, sizeof(image->written));
    for (uint32_t note = page->first; note != NONE; note = overlay->notes[note].next)
        lay_into(memory, overlay, image, page->number,
                 &overlay->writes[overlay->notes[note].write]);
    page->image = overlay->image_count++;
    return true;
}

/* The newest write has its data now: pages that have images get it, pages with many notes become
 * such. */
static bool settle(native_memory *memory, native_overlay *overlay)
{
    if (!overlay->unsettled)
        return true;
    overlay->unsettled = false;
    const native_write *write = &overlay->writes[overlay->count - 1];
    uint64_t done = UINT64_MAX; /* the last page, which rows may share */
    for (uint32_t row = 0; row < write->rows; row++) {
        const uint64_t begin = write->address + row * write->pitch;
        for (uint64_t number = begin >> PAGE_SHIFT;
             number <= (begin + write->bytes - 1) >> PAGE_SHIFT; number++) {
            native_page *page = page_at(overlay, number);
            if (number == done)
                continue;
            done = number;
            if (page->image != NONE)
                lay_into(memory, overlay, &overlay->images[page->image], number, write);
            else if (page->notes > NOTES_MOST && !make_image(memory, overlay, page))
                return false;
        }
    }
    return true;
}

/* ---- what a block sees ----------------------------------------------------------------------- */

bool twin_native_overlay_near(const native_memory *memory, const native_overlay *own,
                              uint64_t address, uint64_t bytes)
{
    return near(own, address, bytes) || near(&memory->launch, address, bytes);
}

/* As visit, what all blocks see first. */
static void visit_both(const native_memory *memory, const native_overlay *own, uint64_t address,
                       uint64_t bytes, unsigned char *out, native_meet *meet, void *user)
{
    if (near(&memory->launch, address, bytes))
        visit(memory, &memory->launch, address, bytes, out, meet, user);
    if (near(own, address, bytes))
        visit(memory, own, address, bytes, out, meet, user);
}

bool twin_native_overlay_read(native_memory *memory, native_overlay *own, uint64_t address,
                              uint32_t bytes, unsigned char *out, native_meet *meet, void *user)
{
    const unsigned char *at = twin_native_memory_find(memory, address, bytes, false);
    memory->gone = !at;
    if (!at)
        return false;
    memcpy(out, at, bytes);
    if (!twin_native_overlay_near(memory, own, address, bytes))
        return true;
    if (!settle(memory, own))
        return false;
    /* Elements that were combined are not cut in two: they are of 4 bytes at most, and aligned. */
    const uint64_t begin = address & ~(uint64_t)3;
    const uint64_t end = (address + bytes + 3) & ~(uint64_t)3;
    const unsigned char *wide = begin == address && end == address + bytes
                                    ? NULL
                                    : twin_native_memory_find(memory, begin, end - begin, false);
    if (!wide) {
        visit_both(memory, own, address, bytes, out, meet, user);
        return true;
    }
    unsigned char *copy = malloc(end - begin);
    if (!copy)
        return false;
    memcpy(copy, wide, end - begin);
    visit_both(memory, own, begin, end - begin, copy, meet, user);
    memcpy(out, copy + (address - begin), bytes);
    free(copy);
    return true;
}

void twin_native_overlay_touch(const native_memory *memory, const native_overlay *own,
                               uint64_t address, uint32_t bytes, native_meet *meet, void *user)
{
    visit_both(memory, own, address, bytes, NULL, meet, user);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The newest write, whose place in `writes` is filled; its data may come later. */
static bool add(native_overlay *overlay)
{
    const native_write *write = &overlay->writes[overlay->count];
    if (overlay->count >= NONE || !note_write(overlay, write, (uint32_t)overlay->count))
        return false;
    const uint64_t end = write->address + (write->rows - 1) * write->pitch + write->bytes;
    overlay->low = write->address < overlay->low ? write->address : overlay->low;
    overlay->high = end > overlay->high ? end : overlay->high;
    overlay->count++;
    overlay->unsettled = true;
    return true;
}

static bool grow_writes(native_overlay *overlay)
{
    return overlay->count < overlay->room ||
           twin_native_grow(&overlay->writes, &overlay->room, sizeof(*overlay->writes),
                            FIRST_WRITES);
}

unsigned char *twin_native_overlay_write(native_memory *memory, native_overlay *own,
                                         const native_write *write, native_meet *meet, void *user)
{
    static unsigned char none;
    if (!settle(memory, own) || !grow_writes(own))
        return NULL;
    unsigned char *data = write->uncomputed
                              ? &none
                              : twin_native_memory_room(memory, (size_t)write->rows * write->bytes);
    if (!data)
        return NULL;
    const uint64_t span = (write->rows - 1) * write->pitch + write->bytes;
    if (twin_native_overlay_near(memory, own, write->address, span))
        for (uint32_t row = 0; row < write->rows; row++)
            visit_both(memory, own, write->address + row * write->pitch, write->bytes, NULL, meet,
                       user);
    own->writes[own->count] = *write;
    own->writes[own->count].data = data;
    return add(own) ? data : NULL;
}

bool twin_native_overlay_publish(native_memory *memory, native_overlay *own, size_t count)
{
    native_overlay *launch = &memory->launch;
    for (size_t i = 0; i < count; i++) {
        if (!grow_writes(launch))
            return false;
        launch->writes[launch->count] = own->writes[i];
        if (!add(launch) || !settle(memory, launch))
            return false;
    }
    const size_t left = own->count - count;
    const native_write *rest = own->writes + count;
    twin_native_overlay_begin(own);
    for (size_t i = 0; i < left; i++) {
        own->writes[i] = rest[i];
        if (!add(own) || !settle(memory, own))
            return false;
    }
    return true;
}

bool twin_native_overlay_renew(native_memory *memory, native_overlay *own)
{
    return own->image_count == 0 || twin_native_overlay_publish(memory, own, 0);
}

bool twin_native_overlay_append(native_memory *memory, native_overlay *own)
{
    native_overlay *launch = &memory->launch;
    const size_t count = own->count;
    if (count == 0)
        return true;
    while (launch->room - launch->count < count)
        if (!twin_native_grow(&launch->writes, &launch->room, sizeof(*launch->writes),
                              FIRST_WRITES))
            return false;
    size_t place = launch->count;
    while (place > 0 && launch->writes[place - 1].barrier == 0 &&
           launch->writes[place - 1].block > own->writes[0].block)
        place--;
    native_write *to = launch->writes + place;
    memmove(to + count, to, (launch->count - place) * sizeof(*to));
    memcpy(to, own->writes, count * sizeof(*to));
    launch->count += count;
    twin_native_overlay_begin(own);
    return true;
}

/* ---- life ------------------------------------------------------------------------------------ */

void twin_native_overlay_begin(native_overlay *overlay)
{
    overlay->count = 0;
    overlay->low = UINT64_MAX;
    overlay->high = 0;
    overlay->page_count = 0;
    overlay->note_count = 0;
    overlay->image_count = 0;
    overlay->unsettled = false;
    if (++overlay->generation == 0) { /* 0 is that of pages never used */
        if (overlay->pages)
            memset(overlay->pages, 0, overlay->page_room * sizeof(*overlay->pages));
        overlay->generation = 1;
    }
}

void twin_native_overlay_trim(native_overlay *overlay)
{
    overlay->count = 0;
    overlay->page_count = 0;
    if (overlay->room > KEPT_WRITES) {
        free(overlay->writes);
        overlay->writes = NULL;
        overlay->room = 0;
    }
    if (overlay->image_room > KEPT_IMAGES) {
        free(overlay->images);
        overlay->images = NULL;
        overlay->image_room = 0;
    }
    if (overlay->note_room > KEPT_WRITES) {
        free(overlay->notes);
        overlay->notes = NULL;
        overlay->note_room = 0;
    }
}

void twin_native_overlay_free(native_overlay *overlay)
{
    free(overlay->writes);
    free(overlay->pages);
    free(overlay->notes);
    free(overlay->images);
    *overlay = (native_overlay){0};
}
