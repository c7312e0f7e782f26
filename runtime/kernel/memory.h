/* SPDX-License-Identifier: Apache-2.0 */
/* Global memory as the blocks of a run see it: as it was when the kernel began, and over that what
 * has been written since. Writes are kept in lists and applied at the kernel's end. */
#ifndef TWINRT_KERNEL_MEMORY_H
#define TWINRT_KERNEL_MEMORY_H

#include "kernel/mark.h"
#include "kernel/number.h"
#include "kernel/overlay.h"
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

typedef struct native_chunk {
    struct native_chunk *next;
    size_t bytes, used;
    _Alignas(32) unsigned char data[];
} native_chunk;

typedef struct native_memory {
    const twin_reach *reach;
    native_windows reading, writing;
    native_overlay launch; /* all writes of blocks that have ended or let others know */
    native_chunk *chunks;  /* data of writes, the newest first */
    native_chunk *spare;   /* one, for later */
    unsigned char *moved;  /* what was found last where there is no pointer */
    size_t moved_room;
    native_overflow overflow; /* of atomic writes that were applied */
    bool gone;                /* the newest read found nothing any more */
} native_memory;

void twin_native_memory_begin(native_memory *memory, const twin_reach *reach, bool saturate);
/* Ends a run; what is large is freed. */
void twin_native_memory_clear(native_memory *memory);
void twin_native_memory_free(native_memory *memory);

/* The bytes of memory as the kernel found them, until the next call; NULL: not inside an
 * allocation. write: only whether there is such memory. */
const unsigned char *twin_native_memory_find(native_memory *memory, uint64_t address,
                                             uint64_t bytes, bool write);
/* Whether the device reaches a byte that was found in memory of the host. */
bool twin_native_memory_in_host(const native_memory *memory, uint64_t address, bool write);
/* Whether any run of the process has left marks. Thread: any. */
bool twin_native_memory_marked(void);
/* Room for the data of a write, until the run ends. NULL: no host memory. */
unsigned char *twin_native_memory_room(native_memory *memory, size_t bytes);

/* The writes of `other` come after those that are there, and their data belong to `memory`. No
 * block sees writes of either. false: no host memory. */
bool twin_native_memory_join(native_memory *memory, native_memory *other);

/* Applies all writes. false: a place is gone. */
bool twin_native_memory_apply(native_memory *memory, const twin_reach *reach,
                              uint64_t *out_address);

#endif
