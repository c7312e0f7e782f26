/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a report, built piece by piece. */
#ifndef TWINRT_SIM_PROCESS_TEXT_H
#define TWINRT_SIM_PROCESS_TEXT_H

#include <stddef.h>

struct text {
    char *buffer;
    size_t room;
    size_t length;
};

/* A text that does not fit is cut and ends with "...". */
void sim_text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
