/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures (SVG) with axes, for light and dark pages. Colours and letters are those of
 * picture.py. */
#ifndef TWINRT_TOOLS_OUTPUT_PICTURE_H
#define TWINRT_TOOLS_OUTPUT_PICTURE_H

#include <stdio.h>

/* Classes of what is drawn. */
#define PICTURE_INK  "ink"
#define PICTURE_PALE "pale"
#define PICTURE_GRID "grid"

#define PICTURE_COLOURS 8u
extern const char *const picture_colours[PICTURE_COLOURS];

/* The head of the file up to the page; "</svg>" is the caller's. */
void picture_begin(FILE *out, int width, int height, const char *title, const char *description);
/* `anchor`: start, middle or end. */
void picture_text(FILE *out, double x, double y, int size, const char *anchor, const char *kind,
                  const char *text);
/* `more`: other attributes, with a blank before each. */
void picture_line(FILE *out, double x1, double y1, double x2, double y2, const char *kind,
                  const char *more);

#endif
