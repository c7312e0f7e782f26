/* SPDX-License-Identifier: Apache-2.0 */
/* Names places in code: function, file and line of an address in a program or library, through
 * elfutils' libdw. What a file does not have (no symbols, no debug information) is left empty.
 * Separate debug files are found as gdb finds them: by build ID or debug link under /usr/lib/debug,
 * or through debuginfod if DEBUGINFOD_URLS is set. One thread at a time. */
#ifndef TWINRT_TOOLS_SYMBOLIZE_H
#define TWINRT_TOOLS_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYMBOL_FUNCTION_BYTES 256u
#define SYMBOL_FILE_BYTES     1024u

struct symbol {
    char function[SYMBOL_FUNCTION_BYTES]; /* "": not known; of C++, as it is written there */
    char file[SYMBOL_FILE_BYTES]; /* "": not known; absolute, if the compiler recorded its folder */
    uint32_t line;                /* from 1; 0: not known */
};

struct symbolizer;

/* NULL: out of memory. */
struct symbolizer *symbolizer_new(void);
void symbolizer_free(struct symbolizer *symbolizer);

/* The instruction at `offset` of the file at `path`: an address as the file counts it, so the
 * address in memory less where the file was loaded (dlpi_addr). With `build_id`, bytes of
 * `build_id_bytes`, a file that has another one is not looked at. */
void symbolizer_look(struct symbolizer *symbolizer, const char *path, const void *build_id,
                     size_t build_id_bytes, uint64_t offset, struct symbol *out);

/* A place in a source that the code at an address comes from. */
struct source_place {
    char file[SYMBOL_FILE_BYTES];
    uint32_t line;
    bool primary; /* in the file that was given to the compiler, and not in a header */
};
#define SOURCE_PLACES_MOST 64u

/* The places of the instruction at `offset`, through functions that were compiled into each other,
 * the innermost first. Returns how many: 0 if nothing is known. */
size_t symbolizer_inlined(struct symbolizer *symbolizer, const char *path, uint64_t offset,
                          struct source_place *places, size_t most);

#endif
