/* SPDX-License-Identifier: Apache-2.0 */
/* A recording in words. */
#ifndef TWINRT_TOOLS_RECORDING_PRINT_H
#define TWINRT_TOOLS_RECORDING_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "recording/reader.h"

struct twin_recording_print {
    bool json; /* one object, the entries in a list; else a line for each */
    /* Leaves out what differs between two runs of one program on a model: wall-clock times, what
     * the operating system gives out; an address becomes the number of its allocation and a
     * distance. */
    bool stable;
};

/* False: out of memory, or the file does not take it. */
bool twin_recording_print(const twin_recording *recording, const struct twin_recording_print *how,
                          FILE *to);

/* The layout as tables in Markdown, as the page about recordings has it. */
void twin_recording_print_layout(FILE *to);

#endif
