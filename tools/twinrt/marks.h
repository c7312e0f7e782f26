/* SPDX-License-Identifier: Apache-2.0 */
/* The marks of parameters. */
#ifndef TWINRT_TOOLS_MARKS_H
#define TWINRT_TOOLS_MARKS_H

#include <stddef.h>
#include <string.h>

#define MARK_COUNT 4u
static const char *const mark_names[MARK_COUNT] = {"known", "inferred", "assumed", "measured"};

/* Index of the mark; MARK_COUNT: NULL or none of them. */
static inline size_t mark_of(const char *name)
{
    size_t mark = 0;
    while (mark < MARK_COUNT && !(name && strcmp(mark_names[mark], name) == 0))
        mark++;
    return mark;
}

#endif
