/* SPDX-License-Identifier: Apache-2.0 */
/* Cores that poll global memory until another block, or another core of theirs, writes there. A
 * core polls when it reads what it has read before, NATIVE_POLLS times in succession, and finds the
 * same bytes each time. Then it waits until there are new writes, of which all that blocks have
 * done so far become visible to all. */
#ifndef TWINRT_KERNEL_POLL_H
#define TWINRT_KERNEL_POLL_H

#include <stdbool.h>
#include <stdint.h>

struct native_core;
struct twin_native_run;

/* The core's block begins. */
void twin_native_poll_begin(struct native_core *core);
/* Called with what a read has found. true: the core has waited, and reads once more. */
bool twin_native_poll_waits(struct native_core *core, uint64_t address, uint32_t bytes,
                            const unsigned char *found);
/* A write to other bytes than before is not part of a poll. */
void twin_native_poll_wrote(struct native_core *core, uint64_t address, uint32_t bytes);
/* No block can go on: cores that poll go on as they are, and wait later the next time. false: none
 * polls. */
bool twin_native_poll_release(struct twin_native_run *run);

/* What a core that runs for too long polls; empty if it does not. */
typedef struct native_poll_text {
    char text[192];
} native_poll_text;
native_poll_text twin_native_poll_text(const struct native_core *core);

#endif
