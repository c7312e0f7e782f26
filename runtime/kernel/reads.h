/* SPDX-License-Identifier: Apache-2.0 */
/* What blocks read of global memory, and whether another block writes it with no barrier in
 * between: then a board may read either. */
#ifndef TWINRT_KERNEL_READS_H
#define TWINRT_KERNEL_READS_H

#include "kernel/memory.h"

/* Rows that a block read. */
typedef struct native_read {
    uint64_t address;
    uint64_t pitch;
    uint32_t rows, bytes; /* of a row */
    uint32_t block;
    uint16_t op; /* as of native_write, as is pipe */
    uint8_t pipe;
    bool released; /* its pipe was done when its block set the next barrier of the launch */
    uint32_t time;
    uint32_t visible; /* the newest barrier whose writes it sees */
    uint32_t barrier; /* the first that comes after it; 0: none */
} native_read;

typedef struct native_reads {
    native_read *list;
    size_t count, room;
} native_reads;

/* One more. false: no host memory. Rows that follow on those of the newest are added to it. */
bool twin_native_reads_add(native_reads *reads, const native_read *read);
/* Those of `other` come after those of `reads`, as far as they are looked at. false: no host
 * memory. */
bool twin_native_reads_join(native_reads *reads, const native_reads *other);
/* None; what is large is freed. */
void twin_native_reads_clear(native_reads *reads);

typedef struct native_read_conflict {
    const native_read *read;
    const native_write *write; /* of another block */
    uint64_t begin, end;       /* of the bytes that both touch */
} native_read_conflict;

/* Whether a block reads bytes that another block changes, with no barrier in between; one such
 * place. Reads and writes are looked at as far as a limit of work allows. */
bool twin_native_reads_find(const native_reads *reads, native_memory *memory,
                            native_read_conflict *out_conflict);

#endif
