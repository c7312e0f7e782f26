/* SPDX-License-Identifier: Apache-2.0 */
/* Writes that are not in memory yet, in their order, and what a reader of them sees. A run has one
 * of what all of its blocks see, and each block one of what it has written since. */
#ifndef TWINRT_KERNEL_OVERLAY_H
#define TWINRT_KERNEL_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct native_memory;

/* Rows that a block wrote. */
typedef struct native_write {
    uint64_t address;
    uint64_t pitch;
    const unsigned char *data; /* row after row */
    uint32_t rows, bytes;      /* of a row */
    uint8_t atomic, type;      /* TWK_ATOMIC_… */
    uint8_t pipe;              /* who wrote: number of the clock, and its time */
    uint16_t op;               /* name of the operation */
    uint32_t time;
    uint32_t block;
    /* Barriers of the launch are numbered from 1. What comes after this one comes after the write;
     * 0: nothing of another block does. */
    uint32_t barrier;
    uint32_t seen;   /* the newest barrier that came before it */
    bool uncomputed; /* it has no data: its bytes are marked */
    bool released;   /* its pipe has let other blocks know, at the next barrier */
    bool cached;     /* it is in the data cache of its core and nowhere else */
} native_write;

/* Which writes touch a page of 8 KiB, in their order; and pages with many writes: what they leave,
 * byte by byte. */
typedef struct native_overlay {
    native_write *writes;
    size_t count, room;
    uint64_t low, high; /* all that readers see are in here */
    struct native_page *pages;
    uint32_t page_count, page_room; /* a power of two */
    uint32_t generation;
    struct native_note *notes;
    uint32_t note_count;
    size_t note_room;
    struct native_image *images;
    uint32_t image_count;
    size_t image_room;
    bool unsettled; /* the newest write is not in the images yet: its data come after the call */
} native_overlay;

/* Nothing is in it. */
void twin_native_overlay_begin(native_overlay *overlay);
/* The same; and what is large is freed. */
void twin_native_overlay_trim(native_overlay *overlay);
void twin_native_overlay_free(native_overlay *overlay);

/* Called for each earlier write that a read or write meets, but for those in pages with many
 * writes. */
typedef void native_meet(void *user, const native_write *earlier);

/* `own` is the overlay of a block over what all blocks of its run see. Reads as the block sees it.
 * The range has been found good. false: it is gone since (memory->gone), or no host memory. */
bool twin_native_overlay_read(struct native_memory *memory, native_overlay *own, uint64_t address,
                              uint32_t bytes, unsigned char *out, native_meet *meet, void *user);
/* Whether there may be a write in there that the block sees. */
bool twin_native_overlay_near(const struct native_memory *memory, const native_overlay *own,
                              uint64_t address, uint64_t bytes);
/* Only the meetings of such a read. */
void twin_native_overlay_touch(const struct native_memory *memory, const native_overlay *own,
                               uint64_t address, uint32_t bytes, native_meet *meet, void *user);
/* A new write: the caller fills the data in, row after row, unless it is uncomputed. Each row has
 * been found good. NULL: no host memory. */
unsigned char *twin_native_overlay_write(struct native_memory *memory, native_overlay *own,
                                         const native_write *write, native_meet *meet, void *user);
/* The first `count` writes of a block become the newest of the run, and all blocks see them. false:
 * no host memory. */
bool twin_native_overlay_publish(struct native_memory *memory, native_overlay *own, size_t count);
/* Others have published writes, over which those of this block are. false: no host memory. */
bool twin_native_overlay_renew(struct native_memory *memory, native_overlay *own);
/* All writes of a block that has ended go to the end of those of the run, but before those of
 * blocks with higher numbers that no block sees either. false: no host memory. */
bool twin_native_overlay_append(struct native_memory *memory, native_overlay *own);

void twin_native_lay_marks(unsigned char *at, uint64_t address, uint64_t bytes);

#endif
