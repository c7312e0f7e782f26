/* SPDX-License-Identifier: Apache-2.0 */
/* Global memory as the blocks of a run see it: as it was when the kernel began, and what the block
 * itself has written. Writes are kept in a list, block by block, and applied at the kernel's
 * end. */
#ifndef TWINRT_KERNEL_MEMORY_H
#define TWINRT_KERNEL_MEMORY_H

#include "kernel/mark.h"
#include "kernel/number.h"
#include "seam/types.h"

#define NATIVE_WINDOWS 8u

/* A piece of an allocation that was found good. */
typedef struct native_window {
    uint64_t begin, end;
    unsigned char *at;
    bool in_host;
} native_window;

typedef struct native_windows {
    native_window list[NATIVE_WINDOWS]; /* the first `next` of them are good, or all */
    uint32_t next;
} native_windows;

/* Rows that a block wrote. */
typedef struct native_write {
    uint64_t address;
    uint64_t pitch;
    const unsigned char *data; /* row after row */
    uint32_t rows, bytes;      /* of a row */
    uint8_t atomic, type;      /* TWK_ATOMIC_… */
    uint8_t pipe;              /* who wrote: number of the clock, and its time */
    uint8_t op;                /* name of the operation */
    uint32_t time;
    uint32_t block;
    bool uncomputed; /* it has no data: its bytes are marked */
} native_write;

typedef struct native_chunk {
    struct native_chunk *next;
    size_t bytes, used;
    _Alignas(32) unsigned char data[];
} native_chunk;

typedef struct native_memory {
    const twin_reach *reach;
    native_windows reading, writing;
    native_write *writes;
    size_t write_count, write_room;
    size_t block_first;   /* the first of the block under way */
    uint64_t low, high;   /* all of that block are in here */
    native_chunk *chunks; /* the newest first */
    native_chunk *spare;  /* one, for later */
    /* Which writes of the block under way touch a page of 8 KiB. */
    struct native_page *pages;
    uint32_t page_count, page_room; /* a power of two */
    uint32_t generation;
    struct native_note *notes;
    uint32_t note_count;
    size_t note_room;
    /* Pages with many writes: what they leave, byte by byte. */
    struct native_image *images;
    uint32_t image_count;
    size_t image_room;
    unsigned char *moved; /* what was found last where there is no pointer */
    size_t moved_room;
    native_overflow overflow; /* of atomic writes that were applied */
    bool gone;                /* the newest read found nothing any more */
    bool unsettled; /* the newest write is not in the images yet: its data come after the call */
} native_memory;

void twin_native_memory_begin(native_memory *memory, const twin_reach *reach, bool saturate);
/* The next block begins: nothing is its own. */
void twin_native_memory_block(native_memory *memory);
/* Ends a run; what is large is freed. */
void twin_native_memory_clear(native_memory *memory);
void twin_native_memory_free(native_memory *memory);

/* The bytes of memory as the kernel found them, until the next call; NULL: not inside an
 * allocation. write: only whether there is such memory. */
const unsigned char *twin_native_memory_find(native_memory *memory, uint64_t address,
                                             uint64_t bytes, bool write);
/* Whether the device reaches a byte that was found in memory of the host. */
bool twin_native_memory_in_host(const native_memory *memory, uint64_t address, bool write);

/* Called for each earlier write of the block that a read or write meets, but for those in pages
 * with many writes. */
typedef void native_meet(void *user, const native_write *earlier);
/* Reads as the block sees it. The range has been found good. false: it is gone since
 * (memory->gone), or no host memory. */
bool twin_native_memory_read(native_memory *memory, uint64_t address, uint32_t bytes,
                             unsigned char *out, native_meet *meet, void *user);
/* Whether the block may have written there. */
bool twin_native_memory_near_writes(const native_memory *memory, uint64_t address, uint64_t bytes);
/* Only the meetings of such a read. */
void twin_native_memory_touch(native_memory *memory, uint64_t address, uint32_t bytes,
                              native_meet *meet, void *user);
/* Whether any run of the process has left marks. Thread: any. */
bool twin_native_memory_marked(void);
/* A new write: the caller fills the data in, row after row, unless it is uncomputed. Each row has
 * been found good. NULL: no host memory. */
unsigned char *twin_native_memory_write(native_memory *memory, const native_write *write,
                                        native_meet *meet, void *user);

/* Applies all writes. false: a place is gone. */
bool twin_native_memory_apply(native_memory *memory, const twin_reach *reach,
                              uint64_t *out_address);

#endif
