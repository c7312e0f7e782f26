/* SPDX-License-Identifier: Apache-2.0 */
/* What `twinrt info --memory` prints. */
#ifndef TWINRT_TOOLS_INFO_MEMORY_H
#define TWINRT_TOOLS_INFO_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "seam/backend.h"

/* Whether a fact of a backend is about addresses or pages. */
bool info_memory_is_fact(const char *name);
/* The addresses and pages of the devices of a backend that has started. */
void info_memory_print(const struct twin_backend *backend);

/* A moment of a recording: "max", "end", or the number of a call; NULL is "max". False: it is none
 * of these. */
bool info_memory_moment(const char *text, uint64_t *out);
/* The memory map of a recording at that moment. Returns 0, or -1 with a message. */
int info_memory_recording(const char *path, uint64_t seq, bool json);

#endif
