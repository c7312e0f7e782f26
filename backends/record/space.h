/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptor of a recording, and its space on the disk. The lock of file.c guards all of it. */
#ifndef TWINRT_RECORD_SPACE_H
#define TWINRT_RECORD_SPACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "seam/backend.h"
#include "seam/own_file.h"

struct record_space {
    const twin_services *services;
    twin_own_file own;
    char path[PATH_MAX];
    uint64_t bytes;   /* of the file */
    bool zeros_first; /* written before a chunk is mapped */
    bool reopened;    /* which has been said */
};
extern struct record_space record_space;

__attribute__((format(printf, 2, 3))) void record_say(int level, const char *format, ...);
/* Whether the descriptor is the file, which may have been closed by the program. */
bool record_space_held(void);
/* Space on the disk before a thread stores into it: a store that finds none would end the
 * process. */
bool record_space_reserve(uint64_t from, uint64_t to);
/* The same, ahead of need: the file becomes at least that long. */
bool record_space_grow(uint64_t wanted);
bool record_space_zero(uint64_t from, uint64_t to);
bool record_space_write(const void *bytes, size_t count, uint64_t at);

#endif
