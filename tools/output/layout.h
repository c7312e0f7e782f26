/* SPDX-License-Identifier: Apache-2.0 */
/* Text in columns: what follows a label is broken at blanks and goes on below itself. Plurals. */
#ifndef TWINRT_TOOLS_OUTPUT_LAYOUT_H
#define TWINRT_TOOLS_OUTPUT_LAYOUT_H

#include <stdint.h>
#include <stdio.h>

#define LAYOUT_PIPED 100u /* columns where there is no terminal */

/* Columns of what `file` writes to: of the terminal (60 to 120), else LAYOUT_PIPED. */
unsigned layout_width(FILE *file);
/* Prints `label`, then `text` in columns `indent` to `width`, and a line end. A word that is longer
 * stays whole. */
void layout_print(FILE *out, unsigned width, unsigned indent, const char *label, const char *text);
/* Prints an item of a list, in columns `indent` to layout_width(); the lines after its first are
 * indented by two more. */
void layout_item(FILE *out, unsigned indent, const char *text);
/* "64 KiB": in the largest unit, up to TiB, that it is a whole number of. Returns `text`. */
#define LAYOUT_BYTES 32u
const char *layout_bytes(uint64_t bytes, char text[LAYOUT_BYTES]);
/* The end of a noun after `count`: "s", after 1 "". */
const char *layout_plural(uint64_t count);

#endif
