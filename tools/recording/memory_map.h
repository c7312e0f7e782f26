/* SPDX-License-Identifier: Apache-2.0 */
/* The memory map at one moment of a recording: what is allocated, registered, imported, reserved
 * and mapped, and the public call that did it. */
#ifndef TWINRT_TOOLS_RECORDING_MEMORY_MAP_H
#define TWINRT_TOOLS_RECORDING_MEMORY_MAP_H

#include "recording/containers.h"
#include "recording/ops.h"

/* X(name, word) */
#define TWIN_MEMORY_ROWS(X)                                                                        \
    X(DEVICE, "device")                                                                            \
    X(POOL, "pool")                                                                                \
    X(PHYSICAL, "physical")                                                                        \
    X(MAPPING, "mapping")                                                                          \
    X(PAGE_LOCKED, "page-locked")                                                                  \
    X(REGISTERED, "registered")                                                                    \
    X(MANAGED, "managed")                                                                          \
    X(IMPORTED, "imported")                                                                        \
    X(RESERVED, "reserved")
enum twin_memory_row_kind {
#define TWIN_MEMORY_ROW_ENUM(name, word) TWIN_MEMORY_##name##_ROW,
    TWIN_MEMORY_ROWS(TWIN_MEMORY_ROW_ENUM)
#undef TWIN_MEMORY_ROW_ENUM
        TWIN_MEMORY_ROW_KINDS
};

#define TWIN_MEMORY_NO_DEVICE UINT32_MAX
#define TWIN_MEMORY_NO_STREAM UINT32_MAX

struct twin_memory_row {
    uint64_t address; /* 0: none, of physical memory */
    uint64_t bytes;
    uint64_t page_bytes; /* 0: it has no pages */
    uint64_t detail;     /* REGISTERED: the address for the device, 0: none; PHYSICAL, MAPPING,
                             IMPORTED: number of the memory, counted from 1 */
    twin_op call;        /* the public call: name, call site, stack */
    uint32_t kind;       /* enum twin_memory_row_kind */
    uint32_t device;     /* or TWIN_MEMORY_NO_DEVICE */
    uint32_t stream;     /* or TWIN_MEMORY_NO_STREAM */
    uint32_t module;     /* of the vendor's software */
};

struct twin_memory_map {
    LIST_OF(struct twin_memory_row) rows; /* by address; those without one come last */
    uint64_t seq;                         /* of the last entry that counts */
    uint64_t last_seq;                    /* of the last entry */
    uint64_t device_bytes;                /* allocated on devices */
    uint64_t left_bytes;                  /* the same at the end */
};

#define TWIN_MEMORY_AT_MOST UINT64_MAX       /* when most device memory was allocated */
#define TWIN_MEMORY_AT_END  (UINT64_MAX - 1) /* after the last entry */
/* The map after the entry with number `seq`. False: out of memory. */
bool twin_memory_map_make(const twin_recording *recording, uint64_t seq,
                          struct twin_memory_map *out);
void twin_memory_map_free(struct twin_memory_map *map);

const char *twin_memory_row_word(uint32_t kind);

#endif
